// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "api/reproduce_scaled_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

namespace rqscope::api {
namespace {

using Rows = std::vector<ReproducedRow>;

constexpr std::string_view kSpread = "seeds_spread_percent";

double meanOf(const std::vector<double>& values) {
  if (values.empty()) return 0;
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// Half of the distance between the least and the greatest, in percent of the mean.
double spreadPercent(const std::vector<double>& values) {
  const double mean = meanOf(values);
  if (values.size() < 2 || mean <= 0) return 0;
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  return 50 * (*most - *least) / mean;
}

const ReproducedRow& baseOf(const Rows& rows, const ReproducedRow& row) {
  return *std::find_if(rows.begin(), rows.end(),
                       [&](const ReproducedRow& r) { return r.caseName == row.caseName; });
}

void compareWithFirst(Rows& rows) {
  for (ReproducedRow& row : rows) {
    const ReproducedRow& base = baseOf(rows, row);
    if (base.published > 0) row.publishedRatio = row.published / base.published;
    if (base.model > 0) row.modelRatio = row.model / base.model;
    if (row.published > 0) row.deviationPercent = 100 * (row.model / row.published - 1);
  }
}

double figureOf(const ReproducedRow& row, std::string_view key) {
  for (const auto& [name, value] : row.figures)
    if (name == key) return value;
  return 0;
}

/// A gain is real in the model when it is beyond what the seeds of both rows differ by.
bool isBeyondSpread(const ReproducedRow& row, const ReproducedRow& base) {
  const double spread = figureOf(row, kSpread) + figureOf(base, kSpread);
  return std::abs(100 * (1 - row.modelRatio)) > spread;
}

void judge(Rows& rows, std::string_view measured) {
  for (ReproducedRow& row : rows) {
    if (row.name != measured || row.published <= 0) continue;
    const bool isSame = (row.publishedRatio < 1) == (row.modelRatio < 1);
    row.verdict = isSame ? "same sign" : "other sign";
    if (!isBeyondSpread(row, baseOf(rows, row))) row.verdict += ", within the seeds' spread";
  }
}

/// "gain ... with the published sign: ...; with the other sign: ...".
std::string signFinding(const Rows& rows, std::string_view measured) {
  std::vector<std::string> same, other;
  for (const ReproducedRow& row : rows) {
    if (row.name != measured || row.published <= 0) continue;
    std::string text = fmt::format(
        "{} ({:+.1f} % published, {:+.1f} % model, seeds +-{:.1f} and +-{:.1f} %{})", row.caseName,
        100 * (1 - row.publishedRatio), 100 * (1 - row.modelRatio), figureOf(baseOf(rows, row), kSpread),
        figureOf(row, kSpread), row.label == "fitted" ? ", fitted" : "");
    (row.verdict.starts_with("same") ? same : other).push_back(std::move(text));
  }
  std::string out = fmt::format("gain of \"{}\" with the published sign: {}", measured,
                                same.empty() ? "nowhere" : fmt::format("{}", fmt::join(same, "; ")));
  if (!other.empty()) out += fmt::format("; with the other sign: {}", fmt::join(other, "; "));
  return out;
}

std::string figureFinding(const Rows& rows, std::string_view measured, std::string_view key,
                          std::string_view what) {
  std::vector<std::string> parts;
  for (const ReproducedRow& row : rows)
    if (row.name == measured) parts.push_back(fmt::format("{} {:.3g}", row.caseName, figureOf(row, key)));
  return fmt::format("{} with \"{}\": {}", what, measured, fmt::join(parts, ", "));
}

std::string baseFinding(const Rows& rows) {
  std::vector<std::string> parts;
  for (const ReproducedRow& row : rows)
    if (&row == &baseOf(rows, row) && row.published > 0)
      parts.push_back(fmt::format("{} {:.2f} ({:.2f})", row.caseName, row.model, row.published));
  return fmt::format("first row of each case, model (published) in s: {}", fmt::join(parts, ", "));
}

std::string scaleFinding(const Rows& rows, const std::vector<ScaledRow>& runs) {
  double worst = 0;
  std::string where = "no row";
  std::vector<std::string> beyond;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const ReproducedRow& row = rows[i];
    if (row.model <= 0 || row.otherScale <= 0) continue;
    const double off = 100 * std::abs(row.otherScale / row.model - 1);
    if (off > spreadPercent(runs[i].full) + spreadPercent(runs[i].half))
      beyond.push_back(fmt::format("{}, {} ({:.1f} %)", row.caseName, row.name, off));
    if (off <= worst) continue;
    worst = off;
    where = row.caseName + ", " + row.name;
  }
  return fmt::format(
      "half the loops give the same times within {:.1f} % (most: {}); beyond the seeds' spread: {}", worst,
      where, beyond.empty() ? "no row" : fmt::format("{}", fmt::join(beyond, "; ")));
}

/// A bar for each row of a case; those of one name are a series.
ChartData barChart(const Rows& rows, std::string id, std::string title, std::string yLabel,
                   const std::function<double(const ReproducedRow&)>& valueOf) {
  ChartData chart;
  chart.id = std::move(id);
  chart.title = std::move(title);
  chart.xLabel = "case";
  chart.yLabel = std::move(yLabel);
  chart.isHistogram = true;
  for (const ReproducedRow& row : rows) {
    if (row.published <= 0) continue;
    if (chart.categories.empty() || chart.categories.back() != row.caseName)
      chart.categories.push_back(row.caseName);
    auto series = std::find_if(chart.series.begin(), chart.series.end(),
                               [&](const Series& s) { return s.name == row.name; });
    if (series == chart.series.end()) series = chart.series.insert(series, Series{row.name, "", {}, {}});
    series->value.push_back(valueOf(row));
  }
  return chart;
}

/// Of the measured rows alone: the published and the model's gain side by side.
ChartData gainChart(const Rows& rows, std::string_view measured) {
  ChartData chart;
  chart.id = "wakequeue_gain";
  chart.title = "Gain by the shared wakequeue";
  chart.xLabel = "case";
  chart.yLabel = "% of the time";
  chart.isHistogram = true;
  chart.series = {Series{"published", "", {}, {}}, Series{"model", "", {}, {}}};
  for (const ReproducedRow& row : rows) {
    if (row.name != measured || row.published <= 0) continue;
    chart.categories.push_back(row.caseName);
    chart.series[0].value.push_back(100 * (1 - row.publishedRatio));
    chart.series[1].value.push_back(100 * (1 - row.modelRatio));
  }
  return chart;
}

struct FigureChart {
  const char *key, *title, *unit;
};
constexpr FigureChart kFigureCharts[] = {
    {"lock_waited_percent_of_busy", "Waiting for the shared queue's lock", "% of busy CPU time"},
    {"lock_busy_percent", "Time for which a shared queue's lock is held", "% of the time"},
    {"tg_load_avg_waited_percent_of_busy", "Waiting for the task group's load_avg", "% of busy CPU time"},
    {"rq_lock_waited_percent_of_busy", "Waiting for the locks of CPUs' queues", "% of busy CPU time"},
    {"wakeups_per_s", "Wakeups", "in a second"},
    {"pulls_per_s", "Tasks taken from a shared queue by a CPU going idle", "in a second"},
    {"queue_length", "Tasks in a shared queue", "mean number"},
    {"pipe_lock_waited_percent_of_busy", "Waiting for pipes' mutexes", "% of busy CPU time"},
    {"wakeups_per_message", "Wakeups for a message", "mean number"},
    {"switches_per_message", "Switches for a message", "mean number"},
    {"lock_taken_per_s_and_queue", "Takings of the lock of a shared queue", "in a second"},
    {"idle_percent", "Idle time", "% of the CPUs' time"},
};

}  // namespace

void fillScaledRow(ReproducedRow& row, const ScaledRow& runs) {
  row.model = meanOf(runs.full);
  row.otherScale = meanOf(runs.half);
  row.figures.clear();
  row.figures.emplace_back(std::string(kSpread), spreadPercent(runs.full));
  if (runs.figures.empty()) return;
  for (std::size_t f = 0; f < runs.figures.front().size(); ++f) {
    double sum = 0;
    for (const auto& figures : runs.figures) sum += figures[f].second;
    row.figures.emplace_back(runs.figures.front()[f].first, sum / static_cast<double>(runs.figures.size()));
  }
}

void reportScaled(const std::string& measured, const std::vector<ScaledRow>& runs, Reproduction& out) {
  compareWithFirst(out.rows);
  out.findings.push_back(baseFinding(out.rows));
  if (!measured.empty()) {
    judge(out.rows, measured);
    out.findings.push_back(signFinding(out.rows, measured));
    out.findings.push_back(
        figureFinding(out.rows, measured, "lock_waited_percent_of_busy",
                      "percent of the busy CPU time that waits for the shared queue's lock"));
    out.findings.push_back(figureFinding(out.rows, measured, "lock_busy_percent",
                                         "percent of the time for which a queue's lock is held"));
    out.findings.push_back(figureFinding(out.rows, measured, "tg_load_avg_waited_percent_of_busy",
                                         "percent of the busy CPU time that waits for tg->load_avg"));
    out.charts.push_back(gainChart(out.rows, measured));
  }
  out.findings.push_back(scaleFinding(out.rows, runs));
  out.charts.push_back(barChart(out.rows, "wakequeue_published", "Published time", "s",
                                [](const ReproducedRow& row) { return row.published; }));
  out.charts.push_back(barChart(out.rows, "wakequeue_model", "The model's time", "s",
                                [](const ReproducedRow& row) { return row.model; }));
  for (const FigureChart& chart : kFigureCharts)
    out.charts.push_back(barChart(out.rows, std::string("wakequeue_") + chart.key, chart.title, chart.unit,
                                  [&](const ReproducedRow& row) { return figureOf(row, chart.key); }));
}

}  // namespace rqscope::api
