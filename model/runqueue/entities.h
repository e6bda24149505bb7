// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/cpumask.h"
#include "base/ids.h"
#include "signals/load_weight.h"
#include "signals/pelt.h"

namespace rqscope {

/// Links of one node in a queue's red-black tree, by entity id. Same shape as the kernel's rb tree.
struct TreeLinks {
  EntityId parent, left, right;
  bool isRed = false;
};

/// Kernel: struct sched_entity. Task or group on one CPU. The first three cache lines are what a tick and a
/// switch of v6.12 touch.
/// Invariant: in the tree of `cfsRq` iff onRq and not that queue's curr.
struct alignas(64) SchedEntity {
  LoadWeight load;
  std::uint64_t vruntime = 0;
  std::uint64_t deadline = 0;
  std::int64_t vlag = 0;  ///< a lag while off the queue; while current the slice-protection mark (v6.12)
  std::uint64_t slice = 0;
  std::uint64_t execStart = 0;
  std::uint64_t sumExecRuntime = 0;
  SchedAvg avg;     ///< a cache line
  CfsRqId cfsRq;    ///< the queue this entity is (or will be) on
  CfsRqId myQ;      ///< a group entity's own queue; none for a task
  EntityId parent;  ///< group entity above, none at the top
  TaskId task;      ///< none for a group entity
  TreeLinks tree;
  std::int32_t depth = 0;
  bool onRq = false;
  bool schedDelayed = false;
  bool relDeadline = false;
  bool customSlice = false;
  std::uint64_t minVruntime = 0;  ///< smallest vruntime in this subtree (v6.8+)
  std::uint64_t minSlice = 0;     ///< smallest slice in this subtree (v6.12+)
  std::uint64_t prevSumExecRuntime = 0;
  std::uint64_t vprot = 0;           ///< v7.3: protected while vruntime < vprot
  std::uint64_t maxSlice = 0;        ///< largest slice in this subtree (v7.3)
  LoadWeight hLoad;                  ///< v7.3: hierarchical weight used for virtual time
  std::uint64_t runnableWeight = 0;  ///< group: cached number of runnable tasks below

