// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace rqscope::api {

/// One run of a task on a CPU, already cut to the asked window and merged to the asked resolution.
struct TimelineSlice {
  std::int64_t beginNs = 0, endNs = 0;
  std::int32_t task = -1;  ///< slot; -1: several tasks merged in one bin
  std::int32_t pid = 0;
  std::string name;
};

struct TimelineMark {
  std::int64_t timeNs = 0;
  std::uint64_t pass = 0;  ///< index of the pass or placement
  std::string kind;        ///< "balanced", "failed", "moved", "active", "placement"
  std::string domainName;
  std::int32_t fromCpu = -1;
};

struct TimelineSpan {
  std::int64_t beginNs = 0, endNs = 0;
};

struct TimelineLane {
  std::int32_t cpu = 0;
  std::vector<TimelineSlice> slices;
  std::vector<TimelineMark> marks;
  std::vector<TimelineSpan> offline;  ///< when the CPU was not online; cut to the window
};

struct TimelineWindow {
  std::int64_t beginNs = 0, endNs = 0;
  std::int64_t runEndNs = 0;  ///< nothing has been run after this
  std::vector<TimelineLane> lanes;
};

/// Values of one line of a chart at binned times.
struct Series {
  std::string name;  ///< "util of CPU 3"
  std::string unit;
  std::vector<std::int64_t> timeNs;
  std::vector<double> value;
  bool isStep = false;   ///< holds each value until the next time
  bool isIdeal = false;  ///< the continuous curve of the series before it
};

/// A chart as data: what Qt Charts draws and what the CSV and SVG exports write.
struct ChartData {
  std::string id;  ///< "cpu_util", "task_util", "nr_running", "group_types", "migrations",
                   ///< "wakeup_latency", "idle_while_waiting"
  std::string title, xLabel, yLabel;
  bool isHistogram = false, isStacked = false;
  std::vector<std::string> categories;  ///< of a histogram whose bins are no times: their names
  std::vector<Series> series;
};

}  // namespace rqscope::api
