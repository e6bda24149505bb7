// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "api/trace_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "formats/trace.h"
#include "formats/trace_scenario.h"
#include "rqscope/simulation.h"
#include "topology/file_tree.h"
#include "topology/machine_file.h"

namespace rqscope {

namespace fs = std::filesystem;

namespace {

double seconds(std::uint64_t ns) { return static_cast<double>(ns) / 1e9; }

/// The platform file that LISA keeps beside a trace, or nothing.
std::string platformFileOf(const std::string& path) {
  fs::path stem = fs::path(path).filename();
  while (stem.has_extension()) stem = stem.stem();
  const fs::path found = fs::path(path).parent_path() / (stem.string() + ".plat_info.yml");
  std::error_code ignored;
  return fs::is_regular_file(found, ignored) ? fs::absolute(found, ignored).string() : "";
}

std::string machineOf(const Trace& trace, const std::string& given) {
  if (!given.empty()) return given;
  const std::string platform = platformFileOf(trace.file);
  return platform.empty() ? fmt::format("1 package x {} cores", trace.cpus) : platform;
}

/// Work rates by CPU number; refuses a machine that lacks a CPU on which the trace ran something.
Result<std::vector<std::uint32_t>> throughputOf(const Trace& trace, const std::string& machine) {
  auto hardware = loadMachine(machine, api::resourceDirectory() + "/topologies");
  if (!hardware) return hardware.diagnostics();
  std::vector<std::uint32_t> rates;
  const CpuMask online = hardware.value().onlineCpus();
  for (const HardwareCpu& cpu : hardware.value().cpus) {
    rates.resize(cpu.id.index() + 1, 1024);
    rates.back() = cpu.throughput;
  }
  for (const auto& [cpu, ns] : trace.firstNs)
    if (!online.test(CpuId{cpu}))
      return Diagnostic{Severity::Error,
                        {trace.file},
                        fmt::format("the trace has events of CPU {}, which {} does not have", cpu, machine),
                        fmt::format("--machine names a machine with {} CPUs", trace.cpus)};
  return rates;
}

Diagnostic note(const std::string& file, std::string message) {
  return {Severity::Note, {file}, std::move(message), ""};
}

Diagnostic warning(const std::string& file, int line, std::string message, std::string hint = {}) {
  return {Severity::Warning, {file, line, 0}, std::move(message), std::move(hint)};
}

/// "sched_switch 1856, sched_wakeup 1068; not read: print 14"
std::string countsOf(const Trace& trace) {
  static constexpr const char* kNames[] = {"sched_switch",      "sched_waking",       "sched_wakeup",
                                           "sched_wakeup_new",  "sched_migrate_task", "sched_process_fork",
                                           "sched_process_exit"};
  std::map<TraceEventKind, std::size_t> counts;
  for (const TraceEvent& event : trace.events) ++counts[event.kind];
  std::string out;
  for (const auto& [kind, count] : counts)
    out += fmt::format("{}{} {}", out.empty() ? "" : ", ", kNames[static_cast<std::size_t>(kind)], count);
  std::string others;
  for (const auto& [name, count] : trace.otherEvents)
    others += fmt::format("{}{} {}", others.empty() ? "; not read: " : ", ", name, count);
  return out + others;
}

void addConflicts(const Trace& trace, const TraceCheck& check, std::vector<Diagnostic>& out) {
  std::map<TraceConflictKind, std::pair<std::size_t, const TraceConflict*>> kinds;
  for (const TraceConflict& conflict : check.conflicts) {
    auto& [count, first] = kinds[conflict.kind];
    if (count++ == 0) first = &conflict;
  }
  for (const auto& [kind, found] : kinds) {
    const TraceConflict& c = *found.second;
    const bool isPid = kind == TraceConflictKind::SwitchedOutOther;
    out.push_back(warning(trace.file, c.line,
                          fmt::format("{}: {} times, first at {:.6f} s: pid {} on CPU {}, expected {} {}",
                                      traceConflictName(kind), found.first, seconds(c.ns), c.pid, c.cpu,
                                      isPid ? "pid" : "CPU", c.other),
                          "events were lost or the clocks of the CPUs differ"));
  }
}

}  // namespace

bool isTraceFile(const std::string& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored) && looksLikeTrace(startOfCompressed(path));
}

Result<TraceInput> openTrace(const std::string& path, const std::string& machine,
                             const std::stop_token& stop) {
  auto read = readTrace(path, stop);
  if (!read) return read.diagnostics();
  TraceInput out;
  out.trace = std::move(read).value();
  const std::string on = machineOf(out.trace, machine);
  const auto throughput = throughputOf(out.trace, on);
  if (!throughput) return throughput.diagnostics();
  out.tasks = tasksOfTrace(out.trace, throughput.value());
  if (out.tasks.tasks.empty())
    return Diagnostic{Severity::Error,
                      {path},
                      "no fair task runs behind the moment from which all CPUs are recorded",
                      fmt::format("that moment is {:.6f} s", seconds(out.tasks.startNs))};
  std::error_code ignored;
  fs::path stem = fs::path(path).filename();
  while (stem.has_extension()) stem = stem.stem();
  const fs::path folder = fs::absolute(path, ignored).parent_path();
  out.scenario = {(folder / ("tasks-of-" + stem.string() + ".json")).string(),
                  scenarioOfTrace(out.trace, out.tasks, on)};
  return out;
}

Result<ScenarioText> scenarioFromTrace(const std::string& path, const std::string& machine,
                                       const std::stop_token& stop) {
  auto input = openTrace(path, machine, stop);
  if (!input) return input.diagnostics();
  return std::move(input).value().scenario;
}

std::vector<Diagnostic> checkTraceFile(const std::string& path) {
  const auto read = readTrace(path);
  if (!read) return read.diagnostics();
  const Trace& trace = read.value();
  const TraceCheck check = checkTrace(trace);
  std::vector<Diagnostic> out;
  out.push_back(
      note(path, fmt::format("{}: {} CPUs, {:.6f} to {:.6f} s; {}", traceDialectName(trace.dialect),
                             trace.cpus, seconds(check.firstNs), seconds(check.lastNs), countsOf(trace))));
  out.push_back(
      note(path, fmt::format("all CPUs are recorded from {:.6f} s on; {} of {} events stand before",
                             seconds(check.safeStartNs), check.beforeSafeStart, trace.events.size())));
  if (trace.lostEvents != 0)
    out.push_back(warning(path, 0,
                          fmt::format("{} events were lost{}", trace.lostEvents,
                                      trace.isOverwritten ? ", as the buffer was overwritten" : ""),
                          "a larger buffer keeps them"));
  if (trace.outOfOrder != 0)
    out.push_back(warning(
        path, 0, fmt::format("{} events stand behind later ones; they were sorted", trace.outOfOrder)));
  if (trace.notUnderstood != 0)
    out.push_back(warning(
        path, 0, fmt::format("{} lines or records make no sense; the first follow", trace.notUnderstood)));
  out.insert(out.end(), trace.remarks.begin(), trace.remarks.end());
  addConflicts(trace, check, out);
  if (!check.conflicts.empty())
    out.push_back(note(path, fmt::format("{} contradictions, {} of them before all CPUs are recorded",
                                         check.conflicts.size(), check.conflictsBefore)));
  return out;
}

}  // namespace rqscope
