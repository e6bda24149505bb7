// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <nlohmann/json.hpp>

#include "engine/sim_state.h"

namespace rqscope {

/// Fills workload and operations of a plan with the specification of a recorded x86 run; forks, affinities,
/// nice values and kills happen at the moments that the record shows. The thread "wl" forks all others from
/// `controllerCpu`. Throws json::exception when the record is not as its README says.
void fillTraceWorkload(const nlohmann::json& run, CpuId controllerCpu, SimPlan& plan);

/// Name of the controlling thread.
inline constexpr const char* kControllerName = "wl";

}  // namespace rqscope
