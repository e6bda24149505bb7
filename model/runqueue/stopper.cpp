// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "runqueue/load_tracking.h"
#include "runqueue/queue.h"

namespace rqscope {

void updateAvgIdle(Machine& m, CpuId cpu) {
  Rq& rq = m.rq(cpu);
  if (rq.idleStamp == 0) return;
  const auto delta = static_cast<std::int64_t>(rq.clock - rq.idleStamp);
  const std::uint64_t limit = 2 * rq.maxIdleBalanceCost;
  // update_avg(): a signed eighth of the difference, truncated towards zero.
  rq.avgIdle += static_cast<std::uint64_t>((delta - static_cast<std::int64_t>(rq.avgIdle)) / 8);
  rq.avgIdle = std::min(rq.avgIdle, limit);
  rq.idleStamp = 0;
}

void requestStopper(Context& ctx, const StopperWork& work) {
  Machine& m = ctx.m;
  const bool isAwake =
      m.rq(work.cpu).stopperRunning || std::any_of(m.stopperWork.begin(), m.stopperWork.end(),
                                                   [&](const StopperWork& w) { return w.cpu == work.cpu; });
  m.stopperWork.push_back(work);
  markPending(m, work.cpu);
  if (isAwake) return;
  updateRqClock(ctx, work.cpu);
  addNrRunning(ctx, work.cpu, 1);
  m.rq(work.cpu).needResched = true;
  if (m.profile->version != KernelVersion::V7_3) updateAvgIdle(m, work.cpu);
}

}  // namespace rqscope
