// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "runqueue/load_tracking.h"
#include "runqueue/sum_floor.h"

namespace rqscope {
namespace {

using LeafIterator = std::vector<CfsRqId>::iterator;

LeafIterator leafPlace(Rq& rq, CfsRqId queue) {
  return std::find(rq.leafList.begin(), rq.leafList.end(), queue);
}

CfsRqId parentQueue(const Machine& m, const CfsRq& queue) {
  const GroupId parent = m.group(queue.group).parent;
  return parent.isValid() ? queueOf(m, parent, queue.cpu) : CfsRqId{};
}

/// Kernel: child_cfs_rq_on_list(): children stand directly before their parent.
bool isChildListed(const Machine& m, CfsRqId queue) {
  const CfsRq& q = m.queue(queue);
  const Rq& rq = m.rq(q.cpu);
  CfsRqId before = rq.tmpAloneBranch;
  if (q.onLeafList) {
    const auto place = std::find(rq.leafList.begin(), rq.leafList.end(), queue);
    before = place == rq.leafList.begin() ? CfsRqId{} : *(place - 1);
  }
  return before.isValid() && m.group(m.queue(before).group).parent == q.group;
}

/// Kernel: skip_blocked_update().
bool skipsBlockedUpdate(const Machine& m, const SchedEntity& entity) {
  return entity.avg.loadAvg == 0 && entity.avg.utilAvg == 0 && !m.queue(entity.myQ).propagate;
}

/// Kernel: others_have_blocked().
bool othersHaveBlocked(const Rq& rq) {
  return rq.avgRt.utilAvg != 0 || rq.avgDl.utilAvg != 0 || rq.avgHw.loadAvg != 0 || rq.avgIrq.utilAvg != 0;
}

/// One queue of the leaf list. True when it still holds load or utilisation.
bool updateBlockedQueue(Context& ctx, CfsRqId queue) {
  Machine& m = ctx.m;
  CfsRq& q = m.queue(queue);
  if (updateCfsRqLoadAvg(ctx, cfsRqClockPelt(m, q), queue)) {
    updateTgLoadAvg(ctx, queue);
    if (q.propRemovedSum != 0) addTgCfsPropagate(q, 0);
    if (q.nrQueued == 0) updateIdleCfsRqClockPelt(m, q);
  }
  const EntityId entity = entityOfQueue(m, q);
  if (entity.isValid() && !skipsBlockedUpdate(m, m.entity(entity)))
    updateLoadAvg(ctx, m.entity(entity).cfsRq, entity, kUpdateTg);
  if (isQueueDecayed(m, queue)) removeLeafQueue(m, queue);
  return q.avg.loadAvg != 0 || q.avg.utilAvg != 0;
}

}  // namespace

bool isQueueDecayed(const Machine& m, CfsRqId queue) {
  const CfsRq& q = m.queue(queue);
  if (q.load.weight != 0 || !isDecayed(q.avg) || isChildListed(m, queue)) return false;
  if (m.behaviours().decayedChecksContrib && q.tgLoadAvgContrib != 0) return false;
  return q.propRemovedSum == 0;
}

bool addLeafQueue(Machine& m, CfsRqId queue) {
  CfsRq& q = m.queue(queue);
  Rq& rq = m.rq(q.cpu);
  if (q.onLeafList) return !rq.tmpAloneBranch.isValid();
  q.onLeafList = true;
  const CfsRqId parent = parentQueue(m, q);
  if (!parent.isValid() || m.queue(parent).onLeafList) {
    rq.leafList.insert(parent.isValid() ? leafPlace(rq, parent) : rq.leafList.end(), queue);
    rq.tmpAloneBranch = {};
    return true;
  }
  const auto after = rq.tmpAloneBranch.isValid() ? leafPlace(rq, rq.tmpAloneBranch) + 1 : rq.leafList.begin();
  rq.leafList.insert(after, queue);
  rq.tmpAloneBranch = queue;
  return false;
}

void removeLeafQueue(Machine& m, CfsRqId queue) {
  CfsRq& q = m.queue(queue);
  if (!q.onLeafList) return;
  Rq& rq = m.rq(q.cpu);
  const auto place = leafPlace(rq, queue);
  if (rq.tmpAloneBranch == queue) rq.tmpAloneBranch = place == rq.leafList.begin() ? CfsRqId{} : *(place - 1);
  rq.leafList.erase(place);
  q.onLeafList = false;
}

void updateBlockedAverages(Context& ctx, CpuId cpu) {
  Machine& m = ctx.m;
  m.rq(cpu).lastBlockedLoadUpdateTick = m.jiffies;
  updateRqClock(ctx, cpu);
  updateOtherLoadAvgs(ctx, cpu);
  bool hasBlocked = othersHaveBlocked(m.rq(cpu));
  const std::vector<CfsRqId>& list = m.rq(cpu).leafList;
  for (std::size_t i = 0; i < list.size();) {
    const CfsRqId queue = list[i];
    hasBlocked |= updateBlockedQueue(ctx, queue);
    if (i < list.size() && list[i] == queue) ++i;
  }
  if (!hasBlocked) m.rq(cpu).hasBlockedLoad = false;
}

}  // namespace rqscope
