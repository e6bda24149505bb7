// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <cmath>

#include "charts/chart_export.h"
#include "cli_commands.h"
#include "cli_output.h"
#include "look/picture_file.h"
#include "published/published_export.h"
#include "rqscope/report_file.h"
#include "rqscope/reproduce.h"

namespace rqscope::app {

namespace {

/// Table, bars and report of a discussion and the charts that it has; false when a file could not be written.
bool writeFiles(const api::Reproduction& r, const std::string& folder, std::vector<std::string>& files) {
  if (folder.empty()) return true;
  const look::OffscreenApplication application;
  const charts::ChartFiles charts = charts::writeCharts(r.charts, folder);
  std::string error = charts.error;
  if (error.empty()) {
    published::ReportFiles report = published::writeReport(r, folder, charts.written);
    error = report.error;
    files = std::move(report.written);
  }
  if (!error.empty()) fmt::print(stderr, "rqscope: {}\n", error);
  return error.empty();
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
    const bool isPublished = row.published != 0;  // else the row only counts
    rows.push_back({row.name, isPublished ? fmt::format("{} {}", row.published, unit) : "-",
                    fmt::format("{:.{}f} {}", row.model, row.model < 1000 ? 2 : 0, unit),
                    isPublished ? fmt::format("{:.3f}", row.publishedRatio) : "-",
                    fmt::format("{:.3f}", row.modelRatio),
                    isPublished ? fmt::format("{:+.1f}%", row.deviationPercent) : "-"});
    if (!r.comparesRatios)
      rows.back().push_back(isBase ? "-" : fmt::format("{:+.1f}%", api::ratioDeviationPercent(row)));
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
    if (!writeFiles(r, options.outDirectory, files)) return kBadInput;
    if (options.json) {
      all.push_back(Json::parse(api::reportText(r, files)));
      continue;
    }
    if (i != 0) fmt::print("\n");
    printReproduction(r);
    if (!files.empty()) fmt::print("\nWrote {} files into {}\n", files.size(), options.outDirectory);
  }
  if (options.json) printJson(all.size() == 1 ? all[0] : all);
  return kDone;
}

}  // namespace rqscope::app
