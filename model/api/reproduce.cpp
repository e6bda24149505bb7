// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "rqscope/reproduce.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "api/problems.h"
#include "api/reproduce_scaled.h"
#include "api/reproduce_work.h"
#include "api/reproduced_row_json.h"
#include "api/resource_folder.h"
#include "workload/json_document.h"

namespace rqscope::api {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr int kSliceMs = 200;
constexpr double kNsPerSecond = 1e9;
constexpr std::int64_t kNsPerMs = 1'000'000;

fs::path publishedFolder() { return fs::path(resourceDirectory()) / "published"; }

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
  } else if (auto missing = missingResources()) {
    problem = std::move(*missing);
  } else {
    problem.file = name;
    problem.message = "there is no published discussion of this name";
    for (const Named& known : discussions())
      problem.hint += (problem.hint.empty() ? "there are " : ", ") + known.name;
  }
  problems.push_back(std::move(problem));
  return std::nullopt;
}

/// Tells how far a run is and whether to go on.
class Watch {
 public:
  Watch(const ReproduceControl& control, std::size_t rows)
      : m_control(control), m_begin(Clock::now()), m_rows(rows) {}

  void beginRow(std::size_t row, const Json& json) {
    m_progress.row = row;
    m_progress.rows = m_rows;
    m_progress.caseName = textOf(json, "case");
    m_progress.rowName = textOf(json, "name");
    tell(0, 0);
  }
  void tell(std::int64_t simulatedNs, double shareOfRow) {
    if (!m_control.onProgress) return;
    m_progress.simulatedNs = simulatedNs;
    m_progress.share = (static_cast<double>(m_progress.row) + std::clamp(shareOfRow, 0.0, 1.0)) /
                       static_cast<double>(std::max<std::size_t>(m_rows, 1));
    const double spent = std::chrono::duration<double>(Clock::now() - m_begin).count();
    m_progress.remainingSeconds =
        m_progress.share > 0 ? spent * (1 - m_progress.share) / m_progress.share : -1;
    m_control.onProgress(m_progress);
  }
  bool isCancelled() const {
    return m_control.cancel != nullptr && m_control.cancel->load(std::memory_order_relaxed);
  }

 private:
  using Clock = std::chrono::steady_clock;
  const ReproduceControl& m_control;
  Clock::time_point m_begin;
  std::size_t m_rows;
  ReproduceProgress m_progress;
};

/// Runs to the end, or until cancelled. `expectedNs` is the simulated length, as far as it is known.
void runToEnd(Simulation& simulation, Watch& watch, std::int64_t expectedNs) {
  std::uint64_t last = UINT64_MAX;
  while (!watch.isCancelled() && !simulation.runUntil({}, kSliceMs) && !simulation.frame()->atEnd) {
    const auto frame = simulation.frame();
    if (expectedNs > 0)
      watch.tell(frame->timeNs, static_cast<double>(frame->timeNs) / static_cast<double>(expectedNs));
    if (frame->eventIndex == last) return;
    last = frame->eventIndex;
  }
}

std::uint64_t forksOf(const Outcome& outcome) {
  for (const PlacementSummary& p : outcome.placementsByKind)
    if (p.kind == "fork") return p.count;
  return 0;
}

/// Forks in each second from `fromNs` to the end.
double forksPerSecond(Simulation& simulation, std::int64_t fromNs, double, Watch& watch) {
  simulation.seekTime(fromNs);
  const Outcome begin = simulation.outcome();
  runToEnd(simulation, watch, simulation.untilNs());
  const Outcome end = simulation.outcome();
  const auto seconds = static_cast<double>(end.timeNs - begin.timeNs) / kNsPerSecond;
  return seconds <= 0 ? 0 : static_cast<double>(forksOf(end) - forksOf(begin)) / seconds;
}

/// Seconds from `fromNs` to the end of the last task.
double lastEndSeconds(Simulation& simulation, std::int64_t fromNs, double published, Watch& watch) {
  runToEnd(simulation, watch, fromNs + static_cast<std::int64_t>(published * kNsPerSecond));
  std::int64_t last = fromNs;
  for (const Outcome::TaskEnd& task : simulation.outcome().tasks) last = std::max(last, task.endNs);
  return static_cast<double>(last - fromNs) / kNsPerSecond;
}

