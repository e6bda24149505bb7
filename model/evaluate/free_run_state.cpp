// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "evaluate/free_run_state.h"

#include <algorithm>
#include <cmath>

#include "balance/balance.h"
#include "balance/jiffies.h"
#include "evaluate/decision_checker.h"
#include "groupstats/placement_decision.h"

namespace rqscope {
namespace {

constexpr double kNsPerMs = 1e6;
constexpr std::uint64_t kLongAgoJiffies = 300;  // a domain that the record shows no call of

const char* reasonText(MigrationReason reason) {
  switch (reason) {
    case MigrationReason::LoadBalance:
      return "load_balance";
    case MigrationReason::ActiveBalance:
      return "active_balance";
    case MigrationReason::Affinity:
      return "affinity";
    default:
      return "wakeup_or_exec";
  }
}

const char* verdictText(BalanceCandidate::Verdict verdict) {
  using Verdict = BalanceCandidate::Verdict;
  switch (verdict) {
    case Verdict::Detached:
      return "detached";
    case Verdict::Running:
      return "running";
    case Verdict::Hot:
      return "hot";
    case Verdict::Affinity:
    case Verdict::PerCpuKthread:
      return "pinned";
    case Verdict::LoadTooBig:
    case Verdict::UtilTooBig:
      return "too big";
    default:
      return "refused";
  }
}

void noteRound(const Machine& m, const BalanceRound& round, FreePass& out) {
  out.shouldBalance = round.shouldBalance;
  if (!round.shouldBalance) return;
  const auto groupAt = [&](std::int32_t index) { return &round.groups[static_cast<std::size_t>(index)]; };
  if (round.local >= 0) {
    out.local = groupAt(round.local)->stats.type;
    out.localUtil = groupAt(round.local)->stats.groupUtil;
    out.localLoad = groupAt(round.local)->stats.groupLoad;
    out.localRunning = groupAt(round.local)->stats.sumNrRunning;
  }
  if (round.busiest >= 0) {
    out.busiest = groupAt(round.busiest)->stats.type;
    out.busiestUtil = groupAt(round.busiest)->stats.groupUtil;
    out.busiestLoad = groupAt(round.busiest)->stats.groupLoad;
    out.busiestRunning = groupAt(round.busiest)->stats.sumNrRunning;
  }
  if (!round.foundGroup) return;
  out.decision = migrationTypeName(round.migrationType);
  out.imbalance = round.imbalance;
  for (const BalanceCandidate& c : round.candidates)
    out.candidates.push_back(
        {m.task(c.task).name, static_cast<double>(c.sinceExecStartNs) / kNsPerMs, verdictText(c.verdict)});
}

const FreePass* lastBefore(const std::vector<FreePass>& passes, const SchedDomain& d, double ms) {
  const FreePass* found = nullptr;
  for (const FreePass& p : passes)
    if (p.dst == d.cpu.value && p.domain == d.name && p.ms < ms && p.idle != CpuIdleType::NewlyIdle)
      if (found == nullptr || p.ms > found->ms) found = &p;
  return found;
}

const FreePass* firstFrom(const std::vector<FreePass>& passes, const SchedDomain& d, double ms) {
  const FreePass* found = nullptr;
  for (const FreePass& p : passes)
    if (p.dst == d.cpu.value && p.domain == d.name && p.ms >= ms)
      if (found == nullptr || p.ms < found->ms) found = &p;
  return found;
}

/// When the domain was last balanced, in jiffies: what the next call says of it, else the last call's time,
/// else such that the next call is due when it comes.
std::uint64_t lastBalanceOf(Machine& m, DomainId id, const FreePass* before, const FreePass* after,
                            const TimeBase& base) {
  if (after != nullptr && after->jiffiesSinceLast) return base.jiffyOf(after->ms) - *after->jiffiesSinceLast;
  if (before != nullptr) return base.jiffyOf(before->ms);
  if (after == nullptr) return m.jiffies - std::min(m.jiffies, kLongAgoJiffies);
  m.domains[id.index()].balanceIntervalMs = after->intervalMsBefore;
  return base.jiffyOf(after->ms) - sdBalanceInterval(m, id, after->idle == CpuIdleType::NotIdle);
}

}  // namespace

double FreeRunWatcher::msOf(const Machine& m) const {
  return (static_cast<double>(m.nowNs) - static_cast<double>(m_zeroNs)) / kNsPerMs;
}

void FreeRunWatcher::onBalancePass(const Machine& m, const BalancePass& pass) {
  if (pass.entry == BalanceEntry::ActiveStopper) return;
  FreePass out;
  const double endMs = msOf(m);
  out.ms = (static_cast<double>(pass.timeNs) - static_cast<double>(m_zeroNs)) / kNsPerMs;
  out.dst = pass.dstCpu.value;
  out.domain = m.topology->domain(pass.domain).name;
  out.idle = pass.idle;
  out.failedBefore = pass.nrBalanceFailedBefore;
  out.intervalMsBefore = pass.intervalMsBefore;
  out.moved = static_cast<int>(pass.movedCount);
  // A redo without pinned CPUs has the last word.
  if (!pass.rounds.empty()) noteRound(m, pass.rounds.back(), out);
  m_track.passes.push_back(out);
  for (FreeMove& move : m_track.moves)  // the moves of a pass come before its end
    if (move.ms == endMs && move.to == out.dst && move.by == "load_balance" && !move.failed)
      move.failed = out.failedBefore;
}

void FreeRunWatcher::onSetTaskCpu(const Machine& m, TaskId task, CpuId from, CpuId to,
                                  MigrationReason reason) {
  if (reason == MigrationReason::Fork) return;  // onPlacement() has it, also when the CPU stays
  m_track.moves.push_back({msOf(m), m.task(task).name, from.value, to.value, reasonText(reason), {}});
}

void FreeRunWatcher::onPlacement(const Machine& m, const Placement& placement) {
  if (placement.kind != PlacementKind::Fork) return;
  m_track.moves.push_back(
      {msOf(m), m.task(placement.task).name, placement.wakerCpu.value, placement.chosen.value, "fork", {}});
}

void FreeRunWatcher::onNewidleSkip(const Machine& m, const NewidleSkip& skip) {
  using Reason = NewidleSkip::Reason;
  if (skip.reason != Reason::NotOverloaded && skip.reason != Reason::AvgIdleBelowCost) return;
  m_track.leftOut.push_back({msOf(m), skip.cpu.value,
                             skip.domain.isValid() ? m.topology->domain(skip.domain).name : std::string{},
                             skip.reason == Reason::NotOverloaded, skip.avgIdleNs, skip.costNs});
}

void FreeRunWatcher::onSwitch(const Machine& m, const Switch& sw) {
  m_track.switches.push_back(
      {msOf(m), sw.cpu.value, sw.next.isValid() ? m.task(sw.next).name : std::string{}});
}

void FreeRunWatcher::onTaskDead(const Machine& m, TaskId) { m_track.lastEndMs = msOf(m); }

std::uint64_t TimeBase::nsOf(double ms) const {
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(zeroNs) + std::llround(ms * kNsPerMs));
}

