// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rqscope/decision_filter.h"
#include "rqscope/simulation.h"

namespace rqscope::app {

/// Exit status of the program.
enum ExitStatus : int { kDone = 0, kBadInput = 1, kBadUsage = 2 };

enum class Command : std::uint8_t {
  Window,  ///< no command: the window, or the default scenario without a display
  Run,
  Explain,
  Compare,
  Reproduce,
  Results,
  Topology,
  Eval,
  Verify,
  Check,
  List
};

/// The command line, parsed and checked for form.
struct CliOptions {
  Command command = Command::Window;
  std::vector<std::string> paths;  ///< scenarios, machines, records or files
  api::Overrides overrides;
  bool json = false;
  bool quiet = false;
  std::string outDirectory;  ///< empty: no charts
  // explain
  std::int64_t atNs = -1, pass = -1, cpu = -1;
  std::string domain, decisionKind, entry, result;
  std::string value;  ///< a number to explain instead of a decision
  bool list = false;
  std::vector<std::string> changes;  ///< "RUNG.OPERAND=VALUE"
  std::vector<std::string> whyNot;   ///< task and CPU
  std::string derive;                ///< "RUNG.OPERAND"
  // compare
  std::string a, b;
  // results
  std::string better;                                         ///< "less", "more" or empty
  std::int64_t windowNs = 4'000'000, segmentNs = 40'000'000;  ///< of a trace
  // run
  std::string traceFile;  ///< where the run's trace goes; empty: nowhere
  // verify, eval, topology
  std::string kernel;
  int shown = 3;
  // window
  std::string theme, screenshot, size, select, level, dock, publishedReport;
  std::int64_t rung = -1;
  bool isRungRefusing = false;  ///< "--rung refused"
  double textScale = 1;
};

/// Parsed options, or the exit status to leave with at once (after --help, --version or an error, which it
/// has printed).
struct ParsedCommandLine {
  CliOptions options;
  int exitStatus = -1;  ///< -1: go on
};
ParsedCommandLine parseCommandLine(int argc, char** argv);

/// Which decision is asked for by --at, --cpu, --domain, --kind, --entry and --result.
api::DecisionFilter filterOf(const CliOptions& options);

/// "100ms", "2.5s", "16us", "700ns" in ns; -1 when it is not a time.
std::int64_t parseTime(const std::string& text);

/// Adds "NAME=on|off", "kernel=...", "machine=...", "feature=...", "until=...", "seed=..." to overrides;
/// empty or what is wrong.
std::string addSetting(const std::string& setting, api::Overrides& overrides);
/// "x=on,kernel=v6.1": its parts. A machine has commas of its own: "machine=2 cores, distances 10".
std::vector<std::string> settingsOf(const std::string& settings);
/// All parts of such a text into the overrides; what is wrong with the first bad one, or nothing.
std::string readSettings(const std::string& settings, api::Overrides& overrides);

}  // namespace rqscope::app
