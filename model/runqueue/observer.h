// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "base/ids.h"

namespace rqscope {

struct Machine;
struct BalancePass;  // groupstats/balance_pass.h
struct Placement;    // groupstats/placement_decision.h

/// A choice of CPU that is about to be made. Kernel: arguments of select_task_rq().
struct PlacementCall {
  TaskId task;
  CpuId prevCpu, wakerCpu;
  std::uint32_t wakeFlags = 0;
};

/// Why a newly idle CPU made no pass, at all or in one domain.
/// Kernel: the ways out of sched_balance_newidle() before sched_balance_rq().
struct NewidleSkip {
  enum class Reason : std::uint8_t {
    NotOverloaded,
    AvgIdleBelowCost,
    Dice,
    Offline,
    NoDomain,
    WakeupPending
  };
  CpuId cpu;
  Reason reason = Reason::NotOverloaded;
  DomainId domain;  ///< none: before any domain
  std::uint64_t avgIdleNs = 0, costNs = 0;
};

/// Numbers of one place_entity() call. Kernel: place_entity(), v6.12.
struct PlacedEntity {
  EntityId entity;
  CpuId cpu;
  std::uint64_t averageVruntime = 0;  ///< V before
  std::int64_t vlagBefore = 0;
  std::int64_t lag = 0;  ///< after scaling
  std::uint64_t vruntime = 0, deadline = 0;
  std::uint32_t flags = 0;  ///< EnqueueFlag bits
};

enum class MigrationReason : std::uint8_t {
  Wakeup,
  Fork,
  Exec,
  LoadBalance,
  ActiveBalance,
  Affinity,
  Hotplug,
  Wakequeue
};

/// Told of what happens, at the moment named. Never changes the machine. The base class does nothing.
class Observer {
 public:
  virtual ~Observer() = default;
  /// Full decision values are built only when this is true; a fast run leaves them out.
  virtual bool wantsDecisions() const { return false; }
  virtual void onPlaceEntity(const Machine&, const PlacedEntity&) {}
  /// AFTER the switch: prev and next may be none (idle). stopper: the migration thread takes or leaves the
  /// CPU.
  enum class Thread : std::uint8_t { Task, Idle, Stopper };
  struct Switch {
    CpuId cpu;
    TaskId prev;
    TaskId next;
    Thread prevKind;
    Thread nextKind;
  };
  virtual void onSwitch(const Machine&, const Switch&) {}
  /// Kernel: set_task_cpu(), BEFORE the task's cpu changes.
  virtual void onSetTaskCpu(const Machine&, TaskId, CpuId /*from*/, CpuId /*to*/, MigrationReason) {}
  virtual void onWakeup(const Machine&, TaskId, CpuId) {}  ///< AFTER the enqueue
  virtual void onNewTask(const Machine&, TaskId) {}
  virtual void onTaskDead(const Machine&, TaskId) {}
  virtual void onTick(const Machine&, CpuId) {}  ///< BEFORE the tick's work
  virtual void onSoftirq(const Machine&, CpuId, bool /*idle*/) {}
  virtual void onNohzKick(const Machine&, CpuId /*by*/, CpuId /*target*/, std::uint32_t /*flags*/) {}
  virtual void onNewidleBegin(const Machine&, CpuId) {}
  virtual void onNewidleEnd(const Machine&, CpuId, int /*pulled*/) {}
  virtual void onNewidleSkip(const Machine&, const NewidleSkip&) {}
  /// BEFORE anything of the pass is computed; entry, CPUs, domain and idle type are set. Called in both
  /// modes.
  virtual void onBalanceBegin(const Machine&, const BalancePass&) {}
  /// BEFORE the choice. Called in both modes.
  virtual void onPlacementBegin(const Machine&, const PlacementCall&) {}
  /// AFTER it was applied. Called in both modes: the numbers of the pass itself (entry, CPUs, domain,
  /// movedCount, failure counts, `end` and what belongs to it) are always set, `rounds` only when
  /// wantsDecisions().
  virtual void onBalancePass(const Machine&, const BalancePass&) {}
  /// AFTER the choice, before the enqueue. Called in both modes: kind, task, CPUs, chosen, searched and
  /// tally are always set, the rest only when wantsDecisions().
  virtual void onPlacement(const Machine&, const Placement&) {}
  enum class SharedQueueUse : std::uint8_t { Join, Leave, Pull };
  /// The lock of a shared queue is taken to look at `entries` tasks of it. AFTER the change.
  virtual void onSharedQueueLock(const Machine&, std::int32_t /*queue*/, SharedQueueUse,
                                 std::uint32_t /*entries*/) {}
  /// tg->load_avg of the group is read (calc_group_shares() in update_cfs_group()) or written
  /// (update_tg_load_avg()) for the queue of that CPU; from the simulator: by that CPU.
  virtual void onTgLoadAvgAccess(const Machine&, GroupId, CpuId, bool /*write*/) {}
};

struct Context;

/// What other CPUs do while this one works. Without it they wait until the engine serves their marks.
class Concurrency {
 public:
  virtual ~Concurrency() = default;
  /// The balancer is about to lock the queue of `cpu`: an interrupt that went there earlier has been served.
  virtual void beforeRemoteLock(Context& ctx, CpuId cpu) = 0;
  /// The stopper of `cpu` was asked to push a task, and may have run before the pass goes on.
  virtual void afterStopperRequest(Context&, CpuId /*cpu*/) {}
};

class PassHook;       // balance/pass_hook.h
class PlacementHook;  // placement/placement_hook.h

/// What every operation of the scheduler gets: the state and who watches.
struct Context {
  Machine& m;
  Observer& observer;
  Concurrency* concurrency = nullptr;
  // Who changes numbers of a decision before the step that reads them; in a run nobody does.
  PassHook* passHook = nullptr;
  PlacementHook* placementHook = nullptr;
};

}  // namespace rqscope
