// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "runqueue/queue.h"
#include "scenarios/case_run.h"

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
