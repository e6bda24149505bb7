// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "scenario/scenario.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace rqscope {
namespace {

using ::testing::HasSubstr;

const std::string kResources = std::string{RQSCOPE_SOURCE_DIR} + "/resources";

Result<Scenario> readIn(const std::string& text, const ScenarioOverrides& overrides = {}) {
  return readScenario("s.json", text, kResources, overrides);
}

std::string said(const std::string& text, const ScenarioOverrides& overrides = {}) {
  const auto result = readIn(text, overrides);
  std::string all;
  for (const Diagnostic& d : result.diagnostics()) all += d.text() + "\n";
  return all;
}

/// A small good scenario with `more` keys added.
std::string scenario(const std::string& more) {
  return R"({"rqscope-scenario" : 1, "machine" : "vm-4cpu",
    "workload" : {"rt-app" : {"tasks" : {"A" : {"loop" : 2, "run" : 1000}, "B" : {"instance" : 2, "loop" : 1, "run" : 5}}}})" +
         more + "}";
}

TEST(Scenario, ForksTheTasksOfAPartOnStartCpusInTurn) {
  const auto r = readIn(R"({"rqscope-scenario" : 1, "machine" : "vm-4cpu", "workload" : [
    {"generator" : "netperf_udp_rr", "pairs" : 2, "start_cpus" : "1-2", "delay" : "1ms"},
    {"rt-app" : {"tasks" : {"A" : {"run" : 1}, "B" : {"start_cpu" : 0, "run" : 1}, "C" : {"run" : 1}}},
     "start_cpus" : [2, 3]}]})");
  ASSERT_TRUE(r.ok()) << r.error().text();
  std::vector<std::int32_t> cpus;
  for (const ThreadProgram& thread : r.value().workload.threads)
    cpus.insert(cpus.end(), static_cast<std::size_t>(thread.instances), thread.startCpu.value);
  EXPECT_EQ(cpus, (std::vector<std::int32_t>{1, 2, 1, 2, 2, 0, 3})) << "B names its own";
}

TEST(Scenario, ReadsEveryKey) {
  const auto r = readIn(scenario(R"(, "title" : "T", "description" : "D", "kernel" : "v6.1",
    "patches" : {"migrate_util_shr_bound" : "off"}, "features" : ["NO_WAKEUP_PREEMPTION"],
    "tunables" : {"hz" : 1000, "preemption" : true, "migration_cost_ns" : -1, "latency_ns" : 7},
    "capacity" : {"3" : 300}, "throughput" : {"0-1" : 512, "3" : 200},
    "groups" : {"/g" : {"weight" : 300, "quota" : "20ms", "period" : "50ms", "idle" : true}},
    "script" : [{"at" : "2ms", "do" : "unpin", "task" : "*"}, {"at" : "1ms", "do" : "pin", "task" : "B-1", "cpus" : [1]}],
    "costs" : {"migration" : "5us", "idle_wakeup" : "700ns"}, "until" : "1.5s", "seed" : 42)"));
  ASSERT_TRUE(r.ok()) << r.error().text();
  const Scenario& s = r.value();
  EXPECT_EQ(s.name, "s");
  EXPECT_EQ(s.title, "T");
  EXPECT_EQ(s.profile.version, KernelVersion::V6_1);
  EXPECT_FALSE(s.profile.behaviours.migrateUtilShrBound);
  EXPECT_FALSE(s.profile.features.wakeupPreemption);
  EXPECT_EQ(s.profile.tunables.hz, 1000);
  EXPECT_TRUE(s.profile.tunables.preemption);
  EXPECT_EQ(s.profile.tunables.migrationCostNs, UINT64_MAX);
  EXPECT_EQ(s.profile.tunables.latencyNs, 7U);
  EXPECT_EQ(s.hardware.find(CpuId{3})->capacity, 300U);
  EXPECT_EQ(s.hardware.find(CpuId{0})->throughput, 512U);
  EXPECT_EQ(s.hardware.find(CpuId{3})->throughput, 200U);
  ASSERT_EQ(s.workload.groups.size(), 1U);
  EXPECT_EQ(s.workload.groups[0].weight, 300U);
  EXPECT_EQ(s.costs, (CostModel{0, 5000, 0, 700}));
  EXPECT_EQ(s.workload.groups[0].quotaNs, 20'000'000);
  EXPECT_TRUE(s.workload.groups[0].idle);
  ASSERT_EQ(s.operations.size(), 2U);
  EXPECT_EQ(s.operations[0].kind, OperationKind::Pin) << "sorted by time";
  EXPECT_EQ(s.untilNs, 1'500'000'000U);
  EXPECT_EQ(s.seed, 42U);
}

TEST(Scenario, OverridesReplaceTheFilesOwn) {
  ScenarioOverrides o;
  o.kernel = "v7.3";
  o.machine = "juno-r2";
  o.patches = {{"migrate_util_shr_bound", false}};
  o.features = {"NO_RUN_TO_PARITY"};
  o.untilNs = 5;
  o.seed = 6;
  const auto r = readIn(scenario(R"(, "kernel" : "v6.12", "patches" : {"migrate_util_shr_bound" : true},
     "features" : ["RUN_TO_PARITY"], "until" : "1s")"),
                        o);
  ASSERT_TRUE(r.ok()) << r.error().text();
  const Scenario& s = r.value();
  EXPECT_EQ(s.kernel, "v7.3");
  EXPECT_EQ(s.hardware.cpus.size(), 6U);
  EXPECT_FALSE(s.profile.behaviours.migrateUtilShrBound);
  EXPECT_EQ(s.patches.size(), 1U);
  EXPECT_FALSE(s.profile.features.runToParity);
  EXPECT_EQ(s.features, std::vector<std::string>({"NO_RUN_TO_PARITY"}));
  EXPECT_EQ(s.untilNs, 5U);
  EXPECT_EQ(s.seed, 6U);
}

TEST(Scenario, TakesMachinesInEveryForm) {
  const std::string tail = R"(, "workload" : {"generator" : "hogs", "count" : 2, "work" : "1ms"}})";
  const auto compact =
      readIn(R"({"rqscope-scenario" : 1, "machine" : "1 package x 2 cores x 2 threads")" + tail);
  ASSERT_TRUE(compact.ok()) << compact.error().text();
  EXPECT_EQ(compact.value().hardware.cpus.size(), 4U);
  const auto inlined =
      readIn(R"({"rqscope-scenario" : 1, "machine" : {"schema" : "rqscope-machine/1", "name" : "x",
    "cpus" : [{"cpus" : "0-2"}]})" +
             tail);
  ASSERT_TRUE(inlined.ok()) << inlined.error().text();
  EXPECT_EQ(inlined.value().hardware.cpus.size(), 3U);
}

