// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <utility>

#include "engine/scheduler.h"
#include "engine/scheduler_detail.h"
#include "placement/idle_sibling.h"
#include "runqueue/load_tracking.h"
#include "runqueue/shared_queue.h"

namespace rqscope {
namespace {

using namespace detail;

Observer::Thread kindOf(TaskId task) {
  return task.isValid() ? Observer::Thread::Task : Observer::Thread::Idle;
}

/// The current task gives up the CPU to sleep or die. Kernel: try_to_block_task(), block_task().
void blockPrev(Context& ctx, CpuId cpu, TaskId prev) {
  Task& t = ctx.m.task(prev);
  if (t.state == TaskState::Running || !t.onRq) return;
  std::uint32_t flags = kDequeueSleep | kDequeueNoclock;
  if (t.state == TaskState::Dead) flags |= kDequeueSpecial;
  if (dequeueTaskFair(ctx, cpu, prev, flags)) t.onRq = false;
}

/// Kernel: pick_next_task_fair(), with newidle balance when nothing is left. `mayPull`: a shared wakequeue of
/// v1 is looked at once, before that balance; the pick that follows RETRY_TASK and the one after a stopper
/// balance in put_prev_task_balance(), where v1 did not look.
TaskId pickNext(Context& ctx, CpuId cpu, bool mayPull) {
  for (;;) {
    const TaskId next = pickTaskFair(ctx, cpu);
    if (next.isValid()) {
      leaveWithTask(ctx, next);
      return next;
    }
    if (std::exchange(mayPull, false) && pullShared(ctx, cpu) == SharedPull::Moved) continue;
    if (schedBalanceNewidle(ctx, cpu) <= 0) return TaskId{};
  }
}

void enterIdle(Context& ctx, CpuId cpu) {
  updateIdleRqClockPelt(ctx.m, cpu);
  updateIdleCore(ctx.m, cpu);
}

/// Runs the migration thread's next job on `cpu`, if there is one. Kernel: migration_cpu_stop(), active
/// balance.
void runStopperJob(Context& ctx, const StopperWork& work) {
  Machine& m = ctx.m;
  if (work.kind == StopperWork::Kind::ActiveBalance) {
    activeLoadBalanceCpuStop(ctx, work.cpu);
    return;
  }
  const Task& t = m.task(work.task);
  if (t.cpu != work.cpu || !t.onRq || t.state == TaskState::Dead) return;
  // An affinity change is done when the task's CPU is allowed by now.
  if (t.cpusAllowed.test(t.cpu) && !t.cpusAllowed.test(work.destination)) return;
  updateRqClock(ctx, work.cpu);
  if (t.cpusAllowed.test(work.destination) && m.rq(work.destination).isOnline)
    moveQueuedTask(ctx, work.task, work.destination, MigrationReason::Affinity);
}

bool takeStopperWork(Machine& m, CpuId cpu, StopperWork& out) {
  const auto it = std::find_if(m.stopperWork.begin(), m.stopperWork.end(),
                               [&](const StopperWork& w) { return w.cpu == cpu; });
  if (it == m.stopperWork.end()) return false;
  out = *it;
  m.stopperWork.erase(it);
  return true;
}

/// prev is put back, the stopper is current. Counted in nr_running since it was woken.
void switchToStopper(Context& ctx, CpuId cpu) {
  Machine& m = ctx.m;
  Rq& rq = m.rq(cpu);
  const TaskId prev = rq.curr;
  updateRqClock(ctx, cpu);
  if (prev.isValid()) {
    blockPrev(ctx, cpu, prev);
    putPrevTaskFair(ctx, cpu, prev);
    m.task(prev).onCpu = false;
  }
  rq.needResched = rq.needReschedLazy = false;
  rq.curr = TaskId{};
  rq.stopperRunning = true;
  ctx.observer.onSwitch(m, {cpu, prev, TaskId{}, kindOf(prev), Observer::Thread::Stopper});
}

/// The stopper sleeps again and the fair class picks. Kernel: __schedule() from the stopper.
void switchFromStopper(Context& ctx, CpuId cpu) {
  Machine& m = ctx.m;
  Rq& rq = m.rq(cpu);
  updateRqClock(ctx, cpu);
  subNrRunning(m, cpu, 1);
  const TaskId next = pickNext(ctx, cpu, false);  // the stopper is still current: newidle sees no idle CPU
  rq.stopperRunning = false;
  if (next.isValid()) {
    switchFair(ctx, cpu, TaskId{}, next);
    m.task(next).onCpu = true;
  } else {
    enterIdle(ctx, cpu);
  }
  rq.needResched = rq.needReschedLazy = false;
  rq.curr = next;
  ctx.observer.onSwitch(m, {cpu, TaskId{}, next, Observer::Thread::Stopper, kindOf(next)});
}

void runStopper(Context& ctx, CpuId cpu) {
  switchToStopper(ctx, cpu);
  StopperWork work;
  while (takeStopperWork(ctx.m, cpu, work)) runStopperJob(ctx, work);
  switchFromStopper(ctx, cpu);
}

void finishDeadTask(Context& ctx, TaskId task) {
  taskDeadFair(ctx, task);
  ctx.m.task(task).onRq = false;
  ctx.observer.onTaskDead(ctx.m, task);
}

}  // namespace

void blockCurrent(Context& ctx, CpuId cpu) {
  const TaskId task = ctx.m.rq(cpu).curr;
  RQS_CHECK(task.isValid(), "blocking on an idle CPU");
  ctx.m.task(task).state = TaskState::Sleeping;
  ctx.m.rq(cpu).needResched = true;
}

void exitMoveTask(Context& ctx, CpuId cpu) {
  Machine& m = ctx.m;
  const TaskId task = m.rq(cpu).curr;
  RQS_CHECK(task.isValid(), "exit on an idle CPU");
  m.task(task).exiting = true;
  if (!m.tunables().autogroupBuilt) return;
  const GroupId now = m.task(task).group;
  schedMoveTask(ctx, task, m.group(now).isAutogroup ? m.group(now).parent : now);
}

void exitTask(Context& ctx, CpuId cpu) {
  const TaskId task = ctx.m.rq(cpu).curr;
  RQS_CHECK(task.isValid(), "exit on an idle CPU");
  ctx.m.task(task).state = TaskState::Dead;
  ctx.m.rq(cpu).needResched = true;
}

void schedYield(Context& ctx, CpuId cpu) {
  updateRqClock(ctx, cpu);
  yieldTaskFair(ctx, cpu);
  schedule(ctx, cpu);
}

void schedule(Context& ctx, CpuId cpu) {
  Machine& m = ctx.m;
  Rq& rq = m.rq(cpu);
  const TaskId prev = rq.curr;
  updateRqClock(ctx, cpu);
  if (prev.isValid()) blockPrev(ctx, cpu, prev);
  const TaskId next = pickNext(ctx, cpu, pullsBeforeNewidle(m));
  if (next.isValid())
    switchFair(ctx, cpu, prev, next);
  else if (prev.isValid())
    putPrevTaskFair(ctx, cpu, prev);
  if (!next.isValid()) enterIdle(ctx, cpu);
  rq.needResched = rq.needReschedLazy = false;
  if (prev == next) return;
  if (prev.isValid()) m.task(prev).onCpu = false;
  if (next.isValid()) m.task(next).onCpu = true;
  if (!prev.isValid() && m.profile->version == KernelVersion::V7_3) updateAvgIdle(m, cpu);
  rq.curr = next;
  ctx.observer.onSwitch(m, {cpu, prev, next, kindOf(prev), kindOf(next)});
  if (prev.isValid() && m.task(prev).state == TaskState::Dead) finishDeadTask(ctx, prev);
}

void schedTick(Context& ctx, CpuId cpu) {
  Machine& m = ctx.m;
  Rq& rq = m.rq(cpu);
  ctx.observer.onTick(m, cpu);
  updateRqClock(ctx, cpu);
  if (rq.needReschedLazy) rq.needResched = true;
  if (rq.curr.isValid()) taskTickFair(ctx, cpu, rq.curr);
  rq.idleBalance = isIdleCpu(m, cpu);
  schedBalanceTrigger(ctx, cpu);
}

bool serveCpu(Context& ctx, CpuId cpu, UserReturn userReturn) {
  Machine& m = ctx.m;
  Rq& rq = m.rq(cpu);
  bool didWork = false;
  for (;;) {
    if (rq.softirqPending) {
      schedBalanceSoftirq(ctx, cpu);
    } else if (userReturn == UserReturn::InKernel) {
      return didWork;
    } else if (!m.stopperWork.empty() && std::any_of(m.stopperWork.begin(), m.stopperWork.end(),
                                                     [&](const StopperWork& w) { return w.cpu == cpu; })) {
      runStopper(ctx, cpu);
    } else if (rq.needResched || (rq.needReschedLazy && userReturn == UserReturn::Yes)) {
      schedule(ctx, cpu);
    } else {
      return didWork;
    }
    didWork = true;
  }
}

}  // namespace rqscope
