// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "rqscope/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace rqscope::api {

namespace {

constexpr int kSliceMs = 100, kBins = 600;
constexpr std::size_t kManyDecisions = 10'000'000, kTasksShown = 16;
constexpr std::int64_t kDefaultEndNs = 10'000'000'000;

bool isSame(const Simulation::DecisionSummary& a, const Simulation::DecisionSummary& b) {
  return a.timeNs == b.timeNs && a.kind == b.kind && a.domainName == b.domainName && a.result == b.result &&
         a.cpu == b.cpu;
}

std::int64_t lastEnd(const Outcome& outcome) {
  std::int64_t last = -1;
  for (const Outcome::TaskEnd& task : outcome.tasks) last = std::max(last, task.endNs);
  return last;
}

OutcomeRow timeRow(std::string name, std::int64_t a, std::int64_t b) {
  const auto known = [](std::int64_t ns) { return ns < 0 ? std::nullopt : std::optional(ns); };
  return {std::move(name), true, known(a), known(b)};
}

OutcomeRow countRow(std::string name, std::uint64_t a, std::uint64_t b) {
  return {std::move(name), false, static_cast<std::int64_t>(a), static_cast<std::int64_t>(b)};
}

/// A run of one side and what is kept of it.
struct Side {
  std::unique_ptr<Simulation> simulation;
  std::vector<Simulation::DecisionSummary> decisions;
  Outcome outcome;
};

/// To the end, or until cancelled; tells how far it is, as far as its end is known.
bool runToEnd(Simulation& simulation, double from, const CompareControl& control) {
  const std::int64_t untilNs = simulation.untilNs() > 0 ? simulation.untilNs() : kDefaultEndNs;
  for (;;) {
    if (control.cancel != nullptr && control.cancel->load(std::memory_order_relaxed)) return false;
    const bool isMet = simulation.runUntil({}, kSliceMs);
    const auto frame = simulation.frame();
    const double share = std::min(1.0, static_cast<double>(frame->timeNs) / static_cast<double>(untilNs));
    if (control.onProgress) control.onProgress(from + share / 2);
    if (isMet || frame->atEnd) return true;
  }
}

/// How many tasks had ended by when, as a step curve.
Series tasksFinished(const Outcome& outcome, const char* name) {
  std::vector<std::int64_t> ends;
  for (const Outcome::TaskEnd& task : outcome.tasks)
    if (task.endNs >= 0) ends.push_back(task.endNs);
  std::sort(ends.begin(), ends.end());
  Series series;
  series.name = name;
  series.isStep = true;
  series.timeNs.push_back(0);
  series.value.push_back(0);
  for (std::size_t i = 0; i < ends.size(); ++i) {
    series.timeNs.push_back(ends[i]);
    series.value.push_back(static_cast<double>(i + 1));
  }
  series.timeNs.push_back(outcome.timeNs);
  series.value.push_back(static_cast<double>(ends.size()));
  return series;
}

/// Utilisation of one CPU in a run.
std::optional<Series> utilOf(const Simulation& simulation, std::int32_t cpu, std::int64_t endNs,
                             const char* name) {
  ChartData all = simulation.chart("cpu_util", 0, endNs, kBins);
  const std::string wanted = fmt::format("CPU {}", cpu);
  for (Series& series : all.series) {
    if (!series.name.ends_with(wanted)) continue;
    series.name = name;
    return std::move(series);
  }
  return std::nullopt;
}

void addCharts(const Side& a, const Side& b, RunComparison& out) {
  const bool hasEnds = lastEnd(a.outcome) >= 0 || lastEnd(b.outcome) >= 0;
  if (hasEnds) {
    ChartData& chart = out.charts.emplace_back();
    chart.id = "tasks_finished";
    chart.title = "Tasks finished";
    chart.xLabel = "time";
    chart.yLabel = "tasks";
    chart.series = {tasksFinished(a.outcome, "A"), tasksFinished(b.outcome, "B")};
  }
  if (!out.first) return;
  const Ladder& where = out.first->a ? *out.first->a : *out.first->b;
  const std::int64_t endNs = std::max(a.outcome.timeNs, b.outcome.timeNs);
  auto inA = utilOf(*a.simulation, where.cpu, endNs, "A"), inB = utilOf(*b.simulation, where.cpu, endNs, "B");
  if (!inA || !inB) return;
  ChartData& chart = out.charts.emplace_back();
  chart.id = "util_where_they_part";
  chart.title = fmt::format("Utilisation of CPU {}", where.cpu);
  chart.xLabel = "time";
  chart.yLabel = "util_avg";
  chart.series = {std::move(*inA), std::move(*inB)};
}

std::shared_ptr<const Ladder> ladderAt(Side& side, std::size_t position) {
  return position < side.decisions.size() ? side.simulation->ladder(side.decisions[position].index) : nullptr;
}

ComparedDecision decisionAt(Side& a, Side& b, std::size_t position) {
  ComparedDecision out;
  out.a = ladderAt(a, position);
  out.b = ladderAt(b, position);
  out.timeNs = out.a ? out.a->timeNs : out.b->timeNs;
  if (out.a && out.b) {
    out.timeNs = std::min(out.a->timeNs, out.b->timeNs);
    out.rung = firstDifferentRung(*out.a, *out.b);
  }
  return out;
}

}  // namespace

