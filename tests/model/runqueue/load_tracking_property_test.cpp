// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <string>

#include <gtest/gtest.h>

#include "base/random.h"
#include "runqueue/load_tracking.h"
#include "support/flat_machine.h"

namespace rqscope {
namespace {

constexpr int kCpus = 3;
constexpr int kTasks = 12;

/// Tasks of a small group tree that run, wait, sleep and move, with load tracking and nothing else of the
/// scheduler: counters and weights are kept the plain way.
class Harness {
 public:
  explicit Harness(const std::string& kernel) : m(flatMachine(kernel, kCpus)) {
    const GroupId outer = addGroup(m, "outer", GroupId{0});
    const GroupId inner = addGroup(m, "inner", outer);
    const GroupId groups[] = {GroupId{0}, outer, inner};
    for (int i = 0; i < kTasks; ++i)
      tasks.push_back(addTask(m, {.group = groups[i % 3], .cpu = CpuId{i % kCpus}, .nice = i % 5}));
  }

  void pass(std::uint64_t ns) { m.nowNs += ns; }

  void enqueue(TaskId task) {
    if (m.se(task).onRq) return;
    updateRqClock(ctx, m.task(task).cpu);
    for (EntityId e = m.task(task).se; e.isValid(); e = m.entity(e).parent) {
      SchedEntity& se = m.entity(e);
      updateLoadAvg(ctx, se.cfsRq, e, kUpdateTg | kDoAttach);
      seUpdateRunnable(m, e);
      CfsRq& queue = m.queue(se.cfsRq);
      if (!se.onRq) {
        queue.load.weight += se.load.weight;
        ++queue.nrQueued;
        if (queue.nrQueued == 1) addLeafQueue(m, se.cfsRq);
      }
      se.onRq = true;
      ++queue.hNrQueued;
      ++queue.hNrRunnable;
    }
    m.rq(m.task(task).cpu).hasBlockedLoad = true;
  }

  void dequeue(TaskId task, std::uint32_t flags) {
    if (!m.se(task).onRq) return;
    updateRqClock(ctx, m.task(task).cpu);
    for (EntityId e = m.task(task).se; e.isValid(); e = m.entity(e).parent) {
      SchedEntity& se = m.entity(e);
      updateLoadAvg(ctx, se.cfsRq, e, kUpdateTg | (se.isTask() ? flags : 0U));
      CfsRq& queue = m.queue(se.cfsRq);
      --queue.hNrQueued;
      --queue.hNrRunnable;
      const bool isEmpty = se.isTask() || m.queue(se.myQ).nrQueued == 0;
      if (isEmpty) {
        se.onRq = false;
        queue.load.weight -= se.load.weight;
        --queue.nrQueued;
      }
      seUpdateRunnable(m, e);
    }
  }

  void run(CpuId cpu, TaskId task) {
    updateRqClock(ctx, cpu);
    stop(cpu);
    if (!task.isValid() || m.task(task).cpu != cpu || !m.se(task).onRq) return;
    m.rq(cpu).curr = task;
    ++runs;
    for (EntityId e = m.task(task).se; e.isValid(); e = m.entity(e).parent) {
      updateLoadAvg(ctx, m.entity(e).cfsRq, e, kUpdateTg);
      CfsRq& queue = m.queue(m.entity(e).cfsRq);
      queue.curr = queue.hCurr = e;
    }
  }

  void stop(CpuId cpu) {
    const TaskId task = m.rq(cpu).curr;
    if (!task.isValid()) return;
    for (EntityId e = m.task(task).se; e.isValid(); e = m.entity(e).parent) {
      updateLoadAvg(ctx, m.entity(e).cfsRq, e, 0);
      CfsRq& queue = m.queue(m.entity(e).cfsRq);
      queue.curr = queue.hCurr = EntityId{};
    }
    m.rq(cpu).curr = {};
    updateIdleRqClockPelt(m, cpu);
  }

