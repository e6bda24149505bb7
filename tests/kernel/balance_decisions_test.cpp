// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

#include <gtest/gtest.h>

#include "evaluate/decision_records.h"
#include "support/shared_records.h"
#include "support/temporary_folder.h"

namespace rqscope {
namespace {

namespace fs = std::filesystem;

// Situation: every recorded balance decision of the Juno runs of kernels 6.1 and 6.12, patch off and on.
// Expectation: the engine's functions give the same types, branch, imbalance and verdicts from the same
// statistics.
TEST(JunoDecisions, AllRunsAreEqual) {
  const auto folder = sharedRecord("ground-truth/juno/runs");
  if (!folder) return;
  int runs = 0;
  for (const auto& entry : fs::directory_iterator(*folder)) {
    const auto report = verifyJunoDecisions((entry.path() / "decisions.json").string());
    ASSERT_TRUE(report.ok()) << report.error().text();
    EXPECT_TRUE(report.value().allEqual()) << textOf(report.value());
    ++runs;
  }
  EXPECT_GE(runs, 29);
}

TEST(BalanceTraces, AllRunsAreEqual) {
  const auto folder = sharedRecord("ground-truth/traces");
  if (!folder) return;
  int runs = 0;
  for (const auto& entry : fs::directory_iterator(*folder)) {
    if (entry.path().filename().string().find(".balance.jsonl") == std::string::npos) continue;
    const auto report = verifyBalanceTrace(entry.path().string());
    ASSERT_TRUE(report.ok()) << report.error().text();
    EXPECT_TRUE(report.value().allEqual()) << textOf(report.value());
    ++runs;
  }
  EXPECT_GE(runs, 7);
}

// Situation: one recorded imbalance is changed by hand. Expectation: exactly that value is reported.
TEST(JunoDecisions, AChangedImbalanceIsFound) {
  const auto folder = sharedRecord("ground-truth/juno");
  if (!folder) return;
  TemporaryFolder copy;
  fs::copy(fs::path(*folder) / "topology.json", copy.path() / "topology.json");
  std::ifstream in(fs::path(*folder) / "runs/five-6.12-after/decisions.json");
  std::stringstream buffer;
  buffer << in.rdbuf();
  std::string text = buffer.str();
  const auto at = text.find("\"migration_type\": \"migrate_util\", \"imbalance\": ");
  ASSERT_NE(at, std::string::npos);
  text.insert(text.find("\"imbalance\": ", at) + 13, "1");
  std::ofstream(copy.path() / "decisions.json") << text;
  const auto report = verifyJunoDecisions((copy.path() / "decisions.json").string());
  ASSERT_TRUE(report.ok()) << report.error().text();
  EXPECT_FALSE(report.value().allEqual());
  const auto& kinds = report.value().kinds;
  const auto found =
      std::ranges::find_if(kinds, [](const CheckedKind& k) { return k.kind == "find_src_group"; });
  ASSERT_NE(found, kinds.end());
  EXPECT_EQ(found->different, 1);
}

}  // namespace
}  // namespace rqscope
