// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/sim_state.h"
#include "formats/trace.h"
#include "runqueue/observer.h"

namespace rqscope {

/// Writes what a run does as the scheduler's trace events: the same values that a recorded trace is read
/// into. Time is run time. Kernel: the tracepoints sched_switch, sched_waking, sched_wakeup,
/// sched_wakeup_new, sched_migrate_task and sched_process_exit.
class RunTracer final : public Observer {
 public:
  /// Which pid a task goes by; below 0: it is left out.
  using PidOf = std::function<std::int32_t(const Machine&, TaskId)>;
  /// `start` is the state in which tracing begins. Who runs and waits there is told as if it began there.
  explicit RunTracer(const SimState& start, PidOf pidOf = {});

  /// What has been written since the last call.
  Trace take(const std::string& file);
  std::size_t events() const { return m_events.size(); }

 private:
  void onSwitch(const Machine& m, const Switch& sw) override;
  void onSetTaskCpu(const Machine& m, TaskId task, CpuId from, CpuId to, MigrationReason reason) override;
  void onPlacementBegin(const Machine& m, const PlacementCall& call) override;
  void onWakeup(const Machine& m, TaskId task, CpuId cpu) override;
  void onNewTask(const Machine& m, TaskId task) override;
  void onTaskDead(const Machine& m, TaskId task) override;
  void tellStart(const SimState& start);
  std::int32_t pidOf(const Machine& m, TaskId task, Thread kind, CpuId cpu);
  std::int32_t pidOf(const Machine& m, TaskId task);
  TraceEvent& add(const Machine& m, TraceEventKind kind, CpuId cpu, std::int32_t pid);

  PidOf m_pidOf;
  std::uint64_t m_originNs;
  std::int32_t m_cpus;
  std::vector<TraceEvent> m_events;
  std::map<std::int32_t, std::string> m_names;
  std::vector<bool> m_isNew;  ///< by task slot: forked, not yet woken
  PlacementCall m_call;       ///< the last one that began
};

/// Text of a trace in the form of the kernel's file "trace", times in ns: what rqscope reads again without
/// loss.
std::string traceText(const Trace& trace);

}  // namespace rqscope
