// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rqscope/simulation.h"

namespace rqscope::api {

/// How the printed change of a row follows from its means: not printed; as improvement (positive is better),
/// as improvement of the rate where less is better, as the plain change of the mean; or not at all.
enum class PrintedChange : std::uint8_t { Absent, Improvement, Speed, Difference, Differs };

/// A published row and what follows from its means. Changes and noise in percent, positive is better.
struct ResultRow {
  std::string name, unit;
  int line = 0;  ///< of the file
  double before = 0, after = 0;
  bool isLessBetter = false;
  double improvement = 0, lowest = 0, highest = 0;  ///< and its limits, as the means are rounded
  std::optional<double> noise;                      ///< one standard deviation, where both means have one
  std::optional<double> printed;
  PrintedChange printedIs = PrintedChange::Absent;
};

struct ResultTable {
  std::vector<ResultRow> rows;
  std::vector<Problem> problems;  ///< with file and line; no rows where one is an error
};

/// Reads a published table of results from a CSV or Markdown file and computes the changes from its means;
/// `isLessBetter` is for tables that do not say it. Columns: see the help on `rqscope results`.
ResultTable readResults(const std::string& path, std::optional<bool> isLessBetter);

}  // namespace rqscope::api
