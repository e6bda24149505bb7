// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "runqueue/queue_internal.h"

/// The fair class of v6.1: a vruntime tree per cfs_rq, sleeper credit, buddies.
/// Each function names the kernel function whose order of steps it keeps (kernel/sched/fair.c, v6.1).
/// CfsRq::zeroVruntime is min_vruntime here.
namespace rqscope::cfs {

void chargeCurr(Context& ctx, CfsRqId queue);  ///< update_curr()
/// sched_slice(): the share of a latency period that is the entity's.
std::uint64_t sliceOf(Machine& m, CfsRqId queue, EntityId entity);
std::uint64_t virtualSliceOf(Machine& m, CfsRqId queue, EntityId entity);  ///< sched_vslice()
/// The same as it is now, without the reciprocals that the kernel keeps in passing.
std::uint64_t sliceNow(const Machine& m, CfsRqId queue, EntityId entity);
/// wakeup_gran(): how far behind a wakee may be before it preempts.
std::uint64_t wakeupMargin(const Machine& m, SchedEntity& wakee);
/// wakeup_preempt_entity(): 1 preempt, 0 within the margin, -1 no.
int wakeupPreemptEntity(Machine& m, EntityId curr, EntityId wakee);
void placeEntity(Context& ctx, CfsRqId queue, EntityId entity, bool initial);  ///< place_entity()
void reweightEntity(Context& ctx, CfsRqId queue, EntityId entity,
                    std::uint64_t weight);  ///< reweight_entity()

void enqueueLevel(Context& ctx, CfsRqId queue, EntityId entity, std::uint32_t flags);  ///< enqueue_entity()
void dequeueLevel(Context& ctx, CfsRqId queue, EntityId entity, std::uint32_t flags);  ///< dequeue_entity()
void enqueueTask(Context& ctx, CpuId cpu, TaskId task, std::uint32_t flags);  ///< enqueue_task_fair()
void dequeueTask(Context& ctx, CpuId cpu, TaskId task, std::uint32_t flags);  ///< dequeue_task_fair()

/// pick_next_entity(): `curr` is none when it does not compete.
EntityId pick(Machine& m, const CfsRq& queue, EntityId curr);
/// The entity that would be picked now, the running one among them; nothing is charged or changed.
EntityId pickNow(const Machine& m, CfsRqId queue);
TaskId pickTask(Context& ctx, CpuId cpu);                          ///< pick_next_task_fair(), the picking
void setNextEntity(Context& ctx, CfsRqId queue, EntityId entity);  ///< set_next_entity()
void putPrevEntity(Context& ctx, CfsRqId queue, EntityId entity);  ///< put_prev_entity()
void tick(Context& ctx, CpuId cpu, TaskId task);                   ///< task_tick_fair()
void wakeupPreempt(Context& ctx, CpuId cpu, TaskId task,
                   std::uint32_t wakeFlags);  ///< check_preempt_wakeup()
void yieldTask(Context& ctx, CpuId cpu);      ///< yield_task_fair()

void forkTask(Context& ctx, TaskId task);  ///< task_fork_fair()
/// A task changes its group: its vruntime is made relative, then absolute again. Kernel:
/// detach_task_cfs_rq(), attach_task_cfs_rq().
void leaveGroup(Context& ctx, TaskId task);
void joinGroup(Machine& m, TaskId task);

}  // namespace rqscope::cfs
