// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runqueue/shared_queue.h"

#include <algorithm>

#include "runqueue/load_tracking.h"
#include "runqueue/queue.h"

namespace rqscope {
namespace {

using Version = Behaviours::Wakequeue;
using Use = Observer::SharedQueueUse;

constexpr int kShardSize = 6;  // SHARED_RUNQ_SHARD_SZ

bool isOff(const Machine& m) { return m.sharedQueues.empty(); }
Version versionOf(const Machine& m) { return m.behaviours().wakequeue; }
bool joinsWithTree(const Machine& m) { return versionOf(m) >= Version::V2; }

/// v2: LLC size / 6, at least one; v3, v4: rounded up. The series up to v2's base patch had no shards.
int shardCount(const Machine& m, int llcSize) {
  if (!m.behaviours().wakequeueShards || versionOf(m) < Version::V2) return 1;
  const int count =
      versionOf(m) == Version::V2 ? llcSize / kShardSize : (llcSize + kShardSize - 1) / kShardSize;
  return std::max(count, 1);
}

/// v2 spreads neighbours over the shards; v3, v4 keep pairs of CPU numbers together.
int shardIndex(const Machine& m, CpuId cpu, int count) {
  const int number = versionOf(m) == Version::V2 ? cpu.value : cpu.value >> 1;
  return number % count;
}

SharedQueue& queueOf(Machine& m, std::int32_t index) {
  return m.sharedQueues[static_cast<std::size_t>(index)];
}

void unlink(Machine& m, TaskId id) {
  Task& task = m.task(id);
  SharedQueue& queue = queueOf(m, task.sharedQueue);
  (task.sharedPrev.isValid() ? m.task(task.sharedPrev).sharedNext : queue.head) = task.sharedNext;
  (task.sharedNext.isValid() ? m.task(task.sharedNext).sharedPrev : queue.tail) = task.sharedPrev;
  task.sharedPrev = task.sharedNext = {};
  task.sharedQueue = -1;
  --queue.length;
}

// What is done under a lock is little, but it touches nodes that other CPUs wrote last: the neighbours in the
// list, and the task's own when it is taken out. That of a task that joins lies beside wake_cpu and on_cpu,
// which its wakeup has just used, and the list's head beside the lock. The number of nodes goes to the
// observer, which may charge for it.

void join(Context& ctx, CpuId cpu, TaskId id) {
  Machine& m = ctx.m;
  Task& task = m.task(id);
  const std::int32_t index = m.sharedQueueOfCpu[cpu.index()].own;
  if (task.sharedQueue >= 0 || m.sharedQueueOfCpu[cpu.index()].count == 0) return;
  SharedQueue& queue = queueOf(m, index);
  task.sharedQueue = index;
  const std::uint32_t touched = queue.tail.isValid() ? 1 : 0;
  task.sharedPrev = queue.tail;
  (queue.tail.isValid() ? m.task(queue.tail).sharedNext : queue.head) = id;
  queue.tail = id;
  ++queue.length;
  ++queue.joined;
  ctx.observer.onSharedQueueLock(m, index, Use::Join, touched);
}

/// The emptiness of its node is looked at without the lock: a task that is in no queue costs nothing.
void leave(Context& ctx, TaskId id) {
  const std::int32_t index = ctx.m.task(id).sharedQueue;
  if (index < 0) return;
  const Task& task = ctx.m.task(id);
  const std::uint32_t touched =
      1U + (task.sharedPrev.isValid() ? 1U : 0U) + (task.sharedNext.isValid() ? 1U : 0U);
  unlink(ctx.m, id);
  ctx.observer.onSharedQueueLock(ctx.m, index, Use::Leave, touched);
}

/// A queue above the task is throttled: enqueue_task_fair() returned before its end.
bool isUnderThrottled(const Machine& m, TaskId task) {
  for (EntityId e = m.task(task).se; e.isValid(); e = m.entity(e).parent)
    if (m.queue(m.entity(e).cfsRq).throttled) return true;
  return false;
}

/// Kernel: is_cpu_allowed().
bool isCpuAllowed(const Machine& m, TaskId task, CpuId cpu) {
  return m.task(task).cpusAllowed.test(cpu) && m.rq(cpu).isOnline;
}

/// What a CPU may take: v1 any head, v2 and later only a head that may run there (it blocks the rest
/// otherwise), the second mail variant the first that may.
TaskId takeFrom(Context& ctx, std::int32_t index, CpuId cpu) {
  Machine& m = ctx.m;
  SharedQueue& queue = queueOf(m, index);
  if (!queue.head.isValid()) return {};
  TaskId task = queue.head;
  std::uint32_t looked = 1;
  if (m.behaviours().wakequeueWalks)
    while (task.isValid() && !isCpuAllowed(m, task, cpu)) {
      task = m.task(task).sharedNext;
      if (task.isValid()) ++looked;
    }
  else if (versionOf(m) != Version::V1 && !isCpuAllowed(m, task, cpu))
    task = {};
  if (task.isValid()) {
    if (m.task(task).sharedNext.isValid()) ++looked;
    unlink(m, task);
  } else {
    ++queue.refused;
  }
  ctx.observer.onSharedQueueLock(m, index, Use::Pull, looked);
  return task;
}

/// Kernel: move_queued_task(), the source locked first.
void moveHere(Context& ctx, TaskId id, CpuId cpu) {
  Machine& m = ctx.m;
  Task& task = m.task(id);
  const CpuId from = task.cpu;
  updateRqClock(ctx, from);
  task.migrating = true;
  dequeueTaskFair(ctx, from, id, kDequeueNoclock);
  task.onRq = false;
  ctx.observer.onSetTaskCpu(m, id, from, cpu, MigrationReason::Wakequeue);
  migrateTaskRqFair(ctx, id, cpu);
  setTaskRq(m, id, cpu);
  task.cpu = task.wakeCpu = cpu;
  updateRqClock(ctx, cpu);
  enqueueTaskFair(ctx, cpu, id, kEnqueueNoclock | kEnqueueMigrated);
  task.onRq = true;
  task.migrating = false;
  wakeupPreempt(ctx, cpu, id, 0);
}

/// The task was taken off the queue; whether it can still come here. v1 asks for its affinity only now.
bool canMove(const Machine& m, TaskId id, CpuId cpu) {
  const Task& task = m.task(id);
  return task.onRq && !task.onCpu && task.cpu != cpu && isCpuAllowed(m, id, cpu);
}

}  // namespace

void makeSharedQueues(Machine& m) {
  if (versionOf(m) == Version::Off) return;
  const SchedTopology& topology = *m.topology;
  m.sharedQueueOfCpu.assign(m.rqs.size(), {});
  std::vector<std::int32_t> firstOfLlc(m.rqs.size(), -1);
  topology.online.forEach([&](CpuId cpu) {
    const CpuDomains& domains = topology.cpus[cpu.index()];
    const CpuId llc = domains.llcId.isValid() ? domains.llcId : cpu;
    const int count = shardCount(m, std::max(domains.llcSize, 1));
    std::int32_t& first = firstOfLlc[llc.index()];
    if (first < 0) {
      first = static_cast<std::int32_t>(m.sharedQueues.size());
      for (int shard = 0; shard < count; ++shard) {
        SharedQueue& queue = m.sharedQueues.emplace_back();
        queue.llc = llc;
        queue.shard = shard;
      }
    }
    m.sharedQueueOfCpu[cpu.index()] = {first, count, first + shardIndex(m, cpu, count)};
  });
}

// Simplified: a queue that a CPU left or that was made anew starts its counts again; v1 and v2 keep the
// queues of the boot, where a CPU that came later has none.
void sharedQueuesAfterRebuild(Machine& m) {
  if (isOff(m) || versionOf(m) < Version::V3) return;
  for (SharedQueue& queue : m.sharedQueues)
    while (queue.head.isValid()) unlink(m, queue.head);
  m.sharedQueues.clear();
  makeSharedQueues(m);
}

void joinAfterEnqueue(Context& ctx, CpuId cpu, TaskId id, std::uint32_t flags) {
  Machine& m = ctx.m;
  if (isOff(m) || joinsWithTree(m) || isUnderThrottled(m, id)) return;
  Task& task = m.task(id);
  if (m.behaviours().wakequeueOnlyWhenNoIdle) {
    if (task.addToWakequeue) join(ctx, cpu, id);
    task.addToWakequeue = false;
    return;
  }
  if ((flags & kEnqueueWakeup) == 0 || (flags & kEnqueueMigrated) != 0 || task.nrCpusAllowed == 1) return;
  join(ctx, cpu, id);
}

// Simplified: none of the series knew delayed dequeue; a task that sleeps but stays in the tree (v6.12) is
// not in the queue.
void joinWithTree(Context& ctx, const CfsRq& queue, EntityId entity) {
  const Machine& m = ctx.m;
  if (isOff(m) || !joinsWithTree(m)) return;
  const SchedEntity& se = m.entity(entity);
  if (!se.isTask() || se.schedDelayed || m.task(se.task).nrCpusAllowed == 1) return;
  if (versionOf(m) == Version::V4 && m.rq(queue.cpu).nrRunning < 1) return;
  join(ctx, queue.cpu, se.task);
}

void leaveWithTree(Context& ctx, EntityId entity) {
  const Machine& m = ctx.m;
  if (isOff(m) || !joinsWithTree(m) || !m.entity(entity).isTask()) return;
  leave(ctx, m.entity(entity).task);
}

void leaveWithTask(Context& ctx, TaskId task) {
  if (isOff(ctx.m) || joinsWithTree(ctx.m)) return;
  leave(ctx, task);
}

SharedPull pullShared(Context& ctx, CpuId cpu) {
  Machine& m = ctx.m;
  if (isOff(m)) return SharedPull::Nothing;
  const SharedQueueOfCpu mine = m.sharedQueueOfCpu[cpu.index()];
  TaskId task;
  std::int32_t at = mine.own;
  for (std::int32_t tried = 0; tried < mine.count && !task.isValid(); ++tried) {
    at = mine.first + (mine.own - mine.first + tried) % mine.count;
    task = takeFrom(ctx, at, cpu);
  }
  if (!task.isValid()) return SharedPull::Nothing;
  if (!canMove(m, task, cpu)) {
    ++queueOf(m, at).refused;
    return m.behaviours().wakequeueWalks ? SharedPull::Nothing : SharedPull::Lost;
  }
  moveHere(ctx, task, cpu);
  ++queueOf(m, at).pulled;
  return SharedPull::Moved;
}

bool pullsBeforeNewidle(const Machine& m) { return !isOff(m) && versionOf(m) == Version::V1; }

}  // namespace rqscope
