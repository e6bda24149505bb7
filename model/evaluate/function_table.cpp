// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "evaluate/function_table.h"

namespace rqscope {
namespace {

/// Calls f(function) for every function there is, in the order of the tables.
template <class F>
void forEachFunction(F&& f) {
  for (const auto table : {signalFunctions(), queueFunctions(), balanceFunctions(), placementFunctions()})
    for (const EvalFunction& function : table) f(function);
}

}  // namespace

const EvalFunction* findEvalFunction(std::string_view name) {
  const EvalFunction* found = nullptr;
  forEachFunction([&](const EvalFunction& function) {
    if (function.name == name) found = &function;
  });
  return found;
}

std::vector<std::string_view> evalFunctionNames() {
  std::vector<std::string_view> names;
  forEachFunction([&](const EvalFunction& function) { names.push_back(function.name); });
  return names;
}

}  // namespace rqscope
