// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include "runqueue/load_tracking.h"
#include "runqueue/queue.h"
#include "support/flat_machine.h"

// The patches of July 2023 that make accesses to tg->load_avg rarer, against numbers worked by hand.

namespace rqscope {
namespace {

constexpr CpuId kCpu{0};

/// Counts the accesses.
struct Counter final : Observer {
  int reads = 0, writes = 0;
  GroupId lastGroup;
  void onTgLoadAvgAccess(const Machine&, GroupId group, CpuId, bool write) override {
    ++(write ? writes : reads);
    lastGroup = group;
  }
  int takeReads() {
    const int taken = reads;
    reads = 0;
    return taken;
  }
};

/// One CPU, a group with two tasks and a task outside of it.
struct Rig {
  Machine m;
  Counter counter;
  Context ctx{m, counter};
  GroupId group;
  TaskId first, second, outside;

  Rig(std::string_view kernel, bool skips) : m(flatMachine(profileOf(kernel, skips), {1024})) {
    group = addGroup(m, "g", GroupId{0});
    first = addTask(m, {.group = group});
    second = addTask(m, {.group = group});
    outside = addTask(m, {});
    pass();
  }
  static KernelProfile profileOf(std::string_view kernel, bool skips) {
    KernelProfile profile = kernelProfile(kernel).value();
    profile.behaviours.skipUpdateCfsGroup = skips;
    return profile;
  }
  void pass() {
    m.nowNs += 1'000'000;
    updateRqClock(ctx, kCpu);
  }
  void enqueue(TaskId task) {
    enqueueTaskFair(ctx, kCpu, task, kEnqueueWakeup | kEnqueueNoclock);
    m.task(task).onRq = true;
  }
  void dequeue(TaskId task) {
    dequeueTaskFair(ctx, kCpu, task, kDequeueNoclock);
    m.task(task).onRq = false;
  }
};

// An entity that comes to an empty queue, or leaves one, is not reweighted with the patch; one that stays is.
TEST(SkipUpdateCfsGroup, ReadsOnlyWhereTheGroupIsNotAlone) {
  for (const bool skips : {false, true}) {
    Rig rig("v6.1", skips);
    rig.enqueue(rig.first);
    EXPECT_EQ(rig.counter.takeReads(), skips ? 0 : 1) << "the group comes to an empty root queue";
    EXPECT_TRUE(skips || rig.counter.lastGroup == rig.group);
    rig.enqueue(rig.second);
    EXPECT_EQ(rig.counter.takeReads(), 1) << "it is there already: only updated";
    rig.dequeue(rig.second);
    EXPECT_EQ(rig.counter.takeReads(), 1) << "it stays: only updated";
    rig.dequeue(rig.first);
    EXPECT_EQ(rig.counter.takeReads(), skips ? 0 : 1) << "it leaves";
    rig.enqueue(rig.outside);
    EXPECT_EQ(rig.counter.takeReads(), 0) << "no group";
    rig.enqueue(rig.first);
    EXPECT_EQ(rig.counter.takeReads(), 1) << "the group comes to a queue that has a task";
  }
}

TEST(SkipUpdateCfsGroup, CountsAsTheQueueStoodBeforeTheEntityInEveryVersion) {
  for (const char* kernel : {"v6.1", "v6.12"}) {
    Rig rig(kernel, true);
    rig.enqueue(rig.first);
    EXPECT_EQ(rig.counter.takeReads(), 0) << kernel;
    Rig other(kernel, true);
    other.enqueue(other.outside);
    other.enqueue(other.first);
    EXPECT_EQ(other.counter.takeReads(), 1) << kernel;
  }
}

// The weight of a lone group stays what it was: stale, as nothing else competes.
TEST(SkipUpdateCfsGroup, LeavesTheWeightOfALoneGroup) {
  for (const bool skips : {false, true}) {
    Rig rig("v6.1", skips);
    // Elsewhere the group has a load of 3 * 1024; of its 1024 shares a queue of one nice-0 task gets a
    // quarter.
    rig.m.group(rig.group).loadAvg = 3 * 1024;
    rig.enqueue(rig.first);
    const SchedEntity& entity = rig.m.entity(groupEntity(rig.m, rig.group, kCpu));
    EXPECT_EQ(seWeight(entity), skips ? 1024U : 256U);
  }
}

// What was held back joins the next change, whatever that is; a queue that holds something back is not
// decayed.
TEST(DelayRemoved, FoldsIntoTheNextPropagation) {
  KernelProfile profile = kernelProfile("v6.1").value();
  profile.behaviours.tgLoadAvgDelayRemoved = true;
  Machine m = flatMachine(profile, {1024});
  Counter counter;
  Context ctx{m, counter};
  const GroupId group = addGroup(m, "g", GroupId{0});
  const CfsRqId id = queueOf(m, group, kCpu);
  CfsRq& queue = m.queue(id);
  queue.avg = {};
  queue.propRemovedSum = -2920;
  EXPECT_FALSE(isQueueDecayed(m, id));
  const EntityId task = m.task(addTask(m, {.group = group})).se;
  m.entity(task).avg = {.lastUpdateTime = m.nowNs, .loadSum = 47742, .loadAvg = 1024};
  attachEntityLoadAvg(ctx, id, task);
  // The attach adds the task's sum: 1024 * divider / weight 1024 = divider, which with no contribution yet is
  // 47742 - 1024 = 46718.
  EXPECT_EQ(queue.propRunnableSum, 46718 - 2920);
  EXPECT_EQ(queue.propRemovedSum, 0);
  EXPECT_TRUE(queue.propagate);
}

}  // namespace
}  // namespace rqscope
