// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "rqscope/reproduce.h"

namespace rqscope::api {

/// What the runs of a row gave, one entry for each seed.
struct ScaledRow {
  std::vector<double> full, half;                                    ///< seconds, of the two lengths
  std::vector<std::vector<std::pair<std::string, double>>> figures;  ///< of the full ones
};

/// The means over the seeds, with the seeds' spread as a figure.
void fillScaledRow(ReproducedRow& row, const ScaledRow& runs);

/// Ratios to the first row of each case, findings and charts. `measured` is the row that gains or loses.
void reportScaled(const std::string& measured, const std::vector<ScaledRow>& runs, Reproduction& out);

}  // namespace rqscope::api
