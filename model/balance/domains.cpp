// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "balance/balance_env.h"
#include "balance/jiffies.h"
#include "runqueue/load_tracking.h"

namespace rqscope {
namespace {

constexpr std::uint64_t kNextBalanceSeconds = 60;

/// What the walk over one CPU's domains carries along. Kernel: locals of sched_balance_domains().
struct DomainWalk {
  CpuId dst, runOn;
  CpuIdleType idle;
  BalanceEntry entry;
  bool busy = false;
  bool continueBalancing = true;
  std::uint64_t nextBalance = 0;
  bool nextIsSet = false;
};

bool isBusy(const Machine& m, const DomainWalk& walk) { return isBusyForBalance(m, walk.dst, walk.idle); }

/// One due domain. Returns the interval that counts from now on.
std::uint64_t balanceDue(Context& ctx, DomainWalk& walk, DomainId id, std::uint64_t interval) {
  Machine& m = ctx.m;
  BalancePass pass;
  pass.entry = walk.entry;
  pass.runOn = walk.runOn;
  pass.dstCpu = walk.dst;
  pass.domain = id;
  pass.idle = walk.idle;
  pass.intervalJiffies = interval;
  if (schedBalanceRq(ctx, pass, walk.continueBalancing) != 0) {
    walk.idle = isIdleCpu(m, walk.dst) ? CpuIdleType::Idle : CpuIdleType::NotIdle;
    walk.busy = isBusy(m, walk);
  }
  m.domains[id.index()].lastBalance = m.jiffies;
  return sdBalanceInterval(m, id, walk.busy);
}

/// Balances one domain when its interval has passed and notes when it is due next.
void visitDomain(Context& ctx, DomainWalk& walk, DomainId id) {
  Machine& m = ctx.m;
  const DomainState& state = m.domains[id.index()];
  std::uint64_t interval = sdBalanceInterval(m, id, walk.busy);
  const bool serialize =
      !m.behaviours().serializeInsidePass && (m.topology->domain(id).flags & kSdSerialize) != 0;
  if (!serialize || !m.serializeBusy) {
    if (serialize) m.serializeBusy = true;
    if (isDomainDue(m, id, interval)) interval = balanceDue(ctx, walk, id, interval);
    if (serialize) m.serializeBusy = false;
  }
  if (isAfter(walk.nextBalance, state.lastBalance + interval)) {
    walk.nextBalance = state.lastBalance + interval;
    walk.nextIsSet = true;
  }
}

}  // namespace

bool isBusyForBalance(const Machine& m, CpuId cpu, CpuIdleType idle) {
  return idle != CpuIdleType::Idle && !isSchedIdleCpu(m, cpu);
}

bool isDomainDue(const Machine& m, DomainId domain, std::uint64_t interval) {
  return isAfterOrAt(m.jiffies, m.domains[domain.index()].lastBalance + interval);
}

std::uint64_t sdBalanceInterval(const Machine& m, DomainId domain, bool busy) {
  const SchedDomain& sd = m.topology->domain(domain);
  std::uint64_t interval = m.domains[domain.index()].balanceIntervalMs;
  if (busy) interval *= static_cast<std::uint64_t>(sd.busyFactor);
  interval = jiffiesOfMs(m, interval);
  if (busy) --interval;  // keeps levels from coming due together
  return std::clamp<std::uint64_t>(interval, 1, maxBalanceInterval(m));
}

void schedBalanceDomains(Context& ctx, const DomainsCall& call) {
  Machine& m = ctx.m;
  const CpuId dst = call.dst;
  DomainWalk walk{dst, call.runOn, call.idle, call.entry};
  walk.busy = isBusy(m, walk);
  walk.nextBalance = m.jiffies + kNextBalanceSeconds * static_cast<std::uint64_t>(m.tunables().hz);
  std::uint64_t maxCost = 0;
  bool needDecay = false;
  for (DomainId id = m.topology->cpus[dst.index()].lowest; id.isValid(); id = m.topology->domain(id).parent) {
    DomainState& state = m.domains[id.index()];
    needDecay = updateNewidleCost(m, state, 0, 0);
    maxCost += state.maxNewidleLbCost;
    if (walk.continueBalancing) {
      visitDomain(ctx, walk, id);
      continue;
    }
    if (!needDecay) break;
  }
  if (needDecay) m.rq(dst).maxIdleBalanceCost = std::max(m.tunables().migrationCostNs, maxCost);
  if (walk.nextIsSet) m.rq(dst).nextBalance = walk.nextBalance;
}

void schedBalanceTrigger(Context& ctx, CpuId cpu) {
  Machine& m = ctx.m;
  Rq& rq = m.rq(cpu);
  rq.idleBalance = isIdleCpu(m, cpu);
  if (!m.topology->cpus[cpu.index()].lowest.isValid() || !rq.isOnline) return;
  if (isAfterOrAt(m.jiffies, rq.nextBalance)) {
    rq.softirqPending = true;
    rq.softirqByKick = false;
    markPending(m, cpu);
  }
  nohzBalancerKick(ctx, cpu);
}

void schedBalanceSoftirq(Context& ctx, CpuId cpu) {
  Machine& m = ctx.m;
  Rq& rq = m.rq(cpu);
  rq.softirqPending = false;
  const bool onlyKick = rq.softirqByKick;
  rq.softirqByKick = false;
  if (!receiveNohzKick(m, cpu) && onlyKick) return;
  const CpuIdleType idle = rq.idleBalance ? CpuIdleType::Idle : CpuIdleType::NotIdle;
  ctx.observer.onSoftirq(m, cpu, rq.idleBalance);
  if (nohzIdleBalance(ctx, cpu, idle)) return;
  updateBlockedAverages(ctx, cpu);
  schedBalanceDomains(ctx, {cpu, cpu, idle, BalanceEntry::Tick});
}

}  // namespace rqscope
