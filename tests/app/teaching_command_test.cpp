// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>

#include "app/program.h"

namespace rqscope {
namespace {

/// CPU time of each task in seconds.
std::map<std::string, double> ranOf(const std::vector<std::string>& arguments) {
  std::vector<std::string> all{"run", "--json"};
  all.insert(all.end(), arguments.begin(), arguments.end());
  const ProgramResult r = runProgram(all);
  EXPECT_EQ(r.status, 0) << r.err;
  std::map<std::string, double> ran;
  const auto json = r.json();
  for (const auto& task : json["tasks"]) ran[task["name"]] = task["run_ns"].get<double>() / 1e9;
  return ran;
}

TEST(TeachingScenario, NiceLevelsShareByWeight) {
  // Weights 3121, 1024, 335 of 4480: 69.7 %, 22.9 %, 7.5 % of 2 s, to within two ticks of 4 ms.
  auto ran = ranOf({"nice-levels", "--until", "2s"});
  EXPECT_NEAR(ran["A"], 2.0 * 3121 / 4480, 0.008);
  EXPECT_NEAR(ran["B"], 2.0 * 1024 / 4480, 0.008);
  EXPECT_NEAR(ran["C"], 2.0 * 335 / 4480, 0.008);
}

TEST(TeachingScenario, TwoGroupsShareByGroupWeight) {
  // 100 to 300: a quarter of 2 s for the one task of /a, a quarter for each of the three of /b.
  auto ran = ranOf({"two-groups", "--until", "2s"});
  for (const char* task : {"A", "B-0", "B-1", "B-2"}) EXPECT_NEAR(ran[task], 0.5, 0.012) << task;
}

TEST(TeachingScenario, ThrottledGroupGetsItsQuotaInEachPeriod) {
  // 20 ms in each of ten periods of 100 ms, overrun by at most a tick of 4 ms per CPU; the others are not
  // held up.
  auto ran = ranOf({"throttled-group", "--until", "1s"});
  EXPECT_NEAR(ran["limited-0"] + ran["limited-1"], 0.2, 0.008);
  EXPECT_NEAR(ran["free-0"], 1.0, 0.004);
}

TEST(TeachingScenario, QuotaIsRefilledBesideABusyTask) {
  // The period ends at the same moment as a tick; the refill must not be lost then.
  const std::string file = writeTo(freshFolder("files"), "q.json",
                                   R"({"rqscope-scenario" : 1, "machine" : "1 package x 1 core",
    "groups" : {"/g" : {"quota" : "20ms"}}, "until" : "1s", "workload" : {"rt-app" : {"tasks" : {
      "x" : {"taskgroup" : "/g", "run" : 1000000}, "f" : {"run" : 1000000}}}}})");
  auto ran = ranOf({file});
  EXPECT_NEAR(ran["x"], 0.2, 0.004);
}

TEST(TeachingScenario, HogsSpreadOverAllCpus) {
  // Eight hogs of 1 s on eight equal CPUs, all on CPU 0 for 50 ms: done well before two of them could have
  // shared.
  const ProgramResult r = runProgram({"run", "--json", "spread-hogs"});
  EXPECT_LT(r.json()["last_end_ns"].get<double>() / 1e9, 1.3);
}

TEST(TeachingScenario, SmtTasksEndOnCoresOfTheirOwn) {
  // Threads 2k and 2k+1 are a core: in the end no core has both of its threads busy.
  const auto cpus = runProgram({"run", "--json", "smt"}).json()["cpus"];
  ASSERT_EQ(cpus.size(), 8U);
  for (std::size_t core = 0; core < 4; ++core) {
    const double idle = cpus[2 * core]["idle_ns"].get<double>() + cpus[2 * core + 1]["idle_ns"].get<double>();
    EXPECT_NEAR(idle / 1e9, 1.0, 0.2) << "core " << core;
  }
}

/// Wakeups without delay: the first bin of the wakeup-latency chart.
int promptWakeups(const std::string& scenario) {
  const std::string folder = freshFolder(scenario);
  EXPECT_EQ(runProgram({"run", scenario, "--out", folder}).status, 0);
  std::ifstream csv(folder + "/wakeup_latency.csv");
  std::string head, first;
  std::getline(csv, head);
  std::getline(csv, first);
  EXPECT_NE(first, "");
  return std::atoi(first.substr(first.find(',') + 1).c_str());
}

TEST(TeachingScenario, ParityDelaysWakeups) {
  // With RUN_TO_PARITY (and without PREEMPT_SHORT) the waking task waits for slices that are protected.
  const int on = promptWakeups("run-to-parity"), off = promptWakeups("run-to-parity-off");
  EXPECT_GT(on, 0);
  EXPECT_GT(off, on * 5 / 4);
}

TEST(TeachingScenario, AllBuiltInScenariosRunOnEveryKernel) {
  const auto list = runProgram({"list", "--json", "scenarios"}).json();
  for (const auto& scenario : list["scenarios"])
    for (const char* kernel : {"v6.1", "v6.12", "v7.3"}) {
      const ProgramResult r = runProgram(
          {"run", "--json", "--kernel", kernel, "--until", "60ms", scenario["name"].get<std::string>()});
      // A scenario about a patch says so where the kernel cannot have that patch.
      if (r.err.find("makes no sense in " + std::string(kernel)) != std::string::npos) continue;
      EXPECT_EQ(r.status, 0) << scenario["name"] << " " << kernel << ": " << r.err;
    }
}

}  // namespace
}  // namespace rqscope
