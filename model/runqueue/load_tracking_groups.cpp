// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cstdlib>

#include "base/fixed.h"
#include "runqueue/load_tracking.h"
#include "runqueue/sum_floor.h"

namespace rqscope {
namespace {

constexpr std::int64_t kMinShares = 2;                              // MIN_SHARES
constexpr std::int64_t kMaxModeShares = std::int64_t{88761} << 10;  // nice -20, scaled: v7.3 mode "max"
constexpr std::int64_t kContribFraction = 64;  // tg->load_avg is published in steps of 1/64

std::int64_t asSigned(std::uint64_t value) { return static_cast<std::int64_t>(value); }

/// Kernel: update_tg_cfs_util().
void propagateUtil(CfsRq& parent, SchedEntity& se, const CfsRq& own) {
  const std::int64_t deltaAvg = virtualDelta(own.avg.utilAvg, se.avg.utilAvg);
  if (deltaAvg == 0) return;
  se.avg.utilAvg = own.avg.utilAvg;
  const auto newSum = static_cast<std::uint32_t>(se.avg.utilAvg * peltDivider(parent.avg));
  const std::int64_t deltaSum = std::int64_t{newSum} - std::int64_t{se.avg.utilSum};
  se.avg.utilSum = newSum;
  addPositive(parent.avg.utilAvg, deltaAvg);
  addPositive(parent.avg.utilSum, deltaSum);
  floorUtilSum(parent.avg);
}

/// Kernel: update_tg_cfs_runnable().
void propagateRunnable(const Machine& m, CfsRq& parent, SchedEntity& se, const CfsRq& own) {
  const std::int64_t deltaAvg = virtualDelta(own.avg.runnableAvg, se.avg.runnableAvg);
  if (deltaAvg == 0) return;
  se.avg.runnableAvg = own.avg.runnableAvg;
  const std::uint64_t product = se.avg.runnableAvg * peltDivider(parent.avg);
  const std::uint64_t newSum =
      m.behaviours().runnableProduct64 ? product : static_cast<std::uint32_t>(product);
  const std::int64_t deltaSum = virtualDelta(newSum, se.avg.runnableSum);
  se.avg.runnableSum = newSum;
  addPositive(parent.avg.runnableAvg, deltaAvg);
  addPositive(parent.avg.runnableSum, deltaSum);
  floorRunnableSum(m, parent.avg);
}

/// New unweighted load sum of a group entity after its queue's runnable sum changed.
std::int64_t propagatedLoadSum(const SchedEntity& se, const CfsRq& own, std::int64_t change,
                               std::uint32_t divider) {
  if (change >= 0) return std::min(change + asSigned(se.avg.loadSum), std::int64_t{divider});
  const std::uint64_t weight = scaleLoadDown(own.load.weight);
  const std::uint64_t estimate = weight != 0 ? own.avg.loadSum / weight : 0;
  return asSigned(std::min(se.avg.loadSum, estimate));
}

/// Kernel: update_tg_cfs_load().
void propagateLoad(const Machine& m, CfsRq& parent, SchedEntity& se, CfsRq& own) {
  const std::int64_t change = own.propRunnableSum;
  if (change == 0) return;
  own.propRunnableSum = 0;
  const std::uint32_t divider = peltDivider(parent.avg);
  const std::int64_t runningSum = se.avg.utilSum >> kCapacityShift;
  const auto newSum =
      static_cast<std::uint64_t>(std::max(propagatedLoadSum(se, own, change, divider), runningSum));
  const std::uint64_t weight = seWeight(se);
  const std::uint64_t loadSum = weight * newSum;
  const std::uint64_t loadAvg = loadSum / divider;
  const std::int64_t deltaAvg = virtualDelta(loadAvg, se.avg.loadAvg);
  if (deltaAvg == 0) return;
  const std::int64_t deltaSum = virtualDelta(loadSum, weight * se.avg.loadSum);
  se.avg.loadSum = newSum;
  se.avg.loadAvg = loadAvg;
  addPositive(parent.avg.loadAvg, deltaAvg);
  addPositive(parent.avg.loadSum, deltaSum);
  floorLoadSum(m, parent.avg);
}

/// Joins the queue to the leaf list unless throttling holds it back; false when the walk up must stop.
bool propagateThroughLevel(Machine& m, CfsRqId queue) {
  const CfsRq& q = m.queue(queue);
  const bool taskBased = m.behaviours().throttleFreezesWhenEmpty;  // v7.3 throttles tasks, not queues
  if (!taskBased && q.throttled) return false;
  if (m.behaviours().attachListsQueue && !isPeltClockStopped(m, q)) addLeafQueue(m, queue);
  return true;
}

/// Kernel: propagate_entity_cfs_rq().
void propagateEntityCfsRq(Context& ctx, EntityId entity) {
  if (!propagateThroughLevel(ctx.m, ctx.m.entity(entity).cfsRq)) return;
  for (EntityId e = ctx.m.entity(entity).parent; e.isValid(); e = ctx.m.entity(e).parent) {
    const CfsRqId queue = ctx.m.entity(e).cfsRq;
    updateLoadAvg(ctx, queue, e, kUpdateTg);
    if (!propagateThroughLevel(ctx.m, queue)) return;
  }
}

bool exceedsFraction(std::int64_t delta, std::uint64_t contribution) {
  return static_cast<std::uint64_t>(std::abs(delta)) > contribution / kContribFraction;
}

/// Adds what changed to the group's totals. Kernel: the write part of update_tg_load_avg().
void publishTgLoad(Context& ctx, CfsRq& queue, std::uint64_t nowNs) {
  TaskGroup& group = ctx.m.group(queue.group);
  group.loadAvg += virtualDelta(queue.avg.loadAvg, queue.tgLoadAvgContrib);
  queue.tgLoadAvgContrib = queue.avg.loadAvg;
  if (ctx.m.behaviours().tgRunnableAvg) {
    group.runnableAvg += virtualDelta(queue.avg.runnableAvg, queue.tgRunnableAvgContrib);
    queue.tgRunnableAvgContrib = queue.avg.runnableAvg;
  }
  queue.lastUpdateTgLoadAvg = nowNs;
  ctx.observer.onTgLoadAvgAccess(ctx.m, queue.group, queue.cpu, true);
}

/// Whether update_tg_load_avg() looks at the queue at all. Offline CPUs count in no group from f60a631ab9ed
/// on.
bool contributesToTg(const Machine& m, const CfsRq& queue) {
  if (queue.group.value == 0) return false;
  return !m.behaviours().offlineClearsTgLoad || m.rq(queue.cpu).isOnline;
}

}  // namespace

bool propagateEntityLoadAvg(Context& ctx, EntityId entity) {
  Machine& m = ctx.m;
  SchedEntity& se = m.entity(entity);
  if (se.isTask()) return false;
  CfsRq& own = m.queue(se.myQ);
  if (!own.propagate) return false;
  own.propagate = false;
  CfsRq& parent = m.queue(se.cfsRq);
  addTgCfsPropagate(parent, own.propRunnableSum);
  propagateUtil(parent, se, own);
  propagateRunnable(m, parent, se, own);
  propagateLoad(m, parent, se, own);
  return true;
}

void attachEntityCfsRq(Context& ctx, EntityId entity) {
  const CfsRqId queue = ctx.m.entity(entity).cfsRq;
  updateLoadAvg(ctx, queue, entity, ctx.m.features().attachAgeLoad ? 0U : std::uint32_t{kSkipAgeLoad});
  attachEntityLoadAvg(ctx, queue, entity);
  updateTgLoadAvg(ctx, queue);
  propagateEntityCfsRq(ctx, entity);
}

void detachEntityCfsRq(Context& ctx, EntityId entity) {
  if (ctx.m.entity(entity).avg.lastUpdateTime == 0) return;
  const CfsRqId queue = ctx.m.entity(entity).cfsRq;
  updateLoadAvg(ctx, queue, entity, 0);
  detachEntityLoadAvg(ctx, queue, entity);
  updateTgLoadAvg(ctx, queue);
  propagateEntityCfsRq(ctx, entity);
}

void updateTgLoadAvg(Context& ctx, CfsRqId queue) {
  Machine& m = ctx.m;
  CfsRq& q = m.queue(queue);
  if (!contributesToTg(m, q)) return;
  const bool runnableToo = m.behaviours().tgRunnableAvg;
  const std::uint64_t now = runnableToo ? m.rq(q.cpu).clock : m.nowNs;
  if (now - q.lastUpdateTgLoadAvg < m.behaviours().tgLoadAvgRatelimitNs) return;
  const bool loadMoved = exceedsFraction(virtualDelta(q.avg.loadAvg, q.tgLoadAvgContrib), q.tgLoadAvgContrib);
  const bool runnableMoved =
      runnableToo &&
      exceedsFraction(virtualDelta(q.avg.runnableAvg, q.tgRunnableAvgContrib), q.tgRunnableAvgContrib);
  if (loadMoved || runnableMoved) publishTgLoad(ctx, q, now);
}

void clearTgOfflineQueues(Context& ctx, CpuId cpu) {
  Machine& m = ctx.m;
  if (!m.behaviours().offlineClearsTgLoad) return;
  for (std::size_t g = 1; g < m.groups.size(); ++g) {
    TaskGroup& group = m.groups[g];
    CfsRq& queue = m.cfs[static_cast<std::size_t>(group.cfsRqBase) + cpu.index()];
    group.loadAvg -= asSigned(queue.tgLoadAvgContrib);
    group.runnableAvg -= asSigned(queue.tgRunnableAvgContrib);
    queue.tgLoadAvgContrib = queue.tgRunnableAvgContrib = 0;
    queue.lastUpdateTgLoadAvg = m.nowNs;
  }
}

std::uint64_t calcGroupShares(const Machine& m, CfsRqId groupQueue) {
  const CfsRq& queue = m.queue(groupQueue);
  const TaskGroup& group = m.group(queue.group);
  const CgroupMode mode = m.behaviours().cgroupMode;
  if (mode == CgroupMode::Up) return group.shares;

  std::int64_t numerator = asSigned(group.shares);
  std::int64_t limit = numerator;
  if (mode != CgroupMode::Smp) {
    const std::int64_t tasks = std::max<std::int64_t>(1, group.runnableAvg >> kCapacityShift);
    // Simplified: the group's cpuset is taken to hold every online CPU.
    const std::int64_t cpus = std::max(1, m.topology->online.weight());
    const std::int64_t factor = mode == CgroupMode::Tasks ? tasks
                                : mode == CgroupMode::Max ? cpus
                                                          : std::min(tasks, cpus);
    numerator *= factor;
    limit = mode == CgroupMode::Max ? kMaxModeShares : numerator;
  }
  const std::int64_t load = asSigned(std::max(scaleLoadDown(queue.load.weight), queue.avg.loadAvg));
  const std::int64_t total = group.loadAvg - asSigned(queue.tgLoadAvgContrib) + load;
  std::int64_t shares = numerator * load;
  if (total != 0) shares /= total;
  return static_cast<std::uint64_t>(std::clamp(shares, kMinShares, std::max(kMinShares, limit)));
}

}  // namespace rqscope
