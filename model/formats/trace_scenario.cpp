// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/trace_scenario.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

namespace rqscope {

namespace {

constexpr std::uint64_t kNsPerUs = 1000;

std::string quoted(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// rt-app counts in microseconds; what ran at all runs for one at least.
std::uint64_t microseconds(std::uint64_t ns) { return (ns + kNsPerUs / 2) / kNsPerUs; }

void writeTask(std::string& out, const TraceTask& task) {
  out += fmt::format("    {} : {{ \"loop\" : 1, \"start_cpu\" : {}",
                     quoted(fmt::format("{}-{}", task.name, task.pid)), task.firstCpu);
  if (task.prio >= 100 && task.prio < 140 && task.prio != 120)
    out += fmt::format(", \"priority\" : {}", task.prio - 120);
  if (task.isPerCpuKthread)
    out += fmt::format(", \"cpus\" : [{}], \"per_cpu_kthread\" : true", task.firstCpu);
  std::uint64_t timerUs = 0;
  for (const TraceTurn& turn : task.turns) {
    const std::uint64_t wokenUs = microseconds(turn.wokenNs);
    if (wokenUs > timerUs) {
      out += fmt::format(
          ",\n      \"timer\" : {{ \"ref\" : \"unique\", \"period\" : {}, \"mode\" : \"absolute\" }}",
          wokenUs - timerUs);
      timerUs = wokenUs;
    }
    out += fmt::format(", \"run\" : {}", std::max<std::uint64_t>(1, microseconds(turn.work)));
  }
  out += " }";
}

}  // namespace

std::string scenarioOfTrace(const Trace& trace, const TraceTasks& tasks, const std::string& machine) {
  const std::string name = std::filesystem::path(trace.file).filename().string();
  std::string out = fmt::format(
      "// The tasks of a recorded trace: each is woken when it was, and computes as long as it did until it "
      "slept.\n"
      "// Who woke whom, locks and tasks of real-time classes ({} of them, {:.3f} ms) are left out.\n"
      "{{\n  \"rqscope-scenario\" : 1,\n  \"title\" : {},\n  \"description\" : {},\n  \"machine\" : {},\n"
      "  \"workload\" : {{ \"rt-app\" : {{ \"tasks\" : {{\n",
      tasks.realTime, static_cast<double>(tasks.realTimeNs) / 1e6, quoted("Tasks of " + name),
      quoted(fmt::format("{} tasks of {} ({}) from {:.6f} s on, woken when they were", tasks.tasks.size(),
                         name, traceDialectName(trace.dialect), static_cast<double>(tasks.startNs) / 1e9)),
      quoted(machine));
  for (std::size_t i = 0; i < tasks.tasks.size(); ++i) {
    if (i != 0) out += ",\n";
    writeTask(out, tasks.tasks[i]);
  }
  return out + fmt::format("\n  }} }} }},\n  \"until\" : \"{}us\"\n}}\n", microseconds(tasks.lengthNs));
}

}  // namespace rqscope
