// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "api/ladder_builder.h"
#include "recording/history.h"
#include "rqscope/what_if.h"

namespace rqscope::api {

/// The state right before a decision and what was about to be decided: enough to make it again.
struct DecisionStart {
  Machine machine;
  bool isPlacement = false;
  BalancePass pass;    ///< entry, CPUs, domain and idle type; the rest is not there yet
  PlacementCall call;  ///< of a placement
  DecisionPlace place;
};

/// A decision made again: its ladder and what came of it.
struct MadeDecision {
  std::shared_ptr<const Ladder> ladder;
  DecisionOutcome outcome;
};

DecisionOutcome outcomeOf(const Machine& m, const BalancePass& pass);
DecisionOutcome outcomeOf(const Placement& placement);

/// The start of decision `index` of the run, by replay; nothing when the run has not come so far.
std::optional<DecisionStart> decisionStart(History& history, std::uint64_t index);
/// Makes the decision on a copy of the machine; the hooks may be null.
MadeDecision makeDecision(const DecisionStart& start, PassHook* passHook, PlacementHook* placementHook);

}  // namespace rqscope::api
