// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace rqscope {

/// A number as it stands in a table: known to half a unit of its last digit.
struct PrintedNumber {
  double value = 0, halfDigit = 0;
};

/// How the printed change of a row follows from its means; all in percent of the mean before.
enum class PrintedChange : std::uint8_t {
  Absent,       ///< no change is printed
  Improvement,  ///< positive is better: the change of the mean, turned around where less is better
  Speed,        ///< positive is better: the change of the rate, 1 / mean, where less is better
  Difference,   ///< the plain change of the mean, though less is better
  Differs       ///< none of them: the row contradicts itself
};

/// A published row: two means and what was printed about them.
struct ResultRow {
  std::string name, unit;
  int line = 0;  ///< of the file
  PrintedNumber before, after;
  bool isLessBetter = false;
  std::optional<double> beforeDeviation, afterDeviation;  ///< in the unit of the means
  std::optional<PrintedNumber> printed;                   ///< change, percent

  /// Change that follows from the means, percent, positive is better; and its limits, as the means are
  /// rounded.
  double improvement() const;
  double lowest() const;
  double highest() const;
  /// One standard deviation of improvement() by those of the means, percent.
  std::optional<double> noise() const;
  PrintedChange printedIs() const;
};

/// Reads a table of results: CSV (comma, semicolon or tab between cells) or Markdown, the first line with the
/// names of the columns: `before` and `after` (means, a unit and "(+/- 1.5 %)" may stand behind); `better`
/// (less or more; `isLessBetter` where there is no such column); perhaps `before_deviation`,
/// `after_deviation` and `printed`. All other columns name the row. Errors: file, line, column.
Result<std::vector<ResultRow>> readResultTable(const std::string& file, const std::string& text,
                                               std::optional<bool> isLessBetter);

}  // namespace rqscope
