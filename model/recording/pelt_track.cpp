// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "recording/pelt_track.h"

#include <algorithm>
#include <cmath>

#include "base/fixed.h"
#include "runqueue/load_tracking.h"

namespace rqscope {
namespace {

constexpr double kFull = static_cast<double>(kCapacityScale);
constexpr std::size_t kUtil = 0, kLoad = 1, kRunnable = 2;

/// Kernel: is_idle_task(rq->curr).
bool isIdleCurrent(const Rq& rq) {
  return !rq.curr.isValid() && !rq.stopperRunning && !rq.rtRunning && !rq.dlRunning;
}

bool isBelow(const Machine& m, GroupId group, GroupId top) {
  for (GroupId g = group; g.isValid(); g = m.group(g).parent)
    if (g == top) return true;
  return false;
}

}  // namespace

bool PeltTrack::Driven::drivesAs(const Driven& other) const {
  return isAttached == other.isAttached && isRunning == other.isRunning && isQueued == other.isQueued &&
         isRunnable == other.isRunnable && isStopped == other.isStopped && queue == other.queue &&
         pid == other.pid && weight == other.weight && clockOffset == other.clockOffset &&
         frozenClock == other.frozenClock;
}

PeltTrack::PeltTrack(SimState start, PeltSubject subject)
    : m_simulator(std::move(start)), m_subject(subject), m_beginNs(m_simulator.state().timeNs()) {
  const Machine& m = m_simulator.state().machine;
  m_clockBefore.resize(m.rqs.size());
  m_changed.resize(m.rqs.size());
  if (subject.kind == PeltSubject::Kind::Queue && subject.cpu.isValid())
    m_cpus = {subject.cpu};
  else if (subject.kind == PeltSubject::Kind::Queue)
    m_simulator.state().allCpus.forEach([&](CpuId cpu) { m_cpus.push_back(cpu); });
  else
    m_cpus = {CpuId{0}};  // a task has one curve, wherever it is
  m_pieces.resize(m_cpus.size());
  for (std::size_t c = 0; c < m.rqs.size(); ++c) m_clockBefore[c] = cpuClock(CpuId{c}, m.nowNs);
  afterEvent();
}

double PeltTrack::cpuClock(CpuId cpu, std::uint64_t nowNs) const {
  const Machine& m = m_simulator.state().machine;
  const Rq& rq = m.rq(cpu);
  const auto ahead = static_cast<double>(nowNs - std::min(nowNs, rq.clock));
  const std::uint64_t at = isIdleCurrent(rq) ? rq.clockTask : rq.clockPelt;
  return static_cast<double>(at - rq.lostIdleTime) + ahead * rateOf(cpu);
}

double PeltTrack::rateOf(CpuId cpu) const {
  const Machine& m = m_simulator.state().machine;
  const Rq& rq = m.rq(cpu);
  if (isIdleCurrent(rq)) return 1;
  return static_cast<double>(capacityOrig(m, cpu)) * static_cast<double>(rq.freqCapacity) / (kFull * kFull);
}

double PeltTrack::clockOf(const Driven& driven, double cpuClock) const {
  if (driven.isStopped) return static_cast<double>(driven.frozenClock - driven.clockOffset);
  return cpuClock - static_cast<double>(driven.clockOffset);
}

PeltTrack::Driven PeltTrack::read(EntityId entity) const {
  const Machine& m = m_simulator.state().machine;
  const SchedEntity& se = m.entity(entity);
  Driven out;
  const bool isGone = se.isTask() && (!se.task.isValid() || m.task(se.task).se != entity);
  if (isGone || !se.cfsRq.isValid()) return out;
  out.queue = se.cfsRq;
  const CfsRq& queue = m.queue(se.cfsRq);
  out.cpu = queue.cpu;
  out.isAttached = se.avg.lastUpdateTime != 0;
  out.isRunning = currentOfLevel(m, queue) == entity;
  out.isQueued = se.onRq;
  out.isRunnable = se.onRq && !se.schedDelayed;
  out.weight = static_cast<double>(seWeight(se));
  out.isStopped = isPeltClockStopped(m, queue);
  out.clockOffset = queue.throttledClockPeltTime;
  out.frozenClock = out.isStopped ? queue.throttledClockPelt : 0;
  if (se.isTask()) {
    out.pid = m.task(se.task).pid;
    if (m.task(se.task).state == TaskState::Dead) out.isAttached = false;
  }
  return out;
}

PeltTrack::Values PeltTrack::valueOf(const Driven& driven, double clock) const {
  const double passed = clock - driven.clock;
  return {idealAverage(driven.value[kUtil], driven.isRunning ? kFull : 0, passed),
          idealAverage(driven.value[kLoad], driven.isQueued ? 1 : 0, passed),
          idealAverage(driven.value[kRunnable], driven.isRunnable ? kFull : 0, passed)};
}

/// Takes a change of what drives an entity: its averages move on to now as before, and on from here anew.
void PeltTrack::follow(EntityId entity, Driven& known) {
  const Machine& m = m_simulator.state().machine;
  Driven now = read(entity);
  if (now.drivesAs(known)) return;
  for (const CpuId cpu : {known.cpu, now.cpu})
    if (cpu.isValid()) m_changed[cpu.index()] = 1;
  const bool isSame = known.isAttached && known.pid == now.pid;
  if (now.isAttached && !isSame) {
    const SchedAvg& avg = m.entity(entity).avg;
    now.value = {static_cast<double>(avg.utilAvg),
                 static_cast<double>(avg.loadSum) / static_cast<double>(peltDivider(avg)),
                 static_cast<double>(avg.runnableAvg)};
  } else if (now.isAttached) {
    now.value = valueOf(known, clockOf(known, m_clockBefore[known.cpu.index()]));
  }
  if (now.cpu.isValid()) {
    const bool stays = isSame && known.queue == now.queue;
    now.clock = clockOf(now, stays ? m_clockBefore[now.cpu.index()] : cpuClock(now.cpu, m.nowNs));
  }
  known = now;
}

bool PeltTrack::isInSubject(const Driven& driven, EntityId entity, bool forLoad) const {
  const Machine& m = m_simulator.state().machine;
  if (!driven.isAttached) return false;
  const SchedEntity& se = m.entity(entity);
  if (m_subject.kind == PeltSubject::Kind::Task)
    return se.isTask() && se.task == m_subject.task && driven.pid == m_subject.pid;
  const GroupId group = m.queue(driven.queue).group;
  if (forLoad) return group == m_subject.group;
  return se.isTask() && isBelow(m, group, m_subject.group);
}

PeltTrack::Piece PeltTrack::pieceOf(CpuId cpu) const {
  const SimState& state = m_simulator.state();
  const bool isTask = m_subject.kind == PeltSubject::Kind::Task;
  Piece piece;
  piece.beginNs = state.timeNs();
  piece.rate = isTask ? 0 : rateOf(cpu);
  for (std::size_t e = 0; e < m_driven.size(); ++e) {
    const Driven& driven = m_driven[e];
    if (!driven.isAttached || (!isTask && driven.cpu != cpu)) continue;
    const bool counts = isInSubject(driven, EntityId{e}, false);
    const bool countsAsLoad = isInSubject(driven, EntityId{e}, true);
    if (!counts && !countsAsLoad) continue;
    const double cpuNow = cpuClock(driven.cpu, state.machine.nowNs);
    const Values now = valueOf(driven, clockOf(driven, cpuNow));
    Values& value = driven.isStopped ? piece.still : piece.value;
    if (counts) {
      value[kUtil] += now[kUtil];
      value[kRunnable] += now[kRunnable];
      if (!driven.isStopped) piece.target[kUtil] += driven.isRunning ? kFull : 0;
      if (!driven.isStopped) piece.target[kRunnable] += driven.isRunnable ? kFull : 0;
    }
    if (countsAsLoad) {
      value[kLoad] += now[kLoad] * driven.weight;
      if (!driven.isStopped) piece.target[kLoad] += driven.isQueued ? driven.weight : 0;
    }
    if (isTask) piece.rate = rateOf(driven.cpu);
  }
  return piece;
}

/// Between changes of its entities, its rate and jumps of its clock a CPU's curve is one piece.
bool PeltTrack::isTouched(CpuId cpu, const std::vector<Piece>& pieces) const {
  if (m_subject.kind == PeltSubject::Kind::Task || pieces.empty() || m_changed[cpu.index()] != 0) return true;
  return pieces.back().rate != rateOf(cpu) ||
         cpuClock(cpu, m_simulator.state().machine.nowNs) != m_clockBefore[cpu.index()];
}

/// A new piece where the curve does not go on as the last one says.
void PeltTrack::addPieces() {
  const std::uint64_t now = m_simulator.state().timeNs();
  for (std::size_t c = 0; c < m_cpus.size(); ++c) {
    std::vector<Piece>& pieces = m_pieces[c];
    if (!isTouched(m_cpus[c], pieces)) continue;
    const Piece piece = pieceOf(m_cpus[c]);
    if (!pieces.empty()) {
      const Piece& last = pieces.back();
      const double passed = static_cast<double>(now - last.beginNs) * last.rate;
      bool goesOn = last.rate == piece.rate && last.target == piece.target;
      for (std::size_t s = 0; s < kPeltSignals && goesOn; ++s) {
        const double expected = idealAverage(last.value[s], last.target[s], passed) + last.still[s];
        goesOn = std::abs(expected - piece.value[s] - piece.still[s]) < 1e-6;
      }
      if (goesOn) continue;
      if (last.beginNs == now) pieces.pop_back();
    }
    pieces.push_back(piece);
  }
  std::ranges::fill(m_changed, 0);
}

SchedAvg PeltTrack::averages() const {
  const Machine& m = m_simulator.state().machine;
  SchedAvg sum;
  if (m_subject.kind == PeltSubject::Kind::Task) {
    const std::size_t slot = m_subject.task.index();
    const bool isAlive = slot < m.tasks.size() && m.tasks[slot].pid == m_subject.pid &&
                         m.tasks[slot].se.isValid() && m.tasks[slot].state != TaskState::Dead;
    // Before it is attached a task's averages are only what it will begin with.
    if (isAlive && m.entity(m.tasks[slot].se).avg.lastUpdateTime != 0) return m.entity(m.tasks[slot].se).avg;
    return sum;
  }
  if (m_subject.group.index() >= m.groups.size()) return sum;
  for (const CpuId cpu : m_cpus) {
    const SchedAvg& avg = m.queue(queueOf(m, m_subject.group, cpu)).avg;
    sum.utilAvg += avg.utilAvg;
    sum.loadAvg += avg.loadAvg;
    sum.runnableAvg += avg.runnableAvg;
  }
  return sum;
}

void PeltTrack::addStep() {
  const SchedAvg avg = averages();
  const Step step{m_simulator.state().timeNs(), {avg.utilAvg, avg.loadAvg, avg.runnableAvg}};
  if (!m_steps.empty() && m_steps.back().value == step.value) return;
  if (!m_steps.empty() && m_steps.back().timeNs == step.timeNs) m_steps.pop_back();
  m_steps.push_back(step);
}

void PeltTrack::afterEvent() {
  const Machine& m = m_simulator.state().machine;
  if (m_driven.size() < m.entities.size()) m_driven.resize(m.entities.size());
  if (m_subject.kind == PeltSubject::Kind::Task) {
    const std::size_t slot = m_subject.task.index();
    if (slot < m.tasks.size() && m.tasks[slot].se.isValid())
      follow(m.tasks[slot].se, m_driven[m.tasks[slot].se.index()]);
  } else {
    for (std::size_t e = 0; e < m.entities.size(); ++e) follow(EntityId{e}, m_driven[e]);
  }
  addPieces();
  addStep();
}

void PeltTrack::advanceTo(std::uint64_t target, const std::atomic<bool>* cancel) {
  while (position() < target && (cancel == nullptr || !cancel->load(std::memory_order_relaxed))) {
    const SimEvent next = m_simulator.nextEvent();
    const std::size_t cpus = m_simulator.state().machine.rqs.size();
    for (std::size_t c = 0; c < cpus; ++c) m_clockBefore[c] = cpuClock(CpuId{c}, next.timeNs);
    if (!m_simulator.stepEvent()) return;
    afterEvent();
  }
}

PeltTrack::Step PeltTrack::at(std::uint64_t timeNs) const {
  auto it = std::upper_bound(m_steps.begin(), m_steps.end(), timeNs,
                             [](std::uint64_t t, const Step& step) { return t < step.timeNs; });
  return it == m_steps.begin() ? Step{timeNs, {}} : Step{timeNs, (it - 1)->value};
}

PeltTrack::Values PeltTrack::ideal(std::uint64_t timeNs) const {
  Values sum{};
  for (const std::vector<Piece>& pieces : m_pieces) {
    const auto it = std::upper_bound(pieces.begin(), pieces.end(), timeNs,
                                     [](std::uint64_t t, const Piece& piece) { return t < piece.beginNs; });
    if (it == pieces.begin()) continue;
    const Piece& piece = *(it - 1);
    const double passed = static_cast<double>(timeNs - piece.beginNs) * piece.rate;
    for (std::size_t s = 0; s < kPeltSignals; ++s)
      sum[s] += idealAverage(piece.value[s], piece.target[s], passed) + piece.still[s];
  }
  return sum;
}

}  // namespace rqscope
