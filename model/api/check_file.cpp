// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <filesystem>

#include "api/open_input.h"
#include "api/problems.h"
#include "api/trace_input.h"
#include "rqscope/lesson.h"
#include "rqscope/result_table.h"
#include "rqscope/simulation.h"
#include "scenario/scenario.h"
#include "topology/machine_file.h"
#include "topology/sched_topology.h"
#include "workload/json_document.h"

namespace rqscope::api {

namespace {

/// A machine file: what the reader says, with line and column from the path it names, and whether domains can
/// be built.
std::vector<Diagnostic> checkMachine(const std::string& path, const JsonDocument* document) {
  auto hardware = loadMachine(path, resourceDirectory() + "/topologies");
  std::vector<Diagnostic> found = hardware.diagnostics();
  for (Diagnostic& d : found) {
    if (d.where.file.empty()) d.where.file = path;
    if (document == nullptr || d.where.line != 0) continue;
    const auto [line, column] = locateJsonPath(document->root, d.message.substr(0, d.message.find(':')));
    d.where.line = line;
    d.where.column = column;
  }
  if (!hardware) return found;
  const auto profile = kernelProfile("v6.12");
  const auto topology = buildSchedTopology(hardware.value(), profile.value());
  if (topology) return found;
  for (Diagnostic d : topology.diagnostics()) {
    if (d.where.file.empty()) d.where.file = path;
    found.push_back(std::move(d));
  }
  return found;
}

bool isMachine(const JsonValue& root) {
  const JsonMember* schema = root.find("schema");
  return schema != nullptr && (schema->value.string.starts_with("rqscope-machine") ||
                               schema->value.string.find("topology") != std::string::npos);
}

}  // namespace

std::vector<Problem> checkScenarioText(const std::string& fileName, const std::string& text) {
  return problemsOf(readScenario(fileName, text, resourceDirectory(), {}).diagnostics());
}

std::vector<Problem> checkFile(const std::string& name) {
  const std::string path = scenarioPath(name);
  std::error_code error;
  if (path == name && !std::filesystem::exists(path, error) && machineInput(name))
    return problemsOf(checkMachine(name, nullptr));
  if (std::filesystem::is_directory(path, error)) return problemsOf(checkMachine(path, nullptr));
  if (isTraceFile(path)) return problemsOf(checkTraceFile(path));
  if (path.ends_with(".csv") || path.ends_with(".tsv")) return readResults(path, std::nullopt).problems;
  const bool looksJson = path.ends_with(".json");
  auto text = readTextFile(path);
  if (!text) return problemsOf(text.diagnostics());
  const std::size_t first = text.value().find_first_not_of(" \t\r\n");
  const bool startsJson = first != std::string::npos &&
                          std::string_view{"{[/"}.find(text.value()[first]) != std::string_view::npos;
  if (!looksJson && !startsJson) return problemsOf(checkMachine(path, nullptr));
  const auto document = parseJson(path, text.value());
  if (!document) return problemsOf(document.diagnostics());
  if (isMachine(document.value().root)) return problemsOf(checkMachine(path, &document.value()));
  if (document.value().root.find("rqscope-lesson") != nullptr) return checkLesson(path);
  return checkScenarioText(path, text.value());
}

}  // namespace rqscope::api
