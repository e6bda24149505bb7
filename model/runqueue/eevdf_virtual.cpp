// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runqueue/eevdf.h"
#include "runqueue/shared_queue.h"

namespace rqscope::eevdf {
namespace {

using Tree = QueueTree<QueueKind::Eevdf>;

std::int64_t asSigned(std::uint64_t v) { return static_cast<std::int64_t>(v); }
std::uint64_t asUnsigned(std::int64_t v) { return static_cast<std::uint64_t>(v); }

/// Kernel: div_s64(): the divisor is 32 bits wide.
std::int64_t divS64(std::int64_t value, std::uint64_t divisor) {
  return value / static_cast<std::int32_t>(divisor);
}

/// The running entity when it competes, else nullptr.
const SchedEntity* runningEntity(const Machine& m, const CfsRq& queue) {
  if (!queue.curr.isValid()) return nullptr;
  const SchedEntity& curr = m.entity(queue.curr);
  return curr.onRq ? &curr : nullptr;
}

/// Sum of key times weight and sum of weights with the running entity added.
struct Sums {
  std::int64_t keys;
  std::uint64_t weights;
};

Sums sumsWithCurr(const Machine& m, const CfsRq& queue) {
  Sums s{queue.sumWVruntime, queue.sumWeight};
  if (const SchedEntity* curr = runningEntity(m, queue)) {
    const std::uint64_t weight = seWeight(*curr);
    s.keys = asSigned(asUnsigned(s.keys) + (curr->vruntime - queue.zeroVruntime) * weight);
    s.weights += weight;
  }
  return s;
}

bool isEligible(const CfsRq& queue, const Sums& sums, std::uint64_t vruntime) {
  return sums.keys >= asSigned((vruntime - queue.zeroVruntime) * sums.weights);
}

bool isBefore(const SchedEntity& a, const SchedEntity& b) { return virtualDelta(a.deadline, b.deadline) < 0; }

/// V relative to the queue's reference point, rounded towards the left.
std::int64_t averageKey(const Machine& m, const CfsRq& queue) {
  if (queue.sumWeight == 0) {
    const SchedEntity* curr = runningEntity(m, queue);
    return curr != nullptr ? virtualDelta(curr->vruntime, queue.zeroVruntime) : 0;
  }
  Sums s = sumsWithCurr(m, queue);
  if (s.keys < 0) s.keys = asSigned(asUnsigned(s.keys) - (s.weights - 1));
  return divS64(s.keys, s.weights);
}

/// Scales what an entity's lag and deadline are ahead of or behind V. Kernel: reweight_eevdf(). Before
/// eab03c23c2a1 only the distance from the vruntime to the deadline was scaled.
void scaleVirtual(const Machine& m, SchedEntity& se, std::uint64_t average, std::uint64_t weight) {
  const std::uint64_t old = se.load.weight;
  if (!m.behaviours().reweightKeepsLag) {
    const std::uint64_t request = se.deadline - se.vruntime;
    se.deadline = se.vruntime + asUnsigned(divS64(asSigned(request * old), weight));
    return;
  }
  if (average != se.vruntime) {
    const std::int64_t lag = lagOf(m, average, se);
    se.vruntime = average - asUnsigned(divS64(asSigned(asUnsigned(lag) * old), weight));
  }
  const std::uint64_t ahead = se.deadline - average;
  se.deadline = average + asUnsigned(divS64(asSigned(ahead * old), weight));
}

}  // namespace

std::uint64_t averageOf(const Machine& m, const CfsRq& queue) {
  return queue.zeroVruntime + asUnsigned(averageKey(m, queue));
}

std::uint64_t moveToAverage(Machine& m, CfsRq& queue) {
  const std::uint64_t delta = asUnsigned(averageKey(m, queue));
  queue.sumWVruntime = asSigned(asUnsigned(queue.sumWVruntime) - queue.sumWeight * delta);
  queue.zeroVruntime += delta;
  return queue.zeroVruntime;
}

bool isVruntimeEligible(const Machine& m, const CfsRq& queue, std::uint64_t vruntime) {
  return isEligible(queue, sumsWithCurr(m, queue), vruntime);
}

std::int64_t lagOf(const Machine& m, std::uint64_t average, SchedEntity& se) {
  const std::uint64_t longest = std::max(2 * se.slice, m.tunables().tickNs());
  const std::int64_t limit = asSigned(calcDeltaFair(longest, se));
  return std::clamp(virtualDelta(average, se.vruntime), -limit, limit);
}

void updateEntityLag(Machine& m, CfsRq& queue, SchedEntity& se) {
  se.vlag = lagOf(m, moveToAverage(m, queue), se);
}

bool updateDeadline(Machine& m, CfsRq& queue, SchedEntity& se) {
  if (virtualDelta(se.vruntime, se.deadline) < 0) return false;
  if (!se.customSlice) se.slice = m.baseSliceNs;
  se.deadline = se.vruntime + calcDeltaFair(se.slice, se);
  moveToAverage(m, queue);
  return true;
}

std::uint64_t minSlice(const Machine& m, const CfsRq& queue) {
  std::uint64_t slice = ~std::uint64_t{0};
  if (const SchedEntity* curr = runningEntity(m, queue)) slice = curr->slice;
  if (queue.root.isValid()) slice = std::min(slice, m.entity(queue.root).minSlice);
  return slice;
}

void insertEntity(Context& ctx, CfsRq& queue, EntityId entity) {
  Machine& m = ctx.m;
  const SchedEntity& se = m.entity(entity);
  const std::uint64_t weight = seWeight(se);
  queue.sumWVruntime = asSigned(asUnsigned(queue.sumWVruntime) + (se.vruntime - queue.zeroVruntime) * weight);
  queue.sumWeight += weight;
  Tree(m.entities.data(), queue).insert(entity);
  joinWithTree(ctx, queue, entity);
}

void removeEntity(Context& ctx, CfsRq& queue, EntityId entity) {
  Machine& m = ctx.m;
  leaveWithTree(ctx, entity);
  Tree(m.entities.data(), queue).erase(entity);
  const SchedEntity& se = m.entity(entity);
  const std::uint64_t weight = seWeight(se);
  queue.sumWVruntime = asSigned(asUnsigned(queue.sumWVruntime) - (se.vruntime - queue.zeroVruntime) * weight);
  queue.sumWeight -= weight;
}

void placeEntity(Context& ctx, CfsRqId queueId, EntityId entity, std::uint32_t flags) {
  Machine& m = ctx.m;
  CfsRq& queue = m.queue(queueId);
  SchedEntity& se = m.entity(entity);
  PlacedEntity placed{entity, queue.cpu, moveToAverage(m, queue), se.vlag, 0, 0, 0, flags};
  if (!se.customSlice) se.slice = m.baseSliceNs;
  std::uint64_t vslice = calcDeltaFair(se.slice, se);
  std::int64_t lag = 0;
  if (m.features().placeLag && queue.nrQueued != 0) {
    std::uint64_t load = sumsWithCurr(m, queue).weights;
    lag = asSigned(asUnsigned(se.vlag) * (load + seWeight(se)));
    if (load == 0) load = 1;
    lag = divS64(lag, load);
  }
  se.vruntime = placed.averageVruntime - asUnsigned(lag);
  if (m.features().placeRelDeadline && se.relDeadline) {
    se.deadline += se.vruntime;
    se.relDeadline = false;
  } else {
    if (m.features().placeDeadlineInitial && (flags & kEnqueueInitial) != 0) vslice /= 2;
    se.deadline = se.vruntime + vslice;
  }
  placed.lag = lag;
  placed.vruntime = se.vruntime;
  placed.deadline = se.deadline;
  ctx.observer.onPlaceEntity(m, placed);
}

void reweightEntity(Context& ctx, CfsRqId queueId, EntityId entity, std::uint64_t weight) {
  Machine& m = ctx.m;
  CfsRq& queue = m.queue(queueId);
  SchedEntity& se = m.entity(entity);
  const bool isCurr = queue.curr == entity;
  std::uint64_t average = 0;
  if (se.onRq) {
    chargeCurr(ctx, queueId);
    average = moveToAverage(m, queue);
    if (!isCurr) removeEntity(ctx, queue, entity);
    subLoad(queue.load, se.load.weight);
  }
  dequeueLoadAvg(m, queueId, entity);
  if (se.onRq)
    scaleVirtual(m, se, average, weight);
  else
    se.vlag = divS64(asSigned(asUnsigned(se.vlag) * se.load.weight), weight);
  se.load = {weight, 0};
  se.avg.loadAvg = seWeight(se) * se.avg.loadSum / peltDivider(se.avg);
  enqueueLoadAvg(m, queueId, entity);
  if (se.onRq) {
    addLoad(queue.load, se.load.weight);
    if (!isCurr) insertEntity(ctx, queue, entity);
  }
}

EntityId pick(const Machine& m, const CfsRq& queue) {
  const SchedEntity* curr = runningEntity(m, queue);
  if (queue.nrQueued == 1) return curr != nullptr ? queue.curr : queue.leftmost;
  const Sums sums = sumsWithCurr(m, queue);
  if (curr != nullptr && !isEligible(queue, sums, curr->vruntime)) curr = nullptr;
  if (m.features().runToParity && curr != nullptr && curr->vlag == asSigned(curr->deadline))
    return queue.curr;

  EntityId best;
  if (queue.leftmost.isValid() && isEligible(queue, sums, m.entity(queue.leftmost).vruntime)) {
    best = queue.leftmost;
  } else {
    EntityId at = queue.root;
    while (at.isValid()) {
      const SchedEntity& se = m.entity(at);
      if (se.tree.left.isValid() && isEligible(queue, sums, m.entity(se.tree.left).minVruntime)) {
        at = se.tree.left;
        continue;
      }
      if (isEligible(queue, sums, se.vruntime)) {
        best = at;
        break;
      }
      at = se.tree.right;
    }
  }
  if (!best.isValid() || (curr != nullptr && isBefore(*curr, m.entity(best))))
    return curr != nullptr ? queue.curr : EntityId{};
  return best;
}

}  // namespace rqscope::eevdf
