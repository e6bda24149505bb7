// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "rqscope/scenario_edit.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/problems.h"
#include "api/simulation_impl.h"
#include "scenario/scenario.h"
#include "workload/json_document.h"

namespace rqscope::api {
namespace {

/// The operation as a script has it: with its time first.
std::string timedText(const std::string& operation, std::int64_t atNs) {
  const std::size_t brace = operation.find('{');
  const std::string rest = brace == std::string::npos ? operation : operation.substr(brace + 1);
  return fmt::format("{{ \"at\" : \"{}ns\",{}{}", atNs, rest.starts_with(' ') ? "" : " ", rest);
}

/// Where the value's last byte that is neither blank nor a comment ends; `begin` when there is none.
std::size_t lastItemEnd(const JsonValue& value, std::size_t begin) {
  if (value.is(JsonValue::Kind::Array)) return value.items.empty() ? begin : value.items.back().end;
  if (value.members.empty()) return begin;
  return value.members.back().value.end;
}

std::string inserted(const JsonDocument& document, const std::string& entries) {
  const std::string& text = document.text;
  const JsonMember* script = document.root.find("script");
  if (script != nullptr && script->value.is(JsonValue::Kind::Array)) {
    const std::size_t at = lastItemEnd(script->value, script->value.begin + 1);
    const char* comma = script->value.items.empty() ? "" : ",";
    return text.substr(0, at) + comma + "\n    " + entries + text.substr(at);
  }
  const std::size_t at = lastItemEnd(document.root, document.root.begin + 1);
  return text.substr(0, at) + ",\n  \"script\" : [\n    " + entries + "\n  ]" + text.substr(at);
}

/// What a scenario does beside its script, as text.
std::string withoutScript(Scenario scenario) {
  scenario.operations.clear();
  return writeScenario(scenario);
}

bool isSame(const Operation& a, const Operation& b) {
  return a.atNs == b.atNs && a.kind == b.kind && a.task == b.task && a.group == b.group && a.cpus == b.cpus &&
         a.cpu == b.cpu && a.policy == b.policy && a.value == b.value && a.periodNs == b.periodNs;
}

}  // namespace

std::int64_t branchPointNs(const std::string& fileName, const std::string& a, const std::string& b,
                           const Overrides& overrides) {
  auto first = readScenario(fileName, a, resourceDirectory(), overridesOf(overrides));
  auto second = readScenario(fileName, b, resourceDirectory(), overridesOf(overrides));
  if (!first.ok() || !second.ok()) return -1;
  if (withoutScript(first.value()) != withoutScript(second.value())) return 0;
  const std::vector<Operation>& left = first.value().operations;
  const std::vector<Operation>& right = second.value().operations;
  std::size_t i = 0;
  while (i < left.size() && i < right.size() && isSame(left[i], right[i])) ++i;
  std::uint64_t least = UINT64_MAX;
  if (i < left.size()) least = left[i].atNs;
  if (i < right.size()) least = std::min(least, right[i].atNs);
  return least == UINT64_MAX ? -1 : static_cast<std::int64_t>(least);
}

EditedScenario withOperations(const std::string& fileName, const std::string& text, std::int64_t atNs,
                              const std::vector<std::string>& operations) {
  auto scenario = readScenario(fileName, text, resourceDirectory(), {});
  if (!scenario.ok()) return {text, problemsOf(scenario.diagnostics())};
  EditedScenario out{text, {}};
  std::string entries;
  for (const std::string& operation : operations) {
    const std::string timed = timedText(operation, atNs);
    auto checked = readOperation(timed, static_cast<std::uint64_t>(atNs), scenario.value());
    if (!checked.ok()) return {text, problemsOf(checked.diagnostics())};
    entries += (entries.empty() ? "" : ",\n    ") + timed;
  }
  if (entries.empty()) return out;
  auto document = parseJson(fileName, text);
  const bool isOwn = document.ok() && document.value().root.find("rqscope-scenario") != nullptr;
  if (!isOwn) document = parseJson(fileName, writeScenario(scenario.value()));
  if (!document.ok()) return {text, problemsOf(document.diagnostics())};
  out.text = inserted(document.value(), entries);
  return out;
}

}  // namespace rqscope::api
