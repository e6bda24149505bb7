// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "formats/trace.h"

namespace rqscope {

/// The columns of a line of text before the event's own words.
struct TraceLine {
  std::string_view comm;
  std::int32_t pid = -1;
  std::int32_t cpu = -1;
  std::uint64_t ns = 0;
  bool hasGroup = false;    ///< a column (tgid)
  bool isPerf = false;      ///< the pid stands apart from the name
  std::string_view flags;   ///< "d.h3.": interrupts, need_resched, context, preemption; empty: not printed
  std::string_view event;   ///< without the system's name
  std::string_view fields;  ///< behind the event's name

  /// The value after " key=" (or "key=" at the start): up to the next space, or within its quotation marks;
  /// empty when absent.
  std::string_view value(std::string_view key) const;
  /// The same up to " before": names of tasks may have spaces.
  std::string_view valueUpTo(std::string_view key, std::string_view before) const;
  /// 0 when absent.
  std::uint64_t number(std::string_view key) const;
  /// Likewise; may be negative, or hexadecimal with 0x.
  std::int64_t integer(std::string_view key) const;
  /// Written in a hard or soft interrupt, as far as the flags say so.
  bool isInterrupt() const;
};

/// Takes a line of ftrace, trace-cmd or perf script apart; nothing when it is no event.
std::optional<TraceLine> splitTraceLine(std::string_view line);

/// A name in an event, the pid it belongs to.
struct TraceName {
  std::int32_t pid = -1;
  std::string_view comm;
};

/// What the words of one scheduler event say.
struct TraceFields {
  TraceEvent event;  ///< without time, CPU and line
  TraceName names[2];
  bool isPlugin = false;  ///< name:pid [prio], as trace-cmd's and perf's plugins print
  bool isRaw = false;     ///< a switch without "==>"
};

/// Whether events of this name are read.
std::optional<TraceEventKind> traceEventKind(std::string_view name);

/// Reads the words of an event of this kind; nothing when one of its fields is missing.
std::optional<TraceFields> readTraceFields(TraceEventKind kind, std::string_view fields);

/// Whether a task in this prev_state, as letters or as a number, is still runnable.
bool isRunnableState(std::string_view state);

}  // namespace rqscope
