// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "runqueue/machine.h"
#include "runqueue/observer.h"

// The shared wakequeue of 2023 (swqueue, shared_runq; never merged): waiting tasks of a cache also stand in
// one first-in first-out queue, and a CPU about to go idle takes its head before it balances. Which tasks
// join, and when a CPU looks, differs by version of the series: Behaviours::wakequeue.

namespace rqscope {

/// Queues for the machine's caches; none when no such patch is on.
void makeSharedQueues(Machine& m);
/// The domains were rebuilt: v3 and v4 empty all queues and assign them anew, the others do nothing.
void sharedQueuesAfterRebuild(Machine& m);

/// v1, its mail variants and v2's base patch: the end of enqueue_task_fair().
void joinAfterEnqueue(Context& ctx, CpuId cpu, TaskId task, std::uint32_t flags);
/// v2 with its last patch, v3, v4: the task of an entity enters its tree. Kernel: __enqueue_entity().
void joinWithTree(Context& ctx, const CfsRq& queue, EntityId entity);
/// The same patches: it leaves the tree. Kernel: __dequeue_entity().
void leaveWithTree(Context& ctx, EntityId entity);
/// The patches of joinAfterEnqueue(): it was dequeued, or picked to run.
void leaveWithTask(Context& ctx, TaskId task);

enum class SharedPull : std::int8_t {
  Lost = -1,    ///< the head was taken off but could not be moved
  Nothing = 0,  ///< empty, or the head may not run here
  Moved = 1
};
/// The CPU is about to idle and takes the head of its queue, or of another shard of its cache.
/// Kernel: swqueue_pick_next_task(), shared_runq_pick_next_task().
SharedPull pullShared(Context& ctx, CpuId cpu);

/// v1 and its mail variants pull in pick_next_task_fair(), before newidle balance.
bool pullsBeforeNewidle(const Machine& m);

}  // namespace rqscope
