// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <charconv>
#include <map>

#include "formats/trace_scenario.h"

namespace rqscope {

namespace {

constexpr std::int32_t kFirstFairPrio = 100;  ///< MAX_RT_PRIO
constexpr std::uint64_t kReferenceThroughput = 1024;

/// What one task is doing while the trace is read.
struct Reading {
  TraceTask task;
  std::int32_t wakerCpu = -1;  ///< of a sched_waking whose sched_wakeup is still to come
  bool isOpen = false;         ///< within a turn
  bool isRunning = false;
  std::uint64_t sinceNs = 0;
  std::uint64_t scaledWork = 0;  ///< of the turn: ns times throughput
  std::int32_t cpu = -1;
};

/// "kworker/3:1", "ksoftirqd/3": the number behind the stroke, or -1.
std::int32_t kthreadCpu(const std::string& name) {
  const std::size_t stroke = name.find('/');
  if (stroke == std::string::npos) return -1;
  std::int32_t cpu = -1;
  const char* const end = name.data() + name.size();
  const auto [after, error] = std::from_chars(name.data() + stroke + 1, end, cpu);
  return error == std::errc{} && (after == end || *after == ':') ? cpu : -1;
}

class TurnReader {
 public:
  TurnReader(const Trace& trace, const std::vector<std::uint32_t>& throughput, std::uint64_t startNs)
      : m_trace(trace), m_throughput(throughput), m_startNs(startNs) {
    m_hasIdled.resize(static_cast<std::size_t>(trace.cpus));
    for (const TraceEvent& e : trace.events) {
      m_hasWakeups = m_hasWakeups || e.kind == TraceEventKind::Wakeup;
      m_hasForks = m_hasForks || e.kind == TraceEventKind::WakeupNew || e.kind == TraceEventKind::Fork;
    }
  }

  /// An event before the start: it tells where tasks were last.
  void lookBefore(const TraceEvent& event) {
    if (event.pid > 0) m_cpuBefore[event.pid] = event.targetCpu >= 0 ? event.targetCpu : event.cpu;
  }

  void look(const TraceEvent& event);
  TraceTasks finish(std::uint64_t endNs);

 private:
  Reading& of(std::int32_t pid, std::int32_t cpu, std::int32_t prio);
  void begin(Reading& reading, std::uint64_t ns, std::int32_t wakerCpu = -1);
  void woken(const TraceEvent& event);
  void stop(Reading& reading, std::uint64_t ns);
  void switched(const TraceEvent& event);
  void beginUnwoken(Reading& reading, const TraceEvent& event);
  void migrated(const TraceEvent& event);

