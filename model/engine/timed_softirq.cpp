// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/hash.h"
#include "engine/simulator.h"

// A balance softirq that takes time (SimPlan::softirqTiming): what other CPUs do between its calls, it sees.

namespace rqscope {
namespace {

constexpr unsigned kDrawShift = 32;  // the upper half is mixed best

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
  if (isFromTick) wait = drawn(rq.softirqPending ? timing.startsNs : timing.switchesNs, cpu);
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

/// What a call takes in the domain where the walk stands.
std::uint64_t Simulator::callNs(const DomainWalk& walk) const {
  const SoftirqTiming& timing = m_state.plan->softirqTiming;
  const SchedTopology& topology = *m_state.machine.topology;
  std::size_t level = 0;
  for (DomainId id = topology.cpus[walk.dst.index()].lowest; id.isValid() && id != walk.domain;
       id = topology.domain(id).parent)
    ++level;
  return level < timing.callsNs.size() ? timing.callsNs[level] : 0;
}

/// Simplified: the task that the softirq interrupts is not charged for it, and a call acts at one moment, its
/// end: the kernel reads the statistics some time before it moves tasks.
void Simulator::softirqStep(CpuId cpu) {
  SimState& s = m_state;
  Context ctx = context();
  m_actingCpu = cpu;
  SoftirqWork& work = s.softirqs[cpu.index()];
  if (work.hasDomains)
    balanceDueDomain(ctx, work.domains);
  else if (s.machine.rq(cpu).softirqPending)
    work = beginSoftirq(ctx, cpu);
  while (toNextCall(ctx, work)) {
    const std::uint64_t ns = isTurnOf(ctx, work.domains) ? callNs(work.domains) : 0;
    if (ns != 0) {
      s.softirqSteps.set(cpu.index(), s.machine.nowNs + ns, static_cast<std::uint64_t>(cpu.value));
      return;
    }
    balanceDueDomain(ctx, work.domains);
  }
  work = {};
  s.softirqSteps.clear(cpu.index());
  s.touchedCpus.set(cpu);
  markPending(s.machine, cpu);  // what was left to do after it
}

}  // namespace rqscope
