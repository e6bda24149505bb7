// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string_view>

#include <nlohmann/json.hpp>

#include "base/profile.h"
#include "base/result.h"
#include "groupstats/group_stats.h"

namespace rqscope {

/// Names of group types as the records write them ("has_spare" ... "overloaded").
std::string_view groupTypeRecordName(GroupType type);
std::optional<GroupType> groupTypeOfRecord(std::string_view name);

/// A statistics object of a record.
Result<GroupStats> groupStatsOfRecord(const nlohmann::json& object);
/// The same with the fields that the version has.
nlohmann::json groupStatsRecord(const GroupStats& stats, KernelVersion version);

}  // namespace rqscope
