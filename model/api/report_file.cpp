// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "rqscope/report_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "api/reproduced_row_json.h"

namespace rqscope::api {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kReportVersion = 1;
constexpr const char* kVersionKey = "rqscope-report";
constexpr double kLongestNs = 9e17;  ///< no run is that long

// --- out

Json rowJson(const ReproducedRow& row) {
  Json patches = Json::object();
  for (const auto& [patch, on] : row.patches) patches[patch] = on;
  Json json = {{"case", row.caseName},
               {"name", row.name},
               {"scenario", row.scenario},
               {"patches", std::move(patches)},
               {"published", row.published},
               {"model", row.model},
               {"published_ratio", row.publishedRatio},
               {"model_ratio", row.modelRatio},
               {"deviation_percent", row.deviationPercent},
               {"ratio_deviation_percent", ratioDeviationPercent(row)},
               {"label", row.label}};
  // Members that only some discussions have are left out by the others.
  if (!row.unit.empty()) json["unit"] = row.unit;
  if (row.publishedSpreadPercent != 0) json["published_spread_percent"] = row.publishedSpreadPercent;
  if (row.publishedBase != 0) json["published_base"] = row.publishedBase;
  if (row.publishedBaseSpreadPercent != 0) json["base_spread_percent"] = row.publishedBaseSpreadPercent;
  if (row.otherScale != 0) json["model_half_time"] = row.otherScale;
  if (!row.verdict.empty()) json["verdict"] = row.verdict;
  if (!row.figures.empty()) {
    Json figures = Json::object();
    for (const auto& [name, value] : row.figures) figures[name] = value;
    json["figures"] = std::move(figures);
  }
  return json;
}

Json chartJson(const ChartData& chart) {
  Json series = Json::array();
  for (const Series& s : chart.series) {
    Json one = {{"name", s.name}, {"unit", s.unit}, {"value", s.value}};
    if (!s.timeNs.empty()) one["time_ns"] = s.timeNs;
    if (s.isStep) one["step"] = true;
    if (s.isIdeal) one["ideal"] = true;
    series.push_back(std::move(one));
  }
  Json json = {{"id", chart.id}, {"title", chart.title}, {"x", chart.xLabel}, {"y", chart.yLabel}};
  if (chart.isHistogram) json["histogram"] = true;
  if (chart.isStacked) json["stacked"] = true;
  if (!chart.categories.empty()) json["categories"] = chart.categories;
  json["series"] = std::move(series);
  return json;
}

// --- in: a member of another type than expected counts as absent

const Json* memberOf(const Json& object, const char* key) {
  const auto it = object.find(key);
  return it == object.end() ? nullptr : &*it;
}

bool flagOf(const Json& object, const char* key) {
  const Json* member = memberOf(object, key);
  return member != nullptr && member->is_boolean() && member->get<bool>();
}

std::vector<std::string> textsOf(const Json& object, const char* key) {
  std::vector<std::string> out;
  if (const Json* member = memberOf(object, key); member != nullptr && member->is_array())
    for (const Json& text : *member)
      if (text.is_string()) out.push_back(text.get<std::string>());
  return out;
}

std::vector<double> numbersOf(const Json& object, const char* key) {
  std::vector<double> out;
  if (const Json* member = memberOf(object, key); member != nullptr && member->is_array())
    for (const Json& number : *member) out.push_back(number.is_number() ? number.get<double>() : 0.0);
  return out;
}

ReproducedRow readRow(const Json& json) {
  ReproducedRow row = commonRowOf(json);
  row.verdict = textOf(json, "verdict");
  row.model = numberOf(json, "model");
  row.publishedRatio = numberOf(json, "published_ratio");
  row.modelRatio = numberOf(json, "model_ratio");
  row.deviationPercent = numberOf(json, "deviation_percent");
  row.publishedSpreadPercent = numberOf(json, "published_spread_percent");
  row.publishedBaseSpreadPercent = numberOf(json, "base_spread_percent");
  row.otherScale = numberOf(json, "model_half_time");
  if (const Json* figures = memberOf(json, "figures"); figures != nullptr && figures->is_object())
    for (const auto& [name, value] : figures->items())
      if (value.is_number()) row.figures.emplace_back(name, value.get<double>());
  return row;
}

ChartData readChart(const Json& json) {
  ChartData chart;
  chart.id = textOf(json, "id");
  chart.title = textOf(json, "title");
  chart.xLabel = textOf(json, "x");
  chart.yLabel = textOf(json, "y");
  chart.isHistogram = flagOf(json, "histogram");
  chart.isStacked = flagOf(json, "stacked");
  chart.categories = textsOf(json, "categories");
  const Json* all = memberOf(json, "series");
  if (all == nullptr || !all->is_array()) return chart;
  for (const Json& one : *all) {
    if (!one.is_object()) continue;
    Series series{textOf(one, "name"), textOf(one, "unit"), {}, numbersOf(one, "value")};
    for (const double ns : numbersOf(one, "time_ns"))
      series.timeNs.push_back(static_cast<std::int64_t>(std::clamp(ns, 0.0, kLongestNs)));
    series.isStep = flagOf(one, "step");
    series.isIdeal = flagOf(one, "ideal");
    chart.series.push_back(std::move(series));
  }
  return chart;
}

std::optional<Reproduction> readReport(const Json& json) {
  const Json* rows = json.is_object() ? memberOf(json, "rows") : nullptr;
  if (rows == nullptr || !rows->is_array() || textOf(json, "discussion").empty()) return std::nullopt;
  Reproduction out;
  out.name = textOf(json, "discussion");
  out.title = textOf(json, "title");
  out.source = textOf(json, "source");
  out.unit = textOf(json, "unit");
  out.notes = textsOf(json, "notes");
  out.findings = textsOf(json, "findings");
  out.comparesRatios = textOf(json, "deviation_of") == "ratio";
  for (const Json& row : *rows)
    if (row.is_object()) out.rows.push_back(readRow(row));
  if (const Json* charts = memberOf(json, "charts"); charts != nullptr && charts->is_array())
    for (const Json& chart : *charts)
      if (chart.is_object()) out.charts.push_back(readChart(chart));
  return out;
}

Reproduction unreadable(const std::string& fileName, std::string message) {
  Problem problem;
  problem.file = fileName;
  problem.message = std::move(message);
  problem.hint = "a report is what \"rqscope reproduce NAME --json\" prints";
  Reproduction out;
  out.problems.push_back(std::move(problem));
  return out;
}

}  // namespace

