// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/profile.h"
#include "base/random.h"
#include "runqueue/entities.h"
#include "topology/sched_topology.h"

namespace rqscope {

/// Pending kinds of work of a nohz kick. Kernel: NOHZ_*_KICK.
enum NohzFlag : std::uint32_t {
  kNohzBalanceKick = 1,
  kNohzStatsKick = 2,
  kNohzNewilbKick = 4,
  kNohzNextKick = 8
};

/// Recent running time of processes on a CPU, halved each epoch (v7.3). Kernel: rq->cpu_runtime, cpu_epoch.
struct CacheClock {
  std::uint64_t epoch = 0, nextJiffy = 0, runtime = 0;
};

/// Kernel: struct rq, the parts for the fair class. Its root cfs_rq is Machine::cfs[cpu].
struct alignas(64) Rq {
  // The first cache line is what a pass reads of every CPU.
  std::uint64_t clock = 0, clockTask = 0, clockPelt = 0;  ///< ns
  TaskId curr;                                            ///< none: the idle task
  std::uint32_t nrRunning = 0;                            ///< all classes, delayed tasks included
  bool isOnline = true;                                   ///< in cpu_active_mask
  bool needResched = false;
  bool needReschedLazy = false;  ///< v7.3
  bool ttwuPending = false;
  bool stopperRunning = false;  ///< the migration thread is current; counts in nrRunning while it is
  bool softirqPending = false;  ///< SCHED_SOFTIRQ raised
  bool softirqByKick = false;   ///< ... only by a nohz kick, not by the CPU's own tick
  bool idleBalance = false;     ///< idle_cpu() at the last tick
  std::uint32_t nrNumaRunning = 0, nrPreferredRunning = 0;
  std::uint64_t cpuCapacity = 1024;  ///< what is left for the fair class, as last computed
  std::uint64_t misfitTaskLoad = 0;
  std::uint64_t lostIdleTime = 0;
  std::uint64_t irqTimePendingNs = 0;  ///< interrupt and steal time not yet taken out of clockTask (scripted)
  bool rtRunning = false, dlRunning = false;  ///< a task of that class is current (scripted)
  std::uint64_t clockIdle = 0, clockPeltIdle = 0;
  bool hrtickArmed = false;  ///< v7.3: the slice timer, due at hrtickAtNs
  std::uint64_t hrtickAtNs = 0;
  bool activeBalance = false;
  CpuId pushCpu;
  bool nohzTickStopped = false;  ///< in nohz.idle_cpus_mask
  bool hasBlockedLoad = false;
  std::uint32_t nohzFlags = 0;  ///< NohzFlag bits pending
  std::uint32_t nohzIdleBalance = 0;
  std::uint32_t freqCapacity = 1024;  ///< arch_scale_freq_capacity
  std::uint64_t avgIdle = 1'000'000;  ///< ns
  std::uint64_t idleStamp = 0;
  std::uint64_t maxIdleBalanceCost = 500'000;
  std::uint64_t nextBalance = 0;  ///< jiffies
  std::uint64_t lastBlockedLoadUpdateTick = 0;
  TaskId listHead, listTail;      ///< cfs_tasks; detach_tasks() starts at the tail
  std::vector<CfsRqId> leafList;  ///< children before parents; change it by addLeafQueue()/removeLeafQueue()
  CfsRqId tmpAloneBranch;         ///< leaf-list place of a branch not yet joined to its parent; none = front
  std::uint64_t lastSeenNeedReschedNs = 0;
  SchedAvg avgRt, avgDl, avgIrq, avgHw;
  std::int32_t distributePrev = 0;  ///< per-CPU cursor of cpumask_any_and_distribute()
  std::uint64_t cpufreqPressure = 0, hwPressure = 0;
  /// v7.3 cache-aware balancing: queued tasks by the LLC they prefer (index = LLC id), and runnable tasks
  /// here that prefer this CPU's LLC.
  std::vector<std::uint32_t> prefLlcCounts;
  std::uint32_t nrPrefLlcRunning = 0;
  CacheClock cacheClock;
  std::uint64_t reschedAt = 0;
  std::uint16_t uclampMin = 0, uclampMax = 1024;  ///< greatest of the runnable tasks; Max is kept when idle
  bool uclampIdle = true;                         ///< UCLAMP_FLAG_IDLE
  std::int32_t idleExitLatency = -1;              ///< of the cpuidle state entered; -1: none (no cpuidle)
  // The idle task as waker (interrupts). Kernel: wakee fields of rq->idle.
  TaskId idleLastWakee;
  std::uint32_t idleWakeeFlips = 0;
  std::uint64_t idleWakeeFlipDecayJiffies = 0;
  GroupMove lastMove;  ///< kept for views, read by no decision
  // Only with costs, where scheduling takes time.
  std::uint64_t seenIdleUntilNs = 0;    ///< wakers on their way do not see yet that another chose this CPU
  std::uint64_t inScheduleUntilNs = 0;  ///< still busy with the switch of its last task's sleep
  TaskId leaving;                       ///< that task: p->on_cpu is still set until then
};

/// Moving part of a sched_domain.
struct DomainState {
  std::uint64_t lastBalance = 0;  ///< jiffies
  std::uint32_t balanceIntervalMs = 1;
  std::uint32_t nrBalanceFailed = 0;
  std::uint64_t maxNewidleLbCost = 0;    ///< ns
  std::uint64_t lastDecayMaxLbCost = 0;  ///< jiffies
  std::uint32_t newidleCall = 512, newidleSuccess = 256, newidleRatio = 512;
  std::uint64_t newidleStampNs = 0;  ///< v7.3
};

/// Moving part of a sched_group_capacity.
struct GroupCapacity {
  std::uint64_t capacity = 1024, minCapacity = 1024, maxCapacity = 1024;
  std::uint64_t nextUpdate = 0;  ///< jiffies
  bool imbalance = false;        ///< left by a lower level that affinity stopped
};

/// Moving part of a sched_domain_shared.
struct DomainShared {
  std::int32_t nrBusyCpus = 0;
  bool hasIdleCores = false;
  std::int32_t nrIdleScan = 0;
  std::uint64_t utilAvg = 0, capacity = 0;  ///< v7.3: of the LLC, as last recorded
};

struct RootDomain {
  bool overloaded = false;
  bool overutilized = false;
  bool energyAware = false;  ///< rd->pd: energy-aware scheduling is on here
};

struct Nohz {
  CpuMask idleCpus;
  std::uint64_t nextBalance = 0, nextBlocked = 0;  ///< jiffies
  bool hasBlocked = false, needsUpdate = false;
};

/// A stopper (migration thread) job that the engine runs on `cpu`.
struct StopperWork {
  enum class Kind : std::uint8_t { ActiveBalance, MigrateTask } kind = Kind::ActiveBalance;
  CpuId cpu;
  TaskId task;  ///< MigrateTask
  CpuId destination;
};

/// A process as cache-aware balancing knows it (v7.3). Kernel: the sched_cache part of mm_struct.
struct CacheProcess {
  /// Its part of a CPU's recent time. Kernel: struct mm_sched.
  struct Share {
    std::uint64_t runtime = 0, epoch = 0;
  };
  CpuId llcCpu;  ///< a CPU of the LLC the process prefers; none = no preference
  std::uint64_t nrRunningAvg = 0;
  std::uint64_t epoch = 0;    ///< in which it last looked for a cache
  std::int32_t threads = 0;   ///< alive
  std::vector<Share> shares;  ///< by CPU number; empty: the preference is given, not computed
};

/// First-in first-out queue of waiting tasks shared by the CPUs of one cache, or one shard of it.
/// Kernel: struct swqueue (RFC 2023), struct shared_runq_shard (v2 and later). Never merged.
struct SharedQueue {
  CpuId llc;               ///< sd_llc_id of its CPUs
  std::int32_t shard = 0;  ///< number inside the cache
  TaskId head, tail;       ///< linked by Task::sharedNext, oldest first
  std::uint32_t length = 0;
  std::uint64_t joined = 0;   ///< tasks that joined so far
  std::uint64_t pulled = 0;   ///< of these moved to a CPU that went idle
  std::uint64_t refused = 0;  ///< heads that could not be moved there
};

/// The shared queues a CPU uses: `count` shards from `first`, its own is `own`. None when `count` is 0.
struct SharedQueueOfCpu {
  std::int32_t first = 0, count = 0, own = 0;
};

/// All scheduler state. A copyable value: a checkpoint is a copy, A/B is two machines. Parts refer to each
/// other by id only. Immutable parts (topology, profile) are shared.
/// Layout: cfs[c] is the root queue of CPU number c; group g has cfs[g.cfsRqBase + c], entities[g.entityBase
/// + c].
struct Machine {
  std::shared_ptr<const SchedTopology> topology;
  std::shared_ptr<const KernelProfile> profile;
  std::uint64_t nowNs = 0;  ///< sched_clock()
  std::uint64_t jiffies = 0;
  std::vector<Rq> rqs;  ///< by CPU number
  std::vector<CfsRq> cfs;
  std::vector<SchedEntity> entities;
  std::vector<Task> tasks;
  std::vector<TaskGroup> groups;        ///< 0 = root
  std::vector<CacheProcess> processes;  ///< v7.3 cache-aware balancing only
  CpuMask activeCpus;                   ///< cpu_active_mask; changed by setCpuActive() only
  std::vector<DomainState> domains;
  std::vector<GroupCapacity> capacities;
  std::vector<DomainShared> shared;
  std::vector<RootDomain> rootDomains;
  Nohz nohz;
  /// Longest balance interval. Kernel: max_load_balance_interval, computed when a CPU starts (before it
  /// counts as online) or dies; 0: from the CPUs online now.
  std::uint64_t maxBalanceIntervalJiffies = 0;
  bool uclampUsed = false;                         ///< sched_uclamp_used: some task or group has clamps
  bool serializeBusy = false;                      ///< the one global mark of SD_SERIALIZE domains
  std::uint64_t baseSliceNs = 0;                   ///< scaled sysctl_sched_base_slice
  std::vector<SharedQueue> sharedQueues;           ///< empty: no such patch is on
  std::vector<SharedQueueOfCpu> sharedQueueOfCpu;  ///< by CPU number; empty as well then
  std::uint64_t latencyNs = 0, minGranularityNs = 0, wakeupGranularityNs = 0;  ///< v6.1, scaled
  std::vector<StopperWork> stopperWork;                                        ///< in order of request
  /// CPUs with a mark to serve (needResched, softirqPending, stopperWork, ttwuPending). Whoever sets such a
  /// mark calls markPending(); the engine empties it after each event.
  CpuMask pendingCpus;
  std::vector<TaskId> balanceScratch;  ///< room for the tasks of one detach; always empty between passes
  std::vector<TaskId> freeTasks;
  std::vector<EntityId> freeEntities;
  std::int32_t nextPid = 1;
  Random random;

