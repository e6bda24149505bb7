// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <deque>
#include <map>
#include <vector>

#include "engine/scheduler.h"
#include "evaluate/stepped_events.h"
#include "evaluate/stepped_scenario.h"

namespace rqscope {

/// Runs a stepped scenario on the engine in the documented order of the real runs: operations, then each
/// CPU's tick with its softirq and reschedule, every time until all CPUs are quiet.
class SteppedDriver : private Concurrency {
 public:
  SteppedDriver(const SteppedScenario& scenario, Machine machine);

  /// Tick t: its operations, then the tick of every CPU. Events are in events() afterwards.
  void runTick(std::int64_t tick);

  Machine& machine() { return m_machine; }
  const Machine& machine() const { return m_machine; }
  SteppedEvents& events() { return m_events; }
  const std::vector<TaskId>& tasks() const { return m_tasks; }
  const std::vector<GroupId>& groups() const { return m_groups; }
  int groupIndexOf(TaskId task) const;

 private:
  /// What a task does by itself as soon as it has a CPU.
  struct Action {
    enum class Kind { Wake, Block, Fork } kind;
    TaskId target;
  };
  void apply(const SteppedOp& op);
  bool applyToTask(const SteppedOp& op, TaskId task);
  void applyToGroup(const SteppedOp& op);
  bool isAwake(TaskId task) const;
  void settle(CpuId first);
  bool serve(CpuId cpu);
  bool actCurrent(CpuId cpu);
  void forkChild(TaskId parent, CpuId cpu);
  TaskId taskOf(int id) const;
  /// A reschedule that another CPU asked of `cpu` in this very phase comes before its tasks are looked at.
  void beforeRemoteLock(Context& ctx, CpuId cpu) override;

  const SteppedScenario& m_scenario;
  std::uint64_t m_startNs;
  Machine m_machine;
  SteppedEvents m_events;
  Context m_ctx;
  std::vector<TaskId> m_tasks;
  std::vector<GroupId> m_groups;
  std::map<std::string, GroupId> m_groupNames;
  std::vector<std::deque<Action>> m_actions;  ///< by task id of the record
  std::size_t m_nextOp = 0;
};

}  // namespace rqscope
