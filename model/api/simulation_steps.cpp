// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <chrono>

#include "api/problems.h"
#include "api/simulation_impl.h"
#include "recording/condition.h"

namespace rqscope::api {
namespace {

using Clock = std::chrono::steady_clock;

constexpr unsigned kEventsPerClockLook = 64;

/// The last event was a tick and no other CPU's tick of the same moment is to come.
bool isAfterTick(const Simulator& simulator) {
  if (simulator.state().lastEvent.kind != SimEventKind::Tick) return false;
  const SimEvent next = simulator.nextEvent();
  return next.kind != SimEventKind::Tick || next.timeNs != simulator.state().machine.nowNs;
}

std::vector<GroupType> groupTypes(const SimState& state, const FrameTables& tables) {
  std::vector<GroupType> types;
  for (const ViewedGroup& group : tables.groups) types.push_back(liveGroupStats(state.machine, group).type);
  return types;
}

bool hasMisfit(const SimState& state) {
  return std::any_of(state.machine.rqs.begin(), state.machine.rqs.end(),
                     [](const Rq& rq) { return rq.misfitTaskLoad != 0; });
}

/// Watches a run for the thing it should stop at. Reached means: after the present event.
class StopWatch {
 public:
  StopWatch(const StopCondition& stop, const SimState& state, const FrameTables& tables)
      : m_stop(stop), m_tables(tables) {
    if (stop.kind == StopKind::Condition) {
      auto parsed = Condition::parse(stop.expression, state);
      if (parsed.ok()) m_condition = std::move(parsed).value();
    }
    begin(state);
  }
  bool isBroken() const { return m_stop.kind == StopKind::Condition && !m_condition; }

  bool isReached(const SimState& state) {
    switch (m_stop.kind) {
      case StopKind::Migration:
        return state.counters.migrations > m_migrations;
      case StopKind::FailedBalance:
        return state.counters.failedPasses > m_failedPasses;
      case StopKind::GroupTypeChange: {
        if (state.machine.topology->groups.size() != m_tables.groups.size()) return true;  // a hotplug
        return groupTypes(state, m_tables) != m_types;
      }
      case StopKind::Misfit: {
        const bool now = hasMisfit(state);
        const bool rose = now && !m_wasTrue;
        m_wasTrue = now;
        return rose;
      }
      case StopKind::IdleWhileWaiting: {
        const bool now = state.idleWaitingCpus != 0;
        const bool rose = now && !m_wasTrue;
        m_wasTrue = now;
        return rose;
      }
      case StopKind::Condition:
        return m_condition->isTrue(state);
      case StopKind::Time:
      case StopKind::End:
        return false;
    }
    return false;
  }

 private:
  void begin(const SimState& state) {
    m_migrations = state.counters.migrations;
    m_failedPasses = state.counters.failedPasses;
    if (m_stop.kind == StopKind::GroupTypeChange) m_types = groupTypes(state, m_tables);
    if (m_stop.kind == StopKind::Misfit) m_wasTrue = hasMisfit(state);
    if (m_stop.kind == StopKind::IdleWhileWaiting) m_wasTrue = state.idleWaitingCpus != 0;
  }

  const StopCondition& m_stop;
  const FrameTables& m_tables;
  std::optional<Condition> m_condition;
  std::uint64_t m_migrations = 0, m_failedPasses = 0;
  std::vector<GroupType> m_types;
  bool m_wasTrue = false;
};

/// Keeps the machine as it is when decision `wanted` of the event, counted from 0, begins.
class MachineBefore final : public Observer {
 public:
  explicit MachineBefore(std::size_t wanted) : m_wanted(wanted) {}
  std::optional<Machine> machine;

 private:
  void onBalanceBegin(const Machine& m, const BalancePass&) override { count(m); }
  void onPlacementBegin(const Machine& m, const PlacementCall&) override { count(m); }
  void count(const Machine& m) {
    if (m_begun++ == m_wanted) machine = m;
  }

