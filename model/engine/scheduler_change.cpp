// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "engine/scheduler.h"
#include "engine/scheduler_detail.h"
#include "runqueue/load_tracking.h"

namespace rqscope {
namespace {

using namespace detail;

constexpr std::uint64_t kMinSliceNs = 100'000;      // sched_setattr() clamps a custom slice to
constexpr std::uint64_t kMaxSliceNs = 100'000'000;  // [0.1 ms, 100 ms]

/// Takes a task off its queue while one of its properties changes and puts it back. Kernel: the
/// dequeue/put_prev ... enqueue/set_next bracket of core.c (v7.3 sched_change).
template <class Change>
void whileDequeued(Context& ctx, TaskId task, std::uint32_t extraFlags, Change&& change) {
  Machine& m = ctx.m;
  Task& t = m.task(task);
  const CpuId cpu = t.cpu;
  updateRqClock(ctx, cpu);
  const bool isQueued = t.onRq && !t.migrating;
  const bool isRunning = m.rq(cpu).curr == task;
  const std::uint32_t flags = kDequeueSave | kDequeueNoclock | extraFlags;
  if (isQueued) dequeueTaskFair(ctx, cpu, task, flags);
  if (isRunning) putPrevTaskFair(ctx, cpu, task);
  change();
  if (isQueued) enqueueTaskFair(ctx, cpu, task, flags);  // ENQUEUE_RESTORE/MOVE/NOCLOCK have the same bits
  if (isRunning) setNextTaskFair(ctx, cpu, task, false);
}

/// Kernel: prio_changed_fair(). A larger nice is a lower priority.
void prioChanged(Context& ctx, TaskId task, int oldNice) {
  Machine& m = ctx.m;
  const Task& t = m.task(task);
  if (!t.onRq || isOnlyCompetitor(m, t.cpu)) return;
  if (m.rq(t.cpu).curr == task) {
    if (t.nice > oldNice) reschedCurr(m, t.cpu);
  } else {
    wakeupPreempt(ctx, t.cpu, task, 0);
  }
}

/// Kernel: cpumask_any_and_distribute(): the next allowed CPU after the one chosen last time on the calling
/// CPU.
CpuId distributeCpu(Machine& m, const CpuMask& mask, CpuId caller) {
  Rq& rq = m.rq(caller);
  const CpuId cpu = mask.firstFromWrapping(CpuId{rq.distributePrev + 1});
  rq.distributePrev = cpu.value;
  return cpu;
}

CpuMask activeOf(const Machine& m, const CpuMask& mask) {
  CpuMask active;
  mask.forEach([&](CpuId c) {
    if (c.index() < m.rqs.size() && m.rq(c).isOnline) active.set(c);
  });
  return active;
}

}  // namespace

namespace detail {

void setTaskMaxAllowedCapacity(Machine& m, TaskId task) {
  if (!m.topology->asymCapacityActive) return;
  Task& t = m.task(task);
  for (const auto& [capacity, span] : m.topology->asymCapacities) {
    if (!t.cpusAllowed.intersects(span)) continue;
    t.maxAllowedCapacity = capacity;
    return;
  }
}

}  // namespace detail

void setCpusAllowed(Context& ctx, TaskId task, const CpuMask& mask, CpuId caller) {
  Machine& m = ctx.m;
  Task& t = m.task(task);
  const CpuMask valid = activeOf(m, mask);
  RQS_CHECK(!valid.isEmpty(), "an affinity mask needs an online CPU");
  if (t.cpusAllowed == mask) return;
  const CpuId destination = distributeCpu(m, valid, caller);
  whileDequeued(ctx, task, 0, [&] {
    t.cpusAllowed = mask;
    t.nrCpusAllowed = mask.weight();
    setTaskMaxAllowedCapacity(m, task);
  });
  if (mask.test(t.cpu)) return;
  if (t.onCpu)
    requestStopper(ctx, {StopperWork::Kind::MigrateTask, t.cpu, task, destination});
  else if (t.onRq)
    moveQueuedTask(ctx, task, destination, MigrationReason::Affinity);
}

void setUserNice(Context& ctx, TaskId task, int nice) {
  Machine& m = ctx.m;
  Task& t = m.task(task);
  const int oldNice = t.nice;
  if (oldNice == nice) return;
  whileDequeued(ctx, task, 0, [&] {
    t.nice = static_cast<std::int8_t>(nice);
    reweightTask(ctx, task, loadWeightOf(nice, t.policy));
  });
  prioChanged(ctx, task, oldNice);
}

void setPolicy(Context& ctx, TaskId task, SchedPolicy policy) {
  Task& t = ctx.m.task(task);
  if (t.policy == policy) return;
  whileDequeued(ctx, task, kDequeueMove, [&] {
    t.policy = policy;
    reweightTask(ctx, task, loadWeightOf(t.nice, policy));
  });
}

void setSlice(Context& ctx, TaskId task, std::uint64_t sliceNs) {
  Machine& m = ctx.m;
  whileDequeued(ctx, task, kDequeueMove, [&] {
    SchedEntity& se = m.se(task);
    se.customSlice = sliceNs != 0;
    se.slice = sliceNs != 0 ? std::clamp(sliceNs, kMinSliceNs, kMaxSliceNs) : m.baseSliceNs;
    const Task& t = m.task(task);
    reweightTask(ctx, task, loadWeightOf(t.nice, t.policy));
  });
}

void schedMoveTask(Context& ctx, TaskId task, GroupId group) {
  Machine& m = ctx.m;
  const CpuId cpu = m.task(task).cpu;
  const bool skips = m.behaviours().moveTaskEarlyBail && m.task(task).group == group;
  m.rq(cpu).lastMove = {task, m.task(task).group, group, m.nowNs, skips, {}, {}, {}};
  if (skips) return;
  const bool isRunning = m.rq(cpu).curr == task;
  whileDequeued(ctx, task, kDequeueMove, [&] { taskChangeGroupFair(ctx, task, group); });
  if (isRunning) reschedCurr(m, cpu);
}

void setFrequency(Context& ctx, CpuId cpu, std::uint32_t freqCapacity) {
  updateRqClock(ctx, cpu);
  ctx.m.rq(cpu).freqCapacity = freqCapacity;
}

void evacuateCpu(Context& ctx, CpuId cpu) {
  Machine& m = ctx.m;
  Rq& rq = m.rq(cpu);
  setCpuActive(m, cpu, false);
  updateRqClock(ctx, cpu);
  if (const TaskId prev = rq.curr; prev.isValid()) {
    // The stopper takes the CPU, and leaves it to nobody; the running task goes back on its queue.
    putPrevTaskFair(ctx, cpu, prev);
    m.task(prev).onCpu = false;
    rq.curr = TaskId{};
    ctx.observer.onSwitch(m, {cpu, prev, TaskId{}, Observer::Thread::Task, Observer::Thread::Stopper});
  }
  while (rq.listHead.isValid()) {
    const TaskId task = rq.listHead;
    CpuMask allowed = activeOf(m, m.task(task).cpusAllowed);
    if (allowed.isEmpty()) {  // select_fallback_rq() widens the mask
      m.task(task).cpusAllowed = m.topology->online;
      m.task(task).nrCpusAllowed = m.topology->online.weight();
      allowed = activeOf(m, m.topology->online);
    }
    if (m.se(task).schedDelayed) {
      dequeueTaskFair(ctx, cpu, task, kDequeueSleep | kDequeueDelayed | kDequeueNoclock);
      continue;
    }
    moveQueuedTask(ctx, task, distributeCpu(m, allowed, cpu), MigrationReason::Hotplug);
  }
}

}  // namespace rqscope