/// What a table counts. The published figure only serves to guess how long a run will take.
struct Measure {
  std::string_view name;
  double (*take)(Simulation&, std::int64_t fromNs, double published, Watch& watch);
};
constexpr Measure kMeasures[] = {{"forks_per_s", &forksPerSecond}, {"last_end_s", &lastEndSeconds}};

bool runRow(ReproducedRow& row, const Measure& measure, std::int64_t fromNs, Watch& watch,
            std::vector<Problem>& problems) {
  Overrides overrides;
  overrides.patches = row.patches;
  Opened opened = Simulation::open(row.scenario, overrides);
  if (opened.simulation == nullptr) {
    problems.insert(problems.end(), opened.problems.begin(), opened.problems.end());
    return false;
  }
  row.model = measure.take(*opened.simulation, fromNs, row.published, watch);
  return true;
}

void compare(std::vector<ReproducedRow>& rows) {
  for (ReproducedRow& row : rows) {
    const auto base = std::find_if(rows.begin(), rows.end(),
                                   [&](const ReproducedRow& r) { return r.caseName == row.caseName; });
    const double against = row.publishedBase > 0 ? row.publishedBase : base->published;
    if (against > 0 && row.published > 0) row.publishedRatio = row.published / against;
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

namespace {

/// What a file says of itself; its rows stay outside.
Reproduction headOf(const std::string& name, const Json& json) {
  Reproduction out;
  out.name = name;
  out.title = textOf(json, "title");
  out.source = textOf(json, "source");
  out.unit = textOf(json, "unit");
  if (const auto notes = json.find("notes"); notes != json.end() && notes->is_array())
    for (const Json& note : *notes)
      if (note.is_string()) out.notes.push_back(note.get<std::string>());
  return out;
}

const Measure* measureOf(const std::string& name, const Json& json, std::vector<Problem>& problems) {
  const std::string wanted = textOf(json, "measure");
  const auto* measure = std::find_if(std::begin(kMeasures), std::end(kMeasures),
                                     [&](const Measure& m) { return m.name == wanted; });
  if (measure != std::end(kMeasures)) return measure;
  Problem problem;
  problem.file = name + ".json";
  problem.message = fmt::format("\"{}\" is no measure", wanted);
  problem.hint = "the measures are forks_per_s, last_end_s, scaled_end_s and work_per_s";
  problems.push_back(std::move(problem));
  return nullptr;
}

}  // namespace

Reproduction publishedTable(const std::string& name) {
  std::vector<Problem> problems;
  const auto json = readPublished(name, problems);
  Reproduction out = json ? headOf(name, *json) : Reproduction{};
  out.name = name;
  out.problems = std::move(problems);
  if (!json) return out;
  for (const Json& row : (*json)["rows"]) out.rows.push_back(commonRowOf(row));
  compare(out.rows);
  return out;
}

Reproduction reproduce(const std::string& name, const ReproduceControl& control) {
  std::vector<Problem> problems;
  const auto json = readPublished(name, problems);
  Reproduction out = json ? headOf(name, *json) : Reproduction{};
  out.name = name;
  out.problems = std::move(problems);
  if (!json) return out;
  if (textOf(*json, "measure") == "work_per_s") {
    reproduceWork(*json, out, control);
    return out;
  }
  if (textOf(*json, "measure") == "scaled_end_s") {
    reproduceScaled(*json, out, control);
    return out;
  }
  const Measure* measure = measureOf(name, *json, out.problems);
  if (measure == nullptr) return out;
  const Json& rows = (*json)["rows"];
  const std::int64_t fromNs = static_cast<std::int64_t>(numberOf(*json, "from_ms")) * kNsPerMs;
  Watch watch(control, rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    watch.beginRow(i, rows[i]);
    ReproducedRow row = commonRowOf(rows[i]);
    if (!runRow(row, *measure, fromNs, watch, out.problems)) {
      out.rows.clear();
      return out;
    }
    if (watch.isCancelled()) {
      out.wasCancelled = true;
      return out;
    }
    out.rows.push_back(std::move(row));
    compare(out.rows);
    watch.tell(0, 1);
    if (control.onRow) control.onRow(out);
  }
  return out;
}

Reproduction reproduce(const std::string& name, const std::function<void(std::size_t, std::size_t)>& onRow) {
  std::size_t last = SIZE_MAX;
  ReproduceControl control;
  control.onProgress = [&](const ReproduceProgress& progress) {
    if (onRow && progress.row != last) onRow(progress.row, progress.rows);
    last = progress.row;
  };
  return reproduce(name, control);
}

}  // namespace rqscope::api
