// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runqueue/queue.h"

namespace rqscope {

void wakeupPreempt(Context& ctx, CpuId cpu, TaskId task, std::uint32_t wakeFlags) {
  Rq& rq = ctx.m.rq(cpu);
  if (rq.stopperRunning) return;
  if (!rq.curr.isValid()) {
    reschedCurr(ctx.m, cpu);
    return;
  }
  wakeupPreemptFair(ctx, cpu, task, wakeFlags);
}

}  // namespace rqscope
