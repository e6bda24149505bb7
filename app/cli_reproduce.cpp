// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <cmath>

#include "charts/chart_export.h"
#include "cli_commands.h"
#include "cli_output.h"
#include "rqscope/reproduce.h"

namespace rqscope::app {

namespace {

Json patchesJson(const api::ReproducedRow& row) {
  Json patches = Json::object();
  for (const auto& [patch, on] : row.patches) patches[patch] = on;
  return patches;
}

/// How far the model's ratio to the case's first row lies from the published one; 0 without either.
double ratioDeviation(const api::ReproducedRow& row) {
  return row.publishedRatio > 0 && row.modelRatio > 0 ? 100 * (row.modelRatio / row.publishedRatio - 1) : 0;
}

/// Members that only some discussions have are left out by the others.
Json rowJson(const api::ReproducedRow& row) {
  Json json = {{"case", row.caseName},
               {"name", row.name},
               {"scenario", row.scenario},
               {"patches", patchesJson(row)},
               {"published", row.published},
               {"model", row.model},
               {"published_ratio", row.publishedRatio},
               {"model_ratio", row.modelRatio},
               {"deviation_percent", row.deviationPercent},
               {"ratio_deviation_percent", ratioDeviation(row)},
               {"label", row.label}};
  if (!row.unit.empty()) json["unit"] = row.unit;
  if (row.publishedSpreadPercent != 0) json["published_spread_percent"] = row.publishedSpreadPercent;
  if (row.otherScale != 0) json["model_half_time"] = row.otherScale;
  if (!row.verdict.empty()) json["verdict"] = row.verdict;
  if (!row.figures.empty()) {
    Json figures = Json::object();
    for (const auto& [name, value] : row.figures) figures[name] = value;
    json["figures"] = std::move(figures);
  }
  return json;
}

Json reproductionJson(const api::Reproduction& r, const std::vector<std::string>& files) {
  Json rows = Json::array();
  for (const api::ReproducedRow& row : r.rows) rows.push_back(rowJson(row));
  Json json = {{"discussion", r.name}, {"title", r.title}, {"source", r.source},
               {"unit", r.unit},       {"notes", r.notes}, {"rows", std::move(rows)}};
  if (r.comparesRatios) json["deviation_of"] = "ratio";
  if (!r.findings.empty()) json["findings"] = r.findings;
  if (!files.empty()) json["files"] = files;
  return json;
}

/// What was counted beside the figure, one line for each row.
void printFigures(const api::Reproduction& r) {
  std::vector<std::vector<std::string>> rows;
  for (const api::ReproducedRow& row : r.rows) {
    if (row.figures.empty()) continue;
    if (rows.empty()) {
      rows.push_back({"case", "row"});
      for (const auto& [name, value] : row.figures) rows.front().push_back(name);
    }
    std::vector<std::string> line{row.caseName, row.name};
    for (const auto& [name, value] : row.figures)
      line.push_back(fmt::format("{:.{}f}", value, value < 1000 ? 2 : 0));
    rows.push_back(std::move(line));
  }
  if (!rows.empty()) fmt::print("\nCounted in the model\n{}", tableText(rows));
}

void printReproduction(const api::Reproduction& r) {
  fmt::print("{}\n{}\n", r.title, r.source);
  std::string caseName;
  std::vector<std::vector<std::string>> rows;
  const std::vector<std::string> heads =
      r.comparesRatios
          ? std::vector<std::string>{"row",         "published",         "model", "published ratio",
                                     "model ratio", "ratios' deviation", "label"}
          : std::vector<std::string>{"row",
                                     "published",
                                     "model",
                                     "published ratio",
                                     "model ratio",
                                     "figures' deviation",
                                     "ratios' deviation",
                                     "label"};
  const auto flush = [&] {
    if (!rows.empty()) fmt::print("\n{}\n{}", caseName, tableText(rows));
  };
  for (const api::ReproducedRow& row : r.rows) {
    if (row.caseName != caseName || rows.empty()) {
      flush();
      caseName = row.caseName;
      rows = {heads};
    }
    const std::string& unit = row.unit.empty() ? r.unit : row.unit;
    // The first row of a case is what the others are measured by: it has no ratio to be wrong.
    const bool isBase = rows.size() == 1;
    rows.push_back({row.name, fmt::format("{} {}", row.published, unit),
                    fmt::format("{:.{}f} {}", row.model, row.model < 1000 ? 2 : 0, unit),
                    fmt::format("{:.3f}", row.publishedRatio), fmt::format("{:.3f}", row.modelRatio),
                    fmt::format("{:+.1f}%", row.deviationPercent)});
    if (!r.comparesRatios) rows.back().push_back(isBase ? "-" : fmt::format("{:+.1f}%", ratioDeviation(row)));
    rows.back().push_back(row.label);
  }
  flush();
  printFigures(r);
  fmt::print("\n");
  for (const std::string& finding : r.findings) fmt::print("{}\n", finding);
  for (const std::string& note : r.notes) fmt::print("{}\n", note);
}

}  // namespace

int reproduceDiscussions(const CliOptions& options) {
  Json all = Json::array();
  for (std::size_t i = 0; i < options.paths.size(); ++i) {
    Progress progress("reproduce " + options.paths[i], options.quiet);
    api::ReproduceControl control;
    control.onProgress = [&](const api::ReproduceProgress& at) {
      const std::string left =
          at.remainingSeconds < 0 ? "" : fmt::format(", about {:.0f} s left", std::ceil(at.remainingSeconds));
      progress.say(fmt::format("row {} of {}, {:.0f} %{}", at.row + 1, at.rows, 100 * at.share, left));
    };
    const api::Reproduction r = api::reproduce(options.paths[i], control);
    if (printProblems(r.problems)) return kBadInput;
    std::vector<std::string> files;
    if (!options.outDirectory.empty() && !r.charts.empty()) {
      const charts::ChartFiles written = charts::writeCharts(r.charts, options.outDirectory);
      if (!written.error.empty()) {
        fmt::print(stderr, "rqscope: {}\n", written.error);
        return kBadInput;
      }
      files = written.written;
    }
    if (options.json) {
      all.push_back(reproductionJson(r, files));
      continue;
    }
    if (i != 0) fmt::print("\n");
    printReproduction(r);
  }
  if (options.json) printJson(all.size() == 1 ? all[0] : all);
  return kDone;
}

}  // namespace rqscope::app
