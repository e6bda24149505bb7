// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "balance/balance.h"
#include "placement/select_task_rq.h"
#include "runqueue/queue.h"

namespace rqscope {

// The core scheduler: what kernel/sched/core.c does around the classes. Time is Machine::nowNs, set by the
// caller. None of these switch tasks on another CPU: they mark it (needResched, stopperWork, softirqPending)
// and the caller (the event engine, or the stepped driver of `verify`) serves the marks with serveCpu().

/// Wakes a sleeping task from `wakerCpu`. Kernel: try_to_wake_up(). False when it was not asleep.
bool tryToWakeUp(Context& ctx, TaskId task, CpuId wakerCpu, std::uint32_t wakeFlags);
/// Starts a forked task. Kernel: wake_up_new_task().
void wakeUpNewTask(Context& ctx, TaskId task);
/// Makes the child of `parent` (copies policy, nice, group, affinity). Kernel: sched_fork().
TaskId schedFork(Context& ctx, TaskId parent, const NewTask& spec);
/// Exec balancing of the current task of `cpu`. Kernel: sched_exec().
void schedExec(Context& ctx, CpuId cpu);
/// The current task of `cpu` exits: sched_autogroup_exit_task()/sched_move_task(), then dies at its last
/// schedule().
void doExit(Context& ctx, CpuId cpu);
/// The current task leaves the CPU to sleep: it is dequeued at schedule().
void blockCurrent(Context& ctx, CpuId cpu);
/// Picks and switches. Newidle balance runs inside when nothing is left. Kernel: __schedule().
void schedule(Context& ctx, CpuId cpu);
/// The tick's work of one CPU. Kernel: sched_tick() (v6.1 scheduler_tick()).
void schedTick(Context& ctx, CpuId cpu);
/// Runs pending softirq, stopper jobs and reschedules of the CPU until it is quiet. True when it did
/// anything.
bool serveCpu(Context& ctx, CpuId cpu);

void setCpusAllowed(Context& ctx, TaskId task, const CpuMask& mask);  ///< Kernel: __set_cpus_allowed_ptr()
void setUserNice(Context& ctx, TaskId task, int nice);                ///< Kernel: set_user_nice()
void setPolicy(Context& ctx, TaskId task, SchedPolicy policy);        ///< Kernel: __sched_setscheduler()
void setSlice(Context& ctx, TaskId task, std::uint64_t sliceNs);      ///< sched_setattr(runtime); 0 = default
void schedMoveTask(Context& ctx, TaskId task, GroupId group);         ///< Kernel: sched_move_task()
void setFrequency(Context& ctx, CpuId cpu, std::uint32_t freqCapacity);

}  // namespace rqscope
