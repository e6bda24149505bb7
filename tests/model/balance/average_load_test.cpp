// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "balance/average_load.h"

#include <gtest/gtest.h>

#include "evaluate/hand_machine.h"
#include "runqueue/queue.h"

namespace rqscope {
namespace {

using Pick = BalanceGroup::Pick;
using Rule = ImbalanceRule;
using Why = FindSrcGroupWhy;

/// Two nodes of eight CPUs; v6.12 with v5.4's choice of the source.
class AverageLoad : public ::testing::Test {
 protected:
  explicit AverageLoad(std::uint32_t childFlags = 0) {
    HandTopology hand(16);
    const std::vector<int> one{0, 1, 2, 3, 4, 5, 6, 7}, two{8, 9, 10, 11, 12, 13, 14, 15};
    std::vector<int> all = one;
    all.insert(all.end(), two.begin(), two.end());
    hand.addDomain(one, childFlags, 117, {{one}});
    hand.addDomain(two, childFlags, 117, {{two}});
    hand.addDomain(all, kSdNuma, 125, {{one}, {two}});
    KernelProfile profile = kernelProfile("v6.12").value();
    profile.behaviours.balanceRework = false;
    m = handMachine(hand.finish(), profile);
  }
  void set(bool Behaviours::*field, bool on) {
    auto profile = std::make_shared<KernelProfile>(*m.profile);
    profile->behaviours.*field = on;
    m.profile = std::move(profile);
  }
  /// A pass of CPU 1 between the nodes.
  BalanceEnv envOf(CpuIdleType idle) {
    return {ctx, m.topology->domain(m.topology->cpus[1].lowest).parent, CpuId{1}, idle};
  }
  /// Statistics of a node, with the type and the average that they give.
  GroupStats node(std::uint32_t tasks, std::uint64_t load, std::uint64_t util, std::uint32_t idleCpus) {
    GroupStats s;
    s.groupWeight = 8;
    s.groupCapacity = 8192;
    s.sumNrRunning = s.sumHNrRunning = tasks;
    s.groupLoad = load;
    s.groupUtil = util;
    s.idleCpus = idleCpus;
    s.avgLoad = load * 1024 / 8192;
    const Classification c = classifyByAverage(envOf(CpuIdleType::Idle), false, nullptr, s);
    s.type = c.type;
    s.reason = c.reason;
    return s;
  }
  static DomainStats pairOf(const GroupStats& local, const GroupStats& busiest) {
    DomainStats sds;
    sds.local = 0;
    sds.busiest = 1;
    sds.localStats = local;
    sds.busiestStats = busiest;
    sds.totalLoad = local.groupLoad + busiest.groupLoad;
    sds.totalCapacity = local.groupCapacity + busiest.groupCapacity;
    return sds;
  }
  struct Decision {
    Why why;
    Rule rule;
    std::int64_t imbalance;
  };
  Decision decided(DomainStats sds, CpuIdleType idle) {
    BalanceEnv env = envOf(idle);
    const Why why = whyByAverage(env, sds);
    if (why < Why::Misfit) return {why, Rule::None, 0};
    const Rule rule = imbalanceByAverage(env, sds, why);
    return {why, rule, env.imbalance};
  }
  /// Case LB-01: a thread of load 1024 alone on its node, eleven of load 16 on the other.
  DomainStats heavyThread() {
    GroupStats light = node(11, 11 * 16, 8192, 0);
    light.minLoad = 16;
    light.maxLoad = 32;
    return pairOf(node(1, 1024, 1024, 7), light);
  }

