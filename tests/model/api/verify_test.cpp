// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "rqscope/verify.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iostream>

namespace rqscope::api {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

TEST(Verify, SaysWhyAPathIsNoRecord) {
  const VerifyReport none = verifyPath("/no/such", {});
  ASSERT_EQ(none.rows.size(), 1U);
  EXPECT_THAT(none.rows[0].error, HasSubstr("no such file"));
  EXPECT_FALSE(none.allEqual());
  const fs::path folder = fs::path(testing::TempDir()) / "rqscope-no-record";
  fs::create_directories(folder);
  std::ofstream(folder / "README.md") << "text";
  EXPECT_THAT(verifyPath(folder.string(), {}).rows.at(0).error, HasSubstr("no record in this folder"));
  EXPECT_THAT(verifyPath((folder / "README.md").string(), {}).rows.at(0).error,
              HasSubstr("no record of a kernel"));
  EXPECT_FALSE(verifyPath(folder.string(), {}).allEqual()) << "nothing compared is not all equal";
  fs::remove_all(folder);
}

TEST(Verify, CountsDifferences) {
  // A line that the model can run and one that no function answers: the second counts as different.
  const fs::path folder = fs::path(testing::TempDir()) / "rqscope-vectors" / "6.12";
  fs::create_directories(folder);
  const fs::path file = folder / "decay_load.jsonl";
  std::ofstream(file) << R"({"fn":"decay_load","in":{"val":1000,"n":0},"out":{"ret":1000}})"
                         "\n"
                      << R"({"fn":"no_such_function","in":{},"out":{"ret":1}})"
                         "\n";
  const VerifyReport report = verifyPath(folder.parent_path().string(), {});
  ASSERT_EQ(report.rows.size(), 1U);
  EXPECT_EQ(report.rows[0].kind, "vectors");
  EXPECT_EQ(report.rows[0].kernel, "v6.12");
  EXPECT_EQ(report.rows[0].compared, 2U);
  EXPECT_GE(report.rows[0].different, 1U);
  EXPECT_FALSE(report.allEqual());
  EXPECT_FALSE(report.rows[0].details.empty());
  fs::remove_all(folder.parent_path());
}

TEST(Verify, ADamagedRecordIsARowAndTheOthersAreRun) {
  // "name" and "kernel" are texts in a stepped run; numbers there once ended the whole program.
  const fs::path folder = fs::path(testing::TempDir()) / "rqscope-damaged";
  for (const char* name : {"a_number", "b_list"}) {
    fs::create_directories(folder / name);
    std::ofstream(folder / name / "output.jsonl") << "{}\n";
  }
  std::ofstream(folder / "a_number" / "scenario.json") << R"({"name": 7, "cpus": 2, "kernel": "6.12"})";
  std::ofstream(folder / "b_list" / "scenario.json") << R"({"name": [], "cpus": 2, "kernel": "6.12"})";
  std::ofstream(folder / "c.balance.jsonl") << "{\"t_us\": }\n";
  const VerifyReport report = verifyPath(folder.string(), {});
  ASSERT_GE(report.rows.size(), 3U);
  EXPECT_THAT(report.rows[0].file, HasSubstr("a_number"));
  EXPECT_THAT(report.rows[0].error, HasSubstr("not as its README says: type must be string, but is number"));
  EXPECT_THAT(report.rows[1].error, HasSubstr("type must be string, but is array"));
  for (const VerifyRow& row : report.rows) {
    EXPECT_FALSE(row.error.empty());
    EXPECT_EQ(row.error.find("json.exception"), std::string::npos) << row.error;
  }
  EXPECT_FALSE(report.allEqual());
  fs::remove_all(folder);
}

TEST(Verify, RunsTopologyRecordsOfRealKernels) {
  const fs::path folder = fs::path(RQSCOPE_SHARED_DIR) / "ground-truth" / "topology";
  if (!fs::is_directory(folder)) {
    std::cout << folder << " is absent: no topology record was compared\n";
    return;
  }
  const VerifyReport report = verifyPath((folder / "6.12-c4t2.json").string(), {});
  ASSERT_EQ(report.rows.size(), 1U);
  EXPECT_EQ(report.rows[0].kind, "topology");
  EXPECT_TRUE(report.allEqual()) << (report.rows[0].details.empty() ? report.rows[0].error
                                                                    : report.rows[0].details[0]);
}

TEST(Eval, AnswersBadLinesInJson) {
  EXPECT_THAT(evalLine("{", "v6.12", 3), HasSubstr("\"line\":3"));
  EXPECT_THAT(evalLine("{}", "v0.1", 1), HasSubstr("no kernel profile"));
  EXPECT_FALSE(evalFunctions().empty());
}

}  // namespace
}  // namespace rqscope::api
