// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "groupstats/placement_decision.h"
#include "runqueue/observer.h"

namespace rqscope {

/// CPU for a waking, new or exec-ing task. Updates recent_used_cpu, wakee flips and idle-core hints as the
/// kernel does. `wakerCpu` is the CPU the call runs on; its current task is the waker (none: idle or
/// interrupt). `record` may be null. Kernel: select_task_rq_fair(), kernel/sched/fair.c (v6.1, v6.12, v7.3).
CpuId selectTaskRqFair(Context& ctx, TaskId task, CpuId prevCpu, CpuId wakerCpu, std::uint32_t wakeFlags,
                       Placement* record);

/// select_task_rq(): with the affinity shortcuts and select_fallback_rq() around the class function.
CpuId selectTaskRq(Context& ctx, TaskId task, CpuId cpu, CpuId wakerCpu, std::uint32_t wakeFlags);

}  // namespace rqscope
