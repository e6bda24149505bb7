// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "evaluate/juno_pelt.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <vector>

#include "support/shared_records.h"
#include "support/temporary_folder.h"

namespace rqscope {
namespace {

TEST(JunoPelt, EveryRunIsReproduced) {
  const auto folder = sharedRecord("ground-truth/juno/runs");
  if (!folder) return;
  std::vector<std::string> files;
  for (const auto& run : std::filesystem::directory_iterator(*folder))
    files.push_back((run.path() / "decisions.json").string());
  std::sort(files.begin(), files.end());
  for (const std::string& file : files) {
    const auto report = verifyJunoPelt(file);
    ASSERT_TRUE(report.ok()) << report.error().text();
    std::cout << textOf(report.value());
    EXPECT_TRUE(report.value().allEqual()) << file;
  }
}

// One unit of one field of one tick, changed by hand, must be found.
TEST(JunoPelt, AChangedValueIsFound) {
  const auto path = sharedRecord("ground-truth/juno/runs/full-6.12-after/decisions.json");
  if (!path) return;
  for (const char* field : {"usum", "ua", "la", "ra", "pc"}) {
    std::ifstream file(*path);
    auto document = nlohmann::json::parse(file);
    auto& value = document["pelt_ticks"][200][field];
    value = value.get<std::int64_t>() + 1;
    TemporaryFolder folder;
    const auto changed = (folder.path() / "decisions.json").string();
    std::ofstream(changed) << document;
    const auto report = verifyJunoPelt(changed);
    ASSERT_TRUE(report.ok());
    EXPECT_GT(report.value().different, 0) << field;
  }
}

}  // namespace
}  // namespace rqscope