std::optional<std::size_t> firstDifference(const std::vector<Simulation::DecisionSummary>& a,
                                           const std::vector<Simulation::DecisionSummary>& b) {
  const std::size_t common = std::min(a.size(), b.size());
  for (std::size_t i = 0; i < common; ++i)
    if (!isSame(a[i], b[i])) return i;
  if (a.size() != b.size()) return common;
  return std::nullopt;
}

std::size_t firstDifferentRung(const Ladder& a, const Ladder& b) {
  const std::size_t common = std::min(a.rungs.size(), b.rungs.size());
  for (std::size_t i = 0; i < common; ++i)
    if (!(a.rungs[i] == b.rungs[i])) return i;
  return common;
}

std::vector<OutcomeRow> compareOutcomes(const Outcome& a, const Outcome& b) {
  std::vector<OutcomeRow> rows{
      timeRow("last task ends", lastEnd(a), lastEnd(b)),
      timeRow("idle while work waited", static_cast<std::int64_t>(a.idleWhileWaitingNs),
              static_cast<std::int64_t>(b.idleWhileWaitingNs)),
      countRow("migrations", a.migrations, b.migrations),
      countRow("balance passes", a.passes, b.passes),
      countRow("failed balances", a.failedPasses, b.failedPasses),
      countRow("placements", a.placements, b.placements)};
  for (std::size_t i = 0; i < std::min({a.tasks.size(), b.tasks.size(), kTasksShown}); ++i)
    if (a.tasks[i].name == b.tasks[i].name)
      rows.push_back(timeRow(a.tasks[i].name + " ends", a.tasks[i].endNs, b.tasks[i].endNs));
  return rows;
}

std::string changeText(const OutcomeRow& row) {
  if (!row.a || !row.b) return "-";
  if (*row.a == 0) return *row.b == 0 ? "0.0 %" : "-";
  return fmt::format("{:+.1f} %", 100 * (static_cast<double>(*row.b) / static_cast<double>(*row.a) - 1));
}

RunComparison compareRuns(const std::string& fileName, const std::string& text, const CompareSide& a,
                          const CompareSide& b, const CompareControl& control) {
  RunComparison out;
  out.labelA = a.label;
  out.labelB = b.label;
  Side sides[2];
  const CompareSide* const how[] = {&a, &b};
  for (std::size_t i = 0; i < 2; ++i) {
    Opened opened = Simulation::openText(fileName, text, how[i]->overrides);
    if (opened.simulation == nullptr) {
      out.problems = std::move(opened.problems);
      return out;
    }
    sides[i].simulation = std::move(opened.simulation);
    if (!runToEnd(*sides[i].simulation, static_cast<double>(i) / 2, control)) {
      out.wasCancelled = true;
      return out;
    }
    sides[i].decisions =
        sides[i].simulation->decisions(0, std::numeric_limits<std::int64_t>::max(), kManyDecisions);
    sides[i].outcome = sides[i].simulation->outcome();
  }
  out.decisionsA = sides[0].decisions.size();
  out.decisionsB = sides[1].decisions.size();
  out.layout = sides[0].simulation->layout();
  const auto at = firstDifference(sides[0].decisions, sides[1].decisions);
  out.equalDecisions = at.value_or(sides[0].decisions.size());
  if (at) out.first = decisionAt(sides[0], sides[1], *at);
  out.outcomes = compareOutcomes(sides[0].outcome, sides[1].outcome);
  addCharts(sides[0], sides[1], out);
  return out;
}

}  // namespace rqscope::api
