// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "evaluate/stepped.h"
#include "formats/line_reader.h"
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

/// Two nodes of two caches; every operation there is. The record holds only what is certain.
class WrittenRun {
 public:
  explicit WrittenRun(const nlohmann::json& scenario, int ticks) {
    std::ofstream(m_folder.path() / "scenario.json") << scenario;
    std::ofstream out(m_folder.path() / "output.jsonl");
    out << R"({"ev":"meta","init_ns":100000000000,"cpu0_rd":1})" << '\n';
    for (int t = -1; t < ticks; ++t)
      out << nlohmann::json{{"t", t}, {"ev", "rd"}, {"clock", 100'000'000'000 + (t + 1) * 1'000'000}} << '\n';
  }
  std::string path() const { return m_folder.path().string(); }

 private:
  TemporaryFolder m_folder;
};

nlohmann::json everyOperation() {
  return nlohmann::json::parse(R"({
    "name": "every operation", "kernel": "6.12.117", "hz": 1000, "cpus": 8, "ticks": 60,
    "topology": {"MC": [[1,2],[3,4],[5,6],[7,8]], "PKG": [[1,2,3,4],[5,6,7,8]], "NUMA": [[1,2,3,4,5,6,7,8]]},
    "features": ["NO_NI_RANDOM"],
    "tasks": [{"id": 0, "cpu": 1, "cpus": "1-8", "nice": 0, "policy": "normal"},
              {"id": 1, "cpu": 5, "cpus": "1-8", "nice": 0, "policy": "batch"},
              {"id": 2, "cpu": 3, "cpus": "1-8", "nice": 4, "policy": "idle"}],
    "ops": [{"at_tick": 0, "op": "wakeup", "id": 0}, {"at_tick": 1, "op": "wakeby", "by": 0, "id": 1},
            {"at_tick": 2, "op": "fork", "id": 0, "n": 9}, {"at_tick": 5, "op": "wakeby_block", "by": 1, "id": 2},
            {"at_tick": 6, "op": "policy", "id": 2, "policy": "normal"}, {"at_tick": 7, "op": "nice", "id": 0, "nice": 3},
            {"at_tick": 8, "op": "cgroup_create", "group": "A"}, {"at_tick": 8, "op": "cgroup_create", "group": "A/B"},
            {"at_tick": 8, "op": "cgroup_weight", "group": "A", "weight": 300},
            {"at_tick": 9, "op": "cgroup_attach", "group": "A/B", "id": 4},
            {"at_tick": 10, "op": "pin", "id": 0, "cpus": "8"}, {"at_tick": 11, "op": "set_freq", "cpu": 2, "freq": 512},
            {"at_tick": 12, "op": "block", "id": 5}, {"at_tick": 13, "op": "block", "id": 99}]})");
}

TEST(SteppedRunCheck, RunsEveryOperation) {
  for (const char* kernel : {"6.1.192", "6.12.117", "7.3.4"}) {
    SCOPED_TRACE(kernel);
    nlohmann::json scenario = everyOperation();
    scenario["kernel"] = kernel;
    const WrittenRun run(scenario, 60);
    const auto report = verifySteppedRun(run.path(), 3000);
    ASSERT_TRUE(report.ok()) << report.diagnostics().front().text();
    EXPECT_EQ(report.value().lines, report.value().equal);
    const auto count = [&](const std::string& start) {
      return std::ranges::count_if(report.value().first,
                                   [&](const SteppedDifference& d) { return d.line.starts_with(start); });
    };
    EXPECT_EQ(count("op_skipped"), 1);
    EXPECT_EQ(count("newtask"), 9);
    EXPECT_GE(count("wfg"), 9);
    EXPECT_GE(count("mig"), 1);
  }
}

TEST(SteppedRunCheck, RefusesOperationsOutOfRange) {
  for (const char* op :
       {R"({"op": "pin", "id": 0, "cpus": "9"})", R"({"op": "pin", "id": 0, "cpus": ""})",
        R"({"op": "set_freq", "cpu": 99, "freq": 5})", R"({"op": "nice", "id": 0, "nice": 40})",
        R"({"op": "fly", "id": 0})", R"({"op": "policy", "id": 0, "policy": "fifo"})"}) {
    SCOPED_TRACE(op);
    nlohmann::json scenario = everyOperation();
    scenario["ops"] = nlohmann::json::array({nlohmann::json::parse(op)});
    const WrittenRun run(scenario, 1);
    EXPECT_FALSE(verifySteppedRun(run.path()).ok());
  }
}

TEST(SteppedRunCheck, RefusesAFolderWithoutAScenario) {
  const TemporaryFolder folder;
  const auto report = verifySteppedRun(folder.path().string());
  ASSERT_FALSE(report.ok());
  EXPECT_NE(report.error().text().find("scenario.json"), std::string::npos);
}

}  // namespace
}  // namespace rqscope
