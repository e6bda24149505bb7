// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "rqscope/derivation.h"
#include "rqscope/simulation.h"
#include "rqscope/what_if.h"
#include "rqscope/why_not.h"

namespace rqscope::look {

/// "moved C, D to CPU 5", "failed: more than the imbalance", "placed on CPU 3: target is idle".
std::string outcomeText(const api::DecisionOutcome& outcome);
/// "imbalance[...].util 533 -> 300" for one changed operand.
std::string overrideText(const api::Ladder& ladder, const api::OperandOverride& change);
/// Both ladders, rung beside rung, then what differs in full.
std::string whatIfText(const api::WhatIf& what, const std::vector<api::OperandOverride>& changes);
/// Why the task did not go there, in one sentence: "util 533 > imbalance 383".
std::string whyNotSentence(const api::WhyNotStep& step, const std::string& task, std::int32_t cpu);
/// The whole answer, this decision first.
std::string whyNotText(const api::WhyNot& why);
/// The number and below it, indented, what it was computed from.
std::string derivationText(const api::Derivation& derivation);
/// "no task detached: more than the imbalance".
std::string idleCauseText(const api::Outcome::IdleCause& cause);

}  // namespace rqscope::look
