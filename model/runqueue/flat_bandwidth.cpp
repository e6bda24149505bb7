// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "runqueue/flat.h"

// Throttling by task, v7.3: a group without runtime keeps its tasks until each of them would run, which then
// waits in its queue's limbo until the group has runtime again. Kernel: throttle_cfs_rq_work() and around it.
//
// Simplified: a throttled task leaves when it is picked; in the kernel it first runs until it returns to user
// space.

namespace rqscope::flat {

void stopPeltClock(Machine& m, CfsRqId queueId) {
  CfsRq& queue = m.queue(queueId);
  queue.throttledClockPelt = rqClockPelt(m, queue.cpu);
  queue.peltClockThrottled = true;
  removeLeafQueue(m, queueId);
}

void restartPeltClock(Machine& m, CfsRqId queueId) {
  CfsRq& queue = m.queue(queueId);
  if (!queue.peltClockThrottled) return;
  queue.throttledClockPeltTime += rqClockPelt(m, queue.cpu) - queue.throttledClockPelt;
  queue.peltClockThrottled = false;
}

bool throttleTask(Context& ctx, CpuId cpu, TaskId id) {
  Machine& m = ctx.m;
  const CfsRqId queueId = m.se(id).cfsRq;
  if (m.queue(queueId).throttleCount == 0) return false;
  dequeueTask(ctx, cpu, id, kDequeueSleep | kDequeueSpecial | kDequeueNoclock);
  m.task(id).throttled = true;
  m.queue(queueId).limbo.push_back(id);
  return true;
}

bool enqueueThrottledTask(Machine& m, CpuId cpu, TaskId id) {
  CfsRq& queue = m.queue(m.se(id).cfsRq);
  if (queue.throttleCount != 0 && m.rq(cpu).curr != id) {
    queue.limbo.push_back(id);
    return true;
  }
  m.task(id).throttled = false;
  return false;
}

void dequeueThrottledTask(Context& ctx, TaskId id, std::uint32_t flags) {
  Machine& m = ctx.m;
  std::erase(m.queue(m.se(id).cfsRq).limbo, id);
  if ((flags & kDequeueSleep) != 0)
    m.task(id).throttled = false;
  else if (m.task(id).migrating)
    detachEntityCfsRq(ctx, m.task(id).se);
}

void releaseLimbo(Context& ctx, CfsRqId queueId) {
  Machine& m = ctx.m;
  while (!m.queue(queueId).limbo.empty()) {  // the kernel's list begins with the newest
    const TaskId id = m.queue(queueId).limbo.back();
    m.queue(queueId).limbo.pop_back();
    m.task(id).throttled = false;
    enqueueTask(ctx, m.queue(queueId).cpu, id, kEnqueueWakeup);
  }
}

}  // namespace rqscope::flat
