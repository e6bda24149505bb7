// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "engine/record_driver.h"
#include "engine/sim_state.h"
#include "evaluate/trace_events.h"

namespace rqscope {

/// One thread of a trace: what it computed by its own CPU time, whom it forked and woke, when it slept. None
/// of that is a decision of the scheduler's.
struct TraceThread {
  /// A step of its program and when the record has it.
  struct Step {
    ProgramEvent event;
    std::int64_t toUs = 0;    ///< its end; of a wait: the wakeup
    std::uint64_t ranUs = 0;  ///< CPU time of the thread at its end
  };
  int pid = 0;
  std::string name;
  bool isWorkload = false;
  bool isForked = false;  ///< in the record; the others slept when it began
  CpuId firstCpu{0};
  int nice = 0;  ///< that it has, or gives itself when it first runs
  CpuMask cpus;  ///< likewise; empty: all
  std::int32_t program = -1;
  std::vector<Step> steps;
  /// When it had a CPU, by the CPU time that it had at the beginning.
  struct Turn {
    std::int64_t fromUs = 0;
    std::uint64_t ranUs = 0;
  };
  std::vector<Turn> turns;
  std::vector<std::int64_t> turnEndsUs;

  std::uint64_t ranUs(std::int64_t us) const;
  /// Where its program stands at a moment. `zeroNs` is the machine time of the record's time 0.
  ThreadPosition positionAt(std::int64_t us, std::uint64_t zeroNs) const;
};

/// The fair threads that ran in a trace, by pid.
using TraceThreads = std::map<int, TraceThread>;

/// Puts the programs of all threads into the plan's workload and returns the threads. Kernel threads and the
/// controller wake when they did; the workload's threads sleep as long as they did. What the workload's
/// specification says of nice values and CPUs is taken from there. Throws json::exception.
TraceThreads threadsOfTrace(const nlohmann::json& run, const TraceText& text, std::uint64_t clockReadNs,
                            SimPlan& plan);

/// Adds the affinities, nice values and kills of a recorded run to the plan, and its end. Throws
/// json::exception.
void addTraceOperations(const nlohmann::json& run, SimPlan& plan);

/// How often the tasks of a trace read their own CPU clock: a turn that the clock ends is half of that longer
/// than a slice. 0: turns end at ticks.
std::uint64_t clockReadOfTrace(const nlohmann::json& run, const TraceText& text, std::uint64_t tickNs);

/// CPUs of a hexadecimal mask.
CpuMask maskOfHex(const std::string& text);

}  // namespace rqscope
