// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "api/frame_builder.h"

#include <algorithm>
#include <iterator>

#include "api/ladder_keys.h"
#include "api/layout_builder.h"
#include "api/shared_queue_frames.h"
#include "runqueue/cfs.h"
#include "runqueue/load_tracking.h"
#include "runqueue/queue.h"

namespace rqscope::api {
namespace {

std::int64_t signedOf(std::uint64_t value) { return static_cast<std::int64_t>(value); }

std::uint64_t workOf(const ThreadProgram& program) {
  if (program.loops < 0) return 0;
  std::uint64_t sum = 0;
  for (const ProgramPhase& phase : program.phases) {
    if (phase.loops < 0) return 0;
    for (const ProgramEvent& event : phase.events)
      if (event.kind == ProgramEventKind::Run) sum += event.ns * static_cast<std::uint64_t>(phase.loops);
  }
  return sum * static_cast<std::uint64_t>(program.loops);
}

const char* policyKey(SchedPolicy policy) {
  switch (policy) {
    case SchedPolicy::Batch:
      return "batch";
    case SchedPolicy::Idle:
      return "idle";
    case SchedPolicy::Normal:
      break;
  }
  return "normal";
}

const char* stateKey(const Machine& m, const Task& task, const SchedEntity& se) {
  if (task.state == TaskState::Dead) return "dead";
  if (task.state == TaskState::New) return "new";
  if (task.onCpu) return "running";
  if (se.schedDelayed) return "delayed";
  if (!task.onRq) return "sleeping";
  // v7.3 takes a task off when it is picked, older kernels the whole group at once.
  const bool isFlat = m.profile->queue == QueueKind::FlatEevdf;
  const bool isThrottled = isFlat ? task.throttled : isThrottledHierarchy(m, se.cfsRq);
  return isThrottled ? "throttled" : "queued";
}

bool hasVirtualTime(const Machine& m) { return m.profile->queue != QueueKind::Cfs; }

/// What would be picked of a queue now.
EntityId nextOf(const Machine& m, CfsRqId queue) {
  const CfsRq& q = m.queue(queue);
  if (!q.root.isValid() && !q.curr.isValid()) return EntityId{};
  return hasVirtualTime(m) ? pickEevdf(m, queue) : cfs::pickNow(m, queue);
}

void fillVirtual(const Machine& m, const SchedEntity& se, EntityId id, TaskFrame& out) {
  if (!se.cfsRq.isValid()) return;
  // v7.3: tasks of all groups live in the virtual time of the CPU's own queue.
  const bool isFlat = m.profile->queue == QueueKind::FlatEevdf;
  const CfsRq& queue = isFlat ? m.rootCfs(m.queue(se.cfsRq).cpu) : m.queue(se.cfsRq);
  out.vruntime = virtualDelta(se.vruntime, queue.zeroVruntime);
  if (!hasVirtualTime(m)) {  // CFS has no deadline, no lag and no slice of one's own
    out.slice = signedOf(cfs::sliceNow(m, se.cfsRq, id));
    return;
  }
  out.deadline = virtualDelta(se.deadline, queue.zeroVruntime);
  out.slice = signedOf(se.slice);
  if (!se.onRq) {
    out.lag = se.vlag;
    return;
  }
  out.lag = virtualDelta(avgVruntime(m, se.cfsRq), se.vruntime);
  out.eligible = isEntityEligible(m, se.cfsRq, id);
}

double progressOf(const SimState& state, const FrameTables& tables, std::size_t slot) {
  if (slot >= state.workload.threads.size()) return -1;
  const ThreadState& thread = state.workload.threads[slot];
  if (thread.program < 0) return -1;
  const std::uint64_t total = tables.programWork[static_cast<std::size_t>(thread.program)];
  if (total == 0) return -1;
  return std::min(1.0, static_cast<double>(thread.workDone >> kCapacityShift) / static_cast<double>(total));
}

TaskFrame taskFrame(const SimState& state, const FrameTables& tables, std::size_t slot) {
  const Machine& m = state.machine;
  const Task& task = m.tasks[slot];
  TaskFrame out;
  out.id = static_cast<std::int32_t>(slot);
  out.pid = task.pid;
  out.name = task.name;
  out.cpu = task.cpu.value;
  out.nice = task.nice;
  out.policy = policyKey(task.policy);
  out.group = task.group.value;
  out.progress = progressOf(state, tables, slot);
  if (!task.se.isValid()) {  // its slots are given back
    out.state = "dead";
    return out;
  }
  const SchedEntity& se = m.entity(task.se);
  out.state = stateKey(m, task, se);
  if (!state.allCpus.isSubsetOf(task.cpusAllowed))
    out.affinity = cpuNumbers(task.cpusAllowed & state.allCpus);
  out.weight = signedOf(scaleLoadDown(se.load.weight));
  fillVirtual(m, se, task.se, out);
  out.util = signedOf(se.avg.utilAvg);
  out.utilEst = signedOf(taskUtilEstRaw(m, TaskId{slot}));
  out.load = signedOf(se.avg.loadAvg);
  out.runnable = signedOf(se.avg.runnableAvg);
  out.sumExecNs = signedOf(se.sumExecRuntime);
  return out;
}

/// Tasks waiting on a queue and those below it, in the order of the trees.
void listQueued(const Machine& m, CfsRqId queue, std::vector<std::int32_t>& out) {
  std::vector<EntityId> entities;
  treeInOrder(m, queue, entities);
  const EntityId curr = m.queue(queue).curr;
  if (curr.isValid() && !m.entity(curr).isTask()) listQueued(m, m.entity(curr).myQ, out);
  for (const EntityId id : entities) {
    const SchedEntity& se = m.entity(id);
    if (se.isTask())
      out.push_back(se.task.value);
    else
      listQueued(m, se.myQ, out);
  }
}

CpuFrame cpuFrame(const SimState& state, CpuId cpu) {
  const Machine& m = state.machine;
  const Rq& rq = m.rq(cpu);
  const CfsRq& root = m.rootCfs(cpu);
  CpuFrame out;
  out.id = cpu.value;
  out.online = m.topology->online.test(cpu);
  out.isIdle = !rq.curr.isValid() && !rq.stopperRunning;
  out.tickStopped = !state.tickingCpus.test(cpu);
  out.running = rq.curr.value;
  if (root.nrQueued > 0) listQueued(m, CfsRqId{cpu.value}, out.queued);
  out.nrRunning = static_cast<std::int32_t>(rq.nrRunning);
  out.hNrDelayed = static_cast<std::int32_t>(root.hNrDelayed);
  out.hNrRunnable = static_cast<std::int32_t>(root.hNrQueued - root.hNrDelayed);
  out.util = signedOf(cpuUtilCfs(m, cpu));
  out.utilEst = signedOf(root.avg.utilEst & ~kUtilAvgUnchanged);
  out.load = signedOf(cpuLoad(m, cpu));
  out.runnable = signedOf(cpuRunnable(m, cpu));
  out.capacity = signedOf(rq.cpuCapacity);
  out.capacityOrig = out.online ? signedOf(capacityOrig(m, cpu)) : 0;
  out.misfitLoad = signedOf(rq.misfitTaskLoad);
  out.avgIdleNs = signedOf(rq.avgIdle);
  out.totalWeight = signedOf(scaleLoadDown(root.load.weight));
  if (hasVirtualTime(m))
    out.averageVruntime = virtualDelta(avgVruntime(m, CfsRqId{cpu.value}), root.zeroVruntime);
  return out;
}

/// Marks the task that would be picked next on a CPU.
void markNext(const Machine& m, CpuId cpu, Frame& frame) {
  if (m.rootCfs(cpu).nrQueued == 0) return;
  CfsRqId queue{cpu.value};
  for (;;) {
    const EntityId next = nextOf(m, queue);
    if (!next.isValid()) return;
    const SchedEntity& se = m.entity(next);
    if (se.isTask()) {
      frame.tasks[se.task.index()].isNext = true;
      return;
    }
    queue = se.myQ;
  }
}

/// Tasks of throttled groups wait on their CPU too, after those that can be picked.
void addThrottled(Frame& frame) {
  for (const TaskFrame& task : frame.tasks) {
    if (task.state != "throttled") continue;
    const auto cpu = std::find_if(frame.cpus.begin(), frame.cpus.end(),
                                  [&](const CpuFrame& c) { return c.id == task.cpu; });
    if (cpu == frame.cpus.end()) continue;
    if (std::find(cpu->queued.begin(), cpu->queued.end(), task.id) == cpu->queued.end())
      cpu->queued.push_back(task.id);
  }
}

void fillGroups(const Machine& m, const FrameTables& tables, CpuId viewer, Frame& frame) {
  std::vector<ViewedGroup> groups = tables.groups;
  lookFrom(*m.topology, viewer, groups);
  for (const ViewedGroup& viewed : groups) {
    const GroupStats stats = liveGroupStats(m, viewed);
    GroupFrame& out = frame.groups.emplace_back();
    out.type = keyOf(stats.type);
    out.load = signedOf(stats.groupLoad);
    out.util = signedOf(stats.groupUtil);
    out.runnable = signedOf(stats.groupRunnable);
    out.capacity = signedOf(stats.groupCapacity);
    out.nrRunning = static_cast<std::int32_t>(stats.sumNrRunning);
    out.idleCpus = static_cast<std::int32_t>(stats.idleCpus);
    const CapacityId capacity = m.topology->group(viewed.group).capacity;
    out.imbalanceFlag = capacity.isValid() && m.capacities[capacity.index()].imbalance;
  }
}

QueueEntity queueEntity(const Machine& m, EntityId id, bool isCurrent, EntityId next) {
  const SchedEntity& se = m.entity(id);
  TaskFrame numbers;
  fillVirtual(m, se, id, numbers);
  QueueEntity out;
  out.isCurrent = isCurrent;
  out.isDelayed = se.schedDelayed;
  out.eligible = numbers.eligible;
  out.isNext = id == next;
  out.weight = signedOf(scaleLoadDown(se.load.weight));
  out.vruntime = numbers.vruntime;
  out.deadline = numbers.deadline;
  out.lag = numbers.lag;
  out.slice = numbers.slice;
  out.util = signedOf(se.avg.utilAvg);
  out.load = signedOf(se.avg.loadAvg);
  if (se.isTask()) {
    out.task = se.task.value;
    out.name = m.task(se.task).name;
  } else {
    const CfsRq& queue = m.queue(se.myQ);
    out.group = queue.group.value;
    out.name = m.group(queue.group).name;
    out.isThrottled = queue.throttled;
  }
  return out;
}

/// `isPath`: the pick from the root comes through this queue, so one of it is next.
void addQueue(const Machine& m, CfsRqId queue, bool isPath, std::vector<QueueEntity>& out) {
  const CfsRq& q = m.queue(queue);
  const EntityId next = isPath ? nextOf(m, queue) : EntityId{};
  std::vector<EntityId> order;
  treeInOrder(m, queue, order);  // clears what is there
  if (q.curr.isValid()) order.insert(order.begin(), q.curr);
  for (std::size_t i = 0; i < order.size(); ++i) {
    out.push_back(queueEntity(m, order[i], i == 0 && q.curr.isValid(), next));
    if (!m.entity(order[i]).isTask())
      addQueue(m, m.entity(order[i]).myQ, order[i] == next, out.back().children);
  }
}

void markThrottled(std::vector<QueueEntity>& entities) {
  for (QueueEntity& entity : entities) {
    entity.isThrottled = true;
    markThrottled(entity.children);
  }
}

/// Groups below that have tasks on the CPU but, being throttled, no place on their queue; v7.3: their tasks.
void addThrottled(const Machine& m, GroupId above, CpuId cpu, std::vector<QueueEntity>& out) {
  for (std::size_t g = 1; g < m.groups.size(); ++g) {
    if (m.groups[g].removed || m.groups[g].parent != above) continue;
    const CfsRqId queue = queueOf(m, GroupId{g}, cpu);
    if (m.profile->queue == QueueKind::FlatEevdf) {
      for (const TaskId task : m.queue(queue).limbo)
        out.push_back(queueEntity(m, m.task(task).se, false, EntityId{}));
      markThrottled(out);
      addThrottled(m, GroupId{g}, cpu, out);
      continue;
    }
    const EntityId own = groupEntity(m, GroupId{g}, cpu);
    if (m.entity(own).onRq) continue;
    std::vector<QueueEntity> children;
    addQueue(m, queue, false, children);
    addThrottled(m, GroupId{g}, cpu, children);
    if (children.empty()) continue;
    markThrottled(children);
    QueueEntity& group = out.emplace_back(queueEntity(m, own, false, EntityId{}));
    group.isThrottled = true;
    group.children = std::move(children);
  }
}

}  // namespace

FrameTables frameTables(const SimState& state) {
  FrameTables tables;
  tables.groups = viewedGroups(*state.machine.topology);
  for (const ThreadProgram& program : state.plan->workload.threads)
    tables.programWork.push_back(workOf(program));
  return tables;
}

void fillFrame(const SimState& state, const FrameTables& tables, CpuId viewer, Frame& frame) {
  const Machine& m = state.machine;
  frame.timeNs = signedOf(state.timeNs());
  frame.jiffies = m.jiffies;
  frame.eventIndex = state.counters.events;
  frame.tickIndex = state.counters.ticks;
  frame.passIndex = state.counters.decisions();
  frame.fingerprint = fingerprint(state);
  frame.eventText = eventKey(state.lastEvent.kind);
  for (std::size_t slot = 0; slot < m.tasks.size(); ++slot)
    frame.tasks.push_back(taskFrame(state, tables, slot));
  for (const HardwareCpu& cpu : m.topology->hardware.cpus) {
    frame.cpus.push_back(cpuFrame(state, cpu.id));
    markNext(m, cpu.id, frame);
  }
  addThrottled(frame);
  for (std::size_t g = 0; g < m.groups.size(); ++g) {
    const TaskGroup& group = m.groups[g];
    if (group.removed) continue;
    frame.taskGroups.push_back({static_cast<std::int32_t>(g), group.parent.value, group.name,
                                signedOf(scaleLoadDown(group.shares)), group.loadAvg});
  }
  fillGroups(m, tables, viewer, frame);
  for (const DomainState& domain : m.domains)
    frame.domains.push_back({domain.balanceIntervalMs, domain.nrBalanceFailed, signedOf(domain.lastBalance),
                             signedOf(domain.maxNewidleLbCost)});
  frame.sharedQueues = sharedQueueFrames(state);
  frame.idleWhileWaitingNs = state.counters.idleWhileWaitingNs;
  frame.migrations = state.counters.migrations;
  frame.failedPasses = state.counters.failedPasses;
  frame.atEnd = state.isAtEnd;
}

std::vector<QueueEntity> queueTree(const SimState& state, CpuId cpu) {
  std::vector<QueueEntity> out;
  if (cpu.index() >= state.machine.rqs.size() || !cpu.isValid()) return out;
  addQueue(state.machine, CfsRqId{cpu.value}, true, out);
  std::vector<QueueEntity> throttled;
  addThrottled(state.machine, GroupId{0}, cpu, throttled);
  out.insert(out.end(), std::make_move_iterator(throttled.begin()), std::make_move_iterator(throttled.end()));
  return out;
}

}  // namespace rqscope::api
