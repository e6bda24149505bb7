// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "rqscope/simulation.h"
#include "rqscope/what_if.h"

namespace rqscope::api {

inline constexpr std::int64_t kMs = 1'000'000;
inline constexpr std::size_t kMany = 10'000'000;

inline std::unique_ptr<Simulation> openRun(const std::string& name, std::int64_t untilMs,
                                           const std::vector<std::pair<std::string, bool>>& patches = {},
                                           const std::string& kernel = "") {
  Overrides overrides;
  overrides.patches = patches;
  overrides.kernel = kernel;
  Opened opened = Simulation::open(name, overrides);
  for (const Problem& problem : opened.problems)
    if (problem.severity == Problem::Severity::Error) ADD_FAILURE() << problem.text();
  if (opened.simulation == nullptr) return nullptr;
  opened.simulation->runUntil({StopKind::Time, untilMs * kMs, {}}, 60'000);
  return std::move(opened.simulation);
}

/// The decisions of a run until a time, with their number.
inline std::vector<Simulation::DecisionSummary> decisionsOf(const Simulation& simulation) {
  return simulation.decisions(0, INT64_MAX, kMany);
}

inline WhatIf changed(Simulation& simulation, const Ladder& ladder, const std::string& text) {
  const ReadOverride read = readOverride(ladder, text);
  EXPECT_TRUE(read.change) << read.problem;
  if (!read.change) return {};
  return simulation.whatIf(ladder.index, {*read.change});
}

inline const Rung* rungOf(const Ladder& ladder, const std::string& kind) {
  for (const Rung& rung : ladder.rungs)
    if (rung.kind == kind) return &rung;
  return nullptr;
}

/// Changes every number of a decision that can be, to its ends and beside itself: nothing may stop the
/// program, and what was before the step stays. Returns how many changes were made.
inline int changeAll(Simulation& simulation, const Simulation::DecisionSummary& d, const std::string& name) {
  int changes = 0;
  const auto ladder = simulation.ladder(d.index);
  for (std::size_t r = 0; r < ladder->rungs.size(); ++r) {
    const Rung& rung = ladder->rungs[r];
    std::vector<std::pair<std::int32_t, Operand>> numbers;
    for (const Operand& operand : rung.operands) numbers.emplace_back(-1, operand);
    for (const Comparison& test : rung.tests)
      numbers.insert(numbers.end(), {{-1, test.left}, {-1, test.right}});
    for (std::size_t row = 0; row < rung.rows.size() && row < 4; ++row)
      for (const Operand& cell : rung.rows[row].cells) numbers.emplace_back(row, cell);
    for (const auto& [row, operand] : numbers) {
      const OperandPath path{static_cast<std::int32_t>(r), row, operand.name};
      if (operand.name.empty() || !whyFixed(*ladder, path).empty()) continue;
      for (const std::int64_t value :
           {std::int64_t{0}, std::int64_t{1}, operand.value + 1, operand.value / 2, std::int64_t{1} << 40}) {
        const WhatIf what = simulation.whatIf(d.index, {{path, value, ""}});
        EXPECT_NE(what.altered, nullptr);
        if (what.altered == nullptr || !what.problems.empty()) continue;  // out of range: said so
        ++changes;
        // The entry shows the time too.
        const bool isLate = rung.kind == "candidate" || rung.kind == "active_balance" ||
                            rung.kind == "group_statistics" || path.operand == "jiffies" ||
                            path.operand == "target";
        if (what.firstDifference < 0 || isLate) continue;
        EXPECT_GE(what.firstDifference, static_cast<std::int32_t>(r))
            << name << " " << d.index << " " << pathText(*ladder, path) << " = " << value;
      }
    }
  }
  return changes;
}

/// The same for the first three decisions of each kind and result.
inline int changeAll(Simulation& simulation, const std::string& name) {
  int changes = 0;
  std::map<std::string, int> seen;
  for (const auto& d : decisionsOf(simulation))
    if (++seen[d.kind + d.result] <= 3) changes += changeAll(simulation, d, name);
  return changes;
}

}  // namespace rqscope::api
