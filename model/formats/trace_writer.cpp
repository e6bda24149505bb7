// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include "formats/run_tracer.h"

namespace rqscope {

namespace {

constexpr std::uint64_t kNsPerSecond = 1'000'000'000;

std::string nameOf(const Trace& trace, std::int32_t pid, std::int32_t cpu) {
  if (pid == 0) return fmt::format("swapper/{}", cpu);
  const auto name = trace.names.find(pid);
  // TASK_COMM_LEN: no name in a real trace is longer.
  constexpr std::size_t kLongestName = 15;
  return name == trace.names.end() ? "task" : name->second.substr(0, kLongestName);
}

std::string fieldsOf(const Trace& trace, const TraceEvent& e) {
  const auto name = [&](std::int32_t pid) { return nameOf(trace, pid, e.cpu); };
  switch (e.kind) {
    case TraceEventKind::Switch:
      return fmt::format(
          "sched_switch: prev_comm={} prev_pid={} prev_prio=120 prev_state={} ==> next_comm={} next_pid={} "
          "next_prio={}",
          name(e.otherPid), e.otherPid, e.staysRunnable ? "R" : "S", name(e.pid), e.pid, e.prio);
    case TraceEventKind::Waking:
    case TraceEventKind::Wakeup:
    case TraceEventKind::WakeupNew:
      return fmt::format("{}: comm={} pid={} prio={} target_cpu={:03}",
                         e.kind == TraceEventKind::Waking   ? "sched_waking"
                         : e.kind == TraceEventKind::Wakeup ? "sched_wakeup"
                                                            : "sched_wakeup_new",
                         name(e.pid), e.pid, e.prio, e.targetCpu);
    case TraceEventKind::Migrate:
      return fmt::format("sched_migrate_task: comm={} pid={} prio={} orig_cpu={} dest_cpu={}", name(e.pid),
                         e.pid, e.prio, e.fromCpu, e.targetCpu);
    case TraceEventKind::Fork:
      return fmt::format("sched_process_fork: comm={} pid={} child_comm={} child_pid={}", name(e.otherPid),
                         e.otherPid, name(e.pid), e.pid);
    case TraceEventKind::Exit:
      break;
  }
  return fmt::format("sched_process_exit: comm={} pid={} prio={}", name(e.pid), e.pid, e.prio);
}

}  // namespace

std::string traceText(const Trace& trace) {
  std::string out = fmt::format(
      "# tracer: nop\n#\n# entries-in-buffer/entries-written: {0}/{0}   #P:{1}\n#\n"
      "#           TASK-PID     CPU#  |||||  TIMESTAMP  FUNCTION\n",
      trace.events.size(), trace.cpus);
  std::vector<std::int32_t> current(static_cast<std::size_t>(trace.cpus), 0);
  for (const TraceEvent& e : trace.events) {
    std::int32_t& pid = current[static_cast<std::size_t>(e.cpu)];
    if (e.kind == TraceEventKind::Switch) pid = e.otherPid;
    const std::string name = pid == 0 ? "<idle>" : nameOf(trace, pid, e.cpu);
    out += fmt::format("{:>16}-{:<8} [{:03}] d..2. {:5}.{:09}: {}\n", name, pid, e.cpu, e.ns / kNsPerSecond,
                       e.ns % kNsPerSecond, fieldsOf(trace, e));
    if (e.kind == TraceEventKind::Switch) pid = e.pid;
  }
  return out;
}

}  // namespace rqscope
