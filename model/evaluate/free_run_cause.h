// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "evaluate/free_run.h"

namespace rqscope {

/// What is known when the first difference of two runs is to be explained.
struct DifferenceContext {
  const FreeTrack& real;
  const FreeTrack& model;
  const std::vector<FreePass>& realOnly;  ///< passes without a partner
  const std::vector<FreePass>& modelOnly;
  FreeRunWindow window;
};

struct Difference {
  std::string what;   ///< which event, and how the other side's differs
  std::string cause;  ///< the rule or the input behind it
  std::string kind;   ///< one of a small number of kinds, for counting
};

/// The pass at `ms` that one side (the record when `isReal`) has alone.
Difference explainPass(const DifferenceContext& context, double ms, bool isReal);
/// The same of a move.
Difference explainMove(const DifferenceContext& context, double ms, bool isReal);

}  // namespace rqscope
