// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli_output.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "look/words.h"

namespace rqscope::app {

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kSilence{1000};      // Before the first word.
constexpr std::chrono::milliseconds kTerminalPace{200};  // Between two on a terminal ...
constexpr std::chrono::milliseconds kLogPace{5000};      // ... and in a log.
constexpr int kSliceMs = 250;                            // Wall clock of one piece of a run.

bool isNumber(const std::string& cell) {
  return !cell.empty() && cell.find_first_not_of("0123456789.,-+% ") == std::string::npos;
}

/// Cells count characters, not bytes.
std::size_t widthOf(const std::string& cell) {
  return static_cast<std::size_t>(std::count_if(
      cell.begin(), cell.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

}  // namespace

void printJson(const Json& json) {
  fmt::print("{}\n", json.dump(1, ' ', false, Json::error_handler_t::replace));
}

std::string hexText(std::uint64_t value) { return fmt::format("0x{:016x}", value); }

std::string tableText(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (widths.size() <= i) widths.push_back(0);
      widths[i] = std::max(widths[i], widthOf(row[i]));
    }
  std::string out;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string pad(widths[i] - widthOf(row[i]), ' ');
      line += isNumber(row[i]) ? pad + row[i] : row[i] + pad;
      line += "  ";
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

bool printProblems(const std::vector<api::Problem>& problems) {
  bool bad = false;
  for (const api::Problem& problem : problems) {
    fmt::print(stderr, "{}\n", problem.text());
    bad = bad || problem.severity == api::Problem::Severity::Error;
  }
  return bad;
}

std::unique_ptr<api::Simulation> openScenario(const std::string& name, const api::Overrides& overrides) {
  api::Opened opened = api::Simulation::open(name, overrides);
  printProblems(opened.problems);
  return std::move(opened.simulation);
}

Progress::Progress(std::string what, bool quiet)
    : m_what(std::move(what)),
      m_quiet(quiet),
      m_isTerminal(isatty(STDERR_FILENO) == 1),
      m_start(Clock::now()),
      m_last(m_start) {}

Progress::~Progress() {
  if (m_hasSpoken && m_isTerminal) fmt::print(stderr, "\r\033[K");
}

void Progress::say(const std::string& text) {
  const auto now = Clock::now();
  if (m_quiet || now - m_start < kSilence) return;
  if (m_hasSpoken && now - m_last < (m_isTerminal ? kTerminalPace : kLogPace)) return;
  m_hasSpoken = true;
  m_last = now;
  if (m_isTerminal)
    fmt::print(stderr, "\r\033[Krqscope: {}: {}", m_what, text);
  else
    fmt::print(stderr, "rqscope: {}: {}\n", m_what, text);
  std::fflush(stderr);
}

bool runToEnd(api::Simulation& simulation, const CliOptions& options) {
  Progress progress(simulation.scenarioName(), options.quiet);
  std::uint64_t lastEvent = 0;
  constexpr int kPatience = 40;
  for (int still = 0; still < kPatience;) {
    if (simulation.runUntil({}, kSliceMs)) return true;
    const auto frame = simulation.frame();
    if (frame->atEnd) return true;
    still = frame->eventIndex == lastEvent ? still + 1 : 0;
    lastEvent = frame->eventIndex;
    progress.say(fmt::format("{} simulated", look::timeText(frame->timeNs)));
  }
  return false;
}

}  // namespace rqscope::app
