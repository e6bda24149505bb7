// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "evaluate/stepped_driver.h"

#include <algorithm>

#include <fmt/format.h>

namespace rqscope {
namespace {

using Kind = SteppedOp::Kind;

constexpr CpuId kDriverCpu{0};

/// The state the driver resets everything to before the first tick.
void resetQueues(Machine& m) {
  for (CfsRq& queue : m.cfs) queue.zeroVruntime = m.nowNs;
}

TaskId addSleeper(Machine& m, const SteppedTask& spec) {
  NewTask task;
  task.cpu = CpuId{spec.cpu};
  task.cpusAllowed = spec.cpus;
  task.policy = spec.policy;
  if (spec.policy != SchedPolicy::Idle) task.nice = spec.nice;  // the driver sets either
  const TaskId id = addTask(m, task);
  m.task(id).state = TaskState::Sleeping;
  m.task(id).newTask = false;
  // The driver set the affinity before the capacities were known, from CPU 0, whose cursor moved on.
  m.task(id).maxAllowedCapacity = static_cast<std::uint32_t>(kCapacityScale);
  std::int32_t& cursor = m.rq(kDriverCpu).distributePrev;
  const CpuId next = spec.cpus.firstFromWrapping(CpuId{cursor + 1});
  if (next.isValid()) cursor = next.value;
  SchedEntity& se = m.se(id);
  se.vruntime = se.deadline = se.minVruntime = m.nowNs;
  se.minSlice = se.slice;
  return id;
}

}  // namespace

SteppedDriver::SteppedDriver(const SteppedScenario& scenario, Machine machine)
    : m_scenario(scenario),
      m_startNs(machine.nowNs),
      m_machine(std::move(machine)),
      m_ctx{m_machine, m_events, this} {
  resetQueues(m_machine);
  for (const auto& [cpu, frequency] : scenario.frequencies) m_machine.rq(CpuId{cpu}).freqCapacity = frequency;
  for (const SteppedTask& task : scenario.tasks) {
    m_tasks.push_back(addSleeper(m_machine, task));
    m_events.bindTask(static_cast<int>(m_tasks.size()) - 1, m_tasks.back());
  }
  m_actions.resize(m_tasks.size());
}

TaskId SteppedDriver::taskOf(int id) const {
  return id >= 0 && static_cast<std::size_t>(id) < m_tasks.size() ? m_tasks[static_cast<std::size_t>(id)]
                                                                  : TaskId{};
}

int SteppedDriver::groupIndexOf(TaskId task) const {
  const GroupId group = m_machine.task(task).group;
  const auto at = std::ranges::find(m_groups, group);
  return at == m_groups.end() ? -1 : static_cast<int>(at - m_groups.begin());
}

void SteppedDriver::runTick(std::int64_t tick) {
  m_events.beginTick(tick);
  for (int number = 0; m_nextOp < m_scenario.ops.size() && m_scenario.ops[m_nextOp].atTick <= tick;
       ++number) {
    m_events.setPhase(fmt::format("op{}", number));
    apply(m_scenario.ops[m_nextOp++]);
    settle(kDriverCpu);
  }
  m_machine.nowNs += m_machine.tunables().tickNs();
  ++m_machine.jiffies;
  for (int number = 1; number <= m_scenario.cpus; ++number) {
    const CpuId cpu{number};
    m_events.setPhase(fmt::format("tick{}", number));
    schedTick(m_ctx, cpu);
    settle(cpu);
  }
}

void SteppedDriver::settle(CpuId first) {
  serve(first);
  for (bool isBusy = true; isBusy;) {
    isBusy = false;
    for (int cpu = 0; cpu <= m_scenario.cpus; ++cpu) isBusy |= serve(CpuId{cpu});
  }
  m_machine.pendingCpus = CpuMask{};
}

void SteppedDriver::beforeRemoteLock(Context& ctx, CpuId cpu) {
  const Rq& rq = m_machine.rq(cpu);
  const bool hasJob =
      std::ranges::any_of(m_machine.stopperWork, [&](const StopperWork& w) { return w.cpu == cpu; });
  // The interrupt is slower than one domain's pass: the real runs show both orders, this rule fits them.
  if (m_events.passesSinceNewidle() == 0) return;
  if (!rq.needResched || hasJob || rq.stopperRunning || rq.softirqPending) return;
  m_events.holdSwitches(true);
  schedule(ctx, cpu);
  m_events.holdSwitches(false);
}

bool SteppedDriver::serve(CpuId cpu) {
  bool didWork = false;
  for (;;) {
    didWork |= serveCpu(m_ctx, cpu);
    if (!actCurrent(cpu)) return didWork;
    didWork = true;
  }
}

bool SteppedDriver::actCurrent(CpuId cpu) {
  const TaskId current = m_machine.rq(cpu).curr;
  if (!current.isValid()) return false;
  auto& actions = m_actions[static_cast<std::size_t>(m_events.idOf(current))];
  if (actions.empty()) return false;
  const Action action = actions.front();
  actions.pop_front();
  switch (action.kind) {
    case Action::Kind::Wake:
      tryToWakeUp(m_ctx, action.target, cpu, 0);
      break;
    case Action::Kind::Block:
      blockCurrent(m_ctx, cpu);
      break;
    case Action::Kind::Fork:
      forkChild(current, cpu);
      break;
  }
  return true;
}

void SteppedDriver::forkChild(TaskId parent, CpuId cpu) {
  const Task& p = m_machine.task(parent);
  NewTask spec;
  spec.group = p.group;
  spec.cpu = cpu;
  spec.cpusAllowed = p.cpusAllowed;
  spec.nice = p.nice;
  spec.policy = p.policy;
  const int id = static_cast<int>(m_tasks.size());
  const TaskId child = schedFork(m_ctx, parent, spec);
  m_tasks.push_back(child);
  m_actions.emplace_back();
  m_events.bindTask(id, child);
  m_events.note({{"ev", "newtask"}, {"id", id}, {"parent", m_events.idOf(parent)}});
  wakeUpNewTask(m_ctx, child);
}

bool SteppedDriver::isAwake(TaskId task) const { return m_machine.task(task).state == TaskState::Running; }

void SteppedDriver::apply(const SteppedOp& op) {
  m_events.note({{"ev", "op"}, {"op", op.text}});
  if (op.kind == Kind::CgroupCreate || op.kind == Kind::CgroupWeight) {
    applyToGroup(op);
    return;
  }
  if (op.kind == Kind::SetFrequency) {
    setFrequency(m_ctx, CpuId{op.cpu}, static_cast<std::uint32_t>(op.value));
    return;
  }
  const TaskId task = taskOf(op.id);
  if (task.isValid() && applyToTask(op, task)) return;
  const std::string name = op.text.substr(0, op.text.find(' '));
  m_events.note({{"ev", "op_skipped"}, {"op", name}, {"id", op.id}});
}

void SteppedDriver::applyToGroup(const SteppedOp& op) {
  if (op.kind == Kind::CgroupCreate) {
    const std::size_t slash = op.group.rfind('/');
    const auto parent =
        slash == std::string::npos ? m_groupNames.end() : m_groupNames.find(op.group.substr(0, slash));
    const GroupId group =
        addGroup(m_machine, op.group, parent == m_groupNames.end() ? GroupId{0} : parent->second);
    for (int cpu = 0; cpu <= m_scenario.cpus; ++cpu)  // the driver resets new queues as it did the first ones
      m_machine.queue(queueOf(m_machine, group, CpuId{cpu})).zeroVruntime = m_startNs;
    m_groups.push_back(group);
    m_groupNames[op.group] = group;
    return;
  }
  const auto at = m_groupNames.find(op.group);
  if (at != m_groupNames.end())
    setGroupShares(m_ctx, at->second, sharesOfCgroupWeight(static_cast<std::uint64_t>(op.value)));
}

bool SteppedDriver::applyToTask(const SteppedOp& op, TaskId task) {
  auto& actions = m_actions[static_cast<std::size_t>(op.id)];
  const TaskId by = taskOf(op.by);
  switch (op.kind) {
    case Kind::Wakeup:
      if (isAwake(task)) return false;
      tryToWakeUp(m_ctx, task, kDriverCpu, 0);
      return true;
    case Kind::Block:
      // A block still to come (the task waits for a CPU) is not asked for again.
      if (!isAwake(task) || (!actions.empty() && actions.back().kind == Action::Kind::Block)) return false;
      actions.push_back({Action::Kind::Block, TaskId{}});
      return true;
    case Kind::WakeBy:
    case Kind::WakeByBlock:
      if (!by.isValid() || !isAwake(by) || isAwake(task)) return false;
      m_actions[static_cast<std::size_t>(op.by)].push_back({Action::Kind::Wake, task});
      if (op.kind == Kind::WakeByBlock)
        m_actions[static_cast<std::size_t>(op.by)].push_back({Action::Kind::Block, TaskId{}});
      return true;
    case Kind::Pin:
      setCpusAllowed(m_ctx, task, op.cpus, kDriverCpu);
      return true;
    case Kind::Nice:
      setUserNice(m_ctx, task, static_cast<int>(op.value));
      return true;
    case Kind::Policy:
      setPolicy(m_ctx, task, op.policy);
      return true;
    case Kind::Fork:
      if (!isAwake(task)) return false;
      for (std::int64_t n = 0; n < op.value; ++n) actions.push_back({Action::Kind::Fork, TaskId{}});
      return true;
    case Kind::CgroupAttach: {
      const auto at = m_groupNames.find(op.group);
      if (at == m_groupNames.end()) return false;
      schedMoveTask(m_ctx, task, at->second);
      return true;
    }
    case Kind::CgroupCreate:
    case Kind::CgroupWeight:
    case Kind::SetFrequency:
      break;
  }
  return false;
}

}  // namespace rqscope
