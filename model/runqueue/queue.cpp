// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runqueue/queue.h"

#include "runqueue/cache_occupancy.h"
#include "runqueue/cfs.h"
#include "runqueue/eevdf.h"
#include "runqueue/flat.h"
#include "runqueue/queue_internal.h"
#include "runqueue/shared_queue.h"
#include "runqueue/uclamp.h"

// The one place that chooses between the kinds of queue; everything below a choice is statically of one kind.

namespace rqscope {
namespace {

bool isCfs(const Machine& m) { return m.profile->queue == QueueKind::Cfs; }
bool isFlat(const Machine& m) { return m.profile->queue == QueueKind::FlatEevdf; }

/// put_prev_entity() and set_next_entity() of one kind.
struct EntitySwitch {
  void (*setNext)(Context&, CfsRqId, EntityId);
  void (*putPrev)(Context&, CfsRqId, EntityId);
};

EntitySwitch entitySwitch(const Machine& m) {
  if (isCfs(m)) return {cfs::setNextEntity, cfs::putPrevEntity};
  return {eevdf::setNextEntity, eevdf::putPrevEntity};
}

/// Kernel: __set_next_task_fair().
void becomeRunning(Context& ctx, CpuId cpu, TaskId task, bool first) {
  Machine& m = ctx.m;
  if (m.task(task).onRq) listMoveHead(m, cpu, task);
  if (first && m.topology->asymCapacityActive) updateMisfitStatus(m, task, cpu);
}

/// Puts and sets only the entities on the two paths that differ.
void switchPaths(Context& ctx, EntityId prev, EntityId next) {
  Machine& m = ctx.m;
  const EntitySwitch kind = entitySwitch(m);
  const auto putPrev = [&] { kind.putPrev(ctx, m.entity(prev).cfsRq, prev); };
  const auto setNext = [&] { kind.setNext(ctx, m.entity(next).cfsRq, next); };
  while (m.entity(next).cfsRq != m.entity(prev).cfsRq) {
    const std::int32_t nextDepth = m.entity(next).depth;
    const std::int32_t prevDepth = m.entity(prev).depth;
    if (nextDepth <= prevDepth) {
      putPrev();
      prev = m.entity(prev).parent;
    }
    if (nextDepth >= prevDepth) {
      setNext();
      next = m.entity(next).parent;
    }
  }
  putPrev();
  setNext();
}

}  // namespace

void enqueueEntity(Context& ctx, CfsRqId queue, EntityId entity, std::uint32_t flags) {
  if (isCfs(ctx.m)) return cfs::enqueueLevel(ctx, queue, entity, flags);
  eevdf::enqueueLevel(ctx, queue, entity, flags);
}

bool dequeueEntity(Context& ctx, CfsRqId queue, EntityId entity, std::uint32_t flags) {
  if (!isCfs(ctx.m)) return eevdf::dequeueLevel(ctx, queue, entity, flags);
  cfs::dequeueLevel(ctx, queue, entity, flags);
  return true;
}

void enqueueTaskFair(Context& ctx, CpuId cpu, TaskId task, std::uint32_t flags) {
  Machine& m = ctx.m;
  const bool clampsFirst = m.profile->version == KernelVersion::V6_1;
  if (clampsFirst) clampRqInc(m, cpu, task);
  if (isFlat(m))
    flat::enqueueTask(ctx, cpu, task, flags);
  else if (isCfs(m))
    cfs::enqueueTask(ctx, cpu, task, flags);
  else
    eevdf::enqueueTask(ctx, cpu, task, flags);
  // Simplified: the kernel leaves this out when a throttled queue ended the enqueue.
  if ((flags & kEnqueueWakeup) != 0 && (flags & kEnqueueDelayed) == 0) checkOverutilized(m, cpu);
  if (!clampsFirst) clampRqInc(m, cpu, task);
  if (!isFlat(m)) joinAfterEnqueue(ctx, cpu, task, flags);
}

bool dequeueTaskFair(Context& ctx, CpuId cpu, TaskId task, std::uint32_t flags) {
  clampRqDec(ctx.m, cpu, task);
  if (isFlat(ctx.m)) return flat::dequeueTask(ctx, cpu, task, flags);
  leaveWithTask(ctx, task);
  if (!isCfs(ctx.m)) return eevdf::dequeueTask(ctx, cpu, task, flags);
  cfs::dequeueTask(ctx, cpu, task, flags);
  return true;
}

void requeueDelayedTask(Context& ctx, CpuId cpu, TaskId task) {
  enqueueTaskFair(ctx, cpu, task, kEnqueueNoclock | kEnqueueDelayed);
}

TaskId pickTaskFair(Context& ctx, CpuId cpu) {
  if (isFlat(ctx.m)) return flat::pickTask(ctx, cpu);
  return isCfs(ctx.m) ? cfs::pickTask(ctx, cpu) : eevdf::pickTask(ctx, cpu);
}

void setNextTaskFair(Context& ctx, CpuId cpu, TaskId task, bool first) {
  if (isFlat(ctx.m)) return flat::setNextTask(ctx, cpu, task, first);
  Machine& m = ctx.m;
  const EntitySwitch kind = entitySwitch(m);
  for (EntityId e = m.task(task).se; e.isValid(); e = m.entity(e).parent) {
    kind.setNext(ctx, m.entity(e).cfsRq, e);
    accountRuntime(ctx, m.entity(e).cfsRq, 0);
  }
  becomeRunning(ctx, cpu, task, first);
}

void putPrevTaskFair(Context& ctx, CpuId cpu, TaskId task) {
  if (isFlat(ctx.m)) return flat::putPrevTask(ctx, cpu, task);
  Machine& m = ctx.m;
  const EntitySwitch kind = entitySwitch(m);
  for (EntityId e = m.task(task).se; e.isValid(); e = m.entity(e).parent)
    kind.putPrev(ctx, m.entity(e).cfsRq, e);
}

void switchFair(Context& ctx, CpuId cpu, TaskId prev, TaskId next) {
  if (prev == next) return;
  if (!prev.isValid()) return setNextTaskFair(ctx, cpu, next);
  if (!next.isValid()) return putPrevTaskFair(ctx, cpu, prev);
  if (isFlat(ctx.m)) return flat::switchTasks(ctx, cpu, prev, next);
  switchPaths(ctx, ctx.m.task(prev).se, ctx.m.task(next).se);
  becomeRunning(ctx, cpu, next, true);
}

void taskTickFair(Context& ctx, CpuId cpu, TaskId task) {
  if (isFlat(ctx.m))
    flat::tick(ctx, cpu, task, false);
  else if (isCfs(ctx.m))
    cfs::tick(ctx, cpu, task);
  else
    eevdf::tick(ctx, cpu, task);
  checkOverutilized(ctx.m, cpu);
  if (ctx.m.features().schedCache) tickCacheProcess(ctx.m, cpu, task);
}

void wakeupPreemptFair(Context& ctx, CpuId cpu, TaskId task, std::uint32_t wakeFlags) {
  if (isFlat(ctx.m)) return flat::wakeupPreempt(ctx, cpu, task, wakeFlags);
  if (isCfs(ctx.m)) return cfs::wakeupPreempt(ctx, cpu, task, wakeFlags);
  eevdf::wakeupPreempt(ctx, cpu, task, wakeFlags);
}

void yieldTaskFair(Context& ctx, CpuId cpu) {
  if (isFlat(ctx.m)) return flat::yieldTask(ctx, cpu);
  if (isCfs(ctx.m)) return cfs::yieldTask(ctx, cpu);
  eevdf::yieldTask(ctx, cpu);
}

void updateCurr(Context& ctx, CfsRqId queue) {
  if (isFlat(ctx.m)) return flat::chargeLevel(ctx, queue);
  if (isCfs(ctx.m)) return cfs::chargeCurr(ctx, queue);
  eevdf::chargeCurr(ctx, queue);
}

void taskForkFair(Context& ctx, TaskId task) {
  if (isCfs(ctx.m)) cfs::forkTask(ctx, task);
}

void taskDeadFair(Context& ctx, TaskId task) {
  Machine& m = ctx.m;
  const EntityId e = m.task(task).se;
  if (m.entity(e).schedDelayed) {
    updateRqClock(ctx, m.task(task).cpu);
    dequeueTaskFair(ctx, m.task(task).cpu, task, kDequeueSleep | kDequeueDelayed | kDequeueNoclock);
  }
  removeEntityLoadAvg(ctx, e);
}

void reweightEntity(Context& ctx, CfsRqId queue, EntityId entity, std::uint64_t weight) {
  if (isFlat(ctx.m)) return flat::reweightEntity(ctx.m, queue, entity, weight);
  if (isCfs(ctx.m)) return cfs::reweightEntity(ctx, queue, entity, weight);
  eevdf::reweightEntity(ctx, queue, entity, weight);
}

void hrtickFair(Context& ctx, CpuId cpu) {
  Rq& rq = ctx.m.rq(cpu);
  if (!rq.hrtickArmed) return;
  rq.hrtickArmed = false;
  if (rq.curr.isValid()) flat::tick(ctx, cpu, rq.curr, true);
}

// v7.3: the virtual time of every entity is that of the CPU's root queue.

std::uint64_t avgVruntime(const Machine& m, CfsRqId queue) {
  if (isFlat(m)) return flat::averageOf(m, m.rootCfs(m.queue(queue).cpu));
  return isCfs(m) ? m.queue(queue).zeroVruntime : eevdf::averageOf(m, m.queue(queue));
}

bool isEntityEligible(const Machine& m, CfsRqId queue, EntityId entity) {
  const std::uint64_t vruntime = m.entity(entity).vruntime;
  if (isFlat(m)) return flat::isVruntimeEligible(m, m.rootCfs(m.queue(queue).cpu), vruntime);
  return isCfs(m) || eevdf::isVruntimeEligible(m, m.queue(queue), vruntime);
}

std::int64_t entityLag(const Machine& m, CfsRqId queue, EntityId entity) {
  SchedEntity copy = m.entity(entity);
  const std::uint64_t average = avgVruntime(m, queue);
  if (isFlat(m)) return flat::lagOf(m, m.rootCfs(m.queue(queue).cpu), copy, average);
  return isCfs(m) ? virtualDelta(average, copy.vruntime) : eevdf::lagOf(m, average, copy);
}

EntityId pickEevdf(const Machine& m, CfsRqId queue) {
  if (isFlat(m)) return flat::pick(m, m.rootCfs(m.queue(queue).cpu), true);
  return eevdf::pick(m, m.queue(queue));
}

void treeInOrder(const Machine& m, CfsRqId queueId, std::vector<EntityId>& out) {
  out.clear();
  for (EntityId e = m.queue(queueId).leftmost; e.isValid(); e = treeNext(m.entities.data(), e))
    out.push_back(e);
}

}  // namespace rqscope
