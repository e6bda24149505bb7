// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "cli_commands.h"
#include "cli_output.h"
#include "look/decision_text.h"
#include "look/ladder_text.h"
#include "look/words.h"
#include "rqscope/script_effects.h"
#include "rqscope/trace_comparison.h"

namespace rqscope::app {

namespace {

constexpr std::size_t kTasksShown = 24;

std::string headText(const api::Simulation& simulation) {
  const auto layout = simulation.layout();
  std::string text = fmt::format("{}: {} CPUs ({}), {}", simulation.scenarioName(), layout->cpus.size(),
                                 layout->name, layout->kernel);
  if (!layout->patches.empty()) text += fmt::format(", {}", fmt::join(layout->patches, ", "));
  return text + "\n";
}

/// All times of a run in one unit: seconds when it is long.
class RunTime {
 public:
  explicit RunTime(const api::Outcome& outcome) : m_isLong(outcome.timeNs >= kLongNs) {}
  std::string text(std::int64_t ns) const {
    return m_isLong ? fmt::format("{:.3f} s", static_cast<double>(ns) / 1e9)
                    : fmt::format("{:.3f} ms", static_cast<double>(ns) / 1e6);
  }
  std::string text(std::uint64_t ns) const { return text(static_cast<std::int64_t>(ns)); }

