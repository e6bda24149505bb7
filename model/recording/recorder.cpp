// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "recording/recorder.h"

#include <algorithm>

#include "groupstats/balance_pass.h"
#include "groupstats/placement_decision.h"

namespace rqscope {
namespace {

constexpr std::size_t kSwitchBytes = std::size_t{64} << 20;  // of all CPUs together
constexpr std::size_t kLogItems = std::size_t{1} << 20;

}  // namespace

Recorder::Recorder(const SimState& start)
    : m_originNs(start.originNs),
      m_switches(start.cpus.size()),
      m_samples(start.machine.tunables().tickNs()),
      m_idleCauses(start) {
  const std::size_t limit = kSwitchBytes / sizeof(SwitchRecord) / std::max<std::size_t>(start.cpus.size(), 1);
  for (auto& log : m_switches) log.limit = std::max<std::size_t>(limit, 1024);
  m_decisions.limit = m_migrations.limit = m_latencies.limit = kLogItems;
  for (const HardwareCpu& cpu : start.machine.topology->hardware.cpus) m_online.set(cpu.id);
  noteOnline(start.machine);
}

void Recorder::afterEvent(const SimState& state) {
  if (state.machine.topology != m_topology) noteOnline(state.machine);
}

void Recorder::noteOnline(const Machine& m) {
  m_topology = m.topology;
  for (const HardwareCpu& cpu : m.topology->hardware.cpus) {
    const bool isOnline = m.topology->online.test(cpu.id);
    if (isOnline == m_online.test(cpu.id)) continue;
    m_onlineChanges.push_back({runTime(m), cpu.id.value, isOnline});
    isOnline ? m_online.set(cpu.id) : m_online.clear(cpu.id);
  }
}

void Recorder::beforeEvent(const SimState& state, std::uint64_t eventTimeNs) {
  m_event = state.counters.events;
  m_idleCauses.beforeEvent(state);
  while (eventTimeNs - m_originNs >= m_samples.nextNs()) m_samples.take(state);
}

RecorderMark Recorder::mark() const {
  RecorderMark mark;
  for (const auto& log : m_switches) mark.switches.push_back(log.total());
  mark.decisions = m_nextDecision;
  mark.migrations = m_migrations.total();
  mark.latencies = m_latencies.total();
  mark.online = m_onlineChanges.size();
  mark.nextSampleNs = m_samples.nextNs();
  mark.wokenNs = m_wokenNs;
  mark.idleCauses = m_idleCauses.mark();
  return mark;
}

void Recorder::cutBack(const RecorderMark& mark) {
  for (std::size_t cpu = 0; cpu < m_switches.size(); ++cpu) m_switches[cpu].truncate(mark.switches[cpu]);
  m_decisions.truncate(mark.decisions);
  m_nextDecision = mark.decisions;
  m_migrations.truncate(mark.migrations);
  m_latencies.truncate(mark.latencies);
  while (m_onlineChanges.size() > mark.online) {
    const OnlineRecord& last = m_onlineChanges.back();
    last.isOnline ? m_online.clear(CpuId{last.cpu}) : m_online.set(CpuId{last.cpu});
    m_onlineChanges.pop_back();
  }
  m_topology.reset();
  m_samples.cutBack(mark.nextSampleNs);
  m_wokenNs = mark.wokenNs;
  m_idleCauses.cutBack(mark.idleCauses);
}

std::size_t Recorder::bytes() const {
  std::size_t bytes = m_decisions.bytes() + m_migrations.bytes() + m_latencies.bytes() + m_samples.bytes() +
                      m_idleCauses.bytes();
  for (const auto& log : m_switches) bytes += log.bytes();
  return bytes;
}

const std::string& Recorder::nameOf(std::int32_t pid) const {
  static const std::string kNone;
  const auto index = static_cast<std::size_t>(pid);
  return pid >= 0 && index < m_names.size() ? m_names[index] : kNone;
}

void Recorder::addName(const Machine& m, TaskId task) {
  const auto pid = static_cast<std::size_t>(m.task(task).pid);
  if (pid >= m_names.size()) m_names.resize(pid + 1);
  m_names[pid] = m.task(task).name;
}

void Recorder::onNewTask(const Machine& m, TaskId task) { addName(m, task); }

void Recorder::onSwitch(const Machine& m, const Switch& sw) {
  const std::uint64_t now = runTime(m);
  auto& log = m_switches[sw.cpu.index()];
  SwitchRecord record{now, sw.next.value, sw.next.isValid() ? m.task(sw.next).pid : 0};
  if (!log.items.empty() && log.items.back().timeNs == now)
    log.items.back() = record;  // nothing ran in between
  else
    log.add(record);
  if (!sw.next.isValid() || sw.next.index() >= m_wokenNs.size()) return;
  std::uint64_t& woken = m_wokenNs[sw.next.index()];
  if (woken == 0) return;
  m_latencies.add({now, static_cast<std::uint32_t>(std::min<std::uint64_t>(now + 1 - woken, UINT32_MAX))});
  woken = 0;
}

void Recorder::onWakeup(const Machine& m, TaskId task, CpuId) {
  if (task.index() >= m_wokenNs.size()) m_wokenNs.resize(task.index() + 1);
  m_wokenNs[task.index()] = runTime(m) + 1;
}

void Recorder::onSetTaskCpu(const Machine& m, TaskId task, CpuId from, CpuId to, MigrationReason reason) {
  m_migrations.add({runTime(m), m_event, task.value, m.task(task).pid, from.value, to.value, reason});
}

void Recorder::onNewidleSkip(const Machine&, const NewidleSkip& skip) { m_idleCauses.onNewidleSkip(skip); }

void Recorder::onBalancePass(const Machine& m, const BalancePass& pass) {
  m_idleCauses.onPass(m, pass, m_nextDecision);
  DecisionRecord record;
  record.index = m_nextDecision++;
  record.event = m_event;
  record.timeNs = runTime(m);
  record.domain = pass.domain;
  record.cpu = pass.dstCpu.value;
  record.from = pass.sourceCpu.value;
  record.kind = pass.entry == BalanceEntry::ActiveStopper ? DecisionKind::ActivePass : DecisionKind::Pass;
  record.entry = static_cast<std::uint8_t>(pass.entry);
  record.idle = static_cast<std::uint8_t>(pass.idle);
  record.moved = pass.movedCount;
  if (pass.movedCount != 0)
    record.result = DecisionResult::Moved;
  else if (pass.activeStarted)
    record.result = DecisionResult::ActiveStarted;
  else if (pass.nrBalanceFailedAfter > pass.nrBalanceFailedBefore)
    record.result = DecisionResult::Failed;
  m_decisions.add(record);
}

void Recorder::onPlacement(const Machine& m, const Placement& placement) {
  m_idleCauses.onPlacement(m, placement, m_nextDecision);
  DecisionRecord record;
  record.index = m_nextDecision++;
  record.event = m_event;
  record.timeNs = runTime(m);
  record.cpu = placement.chosen.value;
  record.from = placement.prevCpu.value;
  record.kind = DecisionKind::Placement;
  record.result = DecisionResult::Placed;
  record.entry = static_cast<std::uint8_t>(placement.kind);
  m_decisions.add(record);
}

}  // namespace rqscope
