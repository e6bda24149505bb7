// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "cli_commands.h"
#include "cli_output.h"
#include "rqscope/result_table.h"

namespace rqscope::app {

namespace {

const char* printedKey(api::PrintedChange printed) {
  switch (printed) {
    case api::PrintedChange::Absent:
      return "absent";
    case api::PrintedChange::Improvement:
      return "improvement";
    case api::PrintedChange::Speed:
      return "speed";
    case api::PrintedChange::Difference:
      return "difference";
    case api::PrintedChange::Differs:
      break;
  }
  return "differs";
}

const char* printedText(api::PrintedChange printed) {
  switch (printed) {
    case api::PrintedChange::Absent:
      return "";
    case api::PrintedChange::Improvement:
      return "follows";
    case api::PrintedChange::Speed:
      return "follows, as a change of speed";
    case api::PrintedChange::Difference:
      return "follows, as a change of the mean: + is worse";
    case api::PrintedChange::Differs:
      break;
  }
  return "DOES NOT FOLLOW";
}

bool isWithinNoise(const api::ResultRow& row) { return row.noise && std::abs(row.improvement) <= *row.noise; }

std::string changeText(const api::ResultRow& row) {
  const char* sense = row.improvement > 0 ? "better" : row.improvement < 0 ? "worse" : "equal";
  return fmt::format("{:+.2f} % {}", row.improvement, isWithinNoise(row) ? "within noise" : sense);
}

std::string meanText(double mean, const std::string& unit) {
  return unit.empty() ? fmt::format("{}", mean) : fmt::format("{} {}", mean, unit);
}

Json rowJson(const api::ResultRow& row) {
  Json json = {{"name", row.name},
               {"line", row.line},
               {"unit", row.unit},
               {"before", row.before},
               {"after", row.after},
               {"better", row.isLessBetter ? "less" : "more"},
               {"improvement_percent", row.improvement},
               {"lowest_percent", row.lowest},
               {"highest_percent", row.highest}};
  json["noise_percent"] = row.noise ? Json(*row.noise) : Json(nullptr);
  json["within_noise"] = row.noise ? Json(isWithinNoise(row)) : Json(nullptr);
  json["printed_percent"] = row.printed ? Json(*row.printed) : Json(nullptr);
  json["printed_is"] = printedKey(row.printedIs);
  return json;
}

void printRows(const api::ResultTable& table) {
  std::vector<std::vector<std::string>> rows{
      {"", "before", "after", "better is", "computed", "noise", "printed", "printed change"}};
  std::size_t printed = 0, differ = 0;
  for (const api::ResultRow& row : table.rows) {
    printed += row.printed ? 1 : 0;
    differ += row.printedIs == api::PrintedChange::Differs ? 1 : 0;
    rows.push_back({row.name, meanText(row.before, row.unit), meanText(row.after, row.unit),
                    row.isLessBetter ? "less" : "more", changeText(row),
                    row.noise ? fmt::format("+/- {:.2f} %", *row.noise) : "",
                    row.printed ? fmt::format("{:+.2f} %", *row.printed) : "", printedText(row.printedIs)});
  }
  fmt::print("{}", tableText(rows));
  if (printed != 0)
    fmt::print("\n{} of {} printed changes do not follow from the means of their row.\n", differ, printed);
}

}  // namespace

int printResults(const CliOptions& options) {
  const std::optional<bool> isLessBetter =
      options.better.empty() ? std::nullopt : std::optional(options.better == "less");
  bool isBad = false;
  Json tables = Json::array();
  for (const std::string& path : options.paths) {
    const api::ResultTable table = api::readResults(path, isLessBetter);
    if (printProblems(table.problems)) {
      isBad = true;
      continue;
    }
    if (!options.json) {
      if (options.paths.size() > 1) fmt::print("{}\n", path);
      printRows(table);
      continue;
    }
    Json rows = Json::array();
    for (const api::ResultRow& row : table.rows) rows.push_back(rowJson(row));
    tables.push_back({{"file", path}, {"rows", std::move(rows)}});
  }
  if (options.json) printJson({{"tables", std::move(tables)}});
  return isBad ? kBadInput : kDone;
}

}  // namespace rqscope::app
