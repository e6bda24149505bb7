// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "rqscope/decision_filter.h"

#include <algorithm>
#include <chrono>
#include <limits>

namespace rqscope::api {

namespace {

constexpr std::int64_t kEndOfTime = std::numeric_limits<std::int64_t>::max();
constexpr std::size_t kManyDecisions = 10'000'000;

bool hasRefusedRow(const Rung& rung) {
  return std::any_of(rung.rows.begin(), rung.rows.end(),
                     [](const RungRow& row) { return row.tone == Tone::No; });
}

}  // namespace

std::string kindOfDecision(const Simulation::DecisionSummary& d) {
  if (d.kind == "active") return "active_balance";
  return d.kind == "fork" || d.kind == "exec" || d.kind == "wakeup" ? "placement" : "balance";
}

bool matches(const DecisionFilter& filter, const Simulation::DecisionSummary& d) {
  return d.timeNs >= filter.fromNs && (filter.cpu < 0 || d.cpu == filter.cpu) &&
         (filter.domain.empty() || d.domainName == filter.domain) &&
         (filter.entry.empty() || d.kind == filter.entry) &&
         (filter.result.empty() || d.result == filter.result) &&
         (filter.kind.empty() || kindOfDecision(d) == filter.kind);
}

std::optional<std::uint64_t> findDecision(const Simulation& simulation, const DecisionFilter& filter) {
  const std::int64_t from = std::max<std::int64_t>(filter.fromNs, 0);
  for (const Simulation::DecisionSummary& d : simulation.decisions(from, kEndOfTime, kManyDecisions))
    if (matches(filter, d)) return d.index;
  return std::nullopt;
}

std::optional<std::uint64_t> runToDecision(Simulation& simulation, const DecisionFilter& filter,
                                           int wallBudgetMs) {
  constexpr std::int64_t kStepNs = 100'000'000;
  using Clock = std::chrono::steady_clock;
  const Clock::time_point end = Clock::now() + std::chrono::milliseconds(wallBudgetMs);
  std::int64_t until = std::max<std::int64_t>(filter.fromNs, 0) + 1;
  for (;; until = std::max(until, simulation.frame()->timeNs) + kStepNs) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
    const bool isDone =
        simulation.runUntil({StopKind::Time, until, {}}, static_cast<int>(std::max<std::int64_t>(left, 1)));
    if (const auto index = findDecision(simulation, filter)) return index;
    if (simulation.frame()->atEnd || !isDone || Clock::now() >= end) return std::nullopt;
  }
}

std::int32_t refusingRung(const Ladder& ladder) {
  for (const bool byRow : {false, true})
    for (std::size_t i = 0; i < ladder.rungs.size(); ++i)
      if (byRow ? hasRefusedRow(ladder.rungs[i]) : ladder.rungs[i].tone == Tone::No)
        return static_cast<std::int32_t>(i);
  return -1;
}

}  // namespace rqscope::api
