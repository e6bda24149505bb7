// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runqueue/flat.h"

// Simplified: the sums of key times weight are 64 bits wide and never scaled down. The kernel shifts the
// weights (sum_shift) when a product would overflow, which takes lags of minutes at the largest weights.

namespace rqscope::flat {
namespace {

using Tree = QueueTree<QueueKind::FlatEevdf>;

constexpr std::uint64_t kMinimumQuantumNs = 700'000;  // normalized_sysctl_sched_base_slice

std::int64_t asSigned(std::uint64_t v) { return static_cast<std::int64_t>(v); }
std::uint64_t asUnsigned(std::int64_t v) { return static_cast<std::uint64_t>(v); }

/// value * weight / divisor with a 64-bit product, as the kernel's long arithmetic.
std::int64_t scale(std::int64_t value, std::uint64_t weight, std::uint64_t divisor) {
  return asSigned(asUnsigned(value) * weight) / asSigned(divisor);
}

const SchedEntity* runningEntity(const Machine& m, const CfsRq& root) {
  if (!root.curr.isValid()) return nullptr;
  const SchedEntity& curr = m.entity(root.curr);
  return curr.onRq ? &curr : nullptr;
}

struct Sums {
  std::int64_t keys;
  std::uint64_t weights;
};

Sums sumsWithCurr(const Machine& m, const CfsRq& root) {
  Sums s{root.sumWVruntime, root.sumWeight};
  if (const SchedEntity* curr = runningEntity(m, root)) {
    s.keys = asSigned(asUnsigned(s.keys) + (curr->vruntime - root.zeroVruntime) * curr->hLoad.weight);
    s.weights += curr->hLoad.weight;
  }
  return s;
}

bool isEligible(const CfsRq& root, const Sums& sums, std::uint64_t vruntime) {
  const std::int64_t key = virtualDelta(vruntime, root.zeroVruntime);
  return sums.keys >= static_cast<Int128>(key) * static_cast<Int128>(sums.weights);
}

/// Quotient rounded towards the left.
std::int64_t leftQuotient(std::int64_t keys, std::uint64_t weights) {
  if (keys < 0) keys = asSigned(asUnsigned(keys) - (weights - 1));
  return keys / asSigned(weights);
}

std::int64_t averageKey(const Machine& m, const CfsRq& root) {
  if (root.sumWeight == 0) {
    const SchedEntity* curr = runningEntity(m, root);
    return curr != nullptr ? virtualDelta(curr->vruntime, root.zeroVruntime) : 0;
  }
  const Sums s = sumsWithCurr(m, root);
  return leftQuotient(s.keys, s.weights);
}

/// Kernel: update_zero_vruntime().
void moveZero(CfsRq& root, std::uint64_t delta) {
  root.sumWVruntime = asSigned(asUnsigned(root.sumWVruntime) - root.sumWeight * delta);
  root.zeroVruntime += delta;
}

std::uint64_t maxSlice(const Machine& m, const CfsRq& root) {
  std::uint64_t slice = 0;
  if (const SchedEntity* curr = runningEntity(m, root)) slice = curr->slice;
  if (root.root.isValid()) slice = std::max(slice, m.entity(root.root).maxSlice);
  return slice;
}

/// The earlier of two virtual times.
std::uint64_t earlier(std::uint64_t a, std::uint64_t b) { return virtualDelta(b, a) < 0 ? b : a; }

/// Kernel: rescale_entity().
void rescale(SchedEntity& se, std::uint64_t weight, bool relativeProtection) {
  const std::uint64_t old = se.hLoad.weight;
  se.vlag = scale(se.vlag, old, weight);
  if (se.relDeadline) se.deadline = asUnsigned(scale(asSigned(se.deadline), old, weight));
  if (relativeProtection) se.vprot = asUnsigned(scale(asSigned(se.vprot), old, weight));
  se.hLoad = {weight, 0};
}

}  // namespace

std::uint64_t averageOf(const Machine& m, const CfsRq& root) {
  return root.zeroVruntime + asUnsigned(averageKey(m, root));
}

std::uint64_t moveToAverage(const Machine& m, CfsRq& root) {
  moveZero(root, asUnsigned(averageKey(m, root)));
  return root.zeroVruntime;
}

bool isVruntimeEligible(const Machine& m, const CfsRq& root, std::uint64_t vruntime) {
  return isEligible(root, sumsWithCurr(m, root), vruntime);
}

std::uint64_t minSlice(const Machine& m, const CfsRq& root) {
  std::uint64_t slice = ~std::uint64_t{0};
  if (const SchedEntity* curr = runningEntity(m, root)) slice = curr->slice;
  if (root.root.isValid()) slice = std::min(slice, m.entity(root.root).minSlice);
  return slice;
}

std::int64_t lagOf(const Machine& m, const CfsRq& root, const SchedEntity& se, std::uint64_t average) {
  const std::uint64_t longest = maxSlice(m, root) + m.tunables().tickNs();
  const std::int64_t limit = asSigned(calcDeltaFair(longest, se.hLoad.weight));
  return std::clamp(virtualDelta(average, se.vruntime), -limit, limit);
}

bool updateEntityLag(const Machine& m, CfsRq& root, SchedEntity& se) {
  const std::uint64_t average = moveToAverage(m, root);
  std::int64_t lag = lagOf(m, root, se, average);
  if (se.schedDelayed) {
    lag = std::max(lag, se.vlag);
    if (m.features().delayZero) lag = std::min<std::int64_t>(lag, 0);
  }
  se.vlag = lag;
  return average - asUnsigned(lag) != se.vruntime;
}

bool updateDeadline(const Machine& m, CfsRq& root, SchedEntity& se) {
  if (virtualDelta(se.vruntime, se.deadline) < 0) return false;
  if (!se.customSlice) se.slice = m.baseSliceNs;
  se.deadline = se.vruntime + calcDeltaFair(se.slice, se.hLoad.weight);
  moveToAverage(m, root);
  return true;
}

void insertEntity(Machine& m, CfsRq& root, EntityId entity) {
  const SchedEntity& se = m.entity(entity);
  root.sumWVruntime =
      asSigned(asUnsigned(root.sumWVruntime) + (se.vruntime - root.zeroVruntime) * se.hLoad.weight);
  root.sumWeight += se.hLoad.weight;
  Tree(m.entities.data(), root).insert(entity);
}

void removeEntity(Machine& m, CfsRq& root, EntityId entity) {
  Tree(m.entities.data(), root).erase(entity);
  const SchedEntity& se = m.entity(entity);
  root.sumWVruntime =
      asSigned(asUnsigned(root.sumWVruntime) - (se.vruntime - root.zeroVruntime) * se.hLoad.weight);
  root.sumWeight -= se.hLoad.weight;
}

void placeEntity(Context& ctx, CfsRq& root, EntityId entity, std::uint32_t othersQueued,
                 std::uint32_t flags) {
  Machine& m = ctx.m;
  SchedEntity& se = m.entity(entity);
  PlacedEntity placed{entity, root.cpu, moveToAverage(m, root), se.vlag, 0, 0, 0, flags};
  if (!se.customSlice) se.slice = m.baseSliceNs;
  std::uint64_t vslice = calcDeltaFair(se.slice, se.hLoad.weight);
  std::int64_t lag = 0;
  bool isHeavy = false;
  if (m.features().placeLag && othersQueued != 0 && se.vlag != 0) {
    std::uint64_t load = sumsWithCurr(m, root).weights;
    if (load == 0) load = 1;
    lag = se.vlag + scale(se.vlag, se.hLoad.weight, load);
    isHeavy = se.hLoad.weight > load;
  }
  se.vruntime = placed.averageVruntime - asUnsigned(lag);
  if (isHeavy) moveZero(root, asUnsigned(-lag));
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

void reweightVirtual(Machine& m, CfsRq& root, EntityId entity, std::uint64_t weight) {
  SchedEntity& se = m.entity(entity);
  if (se.hLoad.weight == weight) return;
  if (!se.onRq) return rescale(se, weight, false);
  const bool isCurr = root.curr == entity;
  const std::uint64_t average = moveToAverage(m, root);
  se.vlag = lagOf(m, root, se, average);
  se.deadline -= average;
  se.relDeadline = true;
  const bool hasProtection = isCurr && isProtected(se);
  if (hasProtection) se.vprot -= average;
  if (!isCurr) removeEntity(m, root, entity);
  rescale(se, weight, hasProtection);
  if (hasProtection) se.vprot += average;
  se.deadline += average;
  se.relDeadline = false;
  se.vruntime = average - asUnsigned(se.vlag);
  if (!isCurr) insertEntity(m, root, entity);
}

EntityId pick(const Machine& m, const CfsRq& root, bool protect) {
  const SchedEntity* curr = runningEntity(m, root);
  if (root.hNrQueued == 1) return curr != nullptr ? root.curr : root.leftmost;
  const Sums sums = sumsWithCurr(m, root);
  if (m.features().pickBuddy && protect && root.next.isValid() &&
      isEligible(root, sums, m.entity(root.next).vruntime))
    return root.next;
  if (curr != nullptr && !isEligible(root, sums, curr->vruntime)) curr = nullptr;
  // Before the slice-protection series the feature was asked at each pick.
  const bool protects = protect && (m.behaviours().sliceProtection || m.features().runToParity);
  if (curr != nullptr && protects && isProtected(*curr)) return root.curr;

  EntityId best;
  if (root.leftmost.isValid() && isEligible(root, sums, m.entity(root.leftmost).vruntime)) {
    best = root.leftmost;
  } else {
    EntityId at = root.root;
    while (at.isValid()) {
      const SchedEntity& se = m.entity(at);
      if (se.tree.left.isValid() && isEligible(root, sums, m.entity(se.tree.left).minVruntime)) {
        at = se.tree.left;
        continue;
      }
      if (isEligible(root, sums, se.vruntime)) {
        best = at;
        break;
      }
      at = se.tree.right;
    }
  }
  if (!best.isValid() || (curr != nullptr && virtualDelta(curr->deadline, m.entity(best).deadline) < 0))
    return curr != nullptr ? root.curr : EntityId{};
  return best;
}

bool isProtected(const SchedEntity& se) { return virtualDelta(se.vruntime, se.vprot) < 0; }

void setProtectSlice(const Machine& m, const CfsRq& root, SchedEntity& se) {
  if (!m.behaviours().sliceProtection) {
    se.vprot = se.deadline;
    return;
  }
  std::uint64_t slice = m.features().runToParity ? minSlice(m, root) : kMinimumQuantumNs;
  slice = std::min(slice, se.slice);
  std::uint64_t until = se.deadline;
  if (slice != se.slice) {
    const bool tillIneligible = m.behaviours().protectTillIneligible && m.features().preemptShort;
    if (tillIneligible && root.sumWeight != 0) {
      const std::int64_t others = leftQuotient(root.sumWVruntime, root.sumWeight);
      until = earlier(until, root.zeroVruntime + asUnsigned(others) + 1);
    } else {
      until = earlier(until, se.vruntime + calcDeltaFair(slice, se.hLoad.weight));
    }
  }
  se.vprot = until;
}

void updateProtectSlice(const Machine& m, CfsRq& root, SchedEntity& se) {
  const bool fromLag = m.behaviours().protectFromLag;
  const std::uint64_t from = fromLag ? earlier(se.vruntime, moveToAverage(m, root)) : se.vruntime;
  se.vprot = earlier(se.vprot, from + calcDeltaFair(minSlice(m, root), se.hLoad.weight));
}

std::uint64_t shareOfLevel(std::uint64_t share, std::uint64_t weight, std::uint64_t above) {
  return std::max<std::uint64_t>(share * weight / above, 2);
}

std::uint64_t hierarchicalWeight(const Machine& m, EntityId entity) {
  std::uint64_t share = kNice0Load;
  for (EntityId e = entity; e.isValid(); e = m.entity(e).parent) {
    const SchedEntity& se = m.entity(e);
    share =
        shareOfLevel(share, se.load.weight, se.parent.isValid() ? m.queue(se.cfsRq).load.weight : kNice0Load);
  }
  return share;
}

}  // namespace rqscope::flat
