// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runqueue/cfs.h"
#include "runqueue/queue_internal.h"

// Shares and idleness of task groups, and tasks that change their group.

namespace rqscope {
namespace {

constexpr std::uint64_t kMinShares = 2;
constexpr std::uint64_t kMaxShares = std::uint64_t{1} << 18;
constexpr std::uint64_t kIdleWeight = 3;  // WEIGHT_IDLEPRIO

/// Calls f(cpu) for each CPU the machine has.
template <class F>
void forEachCpu(const Machine& m, F&& f) {
  for (std::int32_t cpu = 0; cpu < m.topology->cpuLimit; ++cpu)
    if (m.topology->position[static_cast<std::size_t>(cpu)] >= 0) f(CpuId{cpu});
}

/// Kernel: __sched_group_set_shares().
void applyShares(Context& ctx, GroupId group, std::uint64_t shares) {
  Machine& m = ctx.m;
  shares = std::clamp(shares, scaleLoad(kMinShares), scaleLoad(kMaxShares));
  if (m.group(group).shares == shares) return;
  m.group(group).shares = shares;
  forEachCpu(m, [&](CpuId cpu) {
    updateRqClock(ctx, cpu);
    for (EntityId e = groupEntity(m, group, cpu); e.isValid(); e = m.entity(e).parent) {
      updateLoadAvg(ctx, m.entity(e).cfsRq, e, kUpdateTg);
      updateCfsGroup(ctx, e);
    }
  });
}

/// Counts the tasks of a group queue as idle-policy, or no longer, at every level they count at.
void countAsIdle(Machine& m, CfsRq& queue, EntityId entity) {
  if (m.entity(entity).onRq) m.queue(m.entity(entity).cfsRq).idleNrRunning += queue.isIdle ? 1U : ~0U;
  std::uint32_t delta = queue.hNrQueued - queue.hNrIdle;
  if (!queue.isIdle) delta = 0U - delta;
  for (EntityId e = entity; e.isValid(); e = m.entity(e).parent) {
    if (!m.entity(e).onRq) return;
    CfsRq& above = m.queue(m.entity(e).cfsRq);
    above.hNrIdle += delta;
    if (above.isIdle) return;
  }
}

}  // namespace

void setGroupShares(Context& ctx, GroupId group, std::uint64_t shares) {
  const TaskGroup& g = ctx.m.group(group);
  if (g.entityBase < 0 || g.idle) return;
  applyShares(ctx, group, shares);
}

void setGroupIdle(Context& ctx, GroupId group, bool idle) {
  Machine& m = ctx.m;
  if (m.group(group).entityBase < 0 || m.group(group).idle == idle) return;
  m.group(group).idle = idle;
  forEachCpu(m, [&](CpuId cpu) {
    CfsRq& queue = m.queue(queueOf(m, group, cpu));
    queue.isIdle = idle;
    countAsIdle(m, queue, groupEntity(m, group, cpu));
  });
  applyShares(ctx, group, idle ? scaleLoad(kIdleWeight) : kNice0Load);
}

namespace {

MoveSums sumsOf(const Machine& m, const Task& task) {
  const SchedAvg& entity = m.entity(task.se).avg;
  const SchedAvg& queue = m.queue(m.entity(task.se).cfsRq).avg;
  return {queue.utilAvg, entity.utilAvg, queue.utilSum, entity.utilSum};
}

}  // namespace

void taskChangeGroupFair(Context& ctx, TaskId id, GroupId group) {
  Machine& m = ctx.m;
  Task& task = m.task(id);
  task.group = group;
  if (task.state == TaskState::New) return;
  const bool isCfs = m.profile->queue == QueueKind::Cfs;
  if (isCfs) cfs::leaveGroup(ctx, id);
  GroupMove& note = m.rq(task.cpu).lastMove;
  note.before = sumsOf(m, task);
  detachEntityCfsRq(ctx, task.se);
  note.detached = sumsOf(m, task);
  m.entity(task.se).avg.lastUpdateTime = 0;
  setTaskRq(m, id, task.cpu);
  attachEntityCfsRq(ctx, task.se);
  note.attached = sumsOf(m, task);
  if (isCfs) cfs::joinGroup(m, id);
}

}  // namespace rqscope
