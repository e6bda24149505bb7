// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "groupstats/balance_pass.h"
#include "groupstats/placement_decision.h"
#include "rqscope/ladder.h"
#include "runqueue/machine.h"

namespace rqscope::api {

/// Where a decision stands in its run.
struct DecisionPlace {
  std::uint64_t index = 0;  ///< of the decision
  std::uint64_t event = 0;  ///< of its event
  std::uint64_t originNs = 0;
};

/// A pass as rungs: every group, queue and candidate with its numbers and its verdict.
Ladder balanceLadder(const Machine& m, const BalancePass& pass, const DecisionPlace& place);
/// A pass that the test before it left out: entry and that test.
Ladder passNotMade(const Machine& m, const BalancePass& pass, const DecisionPlace& place);
/// Key of what a pass came to: "moved", "failed", "balanced", "active_started", "serialized_out",
/// "all_pinned".
const char* balanceResult(const BalancePass& pass);
/// A placement as rungs.
Ladder placementLadder(const Machine& m, const Placement& placement, const DecisionPlace& place);

}  // namespace rqscope::api
