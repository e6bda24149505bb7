// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "engine/hash.h"
#include "engine/simulator.h"

// A balance softirq that takes time (SimPlan::softirqTiming): what other CPUs do between its calls, it sees.

namespace rqscope {
namespace {

constexpr unsigned kDrawShift = 32;  // the upper half is mixed best

/// A delay that is known for the tick that is now; below 0: none is.
std::int32_t knownDelay(const SimState& s, CpuId cpu, const std::vector<std::vector<std::int32_t>>& delays) {
  if (delays.empty() || s.machine.nowNs < s.originNs) return -1;
  const std::uint64_t round = (s.machine.nowNs - s.originNs - s.plan->tickOffsetsNs[cpu.index()]) / s.tickNs;
  if (round >= delays.size() || cpu.index() >= delays[round].size()) return -1;
  return delays[round][cpu.index()];
}

}  // namespace

/// True when the CPU is in its softirq, or on its way out of a tick to softirq or switch, so that nothing
/// else is served there now.
bool Simulator::isInSoftirq(CpuId cpu) {
  SimState& s = m_state;
  const SoftirqTiming& timing = s.plan->softirqTiming;
  if (!timing.isOn()) return false;
  if (s.softirqSteps.contains(cpu.index())) return true;
  const Rq& rq = s.machine.rq(cpu);
  const bool isFromTick = s.lastEvent.kind == SimEventKind::Tick && s.lastEvent.cpu == cpu;
  if (!rq.softirqPending && !(isFromTick && rq.needResched)) return false;
  s.softirqs.resize(s.cpus.size());
  s.softirqs[cpu.index()] = {};
  s.cpus[cpu.index()].kernelFromNs = s.machine.nowNs;
  std::uint64_t wait = 0;
  if (isFromTick) {
    const TickTurns& turns = s.plan->tickTurns;
    const std::int32_t known = knownDelay(s, cpu, rq.softirqPending ? turns.startsNs : turns.switchesNs);
    wait = known >= 0 ? static_cast<std::uint64_t>(known)
                      : drawn(rq.softirqPending ? timing.startsNs : timing.switchesNs, cpu);
  }
  s.softirqSteps.set(cpu.index(), s.machine.nowNs + wait, static_cast<std::uint64_t>(cpu.value));
  return true;
}

/// One of the values, by the run's seed, the CPU and the moment: no state, and nothing else is drawn
/// otherwise.
std::uint64_t Simulator::drawn(const std::vector<std::uint64_t>& values, CpuId cpu) const {
  if (values.empty()) return 0;
  std::uint64_t hash = mixHash(m_state.plan->seed, m_state.machine.nowNs);
  hash = mixHash(hash, static_cast<std::uint64_t>(cpu.value));
  return values[(hash >> kDrawShift) % values.size()];
}

/// When the softirq's next call does what in the domain where the walk stands.
CallTiming Simulator::timingOf(const SoftirqWork& work) const {
  const SoftirqTiming& timing = m_state.plan->softirqTiming;
  const SchedTopology& topology = *m_state.machine.topology;
  const DomainWalk& walk = work.domains;
  std::size_t level = 0;
  for (DomainId id = topology.cpus[walk.dst.index()].lowest; id.isValid() && id != walk.domain;
       id = topology.domain(id).parent)
    ++level;
  const bool isIdle = !m_state.machine.rq(walk.runOn).curr.isValid();
  const std::vector<CallTiming>& own = timing.calls[SoftirqTiming::callKind(isIdle, work.hasCalled)];
  const std::vector<CallTiming>& calls = own.empty() ? timing.calls.front() : own;
  return level < calls.size() ? calls[level] : CallTiming{};
}

/// The CPU's softirq goes on after a time; false: at once.
bool Simulator::goOnIn(CpuId cpu, std::uint64_t ns) {
  if (ns != 0)
    m_state.softirqSteps.set(cpu.index(), m_state.machine.nowNs + ns, static_cast<std::uint64_t>(cpu.value));
  return ns != 0;
}

/// Runs the call of the due domain up to where time passes; false: it is over.
/// Simplified: what a call does behind the lock of the source takes no time.
bool Simulator::runCall(CpuId cpu, SoftirqWork& work) {
  using Stage = SoftirqWork::Stage;
  Context ctx = context();
  const CallTiming timing = timingOf(work);
  if (work.stage == Stage::Statistics) {
    const bool hasGroup = beginDueDomain(ctx, work.domains, work.call);
    work.stage = hasGroup ? Stage::Source : Stage::Over;
    const bool isItsTurn = work.call.pass.end != PassEnd::NotThisCpu;
    const std::uint64_t at = hasGroup ? timing.lockNs : isItsTurn ? timing.overNs : 0;
    if (goOnIn(cpu, at - std::min(at, timing.readNs))) return true;
  }
  if (work.stage == Stage::Source) finishDueDomain(ctx, work.domains, work.call);
  work.stage = Stage::Statistics;
  work.hasCalled = true;
  return false;
}

/// Simplified: the task that the softirq interrupts is not charged for it.
void Simulator::softirqStep(CpuId cpu) {
  SimState& s = m_state;
  Context ctx = context();
  m_actingCpu = cpu;
  SoftirqWork& work = s.softirqs[cpu.index()];
  if (!work.hasDomains && s.machine.rq(cpu).softirqPending)
    work = beginSoftirq(ctx, cpu);
  else if (work.hasDomains && runCall(cpu, work))
    return;
  while (toNextCall(ctx, work)) {
    if (isTurnOf(ctx, work.domains) && goOnIn(cpu, timingOf(work).readNs)) return;
    if (runCall(cpu, work)) return;
  }
  work = {};
  s.softirqSteps.clear(cpu.index());
  s.touchedCpus.set(cpu);
  markPending(s.machine, cpu);  // what was left to do after it
}

}  // namespace rqscope
