// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "runqueue/machine.h"

namespace rqscope {

// Which last-level cache a process prefers (v7.3, SCHED_CACHE), by description: where its threads ran lately.
// Nothing happens while the feature is off.

/// A new process whose threads share memory; its index for Task::process.
std::int32_t addCacheProcess(Machine& m);
/// A thread of the process started (+1) or ended (-1).
void countThread(Machine& m, TaskId task, int change);

/// The running task of `cpu` ran for `deltaNs`: adds to its process's share of that CPU, and hands the task
/// the process's preference. Kernel: account_mm_sched().
void chargeCacheProcess(Machine& m, CpuId cpu, TaskId task, std::uint64_t deltaNs);
/// Once an epoch the process looks for the cache with most of its recent time. Kernel: task_tick_cache() and
/// task_cache_work(). Simplified: the search runs at the tick, not on the way back to user space.
void tickCacheProcess(Machine& m, CpuId cpu, TaskId task);

/// The task joins (+1) or leaves (-1) the counts of its CPU by preferred cache. Kernel:
/// account_llc_enqueue(), account_llc_dequeue().
void countPreference(Machine& m, CpuId cpu, TaskId task, int change);

}  // namespace rqscope
