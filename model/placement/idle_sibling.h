// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "groupstats/placement_decision.h"
#include "runqueue/observer.h"

namespace rqscope {

/// CPU near `target` for a waking task: an idle one if the scan finds one, else target.
/// `record` may be null. Kernel: select_idle_sibling() (v6.1, v6.12, v7.3).
CpuId selectIdleSibling(Context& ctx, TaskId task, CpuId prevCpu, CpuId target, CpuId wakerCpu,
                        Placement* record);

/// An idle CPU on which the task fits, else the idle one that comes nearest to it; none without an idle CPU.
/// Kernel: select_idle_capacity() (v6.1, v6.12; v7.3 bounds the scan and prefers idle cores).
CpuId selectIdleCapacity(Machine& m, const SchedDomain& domain, TaskId task, CpuId target, Placement* record);

/// Called when `cpu` switches to idle: sets has_idle_cores of its cache when the whole core is idle.
/// Kernel: update_idle_core(), __update_idle_core().
void updateIdleCore(Machine& m, CpuId cpu);

}  // namespace rqscope
