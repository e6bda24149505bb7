// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "cli_commands.h"
#include "cli_output.h"
#include "look/decision_text.h"
#include "look/ladder_text.h"
#include "look/words.h"
#include "rqscope/decision_filter.h"
#include "rqscope/names.h"

namespace rqscope::app {

namespace {

using Summary = api::Simulation::DecisionSummary;

constexpr std::int64_t kConsequenceNs = 500'000'000;  // In which a refused pull is tried again.
constexpr std::size_t kManyDecisions = 10'000'000;
constexpr std::int64_t kEndOfTime = std::numeric_limits<std::int64_t>::max();

/// A task that was tried and refused for what it is, not for where it may run.
bool hasRefusedCandidate(const api::Ladder& ladder) {
  for (const api::Rung& rung : ladder.rungs)
    if (rung.kind == "candidate" &&
        (rung.outcome == "util_too_big" || rung.outcome == "load_too_big" || rung.outcome == "hot"))
      return true;
  return false;
}

/// The last of the failed tries of the same CPU and domain within the time, or the try that moved a task.
std::shared_ptr<const api::Ladder> consequence(api::Simulation& simulation,
                                               const std::shared_ptr<const api::Ladder>& first) {
  std::shared_ptr<const api::Ladder> last = first;
  for (const Summary& d :
       simulation.decisions(first->timeNs, first->timeNs + kConsequenceNs, kManyDecisions)) {
    if (d.cpu != first->cpu || d.domainName != first->domainName || d.index <= first->index) continue;
    const auto ladder = simulation.ladder(d.index);
    if (ladder == nullptr) continue;
    if (ladder->moved > 0) return ladder;
    if (ladder->failed && hasRefusedCandidate(*ladder)) last = ladder;
  }
  return last;
}

/// Runs far enough for the wanted decision: to its time and a second on, else to the end.
bool runFarEnough(api::Simulation& simulation, const CliOptions& options) {
  if (options.atNs < 0 || options.list) return runToEnd(simulation, options);
  CliOptions quiet = options;
  constexpr int kSliceMs = 250;
  constexpr std::int64_t kStepNs = 100'000'000;
  Progress progress(simulation.scenarioName(), options.quiet);
  for (std::int64_t until = options.atNs + 1; !simulation.frame()->atEnd; until += kStepNs) {
    while (!simulation.runUntil({api::StopKind::Time, until, {}}, kSliceMs) && !simulation.frame()->atEnd)
      progress.say(fmt::format("{} simulated", look::timeText(simulation.frame()->timeNs)));
    if (api::findDecision(simulation, filterOf(options))) return true;
  }
  return true;
}

int listDecisions(const api::Simulation& simulation, const CliOptions& options) {
  const api::DecisionFilter filter = filterOf(options);
  Json json = Json::array();
  std::vector<std::vector<std::string>> rows{{"number", "time", "CPU", "entry", "domain", "result"}};
  for (const Summary& d :
       simulation.decisions(std::max<std::int64_t>(options.atNs, 0), kEndOfTime, kManyDecisions)) {
    if (!api::matches(filter, d)) continue;
    if (options.json)
      json.push_back({{"index", d.index},
                      {"time_ns", d.timeNs},
                      {"cpu", d.cpu},
                      {"kind", api::kindOfDecision(d)},
                      {"entry", d.kind},
                      {"domain", d.domainName},
                      {"result", d.result}});
    else
      rows.push_back({fmt::format("{}", d.index), look::timeText(d.timeNs), fmt::format("{}", d.cpu),
                      look::word(d.kind), d.domainName, look::word(d.result)});
  }
  if (options.json)
    printJson(json);
  else
    fmt::print("{}", tableText(rows));
  return kDone;
}

/// The decision beside the one with the numbers of --set.
int explainWhatIf(api::Simulation& simulation, const api::Ladder& ladder, const CliOptions& options) {
  std::vector<api::OperandOverride> changes;
  for (const std::string& text : options.changes) {
    const api::ReadOverride read = api::readOverride(ladder, text);
    if (!read.change) {
      fmt::print(stderr, "rqscope: --set {}\n", read.problem);
      return kBadInput;
    }
    changes.push_back(*read.change);
  }
  const api::WhatIf what = simulation.whatIf(ladder.index, changes);
  if (what.actual == nullptr || what.altered == nullptr) return kBadInput;
  if (options.json)
    printJson(jsonOf(what, changes));
  else
    fmt::print("{}  {}\n{}", look::timeText(ladder.timeNs), look::ladderHead(ladder),
               look::whatIfText(what, changes));
  return kDone;
}

/// A task by its name or pid; -1: none.
std::int32_t taskNamed(const api::Frame& frame, const std::string& text) {
  for (const api::TaskFrame& task : frame.tasks)
    if (task.state != "dead" && (task.name == text || std::to_string(task.pid) == text)) return task.id;
  for (const api::TaskFrame& task : frame.tasks)
    if (task.name == text || std::to_string(task.pid) == text) return task.id;
  return -1;
}

int explainWhyNot(api::Simulation& simulation, const api::Ladder& ladder, const CliOptions& options) {
  const auto frame = simulation.frame();
  const std::int32_t task = taskNamed(*frame, options.whyNot[0]);
  const std::string& cpuText = options.whyNot[1];
  const bool isNumber =
      !cpuText.empty() && cpuText.size() < 6 && cpuText.find_first_not_of("0123456789") == std::string::npos;
  if (task < 0 || !isNumber) {
    std::vector<std::string> names;
    for (const api::TaskFrame& known : frame->tasks) names.push_back(known.name);
    fmt::print(stderr, "rqscope: --why-not {} {}: {}\n", options.whyNot[0], cpuText,
               task >= 0 ? "write the CPU as a number"
                         : fmt::format("there is no task {}; {}", options.whyNot[0],
                                       api::nameHintOf(options.whyNot[0], names, "there are")));
    return kBadInput;
  }
  const api::WhyNot why = simulation.whyNot(ladder.index, task, std::stoi(cpuText));
  if (!why.problem.empty()) {
    fmt::print(stderr, "rqscope: --why-not {} {}: {}\n", options.whyNot[0], cpuText, why.problem);
    return kBadInput;
  }
  if (options.json)
    printJson(jsonOf(why));
  else
    fmt::print("{}", look::whyNotText(why));
  return kDone;
}

int explainNumber(api::Simulation& simulation, const api::Ladder& ladder, const CliOptions& options) {
  const api::FoundPath found = api::findOperand(ladder, options.derive);
  if (!found.path) {
    fmt::print(stderr, "rqscope: --from {}\n", found.problem);
    return kBadInput;
  }
  const api::Derivation derivation = simulation.derive(ladder.index, *found.path);
  if (options.json)
    printJson(jsonOf(derivation));
  else
    fmt::print("{}", look::derivationText(derivation));
  return kDone;
}

/// One filter of the command line as it was written, with a set of options that lacks it.
struct Filter {
  std::string text;
  CliOptions without;
};

std::vector<Filter> filtersOf(const CliOptions& options) {
  std::vector<Filter> filters;
  const auto add = [&](bool isGiven, std::string text, const auto& reset) {
    if (!isGiven) return;
    filters.push_back({std::move(text), options});
    reset(filters.back().without);
  };
  add(options.cpu >= 0, fmt::format("--cpu {}", options.cpu), [](CliOptions& o) { o.cpu = -1; });
  add(!options.domain.empty(), "--domain " + options.domain, [](CliOptions& o) { o.domain.clear(); });
  add(!options.decisionKind.empty(), "--kind " + options.decisionKind,
      [](CliOptions& o) { o.decisionKind.clear(); });
  add(!options.entry.empty(), "--entry " + options.entry, [](CliOptions& o) { o.entry.clear(); });
  add(!options.result.empty(), "--result " + options.result, [](CliOptions& o) { o.result.clear(); });
  add(options.atNs >= 0, "--at " + look::timeText(options.atNs), [](CliOptions& o) { o.atNs = -1; });
  return filters;
}

std::size_t countDecisions(const api::Simulation& simulation, const CliOptions& options) {
  const api::DecisionFilter filter = filterOf(options);
  const auto all = simulation.decisions(std::max<std::int64_t>(options.atNs, 0), kEndOfTime, kManyDecisions);
  return static_cast<std::size_t>(
      std::count_if(all.begin(), all.end(), [&](const Summary& d) { return api::matches(filter, d); }));
}

/// A filter that no decision of any run on this machine could pass; empty: none is like that.
std::string impossibleFilter(const api::Simulation& simulation, const CliOptions& options) {
  const auto layout = simulation.layout();
  std::vector<std::int32_t> cpus;
  for (const api::LayoutCpu& cpu : layout->cpus) cpus.push_back(cpu.id);
  if (options.cpu >= 0 && std::find(cpus.begin(), cpus.end(), options.cpu) == cpus.end())
    return fmt::format("--cpu {}: {} has no CPU {}; it has {}", options.cpu, layout->name, options.cpu,
                       look::cpuList(cpus));
  const auto& levels = layout->levelNames;
  if (options.domain.empty() || std::find(levels.begin(), levels.end(), options.domain) != levels.end())
    return {};
  if (levels.empty())
    return fmt::format("--domain {}: {} has one CPU and no domain", options.domain, layout->name);
  return fmt::format("--domain {}: there is no domain of this name; {}", options.domain,
                     api::nameHintOf(options.domain, levels, "there are"));
}

/// Why no decision of the run is the one that was asked for, and what there is instead.
std::string noDecisionText(const api::Simulation& simulation, const CliOptions& options) {
  const auto all = simulation.decisions(0, kEndOfTime, kManyDecisions);
  const std::string end = look::timeText(simulation.frame()->timeNs);
  if (all.empty()) return fmt::format("the run has no decision up to its end at {}", end);
  if (options.pass >= 0)
    return fmt::format("--pass {}: the run has the decisions {} to {} and ends at {}", options.pass,
                       all.front().index, all.back().index, end);
  if (options.atNs > all.back().timeNs)
    return fmt::format("--at {}: the last decision is at {}, the run ends at {}",
                       look::timeText(options.atNs), look::timeText(all.back().timeNs), end);
  const std::vector<Filter> filters = filtersOf(options);
  if (filters.empty())
    return fmt::format(
        "no pass of the run moved a task or failed up to {}; --pass chooses one of the decisions {} to {}",
        end, all.front().index, all.back().index);
  std::string text = "no decision of the run is";
  for (const Filter& filter : filters) text += " " + filter.text;
  text += fmt::format(" ({} in all, up to {})", all.size(), end);
  for (const Filter& filter : filters)
    if (const std::size_t count = countDecisions(simulation, filter.without); filters.size() > 1 && count > 0)
      text += fmt::format("; without {} there are {}", filter.text, count);
  return text;
}

int sayNoDecision(const api::Simulation& simulation, const CliOptions& options) {
  const std::string wrong = impossibleFilter(simulation, options);
  fmt::print(stderr, "rqscope: {}\n", wrong.empty() ? noDecisionText(simulation, options) : wrong);
  return kBadInput;
}

}  // namespace

std::shared_ptr<const api::Ladder> decidingPass(api::Simulation& simulation) {
  std::shared_ptr<const api::Ladder> firstMove, firstAny;
  for (const Summary& d : simulation.decisions(0, kEndOfTime, kManyDecisions)) {
    if (api::kindOfDecision(d) != "balance" || (d.result != "moved" && d.result != "failed")) continue;
    const auto ladder = simulation.ladder(d.index);
    if (ladder == nullptr) continue;
    if (!firstAny) firstAny = ladder;
    if (!firstMove && ladder->moved > 0) firstMove = ladder;
    if (ladder->failed && hasRefusedCandidate(*ladder)) return consequence(simulation, ladder);
  }
  return firstMove ? firstMove : firstAny;
}

int explainDecision(const CliOptions& options) {
  const auto simulation = openScenario(options.paths.front(), options.overrides);
  if (simulation == nullptr) return kBadInput;
  if (!impossibleFilter(*simulation, options).empty()) return sayNoDecision(*simulation, options);
  std::shared_ptr<const api::Ladder> ladder;
  if (options.pass >= 0) {
    if (!simulation->seekPass(static_cast<std::uint64_t>(options.pass))) runToEnd(*simulation, options);
    ladder = simulation->ladder(static_cast<std::uint64_t>(options.pass));
  } else {
    if (!runFarEnough(*simulation, options)) return kBadInput;
    if (options.list) return listDecisions(*simulation, options);
    const api::DecisionFilter filter = filterOf(options);
    if (filter.isEmpty())
      ladder = decidingPass(*simulation);
    else if (const auto index = api::findDecision(*simulation, filter))
      ladder = simulation->ladder(*index);
  }
  if (ladder == nullptr) return sayNoDecision(*simulation, options);
  if (!options.changes.empty()) return explainWhatIf(*simulation, *ladder, options);
  if (!options.whyNot.empty()) return explainWhyNot(*simulation, *ladder, options);
  if (!options.derive.empty()) return explainNumber(*simulation, *ladder, options);
  if (options.json)
    printJson(jsonOf(*ladder));
  else
    fmt::print("{}", look::ladderText(*ladder));
  return kDone;
}

}  // namespace rqscope::app
