// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "groupstats/balance_pass.h"
#include "groupstats/placement_decision.h"
#include "rqscope/why_not.h"
#include "runqueue/machine.h"

namespace rqscope::api {

struct WhyNotAsked {
  TaskId task;
  CpuId cpu;
};

/// Where a task is before a decision.
struct TaskPlace {
  CpuId cpu;
  bool isRunnable = false, isRunning = false;
};
TaskPlace placeOf(const Machine& m, TaskId task);

/// Could the pass have put the task on the CPU: it pulls for it, from a domain with the task's CPU, or it
/// kept the CPU from looking at such a domain.
bool couldMove(const Machine& m, const BalancePass& pass, const WhyNotAsked& asked, const TaskPlace& place);
WhyNotStep whyNotOf(const Machine& m, const BalancePass& pass, const Ladder& ladder, const WhyNotAsked& asked,
                    const TaskPlace& place);
WhyNotStep whyNotOf(const Machine& m, const Placement& placement, const Ladder& ladder,
                    const WhyNotAsked& asked);

}  // namespace rqscope::api
