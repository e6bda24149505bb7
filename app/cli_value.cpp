// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <limits>
#include <optional>

#include "cli_commands.h"
#include "cli_output.h"
#include "look/words.h"
#include "rqscope/decision_filter.h"
#include "rqscope/explain_value.h"

namespace rqscope::app {
namespace {

std::string unitKey(api::Unit unit) {
  switch (unit) {
    case api::Unit::Nanoseconds:
      return "ns";
    case api::Unit::VirtualNs:
      return "virtual ns";
    case api::Unit::Capacity:
      return "of 1024";
    case api::Unit::Load:
      return "load";
    case api::Unit::Weight:
      return "weight";
    case api::Unit::Tasks:
      return "tasks";
    case api::Unit::Cpus:
      return "CPUs";
    default:
      return "";
  }
}

Json operandsJson(const api::ExplainedValue& value) {
  Json operands = Json::array();
  for (const api::ValueOperand& operand : value.operands)
    operands.push_back({{"name", operand.name}, {"value", operand.value}, {"unit", unitKey(operand.unit)}});
  return operands;
}

/// The kernel brings its numbers up to date when something happens, not as time goes by.
std::string staleText(const api::Frame& frame, std::int64_t askedNs) {
  if (frame.timeNs >= askedNs) return {};
  return fmt::format("as of {} ({}), the last event before {}\n", look::timeText(frame.timeNs),
                     look::word(frame.eventText), look::timeText(askedNs));
}

void printValue(const api::ExplainedValue& value) {
  fmt::print("{} of {}: {} {}\n{}\n\n", value.ref.name, value.subject, value.result, unitKey(value.unit),
             value.meaning);
  fmt::print("{}  ({}, {})\n", value.formula, value.function, value.kernel);
  std::vector<std::vector<std::string>> rows{{"operand", "value", "unit"}};
  for (const api::ValueOperand& operand : value.operands)
    rows.push_back({operand.name, fmt::format("{}", operand.value), unitKey(operand.unit)});
  if (rows.size() > 1) fmt::print("{}", tableText(rows));
  fmt::print("= {}\n", value.result);
  if (value.sinceNs >= 0 && value.sinceEvent.empty())
    fmt::print("the queue was last brought up to date at {}\n", look::timeText(value.sinceNs));
  else if (value.sinceNs >= 0)
    fmt::print("unchanged since {} ({}); the operands are those of then\n", look::timeText(value.sinceNs),
               look::word(value.sinceEvent));
}

/// Which decision the number is asked of; nothing: none, it is asked of a time.
std::optional<std::uint64_t> decisionWanted(api::Simulation& simulation, const CliOptions& options,
                                            bool& isAsked) {
  api::DecisionFilter filter = filterOf(options);
  filter.fromNs = -1;  // a time alone asks of no decision
  isAsked = options.pass >= 0 || !filter.isEmpty();
  if (!isAsked) return std::nullopt;
  if (options.pass >= 0) {
    const auto index = static_cast<std::uint64_t>(options.pass);
    return simulation.seekPass(index) ? std::optional(index) : std::nullopt;
  }
  const auto index = api::runToDecision(simulation, filterOf(options), std::numeric_limits<int>::max());
  return index && simulation.seekPass(*index) ? index : std::nullopt;
}

}  // namespace

int explainNumber(const CliOptions& options) {
  const auto simulation = openScenario(options.paths.front(), options.overrides);
  if (simulation == nullptr) return kBadInput;
  bool isDecision = false;
  const auto decision = decisionWanted(*simulation, options, isDecision);
  if (isDecision && !decision) {
    fmt::print(stderr, "rqscope: there is no such decision in this run\n");
    return kBadInput;
  }
  if (!isDecision) simulation->seekTime(options.atNs);
  const auto ref = api::findValue(*simulation, options.value);
  if (!ref) {
    fmt::print(stderr, "rqscope: --value \"{}\" at {}: {}\n", options.value,
               look::timeText(simulation->frame()->timeNs), api::valueProblem(*simulation, options.value));
    return kBadInput;
  }
  const api::ExplainedValue value =
      decision ? simulation->explainValueIn(*decision, *ref) : simulation->explainValue(*ref);
  if (!options.json) {
    printValue(value);
    fmt::print("{}", staleText(*simulation->frame(), options.atNs));
    return kDone;
  }
  printJson({{"value", value.ref.name},
             {"subject", value.subject},
             {"asked_ns", options.atNs},
             {"time_ns", simulation->frame()->timeNs},
             {"kernel", value.kernel},
             {"function", value.function},
             {"formula", value.formula},
             {"operands", operandsJson(value)},
             {"result", value.result},
             {"unit", unitKey(value.unit)},
             {"since_ns", value.sinceNs}});
  return kDone;
}

}  // namespace rqscope::app
