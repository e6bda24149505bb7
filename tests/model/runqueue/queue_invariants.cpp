// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/runqueue/queue_invariants.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "base/fixed.h"
#include "runqueue/load_tracking.h"
#include "runqueue/queue.h"

namespace rqscope {
namespace {

bool isFlat(const Machine& m) { return m.profile->queue == QueueKind::FlatEevdf; }
bool isCfs(const Machine& m) { return m.profile->queue == QueueKind::Cfs; }

/// Whether the tree of this queue has entities at all.
bool hasTree(const Machine& m, const CfsRq& queue) { return !isFlat(m) || queue.group == GroupId{0}; }

std::uint64_t treeWeight(const Machine& m, const SchedEntity& se) {
  return isFlat(m) ? se.hLoad.weight : seWeight(se);
}

struct Subtree {
  int blackHeight = 1;
  std::size_t nodes = 0;
  std::uint64_t minVruntime = 0, minSlice = ~std::uint64_t{0}, maxSlice = 0;
  std::string fault;
};

Subtree checkSubtree(const Machine& m, EntityId id, EntityId parent, bool parentRed) {
  if (!id.isValid()) return {};
  const SchedEntity& se = m.entity(id);
  Subtree left = checkSubtree(m, se.tree.left, id, se.tree.isRed);
  if (!left.fault.empty()) return left;
  Subtree right = checkSubtree(m, se.tree.right, id, se.tree.isRed);
  if (!right.fault.empty()) return right;
  Subtree out;
  out.blackHeight = left.blackHeight + (se.tree.isRed ? 0 : 1);
  out.nodes = left.nodes + right.nodes + 1;
  out.minVruntime = se.vruntime;
  for (const Subtree* s : {&left, &right})
    if (s->nodes != 0 && virtualDelta(s->minVruntime, out.minVruntime) < 0) out.minVruntime = s->minVruntime;
  out.minSlice = std::min({se.slice, left.minSlice, right.minSlice});
  out.maxSlice = std::max({se.slice, left.maxSlice, right.maxSlice});
  if (se.tree.parent != parent) out.fault = "a node's parent is not above it";
  if (parentRed && se.tree.isRed) out.fault = "a red node below a red one";
  if (left.blackHeight != right.blackHeight) out.fault = "black heights differ";
  if (!isCfs(m) && se.minVruntime != out.minVruntime) out.fault = "min_vruntime is not the subtree's";
  if (isFlat(m) && se.minSlice != out.minSlice) out.fault = "min_slice is not the subtree's";
  if (isFlat(m) && se.maxSlice != out.maxSlice) out.fault = "max_slice is not the subtree's";
  return out;
}

std::uint64_t keyOf(const Machine& m, EntityId e) {
  return isCfs(m) ? m.entity(e).vruntime : m.entity(e).deadline;
}

std::string treeFault(const Machine& m, const CfsRq& queue, CfsRqId id) {
  const Subtree tree = checkSubtree(m, queue.root, EntityId{}, true);
  if (!tree.fault.empty()) return tree.fault;
  std::vector<EntityId> order;
  treeInOrder(m, id, order);
  if (order.size() != tree.nodes) return "the leftmost node is not where the tree begins";
  std::uint64_t weights = 0, keys = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const SchedEntity& se = m.entity(order[i]);
    if (!se.onRq) return "an entity in the tree is not on the queue";
    if (order[i] == queue.curr) return "the running entity is in the tree";
    if (i > 0 && virtualDelta(keyOf(m, order[i - 1]), keyOf(m, order[i])) > 0)
      return "the tree is out of order";
    weights += treeWeight(m, se);
    keys += (se.vruntime - queue.zeroVruntime) * treeWeight(m, se);
  }
  if (isCfs(m)) return {};
  if (weights != queue.sumWeight) return "the sum of weights is not that of the tree";
  if (static_cast<std::int64_t>(keys) != queue.sumWVruntime) return "the sum of keys is not that of the tree";
  return {};
}

struct Counts {
  std::uint64_t weight = 0;
  std::uint32_t entities = 0, idleEntities = 0, queued = 0, runnable = 0, idle = 0;
};

/// Counts from the entities up, for queues without throttling.
std::vector<Counts> countAll(const Machine& m) {
  std::vector<Counts> counts(m.cfs.size());
  for (const SchedEntity& se : m.entities) {
    if (!se.onRq) continue;
    Counts& own = counts[se.cfsRq.index()];
    own.weight += se.load.weight;
    ++own.entities;
    const bool isIdle = se.isTask() ? m.task(se.task).policy == SchedPolicy::Idle : m.queue(se.myQ).isIdle;
    if (isIdle) ++own.idleEntities;
    if (!se.isTask()) continue;
    bool counted = m.task(se.task).policy == SchedPolicy::Idle;
    for (CfsRqId q = se.cfsRq; q.isValid();) {
      Counts& c = counts[q.index()];
      ++c.queued;
      if (!se.schedDelayed) ++c.runnable;
      if (counted) ++c.idle;
      counted = counted || m.queue(q).isIdle;
      const EntityId above = entityOfQueue(m, m.queue(q));
      q = above.isValid() ? m.entity(above).cfsRq : CfsRqId{};
    }
  }
  return counts;
}

std::string countFault(const CfsRq& queue, const Counts& c) {
  if (queue.load.weight != c.weight) return "the weight is not that of the entities";
  if (queue.nrQueued != c.entities) return "nr_queued is not the number of entities";
  if (queue.idleNrRunning != c.idleEntities) return "idle_nr_running is not the number of idle entities";
  if (queue.hNrQueued != c.queued) return "h_nr_queued is not the number of tasks below";
  if (queue.hNrRunnable != c.runnable) return "h_nr_runnable is not the number of runnable tasks below";
  if (queue.hNrDelayed != c.queued - c.runnable)
    return "h_nr_delayed is not the number of delayed tasks below";
  if (queue.hNrIdle != c.idle) return "h_nr_idle is not the number of idle tasks below";
  return {};
}

/// The list of a CPU against its tasks.
std::string listFault(const Machine& m, CpuId cpu) {
  std::size_t listed = 0;
  TaskId before;
  for (TaskId t = m.rq(cpu).listHead; t.isValid(); t = m.task(t).listNext) {
    if (m.task(t).cpu != cpu || !m.se(t).onRq) return "a listed task is not on this CPU's queue";
    if (m.task(t).listPrev != before) return "the list does not lead back";
    before = t;
    ++listed;
  }
  if (before != m.rq(cpu).listTail) return "the list does not end at its tail";
  if (listed != m.rq(cpu).nrRunning) return "nr_running is not the number of listed tasks";
  return {};
}

}  // namespace

std::string queueFault(const Machine& m) {
  const std::vector<Counts> counts = countAll(m);
  for (std::size_t q = 0; q < m.cfs.size(); ++q) {
    const CfsRq& queue = m.cfs[q];
    std::string fault = countFault(queue, counts[q]);
    if (fault.empty() && hasTree(m, queue)) fault = treeFault(m, queue, CfsRqId{q});
    if (!fault.empty()) return fmt::format("queue {} (CPU {}): {}", q, queue.cpu.value, fault);
  }
  for (std::size_t c = 0; c < m.rqs.size(); ++c)
    if (const std::string fault = listFault(m, CpuId{c}); !fault.empty())
      return fmt::format("CPU {}: {}", c, fault);
  for (std::size_t t = 0; t < m.tasks.size(); ++t)
    if (m.tasks[t].onRq != m.se(TaskId{t}).onRq) return fmt::format("task {} is queued in one place only", t);
  return {};
}

}  // namespace rqscope
