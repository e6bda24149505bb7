// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "runqueue/machine.h"

namespace rqscope {

/// Least and greatest utilisation asked for a task or a group, 0 to 1024.
struct UtilClamps {
  std::uint16_t min = 0, max = 1024;
};

/// Asks for clamps of a task; they are in effect at once, within those of its group.
/// Kernel: __setscheduler_uclamp() and uclamp_update_active().
void setTaskClamps(Machine& m, TaskId task, UtilClamps clamps);
/// Clamps of a group, within those of its parents. Kernel: cpu.uclamp.min and .max.
void setGroupClamps(Machine& m, GroupId group, UtilClamps clamps);
/// The task's clamps after its group changed. Kernel: uclamp_eff_get().
void refreshClamps(Machine& m, TaskId task);

/// The queue's clamps as a task comes and goes: the greatest of its runnable tasks. Kernel: uclamp_rq_inc(),
/// uclamp_rq_dec(). Nothing while nobody has set clamps (sched_uclamp_used).
/// Simplified: the kernel keeps clamps in buckets of about 5 % and may hold a greater value until the bucket
/// is empty.
void clampRqInc(Machine& m, CpuId cpu, TaskId task);
void clampRqDec(Machine& m, CpuId cpu, TaskId task);

/// Kernel: cpu_overutilized(): energy-aware and the CPU's utilisation, with its clamps, does not fit.
bool isCpuOverutilized(const Machine& m, CpuId cpu);
/// Marks the root domain when the CPU is. Kernel: check_update_overutilized_status().
void checkOverutilized(Machine& m, CpuId cpu);

}  // namespace rqscope
