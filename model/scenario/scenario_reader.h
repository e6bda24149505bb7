// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>

#include "scenario/scenario.h"
#include "workload/json_reader.h"

namespace rqscope {

/// What the parts of the scenario reader share. Internal to the room.
struct ScenarioInput {
  const JsonDocument& document;
  std::string resourceDirectory;
  const ScenarioOverrides& overrides;
};

/// What stands in the place of a file when a value comes from an option: "--machine juno-r3".
SourcePosition optionPosition(std::string_view option, std::string_view value);

/// "machine", "throughput", "capacity": fills Scenario::machine and hardware.
void readMachineSection(const ScenarioInput& input, ObjectReader& reader, Scenario& scenario, JsonLint& lint);
/// The machine of that name, path or compact notation; nothing and an error at `where` when there is none.
std::optional<Hardware> findMachine(const ScenarioInput& input, const std::string& name,
                                    const SourcePosition& where, JsonLint& lint);

/// "kernel", "patches", "features", "tunables", with the overrides: fills Scenario::profile.
void readKernelSection(const ScenarioInput& input, ObjectReader& reader, Scenario& scenario, JsonLint& lint);
/// The same without a file: overrides on the default kernel.
void applyKernelOverrides(const ScenarioOverrides& overrides, Scenario& scenario, JsonLint& lint);

/// "workload" and "groups".
void readWorkloadSection(const ScenarioInput& input, ObjectReader& reader, Scenario& scenario,
                         JsonLint& lint);
/// CPUs, nodes and delays of the workload against the machine.
void checkWorkloadFits(const Scenario& scenario, JsonLint& lint);

/// One element of "script".
std::optional<Operation> readOperationObject(const JsonValue& value, const Scenario& scenario,
                                             std::optional<std::uint64_t> defaultNs, JsonLint& lint);
/// Warns of operations that can do nothing: after the end, on CPUs that are offline, the last CPU taken down.
void warnOfIdleOperations(const Scenario& scenario, JsonLint& lint);
/// JSON of one operation, as in the script.
std::string operationJson(const Operation& operation);

/// Folder of a path with its "/", or nothing.
std::string folderOf(const std::string& path);
/// File name without folder and ending.
std::string stemOf(const std::string& path);

}  // namespace rqscope
