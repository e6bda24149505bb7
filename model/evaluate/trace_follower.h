// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>
#include <memory>
#include <set>
#include <vector>

#include <nlohmann/json.hpp>

#include "engine/record_driver.h"
#include "evaluate/free_run_state.h"
#include "evaluate/trace_threads.h"

namespace rqscope {

/// How far the model would have done of itself what a record shows.
struct FollowCounts {
  int switches = 0, picksAgree = 0;   ///< switches between fair threads or to idle; the model's pick
  int wakeups = 0, choicesAgree = 0;  ///< wakeups of threads with a choice; the CPU
};

/// Goes through a trace event by event and keeps a machine in the state that the model's arithmetic gives for
/// that history: who is queued where, averages, virtual times, clocks. At any moment a copy can be let go.
class TraceFollower {
 public:
  /// `plan` has the programs of `threads`; `passes` are all recorded balance calls.
  TraceFollower(std::shared_ptr<const SimPlan> plan, const TraceText& text, const TraceThreads& threads,
                const std::vector<FreePass>& passes, const nlohmann::json& run, double tickPhaseMs);

  /// Follows the record up to `us`.
  void followTo(std::int64_t us);
  /// A run that goes on by itself from here.
  SimState letGo() const;
  const Machine& machine() const { return m_simulator.state().machine; }
  const TimeBase& base() const { return m_base; }
  const FollowCounts& counts() const { return m_counts; }
  /// Task of a thread of the workload or of another one, none before it is born.
  TaskId taskOf(int pid) const;

 private:
  static SimState startOf(std::shared_ptr<const SimPlan> plan, const TraceText& text, double phaseMs,
                          TimeBase& base);
  void take(const RecordedEvent& e);
  void takeSwitch(const RecordedEvent& e);
  TaskId known(int pid, CpuId cpu);
  void give(int pid, TaskId task);
  DomainId domainOf(const RecordedEvent& e) const;
  CpuMask cpusOf(const TraceThread& thread) const;
  void readActions(const nlohmann::json& run);

  const TraceText& m_text;
  const TraceThreads& m_threads;
  std::shared_ptr<const SimPlan> m_freePlan;
  TimeBase m_base;
  Simulator m_simulator;
  RecordDriver m_driver;
  std::map<int, TaskId> m_tasks;
  std::map<int, CpuId> m_waker;  ///< CPU that chose for a wakeup on its way, by pid
  std::map<int, bool> m_isSync;
  std::map<int, std::int64_t> m_wokenUs;         ///< last wakeup
  std::map<int, CpuMask> m_cpus;                 ///< affinity of the workload's tasks at the moment
  std::map<std::pair<int, int>, int> m_levels;   ///< of domains, by CPU and index
  std::set<int> m_turns;                         ///< CPUs in a call that balances
  std::map<int, std::int64_t> m_newidleBeganUs;  ///< by CPU
  std::map<std::pair<int, int>, std::uint64_t> m_newidleCostNs;  ///< the longest call, by CPU and level
  std::vector<std::pair<std::int64_t, std::pair<int, CpuMask>>> m_affinities;  ///< to come, by time
  std::size_t m_nextAffinity = 0, m_nextEvent = 0;
  std::int64_t m_nowUs = 0;
  FollowCounts m_counts;
};

}  // namespace rqscope
