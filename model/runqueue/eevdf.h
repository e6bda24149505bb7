// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "runqueue/queue_internal.h"

/// The fair class of v6.12: a deadline tree per cfs_rq, group entities in it, delayed dequeue.
/// Each function names the kernel function whose order of steps it keeps (kernel/sched/fair.c, v6.12).
namespace rqscope::eevdf {

void chargeCurr(Context& ctx, CfsRqId queue);                     ///< update_curr()
bool updateDeadline(Machine& m, CfsRq& queue, SchedEntity& se);   ///< update_deadline()
void updateEntityLag(Machine& m, CfsRq& queue, SchedEntity& se);  ///< update_entity_lag()
/// avg_vruntime(): V; also moves the queue's reference point there.
std::uint64_t moveToAverage(Machine& m, CfsRq& queue);
std::uint64_t averageOf(const Machine& m, const CfsRq& queue);  ///< V without moving the reference
bool isVruntimeEligible(const Machine& m, const CfsRq& queue,
                        std::uint64_t vruntime);                                      ///< vruntime_eligible()
std::int64_t lagOf(const Machine& m, std::uint64_t average, SchedEntity& se);         ///< entity_lag()
std::uint64_t minSlice(const Machine& m, const CfsRq& queue);                         ///< cfs_rq_min_slice()
void placeEntity(Context& ctx, CfsRqId queue, EntityId entity, std::uint32_t flags);  ///< place_entity()
void insertEntity(Context& ctx, CfsRq& queue, EntityId entity);                       ///< __enqueue_entity()
void removeEntity(Context& ctx, CfsRq& queue, EntityId entity);                       ///< __dequeue_entity()
void reweightEntity(Context& ctx, CfsRqId queue, EntityId entity,
                    std::uint64_t weight);            ///< reweight_entity()
EntityId pick(const Machine& m, const CfsRq& queue);  ///< pick_eevdf()

void enqueueLevel(Context& ctx, CfsRqId queue, EntityId entity, std::uint32_t flags);  ///< enqueue_entity()
bool dequeueLevel(Context& ctx, CfsRqId queue, EntityId entity, std::uint32_t flags);  ///< dequeue_entity()
void requeueDelayed(Context& ctx, EntityId entity);                           ///< requeue_delayed_entity()
void enqueueTask(Context& ctx, CpuId cpu, TaskId task, std::uint32_t flags);  ///< enqueue_task_fair()
bool dequeueTask(Context& ctx, CpuId cpu, TaskId task, std::uint32_t flags);  ///< dequeue_task_fair()

/// How a dequeue ended. Kernel: return value of dequeue_entities().
enum class Dequeued : std::uint8_t { Delayed, Throttled, Complete };
Dequeued dequeueEntities(Context& ctx, CpuId cpu, EntityId entity, std::uint32_t flags);

TaskId pickTask(Context& ctx, CpuId cpu);                          ///< pick_task_fair()
void setNextEntity(Context& ctx, CfsRqId queue, EntityId entity);  ///< set_next_entity()
void putPrevEntity(Context& ctx, CfsRqId queue, EntityId entity);  ///< put_prev_entity()
void tick(Context& ctx, CpuId cpu, TaskId task);                   ///< task_tick_fair()
void wakeupPreempt(Context& ctx, CpuId cpu, TaskId task,
                   std::uint32_t wakeFlags);  ///< check_preempt_wakeup_fair()
void yieldTask(Context& ctx, CpuId cpu);      ///< yield_task_fair()

}  // namespace rqscope::eevdf
