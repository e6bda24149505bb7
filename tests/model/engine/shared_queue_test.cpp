// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runqueue/shared_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/scheduler.h"
#include "runqueue/load_tracking.h"
#include "topology/machine_layout.h"

// Every row of the table of versions (reference: seed patch s4): who joins, when it leaves, who pulls what.

namespace rqscope {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::uint64_t kStartNs = 1'000'000'000;
const char* const kOneCache = "1 package x 1 node x 1 LLC x 4 cores x 1 thread";

std::shared_ptr<const SchedTopology> topologyOf(const char* layout, const KernelProfile& profile) {
  return buildSchedTopology(parseCompactMachine(layout, "test").value(), profile).value();
}

KernelProfile profileWith(std::vector<std::string> patches, const char* kernel = "v6.1") {
  KernelProfile profile = kernelProfile(kernel).value();
  for (const std::string& patch : patches) profile = withPatch(std::move(profile), patch, true).value();
  return profile;
}

/// Counts what the locks were taken for.
struct LockLog final : Observer {
  std::vector<SharedQueueUse> uses;
  std::vector<std::uint32_t> entries;
  void onSharedQueueLock(const Machine&, std::int32_t, SharedQueueUse use, std::uint32_t looked) override {
    uses.push_back(use);
    entries.push_back(looked);
  }
};

/// A machine whose CPUs are given tasks by hand.
struct Bench {
  Machine m;
  LockLog log;
  Context ctx{m, log};

  explicit Bench(std::vector<std::string> patches, const char* layout = kOneCache,
                 const char* kernel = "v6.1")
      : m(machineOf(profileWith(std::move(patches), kernel), layout)) {}
  static Machine machineOf(const KernelProfile& profile, const char* layout) {
    return makeMachine(topologyOf(layout, profile), std::make_shared<const KernelProfile>(profile), kStartNs,
                       1);
  }

