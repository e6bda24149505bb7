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

/// Runs to the end. `goesOn` is asked now and then with the share of all threads' loops that is done.
/// Gives the time that the whole would take at the speed of its middle, from a quarter to three quarters of
/// the loops: without the start, and without the end, when few are left. Negative: `goesOn` ended the run.
double runPlain(Simulator& simulator, const std::function<bool(double)>& goesOn);

/// What a state amounts to.
Outcome outcomeOf(const SimState& state);

/// Figures that explain a run: where its CPUs' time went, by name.
std::vector<std::pair<std::string, double>> explainingFigures(const SimState& state);

}  // namespace rqscope::api
