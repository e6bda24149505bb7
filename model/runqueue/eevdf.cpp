// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runqueue/eevdf.h"

namespace rqscope::eevdf {
namespace {

// While an entity runs, its vlag holds the deadline it was picked with: it is protected until that moves.

void protect(SchedEntity& se) { se.vlag = static_cast<std::int64_t>(se.deadline); }
bool isProtected(const SchedEntity& se) { return se.vlag == static_cast<std::int64_t>(se.deadline); }
void cancelProtection(SchedEntity& se) {
  if (isProtected(se)) se.vlag = static_cast<std::int64_t>(se.deadline + 1);
}

/// Kernel: did_preempt_short().
bool ranOutUnprotected(const Machine& m, const CfsRq& queue, const SchedEntity& curr) {
  if (!m.features().preemptShort || isProtected(curr)) return false;
  return !isVruntimeEligible(m, queue, curr.vruntime);
}

/// Kernel: do_preempt_short(): a shorter slice that is eligible breaks the running entity's protection.
bool breaksProtection(const Machine& m, const CfsRq& queue, const SchedEntity& wakee, const SchedEntity& se) {
  if (!m.features().preemptShort || wakee.slice >= se.slice) return false;
  if (!isVruntimeEligible(m, queue, wakee.vruntime)) return false;
  if (virtualDelta(wakee.deadline, se.deadline) < 0) return true;
  return !isVruntimeEligible(m, queue, se.vruntime);
}

/// Kernel: update_cfs_group(), which leaves tasks alone: they are most of what moves.
void refreshGroup(Context& ctx, EntityId entity) {
  if (!ctx.m.entity(entity).isTask()) rqscope::updateCfsGroup(ctx, entity);
}

/// Kernel: set_delayed()/clear_delayed(): the counters of all levels, for tasks only.
void markDelayed(Machine& m, EntityId entity, bool delayed) {
  m.entity(entity).schedDelayed = delayed;
  if (!m.entity(entity).isTask()) return;
  for (EntityId e = entity; e.isValid(); e = m.entity(e).parent) {
    CfsRq& queue = m.queue(m.entity(e).cfsRq);
    queue.hNrRunnable += delayed ? ~0U : 1U;
    queue.hNrDelayed += delayed ? 1U : ~0U;
    if (queue.throttled) break;
  }
}

/// Refreshes what a level above a change knows about it. Kernel: the second loop of enqueue_task_fair() and
/// dequeue_entities().
void refreshLevel(Context& ctx, EntityId entity, std::uint64_t& slice) {
  Machine& m = ctx.m;
  SchedEntity& se = m.entity(entity);
  CfsRq& queue = m.queue(se.cfsRq);
  updateLoadAvg(ctx, se.cfsRq, entity, kUpdateTg);
  seUpdateRunnable(m, entity);
  rqscope::updateCfsGroup(ctx, entity);
  se.slice = slice;
  if (entity != queue.curr) QueueTree<QueueKind::Eevdf>(m.entities.data(), queue).propagate(entity);
  slice = minSlice(m, queue);
}

}  // namespace

void chargeCurr(Context& ctx, CfsRqId queueId) {
  Machine& m = ctx.m;
  CfsRq& queue = m.queue(queueId);
  if (!queue.curr.isValid()) return;
  SchedEntity& curr = m.entity(queue.curr);
  const std::int64_t delta = chargeEntity(m.rq(queue.cpu), curr);
  if (delta <= 0) return;
  curr.vruntime += calcDeltaFair(static_cast<std::uint64_t>(delta), curr);
  const bool requestDone = updateDeadline(m, queue, curr);
  accountRuntime(ctx, queueId, static_cast<std::uint64_t>(delta));
  if (queue.nrQueued == 1) return;
  if (requestDone || ranOutUnprotected(m, queue, curr)) {
    reschedCurr(m, queue.cpu);
    clearNextBuddy(m, queueId, queue.curr);
  }
}

void enqueueLevel(Context& ctx, CfsRqId queueId, EntityId entity, std::uint32_t flags) {
  Machine& m = ctx.m;
  CfsRq& queue = m.queue(queueId);
  SchedEntity& se = m.entity(entity);
  const bool isCurr = queue.curr == entity;
  if (isCurr) placeEntity(ctx, queueId, entity, flags);
  chargeCurr(ctx, queueId);
  updateLoadAvg(ctx, queueId, entity, kUpdateTg | kDoAttach);
  seUpdateRunnable(m, entity);
  if (!m.behaviours().skipUpdateCfsGroup || queue.nrQueued > 0) refreshGroup(ctx, entity);
  if (!isCurr) placeEntity(ctx, queueId, entity, flags);
  accountEntityEnqueue(m, queue, entity);
  if ((flags & kEnqueueMigrated) != 0) se.execStart = 0;
  if (!isCurr) insertEntity(ctx, queue, entity);
  se.onRq = true;
  if (queue.nrQueued == 1) {
    checkEnqueueThrottle(ctx, queueId);
    if (queue.throttleCount == 0) addLeafQueue(m, queueId);
  }
}

bool dequeueLevel(Context& ctx, CfsRqId queueId, EntityId entity, std::uint32_t flags) {
  Machine& m = ctx.m;
  CfsRq& queue = m.queue(queueId);
  SchedEntity& se = m.entity(entity);
  const bool sleeps = (flags & kDequeueSleep) != 0;
  chargeCurr(ctx, queueId);
  clearNextBuddy(m, queueId, entity);
  if ((flags & kDequeueDelayed) == 0 && sleeps && (flags & kDequeueSpecial) == 0 &&
      m.features().delayDequeue && !isVruntimeEligible(m, queue, se.vruntime)) {
    updateLoadAvg(ctx, queueId, entity, 0);
    markDelayed(m, entity, true);
    return false;
  }
  const bool migrates = se.isTask() && m.task(se.task).migrating;
  updateLoadAvg(ctx, queueId, entity, kUpdateTg | (migrates ? kDoDetach : 0U));
  seUpdateRunnable(m, entity);
  updateEntityLag(m, queue, se);
  if (m.features().placeRelDeadline && !sleeps) {
    se.deadline -= se.vruntime;
    se.relDeadline = true;
  }
  if (entity != queue.curr) removeEntity(ctx, queue, entity);
  se.onRq = false;
  accountEntityDequeue(m, queue, entity);
  returnRuntime(m, queueId);
  if (!m.behaviours().skipUpdateCfsGroup) refreshGroup(ctx, entity);
  if ((flags & kDequeueDelayed) != 0) {
    markDelayed(m, entity, false);
    if (m.features().delayZero && se.vlag > 0) se.vlag = 0;
  }
  if (queue.nrQueued == 0) updateIdleCfsRqClockPelt(m, queue);
  return true;
}

void requeueDelayed(Context& ctx, EntityId entity) {
  Machine& m = ctx.m;
  SchedEntity& se = m.entity(entity);
  CfsRq& queue = m.queue(se.cfsRq);
  if (m.features().delayZero) {
    updateEntityLag(m, queue, se);
    if (se.vlag > 0) {
      const bool inTree = entity != queue.curr;
      --queue.nrQueued;
      if (inTree) removeEntity(ctx, queue, entity);
      se.vlag = 0;
      placeEntity(ctx, se.cfsRq, entity, 0);
      if (inTree) insertEntity(ctx, queue, entity);
      ++queue.nrQueued;
    }
  }
  updateLoadAvg(ctx, se.cfsRq, entity, 0);
  markDelayed(m, entity, false);
}

void enqueueTask(Context& ctx, CpuId cpu, TaskId taskId, std::uint32_t flags) {
  Machine& m = ctx.m;
  const Task& task = m.task(taskId);
  const SchedEntity& own = m.entity(task.se);
  if (!(own.schedDelayed && (task.migrating || (flags & kEnqueueRestore) != 0)))
    utilEstEnqueue(m, cpu, taskId);
  if ((flags & kEnqueueDelayed) != 0) {
    requeueDelayed(ctx, task.se);
    return;
  }
  const bool delayed = (flags & kEnqueueWakeup) == 0 && own.schedDelayed;
  HierarchyDelta delta{1, delayed ? 0U : 1U, task.policy == SchedPolicy::Idle ? 1U : 0U, delayed ? 1U : 0U};
  std::uint64_t slice = 0;
  EntityId e = task.se;
  const auto isThrottledAfterCount = [&](CfsRq& queue) {
    delta.addTo(queue);
    if (queue.isIdle) delta.idle = 1;
    return queue.throttled;
  };
  for (; e.isValid(); e = m.entity(e).parent) {
    SchedEntity& se = m.entity(e);
    if (se.onRq) {
      if (se.schedDelayed) requeueDelayed(ctx, e);
      break;
    }
    if (slice != 0) {
      se.slice = slice;
      se.customSlice = true;
    }
    enqueueLevel(ctx, se.cfsRq, e, flags);
    slice = minSlice(m, m.queue(se.cfsRq));
    if (isThrottledAfterCount(m.queue(se.cfsRq))) return;
    flags = kEnqueueWakeup;
  }
  for (; e.isValid(); e = m.entity(e).parent) {
    refreshLevel(ctx, e, slice);
    if (isThrottledAfterCount(m.queue(m.entity(e).cfsRq))) return;
  }
  addNrRunning(ctx, cpu, 1);
}

namespace {

/// The levels of one dequeue, bottom up. False when a throttled queue ended it, or the task was delayed.
struct DequeueWalk {
  Context& ctx;
  HierarchyDelta delta;
  bool sleeps = false;
  std::uint64_t slice = 0;

