// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <charconv>
#include <map>

#include "formats/trace_scenario.h"

namespace rqscope {

namespace {

constexpr std::int32_t kFirstFairPrio = 100;  ///< MAX_RT_PRIO

/// What one task is doing while the trace is read.
struct Reading {
  TraceTask task;
  bool isOpen = false;  ///< within a turn
  bool isRunning = false;
  std::uint64_t sinceNs = 0;
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
      : m_trace(trace), m_throughput(throughput), m_startNs(startNs) {}

  void look(const TraceEvent& event);
  TraceTasks finish(std::uint64_t endNs);

 private:
  Reading& of(std::int32_t pid, std::int32_t cpu, std::int32_t prio);
  void begin(Reading& reading, std::uint64_t ns);
  void stop(Reading& reading, std::uint64_t ns);
  void switched(const TraceEvent& event);

  const Trace& m_trace;
  const std::vector<std::uint32_t>& m_throughput;
  std::uint64_t m_startNs;
  std::map<std::int32_t, Reading> m_readings;
};

Reading& TurnReader::of(std::int32_t pid, std::int32_t cpu, std::int32_t prio) {
  const auto [entry, isNew] = m_readings.try_emplace(pid);
  Reading& reading = entry->second;
  if (isNew) {
    reading.task.pid = pid;
    reading.task.firstCpu = cpu;
    reading.task.runNsByCpu.resize(static_cast<std::size_t>(m_trace.cpus));
  }
  if (prio >= 0) reading.task.prio = prio;
  return reading;
}

void TurnReader::begin(Reading& reading, std::uint64_t ns) {
  if (reading.isOpen) return;
  reading.isOpen = true;
  reading.task.turns.push_back({ns - m_startNs, 0, 0});
}

/// Ends a stretch on a CPU.
void TurnReader::stop(Reading& reading, std::uint64_t ns) {
  if (!reading.isRunning) return;
  reading.isRunning = false;
  const std::uint64_t ran = ns - reading.sinceNs;
  const auto cpu = static_cast<std::size_t>(reading.cpu);
  reading.task.runNsByCpu[cpu] += ran;
  const std::uint64_t rate = cpu < m_throughput.size() ? m_throughput[cpu] : 1024;
  reading.task.turns.back().runNs += ran;
  reading.task.turns.back().work += ran * rate / 1024;
}

void TurnReader::switched(const TraceEvent& event) {
  if (event.otherPid > 0) {
    Reading& before = of(event.otherPid, event.cpu, -1);
    if (!before.isRunning && !before.isOpen) {  // it ran when the trace began
      begin(before, m_startNs);
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
  begin(next, event.ns);
  next.isRunning = true;
  next.sinceNs = event.ns;
  next.cpu = event.cpu;
}

void TurnReader::look(const TraceEvent& event) {
  switch (event.kind) {
    case TraceEventKind::Switch:
      switched(event);
      return;
    case TraceEventKind::Wakeup:
    case TraceEventKind::WakeupNew:
      if (event.pid > 0) begin(of(event.pid, event.targetCpu, event.prio), event.ns);
      return;
    default:
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
    std::erase_if(task.turns, [](const TraceTurn& t) { return t.runNs == 0; });
    if (task.turns.empty()) continue;
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
    if (event.ns >= check.safeStartNs) reader.look(event);
  return reader.finish(check.lastNs);
}

}  // namespace rqscope
