// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "api/reproduce_charts.h"

#include <algorithm>

namespace rqscope::api {
namespace {

constexpr std::int64_t kSampleNs = 1'000'000;

using Values = std::vector<double> WorkFigures::*;

ChartData accessChart(const Reproduction& r, const std::string& key, std::string title) {
  ChartData chart;
  chart.id = "tg_load_avg_" + key;
  chart.title = std::move(title);
  chart.xLabel = "benchmark";
  chart.yLabel = "per wakeup";
  chart.isHistogram = true;
  for (const ReproducedRow& row : r.rows) {
    if (row.unit == "us" || row.unit == "builds/h") continue;  // of the latency check
    if (chart.categories.empty() || chart.categories.back() != row.caseName)
      chart.categories.push_back(row.caseName);
    auto series = std::find_if(chart.series.begin(), chart.series.end(),
                               [&](const Series& s) { return s.name == row.name; });
    if (series == chart.series.end()) series = chart.series.insert(series, Series{row.name, "", {}, {}});
    series->value.resize(chart.categories.size() - 1);  // a case without this variant
    for (const auto& [name, value] : row.figures)
      if (name == key) series->value.push_back(value);
  }
  for (Series& series : chart.series) series.value.resize(chart.categories.size());
  return chart;
}

/// What of a case is drawn, and how it is called.
struct GroupChart {
  const char* id;
  const char* title;
  const char* yLabel;
  Values values;
  bool isDistance;  ///< from the base variant, in percent
};

constexpr GroupChart kGroupCharts[] = {
    {"tg_load_avg_of_", "load_avg of the group: ", "load", &WorkFigures::tgLoad, false},
    {"tg_load_avg_off_", "load_avg of the group against base: ", "percent", &WorkFigures::tgLoad, true},
    {"tg_weight_of_", "Mean weight of the group's entities: ", "weight", &WorkFigures::weights, false},
    {"tg_weight_off_", "Mean weight of the group's entities against base: ", "percent", &WorkFigures::weights,
     true}};

Series seriesOf(const GroupChart& what, const std::string& name, const RunSeries& run,
                const RunSeries& base) {
  Series series{name, "", {}, {}};
  const std::vector<double>& values = run.figures->*what.values;
  const std::vector<double>& from = base.figures->*what.values;
  const std::size_t samples = what.isDistance ? std::min(values.size(), from.size()) : values.size();
  for (std::size_t s = 0; s < samples; ++s) {
    series.timeNs.push_back(run.fromNs + static_cast<std::int64_t>(s) * kSampleNs);
    const double own = values[s];
    series.value.push_back(!what.isDistance ? own : from[s] > 0 ? 100 * (own / from[s] - 1) : 0);
  }
  return series;
}

ChartData groupChart(const GroupChart& what, const std::vector<ReproducedRow>& rows,
                     const std::vector<RunSeries>& runs, std::size_t first) {
  ChartData chart;
  chart.id = what.id + rows[first].scenario;
  chart.title = what.title + rows[first].caseName;
  chart.xLabel = "time";
  chart.yLabel = what.yLabel;
  for (std::size_t i = first; i < rows.size() && rows[i].caseName == rows[first].caseName; ++i)
    if (!what.isDistance || i != first)
      chart.series.push_back(seriesOf(what, rows[i].name, runs[i], runs[first]));
  return chart;
}

}  // namespace

void addAccessCharts(Reproduction& out) {
  out.charts.push_back(accessChart(out, "reads_per_wakeup", "Reads of tg->load_avg for each wakeup"));
  out.charts.push_back(accessChart(out, "writes_per_wakeup", "Writes of tg->load_avg for each wakeup"));
}

void addGroupCharts(Reproduction& out, const std::vector<RunSeries>& runs) {
  std::vector<std::string> done;  // scenarios: the rows of a latency are one run
  for (std::size_t i = 0; i < out.rows.size(); ++i) {
    const ReproducedRow& row = out.rows[i];
    if (i != 0 && out.rows[i - 1].caseName == row.caseName) continue;
    if (std::find(done.begin(), done.end(), row.scenario) != done.end()) continue;
    done.push_back(row.scenario);
    for (const GroupChart& what : kGroupCharts) out.charts.push_back(groupChart(what, out.rows, runs, i));
  }
}

}  // namespace rqscope::api