  Rq& rq(CpuId c) { return rqs[c.index()]; }
  const Rq& rq(CpuId c) const { return rqs[c.index()]; }
  CfsRq& rootCfs(CpuId c) { return cfs[c.index()]; }
  const CfsRq& rootCfs(CpuId c) const { return cfs[c.index()]; }
  CfsRq& queue(CfsRqId q) { return cfs[q.index()]; }
  const CfsRq& queue(CfsRqId q) const { return cfs[q.index()]; }
  SchedEntity& entity(EntityId e) { return entities[e.index()]; }
  const SchedEntity& entity(EntityId e) const { return entities[e.index()]; }
  Task& task(TaskId t) { return tasks[t.index()]; }
  const Task& task(TaskId t) const { return tasks[t.index()]; }
  SchedEntity& se(TaskId t) { return entities[tasks[t.index()].se.index()]; }
  const SchedEntity& se(TaskId t) const { return entities[tasks[t.index()].se.index()]; }
  TaskGroup& group(GroupId g) { return groups[g.index()]; }
  const TaskGroup& group(GroupId g) const { return groups[g.index()]; }
  const Behaviours& behaviours() const { return profile->behaviours; }
  const SchedFeatures& features() const { return profile->features; }
  const Tunables& tunables() const { return profile->tunables; }
};

/// A machine at rest at `startNs`: every queue empty, domains as the kernel leaves them after building
/// (balance_interval = min_interval, capacities = capacity_orig sums, counters 0). jiffies 0.
Machine makeMachine(std::shared_ptr<const SchedTopology> topology,
                    std::shared_ptr<const KernelProfile> profile, std::uint64_t startNs, std::uint64_t seed);

/// A new sleeping task in `group` (not yet woken); load_avg = weight. Kernel: sched_fork() +
/// init_entity_runnable_average().
struct NewTask {
  std::string name = {};
  GroupId group{0};
  CpuId cpu{0};
  CpuMask cpusAllowed = {};  ///< empty: all
  SchedPolicy policy = SchedPolicy::Normal;
  int nice = 0;
  std::uint64_t sliceNs = 0;  ///< 0: default
};
TaskId addTask(Machine& machine, const NewTask& spec);
/// Returns a dead task's slots for reuse. The task must be off every queue and list.
void releaseTask(Machine& machine, TaskId task);
/// Kernel: sched_create_group() + online.
GroupId addGroup(Machine& machine, std::string name, GroupId parent);
/// Sets the task's affinity fields. Kernel: set_cpus_allowed_common(), set_task_max_allowed_capacity().
void setTaskAffinity(Machine& machine, TaskId task, const CpuMask& cpus);

inline CfsRqId queueOf(const Machine& m, GroupId group, CpuId cpu) {
  return CfsRqId{m.group(group).cfsRqBase + cpu.value};
}
/// The entity that stands for the queue's group in the queue above; none for a root queue.
/// Kernel: cfs_rq->tg->se[cpu].
inline EntityId entityOfQueue(const Machine& m, const CfsRq& queue) {
  const TaskGroup& group = m.group(queue.group);
  return group.entityBase < 0 ? EntityId{} : EntityId{group.entityBase + queue.cpu.value};
}
/// The entity of a group on a CPU; none for the root group.
inline EntityId groupEntity(const Machine& m, GroupId group, CpuId cpu) {
  const TaskGroup& g = m.group(group);
  return g.entityBase < 0 ? EntityId{} : EntityId{g.entityBase + cpu.value};
}

/// A CPU joins or leaves cpu_active_mask: Rq::isOnline and Machine::activeCpus together.
inline void setCpuActive(Machine& m, CpuId cpu, bool active) {
  m.rq(cpu).isOnline = active;
  if (active)
    m.activeCpus.set(cpu);
  else
    m.activeCpus.clear(cpu);
}

/// Kernel: update_max_interval() with `online` CPUs counted: one less than there are after a CPU started.
inline void updateMaxInterval(Machine& m, int online) {
  const auto count = static_cast<std::uint64_t>(online > 1 ? online : 1);
  m.maxBalanceIntervalJiffies = static_cast<std::uint64_t>(m.profile->tunables.hz) * count / 10;
}

/// Tells the engine that `cpu` has something to serve: called by whoever sets needResched, softirqPending,
/// ttwuPending or queues stopper work for it.
inline void markPending(Machine& m, CpuId cpu) { m.pendingCpus.set(cpu); }

/// True when the idle task is current, nothing is queued and no wakeup is pending. Kernel: idle_cpu().
inline bool isIdleCpu(const Machine& m, CpuId cpu) {
  const Rq& rq = m.rq(cpu);
  return !rq.curr.isValid() && !rq.stopperRunning && rq.nrRunning == 0 && !rq.ttwuPending;
}
/// What wakers on other CPUs see of it: with costs, a choice takes a while to be seen, and a sleep to be
/// done. Simplified: of the choice that a waker makes in no time, only how long it stays unseen is modelled.
inline bool looksIdleCpu(const Machine& m, CpuId cpu) {
  const Rq& rq = m.rq(cpu);
  return m.nowNs < rq.seenIdleUntilNs || (isIdleCpu(m, cpu) && m.nowNs >= rq.inScheduleUntilNs);
}
/// True when all other SMT siblings are idle. Kernel: is_core_idle().
inline bool isCoreIdle(const Machine& m, CpuId cpu) {
  const CpuMask& siblings = m.topology->smtMask[cpu.index()];
  for (CpuId c = siblings.first(); c.isValid(); c = siblings.next(c))
    if (c != cpu && !isIdleCpu(m, c)) return false;
  return true;
}
/// Kernel: sched_idle_rq(): runs, and all of it is SCHED_IDLE.
inline bool isSchedIdleCpu(const Machine& m, CpuId cpu) {
  return m.rq(cpu).nrRunning != 0 && m.rq(cpu).nrRunning == m.rootCfs(cpu).hNrIdle;
}

}  // namespace rqscope
