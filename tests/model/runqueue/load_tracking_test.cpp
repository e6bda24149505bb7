// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runqueue/load_tracking.h"

#include <gtest/gtest.h>

#include "support/flat_machine.h"

namespace rqscope {
namespace {

constexpr CpuId kCpu{0};
constexpr CfsRqId kRoot{0};

struct Rig {
  Machine m;
  Observer nobody;
  Context ctx{m, nobody};
  explicit Rig(Machine machine) : m(std::move(machine)) {}
  explicit Rig(std::string_view kernel) : m(flatMachine(kernel, 1)) {}

  CfsRq& root() { return m.queue(kRoot); }
  void pass(std::uint64_t ns) {
    m.nowNs += ns;
    updateRqClock(ctx, kCpu);
  }
};

// Half the capacity at three quarters of the frequency: PELT time passes at 3/8 of real time.
TEST(RqClock, PassesByCapacityAndFrequencyWhileRunning) {
  Rig rig(flatMachine("v6.12", std::vector<std::uint32_t>{512}));
  rig.m.rq(kCpu).curr = addTask(rig.m, NewTask{});
  rig.m.rq(kCpu).freqCapacity = 768;
  const std::uint64_t before = rig.m.rq(kCpu).clockPelt;
  rig.pass(8'000'000);
  EXPECT_EQ(rig.m.rq(kCpu).clockPelt, before + 3'000'000);
}

TEST(RqClock, JumpsToRealTimeWhenIdle) {
  Rig rig(flatMachine("v6.12", std::vector<std::uint32_t>{512}));
  rig.m.rq(kCpu).curr = addTask(rig.m, NewTask{});
  rig.pass(8'000'000);
  rig.m.rq(kCpu).curr = {};
  rig.pass(1000);
  EXPECT_EQ(rig.m.rq(kCpu).clockPelt, rig.m.nowNs);
}

TEST(RqClock, TakesInterruptTimeOutOfTheTaskClock) {
  Rig rig("v6.12");
  rig.m.rq(kCpu).curr = addTask(rig.m, NewTask{});
  rig.m.rq(kCpu).irqTimePendingNs = 3'000'000;
  const std::uint64_t before = rig.m.rq(kCpu).clockTask;
  rig.pass(2'000'000);  // all of it was interrupts
  EXPECT_EQ(rig.m.rq(kCpu).clockTask, before);
  EXPECT_GT(rig.m.rq(kCpu).avgIrq.utilSum, 0U);
  rig.pass(2'000'000);  // half of it
  EXPECT_EQ(rig.m.rq(kCpu).clockTask, before + 1'000'000);
}

// A CPU whose sum is full had no idle time to make up: what clock_pelt lacks is lost.
TEST(IdleEntry, LosesTheTimeThatAFullCpuCannotMakeUp) {
  for (const bool isFull : {true, false}) {
    Rig rig(flatMachine("v6.12", std::vector<std::uint32_t>{512}));
    rig.m.rq(kCpu).curr = addTask(rig.m, NewTask{});
    rig.pass(8'000'000);
    rig.root().avg.utilSum = isFull ? 46718 * 1024 : 46718 * 512;
    rig.m.rq(kCpu).curr = {};
    updateIdleRqClockPelt(rig.m, kCpu);
    EXPECT_EQ(rig.m.rq(kCpu).lostIdleTime, isFull ? 4'000'000U : 0U);
    EXPECT_EQ(rig.m.rq(kCpu).clockPelt, rig.m.nowNs);
  }
}

// 6.x evaluates the floor of a sum in 32 bits, v7.3 in 64: above 2^32 the first loses the high bits.
TEST(SumFloor, IsTakenIn32BitsBeforeV73) {
  constexpr std::uint64_t kHuge = (std::uint64_t{1} << 32) + 5'000'000'000;
  for (const char* kernel : {"v6.1", "v6.12", "v7.3"}) {
    Rig rig(kernel);
    const EntityId entity = rig.m.task(addTask(rig.m, NewTask{})).se;
    rig.m.entity(entity).avg = {.loadSum = 1, .loadAvg = 1};
    rig.root().avg.loadSum = kHuge + 1024;
    rig.root().avg.loadAvg = 2;
    dequeueLoadAvg(rig.m, kRoot, entity);
    const std::uint64_t expected =
        kernel == std::string_view("v7.3") ? kHuge : static_cast<std::uint32_t>(kHuge);
    EXPECT_EQ(rig.root().avg.loadSum, expected) << kernel;
  }
}

// The patch holds the removed load back: the queue's own averages fall at once, nothing is to be propagated.
TEST(RemovedLoad, IsPropagatedLaterWithThePatch) {
  for (const bool delays : {false, true}) {
    KernelProfile profile = kernelProfile("v6.12").value();
    profile.behaviours.tgLoadAvgDelayRemoved = delays;
    Rig rig(flatMachine(profile, {1024}));
    const GroupId group = addGroup(rig.m, "g", GroupId{0});
    CfsRq& queue = rig.m.queue(queueOf(rig.m, group, kCpu));
    queue.propagate = false;
    queue.propRunnableSum = 0;
    queue.avg = {.lastUpdateTime = rig.m.nowNs, .loadSum = 46718 * 100, .loadAvg = 100, .runnableAvg = 100};
    queue.removed = {1, 40, 0, 64};
    const bool decayed = updateCfsRqLoadAvg(rig.ctx, rig.m.nowNs, queueOf(rig.m, group, kCpu));
    EXPECT_EQ(queue.avg.loadAvg, 60U);
    EXPECT_EQ(decayed, !delays);
    EXPECT_EQ(queue.propagate, !delays);
    const std::int64_t sum = -(64 * std::int64_t{46718}) >> 10;  // -2919.9 rounds down
    EXPECT_EQ(queue.propRunnableSum, delays ? 0 : sum);
    EXPECT_EQ(queue.propRemovedSum, delays ? sum : 0);
  }
}

// A sleeper of an idle CPU ages to now: idle clock plus the time since, not just to its queue's last update.
TEST(MigrateSePeltLag, AgesASleeperOfAnIdleCpuToNow) {
  Rig rig("v6.12");
  const EntityId entity = rig.m.task(addTask(rig.m, NewTask{})).se;
  SchedEntity& se = rig.m.entity(entity);
  se.avg = {.lastUpdateTime = rig.m.nowNs, .utilSum = 40'000'000, .utilAvg = 850};
  rig.root().avg.lastUpdateTime = rig.m.nowNs;
  updateIdleRqClockPelt(rig.m, kCpu);
  rig.m.nowNs += 32 * 1'048'576;  // the half-life
  migrateSePeltLag(rig.ctx, entity);
  EXPECT_EQ(se.avg.utilSum, decayLoad(40'000'000, 32));
  EXPECT_EQ(se.avg.utilAvg, decayLoad(40'000'000, 32) / kPeltMinDivider);
}

TEST(MigrateSePeltLag, LeavesASleeperOfABusyCpu) {
  Rig rig("v6.12");
  const EntityId entity = rig.m.task(addTask(rig.m, NewTask{})).se;
  rig.m.rq(kCpu).curr = addTask(rig.m, NewTask{});
  rig.m.entity(entity).avg = {.lastUpdateTime = rig.m.nowNs, .utilSum = 40'000'000, .utilAvg = 850};
  rig.m.nowNs += 100'000'000;
  migrateSePeltLag(rig.ctx, entity);
  EXPECT_EQ(rig.m.entity(entity).avg.utilAvg, 850U);
}

// tg->load_avg changes by more than 1/64 only, and at most once a millisecond from v6.7 on.
TEST(UpdateTgLoadAvg, FollowsTheRateLimitOfItsKernel) {
  for (const char* kernel : {"v6.1", "v6.12", "v7.3"}) {
    Rig rig(kernel);
    rig.m.nowNs = 10'000'000;
    const GroupId group = addGroup(rig.m, "g", GroupId{0});
    const CfsRqId id = queueOf(rig.m, group, kCpu);
    rig.m.queue(id).avg.loadAvg = 640;
    rig.pass(1'000'000);
    updateTgLoadAvg(rig.ctx, id);
    EXPECT_EQ(rig.m.group(group).loadAvg, 640);
    rig.m.queue(id).avg.loadAvg = 650;  // 640 / 64 = 10: not more
    rig.pass(1'000'000);
    updateTgLoadAvg(rig.ctx, id);
    EXPECT_EQ(rig.m.group(group).loadAvg, 640);
    rig.m.queue(id).avg.loadAvg = 651;
    updateTgLoadAvg(rig.ctx, id);
    EXPECT_EQ(rig.m.group(group).loadAvg, 651);
    rig.m.queue(id).avg.loadAvg = 100;
    rig.pass(999'999);
    updateTgLoadAvg(rig.ctx, id);
    EXPECT_EQ(rig.m.group(group).loadAvg, kernel == std::string_view("v6.1") ? 100 : 651) << kernel;
  }
}

TEST(ClearTgOfflineQueues, TakesTheCpusLoadOutOfItsGroups) {
  Rig rig("v6.12");
  const GroupId group = addGroup(rig.m, "g", GroupId{0});
  rig.m.group(group).loadAvg = 700;
  rig.m.queue(queueOf(rig.m, group, kCpu)).tgLoadAvgContrib = 300;
  clearTgOfflineQueues(rig.ctx, kCpu);
  EXPECT_EQ(rig.m.group(group).loadAvg, 400);
}

// v7.3: the root queue's running entity is the task in the flat tree, but a group entity is running when it
// stands above that task.
TEST(UpdateLoadAvgSe, TakesTheLevelsOwnEntityAsRunningInAFlatQueue) {
  Rig rig("v7.3");
  const GroupId group = addGroup(rig.m, "g", GroupId{0});
  const EntityId above = groupEntity(rig.m, group, kCpu);
  rig.root().curr = rig.m.task(addTask(rig.m, {.group = group})).se;
  rig.root().hCurr = above;
  SchedEntity& se = rig.m.entity(above);
  se.onRq = true;
  se.runnableWeight = 1;
  se.avg = {.lastUpdateTime = rig.m.nowNs};
  updateLoadAvgSe(rig.m, rig.m.nowNs + 1'048'576, rig.root(), above);
  EXPECT_GT(se.avg.utilAvg, 0U);
}

TEST(UtilEst, OfAQueueNeverFallsBelowZero) {
  Rig rig("v6.12");
  const TaskId task = addTask(rig.m, NewTask{});
  rig.m.se(task).avg.utilEst = 300 | kUtilAvgUnchanged;
  utilEstEnqueue(rig.m, kCpu, task);
  EXPECT_EQ(rig.root().avg.utilEst, 300U);
  rig.m.se(task).avg.utilEst = 400;
  utilEstDequeue(rig.m, kCpu, task);
  EXPECT_EQ(rig.root().avg.utilEst, 0U);
}

}  // namespace
}  // namespace rqscope
