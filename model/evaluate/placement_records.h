// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <nlohmann/json.hpp>

#include "base/profile.h"
#include "base/result.h"
#include "groupstats/group_stats.h"
#include "runqueue/machine.h"

namespace rqscope {

/// Records of the slow path and of the whole choice; placement_functions.cpp lists them.
Result<nlohmann::json> runSelectTaskRq(const nlohmann::json& object, const KernelProfile& profile);
Result<nlohmann::json> runUpdatePickIdlest(const nlohmann::json& object, const KernelProfile& profile);
Result<nlohmann::json> runFindDstGroupDecide(const nlohmann::json& object, const KernelProfile& profile);
Result<nlohmann::json> runFindDstGroupFull(const nlohmann::json& object, const KernelProfile& profile);
Result<nlohmann::json> runFindDstGroupCpu(const nlohmann::json& object, const KernelProfile& profile);

/// Makes the task object of a record, with its averages and affinity.
Result<TaskId> layTask(Machine& m, const nlohmann::json& object, const std::vector<int>& allowed);

}  // namespace rqscope
