// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <limits>
#include <optional>
#include <sstream>

#include "cli_commands.h"
#include "cli_output.h"
#include "look/ladder_text.h"
#include "look/words.h"
#include "rqscope/compare.h"

namespace rqscope::app {

namespace {

using Summary = api::Simulation::DecisionSummary;
constexpr std::size_t kManyDecisions = 10'000'000;

/// "x=on,kernel=v6.1": its parts. A machine has commas of its own: "machine=2 cores, distances 10".
std::vector<std::string> partsOf(const std::string& settings) {
  std::vector<std::string> parts;
  std::istringstream in(settings);
  std::string part;
  while (std::getline(in, part, ',')) {
    const bool isMore = !parts.empty() && part.find('=') == std::string::npos && part.starts_with(' ');
    if (isMore)
      parts.back() += "," + part;
    else
      parts.push_back(part);
  }
  return parts;
}

/// A problem that came by one of the parts names the side's option instead of the one of its kind:
/// "--b machine=..." and not "--machine ...".
void nameSide(std::vector<api::Problem>& problems, const std::string& option,
              const std::vector<std::string>& parts) {
  for (api::Problem& problem : problems)
    for (const std::string& part : parts) {
      const std::string value = part.substr(part.find('=') + 1);
      const auto isOf = [&](const std::string& kind, const std::string& text) {
        return problem.file == kind + " " + text || problem.file == kind + " \"" + text + "\"";
      };
      if (isOf("--patch", part) || isOf("--kernel", value) || isOf("--machine", value) ||
          isOf("--feature", value))
        problem.file = fmt::format("{} {}", option, part);
    }
}

struct Run {
  std::unique_ptr<api::Simulation> simulation;
  std::vector<Summary> decisions;
  api::Outcome outcome;
};

/// Runs the scenario with the settings of `option`, --a or --b.
bool makeRun(const std::string& option, const std::string& settings, const CliOptions& options, Run& run,
             int& status) {
  api::Overrides overrides = options.overrides;
  const std::vector<std::string> parts = partsOf(settings);
  for (const std::string& part : parts)
    if (const std::string wrong = addSetting(part, overrides); !wrong.empty()) {
      fmt::print(stderr, "rqscope: {} {}\n", option, wrong);
      status = kBadUsage;
      return false;
    }
  api::Opened opened = api::Simulation::open(options.paths.front(), overrides);
  nameSide(opened.problems, option, parts);
  printProblems(opened.problems);
  run.simulation = std::move(opened.simulation);
  status = kBadInput;
  if (run.simulation == nullptr || !runToEnd(*run.simulation, options)) return false;
  run.decisions = run.simulation->decisions(0, std::numeric_limits<std::int64_t>::max(), kManyDecisions);
  run.outcome = run.simulation->outcome();
  status = kDone;
  return true;
}

std::string figureText(const std::optional<std::int64_t>& value, bool isTime) {
  if (!value) return "-";
  return isTime ? look::timeText(*value) : fmt::format("{}", *value);
}

std::string outcomesText(const Run& a, const Run& b, const CliOptions& options) {
  std::vector<std::vector<std::string>> rows{{"", options.a, options.b, "change"}};
  for (const api::OutcomeRow& row : api::compareOutcomes(a.outcome, b.outcome))
    rows.push_back(
        {row.name, figureText(row.a, row.isTime), figureText(row.b, row.isTime), api::changeText(row)});
  return tableText(rows);
}

/// The ladder of a position, when the run has one there.
std::shared_ptr<const api::Ladder> ladderAt(Run& run, std::size_t position) {
  return position < run.decisions.size() ? run.simulation->ladder(run.decisions[position].index) : nullptr;
}

Json sideJson(Run& run, const std::string& settings, std::optional<std::size_t> divergence) {
  Json json = {{"settings", settings}, {"outcome", jsonOf(run.outcome, *run.simulation->layout())}};
  const auto ladder = divergence ? ladderAt(run, *divergence) : nullptr;
  json["decision"] = ladder ? jsonOf(*ladder) : Json(nullptr);
  return json;
}

void printSide(Run& run, const std::string& settings, std::size_t position) {
  fmt::print("--- {}\n", settings);
  if (const auto ladder = ladderAt(run, position))
    fmt::print("{}", look::ladderText(*ladder));
  else
    fmt::print("the run has ended before\n");
}

}  // namespace

int compareRuns(const CliOptions& options) {
  Run a, b;
  int status = kDone;
  if (!makeRun("--a", options.a, options, a, status) || !makeRun("--b", options.b, options, b, status))
    return status;
  const auto divergence = api::firstDifference(a.decisions, b.decisions);
  if (options.json) {
    Json json = {{"scenario", a.simulation->scenarioName()}, {"diverged", divergence.has_value()}};
    json["common_decisions"] = divergence.value_or(a.decisions.size());
    json["a"] = sideJson(a, options.a, divergence);
    json["b"] = sideJson(b, options.b, divergence);
    printJson(json);
    return kDone;
  }
  if (!divergence) {
    fmt::print("No decision differs ({} decisions).\n\n", a.decisions.size());
  } else {
    const std::vector<Summary>& longer = *divergence < a.decisions.size() ? a.decisions : b.decisions;
    fmt::print("The runs part at {}, after {} equal decisions.\n\n",
               look::timeText(longer[*divergence].timeNs), *divergence);
    printSide(a, options.a, *divergence);
    printSide(b, options.b, *divergence);
    fmt::print("\n");
  }
  fmt::print("{}", outcomesText(a, b, options));
  return kDone;
}

}  // namespace rqscope::app
