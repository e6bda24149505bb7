// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "rqscope/simulation.h"

namespace rqscope::api {

/// One row of a published table beside the model's figure.
struct ReproducedRow {
  std::string caseName, name;  ///< the rows of one case are compared with its first
  std::string scenario;
  double published = 0, model = 0;
  double publishedRatio = 1, modelRatio = 1;  ///< to the first row of the case
  double deviationPercent = 0;                ///< of the model's figure from the published one
  std::string label;                          ///< "exact", "behaves", "modelled" or "fitted"
};

/// A published discussion, run with its patch off and on.
struct Reproduction {
  std::string name, title, source, unit;
  std::vector<std::string> notes;  ///< what was fitted, which costs, why it may differ
  std::vector<ReproducedRow> rows;
  std::vector<Problem> problems;  ///< an error: no rows
};

/// The discussions that can be run: one for each file in resources/published.
std::vector<Named> discussions();
/// Runs every row of a discussion. `onRow` is told before each row: its number from 0 and how many there are.
Reproduction reproduce(const std::string& name, const std::function<void(std::size_t, std::size_t)>& onRow);

}  // namespace rqscope::api
