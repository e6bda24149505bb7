// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/scheduler.h"

// Steps shared by the files of the core scheduler; nobody else includes this.
namespace rqscope::detail {

/// Kernel: set_task_cpu(): leaves the old CPU's averages, then points the task at `cpu`.
void setTaskCpu(Context& ctx, TaskId task, CpuId cpu, MigrationReason reason);
void activateTask(Context& ctx, CpuId cpu, TaskId task, std::uint32_t flags);  ///< Kernel: activate_task()
void deactivateTask(Context& ctx, CpuId cpu, TaskId task,
                    std::uint32_t flags);  ///< Kernel: deactivate_task()
/// Kernel: move_queued_task(); the source clock is current.
void moveQueuedTask(Context& ctx, TaskId task, CpuId destination, MigrationReason reason);
/// Kernel: set_task_max_allowed_capacity() (v6.10+).
void setTaskMaxAllowedCapacity(Machine& m, TaskId task);

}  // namespace rqscope::detail