  Machine m;
  Observer nobody;
  Context ctx{m, nobody};
};

TEST_F(AverageLoad, TheHeavyNodesIdleCpuPullsNothing) {
  // 1024 * 1024 / 8192 = 128 here against 176 * 1024 / 8192 = 22 there, 1200 * 1024 / 16384 = 75 on average.
  set(&Behaviours::forceBalanceWhenIdle, false);
  DomainStats sds = heavyThread();
  EXPECT_EQ(sds.busiestStats.type, GroupType::Overloaded);  // 819,200 < 8192 * 125
  EXPECT_EQ(decided(sds, CpuIdleType::Idle).why, Why::LocalLoadGeBusiest);
  BalanceEnv env = envOf(CpuIdleType::Idle);
  whyByAverage(env, sds);
  EXPECT_EQ(sds.localStats.avgLoad, 128U);
  EXPECT_EQ(sds.busiestStats.avgLoad, 22U);
  EXPECT_EQ(sds.avgLoad, 75U);
}

TEST_F(AverageLoad, ACpuThatHasJustBecomeIdlePullsOneTask) {
  // One of the eight CPUs' tasks is worth 16, as an average 2. 22 + 2 is not 128 + 2 * 2, but capacity is
  // gained: now 8 * min(16, 22) + 8 * min(1024, 128) = 1152, then 8 * min(16, 20) + 8 * min(1024, 130) =
  // 1168.
  for (const bool idleToo : {false, true}) {
    set(&Behaviours::forceBalanceWhenIdle, idleToo);
    const Decision newly = decided(heavyThread(), CpuIdleType::NewlyIdle);
    EXPECT_EQ(newly.why, Why::IdleBesideOverloaded);
    EXPECT_EQ(newly.rule, Rule::SmallMoreCapacity);
    EXPECT_EQ(newly.imbalance, 16);
  }
  // 583ffd99d765 has every idle CPU do so; a busy one compares averages still.
  EXPECT_EQ(decided(heavyThread(), CpuIdleType::Idle).why, Why::IdleBesideOverloaded);
  EXPECT_EQ(decided(heavyThread(), CpuIdleType::NotIdle).why, Why::LocalLoadGeBusiest);
}

TEST_F(AverageLoad, SmallestLoadsLetItPull) {
  // The patch of 2016: 0 here is below 16 there; half of 32 - 0 is moved.
  set(&Behaviours::forceBalanceWhenIdle, false);
  set(&Behaviours::groupMinLoad, true);
  const Decision pulled = decided(heavyThread(), CpuIdleType::Idle);
  EXPECT_EQ(pulled.why, Why::MinLoadLess);
  EXPECT_EQ(pulled.rule, Rule::MinLoadHalf);
  EXPECT_EQ(pulled.imbalance, 16);
  DomainStats even = heavyThread();
  even.localStats.minLoad = 16;
  EXPECT_EQ(decided(even, CpuIdleType::Idle).why, Why::LocalMinLoadGeBusiest);
}

TEST_F(AverageLoad, MovesTheSmallerDistanceToTheAverage) {
  // Averages 1024 and 2048, domain 24576 / 16 = 1536: 512 * 8192 / 1024 on either side.
  const Decision busy =
      decided(pairOf(node(8, 8192, 8192, 0), node(16, 16384, 8192, 0)), CpuIdleType::NotIdle);
  EXPECT_EQ(busy.why, Why::Compare);
  EXPECT_EQ(busy.rule, Rule::AverageLoad);
  EXPECT_EQ(busy.imbalance, 4096);
  // Both overloaded: nine tasks on eight CPUs are 9216 - 8192, as an average 128, above capacity, which is
  // less than 1280 - 960 = 320: 128 * 8192 / 1024. Loads of 1280 * 8 and 640 * 8.
  const Decision capped =
      decided(pairOf(node(9, 5120, 8192, 0), node(9, 10240, 8192, 0)), CpuIdleType::NotIdle);
  EXPECT_EQ(capped.rule, Rule::SmallOneTask);  // 1024 is less than one task's 1137
  EXPECT_EQ(capped.imbalance, 1137);
}

TEST_F(AverageLoad, ABusyCpuWantsTheDifferenceToExceedImbalancePct) {
  // 100 * 2048 = 204,800 against 125 * 1639 = 204,875 and 125 * 1638 = 204,750.
  const auto at = [&](std::uint64_t average) {
    return decided(pairOf(node(12, average * 8, 8192, 0), node(16, 16384, 8192, 0)), CpuIdleType::NotIdle)
        .why;
  };
  EXPECT_EQ(at(1639), Why::WithinImbalancePct);
  EXPECT_EQ(at(1638), Why::Compare);
}

TEST_F(AverageLoad, AnIdleCpuComparesIdleCpusWhereNobodyIsOverloaded) {
  const auto with = [&](std::uint32_t idleHere) {
    return decided(pairOf(node(5, 800, 800, idleHere), node(6, 2400, 2400, 2)), CpuIdleType::Idle).why;
  };
  EXPECT_EQ(with(3), Why::IdleCpusBalanced);  // 3 <= 2 + 1
  EXPECT_EQ(with(4), Why::Compare);
}

TEST_F(AverageLoad, ALocalGroupAboveTheAverageOfTheDomainStays) {
  // 2048 * 8 and a third group's nothing: the average is below both.
  DomainStats sds = pairOf(node(8, 8192, 8192, 0), node(16, 16384, 8192, 0));
  sds.totalCapacity = 3 * 8192;
  EXPECT_EQ(decided(sds, CpuIdleType::NotIdle).why, Why::LocalLoadGeAvg);  // 1024 >= 24576 * 1024 / 24576
}

TEST_F(AverageLoad, OneTaskIsTakenByAnEmptyGroup) {
  // 64 * 8192 / 1024 = 512 is less than the task's 1024; its step of 128 twice is what the busiest would lead
  // by.
  const Decision one = decided(pairOf(node(0, 0, 0, 8), node(1, 1024, 1024, 6)), CpuIdleType::Idle);
  EXPECT_EQ(one.rule, Rule::SmallOneTask);
  EXPECT_EQ(one.imbalance, 1024);
}

TEST_F(AverageLoad, EvenGroupsGainNothing) {
  // The mark of an imbalance goes past the comparisons. The load per task is cut to the average 256: used now
  // 8 * 256 + 8 * 256, after 8 * (256 - 32) + 8 * (256 + 32): the same.
  DomainStats sds = pairOf(node(2, 2048, 2048, 6), node(2, 2048, 2048, 6));
  sds.busiestStats.type = GroupType::Imbalanced;
  const Decision even = decided(sds, CpuIdleType::Idle);
  EXPECT_EQ(even.why, Why::Imbalanced);
  EXPECT_EQ(even.rule, Rule::SmallNothing);
  EXPECT_EQ(even.imbalance, 0);
}

TEST_F(AverageLoad, TypeComesBeforeTheAverageWhenTheBusiestIsPicked) {
  BalanceEnv env = envOf(CpuIdleType::Idle);
  const SchedGroup& group = env.group(1);
  DomainStats sds = pairOf(node(1, 1024, 1024, 7), node(8, 4096, 8192, 0));
  EXPECT_EQ(sds.busiestStats.type, GroupType::FullyBusy);
  EXPECT_EQ(pickBusiestByAverage(env, sds, group, node(11, 176, 8192, 0)), Pick::Picked);
  // v5.4 has one type for groups with spare capacity and for full ones.
  EXPECT_EQ(pickBusiestByAverage(env, sds, group, node(2, 4104, 1024, 6)), Pick::Picked);    // 513 > 512
  EXPECT_EQ(pickBusiestByAverage(env, sds, group, node(2, 4096, 1024, 6)), Pick::LosesTie);  // 512
  sds.busiestStats = node(11, 176, 8192, 0);
  EXPECT_EQ(pickBusiestByAverage(env, sds, group, node(8, 8192, 8192, 0)), Pick::LesserType);
}

TEST_F(AverageLoad, CountsWhatIsQueuedAndNotWhatSleepersLeft) {
  NewTask spec;
  for (const auto& [cpu, load] : {std::pair{8, 300}, {8, 20}, {9, 1000}}) {
    spec.cpu = CpuId{cpu};
    const TaskId task = addTask(m, spec);
    enqueueTaskFair(ctx, spec.cpu, task, kEnqueueNoclock);
    m.task(task).onRq = true;
    m.se(task).avg.loadAvg = static_cast<std::uint64_t>(load);
  }
  m.rootCfs(CpuId{10}).avg.loadAvg = 700;  // left behind by a task that sleeps
  BalanceEnv env = envOf(CpuIdleType::Idle);
  DomainStats sds;
  GroupStats stats;
  updateGroupStats(env, sds, env.group(1), false, stats);
  EXPECT_EQ(stats.groupLoad, 1320U);
  EXPECT_EQ(stats.minLoad, 0U);
  EXPECT_EQ(stats.maxLoad, 1000U);
  EXPECT_EQ(stats.sumNrRunning, 3U);
  EXPECT_EQ(stats.avgLoad, 1320U * 1024 / stats.groupCapacity);
}

TEST_F(AverageLoad, HalfATasksLoadHasToFit) {
  // In a queue of load 2047 the task's h_load is 1024 * 2047 / 2048 = 1023, half of it 511.
  NewTask spec;
  spec.cpu = CpuId{8};
  for (int i = 0; i < 2; ++i) {
    const TaskId task = addTask(m, spec);
    enqueueTaskFair(ctx, spec.cpu, task, kEnqueueNoclock);
    m.task(task).onRq = true;
    m.se(task).avg.loadAvg = 1024;
  }
  m.rootCfs(spec.cpu).avg.loadAvg = m.rootCfs(spec.cpu).hLoad = 2047;
  set(&Behaviours::balanceRework, false);
  for (const std::int64_t imbalance : {510, 511}) {
    BalanceEnv env = envOf(CpuIdleType::NotIdle);
    env.src = spec.cpu;
    env.imbalance = imbalance;
    env.loopMax = 1;
    env.state.nrBalanceFailed = 3;  // makes the task cold, and no longer halves its load
    std::vector<TaskId> moved;
    EXPECT_EQ(detachTasks(env, moved), imbalance == 511 ? 1U : 0U);
  }
}

/// The nodes' own domains want their tasks spread first.
class SiblingsFirst : public AverageLoad {
 protected:
  SiblingsFirst() : AverageLoad(kSdPreferSibling) {}
};

TEST_F(SiblingsFirst, TwoTasksMoreThanHereAreTooMany) {
  const BalanceEnv env = envOf(CpuIdleType::Idle);
  const GroupStats here = node(1, 1024, 1024, 7);
  const auto type = [&](std::uint32_t tasks) {
    return classifyByAverage(env, false, &here, node(tasks, 1024, 1024, 5));
  };
  EXPECT_EQ(type(3).type, GroupType::Overloaded);
  EXPECT_EQ(type(3).reason, GroupTypeReason::SiblingExcess);
  EXPECT_EQ(type(2).type, GroupType::HasSpare);
  const GroupStats full = node(8, 8192, 8192, 0);
  EXPECT_NE(classifyByAverage(env, false, &full, node(10, 1024, 1024, 0)).reason,
            GroupTypeReason::SiblingExcess);
}

}  // namespace
}  // namespace rqscope
