// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "base/random.h"
#include "runqueue/load_tracking.h"
#include "runqueue/queue.h"
#include "support/flat_machine.h"

namespace rqscope {

/// Tasks of a small group tree on a few CPUs, driven by random operations in the order in which the core
/// scheduler calls the fair class.
class RandomQueues {
 public:
  RandomQueues(const std::string& kernel, int cpuCount, int taskCount, std::uint64_t seed)
      : m(flatMachine(kernel, cpuCount)), cpus(cpuCount), random(seed) {
    const GroupId outer = addGroup(m, "outer", GroupId{0});
    groups = {GroupId{0}, outer, addGroup(m, "inner", outer), addGroup(m, "other", GroupId{0})};
    for (int i = 0; i < taskCount; ++i) {
      NewTask spec;
      spec.group = groups[static_cast<std::size_t>(i) % groups.size()];
      spec.cpu = CpuId{i % cpus};
      tasks.push_back(addTask(m, spec));
      m.task(tasks.back()).state = TaskState::New;
    }
  }

  void wake(TaskId id, CpuId cpu) {
    Task& task = m.task(id);
    if (task.state == TaskState::Running) return;
    const bool isNew = task.state == TaskState::New;
    if (isNew) taskForkFair(ctx, id);
    task.state = TaskState::Running;
    if (task.onRq) {
      updateRqClock(ctx, task.cpu);
      if (m.se(id).schedDelayed) requeueDelayedTask(ctx, task.cpu, id);
      if (m.rq(task.cpu).curr != id) wakeupPreempt(ctx, task.cpu, id, kWfTtwu);
      return;
    }
    std::uint32_t flags = kEnqueueNoclock | (isNew ? 0U : kEnqueueWakeup);
    if (isNew && m.profile->queue != QueueKind::Cfs) flags |= kEnqueueInitial;
    if (!isNew && task.cpu != cpu) {
      migrateTaskRqFair(ctx, id, cpu);
      flags |= kEnqueueMigrated;
    }
    place(id, cpu);
    updateRqClock(ctx, cpu);
    if (isNew) postInitEntityUtilAvg(ctx, id);
    enqueueTaskFair(ctx, cpu, id, flags);
    task.onRq = true;
    wakeupPreempt(ctx, cpu, id, isNew ? kWfFork : kWfTtwu);
  }

  void schedule(CpuId cpu) {
    Rq& rq = m.rq(cpu);
    updateRqClock(ctx, cpu);
    const TaskId prev = rq.curr;
    if (prev.isValid() && m.task(prev).state == TaskState::Sleeping &&
        dequeueTaskFair(ctx, cpu, prev, kDequeueSleep | kDequeueNoclock))
      m.task(prev).onRq = false;
    const TaskId next = pickTaskFair(ctx, cpu);
    if (next.isValid() || prev.isValid()) switchFair(ctx, cpu, prev, next);
    if (!next.isValid()) updateIdleRqClockPelt(m, cpu);
    rq.needResched = rq.needReschedLazy = false;
    rq.curr = next;
  }

  void sleep(CpuId cpu) {
    if (!m.rq(cpu).curr.isValid()) return;
    m.task(m.rq(cpu).curr).state = TaskState::Sleeping;
    schedule(cpu);
  }

  /// Time passes and each CPU ticks, rescheduling when it must.
  void tick(std::uint64_t ns) {
    m.nowNs += ns;
    ++m.jiffies;
    for (int c = 0; c < cpus; ++c) {
      Rq& rq = m.rq(CpuId{c});
      updateRqClock(ctx, CpuId{c});
      if (rq.needReschedLazy) rq.needResched = true;
      if (rq.curr.isValid()) taskTickFair(ctx, CpuId{c}, rq.curr);
      if (rq.needResched) schedule(CpuId{c});
    }
  }

  /// Load balance moves a waiting task.
  void migrate(TaskId id, CpuId to) {
    Task& task = m.task(id);
    if (!task.onRq || task.cpu == to || m.rq(task.cpu).curr == id) return;
    updateRqClock(ctx, task.cpu);
    task.migrating = true;
    dequeueTaskFair(ctx, task.cpu, id, kDequeueNoclock);
    migrateTaskRqFair(ctx, id, to);
    place(id, to);
    updateRqClock(ctx, to);
    enqueueTaskFair(ctx, to, id, kEnqueueNoclock);
    task.migrating = false;
    wakeupPreempt(ctx, to, id, 0);
  }

  template <class Change>
  void change(TaskId id, std::uint32_t extraFlags, Change&& how) {
    Task& task = m.task(id);
    if (task.state == TaskState::New) return;
    const bool queued = task.onRq;
    const bool running = m.rq(task.cpu).curr == id;
    const std::uint32_t flags = kDequeueSave | kDequeueNoclock | extraFlags;
    updateRqClock(ctx, task.cpu);
    if (queued) dequeueTaskFair(ctx, task.cpu, id, flags);
    if (running) putPrevTaskFair(ctx, task.cpu, id);
    how(task);
    if (queued) enqueueTaskFair(ctx, task.cpu, id, flags);
    if (running) setNextTaskFair(ctx, task.cpu, id, false);
  }

  void step() {
    const TaskId task = tasks[random.below(tasks.size())];
    const CpuId cpu{static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(cpus)))};
    switch (random.below(16)) {
      case 0:
      case 1:
      case 2:
      case 3:
        return tick(1 + random.below(4'000'000));
      case 4:
      case 5:
      case 6:
      case 7:
        return wake(task, cpu);
      case 8:
      case 9:
      case 10:
        return sleep(cpu);
      case 11:
        return migrate(task, cpu);
      case 12:
        return changeSomething(task);
      case 13:
        if (!m.rq(cpu).curr.isValid()) return;
        updateRqClock(ctx, cpu);
        yieldTaskFair(ctx, cpu);
        return schedule(cpu);
      case 14:
        return schedule(cpu);
      default:
        if (random.below(50) == 0)
          setGroupShares(ctx, groups[1 + random.below(3)], scaleLoad(2 + random.below(5000)));
    }
  }

  Machine m;
  int cpus;
  Random random;
  Observer nobody;
  Context ctx{m, nobody};
  std::vector<GroupId> groups;
  std::vector<TaskId> tasks;

 private:
  void place(TaskId id, CpuId cpu) {
    setTaskRq(m, id, cpu);
    m.task(id).cpu = cpu;
  }

  void changeSomething(TaskId id) {
    const auto reweight = [&](Task& task) { reweightTask(ctx, id, loadWeightOf(task.nice, task.policy)); };
    switch (random.below(4)) {
      case 0:
        return change(id, 0, [&](Task& task) {
          task.nice = static_cast<std::int8_t>(static_cast<int>(random.below(40)) - 20);
          reweight(task);
        });
      case 1:
        return change(id, kDequeueMove, [&](Task& task) {
          task.policy = static_cast<SchedPolicy>(random.below(3));
          reweight(task);
        });
      case 2:
        return change(id, kDequeueMove, [&](Task&) {
          SchedEntity& se = m.se(id);
          se.customSlice = random.below(2) == 0;
          se.slice = se.customSlice ? 100'000 + random.below(20'000'000) : m.baseSliceNs;
        });
      default:
        if (m.se(id).schedDelayed) return;  // the core dequeues such a task for good first
        return change(id, kDequeueMove,
                      [&](Task&) { taskChangeGroupFair(ctx, id, groups[random.below(groups.size())]); });
    }
  }
};

}  // namespace rqscope
