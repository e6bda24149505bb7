// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "base/result.h"
#include "topology/hardware.h"

namespace rqscope {

/// Reads `lscpu -e -J` ({"cpus": [...]}): one row per CPU. Distances are not in it.
Result<Hardware> hardwareFromLscpuTable(const nlohmann::json& document, const std::string& file);

/// Reads `lscpu -J` ({"lscpu": [...]}): counts and node lists; how threads are numbered is concluded from
/// them.
Result<Hardware> hardwareFromLscpuSummary(const nlohmann::json& document, const std::string& file);

}  // namespace rqscope
