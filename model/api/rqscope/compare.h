// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "rqscope/series.h"
#include "rqscope/simulation.h"

namespace rqscope::api {

/// Position in both lists of the first decision in which two runs differ; nothing when none does.
std::optional<std::size_t> firstDifference(const std::vector<Simulation::DecisionSummary>& a,
                                           const std::vector<Simulation::DecisionSummary>& b);

/// First rung in which two ladders of one decision differ; the shorter one's length when one goes on.
std::size_t firstDifferentRung(const Ladder& a, const Ladder& b);

/// One figure of two runs: a time in ns or a count.
struct OutcomeRow {
  std::string name;  ///< "last task ends", "migrations", "B ends"
  bool isTime = false;
  std::optional<std::int64_t> a, b;  ///< nothing: it has not ended
};
/// What two runs amount to, side by side; tasks by name as long as both have them in the same order.
std::vector<OutcomeRow> compareOutcomes(const Outcome& a, const Outcome& b);
/// "-6.7 %"; "-" when one is missing or the first is 0.
std::string changeText(const OutcomeRow& row);

/// How to run one scenario once.
struct CompareSide {
  std::string label;  ///< "patch migrate_util_shr_bound off"
  Overrides overrides;
};

/// The first decision in which the runs differ.
struct ComparedDecision {
  std::int64_t timeNs = 0;
  std::shared_ptr<const Ladder> a, b;  ///< null: that run has ended before
  std::size_t rung = 0;                ///< the first that differs
};

/// Two runs of a scenario, each to its end.
struct RunComparison {
  std::vector<Problem> problems;  ///< why there is none
  bool wasCancelled = false;
  std::string labelA, labelB;
  std::uint64_t decisionsA = 0, decisionsB = 0, equalDecisions = 0;
  std::optional<ComparedDecision> first;
  std::shared_ptr<const MachineLayout> layout;  ///< of A
  std::vector<OutcomeRow> outcomes;
  std::vector<ChartData> charts;  ///< each with A and B: tasks finished, utilisation where they part
};

struct CompareControl {
  const std::atomic<bool>* cancel = nullptr;       ///< the runs end soon when it becomes true
  std::function<void(double share)> onProgress{};  ///< a few times a second, on the calling thread
};

/// Runs the scenario twice. Safe on any thread; nothing outside is touched.
RunComparison compareRuns(const std::string& fileName, const std::string& text, const CompareSide& a,
                          const CompareSide& b, const CompareControl& control);

}  // namespace rqscope::api
