// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "rqscope/ladder.h"
#include "rqscope/layout.h"

namespace rqscope::api {

struct TaskFrame {
  std::int32_t id = -1;  ///< slot; stable while the task lives
  std::int32_t pid = 0;
  std::string name;
  std::string state;  ///< "running", "queued", "delayed", "throttled", "sleeping", "dead", "new"
  std::int32_t cpu = -1;
  std::int32_t nice = 0;
  std::string policy;  ///< "normal", "batch", "idle"
  std::int32_t group = 0;
  std::vector<std::int32_t> affinity;       ///< empty: all CPUs
  std::int64_t weight = 1024;               ///< unscaled
  std::int64_t vruntime = 0, deadline = 0;  ///< ns, relative to the queue's zero point
  std::int64_t lag = 0;                     ///< V - vruntime, ns of virtual time
  std::int64_t slice = 0;
  bool eligible = false;
  bool isNext = false;  ///< would be picked now
  std::int64_t util = 0, utilEst = 0, load = 0, runnable = 0;
  std::int64_t sumExecNs = 0;
  double progress = -1;  ///< 0..1 of its work, -1: endless
};

/// An entity on one CPU's queue as the Runqueues view draws it: a task or a group, in tree order after the
/// current.
struct QueueEntity {
  std::int32_t task = -1;   ///< index into Frame::tasks, or -1 for a group
  std::int32_t group = -1;  ///< task group, for a group entity
  std::string name;
  bool isCurrent = false, isDelayed = false, isThrottled = false, eligible = false, isNext = false;
  std::int64_t weight = 0, vruntime = 0, deadline = 0, lag = 0, slice = 0;
  std::int64_t util = 0, load = 0;
  std::vector<QueueEntity> children;  ///< of a group
};

struct CpuFrame {
  std::int32_t id = 0;
  bool online = true;
  bool isIdle = true;
  bool tickStopped = false;
  std::int32_t running = -1;         ///< index into Frame::tasks
  std::vector<std::int32_t> queued;  ///< indexes into Frame::tasks, in the order they would be picked
  std::int32_t nrRunning = 0, hNrRunnable = 0, hNrDelayed = 0;
  std::int64_t util = 0, utilEst = 0, load = 0, runnable = 0;
  std::int64_t capacity = 1024, capacityOrig = 1024;
  std::int64_t misfitLoad = 0;
  std::int64_t avgIdleNs = 0;
  std::int64_t averageVruntime = 0;  ///< V relative to the queue's zero point
  std::int64_t totalWeight = 0;
};

struct GroupFrame {  ///< a sched group as update_sg_lb_stats() would see it now
  std::string type;  ///< "has_spare", ...
  std::int64_t load = 0, util = 0, runnable = 0, capacity = 0;
  std::int32_t nrRunning = 0, idleCpus = 0;
  bool imbalanceFlag = false;
};

struct DomainFrame {
  std::int64_t balanceIntervalMs = 0, nrBalanceFailed = 0, lastBalanceJiffies = 0, maxNewidleCostNs = 0;
};

struct MigrationFrame {
  std::int64_t timeNs = 0;
  std::int32_t task = -1, from = -1, to = -1;
  std::string reason;  ///< "load_balance", "active_balance", "wakeup", "fork", "exec", "affinity", "hotplug"
};

struct TaskGroupFrame {
  std::int32_t id = 0, parent = -1;
  std::string name;
  std::int64_t shares = 1024;
  std::int64_t loadAvg = 0;
};

/// A queue of waiting tasks that the CPUs of one cache (or of one shard of it) share, with its lock.
struct SharedQueueFrame {
  std::int32_t llcCpu = -1;  ///< first CPU of the cache
  std::int32_t shard = 0, shards = 1;
  std::vector<std::int32_t> cpus;                     ///< that put their tasks here
  std::vector<std::int32_t> tasks;                    ///< indexes into Frame::tasks, oldest first
  std::uint64_t joined = 0, pulled = 0, refused = 0;  ///< so far
  std::int32_t lockHolder = -1;                       ///< CPU; -1: free
  std::vector<std::int32_t> lockWaiters;              ///< CPUs, next first
  std::uint64_t lockTaken = 0, lockContended = 0;     ///< so far
  std::int64_t lockWaitedNs = 0, lockHeldNs = 0;
};

/// The whole state at one moment, immutable once published. Built in well under 1 ms for 256 CPUs.
struct Frame {
  std::shared_ptr<const MachineLayout> layout;
  std::uint64_t layoutVersion = 0;
  std::int64_t timeNs = 0;
  std::uint64_t jiffies = 0;
  std::uint64_t eventIndex = 0, tickIndex = 0, passIndex = 0;
  std::uint64_t fingerprint = 0;
  std::string eventText;       ///< stable key of the last event: "tick", "wakeup", ...
  std::vector<CpuFrame> cpus;  ///< same order as MachineLayout::cpus
  std::vector<TaskFrame> tasks;
  std::vector<TaskGroupFrame> taskGroups;
  std::vector<GroupFrame> groups;              ///< by index of MachineLayout::groups
  std::vector<DomainFrame> domains;            ///< by index of MachineLayout::domains
  std::vector<SharedQueueFrame> sharedQueues;  ///< empty when no patch adds such queues
  std::shared_ptr<const Ladder> ladder;        ///< the last decision at or before now; null before the first
  std::int32_t rung = -1;                      ///< current rung inside it; -1: all done
  std::vector<MigrationFrame> recentMigrations;  ///< newest first, at most 24
  std::uint64_t idleWhileWaitingNs = 0;  ///< sum over CPUs: idle while an allowed task waited elsewhere
  std::uint64_t migrations = 0, failedPasses = 0;
  std::uint64_t historyBytes = 0, historyBudget = 0;
  bool atEnd = false;  ///< "until" reached or nothing left to happen
};

}  // namespace rqscope::api
