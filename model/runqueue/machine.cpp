// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runqueue/machine.h"

#include <algorithm>
#include <bit>

#include "base/check.h"
#include "runqueue/load_tracking.h"
#include "runqueue/shared_queue.h"

namespace rqscope {
namespace {

constexpr std::uint64_t kFirstVruntime = -(std::uint64_t{1} << 20);  // of every new cfs_rq
constexpr unsigned kMaxScalingCpus = 8;

CfsRq newQueue(CpuId cpu, GroupId group) {
  CfsRq queue;
  queue.cpu = cpu;
  queue.group = group;
  queue.zeroVruntime = kFirstVruntime;
  return queue;
}

/// Kernel: get_update_sysctl_factor() with SCHED_TUNABLESCALING_LOG.
std::uint64_t scalingFactor(const Machine& m) {
  const Tunables& t = m.tunables();
  if (!t.scaleByCpus) return 1;
  const int online = t.scalingCpus != 0 ? t.scalingCpus : m.topology->online.weight();
  const unsigned cpus = std::min(static_cast<unsigned>(std::max(online, 1)), kMaxScalingCpus);
  return static_cast<std::uint64_t>(std::bit_width(cpus));  // 1 + ilog2
}

void addRqs(Machine& m) {
  const auto limit = static_cast<std::size_t>(m.topology->cpuLimit);
  m.rqs.resize(limit);
  m.cfs.reserve(limit);
  for (std::size_t c = 0; c < limit; ++c) {
    const CpuId cpu{c};
    Rq& rq = m.rqs[c];
    rq.clock = rq.clockTask = rq.clockPelt = m.nowNs;
    rq.clockIdle = rq.clockPeltIdle = rq.idleStamp = m.nowNs;
    setCpuActive(m, cpu, m.topology->online.test(cpu));
    rq.cpuCapacity = m.topology->cpuCapacity[c];
    for (SchedAvg* avg : {&rq.avgRt, &rq.avgDl, &rq.avgIrq, &rq.avgHw}) avg->lastUpdateTime = m.nowNs;
    m.cfs.push_back(newQueue(cpu, GroupId{0}));
    m.cfs.back().avg.lastUpdateTime = m.nowNs;
  }
}

/// Sum, smallest and largest original capacity of a group's CPUs, as the kernel leaves it after building.
GroupCapacity capacityOf(const SchedTopology& topology, const SchedGroup& group) {
  GroupCapacity sum{0, UINT64_MAX, 0};
  for (const CpuId cpu : group.cpus) {
    const std::uint64_t capacity = topology.cpuCapacity[cpu.index()];
    sum.capacity += capacity;
    sum.minCapacity = std::min(sum.minCapacity, capacity);
    sum.maxCapacity = std::max(sum.maxCapacity, capacity);
  }
  return sum;
}

void addDomains(Machine& m) {
  const SchedTopology& topology = *m.topology;
  m.domains.resize(topology.domains.size());
  for (std::size_t d = 0; d < m.domains.size(); ++d)
    m.domains[d].balanceIntervalMs = static_cast<std::uint32_t>(topology.domains[d].minIntervalMs);
  m.capacities.resize(static_cast<std::size_t>(topology.capacityCount));
  for (const SchedGroup& group : topology.groups)
    if (group.capacity.isValid()) m.capacities[group.capacity.index()] = capacityOf(topology, group);
  m.shared.resize(static_cast<std::size_t>(topology.sharedCount));
  for (std::size_t s = 0; s < m.shared.size(); ++s) m.shared[s].nrBusyCpus = topology.sharedSpan[s].weight();
  m.rootDomains.resize(topology.rootDomains.size());
  for (std::size_t r = 0; r < topology.perfDomains.size(); ++r)
    m.rootDomains[r].energyAware = !topology.perfDomains[r].empty();
}

CpuMask possibleCpus(const SchedTopology& topology) {
  CpuMask mask;
  for (std::size_t c = 0; c < topology.position.size(); ++c)
    if (topology.position[c] >= 0) mask.set(CpuId{c});
  return mask;
}

/// Kernel: set_task_max_allowed_capacity() (v6.10+).
void setMaxAllowedCapacity(const SchedTopology& topology, Task& task) {
  if (!topology.asymCapacityActive) return;
  for (const auto& [capacity, cpus] : topology.asymCapacities) {
    if (!task.cpusAllowed.intersects(cpus)) continue;
    task.maxAllowedCapacity = capacity;
    return;
  }
}

EntityId takeEntity(Machine& m) {
  if (m.freeEntities.empty()) {
    m.entities.emplace_back();
    return EntityId{m.entities.size() - 1};
  }
  const EntityId entity = m.freeEntities.back();
  m.freeEntities.pop_back();
  m.entity(entity) = SchedEntity{};
  return entity;
}

TaskId takeTask(Machine& m) {
  if (m.freeTasks.empty()) {
    m.tasks.emplace_back();
    return TaskId{m.tasks.size() - 1};
  }
  const TaskId task = m.freeTasks.back();
  m.freeTasks.pop_back();
  m.task(task) = Task{};
  return task;
}

/// Kernel: init_tg_cfs_entry().
void addGroupOnCpu(Machine& m, GroupId id, CpuId cpu) {
  const TaskGroup& group = m.group(id);
  CfsRq& queue = m.cfs.emplace_back(newQueue(cpu, id));
  queue.isIdle = group.idle;
  SchedEntity& se = m.entities.emplace_back();
  se.load = {kNice0Load, 0};
  se.myQ = queueOf(m, id, cpu);
  se.cfsRq = queueOf(m, group.parent, cpu);
  se.parent = groupEntity(m, group.parent, cpu);
  se.depth = se.parent.isValid() ? m.entity(se.parent).depth + 1 : 0;
}

}  // namespace

Machine makeMachine(std::shared_ptr<const SchedTopology> topology,
                    std::shared_ptr<const KernelProfile> profile, std::uint64_t startNs, std::uint64_t seed) {
  RQS_CHECK(topology != nullptr && profile != nullptr, "a machine needs a topology and a profile");
  Machine m;
  m.topology = std::move(topology);
  m.profile = std::move(profile);
  m.nowNs = startNs;
  m.random = Random{seed};
  const std::uint64_t factor = scalingFactor(m);
  m.baseSliceNs = factor * m.tunables().baseSliceNs;
  m.latencyNs = factor * m.tunables().latencyNs;
  m.minGranularityNs = factor * m.tunables().minGranularityNs;
  m.wakeupGranularityNs = factor * m.tunables().wakeupGranularityNs;
  m.groups.emplace_back();
  m.groups.front().name = "root";
  addRqs(m);
  addDomains(m);
  makeSharedQueues(m);
  updateMaxInterval(m, m.topology->online.weight() - 1);  // the last to start did not count itself
  return m;
}

TaskId addTask(Machine& machine, const NewTask& spec) {
  Machine& m = machine;
  const EntityId entity = takeEntity(m);
  const TaskId id = takeTask(m);
  Task& task = m.task(id);
  task.pid = m.nextPid++;
  task.name = spec.name;
  task.se = entity;
  task.group = spec.group;
  task.cpu = task.wakeCpu = task.recentUsedCpu = spec.cpu;
  task.policy = spec.policy;
  task.nice = static_cast<std::int8_t>(spec.nice);
  task.newTask = true;
  setTaskAffinity(m, id, spec.cpusAllowed.isEmpty() ? possibleCpus(*m.topology) : spec.cpusAllowed);

  SchedEntity& se = m.entity(entity);
  se.task = id;
  se.load = loadWeightOf(spec.nice, spec.policy);
  se.hLoad = se.load;
  se.cfsRq = queueOf(m, spec.group, spec.cpu);
  se.parent = groupEntity(m, spec.group, spec.cpu);
  se.depth = se.parent.isValid() ? m.entity(se.parent).depth + 1 : 0;
  se.customSlice = spec.sliceNs != 0;
  se.slice = se.customSlice ? spec.sliceNs : m.baseSliceNs;
  se.avg.loadAvg = seWeight(se);  // Kernel: init_entity_runnable_average()
  return id;
}

void releaseTask(Machine& machine, TaskId task) {
  Task& t = machine.task(task);
  RQS_CHECK(!t.onRq && !machine.entity(t.se).onRq, "a released task must be off every queue");
  machine.freeEntities.push_back(t.se);
  machine.freeTasks.push_back(task);
  t.state = TaskState::Dead;
  t.se = {};
}

GroupId addGroup(Machine& machine, std::string name, GroupId parent) {
  Machine& m = machine;
  const GroupId id{m.groups.size()};
  TaskGroup& group = m.groups.emplace_back();
  group.name = std::move(name);
  group.parent = parent;
  group.cfsRqBase = static_cast<std::int32_t>(m.cfs.size());
  group.entityBase = static_cast<std::int32_t>(m.entities.size());
  m.group(parent).children.push_back(id);
  const auto limit = static_cast<std::size_t>(m.topology->cpuLimit);
  for (std::size_t c = 0; c < limit; ++c) addGroupOnCpu(m, id, CpuId{c});

  // Kernel: online_fair_sched_group()
  Observer nobody;
  Context ctx{m, nobody};
  possibleCpus(*m.topology).forEach([&](CpuId cpu) {
    updateRqClock(ctx, cpu);
    attachEntityCfsRq(ctx, groupEntity(m, id, cpu));
    CfsRq& queue = m.queue(queueOf(m, id, cpu));
    queue.throttleCount = m.queue(queueOf(m, parent, cpu)).throttleCount;
    queue.throttledClockPelt = rqClockPelt(m, cpu);
  });
  return id;
}

void setTaskAffinity(Machine& machine, TaskId task, const CpuMask& cpus) {
  Task& t = machine.task(task);
  t.cpusAllowed = cpus;
  t.nrCpusAllowed = cpus.weight();
  setMaxAllowedCapacity(*machine.topology, t);
}

}  // namespace rqscope
