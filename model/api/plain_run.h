// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/simulator.h"
#include "rqscope/simulation.h"

namespace rqscope::api {

/// Numbers of a scenario file that a run replaces, by JSON pointer: "/workload/loops".
using ScenarioNumbers = std::vector<std::pair<std::string, std::int64_t>>;

/// A run that keeps nothing but its present state, for long measurements; or why there is none.
struct PlainRun {
  std::unique_ptr<Simulator> simulator;
  std::vector<Problem> problems;
};
PlainRun openPlain(const std::string& scenario, const Overrides& overrides, const ScenarioNumbers& numbers);

/// What a run takes as a whole, at the speed of a part of it; negative: `goesOn` ended the run.
struct PlainTimes {
  double seconds = -1;         ///< from the second half of what was run
  double earlierSeconds = -1;  ///< from the second quarter: what a run of half the length would give
};

/// Runs until `untilShare` of all threads' loops is done (or to the end). Its first quarter is not measured:
/// there the tasks still find their places. `goesOn` is asked now and then with the share of the run done.
PlainTimes runPlain(Simulator& simulator, double untilShare, const std::function<bool(double)>& goesOn);

/// What a state amounts to.
Outcome outcomeOf(const SimState& state);

/// Figures that explain a run: where its CPUs' time went, by name.
std::vector<std::pair<std::string, double>> explainingFigures(const SimState& state);

}  // namespace rqscope::api
