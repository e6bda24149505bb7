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
#include "workload/cost_model.h"
#include "workload/operation.h"
#include "workload/program.h"

namespace rqscope {

/// A whole experiment: machine, kernel, workload, script. A value; everything a run needs.
struct Scenario {
  std::string name, title, description;
  std::string file;  ///< where it was read from
  int version = 1;   ///< of the schema
  /// Name of a built-in machine or path of a topology file; empty when `hardware` was given inline.
  std::string machine;
  std::string machineText;  ///< JSON of an inline machine as it was written
  Hardware hardware;        ///< resolved: from the name, the file or inline
  /// Told capacity and real throughput of CPUs that differ from the machine's own.
  std::vector<std::pair<CpuMask, std::uint32_t>> capacity, throughput;
  std::string kernel = "v6.12";
  std::vector<std::pair<std::string, bool>> patches;
  std::vector<std::string> features;                           ///< "NO_RUN_TO_PARITY"
  std::vector<std::pair<std::string, std::int64_t>> tunables;  ///< as written, for the editor
  KernelProfile profile;  ///< resolved: kernel, patches, features, tunables
  Workload workload;
  std::string workloadText, groupsText;  ///< JSON of "workload" and "groups" as written, for the writer
  std::vector<Operation> operations;     ///< ascending by time, file order at equal times
  std::uint64_t untilNs = 0;             ///< 0: until every task that ends has ended
  std::uint64_t seed = 1;
  CostModel costs;
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
/// The scenario as JSON text in the documented schema; readScenario() gives the same scenario back when it is
/// in the same folder. Comments outside of machine, workload and groups are lost.
std::string writeScenario(const Scenario& scenario);

}  // namespace rqscope