  std::size_t m_wanted;
  std::size_t m_begun = 0;
};

}  // namespace

void Simulation::Impl::leaveDecision() {
  cursor.reset();
  shownDecision = UINT64_MAX;
  viewNs = 0;
}

/// Onto a rung of decision `index`, which must fall in the next event; rung -1: the last one.
bool Simulation::Impl::enterDecision(std::uint64_t index, std::int32_t rung) {
  const SimState& state = history.state();
  const std::uint64_t first = state.counters.decisions();
  DecisionCapture capture(first, history.position(), state.originNs);
  history.replayNext(capture);
  if (index < first || index - first >= capture.ladders.size()) return false;
  cursor = Cursor{std::move(capture.ladders), static_cast<std::size_t>(index - first), 0, std::nullopt};
  const auto rungs = static_cast<std::int32_t>(cursor->ladder().rungs.size());
  cursor->rung = rung < 0 ? rungs - 1 : std::min(rung, rungs - 1);
  takeStateBefore();
  return true;
}

/// The first decision of an event is shown on the state before the event; before a later one the earlier have
/// done their work.
void Simulation::Impl::takeStateBefore() {
  cursor->before.reset();
  if (cursor->which == 0) return;
  MachineBefore watch(cursor->which);
  history.replayNext(watch);
  if (!watch.machine || watch.machine->topology != history.state().machine.topology) return;
  cursor->before = history.state();
  cursor->before->machine = std::move(*watch.machine);
}

bool Simulation::Impl::toNextDecision() {
  if (cursor && cursor->which + 1 < cursor->ladders.size()) {
    ++cursor->which;
    cursor->rung = 0;
    takeStateBefore();
    return true;
  }
  const bool wasInside = cursor.has_value();
  leaveDecision();
  bool moved = wasInside && history.stepEvent();
  const std::uint64_t before = history.state().counters.decisions();
  while (!cancelled.load(std::memory_order_relaxed) && history.stepEvent()) {
    moved = true;
    if (history.state().counters.decisions() == before) continue;
    history.seekEvent(history.position() - 1);
    return enterDecision(before, 0);
  }
  return moved;
}

bool Simulation::Impl::toDecisionBefore(bool lastRung) {
  const std::uint64_t here = cursor ? cursor->ladder().index : history.state().counters.decisions();
  if (here == 0) return false;
  leaveDecision();
  return history.seekDecision(here - 1) && enterDecision(here - 1, lastRung ? -1 : 0);
}

bool Simulation::Impl::stepTick(Direction direction) {
  if (direction == Direction::Forward) {
    leaveDecision();
    bool moved = false;
    while (!cancelled.load(std::memory_order_relaxed) && history.stepEvent()) {
      moved = true;
      const SimEvent next = history.nextEvent();
      const SimState& state = history.state();
      if (state.lastEvent.kind == SimEventKind::Tick &&
          (next.kind != SimEventKind::Tick || next.timeNs != state.machine.nowNs))
        break;
    }
    return moved;
  }
  leaveDecision();
  if (history.position() == 0) return false;
  if (!history.seekBackTo(isAfterTick)) history.seekEvent(0);
  return true;
}

bool Simulation::Impl::stepPass(Direction direction) {
  return direction == Direction::Forward ? toNextDecision() : toDecisionBefore(false);
}

bool Simulation::Impl::stepRung(Direction direction) {
  if (direction == Direction::Back) {
    if (cursor && cursor->rung > 0) {
      --cursor->rung;
      return true;
    }
    if (!cursor || cursor->which > 0) return toDecisionBefore(true);
    // Before the first decision of an event stands the moment after the event of the one before.
    const std::uint64_t first = cursor->ladder().index;
    leaveDecision();
    return first == 0 || (history.seekDecision(first - 1) && history.stepEvent());
  }
  if (!cursor) return toNextDecision();
  if (cursor->rung + 1 < static_cast<std::int32_t>(cursor->ladder().rungs.size())) {
    ++cursor->rung;
    return true;
  }
  if (cursor->which + 1 < cursor->ladders.size()) return toNextDecision();
  leaveDecision();  // the last rung of the last decision: the event happens
  return history.stepEvent();
}

bool Simulation::step(StepKind kind, Direction direction) {
  Impl& impl = *m_impl;
  impl.cancelled = false;
  if (kind == StepKind::Tick) return impl.stepTick(direction);
  if (kind == StepKind::Pass) return impl.stepPass(direction);
  if (kind == StepKind::Rung) return impl.stepRung(direction);
  const bool wasInside = impl.cursor.has_value();
  impl.leaveDecision();
  if (direction == Direction::Forward) return impl.history.stepEvent();
  if (wasInside) return true;  // back out of the decision: before its event
  if (impl.history.position() == 0) return false;
  impl.history.seekEvent(impl.history.position() - 1);
  return true;
}

void Simulation::seekTime(std::int64_t timeNs) {
  m_impl->cancelled = false;
  m_impl->leaveDecision();
  m_impl->history.seekTime(static_cast<std::uint64_t>(std::max<std::int64_t>(timeNs, 0)));
}

void Simulation::seekEvent(std::uint64_t eventIndex) {
  m_impl->cancelled = false;
  m_impl->leaveDecision();
  m_impl->history.seekEvent(eventIndex);
}

bool Simulation::seekPass(std::uint64_t index) {
  m_impl->cancelled = false;
  m_impl->leaveDecision();
  return m_impl->history.seekDecision(index) && m_impl->enterDecision(index, 0);
}

void Simulation::advance(std::int64_t durationNs) {
  Impl& impl = *m_impl;
  impl.cancelled = false;
  const auto target = static_cast<std::uint64_t>(std::max<std::int64_t>(impl.nowNs() + durationNs, 0));
  impl.leaveDecision();
  impl.history.seekTime(target);
  impl.viewNs = impl.history.state().isAtEnd ? 0 : target;
}

bool Simulation::runUntil(const StopCondition& condition, int wallBudgetMs) {
  m_impl->cancelled = false;
  return m_impl->runTo(condition, wallBudgetMs);
}

bool Simulation::Impl::runTo(const StopCondition& stop, int wallBudgetMs) {
  const bool wasInside = cursor.has_value();
  leaveDecision();
  if (wasInside) history.stepEvent();
  const Clock::time_point end = Clock::now() + std::chrono::milliseconds(wallBudgetMs);
  const auto until =
      static_cast<std::uint64_t>(std::max<std::int64_t>(stop.timeNs, 0)) + history.state().originNs;
  StopWatch watch(stop, history.state(), known().tables);
  if (watch.isBroken())
    return true;  // a condition that cannot be read is met nowhere; see conditionProblems()
  for (unsigned count = 1;; ++count) {
    const SimEvent next = history.nextEvent();
    if (next.kind == SimEventKind::None) return stop.kind == StopKind::End;
    if (stop.kind == StopKind::Time && next.timeNs > until) {
      viewNs = until - history.state().originNs;
      return true;
    }
    const SimCounters before = history.state().counters;
    history.stepEvent();
    if (watch.isReached(history.state())) {
      const auto& log = history.recorder().decisions();
      for (std::uint64_t d = before.decisions(); d < history.state().counters.decisions(); ++d) {
        if (d < log.dropped || d - log.dropped >= log.items.size()) continue;
        const DecisionResult result = log.items[d - log.dropped].result;
        const bool isIt = stop.kind == StopKind::FailedBalance ? result == DecisionResult::Failed
                                                               : result == DecisionResult::Moved;
        if (isIt) shownDecision = d;
      }
      return true;
    }
    if (count % kEventsPerClockLook != 0) continue;
    if (cancelled.load(std::memory_order_relaxed) || Clock::now() >= end) return false;
  }
}

std::vector<Problem> Simulation::conditionProblems(const std::string& expression) const {
  auto parsed = Condition::parse(expression, m_impl->history.state());
  return problemsOf(parsed.diagnostics());
}

}  // namespace rqscope::api
