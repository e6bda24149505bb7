// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "api/open_input.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "api/problems.h"
#include "api/resource_folder.h"
#include "base/name_list.h"
#include "base/profile.h"
#include "rqscope/names.h"
#include "topology/machine_file.h"
#include "topology/machine_layout.h"
#include "workload/json_document.h"

namespace rqscope {

namespace fs = std::filesystem;

namespace {

/// A load of more threads than this says nothing more about balancing, and is slower to look at.
constexpr std::size_t kMostHogs = 32;

bool isThere(const std::string& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

bool hasName(const std::vector<api::Named>& names, const std::string& name) {
  return std::any_of(names.begin(), names.end(), [&](const api::Named& n) { return n.name == name; });
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) < 0x20U)
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    else
      out += c;
  }
  return out + '"';
}

/// JSON that is a machine by its keys. Text that is no JSON at all is for the reader that names the place.
bool isMachineJson(const std::string& path) {
  auto text = readTextFile(path);
  if (!text) return false;
  const auto document = parseJson(path, std::move(text).value());
  if (!document || !document.value().root.is(JsonValue::Kind::Object)) return false;
  const JsonValue& root = document.value().root;
  if (root.find("rqscope-scenario") != nullptr || root.find("tasks") != nullptr) return false;
  return root.find("schema") != nullptr || root.find("lscpu") != nullptr || root.find("cpus") != nullptr;
}

}  // namespace

std::string scenarioPath(const std::string& name) {
  std::error_code ignored;
  if (name.starts_with('/') || fs::is_regular_file(name, ignored)) return name;
  const fs::path scenarios = fs::path(api::resourceDirectory()) / "scenarios";
  for (const fs::path& builtin : {scenarios / (name + ".json"), scenarios / "cases" / (name + ".json"),
                                  scenarios / "published" / (name + ".json")})
    if (fs::is_regular_file(builtin, ignored)) return builtin.string();
  return name;
}

bool isMachineFile(const std::string& path) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) return true;
  std::ifstream in(path, std::ios::binary);
  char first = ' ';
  while (in.get(first) && (first == ' ' || first == '\t' || first == '\r' || first == '\n')) {
  }
  if (!in) return false;
  if (first == '{') return isMachineJson(path);
  const std::string extension = fs::path(path).extension().string();
  return first != '/' && extension != ".json";
}

std::optional<MachineInput> machineInput(const std::string& name) {
  if (isThere(name)) {
    if (!isMachineFile(name)) return std::nullopt;
    std::error_code ignored;
    const fs::path full = fs::absolute(name, ignored).lexically_normal();
    return MachineInput{full.string(), full.stem().string(), full.parent_path().string()};
  }
  if (looksLikeCompactMachine(name)) return MachineInput{name, "machine", "."};
  if (hasName(api::builtinMachines(), name)) return MachineInput{name, name, "."};
  return std::nullopt;
}

Result<ScenarioText> hogsOn(const MachineInput& input, const std::string& givenName) {
  auto hardware = loadMachine(input.machine, api::resourceDirectory() + "/topologies");
  if (!hardware) {
    std::vector<Diagnostic> found = hardware.diagnostics();
    for (Diagnostic& d : found)
      if (d.where.file.empty() || d.where.file == input.machine) d.where.file = givenName;
    return found;
  }
  const CpuMask online = hardware.value().onlineCpus();
  const std::size_t hogs = std::min<std::size_t>(static_cast<std::size_t>(online.weight()), kMostHogs);
  const std::int32_t first = online.first().value;
  ScenarioText out;
  out.file = (fs::path(input.folder) / ("hogs-on-" + input.label + ".json")).string();
  out.text = fmt::format(
      R"(// A load to look at the machine with: CPU-bound tasks that start on one CPU, for 50 ms pinned there.
{{
  "rqscope-scenario" : 1,
  "title" : {},
  "description" : "CPU-bound tasks, for 50 ms all pinned to CPU {}, then free",
  "machine" : {},
  "kernel" : "v6.12",
  "workload" : {{ "generator" : "hogs", "count" : {}, "work" : "1s", "cpus" : [{}] }},
  "script" : [ {{ "at" : "50ms", "do" : "unpin", "task" : "*" }} ],
  "until" : "5s"
}}
)",
      quoted("Hogs on " + input.label), first, quoted(input.machine), hogs, first);
  return out;
}

