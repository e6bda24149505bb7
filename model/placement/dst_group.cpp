// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "placement/dst_group.h"

#include <algorithm>
#include <limits>

#include "placement/placement_hook.h"
#include "runqueue/load_tracking.h"

namespace rqscope {
namespace {

using Why = PlacementLevel::Why;

std::uint64_t maxCapacityOf(const Machine& m, SchedGroupId group) {
  return m.capacities[m.topology->group(group).capacity.index()].maxCapacity;
}

/// 1 when the task is queued on this CPU and already counted there. Kernel: task_running_on_cpu().
std::uint32_t queuedHere(const Machine& m, CpuId cpu, TaskId task) {
  if (m.task(task).cpu != cpu || m.se(task).avg.lastUpdateTime == 0) return 0;
  return m.task(task).onRq && !m.task(task).migrating ? 1 : 0;
}

/// Kernel: idle_cpu_without(), once nothing else is queued.
bool isIdleWithout(const Machine& m, CpuId cpu, TaskId task) {
  const Rq& rq = m.rq(cpu);
  if (rq.stopperRunning || (rq.curr.isValid() && rq.curr != task)) return false;
  return !rq.ttwuPending;
}

bool isSchedIdleFor(const Machine& m, CpuId cpu, TaskId task) {
  if (!isSchedIdleCpu(m, cpu)) return false;
  return m.behaviours().schedIdleForIdleWakee || m.task(task).policy != SchedPolicy::Idle;
}

/// Idle CPU with the cheapest exit or, among equals, the latest to go idle. Kernel: the shallowest_idle_cpu
/// part.
struct ShallowestIdle {
  CpuId cpu;
  std::uint32_t exitLatency = std::numeric_limits<std::uint32_t>::max();
  std::uint64_t idleStamp = 0;

