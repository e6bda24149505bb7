// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <cmath>

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

Json reproductionJson(const api::Reproduction& r) {
  Json rows = Json::array();
  for (const api::ReproducedRow& row : r.rows)
    rows.push_back({{"case", row.caseName},
                    {"name", row.name},
                    {"scenario", row.scenario},
                    {"patches", patchesJson(row)},
                    {"published", row.published},
                    {"model", row.model},
                    {"published_ratio", row.publishedRatio},
                    {"model_ratio", row.modelRatio},
                    {"deviation_percent", row.deviationPercent},
                    {"label", row.label}});
  return {{"discussion", r.name}, {"title", r.title}, {"source", r.source},
          {"unit", r.unit},       {"notes", r.notes}, {"rows", std::move(rows)}};
}

void printReproduction(const api::Reproduction& r) {
  fmt::print("{}\n{}\n", r.title, r.source);
  std::string caseName;
  std::vector<std::vector<std::string>> rows;
  const auto flush = [&] {
    if (!rows.empty()) fmt::print("\n{}\n{}", caseName, tableText(rows));
  };
  for (const api::ReproducedRow& row : r.rows) {
    if (row.caseName != caseName || rows.empty()) {
      flush();
      caseName = row.caseName;
      rows = {{"row", "published", "model", "published ratio", "model ratio", "deviation", "label"}};
    }
    rows.push_back({row.name, fmt::format("{} {}", row.published, r.unit),
                    fmt::format("{:.{}f} {}", row.model, row.model < 1000 ? 2 : 0, r.unit),
                    fmt::format("{:.3f}", row.publishedRatio), fmt::format("{:.3f}", row.modelRatio),
                    fmt::format("{:+.1f}%", row.deviationPercent), row.label});
  }
  flush();
  fmt::print("\n");
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
    if (options.json) {
      all.push_back(reproductionJson(r));
      continue;
    }
    if (i != 0) fmt::print("\n");
    printReproduction(r);
  }
  if (options.json) printJson(all.size() == 1 ? all[0] : all);
  return kDone;
}

}  // namespace rqscope::app
