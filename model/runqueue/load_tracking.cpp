// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runqueue/load_tracking.h"

#include <algorithm>

#include "base/fixed.h"
#include "runqueue/sum_floor.h"

namespace rqscope {
namespace {

constexpr std::uint64_t kPeltUnitNs = 1024;  // sums advance in steps of it

/// Kernel: is_idle_task(rq->curr).
bool isIdleTaskCurrent(const Rq& rq) {
  return !rq.curr.isValid() && !rq.stopperRunning && !rq.rtRunning && !rq.dlRunning;
}

/// Kernel: _update_idle_rq_clock_pelt().
void syncIdleClockPelt(Rq& rq) {
  rq.clockPelt = rq.clockTask;
  rq.clockIdle = rq.clock;
  rq.clockPeltIdle = rqClockPelt(rq);
}

/// Kernel: cap_scale().
constexpr std::uint64_t capScale(std::uint64_t value, std::uint64_t capacity) {
  return (value * capacity) >> kCapacityShift;
}

/// Everything is 0: without input only the time advances, as updateLoadSum() would. Most averages of the
/// other classes are so most of the time.
bool isAtRest(const SchedAvg& avg) {
  return (avg.loadSum | avg.runnableSum | avg.utilSum | avg.loadAvg | avg.runnableAvg | avg.utilAvg) == 0;
}

/// updatePelt() of an average at rest. True when a period boundary was crossed.
bool advanceAtRest(std::uint64_t nowNs, SchedAvg& avg) {
  const auto elapsed = static_cast<std::int64_t>(nowNs - avg.lastUpdateTime);
  if (elapsed < 0) avg.lastUpdateTime = nowNs;
  if (elapsed < 1024) return false;
  const std::uint64_t delta = static_cast<std::uint64_t>(elapsed) >> 10;
  avg.lastUpdateTime += delta << 10;
  const std::uint64_t whole = delta + avg.periodContrib;
  avg.periodContrib = static_cast<std::uint32_t>(whole % kPeltPeriod);
  return whole >= kPeltPeriod;
}

/// Kernel: update_irq_load_avg(): the interrupt time is taken to lie just before now.
bool updateIrqLoadAvg(Rq& rq, std::uint64_t capacity, std::uint64_t irqNs) {
  if (irqNs == 0 && isAtRest(rq.avgIrq)) return advanceAtRest(rq.clock, rq.avgIrq);
  const std::uint64_t running = capScale(capScale(irqNs, rq.freqCapacity), capacity);
  const bool before = updateLoadSum(rq.clock - running, rq.avgIrq, {0, 0, false});
  const bool during = updateLoadSum(rq.clock, rq.avgIrq, {1, 1, true});
  if (before || during) updateLoadAverages(rq.avgIrq, 1);
  return before || during;
}

bool updateClassAvg(std::uint64_t nowNs, SchedAvg& avg, std::uint64_t running) {
  if (running == 0 && isAtRest(avg)) return advanceAtRest(nowNs, avg);
  return updatePelt(nowNs, avg, {running, running, running != 0}, 1);
}

/// Tasks below the queue that count as runnable. Kernel: the "runnable" input of __update_load_avg_cfs_rq().
std::uint32_t runnableTasks(const Machine& m, const CfsRq& queue) {
  if (m.profile->queue == QueueKind::FlatEevdf) return queue.hNrRunnable;
  return queue.hNrQueued - queue.hNrDelayed;
}

/// Kernel: se_runnable().
std::uint64_t seRunnable(const SchedEntity& entity) {
  if (entity.schedDelayed) return 0;
  if (entity.isTask()) return entity.onRq ? 1 : 0;
  return entity.runnableWeight;
}

}  // namespace

void updateRqClock(Context& ctx, CpuId cpu) {
  Machine& m = ctx.m;
  Rq& rq = m.rq(cpu);
  const auto elapsed = static_cast<std::int64_t>(m.nowNs - rq.clock);
  if (elapsed <= 0) {  // the rest would add nothing
    if (elapsed == 0 && isIdleTaskCurrent(rq)) syncIdleClockPelt(rq);
    return;
  }
  auto delta = static_cast<std::uint64_t>(elapsed);
  rq.clock += delta;
  const std::uint64_t irq = std::min(rq.irqTimePendingNs, delta);
  rq.irqTimePendingNs -= irq;
  delta -= irq;
  rq.clockTask += delta;
  const std::uint64_t capacity = capacityOrig(m, cpu);
  if (irq != 0 && m.features().nontaskCapacity) updateIrqLoadAvg(rq, capacity, irq);
  if (isIdleTaskCurrent(rq))
    syncIdleClockPelt(rq);
  else
    rq.clockPelt += capScale(capScale(delta, capacity), rq.freqCapacity);
}

void updateIdleRqClockPelt(Machine& m, CpuId cpu) {
  constexpr std::uint32_t kAlwaysRunning = (kPeltMinDivider << kCapacityShift) - kLoadAvgMax;
  Rq& rq = m.rq(cpu);
  const std::uint32_t utilSum = m.rootCfs(cpu).avg.utilSum + rq.avgRt.utilSum + rq.avgDl.utilSum;
  if (utilSum >= kAlwaysRunning) rq.lostIdleTime += rq.clockTask - rq.clockPelt;
  syncIdleClockPelt(rq);
}

bool updateOtherLoadAvgs(Context& ctx, CpuId cpu) {
  Rq& rq = ctx.m.rq(cpu);
  const std::uint64_t now = rqClockPelt(rq);
  const bool rt = updateClassAvg(now, rq.avgRt, rq.rtRunning ? 1 : 0);
  const bool dl = updateClassAvg(now, rq.avgDl, rq.dlRunning ? 1 : 0);
  const bool hw = updateClassAvg(rq.clockTask, rq.avgHw, rq.hwPressure);
  const bool irq = updateIrqLoadAvg(rq, capacityOrig(ctx.m, cpu), 0);
  return rt || dl || hw || irq;
}

namespace {

PeltInput inputOf(const Machine& m, const CfsRq& queue, const SchedEntity& se, EntityId entity) {
  return {se.onRq ? 1U : 0U, seRunnable(se), currentOfLevel(m, queue) == entity};
}

PeltInput inputOf(const Machine& m, const CfsRq& queue) {
  return {scaleLoadDown(queue.load.weight), runnableTasks(m, queue), currentOfLevel(m, queue).isValid()};
}

/// The averages of an entity after a step that crossed a boundary.
void finishEntityStep(const Machine& m, SchedEntity& se) {
  updateLoadAverages(se.avg, seWeight(se));
  if (m.features().utilEst) se.avg.utilEst &= ~kUtilAvgUnchanged;  // Kernel: cfs_se_util_change()
}

}  // namespace

bool updateLoadAvgSe(Machine& m, std::uint64_t nowNs, const CfsRq& queue, EntityId entity) {
  SchedEntity& se = m.entity(entity);
  if (!updateLoadSum(nowNs, se.avg, inputOf(m, queue, se, entity))) return false;
  finishEntityStep(m, se);
  return true;
}

bool updateLoadAvgBlockedSe(std::uint64_t nowNs, SchedEntity& entity) {
  return updatePelt(nowNs, entity.avg, {0, 0, false}, seWeight(entity));
}

bool updateLoadAvgCfsRq(const Machine& m, std::uint64_t nowNs, CfsRq& queue) {
  return updatePelt(nowNs, queue.avg, inputOf(m, queue), 1);
}

void seUpdateRunnable(Machine& m, EntityId entity) {
  SchedEntity& se = m.entity(entity);
  if (!se.isTask()) se.runnableWeight = runnableTasks(m, m.queue(se.myQ));
}

namespace {

/// What tasks that left the queue while asleep take along. True when it counts as a change.
[[gnu::noinline]] bool applyRemoved(const Machine& m, CfsRq& q) {
  const RemovedLoad removed = q.removed;
  q.removed = {};
  const std::uint64_t divider = peltDivider(q.avg);
  subPositive(q.avg.loadAvg, removed.loadAvg);
  subPositive(q.avg.loadSum, removed.loadAvg * divider);
  subPositive(q.avg.utilAvg, removed.utilAvg);
  subPositive(q.avg.utilSum, static_cast<std::uint32_t>(removed.utilAvg * divider));
  subPositive(q.avg.runnableAvg, removed.runnableAvg);
  subPositive(q.avg.runnableSum, removed.runnableAvg * divider);
  floorSums(m, q.avg);
  const std::int64_t sum = -static_cast<std::int64_t>(removed.runnableAvg * divider) >> kCapacityShift;
  if (m.behaviours().tgLoadAvgDelayRemoved) {
    q.propRemovedSum += sum;
    return false;
  }
  addTgCfsPropagate(q, sum);
  return true;
}

/// updateCfsRqLoadAvg() with the step that the queue's average has to do.
[[gnu::always_inline]] inline bool advanceQueue(const Machine& m, CfsRq& q, const PeltStep& step) {
  const bool decayed = q.removed.nr != 0 && applyRemoved(m, q);
  if (!applyStep(q.avg, step, inputOf(m, q))) return decayed;
  updateLoadAverages(q.avg, 1);
  return true;
}

/// The entity's sums on their own: it was not updated when the queue was.
[[gnu::noinline]] bool advanceSums(std::uint64_t now, SchedAvg& avg, const PeltInput& input) {
  return updateLoadSum(now, avg, input);
}

/// Entity and queue to `now`. They have mostly been updated together and then do the same step. True when
/// the queue changed.
[[gnu::always_inline]] inline bool advanceBoth(const Machine& m, std::uint64_t now, CfsRq& q, SchedEntity& se,
                                               EntityId entity) {
  const bool isAttached = se.avg.lastUpdateTime != 0;
  if (now - q.avg.lastUpdateTime < kPeltUnitNs && q.removed.nr == 0 &&
      (!isAttached || se.avg.lastUpdateTime == q.avg.lastUpdateTime))
    return false;  // not a whole 1024 ns since: several updates of one moment are common
  const PeltStep step = peltStep(now, q.avg, true);
  if (isAttached) {
    const PeltInput input = inputOf(m, q, se, entity);
    const bool isTogether =
        se.avg.lastUpdateTime == q.avg.lastUpdateTime && se.avg.periodContrib == q.avg.periodContrib;
    const bool changes = isTogether ? applyStep(se.avg, step, input) : advanceSums(now, se.avg, input);
    if (changes) finishEntityStep(m, se);
  }
  return advanceQueue(m, q, step);
}

}  // namespace

bool updateCfsRqLoadAvg(Context& ctx, std::uint64_t nowNs, CfsRqId queue) {
  CfsRq& q = ctx.m.queue(queue);
  return advanceQueue(ctx.m, q, peltStep(nowNs, q.avg, q.load.weight != 0));
}

void enqueueLoadAvg(Machine& m, CfsRqId queue, EntityId entity) {
  CfsRq& q = m.queue(queue);
  const SchedEntity& se = m.entity(entity);
  q.avg.loadAvg += se.avg.loadAvg;
  q.avg.loadSum += seWeight(se) * se.avg.loadSum;
}

void dequeueLoadAvg(Machine& m, CfsRqId queue, EntityId entity) {
  CfsRq& q = m.queue(queue);
  const SchedEntity& se = m.entity(entity);
  subPositive(q.avg.loadAvg, se.avg.loadAvg);
  subPositive(q.avg.loadSum, seWeight(se) * se.avg.loadSum);
  floorLoadSum(m, q.avg);
}

void attachEntityLoadAvg(Context& ctx, CfsRqId queue, EntityId entity) {
  Machine& m = ctx.m;
  CfsRq& q = m.queue(queue);
  SchedEntity& se = m.entity(entity);
  const std::uint64_t divider = peltDivider(q.avg);
  se.avg.lastUpdateTime = q.avg.lastUpdateTime;
  se.avg.periodContrib = q.avg.periodContrib;
  se.avg.utilSum = static_cast<std::uint32_t>(se.avg.utilAvg * divider);
  se.avg.runnableSum = se.avg.runnableAvg * divider;
  se.avg.loadSum = se.avg.loadAvg * divider;
  const std::uint64_t weight = seWeight(se);
  se.avg.loadSum = weight < se.avg.loadSum ? se.avg.loadSum / weight : 1;
  enqueueLoadAvg(m, queue, entity);
  q.avg.utilAvg += se.avg.utilAvg;
  q.avg.utilSum += se.avg.utilSum;
  q.avg.runnableAvg += se.avg.runnableAvg;
  q.avg.runnableSum += se.avg.runnableSum;
  addTgCfsPropagate(q, static_cast<std::int64_t>(se.avg.loadSum));
}

void detachEntityLoadAvg(Context& ctx, CfsRqId queue, EntityId entity) {
  Machine& m = ctx.m;
  CfsRq& q = m.queue(queue);
  const SchedEntity& se = m.entity(entity);
  dequeueLoadAvg(m, queue, entity);
  subPositive(q.avg.utilAvg, se.avg.utilAvg);
  subPositive(q.avg.utilSum, se.avg.utilSum);
  floorUtilSum(q.avg);
  subPositive(q.avg.runnableAvg, se.avg.runnableAvg);
  subPositive(q.avg.runnableSum, se.avg.runnableSum);
  floorRunnableSum(m, q.avg);
  addTgCfsPropagate(q, -static_cast<std::int64_t>(se.avg.loadSum));
}

// Simplified: no cpufreq governor is told of a changed utilisation (cfs_rq_util_change()); frequencies are
// scripted.
void updateLoadAvg(Context& ctx, CfsRqId queue, EntityId entity, std::uint32_t flags) {
  Machine& m = ctx.m;
  const std::uint64_t now = cfsRqClockPelt(m, queue);
  SchedEntity& se = m.entity(entity);
  bool decayed = false;
  if ((flags & (kSkipAgeLoad | kUpdateUtilEst)) == 0) [[likely]] {
    decayed = advanceBoth(m, now, m.queue(queue), se, entity);
  } else {
    if ((flags & kSkipAgeLoad) == 0 && se.avg.lastUpdateTime != 0)
      updateLoadAvgSe(m, now, m.queue(queue), entity);
    if ((flags & kUpdateUtilEst) != 0 && se.task.isValid())
      utilEstUpdate(m, m.queue(queue).cpu, se.task, true);
    decayed = updateCfsRqLoadAvg(ctx, now, queue);
  }
  if (!se.isTask()) decayed |= propagateEntityLoadAvg(ctx, entity);
  if (se.avg.lastUpdateTime == 0 && (flags & kDoAttach) != 0) {
    attachEntityLoadAvg(ctx, queue, entity);
    updateTgLoadAvg(ctx, queue);
  } else if ((flags & kDoDetach) != 0) {
    detachEntityLoadAvg(ctx, queue, entity);
    updateTgLoadAvg(ctx, queue);
  } else if (decayed && (flags & kUpdateTg) != 0 && m.queue(queue).group.value != 0) {
    updateTgLoadAvg(ctx, queue);
  }
}

void syncEntityLoadAvg(Context& ctx, EntityId entity) {
  SchedEntity& se = ctx.m.entity(entity);
  updateLoadAvgBlockedSe(ctx.m.queue(se.cfsRq).avg.lastUpdateTime, se);
}

void removeEntityLoadAvg(Context& ctx, EntityId entity) {
  syncEntityLoadAvg(ctx, entity);
  const SchedEntity& se = ctx.m.entity(entity);
  RemovedLoad& removed = ctx.m.queue(se.cfsRq).removed;
  ++removed.nr;
  removed.utilAvg += se.avg.utilAvg;
  removed.loadAvg += se.avg.loadAvg;
  removed.runnableAvg += se.avg.runnableAvg;
}

void migrateSePeltLag(Context& ctx, EntityId entity) {
  Machine& m = ctx.m;
  SchedEntity& se = m.entity(entity);
  if (isDecayed(se.avg)) return;
  const CfsRq& queue = m.queue(se.cfsRq);
  const Rq& rq = m.rq(queue.cpu);
  if (!isIdleTaskCurrent(rq) || queue.throttledPeltIdle == UINT64_MAX) return;
  std::uint64_t now = rq.clockPeltIdle - queue.throttledPeltIdle;
  if (now < queue.avg.lastUpdateTime)
    now = queue.avg.lastUpdateTime;
  else
    now += m.nowNs - rq.clockIdle;
  updateLoadAvgBlockedSe(now, se);
}

void setTaskRqFair(Machine& m, EntityId entity, CfsRqId prev, CfsRqId next) {
  SchedEntity& se = m.entity(entity);
  if (!m.features().attachAgeLoad || se.avg.lastUpdateTime == 0 || !prev.isValid()) return;
  updateLoadAvgBlockedSe(m.queue(prev).avg.lastUpdateTime, se);
  se.avg.lastUpdateTime = m.queue(next).avg.lastUpdateTime;
}

void postInitEntityUtilAvg(Context& ctx, TaskId task) {
  Machine& m = ctx.m;
  SchedEntity& se = m.se(task);
  const CfsRq& queue = m.queue(se.cfsRq);
  const auto room = static_cast<std::int64_t>(capacityOrig(m, queue.cpu) - queue.avg.utilAvg) / 2;
  if (room > 0) {
    const auto cap = static_cast<std::uint64_t>(room);
    const std::uint64_t weight = m.behaviours().postInitScaledWeight ? se.load.weight : seWeight(se);
    se.avg.utilAvg = cap;
    if (queue.avg.utilAvg != 0)
      se.avg.utilAvg = std::min(queue.avg.utilAvg * weight / (queue.avg.loadAvg + 1), cap);
  }
  se.avg.runnableAvg = se.avg.utilAvg;
}

}  // namespace rqscope
