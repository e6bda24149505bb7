// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "engine/simulator.h"

namespace rqscope {
namespace {

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

/// From the choice of a CPU on, the rest of a wakeup is done by that CPU when it shares no cache with the
/// waker's or has nothing to run. Kernel: ttwu_queue_cond().
/// Simplified: a wakee that still is on its way out of its CPU is not left to that CPU.
void Simulator::beginWakeup(CpuId waker, CpuId target) {
  const Machine& m = m_state.machine;
  m_wakerCpu = CpuId{};
  if (target == waker) return;
  chargeCpu(waker, m_state.plan->costs.ipiNs);
  const bool sharesCache = m.topology->cpus[waker.index()].llcId == m.topology->cpus[target.index()].llcId;
  const Rq& rq = m.rq(target);
  if (!m.features().ttwuQueue || (sharesCache && rq.nrRunning != 0)) return;
  m_wakerCpu = m_actingCpu;
  m_actingCpu = target;
  if (rq.curr.isValid() || !m_state.plan->costs.hasLines()) return;
  std::uint64_t& chargedUntil = m_state.cpus[target.index()].chargedUntilNs;
  chargedUntil = std::max(chargedUntil, m.nowNs + m_state.plan->costs.idleWakeupNs);
}

void Simulator::endWakeup() {
  if (!m_wakerCpu.isValid()) return;
  m_actingCpu = m_wakerCpu;
  m_wakerCpu = CpuId{};
}

/// Counted always; with costs the lines are fought for. Kernel: calc_group_shares(), update_tg_load_avg().
void Simulator::accessTgLoadAvg(GroupId group, CpuId cpu, bool isWrite) {
  Contention& c = m_state.contention;
  ++(isWrite ? c.tgLoadAvgCounters.writes : c.tgLoadAvgCounters.reads);
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