  bool countAndGoOn(CfsRq& queue) {
    delta.takeFrom(queue);
    if (queue.isIdle) delta.idle = delta.queued;
    return !queue.throttled;
  }

  /// Dequeues `e` and the ancestors that become empty; `e` is left at the first entity that stays.
  Dequeued removeLevels(EntityId& e, std::uint32_t flags) {
    Machine& m = ctx.m;
    for (; e.isValid(); e = m.entity(e).parent) {
      const CfsRqId queueId = m.entity(e).cfsRq;
      CfsRq& queue = m.queue(queueId);
      if (!dequeueLevel(ctx, queueId, e, flags)) {
        if (m.entity(e).isTask()) return Dequeued::Delayed;
        slice = minSlice(m, queue);
        break;
      }
      if (!countAndGoOn(queue)) return Dequeued::Throttled;
      if (queue.load.weight != 0) {
        slice = minSlice(m, queue);
        e = m.entity(e).parent;
        if (sleeps && e.isValid() && queue.throttleCount == 0) setNextBuddy(m, e);
        break;
      }
      flags |= kDequeueSleep;
      flags &= ~static_cast<std::uint32_t>(kDequeueDelayed | kDequeueSpecial);
    }
    return Dequeued::Complete;
  }
};

}  // namespace

Dequeued dequeueEntities(Context& ctx, CpuId cpu, EntityId entity, std::uint32_t flags) {
  Machine& m = ctx.m;
  const bool wasSchedIdle = isSchedIdleCpu(m, cpu);
  const bool delayedBefore = (flags & kDequeueDelayed) != 0;
  DequeueWalk walk{ctx, {}, (flags & kDequeueSleep) != 0};
  const TaskId task = m.entity(entity).task;
  if (m.entity(entity).isTask()) {
    const bool delayed = !walk.sleeps && !delayedBefore && m.entity(entity).schedDelayed;
    walk.delta = {1, delayed ? 0U : 1U, m.task(task).policy == SchedPolicy::Idle ? 1U : 0U,
                  delayed ? 1U : 0U};
  }
  EntityId e = entity;
  Dequeued result = walk.removeLevels(e, flags);
  if (result == Dequeued::Delayed) return result;
  for (; result == Dequeued::Complete && e.isValid(); e = m.entity(e).parent) {
    refreshLevel(ctx, e, walk.slice);
    if (!walk.countAndGoOn(m.queue(m.entity(e).cfsRq))) result = Dequeued::Throttled;
  }
  if (result == Dequeued::Complete) {
    subNrRunning(m, cpu, walk.delta.queued);
    if (!wasSchedIdle && isSchedIdleCpu(m, cpu)) m.rq(cpu).nextBalance = m.jiffies;
  }
  if (task.isValid() && delayedBefore) m.task(task).onRq = false;
  return result;
}

bool dequeueTask(Context& ctx, CpuId cpu, TaskId taskId, std::uint32_t flags) {
  Machine& m = ctx.m;
  const Task& task = m.task(taskId);
  if (!(m.entity(task.se).schedDelayed && (task.migrating || (flags & kDequeueSave) != 0)))
    utilEstDequeue(m, cpu, taskId);
  utilEstUpdate(m, cpu, taskId, (flags & kDequeueSleep) != 0);
  return dequeueEntities(ctx, cpu, task.se, flags) != Dequeued::Delayed;
}

namespace {

/// Kernel: pick_next_entity(). None when a delayed entity was dequeued instead: look again.
EntityId pickEntity(Context& ctx, CpuId cpu, const CfsRq& queue) {
  Machine& m = ctx.m;
  if (m.features().pickBuddy && queue.next.isValid() &&
      isVruntimeEligible(m, queue, m.entity(queue.next).vruntime))
    return queue.next;
  const EntityId e = pick(m, queue);
  if (!m.entity(e).schedDelayed) return e;
  dequeueEntities(ctx, cpu, e, kDequeueSleep | kDequeueDelayed);
  return {};
}

}  // namespace

TaskId pickTask(Context& ctx, CpuId cpu) {
  Machine& m = ctx.m;
  while (m.rootCfs(cpu).nrQueued != 0) {
    CfsRqId at{static_cast<std::int32_t>(cpu.value)};
    EntityId e;
    while (at.isValid()) {
      CfsRq& queue = m.queue(at);
      if (queue.curr.isValid() && m.entity(queue.curr).onRq) chargeCurr(ctx, at);
      e = checkRuntime(ctx, at) ? EntityId{} : pickEntity(ctx, cpu, queue);
      if (!e.isValid()) break;
      at = m.entity(e).myQ;
    }
    if (e.isValid()) return m.entity(e).task;
  }
  return {};
}

void setNextEntity(Context& ctx, CfsRqId queueId, EntityId entity) {
  Machine& m = ctx.m;
  CfsRq& queue = m.queue(queueId);
  SchedEntity& se = m.entity(entity);
  clearNextBuddy(m, queueId, entity);
  if (se.onRq) {
    removeEntity(ctx, queue, entity);
    updateLoadAvg(ctx, queueId, entity, kUpdateTg);
    protect(se);
  }
  se.execStart = m.rq(queue.cpu).clockTask;
  queue.curr = entity;
  se.prevSumExecRuntime = se.sumExecRuntime;
}

void putPrevEntity(Context& ctx, CfsRqId queueId, EntityId entity) {
  Machine& m = ctx.m;
  CfsRq& queue = m.queue(queueId);
  SchedEntity& se = m.entity(entity);
  if (se.onRq) chargeCurr(ctx, queueId);
  checkRuntime(ctx, queueId);
  if (se.onRq) {
    insertEntity(ctx, queue, entity);
    updateLoadAvg(ctx, queueId, entity, 0);
  }
  queue.curr = {};
}

void tick(Context& ctx, CpuId cpu, TaskId task) {
  Machine& m = ctx.m;
  for (EntityId e = m.task(task).se; e.isValid(); e = m.entity(e).parent) {
    const CfsRqId queue = m.entity(e).cfsRq;
    chargeCurr(ctx, queue);
    updateLoadAvg(ctx, queue, e, kUpdateTg);
    refreshGroup(ctx, e);
  }
  if (m.topology->asymCapacityActive) updateMisfitStatus(m, task, cpu);
}

void wakeupPreempt(Context& ctx, CpuId cpu, TaskId wakee, std::uint32_t wakeFlags) {
  Machine& m = ctx.m;
  const Rq& rq = m.rq(cpu);
  EntityId se = m.task(rq.curr).se;
  EntityId pse = m.task(wakee).se;
  if (se == pse || m.queue(m.entity(pse).cfsRq).throttleCount != 0) return;
  if (m.features().nextBuddy && (wakeFlags & kWfFork) == 0 && !m.entity(pse).schedDelayed)
    setNextBuddy(m, pse);
  if (rq.needResched || !m.features().wakeupPreemption) return;
  findMatching(m, se, pse);
  SchedEntity& curr = m.entity(se);
  const bool currIdle = isIdleEntity(m, curr);
  const bool wakeeIdle = isIdleEntity(m, m.entity(pse));
  if (currIdle && !wakeeIdle) {
    cancelProtection(curr);
    reschedCurr(m, cpu);
    return;
  }
  if (currIdle != wakeeIdle || m.task(wakee).policy != SchedPolicy::Normal) return;
  const CfsRqId queueId = curr.cfsRq;
  chargeCurr(ctx, queueId);
  const CfsRq& queue = m.queue(queueId);
  if (breaksProtection(m, queue, m.entity(pse), curr)) cancelProtection(curr);
  if (pick(m, queue) == pse) reschedCurr(m, cpu);
}

void yieldTask(Context& ctx, CpuId cpu) {
  Machine& m = ctx.m;
  if (m.rq(cpu).nrRunning == 1) return;
  SchedEntity& se = m.se(m.rq(cpu).curr);
  const CfsRqId queueId = se.cfsRq;
  clearNextBuddy(m, queueId, m.task(m.rq(cpu).curr).se);
  updateRqClock(ctx, cpu);
  chargeCurr(ctx, queueId);
  CfsRq& queue = m.queue(queueId);
  if (!m.behaviours().yieldForfeits) {
    se.deadline += calcDeltaFair(se.slice, se);
    return;
  }
  if (!isVruntimeEligible(m, queue, se.vruntime)) return;
  se.vruntime = se.deadline;
  updateDeadline(m, queue, se);
}

}  // namespace rqscope::eevdf
