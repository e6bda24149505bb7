// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "rqscope/simulation.h"

namespace rqscope::api {

/// One row of a published table beside the model's figure.
struct ReproducedRow {
  std::string caseName, name;  ///< the rows of one case are compared with its first
  std::string scenario;
  std::vector<std::pair<std::string, bool>> patches;  ///< set on the scenario for this row
  double published = 0, model = 0;                    ///< published 0: only counted in the model
  double publishedRatio = 1, modelRatio = 1;          ///< to the first row of the case
  double deviationPercent = 0;  ///< of the model's figure (or ratio, see comparesRatios) from the published
  std::string label;            ///< "exact", "behaves", "modelled" or "fitted"
  std::string unit;             ///< of this row; empty: the discussion's
  double publishedSpreadPercent = 0;  ///< of the published figure, as published; 0: not told
  double publishedBase = 0;  ///< figure that it was published against; 0: that of the case's first row
  double publishedBaseSpreadPercent = 0;  ///< of that
  double otherScale = 0;                  ///< the model's figure from a shorter run; 0: not measured
  std::vector<std::pair<std::string, double>> figures;  ///< what else was counted, by key
  std::string verdict;  ///< "agrees", "too small", ...: of the ratio's sign; empty: not judged
};

/// A published discussion, run with its patch off and on.
struct Reproduction {
  std::string name, title, source, unit;
  std::vector<std::string> notes;  ///< what was fitted, which costs, why it may differ
  std::vector<ReproducedRow> rows;
  bool comparesRatios = false;        ///< deviations are of the ratios to base, not of the figures
  std::vector<std::string> findings;  ///< what holds and what does not, from the rows
  std::vector<ChartData> charts;
  std::vector<Problem> problems;  ///< an error: no rows
  bool wasCancelled = false;      ///< the rows are those that were done
};

/// How far a reproduction is. The remaining time is what the work left would take at the speed so far.
struct ReproduceProgress {
  std::size_t row = 0, rows = 0;  ///< the one being run, from 0, and how many there are
  double share = 0;               ///< of all the work, 0..1
  double remainingSeconds = -1;   ///< wall time; -1: not known yet
  std::int64_t simulatedNs = 0;   ///< in this row
  std::string caseName, rowName;
};

/// Who is told of a reproduction, and what ends it early.
struct ReproduceControl {
  std::function<void(const ReproduceProgress&)> onProgress;
  std::function<void(const Reproduction&)> onRow;  ///< after each row: all that is known by then
  const std::atomic<bool>* cancel = nullptr;
};

/// The discussions that can be run: one for each file in resources/published.
std::vector<Named> discussions();
/// The published side alone: every row without the model's figure (0).
Reproduction publishedTable(const std::string& name);
/// Runs every row of a discussion; from any thread, several at once do not touch each other.
Reproduction reproduce(const std::string& name, const ReproduceControl& control);
/// Runs every row of a discussion. `onRow` is told before each row: its number from 0 and how many there are.
Reproduction reproduce(const std::string& name, const std::function<void(std::size_t, std::size_t)>& onRow);

}  // namespace rqscope::api
