// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <optional>

#include "balance/balance_env.h"
#include "balance/jiffies.h"
#include "runqueue/load_tracking.h"
#include "runqueue/shared_queue.h"

namespace rqscope {
namespace {

using Version = Behaviours::Wakequeue;

constexpr std::uint32_t kDiceSides = 1024;
constexpr std::uint32_t kCallsPerRatio = 1024;
constexpr unsigned kRateShift = 22;           ///< v7.3 NI_RATE: 1024 points for about 4 s between evaluations
constexpr std::uint64_t kBumpMarginNs = 200;  ///< 155213a2aed4: the cost stays below migration cost + this
constexpr std::uint64_t kDecayNumerator = 253, kDecayDenominator = 256;

bool hasNewidleRate(const Machine& m) { return m.profile->version == KernelVersion::V7_3; }

/// Part of the ratio that elapsed time earns.
std::int32_t earnedByTime(const Machine& m, DomainState& state) {
  if (!hasNewidleRate(m)) return 0;
  const auto delta = std::max<std::int64_t>(virtualDelta(m.nowNs, state.newidleStampNs), 0);
  state.newidleStampNs = m.nowNs;
  return m.features().niRate ? static_cast<std::int32_t>(delta >> kRateShift) : 0;
}

/// The dice of NI_RANDOM: weight of a success, or 0 when this pass is left out.
std::uint32_t rollDice(Machine& m, DomainState& state) {
  if (!m.features().niRandom) return 1;
  if (hasNewidleRate(m) && state.newidleRatio >= kDiceSides) return 1;
  const auto dice = static_cast<std::uint32_t>(m.random.next() % kDiceSides);
  const std::uint32_t weight = 1 + state.newidleRatio;
  if (dice > weight) {
    updateNewidleStats(m, state, 0);
    return 0;
  }
  return (kDiceSides + weight / 2) / weight;
}

/// What the walk over the domains has spent and found.
struct NewidleWalk {
  CpuId cpu;
  std::uint64_t cost = 0;
  std::uint64_t nextBalance = 0;
  int pulled = 0;
  bool continueBalancing = true;
};

/// One domain's pass. Modelled: its cost is a tunable per CPU looked at, 0 by default.
void balanceDomain(Context& ctx, NewidleWalk& walk, DomainId id, std::uint32_t weight) {
  Machine& m = ctx.m;
  const SchedDomain& sd = m.topology->domain(id);
  DomainState& state = m.domains[id.index()];
  BalancePass pass;
  pass.entry = BalanceEntry::Newidle;
  pass.runOn = pass.dstCpu = walk.cpu;
  pass.domain = id;
  pass.idle = CpuIdleType::NewlyIdle;
  pass.avgIdleNs = m.rq(walk.cpu).avgIdle;
  pass.costSoFarNs = walk.cost;
  pass.domainCostNs = m.tunables().newidleCostPerCpuNs * static_cast<std::uint64_t>(sd.spanWeight);
  walk.pulled = schedBalanceRq(ctx, pass, walk.continueBalancing);
  walk.cost += pass.domainCostNs;
  const std::uint32_t success = walk.pulled != 0 ? weight : 0;
  const bool bumps = m.behaviours().newidleCostBump && walk.pulled == 0;
  const std::uint64_t counted = bumps ? 3 * state.maxNewidleLbCost / 2 : pass.domainCostNs;
  updateNewidleCost(m, state, counted, success);
  // Simplified: a pass that costs nothing counts for the ratio all the same; a real one always takes time.
  if (counted == 0 && m.features().niRandom) updateNewidleStats(m, state, success);
}

bool stopsAfterDomain(const Machine& m, const NewidleWalk& walk) {
  if (walk.pulled != 0) return true;
  if (m.behaviours().newidleStopsByContinue) return !walk.continueBalancing;
  return m.rq(walk.cpu).nrRunning > 0 || m.rq(walk.cpu).ttwuPending;
}

void skip(Context& ctx, const NewidleWalk& walk, NewidleSkip::Reason reason, DomainId domain,
          std::uint64_t cost) {
  ctx.observer.onNewidleSkip(ctx.m, {walk.cpu, reason, domain, ctx.m.rq(walk.cpu).avgIdle, cost});
}

void walkDomains(Context& ctx, NewidleWalk& walk) {
  Machine& m = ctx.m;
  for (DomainId id = m.topology->cpus[walk.cpu.index()].lowest; id.isValid();
       id = m.topology->domain(id).parent) {
    DomainState& state = m.domains[id.index()];
    updateNextBalance(m, id, walk.nextBalance);
    if (!newidleHasTime(m, walk.cpu, walk.cost + state.maxNewidleLbCost)) {
      skip(ctx, walk, NewidleSkip::Reason::AvgIdleBelowCost, id, walk.cost + state.maxNewidleLbCost);
      break;
    }
    const std::uint32_t flags = m.topology->domain(id).flags;
    if (m.behaviours().wakequeue == Version::V4 && (flags & kSdShareLlc) != 0) continue;
    if ((flags & kSdBalanceNewidle) != 0) {
      const std::uint32_t weight = rollDice(m, state);
      if (weight == 0) {
        skip(ctx, walk, NewidleSkip::Reason::Dice, id, 0);
        continue;
      }
      balanceDomain(ctx, walk, id, weight);
    }
    if (stopsAfterDomain(m, walk)) break;
  }
}

/// The balance itself, between the tests at entry and the bookkeeping at exit.
void pullTasks(Context& ctx, NewidleWalk& walk) {
  Machine& m = ctx.m;
  Rq& rq = m.rq(walk.cpu);
  updateBlockedAverages(ctx, walk.cpu);
  walkDomains(ctx, walk);
  rq.maxIdleBalanceCost = std::max(rq.maxIdleBalanceCost, walk.cost);
  const std::uint32_t queued = m.rootCfs(walk.cpu).hNrQueued;
  if (queued != 0 && walk.pulled == 0) walk.pulled = 1;
  if (rq.nrRunning != queued) walk.pulled = -1;
}

/// v2 looks at the shared queue first of all, v3 after the test whether the CPU is active. A lost race makes
/// the kernel pick again, which finds nothing and comes back here.
bool pullsSharedEarly(Context& ctx, CpuId cpu) {
  SharedPull pulled = SharedPull::Lost;
  while (pulled == SharedPull::Lost) pulled = pullShared(ctx, cpu);
  return pulled == SharedPull::Moved;
}

/// v4: in an overloaded root domain, whatever avg_idle says. Nothing: go on with the domains above the cache.
std::optional<int> pullSharedLate(Context& ctx, CpuId cpu) {
  const Machine& m = ctx.m;
  const SharedPull pulled = pullShared(ctx, cpu);
  if (pulled != SharedPull::Nothing && m.rq(cpu).nrRunning != m.rootCfs(cpu).hNrQueued) return -1;
  if (pulled == SharedPull::Moved) return 1;
  if (m.rq(cpu).ttwuPending) return 0;
  return std::nullopt;
}

/// The domain whose cost avg_idle must exceed for a pass to begin: the lowest, in v3 the one above the cache.
DomainId domainOfEntryTest(const Machine& m, CpuId cpu) {
  const CpuDomains& domains = m.topology->cpus[cpu.index()];
  if (m.behaviours().wakequeue != Version::V3 || !domains.sdLlc.isValid()) return domains.lowest;
  return m.topology->domain(domains.sdLlc).parent;
}

int newidle(Context& ctx, CpuId cpu) {
  Machine& m = ctx.m;
  Rq& rq = m.rq(cpu);
  const Version shared = m.behaviours().wakequeue;
  if ((shared == Version::V2Base || shared == Version::V2) && pullsSharedEarly(ctx, cpu)) return 1;
  updateMisfitStatus(m, TaskId{}, cpu);
  NewidleWalk walk;
  walk.cpu = cpu;
  if (rq.ttwuPending) {
    skip(ctx, walk, NewidleSkip::Reason::WakeupPending, DomainId{}, 0);
    return 0;
  }
  rq.idleStamp = rq.clock;
  if (!rq.isOnline) {
    skip(ctx, walk, NewidleSkip::Reason::Offline, DomainId{}, 0);
    return 0;
  }
  if (shared == Version::V3 && pullsSharedEarly(ctx, cpu)) {
    rq.idleStamp = 0;
    return 1;
  }
  walk.nextBalance = m.jiffies + static_cast<std::uint64_t>(m.tunables().hz);
  const DomainId lowest = m.topology->cpus[cpu.index()].lowest;
  if (lowest.isValid()) {
    const RootDomain& rd = m.rootDomains[m.topology->cpus[cpu.index()].rootDomain.index()];
    const DomainId tested = domainOfEntryTest(m, cpu);
    const std::uint64_t cost = tested.isValid() ? m.domains[tested.index()].maxNewidleLbCost : 0;
    const bool hasTime = newidleHasTime(m, cpu, cost);
    if (shared == Version::V4 && rd.overloaded)
      if (const auto pulled = pullSharedLate(ctx, cpu)) {
        if (*pulled != 0) rq.idleStamp = 0;
        return *pulled;
      }
    if (!rd.overloaded || !hasTime) {
      updateNextBalance(m, lowest, walk.nextBalance);
      using Reason = NewidleSkip::Reason;
      skip(ctx, walk, rd.overloaded ? Reason::AvgIdleBelowCost : Reason::NotOverloaded, DomainId{}, cost);
    } else {
      pullTasks(ctx, walk);
    }
  } else {
    skip(ctx, walk, NewidleSkip::Reason::NoDomain, DomainId{}, 0);
  }
  if (isAfter(rq.nextBalance, walk.nextBalance)) rq.nextBalance = walk.nextBalance;
  if (walk.pulled != 0)
    rq.idleStamp = 0;
  else
    nohzNewidleBalance(ctx, cpu);
  return walk.pulled;
}

}  // namespace

bool newidleHasTime(const Machine& m, CpuId cpu, std::uint64_t cost) { return m.rq(cpu).avgIdle >= cost; }

void updateNewidleStats(const Machine& m, DomainState& state, std::uint32_t success) {
  ++state.newidleCall;
  state.newidleSuccess += success;
  if (state.newidleCall < kCallsPerRatio) return;
  std::uint32_t ratio = state.newidleSuccess;
  if (hasNewidleRate(m)) {
    const std::int32_t sum = earnedByTime(m, state) + static_cast<std::int32_t>(ratio);
    ratio = static_cast<std::uint32_t>(std::min<std::int32_t>(sum, kDiceSides));
  }
  state.newidleRatio = ratio;
  state.newidleCall /= 2;
  state.newidleSuccess /= 2;
}

bool updateNewidleCost(const Machine& m, DomainState& state, std::uint64_t cost, std::uint32_t success) {
  const std::uint64_t nextDecay = state.lastDecayMaxLbCost + static_cast<std::uint64_t>(m.tunables().hz);
  if (cost != 0) updateNewidleStats(m, state, success);
  if (cost > state.maxNewidleLbCost) {
    state.maxNewidleLbCost =
        m.behaviours().newidleCostBump ? std::min(cost, m.tunables().migrationCostNs + kBumpMarginNs) : cost;
    state.lastDecayMaxLbCost = m.jiffies;
    return false;
  }
  if (!isAfter(m.jiffies, nextDecay)) return false;
  state.maxNewidleLbCost = state.maxNewidleLbCost * kDecayNumerator / kDecayDenominator;
  state.lastDecayMaxLbCost = m.jiffies;
  return true;
}

void updateNextBalance(const Machine& m, DomainId domain, std::uint64_t& nextBalance) {
  const std::uint64_t next = m.domains[domain.index()].lastBalance + sdBalanceInterval(m, domain, false);
  if (isAfter(nextBalance, next)) nextBalance = next;
}

int schedBalanceNewidle(Context& ctx, CpuId cpu) {
  ctx.observer.onNewidleBegin(ctx.m, cpu);
  const int pulled = newidle(ctx, cpu);
  ctx.observer.onNewidleEnd(ctx.m, cpu, pulled);
  return pulled;
}

}  // namespace rqscope
