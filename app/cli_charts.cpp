// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>

#include "charts/chart_export.h"
#include "cli_output.h"

namespace rqscope::app {

namespace {

constexpr int kChartBins = 1000;

}  // namespace

std::vector<std::string> writeCharts(const api::Simulation& simulation, const std::string& folder) {
  const std::int64_t end = std::max<std::int64_t>(simulation.frame()->timeNs, 1);
  std::vector<api::ChartData> charts;
  for (const std::string& id : simulation.chartIds())
    charts.push_back(simulation.chart(id, 0, end, kChartBins));
  const charts::ChartFiles files = charts::writeCharts(charts, folder);
  if (files.error.empty()) return files.written;
  fmt::print(stderr, "rqscope: {}\n", files.error);
  return {};
}

}  // namespace rqscope::app
