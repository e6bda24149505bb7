// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "evaluate/free_run_state.h"
#include "evaluate/juno_timing.h"

namespace rqscope {

/// Takes a recorded Juno run over at the last moment of the tick before its tasks are let free: the tasks'
/// signals, virtual times and places, the clocks, the domains' counters and the moments of the ticks are the
/// kernel's.
class JunoStart {
 public:
  /// `isTimed`: with the recorded turns of the emulator and times of balancing, which are known as long as
  /// ticks are recorded; else ticks keep their places and balancing happens at one moment.
  JunoStart(const nlohmann::json& run, const KernelProfile& profile,
            std::shared_ptr<const SchedTopology> topology, bool isTimed);

  /// `passes`: the recorded calls.
  Result<SimState> make(const std::vector<FreePass>& passes);
  const TimeBase& base() const { return m_base; }
  double fromMs() const;

 private:
  /// A task at its last tick as the running one.
  struct Taken {
    std::string name;
    CpuId cpu;
    std::uint64_t clock = 0, clockPelt = 0, vruntime = 0, misfit = 0;
    SchedAvg avg;
    std::uint64_t queueLoad = 0, queueRunnable = 0, queueUtil = 0;
    std::uint64_t capacity = 1024;
    bool isRunning = false;        ///< at the start; else it waits behind another
    std::uint64_t switchedNs = 0;  ///< when it got (or, waiting, lost) the CPU
    std::uint64_t execStart = 0;
  };
  void readTasks();
  void readTimeline();
  std::uint64_t jiffyPhase() const;
  double kickLatencyMs() const;
  void placeTicks(SimPlan& plan) const;
  void keepTicks(SimPlan& plan) const;
  std::shared_ptr<const SimPlan> plan() const;
  void layClocks(Machine& m, const Taken& task) const;
  void layRunning(Machine& m, TaskId id, const Taken& task) const;
  void layWaiting(Machine& m, TaskId id, const Taken& task) const;
  void layQueue(Machine& m, CpuId cpu) const;
  void layIdle(Machine& m, const std::vector<FreePass>& passes) const;
  void layThreads(SimState& state) const;
  TaskId idOf(const Machine& m, const std::string& name) const;

  const nlohmann::json& m_run;
  const KernelProfile& m_profile;
  std::shared_ptr<const SchedTopology> m_topology;
  TimeBase m_base;
  JunoTiming m_timing;
  bool m_isTimed;
  std::uint64_t m_startNs = 0, m_unpinNs = 0;
  std::uint64_t m_jiffyPhaseNs = 0;  ///< not timed: jiffies advance so long after the first CPU's tick
  std::vector<Taken> m_tasks;        ///< running ones first
};

}  // namespace rqscope