 private:
  static constexpr std::int64_t kLongNs = 10'000'000'000;
  bool m_isLong;
};

/// Tasks that ended or ran, the first ones when there are many.
std::string tasksText(const api::Outcome& outcome) {
  const RunTime time(outcome);
  std::vector<std::vector<std::string>> rows{{"task", "ended", "ran", "migrations"}};
  for (const api::Outcome::TaskEnd& task : outcome.tasks) {
    if (rows.size() > kTasksShown) break;
    rows.push_back({task.name, task.endNs < 0 ? "-" : time.text(task.endNs), time.text(task.runNs),
                    fmt::format("{}", task.migrations)});
  }
  std::string text = tableText(rows);
  if (outcome.tasks.size() > kTasksShown)
    text += fmt::format("... and {} tasks more (--json has all)\n", outcome.tasks.size() - kTasksShown);
  return text;
}

std::string cpusText(const api::Outcome& outcome, const api::MachineLayout& layout) {
  std::vector<std::vector<std::string>> rows{{"CPU", "capacity", "throughput", "idle"}};
  for (std::size_t i = 0; i < layout.cpus.size() && i < outcome.cpuIdleNs.size(); ++i) {
    if (rows.size() > kTasksShown) break;
    const api::LayoutCpu& cpu = layout.cpus[i];
    rows.push_back({fmt::format("{}", cpu.id), fmt::format("{}", cpu.capacity),
                    fmt::format("{}", cpu.throughput), RunTime(outcome).text(outcome.cpuIdleNs[i])});
  }
  return tableText(rows);
}

/// All shared wakequeues in one line: what they moved, and what their locks cost.
std::string sharedQueuesText(const api::Outcome& outcome) {
  if (outcome.sharedQueues.empty()) return {};
  api::SharedQueueFrame sum;
  for (const api::SharedQueueFrame& q : outcome.sharedQueues) {
    sum.joined += q.joined;
    sum.pulled += q.pulled;
    sum.refused += q.refused;
    sum.lockTaken += q.lockTaken;
    sum.lockContended += q.lockContended;
    sum.lockWaitedNs += q.lockWaitedNs;
  }
  return fmt::format(
      "{} shared queues: {} tasks joined, {} pulled, {} heads refused; locks taken {} times, {} contended, "
      "waited {}\n",
      outcome.sharedQueues.size(), sum.joined, sum.pulled, sum.refused, sum.lockTaken, sum.lockContended,
      look::timeText(sum.lockWaitedNs));
}

std::string limitedGroupsText(const api::Outcome& outcome) {
  if (outcome.limitedGroups.empty()) return {};
  std::vector<std::vector<std::string>> rows{
      {"limited group", "periods", "throttled", "for", "used", "runtime expired"}};
  for (const api::Outcome::LimitedGroup& group : outcome.limitedGroups)
    rows.push_back({group.name, fmt::format("{}", group.periods), fmt::format("{}", group.throttled),
                    RunTime(outcome).text(group.throttledNs), RunTime(outcome).text(group.usedNs),
                    RunTime(outcome).text(group.expiredNs)});
  return tableText(rows);
}

std::string latencyText(const api::Outcome::Latency& latency) {
  if (latency.count == 0) return {};
  std::string text = fmt::format("wakeup latency of {} wakeups:", latency.count);
  for (const auto& [percent, ns] : latency.percentiles)
    text += fmt::format(" {:g}% {}", percent, look::timeText(ns));
  return text + "\n";
}

std::string countsText(const api::Outcome& outcome) {
  std::string text = fmt::format(
      "{} simulated{}; {} events, {} ticks, {} balance passes ({} failed), {} placements\n",
      RunTime(outcome).text(outcome.timeNs), outcome.finished ? ", every task that ends has ended" : "",
      outcome.events, outcome.ticks, outcome.passes, outcome.failedPasses, outcome.placements);
  std::vector<std::string> reasons;
  for (const auto& [reason, count] : outcome.migrationsByReason)
    if (count != 0) reasons.push_back(fmt::format("{} {}", look::word(reason), count));
  text += fmt::format("{} migrations{}; idle while work waited: {} (summed over CPUs)\nfingerprint {}\n",
                      outcome.migrations,
                      reasons.empty() ? std::string{} : fmt::format(" ({})", fmt::join(reasons, ", ")),
                      RunTime(outcome).text(outcome.idleWhileWaitingNs), hexText(outcome.fingerprint));
  return text + sharedQueuesText(outcome) + limitedGroupsText(outcome) + latencyText(outcome.wakeupLatency);
}

/// Where the time went in which a CPU idled while an allowed task waited elsewhere.
std::string idleCausesText(const api::Outcome& outcome) {
  if (outcome.idleCauses.empty()) return "";
  std::vector<std::vector<std::string>> rows{{"idle while work waited, because", "time", "times"}};
  for (const api::Outcome::IdleCause& cause : outcome.idleCauses)
    rows.push_back(
        {look::idleCauseText(cause), RunTime(outcome).text(cause.ns), fmt::format("{}", cause.times)});
  return "\n" + tableText(rows);
}

Json runJson(const api::Simulation& simulation, const api::Outcome& outcome,
             const std::vector<std::string>& files) {
  const auto layout = simulation.layout();
  Json json = {{"scenario", simulation.scenarioName()},
               {"machine", layout->name},
               {"kernel", layout->kernel},
               {"patches", layout->patches},
               {"hz", layout->hz}};
  json.update(jsonOf(outcome, *layout));
  json["files"] = files;
  return json;
}

/// One scenario; its result in `json` or on standard output.
int runOne(const std::string& name, const CliOptions& options, Json* json) {
  const auto simulation = openScenario(name, options.overrides);
  if (simulation == nullptr) return kBadInput;
  int status = kDone;
  if (!runToEnd(*simulation, options)) {
    fmt::print(stderr, "rqscope: {}: nothing moves any more at {}\n", name,
               look::timeText(simulation->frame()->timeNs));
    status = kBadInput;
  }
  const api::Outcome outcome = simulation->outcome();
  std::vector<std::string> files;
  if (!options.outDirectory.empty()) {
    // Several runs get a folder each.
    const bool isOne = options.paths.size() == 1;
    files = writeCharts(
        *simulation, isOne ? options.outDirectory : options.outDirectory + "/" + simulation->scenarioName());
    if (files.empty()) status = kBadInput;
  }
  printProblems(api::operationsWithoutEffect(*simulation, name, options.overrides));
  if (!options.traceFile.empty()) {
    if (printProblems(api::writeTraceOfRun(name, options.overrides, options.traceFile)))
      status = kBadInput;
    else
      files.push_back(options.traceFile);
  }
  if (json != nullptr) {
    *json = runJson(*simulation, outcome, files);
    return status;
  }
  fmt::print("{}{}{}\n{}{}", headText(*simulation), countsText(outcome), tasksText(outcome),
             cpusText(outcome, *simulation->layout()), idleCausesText(outcome));
  const std::size_t charts = files.size() - (options.traceFile.empty() || status != kDone ? 0 : 1);
  if (charts != 0) fmt::print("{} files of charts in {}\n", charts, options.outDirectory);
  if (charts != files.size()) fmt::print("the trace of the run is in {}\n", options.traceFile);
  return status;
}

}  // namespace

int runScenarios(const CliOptions& options) {
  int status = kDone;
  Json all = Json::array();
  for (std::size_t i = 0; i < options.paths.size(); ++i) {
    if (i != 0 && !options.json) fmt::print("\n");
    Json json;
    status = std::max(status, runOne(options.paths[i], options, options.json ? &json : nullptr));
    if (!json.is_null()) all.push_back(std::move(json));
  }
  if (!options.json || all.empty()) return status;
  printJson(options.paths.size() == 1 ? all[0] : all);
  return status;
}

int runDefaultScenario(const CliOptions& options) {
  const std::string name = options.paths.empty() ? "juno" : options.paths.front();
  const std::string folder = options.outDirectory.empty() ? "rqscope-out" : options.outDirectory;
  const auto simulation = openScenario(name, options.overrides);
  if (simulation == nullptr) return kBadInput;
  fmt::print("There is no display, so the scenario is run as text.\n\n{}", headText(*simulation));
  if (!runToEnd(*simulation, options)) return kBadInput;
  const api::Outcome outcome = simulation->outcome();
  fmt::print("{}{}\n", countsText(outcome), tasksText(outcome));
  const auto files = writeCharts(*simulation, folder);
  if (const auto ladder = decidingPass(*simulation))
    fmt::print("The deciding pass:\n{}\n", look::ladderText(*ladder));
  if (files.empty()) return kBadInput;
  fmt::print("The charts are in {}/ ({} files, PNG, SVG and CSV).\n", folder, files.size());
  return kDone;
}

}  // namespace rqscope::app
