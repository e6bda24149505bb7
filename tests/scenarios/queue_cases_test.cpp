// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "runqueue/queue.h"
#include "scenarios/case_run.h"
#include "support/scenario_plan.h"

namespace rqscope::cases {
namespace {

TEST(CaseTg01, WritesToTheGroupsLoadAreAMillisecondApart) {
  for (const std::string& kernel : kKernels)
    for (const bool limited : {false, true}) {
      CaseRun run("TG-01", {kernel, {{"tg_load_avg_ratelimit", limited}}, {}});
      run.keepsDecisions = false;
      run.to(1000 * kMs);
      std::uint64_t shortest = UINT64_MAX, most = 0;
      for (const auto& [place, writes] : run.tgWrites) {
        shortest = std::min(shortest, writes.shortestGapNs);
        most = std::max(most, writes.count);
      }
      EXPECT_GT(most, 1U) << kernel;
      EXPECT_EQ(shortest >= kMs, limited) << kernel << ": " << shortest << " ns";
      if (limited) {
        EXPECT_LE(most, 1001U) << kernel;
      }
    }
}

GroupId groupNamed(const Machine& m, const std::string& name) {
  for (std::size_t g = 0; g < m.groups.size(); ++g)
    if (m.groups[g].name == name) return GroupId{g};
  return {};
}

/// What the queues of all CPUs count for in a group's load.
std::int64_t contributions(const Machine& m, GroupId group) {
  std::int64_t sum = 0;
  m.topology->online.forEach(
      [&](CpuId cpu) { sum += static_cast<std::int64_t>(m.queue(queueOf(m, group, cpu)).tgLoadAvgContrib); });
  return sum;
}

TEST(CaseTg02, WhatSleepersLeftBehindTakesTheCpuFromTheLighterGroup) {
  for (const std::string& kernel : kKernels)
    for (const bool listed : {true, false}) {
      CaseRun run("TG-02", {kernel, {{"attach_lists_queue", listed}}, {}});
      run.keepsDecisions = false;
      run.to(3000 * kMs);
      const auto ranOf = [&](const char* name) { return run.machine().se(run.task(name)).sumExecRuntime; };
      const std::uint64_t first = ranOf("hog-1"), second = ranOf("hog-2");
      run.to(5000 * kMs);
      const auto a = static_cast<double>(ranOf("hog-1") - first);
      const auto b = static_cast<double>(ranOf("hog-2") - second);
      const double share = 100 * a / (a + b);
      std::printf("%s, attach_lists_queue %d: cg-1 has %.1f %%\n", kernel.c_str(), listed, share);
      EXPECT_NEAR(a + b, 2e9, 2e7) << "CPU 0 is busy";
      // Published: 1.1 % and 99.3 %, predicted 1.01; 50 to 50 with the fix.
      EXPECT_NEAR(share, listed ? 50 : 1, 1) << kernel;
      const Machine& m = run.machine();
      for (const char* name : {"/slice/cg-1", "/slice/cg-1/sub", "/slice/cg-2", "/slice/cg-2/sub"}) {
        const GroupId group = groupNamed(m, name);
        ASSERT_TRUE(group.isValid()) << name;
        EXPECT_EQ(contributions(m, group), m.group(group).loadAvg) << kernel << name;
        const CfsRq& left = m.queue(queueOf(m, group, CpuId{3}));
        EXPECT_EQ(left.tgLoadAvgContrib == 0, listed) << kernel << name;
      }
    }
}

TEST(CaseTg03, RuntimeThatExpiresThrottlesAGroupBelowItsQuota) {
  for (const std::string& kernel : kKernels)
    for (const bool stays : {true, false}) {
      CaseRun run("TG-03", {kernel, {{"quota_never_expires", stays}}, {}});
      run.keepsDecisions = false;
      run.to(2000 * kMs);
      const GroupId group = groupNamed(run.machine(), "/app");
      ASSERT_TRUE(group.isValid());
      const CfsBandwidth& b = run.machine().group(group).bandwidth;
      std::printf("%s, quota_never_expires %d: %u of %u periods throttled, used %lu us, expired %lu us\n",
                  kernel.c_str(), stays, b.nrThrottled, b.nrPeriods, b.usedNs / 1000, b.expiredNs / 1000);
      EXPECT_GE(b.nrPeriods, 19U);
      EXPECT_LT(b.usedNs, b.nrPeriods * 120 * kMs) << "below the quota";
      EXPECT_EQ(b.expiredNs == 0, stays);
      if (stays) {
        EXPECT_LE(b.nrThrottled, 1U) << kernel;
      } else {
        EXPECT_GE(b.nrThrottled, b.nrPeriods - 2) << kernel;
      }
    }
}

TEST(CaseTg03, AGroupThatNeedsItsQuotaIsThrottledInEachPeriodEitherWay) {
  // From the documentation of cpu.max: a hog with 20 ms in 100 ms.
  for (const bool stays : {true, false}) {
    ScenarioOverrides overrides;
    overrides.patches = {{"quota_never_expires", stays}};
    const Scenario scenario = test::builtinScenario("throttled-group", overrides);
    Simulator simulator(makeSimState(test::scenarioPlan(scenario)));
    while (simulator.state().timeNs() < 900 * kMs && simulator.stepEvent()) {
    }
    const Machine& m = simulator.state().machine;
    const CfsBandwidth& b = m.group(groupNamed(m, "/limited")).bandwidth;
    EXPECT_EQ(b.nrThrottled, b.nrPeriods);
    // The period that is not over is used up as well; the last tick may overrun.
    EXPECT_NEAR(static_cast<double>(b.usedNs), (b.nrPeriods + 1) * 20e6, 4e6);
  }
}

TEST(CaseTg03, WhatSleepersGiveBackIsHandedOutFiveMillisecondsLater) {
  // Two of the six others find the pool empty at the tick at 32 ms; the four that ran give back 2 ms each at
  // 33 ms. The period ends at 100 ms.
  const auto read = readScenario("slack.json", R"({ "rqscope-scenario" : 1, "machine" : "8 cores",
    "kernel" : "v6.12", "tunables" : { "hz" : 250 },
    "groups" : { "/g" : { "quota" : "60ms", "period" : "100ms" } },
    "workload" : { "rt-app" : { "tasks" : {
      "hog" : { "taskgroup" : "/g", "cpus" : [0], "run" : 1000000 },
      "other" : { "taskgroup" : "/g", "cpus" : [1, 2, 3, 4, 5, 6], "instance" : 6, "delay" : 31000, "loop" : 1,
                  "run" : 2000 } } } },
    "until" : "90ms" })",
                                 std::string(RQSCOPE_SOURCE_DIR) + "/resources", {});
  ASSERT_TRUE(read.ok());
  Simulator simulator(makeSimState(test::scenarioPlan(read.value())));
  while (simulator.stepEvent()) {
  }
  const Machine& m = simulator.state().machine;
  const CfsBandwidth& b = m.group(groupNamed(m, "/g")).bandwidth;
  EXPECT_EQ(b.nrPeriods, 0U);
  EXPECT_EQ(b.throttledNs, 2 * 6 * kMs) << "from 32 to 38 ms";
  EXPECT_EQ(b.usedNs, 56 * kMs) << "all of the quota but the millisecond that each of four CPUs kept";
}

