// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/sim_state.h"

#include <algorithm>

#include "balance/balance.h"
#include "engine/hash.h"
#include "runqueue/cache_occupancy.h"
#include "runqueue/queue.h"
#include "runqueue/uclamp.h"

namespace rqscope {
namespace {

constexpr std::uint64_t kOriginNs = 1'000'000'000;  // machine time 0 means "never" to load tracking

void sizeWorkload(SimState& s) {
  const Workload& w = s.plan->workload;
  WorkloadState& state = s.workload;
  state.mutexOwner.assign(w.mutexes.size(), -1);
  state.mutexQueue.resize(w.mutexes.size());
  state.conditionQueue.resize(w.conditions.size());
  state.suspendQueue.resize(w.suspendPoints.size());
  state.barrierQueue.resize(w.barriers.size());
  state.barrierArrived.resize(w.barriers.size());
  state.semaphoreQueue.resize(w.semaphores.size());
  for (const ProgramSemaphore& semaphore : w.semaphores) state.semaphoreValue.push_back(semaphore.initial);
  state.sharedTimers.resize(w.timers.size());
  state.pipes.resize(w.pipes.size());
  if (std::any_of(w.threads.begin(), w.threads.end(), [](const auto& t) { return t.isLatencyMeasured; }))
    state.latencies.resize(kLatencyBuckets);
  state.instancesStarted.resize(w.threads.size());
  std::vector<std::int32_t> launches;
  for (std::size_t t = 0; t < w.threads.size(); ++t)
    launches.insert(launches.end(), static_cast<std::size_t>(w.threads[t].instances),
                    static_cast<std::int32_t>(t));
  s.launches = std::make_shared<const std::vector<std::int32_t>>(std::move(launches));
}

void addGroups(SimState& s) {
  // What shares memory is not said by a workload: each program counts as a process of its instances.
  if (s.machine.features().schedCache)
    for (std::size_t i = 0; i < s.plan->workload.threads.size(); ++i) addCacheProcess(s.machine);
  Observer nobody;
  Context ctx{s.machine, nobody};
  for (const WorkloadGroup& spec : s.plan->workload.groups) {
    const GroupId parent = spec.parent < 0 ? GroupId{0} : s.groupIds[static_cast<std::size_t>(spec.parent)];
    const GroupId id = addGroup(s.machine, spec.name, parent);
    s.groupIds.push_back(id);
    if (spec.idle)
      setGroupIdle(ctx, id, true);
    else if (spec.weight != WorkloadGroup{}.weight)
      setGroupShares(ctx, id, sharesOfCgroupWeight(spec.weight));
    if (spec.utilMin != 0 || spec.utilMax != static_cast<int>(kCapacityScale))
      setGroupClamps(s.machine, id,
                     {static_cast<std::uint16_t>(spec.utilMin), static_cast<std::uint16_t>(spec.utilMax)});
    if (spec.quotaNs < 0) continue;
    setGroupBandwidth(ctx, id, spec.quotaNs, spec.periodNs);
    s.quotaGroups.push_back(id);
  }
}

/// The next thread of the core, round robin.
CpuId nextThreadOf(const HardwareCpu& cpu) {
  const CpuMask core = cpu.threadSiblings | CpuMask::of(cpu.id);
  const CpuId next = core.next(cpu.id);
  return next.isValid() ? next : core.first();
}

void addCpus(SimState& s) {
  const SchedTopology& topology = *s.machine.topology;
  s.cpus.resize(static_cast<std::size_t>(topology.cpuLimit));
  s.runEnds.reserve(s.cpus.size());
  Observer nobody;
  Context ctx{s.machine, nobody};
  for (const HardwareCpu& cpu : topology.hardware.cpus) {
    CpuActivity& activity = s.cpus[cpu.id.index()];
    activity.throughput = cpu.throughput;
    activity.nextThread = nextThreadOf(cpu);
    activity.idleSinceNs = s.machine.nowNs;
    s.allCpus.set(cpu.id);
    if (!topology.online.test(cpu.id)) continue;
    s.idleCpus.set(cpu.id);
    ++s.idleCount;
    if (s.machine.tunables().nohz)
      nohzBalanceEnterIdle(ctx, cpu.id);
    else
      s.tickingCpus.set(cpu.id);
  }
}

void mixAvg(std::uint64_t& hash, const SchedAvg& avg) {
  hash = mixHash(hash, avg.lastUpdateTime);
  hash = mixHash(hash, avg.loadSum ^ (static_cast<std::uint64_t>(avg.utilSum) << 32));
  hash = mixHash(hash, avg.runnableSum ^ (static_cast<std::uint64_t>(avg.utilEst) << 40));
}

}  // namespace

const char* eventKey(SimEventKind kind) {
  switch (kind) {
    case SimEventKind::Operation:
      return "operation";
    case SimEventKind::Launch:
      return "launch";
    case SimEventKind::Tick:
      return "tick";
    case SimEventKind::Hrtick:
      return "hrtick";
    case SimEventKind::RunEnd:
      return "run_end";
    case SimEventKind::Timer:
      return "timer";
    case SimEventKind::GroupPeriod:
      return "group_period";
    case SimEventKind::IdleExit:
      return "idle_exit";
    case SimEventKind::SoftirqStep:
      return "softirq_step";
    case SimEventKind::End:
      return "end";
    case SimEventKind::None:
      break;
  }
  return "none";
}

std::string threadName(const Workload& workload, std::int32_t program, std::int32_t instance) {
  const ThreadProgram& thread = workload.threads[static_cast<std::size_t>(program)];
  if (thread.instances == 1 && instance == 0) return thread.name;
  return thread.name + "-" + std::to_string(instance);
}

SimState makeSimState(std::shared_ptr<const SimPlan> plan) {
  RQS_CHECK(plan != nullptr, "a run needs a plan");
  SimState s;
  s.machine = makeMachine(plan->topology, plan->profile, kOriginNs, plan->seed);
  s.plan = std::move(plan);
  s.sharedQueueLocks.resize(s.machine.sharedQueues.size());
  s.originNs = s.tickBaseNs = kOriginNs;
  s.tickNs = s.machine.tunables().tickNs();
  if (s.machine.tunables().skewTick)  // Kernel: tick_setup_sched_timer()
    s.tickSkewNs = s.tickNs / 2 / static_cast<std::uint64_t>(s.machine.topology->cpuLimit);
  s.nextJiffyNs = kOriginNs + s.tickNs;
  if (s.plan->costs.hasDistances())
    s.contention.distances = std::make_shared<const CacheDistances>(s.machine.topology->hardware);
  sizeWorkload(s);
  addGroups(s);
  addCpus(s);
  return s;
}

std::uint64_t fingerprint(const SimState& s) {
  const Machine& m = s.machine;
  std::uint64_t hash = mixHash(s.runHash, m.nowNs);
  hash = mixHash(hash, s.counters.events);
  hash = mixHash(hash, m.random.state());
  for (const Rq& rq : m.rqs) {
    hash = mixHash(hash, rq.clockPelt);
    hash = mixHash(
        hash, static_cast<std::uint64_t>(rq.nrRunning) << 32 | static_cast<std::uint32_t>(rq.curr.value));
    hash = mixHash(hash, rq.avgIdle ^ (rq.nextBalance << 32));
  }
  for (const CfsRq& queue : m.cfs) {
    hash = mixHash(hash, queue.zeroVruntime ^ queue.load.weight);
    mixAvg(hash, queue.avg);
  }
  for (const SchedEntity& se : m.entities) {
    hash = mixHash(hash, se.vruntime);
    hash = mixHash(hash, se.deadline ^ (se.sumExecRuntime << 16));
    mixAvg(hash, se.avg);
  }
  for (const DomainState& domain : m.domains)
    hash = mixHash(hash, domain.lastBalance << 24 ^ static_cast<std::uint64_t>(domain.nrBalanceFailed) << 12 ^
                             domain.balanceIntervalMs);
  for (const ThreadState& thread : s.workload.threads)
    hash = mixHash(hash, thread.remaining ^ static_cast<std::uint64_t>(thread.event) << 48);
  return hash;
}

std::size_t stateBytes(const SimState& s) {
  const Machine& m = s.machine;
  std::size_t bytes =
      sizeof(SimState) + s.runEnds.bytes() + s.timers.bytes() + s.hrticks.bytes() + s.idleExits.bytes();
  bytes += s.softirqSteps.bytes() + s.softirqs.size() * sizeof(SoftirqWork);
  bytes += m.rqs.size() * sizeof(Rq) + m.cfs.size() * sizeof(CfsRq) + m.tasks.size() * sizeof(Task);
  bytes += m.entities.size() * sizeof(SchedEntity) + m.groups.size() * sizeof(TaskGroup);
  bytes += m.domains.size() * sizeof(DomainState) + m.capacities.size() * sizeof(GroupCapacity);
  bytes += m.shared.size() * sizeof(DomainShared) + s.cpus.size() * sizeof(CpuActivity);
  bytes += s.contention.tgLoadAvg.size() * sizeof(ContendedLine);
  bytes += s.workload.threads.size() * sizeof(ThreadState);
  bytes += s.workload.ownTimers.size() * sizeof(TimerState);
  bytes += s.workload.pipes.size() * sizeof(PipeState);
  bytes += (s.workload.latencies.size() + s.workload.clockReadsNs.size()) * sizeof(std::uint64_t);
  bytes += m.sharedQueues.size() * (sizeof(SharedQueue) + sizeof(SharedQueueLock));
  for (const Rq& rq : m.rqs) bytes += rq.leafList.capacity() * sizeof(CfsRqId);
  return bytes;
}

}  // namespace rqscope
