// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "rqscope/layout.h"
#include "rqscope/simulation.h"

namespace rqscope::api {

/// What a kernel builds for a machine, or why there is nothing (then `layout` is null).
struct MachineTopology {
  std::shared_ptr<const MachineLayout> layout;
  std::string recordJson;  ///< schema "linux-sched-topology/1", the one of records of real kernels
  std::vector<Problem> problems;
};

/// `machine`: built-in name, file or compact notation; `kernel`: profile name.
MachineTopology machineTopology(const std::string& machine, const std::string& kernel);

}  // namespace rqscope::api
