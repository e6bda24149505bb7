// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runqueue/machine.h"

#include <gtest/gtest.h>

#include "support/flat_machine.h"

namespace rqscope {
namespace {

// Factor 1 + ilog2(min(CPUs, 8)): 1, 2, 3, 3, 4, 4 for 1, 2, 4, 6, 8, 64 CPUs.
TEST(MakeMachine, ScalesTheSliceByTheNumberOfCpus) {
  const std::pair<int, std::uint64_t> expected[] = {{1, 700'000},   {2, 1'400'000}, {4, 2'100'000},
                                                    {6, 2'100'000}, {8, 2'800'000}, {64, 2'800'000}};
  for (const auto& [cpus, slice] : expected) EXPECT_EQ(flatMachine("v6.12", cpus).baseSliceNs, slice) << cpus;
}

TEST(MakeMachine, ScalesTheOldTunablesOfV61) {
  const Machine m = flatMachine("v6.1", 8);
  EXPECT_EQ(m.latencyNs, 24'000'000U);
  EXPECT_EQ(m.minGranularityNs, 3'000'000U);
  EXPECT_EQ(m.wakeupGranularityNs, 4'000'000U);
}

TEST(MakeMachine, IsAtRestAtItsStart) {
  const Machine m = flatMachine("v6.12", 3, 5'000'000);
  ASSERT_EQ(m.rqs.size(), 3U);
  ASSERT_EQ(m.cfs.size(), 3U);
  for (int c = 0; c < 3; ++c) {
    const CpuId cpu{c};
    EXPECT_TRUE(isIdleCpu(m, cpu));
    EXPECT_EQ(m.rq(cpu).clock, 5'000'000U);
    EXPECT_EQ(m.rq(cpu).clockPelt, 5'000'000U);
    EXPECT_EQ(m.rootCfs(cpu).avg.lastUpdateTime, 5'000'000U);
    EXPECT_EQ(m.rootCfs(cpu).cpu, cpu);
    EXPECT_EQ(m.rootCfs(cpu).group, GroupId{0});
  }
}

TEST(AddGroup, LaysQueuesAndEntitiesOutByCpu) {
  Machine m = flatMachine("v6.12", 2);
  addTask(m, NewTask{});  // so that entities do not begin at 0
  const GroupId outer = addGroup(m, "outer", GroupId{0});
  const GroupId inner = addGroup(m, "inner", outer);
  for (const CpuId cpu : {CpuId{0}, CpuId{1}}) {
    const SchedEntity& se = m.entity(groupEntity(m, inner, cpu));
    EXPECT_EQ(m.queue(se.myQ).group, inner);
    EXPECT_EQ(m.queue(se.myQ).cpu, cpu);
    EXPECT_EQ(se.cfsRq, queueOf(m, outer, cpu));
    EXPECT_EQ(se.parent, groupEntity(m, outer, cpu));
    EXPECT_EQ(se.depth, 1);
    EXPECT_EQ(m.entity(se.parent).cfsRq, queueOf(m, GroupId{0}, cpu));
    EXPECT_EQ(entityOfQueue(m, m.queue(se.myQ)), groupEntity(m, inner, cpu));
  }
  EXPECT_EQ(m.group(outer).children, std::vector<GroupId>{inner});
  EXPECT_FALSE(entityOfQueue(m, m.rootCfs(CpuId{0})).isValid());
}

TEST(AddTask, StartsWithTheLoadOfItsWeightAndNothingElse) {
  Machine m = flatMachine("v6.12", 2);
  const TaskId task = addTask(m, {.name = "a", .nice = 5, .sliceNs = 3'000'000});
  EXPECT_EQ(m.se(task).avg.loadAvg, 335U);
  EXPECT_EQ(m.se(task).avg.utilAvg, 0U);
  EXPECT_EQ(m.se(task).avg.lastUpdateTime, 0U);
  EXPECT_TRUE(m.se(task).customSlice);
  EXPECT_EQ(m.task(task).nrCpusAllowed, 2);
}

TEST(ReleaseTask, GivesTheSlotsToTheNextTaskButNotThePid) {
  Machine m = flatMachine("v6.12", 1);
  const TaskId first = addTask(m, NewTask{});
  const EntityId entity = m.task(first).se;
  releaseTask(m, first);
  const TaskId second = addTask(m, NewTask{});
  EXPECT_EQ(second, first);
  EXPECT_EQ(m.task(second).se, entity);
  EXPECT_EQ(m.task(second).pid, 2);
}

TEST(SetTaskAffinity, FindsTheLargestCpuThatIsAllowed) {
  Machine m = flatMachine("v6.12", std::vector<std::uint32_t>{383, 1024});
  const TaskId task = addTask(m, NewTask{});
  EXPECT_EQ(m.task(task).maxAllowedCapacity, 1024U);
  setTaskAffinity(m, task, CpuMask::of(CpuId{0}));
  EXPECT_EQ(m.task(task).maxAllowedCapacity, 383U);
  EXPECT_EQ(m.task(task).nrCpusAllowed, 1);
}

}  // namespace
}  // namespace rqscope
