// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "rqscope/frame.h"

namespace rqscope::api {

/// Every outcome that a rung of this kind can have on this machine; empty: they are no list.
std::vector<std::string> outcomesOfRung(const std::string& kind, const MachineLayout& layout);
/// Kinds of rungs, for hints.
std::vector<std::string> rungKinds();
/// Everything that can come of a decision.
std::vector<std::string> outcomesOfDecision();

/// What Count can count, beside "decisions".
std::vector<std::string> countedThings();
/// Facts of a domain that Domain can ask for.
std::vector<std::string> domainFacts();
/// A fact of a CPU's domain; empty when there is none of that name. Flags are asked for by their own name.
std::string domainFact(const MachineLayout& layout, std::int32_t cpu, const std::string& domain,
                       const std::string& fact);

}  // namespace rqscope::api
