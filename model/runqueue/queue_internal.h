// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/fixed.h"
#include "runqueue/load_tracking.h"
#include "runqueue/queue.h"
#include "runqueue/tree.h"

// Parts that the three queue kinds share; of the other rooms only evaluate includes it.

namespace rqscope {

/// Kernel: calc_delta_fair() (v6.1, v6.12).
inline std::uint64_t calcDeltaFair(std::uint64_t delta, SchedEntity& se) {
  return se.load.weight == kNice0Load ? delta : calcDelta(delta, kNice0Load, se.load);
}

/// Kernel: se_is_idle().
inline bool isIdleEntity(const Machine& m, const SchedEntity& se) {
  if (se.isTask()) return m.task(se.task).policy == SchedPolicy::Idle;
  return m.queue(se.myQ).isIdle;
}

/// Kernel: update_load_add()/_sub().
inline void addLoad(LoadWeight& load, std::uint64_t weight) { load = {load.weight + weight, 0}; }
inline void subLoad(LoadWeight& load, std::uint64_t weight) { load = {load.weight - weight, 0}; }

/// Counts an entity in (or out of) its queue. Kernel: account_entity_enqueue()/_dequeue().
void accountEntityEnqueue(Machine& m, CfsRq& queue, EntityId entity);
void accountEntityDequeue(Machine& m, CfsRq& queue, EntityId entity);

/// Time since the entity was last charged, now charged to it; 0 or less: nothing. Kernel: update_curr_se().
std::int64_t chargeEntity(const Rq& rq, SchedEntity& se);

/// Climbs both until they are on one queue. Kernel: find_matching_se().
void findMatching(const Machine& m, EntityId& a, EntityId& b);

/// Kernel: clear_buddies(), v6.12 and v7.3.
void clearNextBuddy(Machine& m, CfsRqId queue, EntityId entity);
/// Kernel: set_next_buddy(), v6.1 and v6.12.
void setNextBuddy(Machine& m, EntityId entity);

/// One entity in or out of one queue, of the kind the profile has. Kernel: enqueue_entity(),
/// dequeue_entity() (false: delayed).
void enqueueEntity(Context& ctx, CfsRqId queue, EntityId entity, std::uint32_t flags);
bool dequeueEntity(Context& ctx, CfsRqId queue, EntityId entity, std::uint32_t flags);

/// Counters of a walk through the levels of a hierarchy. Kernel: the h_nr_* deltas of dequeue_entities().
struct HierarchyDelta {
  std::uint32_t queued = 0, runnable = 0, idle = 0, delayed = 0;
  void addTo(CfsRq& q) const {
    q.hNrQueued += queued;
    q.hNrRunnable += runnable;
    q.hNrIdle += idle;
    q.hNrDelayed += delayed;
  }
  void takeFrom(CfsRq& q) const {
    q.hNrQueued -= queued;
    q.hNrRunnable -= runnable;
    q.hNrIdle -= idle;
    q.hNrDelayed -= delayed;
  }
};

// cfs bandwidth (bandwidth.cpp).
void accountRuntime(Context& ctx, CfsRqId queue, std::uint64_t delta);  ///< account_cfs_rq_runtime()
void returnRuntime(Machine& m, CfsRqId queue);                          ///< return_cfs_rq_runtime()
/// Throttles a queue that overran. True when it is throttled. Kernel: check_cfs_rq_runtime().
bool checkRuntime(Context& ctx, CfsRqId queue);
void checkEnqueueThrottle(Context& ctx, CfsRqId queue);  ///< check_enqueue_throttle()

}  // namespace rqscope
