// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "engine/scheduler.h"
#include "engine/simulator.h"

namespace rqscope {
namespace {

/// Lines that a wakeup or a switch changes or reads under the lock of a CPU's queue, beside the task's own,
/// by the layout of v6.1's struct rq, cfs_rq and sched_entity: lock and nr_running, curr and clock,
/// clock_task, cfs_rq's sums, its tree, its averages, what left it, the current entity (2), a neighbour in
/// the tree, one in the list of tasks, and the current task's flags. Simplified: they come one after the
/// other.
constexpr std::uint64_t kRunqueueLines = 12;

/// Lines that one tg->load_avg takes: one, or one for each node with the per-node patch.
std::size_t tgLoadAvgLines(const Machine& m) {
  std::size_t lines = 1;
  if (!m.behaviours().tgLoadAvgPerNode) return lines;
  for (const HardwareNode& node : m.topology->hardware.nodes) lines = std::max(lines, node.id.index() + 1);
  return lines;
}

}  // namespace

AccessEnvironment Simulator::accessEnvironment(CpuId cpu) const {
  const std::uint64_t now = m_state.machine.nowNs;
  return {m_state.plan->costs, *m_state.contention.distances, now,
          std::max(now, m_state.cpus[cpu.index()].chargedUntilNs)};
}

std::uint64_t Simulator::migrationCostNs(CpuId from, CpuId to) const {
  const CostModel& costs = m_state.plan->costs;
  if (m_state.contention.distances == nullptr) return costs.migrationNs;
  return costs.migrationNs + coldCacheNs(costs, m_state.contention.distances->between(from, to));
}

/// Kernel work on a CPU whose core is shared takes longer.
std::uint64_t Simulator::slowed(CpuId cpu, std::uint64_t ns) const {
  constexpr std::uint64_t kPerMicrosecond = 1000;
  if (!m_state.cpus[cpu.index()].sharesCore) return ns;
  return ns + ns * m_state.plan->costs.smtBusyNs / kPerMicrosecond;
}

/// The CPU became busy or idle: the other threads of its core run slower or faster from now on.
/// Simplified: a thread that spins on a lock slows the others as much as one that works.
void Simulator::shareCore(CpuId cpu) {
  if (m_state.plan->costs.smtBusyNs == 0) return;
  for (CpuId other = m_state.cpus[cpu.index()].nextThread; other != cpu;
       other = m_state.cpus[other.index()].nextThread) {
    CpuActivity& activity = m_state.cpus[other.index()];
    bool shares = false;
    for (CpuId c = activity.nextThread; c != other && !shares; c = m_state.cpus[c.index()].nextThread)
      shares = !m_state.cpus[c.index()].isIdle;
    if (shares == activity.sharesCore) continue;
    const TaskId curr = m_state.machine.rq(other).curr;
    const bool runs = curr.isValid() && m_state.runEnds.contains(other.index());
    if (runs) settle(other, curr);
    activity.sharesCore = shares;
    if (runs) arm(other, curr);
  }
}

/// The lines of a CPU's queue come to the CPU that takes its lock from the one that took it before.
std::uint64_t Simulator::runqueueLinesNs(CpuId asking, CpuId locked) {
  Contention& c = m_state.contention;
  if (c.distances == nullptr) return 0;
  if (c.rqLines.size() <= locked.index()) c.rqLines.resize(m_state.cpus.size());
  CpuId& last = c.rqLines[locked.index()];
  const CpuId from = last.isValid() ? last : locked;
  last = asking;
  if (from == asking) return 0;
  return kRunqueueLines * lineTransferNs(m_state.plan->costs, c.distances->between(asking, from));
}

/// `asking` takes the lock of a CPU's queue once it has done what it owes, and waits until it is free.
/// Simplified: only the last taking is remembered, and locks that balancing takes are not.
void Simulator::lockRq(CpuId asking, CpuId locked) {
  m_lockedRq = locked;
  if (m_state.plan->costs.rqLockNs == 0 || !asking.isValid()) return;
  CpuActivity& lock = m_state.cpus[locked.index()];
  LockCounters& counters = m_state.contention.rqLocks;
  const std::uint64_t asks = owedUntil(asking);
  const std::uint64_t lines = runqueueLinesNs(asking, locked);
  const std::uint64_t hold = m_state.plan->costs.rqLockNs + lines;
  ++counters.taken;
  counters.transferNs += lines;
  if (asks + hold <= lock.lockFromNs) return chargeCpu(asking, lines);  // it fits before
  const std::uint64_t from = std::max(asks, lock.lockUntilNs);
  if (from != asks) ++counters.contended;
  counters.waitedNs += from - asks;
  chargeCpu(asking, from - asks + lines);
  lock.lockFromNs = from;
  lock.lockUntilNs = from + hold;
}

/// From the choice of a CPU on, the rest of a wakeup is done by that CPU when it shares no cache with the
/// waker's or has nothing to run. Others see the choice only when it is written down; a CPU that was noted on
/// the way, while the search went on for a whole idle core, is an old choice then. Kernel: ttwu_queue_cond(),
/// rq->ttwu_pending, select_idle_core().
void Simulator::beginWakeup(const Placement& placement) {
  Machine& m = m_state.machine;
  const CostModel& costs = m_state.plan->costs;
  const CpuId waker = placement.wakerCpu, target = placement.chosen;
  const std::uint64_t searchNs = costs.searchCpuNs * static_cast<std::uint64_t>(placement.searched);
  const std::uint64_t staleNs = costs.searchCpuNs * static_cast<std::uint64_t>(placement.searchedAfter);
  m_wakerCpu = CpuId{};
  chargeCpu(waker, searchNs);
  if (target == waker) return lockRq(waker, target);
  chargeCpu(waker, costs.ipiNs);
  const bool sharesCache = m.topology->cpus[waker.index()].llcId == m.topology->cpus[target.index()].llcId;
  Rq& rq = m.rq(target);
  if (costs.selectNs != 0 && isIdleCpu(m, target)) rq.seenIdleUntilNs = m.nowNs + staleNs + costs.selectNs;
  // Tasks on the wakelist of a CPU that still comes out of idle do not count in nr_running.
  const bool isStillIdle = costs.selectNs != 0 && !rq.curr.isValid() && !rq.stopperRunning;
  if (!m.features().ttwuQueue || (sharesCache && rq.nrRunning != 0 && !isStillIdle))
    return lockRq(waker, target);
  m_wakerCpu = m_actingCpu;
  m_actingCpu = target;
  if (!rq.curr.isValid() && costs.hasLines()) {
    std::uint64_t& chargedUntil = m_state.cpus[target.index()].chargedUntilNs;
    chargedUntil = std::max(chargedUntil, m.nowNs + searchNs + costs.idleWakeupNs);
  }
  lockRq(target, target);
}

/// Whether the wakee is still on its way out of its CPU, which then does the whole wakeup when it is done;
/// no CPU is chosen. When that CPU has others to run, the waker waits for it. Kernel: the tests of p->on_cpu
/// in try_to_wake_up(), ttwu_queue_cond().
bool Simulator::isLeftToItsCpu(TaskId task, CpuId waker) {
  const Machine& m = m_state.machine;
  const Task& t = m.task(task);
  const Rq& rq = m.rq(t.cpu);
  if (t.cpu == waker || t.state != TaskState::Sleeping || t.onRq || rq.leaving != task ||
      m.nowNs >= rq.inScheduleUntilNs)
    return false;
  const bool sharesCache = m.topology->cpus[waker.index()].llcId == m.topology->cpus[t.cpu.index()].llcId;
  if (m.features().ttwuQueue && (!sharesCache || rq.nrRunning == 0)) {
    chargeCpu(waker, m_state.plan->costs.ipiNs);
    m_wakerCpu = m_actingCpu;
    m_actingCpu = t.cpu;
    lockRq(t.cpu, t.cpu);
    return true;
  }
  const std::uint64_t asks = std::max(m.nowNs, m_state.cpus[waker.index()].chargedUntilNs);
  if (rq.inScheduleUntilNs > asks) chargeCpu(waker, rq.inScheduleUntilNs - asks);
  return false;
}

/// A task that went to sleep leaves its CPU when the waits of its dequeue and the switch are over.
void Simulator::noteLeaving(const Switch& sw) {
  Machine& m = m_state.machine;
  Rq& rq = m.rq(sw.cpu);
  const bool sleeps = sw.prev.isValid() && m.task(sw.prev).state == TaskState::Sleeping;
  rq.leaving = sleeps ? sw.prev : TaskId{};
  if (!sw.prev.isValid()) return;
  rq.inScheduleUntilNs =
      std::max(m.nowNs, m_state.cpus[sw.cpu.index()].chargedUntilNs) + m_state.plan->costs.contextSwitchNs;
}

void Simulator::endWakeup() {
  m_lockedRq = CpuId{};
  if (!m_wakerCpu.isValid()) return;
  m_actingCpu = m_wakerCpu;
  m_wakerCpu = CpuId{};
}

/// The CPU pays for the dequeue, detach, attach and enqueue of sched_move_task(), not for its early return.
/// Kernel: sched_autogroup_exit_task().
void Simulator::leaveGroupAtExit(CpuId cpu) {
  Context ctx = context();
  const TaskId task = m_state.machine.rq(cpu).curr;
  exitMoveTask(ctx, cpu);
  const GroupMove& move = m_state.machine.rq(cpu).lastMove;
  if (move.task == task && !move.isSkipped) chargeCpu(cpu, m_state.plan->costs.exitMoveNs);
}

/// Counted always; with costs the lines are fought for. Kernel: calc_group_shares(), update_tg_load_avg().
void Simulator::accessTgLoadAvg(GroupId group, CpuId cpu, bool isWrite) {
  Contention& c = m_state.contention;
  ++(isWrite ? c.tgLoadAvgCounters.writes : c.tgLoadAvgCounters.reads);
  if (!isWrite) chargeCpu(cpu, m_state.plan->costs.groupWeightNs);
  if (!m_state.plan->costs.hasLines()) return;
  const Machine& m = m_state.machine;
  const std::size_t lines = tgLoadAvgLines(m);
  const std::size_t first = group.index() * lines;
  if (c.tgLoadAvg.size() < first + lines) c.tgLoadAvg.resize(first + lines);
  const std::size_t own = lines == 1 ? 0 : m.topology->node[cpu.index()].index();
  for (std::size_t line = 0; line < lines; ++line) {
    if (isWrite && line != own) continue;
    chargeCpu(cpu,
              c.tgLoadAvg[first + line].access(accessEnvironment(cpu), cpu, isWrite, c.tgLoadAvgCounters));
  }
}

}  // namespace rqscope
