// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/profile.h"
#include "base/result.h"

namespace rqscope {

/// One kernel function that `eval` and `verify` can run on given numbers. `run` builds the state the inputs
/// describe, calls the very function the engine uses, and returns the vector schema's "out" object.
struct EvalFunction {
  std::string_view name;  ///< "fn" of the vectors
  Result<nlohmann::json> (*run)(const nlohmann::json& in, const KernelProfile& profile);
};

// One table per area, each in its own file.
std::span<const EvalFunction> signalFunctions();
std::span<const EvalFunction> queueFunctions();
std::span<const EvalFunction> balanceFunctions();
std::span<const EvalFunction> placementFunctions();

/// nullptr when there is no such function.
const EvalFunction* findEvalFunction(std::string_view name);
std::vector<std::string_view> evalFunctionNames();

}  // namespace rqscope
