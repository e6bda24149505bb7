// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "rqscope/result_table.h"

#include "api/problems.h"
#include "formats/result_table.h"
#include "workload/json_document.h"

namespace rqscope::api {

namespace {

PrintedChange kindOf(rqscope::PrintedChange change) {
  switch (change) {
    case rqscope::PrintedChange::Absent:
      return PrintedChange::Absent;
    case rqscope::PrintedChange::Improvement:
      return PrintedChange::Improvement;
    case rqscope::PrintedChange::Speed:
      return PrintedChange::Speed;
    case rqscope::PrintedChange::Difference:
      return PrintedChange::Difference;
    case rqscope::PrintedChange::Differs:
      break;
  }
  return PrintedChange::Differs;
}

ResultRow rowOf(const rqscope::ResultRow& read) {
  ResultRow row;
  row.name = read.name;
  row.unit = read.unit;
  row.line = read.line;
  row.before = read.before.value;
  row.after = read.after.value;
  row.isLessBetter = read.isLessBetter;
  row.improvement = read.improvement();
  row.lowest = read.lowest();
  row.highest = read.highest();
  row.noise = read.noise();
  if (read.printed) row.printed = read.printed->value;
  row.printedIs = kindOf(read.printedIs());
  return row;
}

}  // namespace

ResultTable readResults(const std::string& path, std::optional<bool> isLessBetter) {
  ResultTable table;
  const auto text = readTextFile(path);
  if (!text) {
    table.problems = problemsOf(text.diagnostics());
    return table;
  }
  const auto rows = readResultTable(path, text.value(), isLessBetter);
  table.problems = problemsOf(rows.diagnostics());
  if (rows)
    for (const rqscope::ResultRow& row : rows.value()) table.rows.push_back(rowOf(row));
  return table;
}

}  // namespace rqscope::api
