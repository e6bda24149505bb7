// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "balance/balance_env.h"
#include "balance/jiffies.h"
#include "balance/softirq_work.h"
#include "runqueue/load_tracking.h"

namespace rqscope {
namespace {

constexpr std::uint64_t kNextBalanceSeconds = 60;

bool isBusy(const Machine& m, const DomainWalk& walk) { return isBusyForBalance(m, walk.dst, walk.idle); }

/// Is the walk's domain due? Then it is marked as being balanced when only one CPU may at a time.
bool takeWhenDue(Machine& m, DomainWalk& walk) {
  walk.interval = sdBalanceInterval(m, walk.domain, walk.busy);
  const bool serialize =
      !m.behaviours().serializeInsidePass && (m.topology->domain(walk.domain).flags & kSdSerialize) != 0;
  if (serialize && m.serializeBusy) return false;
  if (!isDomainDue(m, walk.domain, walk.interval)) return false;
  if (serialize) m.serializeBusy = walk.serializes = true;
  return true;
}

/// Notes when the walk's domain is due next and goes on to the one above.
void leaveDomain(const Machine& m, DomainWalk& walk) {
  const std::uint64_t next = m.domains[walk.domain.index()].lastBalance + walk.interval;
  if (isAfter(walk.nextBalance, next)) {
    walk.nextBalance = next;
    walk.nextIsSet = true;
  }
  walk.domain = m.topology->domain(walk.domain).parent;
}

void endDomains(Machine& m, const DomainWalk& walk) {
  if (walk.needDecay)
    m.rq(walk.dst).maxIdleBalanceCost = std::max(m.tunables().migrationCostNs, walk.maxCost);
  if (walk.nextIsSet) m.rq(walk.dst).nextBalance = walk.nextBalance;
}

/// What the softirq has to do: nothing, the CPU's own domains, or (then with flags) those of the idle CPUs.
enum class SoftirqTask : std::uint8_t { Nothing, OwnDomains, IdleCpus };

/// Kernel: the beginning of sched_balance_softirq().
SoftirqTask beginSoftirqTask(Context& ctx, CpuId cpu, CpuIdleType& idle, std::uint32_t& flags) {
  Machine& m = ctx.m;
  Rq& rq = m.rq(cpu);
  rq.softirqPending = false;
  const bool onlyKick = rq.softirqByKick;
  rq.softirqByKick = false;
  if (!receiveNohzKick(m, cpu) && onlyKick) return SoftirqTask::Nothing;
  idle = rq.idleBalance ? CpuIdleType::Idle : CpuIdleType::NotIdle;
  ctx.observer.onSoftirq(m, cpu, rq.idleBalance);
  flags = takeIdleBalance(rq, idle);
  if (flags != 0) return SoftirqTask::IdleCpus;
  updateBlockedAverages(ctx, cpu);
  return SoftirqTask::OwnDomains;
}

BalancePass passOf(const DomainWalk& walk) {
  BalancePass pass;
  pass.entry = walk.entry;
  pass.runOn = walk.runOn;
  pass.dstCpu = walk.dst;
  pass.domain = walk.domain;
  pass.idle = walk.idle;
  pass.intervalJiffies = walk.interval;
  return pass;
}

/// What the walk makes of a call that is over.
void leaveCall(Machine& m, DomainWalk& walk, int moved) {
  if (moved != 0) {
    walk.idle = isIdleCpu(m, walk.dst) ? CpuIdleType::Idle : CpuIdleType::NotIdle;
    walk.busy = isBusy(m, walk);
  }
  m.domains[walk.domain.index()].lastBalance = m.jiffies;
  walk.interval = sdBalanceInterval(m, walk.domain, walk.busy);
  if (walk.serializes) m.serializeBusy = walk.serializes = false;
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

DomainWalk beginDomains(const Machine& m, const DomainsCall& call) {
  DomainWalk walk;
  walk.dst = call.dst;
  walk.runOn = call.runOn;
  walk.idle = call.idle;
  walk.entry = call.entry;
  walk.domain = m.topology->cpus[call.dst.index()].lowest;
  walk.busy = isBusy(m, walk);
  walk.nextBalance = m.jiffies + kNextBalanceSeconds * static_cast<std::uint64_t>(m.tunables().hz);
  return walk;
}

bool toDueDomain(Machine& m, DomainWalk& walk) {
  while (walk.domain.isValid()) {
    if (!walk.isDue) {
      DomainState& state = m.domains[walk.domain.index()];
      walk.needDecay = updateNewidleCost(m, state, 0, 0);
      walk.maxCost += state.maxNewidleLbCost;
      if (!walk.continueBalancing) {
        if (!walk.needDecay) break;
        walk.domain = m.topology->domain(walk.domain).parent;
        continue;
      }
      walk.isDue = takeWhenDue(m, walk);
      if (walk.isDue) return true;
    }
    walk.isDue = false;
    leaveDomain(m, walk);
  }
  endDomains(m, walk);
  return false;
}

void balanceDueDomain(Context& ctx, DomainWalk& walk) {
  BalancePass pass = passOf(walk);
  leaveCall(ctx.m, walk, schedBalanceRq(ctx, pass, walk.continueBalancing));
}

bool beginDueDomain(Context& ctx, DomainWalk& walk, BalanceCall& call) {
  call = {};
  call.pass = passOf(walk);
  if (beginBalanceRq(ctx, call, walk.continueBalancing)) return true;
  leaveCall(ctx.m, walk, 0);
  return false;
}

void finishDueDomain(Context& ctx, DomainWalk& walk, BalanceCall& call) {
  leaveCall(ctx.m, walk, finishBalanceRq(ctx, call, walk.continueBalancing));
}

bool isTurnOf(Context& ctx, const DomainWalk& walk) {
  return shouldWeBalance(BalanceEnv(ctx, walk.domain, walk.dst, walk.idle)).balance;
}

void schedBalanceDomains(Context& ctx, const DomainsCall& call) {
  DomainWalk walk = beginDomains(ctx.m, call);
  while (toDueDomain(ctx.m, walk)) balanceDueDomain(ctx, walk);
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
  CpuIdleType idle = CpuIdleType::NotIdle;
  std::uint32_t flags = 0;
  switch (beginSoftirqTask(ctx, cpu, idle, flags)) {
    case SoftirqTask::Nothing:
      return;
    case SoftirqTask::OwnDomains:
      schedBalanceDomains(ctx, {cpu, cpu, idle, BalanceEntry::Tick});
      return;
    case SoftirqTask::IdleCpus:
      balanceIdleCpus(ctx, cpu, flags);
      return;
  }
}

SoftirqWork beginSoftirq(Context& ctx, CpuId cpu) {
  SoftirqWork work;
  CpuIdleType idle = CpuIdleType::NotIdle;
  std::uint32_t flags = 0;
  const SoftirqTask task = beginSoftirqTask(ctx, cpu, idle, flags);
  work.hasDomains = task == SoftirqTask::OwnDomains;
  work.hasIdleCpus = task == SoftirqTask::IdleCpus;
  if (work.hasDomains) work.domains = beginDomains(ctx.m, {cpu, cpu, idle, BalanceEntry::Tick});
  if (work.hasIdleCpus) work.idleCpus = beginIdleCpus(ctx.m, cpu, flags);
  return work;
}

bool toNextCall(Context& ctx, SoftirqWork& work) {
  for (;;) {
    if (work.hasDomains && toDueDomain(ctx.m, work.domains)) return true;
    work.hasDomains = work.hasIdleCpus && toDueIdleCpu(ctx, work.idleCpus);
    if (!work.hasDomains) return false;
    const IdleCpusWalk& walk = work.idleCpus;
    work.domains = beginDomains(ctx.m, {walk.cpu, walk.self, CpuIdleType::Idle, BalanceEntry::NohzKick});
  }
}

}  // namespace rqscope