double ratioDeviationPercent(const ReproducedRow& row) {
  return row.publishedRatio > 0 && row.modelRatio > 0 ? 100 * (row.modelRatio / row.publishedRatio - 1) : 0;
}

std::string reportText(const Reproduction& r, const std::vector<std::string>& files) {
  Json rows = Json::array();
  for (const ReproducedRow& row : r.rows) rows.push_back(rowJson(row));
  Json json = {{kVersionKey, kReportVersion}, {"discussion", r.name}, {"title", r.title},
               {"source", r.source},          {"unit", r.unit},       {"notes", r.notes},
               {"rows", std::move(rows)}};
  if (r.comparesRatios) json["deviation_of"] = "ratio";
  if (!r.findings.empty()) json["findings"] = r.findings;
  if (!r.charts.empty()) {
    json["charts"] = Json::array();
    for (const ChartData& chart : r.charts) json["charts"].push_back(chartJson(chart));
  }
  if (!files.empty()) json["files"] = files;
  return json.dump(1, ' ', false, Json::error_handler_t::replace);
}

std::vector<Reproduction> readReports(const std::string& text, const std::string& fileName) {
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) return {unreadable(fileName, "this is no JSON")};
  std::vector<Reproduction> out;
  const auto add = [&](const Json& one) {
    if (auto report = readReport(one)) out.push_back(std::move(*report));
  };
  if (json.is_array())
    for (const Json& one : json) add(one);
  else
    add(json);
  if (out.empty()) return {unreadable(fileName, "there is no report of a published discussion in this")};
  return out;
}

}  // namespace rqscope::api
