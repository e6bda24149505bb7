// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <array>
#include <optional>

#include "cli_commands.h"
#include "cli_output.h"
#include "look/ladder_text.h"
#include "look/words.h"
#include "rqscope/run_comparison.h"
#include "rqscope/trace_comparison.h"

namespace rqscope::app {

namespace {

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

std::string changeText(double a, double b) {
  if (a == 0) return b == 0 ? "0.0 %" : "-";
  return fmt::format("{:+.1f} %", (b - a) / a * 100);
}

std::string valueText(const api::OutcomeRow& row, const std::optional<double>& value) {
  if (!value) return "-";
  return row.isTime ? look::timeText(static_cast<std::int64_t>(*value)) : fmt::format("{:.0f}", *value);
}

std::string outcomesText(const api::RunComparison& comparison, const CliOptions& options) {
  std::vector<std::vector<std::string>> rows{{"", options.a, options.b, "change"}};
  constexpr std::size_t kRowsShown = 22;
  for (const api::OutcomeRow& row : comparison.outcomes()) {
    if (rows.size() > kRowsShown) break;
    rows.push_back({row.name, valueText(row, row.a), valueText(row, row.b),
                    row.a && row.b ? changeText(*row.a, *row.b) : "-"});
  }
  return tableText(rows);
}

/// Runs both to the end, with progress.
void runBoth(api::RunComparison& comparison, const CliOptions& options) {
  Progress progress(comparison.simulation(0).scenarioName(), options.quiet);
  constexpr int kBothMs = 250;
  while (!comparison.run(kBothMs))
    progress.say(fmt::format("{} simulated", look::timeText(comparison.timeNs())));
}

/// The ladder of the first decision that differs, when the run has one there.
std::shared_ptr<const api::Ladder> firstLadder(api::RunComparison& comparison, std::size_t side) {
  const auto& first = comparison.firstDifferent()[side];
  return first ? comparison.simulation(side).ladder(first->index) : nullptr;
}

Json sideJson(api::RunComparison& comparison, std::size_t side, const std::string& settings) {
  const auto layout = comparison.simulation(side).layout();
  Json json = {{"settings", settings}, {"outcome", jsonOf(comparison.outcome(side), *layout)}};
  const auto ladder = firstLadder(comparison, side);
  json["decision"] = ladder ? jsonOf(*ladder) : Json(nullptr);
  return json;
}

void printSide(api::RunComparison& comparison, std::size_t side, const std::string& settings) {
  fmt::print("--- {}\n", settings);
  if (const auto ladder = firstLadder(comparison, side))
    fmt::print("{}", look::ladderText(*ladder));
  else
    fmt::print("the run has ended before\n");
}

void printComparison(api::RunComparison& comparison, const CliOptions& options) {
  if (!comparison.hasDiverged()) {
    fmt::print("No decision differs ({} decisions).\n\n", comparison.sameDecisions());
  } else {
    const auto& first = comparison.firstDifferent();
    fmt::print("The runs part at {}, after {} equal decisions.\n\n",
               look::timeText((first[0] ? first[0] : first[1])->timeNs), comparison.sameDecisions());
    printSide(comparison, 0, options.a);
    printSide(comparison, 1, options.b);
    fmt::print("\n");
  }
  fmt::print("{}", outcomesText(comparison, options));
}

}  // namespace

int compareRuns(const CliOptions& options) {
  if (options.a.empty() && options.b.empty() && api::isTrace(options.paths.front()))
    return compareTrace(options);
  if (options.a.empty() || options.b.empty()) {
    fmt::print(stderr,
               "rqscope: compare: {} is missing: a scenario is compared with itself under other settings "
               "(a recorded trace is compared with the model)\n",
               options.a.empty() ? "--a" : "--b");
    return kBadUsage;
  }
  const std::array settings{options.a, options.b};
  const std::array names{"--a", "--b"};
  std::array overrides{options.overrides, options.overrides};
  for (std::size_t side = 0; side < names.size(); ++side)
    if (const std::string wrong = readSettings(settings[side], overrides[side]); !wrong.empty()) {
      fmt::print(stderr, "rqscope: {} {}\n", names[side], wrong);
      return kBadUsage;
    }
  api::OpenedRunComparison opened =
      api::RunComparison::open(options.paths.front(), "", overrides[0], overrides[1]);
  for (std::size_t side = 0; side < names.size(); ++side) {
    nameSide(opened.problems[side], names[side], settingsOf(settings[side]));
    printProblems(opened.problems[side]);
  }
  if (opened.comparison == nullptr) return kBadInput;
  api::RunComparison& comparison = *opened.comparison;
  runBoth(comparison, options);
  if (!options.json) {
    printComparison(comparison, options);
    return kDone;
  }
  Json json = {{"scenario", comparison.simulation(0).scenarioName()}, {"diverged", comparison.hasDiverged()}};
  json["common_decisions"] = comparison.sameDecisions();
  json["a"] = sideJson(comparison, 0, options.a);
  json["b"] = sideJson(comparison, 1, options.b);
  printJson(json);
  return kDone;
}

}  // namespace rqscope::app
