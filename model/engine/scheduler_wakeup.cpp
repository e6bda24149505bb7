// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/scheduler.h"
#include "engine/scheduler_detail.h"
#include "runqueue/load_tracking.h"

namespace rqscope {
namespace detail {

void setTaskCpu(Context& ctx, TaskId task, CpuId cpu, MigrationReason reason) {
  Task& t = ctx.m.task(task);
  if (t.cpu != cpu) {
    ctx.observer.onSetTaskCpu(ctx.m, task, t.cpu, cpu, reason);
    migrateTaskRqFair(ctx, task, cpu);
  }
  setTaskRq(ctx.m, task, cpu);
  t.cpu = cpu;
  t.wakeCpu = cpu;
}

void activateTask(Context& ctx, CpuId cpu, TaskId task, std::uint32_t flags) {
  Task& t = ctx.m.task(task);
  if (t.migrating) flags |= kEnqueueMigrated;
  if ((flags & kEnqueueNoclock) == 0) updateRqClock(ctx, cpu);
  enqueueTaskFair(ctx, cpu, task, flags);
  t.onRq = true;
  t.migrating = false;
}

void deactivateTask(Context& ctx, CpuId cpu, TaskId task, std::uint32_t flags) {
  Task& t = ctx.m.task(task);
  if ((flags & kDequeueNoclock) == 0) updateRqClock(ctx, cpu);
  t.migrating = true;
  dequeueTaskFair(ctx, cpu, task, flags);
  t.onRq = false;
}

void moveQueuedTask(Context& ctx, TaskId task, CpuId destination, MigrationReason reason) {
  deactivateTask(ctx, ctx.m.task(task).cpu, task, kDequeueNoclock);
  setTaskCpu(ctx, task, destination, reason);
  activateTask(ctx, destination, task, 0);
  wakeupPreempt(ctx, destination, task, 0);
}

}  // namespace detail

namespace {

using namespace detail;

/// A task found still queued (delayed, or never gone): it wakes where it is. Kernel: ttwu_runnable().
bool wakeStillQueued(Context& ctx, TaskId task, std::uint32_t wakeFlags) {
  Task& t = ctx.m.task(task);
  if (!t.onRq) return false;
  updateRqClock(ctx, t.cpu);
  if (ctx.m.se(task).schedDelayed) enqueueTaskFair(ctx, t.cpu, task, kEnqueueNoclock | kEnqueueDelayed);
  if (!t.onCpu) wakeupPreempt(ctx, t.cpu, task, wakeFlags);
  return true;
}

}  // namespace

bool tryToWakeUp(Context& ctx, TaskId task, CpuId wakerCpu, std::uint32_t wakeFlags) {
  Machine& m = ctx.m;
  Task& t = m.task(task);
  if (t.state != TaskState::Sleeping) return false;
  if (wakeStillQueued(ctx, task, wakeFlags)) {
    t.state = TaskState::Running;
    ctx.observer.onWakeup(m, task, t.cpu);
    return true;
  }
  std::uint32_t flags = wakeFlags | kWfTtwu;
  const bool isLeftToItsCpu = (flags & kWfOnCpu) != 0;
  const CpuId cpu = isLeftToItsCpu ? t.cpu : selectTaskRq(ctx, task, t.wakeCpu, wakerCpu, flags);
  if (t.cpu != cpu) {
    flags |= kWfMigrated;
    setTaskCpu(ctx, task, cpu, MigrationReason::Wakeup);
  }
  // Simplified: remote wakeups through the wakelist (TTWU_QUEUE) are delivered at once, without the IPI's
  // delay.
  updateRqClock(ctx, cpu);
  std::uint32_t enqueueFlags = kEnqueueWakeup | kEnqueueNoclock;
  if ((flags & kWfMigrated) != 0) enqueueFlags |= kEnqueueMigrated;
  activateTask(ctx, cpu, task, enqueueFlags);
  wakeupPreempt(ctx, cpu, task, flags);
  t.state = TaskState::Running;
  if (m.profile->version != KernelVersion::V7_3) updateAvgIdle(m, cpu);
  ctx.observer.onWakeup(m, task, cpu);
  return true;
}

TaskId schedFork(Context& ctx, TaskId parent, const NewTask& spec) {
  Machine& m = ctx.m;
  const TaskId child = addTask(m, spec);
  Task& c = m.task(child);
  const Task& p = m.task(parent);
  c.parent = parent;
  c.uclampMin = p.uclampMin;
  c.uclampMax = p.uclampMax;
  c.uclampReqMin = p.uclampReqMin;
  c.uclampReqMax = p.uclampReqMax;
  c.maxAllowedCapacity = p.maxAllowedCapacity;
  c.lastWakee = p.lastWakee;  // copied with the rest of task_struct
  c.wakeeFlips = p.wakeeFlips;
  c.wakeeFlipDecayJiffies = p.wakeeFlipDecayJiffies;
  SchedEntity& childEntity = m.entity(c.se);
  const SchedEntity& parentEntity = m.entity(p.se);
  if (spec.sliceNs == 0 && parentEntity.customSlice) {
    childEntity.customSlice = true;
    childEntity.slice = parentEntity.slice;
  }
  c.cpu = c.wakeCpu = p.cpu;
  c.recentUsedCpu = p.cpu;
  setTaskRq(m, child, p.cpu);
  setTaskMaxAllowedCapacity(m, child);
  taskForkFair(ctx, child);
  ctx.observer.onNewTask(m, child);
  return child;
}

void wakeUpNewTask(Context& ctx, TaskId task) {
  Machine& m = ctx.m;
  Task& t = m.task(task);
  t.state = TaskState::Running;
  t.recentUsedCpu = t.cpu;
  // task_fork_fair() of v6.6 to v6.11 charged the parent and placed the child on its CPU; the place itself is
  // made anew at the first enqueue.
  if (!m.behaviours().forkPlacesAtEnqueue && m.profile->queue != QueueKind::Cfs) {
    updateRqClock(ctx, t.cpu);
    if (const TaskId parent = m.rq(t.cpu).curr; parent.isValid()) updateCurr(ctx, m.se(parent).cfsRq);
  }
  const CpuId cpu = selectTaskRq(ctx, task, t.cpu, t.cpu, kWfFork);
  // __set_task_cpu(), not set_task_cpu(): nothing is left behind on the parent's CPU.
  if (t.cpu != cpu) ctx.observer.onSetTaskCpu(m, task, t.cpu, cpu, MigrationReason::Fork);
  setTaskRq(m, task, cpu);
  t.cpu = cpu;
  t.wakeCpu = cpu;
  updateRqClock(ctx, cpu);
  postInitEntityUtilAvg(ctx, task);
  const bool initial = m.profile->queue != QueueKind::Cfs;
  activateTask(ctx, cpu, task,
               kEnqueueNoclock | (initial ? static_cast<std::uint32_t>(kEnqueueInitial) : 0U));
  wakeupPreempt(ctx, cpu, task, kWfFork);
  ctx.observer.onWakeup(m, task, cpu);
}

void schedExec(Context& ctx, CpuId cpu) {
  Machine& m = ctx.m;
  const TaskId task = m.rq(cpu).curr;
  RQS_CHECK(task.isValid(), "exec on an idle CPU");
  const CpuId destination = selectTaskRq(ctx, task, cpu, cpu, kWfExec);
  if (destination == cpu || !m.rq(destination).isOnline) return;
  requestStopper(ctx, {StopperWork::Kind::MigrateTask, cpu, task, destination});
}

}  // namespace rqscope
