// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "runqueue/machine.h"
#include "runqueue/observer.h"

namespace rqscope {

/// Flags of update_load_avg(). Kernel: UPDATE_TG, SKIP_AGE_LOAD, DO_ATTACH, DO_DETACH (v6.12).
enum UpdateFlag : std::uint32_t {
  kUpdateTg = 1,
  kSkipAgeLoad = 2,
  kDoAttach = 4,
  kDoDetach = 8,
  kUpdateUtilEst = 16
};

/// Brings clock, clock_task and clock_pelt of the rq to Machine::nowNs. Kernel: update_rq_clock(),
/// update_rq_clock_pelt().
void updateRqClock(Context& ctx, CpuId cpu);
/// Kernel: update_idle_rq_clock_pelt(), on entering idle.
void updateIdleRqClockPelt(Machine& m, CpuId cpu);
/// Kernel: rq_clock_pelt().
inline std::uint64_t rqClockPelt(const Rq& rq) { return rq.clockPelt - rq.lostIdleTime; }
inline std::uint64_t rqClockPelt(const Machine& m, CpuId cpu) { return rqClockPelt(m.rq(cpu)); }
/// True while throttling stops the queue's PELT clock (v6.x: at throttle; v7.3: once empty as well).
inline bool isPeltClockStopped(const Machine& m, const CfsRq& queue) {
  return m.behaviours().throttleFreezesWhenEmpty ? queue.peltClockThrottled : queue.throttleCount != 0;
}
/// Kernel: cfs_rq_clock_pelt().
inline std::uint64_t cfsRqClockPelt(const Machine& m, const CfsRq& queue) {
  const std::uint64_t now =
      isPeltClockStopped(m, queue) ? queue.throttledClockPelt : rqClockPelt(m, queue.cpu);
  return now - queue.throttledClockPeltTime;
}
inline std::uint64_t cfsRqClockPelt(const Machine& m, CfsRqId queue) {
  return cfsRqClockPelt(m, m.queue(queue));
}
/// When the last entity left the queue. Kernel: update_idle_cfs_rq_clock_pelt().
inline void updateIdleCfsRqClockPelt(const Machine& m, CfsRq& queue) {
  queue.throttledPeltIdle = isPeltClockStopped(m, queue) ? UINT64_MAX : queue.throttledClockPeltTime;
}

/// se_weight(): the weight of an entity in the nice-0-is-1024 scale.
inline std::uint64_t seWeight(const SchedEntity& entity) { return scaleLoadDown(entity.load.weight); }
/// The entity of this queue on the path to the running task. Kernel: cfs_rq->curr, v7.3 h_curr.
inline EntityId currentOfLevel(const Machine& m, const CfsRq& queue) {
  const bool flatRoot = m.profile->queue == QueueKind::FlatEevdf && queue.group.value == 0;
  return flatRoot ? queue.hCurr : queue.curr;
}

// rq->leaf_cfs_rq_list. Kernel: list_add_leaf_cfs_rq() (true when the branch is joined),
// list_del_leaf_cfs_rq().
bool addLeafQueue(Machine& m, CfsRqId queue);
void removeLeafQueue(Machine& m, CfsRqId queue);

/// The single entry to load tracking. Kernel: update_load_avg(), kernel/sched/fair.c (v6.1, v6.12, v7.3).
void updateLoadAvg(Context& ctx, CfsRqId queue, EntityId entity, std::uint32_t flags);
/// Kernel: update_cfs_rq_load_avg(). True when averages changed.
bool updateCfsRqLoadAvg(Context& ctx, std::uint64_t nowNs, CfsRqId queue);
bool propagateEntityLoadAvg(Context& ctx, EntityId entity);  ///< Kernel: propagate_entity_load_avg()
void attachEntityLoadAvg(Context& ctx, CfsRqId queue, EntityId entity);
void detachEntityLoadAvg(Context& ctx, CfsRqId queue, EntityId entity);
/// Kernel: attach_entity_cfs_rq() / detach_entity_cfs_rq(): with propagation up the tree (group moves).
void attachEntityCfsRq(Context& ctx, EntityId entity);
void detachEntityCfsRq(Context& ctx, EntityId entity);
void syncEntityLoadAvg(Context& ctx, EntityId entity);    ///< Kernel: sync_entity_load_avg()
void removeEntityLoadAvg(Context& ctx, EntityId entity);  ///< Kernel: remove_entity_load_avg()
void migrateSePeltLag(Context& ctx, EntityId entity);     ///< Kernel: migrate_se_pelt_lag()
/// Ages the entity to `prev` and gives it the time of `next`. Kernel: set_task_rq_fair() (ATTACH_AGE_LOAD).
void setTaskRqFair(Machine& m, EntityId entity, CfsRqId prev, CfsRqId next);
/// Kernel: __update_load_avg_se(), __update_load_avg_blocked_se(), __update_load_avg_cfs_rq(); true when the
/// averages changed.
bool updateLoadAvgSe(Machine& m, std::uint64_t nowNs, const CfsRq& queue, EntityId entity);
bool updateLoadAvgBlockedSe(std::uint64_t nowNs, SchedEntity& entity);
bool updateLoadAvgCfsRq(const Machine& m, std::uint64_t nowNs, CfsRq& queue);
/// enqueue_load_avg()/dequeue_load_avg(): the weighted part only, used by reweight.
void enqueueLoadAvg(Machine& m, CfsRqId queue, EntityId entity);
void dequeueLoadAvg(Machine& m, CfsRqId queue, EntityId entity);
void updateTgLoadAvg(Context& ctx, CfsRqId queue);  ///< Kernel: update_tg_load_avg()
/// A CPU goes offline: its queues no longer count in their groups. Kernel: clear_tg_offline_cfs_rqs()
/// (v6.8+).
void clearTgOfflineQueues(Context& ctx, CpuId cpu);
/// Shares (scaled) that a group entity deserves. Kernel: calc_group_shares().
std::uint64_t calcGroupShares(const Machine& m, CfsRqId groupQueue);
void postInitEntityUtilAvg(Context& ctx, TaskId task);  ///< Kernel: post_init_entity_util_avg()
void seUpdateRunnable(Machine& m, EntityId entity);     ///< Kernel: se_update_runnable()

/// Averages of the rt, dl and irq classes and hardware pressure. True when one changed.
/// Kernel: update_other_load_avgs().
bool updateOtherLoadAvgs(Context& ctx, CpuId cpu);
/// Nothing left to decay and nothing listed below. Kernel: cfs_rq_is_decayed().
bool isQueueDecayed(const Machine& m, CfsRqId queue);
/// Kernel: sched_balance_update_blocked_averages(). Returns nothing; clears hasBlockedLoad when all decayed.
void updateBlockedAverages(Context& ctx, CpuId cpu);

// util_est. Kernel: util_est_enqueue/dequeue/update(), both forms.
std::uint64_t taskUtil(const Machine& m, TaskId task);
std::uint64_t taskUtilEstRaw(const Machine& m, TaskId task);  ///< _task_util_est()
std::uint64_t taskUtilEst(const Machine& m, TaskId task);     ///< task_util_est()
void utilEstEnqueue(Machine& m, CpuId cpu, TaskId task);
void utilEstDequeue(Machine& m, CpuId cpu, TaskId task);
void utilEstUpdate(Machine& m, CpuId cpu, TaskId task, bool taskSleep);

// CPU and task figures that placement and balance read.
enum class Boost : std::uint8_t { No, Runnable };
/// Kernel: cpu_util(cpu, p, dst_cpu, boost). task/dst may be none.
std::uint64_t cpuUtil(const Machine& m, CpuId cpu, TaskId task, CpuId dst, Boost boost);
/// Kernel: cpu_util_cfs(): cpu_util() of no task in particular.
inline std::uint64_t cpuUtilCfs(const Machine& m, CpuId cpu) {
  const SchedAvg& avg = m.rootCfs(cpu).avg;
  std::uint64_t util = avg.utilAvg;
  if (m.features().utilEst && avg.utilEst > util) util = avg.utilEst;
  const std::uint64_t capacity = m.topology->cpuCapacity[cpu.index()];
  return util < capacity ? util : capacity;
}
std::uint64_t cpuUtilCfsBoost(const Machine& m, CpuId cpu);  ///< cpu_util_cfs_boost(); v6.1: plain
std::uint64_t cpuUtilWithout(const Machine& m, CpuId cpu, TaskId task);
std::uint64_t cpuLoad(const Machine& m, CpuId cpu);
std::uint64_t cpuLoadWithout(Machine& m, CpuId cpu, TaskId task);
std::uint64_t cpuRunnable(const Machine& m, CpuId cpu);
std::uint64_t cpuRunnableWithout(const Machine& m, CpuId cpu, TaskId task);
/// Hierarchical load of a task; caches per jiffy as the kernel does. Kernel: task_h_load().
std::uint64_t taskHLoad(Machine& m, TaskId task);
/// What rt, dl, irq and pressure leave for the fair class; may be 0, the caller stores at least 1.
/// Kernel: scale_rt_capacity().
std::uint64_t scaleRtCapacity(const Machine& m, CpuId cpu);
/// Original capacity minus hardware and cpufreq pressure. Kernel: get_actual_cpu_capacity().
std::uint64_t actualCpuCapacity(const Machine& m, CpuId cpu);
/// arch_scale_cpu_capacity()
inline std::uint64_t capacityOrig(const Machine& m, CpuId cpu) {
  return m.topology->cpuCapacity[cpu.index()];
}

/// Kernel: util_fits_cpu(): 1 fits, 0 not, -1 only uclamp_min does not.
int utilFitsCpu(const Machine& m, std::uint64_t util, std::uint64_t uclampMin, std::uint64_t uclampMax,
                CpuId cpu);
int taskFitsCpu(const Machine& m, TaskId task, CpuId cpu);  ///< Kernel: task_fits_cpu()
/// Kernel: update_misfit_status(); task none clears it.
void updateMisfitStatus(Machine& m, TaskId task, CpuId cpu);

constexpr bool fitsCapacity(std::uint64_t util, std::uint64_t capacity) {
  return util * 1280 < capacity * 1024;
}
constexpr bool capacityGreater(std::uint64_t a, std::uint64_t b) { return a * 1024 > b * 1078; }

}  // namespace rqscope