  const Trace& m_trace;
  const std::vector<std::uint32_t>& m_throughput;
  std::uint64_t m_startNs;
  bool m_hasWakeups = false;     ///< sched_wakeup; else sched_waking stands for it
  bool m_hasForks = false;       ///< sched_wakeup_new or sched_process_fork
  std::vector<bool> m_hasIdled;  ///< by CPU: since the start
  std::map<std::int32_t, std::int32_t> m_cpuBefore;
  std::map<std::int32_t, Reading> m_readings;
};

Reading& TurnReader::of(std::int32_t pid, std::int32_t cpu, std::int32_t prio) {
  const auto [entry, isNew] = m_readings.try_emplace(pid);
  Reading& reading = entry->second;
  if (isNew) {
    reading.task.pid = pid;
    const auto before = m_cpuBefore.find(pid);
    reading.task.firstCpu = before == m_cpuBefore.end() ? cpu : before->second;
    reading.task.runNsByCpu.resize(static_cast<std::size_t>(m_trace.cpus));
  }
  if (prio >= 0) reading.task.prio = prio;
  return reading;
}

void TurnReader::begin(Reading& reading, std::uint64_t ns, std::int32_t wakerCpu) {
  if (reading.isOpen) return;
  reading.isOpen = true;
  reading.scaledWork = 0;
  if (reading.task.turns.empty()) reading.task.isAwakeAtStart = ns == m_startNs;
  reading.task.turns.push_back({ns - m_startNs, 0, 0, wakerCpu});
}

/// Ends a stretch on a CPU.
void TurnReader::stop(Reading& reading, std::uint64_t ns) {
  if (!reading.isRunning) return;
  reading.isRunning = false;
  const std::uint64_t ran = ns - reading.sinceNs;
  const auto cpu = static_cast<std::size_t>(reading.cpu);
  reading.task.runNsByCpu[cpu] += ran;
  const std::uint64_t rate = cpu < m_throughput.size() ? m_throughput[cpu] : kReferenceThroughput;
  reading.task.turns.back().runNs += ran;
  reading.scaledWork += ran * rate;  // divided once, at the end of the turn: the pieces add up exactly
  reading.task.turns.back().work = reading.scaledWork / kReferenceThroughput;
}

void TurnReader::switched(const TraceEvent& event) {
  if (event.pid == 0 || event.otherPid == 0) m_hasIdled[static_cast<std::size_t>(event.cpu)] = true;
  if (event.otherPid > 0) {
    Reading& before = of(event.otherPid, event.cpu, -1);
    if (!before.isRunning && !before.isOpen) {  // it ran when the trace began
      begin(before, m_startNs);
      before.task.runsAtStart = before.task.turns.size() == 1;
      before.isRunning = true;
      before.sinceNs = m_startNs;
      before.cpu = event.cpu;
    }
    stop(before, event.ns);
    if (!event.staysRunnable) before.isOpen = false;
  }
  if (event.pid <= 0) return;
  Reading& next = of(event.pid, event.cpu, event.prio);
  stop(next, event.ns);
  if (!next.isOpen) beginUnwoken(next, event);
  next.isRunning = true;
  next.sinceNs = event.ns;
  next.cpu = event.cpu;
}

/// A task gets a CPU and no wakeup of it is recorded. The first time it has waited since before the start,
/// unless that CPU has idled since: then it is new, or, where forks are recorded, its wakeup was lost.
void TurnReader::beginUnwoken(Reading& reading, const TraceEvent& event) {
  TraceTask& task = reading.task;
  const bool isFirst = m_hasWakeups && task.turns.empty() && task.forkCpu < 0;
  if (!isFirst) return begin(reading, event.ns);
  if (!m_hasIdled[static_cast<std::size_t>(event.cpu)]) {
    task.firstCpu = event.cpu;
    return begin(reading, m_startNs);
  }
  if (!m_hasForks && !m_cpuBefore.contains(task.pid)) task.forkCpu = event.cpu;
  begin(reading, event.ns);
}

/// Of a task that sleeps or is new. Without wakeups it is the first sign of one.
void TurnReader::migrated(const TraceEvent& event) {
  Reading& reading = of(event.pid, event.fromCpu, event.prio);
  if (!m_hasWakeups && !reading.isOpen) begin(reading, event.ns, event.cpu);
}

void TurnReader::woken(const TraceEvent& event) {
  if (event.pid <= 0) return;
  Reading& reading = of(event.pid, event.targetCpu, event.prio);
  if (event.kind == TraceEventKind::Waking) {
    reading.wakerCpu = event.cpu;
    if (m_hasWakeups) return;
  }
  const bool isForked = event.kind == TraceEventKind::WakeupNew;
  if (isForked && reading.task.turns.empty() && !reading.isOpen) reading.task.forkCpu = event.cpu;
  begin(reading, event.ns, isForked ? -1 : reading.wakerCpu >= 0 ? reading.wakerCpu : event.cpu);
  reading.wakerCpu = -1;
}

void TurnReader::look(const TraceEvent& event) {
  switch (event.kind) {
    case TraceEventKind::Switch:
      switched(event);
      return;
    case TraceEventKind::Waking:
    case TraceEventKind::Wakeup:
    case TraceEventKind::WakeupNew:
      woken(event);
      return;
    case TraceEventKind::Fork:
      if (Reading& child = of(event.pid, event.cpu, -1); child.task.turns.empty())
        child.task.forkCpu = event.cpu;
      return;
    case TraceEventKind::Migrate:
      if (event.pid > 0) migrated(event);
      return;
    case TraceEventKind::Exit:
      return;
  }
}

TraceTasks TurnReader::finish(std::uint64_t endNs) {
  TraceTasks out;
  out.startNs = m_startNs;
  out.lengthNs = endNs - m_startNs;
  for (auto& [pid, reading] : m_readings) {
    stop(reading, endNs);
    TraceTask& task = reading.task;
    if (task.turns.empty()) continue;
    if (reading.isOpen)  // it is not over, so it must not end before the trace does
      task.turns.back().work = (reading.scaledWork + kReferenceThroughput - 1) / kReferenceThroughput;
    if (task.prio >= 0 && task.prio < kFirstFairPrio) {
      ++out.realTime;
      for (const TraceTurn& turn : task.turns) out.realTimeNs += turn.runNs;
      continue;
    }
    const auto name = m_trace.names.find(pid);
    task.name = name == m_trace.names.end() ? "task" : name->second;
    const std::int32_t cpu = kthreadCpu(task.name);
    task.isPerCpuKthread = cpu >= 0 && cpu < m_trace.cpus;
    for (std::int32_t i = 0; i < m_trace.cpus && task.isPerCpuKthread; ++i)
      task.isPerCpuKthread = i == cpu || task.runNsByCpu[static_cast<std::size_t>(i)] == 0;
    if (task.isPerCpuKthread) task.firstCpu = cpu;
    out.tasks.push_back(std::move(task));
  }
  return out;
}

}  // namespace

TraceTasks tasksOfTrace(const Trace& trace, const std::vector<std::uint32_t>& throughput) {
  const TraceCheck check = checkTrace(trace);
  TurnReader reader(trace, throughput, std::min(check.safeStartNs, check.lastNs));
  for (const TraceEvent& event : trace.events)
    event.ns >= check.safeStartNs ? reader.look(event) : reader.lookBefore(event);
  return reader.finish(check.lastNs);
}

}  // namespace rqscope
