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

namespace rqscope::app {

namespace {

using Summary = api::Simulation::DecisionSummary;

constexpr std::int64_t kConsequenceNs = 500'000'000;  // In which a refused pull is tried again.
constexpr std::size_t kManyDecisions = 10'000'000;
constexpr std::int64_t kEndOfTime = std::numeric_limits<std::int64_t>::max();

/// What a decision is by how it came about.
std::string kindOf(const Summary& d) {
  if (d.kind == "active") return "active_balance";
  return d.kind == "fork" || d.kind == "exec" || d.kind == "wakeup" ? "placement" : "balance";
}

bool isWanted(const Summary& d, const CliOptions& options) {
  return (options.cpu < 0 || d.cpu == options.cpu) &&
         (options.domain.empty() || d.domainName == options.domain) &&
         (options.entry.empty() || d.kind == options.entry) &&
         (options.result.empty() || d.result == options.result) &&
         (options.decisionKind.empty() || kindOf(d) == options.decisionKind);
}

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

std::optional<std::uint64_t> findDecision(const api::Simulation& simulation, const CliOptions& options) {
  for (const Summary& d :
       simulation.decisions(std::max<std::int64_t>(options.atNs, 0), kEndOfTime, kManyDecisions))
    if (isWanted(d, options)) return d.index;
  return std::nullopt;
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
    if (findDecision(simulation, options)) return true;
  }
  return true;
}

int listDecisions(const api::Simulation& simulation, const CliOptions& options) {
  Json json = Json::array();
  std::vector<std::vector<std::string>> rows{{"number", "time", "CPU", "entry", "domain", "result"}};
  for (const Summary& d :
       simulation.decisions(std::max<std::int64_t>(options.atNs, 0), kEndOfTime, kManyDecisions)) {
    if (!isWanted(d, options)) continue;
    if (options.json)
      json.push_back({{"index", d.index},
                      {"time_ns", d.timeNs},
                      {"cpu", d.cpu},
                      {"kind", kindOf(d)},
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
    fmt::print(stderr, "rqscope: --why-not {} {}: {}\n", options.whyNot[0], cpuText,
               task < 0 ? "there is no such task" : "write the CPU as a number");
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

}  // namespace

std::shared_ptr<const api::Ladder> decidingPass(api::Simulation& simulation) {
  std::shared_ptr<const api::Ladder> firstMove, firstAny;
  for (const Summary& d : simulation.decisions(0, kEndOfTime, kManyDecisions)) {
    if (kindOf(d) != "balance" || (d.result != "moved" && d.result != "failed")) continue;
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
  std::shared_ptr<const api::Ladder> ladder;
  if (options.pass >= 0) {
    if (!simulation->seekPass(static_cast<std::uint64_t>(options.pass))) runToEnd(*simulation, options);
    ladder = simulation->ladder(static_cast<std::uint64_t>(options.pass));
  } else {
    if (!runFarEnough(*simulation, options)) return kBadInput;
    if (options.list) return listDecisions(*simulation, options);
    const bool anyFilter = options.atNs >= 0 || options.cpu >= 0 || !options.domain.empty() ||
                           !options.decisionKind.empty() || !options.entry.empty() || !options.result.empty();
    if (!anyFilter)
      ladder = decidingPass(*simulation);
    else if (const auto index = findDecision(*simulation, options))
      ladder = simulation->ladder(*index);
  }
  if (ladder == nullptr) {
    fmt::print(stderr, "rqscope: there is no such decision in this run ({} simulated)\n",
               look::timeText(simulation->frame()->timeNs));
    return kBadInput;
  }
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
