// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

#include "rqscope/decision_filter.h"

namespace rqscope::api {

/// Decisions around a moment, those that were made before it and those of its future that is known.
struct DecisionList {
  std::vector<Simulation::DecisionSummary> rows;  ///< by number
  bool hasEarlier = false, hasLater = false;      ///< more that match than are listed
  std::uint64_t made = 0;                         ///< decisions of the run so far, of any kind
};

/// The decisions that match, at most `eachSide` before and as many after the frame's moment; the filter's
/// fromNs holds too. Cost: one pass over the records between the first and the last row; all of them when few
/// match.
DecisionList decisionsAround(const Simulation& simulation, const DecisionFilter& filter,
                             std::size_t eachSide);

}  // namespace rqscope::api
