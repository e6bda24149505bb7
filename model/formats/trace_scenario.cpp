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

/// rt-app counts in microseconds; what stands between two of them is written as ours.
std::string amountText(std::uint64_t ns) {
  return ns % kNsPerUs == 0 ? fmt::format("{}", ns / kNsPerUs) : fmt::format("{{ \"ns\" : {} }}", ns);
}

std::string wakeupText(const TraceTurn& turn) {
  std::string out = fmt::format("\"timer\" : {{ \"at_ns\" : {}", turn.wokenNs);
  if (turn.wakerCpu >= 0) out += fmt::format(", \"cpu\" : {}", turn.wakerCpu);
  return out + " }";
}

/// Sleeps until its wakeups, and computes. The first turn of a task that is awake when it begins has none.
std::string turnsText(const TraceTask& task, bool isAwake, const char* indent) {
  std::string out;
  for (const TraceTurn& turn : task.turns) {
    if (!isAwake) out += fmt::format(",\n{}{}", indent, wakeupText(turn));
    isAwake = false;
    out += fmt::format(", \"run\" : {}", amountText(turn.work));
  }
  return out;
}

void writeTask(std::string& out, const TraceTask& task) {
  out += fmt::format("    {} : {{ \"loop\" : 1", quoted(programNameOf(task)));
  const bool isForked = task.forkCpu >= 0;
  if (isForked)
    out += ", \"instance\" : 0";
  else
    out += fmt::format(", \"start_cpu\" : {}", task.firstCpu);
  if (task.prio >= 100 && task.prio < 140 && task.prio != 120)
    out += fmt::format(", \"priority\" : {}", task.prio - 120);
  if (task.isPerCpuKthread)
    out += fmt::format(", \"cpus\" : [{}], \"per_cpu_kthread\" : true", task.firstCpu);
  const bool isAsleep = !isForked && !task.isAwakeAtStart;
  if (isAsleep) out += ", \"asleep\" : true";
  if (isForked || isAsleep || task.isPerCpuKthread) {
    out += turnsText(task, !isAsleep, "      ") + " }";
    return;
  }
  out += fmt::format(
      ", \"phases\" : {{\n      \"begin\" : {{ \"loop\" : 1, \"cpus\" : [{}], \"run\" : 0 }},\n"
      "      \"then\" : {{ \"loop\" : 1{} }} }} }}",
      task.firstCpu, turnsText(task, true, "        "));
}

/// Who runs at the start comes before those that wait.
std::vector<const TraceTask*> inOrderOfStart(const TraceTasks& tasks) {
  std::vector<const TraceTask*> out;
  for (const TraceTask& task : tasks.tasks) out.push_back(&task);
  std::ranges::stable_sort(out, {}, [](const TraceTask* task) {
    return task->runsAtStart ? 1 : task->isAwakeAtStart ? 2 : 0;
  });
  return out;
}

std::string scriptText(const TraceTasks& tasks) {
  std::vector<const TraceTask*> forked;
  for (const TraceTask& task : tasks.tasks)
    if (task.forkCpu >= 0) forked.push_back(&task);
  std::ranges::stable_sort(forked, {}, [](const TraceTask* task) { return task->turns.front().wokenNs; });
  std::string out;
  for (const TraceTask* task : forked)
    out += fmt::format("{}    {{ \"at\" : \"{}ns\", \"do\" : \"fork\", \"task\" : {}, \"cpu\" : {} }}",
                       out.empty() ? "" : ",\n", task->turns.front().wokenNs, quoted(programNameOf(*task)),
                       task->forkCpu);
  return out.empty() ? out : fmt::format(",\n  \"script\" : [\n{}\n  ]", out);
}

}  // namespace

std::string programNameOf(const TraceTask& task) { return fmt::format("{}-{}", task.name, task.pid); }

std::string scenarioOfTrace(const Trace& trace, const TraceTasks& tasks, const std::string& machine) {
  const std::string name = std::filesystem::path(trace.file).filename().string();
  std::string out = fmt::format(
      "// The tasks of a recorded trace: each is woken when and from the CPU where it was, and computes as "
      "long as it did\n"
      "// until it slept. Locks, affinities and tasks of real-time classes ({} of them, {:.3f} ms) are left "
      "out.\n"
      "{{\n  \"rqscope-scenario\" : 1,\n  \"title\" : {},\n  \"description\" : {},\n  \"machine\" : {},\n"
      "  \"workload\" : {{ \"rt-app\" : {{ \"tasks\" : {{\n",
      tasks.realTime, static_cast<double>(tasks.realTimeNs) / 1e6, quoted("Tasks of " + name),
      quoted(fmt::format("{} tasks of {} ({}) from {:.6f} s on, woken when they were", tasks.tasks.size(),
                         name, traceDialectName(trace.dialect), static_cast<double>(tasks.startNs) / 1e9)),
      quoted(machine));
  bool isFirst = true;
  for (const TraceTask* task : inOrderOfStart(tasks)) {
    if (!isFirst) out += ",\n";
    isFirst = false;
    writeTask(out, *task);
  }
  return out +
         fmt::format("\n  }} }} }}{},\n  \"until\" : \"{}ns\"\n}}\n", scriptText(tasks), tasks.lengthNs);
}

}  // namespace rqscope
