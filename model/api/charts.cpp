// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <bit>
#include <functional>

#include "api/idle_chart.h"
#include "api/ladder_keys.h"
#include "api/simulation_impl.h"

namespace rqscope::api {
namespace {

constexpr std::size_t kMaxLines = 64;           // of one chart; more are summed by nobody and read by nobody
constexpr std::uint64_t kLatencyStepNs = 1000;  // first bucket of the histogram: up to 1 us

/// The samples of a window, thinned to at most `bins`.
class Picks {
 public:
  Picks(const Samples& samples, std::int64_t beginNs, std::int64_t endNs, int bins) : m_samples(samples) {
    const auto begin = static_cast<std::uint64_t>(std::max<std::int64_t>(beginNs, 0));
    const auto end = static_cast<std::uint64_t>(std::max<std::int64_t>(endNs, 0));
    const std::size_t first = (begin + samples.spacingNs() - 1) / samples.spacingNs();
    const std::size_t past = std::min<std::size_t>(samples.size(), end / samples.spacingNs() + 1);
    if (first >= past) return;
    const auto most = static_cast<std::size_t>(std::max(bins, 2));
    const std::size_t step = (past - first + most - 1) / most;
    for (std::size_t i = first; i < past; i += step) m_indexes.push_back(i);
    if (m_indexes.back() != past - 1) m_indexes.push_back(past - 1);
  }

  using Read = std::function<double(const Samples::Sample&)>;
  Series line(std::string name, std::string unit, const Read& read) const {
    Series series{std::move(name), std::move(unit), {}, {}};
    for (const std::size_t i : m_indexes) {
      series.timeNs.push_back(static_cast<std::int64_t>(m_samples.timeNs(i)));
      series.value.push_back(read(m_samples.at(i)));
    }
    return series;
  }
  /// Change per second between two picks of a figure that only grows.
  Series rate(std::string name, std::string unit, double scale, const Read& read) const {
    Series series{std::move(name), std::move(unit), {}, {}};
    for (std::size_t i = 1; i < m_indexes.size(); ++i) {
      const std::uint64_t from = m_samples.timeNs(m_indexes[i - 1]);
      const std::uint64_t to = m_samples.timeNs(m_indexes[i]);
      const double seconds = static_cast<double>(to - from) / 1e9;
      series.timeNs.push_back(static_cast<std::int64_t>(to));
      series.value.push_back((read(m_samples.at(m_indexes[i])) - read(m_samples.at(m_indexes[i - 1]))) *
                             scale / seconds);
    }
    return series;
  }
  const std::vector<std::size_t>& indexes() const { return m_indexes; }

