// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "engine/pipe_stage.h"
#include "engine/simulator.h"
#include "groupstats/balance_pass.h"
#include "groupstats/placement_decision.h"

namespace rqscope {

bool Simulator::wantsDecisions() const { return m_observer != nullptr && m_observer->wantsDecisions(); }

void Simulator::onSwitch(const Machine& m, const Switch& sw) {
  ++m_state.counters.switches;
  m_state.touchedCpus.set(sw.cpu);
  if (sw.prev.isValid()) {
    settle(sw.cpu, sw.prev);
    if ((thread(sw.prev).stage & (kStageHolds | kStageSpins)) != 0) leaveCpuAtPipe(sw.prev);
    if (!sw.next.isValid()) m_state.runEnds.clear(sw.cpu.index());  // else the next one's end takes its place
  }
  if (m_state.plan->costs.selectNs != 0) noteLeaving(sw);
  if (sw.next.isValid()) {
    ThreadState& next = thread(sw.next);
    next.accountedNs = m.nowNs;
    if (next.untilNs != 0) readClock(next);
    if (sw.prev != sw.next) next.overheadNs += slowed(sw.cpu, m_state.plan->costs.contextSwitchNs);
    countLatency(next);
  }
  if (m_state.plan->workClock.longestNs != 0) countByClock(sw);
  if (sw.next.isValid()) arm(sw.cpu, sw.next);
  if (m_observer != nullptr) m_observer->onSwitch(m, sw);
}

void Simulator::onSetTaskCpu(const Machine& m, TaskId task, CpuId from, CpuId to, MigrationReason reason) {
  SimCounters& counters = m_state.counters;
  ++counters.migrations;
  ++counters.migrationsByReason[static_cast<std::size_t>(reason)];
  m_state.touchedCpus.set(from);
  m_state.touchedCpus.set(to);
  if (reason == MigrationReason::Wakequeue) lockRq(m_actingCpu, from);
  if (task.index() < m_state.workload.threads.size()) {
    ThreadState& moved = thread(task);
    ++moved.migrations;
    // Cold caches are filled once: a task that is moved again before it could fill them does not pay twice.
    moved.overheadNs = std::max(moved.overheadNs, migrationCostNs(from, to));
  }
  if (m_observer != nullptr) m_observer->onSetTaskCpu(m, task, from, to, reason);
}

void Simulator::onWakeup(const Machine& m, TaskId task, CpuId cpu) {
  ++m_state.counters.wakeups;
  m_state.touchedCpus.set(cpu);
  if (!m_state.workload.latencies.empty() && !m.task(task).onCpu) {
    ThreadState& woken = thread(task);
    const auto program = static_cast<std::size_t>(woken.program);
    if (this->program().threads[program].isLatencyMeasured) woken.wokenNs = m.nowNs;
  }
  endWakeup();
  if (m_observer != nullptr) m_observer->onWakeup(m, task, cpu);
}

void Simulator::onNewTask(const Machine& m, TaskId task) {
  if (m_observer != nullptr) m_observer->onNewTask(m, task);
}

void Simulator::onTaskDead(const Machine& m, TaskId task) {
  m_state.workload.deadTasks.push_back(task);
  if (m_observer != nullptr) m_observer->onTaskDead(m, task);
}

void Simulator::onBalancePass(const Machine& m, const BalancePass& pass) {
  SimCounters& counters = m_state.counters;
  ++counters.passes;
  if (pass.nrBalanceFailedAfter > pass.nrBalanceFailedBefore) ++counters.failedPasses;
  if (pass.entry == BalanceEntry::Newidle && m_state.plan->costs.newidleCpuNs != 0)
    chargeCpu(pass.dstCpu, pass.domainCostNs);
  if (m_observer != nullptr) m_observer->onBalancePass(m, pass);
}

void Simulator::onPlacement(const Machine& m, const Placement& placement) {
  ++m_state.counters.placements;
  PlacementCounters& c = m_state.counters.placementsByKind[static_cast<std::size_t>(placement.kind)];
  ++c.count;
  if (placement.chosen == placement.wakerCpu) ++c.onWakerCpu;
  if (placement.chosen == placement.prevCpu) ++c.onPrevCpu;
  if (isIdleCpu(m, placement.chosen)) ++c.onIdleCpu;
  using Step = PlacementStep;
  if (placement.decidedBy == Step::SlowPath || placement.decidedBy == Step::NotAllowedFallback) {
    for (std::size_t t = 0; t < c.groupTypes.size(); ++t) c.groupTypes[t] += placement.tally.groupTypes[t];
    c.groupUtil += placement.tally.groupUtil;
  }
  if (placement.kind == PlacementKind::Wakeup) beginWakeup(placement);
  if (m_observer != nullptr) m_observer->onPlacement(m, placement);
}

// The rest only passes on.
void Simulator::onPlaceEntity(const Machine& m, const PlacedEntity& placed) {
  if (m_observer != nullptr) m_observer->onPlaceEntity(m, placed);
}
void Simulator::onTick(const Machine& m, CpuId cpu) {
  if (m_observer != nullptr) m_observer->onTick(m, cpu);
}
void Simulator::onSoftirq(const Machine& m, CpuId cpu, bool idle) {
  if (m_observer != nullptr) m_observer->onSoftirq(m, cpu, idle);
}
void Simulator::onNohzKick(const Machine& m, CpuId by, CpuId target, std::uint32_t flags) {
  if (m_observer != nullptr) m_observer->onNohzKick(m, by, target, flags);
}
void Simulator::onNewidleBegin(const Machine& m, CpuId cpu) {
  if (m_observer != nullptr) m_observer->onNewidleBegin(m, cpu);
}
void Simulator::onNewidleEnd(const Machine& m, CpuId cpu, int pulled) {
  if (m_observer != nullptr) m_observer->onNewidleEnd(m, cpu, pulled);
}
void Simulator::onNewidleSkip(const Machine& m, const NewidleSkip& skip) {
  if (m_observer != nullptr) m_observer->onNewidleSkip(m, skip);
}
void Simulator::onBalanceBegin(const Machine& m, const BalancePass& pass) {
  if (m_observer != nullptr) m_observer->onBalanceBegin(m, pass);
}
void Simulator::onPlacementBegin(const Machine& m, const PlacementCall& call) {
  if (m_observer != nullptr) m_observer->onPlacementBegin(m, call);
}
void Simulator::onTgLoadAvgAccess(const Machine& m, GroupId group, CpuId cpu, bool write) {
  if (m_actingCpu.isValid()) cpu = m_actingCpu;
  accessTgLoadAvg(group, cpu, write);
  if (m_observer != nullptr) m_observer->onTgLoadAvgAccess(m, group, cpu, write);
}

}  // namespace rqscope
