// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runqueue/flat.h"

#include "runqueue/cache_occupancy.h"

namespace rqscope::flat {
namespace {

CfsRq& rootOf(Machine& m, CpuId cpu) { return m.rootCfs(cpu); }

/// Kernel: clear_buddies() on the one queue that has them.
void clearBuddies(CfsRq& root, EntityId entity) {
  if (root.next == entity) root.next = {};
}

void cancelProtection(SchedEntity& se) {
  if (isProtected(se)) se.vprot = se.vruntime;
}

/// The level's entity on the path to the running task. Kernel: cfs_rq->h_curr.
EntityId& hCurrOf(CfsRq& queue) { return queue.group == GroupId{0} ? queue.hCurr : queue.curr; }

/// Kernel: set_delayed()/clear_delayed(): the counters of all levels.
void markDelayed(Machine& m, EntityId entity, bool delayed) {
  m.entity(entity).schedDelayed = delayed;
  for (EntityId e = entity; e.isValid(); e = m.entity(e).parent) {
    CfsRq& queue = m.queue(m.entity(e).cfsRq);
    queue.hNrRunnable += delayed ? ~0U : 1U;
    queue.hNrDelayed += delayed ? 1U : ~0U;
  }
}

/// What a level learns of a change below it. Kernel: the update-only part of the hierarchy walks.
void refreshLevel(Context& ctx, EntityId e) {
  updateLoadAvg(ctx, ctx.m.entity(e).cfsRq, e, kUpdateTg);
  seUpdateRunnable(ctx.m, e);
  updateCfsGroup(ctx, e);
}

/// Kernel: enqueue_entity() of one level.
void enqueueLevel(Context& ctx, EntityId e, std::uint32_t flags) {
  Machine& m = ctx.m;
  SchedEntity& se = m.entity(e);
  CfsRq& queue = m.queue(se.cfsRq);
  chargeLevel(ctx, se.cfsRq);
  updateLoadAvg(ctx, se.cfsRq, e, kUpdateTg | kDoAttach);
  seUpdateRunnable(m, e);
  if (!m.behaviours().skipUpdateCfsGroup || queue.nrQueued > 0) updateCfsGroup(ctx, e);
  accountEntityEnqueue(m, queue, e);
  if ((flags & kEnqueueMigrated) != 0) se.execStart = 0;
  se.onRq = true;
  if (queue.nrQueued == 1) {
    checkEnqueueThrottle(ctx, se.cfsRq);
    addLeafQueue(m, se.cfsRq);
    restartPeltClock(m, se.cfsRq);
  }
}

/// Kernel: dequeue_entity() of one level.
void dequeueLevel(Context& ctx, EntityId e, std::uint32_t flags) {
  Machine& m = ctx.m;
  SchedEntity& se = m.entity(e);
  CfsRq& queue = m.queue(se.cfsRq);
  chargeLevel(ctx, se.cfsRq);
  std::uint32_t action = kUpdateTg;
  if (se.isTask() && m.task(se.task).migrating) action |= kDoDetach;
  if (se.isTask() && (flags & kDequeueSleep) != 0 && (flags & kDequeueDelayed) == 0) action |= kUpdateUtilEst;
  updateLoadAvg(ctx, se.cfsRq, e, action);
  seUpdateRunnable(m, e);
  se.onRq = false;
  accountEntityDequeue(m, queue, e);
  returnRuntime(m, se.cfsRq);
  if (!m.behaviours().skipUpdateCfsGroup) updateCfsGroup(ctx, e);
  if (queue.nrQueued != 0) return;
  updateIdleCfsRqClockPelt(m, queue);
  if (queue.throttleCount != 0) stopPeltClock(m, se.cfsRq);
}

HierarchyDelta deltaOf(const Machine& m, TaskId task) {
  const bool delayed = m.se(task).schedDelayed;
  return {1, delayed ? 0U : 1U, m.task(task).policy == SchedPolicy::Idle ? 1U : 0U, delayed ? 1U : 0U};
}

/// Puts the task and each group that was empty on their queues. Kernel: enqueue_hierarchy().
void enqueueHierarchy(Context& ctx, TaskId task, std::uint32_t flags) {
  Machine& m = ctx.m;
  HierarchyDelta delta = deltaOf(m, task);
  bool adding = true;
  for (EntityId e = m.task(task).se; e.isValid(); e = m.entity(e).parent) {
    CfsRq& queue = m.queue(m.entity(e).cfsRq);
    adding = adding && !m.entity(e).onRq;
    if (adding) {
      enqueueLevel(ctx, e, flags);
      flags = kEnqueueWakeup;
    } else {
      refreshLevel(ctx, e);
    }
    delta.addTo(queue);
    if (queue.isIdle) delta.idle = 1;
  }
}

/// Kernel: dequeue_hierarchy().
void dequeueHierarchy(Context& ctx, TaskId task, std::uint32_t flags) {
  Machine& m = ctx.m;
  HierarchyDelta delta = deltaOf(m, task);
  bool removing = true;
  for (EntityId e = m.task(task).se; e.isValid(); e = m.entity(e).parent) {
    CfsRq& queue = m.queue(m.entity(e).cfsRq);
    if (removing)
      dequeueLevel(ctx, e, flags);
    else
      refreshLevel(ctx, e);
    delta.takeFrom(queue);
    if (queue.isIdle) delta.idle = 1;
    removing = removing && queue.load.weight == 0;
  }
}

/// Kernel: requeue_delayed_entity().
void requeueDelayed(Context& ctx, CpuId cpu, EntityId entity) {
  Machine& m = ctx.m;
  CfsRq& root = rootOf(m, cpu);
  SchedEntity& se = m.entity(entity);
  if (updateEntityLag(m, root, se)) {
    const bool inTree = entity != root.curr;
    if (inTree) removeEntity(m, root, entity);
    placeEntity(ctx, root, entity, root.hNrQueued - 1, 0);
    if (inTree) insertEntity(m, root, entity);
  }
  // The kernel passes the root queue here, so the averages of the task's group stay as they were.
  updateLoadAvg(ctx, CfsRqId{cpu.value}, entity, 0);
  markDelayed(m, entity, false);
}

}  // namespace

namespace {

/// Whether the running task gives way before its request is done: its protection ran out; before the
/// slice-protection series only when another took the protection away and it has no lag. Kernel (v6.12):
/// did_preempt_short().
bool givesWay(const Machine& m, const CfsRq& root, const SchedEntity& curr) {
  if (isProtected(curr)) return false;
  if (m.behaviours().sliceProtection) return true;
  return m.features().preemptShort && !isVruntimeEligible(m, root, curr.vruntime);
}

/// The running task's part of update_curr().
void chargeTask(Context& ctx, CpuId cpu, SchedEntity& curr, std::uint64_t delta) {
  Machine& m = ctx.m;
  CfsRq& root = rootOf(m, cpu);
  curr.vruntime += calcDeltaFair(delta, curr.hLoad.weight);
  if (m.features().schedCache) chargeCacheProcess(m, cpu, curr.task, delta);
  const bool requestDone = updateDeadline(m, root, curr);
  if (root.hNrQueued == 1) return;
  if (requestDone || givesWay(m, root, curr)) {
    reschedCurrLazy(m, cpu);
    clearBuddies(root, root.curr);
  }
}

}  // namespace

void chargeLevel(Context& ctx, CfsRqId queueId) {
  Machine& m = ctx.m;
  CfsRq& queue = m.queue(queueId);
  const EntityId e = hCurrOf(queue);
  if (!e.isValid()) return;
  SchedEntity& curr = m.entity(e);
  const std::int64_t delta = chargeEntity(m.rq(queue.cpu), curr);
  if (delta <= 0) return;
  if (curr.isTask()) chargeTask(ctx, queue.cpu, curr, static_cast<std::uint64_t>(delta));
  accountRuntime(ctx, queueId, static_cast<std::uint64_t>(delta));
}

void chargeCurr(Context& ctx, CpuId cpu) {
  const EntityId curr = rootOf(ctx.m, cpu).curr;
  if (curr.isValid()) chargeLevel(ctx, ctx.m.entity(curr).cfsRq);
}

void reweightEntity(Machine& m, CfsRqId queueId, EntityId entity, std::uint64_t weight) {
  CfsRq& queue = m.queue(queueId);
  SchedEntity& se = m.entity(entity);
  if (se.load.weight == weight) return;
  if (se.onRq) subLoad(queue.load, se.load.weight);
  dequeueLoadAvg(m, queueId, entity);
  se.load = {weight, 0};
  se.avg.loadAvg = seWeight(se) * se.avg.loadSum / peltDivider(se.avg);
  enqueueLoadAvg(m, queueId, entity);
  if (se.onRq) addLoad(queue.load, se.load.weight);
}

void reweightTask(Context& ctx, TaskId task, LoadWeight weight) {
  Machine& m = ctx.m;
  const EntityId e = m.task(task).se;
  SchedEntity& se = m.entity(e);
  reweightEntity(m, se.cfsRq, e, weight.weight);
  se.load.inverse = weight.inverse;
}

void enqueueTask(Context& ctx, CpuId cpu, TaskId taskId, std::uint32_t flags) {
  Machine& m = ctx.m;
  const EntityId e = m.task(taskId).se;
  SchedEntity& se = m.entity(e);
  CfsRq& root = rootOf(m, cpu);
  if (m.task(taskId).throttled && enqueueThrottledTask(m, cpu, taskId)) return;
  if (!se.schedDelayed || (flags & kEnqueueDelayed) != 0) utilEstEnqueue(m, cpu, taskId);
  if ((flags & kEnqueueDelayed) != 0) {
    chargeCurr(ctx, cpu);
    requeueDelayed(ctx, cpu, e);
    return;
  }
  const bool isCurr = root.curr == e;
  if (isCurr) placeEntity(ctx, root, e, root.hNrQueued, flags);
  chargeCurr(ctx, cpu);
  enqueueHierarchy(ctx, taskId, flags);
  if (!isCurr) {
    // The entity is counted by now but not yet in the tree.
    se.onRq = false;
    reweightVirtual(m, root, e, hierarchicalWeight(m, e));
    placeEntity(ctx, root, e, root.hNrQueued - 1, flags);
    se.onRq = true;
    insertEntity(m, root, e);
  }
  addNrRunning(ctx, cpu, 1);
  updateHrtick(m, cpu);
}

bool dequeueTask(Context& ctx, CpuId cpu, TaskId taskId, std::uint32_t flags) {
  Machine& m = ctx.m;
  const EntityId e = m.task(taskId).se;
  SchedEntity& se = m.entity(e);
  CfsRq& root = rootOf(m, cpu);
  const bool sleeps = (flags & kDequeueSleep) != 0;
  const bool wasDelayed = (flags & kDequeueDelayed) != 0;
  const bool wasSchedIdle = isSchedIdleCpu(m, cpu);
  if (m.task(taskId).throttled) {
    dequeueThrottledTask(ctx, taskId, flags);
    return true;
  }
  if (!se.schedDelayed) utilEstDequeue(m, cpu, taskId);
  chargeCurr(ctx, cpu);
  clearBuddies(root, e);
  updateEntityLag(m, root, se);
  if (!wasDelayed && sleeps && (flags & kDequeueSpecial) == 0 && m.features().delayDequeue &&
      !isVruntimeEligible(m, root, se.vruntime)) {
    updateLoadAvg(ctx, se.cfsRq, e, kUpdateUtilEst);
    markDelayed(m, e, true);
    return false;
  }
  dequeueHierarchy(ctx, taskId, flags);
  if (m.features().placeRelDeadline && !sleeps) {
    se.deadline -= se.vruntime;
    se.relDeadline = true;
  }
  if (e != root.curr) removeEntity(m, root, e);
  if (wasDelayed) {
    se.schedDelayed = false;
    m.task(taskId).onRq = false;
  }
  subNrRunning(m, cpu, 1);
  if (!wasSchedIdle && isSchedIdleCpu(m, cpu)) m.rq(cpu).nextBalance = m.jiffies;
  return true;
}

namespace {

/// Kernel: pick_next_entity(). None when a delayed task was dequeued instead: look again.
EntityId pickEntity(Context& ctx, CpuId cpu, bool protect) {
  Machine& m = ctx.m;
  const EntityId e = pick(m, rootOf(m, cpu), protect);
  RQS_CHECK(e.isValid(), "a queue with tasks has nothing to pick");
  if (!m.entity(e).schedDelayed) return e;
  dequeueTask(ctx, cpu, m.entity(e).task, kDequeueSleep | kDequeueDelayed);
  return {};
}

}  // namespace

TaskId pickTask(Context& ctx, CpuId cpu) {
  Machine& m = ctx.m;
  CfsRq& root = rootOf(m, cpu);
  while (root.hNrQueued != 0) {
    if (root.curr.isValid() && m.entity(root.curr).onRq) {
      chargeCurr(ctx, cpu);
      for (EntityId e = root.curr; e.isValid(); e = m.entity(e).parent) checkRuntime(ctx, m.entity(e).cfsRq);
    }
    const EntityId e = pickEntity(ctx, cpu, true);
    if (e.isValid() && !throttleTask(ctx, cpu, m.entity(e).task)) return m.entity(e).task;
  }
  cancelHrtick(m, cpu);
  return {};
}

namespace {

/// Kernel: set_next_entity() of one level.
void setNextLevel(Context& ctx, EntityId e) {
  Machine& m = ctx.m;
  SchedEntity& se = m.entity(e);
  CfsRq& queue = m.queue(se.cfsRq);
  if (se.onRq) updateLoadAvg(ctx, se.cfsRq, e, kUpdateTg);
  hCurrOf(queue) = e;
  se.execStart = m.rq(queue.cpu).clockTask;
  se.prevSumExecRuntime = se.sumExecRuntime;
  accountRuntime(ctx, se.cfsRq, 0);
}

/// Kernel: put_prev_entity() of one level.
void putPrevLevel(Context& ctx, EntityId e) {
  Machine& m = ctx.m;
  SchedEntity& se = m.entity(e);
  if (se.onRq) {
    chargeLevel(ctx, se.cfsRq);
    updateLoadAvg(ctx, se.cfsRq, e, 0);
  }
  hCurrOf(m.queue(se.cfsRq)) = {};
}

/// The task leaves the tree as current.
void startTask(Context& ctx, CpuId cpu, TaskId task, bool first) {
  Machine& m = ctx.m;
  CfsRq& root = rootOf(m, cpu);
  const EntityId own = m.task(task).se;
  SchedEntity& se = m.entity(own);
  clearBuddies(root, own);
  if (se.onRq) removeEntity(m, root, own);
  root.curr = own;
  if (se.onRq) {
    reweightVirtual(m, root, own, hierarchicalWeight(m, own));
    if (first) setProtectSlice(m, root, se);
    listMoveHead(m, cpu, task);
  }
  if (!first) return;
  startHrtick(m, cpu, se);
  updateMisfitStatus(m, task, cpu);
}

/// The current task goes back into the tree when it still runs.
void stopTask(Context& ctx, CpuId cpu, TaskId task) {
  Machine& m = ctx.m;
  CfsRq& root = rootOf(m, cpu);
  const EntityId own = m.task(task).se;
  if (m.entity(own).onRq) {
    chargeCurr(ctx, cpu);
    insertEntity(m, root, own);
  }
  root.curr = {};
}

}  // namespace

void setNextTask(Context& ctx, CpuId cpu, TaskId task, bool first) {
  for (EntityId e = ctx.m.task(task).se; e.isValid(); e = ctx.m.entity(e).parent) setNextLevel(ctx, e);
  startTask(ctx, cpu, task, first);
}

void putPrevTask(Context& ctx, CpuId cpu, TaskId task) {
  stopTask(ctx, cpu, task);
  for (EntityId e = ctx.m.task(task).se; e.isValid(); e = ctx.m.entity(e).parent) putPrevLevel(ctx, e);
}

void switchTasks(Context& ctx, CpuId cpu, TaskId prevTask, TaskId nextTask) {
  Machine& m = ctx.m;
  EntityId prev = m.task(prevTask).se;
  EntityId next = m.task(nextTask).se;
  stopTask(ctx, cpu, prevTask);
  while (m.entity(next).cfsRq != m.entity(prev).cfsRq) {
    const std::int32_t nextDepth = m.entity(next).depth;
    const std::int32_t prevDepth = m.entity(prev).depth;
    if (nextDepth <= prevDepth) {
      putPrevLevel(ctx, prev);
      prev = m.entity(prev).parent;
    }
    if (nextDepth >= prevDepth) {
      setNextLevel(ctx, next);
      next = m.entity(next).parent;
    }
  }
  putPrevLevel(ctx, prev);
  setNextLevel(ctx, next);
  startTask(ctx, cpu, nextTask, true);
}

void tick(Context& ctx, CpuId cpu, TaskId task, bool queued) {
  Machine& m = ctx.m;
  const EntityId own = m.task(task).se;
  for (EntityId e = own; e.isValid(); e = m.entity(e).parent) {
    chargeLevel(ctx, m.entity(e).cfsRq);
    updateLoadAvg(ctx, m.entity(e).cfsRq, e, kUpdateTg);
    updateCfsGroup(ctx, e);
  }
  reweightVirtual(m, rootOf(m, cpu), own, hierarchicalWeight(m, own));
  if (queued) {
    reschedCurr(m, cpu);
    return;
  }
  updateMisfitStatus(m, task, cpu);
}

namespace {

/// What would run now; delayed tasks on the way are dequeued.
EntityId pickNow(Context& ctx, CpuId cpu, bool protect) {
  EntityId next;
  while (!(next = pickEntity(ctx, cpu, protect)).isValid()) {
  }
  return next;
}

/// A shorter slice that is eligible takes the running task's protection away. Kernel (v6.12):
/// do_preempt_short().
bool breaksProtection(const Machine& m, const CfsRq& root, const SchedEntity& wakee, const SchedEntity& se) {
  if (!m.features().preemptShort || wakee.slice >= se.slice) return false;
  if (!isVruntimeEligible(m, root, wakee.vruntime)) return false;
  return virtualDelta(wakee.deadline, se.deadline) < 0 || !isVruntimeEligible(m, root, se.vruntime);
}

}  // namespace

void wakeupPreempt(Context& ctx, CpuId cpu, TaskId wakee, std::uint32_t wakeFlags) {
  Machine& m = ctx.m;
  CfsRq& root = rootOf(m, cpu);
  const EntityId own = m.task(m.rq(cpu).curr).se;
  const EntityId other = m.task(wakee).se;
  if (own == other || m.task(wakee).throttled || !m.features().wakeupPreemption) return;
  const Behaviours& b = m.behaviours();
  if (!b.protectWhenResched && m.rq(cpu).needResched) return;
  SchedEntity& se = m.entity(own);
  const SchedEntity& pse = m.entity(other);
  chargeCurr(ctx, cpu);
  const auto preempt = [&] {
    cancelProtection(se);
    reschedCurrLazy(m, cpu);
  };
  const bool currIdle = isIdleEntity(m, se);
  const bool wakeeIdle = isIdleEntity(m, pse);
  if (currIdle && !wakeeIdle) return preempt();
  const auto keep = [&] {
    if (m.features().runToParity && b.sliceProtection) updateProtectSlice(m, root, se);
  };
  const auto leave = [&] {
    if (b.protectAlways) keep();
  };
  if (currIdle != wakeeIdle || m.task(wakee).policy != SchedPolicy::Normal || pse.schedDelayed)
    return leave();
  if (!b.sliceProtection) {
    if (breaksProtection(m, root, pse, se)) cancelProtection(se);
    if (pickNow(ctx, cpu, true) == other) preempt();
    return;
  }
  const bool isShort = m.features().preemptShort && pse.slice < se.slice;
  if (!isShort && (wakeFlags & kWfFork) != 0) return leave();
  const EntityId next = pickNow(ctx, cpu, !isShort);
  const bool isEnough = b.shortEligible && isVruntimeEligible(m, root, pse.vruntime);
  if (isShort && (next == other || isEnough)) {
    if (m.behaviours().nextBuddyForShort) root.next = other;
    return preempt();
  }
  if (next == other) return preempt();
  keep();
}

void yieldTask(Context& ctx, CpuId cpu) {
  Machine& m = ctx.m;
  if (m.rq(cpu).nrRunning == 1) return;
  CfsRq& root = rootOf(m, cpu);
  SchedEntity& se = m.se(m.rq(cpu).curr);
  clearBuddies(root, root.curr);
  updateRqClock(ctx, cpu);
  chargeCurr(ctx, cpu);
  if (!m.behaviours().yieldForfeits) {
    se.deadline += calcDeltaFair(se.slice, se.hLoad.weight);
    return;
  }
  if (!isVruntimeEligible(m, root, se.vruntime)) return;
  se.vruntime = se.deadline;
  updateDeadline(m, root, se);
}

}  // namespace rqscope::flat
