// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runqueue/cache_occupancy.h"
#include "runqueue/flat.h"
#include "runqueue/queue_internal.h"

// What all kinds of queue share: counters, lists, weights of groups, migration.

namespace rqscope {

void accountEntityEnqueue(Machine& m, CfsRq& queue, EntityId entity) {
  const SchedEntity& se = m.entity(entity);
  addLoad(queue.load, se.load.weight);
  if (se.isTask()) {
    listAddHead(m, queue.cpu, se.task);
    countPreference(m, queue.cpu, se.task, +1);
  }
  ++queue.nrQueued;
  if (isIdleEntity(m, se)) ++queue.idleNrRunning;
}

void accountEntityDequeue(Machine& m, CfsRq& queue, EntityId entity) {
  const SchedEntity& se = m.entity(entity);
  subLoad(queue.load, se.load.weight);
  if (se.isTask()) {
    listRemove(m, queue.cpu, se.task);
    countPreference(m, queue.cpu, se.task, -1);
  }
  --queue.nrQueued;
  if (isIdleEntity(m, se)) --queue.idleNrRunning;
}

std::int64_t chargeEntity(const Rq& rq, SchedEntity& se) {
  const std::int64_t delta = virtualDelta(rq.clockTask, se.execStart);
  if (delta <= 0) return delta;
  se.execStart = rq.clockTask;
  se.sumExecRuntime += static_cast<std::uint64_t>(delta);
  return delta;
}

void findMatching(const Machine& m, EntityId& a, EntityId& b) {
  std::int32_t depthA = m.entity(a).depth;
  std::int32_t depthB = m.entity(b).depth;
  for (; depthA > depthB; --depthA) a = m.entity(a).parent;
  for (; depthB > depthA; --depthB) b = m.entity(b).parent;
  while (m.entity(a).cfsRq != m.entity(b).cfsRq) {
    a = m.entity(a).parent;
    b = m.entity(b).parent;
  }
}

void clearNextBuddy(Machine& m, CfsRqId queueId, EntityId entity) {
  if (m.queue(queueId).next != entity) return;
  for (EntityId e = entity; e.isValid(); e = m.entity(e).parent) {
    CfsRq& queue = m.queue(m.entity(e).cfsRq);
    if (queue.next != e) return;
    queue.next = {};
  }
}

void setNextBuddy(Machine& m, EntityId entity) {
  for (EntityId e = entity; e.isValid(); e = m.entity(e).parent) {
    const SchedEntity& se = m.entity(e);
    if (!se.onRq || isIdleEntity(m, se)) return;
    m.queue(se.cfsRq).next = e;
  }
}

void listAddHead(Machine& m, CpuId cpu, TaskId id) {
  Rq& rq = m.rq(cpu);
  Task& task = m.task(id);
  task.listPrev = {};
  task.listNext = rq.listHead;
  if (rq.listHead.isValid())
    m.task(rq.listHead).listPrev = id;
  else
    rq.listTail = id;
  rq.listHead = id;
}

void listRemove(Machine& m, CpuId cpu, TaskId id) {
  Rq& rq = m.rq(cpu);
  Task& task = m.task(id);
  if (task.listPrev.isValid())
    m.task(task.listPrev).listNext = task.listNext;
  else
    rq.listHead = task.listNext;
  if (task.listNext.isValid())
    m.task(task.listNext).listPrev = task.listPrev;
  else
    rq.listTail = task.listPrev;
  task.listPrev = task.listNext = {};
}

void listMoveHead(Machine& m, CpuId cpu, TaskId task) {
  if (m.rq(cpu).listHead == task) return;
  listRemove(m, cpu, task);
  listAddHead(m, cpu, task);
}

void addNrRunning(Context& ctx, CpuId cpu, unsigned count) {
  Machine& m = ctx.m;
  Rq& rq = m.rq(cpu);
  const std::uint32_t before = rq.nrRunning;
  rq.nrRunning += count;
  if (before < 2 && rq.nrRunning >= 2)
    m.rootDomains[m.topology->cpus[cpu.index()].rootDomain.index()].overloaded = true;
}

void subNrRunning(Machine& m, CpuId cpu, unsigned count) { m.rq(cpu).nrRunning -= count; }

void reschedCurr(Machine& m, CpuId cpu) {
  m.rq(cpu).needResched = true;
  markPending(m, cpu);
}

void reschedCurrLazy(Machine& m, CpuId cpu) {
  m.rq(cpu).needReschedLazy = true;
  markPending(m, cpu);
}

void updateCfsGroup(Context& ctx, EntityId entity) {
  Machine& m = ctx.m;
  const SchedEntity& se = m.entity(entity);
  if (se.isTask()) return;
  const CfsRq& own = m.queue(se.myQ);
  const bool always = m.behaviours().sharesReweightAlways;
  if (!always && own.load.weight == 0) return;
  if (own.throttleCount != 0) return;
  if (m.behaviours().cgroupMode != CgroupMode::Up)
    ctx.observer.onTgLoadAvgAccess(m, own.group, own.cpu, false);
  const std::uint64_t shares = calcGroupShares(m, se.myQ);
  if (always || se.load.weight != shares) reweightEntity(ctx, se.cfsRq, entity, shares);
}

void migrateTaskRqFair(Context& ctx, TaskId task, CpuId) {
  Machine& m = ctx.m;
  const EntityId e = m.task(task).se;
  if (!m.task(task).migrating) {
    // v6.1: a blocked task's vruntime is absolute; a wakeup (TASK_WAKING) takes it along.
    if (m.profile->queue == QueueKind::Cfs && !m.task(task).onRq)
      m.entity(e).vruntime -= m.queue(m.entity(e).cfsRq).zeroVruntime;
    removeEntityLoadAvg(ctx, e);
    migrateSePeltLag(ctx, e);
  }
  m.entity(e).avg.lastUpdateTime = 0;
}

void setTaskRq(Machine& m, TaskId id, CpuId cpu) {
  const GroupId group = m.task(id).group;
  SchedEntity& se = m.se(id);
  const CfsRqId next = queueOf(m, group, cpu);
  setTaskRqFair(m, m.task(id).se, se.cfsRq, next);
  se.cfsRq = next;
  se.parent = groupEntity(m, group, cpu);
  se.depth = se.parent.isValid() ? m.entity(se.parent).depth + 1 : 0;
}

void reweightTask(Context& ctx, TaskId task, LoadWeight weight) {
  if (ctx.m.profile->queue == QueueKind::FlatEevdf) return flat::reweightTask(ctx, task, weight);
  Machine& m = ctx.m;
  const EntityId e = m.task(task).se;
  reweightEntity(ctx, m.entity(e).cfsRq, e, weight.weight);
  m.entity(e).load.inverse = weight.inverse;
}

bool isThrottledHierarchy(const Machine& m, CfsRqId queue) { return m.queue(queue).throttleCount != 0; }

}  // namespace rqscope