  bool isTask() const { return !myQ.isValid(); }
};

/// Load taken away by tasks that slept and woke elsewhere; applied at the next update.
struct RemovedLoad {
  std::int32_t nr = 0;
  std::uint64_t loadAvg = 0, utilAvg = 0, runnableAvg = 0;
};

/// Kernel: struct cfs_rq. Root queue of a CPU or of a task group on one CPU. A tick touches the first three
/// cache lines; statistics of a pass read for every CPU only the third.
struct alignas(64) CfsRq {
  LoadWeight load;
  std::int64_t sumWVruntime = 0;   ///< sum of (v_i - zero) * w_i over the tree (avg_vruntime)
  std::uint64_t sumWeight = 0;     ///< sum of w_i over the tree (avg_load)
  std::uint64_t zeroVruntime = 0;  ///< reference point; v6.1: min_vruntime
  EntityId curr;                   ///< running entity; v7.3 group queues: h_curr
  EntityId root, leftmost;         ///< tree
  EntityId next, last, skip;       ///< buddies
  CpuId cpu;
  GroupId group;
  EntityId hCurr;               ///< v7.3 root queue only: entity of this queue above the running task
  bool runtimeEnabled = false;  ///< cfs bandwidth
  bool throttled = false;
  bool peltClockThrottled = false;  ///< v7.3: throttled and empty, the PELT clock stands
  bool propagate = false;
  std::int32_t throttleCount = 0;
  std::uint64_t throttledClockPeltTime = 0;
  SchedAvg avg;                   ///< its second half shares a line with the counters
  std::uint32_t nrQueued = 0;     ///< entities directly here, delayed included
  std::uint32_t hNrQueued = 0;    ///< tasks in the subtree, delayed included (v6.1 h_nr_running)
  std::uint32_t hNrRunnable = 0;  ///< ... delayed excluded
  std::uint32_t hNrIdle = 0;      ///< idle-policy tasks in the subtree
  std::uint32_t hNrDelayed = 0;
  std::uint32_t idleNrRunning = 0;  ///< idle entities directly here
  bool onLeafList = false;
  bool isIdle = false;  ///< cpu.idle of the group
  RemovedLoad removed;
  std::uint64_t tgLoadAvgContrib = 0;
  std::uint64_t tgRunnableAvgContrib = 0;
  std::uint64_t lastUpdateTgLoadAvg = 0;  ///< ns
  std::int64_t propRunnableSum = 0;
  std::int64_t propRemovedSum = 0;  ///< tg_load_avg_delay_removed patch
  std::uint64_t hLoad = 0;
  std::uint64_t lastHLoadUpdate = UINT64_MAX;  ///< jiffies; UINT64_MAX = never
  EntityId hLoadNext;
  std::int64_t runtimeRemaining = 0;
  std::uint64_t runtimeExpiresNs = 0;  ///< before v5.4: rq_clock at which the runtime ends
  std::uint64_t throttledNs = 0;       ///< rq_clock at which it was throttled (throttled_clock)
  std::uint32_t runtimeSeq = 0;        ///< before v5.4: period of the runtime (expires_seq)
  std::vector<TaskId> limbo;           ///< v7.3: throttled tasks of this queue, newest last
  std::uint64_t throttledClockPelt = 0;
  std::uint64_t throttledPeltIdle = 0;  ///< kept for lockless readers; UINT64_MAX = clock stopped
};

enum class TaskState : std::uint8_t {
  New,      ///< forked, never woken
  Running,  ///< runnable or running
  Sleeping,
  Dead
};

/// Kernel: the parts of struct task_struct that placement and balance read.
struct alignas(64) Task {
  EntityId se;
  GroupId group;
  CpuId cpu;  ///< task_cpu()
  CpuId wakeCpu;
  CpuId recentUsedCpu;
  TaskId lastWakee;
  TaskId listPrev, listNext;  ///< rq->cfs_tasks
  std::int32_t nrCpusAllowed = 0;
  std::uint32_t wakeeFlips = 0;
  std::uint64_t wakeeFlipDecayJiffies = 0;
  TaskState state = TaskState::New;
  SchedPolicy policy = SchedPolicy::Normal;
  std::int8_t nice = 0;
  bool onRq = false;  ///< p->on_rq, delayed included
  bool onCpu = false;
  bool migrating = false;  ///< TASK_ON_RQ_MIGRATING
  bool throttled = false;  ///< v7.3: in the limbo of its queue, on_rq all the same
  bool isPerCpuKthread = false;
  bool exiting = false;         ///< PF_EXITING
  bool newTask = false;         ///< first enqueue still to come
  bool addToWakequeue = false;  ///< shared wakequeue, mail variant
  std::int32_t pid = 0;         ///< unique in a run, in order of creation
  CpuMask cpusAllowed;          ///< a cache line
  std::uint32_t maxAllowedCapacity = 1024;
  std::uint16_t uclampMin = 0, uclampMax = 1024;        ///< in effect: restricted by the group's
  std::uint16_t uclampReqMin = 0, uclampReqMax = 1024;  ///< asked for
  std::int32_t preferredLlc = -1;                       ///< v7.3 cache-aware balancing: LLC id, -1 none
  std::int32_t threads = 1;   ///< of its thread group; read by cache-aware balancing
  std::int32_t process = -1;  ///< index into Machine::processes, -1 none
  std::int32_t numaPreferredNode = -1;
  TaskId sharedPrev, sharedNext;  ///< neighbours in the shared queue
  std::int32_t sharedQueue = -1;  ///< index into Machine::sharedQueues, -1: in none
  TaskId parent;                  ///< who forked it; none for the first
  std::string name;
};

/// Bandwidth of a group. Kernel: struct cfs_bandwidth.
struct CfsBandwidth {
  std::int64_t quotaNs = -1;  ///< -1: no limit
  std::uint64_t periodNs = 100'000'000;
  std::int64_t runtimeNs = 0;
  std::vector<CfsRqId> throttled;
  std::uint64_t periodEndNs = 0;  ///< machine time of the next refill, or of one missed while unused
  std::uint64_t slackAtNs = kNoSlackTimer;  ///< machine time at which returned runtime is handed out
  std::uint32_t periodSeq = 0;              ///< number of the refill
  // Of cpu.stat, and what it does not tell.
  std::uint32_t nrPeriods = 0, nrThrottled = 0;         ///< periods that ended; ... with a throttled queue
  std::uint64_t usedNs = 0;                             ///< CPU time of its tasks while limited
  std::uint64_t throttledNs = 0;                        ///< of queues that are running again, summed
  std::uint64_t expiredNs = 0;                          ///< runtime that ended unused on a CPU; before v5.4
  std::uint64_t usedBeforeNs = 0, expiredBeforeNs = 0;  ///< the same two when the period began

  static constexpr std::uint64_t kNoSlackTimer = UINT64_MAX;
};

/// Utilisation of a queue at one step of sched_move_task(), and of the task that leaves and joins it.
struct MoveSums {
  std::uint64_t queueAvg = 0, taskAvg = 0;
  std::uint32_t queueSum = 0, taskSum = 0;
};

/// What the last sched_move_task() of a CPU did to the sums: detach takes the task's sum, attach gives back
/// one rebuilt from its average, so run time that is in no average yet is lost.
struct GroupMove {
  TaskId task;  ///< none: there was no move
  GroupId from, to;
  std::uint64_t timeNs = 0;
  bool isSkipped = false;  ///< the group stays and the early return is on
  MoveSums before, detached, attached;
};

/// Kernel: struct task_group. Its queues and entities are contiguous: cfsRqBase + cpu, entityBase + cpu.
struct TaskGroup {
  std::string name;
  GroupId parent;
  std::vector<GroupId> children;
  std::uint64_t shares = kNice0Load;  ///< scaled
  std::int64_t loadAvg = 0;           ///< tg->load_avg
  std::int64_t runnableAvg = 0;       ///< v7.3
  std::int32_t cfsRqBase = 0;
  std::int32_t entityBase = -1;  ///< -1: root
  std::uint16_t uclampMin = 0, uclampMax = 1024;
  bool idle = false;
  bool isAutogroup = false;
  bool removed = false;
  CfsBandwidth bandwidth;
};

}  // namespace rqscope
