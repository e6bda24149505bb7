// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "rqscope/scenario_edit.h"

#include <fmt/format.h>

#include "api/problems.h"
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

}  // namespace

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
