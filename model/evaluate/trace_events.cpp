// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "evaluate/trace_events.h"

#include <cmath>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "formats/line_reader.h"

namespace rqscope {
namespace {

using Kind = TraceEvent::Kind;

constexpr double kUsPerSecond = 1e6;
constexpr const char* kStartMark = "tracing_mark_write: wl start";

/// Value of `key=` in a trace line; empty when it has none.
std::string_view valueOf(const std::string& line, std::string_view key) {
  for (std::size_t at = line.find(key); at != std::string::npos; at = line.find(key, at + 1)) {
    if (at == 0 || line[at - 1] != ' ' || line[at + key.size()] != '=') continue;
    const std::size_t begin = at + key.size() + 1;
    if (line[begin] == '"')
      return std::string_view(line).substr(begin + 1, line.find('"', begin + 1) - begin - 1);
    return std::string_view(line).substr(begin, line.find_first_of(" \n", begin) - begin);
  }
  return {};
}

int numberOf(const std::string& line, std::string_view key) {
  const std::string_view text = valueOf(line, key);
  if (text.empty()) return 0;
  return static_cast<int>(std::strtol(text.data(), nullptr, text.starts_with("0x") ? 16 : 10));
}

std::optional<Kind> kindOf(std::string_view event) {
  if (event == "sched_switch") return Kind::Switch;
  if (event == "seltask") return Kind::Choice;
  if (event == "sched_wakeup") return Kind::Wakeup;
  if (event == "sched_wakeup_new") return Kind::WakeupNew;
  if (event == "sched_process_fork") return Kind::Fork;
  if (event == "sched_migrate_task") return Kind::Migrate;
  if (event == "sds") return Kind::Statistics;
  if (event == "lbin") return Kind::BalanceBegin;
  if (event == "lbout") return Kind::BalanceEnd;
  if (event == "newidle") return Kind::NewidleEnd;
  return std::nullopt;
}

void readArguments(const std::string& line, TraceEvent& e) {
  switch (e.kind) {
    case Kind::Switch: {
      const std::string_view state = valueOf(line, "prev_state");
      e.task = numberOf(line, "prev_pid");
      e.next = numberOf(line, "next_pid");
      e.priority = numberOf(line, "next_prio");
      e.state = state.empty() ? 'R' : state.front();
      e.name = valueOf(line, "next_comm");
      break;
    }
    case Kind::Fork:
      e.task = numberOf(line, "child_pid");
      e.name = valueOf(line, "child_comm");
      break;
    case Kind::Choice:
      e.task = numberOf(line, "pid");
      e.flags = static_cast<unsigned>(numberOf(line, "wflags"));
      e.to = numberOf(line, "cpu");
      break;
    case Kind::Wakeup:
    case Kind::WakeupNew:
      e.task = numberOf(line, "pid");
      e.priority = numberOf(line, "prio");
      e.to = numberOf(line, "target_cpu");
      e.name = valueOf(line, "comm");
      break;
    case Kind::Migrate:
      e.task = numberOf(line, "pid");
      e.from = numberOf(line, "orig_cpu");
      e.to = numberOf(line, "dest_cpu");
      e.name = valueOf(line, "comm");
      break;
    case Kind::Statistics:
    case Kind::BalanceBegin:
    case Kind::BalanceEnd:
      e.to = numberOf(line, "dst");
      e.level = numberOf(line, "level");
      e.flags = static_cast<unsigned>(numberOf(line, "idle"));
      e.intervalMs = static_cast<std::uint32_t>(numberOf(line, "interval"));
      e.failed = static_cast<std::uint32_t>(numberOf(line, "failed"));
      break;
    case Kind::NewidleEnd:
      break;
  }
}

/// "  comm-pid  [cpu] flags  seconds: event: ..." as far as the colon before the event; seconds in `at`.
bool readHead(const std::string& line, TraceEvent& e, double& at, std::size_t& colon) {
  const std::size_t bracket = line.find(" [");
  if (bracket == std::string::npos || line.empty() || line.front() == '#') return false;
  colon = line.find(": ", bracket);
  if (colon == std::string::npos) return false;
  e.cpu = std::atoi(line.c_str() + bracket + 2);
  const std::size_t dash = line.rfind('-', bracket);
  e.writer = dash == std::string::npos ? 0 : std::atoi(line.c_str() + dash + 1);
  const std::size_t flags = line.find_first_not_of(' ', line.find(']', bracket) + 1);
  constexpr std::size_t kContextColumn = 2;  // of "d.h3.": in a hard or soft interrupt
  if (flags != std::string::npos && flags + kContextColumn < line.size()) {
    const char context = line[flags + kContextColumn];
    e.isInterrupt = context == 'h' || context == 's' || context == 'H' || context == 'z' || context == 'Z';
  }
  at = std::strtod(line.c_str() + line.rfind(' ', colon) + 1, nullptr) * kUsPerSecond;
  return true;
}

}  // namespace

Result<TraceText> readTraceText(const std::string& path) {
  auto reader = LineReader::open(path);
  if (!reader) return reader.error();
  TraceText text;
  double start = -1;
  for (std::string line; reader.value().next(line);) {
    TraceEvent e;
    double at = 0;
    std::size_t colon = 0;
    if (!readHead(line, e, at, colon)) continue;
    if (start < 0 && line.compare(colon + 2, std::string_view(kStartMark).size(), kStartMark) == 0) {
      start = at;
      text.startCpu = e.cpu;
      text.controllerPid = e.writer;
    }
    const std::size_t end = line.find(':', colon + 2);
    if (end == std::string::npos) continue;
    const auto kind = kindOf(std::string_view(line).substr(colon + 2, end - colon - 2));
    if (!kind) continue;
    e.kind = *kind;
    e.us = std::llround(at);
    readArguments(line, e);
    text.events.push_back(std::move(e));
  }
  if (reader.value().error()) return *reader.value().error();
  if (start < 0)
    return Diagnostic{Severity::Error, {path, 0, 0}, "the trace has no start of the workload", ""};
  for (TraceEvent& e : text.events) e.us -= std::llround(start);
  return text;
}

}  // namespace rqscope
