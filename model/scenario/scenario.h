// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/cpumask.h"
#include "base/profile.h"
#include "base/result.h"
#include "topology/hardware.h"
#include "workload/program.h"

namespace rqscope {

/// What an operation of the script does at its time.
enum class OperationKind : std::uint8_t {
  Pin,         ///< task, cpus: sched_setaffinity() from outside
  Unpin,       ///< task: all CPUs
  Nice,        ///< task, value
  Policy,      ///< task, policy
  Slice,       ///< task, value = ns; 0 = default
  Wake,        ///< task: ends its sleep or wait (from `cpu`, or the task's own CPU)
  Fork,        ///< task = thread name of the workload: starts one more, placed from `cpu`
  Kill,        ///< task: exits when it next runs
  MoveGroup,   ///< task, group: sched_move_task()
  Online,      ///< cpu
  Offline,     ///< cpu
  Weight,      ///< group, value = cpu.weight 1..10000
  Quota,       ///< group, value = quota ns (-1: none), periodNs
  Frequency,   ///< cpu(s), value = arch_scale_freq_capacity 1..1024
  Capacity,    ///< cpu(s), value = capacity left after pressure (hw_pressure), 1..1024
  Throughput,  ///< cpu(s), value = what it really does, 1024 = reference
  Tick         ///< nothing: a mark in the script
};

/// One timed operation. Tasks are named: "C", "lbw-2", or "*" for all that live.
struct Operation {
  std::uint64_t atNs = 0;
  OperationKind kind = OperationKind::Tick;
  std::string task;
  std::string group;  ///< path of a workload group; "/" = root
  CpuMask cpus;       ///< Pin: the affinity; Frequency, Capacity, Throughput: the CPUs
  CpuId cpu;          ///< Wake, Fork: from where; Online, Offline: which
  ProgramPolicy policy = ProgramPolicy::Other;
  std::int64_t value = 0;
  std::uint64_t periodNs = 100000000;
  SourcePosition where;
};

/// A whole experiment: machine, kernel, workload, script. A value; everything a run needs.
struct Scenario {
  std::string name, title, description;
  std::string file;  ///< where it was read from
  int version = 1;   ///< of the schema
  /// Name of a built-in machine or path of a topology file; empty when `hardware` was given inline.
  std::string machine;
  Hardware hardware;  ///< resolved: from the name, the file or inline
  std::string kernel = "v6.12";
  std::vector<std::pair<std::string, bool>> patches;
  std::vector<std::string> features;                           ///< "NO_RUN_TO_PARITY"
  std::vector<std::pair<std::string, std::int64_t>> tunables;  ///< as written, for the editor
  KernelProfile profile;  ///< resolved: kernel, patches, features, tunables
  Workload workload;
  std::vector<Operation> operations;  ///< ascending by time, file order at equal times
  std::uint64_t untilNs = 0;          ///< 0: until every task that ends has ended
  std::uint64_t seed = 1;
};

/// Settings of the command line or the window that replace a scenario's own.
struct ScenarioOverrides {
  std::optional<std::string> kernel, machine;
  std::vector<std::pair<std::string, bool>> patches;
  std::vector<std::string> features;
  std::optional<std::uint64_t> untilNs, seed;
};

/// Reads, checks and resolves a scenario (also a bare rt-app file, on the default machine). `text` is its
/// content, `file` its name for messages and for relative paths, `resourceDirectory` where topologies/ is.
Result<Scenario> readScenario(const std::string& file, const std::string& text,
                              const std::string& resourceDirectory, const ScenarioOverrides& overrides);
/// One operation object as in the script ("at" optional: `defaultNs`), checked against `scenario`.
Result<Operation> readOperation(const std::string& json, std::uint64_t defaultNs, const Scenario& scenario);
/// The scenario as JSON text in the documented schema.
std::string writeScenario(const Scenario& scenario);

}  // namespace rqscope
