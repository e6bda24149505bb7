// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "recording/history.h"

#include <algorithm>

namespace rqscope {
namespace {

constexpr std::size_t kMinCheckpoints = 2;
constexpr std::uint64_t kMostEventsLookedAt = 200'000;
constexpr std::uint64_t kMinSpacing = 1024;
constexpr std::uint64_t kMaxSpacing = 8192;  // a replay takes some 20 ms at most
/// Copying a checkpoint moves so many bytes in the time of an event, or more. A big machine's are further
/// apart, so that copying stays below a tenth of the run.
constexpr std::uint64_t kBytesPerEvent = 256;

}  // namespace

History::History(SimState start, std::uint64_t budgetBytes)
    : m_simulator(start), m_scratch(start), m_recorder(start), m_budget(budgetBytes) {
  m_spacing = std::clamp(stateBytes(state()) / kBytesPerEvent, kMinSpacing, kMaxSpacing);
  addCheckpoint();
}

void History::addCheckpoint() {
  Checkpoint& checkpoint = m_checkpoints.emplace_back(Checkpoint{state(), m_recorder.mark(), 0});
  checkpoint.bytes = stateBytes(checkpoint.state) + checkpoint.mark.switches.size() * sizeof(std::uint64_t) +
                     checkpoint.mark.wokenNs.size() * sizeof(std::uint64_t);
  m_checkpointBytes += checkpoint.bytes;
  thinOut();
}

/// Over the budget every second checkpoint goes: the longest replay doubles, the run stays whole.
void History::thinOut() {
  const std::uint64_t others = std::min(m_recorder.bytes(), m_budget / 2);
  while (m_checkpointBytes > m_budget - others && m_checkpoints.size() > kMinCheckpoints) {
    std::size_t kept = 0;
    m_checkpointBytes = 0;
    for (std::size_t i = 0; i < m_checkpoints.size(); i += 2) {
      if (kept != i) m_checkpoints[kept] = std::move(m_checkpoints[i]);
      m_checkpointBytes += m_checkpoints[kept++].bytes;
    }
    m_checkpoints.erase(m_checkpoints.begin() + static_cast<std::ptrdiff_t>(kept), m_checkpoints.end());
    m_spacing *= 2;
  }
}

void History::setBudget(std::uint64_t bytes) {
  m_budget = bytes;
  thinOut();
}

bool History::stepEvent() {
  const bool isNew = position() == m_frontier;
  if (!isNew) {
    m_simulator.setObserver(nullptr);
    return m_simulator.stepEvent();
  }
  const SimEvent next = m_simulator.nextEvent();
  if (next.kind == SimEventKind::None) return false;
  if (position() - m_checkpoints.back().state.counters.events >= m_spacing) addCheckpoint();
  m_recorder.beforeEvent(state(), next.timeNs);
  m_simulator.setObserver(&m_recorder);
  m_simulator.stepEvent();
  m_recorder.afterEvent(state());
  m_frontier = position();
  m_frontierTimeNs = state().timeNs();
  return true;
}

std::size_t History::checkpointFor(std::uint64_t position) const {
  const auto it = std::upper_bound(
      m_checkpoints.begin(), m_checkpoints.end(), position,
      [](std::uint64_t value, const Checkpoint& c) { return value < c.state.counters.events; });
  return static_cast<std::size_t>(it - m_checkpoints.begin()) - 1;
}

void History::restore(const Checkpoint& checkpoint) { m_simulator.state() = checkpoint.state; }

void History::seekEvent(std::uint64_t target) {
  const Checkpoint& checkpoint = m_checkpoints[checkpointFor(target)];
  if (target < position() || checkpoint.state.counters.events > position()) restore(checkpoint);
  while (position() < target && !isCancelled() && stepEvent()) {
  }
}

void History::seekTime(std::uint64_t timeNs) {
  const auto it =
      std::upper_bound(m_checkpoints.begin(), m_checkpoints.end(), timeNs,
                       [](std::uint64_t value, const Checkpoint& c) { return value < c.state.timeNs(); });
  // The first checkpoint is at time 0: there is always one at or before.
  const Checkpoint& checkpoint = *(it - 1);
  if (timeNs < state().timeNs() || checkpoint.state.counters.events > position()) restore(checkpoint);
  for (;;) {
    const SimEvent next = nextEvent();
    if (next.kind == SimEventKind::None || next.timeNs - state().originNs > timeNs || isCancelled()) return;
    stepEvent();
  }
}

const History::Checkpoint& History::checkpointOfDecision(std::uint64_t index) const {
  const auto it = std::upper_bound(
      m_checkpoints.begin(), m_checkpoints.end(), index,
      [](std::uint64_t value, const Checkpoint& c) { return value < c.state.counters.decisions(); });
  return *(it - 1);  // the first checkpoint comes before every decision
}

bool History::seekDecision(std::uint64_t index) {
  const Checkpoint& checkpoint = checkpointOfDecision(index);
  if (index < state().counters.decisions() || checkpoint.state.counters.events > position())
    restore(checkpoint);
  while (state().counters.decisions() <= index)
    if (isCancelled() || !stepEvent()) return false;
  seekEvent(position() - 1);
  return state().counters.decisions() <= index;
}

/// From the log, or by running from the checkpoint before it.
bool History::findDecision(std::uint64_t index, std::uint64_t& firstDecision, std::uint64_t& event) {
  const auto& log = m_recorder.decisions();
  if (index >= log.total()) return false;
  if (index > log.dropped) {
    event = log.items[index - log.dropped].event;
    firstDecision = index;
    while (firstDecision > log.dropped && log.items[firstDecision - log.dropped - 1].event == event)
      --firstDecision;
    if (firstDecision > log.dropped) return true;  // else its event may begin before the log
  }
  m_scratch.state() = checkpointOfDecision(index).state;
  while (m_scratch.state().counters.decisions() <= index) {
    event = m_scratch.state().counters.events;
    firstDecision = m_scratch.state().counters.decisions();
    if (event >= m_frontier || !m_scratch.stepEvent()) return false;
  }
  return true;
}

bool History::replayDecision(std::uint64_t index, Observer& observer, std::uint64_t& firstDecision,
                             std::uint64_t& event) {
  if (!findDecision(index, firstDecision, event)) return false;
  m_scratch.state() = m_checkpoints[checkpointFor(event)].state;
  while (m_scratch.state().counters.events < event) m_scratch.stepEvent();
  m_scratch.setObserver(&observer);
  m_scratch.stepEvent();
  m_scratch.setObserver(nullptr);
  return true;
}

bool History::seekBackTo(const Predicate& holds) {
  const std::uint64_t here = position();
  std::uint64_t end = here;
  while (end > 0) {
    const Checkpoint& checkpoint = m_checkpoints[checkpointFor(end - 1)];
    const std::uint64_t begin = checkpoint.state.counters.events;
    restore(checkpoint);
    std::uint64_t found = 0;
    while (position() + 1 < end) {
      stepEvent();
      if (holds(m_simulator)) found = position();
    }
    if (end < here && position() + 1 == end) {  // the last one of this stretch was not looked at yet
      stepEvent();
      if (holds(m_simulator)) found = position();
    }
    if (found != 0) {
      seekEvent(found);
      return true;
    }
    end = begin;
  }
  seekEvent(here);
  return false;
}

void History::replayNext(Observer& observer) {
  m_scratch.state() = state();
  m_scratch.setObserver(&observer);
  m_scratch.stepEvent();
  m_scratch.setObserver(nullptr);
}

std::optional<History::Change> History::lastChange(const Read& read, Observer& observer) {
  std::uint64_t end = position();
  const std::uint64_t least = end > kMostEventsLookedAt ? end - kMostEventsLookedAt : 0;
  while (end > least && !isCancelled()) {
    const Checkpoint& checkpoint = m_checkpoints[checkpointFor(end - 1)];
    const std::uint64_t begin = checkpoint.state.counters.events;
    const SimState& state = m_scratch.state();
    m_scratch.state() = checkpoint.state;
    std::optional<std::uint64_t> found;
    std::optional<std::int64_t> last = read(state);
    while (state.counters.events < end && m_scratch.stepEvent()) {
      const std::optional<std::int64_t> now = read(state);
      if (now != last) found = state.counters.events - 1;
      last = now;
    }
    if (found) {
      m_scratch.state() = checkpoint.state;
      while (state.counters.events < *found) m_scratch.stepEvent();
      Change change;
      change.event = *found;
      change.before = state;
      m_scratch.setObserver(&observer);
      m_scratch.stepEvent();
      m_scratch.setObserver(nullptr);
      change.after = state;
      return change;
    }
    end = begin;
  }
  return std::nullopt;
}

std::uint64_t History::checkpointBefore(std::uint64_t position) const {
  return position == 0 ? 0 : m_checkpoints[checkpointFor(position - 1)].state.counters.events;
}

void History::replayRange(std::uint64_t begin, std::uint64_t end, Observer& observer,
                          std::uint64_t& firstDecision) {
  m_scratch.state() = m_checkpoints[checkpointFor(begin)].state;
  while (m_scratch.state().counters.events < begin && m_scratch.stepEvent()) {
  }
  firstDecision = m_scratch.state().counters.decisions();
  m_scratch.setObserver(&observer);
  while (m_scratch.state().counters.events < end && !isCancelled() && m_scratch.stepEvent()) {
  }
  m_scratch.setObserver(nullptr);
}

void History::branch(Operation operation) {
  if (state().isAtEnd) seekEvent(position() - 1);
  const std::uint64_t here = position();
  operation.atNs = state().timeNs();
  operation.afterEvent = here;
  auto plan = std::make_shared<SimPlan>(*state().plan);
  plan->operations.insert(plan->operations.begin() + static_cast<std::ptrdiff_t>(state().nextOperation),
                          std::move(operation));
  const std::size_t last = checkpointFor(here);
  m_checkpoints.resize(last + 1);
  m_checkpointBytes = 0;
  for (Checkpoint& checkpoint : m_checkpoints) {
    checkpoint.state.plan = plan;
    m_checkpointBytes += checkpoint.bytes;
  }
  restore(m_checkpoints.back());
  m_recorder.cutBack(m_checkpoints.back().mark);
  m_frontier = position();
  m_frontierTimeNs = state().timeNs();
  seekEvent(here);
}

}  // namespace rqscope