void takeOverDomains(SimState& state, const std::vector<FreePass>& passes, double fromMs,
                     const TimeBase& base) {
  Machine& m = state.machine;
  m.nohz.nextBalance = UINT64_MAX;
  for (std::size_t i = 0; i < m.domains.size(); ++i) {
    const SchedDomain& d = m.topology->domains[i];
    DomainState& s = m.domains[i];
    const FreePass* before = lastBefore(passes, d, fromMs);
    const FreePass* after = firstFrom(passes, d, fromMs);
    s.lastBalance = lastBalanceOf(m, DomainId{i}, before, after, base);
    const FreePass* shows = after != nullptr ? after : before;
    if (shows == nullptr) continue;
    s.balanceIntervalMs = shows->intervalMsBefore;
    s.nrBalanceFailed = shows->failedBefore;
  }
  for (CpuId cpu = m.topology->online.first(); cpu.isValid(); cpu = m.topology->online.next(cpu)) {
    Rq& rq = m.rq(cpu);
    std::uint64_t next = UINT64_MAX;
    for (DomainId id = m.topology->cpus[cpu.index()].lowest; id.isValid(); id = m.topology->domain(id).parent)
      next = std::min(next, m.domains[id.index()].lastBalance + sdBalanceInterval(m, id, rq.curr.isValid()));
    rq.nextBalance = next == UINT64_MAX ? m.jiffies : next;
    if (!rq.curr.isValid()) m.nohz.nextBalance = std::min(m.nohz.nextBalance, rq.nextBalance);
  }
  if (m.nohz.nextBalance == UINT64_MAX) m.nohz.nextBalance = m.jiffies;
}

