// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "scenario/scenario.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "scenario/scenario_reader.h"
#include "workload/rt_app.h"

namespace rqscope {

namespace {

constexpr std::string_view kVersionKey = "rqscope-scenario";
constexpr int kSchemaVersion = 1;
constexpr std::string_view kDefaultMachine = "juno-r2";
constexpr std::uint64_t kEndlessUntilNs = 10'000'000'000;

bool isEndless(const ThreadProgram& thread) {
  return thread.loops < 0 || std::any_of(thread.phases.begin(), thread.phases.end(),
                                         [](const ProgramPhase& p) { return p.loops < 0; });
}

/// False when it is no scenario at all: then nothing else is worth saying.
bool readVersion(ObjectReader& reader, const JsonValue& root, JsonLint& lint) {
  const auto version = reader.integer(kVersionKey, 1, INT32_MAX);
  if (root.find(kVersionKey) == nullptr && root.find("rqscope-lesson") != nullptr) {
    lint.error(root, "this is a lesson, no scenario",
               "rqscope FILE opens it in the window, rqscope check FILE runs its questions");
    return false;
  }
  if (root.find(kVersionKey) == nullptr) {
    lint.error(root, "this is no scenario: \"rqscope-scenario\" is missing",
               "add \"rqscope-scenario\" : 1 as the first key; an rt-app file has \"tasks\"");
    return false;
  }
  if (version && *version > kSchemaVersion)
    lint.error(root.find(kVersionKey)->value, fmt::format("this rqscope reads version 1, not {}", *version),
               "get a newer rqscope");
  return true;
}

void readScript(ObjectReader& reader, Scenario& scenario, JsonLint& lint) {
  const JsonMember* script = reader.member("script", JsonValue::Kind::Array);
  if (script == nullptr) return;
  for (const JsonValue& item : script->value.items)
    if (auto operation = readOperationObject(item, scenario, std::nullopt, lint))
      scenario.operations.push_back(std::move(*operation));
  std::stable_sort(scenario.operations.begin(), scenario.operations.end(),
                   [](const Operation& a, const Operation& b) { return a.atNs < b.atNs; });
}

void readCosts(ObjectReader& reader, Scenario& scenario, JsonLint& lint) {
  const JsonMember* costs = reader.member("costs", JsonValue::Kind::Object);
  if (costs == nullptr) return;
  constexpr std::int64_t kMostNs = 1'000'000'000;
  ObjectReader object(costs->value, "\"costs\"", lint);
  for (const CostParameter& cost : kCostParameters) {
    const auto given = object.duration(cost.key);
    if (!given) continue;
    if (*given > kMostNs)
      lint.error(costs->value.find(cost.key)->value, fmt::format("\"{}\" is out of range", cost.key),
                 "it lies between 0ns and 1s");
    scenario.costs.*cost.field = static_cast<std::uint64_t>(*given);
  }
  object.finish(ObjectReader::Unknown::Error);
  // What a newidle pass takes is what the kernel measures of it.
  std::uint64_t& measured = scenario.profile.tunables.newidleCostPerCpuNs;
  if (measured == 0) measured = scenario.costs.newidleCpuNs;
}

/// A run that nothing ends gets an end.
void settleUntil(Scenario& scenario, JsonLint& lint) {
  if (scenario.untilNs != 0) return;
  const Workload& w = scenario.workload;
  if (w.durationNs >= 0) {
    scenario.untilNs = std::max<std::uint64_t>(static_cast<std::uint64_t>(w.durationNs), 1);
    return;
  }
  if (w.threads.empty() || !std::all_of(w.threads.begin(), w.threads.end(), isEndless)) return;
  scenario.untilNs = kEndlessUntilNs;
  lint.add(Severity::Note, 0, 0, "no task ends and there is no \"until\": the run stops at 10 s",
           "write \"until\" : \"10s\"");
}

void readWhole(const ScenarioInput& input, Scenario& scenario, JsonLint& lint) {
  const JsonValue& root = input.document.root;
  ObjectReader reader(root, "the scenario", lint);
  if (!readVersion(reader, root, lint)) return;
  scenario.title = reader.text("title").value_or(scenario.name);
  scenario.description = reader.text("description").value_or("");
  readMachineSection(input, reader, scenario, lint);
  readKernelSection(input, reader, scenario, lint);
  readWorkloadSection(input, reader, scenario, lint);
  readScript(reader, scenario, lint);
  if (const auto until = reader.duration("until")) {
    scenario.untilNs = static_cast<std::uint64_t>(*until);
    if (*until == 0)
      lint.error(root.find("until")->value, "\"until\" is 0",
                 "leave it out to run until all tasks have ended");
  }
  readCosts(reader, scenario, lint);
  if (const auto seed = reader.integer("seed", 0, INT64_MAX))
    scenario.seed = static_cast<std::uint64_t>(*seed);
  reader.finish(ObjectReader::Unknown::Error);
}

/// A thread that no task forks is meant so when the script does.
std::vector<Diagnostic> withoutForked(const Scenario& scenario, std::vector<Diagnostic> diagnostics) {
  std::set<std::string> forked;
  for (const Operation& op : scenario.operations)
    if (op.kind == OperationKind::Fork) forked.insert(op.task);
  std::set<std::pair<int, int>> places;
  for (const ThreadProgram& thread : scenario.workload.threads)
    if (thread.instances == 0 && forked.contains(thread.name))
      places.emplace(thread.where.line, thread.where.column);
  std::erase_if(diagnostics, [&](const Diagnostic& d) {
    return d.severity == Severity::Warning && places.contains({d.where.line, d.where.column}) &&
           d.message.ends_with("has 0 instances and no task forks it");
  });
  return diagnostics;
}

/// A bare rt-app file becomes a scenario on the default machine.
void readBareRtApp(const ScenarioInput& input, Scenario& scenario, JsonLint& lint) {
  auto workload = readRtApp(input.document, input.document.root, RtAppDialect::Workgen);
  lint.addAll(workload.diagnostics());
  if (!workload) return;
  scenario.workload = std::move(workload).value();
  scenario.workloadText = fmt::format("{{ \"rt-app\" : {} }}", input.document.source(input.document.root));
  scenario.title = scenario.name;
  scenario.description = fmt::format("The rt-app file {} on {}", input.document.file, kDefaultMachine);
  scenario.machine = input.overrides.machine.value_or(std::string{kDefaultMachine});
  const SourcePosition machineAt = input.overrides.machine ? optionPosition("--machine", scenario.machine)
                                                           : SourcePosition{input.document.file, 0, 0};
  if (auto hardware = findMachine(input, scenario.machine, machineAt, lint))
    scenario.hardware = std::move(*hardware);
  applyKernelOverrides(input.overrides, scenario, lint);
}

bool looksLikeMachine(const JsonValue& root) {
  const JsonMember* schema = root.find("schema");
  return schema != nullptr && schema->value.string.starts_with("rqscope-machine");
}

}  // namespace

SourcePosition optionPosition(std::string_view option, std::string_view value) {
  const char* quote = value.find(' ') == std::string_view::npos ? "" : "\"";
  return {fmt::format("{} {}{}{}", option, quote, value, quote), 0, 0};
}

std::string folderOf(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? std::string{} : path.substr(0, slash + 1);
}

std::string stemOf(const std::string& path) {
  const std::string name = path.substr(folderOf(path).size());
  const std::size_t dot = name.rfind('.');
  return dot == std::string::npos || dot == 0 ? name : name.substr(0, dot);
}

Result<Scenario> readScenario(const std::string& file, const std::string& text,
                              const std::string& resourceDirectory, const ScenarioOverrides& overrides) {
  auto document = parseJson(file, text);
  if (!document) return document.diagnostics();
  const ScenarioInput input{document.value(), resourceDirectory, overrides};
  const JsonValue& root = document.value().root;
  JsonLint lint(file);
  Scenario scenario;
  scenario.file = file;
  scenario.name = stemOf(file);
  if (!root.is(JsonValue::Kind::Object))
    lint.error(root, fmt::format("a scenario is an object, this is {}", kindWords(root.kind)),
               R"(it looks like { "rqscope-scenario" : 1, "machine" : "juno-r2", "workload" : { ... } })");
  else if (looksLikeMachine(root))
    lint.error(root, "this is a machine, not a scenario",
               "name it as \"machine\" of a scenario, or with --machine");
  else if (looksLikeRtApp(root))
    readBareRtApp(input, scenario, lint);
  else
    readWhole(input, scenario, lint);
  if (!lint.failed()) checkWorkloadFits(scenario, lint);
  if (overrides.untilNs) scenario.untilNs = *overrides.untilNs;
  if (overrides.seed) scenario.seed = *overrides.seed;
  if (!lint.failed()) settleUntil(scenario, lint);
  if (!lint.failed()) warnOfIdleOperations(scenario, lint);
  if (lint.failed()) return lint.take();
  std::vector<Diagnostic> found = withoutForked(scenario, lint.take());
  Result<Scenario> result(std::move(scenario));
  result.diagnostics() = std::move(found);
  return result;
}

Result<Operation> readOperation(const std::string& json, std::uint64_t defaultNs, const Scenario& scenario) {
  auto document = parseJson("operation", json);
  if (!document) return document.diagnostics();
  JsonLint lint("operation");
  auto operation = readOperationObject(document.value().root, scenario, defaultNs, lint);
  if (!operation || lint.failed()) return lint.take();
  return std::move(*operation);
}

}  // namespace rqscope
