// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>

#include "formats/trace_text.h"

namespace rqscope {

namespace {

/// As many lines that make no sense are shown with their place; all are counted.
constexpr std::size_t kMostRemarks = 5;
/// CPU numbers above this are garbage, not machines.
constexpr std::int32_t kMostCpus = 65536;

}  // namespace

const char* traceDialectName(TraceDialect dialect) {
  switch (dialect) {
    case TraceDialect::TraceCmdReport:
      return "trace-cmd report";
    case TraceDialect::TraceCmdRaw:
      return "trace-cmd report -R";
    case TraceDialect::Tracefs:
      return "ftrace text";
    case TraceDialect::Systrace:
      return "systrace text";
    case TraceDialect::PerfScript:
      return "perf script";
    case TraceDialect::TraceDat:
      break;
  }
  return "trace.dat";
}

TraceBuilder::TraceBuilder(const std::string& file, TraceDialect dialect) {
  m_trace.file = file;
  m_trace.dialect = dialect;
}

void TraceBuilder::seen(std::int32_t cpu, std::uint64_t ns) {
  if (cpu < 0 || cpu >= kMostCpus) return;
  const auto [entry, isNew] = m_trace.firstNs.try_emplace(cpu, ns);
  if (!isNew) entry->second = std::min(entry->second, ns);
  m_trace.cpus = std::max(m_trace.cpus, cpu + 1);
}

void TraceBuilder::add(const TraceEvent& event) {
  if (event.cpu < 0 || event.cpu >= kMostCpus || event.targetCpu >= kMostCpus || event.fromCpu >= kMostCpus) {
    notUnderstood(event.line, fmt::format("a CPU number above {}", kMostCpus), "");
    return;
  }
  m_trace.cpus = std::max({m_trace.cpus, event.targetCpu + 1, event.fromCpu + 1});
  if (!m_trace.events.empty() && event.ns < m_trace.events.back().ns) ++m_trace.outOfOrder;
  m_trace.events.push_back(event);
}

void TraceBuilder::other(std::string_view name) {
  const auto entry = m_trace.otherEvents.find(std::string(name));
  if (entry != m_trace.otherEvents.end())
    ++entry->second;
  else
    m_trace.otherEvents.emplace(name, 1);
}

void TraceBuilder::name(std::int32_t pid, std::string_view comm) {
  if (pid <= 0 || comm.empty() || comm == "<...>") return;
  const auto [entry, isNew] = m_trace.names.try_emplace(pid, comm);
  if (!isNew && entry->second != comm) entry->second = comm;
}

void TraceBuilder::notUnderstood(int line, std::string what, std::string hint) {
  ++m_trace.notUnderstood;
  if (m_trace.remarks.size() < kMostRemarks)
    m_trace.remarks.push_back({Severity::Warning, {m_trace.file, line, 0}, std::move(what), std::move(hint)});
}

Result<Trace> TraceBuilder::finish() {
  if (m_trace.events.empty()) {
    std::string found;
    for (const auto& [name, count] : m_trace.otherEvents)
      found += fmt::format("{}{} ({})", found.empty() ? "" : ", ", name, count);
    std::vector<Diagnostic> out{
        {Severity::Error,
         {m_trace.file},
         found.empty() ? "the trace holds no events" : "the trace holds no scheduler events, only " + found,
         "record sched_switch and sched_wakeup, best sched_migrate_task as well"}};
    out.insert(out.end(), m_trace.remarks.begin(), m_trace.remarks.end());
    return out;
  }
  std::stable_sort(m_trace.events.begin(), m_trace.events.end(),
                   [](const TraceEvent& a, const TraceEvent& b) { return a.ns < b.ns; });
  return std::move(m_trace);
}

}  // namespace rqscope
