// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "recording/idle_causes.h"

#include <algorithm>

#include "engine/idle_waiting.h"

namespace rqscope {
namespace {

constexpr std::size_t kMostSpans = std::size_t{1} << 19;

std::uint8_t branchOf(const BalancePass& pass) {
  switch (pass.end) {
    case PassEnd::Balanced:
      return static_cast<std::uint8_t>(pass.why);
    case PassEnd::NoImbalance:
      return static_cast<std::uint8_t>(pass.rule);
    case PassEnd::NoneDetached:
      return static_cast<std::uint8_t>(pass.refusal);
    default:
      return 0;
  }
}

/// Some fair task waits on a CPU of the domain: the pass could have helped.
bool hasWaiting(const Machine& m, const SchedDomain& domain) {
  for (CpuId cpu = domain.span.first(); cpu.isValid(); cpu = domain.span.next(cpu))
    if (m.rootCfs(cpu).hNrRunnable > (m.rq(cpu).curr.isValid() ? 1U : 0U)) return true;
  return false;
}

}  // namespace

IdleCauses::IdleCauses(const SimState& start) : m_open(start.cpus.size()), m_latest(start.cpus.size()) {}

void IdleCauses::note(CpuId cpu, const IdleCause& cause, std::uint64_t decision) {
  m_latest[cpu.index()] = {cause, decision, true};
  m_noted.set(cpu);
}

void IdleCauses::onPass(const Machine& m, const BalancePass& pass, std::uint64_t decision) {
  const CpuId cpu = pass.dstCpu;
  // A newidle pass runs while the task that leaves is still current.
  const bool isBusy = pass.entry != BalanceEntry::Newidle && cpu.isValid() && m.rq(cpu).curr.isValid();
  if (!cpu.isValid() || isBusy || m.rootCfs(cpu).hNrRunnable != 0) return;
  // A refusal of should_we_balance() ends the walk up the domains, whoever waits beyond.
  const bool counts = pass.end == PassEnd::NotThisCpu ||
                      (pass.domain.isValid() && hasWaiting(m, m.topology->domain(pass.domain)));
  if (!counts) return;
  note(cpu, {IdleCauseKind::Pass, static_cast<std::uint8_t>(pass.end), branchOf(pass)}, decision);
}

void IdleCauses::onPlacement(const Machine& m, const Placement& placement, std::uint64_t decision) {
  if (!placement.chosen.isValid() || isIdleCpu(m, placement.chosen)) return;
  m_placed = {
      {IdleCauseKind::PlacedElsewhere, static_cast<std::uint8_t>(placement.decidedBy), 0}, decision, true};
}

void IdleCauses::onNewidleSkip(const NewidleSkip& skip) {
  note(skip.cpu, {IdleCauseKind::NewidleSkipped, static_cast<std::uint8_t>(skip.reason), 0}, UINT64_MAX);
}

void IdleCauses::close(std::size_t cpu, std::uint64_t nowNs) {
  IdleSpan& span = m_open[cpu];
  if (span.beginNs != nowNs) {
    span.endNs = nowNs;
    if (m_spans.size() >= kMostSpans) forgetHalf();
    m_spans.push_back(span);
  }
  span = IdleSpan{};
}

void IdleCauses::beforeEvent(const SimState& state) {
  const std::uint64_t now = state.timeNs();
  if (state.idleWaitingCpus != 0) {
    const CpuMask waiting = idleWhileWaiting(state);
    if (m_noted.isEmpty() && !m_placed.isNew && waiting == m_openCpus) return;  // nothing new
    (m_openCpus - waiting).forEach([&](CpuId cpu) { close(cpu.index(), now); });
    m_openCpus = waiting;
    waiting.forEach([&](CpuId cpu) {
      IdleSpan& span = m_open[cpu.index()];
      const LatestCause& latest = m_latest[cpu.index()];
      const bool isOpen = span.cpu >= 0;
      LatestCause reason = latest.isNew ? latest : m_placed;
      if (!reason.isNew) {
        if (isOpen) return;  // nothing new about it
        reason.cause = {IdleCauseKind::NoPassYet, static_cast<std::uint8_t>(state.lastEvent.kind), 0};
        reason.decision = UINT64_MAX;
      }
      if (isOpen && span.cause == reason.cause) return;
      if (isOpen) close(cpu.index(), now);
      span = {now, UINT64_MAX, cpu.value, reason.cause, reason.decision};
    });
  } else if (!m_openCpus.isEmpty()) {
    m_openCpus.forEach([&](CpuId cpu) { close(cpu.index(), now); });
    m_openCpus.clearAll();
  }
  m_noted.forEach([&](CpuId cpu) { m_latest[cpu.index()].isNew = false; });
  m_noted.clearAll();
  m_placed.isNew = false;
}

/// The older half goes into sums by cause.
void IdleCauses::forgetHalf() {
  const std::size_t half = m_spans.size() / 2;
  for (std::size_t i = 0; i < half; ++i) {
    const IdleSpan& span = m_spans[i];
    auto it = std::find_if(m_forgotten.begin(), m_forgotten.end(),
                           [&](const ForgottenCause& f) { return f.cause == span.cause; });
    if (it == m_forgotten.end()) it = m_forgotten.insert(it, {span.cause, 0, 0});
    it->ns += span.endNs - span.beginNs;
    ++it->spans;
  }
  m_spans.erase(m_spans.begin(), m_spans.begin() + static_cast<std::ptrdiff_t>(half));
  m_forgottenSpans += half;
}

IdleCausesMark IdleCauses::mark() const {
  return {m_forgottenSpans + m_spans.size(), m_open, m_latest, m_placed};
}

void IdleCauses::cutBack(const IdleCausesMark& mark) {
  m_spans.resize(mark.spans > m_forgottenSpans ? mark.spans - m_forgottenSpans : 0);
  m_open = mark.open;
  m_latest = mark.latest;
  m_placed = mark.placed;
  m_openCpus.clearAll();
  m_noted.clearAll();
  for (std::size_t cpu = 0; cpu < m_open.size(); ++cpu) {
    if (m_open[cpu].cpu >= 0) m_openCpus.set(CpuId{m_open[cpu].cpu});
    if (m_latest[cpu].isNew) m_noted.set(CpuId{static_cast<std::int32_t>(cpu)});
  }
}

std::vector<IdleSpan> IdleCauses::spans() const {
  std::vector<IdleSpan> out = m_spans;
  for (const IdleSpan& span : m_open)
    if (span.cpu >= 0) out.push_back(span);
  return out;
}

}  // namespace rqscope
