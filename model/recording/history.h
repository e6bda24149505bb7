// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "engine/simulator.h"
#include "recording/recorder.h"

namespace rqscope {

/// A run that can be looked at from any of its moments: checkpoints plus replay. Position n is the state
/// after n events; the frontier is the furthest position run so far on this branch. Any way to a position
/// gives the same state.
class History {
 public:
  static constexpr std::uint64_t kDefaultBudget = std::uint64_t{256} << 20;

  explicit History(SimState start, std::uint64_t budgetBytes = kDefaultBudget);

  const SimState& state() const { return m_simulator.state(); }
  SimEvent nextEvent() const { return m_simulator.nextEvent(); }
  const SimState& startState() const { return m_checkpoints.front().state; }
  const Recorder& recorder() const { return m_recorder; }
  std::uint64_t position() const { return state().counters.events; }
  std::uint64_t frontier() const { return m_frontier; }
  std::uint64_t frontierTimeNs() const { return m_frontierTimeNs; }

  /// One event forward. False at the end.
  bool stepEvent();
  /// To position n, or the end if that comes first.
  void seekEvent(std::uint64_t position);
  /// To the last position whose events are all at or before the time.
  void seekTime(std::uint64_t timeNs);
  /// To the state before the event in which decision `index` falls. False when the run ends before it.
  bool seekDecision(std::uint64_t index);
  /// To the last position before the present one for which `holds` is true right after an event. False, and
  /// nothing moved, when there is none.
  using Predicate = std::function<bool(const Simulator&)>;
  bool seekBackTo(const Predicate& holds);

  /// Replays the next event on the side, with `observer` watching; the history does not move.
  void replayNext(Observer& observer);
  /// The same for the event in which decision `index` falls; `firstDecision` and `event` tell the numbers of
  /// that event's first decision and of the event. False when the run so far has no such decision.
  bool replayDecision(std::uint64_t index, Observer& observer, std::uint64_t& firstDecision,
                      std::uint64_t& event);

  /// What to watch in lastChange(): a number, or nothing while it does not exist.
  using Read = std::function<std::optional<std::int64_t>(const SimState&)>;
  /// The event in which a number got its present value, with the states around it.
  struct Change {
    std::uint64_t event = 0;  ///< number of the event
    SimState before, after;
  };
  /// Looks back from the present position, over at most a few hundred thousand events, on the side;
  /// `observer` is told of the event found. Nothing when it has not changed since.
  std::optional<Change> lastChange(const Read& read, Observer& observer);

  /// Replays the events [begin, end) on the side, `observer` watching; `firstDecision` is set to the number
  /// of the first decision in them before it is told of anything.
  void replayRange(std::uint64_t begin, std::uint64_t end, Observer& observer, std::uint64_t& firstDecision);
  /// Position of the last checkpoint before `position`: a cheap place to begin a replay.
  std::uint64_t checkpointBefore(std::uint64_t position) const;

  /// A branch: the operation happens now, everything after the present position is forgotten.
  void branch(Operation operation);

  /// Seeks end early, at some position on their way, when the flag becomes true; nullptr: never.
  void setCancelFlag(const std::atomic<bool>* flag) { m_cancelFlag = flag; }
  void setBudget(std::uint64_t bytes);
  std::uint64_t budget() const { return m_budget; }
  std::uint64_t bytes() const { return m_checkpointBytes + m_recorder.bytes(); }
  std::size_t checkpoints() const { return m_checkpoints.size(); }

 private:
  struct Checkpoint {
    SimState state;
    RecorderMark mark;
    std::uint64_t bytes = 0;
  };

  void addCheckpoint();
  void thinOut();
  void restore(const Checkpoint& checkpoint);
  bool isCancelled() const {
    return m_cancelFlag != nullptr && m_cancelFlag->load(std::memory_order_relaxed);
  }
  bool findDecision(std::uint64_t index, std::uint64_t& firstDecision, std::uint64_t& event);
  const Checkpoint& checkpointOfDecision(std::uint64_t index) const;
  /// The last checkpoint at or before the position.
  std::size_t checkpointFor(std::uint64_t position) const;

  Simulator m_simulator;
  Simulator m_scratch;  ///< for replayNext(): keeps its memory
  Recorder m_recorder;
  std::vector<Checkpoint> m_checkpoints;  ///< ascending; the first is the start
  std::uint64_t m_spacing =
      1024;  ///< events between checkpoints: more on a big machine, and when memory is short
  std::uint64_t m_budget;
  std::uint64_t m_checkpointBytes = 0;
  std::uint64_t m_frontier = 0;
  std::uint64_t m_frontierTimeNs = 0;
  const std::atomic<bool>* m_cancelFlag = nullptr;
};

}  // namespace rqscope
