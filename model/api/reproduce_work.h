// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

#include "rqscope/reproduce.h"

namespace rqscope::api {

/// Key of the figure that says how far the seeds of a row are apart.
inline constexpr std::string_view kSeedSpreadKey = "seed_spread_percent";

/// Runs a table whose rows count work done in a shared group, two rows at a time. `out` has its head; gets
/// rows, findings and charts. Rows may be left out with `only`: the part of a case's name to keep.
void reproduceWork(const nlohmann::json& table, Reproduction& out, const ReproduceControl& control);

/// Ratios to base within each case, and what of the published table the model agrees with.
void judgeRatios(Reproduction& out);

}  // namespace rqscope::api
