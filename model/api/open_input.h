// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>

#include "base/result.h"

namespace rqscope {

/// A machine where a scenario could have been named.
struct MachineInput {
  std::string machine;  ///< absolute path, built-in name or compact notation
  std::string label;    ///< short, for titles
  std::string folder;   ///< where the scenario would lie
};

/// Text of a scenario and the name that its messages and relative paths go by.
struct ScenarioText {
  std::string file, text;
};

/// Path of a built-in scenario, or the name itself when there is none of that name.
std::string scenarioPath(const std::string& name);
/// Whether a file or folder holds a machine rather than a scenario or an rt-app workload.
bool isMachineFile(const std::string& path);
/// The machine that `name` means: a machine file, a folder, a built-in name or the compact notation.
std::optional<MachineInput> machineInput(const std::string& name);
/// The default load on a machine: as many hogs as CPUs, started on one. Problems name `givenName`.
Result<ScenarioText> hogsOn(const MachineInput& input, const std::string& givenName);

}  // namespace rqscope
