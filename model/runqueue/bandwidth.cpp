// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runqueue/flat.h"
#include "runqueue/queue_internal.h"

// Limits of groups (cpu.max): a pool per group and period, slices of it for each CPU's queue, throttling when
// neither has anything left. Kernel: cfs bandwidth control, kernel/sched/fair.c (v6.1, v6.12).
//
// Simplified: the phase of the periods begins when the limit is set (the kernel begins at a random one);
// throttled queues of all CPUs are released at once (the kernel sends the other CPUs an interrupt).

namespace rqscope {
namespace {

constexpr std::int64_t kKeptRuntimeNs = 1'000'000;   // min_cfs_rq_runtime
constexpr std::uint64_t kSlackPeriodNs = 5'000'000;  // cfs_bandwidth_slack_period
constexpr std::uint64_t kRefreshNearNs = 2'000'000;  // min_bandwidth_expiration

bool isFlat(const Machine& m) { return m.profile->queue == QueueKind::FlatEevdf; }

CfsBandwidth& bandwidthOf(Machine& m, const CfsRq& queue) { return m.group(queue.group).bandwidth; }

/// True when the queue has runtime afterwards. Kernel: __assign_cfs_rq_runtime().
bool assignRuntime(Machine& m, CfsRq& queue, std::int64_t target) {
  CfsBandwidth& pool = bandwidthOf(m, queue);
  const std::int64_t wanted = target - queue.runtimeRemaining;
  std::int64_t amount = 0;
  if (pool.quotaNs < 0) {
    amount = wanted;
  } else if (pool.runtimeNs > 0) {
    amount = std::min(pool.runtimeNs, wanted);
    pool.runtimeNs -= amount;
  }
  queue.runtimeRemaining += amount;
  if (queue.runtimeSeq != pool.periodSeq) {
    queue.runtimeSeq = pool.periodSeq;
    queue.runtimeExpiresNs = pool.periodEndNs;
  }
  return queue.runtimeRemaining > 0;
}

/// Takes the runtime that a queue kept from an earlier period. Kernel: expire_cfs_rq_runtime(), until v5.3.
void expireRuntime(Machine& m, CfsRq& queue) {
  if (m.rq(queue.cpu).clock < queue.runtimeExpiresNs || queue.runtimeRemaining < 0) return;
  CfsBandwidth& pool = bandwidthOf(m, queue);
  if (queue.runtimeSeq == pool.periodSeq) {  // this CPU's clock is ahead of the period timer
    queue.runtimeExpiresNs += m.tunables().tickNs();
    return;
  }
  pool.expiredNs += static_cast<std::uint64_t>(queue.runtimeRemaining);
  queue.runtimeRemaining = 0;
}

/// Is the next refill so near that handing out what is left is not worth it? Kernel:
/// runtime_refresh_within().
bool isRefreshWithin(const Machine& m, const CfsBandwidth& pool, std::uint64_t ns) {
  return pool.periodEndNs < m.nowNs + ns;
}

/// Kernel: walk_tg_tree_from(tg, tg_throttle_down, ...): the group, then its children, newest first.
void throttleDown(Machine& m, GroupId group, CpuId cpu) {
  const CfsRqId id = queueOf(m, group, cpu);
  CfsRq& queue = m.queue(id);
  if (isFlat(m)) {
    if (queue.throttleCount == 0 && queue.nrQueued == 0) flat::stopPeltClock(m, id);
  } else if (queue.throttleCount == 0) {
    queue.throttledClockPelt = rqClockPelt(m, cpu);
    removeLeafQueue(m, id);
  }
  ++queue.throttleCount;
  const auto& children = m.group(group).children;
  for (auto it = children.rbegin(); it != children.rend(); ++it) throttleDown(m, *it, cpu);
}

/// Kernel: walk_tg_tree_from(tg, ..., tg_unthrottle_up): children first.
void unthrottleUp(Context& ctx, GroupId group, CpuId cpu) {
  Machine& m = ctx.m;
  const auto& children = m.group(group).children;
  for (auto it = children.rbegin(); it != children.rend(); ++it) unthrottleUp(ctx, *it, cpu);
  const CfsRqId id = queueOf(m, group, cpu);
  CfsRq& queue = m.queue(id);
  if (--queue.throttleCount != 0) return;
  if (isFlat(m)) {
    flat::restartPeltClock(m, id);
    flat::releaseLimbo(ctx, id);
  } else {
    queue.throttledClockPeltTime += rqClockPelt(m, cpu) - queue.throttledClockPelt;
  }
  if (!isQueueDecayed(m, id)) addLeafQueue(m, id);
}

HierarchyDelta countsOf(const CfsRq& queue) {
  return {queue.hNrQueued, queue.hNrRunnable, queue.hNrIdle, queue.hNrDelayed};
}

/// Takes the group's entity, and every ancestor that becomes empty, off its queue. Kernel: throttle_cfs_rq().
bool throttleQueue(Context& ctx, CfsRqId queueId) {
  Machine& m = ctx.m;
  CfsRq& queue = m.queue(queueId);
  if (assignRuntime(m, queue, 1)) return false;
  bandwidthOf(m, queue).throttled.push_back(queueId);
  queue.throttledNs = m.rq(queue.cpu).clock;
  throttleDown(m, queue.group, queue.cpu);
  if (isFlat(m)) {
    queue.throttled = true;
    return true;
  }
  HierarchyDelta delta = countsOf(queue);
  const std::uint32_t queued = queue.hNrQueued;
  bool removing = true;
  EntityId e = groupEntity(m, queue.group, queue.cpu);
  for (; e.isValid(); e = m.entity(e).parent) {
    const SchedEntity& se = m.entity(e);
    CfsRq& above = m.queue(se.cfsRq);
    if (!se.onRq) break;
    if (removing) {
      dequeueEntity(ctx, se.cfsRq, e,
                    kDequeueSleep | kDequeueSpecial | (se.schedDelayed ? kDequeueDelayed : 0U));
    } else {
      updateLoadAvg(ctx, se.cfsRq, e, 0);
      seUpdateRunnable(m, e);
    }
    if (m.queue(se.myQ).isIdle) delta.idle = queued;
    delta.takeFrom(above);
    if (above.load.weight != 0) removing = false;
  }
  if (!e.isValid()) subNrRunning(m, queue.cpu, queued);
  queue.throttled = true;
  return true;
}

/// Completes the branch of a queue that has something to decay but nothing to run.
void connectLeaf(Machine& m, EntityId entity) {
  for (EntityId e = entity; e.isValid(); e = m.entity(e).parent)
    if (addLeafQueue(m, m.entity(e).cfsRq)) return;
}

/// Puts the group's entity back at every level it is missing. Kernel: the loops of unthrottle_cfs_rq().
void putBackEntities(Context& ctx, const CfsRq& queue) {
  Machine& m = ctx.m;
  HierarchyDelta delta = countsOf(queue);
  bool adding = true;
  for (EntityId e = groupEntity(m, queue.group, queue.cpu); e.isValid(); e = m.entity(e).parent) {
    const SchedEntity& se = m.entity(e);
    CfsRq& above = m.queue(se.cfsRq);
    if (adding && se.schedDelayed)
      dequeueEntity(ctx, se.cfsRq, e, kDequeueSleep | kDequeueDelayed);
    else if (se.onRq)
      adding = false;
    if (adding) {
      enqueueEntity(ctx, se.cfsRq, e, kEnqueueWakeup);
    } else {
      updateLoadAvg(ctx, se.cfsRq, e, kUpdateTg);
      seUpdateRunnable(m, e);
    }
    if (m.queue(se.myQ).isIdle) delta.idle = queue.hNrQueued;
    delta.addTo(above);
    if (above.throttled) return;
  }
  addNrRunning(ctx, queue.cpu, queue.hNrQueued);
}

/// Kernel: unthrottle_cfs_rq().
void unthrottleQueue(Context& ctx, CfsRqId queueId) {
  Machine& m = ctx.m;
  CfsRq& queue = m.queue(queueId);
  queue.throttled = false;
  updateRqClock(ctx, queue.cpu);
  std::erase(bandwidthOf(m, queue).throttled, queueId);
  bandwidthOf(m, queue).throttledNs += m.rq(queue.cpu).clock - queue.throttledNs;
  unthrottleUp(ctx, queue.group, queue.cpu);
  if (isFlat(m)) {
    // Its entity never left.
  } else if (queue.load.weight == 0) {
    if (!queue.onLeafList) return;
    connectLeaf(m, groupEntity(m, queue.group, queue.cpu));
  } else {
    putBackEntities(ctx, queue);
  }
  const Rq& rq = m.rq(queue.cpu);
  if (!rq.curr.isValid() && !rq.stopperRunning && m.rootCfs(queue.cpu).nrQueued != 0)
    reschedCurr(m, queue.cpu);
}

/// Kernel: distribute_cfs_runtime(). True when throttled queues are left.
bool distributeRuntime(Context& ctx, GroupId group) {
  Machine& m = ctx.m;
  CfsBandwidth& pool = m.group(group).bandwidth;
  bool anyLeft = false;
  std::int64_t remaining = 1;
  for (std::size_t i = 0; i < pool.throttled.size();) {
    if (remaining == 0) return true;
    const CfsRqId id = pool.throttled[i];
    CfsRq& queue = m.queue(id);
    const std::int64_t amount = std::min(1 - queue.runtimeRemaining, pool.runtimeNs);
    pool.runtimeNs -= amount;
    remaining = pool.runtimeNs;
    queue.runtimeRemaining += amount;
    queue.runtimeExpiresNs = pool.periodEndNs;
    if (queue.runtimeRemaining > 0) {
      unthrottleQueue(ctx, id);
    } else {
      anyLeft = true;
      ++i;
    }
  }
  return anyLeft;
}

/// Kernel: __refill_cfs_bandwidth_runtime().
void refill(CfsBandwidth& pool) {
  if (pool.quotaNs < 0) return;
  pool.runtimeNs = std::min(pool.runtimeNs + pool.quotaNs, pool.quotaNs);
  ++pool.periodSeq;
  pool.usedBeforeNs = pool.usedNs;
  pool.expiredBeforeNs = pool.expiredNs;
}

}  // namespace

void accountRuntime(Context& ctx, CfsRqId queueId, std::uint64_t delta) {
  Machine& m = ctx.m;
  CfsRq& queue = m.queue(queueId);
  if (!queue.runtimeEnabled) return;
  queue.runtimeRemaining -= static_cast<std::int64_t>(delta);
  bandwidthOf(m, queue).usedNs += delta;
  if (!m.behaviours().quotaNeverExpires) expireRuntime(m, queue);
  if (queue.runtimeRemaining > 0 || queue.throttled) return;
  const auto slice = static_cast<std::int64_t>(m.tunables().bandwidthSliceNs);
  if (!assignRuntime(m, queue, slice) && queue.curr.isValid()) reschedCurr(m, queue.cpu);
}

void returnRuntime(Machine& m, CfsRqId queueId) {
  CfsRq& queue = m.queue(queueId);
  if (!queue.runtimeEnabled || queue.nrQueued != 0) return;
  const std::int64_t slack = queue.runtimeRemaining - kKeptRuntimeNs;
  if (slack <= 0) return;
  CfsBandwidth& pool = bandwidthOf(m, queue);
  const bool isCurrent = m.behaviours().quotaNeverExpires || queue.runtimeSeq == pool.periodSeq;
  if (pool.quotaNs >= 0 && isCurrent) {
    pool.runtimeNs += slack;
    if (pool.runtimeNs > static_cast<std::int64_t>(m.tunables().bandwidthSliceNs) &&
        !pool.throttled.empty() && pool.slackAtNs == CfsBandwidth::kNoSlackTimer &&
        !isRefreshWithin(m, pool, kSlackPeriodNs + kRefreshNearNs))
      pool.slackAtNs = m.nowNs + kSlackPeriodNs;
  } else if (pool.quotaNs >= 0) {
    pool.expiredNs += static_cast<std::uint64_t>(slack);
  }
  queue.runtimeRemaining -= slack;
}

bool checkRuntime(Context& ctx, CfsRqId queueId) {
  const CfsRq& queue = ctx.m.queue(queueId);
  if (!queue.runtimeEnabled || queue.runtimeRemaining > 0) return false;
  return queue.throttled || throttleQueue(ctx, queueId);
}

void checkEnqueueThrottle(Context& ctx, CfsRqId queueId) {
  const CfsRq& queue = ctx.m.queue(queueId);
  if (!queue.runtimeEnabled || queue.curr.isValid() || queue.throttled) return;
  accountRuntime(ctx, queueId, 0);
  if (queue.runtimeRemaining <= 0) throttleQueue(ctx, queueId);
}

void setGroupBandwidth(Context& ctx, GroupId group, std::int64_t quotaNs, std::uint64_t periodNs) {
  Machine& m = ctx.m;
  if (m.group(group).entityBase < 0) return;
  CfsBandwidth& pool = m.group(group).bandwidth;
  if (pool.quotaNs < 0) pool.periodEndNs = m.nowNs + periodNs;
  pool.quotaNs = quotaNs;
  pool.periodNs = periodNs;
  pool.slackAtNs = CfsBandwidth::kNoSlackTimer;
  refill(pool);
  m.topology->online.forEach([&](CpuId cpu) {
    const CfsRqId id = queueOf(m, group, cpu);
    CfsRq& queue = m.queue(id);
    queue.runtimeEnabled = quotaNs >= 0;
    queue.runtimeRemaining = 0;
    if (queue.throttled) unthrottleQueue(ctx, id);
  });
}

std::uint64_t nextBandwidthTimerNs(const CfsBandwidth& pool, std::uint64_t nowNs) {
  if (pool.quotaNs < 0 || pool.periodNs == 0) return UINT64_MAX;
  if (pool.throttled.empty() && pool.runtimeNs == pool.quotaNs) return pool.slackAtNs;
  std::uint64_t end = pool.periodEndNs;
  if (end < nowNs) end += (nowNs - end + pool.periodNs - 1) / pool.periodNs * pool.periodNs;
  return std::min(end, pool.slackAtNs);
}

void bandwidthTimer(Context& ctx, GroupId group) {
  Machine& m = ctx.m;
  CfsBandwidth& pool = m.group(group).bandwidth;
  const auto slice = static_cast<std::int64_t>(m.tunables().bandwidthSliceNs);
  if (pool.quotaNs < 0) return;
  if (pool.slackAtNs == m.nowNs) {
    pool.slackAtNs = CfsBandwidth::kNoSlackTimer;
    if (!isRefreshWithin(m, pool, kRefreshNearNs) && pool.runtimeNs > slice) distributeRuntime(ctx, group);
    return;
  }
  pool.periodEndNs = m.nowNs + pool.periodNs;
  refill(pool);
  ++pool.nrPeriods;
  bool anyLeft = !pool.throttled.empty();
  if (anyLeft) ++pool.nrThrottled;
  while (anyLeft && pool.runtimeNs > 0) anyLeft = distributeRuntime(ctx, group);
}

}  // namespace rqscope
