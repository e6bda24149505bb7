// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "evaluate/hand_machine.h"
#include "placement/dst_group.h"
#include "placement/idle_sibling.h"
#include "placement/select_task_rq.h"
#include "placement/wake_affine.h"
#include "runqueue/queue.h"

namespace rqscope {
namespace {

using GroupSpec = HandTopology::GroupSpec;

KernelProfile profileNamed(const char* name) {
  auto profile = kernelProfile(name);
  EXPECT_TRUE(profile.ok());
  return profile.value();
}

/// Four CPUs of one cache, one domain; CPUs of `clusters` share a cluster.
HandTopology fourOfOneCache(const std::vector<std::vector<int>>& clusters = {}) {
  HandTopology hand(4);
  std::vector<GroupSpec> groups;
  if (clusters.empty())
    for (int c = 0; c < 4; ++c) groups.push_back({{c}});
  for (const auto& cluster : clusters) groups.push_back({cluster, kSdCluster | kSdShareLlc});
  hand.addDomain({0, 1, 2, 3}, kSdShareLlc | kSdWakeAffine | kSdBalanceFork | kSdBalanceExec, 117, groups);
  hand.addCache({0, 1, 2, 3});
  for (const auto& cluster : clusters)
    for (const int c : cluster)
      hand.topology().cpus[static_cast<std::size_t>(c)].shareId = CpuId{cluster.front()};
  return hand;
}

/// Makes a CPU run a task of its own.
TaskId makeBusy(Machine& m, CpuId cpu, SchedPolicy policy = SchedPolicy::Normal) {
  NewTask spec;
  spec.cpu = cpu;
  spec.policy = policy;
  const TaskId task = addTask(m, spec);
  m.rq(cpu).curr = task;
  m.rq(cpu).nrRunning = 1;
  m.rootCfs(cpu).hNrQueued = m.rootCfs(cpu).hNrRunnable = 1;
  m.rootCfs(cpu).hNrIdle = policy == SchedPolicy::Idle ? 1 : 0;
  return task;
}

TaskId addSleeper(Machine& m, CpuId cpu) {
  NewTask spec;
  spec.cpu = cpu;
  const TaskId task = addTask(m, spec);
  m.task(task).state = TaskState::Sleeping;
  return task;
}

CpuId idleSibling(Machine& m, TaskId task, CpuId prev, CpuId target, Placement* record = nullptr) {
  Observer none;
  Context ctx{m, none};
  return selectIdleSibling(ctx, task, prev, target, CpuId{0}, record);
}

TEST(IdleSibling, ScansFromTheCpuAfterTheTarget) {
  Machine m = handMachine(fourOfOneCache().finish(), profileNamed("v6.12"));
  m.shared[0].nrIdleScan = 4;
  makeBusy(m, CpuId{1});
  const TaskId task = addSleeper(m, CpuId{1});
  EXPECT_EQ(idleSibling(m, task, CpuId{1}, CpuId{1}), CpuId{2});
}

TEST(IdleSibling, FindsNothingWhenTheScanBudgetIsZero) {
  Machine m = handMachine(fourOfOneCache().finish(), profileNamed("v6.12"));
  m.shared[0].nrIdleScan = 0;
  makeBusy(m, CpuId{1});
  const TaskId task = addSleeper(m, CpuId{1});
  Placement record;
  EXPECT_EQ(idleSibling(m, task, CpuId{1}, CpuId{1}, &record), CpuId{1});
  EXPECT_EQ(record.decidedBy, PlacementStep::TargetFallback);
}

TEST(IdleSibling, LooksAtNoMoreCpusThanTheBudget) {
  Machine m = handMachine(fourOfOneCache().finish(), profileNamed("v6.12"));
  m.shared[0].nrIdleScan = 2;
  for (const int c : {0, 2, 3}) makeBusy(m, CpuId{c});
  makeBusy(m, CpuId{1});
  m.rq(CpuId{0}).curr = TaskId{};
  m.rq(CpuId{0}).nrRunning = 0;  // only CPU 0 is idle: third in the scan 2, 3, 0, 1
  const TaskId task = addSleeper(m, CpuId{1});
  EXPECT_EQ(idleSibling(m, task, CpuId{1}, CpuId{1}), CpuId{1});
  m.shared[0].nrIdleScan = 3;
  EXPECT_EQ(idleSibling(m, task, CpuId{1}, CpuId{1}), CpuId{0});
}

TEST(IdleSibling, OverwritesTheRecentCpuEvenWhenItIsNotTaken) {
  Machine m = handMachine(fourOfOneCache().finish(), profileNamed("v6.12"));
  for (int c = 0; c < 4; ++c) makeBusy(m, CpuId{c});
  const TaskId task = addSleeper(m, CpuId{3});
  m.task(task).recentUsedCpu = CpuId{2};
  idleSibling(m, task, CpuId{3}, CpuId{1});
  EXPECT_EQ(m.task(task).recentUsedCpu, CpuId{3});
}

TEST(IdleSibling, ScansTheTargetsClusterFirstWhereTheVersionKnowsClusters) {
  for (const char* version : {"v6.1", "v6.12"}) {
    SCOPED_TRACE(version);
    Machine m = handMachine(fourOfOneCache({{0, 1}, {2, 3}}).finish(), profileNamed(version));
    m.shared[0].nrIdleScan = 4;
    makeBusy(m, CpuId{1});
    const TaskId task = addSleeper(m, CpuId{1});
    const bool knows = m.behaviours().clusterScan;
    EXPECT_EQ(idleSibling(m, task, CpuId{1}, CpuId{1}), knows ? CpuId{0} : CpuId{2});
  }
}

TEST(IdleSibling, KeepsAnIdlePreviousCpuOfAnotherClusterForLater) {
  Machine m = handMachine(fourOfOneCache({{0, 1}, {2, 3}}).finish(), profileNamed("v6.12"));
  m.shared[0].nrIdleScan = 0;
  makeBusy(m, CpuId{1});
  const TaskId task = addSleeper(m, CpuId{3});
  Placement record;
  EXPECT_EQ(idleSibling(m, task, CpuId{3}, CpuId{1}, &record), CpuId{3});
  EXPECT_EQ(record.decidedBy, PlacementStep::PrevAside);
}

TEST(IdleSibling, ClearsTheIdleCoreHintWhenNoCoreIsIdle) {
  HandTopology hand = fourOfOneCache();
  hand.topology().smtActive = true;
  for (int c = 0; c < 4; ++c)
    for (const int s : {c & ~1, c | 1}) hand.topology().smtMask[static_cast<std::size_t>(c)].set(CpuId{s});
  Machine m = handMachine(hand.finish(), profileNamed("v6.12"));
  m.shared[0].nrIdleScan = 4;
  m.shared[0].hasIdleCores = true;
  for (const int c : {0, 1, 2}) makeBusy(m, CpuId{c});
  const TaskId task = addSleeper(m, CpuId{0});
  EXPECT_EQ(idleSibling(m, task, CpuId{0}, CpuId{0}), CpuId{3});
  EXPECT_FALSE(m.shared[0].hasIdleCores);
}

TEST(IdleSibling, SetsTheIdleCoreHintWhenTheLastSiblingGoesIdle) {
  HandTopology hand = fourOfOneCache();
  hand.topology().smtActive = true;
  for (int c = 0; c < 4; ++c)
    for (const int s : {c & ~1, c | 1}) hand.topology().smtMask[static_cast<std::size_t>(c)].set(CpuId{s});
  Machine m = handMachine(hand.finish(), profileNamed("v6.12"));
  makeBusy(m, CpuId{1});
  updateIdleCore(m, CpuId{0});
  EXPECT_FALSE(m.shared[0].hasIdleCores);
  m.rq(CpuId{1}).curr = TaskId{};
  m.rq(CpuId{1}).nrRunning = 0;
  updateIdleCore(m, CpuId{0});
  EXPECT_TRUE(m.shared[0].hasIdleCores);
}

TEST(IdleSibling, TakesACpuOfIdlePolicyTasksExceptForOneMoreOfThemOnNewKernels) {
  for (const char* version : {"v6.12", "v7.3"}) {
    SCOPED_TRACE(version);
    Machine m = handMachine(fourOfOneCache().finish(), profileNamed(version));
    makeBusy(m, CpuId{1}, SchedPolicy::Idle);
    const TaskId task = addSleeper(m, CpuId{1});
    Placement record;
    idleSibling(m, task, CpuId{1}, CpuId{1}, &record);
    EXPECT_EQ(record.decidedBy, PlacementStep::TargetIdle);
    m.task(task).policy = SchedPolicy::Idle;
    idleSibling(m, task, CpuId{1}, CpuId{1}, &record);
    EXPECT_EQ(record.decidedBy == PlacementStep::TargetIdle, m.behaviours().schedIdleForIdleWakee);
  }
}

TEST(IdleCapacity, PrefersTheBiggestIdleCpuWhenNoneFits) {
  HandTopology hand(4);
  hand.addDomain({0, 1, 2, 3}, kSdAsymCpucapacity | kSdAsymCpucapacityFull | kSdWakeAffine, 117,
                 {{{0}}, {{1}}, {{2}}, {{3}}});
  SchedTopology& t = hand.topology();
  t.asymCapacityActive = true;
  for (std::size_t c = 0; c < 4; ++c) t.cpus[c].sdAsymCpucapacity = t.cpus[c].lowest;
  Machine m = handMachine(hand.finish(), profileNamed("v6.12"));
  const std::uint64_t capacities[] = {300, 400, 500, 450};
  for (int c = 0; c < 4; ++c) m.rq(CpuId{c}).cpuCapacity = capacities[c];
  const TaskId task = addSleeper(m, CpuId{0});
  m.se(task).avg.utilAvg = 1000;
  EXPECT_EQ(selectIdleCapacity(m, m.topology->domains[0], task, CpuId{0}, nullptr), CpuId{2});
  makeBusy(m, CpuId{2});
  EXPECT_EQ(selectIdleCapacity(m, m.topology->domains[0], task, CpuId{0}, nullptr), CpuId{3});
}

TEST(WakeAffine, KeepsThePreviousCpuWhenUndecided) {
  Machine m = handMachine(fourOfOneCache().finish(), profileNamed("v6.12"));
  makeBusy(m, CpuId{0});
  makeBusy(m, CpuId{1});
  m.rootCfs(CpuId{0}).avg.loadAvg = 5000;
  const TaskId task = addSleeper(m, CpuId{1});
  const WakeAffineChoice choice = wakeAffine(m, m.topology->domains[0], task, CpuId{0}, CpuId{1}, false);
  EXPECT_EQ(choice.cpu, CpuId{1});
  EXPECT_EQ(choice.reason, WakeAffineReason::Undecided);
  EXPECT_GT(choice.thisEffLoad, choice.prevEffLoad);
}

TEST(WakeAffine, IgnoresADelayedTaskOnSyncWakeupsFromVersion612) {
  for (const char* version : {"v6.1", "v6.12"}) {
    SCOPED_TRACE(version);
    HandTopology hand(2);
    Machine m = handMachine(hand.finish(), profileNamed(version));
    for (int c = 0; c < 2; ++c) makeBusy(m, CpuId{c});
    m.rq(CpuId{0}).nrRunning = 2;
    m.rootCfs(CpuId{0}).hNrDelayed = 1;
    const WakeAffineChoice choice = wakeAffineIdle(m, CpuId{0}, CpuId{1}, true);
    EXPECT_EQ(choice.cpu.isValid(), m.behaviours().syncIgnoresDelayed);
  }
}

TEST(SelectTaskRq, KeepsTheForkingCpuWhenEveryLevelSaysStay) {
  Machine m = handMachine(fourOfOneCache().finish(), profileNamed("v6.12"));
  const TaskId child = addSleeper(m, CpuId{2});
  Observer none;
  Context ctx{m, none};
  Placement record;
  EXPECT_EQ(selectTaskRqFair(ctx, child, CpuId{2}, CpuId{2}, kWfFork, &record), CpuId{2});
  ASSERT_EQ(record.levels.size(), 1U);
  EXPECT_EQ(record.levels[0].why, PlacementLevel::Why::IdleCpus);
  EXPECT_EQ(record.decidedBy, PlacementStep::SlowPath);
}

TEST(SelectTaskRq, SpreadsAForkToTheFirstIdleGroupOfTheRing) {
  Machine m = handMachine(fourOfOneCache().finish(), profileNamed("v6.12"));
  const TaskId parent = makeBusy(m, CpuId{2});
  const TaskId child = addSleeper(m, CpuId{2});
  static_cast<void>(parent);
  Observer none;
  Context ctx{m, none};
  // Groups 3, 0 and 1 are equally idle: the ring of CPU 2 begins after its own group.
  EXPECT_EQ(selectTaskRqFair(ctx, child, CpuId{2}, CpuId{2}, kWfFork, nullptr), CpuId{3});
}

TEST(SelectTaskRq, FallsBackToAnAllowedCpuOfTheTasksNode) {
  HandTopology hand(4);
  for (std::size_t c = 2; c < 4; ++c) hand.topology().node[c] = NodeId{1};
  Machine m = handMachine(hand.finish(), profileNamed("v6.12"));
  const TaskId task = addSleeper(m, CpuId{3});
  CpuMask allowed;
  for (const int c : {0, 2}) allowed.set(CpuId{c});
  setTaskAffinity(m, task, allowed);
  Observer none;
  Context ctx{m, none};
  // No domain: the class keeps CPU 3, which is not allowed.
  EXPECT_EQ(selectTaskRq(ctx, task, CpuId{3}, CpuId{3}, kWfFork), CpuId{2});
}

TEST(SelectTaskRq, TakesTheOnlyAllowedCpuWithoutAsking) {
  Machine m = handMachine(fourOfOneCache().finish(), profileNamed("v6.12"));
  makeBusy(m, CpuId{3});
  const TaskId task = addSleeper(m, CpuId{0});
  setTaskAffinity(m, task, CpuMask::of(CpuId{3}));
  Observer none;
  Context ctx{m, none};
  EXPECT_EQ(selectTaskRq(ctx, task, CpuId{0}, CpuId{0}, kWfTtwu), CpuId{3});
}

TEST(Wakees, AreCountedForTheIdleTaskToo) {
  Machine m = handMachine(fourOfOneCache().finish(), profileNamed("v6.12"));
  const TaskId a = addSleeper(m, CpuId{0}), b = addSleeper(m, CpuId{0});
  m.rq(CpuId{1}).idleWakeeFlipDecayJiffies = m.jiffies;
  for (const TaskId wakee : {a, b, b, a}) recordWakee(m, CpuId{1}, wakee);
  EXPECT_EQ(m.rq(CpuId{1}).idleWakeeFlips, 3U);
  EXPECT_EQ(wakeWide(m, CpuId{1}, a).wakerFlips, 3U);
}

}  // namespace
}  // namespace rqscope
