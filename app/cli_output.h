// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli_options.h"
#include "rqscope/derivation.h"
#include "rqscope/simulation.h"
#include "rqscope/what_if.h"
#include "rqscope/why_not.h"

namespace rqscope::app {

/// Members keep the order in which they are written, which is part of the documented output.
using Json = nlohmann::ordered_json;

void printJson(const Json& json);
Json jsonOf(const api::Problem& problem);
Json jsonOf(const api::Ladder& ladder);
Json jsonOf(const api::WhatIf& what, const std::vector<api::OperandOverride>& changes);
Json jsonOf(const api::WhyNot& why);
Json jsonOf(const api::Derivation& derivation);
Json jsonOf(const std::vector<api::Outcome::IdleCause>& causes);
Json jsonOf(const api::Subject& subject);
Json jsonOf(const api::Operand& operand);
Json jsonOf(const std::vector<api::Comparison>& tests);
Json jsonOf(const api::Outcome& outcome, const api::MachineLayout& layout);

/// Rows of cells in columns of equal width, the first row as head. Numbers go right.
std::string tableText(const std::vector<std::vector<std::string>>& rows);

/// Prints problems on standard error; true when one is an error.
bool printProblems(const std::vector<api::Problem>& problems);

/// Opens a scenario with the problems printed, or nullptr.
std::unique_ptr<api::Simulation> openScenario(const std::string& name, const api::Overrides& overrides);

/// Says on standard error how far something has come, from one second on.
class Progress {
 public:
  Progress(std::string what, bool quiet);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  void say(const std::string& text);

 private:
  std::string m_what;
  bool m_quiet, m_isTerminal, m_hasSpoken = false;
  std::chrono::steady_clock::time_point m_start, m_last;
};

/// Runs to the end with progress; false when nothing moves any more before it.
bool runToEnd(api::Simulation& simulation, const CliOptions& options);

/// Writes every chart of the run into the folder as PNG, SVG and CSV; the files written, or nothing and the
/// reason on standard error. Needs no display.
std::vector<std::string> writeCharts(const api::Simulation& simulation, const std::string& folder);

/// "0x1234abcd...": a fingerprint as text.
std::string hexText(std::uint64_t value);

}  // namespace rqscope::app
