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
/// First half of exit: PF_EXITING, then sched_autogroup_exit_task() -> sched_move_task(). The task runs on a
/// little. Kernel: do_exit().
void exitMoveTask(Context& ctx, CpuId cpu);
/// Second half: the current task of `cpu` is dead and leaves at the next schedule(). Kernel: do_task_dead().
void exitTask(Context& ctx, CpuId cpu);
/// The current task leaves the CPU to sleep: it is dequeued at schedule().
void blockCurrent(Context& ctx, CpuId cpu);
void schedYield(Context& ctx, CpuId cpu);  ///< Kernel: do_sched_yield(), the schedule() included
/// Takes every task off a CPU that goes offline (the topology without it comes next). Kernel: balance_push(),
/// migrate_tasks.
void evacuateCpu(Context& ctx, CpuId cpu);
/// Picks and switches. Newidle balance runs inside when nothing is left. Kernel: __schedule().
void schedule(Context& ctx, CpuId cpu);
/// The tick's work of one CPU. Kernel: sched_tick() (v6.1 scheduler_tick()).
void schedTick(Context& ctx, CpuId cpu);
/// Whether the CPU is about to return to user space: a lazy resched (v7.3) waits for that or for the next
/// tick.
enum class UserReturn : std::uint8_t { Yes, No, InKernel };
/// Runs pending softirq, stopper jobs and reschedules of the CPU until it is quiet. True when it did
/// anything. UserReturn::Yes for the CPU on which the event happened, No for CPUs that only got a mark from
/// it. InKernel: the current task cannot be preempted, only softirqs are run.
bool serveCpu(Context& ctx, CpuId cpu, UserReturn userReturn = UserReturn::Yes);

/// New affinity; moves the task when its CPU is no longer allowed. `caller` is the CPU the call runs on.
/// Kernel: __set_cpus_allowed_ptr(), affine_move_task(). RQS_CHECK: the mask holds an online CPU.
void setCpusAllowed(Context& ctx, TaskId task, const CpuMask& mask, CpuId caller);
void setUserNice(Context& ctx, TaskId task, int nice);            ///< Kernel: set_user_nice()
void setPolicy(Context& ctx, TaskId task, SchedPolicy policy);    ///< Kernel: __sched_setscheduler()
void setSlice(Context& ctx, TaskId task, std::uint64_t sliceNs);  ///< sched_setattr(runtime); 0 = default
void schedMoveTask(Context& ctx, TaskId task, GroupId group);     ///< Kernel: sched_move_task()
void setFrequency(Context& ctx, CpuId cpu, std::uint32_t freqCapacity);

}  // namespace rqscope
