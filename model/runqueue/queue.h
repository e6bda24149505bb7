// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "runqueue/machine.h"
#include "runqueue/observer.h"

namespace rqscope {

/// Kernel: ENQUEUE_* / DEQUEUE_* (v6.12 values; v7.3 renamed, same meaning).
enum EnqueueFlag : std::uint32_t {
  kEnqueueWakeup = 0x01,   // = kDequeueSleep
  kEnqueueRestore = 0x02,  // = kDequeueSave
  kEnqueueMove = 0x04,
  kEnqueueNoclock = 0x08,
  kEnqueueInitial = 0x80,
  kEnqueueMigrated = 0x40,
  kEnqueueDelayed = 0x200,
};
enum DequeueFlag : std::uint32_t {
  kDequeueSleep = 0x01,
  kDequeueSave = 0x02,
  kDequeueMove = 0x04,
  kDequeueNoclock = 0x08,
  kDequeueSpecial = 0x10,
  kDequeueDelayed = 0x200,
};
/// Kernel: WF_*; the low bits equal the SD_BALANCE_* flags.
enum WakeFlag : std::uint32_t {
  kWfExec = 0x02,
  kWfFork = 0x04,
  kWfTtwu = 0x08,
  kWfSync = 0x10,
  kWfMigrated = 0x20,
  kWfCurrentCpu = 0x40,
  kWfOnCpu = 0x80,  ///< the wakee is still in schedule() of its CPU, which is left the wakeup
};

// The fair class, one CPU at a time. The profile's QueueKind chooses CFS (v6.1), EEVDF (v6.12) or flat EEVDF
// (v7.3) behind these functions. The rq clock must be current (updateRqClock) unless a NOCLOCK flag says so.

void enqueueTaskFair(Context& ctx, CpuId cpu, TaskId task, std::uint32_t flags);
/// False when the dequeue was delayed: the task sleeps but stays queued (v6.12+).
bool dequeueTaskFair(Context& ctx, CpuId cpu, TaskId task, std::uint32_t flags);
/// ENQUEUE_DELAYED path of a wakeup of a delayed task. Kernel: requeue_delayed_entity().
void requeueDelayedTask(Context& ctx, CpuId cpu, TaskId task);
/// The task that should run next, or none. Really dequeues delayed entities it meets. Does not switch.
/// Kernel: pick_task_fair() (v6.12), pick_next_entity() down the tree (v6.1).
TaskId pickTaskFair(Context& ctx, CpuId cpu);
/// Takes the picked task off the tree as current. Kernel: set_next_task_fair().
/// `first` is false when the task was current already (a change of group, nice or policy).
void setNextTaskFair(Context& ctx, CpuId cpu, TaskId task, bool first = true);
/// Puts the current task back. Kernel: put_prev_task_fair().
void putPrevTaskFair(Context& ctx, CpuId cpu, TaskId task);
/// Where the kernel switches between two fair tasks it moves only the entities on the paths that differ.
/// Kernel: pick_next_task_fair(), the "simple" / common-parent part. prev may be none.
void switchFair(Context& ctx, CpuId cpu, TaskId prev, TaskId next);
void taskTickFair(Context& ctx, CpuId cpu, TaskId task);
/// v7.3: the slice timer (Rq::hrtickAtNs) of a CPU fires. Kernel: hrtick(), task_tick_fair(queued).
void hrtickFair(Context& ctx, CpuId cpu);
/// Sets needResched of the CPU when the woken task should run first.
/// Kernel: check_preempt_wakeup() (v6.1), check_preempt_wakeup_fair() (v6.12), wakeup_preempt_fair() (v7.3).
void wakeupPreemptFair(Context& ctx, CpuId cpu, TaskId task, std::uint32_t wakeFlags);
/// The core's part around it: an idle current always yields, a running stopper never does.
/// Kernel: wakeup_preempt() (v6.1 check_preempt_curr()), kernel/sched/core.c. Balance and wakeups call this
/// one.
void wakeupPreempt(Context& ctx, CpuId cpu, TaskId task, std::uint32_t wakeFlags);
void yieldTaskFair(Context& ctx, CpuId cpu);
void updateCurr(Context& ctx, CfsRqId queue);  ///< Kernel: update_curr()

/// Before the first wakeup. Kernel: task_fork_fair() (v6.1: places on the parent's CPU; later: nothing).
void taskForkFair(Context& ctx, TaskId task);
/// Kernel: migrate_task_rq_fair(): leaves the old CPU's averages (and, v6.1, its min_vruntime).
void migrateTaskRqFair(Context& ctx, TaskId task, CpuId newCpu);
/// Points the task's entity at its group's queue on `cpu`. Kernel: set_task_rq(), __set_task_cpu().
void setTaskRq(Machine& m, TaskId task, CpuId cpu);
void taskDeadFair(Context& ctx, TaskId task);  ///< Kernel: task_dead_fair()

/// New weight of a task, queued or not. Kernel: reweight_task_fair(), set_load_weight().
void reweightTask(Context& ctx, TaskId task, LoadWeight weight);
/// Kernel: reweight_entity().
void reweightEntity(Context& ctx, CfsRqId queue, EntityId entity, std::uint64_t weight);
void updateCfsGroup(Context& ctx, EntityId entity);  ///< Kernel: update_cfs_group()

// Task groups.
void setGroupShares(Context& ctx, GroupId group, std::uint64_t shares);  ///< Kernel: sched_group_set_shares()
void setGroupIdle(Context& ctx, GroupId group, bool idle);               ///< Kernel: sched_group_set_idle()
/// The class part of sched_move_task(): detach, switch group, attach. Kernel: task_change_group_fair().
void taskChangeGroupFair(Context& ctx, TaskId task, GroupId group);
/// A quota below 0: no limit. Kernel: tg_set_cfs_bandwidth().
void setGroupBandwidth(Context& ctx, GroupId group, std::int64_t quotaNs, std::uint64_t periodNs);
/// Machine time at which bandwidthTimer() is due, from now on; UINT64_MAX: not before something changes, as
/// the pool is full and nobody waits.
std::uint64_t nextBandwidthTimerNs(const CfsBandwidth& pool, std::uint64_t nowNs);
/// A period ended, or what CPUs gave back is handed out. Kernel: do_sched_cfs_period_timer(),
/// do_sched_cfs_slack_timer().
void bandwidthTimer(Context& ctx, GroupId group);
bool isThrottledHierarchy(const Machine& m, CfsRqId queue);

// Virtual time, for eval, views and balance.
std::uint64_t avgVruntime(const Machine& m, CfsRqId queue);  ///< V. Kernel: avg_vruntime()
bool isEntityEligible(const Machine& m, CfsRqId queue, EntityId entity);
std::int64_t entityLag(const Machine& m, CfsRqId queue, EntityId entity);  ///< clamped. Kernel: entity_lag()
EntityId pickEevdf(const Machine& m, CfsRqId queue);                       ///< Kernel: pick_eevdf()
/// Entities of the tree in its order (deadline, v6.1 vruntime), current not included.
void treeInOrder(const Machine& m, CfsRqId queue, std::vector<EntityId>& out);

/// One entity competes in the CPU's root queue (v7.3: one task). Kernel: the test in prio_changed_fair().
inline bool isOnlyCompetitor(const Machine& m, CpuId cpu) {
  const CfsRq& root = m.rootCfs(cpu);
  return (m.profile->queue == QueueKind::FlatEevdf ? root.hNrQueued : root.nrQueued) == 1;
}

// rq->cfs_tasks and counters.
void listAddHead(Machine& m, CpuId cpu, TaskId task);
void listRemove(Machine& m, CpuId cpu, TaskId task);
/// Moves a listed task to the head.
void listMoveHead(Machine& m, CpuId cpu, TaskId task);
/// nr_running of the rq; marks the root domain overloaded on reaching 2. Kernel: add_nr_running().
void addNrRunning(Context& ctx, CpuId cpu, unsigned count);
void subNrRunning(Machine& m, CpuId cpu, unsigned count);

/// The avg_idle part of ttwu_do_activate() (v7.3: on leaving idle).
void updateAvgIdle(Machine& m, CpuId cpu);
/// Queues a job for the migration thread of `work.cpu`, wakes that thread (nr_running + 1) and marks the CPU
/// for rescheduling; the engine runs it. Kernel: stop_one_cpu_nowait(). Active balance and affinity changes
/// call it.
void requestStopper(Context& ctx, const StopperWork& work);

void reschedCurr(Machine& m, CpuId cpu);      ///< Kernel: resched_curr()
void reschedCurrLazy(Machine& m, CpuId cpu);  ///< Kernel: resched_curr_lazy(), v7.3

}  // namespace rqscope
