// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runqueue/cfs.h"

#include <utility>

#include "runqueue/shared_queue.h"

namespace rqscope::cfs {
namespace {

using Tree = QueueTree<QueueKind::Cfs>;

constexpr std::uint32_t kNrLatency = 8;  // sched_nr_latency

bool isBefore(const Machine& m, EntityId a, EntityId b) {
  return virtualDelta(m.entity(a).vruntime, m.entity(b).vruntime) < 0;
}

/// Kernel: __enqueue_entity().
void insertEntity(Context& ctx, CfsRq& queue, EntityId entity) {
  Tree(ctx.m.entities.data(), queue).insert(entity);
  joinWithTree(ctx, queue, entity);
}

/// Kernel: __dequeue_entity().
void removeEntity(Context& ctx, CfsRq& queue, EntityId entity) {
  leaveWithTree(ctx, entity);
  Tree(ctx.m.entities.data(), queue).erase(entity);
}

/// Moves min_vruntime up to the earliest of the running entity and the tree. Kernel: update_min_vruntime().
void updateMinVruntime(const Machine& m, CfsRq& queue) {
  std::uint64_t earliest = queue.zeroVruntime;
  const bool hasCurr = queue.curr.isValid() && m.entity(queue.curr).onRq;
  if (hasCurr) earliest = m.entity(queue.curr).vruntime;
  if (queue.leftmost.isValid()) {
    const std::uint64_t left = m.entity(queue.leftmost).vruntime;
    if (!hasCurr || virtualDelta(left, earliest) < 0) earliest = left;
  }
  if (virtualDelta(earliest, queue.zeroVruntime) > 0) queue.zeroVruntime = earliest;
}

void clearBuddyChain(Machine& m, EntityId entity, EntityId CfsRq::*buddy) {
  for (EntityId e = entity; e.isValid(); e = m.entity(e).parent) {
    CfsRq& queue = m.queue(m.entity(e).cfsRq);
    if (queue.*buddy != e) return;
    queue.*buddy = {};
  }
}

/// Kernel: clear_buddies().
void clearBuddies(Machine& m, const CfsRq& queue, EntityId entity) {
  if (queue.last == entity) clearBuddyChain(m, entity, &CfsRq::last);
  if (queue.next == entity) clearBuddyChain(m, entity, &CfsRq::next);
  if (queue.skip == entity) clearBuddyChain(m, entity, &CfsRq::skip);
}

/// Kernel: set_last_buddy().
void setLastBuddy(Machine& m, EntityId entity) {
  for (EntityId e = entity; e.isValid(); e = m.entity(e).parent) {
    const SchedEntity& se = m.entity(e);
    if (!se.onRq || isIdleEntity(m, se)) return;
    m.queue(se.cfsRq).last = e;
  }
}

/// Kernel: check_preempt_tick().
void checkPreemptTick(Machine& m, CfsRqId queueId, EntityId entity) {
  const CfsRq& queue = m.queue(queueId);
  const std::uint64_t ideal = sliceOf(m, queueId, entity);
  const SchedEntity& curr = m.entity(entity);
  const std::uint64_t ran = curr.sumExecRuntime - curr.prevSumExecRuntime;
  if (ran > ideal) {
    reschedCurr(m, queue.cpu);
    clearBuddies(m, queue, entity);
    return;
  }
  if (ran < m.minGranularityNs) return;
  const std::int64_t ahead = virtualDelta(curr.vruntime, m.entity(queue.leftmost).vruntime);
  if (ahead > 0 && static_cast<std::uint64_t>(ahead) > ideal) reschedCurr(m, queue.cpu);
}

/// What a level above a change learns of it. Kernel: the second loop of enqueue_task_fair() and
/// dequeue_task_fair().
void refreshLevel(Context& ctx, EntityId e) {
  updateLoadAvg(ctx, ctx.m.entity(e).cfsRq, e, kUpdateTg);
  seUpdateRunnable(ctx.m, e);
  updateCfsGroup(ctx, e);
}

/// Kernel: vruntime_normalized(): the vruntime is relative to its queue's min_vruntime.
bool isRelative(const Machine& m, TaskId task) {
  return m.task(task).onRq || m.task(task).migrating || m.se(task).sumExecRuntime == 0;
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
  updateMinVruntime(m, queue);
  accountRuntime(ctx, queueId, static_cast<std::uint64_t>(delta));
}

void enqueueLevel(Context& ctx, CfsRqId queueId, EntityId entity, std::uint32_t flags) {
  Machine& m = ctx.m;
  CfsRq& queue = m.queue(queueId);
  SchedEntity& se = m.entity(entity);
  const bool isCurr = queue.curr == entity;
  const bool wasRelative = (flags & kEnqueueWakeup) == 0 || (flags & kEnqueueMigrated) != 0;
  if (wasRelative && isCurr) se.vruntime += queue.zeroVruntime;
  chargeCurr(ctx, queueId);
  if (wasRelative && !isCurr) se.vruntime += queue.zeroVruntime;
  updateLoadAvg(ctx, queueId, entity, kUpdateTg | kDoAttach);
  seUpdateRunnable(m, entity);
  if (!m.behaviours().skipUpdateCfsGroup || queue.nrQueued > 0) updateCfsGroup(ctx, entity);
  accountEntityEnqueue(m, queue, entity);
  if ((flags & kEnqueueWakeup) != 0) placeEntity(ctx, queueId, entity, false);
  if ((flags & kEnqueueMigrated) != 0) se.execStart = 0;
  if (!isCurr) insertEntity(ctx, queue, entity);
  se.onRq = true;
  if (queue.nrQueued == 1) {
    checkEnqueueThrottle(ctx, queueId);
    if (queue.throttleCount == 0) addLeafQueue(m, queueId);
  }
}

void dequeueLevel(Context& ctx, CfsRqId queueId, EntityId entity, std::uint32_t flags) {
  Machine& m = ctx.m;
  CfsRq& queue = m.queue(queueId);
  SchedEntity& se = m.entity(entity);
  const bool migrates = se.isTask() && m.task(se.task).migrating;
  chargeCurr(ctx, queueId);
  updateLoadAvg(ctx, queueId, entity, kUpdateTg | (migrates ? kDoDetach : 0U));
  seUpdateRunnable(m, entity);
  clearBuddies(m, queue, entity);
  if (entity != queue.curr) removeEntity(ctx, queue, entity);
  se.onRq = false;
  accountEntityDequeue(m, queue, entity);
  if ((flags & kDequeueSleep) == 0) se.vruntime -= queue.zeroVruntime;
  returnRuntime(m, queueId);
  if (!m.behaviours().skipUpdateCfsGroup) updateCfsGroup(ctx, entity);
  if ((flags & (kDequeueSave | kDequeueMove)) != kDequeueSave) updateMinVruntime(m, queue);
  if (queue.nrQueued == 0) updateIdleCfsRqClockPelt(m, queue);
}

void enqueueTask(Context& ctx, CpuId cpu, TaskId taskId, std::uint32_t flags) {
  Machine& m = ctx.m;
  utilEstEnqueue(m, cpu, taskId);
  HierarchyDelta delta{1, 1, m.task(taskId).policy == SchedPolicy::Idle ? 1U : 0U, 0};
  bool adding = true;
  for (EntityId e = m.task(taskId).se; e.isValid(); e = m.entity(e).parent) {
    const CfsRqId queueId = m.entity(e).cfsRq;
    CfsRq& queue = m.queue(queueId);
    adding = adding && !m.entity(e).onRq;
    if (adding) {
      enqueueLevel(ctx, queueId, e, flags);
      flags = kEnqueueWakeup;
    } else {
      refreshLevel(ctx, e);
    }
    delta.addTo(queue);
    if (queue.isIdle) delta.idle = 1;
    if (queue.throttled) return;
  }
  addNrRunning(ctx, cpu, 1);
}

namespace {

/// False when a throttled queue ended the walk up.
bool dequeueLevels(Context& ctx, EntityId entity, HierarchyDelta delta, std::uint32_t flags) {
  Machine& m = ctx.m;
  const bool sleeps = (flags & kDequeueSleep) != 0;
  bool removing = true;
  for (EntityId e = entity; e.isValid(); e = m.entity(e).parent) {
    const CfsRqId queueId = m.entity(e).cfsRq;
    CfsRq& queue = m.queue(queueId);
    if (removing)
      dequeueLevel(ctx, queueId, e, flags);
    else
      refreshLevel(ctx, e);
    delta.takeFrom(queue);
    if (queue.isIdle) delta.idle = 1;
    if (queue.throttled) return false;
    if (removing && queue.load.weight != 0) {
      removing = false;
      const EntityId parent = m.entity(e).parent;
      if (sleeps && parent.isValid() && queue.throttleCount == 0) setNextBuddy(m, parent);
    }
    flags |= kDequeueSleep;
  }
  return true;
}

}  // namespace

void dequeueTask(Context& ctx, CpuId cpu, TaskId taskId, std::uint32_t flags) {
  Machine& m = ctx.m;
  const bool wasSchedIdle = isSchedIdleCpu(m, cpu);
  utilEstDequeue(m, cpu, taskId);
  const HierarchyDelta delta{1, 1, m.task(taskId).policy == SchedPolicy::Idle ? 1U : 0U, 0};
  if (dequeueLevels(ctx, m.task(taskId).se, delta, flags)) {
    subNrRunning(m, cpu, 1);
    if (!wasSchedIdle && isSchedIdleCpu(m, cpu)) m.rq(cpu).nextBalance = m.jiffies;
  }
  utilEstUpdate(m, cpu, taskId, (flags & kDequeueSleep) != 0);
}

namespace {

/// `preempts(a, b)`: wakeup_preempt_entity().
template <class Preempts>
EntityId pickBy(const Machine& m, const CfsRq& queue, EntityId curr, Preempts preempts) {
  EntityId left = queue.leftmost;
  if (!left.isValid() || (curr.isValid() && isBefore(m, curr, left))) left = curr;
  EntityId chosen = left;
  if (queue.skip.isValid() && queue.skip == chosen) {
    EntityId second;
    if (chosen == curr) {
      second = queue.leftmost;
    } else {
      second = treeNext(m.entities.data(), chosen);
      if (!second.isValid() || (curr.isValid() && isBefore(m, curr, second))) second = curr;
    }
    if (second.isValid() && preempts(second, left) < 1) chosen = second;
  }
  if (queue.next.isValid() && preempts(queue.next, left) < 1) return queue.next;
  if (queue.last.isValid() && preempts(queue.last, left) < 1) return queue.last;
  return chosen;
}

}  // namespace

EntityId pick(Machine& m, const CfsRq& queue, EntityId curr) {
  return pickBy(m, queue, curr, [&](EntityId a, EntityId b) { return wakeupPreemptEntity(m, a, b); });
}

EntityId pickNow(const Machine& m, CfsRqId queueId) {
  const CfsRq& queue = m.queue(queueId);
  const bool competes = queue.curr.isValid() && m.entity(queue.curr).onRq;
  const EntityId curr = competes ? queue.curr : EntityId{};
  if (!curr.isValid() && !queue.leftmost.isValid()) return EntityId{};
  return pickBy(m, queue, curr, [&](EntityId a, EntityId b) {
    SchedEntity wakee = m.entity(b);  // its reciprocal is not kept
    const std::int64_t ahead = virtualDelta(m.entity(a).vruntime, wakee.vruntime);
    if (ahead <= 0) return -1;
    return ahead > static_cast<std::int64_t>(wakeupMargin(m, wakee)) ? 1 : 0;
  });
}

// Simplified: when the running task's group is found throttled while picking, the kernel puts all of the
// task's entities back first and picks without them; here the pick starts again with the running entity left
// out, and only the entities on the paths that differ are moved.
TaskId pickTask(Context& ctx, CpuId cpu) {
  Machine& m = ctx.m;
  while (m.rootCfs(cpu).nrQueued != 0) {
    CfsRqId at{cpu.value};
    EntityId e;
    while (at.isValid()) {
      const CfsRq& queue = m.queue(at);
      EntityId curr = queue.curr;
      if (curr.isValid()) {
        if (m.entity(curr).onRq)
          chargeCurr(ctx, at);
        else
          curr = {};
        e = {};
        if (checkRuntime(ctx, at)) break;
      }
      e = pick(m, queue, curr);
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
  clearBuddies(m, queue, entity);
  if (se.onRq) {
    removeEntity(ctx, queue, entity);
    updateLoadAvg(ctx, queueId, entity, kUpdateTg);
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
    updateCfsGroup(ctx, e);
    if (m.queue(queue).nrQueued > 1) checkPreemptTick(m, queue, e);
  }
  updateMisfitStatus(m, task, cpu);
}

namespace {

/// What check_preempt_wakeup() decides once both are known to be of normal policy or differ in idleness.
bool wakeePreempts(Context& ctx, EntityId& se, EntityId pse, TaskId curr, TaskId wakee, bool nextMarked) {
  Machine& m = ctx.m;
  const SchedPolicy policy = m.task(wakee).policy;
  if (m.task(curr).policy == SchedPolicy::Idle && policy != SchedPolicy::Idle) return true;
  if (policy != SchedPolicy::Normal || !m.features().wakeupPreemption) return false;
  findMatching(m, se, pse);
  const bool currIdle = isIdleEntity(m, m.entity(se));
  const bool wakeeIdle = isIdleEntity(m, m.entity(pse));
  if (currIdle != wakeeIdle) return currIdle;
  chargeCurr(ctx, m.entity(se).cfsRq);
  if (wakeupPreemptEntity(m, se, pse) != 1) return false;
  if (!nextMarked) setNextBuddy(m, pse);
  return true;
}

}  // namespace

void wakeupPreempt(Context& ctx, CpuId cpu, TaskId wakee, std::uint32_t wakeFlags) {
  Machine& m = ctx.m;
  const TaskId curr = m.rq(cpu).curr;
  EntityId se = m.task(curr).se;
  const EntityId pse = m.task(wakee).se;
  const bool isLong = m.queue(m.entity(se).cfsRq).nrQueued >= kNrLatency;
  if (se == pse || m.queue(m.entity(pse).cfsRq).throttleCount != 0) return;
  const bool nextMarked = m.features().nextBuddy && isLong && (wakeFlags & kWfFork) == 0;
  if (nextMarked) setNextBuddy(m, pse);
  if (m.rq(cpu).needResched) return;
  if (!wakeePreempts(ctx, se, pse, curr, wakee, nextMarked)) return;
  reschedCurr(m, cpu);
  if (m.entity(se).onRq && m.features().lastBuddy && isLong && m.entity(se).isTask()) setLastBuddy(m, se);
}

void yieldTask(Context& ctx, CpuId cpu) {
  Machine& m = ctx.m;
  if (m.rq(cpu).nrRunning == 1) return;
  const Task& task = m.task(m.rq(cpu).curr);
  const CfsRqId queueId = m.entity(task.se).cfsRq;
  clearBuddies(m, m.queue(queueId), task.se);
  if (task.policy != SchedPolicy::Batch) {
    updateRqClock(ctx, cpu);
    chargeCurr(ctx, queueId);
  }
  for (EntityId e = task.se; e.isValid(); e = m.entity(e).parent) m.queue(m.entity(e).cfsRq).skip = e;
}

void forkTask(Context& ctx, TaskId task) {
  Machine& m = ctx.m;
  const EntityId child = m.task(task).se;
  SchedEntity& se = m.entity(child);
  const CfsRqId queueId = se.cfsRq;
  const CfsRq& queue = m.queue(queueId);
  updateRqClock(ctx, queue.cpu);
  if (queue.curr.isValid()) {
    chargeCurr(ctx, queueId);
    se.vruntime = m.entity(queue.curr).vruntime;
  }
  placeEntity(ctx, queueId, child, true);
  if (m.tunables().childRunsFirst && queue.curr.isValid() && isBefore(m, queue.curr, child)) {
    std::swap(m.entity(queue.curr).vruntime, se.vruntime);
    reschedCurr(m, queue.cpu);
  }
  se.vruntime -= queue.zeroVruntime;
}

void leaveGroup(Context& ctx, TaskId task) {
  if (isRelative(ctx.m, task)) return;
  SchedEntity& se = ctx.m.se(task);
  placeEntity(ctx, se.cfsRq, ctx.m.task(task).se, false);
  se.vruntime -= ctx.m.queue(se.cfsRq).zeroVruntime;
}

void joinGroup(Machine& m, TaskId task) {
  if (!isRelative(m, task)) m.se(task).vruntime += m.queue(m.se(task).cfsRq).zeroVruntime;
}

}  // namespace rqscope::cfs
