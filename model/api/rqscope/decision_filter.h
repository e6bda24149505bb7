// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "rqscope/simulation.h"

namespace rqscope::api {

/// Which decision is looked for: by time, CPU, domain, how it came about and what came of it.
struct DecisionFilter {
  std::int64_t fromNs = -1;  ///< at or after; -1: from the start
  std::int64_t cpu = -1;     ///< -1: any
  std::string domain;        ///< "MC"; empty texts: any
  std::string kind;          ///< "balance", "active_balance", "placement"
  std::string entry;         ///< "tick", "nohz", "newidle", "active", "fork", "exec", "wakeup"
  std::string result;        ///< "balanced", "failed", "moved", "active_started", "placed"
  bool isEmpty() const {
    return fromNs < 0 && cpu < 0 && domain.empty() && kind.empty() && entry.empty() && result.empty();
  }
};

/// What a decision is by how it came about: "balance", "active_balance" or "placement".
std::string kindOfDecision(const Simulation::DecisionSummary& decision);
bool matches(const DecisionFilter& filter, const Simulation::DecisionSummary& decision);
/// The first such decision of what has been run so far.
std::optional<std::uint64_t> findDecision(const Simulation& simulation, const DecisionFilter& filter);
/// Runs on until there is one, for about `wallBudgetMs`; nothing then, or when the run ends without one.
std::optional<std::uint64_t> runToDecision(Simulation& simulation, const DecisionFilter& filter,
                                           int wallBudgetMs);
/// The first rung that refuses something: by its outcome, else by one of its rows; -1: none does.
std::int32_t refusingRung(const Ladder& ladder);

}  // namespace rqscope::api