/// Involuntary switches of the front end in a second under a policy.
std::uint64_t frontEndSwitches(const Setting& setting) {
  CaseRun run("EV-01", setting);
  run.keepsDecisions = false;
  run.to(1000 * kMs);
  return run.switches["F"].involuntary;
}

TEST(CaseEv01, TheFrontEndIsSwitchedAwayAtWakeupsWithoutTheProtection) {
  // Published: 3.2 times the involuntary switches under EEVDF, against CFS, on a benchmark of many services.
  // The proposal of the report (no test of eligibility at the wakeup) is in no kernel here.
  const std::uint64_t cfs = frontEndSwitches({"v6.12", {{"eevdf", false}}, {}});
  const std::uint64_t bare = frontEndSwitches({"v6.12", {{"run_to_parity", false}}, {}});
  const std::uint64_t guarded = frontEndSwitches({"v6.12", {}, {}});
  std::printf("involuntary switches of F in a second: CFS %lu, EEVDF %lu, with RUN_TO_PARITY %lu\n", cfs,
              bare, guarded);
  EXPECT_GT(bare, cfs);
  EXPECT_GT(bare, guarded);
}

TEST(CaseEv01, AWakeeWithLagMovesTheAverageBehindTheFrontEnd) {
  // F was eligible, and is not when the wakee has joined: V moved to the wakee's side. F is switched away
  // then.
  CaseRun run("EV-01-lag", {"v6.12", {{"run_to_parity", false}}, {}});
  run.keepsDecisions = false;
  run.to(50 * kMs);
  const TaskId front = run.task("F");
  const CfsRqId queue{0};
  int wakeups = 0, moved = 0;
  for (int i = 0; i < 20'000 && wakeups < 200; ++i) {
    const Machine before = run.machine();
    if (!run.simulator().stepEvent()) break;
    const Machine& after = run.machine();
    const bool isWakeup =
        after.queue(queue).nrQueued > before.queue(queue).nrQueued && before.rq(CpuId{0}).curr == front;
    if (!isWakeup) continue;
    ++wakeups;
    const EntityId own = after.task(front).se;
    if (!isEntityEligible(before, queue, own) || isEntityEligible(after, queue, own)) continue;
    ++moved;
    EXPECT_NE(after.rq(CpuId{0}).curr, front);
  }
  EXPECT_GT(wakeups, 10);
  EXPECT_GT(moved, 0) << "of " << wakeups << " wakeups";
}