TEST(Scenario, FindsFilesBesideItself) {
  const auto folder = std::filesystem::path(testing::TempDir()) / "rqscope-scenario-test";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "w.json") << R"({"tasks" : {"A" : {"loop" : 1, "run" : 1}}})";
  std::ofstream(folder / "bad.json") << "{\n \"tasks\" : {\"A\" : {\"loop\" : 1, \"run\" : -1}}}";
  const std::string head = R"({"rqscope-scenario" : 1, "machine" : "vm-4cpu", "workload" : {"file" : )";
  const std::string file = (folder / "s.json").string();
  const auto good = readScenario(file, head + R"("w.json"}})", kResources, {});
  ASSERT_TRUE(good.ok()) << good.error().text();
  EXPECT_EQ(good.value().workload.threads.size(), 1U);
  const auto bad = readScenario(file, head + R"("bad.json"}})", kResources, {});
  ASSERT_FALSE(bad.ok());
  EXPECT_THAT(bad.error().text(), HasSubstr("bad.json:2:")) << "the position is that in the other file";
  const auto none = readScenario(file, head + R"("none.json"}})", kResources, {});
  ASSERT_FALSE(none.ok());
  EXPECT_THAT(none.error().text(), HasSubstr("s.json:1:"));
  std::filesystem::remove_all(folder);
}

TEST(Scenario, MergesSeveralWorkloads) {
  const auto r = readIn(R"({"rqscope-scenario" : 1, "machine" : "vm-4cpu", "workload" : [
    {"generator" : "spawn", "loops" : 3, "group" : "/a"},
    {"generator" : "spawn", "loops" : 4, "group" : "/b", "prefix" : "second-"}]})");
  ASSERT_TRUE(r.ok()) << r.error().text();
  const Workload& w = r.value().workload;
  ASSERT_EQ(w.threads.size(), 4U);
  EXPECT_EQ(w.threads[2].name, "second-spawn-0");
  EXPECT_EQ(w.threads[2].phases[0].events[1].target, 3) << "the fork goes to its own child";
  EXPECT_EQ(w.threads[2].phases[0].events[3].target, 1) << "and its own semaphore";
  EXPECT_EQ(w.threads[2].settings.group, 1);
}

