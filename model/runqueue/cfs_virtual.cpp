// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runqueue/cfs.h"

namespace rqscope::cfs {
namespace {

constexpr std::uint32_t kNrLatency = 8;  // sched_nr_latency

/// Kernel: sched_idle_cfs_rq().
bool isAllIdle(const CfsRq& queue) { return queue.nrQueued != 0 && queue.nrQueued == queue.idleNrRunning; }

/// Kernel: entity_is_long_sleeper(): its vruntime may have wrapped around.
bool isLongSleeper(const Machine& m, const SchedEntity& se) {
  constexpr std::uint64_t kLongest = (std::uint64_t{1} << 63) / 1024;
  const std::uint64_t now = m.rq(m.queue(se.cfsRq).cpu).clockTask;
  return se.execStart != 0 && now > se.execStart && now - se.execStart > kLongest;
}

std::uint64_t laterOf(std::uint64_t a, std::uint64_t b) { return virtualDelta(b, a) > 0 ? b : a; }

}  // namespace

namespace {

LoadWeight& loadOf(Machine& m, CfsRqId queue) { return m.queue(queue).load; }
LoadWeight loadOf(const Machine& m, CfsRqId queue) { return m.queue(queue).load; }

/// On a Machine that may change, the weights keep the reciprocals that were needed.
template <class SomeMachine>
std::uint64_t sliceIn(SomeMachine& m, CfsRqId queueId, EntityId entity) {
  const CfsRq& queue = m.queue(queueId);
  std::uint32_t count = m.features().altPeriod ? m.rootCfs(queue.cpu).hNrQueued : queue.nrQueued;
  if (!m.entity(entity).onRq) ++count;
  std::uint64_t slice = count > kNrLatency ? count * m.minGranularityNs : m.latencyNs;
  for (EntityId e = entity; e.isValid(); e = m.entity(e).parent) {
    const SchedEntity& se = m.entity(e);
    auto&& total = loadOf(m, se.cfsRq);
    if (se.onRq) {
      slice = calcDelta(slice, se.load.weight, total);
    } else {
      LoadWeight withIt = total;
      addLoad(withIt, se.load.weight);
      slice = calcDelta(slice, se.load.weight, withIt);
    }
  }
  if (!m.features().baseSlice) return slice;
  const bool isIdle = isIdleEntity(m, m.entity(entity)) && !isAllIdle(queue);
  return std::max(slice, isIdle ? m.tunables().idleMinGranularityNs : m.minGranularityNs);
}

}  // namespace

std::uint64_t sliceOf(Machine& m, CfsRqId queue, EntityId entity) { return sliceIn(m, queue, entity); }
std::uint64_t sliceNow(const Machine& m, CfsRqId queue, EntityId entity) { return sliceIn(m, queue, entity); }

std::uint64_t virtualSliceOf(Machine& m, CfsRqId queue, EntityId entity) {
  const std::uint64_t slice = sliceOf(m, queue, entity);
  return calcDeltaFair(slice, m.entity(entity));
}

std::uint64_t wakeupMargin(const Machine& m, SchedEntity& wakee) {
  return calcDeltaFair(m.wakeupGranularityNs, wakee);
}

int wakeupPreemptEntity(Machine& m, EntityId curr, EntityId wakee) {
  SchedEntity& se = m.entity(wakee);
  const std::int64_t ahead = virtualDelta(m.entity(curr).vruntime, se.vruntime);
  if (ahead <= 0) return -1;
  return ahead > static_cast<std::int64_t>(wakeupMargin(m, se)) ? 1 : 0;
}

void placeEntity(Context& ctx, CfsRqId queueId, EntityId entity, bool initial) {
  Machine& m = ctx.m;
  const CfsRq& queue = m.queue(queueId);
  SchedEntity& se = m.entity(entity);
  std::uint64_t vruntime = queue.zeroVruntime;
  if (initial) {
    if (m.features().startDebit) vruntime += virtualSliceOf(m, queueId, entity);
  } else {
    const std::uint64_t credit = isIdleEntity(m, se) ? m.minGranularityNs : m.latencyNs;
    vruntime -= m.features().gentleFairSleepers ? credit >> 1 : credit;
  }
  se.vruntime = isLongSleeper(m, se) ? vruntime : laterOf(se.vruntime, vruntime);
  ctx.observer.onPlaceEntity(m, {entity, queue.cpu, queue.zeroVruntime, 0, 0, se.vruntime, 0,
                                 initial ? kEnqueueInitial : kEnqueueWakeup});
}

void reweightEntity(Context& ctx, CfsRqId queueId, EntityId entity, std::uint64_t weight) {
  Machine& m = ctx.m;
  CfsRq& queue = m.queue(queueId);
  SchedEntity& se = m.entity(entity);
  if (se.onRq) {
    if (queue.curr == entity) chargeCurr(ctx, queueId);
    subLoad(queue.load, se.load.weight);
  }
  dequeueLoadAvg(m, queueId, entity);
  se.load = {weight, 0};
  se.avg.loadAvg = seWeight(se) * se.avg.loadSum / peltDivider(se.avg);
  enqueueLoadAvg(m, queueId, entity);
  if (se.onRq) addLoad(queue.load, se.load.weight);
}

}  // namespace rqscope::cfs
