// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "engine/simulator.h"

// Programs that count their work by a clock that they read (SimPlan::workClock).

namespace rqscope {

/// When the task of a CPU that is in the kernel now last read its clock: before the tick that it came by and,
/// on a machine whose CPUs run in turns, at the end of its turn before that.
/// Simplified: a CPU whose turn the tick cut read it in that same turn, but was then interrupted for a round.
std::uint64_t Simulator::lastReadNs(CpuId cpu) const {
  const SimState& s = m_state;
  const bool isBehindTick = s.lastEvent.kind == SimEventKind::SoftirqStep && s.lastEvent.cpu == cpu;
  const std::uint64_t entered = isBehindTick ? s.cpus[cpu.index()].kernelFromNs : s.machine.nowNs;
  const auto others = static_cast<std::uint64_t>(std::max(s.tickingCpus.weight() - 1, 0));
  return entered - std::min(entered, s.plan->tickTurns.turnNs * others);
}

/// A task is switched out or in.
void Simulator::countByClock(const Switch& sw) {
  std::vector<std::uint64_t>& reads = m_state.workload.clockReadsNs;
  if (reads.size() < m_state.workload.threads.size()) reads.resize(m_state.workload.threads.size());
  if (sw.prev == sw.next) return;
  if (sw.prev.isValid()) leaveByClock(sw.cpu, sw.prev);
  if (sw.next.isValid()) returnByClock(sw.cpu, sw.next);
}

/// What a preempted task was credited since its last read, it has yet to do.
void Simulator::leaveByClock(CpuId cpu, TaskId task) {
  std::uint64_t& read = m_state.workload.clockReadsNs[task.index()];
  ThreadState& t = thread(task);
  const bool isPreempted = m_state.machine.task(task).state == TaskState::Running;
  if (!isPreempted || !t.isScaled || m_state.machine.task(task).isPerCpuKthread) {
    read = 0;
    return;
  }
  const std::uint64_t now = m_state.machine.nowNs;
  read = std::min(std::max(read, lastReadNs(cpu)), now);
  const std::uint64_t lost = std::min((now - read) * rateOf(cpu, t), t.workDone);
  t.remaining += lost;
  t.workDone -= lost;
}

/// The time it was away counts as work when it is short; else it goes on with its next read.
void Simulator::returnByClock(CpuId cpu, TaskId task) {
  const WorkClock& clock = m_state.plan->workClock;
  std::uint64_t& read = m_state.workload.clockReadsNs[task.index()];
  ThreadState& t = thread(task);
  const std::uint64_t now = m_state.machine.nowNs;
  if (read != 0 && now + clock.returnNs - read < clock.longestNs) {
    const std::uint64_t done = std::min((now - read) * rateOf(cpu, t), t.remaining);
    t.remaining -= done;
    t.workDone += done;
  } else if (read != 0) {
    t.overheadNs += clock.returnNs;
  }
  read = now + clock.returnNs;
}

}  // namespace rqscope
