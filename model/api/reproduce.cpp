// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "rqscope/reproduce.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "api/problems.h"
#include "workload/json_document.h"

namespace rqscope::api {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr int kSliceMs = 1000;
constexpr double kNsPerSecond = 1e9;
constexpr std::int64_t kNsPerMs = 1'000'000;

fs::path publishedFolder() { return fs::path(resourceDirectory()) / "published"; }

std::string textOf(const Json& object, const char* key) {
  const auto it = object.find(key);
  return it != object.end() && it->is_string() ? it->get<std::string>() : std::string{};
}

double numberOf(const Json& object, const char* key) {
  const auto it = object.find(key);
  return it != object.end() && it->is_number() ? it->get<double>() : 0.0;
}

/// The file as an object, or nothing and the reason.
std::optional<Json> readPublished(const std::string& name, std::vector<Problem>& problems) {
  Problem problem;
  problem.file = (publishedFolder() / (name + ".json")).string();
  auto text = readTextFile(problem.file);
  if (text.ok()) {
    Json json = Json::parse(text.value(), nullptr, false, true);
    const bool isGood = json.is_object() && json.contains("rows") && json["rows"].is_array();
    if (isGood) return json;
    problem.message = "this is no table of published figures";
    problem.hint = "an object with \"title\", \"source\", \"unit\", \"measure\" and \"rows\"";
  } else {
    std::vector<std::string> names;
    problem.message = fmt::format("there is no discussion \"{}\"", name);
    problem.hint = "there are";
    for (const Named& known : discussions()) problem.hint += " " + known.name;
  }
  problems.push_back(std::move(problem));
  return std::nullopt;
}

void runToEnd(Simulation& simulation) {
  std::uint64_t last = UINT64_MAX;
  while (!simulation.runUntil({}, kSliceMs) && !simulation.frame()->atEnd) {
    const std::uint64_t now = simulation.frame()->eventIndex;
    if (now == last) return;
    last = now;
  }
}

std::uint64_t forksOf(const Outcome& outcome) {
  for (const PlacementSummary& p : outcome.placementsByKind)
    if (p.kind == "fork") return p.count;
  return 0;
}

/// Forks in each second from `fromNs` to the end.
double forksPerSecond(Simulation& simulation, std::int64_t fromNs) {
  simulation.seekTime(fromNs);
  const Outcome begin = simulation.outcome();
  runToEnd(simulation);
  const Outcome end = simulation.outcome();
  const auto seconds = static_cast<double>(end.timeNs - begin.timeNs) / kNsPerSecond;
  return seconds <= 0 ? 0 : static_cast<double>(forksOf(end) - forksOf(begin)) / seconds;
}

/// Seconds from `fromNs` to the end of the last task.
double lastEndSeconds(Simulation& simulation, std::int64_t fromNs) {
  runToEnd(simulation);
  std::int64_t last = fromNs;
  for (const Outcome::TaskEnd& task : simulation.outcome().tasks) last = std::max(last, task.endNs);
  return static_cast<double>(last - fromNs) / kNsPerSecond;
}

/// What a table counts.
struct Measure {
  std::string_view name;
  double (*take)(Simulation&, std::int64_t fromNs);
};
constexpr Measure kMeasures[] = {{"forks_per_s", &forksPerSecond}, {"last_end_s", &lastEndSeconds}};

std::optional<ReproducedRow> runRow(const Json& json, const Measure& measure, std::int64_t fromNs,
                                    std::vector<Problem>& problems) {
  ReproducedRow row;
  row.caseName = textOf(json, "case");
  row.name = textOf(json, "name");
  row.scenario = textOf(json, "scenario");
  row.label = textOf(json, "label");
  row.published = numberOf(json, "published");
  Overrides overrides;
  if (const auto patches = json.find("patches"); patches != json.end() && patches->is_object())
    for (const auto& [patch, on] : patches->items())
      if (on.is_boolean()) overrides.patches.emplace_back(patch, on.get<bool>());
  Opened opened = Simulation::open(row.scenario, overrides);
  if (opened.simulation == nullptr) {
    problems.insert(problems.end(), opened.problems.begin(), opened.problems.end());
    return std::nullopt;
  }
  row.model = measure.take(*opened.simulation, fromNs);
  return row;
}

void compare(std::vector<ReproducedRow>& rows) {
  for (ReproducedRow& row : rows) {
    const auto base = std::find_if(rows.begin(), rows.end(),
                                   [&](const ReproducedRow& r) { return r.caseName == row.caseName; });
    if (base->published > 0) row.publishedRatio = row.published / base->published;
    if (base->model > 0) row.modelRatio = row.model / base->model;
    if (row.published > 0) row.deviationPercent = 100 * (row.model / row.published - 1);
  }
}

}  // namespace

std::vector<Named> discussions() {
  std::vector<Named> out;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(publishedFolder(), error)) {
    if (entry.path().extension() != ".json") continue;
    Named named;
    named.name = entry.path().stem().string();
    if (auto text = readTextFile(entry.path().string()); text.ok()) {
      const Json json = Json::parse(text.value(), nullptr, false, true);
      if (json.is_object()) named.title = textOf(json, "title"), named.description = textOf(json, "source");
    }
    out.push_back(std::move(named));
  }
  std::sort(out.begin(), out.end(), [](const Named& a, const Named& b) { return a.name < b.name; });
  return out;
}

Reproduction reproduce(const std::string& name, const std::function<void(std::size_t, std::size_t)>& onRow) {
  Reproduction out;
  out.name = name;
  const auto json = readPublished(name, out.problems);
  if (!json) return out;
  out.title = textOf(*json, "title");
  out.source = textOf(*json, "source");
  out.unit = textOf(*json, "unit");
  if (const auto notes = json->find("notes"); notes != json->end() && notes->is_array())
    for (const Json& note : *notes)
      if (note.is_string()) out.notes.push_back(note.get<std::string>());
  const std::string wanted = textOf(*json, "measure");
  const auto* measure = std::find_if(std::begin(kMeasures), std::end(kMeasures),
                                     [&](const Measure& m) { return m.name == wanted; });
  if (measure == std::end(kMeasures)) {
    Problem problem;
    problem.file = name + ".json";
    problem.message = fmt::format("\"{}\" is no measure", wanted);
    problem.hint = "the measures are forks_per_s and last_end_s";
    out.problems.push_back(std::move(problem));
    return out;
  }
  const Json& rows = (*json)["rows"];
  const std::int64_t fromNs = static_cast<std::int64_t>(numberOf(*json, "from_ms")) * kNsPerMs;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (onRow) onRow(i, rows.size());
    auto row = runRow(rows[i], *measure, fromNs, out.problems);
    if (!row) {
      out.rows.clear();
      return out;
    }
    out.rows.push_back(std::move(*row));
  }
  compare(out.rows);
  return out;
}

}  // namespace rqscope::api