TEST(Scenario, OpensBareRtAppFilesOnTheDefaultMachine) {
  const auto r = readIn(R"({"tasks" : {"A" : {"loop" : 1, "run" : 1}}, "global" : {"duration" : 3}})");
  ASSERT_TRUE(r.ok()) << r.error().text();
  EXPECT_EQ(r.value().hardware.name, "juno-r2");
  EXPECT_EQ(r.value().untilNs, 3'000'000'000U);
}

TEST(Scenario, EndsARunThatNothingEnds) {
  const auto r =
      readIn(R"({"rqscope-scenario" : 1, "machine" : "vm-4cpu", "workload" : {"generator" : "hogs"}})");
  ASSERT_TRUE(r.ok());
  EXPECT_EQ(r.value().untilNs, 10'000'000'000U);
  const auto finite = readIn(scenario(""));
  ASSERT_TRUE(finite.ok());
  EXPECT_EQ(finite.value().untilNs, 0U);
}

TEST(Scenario, RefusesWithPositionReasonAndHint) {
  struct Case {
    std::string text;
    const char* expected;
  };
  const Case cases[] = {
      {"{}", "s.json:1:1: error: this is no scenario"},
      {"[1]", "a scenario is an object"},
      {R"({"global" : {"duration" : 1}})", "no \"tasks\" section"},
      {R"({"schema" : "rqscope-machine/1"})", "this is a machine"},
      {R"({"rqscope-scenario" : 2, "machine" : "vm-4cpu", "workload" : {"generator" : "hogs"}})",
       "s.json:1:23: error: this rqscope reads version 1"},
      {R"({"rqscope-scenario" : 1, "workload" : {"generator" : "hogs"}})", "no \"machine\""},
      {R"({"rqscope-scenario" : 1, "machine" : "vm-4cpu"})", "no \"workload\""},
      {R"({"rqscope-scenario" : 1, "machine" : "vm-4cup", "workload" : {"generator" : "hogs"}})",
       "s.json:1:38: error:"},
      {scenario(R"(, "kernl" : "v6.12")"), "did you mean \"kernel\"?"},
      {scenario(R"(, "kernel" : "v6.13")"), "the profiles are v6.1, v6.12 and v7.3"},
      {scenario(R"(, "patches" : {"migrate_util_shr_bond" : true})"), "did you mean migrate_util_shr_bound?"},
      {scenario(R"(, "patches" : {"migrate_util_shr_bound" : 3})"), "write true or false"},
      {scenario(R"(, "features" : ["NO_RUN_TO_PARTY"])"), "did you mean RUN_TO_PARITY?"},
      {scenario(R"(, "tunables" : {"hz" : 50})"), "between 100 and 1000"},
      {scenario(R"(, "tunables" : {"base_slice" : 50})"), "did you mean \"base_slice_ns\"?"},
      {scenario(R"(, "until" : 100)"), "such as \"100ms\""},
      {scenario(R"(, "throughput" : {"9" : 100})"), "the machine has no CPUs 9"},
      {scenario(R"(, "groups" : {"x" : {}})"), "write \"/a\""},
      {scenario(R"(, "groups" : {"/x" : {"wieght" : 1}})"), "did you mean \"weight\"?"},
      {scenario(R"(, "script" : [{"at" : "1ms", "do" : "unpn", "task" : "A"}])"), "did you mean \"unpin\"?"},
      {R"({"rqscope-scenario" : 1, "machine" : "vm-4cpu", "workload" : {"generator" : "hogs", "file" : "x"}})",
       "exactly one of"},
      {R"({"rqscope-scenario" : 1, "machine" : "vm-4cpu", "workload" : {"rt-app" : {"tasks" : {"A" : {"cpus" : [7], "run" : 1}}}}})",
       "names CPUs 7"},
      {R"({"rqscope-scenario" : 1, "machine" : {"schema" : "rqscope-machine/1",
"cpus" : [{"cpsu" : "0"}]}, "workload" : {"generator" : "hogs"}})",
       "s.json:2:"},
  };
  for (const Case& c : cases) {
    EXPECT_FALSE(readIn(c.text).ok()) << c.text;
    EXPECT_THAT(said(c.text), HasSubstr(c.expected)) << c.text;
  }
}

TEST(Scenario, RefusesBadOverrides) {
  ScenarioOverrides o;
  o.kernel = "v5.0";
  EXPECT_THAT(said(scenario(""), o), HasSubstr("no kernel profile \"v5.0\""));
  ScenarioOverrides p;
  p.patches = {{"nonsense", true}};
  EXPECT_THAT(said(scenario(""), p), HasSubstr("there is no patch \"nonsense\""));
}

TEST(Scenario, LeavesOutFeaturesThatAnotherKernelLacks) {
  ScenarioOverrides o;
  o.kernel = "v6.1";
  const auto r = readIn(scenario(R"(, "features" : ["NO_RUN_TO_PARITY"])"), o);
  ASSERT_TRUE(r.ok()) << r.error().text();
  EXPECT_TRUE(r.value().features.empty());
  EXPECT_THAT(said(scenario(R"(, "features" : ["NO_RUN_TO_PARITY"])"), o), HasSubstr("left out"));
  EXPECT_FALSE(readIn(scenario(R"(, "kernel" : "v6.1", "features" : ["NO_RUN_TO_PARITY"])")).ok());
}

TEST(Scenario, WarnsOfTunablesOfAnotherVersion) {
  EXPECT_THAT(said(scenario(R"(, "tunables" : {"latency_ns" : 5})")), HasSubstr("v6.12 has no latency_ns"));
}

}  // namespace
}  // namespace rqscope
