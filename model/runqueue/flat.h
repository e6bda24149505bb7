// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "runqueue/queue_internal.h"

/// The fair class of v7.3 (85570f10a4c6): the tasks of all groups compete in the root queue's one tree, by
/// their share of the root (SchedEntity::hLoad). Group queues keep weight, averages and counters; CfsRq::curr
/// of a group queue, and hCurr of the root, is its entity on the path to the running task.
namespace rqscope::flat {

/// delta in the entity's virtual time, an exact division. Kernel: calc_delta_fair() (v7.3).
inline std::uint64_t calcDeltaFair(std::uint64_t delta, std::uint64_t weight) {
  return delta * kNice0Load / weight;
}

// Virtual time of the root queue (flat_virtual.cpp).
std::uint64_t averageOf(const Machine& m, const CfsRq& root);  ///< V without moving the reference point
std::uint64_t moveToAverage(const Machine& m, CfsRq& root);    ///< avg_vruntime()
bool isVruntimeEligible(const Machine& m, const CfsRq& root,
                        std::uint64_t vruntime);              ///< vruntime_eligible()
std::uint64_t minSlice(const Machine& m, const CfsRq& root);  ///< cfs_rq_min_slice()
/// entity_lag(): clamped to the longest slice of the queue and a tick.
std::int64_t lagOf(const Machine& m, const CfsRq& root, const SchedEntity& se, std::uint64_t average);
/// update_entity_lag(): true when the lag kept is not the one that the entity's vruntime stands for.
bool updateEntityLag(const Machine& m, CfsRq& root, SchedEntity& se);
bool updateDeadline(const Machine& m, CfsRq& root, SchedEntity& se);  ///< update_deadline()
void placeEntity(Context& ctx, CfsRq& root, EntityId entity, std::uint32_t othersQueued,
                 std::uint32_t flags);                        ///< place_entity()
void insertEntity(Machine& m, CfsRq& root, EntityId entity);  ///< __enqueue_entity()
void removeEntity(Machine& m, CfsRq& root, EntityId entity);  ///< __dequeue_entity()
/// reweight_eevdf(): a new weight for virtual time, keeping the lag.
void reweightVirtual(Machine& m, CfsRq& root, EntityId entity, std::uint64_t weight);
EntityId pick(const Machine& m, const CfsRq& root, bool protect);            ///< pick_eevdf()
bool isProtected(const SchedEntity& se);                                     ///< protect_slice()
void setProtectSlice(const Machine& m, const CfsRq& root, SchedEntity& se);  ///< set_protect_slice()
void updateProtectSlice(const Machine& m, CfsRq& root, SchedEntity& se);     ///< update_protect_slice()
/// One level of the share of the root: `above` is its queue's weight, or NICE_0_LOAD at the top.
std::uint64_t shareOfLevel(std::uint64_t share, std::uint64_t weight, std::uint64_t above);
std::uint64_t hierarchicalWeight(const Machine& m, EntityId entity);

// The class's functions (flat.cpp).
/// update_curr() of one level: its entity on the path to the running task.
void chargeLevel(Context& ctx, CfsRqId queue);
void chargeCurr(Context& ctx, CpuId cpu);  ///< the same of the running task's own level
void reweightEntity(Machine& m, CfsRqId queue, EntityId entity, std::uint64_t weight);  ///< reweight_entity()
void enqueueTask(Context& ctx, CpuId cpu, TaskId task, std::uint32_t flags);  ///< enqueue_task_fair()
bool dequeueTask(Context& ctx, CpuId cpu, TaskId task, std::uint32_t flags);  ///< dequeue_task_fair()
TaskId pickTask(Context& ctx, CpuId cpu);                                     ///< pick_task_fair()
void setNextTask(Context& ctx, CpuId cpu, TaskId task, bool first);           ///< set_next_task_fair()
void putPrevTask(Context& ctx, CpuId cpu, TaskId task);                       ///< put_prev_task_fair()
/// pick_next_task_fair(): only the levels on which the two paths differ.
void switchTasks(Context& ctx, CpuId cpu, TaskId prev, TaskId next);
void tick(Context& ctx, CpuId cpu, TaskId task, bool queued);                       ///< task_tick_fair()
void wakeupPreempt(Context& ctx, CpuId cpu, TaskId task, std::uint32_t wakeFlags);  ///< wakeup_preempt_fair()
void yieldTask(Context& ctx, CpuId cpu);                                            ///< yield_task_fair()
void reweightTask(Context& ctx, TaskId task, LoadWeight weight);                    ///< reweight_task_fair()

// Throttling by task (flat_bandwidth.cpp).
void stopPeltClock(Machine& m, CfsRqId queue);  ///< of a throttled queue that is empty
void restartPeltClock(Machine& m, CfsRqId queue);
/// Takes a task of a throttled group off the CPU's queue. False when its group is not throttled.
/// Kernel: throttle_cfs_rq_work().
bool throttleTask(Context& ctx, CpuId cpu, TaskId task);
/// enqueue_throttled_task(): true when the task went to the limbo of its new queue.
bool enqueueThrottledTask(Machine& m, CpuId cpu, TaskId task);
void dequeueThrottledTask(Context& ctx, TaskId task, std::uint32_t flags);  ///< dequeue_throttled_task()
void releaseLimbo(Context& ctx, CfsRqId queue);  ///< the part of tg_unthrottle_up()

// The slice timer (hrtick.cpp).
void startHrtick(Machine& m, CpuId cpu, const SchedEntity& se);  ///< hrtick_start_fair()
void updateHrtick(Machine& m, CpuId cpu);                        ///< hrtick_update()
void cancelHrtick(Machine& m, CpuId cpu);                        ///< hrtick_schedule_exit() on entering idle

}  // namespace rqscope::flat
