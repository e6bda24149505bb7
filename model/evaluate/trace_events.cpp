// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "evaluate/trace_events.h"

#include <optional>
#include <string_view>

#include "formats/line_reader.h"
#include "formats/trace_line.h"

namespace rqscope {
namespace {

using Kind = RecordedEvent::Kind;

constexpr std::uint64_t kNsPerUs = 1000;
constexpr std::string_view kMarkEvent = "tracing_mark_write", kStartMark = "wl start";

int numberOf(const TraceLine& line, std::string_view key) { return static_cast<int>(line.integer(key)); }

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

void readArguments(const TraceLine& line, RecordedEvent& e) {
  switch (e.kind) {
    case Kind::Switch: {
      const std::string_view state = line.value("prev_state");
      e.task = numberOf(line, "prev_pid");
      e.next = numberOf(line, "next_pid");
      e.priority = numberOf(line, "next_prio");
      e.state = state.empty() ? 'R' : state.front();
      e.name = line.value("next_comm");
      break;
    }
    case Kind::Fork:
      e.task = numberOf(line, "child_pid");
      e.name = line.value("child_comm");
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
      e.name = line.value("comm");
      break;
    case Kind::Migrate:
      e.task = numberOf(line, "pid");
      e.from = numberOf(line, "orig_cpu");
      e.to = numberOf(line, "dest_cpu");
      e.name = line.value("comm");
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

}  // namespace

Result<TraceText> readTraceText(const std::string& path) {
  auto reader = LineReader::open(path);
  if (!reader) return reader.error();
  TraceText text;
  std::optional<std::int64_t> startUs;
  for (std::string raw; reader.value().next(raw);) {
    if (raw.starts_with('#')) continue;
    const auto line = splitTraceLine(raw);
    if (!line) continue;
    const auto us = static_cast<std::int64_t>((line->ns + kNsPerUs / 2) / kNsPerUs);
    if (!startUs && line->event == kMarkEvent && line->fields.starts_with(kStartMark)) {
      startUs = us;
      text.startCpu = line->cpu;
      text.controllerPid = line->pid;
    }
    const auto kind = kindOf(line->event);
    if (!kind) continue;
    RecordedEvent e;
    e.kind = *kind;
    e.us = us;
    e.cpu = line->cpu;
    e.writer = line->pid;
    e.isInterrupt = line->isInterrupt();
    readArguments(*line, e);
    text.events.push_back(std::move(e));
  }
  if (reader.value().error()) return *reader.value().error();
  if (!startUs)
    return Diagnostic{Severity::Error, {path, 0, 0}, "the trace has no start of the workload", ""};
  for (RecordedEvent& e : text.events) e.us -= *startUs;
  return text;
}

}  // namespace rqscope
