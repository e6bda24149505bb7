// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <set>
#include <unordered_map>
#include <vector>

#include "engine/record_driver.h"
#include "evaluate/trace_track.h"

namespace rqscope {

/// How far the model, in the state that a trace leads to, would have done of itself what the trace shows
/// next.
struct ReplayCounts {
  std::size_t switches = 0, picksAgree = 0;   ///< switches between tasks compared, or to idle
  std::size_t wakeups = 0, choicesAgree = 0;  ///< of tasks that may run on more than one CPU
};

/// Goes through a recorded trace event by event and keeps a machine in the state that the model's arithmetic
/// gives for that history: who is queued where, averages, virtual times, ticks. At any moment a copy can be
/// let go and runs by itself.
/// Simplified: a trace of the scheduler's events does not show when domains were balanced, so at a moment of
/// letting go each is taken as balanced on the grid of its interval and without failures.
class TraceReplay {
 public:
  /// `plan` has the programs of `tasks` as scenarioOfTrace() writes them; `real` is the trace's track.
  TraceReplay(const std::shared_ptr<const SimPlan>& plan, const Trace& trace, const TraceTasks& tasks,
              const TraceTrack& real);

  /// Follows the trace up to a moment of the track.
  void followTo(std::uint64_t ns);
  /// What the model does by itself from here on, as a track that begins here.
  TraceTrack runFreely(std::uint64_t lengthNs) const;
  const ReplayCounts& counts() const { return m_counts; }
  const Machine& machine() const { return m_simulator.state().machine; }

 private:
  /// One task of the trace in the plan's workload.
  struct Thread {
    std::int32_t program = -1;
    std::vector<std::int32_t> runEvents, timerEvents;  ///< by turn
    TaskId task;                                       ///< none before it is forked
  };
  static std::shared_ptr<SimPlan> flattened(const SimPlan& plan, const TraceTasks& tasks,
                                            std::vector<Thread>& threads);
  SimState startState() const;
  SimState letGo() const;
  void beginAwake();
  void take(const TraceEvent& event);
  void takeSwitch(const TraceEvent& event);
  TaskId taskBegun(const TraceEvent& event);
  void takeWakeup(const TraceEvent& event);
  void forkTask(std::size_t index, TaskId parent, CpuId cpu);
  ThreadPosition positionOf(std::size_t index) const;
  std::uint64_t workDone(std::size_t index, std::uint64_t fromNs) const;
  CpuMask cpusOf(std::size_t index) const;
  std::ptrdiff_t indexOf(std::int32_t pid) const;
  std::uint64_t throughputOf(std::int32_t cpu) const;

  const Trace& m_trace;
  const TraceTasks& m_tasks;
  const TraceTrack& m_real;
  std::unordered_map<std::int32_t, std::size_t> m_indexes;
  std::vector<Thread> m_threads;  ///< by index of the tasks
  std::shared_ptr<SimPlan> m_plan;
  std::uint64_t m_zeroNs = 0;  ///< machine time of the track's beginning
  Simulator m_simulator;
  RecordDriver m_driver;
  std::unordered_map<std::int32_t, std::int32_t> m_waker;     ///< CPU, by pid
  std::unordered_map<std::int32_t, std::uint64_t> m_wokenNs;  ///< last wakeup, by pid
  std::set<std::int32_t> m_exiting;
  std::size_t m_nextEvent = 0;
  std::uint64_t m_nowNs = 0;
  ReplayCounts m_counts;
};

}  // namespace rqscope
