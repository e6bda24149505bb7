// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "formats/trace.h"

namespace rqscope {

/// Gathers events into a Trace, whatever they were read from.
class TraceBuilder {
 public:
  TraceBuilder(const std::string& file, TraceDialect dialect);

  /// Any event of a CPU, read or not: where its part of the trace begins.
  void seen(std::int32_t cpu, std::uint64_t ns);
  void add(const TraceEvent& event);
  void other(std::string_view name);
  /// A pid's name; "<...>" and an empty name say nothing.
  void name(std::int32_t pid, std::string_view comm);
  void lost(std::uint64_t events) { m_trace.lostEvents += events; }
  /// A line or record that makes no sense; the first few are kept as remarks.
  void notUnderstood(int line, std::string what, std::string hint);
  Trace& trace() { return m_trace; }
  /// Sorts by time, keeping the order of the file for equal times; refuses a trace without scheduler events.
  Result<Trace> finish();

 private:
  Trace m_trace;
};

/// trace.dat, through libtracecmd: offsets come from the format descriptions in the file itself.
Result<Trace> readTraceDat(const std::string& path, const std::stop_token& stop);

/// What a reader says that was stopped.
Diagnostic readingStopped(const std::string& path);

}  // namespace rqscope