void takeOverTime(SimState& state, std::uint64_t startNs) {
  state.machine.nowNs = state.originNs = state.tickBaseNs = startNs;
  state.nextJiffyNs = startNs + state.machine.tunables().tickNs();
  for (CpuActivity& cpu : state.cpus) cpu.idleSinceNs = startNs;
}

void setTimeBase(SimState& state, const TimeBase& base) {
  state.originNs = base.originNs;
  state.machine.jiffies = (state.machine.nowNs - base.originNs) / base.periodNs;
  state.nextJiffyNs = base.originNs + (state.machine.jiffies + 1) * base.periodNs;
}

namespace {

/// The tick of CPUs that went idle. The engine stops it at once; here it is put back until it has come.
class IdleTicks {
 public:
  explicit IdleTicks(SimState& state) : m_state(state) {
    const std::uint64_t last = state.nextJiffyNs - state.tickNs;
    state.idleCpus.forEach([&](CpuId cpu) {
      if (state.cpus[cpu.index()].idleSinceNs >= last) keep(cpu);
    });
  }

  void after(const SimEvent& event, const CpuMask& idleBefore) {
    if (event.kind == SimEventKind::Tick && m_kept.test(event.cpu)) stop(event.cpu);
    const CpuMask idle = m_state.idleCpus;
    idle.forEach([&](CpuId cpu) {
      if (!idleBefore.test(cpu)) keep(cpu);
    });
    const CpuMask kept = m_kept;
    kept.forEach([&](CpuId cpu) {
      if (!idle.test(cpu)) m_kept.clear(cpu);
    });
  }

 private:
  void keep(CpuId cpu) {
    Observer nobody;
    Context ctx{m_state.machine, nobody};
    nohzBalanceExitIdle(ctx, cpu);
    m_state.tickingCpus.set(cpu);
    std::uint64_t& from = m_state.cpus[cpu.index()].tickFromNs;
    from = std::max(from, m_state.machine.nowNs + 1);
    m_kept.set(cpu);
  }
  void stop(CpuId cpu) {
    m_kept.clear(cpu);
    if (!m_state.idleCpus.test(cpu)) return;
    Observer nobody;
    Context ctx{m_state.machine, nobody};
    m_state.tickingCpus.clear(cpu);
    nohzBalanceEnterIdle(ctx, cpu);
  }

  SimState& m_state;
  CpuMask m_kept;
};

}  // namespace

void runWithIdleTicks(Simulator& simulator, std::uint64_t untilNs) {
  IdleTicks ticks(simulator.state());
  while (!simulator.state().isAtEnd) {
    const SimEvent next = simulator.nextEvent();
    if (next.kind == SimEventKind::None || next.timeNs > untilNs) return;
    const CpuMask idle = simulator.state().idleCpus;
    simulator.stepEvent();
    ticks.after(next, idle);
  }
}

void runFreely(Simulator& simulator, std::uint64_t untilNs, const std::function<bool()>& done) {
  while (!simulator.state().isAtEnd && !done()) {
    const SimEvent next = simulator.nextEvent();
    if (next.kind == SimEventKind::None || next.timeNs > untilNs) return;
    simulator.stepEvent();
  }
}

}  // namespace rqscope
