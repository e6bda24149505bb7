// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "formats/trace.h"

namespace rqscope {

/// One turn of a recorded task: from a wakeup to the next sleep.
struct TraceTurn {
  std::uint64_t wokenNs = 0;   ///< since the start of the scenario
  std::uint64_t runNs = 0;     ///< on CPUs, all pieces together
  std::uint64_t work = 0;      ///< the same as ns of a CPU of throughput 1024
  std::int32_t wakerCpu = -1;  ///< where the wakeup was asked for; -1: the trace does not show it
};

/// What a recorded task did, as a workload needs it.
struct TraceTask {
  std::int32_t pid = -1;
  std::string name;
  std::int32_t prio = -1;     ///< 100 to 139; -1: never said
  std::int32_t firstCpu = 0;  ///< where it was first seen
  std::int32_t forkCpu = -1;  ///< forked in the trace, by a task on this CPU; -1: it was there before
  bool isPerCpuKthread = false;
  bool isAwakeAtStart = false;  ///< it has its CPU or waits for one when the part begins
  bool runsAtStart = false;
  std::vector<TraceTurn> turns;
  std::vector<std::uint64_t> runNsByCpu;
};

/// The tasks of a trace from its safe start on.
struct TraceTasks {
  std::uint64_t startNs = 0, lengthNs = 0;  ///< of the part that was taken
  std::vector<TraceTask> tasks;             ///< fair ones, by pid
  std::size_t realTime = 0;                 ///< tasks of higher classes, left out
  std::uint64_t realTimeNs = 0;             ///< that they ran
};

/// Turns from sched_switch and sched_wakeup (without any of these, sched_waking). `throughput` by CPU,
/// 1024 = the reference; CPUs beyond its end count as 1024. Cost: one pass.
/// Simplified: a task's next turn begins when it did in the trace, whatever happens in the model; of who woke
/// whom only the CPU is kept.
TraceTasks tasksOfTrace(const Trace& trace, const std::vector<std::uint32_t>& throughput);

/// Name of a task's program in the scenario: "hog-233".
std::string programNameOf(const TraceTask& task);

/// A scenario with these tasks on `machine` (name, path or compact notation). A task that was there before
/// the trace begins where the trace has it; one that was forked in it is placed by the model.
std::string scenarioOfTrace(const Trace& trace, const TraceTasks& tasks, const std::string& machine);

}  // namespace rqscope
