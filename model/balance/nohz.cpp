// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "balance/balance_env.h"
#include "balance/jiffies.h"
#include "balance/softirq_work.h"
#include "runqueue/load_tracking.h"

namespace rqscope {
namespace {

constexpr std::uint32_t kKickMask = kNohzBalanceKick | kNohzStatsKick | kNohzNextKick;
constexpr std::uint32_t kFullKick = kNohzBalanceKick | kNohzStatsKick;
constexpr std::uint64_t kBlockedPeriodMs = 32;  ///< LOAD_AVG_PERIOD
constexpr std::uint64_t kNextBalanceSeconds = 60;

/// Who counts busy CPUs: the LLC; v7.3 a full asymmetric-capacity domain when it has a shared object.
SharedId busyCounter(const Machine& m, CpuId cpu) {
  const CpuDomains& d = m.topology->cpus[cpu.index()];
  if (m.behaviours().idleScanOwnedByDomain && d.sdAsymCpucapacity.isValid()) {
    const SharedId owned = m.topology->domain(d.sdAsymCpucapacity).shared;
    if (owned.isValid()) return owned;
  }
  return d.llcShared;
}

void addBusyCpus(Machine& m, CpuId cpu, int change) {
  const SharedId id = busyCounter(m, cpu);
  if (id.isValid()) m.shared[id.index()].nrBusyCpus += change;
}

/// First nohz-idle CPU that is idle and not `self`; v7.3 prefers a fully idle core. Kernel: find_new_ilb().
CpuId findIlb(const Machine& m, CpuId self) {
  const bool cores = m.behaviours().ilbPrefersIdleCore && m.topology->smtActive;
  CpuId partial;
  for (CpuId cpu = m.nohz.idleCpus.first(); cpu.isValid(); cpu = m.nohz.idleCpus.next(cpu)) {
    if (cpu == self || !isIdleCpu(m, cpu)) continue;
    if (!cores || isCoreIdle(m, cpu)) return cpu;
    if (!partial.isValid()) partial = cpu;
  }
  return partial;
}

/// Kernel: kick_ilb().
void kickIlb(Context& ctx, CpuId by, std::uint32_t flags) {
  Machine& m = ctx.m;
  if ((flags & kNohzBalanceKick) != 0) m.nohz.nextBalance = m.jiffies + 1;
  const CpuId target = findIlb(m, by);
  if (!target.isValid()) return;
  Rq& rq = m.rq(target);
  const std::uint32_t before = rq.nohzFlags;
  rq.nohzFlags |= flags;
  if ((before & kKickMask) != 0) return;  // an earlier kick is still on its way
  if (!rq.softirqPending) rq.softirqByKick = true;
  rq.softirqPending = true;
  markPending(m, target);
  ctx.observer.onNohzKick(m, by, target, flags);
}

/// A more preferred CPU of the asym-packing domain idles in nohz.
bool hasPreferredIdle(const Machine& m, CpuId cpu) {
  const DomainId id = m.topology->cpus[cpu.index()].sdAsymPacking;
  if (!id.isValid()) return false;
  const SchedDomain& sd = m.topology->domain(id);
  const bool byCore = m.behaviours().asymPackingIdleCore;
  for (CpuId i = m.nohz.idleCpus.first(); i.isValid(); i = m.nohz.idleCpus.next(i)) {
    if (!sd.span.test(i)) continue;
    if (byCore ? schedAsym(m, sd, i, cpu) : asymPrefer(m, i, cpu)) return true;
  }
  return false;
}

/// Kernel: check_misfit_status(); v6.1 asks as well whether a bigger CPU exists or this one is reduced.
bool hasMisfit(const Machine& m, CpuId cpu, const SchedDomain& sd) {
  if (m.rq(cpu).misfitTaskLoad == 0) return false;
  if (!m.behaviours().nohzMisfitByRdMax || checkCpuCapacity(m, cpu, sd)) return true;
  const CpuMask& span = m.topology->rootDomains[m.topology->cpus[cpu.index()].rootDomain.index()];
  for (CpuId c = span.first(); c.isValid(); c = span.next(c))
    if (capacityOrig(m, c) > capacityOrig(m, cpu)) return true;
  return false;
}

/// Would idle CPUs find something to pull? Kernel: the tests of nohz_balancer_kick() from nr_running on.
bool isBalanceWorthwhile(const Machine& m, CpuId cpu) {
  const Rq& rq = m.rq(cpu);
  if (rq.nrRunning >= 2) return true;
  const CpuDomains& d = m.topology->cpus[cpu.index()];
  if (d.lowest.isValid() && fairCount(m, m.rootCfs(cpu)) >= 1 &&
      checkCpuCapacity(m, cpu, m.topology->domain(d.lowest)))
    return true;
  if (hasPreferredIdle(m, cpu)) return true;
  if (d.sdAsymCpucapacity.isValid()) return hasMisfit(m, cpu, m.topology->domain(d.sdAsymCpucapacity));
  const SharedId counter = busyCounter(m, cpu);
  return counter.isValid() && m.shared[counter.index()].nrBusyCpus > 1;
}

/// Refreshes an idle CPU's blocked load; true when some is left. Kernel: update_nohz_stats().
bool updateNohzStats(Context& ctx, CpuId cpu) {
  Machine& m = ctx.m;
  Rq& rq = m.rq(cpu);
  if (!rq.hasBlockedLoad || !m.nohz.idleCpus.test(cpu)) return false;
  if (!isAfter(m.jiffies, rq.lastBlockedLoadUpdateTick)) return true;
  updateBlockedAverages(ctx, cpu);
  return rq.hasBlockedLoad;
}

/// Statistics of the walk's CPU; true when its domains are to be balanced.
bool startServing(Context& ctx, IdleCpusWalk& walk) {
  Machine& m = ctx.m;
  if ((walk.flags & kNohzStatsKick) != 0 && updateNohzStats(ctx, walk.cpu)) walk.hasBlocked = true;
  if (!isAfterOrAt(m.jiffies, m.rq(walk.cpu).nextBalance)) return false;
  updateRqClock(ctx, walk.cpu);
  return (walk.flags & kNohzBalanceKick) != 0;
}

void noteServed(const Machine& m, IdleCpusWalk& walk) {
  const std::uint64_t next = m.rq(walk.cpu).nextBalance;
  if (!isAfter(walk.nextBalance, next)) return;
  walk.nextBalance = next;
  walk.nextIsSet = true;
}

/// This CPU got work and leaves the rest to the next balancer.
bool isInterrupted(Machine& m, IdleCpusWalk& walk) {
  const Rq& self = m.rq(walk.self);
  if (isIdleCpu(m, walk.self) || (!self.needResched && !self.needReschedLazy)) return false;
  if ((walk.flags & kNohzStatsKick) != 0) walk.hasBlocked = true;
  if ((walk.flags & kNohzNextKick) != 0) m.nohz.needsUpdate = true;
  return true;
}

void endIdleCpus(Machine& m, const IdleCpusWalk& walk, bool isComplete) {
  if (isComplete) {
    if (walk.nextIsSet) m.nohz.nextBalance = walk.nextBalance;
    if ((walk.flags & kNohzStatsKick) != 0)
      m.nohz.nextBlocked = walk.beganJiffies + jiffiesOfMs(m, kBlockedPeriodMs);
  }
  if (walk.hasBlocked) m.nohz.hasBlocked = true;
}

}  // namespace

void nohzBalancerKick(Context& ctx, CpuId cpu) {
  Machine& m = ctx.m;
  if (m.rq(cpu).idleBalance) return;
  nohzBalanceExitIdle(ctx, cpu);
  if (m.nohz.idleCpus.isEmpty()) return;
  std::uint32_t flags = 0;
  if (m.nohz.hasBlocked && isAfter(m.jiffies, m.nohz.nextBlocked)) flags = kNohzStatsKick;
  if (isAfterOrAt(m.jiffies, m.nohz.nextBalance) && isBalanceWorthwhile(m, cpu)) flags = kFullKick;
  if (m.nohz.needsUpdate) flags |= kNohzNextKick;
  if (flags != 0) kickIlb(ctx, cpu, flags);
}

bool receiveNohzKick(Machine& m, CpuId cpu) {
  Rq& rq = m.rq(cpu);
  const std::uint32_t flags = rq.nohzFlags;
  if ((flags & kKickMask) == 0) return false;
  rq.nohzFlags = 0;
  rq.idleBalance = isIdleCpu(m, cpu);
  if (rq.idleBalance) rq.nohzIdleBalance = flags;
  return rq.idleBalance;
}

std::uint32_t takeIdleBalance(Rq& rq, CpuIdleType idle) {
  const std::uint32_t flags = rq.nohzIdleBalance;
  rq.nohzIdleBalance = 0;
  return idle == CpuIdleType::Idle ? flags : 0;
}

IdleCpusWalk beginIdleCpus(Machine& m, CpuId self, std::uint32_t flags) {
  IdleCpusWalk walk;
  walk.self = self;
  walk.flags = flags;
  walk.beganJiffies = m.jiffies;
  walk.nextBalance = m.jiffies + kNextBalanceSeconds * static_cast<std::uint64_t>(m.tunables().hz);
  if ((flags & kNohzStatsKick) != 0) m.nohz.hasBlocked = false;
  if ((flags & kNohzNextKick) != 0) m.nohz.needsUpdate = false;
  walk.cpus = m.nohz.idleCpus;
  walk.left = walk.cpus.weight();
  walk.cpu = walk.cpus.firstFromWrapping(CpuId{self.value + 1});
  return walk;
}

bool toDueIdleCpu(Context& ctx, IdleCpusWalk& walk) {
  Machine& m = ctx.m;
  for (; walk.left > 0; --walk.left, walk.cpu = walk.cpus.firstFromWrapping(CpuId{walk.cpu.value + 1})) {
    if (!walk.isDue) {
      if (!isIdleCpu(m, walk.cpu)) continue;
      if (isInterrupted(m, walk)) {
        endIdleCpus(m, walk, false);
        return false;
      }
      walk.isDue = startServing(ctx, walk);
      if (walk.isDue) return true;
    }
    walk.isDue = false;
    noteServed(m, walk);
  }
  endIdleCpus(m, walk, true);
  return false;
}

void balanceIdleCpus(Context& ctx, CpuId self, std::uint32_t flags) {
  IdleCpusWalk walk = beginIdleCpus(ctx.m, self, flags);
  while (toDueIdleCpu(ctx, walk))
    schedBalanceDomains(ctx, {walk.cpu, self, CpuIdleType::Idle, BalanceEntry::NohzKick});
}

void nohzBalanceEnterIdle(Context& ctx, CpuId cpu) {
  Machine& m = ctx.m;
  Rq& rq = m.rq(cpu);
  if (!rq.isOnline) return;
  rq.hasBlockedLoad = true;
  if (!rq.nohzTickStopped) {
    if (!m.topology->cpus[cpu.index()].lowest.isValid()) return;
    rq.nohzTickStopped = true;
    m.nohz.idleCpus.set(cpu);
    addBusyCpus(m, cpu, -1);
    if (m.behaviours().nohzNeedsUpdate) m.nohz.needsUpdate = true;
  }
  m.nohz.hasBlocked = true;
}

void nohzBalanceExitIdle(Context& ctx, CpuId cpu) {
  Machine& m = ctx.m;
  Rq& rq = m.rq(cpu);
  if (!rq.nohzTickStopped) return;
  rq.nohzTickStopped = false;
  m.nohz.idleCpus.clear(cpu);
  addBusyCpus(m, cpu, 1);
}

void nohzRunIdleBalance(Context& ctx, CpuId cpu) {
  Rq& rq = ctx.m.rq(cpu);
  const std::uint32_t flags = rq.nohzFlags;
  rq.nohzFlags &= ~std::uint32_t{kNohzNewilbKick};
  if (flags == kNohzNewilbKick && !rq.needResched) balanceIdleCpus(ctx, cpu, kNohzStatsKick);
}

void nohzNewidleBalance(Context& ctx, CpuId cpu) {
  Machine& m = ctx.m;
  Rq& rq = m.rq(cpu);
  if (rq.avgIdle < m.tunables().migrationCostNs) return;
  if (!m.nohz.hasBlocked || !isAfterOrAt(m.jiffies, m.nohz.nextBlocked)) return;
  rq.nohzFlags |= kNohzNewilbKick;
}

}  // namespace rqscope