  void consider(CpuId candidate, const Rq& rq) {
    const bool hasState = rq.idleExitLatency >= 0;
    const auto latency = static_cast<std::uint32_t>(rq.idleExitLatency);
    if (hasState && latency < exitLatency) {
      exitLatency = latency;
      idleStamp = rq.idleStamp;
      cpu = candidate;
    } else if ((!hasState || latency == exitLatency) && rq.idleStamp > idleStamp) {
      idleStamp = rq.idleStamp;
      cpu = candidate;
    }
  }
};

void noteCpu(PlacementLevel* level, CpuId cpu, PlacementCpu::Verdict verdict, std::uint64_t value) {
  if (level != nullptr) level->cpus.push_back({cpu, PlacementStep::SlowPath, verdict, value});
}

/// Highest domain of `cpu` with the flag that is smaller than `weight`.
DomainId highestBelow(const Machine& m, CpuId cpu, int weight, std::uint32_t sdFlag) {
  DomainId found;
  for (DomainId d = m.topology->cpus[cpu.index()].lowest; d.isValid(); d = m.topology->domain(d).parent) {
    if (weight <= m.topology->domain(d).spanWeight) break;
    if ((m.topology->domain(d).flags & sdFlag) != 0) found = d;
  }
  return found;
}

}  // namespace

void updateSgWakeupStats(Machine& m, const SchedDomain& domain, SchedGroupId groupId, TaskId task,
                         GroupStats& stats, PlacementHook* hook) {
  const SchedGroup& group = m.topology->group(groupId);
  const GroupCapacity& capacity = m.capacities[group.capacity.index()];
  const bool isAsymmetric = (domain.flags & kSdAsymCpucapacity) != 0;
  const bool runnableOnly = m.behaviours().countsRunnableOnly;
  stats = GroupStats{};
  if (isAsymmetric) stats.groupMisfitTaskLoad = 1;
  for (const CpuId cpu : group.cpus) {
    if (!m.task(task).cpusAllowed.test(cpu)) continue;
    const CfsRq& cfs = m.rootCfs(cpu);
    const std::uint32_t self = queuedHere(m, cpu, task);
    stats.groupLoad += cpuLoadWithout(m, cpu, task);
    stats.groupUtil += cpuUtilWithout(m, cpu, task);
    stats.groupRunnable += cpuRunnableWithout(m, cpu, task);
    stats.sumHNrRunning += (runnableOnly ? cfs.hNrRunnable : cfs.hNrQueued) - self;
    const std::uint32_t running = m.rq(cpu).nrRunning - self;
    stats.sumNrRunning += running;
    if (running == 0 && isIdleWithout(m, cpu, task)) ++stats.idleCpus;
    if (isAsymmetric && stats.groupMisfitTaskLoad != 0 && taskFitsCpu(m, task, cpu) > 0)
      stats.groupMisfitTaskLoad = 0;
  }
  stats.groupCapacity = capacity.capacity;
  stats.groupWeight = static_cast<std::uint32_t>(group.weight);
  if (hook != nullptr) hook->onGroupSums(m, groupId, stats);
  const Classification verdict =
      groupClassify(static_cast<unsigned>(domain.imbalancePct), capacity.imbalance, stats, m.behaviours());
  stats.type = verdict.type;
  stats.reason = verdict.reason;
  if (stats.type == GroupType::FullyBusy || stats.type == GroupType::Overloaded)
    stats.avgLoad = stats.groupLoad * kCapacityScale / stats.groupCapacity;
  if (hook != nullptr) hook->onGroupType(m, groupId, stats);
}

bool updatePickIdlest(const GroupStats& idlest, std::uint64_t idlestMaxCapacity, const GroupStats& candidate,
                      std::uint64_t candidateMaxCapacity) {
  if (candidate.type != idlest.type) return candidate.type < idlest.type;
  switch (candidate.type) {
    case GroupType::Overloaded:
    case GroupType::FullyBusy:
      return candidate.avgLoad < idlest.avgLoad;
    case GroupType::MisfitTask:
      return candidateMaxCapacity > idlestMaxCapacity;
    case GroupType::HasSpare:
      if (candidate.idleCpus != idlest.idleCpus) return candidate.idleCpus > idlest.idleCpus;
      return candidate.groupUtil < idlest.groupUtil;
    case GroupType::SmtBalance:
    case GroupType::AsymPacking:
    case GroupType::Imbalanced:
    case GroupType::LlcBalance:
      break;
  }
  return false;
}

DstGroupChoice::DstGroupChoice() {
  m_idlestStats.avgLoad = std::numeric_limits<std::uint32_t>::max();
  m_idlestStats.type = GroupType::Overloaded;
}

void DstGroupChoice::consider(const Machine& m, SchedGroupId group, bool isLocal, const GroupStats& stats) {
  if (isLocal) {
    m_local = group;
    m_localStats = stats;
    return;
  }
  // Until there is an idlest group its capacity is never compared: the start type is overloaded.
  const std::uint64_t idlestMax = m_idlest.isValid() ? maxCapacityOf(m, m_idlest) : 0;
  if (!updatePickIdlest(m_idlestStats, idlestMax, stats, maxCapacityOf(m, group))) return;
  m_idlest = group;
  m_idlestStats = stats;
}

Why DstGroupChoice::compareLoad(const SchedDomain& domain) const {
  const auto pct = static_cast<std::uint64_t>(domain.imbalancePct);
  const std::uint64_t imbalance = 1024 * (pct - 100) / 100;
  const std::uint64_t local = m_localStats.avgLoad, idlest = m_idlestStats.avgLoad;
  if ((domain.flags & kSdNuma) != 0 && idlest + imbalance >= local) return Why::LoadNuma;
  if (idlest >= local + imbalance) return Why::LoadLess;
  if (100 * local <= pct * idlest) return Why::LoadWithin;
  return Why::Go;
}

namespace {

/// Tasks that may run in the local node, the new one counted, before a fork leaves it.
int numaLimit(const Machine& m, const SchedDomain& domain, TaskId task, const SchedGroup& local) {
  const Behaviours& b = m.behaviours();
  int limit = domain.imbNumaNr;
  // Before e496132ebedd a quarter of the CPUs; before 2cfb7a1b031b of all of the domain, not counting the
  // new task.
  if (!b.numaThresholdByLlc) limit = b.numaThresholdOfDst ? local.weight / 4 - 1 : domain.spanWeight / 4;
  // The kernel skips this for tasks with nr_cpus_allowed == NR_CPUS, where it would change nothing.
  if (b.numaImbalanceByAffinity) limit = std::min((local.span & m.task(task).cpusAllowed).weight(), limit);
  return limit;
}

}  // namespace

Why DstGroupChoice::compareSpare(const Machine& m, const SchedDomain& domain, TaskId task,
                                 CpuId thisCpu) const {
  const SchedTopology& topology = *m.topology;
  if ((domain.flags & kSdNuma) != 0) {
    const std::int32_t preferred = m.task(task).numaPreferredNode;
    const CpuId idlestCpu = topology.group(m_idlest).cpus.front();
    if (topology.node[thisCpu.index()].value == preferred) return Why::NumaPreferred;
    if (topology.node[idlestCpu.index()].value == preferred) return Why::Go;
    const int limit = numaLimit(m, domain, task, topology.group(m_local));
    const int running = static_cast<int>(m_localStats.sumNrRunning + 1);
    const std::uint32_t a = m_localStats.idleCpus, b = m_idlestStats.idleCpus;
    const std::int64_t imbalance = a > b ? a - b : b - a;
    const bool isFine = m.behaviours().numaForkChecksImbalance
                            ? adjustNumaImbalance(imbalance, running, limit) == 0
                            : running <= limit;
    if (isFine) return Why::NumaImbalance;
  }
  return m_localStats.idleCpus >= m_idlestStats.idleCpus ? Why::IdleCpus : Why::Go;
}

DstGroupChoice::Decision DstGroupChoice::decide(const Machine& m, const SchedDomain& domain, TaskId task,
                                                CpuId thisCpu) const {
  if (!m_idlest.isValid()) return {SchedGroupId{}, Why::NoIdlest};
  if (!m_local.isValid()) return {m_idlest, Why::NoLocal};
  if (m_localStats.type < m_idlestStats.type) return {SchedGroupId{}, Why::LocalTypeLess};
  if (m_localStats.type > m_idlestStats.type) return {m_idlest, Why::LocalTypeGreater};
  Why why = Why::SameTypeStay;
  switch (m_localStats.type) {
    case GroupType::Overloaded:
    case GroupType::FullyBusy:
      why = compareLoad(domain);
      break;
    case GroupType::MisfitTask:
      why = maxCapacityOf(m, m_local) >= maxCapacityOf(m, m_idlest) ? Why::MisfitCapacity : Why::Go;
      break;
    case GroupType::HasSpare:
      why = compareSpare(m, domain, task, thisCpu);
      break;
    case GroupType::SmtBalance:
    case GroupType::AsymPacking:
    case GroupType::Imbalanced:
    case GroupType::LlcBalance:
      break;
  }
  return {why == Why::Go ? m_idlest : SchedGroupId{}, why};
}

SchedGroupId findDstGroup(Machine& m, const SchedDomain& domain, TaskId task, CpuId thisCpu,
                          PlacementLevel* level, SlowPathTally* tally, PlacementHook* hook) {
  DstGroupChoice choice;
  GroupStats stats;
  for (const SchedGroupId id : domain.groups) {
    const SchedGroup& group = m.topology->group(id);
    if (!group.span.intersects(m.task(task).cpusAllowed)) {
      if (level != nullptr) level->groups.push_back({id, group.span.test(thisCpu), false, GroupStats{}});
      continue;
    }
    const bool isLocal = group.span.test(thisCpu);
    updateSgWakeupStats(m, domain, id, task, stats, hook);
    choice.consider(m, id, isLocal, stats);
    if (tally != nullptr) {
      ++tally->groupTypes[static_cast<std::size_t>(stats.type)];
      tally->groupUtil += stats.groupUtil;
    }
    if (level != nullptr) {
      if (isLocal) level->local = static_cast<std::int32_t>(level->groups.size());
      if (choice.idlest() == id) level->idlest = static_cast<std::int32_t>(level->groups.size());
      level->groups.push_back({id, isLocal, true, stats});
    }
  }
  const DstGroupChoice::Decision decision = choice.decide(m, domain, task, thisCpu);
  if (level != nullptr) {
    level->why = decision.why;
    level->stay = !decision.group.isValid();
  }
  return decision.group;
}

CpuId findDstGroupCpu(const Machine& m, SchedGroupId groupId, TaskId task, CpuId thisCpu,
                      PlacementLevel* level) {
  const SchedGroup& group = m.topology->group(groupId);
  if (group.weight == 1) return group.cpus.front();
  ShallowestIdle idle;
  CpuId leastLoaded = thisCpu;
  std::uint64_t minLoad = std::numeric_limits<std::uint64_t>::max();
  for (const CpuId cpu : group.cpus) {
    if (!m.task(task).cpusAllowed.test(cpu)) {
      noteCpu(level, cpu, PlacementCpu::Verdict::NotAllowed, 0);
      continue;
    }
    if (isSchedIdleFor(m, cpu, task)) return cpu;
    if (isIdleCpu(m, cpu)) {
      idle.consider(cpu, m.rq(cpu));
      noteCpu(level, cpu, PlacementCpu::Verdict::LessGood, m.rq(cpu).idleStamp);
    } else {
      noteCpu(level, cpu, PlacementCpu::Verdict::NotIdle, cpuLoad(m, cpu));
      if (!idle.cpu.isValid() && cpuLoad(m, cpu) < minLoad) {
        minLoad = cpuLoad(m, cpu);
        leastLoaded = cpu;
      }
    }
  }
  return idle.cpu.isValid() ? idle.cpu : leastLoaded;
}

CpuId findDstCpu(Context& ctx, DomainId domainId, TaskId task, CpuId cpu, CpuId prevCpu, std::uint32_t sdFlag,
                 Placement* record) {
  Machine& m = ctx.m;
  if (!m.topology->domain(domainId).span.intersects(m.task(task).cpusAllowed)) return prevCpu;
  if ((sdFlag & kSdBalanceFork) == 0) syncEntityLoadAvg(ctx, m.task(task).se);
  CpuId chosen = cpu;
  while (domainId.isValid()) {
    const SchedDomain& domain = m.topology->domain(domainId);
    if ((domain.flags & sdFlag) == 0) {
      domainId = domain.child;
      continue;
    }
    PlacementLevel* level = nullptr;
    if (record != nullptr && record->isDetailed) {
      level = &record->levels.emplace_back();
      level->domain = domainId;
    }
    const SchedGroupId group = findDstGroup(m, domain, task, cpu, level,
                                            record != nullptr ? &record->tally : nullptr, ctx.placementHook);
    if (!group.isValid()) {
      domainId = domain.child;
      continue;
    }
    if (ctx.placementHook != nullptr) ctx.placementHook->onFindDstCpu(m, group);
    chosen = findDstGroupCpu(m, group, task, cpu, level);
    if (level != nullptr) level->chosenCpu = chosen;
    if (chosen == cpu) {
      domainId = domain.child;
      continue;
    }
    cpu = chosen;
    domainId = highestBelow(m, cpu, domain.spanWeight, sdFlag);
  }
  return chosen;
}

}  // namespace rqscope
