// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "base/profile.h"
#include "base/result.h"

namespace rqscope {

/// One parsed line of the vectors' schema. `out` is null when the line has none.
struct VectorCase {
  std::string function;
  nlohmann::json in;
  nlohmann::json out;
};

/// Parses {"fn": ..., "in": {...}, "out": ...}. Errors name the column.
Result<VectorCase> parseVectorLine(std::string_view text);

/// Runs the function of the case: its "out" object, or why it cannot be run.
Result<nlohmann::json> runVectorCase(const VectorCase& vectorCase, const KernelProfile& profile);

/// `rqscope eval`: one line in, one line out: {"fn": name, "out": {...}}, or for a bad line
/// {"error": {"line": n, "column": c, "message": m, "hint": h}} (fields that are known). Never throws.
std::string evalLine(std::string_view text, const KernelProfile& profile, int lineNumber = 0);

}  // namespace rqscope
