// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "evaluate/line_reader.h"
#include "evaluate/stepped.h"
#include "support/shared_records.h"
#include "support/temporary_folder.h"

namespace rqscope {
namespace {

namespace fs = std::filesystem;

fs::path copiedRuns() { return fs::path(RQSCOPE_SOURCE_DIR) / "tests/kernel/stepped"; }

void expectEqual(const std::string& path) {
  const auto report = verifySteppedRun(path);
  ASSERT_TRUE(report.ok()) << report.diagnostics().front().text();
  std::cout << textOf(report.value());
  EXPECT_TRUE(report.value().allEqual());
}

class SteppedRun : public testing::TestWithParam<const char*> {};

TEST_P(SteppedRun, EqualsTheKernelInEveryLine) {
  const auto path = sharedRecord(std::string("ground-truth/stepped/") + GetParam());
  if (path) expectEqual(*path);
}

INSTANTIATE_TEST_SUITE_P(All, SteppedRun,
                         testing::Values("a_always_running", "b_periodic_50", "c_three_nice", "d_groups",
                                         "e_spread8", "f_juno_migrate_util", "g_smt", "h_misfit", "rand01",
                                         "rand02", "rand03", "rand04", "e_spread8_k61",
                                         "f_juno_migrate_util_k61", "g_smt_k61"),
                         [](const testing::TestParamInfo<const char*>& run) {
                           return std::string(run.param);
                         });

// Every run in the folder beside this test, with or without the shared records.
TEST(CopiedSteppedRuns, AreEqualInEveryLine) {
  std::vector<std::string> folders;
  for (const auto& entry : fs::directory_iterator(copiedRuns()))
    if (entry.is_directory()) folders.push_back(entry.path().string());
  std::sort(folders.begin(), folders.end());
  EXPECT_FALSE(folders.empty());
  for (const std::string& folder : folders) {
    SCOPED_TRACE(folder);
    expectEqual(folder);
  }
}

/// A copy of a run in which `change` was applied to each line; an empty line is left out.
class ChangedRun {
 public:
  template <class Change>
  explicit ChangedRun(const char* name, Change&& change) {
    const fs::path from = copiedRuns() / name;
    fs::copy_file(from / "scenario.json", m_folder.path() / "scenario.json");
    std::ofstream out(m_folder.path() / "output.jsonl");
    auto reader = LineReader::open((from / "output.jsonl.gz").string());
    EXPECT_TRUE(reader.ok());
    std::string text;
    while (reader.value().next(text)) {
      nlohmann::json line = nlohmann::json::parse(text);
      change(line);
      if (!line.is_null()) out << line.dump() << '\n';
    }
  }
  SteppedReport verify() const {
    auto report = verifySteppedRun(m_folder.path().string());
    EXPECT_TRUE(report.ok());
    return report.ok() ? report.value() : SteppedReport{};
  }

 private:
  TemporaryFolder m_folder;
};

bool isAt(const nlohmann::json& line, const char* kind, int tick) {
  return line.value("ev", "") == kind && line.value("t", -2) == tick;
}

TEST(SteppedRunCheck, NamesTheOneFieldThatWasChanged) {
  const ChangedRun run("c_three_nice", [](nlohmann::json& line) {
    if (isAt(line, "task", 100) && line["id"] == 1)
      line["vruntime"] = line["vruntime"].get<std::uint64_t>() + 1;
  });
  const SteppedReport report = run.verify();
  EXPECT_EQ(report.lines - report.equal, 1U);
  ASSERT_EQ(report.first.size(), 1U);
  EXPECT_EQ(report.first[0].tick, 100);
  EXPECT_EQ(report.first[0].field, "vruntime");
  EXPECT_EQ(report.firstDifferentTick, 100);
}

TEST(SteppedRunCheck, FindsAnEventThatIsMissingFromTheRecord) {
  bool isDropped = false;
  const ChangedRun run("c_three_nice", [&](nlohmann::json& line) {
    if (isDropped || line.value("ev", "") != "sw") return;
    line = nullptr;
    isDropped = true;
  });
  const SteppedReport report = run.verify();
  EXPECT_EQ(report.extraLines, 1U);
  EXPECT_EQ(report.lines, report.equal);
  EXPECT_FALSE(report.allEqual());
}

TEST(SteppedRunCheck, FindsAFieldThatTheModelDoesNotHave) {
  const ChangedRun run("c_three_nice", [](nlohmann::json& line) {
    if (isAt(line, "cpu", 7) && line["cpu"] == 2) line["never_heard_of"] = 1;
  });
  const SteppedReport report = run.verify();
  EXPECT_EQ(report.lines - report.equal, 1U);
}

TEST(SteppedRunCheck, RefusesAFolderWithoutAScenario) {
  const TemporaryFolder folder;
  const auto report = verifySteppedRun(folder.path().string());
  ASSERT_FALSE(report.ok());
  EXPECT_NE(report.error().text().find("scenario.json"), std::string::npos);
}

}  // namespace
}  // namespace rqscope