namespace api {

namespace {

std::vector<std::string> namesOf(const std::vector<Named>& list) {
  std::vector<std::string> names;
  for (const Named& named : list) names.push_back(named.name);
  return names;
}

Problem unknown(const std::string& name, const std::string& what, const std::vector<std::string>& names) {
  Problem problem;
  problem.file = name;
  problem.message = fmt::format("there is no {} of this name", what);
  problem.hint = nameHintOf(name, names, "built in are");
  return problem;
}

/// A path or the name of a file rather than that of something built in.
bool looksLikePath(const std::string& name) {
  return name.starts_with('/') || name.starts_with('.') || fs::path(name).has_extension();
}

/// A file that is not there: a name in its folder that is near, or which part of the path is missing.
Problem missingFile(const std::string& name) {
  Problem problem;
  problem.file = name;
  problem.message = "there is no such file";
  const fs::path folder = fs::path(name).has_parent_path() ? fs::path(name).parent_path() : fs::path(".");
  std::vector<std::string> names;
  std::error_code error;
  constexpr std::size_t kMostFiles = 2000;
  for (fs::directory_iterator it(folder, error), end; !error && it != end && names.size() < kMostFiles;
       it.increment(error))
    names.push_back(it->path().filename().string());
  std::ranges::sort(names);
  const std::string near = nearestOf(fs::path(name).filename().string(), names);
  if (error)
    problem.hint = fmt::format("there is no folder {} that can be read", folder.string());
  else if (near.empty())
    problem.hint = "check the name; rqscope list scenarios has those that are built in";
  else
    problem.hint = fmt::format("did you mean {}?", (fs::path(name).parent_path() / near).string());
  return problem;
}

}  // namespace

std::string nearestOf(const std::string& word, const std::vector<std::string>& names) {
  return std::string{nearestName(word, {names.begin(), names.end()})};
}

std::string nameHintOf(const std::string& word, const std::vector<std::string>& names,
                       const std::string& intro) {
  return nameHint(word, {names.begin(), names.end()}, intro);
}

std::vector<Problem> unknownInput(const std::string& name) {
  const auto scenarios = namesOf(builtinScenarios());
  if (isThere(name) || machineInput(name) || isThere(scenarioPath(name))) return {};
  std::vector<std::string> names = scenarios;
  const auto machines = namesOf(builtinMachines());
  if (nearestOf(name, scenarios).empty() && !nearestOf(name, machines).empty()) names = machines;
  if (looksLikePath(name) && nearestOf(name, names).empty()) return {missingFile(name)};
  if (auto missing = missingResources()) return {std::move(*missing)};
  return {unknown(name, "file and no scenario", names)};
}

std::vector<Problem> unknownMachine(const std::string& name) {
  const auto machines = namesOf(builtinMachines());
  if (isThere(name) || std::ranges::find(machines, name) != machines.end()) return {};
  if (looksLikeCompactMachine(name)) {
    std::vector<Problem> problems = problemsOf(parseCompactMachine(name, name).diagnostics());
    std::erase_if(problems, [](const Problem& p) { return p.severity != Problem::Severity::Error; });
    return problems;
  }
  if (looksLikePath(name) && nearestOf(name, machines).empty()) return {missingFile(name)};
  if (auto missing = missingResources()) return {std::move(*missing)};
  return {unknown(name, "machine", machines)};
}

}  // namespace api

}  // namespace rqscope