  /// To another CPU: a queued task as the balancer moves it, a sleeper as a wakeup does.
  void move(TaskId task, CpuId to) {
    Task& t = m.task(task);
    if (t.cpu == to || m.rq(t.cpu).curr == task) return;
    ++moves;
    SchedEntity& se = m.se(task);
    const bool queued = se.onRq;
    if (queued) {
      dequeue(task, kDoDetach);
    } else if (se.avg.lastUpdateTime != 0) {
      removeEntityLoadAvg(ctx, t.se);
      migrateSePeltLag(ctx, t.se);
    }
    se.avg.lastUpdateTime = 0;
    t.cpu = to;
    se.cfsRq = queueOf(m, t.group, to);
    se.parent = groupEntity(m, t.group, to);
    if (queued) enqueue(task);
  }

  void randomOperation(Random& random) {
    const TaskId task = tasks[random.below(tasks.size())];
    const CpuId cpu{static_cast<std::int32_t>(random.below(kCpus))};
    pass(random.below(4) == 0 ? 0 : random.below(5'000'000));
    switch (random.below(6)) {
      case 0:
        enqueue(task);
        break;
      case 1:
        if (m.rq(m.task(task).cpu).curr == task) stop(m.task(task).cpu);
        dequeue(task, 0);
        break;
      case 2:
      case 3:
        run(cpu, task);
        break;
      case 4:
        move(task, cpu);
        break;
      default:
        updateBlockedAverages(ctx, cpu);
        break;
    }
  }

