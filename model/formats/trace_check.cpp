// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <unordered_map>

#include "formats/trace.h"

namespace rqscope {

namespace {

constexpr std::int32_t kUnknown = -1;

/// What is known of a task while reading.
struct Place {
  std::int32_t onCpu = kUnknown;     ///< where it runs
  std::int32_t assigned = kUnknown;  ///< whose queue it is on or was last on
};

class Checker {
 public:
  explicit Checker(const Trace& trace)
      : m_running(static_cast<std::size_t>(trace.cpus), kUnknown),
        m_hasMoves(std::any_of(trace.events.begin(), trace.events.end(),
                               [](const TraceEvent& e) { return e.kind == TraceEventKind::Migrate; })) {}

  void look(const TraceEvent& event);
  std::vector<TraceConflict> take() { return std::move(m_conflicts); }

 private:
  void switched(const TraceEvent& event);
  void conflict(TraceConflictKind kind, const TraceEvent& event, std::int32_t pid, std::int32_t other) {
    m_conflicts.push_back({kind, event.ns, event.line, event.cpu, pid, other});
  }

  std::vector<std::int32_t> m_running;  ///< pid by CPU
  std::unordered_map<std::int32_t, Place> m_places;
  std::vector<TraceConflict> m_conflicts;
  bool m_hasMoves;
};

void Checker::switched(const TraceEvent& event) {
  std::int32_t& running = m_running[static_cast<std::size_t>(event.cpu)];
  if (running != kUnknown && running != event.otherPid)
    conflict(TraceConflictKind::SwitchedOutOther, event, event.otherPid, running);
  if (running > 0 && running != event.otherPid) m_places[running].onCpu = kUnknown;
  if (event.otherPid > 0) {
    Place& before = m_places[event.otherPid];
    before.onCpu = kUnknown;
    before.assigned = event.cpu;
  }
  running = event.pid;
  if (event.pid <= 0) return;
  Place& place = m_places[event.pid];
  if (place.onCpu != kUnknown && place.onCpu != event.cpu)
    conflict(TraceConflictKind::RunsOnTwo, event, event.pid, place.onCpu);
  else if (m_hasMoves && place.assigned != kUnknown && place.assigned != event.cpu)
    conflict(TraceConflictKind::RunsWhereItIsNot, event, event.pid, place.assigned);
  place.onCpu = place.assigned = event.cpu;
}

void Checker::look(const TraceEvent& event) {
  if (event.kind == TraceEventKind::Switch) {
    switched(event);
    return;
  }
  if (event.kind == TraceEventKind::Migrate) {
    Place& place = m_places[event.pid];
    if (place.assigned != kUnknown && place.assigned != event.fromCpu)
      conflict(TraceConflictKind::MovedFromElsewhere, event, event.pid, place.assigned);
    place.assigned = event.targetCpu;
  } else if (event.kind == TraceEventKind::Wakeup || event.kind == TraceEventKind::WakeupNew) {
    // A waker that finds the task on its way out only keeps it there: no contradiction, and no move.
    Place& place = m_places[event.pid];
    if (place.onCpu == kUnknown) place.assigned = event.targetCpu;
  }
}

}  // namespace

const char* traceConflictName(TraceConflictKind kind) {
  switch (kind) {
    case TraceConflictKind::SwitchedOutOther:
      return "a CPU leaves a task that it was not running";
    case TraceConflictKind::RunsOnTwo:
      return "a task starts while it runs on another CPU";
    case TraceConflictKind::RunsWhereItIsNot:
      return "a task starts on a CPU that it was not moved to";
    case TraceConflictKind::MovedFromElsewhere:
      break;
  }
  return "a task is moved from a CPU that it was not on";
}

TraceCheck checkTrace(const Trace& trace) {
  TraceCheck out;
  if (trace.events.empty()) return out;
  out.firstNs = trace.events.front().ns;
  out.lastNs = trace.events.back().ns;
  out.safeStartNs = out.firstNs;
  if (!trace.isWhole || trace.lostEvents != 0)
    for (const auto& [cpu, ns] : trace.firstNs) out.safeStartNs = std::max(out.safeStartNs, ns);
  Checker checker(trace);
  for (const TraceEvent& event : trace.events) {
    checker.look(event);
    if (event.ns < out.safeStartNs) ++out.beforeSafeStart;
  }
  out.conflicts = checker.take();
  out.conflictsBefore =
      static_cast<std::size_t>(std::count_if(out.conflicts.begin(), out.conflicts.end(),
                                             [&](const TraceConflict& c) { return c.ns < out.safeStartNs; }));
  return out;
}

}  // namespace rqscope