  TaskId put(int cpu, std::uint32_t flags = kEnqueueWakeup, const CpuMask& allowed = {}) {
    const TaskId task =
        addTask(m, {.name = {}, .group = GroupId{0}, .cpu = CpuId{cpu}, .cpusAllowed = allowed});
    m.task(task).state = TaskState::Running;
    updateRqClock(ctx, CpuId{cpu});
    enqueueTaskFair(ctx, CpuId{cpu}, task, flags | kEnqueueNoclock);
    m.task(task).onRq = true;
    return task;
  }
  /// A task that runs there; it has left the shared queue by then.
  TaskId run(int cpu) {
    put(cpu);
    schedule(ctx, CpuId{cpu});
    return m.rq(CpuId{cpu}).curr;
  }
  std::vector<TaskId> queued(std::size_t queue = 0) const {
    std::vector<TaskId> out;
    for (TaskId t = m.sharedQueues[queue].head; t.isValid(); t = m.task(t).sharedNext) out.push_back(t);
    return out;
  }
  /// The running task of the CPU sleeps and the CPU looks for another.
  void sleepCurrent(int cpu) {
    blockCurrent(ctx, CpuId{cpu});
    schedule(ctx, CpuId{cpu});
  }
};

CpuMask only(std::vector<int> cpus) {
  CpuMask mask;
  for (const int cpu : cpus) mask.set(CpuId{cpu});
  return mask;
}

TEST(SharedQueue, IsNotThereWithoutAPatch) {
  Bench b({});
  b.run(0);
  b.put(0);
  EXPECT_TRUE(b.m.sharedQueues.empty());
  EXPECT_THAT(b.log.uses, IsEmpty());
}

TEST(SharedQueue, V1TakesAWakeeThatStaysInPlace) {
  for (const char* patch : {"swqueue_v1", "shared_runq_v2_base"}) {
    Bench b({patch});
    b.run(0);
    const TaskId woken = b.put(0);
    b.put(0, kEnqueueWakeup | kEnqueueMigrated);
    b.put(0, 0);  // forked, moved, changed
    b.put(0, kEnqueueWakeup, only({0}));
    EXPECT_THAT(b.queued(), ElementsAre(woken)) << patch;
  }
}

TEST(SharedQueue, V1KeepsATaskThatWasPreempted) {
  Bench b({"swqueue_v1"});
  const TaskId first = b.run(0);
  putPrevTaskFair(b.ctx, CpuId{0}, first);
  EXPECT_THAT(b.queued(), IsEmpty()) << "entering the tree again is no wakeup";
}

TEST(SharedQueue, V2TakesEveryTaskOfATreeInOrderOfInsertion) {
  for (const char* patch : {"shared_runq_v2", "shared_runq_v3"}) {
    Bench b({patch});
    const TaskId running = b.run(0);
    const TaskId moved = b.put(0, kEnqueueWakeup | kEnqueueMigrated);
    const TaskId forked = b.put(1, 0);
    b.put(0, kEnqueueWakeup, only({0}));
    EXPECT_THAT(b.queued(), ElementsAre(moved, forked)) << patch;
    putPrevTaskFair(b.ctx, CpuId{0}, running);
    EXPECT_THAT(b.queued(), ElementsAre(moved, forked, running)) << patch << ": preempted";
    setNextTaskFair(b.ctx, CpuId{0}, running);
    EXPECT_THAT(b.queued(), ElementsAre(moved, forked)) << patch << ": picked";
    dequeueTaskFair(b.ctx, CpuId{0}, moved, kDequeueSleep | kDequeueNoclock);
    EXPECT_THAT(b.queued(), ElementsAre(forked)) << patch << ": dequeued";
  }
}

TEST(SharedQueue, V4TakesATaskOnlyWhenItsCpuHasOthers) {
  for (const char* kernel : {"v6.1", "v6.12"}) {
    Bench b({"shared_runq_v4"}, kOneCache, kernel);
    b.put(0);
    EXPECT_THAT(b.queued(), IsEmpty()) << "nr_running was 0";
    const TaskId second = b.put(0);
    EXPECT_THAT(b.queued(), ElementsAre(second)) << kernel;
  }
}

TEST(SharedQueue, ASleeperThatStaysInTheTreeIsNotQueued) {
  Bench b({"shared_runq_v2"}, kOneCache, "v6.12");
  const TaskId first = b.run(0);
  const TaskId second = b.put(0);
  b.m.nowNs += 3'000'000;  // it has run ahead: ineligible, so its dequeue is delayed
  b.sleepCurrent(0);
  EXPECT_EQ(b.m.rq(CpuId{0}).curr, second);
  EXPECT_TRUE(b.m.se(first).schedDelayed);
  EXPECT_THAT(b.queued(), IsEmpty());
}

TEST(SharedQueue, TheMailVariantTakesOnlyWhatFoundNoIdleCpu) {
  for (const char* patch : {"swqueue_ego1", "swqueue_ego2"}) {
    Bench b({patch});
    b.run(0);
    b.put(0);
    EXPECT_THAT(b.queued(), IsEmpty()) << patch;
    const TaskId task = addTask(b.m, {.name = {}, .group = GroupId{0}, .cpu = CpuId{0}});
    b.m.task(task).addToWakequeue = true;
    enqueueTaskFair(b.ctx, CpuId{0}, task, kEnqueueWakeup | kEnqueueMigrated);
    EXPECT_THAT(b.queued(), ElementsAre(task)) << patch << ": migrated or not";
    EXPECT_FALSE(b.m.task(task).addToWakequeue) << "used up";
  }
}

TEST(SharedQueue, PlacementMarksAWakeeWhenTheCacheIsBusy) {
  Bench b({"swqueue_ego1"});
  b.m.shared[0].nrIdleScan = 4;
  for (int cpu = 0; cpu < 3; ++cpu) b.run(cpu);
  const auto sleeper = [&] {
    const TaskId task = addTask(b.m, {.name = {}, .group = GroupId{0}, .cpu = CpuId{0}});
    b.m.task(task).state = TaskState::Sleeping;
    return task;
  };
  const TaskId onIdle = sleeper();
  tryToWakeUp(b.ctx, onIdle, CpuId{0}, 0);
  EXPECT_EQ(b.m.task(onIdle).cpu, CpuId{3}) << "the idle one";
  EXPECT_THAT(b.queued(), IsEmpty());
  schedule(b.ctx, CpuId{3});
  const TaskId waits = sleeper();
  tryToWakeUp(b.ctx, waits, CpuId{0}, 0);
  EXPECT_THAT(b.queued(), ElementsAre(waits)) << "no CPU of the cache was idle";
}

TEST(SharedQueue, ACpuGoingIdleTakesTheHead) {
  for (const char* patch : {"swqueue_v1", "swqueue_ego1", "swqueue_ego2", "shared_runq_v2_base",
                            "shared_runq_v2", "shared_runq_v3", "shared_runq_v4"}) {
    Bench b({patch});
    b.run(0);
    b.run(1);
    const TaskId head = b.put(0);
    const TaskId next = b.put(0);
    if (b.m.behaviours().wakequeueOnlyWhenNoIdle) {
      for (const TaskId t : {head, next}) {
        dequeueTaskFair(b.ctx, CpuId{0}, t, kDequeueNoclock);
        b.m.task(t).addToWakequeue = true;
        enqueueTaskFair(b.ctx, CpuId{0}, t, kEnqueueNoclock);
      }
    }
    ASSERT_THAT(b.queued(), ElementsAre(head, next)) << patch;
    b.sleepCurrent(1);
    EXPECT_EQ(b.m.rq(CpuId{1}).curr, head) << patch;
    EXPECT_EQ(b.m.task(head).cpu, CpuId{1}) << patch;
    EXPECT_THAT(b.queued(), ElementsAre(next)) << patch;
    EXPECT_EQ(b.m.sharedQueues[0].pulled, 1U) << patch;
  }
}

// Kernel: RETRY_TASK leads to put_prev_task_balance(), which does not look into the queue.
TEST(SharedQueue, V1TakesOffAHeadThatMayNotRunThereAndBalances) {
  for (const bool overloaded : {false, true}) {
    Bench b({"swqueue_v1"});
    b.run(0);
    b.run(1);
    const TaskId elsewhere = b.put(0, kEnqueueWakeup, only({0, 2}));
    const TaskId good = b.put(0);
    b.m.rootDomains[0].overloaded = overloaded;
    b.sleepCurrent(1);
    EXPECT_EQ(b.m.task(elsewhere).cpu, CpuId{0});
    EXPECT_EQ(b.m.sharedQueues[0].refused, 1U) << "the head was removed all the same";
    EXPECT_EQ(b.m.sharedQueues[0].pulled, 0U) << "no second look";
    if (overloaded) {
      EXPECT_EQ(b.m.rq(CpuId{1}).curr, good) << "newidle balance took it";
    } else {
      EXPECT_THAT(b.queued(), ElementsAre(good));
      EXPECT_FALSE(b.m.rq(CpuId{1}).curr.isValid());
    }
  }
}

TEST(SharedQueue, V1DoesNotLookWhenAStopperRanBefore) {
  for (const auto& [patch, looks] :
       std::vector<std::pair<const char*, bool>>{{"swqueue_v1", false}, {"shared_runq_v3", true}}) {
    Bench b({patch});
    b.run(0);
    const TaskId leaves = b.run(1);
    const TaskId head = b.put(0);
    requestStopper(b.ctx, {StopperWork::Kind::MigrateTask, CpuId{1}, leaves, CpuId{1}});
    b.m.rootDomains[0].overloaded = looks;
    blockCurrent(b.ctx, CpuId{1});
    serveCpu(b.ctx, CpuId{1}, UserReturn::Yes);
    EXPECT_EQ(b.m.sharedQueues[0].pulled, looks ? 1U : 0U) << patch;
    EXPECT_EQ(b.m.rq(CpuId{1}).curr, looks ? head : TaskId{}) << patch;
  }
}

TEST(SharedQueue, FromV2AHeadThatMayNotRunThereBlocksTheRest) {
  for (const char* patch : {"shared_runq_v2_base", "shared_runq_v2", "shared_runq_v3", "shared_runq_v4"}) {
    Bench b({patch});
    b.run(0);
    const TaskId elsewhere = b.put(0, kEnqueueWakeup, only({0, 2}));
    const TaskId good = b.put(0);
    EXPECT_EQ(pullShared(b.ctx, CpuId{1}), SharedPull::Nothing) << patch;
    EXPECT_THAT(b.queued(), ElementsAre(elsewhere, good)) << patch;
  }
}

TEST(SharedQueue, TheSecondMailVariantWalksPastIt) {
  Bench b({"swqueue_ego2"});
  b.run(0);
  const auto join = [&](const CpuMask& allowed) {
    const TaskId task =
        addTask(b.m, {.name = {}, .group = GroupId{0}, .cpu = CpuId{0}, .cpusAllowed = allowed});
    b.m.task(task).addToWakequeue = true;
    enqueueTaskFair(b.ctx, CpuId{0}, task, kEnqueueWakeup | kEnqueueNoclock);
    b.m.task(task).onRq = true;
    return task;
  };
  const TaskId elsewhere = join(only({0, 2}));
  const TaskId good = join({});
  b.log.entries.clear();
  EXPECT_EQ(pullShared(b.ctx, CpuId{1}), SharedPull::Moved);
  EXPECT_THAT(b.queued(), ElementsAre(elsewhere));
  EXPECT_EQ(b.m.task(good).cpu, CpuId{1});
  EXPECT_THAT(b.log.entries, ElementsAre(2U)) << "the lock is held while walking";
}

TEST(SharedQueue, ARunningHeadIsTakenOffAndNotMoved) {
  for (const auto& [patch, expected] :
       std::vector<std::pair<const char*, SharedPull>>{{"swqueue_v1", SharedPull::Lost},
                                                       {"swqueue_ego2", SharedPull::Nothing},
                                                       {"shared_runq_v3", SharedPull::Lost},
                                                       {"shared_runq_v4", SharedPull::Lost}}) {
    Bench b({patch});
    b.run(0);
    const TaskId head = b.put(0);
    if (b.m.behaviours().wakequeueOnlyWhenNoIdle) {
      dequeueTaskFair(b.ctx, CpuId{0}, head, kDequeueNoclock);
      b.m.task(head).addToWakequeue = true;
      enqueueTaskFair(b.ctx, CpuId{0}, head, kEnqueueNoclock);
    }
    b.m.task(head).onCpu = true;  // as when it was picked between the two locks
    EXPECT_EQ(pullShared(b.ctx, CpuId{1}), expected) << patch;
    EXPECT_EQ(b.m.task(head).cpu, CpuId{0}) << patch;
    EXPECT_THAT(b.queued(), IsEmpty()) << patch;
  }
}

TEST(SharedQueue, V4LeavesTheQueueAloneUnlessTheRootDomainIsOverloaded) {
  Bench b({"shared_runq_v4"}, kOneCache, "v6.12");
  b.run(0);
  b.run(1);
  const TaskId waits = b.put(0);
  b.m.rootDomains[0].overloaded = false;
  b.sleepCurrent(1);
  EXPECT_FALSE(b.m.rq(CpuId{1}).curr.isValid());
  EXPECT_THAT(b.queued(), ElementsAre(waits));
}

TEST(SharedQueue, LocksOnlyWhenThereIsSomethingToTake) {
  Bench b({"swqueue_v1"});
  EXPECT_EQ(pullShared(b.ctx, CpuId{1}), SharedPull::Nothing);
  EXPECT_THAT(b.log.uses, IsEmpty()) << "emptiness is seen without the lock";
  using Use = Observer::SharedQueueUse;
  b.run(0);
  EXPECT_THAT(b.log.uses, ElementsAre(Use::Join, Use::Leave));
  b.put(0);
  pullShared(b.ctx, CpuId{1});
  EXPECT_THAT(b.log.uses, ElementsAre(Use::Join, Use::Leave, Use::Join, Use::Pull));
}

TEST(SharedQueue, EachCacheHasItsOwn) {
  Bench b({"shared_runq_v2"}, "1 package x 1 node x 2 LLC x 2 cores x 1 thread");
  ASSERT_EQ(b.m.sharedQueues.size(), 2U);
  const TaskId here = b.put(0), there = b.put(2);
  EXPECT_THAT(b.queued(0), ElementsAre(here));
  EXPECT_THAT(b.queued(1), ElementsAre(there));
}

TEST(SharedQueue, ShardsAreCountedAndIndexedByVersion) {
  const char* const sixteen = "1 package x 1 node x 1 LLC x 16 cores x 1 thread";
  const Bench v2({"shared_runq_v2", "shared_runq_shards"}, sixteen);
  const Bench v3({"shared_runq_v3", "shared_runq_shards"}, sixteen);
  const Bench v4({"shared_runq_v4", "shared_runq_shards"}, sixteen, "v6.12");
  EXPECT_EQ(v2.m.sharedQueues.size(), 2U) << "16 / 6";
  EXPECT_EQ(v3.m.sharedQueues.size(), 3U) << "rounded up";
  EXPECT_EQ(v4.m.sharedQueues.size(), 3U);
  for (int cpu = 0; cpu < 16; ++cpu) {
    const auto c = static_cast<std::size_t>(cpu);
    EXPECT_EQ(v2.m.sharedQueueOfCpu[c].own, cpu % 2);
    EXPECT_EQ(v3.m.sharedQueueOfCpu[c].own, (cpu >> 1) % 3);
    EXPECT_EQ(v4.m.sharedQueueOfCpu[c].own, (cpu >> 1) % 3);
  }
  EXPECT_EQ(Bench({"shared_runq_v2", "shared_runq_shards"}).m.sharedQueues.size(), 1U) << "four CPUs";
  EXPECT_EQ(Bench({"swqueue_v1", "shared_runq_shards"}, sixteen).m.sharedQueues.size(), 1U)
      << "shards came with the last patches of v2";
}

TEST(SharedQueue, APullLooksAtItsOwnShardFirstThenAtTheOthersInTurn) {
  Bench b({"shared_runq_v3", "shared_runq_shards"}, "1 package x 1 node x 1 LLC x 16 cores x 1 thread");
  const TaskId inZero = b.put(0), inTwo = b.put(4), inOwn = b.put(2);
  EXPECT_EQ(pullShared(b.ctx, CpuId{3}), SharedPull::Moved);
  EXPECT_EQ(b.m.task(inOwn).cpu, CpuId{3});
  dequeueTaskFair(b.ctx, CpuId{3}, inOwn, kDequeueSleep | kDequeueNoclock);
  EXPECT_EQ(pullShared(b.ctx, CpuId{3}), SharedPull::Moved);
  EXPECT_EQ(b.m.task(inTwo).cpu, CpuId{3}) << "shard 2 comes after 1";
  EXPECT_EQ(b.m.task(inZero).cpu, CpuId{0});
}

TEST(SharedQueue, ARebuildOfTheDomainsEmptiesTheQueuesFromV3) {
  for (const auto& [patch, isEmptied] : std::vector<std::pair<const char*, bool>>{
           {"swqueue_v1", false}, {"shared_runq_v2", false}, {"shared_runq_v3", true}}) {
    Bench b({patch});
    b.run(0);
    const TaskId task = b.put(0);
    ASSERT_EQ(b.queued().size(), 1U);
    sharedQueuesAfterRebuild(b.m);
    EXPECT_EQ(b.queued().empty(), isEmptied) << patch;
    EXPECT_TRUE(b.m.task(task).onRq) << "it still waits on its own queue";
  }
}

}  // namespace
}  // namespace rqscope
