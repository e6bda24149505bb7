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
  JunoStart(const nlohmann::json& run, const JunoTrace& trace, const KernelProfile& profile,
            std::shared_ptr<const SchedTopology> topology);

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
  void placeTicks(SimPlan& plan) const;
  void addWorkers(SimPlan& plan) const;
  void addThreads(SimPlan& plan) const;
  void addThread(SimPlan& plan, const std::vector<const JunoTrace::Turn*>& turns) const;
  std::shared_ptr<SimPlan> plan() const;
  void finishPlan(SimPlan& plan) const;
  Result<SimState> launch() const;
  void laySleeping(Machine& m) const;
  void layClocks(Machine& m, const Taken& task) const;
  void layRunning(Machine& m, TaskId id, const Taken& task) const;
  void layWaiting(Machine& m, TaskId id, const Taken& task) const;
  void layQueue(Machine& m, CpuId cpu) const;
  void layIdle(Machine& m, const std::vector<FreePass>& passes) const;
  void layAvgIdle(Machine& m) const;
  void layWorkers(SimState& state) const;
  TaskId idOf(const Machine& m, const std::string& name) const;

  const nlohmann::json& m_run;
  const JunoTrace& m_trace;
  const KernelProfile& m_profile;
  std::shared_ptr<const SchedTopology> m_topology;
  TimeBase m_base;
  JunoTiming m_timing;
  std::uint64_t m_startNs = 0, m_unpinNs = 0;
  std::vector<Taken> m_tasks;                 ///< running ones first
  std::map<int, std::uint64_t> m_switchedNs;  ///< the last switch of each CPU before the start
};

}  // namespace rqscope