 private:
  const Samples& m_samples;
  std::vector<std::size_t> m_indexes;
};

using CpuRead = double (*)(const Samples::Cpu&);

void addCpuLines(const SimState& state, const Picks& picks, const char* what, const char* unit, CpuRead read,
                 ChartData& chart) {
  const auto& cpus = state.machine.topology->hardware.cpus;
  for (std::size_t i = 0; i < std::min(cpus.size(), kMaxLines); ++i)
    chart.series.push_back(picks.line(std::string(what) + " of CPU " + std::to_string(cpus[i].id.value), unit,
                                      [i, read](const Samples::Sample& s) { return read(s.cpus[i]); }));
}

void addTaskLines(const Recorder& recorder, const Picks& picks, ChartData& chart) {
  std::vector<std::pair<std::size_t, std::int32_t>> seen;  // slot and pid, in order of appearance
  for (const std::size_t i : picks.indexes()) {
    const auto& tasks = recorder.samples().at(i).tasks;
    for (std::size_t slot = 0; slot < tasks.size() && seen.size() < kMaxLines; ++slot) {
      const std::pair<std::size_t, std::int32_t> key{slot, tasks[slot].pid};
      if (key.second != 0 && std::find(seen.begin(), seen.end(), key) == seen.end()) seen.push_back(key);
    }
  }
  for (const auto& [slot, pid] : seen)
    chart.series.push_back(picks.line(
        "util of " + recorder.nameOf(pid), "capacity", [slot = slot, pid = pid](const Samples::Sample& s) {
          return slot < s.tasks.size() && s.tasks[slot].pid == pid ? static_cast<double>(s.tasks[slot].util)
                                                                   : 0.0;
        }));
}

/// Of each limited group where its quota of the period is: used, in the pool, held by CPUs, expired.
void addLimitLines(const SimState& state, const Picks& picks, ChartData& chart) {
  struct Line {
    const char* name;
    double (*read)(const Samples::Limited&);
  };
  static constexpr Line kLines[] = {
      {" quota", [](const Samples::Limited& l) { return static_cast<double>(l.quotaNs); }},
      {" used this period", [](const Samples::Limited& l) { return static_cast<double>(l.usedNs); }},
      {" left in the pool", [](const Samples::Limited& l) { return static_cast<double>(l.poolNs); }},
      {" held by CPUs", [](const Samples::Limited& l) { return static_cast<double>(l.cpusNs); }},
      {" expired this period", [](const Samples::Limited& l) { return static_cast<double>(l.expiredNs); }},
  };
  for (const GroupId id : state.quotaGroups)
    for (const Line& line : kLines) {
      if (chart.series.size() >= kMaxLines) return;
      chart.series.push_back(picks.line(state.machine.group(id).name + line.name, "ms",
                                        [id, read = line.read](const Samples::Sample& s) {
                                          for (const Samples::Limited& limited : s.limited)
                                            if (limited.group == id.value && limited.quotaNs >= 0)
                                              return read(limited) / 1e6;
                                          return 0.0;
                                        }));
    }
}

/// Buckets double from 1 us on; the time axis of the series holds the upper end of each bucket.
void addLatencies(const Recorder& recorder, std::int64_t beginNs, std::int64_t endNs, ChartData& chart) {
  std::vector<double> counts;
  for (const LatencyRecord& record : recorder.latencies().items) {
    const auto at = static_cast<std::int64_t>(record.timeNs);
    if (at < beginNs || at > endNs) continue;
    const auto bucket = static_cast<std::size_t>(std::bit_width(record.latencyNs / kLatencyStepNs));
    if (bucket >= counts.size()) counts.resize(bucket + 1, 0.0);
    counts[bucket] += 1;
  }
  Series series{"wakeup latency", "wakeups", {}, {}};
  for (std::size_t b = 0; b < counts.size(); ++b) {
    series.timeNs.push_back(static_cast<std::int64_t>(kLatencyStepNs << b));
    series.value.push_back(counts[b]);
  }
  chart.series.push_back(std::move(series));
}

struct ChartInfo {
  const char* id;
  const char* title;
  const char* yLabel;
};
constexpr ChartInfo kCharts[] = {
    {"cpu_util", "Utilisation of CPUs", "util"},
    {"cpu_load", "Load of CPUs", "load"},
    {"task_util", "Utilisation of tasks", "util"},
    {"nr_running", "Tasks on the queues", "nr_running"},
    {"group_types", "Groups of each type", "groups"},
    {"migrations", "Migrations per second", "migrations/s"},
    {"wakeup_latency", "Wakeup latency", "wakeups"},
    {"idle_while_waiting", "CPUs idle while an allowed task waits", "CPUs"},
    {"idle_causes", "Why CPUs idle while an allowed task waits", "CPUs"},
    {"bandwidth", "Quota of limited groups", "ms"},
};

}  // namespace

std::vector<std::string> Simulation::chartIds() const {
  std::vector<std::string> out;
  const bool hasLimits = !m_impl->history.state().quotaGroups.empty();
  for (const ChartInfo& info : kCharts)
    if (hasLimits || std::string_view(info.id) != "bandwidth") out.emplace_back(info.id);
  out.emplace_back("pelt_task");
  out.emplace_back("pelt_cpu");
  if (m_impl->history.state().machine.groups.size() > 1) out.emplace_back("pelt_group");
  return out;
}

ChartData Simulation::chart(const std::string& id, std::int64_t beginNs, std::int64_t endNs, int bins) const {
  const SimState& state = m_impl->history.state();
  const Recorder& recorder = m_impl->history.recorder();
  if (id.starts_with("pelt_")) return m_impl->peltChart(id, beginNs, endNs, bins);
  ChartData chart;
  const auto* info =
      std::find_if(std::begin(kCharts), std::end(kCharts), [&](const ChartInfo& c) { return id == c.id; });
  if (info == std::end(kCharts)) return chart;
  chart.id = info->id;
  chart.title = info->title;
  chart.xLabel = "time";
  chart.yLabel = info->yLabel;
  const Picks picks(recorder.samples(), beginNs, endNs, bins);
  if (id == "cpu_util") {
    addCpuLines(
        state, picks, "util", "capacity", [](const Samples::Cpu& c) { return double{1} * c.util; }, chart);
  } else if (id == "cpu_load") {
    addCpuLines(
        state, picks, "load", "load", [](const Samples::Cpu& c) { return double{1} * c.load; }, chart);
  } else if (id == "nr_running") {
    addCpuLines(
        state, picks, "nr_running", "tasks", [](const Samples::Cpu& c) { return double{1} * c.nrRunning; },
        chart);
  } else if (id == "task_util") {
    addTaskLines(recorder, picks, chart);
  } else if (id == "group_types") {
    chart.isStacked = true;
    for (const std::string& name : m_impl->known().layout->groupTypes)
      for (std::size_t t = 0; t < Samples::kGroupTypes; ++t)
        if (name == keyOf(static_cast<GroupType>(t)))
          chart.series.push_back(picks.line(
              name, "groups", [t](const Samples::Sample& s) { return double{1} * s.groupTypes[t]; }));
  } else if (id == "migrations") {
    chart.isStacked = true;
    for (std::size_t r = 0; r < Samples::kReasons; ++r)
      if (state.counters.migrationsByReason[r] != 0)
        chart.series.push_back(
            picks.rate(keyOf(static_cast<MigrationReason>(r)), "migrations/s", 1,
                       [r](const Samples::Sample& s) { return double{1} * s.migrations[r]; }));
  } else if (id == "wakeup_latency") {
    chart.isHistogram = true;
    chart.xLabel = "latency";
    addLatencies(recorder, beginNs, endNs, chart);
  } else if (id == "bandwidth") {
    addLimitLines(state, picks, chart);
  } else if (id == "idle_causes") {
    chart.isStacked = true;
    addIdleCauses(recorder.idleCauses(), state.timeNs(), beginNs, endNs, bins, chart);
  } else {
    chart.series.push_back(picks.rate("idle while waiting", "CPUs", 1e-9, [](const Samples::Sample& s) {
      return static_cast<double>(s.idleWhileWaitingNs);
    }));
  }
  return chart;
}

}  // namespace rqscope::api
