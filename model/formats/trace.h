// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <stop_token>
#include <string>
#include <vector>

#include "base/result.h"

namespace rqscope {

/// Who wrote a trace. The text forms hold the same events in different words.
enum class TraceDialect : std::uint8_t {
  TraceCmdReport,  ///< trace-cmd report, events printed by its plugins
  TraceCmdRaw,     ///< trace-cmd report -R: all fields as key=value
  Tracefs,         ///< the kernel's own file trace or trace_pipe
  Systrace,        ///< the same with a column for the thread group
  PerfScript,      ///< perf script
  TraceDat         ///< trace.dat of trace-cmd, binary
};

/// Name of a dialect for people.
const char* traceDialectName(TraceDialect dialect);

/// The scheduler's trace events that say who runs where.
enum class TraceEventKind : std::uint8_t { Switch, Waking, Wakeup, WakeupNew, Migrate, Fork, Exit };

/// One event of the scheduler, by any dialect.
struct TraceEvent {
  std::uint64_t ns = 0;   ///< of the trace's clock
  std::int32_t cpu = -1;  ///< that wrote it
  TraceEventKind kind = TraceEventKind::Switch;
  bool staysRunnable = false;   ///< Switch: the previous task was preempted, it did not block
  std::int32_t pid = -1;        ///< Switch: who runs next; Fork: the child
  std::int32_t otherPid = -1;   ///< Switch: who ran before; Fork: the parent
  std::int32_t fromCpu = -1;    ///< Migrate: orig_cpu
  std::int32_t targetCpu = -1;  ///< Migrate: dest_cpu; Waking, Wakeup, WakeupNew: target_cpu
  std::int32_t prio = -1;       ///< kernel priority of `pid`, 100 to 139 for fair tasks; -1: not said
  std::int32_t line = 0;        ///< of the text, or the record's number, from 1
};

/// A recorded trace: the pid is the key of a task, its name is decoration.
struct Trace {
  std::string file;
  TraceDialect dialect = TraceDialect::TraceCmdReport;
  std::int32_t cpus = 0;                             ///< as the header says, or the highest number + 1
  std::vector<TraceEvent> events;                    ///< by time; equal times in the order of the file
  std::map<std::int32_t, std::string> names;         ///< by pid, the last one seen; without "<...>"
  std::map<std::int32_t, std::uint64_t> firstNs;     ///< of each CPU that wrote any event at all
  std::map<std::string, std::uint64_t> otherEvents;  ///< events that are not read, by name
  std::uint64_t lostEvents = 0;                      ///< that the trace itself says were lost
  bool isOverwritten = false;                        ///< the header counts more events written than kept
  bool isWhole = false;                              ///< the header says that all events written are kept
  std::uint64_t outOfOrder = 0;                      ///< events that stood behind a later one
  std::uint64_t notUnderstood = 0;  ///< lines that are no event, or events without their fields
  std::vector<Diagnostic> remarks;  ///< the first of those lines, with positions
};

/// Reads a text trace (plain or compressed) or a trace.dat. Errors: file, line, what would be right.
/// Cost: one pass; 32 bytes for each event. `stop` ends it within a few events, with an error that says so.
Result<Trace> readTrace(const std::string& path, const std::stop_token& stop = {});

/// What no sequence of events of a real machine can hold.
enum class TraceConflictKind : std::uint8_t {
  SwitchedOutOther,   ///< a CPU switches from a task that it was not running
  RunsOnTwo,          ///< a task starts on a CPU while it runs on another
  RunsWhereItIsNot,   ///< a task starts on a CPU that it was not moved to
  MovedFromElsewhere  ///< a task is moved from a CPU that it was not on
};

/// Name of a kind for people.
const char* traceConflictName(TraceConflictKind kind);

struct TraceConflict {
  TraceConflictKind kind = TraceConflictKind::SwitchedOutOther;
  std::uint64_t ns = 0;
  std::int32_t line = 0, cpu = -1, pid = -1;
  std::int32_t other = -1;  ///< the CPU, or for SwitchedOutOther the pid, that was expected
};

/// How far a trace can be trusted.
struct TraceCheck {
  std::uint64_t firstNs = 0, lastNs = 0;
  /// Latest of the CPUs' first events, before which the picture is partial; where nothing was ever
  /// overwritten the first event.
  std::uint64_t safeStartNs = 0;
  std::size_t beforeSafeStart = 0;       ///< events
  std::vector<TraceConflict> conflicts;  ///< by time
  std::size_t conflictsBefore = 0;       ///< of them before the safe start
};

/// Looks for contradictions. A trace without sched_migrate_task is not blamed for moves that it does not
/// show.
TraceCheck checkTrace(const Trace& trace);

}  // namespace rqscope
