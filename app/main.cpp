// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "cli_commands.h"
#include "cli_options.h"
#include "dock_table.h"
#include "window_main.h"

namespace {

using namespace rqscope::app;

/// X11, Wayland, or a platform of Qt's that was asked for (offscreen, vnc).
bool hasDisplay() {
  for (const char* name : {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"})
    if (const char* value = std::getenv(name); value != nullptr && *value != '\0') return true;
  return false;
}

int openWindow(int argc, char** argv, const CliOptions& options) {
  WindowOptions window;
  if (!options.paths.empty()) window.scenario = options.paths.front();
  window.overrides = options.overrides;
  window.theme = options.theme;
  window.textScale = options.textScale;
  window.screenshot = options.screenshot;
  window.atNs = options.atNs;
  window.pass = options.pass;
  window.rung = options.rung;
  window.isRungRefusing = options.isRungRefusing;
  window.decision = filterOf(options);
  window.select = options.select;
  window.level = options.level;
  window.dock = options.dock;
  window.publishedReport = options.publishedReport;
  if (!options.size.empty() &&
      std::sscanf(options.size.c_str(), "%dx%d", &window.width, &window.height) != 2) {
    fmt::print(stderr, "rqscope: --size {}: write WIDTHxHEIGHT, such as 1280x720\n", options.size);
    return kBadUsage;
  }
  if (!options.dock.empty()) {
    std::vector<std::string> names;
    for (const DockRow& row : dockTable()) names.emplace_back(row.name);
    const std::string name = options.dock.substr(0, options.dock.find(':'));
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      fmt::print(stderr, "rqscope: --dock {}: the docks are {}\n", name, fmt::join(names, ", "));
      return kBadUsage;
    }
  }
  if (!hasDisplay()) setenv("QT_QPA_PLATFORM", "offscreen", 0);  // A picture needs no display.
  return runWindow(argc, argv, window);
}

int runCommand(int argc, char** argv, const CliOptions& options) {
  switch (options.command) {
    case Command::Run:
      return runScenarios(options);
    case Command::Explain:
      return options.value.empty() ? explainDecision(options) : explainNumber(options);
    case Command::Compare:
      return compareRuns(options);
    case Command::Reproduce:
      return reproduceDiscussions(options);
    case Command::Results:
      return printResults(options);
    case Command::Topology:
      return printTopology(options);
    case Command::Eval:
      return evaluateLines(options);
    case Command::Verify:
      return verifyRecords(options);
    case Command::Check:
      return checkFiles(options);
    case Command::List:
      return listBuiltins(options);
    case Command::Window:
      break;
  }
  if (hasDisplay() || !options.screenshot.empty()) return openWindow(argc, argv, options);
  return runDefaultScenario(options);
}

}  // namespace

int main(int argc, char** argv) {
  const ParsedCommandLine parsed = parseCommandLine(argc, argv);
  if (parsed.exitStatus >= 0) return parsed.exitStatus;
  return runCommand(argc, argv, parsed.options);
}
