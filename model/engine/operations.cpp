// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "engine/scheduler.h"
#include "engine/simulator.h"
#include "runqueue/load_tracking.h"

namespace rqscope {

/// Tasks alive with that name, or whose program has it; "*" is all.
std::vector<TaskId> Simulator::tasksNamed(std::string_view name) const {
  std::vector<TaskId> out;
  const auto& threads = m_state.workload.threads;
  for (std::size_t slot = 0; slot < threads.size(); ++slot) {
    const ThreadState& t = threads[slot];
    if (t.program < 0 || t.endNs >= 0) continue;
    const std::string& own = m_state.machine.tasks[slot].name;
    if (name == "*" || own == name || program().threads[static_cast<std::size_t>(t.program)].name == name)
      out.push_back(TaskId{slot});
  }
  return out;
}

GroupId Simulator::groupNamed(std::string_view name) const {
  for (std::size_t i = 0; i < program().groups.size(); ++i)
    if (program().groups[i].name == name) return m_state.groupIds[i];
  return name == "/" ? GroupId{0} : GroupId{};
}

/// False when the operation names nothing that is there.
bool Simulator::runOperation(const Operation& op) {
  switch (op.kind) {
    case OperationKind::Mark:
      return true;
    case OperationKind::Online:
    case OperationKind::Offline:
      return setCpuOnline(op.cpu, op.kind == OperationKind::Online);
    case OperationKind::Frequency:
    case OperationKind::Capacity:
    case OperationKind::Throughput:
      return runCpuOperation(op);
    case OperationKind::Weight:
    case OperationKind::Quota:
      return runGroupOperation(op);
    case OperationKind::Fork:
      return forkByScript(op);
    default:
      break;
  }
  const std::vector<TaskId> tasks = tasksNamed(op.task);
  for (const TaskId task : tasks) runTaskOperation(op, task);
  return !tasks.empty();
}

bool Simulator::forkByScript(const Operation& op) {
  const auto& threads = program().threads;
  const auto it =
      std::find_if(threads.begin(), threads.end(), [&](const ThreadProgram& t) { return t.name == op.task; });
  if (it == threads.end()) return false;
  const CpuMask& online = m_state.machine.topology->online;
  const CpuId cpu = op.cpu.isValid() && online.test(op.cpu) ? op.cpu : online.first();
  startThread(static_cast<std::int32_t>(it - threads.begin()), TaskId{}, cpu);
  return true;
}

void Simulator::runTaskOperation(const Operation& op, TaskId task) {
  Context ctx = context();
  const CpuMask& online = m_state.machine.topology->online;
  const CpuId here = m_state.machine.task(task).cpu;
  m_state.touchedCpus.set(here);
  switch (op.kind) {
    case OperationKind::Pin:
      if (op.cpus.intersects(online)) changeAffinity(task, op.cpus, here);
      break;
    case OperationKind::Unpin:
      changeAffinity(task, m_state.allCpus, here);
      break;
    case OperationKind::Nice:
      setUserNice(ctx, task, static_cast<int>(op.value));
      break;
    case OperationKind::Policy:
      setPolicy(ctx, task,
                op.policy == ProgramPolicy::Batch  ? SchedPolicy::Batch
                : op.policy == ProgramPolicy::Idle ? SchedPolicy::Idle
                                                   : SchedPolicy::Normal);
      break;
    case OperationKind::Slice:
      setSlice(ctx, task, static_cast<std::uint64_t>(op.value));
      break;
    case OperationKind::MoveGroup:
      if (const GroupId group = groupNamed(op.group); group.isValid()) schedMoveTask(ctx, task, group);
      break;
    case OperationKind::Wake:
      wakeByScript(task, op.cpu.isValid() ? op.cpu : here);
      break;
    case OperationKind::Kill:
      killByScript(task);
      break;
    default:
      break;
  }
}

void Simulator::wakeByScript(TaskId task, CpuId cpu) {
  if (!m_state.machine.rq(cpu).isOnline) cpu = m_state.machine.topology->online.first();
  if (m_state.machine.task(task).state == TaskState::Sleeping) wakeThread(task, cpu);
}

/// The thread ends when it next runs; a sleeping one is woken for it. Kernel: SIGKILL.
void Simulator::killByScript(TaskId task) {
  const Task& t = m_state.machine.task(task);
  thread(task).isKilled = true;
  if (t.state == TaskState::Sleeping) {
    wakeThread(task, t.cpu);
  } else if (m_state.machine.rq(t.cpu).curr == task) {
    settle(t.cpu, task);
    arm(t.cpu, task);
  }
}

bool Simulator::runCpuOperation(const Operation& op) {
  Context ctx = context();
  Machine& m = m_state.machine;
  bool found = false;
  (op.cpus & m.topology->online).forEach([&](CpuId cpu) {
    found = true;
    const TaskId curr = m.rq(cpu).curr;
    if (curr.isValid()) settle(cpu, curr);
    const auto value = static_cast<std::uint32_t>(std::clamp<std::int64_t>(op.value, 1, 1 << 20));
    if (op.kind == OperationKind::Frequency) setFrequency(ctx, cpu, std::min(value, 1024U));
    if (op.kind == OperationKind::Throughput) m_state.cpus[cpu.index()].throughput = value;
    if (op.kind == OperationKind::Capacity)
      m.rq(cpu).cpufreqPressure = capacityOrig(m, cpu) - std::min<std::uint64_t>(value, capacityOrig(m, cpu));
    if (curr.isValid()) arm(cpu, curr);
  });
  return found;
}

bool Simulator::runGroupOperation(const Operation& op) {
  const GroupId group = groupNamed(op.group);
  if (!group.isValid() || group == GroupId{0}) return false;
  Context ctx = context();
  if (op.kind == OperationKind::Weight) {
    setGroupShares(ctx, group, sharesOfCgroupWeight(static_cast<std::uint64_t>(op.value)));
  } else {
    setGroupBandwidth(ctx, group, op.value, op.periodNs);
    auto& quotas = m_state.quotaGroups;
    if (std::find(quotas.begin(), quotas.end(), group) == quotas.end()) quotas.push_back(group);
  }
  m_state.touchedCpus |= m_state.machine.topology->online;
  return true;
}

}  // namespace rqscope
