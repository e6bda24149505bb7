// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

#include "cli_output.h"

namespace rqscope::app {

namespace {

constexpr int kChartBins = 1000;

/// A text for CSV: in quotes when it has to be.
std::string csvCell(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + "\"";
}

/// One line per time (or histogram bin), one column per series; empty where a series has no value then.
std::string csvOf(const api::ChartData& chart) {
  std::string out = csvCell(chart.isHistogram ? chart.xLabel : "time_ns");
  std::set<std::int64_t> times;
  for (const api::Series& series : chart.series) {
    out +=
        "," + csvCell(series.unit.empty() ? series.name : fmt::format("{} ({})", series.name, series.unit));
    times.insert(series.timeNs.begin(), series.timeNs.end());
  }
  out += "\n";
  std::vector<std::size_t> at(chart.series.size(), 0);
  for (const std::int64_t time : times) {
    out += fmt::format("{}", time);
    for (std::size_t i = 0; i < chart.series.size(); ++i) {
      const api::Series& series = chart.series[i];
      out += ",";
      while (at[i] < series.timeNs.size() && series.timeNs[at[i]] < time) ++at[i];
      if (at[i] < series.timeNs.size() && series.timeNs[at[i]] == time && at[i] < series.value.size())
        out += fmt::format("{:.12g}", series.value[at[i]]);
    }
    out += "\n";
  }
  return out;
}

bool writeFile(const std::filesystem::path& path, const std::string& text) {
  std::ofstream out(path, std::ios::binary);
  out << text;
  out.close();
  if (out) return true;
  fmt::print(stderr, "rqscope: {} cannot be written\n", path.string());
  return false;
}

}  // namespace

std::vector<std::string> writeCharts(const api::Simulation& simulation, const std::string& folder,
                                     const std::string& prefix) {
  std::vector<std::string> files;
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) {
    fmt::print(stderr, "rqscope: {}: {}\n", folder, error.message());
    return files;
  }
  const std::int64_t end = std::max<std::int64_t>(simulation.frame()->timeNs, 1);
  for (const std::string& id : simulation.chartIds()) {
    const std::filesystem::path path = std::filesystem::path(folder) / fmt::format("{}-{}.csv", prefix, id);
    if (!writeFile(path, csvOf(simulation.chart(id, 0, end, kChartBins)))) return {};
    files.push_back(path.string());
  }
  return files;
}

}  // namespace rqscope::app