TEST(CaseEv02, ShortSlicesWaitLessAndHogsSwitchMore) {
  // Published: -16.4 % delay of the short task, +7.5 % switches of the hogs.
  const auto measured = [](bool on) {
    CaseRun run("EV-02", {"v6.12", {{"preempt_short", on}}, {}});
    run.keepsDecisions = false;
    run.to(4000 * kMs);
    CaseRun::Delays timers;
    std::uint64_t hogs = 0;
    for (const auto& [name, delay] : run.delays)
      if (name.rfind("timer", 0) == 0) {
        timers.sumNs += delay.sumNs;
        timers.count += delay.count;
      }
    for (const auto& [name, count] : run.switches)
      if (name.rfind("hog", 0) == 0) hogs += count.involuntary;
    return std::pair{timers.meanUs(), hogs};
  };
  const auto [delayOff, hogsOff] = measured(false);
  const auto [delayOn, hogsOn] = measured(true);
  std::printf("timer tasks wait %.0f us with the patch, %.0f without; hogs are switched %lu and %lu times\n",
              delayOn, delayOff, hogsOn, hogsOff);
  EXPECT_LT(delayOn, delayOff);
  EXPECT_GT(hogsOn, hogsOff);
}

TEST(CaseEv04, SyncWakeupTakesTheWakersCpuDespiteADelayedTask) {
  // W runs on CPU "this", O stands beside it delayed; T was elsewhere on an idle CPU of the same cache.
  const nlohmann::json in = {{"sync", true},
                             {"share_cache", true},
                             {"cpus",
                              {{{"role", "this"},
                                {"nr_running", 2},
                                {"cfs_h_nr", 2},
                                {"cfs_h_nr_delayed", 1},
                                {"curr_is_idle", false},
                                {"ttwu_pending", false}},
                               {{"role", "prev"},
                                {"nr_running", 0},
                                {"cfs_h_nr", 0},
                                {"cfs_h_nr_delayed", 0},
                                {"curr_is_idle", true},
                                {"ttwu_pending", false}}}}};
  const auto proposed = [&](bool fixed) {
    return evaluated("wake_affine_idle", in, {"v6.12", {{"sync_ignores_delayed", fixed}}, {}})["cpu"];
  };
  EXPECT_EQ(proposed(true), "this");
  EXPECT_EQ(proposed(false), "prev");
}

TEST(CaseEv04, SleeperStaysQueuedOnlyWithDelayedDequeue) {
  const auto mostDelayed = [](bool on) {
    CaseRun run("EV-04", {"v6.12", {{"delayed_dequeue", on}}, {}});
    run.keepsDecisions = false;
    std::uint32_t most = 0;
    for (std::uint64_t at = kMs; at <= 300 * kMs; at += kMs / 10) {
      run.to(at);
      most = std::max(most, run.machine().rootCfs(CpuId{1}).hNrDelayed);
    }
    return most;
  };
  EXPECT_EQ(mostDelayed(false), 0U);
  EXPECT_GE(mostDelayed(true), 1U);
}

/// Tasks of "web" by the cache they are in at the end, and how many prefer it.
struct Gathered {
  std::set<int> caches, preferred;
};

Gathered gatheredAt(const std::vector<std::string>& features) {
  CaseRun run("../preferred-cache", {"v7.3", {}, features});
  run.keepsDecisions = false;
  run.to(2000 * kMs);
  Gathered out;
  for (const char* name : {"web-0", "web-1", "web-2"}) {
    const Task& task = run.machine().task(run.task(name));
    out.caches.insert(run.machine().topology->cpus[task.cpu.index()].llcId.value);
    out.preferred.insert(task.preferredLlc);
  }
  return out;
}

TEST(PreferredCache, ThreadsOfAProcessGatherWhereItRanMost) {
  const Gathered on = gatheredAt({"SCHED_CACHE"});
  ASSERT_EQ(on.preferred.size(), 1U);
  EXPECT_GE(*on.preferred.begin(), 0);
  EXPECT_EQ(on.caches, on.preferred);
  const Gathered off = gatheredAt({"NO_SCHED_CACHE"});
  EXPECT_EQ(off.preferred, std::set<int>{-1});
}

}  // namespace
}  // namespace rqscope::cases
