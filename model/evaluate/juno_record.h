// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "base/profile.h"
#include "base/result.h"

namespace rqscope {

/// A recorded Juno run (decisions.json), its machine (from the topology.json in a folder above) and kernel.
struct JunoRecord {
  nlohmann::json run, machine;
  KernelProfile profile;
  bool isBefore = false;  ///< without migrate_util_shr_bound
};

Result<JunoRecord> openJunoRecord(const std::string& path);
/// The model's flag bits of a list of kernel names ("SD_SHARE_LLC").
std::uint32_t sdFlagsOfNames(const nlohmann::json& names, KernelVersion version);
/// "text" for "prefixtext".
std::string_view withoutPrefix(std::string_view text, std::string_view prefix);

}  // namespace rqscope