  Machine m;
  std::vector<TaskId> tasks;
  int moves = 0, runs = 0;  ///< operations that did something
  Observer nobody;
  Context ctx{m, nobody};
};

void expectSoundQueue(const CfsRq& queue) {
  ASSERT_LT(queue.avg.periodContrib, kPeltPeriod);
  // The floor: a sum never stands below what its average implies.
  ASSERT_GE(queue.avg.utilSum, queue.avg.utilAvg * kPeltMinDivider);
  ASSERT_GE(queue.avg.runnableSum, queue.avg.runnableAvg * kPeltMinDivider);
  // attach divides the load sum by the weight and multiplies it again: each task may lose less than its
  // weight.
  ASSERT_GE(queue.avg.loadSum + kTasks * kCapacityScale, queue.avg.loadAvg * kPeltMinDivider);
  if (isDecayed(queue.avg)) {
    ASSERT_EQ(queue.avg.loadAvg + queue.avg.utilAvg + queue.avg.runnableAvg, 0U);
  }
}

/// tg->load_avg is the sum of what its queues have published, to the unit.
void expectGroupSums(const Machine& m) {
  for (std::size_t g = 1; g < m.groups.size(); ++g) {
    std::int64_t load = 0, runnable = 0;
    for (int cpu = 0; cpu < kCpus; ++cpu) {
      const CfsRq& queue = m.queue(queueOf(m, GroupId{g}, CpuId{cpu}));
      load += static_cast<std::int64_t>(queue.tgLoadAvgContrib);
      runnable += static_cast<std::int64_t>(queue.tgRunnableAvgContrib);
    }
    ASSERT_EQ(m.groups[g].loadAvg, load);
    ASSERT_EQ(m.groups[g].runnableAvg, runnable);
  }
}

class LoadTracking : public testing::TestWithParam<const char*> {};

TEST_P(LoadTracking, KeepsItsSumsForAMillionRandomOperations) {
  Harness harness(GetParam());
  Random random(3);
  constexpr int kOperations = 1'000'000;
  for (int i = 0; i < kOperations; ++i) {
    harness.randomOperation(random);
    if (i % 16 != 0) continue;
    for (const CfsRq& queue : harness.m.cfs) expectSoundQueue(queue);
    expectGroupSums(harness.m);
    ASSERT_FALSE(HasFatalFailure()) << "operation " << i;
  }
  EXPECT_GT(harness.moves, kOperations / 20);
  EXPECT_GT(harness.runs, kOperations / 20);
}

// When all sleep for seconds, blocked updates take every average to zero, the leaf lists empty and nothing is
// left to update.
TEST_P(LoadTracking, DecaysToNothingWhenAllSleep) {
  Harness harness(GetParam());
  Random random(5);
  for (int i = 0; i < 2000; ++i) harness.randomOperation(random);
  for (int cpu = 0; cpu < kCpus; ++cpu) harness.run(CpuId{cpu}, {});
  for (const TaskId task : harness.tasks) harness.dequeue(task, 0);
  for (int i = 0; i < 100; ++i) {
    harness.pass(100'000'000);
    for (int cpu = 0; cpu < kCpus; ++cpu) updateBlockedAverages(harness.ctx, CpuId{cpu});
  }
  for (const CfsRq& queue : harness.m.cfs) {
    EXPECT_TRUE(isDecayed(queue.avg));
    EXPECT_FALSE(queue.onLeafList);
  }
  for (const Rq& rq : harness.m.rqs) {
    EXPECT_TRUE(rq.leafList.empty());
    EXPECT_FALSE(rq.hasBlockedLoad);
  }
  for (std::size_t g = 1; g < harness.m.groups.size(); ++g) EXPECT_EQ(harness.m.groups[g].loadAvg, 0);
}

INSTANTIATE_TEST_SUITE_P(Kernels, LoadTracking, testing::Values("v6.1", "v6.12", "v7.3"),
                         [](const testing::TestParamInfo<const char*>& kernel) {
                           std::string name = kernel.param;
                           for (char& c : name)
                             if (c == '.') c = '_';
                           return name;
                         });

// On one CPU the queue's sums are those of its tasks: entities and queue see the same time, and each decay
// rounds each sum down by less than 1, which adds up to at most 1 / (1 - y) = 47 per sum.
TEST(LoadTrackingOfOneQueue, SumsEqualTheirParts) {
  for (const char* kernel : {"v6.1", "v6.12", "v7.3"}) {
    Machine m = flatMachine(kernel, 1);
    Observer nobody;
    Context ctx{m, nobody};
    CfsRq& queue = m.queue(CfsRqId{0});
    std::vector<EntityId> entities;
    for (int i = 0; i < 8; ++i) {
      const EntityId e = m.task(addTask(m, {.nice = i - 4})).se;
      m.entity(e).onRq = true;
      attachEntityLoadAvg(ctx, CfsRqId{0}, e);
      queue.load.weight += m.entity(e).load.weight;
      ++queue.hNrQueued;
      ++queue.hNrRunnable;
      entities.push_back(e);
    }
    Random random(9);
    std::uint64_t now = m.nowNs;
    for (int step = 0; step < 20'000; ++step) {
      now += random.below(6'000'000);
      std::uint64_t load = 0, runnable = 0, util = 0;
      for (const EntityId e : entities) {
        updateLoadAvgSe(m, now, queue, e);
        load += seWeight(m.entity(e)) * m.entity(e).avg.loadSum;
        runnable += m.entity(e).avg.runnableSum;
        util += m.entity(e).avg.utilSum;
      }
      updateCfsRqLoadAvg(ctx, now, CfsRqId{0});
      constexpr double kRounding = 47.0 * 9;
      ASSERT_NEAR(static_cast<double>(util), queue.avg.utilSum, kRounding);
      ASSERT_NEAR(static_cast<double>(runnable), static_cast<double>(queue.avg.runnableSum), kRounding);
      // each entity's rounding counts with its weight; the heaviest is 2501
      ASSERT_NEAR(static_cast<double>(load), static_cast<double>(queue.avg.loadSum), kRounding * 2501);
      queue.curr = queue.hCurr = random.below(4) == 0 ? EntityId{} : entities[random.below(entities.size())];
    }
  }
}

}  // namespace
}  // namespace rqscope
