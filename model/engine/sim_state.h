// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "balance/softirq_work.h"
#include "engine/contention.h"
#include "engine/time_heap.h"
#include "runqueue/machine.h"
#include "runqueue/observer.h"
#include "workload/cost_model.h"
#include "workload/operation.h"
#include "workload/program.h"

namespace rqscope {

/// When a call of sched_balance_rq() that balances does what, from the end of what its softirq did before.
struct CallTiming {
  std::uint64_t readNs = 0;  ///< it reads its statistics
  std::uint64_t lockNs = 0;  ///< it chooses and locks a queue
  std::uint64_t overNs = 0;  ///< it is over, when it finds balance
};

/// How long a CPU takes for what follows a tick; by default it happens at one moment. Of several values one
/// is drawn each time.
struct SoftirqTiming {
  std::vector<std::uint64_t> startsNs;    ///< from a busy CPU's tick to the beginning of its balance softirq
  std::vector<std::uint64_t> switchesNs;  ///< from a tick without softirq to the task that it switches to
  std::vector<std::uint64_t> kicksNs;     ///< from a tick that kicks an idle CPU to the softirq there
  /// Calls in the lowest domain, in the one above, ...: the first of a busy CPU's softirq, further ones of
  /// it; the same of an idle CPU's. One that is empty is as the first.
  std::array<std::vector<CallTiming>, 4> calls;
  static std::size_t callKind(bool isIdle, bool isFurther) {
    return (isIdle ? 2U : 0U) + (isFurther ? 1U : 0U);
  }
  bool isOn() const { return !(startsNs.empty() && switchesNs.empty() && calls.front().empty()); }
};

/// Ticks of a machine whose CPUs run in turns, as in an emulator: at each moment of the tick one of the
/// ticking CPUs is first, and the others follow in the order of their numbers, a turn apart. The last is the
/// one whose turn it was at that moment: it began its tick then, and the end of its turn cut it.
struct TickTurns {
  std::uint64_t turnNs = 0;  ///< 0: there are none, all tick at once
  CpuId timekeeper;          ///< jiffies advance when its tick begins. Kernel: tick_do_timer_cpu
  /// How late ticks are, by jiffy and CPU, where it is known; below 0 and beyond: by turns, the first drawn.
  std::vector<std::vector<std::int32_t>> lateNs;
  std::vector<std::int32_t> jiffyLateNs;  ///< how late jiffies advance, likewise
  /// From ticks to what follows them, likewise; else as SoftirqTiming has it.
  std::vector<std::vector<std::int32_t>> startsNs, switchesNs;
};

/// How programs count their own work that read a clock over and over: the time between two reads counts, also
/// that of an interrupt, unless it is so long that the CPU must have been taken away. Then what the kernel
/// did around the switches, in the program's time on the CPU, is no work either.
struct WorkClock {
  std::uint64_t longestNs = 0;  ///< between two reads that counts; 0: all time on the CPU is work
  std::uint64_t returnNs = 0;   ///< from the switch to a task to its next read
};

/// What a run is made of and does not change while it runs. Shared by all states of the run.
struct SimPlan {
  std::shared_ptr<const SchedTopology> topology;
  std::shared_ptr<const KernelProfile> profile;
  Workload workload;
  std::vector<Operation> operations;  ///< ascending by time
  std::uint64_t untilNs = 0;          ///< run time at which it ends; 0: when every task that ends has ended
  std::uint64_t seed = 1;
  CostModel costs;
  /// Of each CPU's tick behind the common moment, below a tick's length; empty: the profile's skew_tick
  /// decides.
  std::vector<std::uint64_t> tickOffsetsNs;
  TickTurns tickTurns;  ///< only with tickOffsetsNs
  SoftirqTiming softirqTiming;
  WorkClock workClock;
};

/// In the order in which simultaneous events happen.
enum class SimEventKind : std::uint8_t {
  Operation,    ///< subject = index into SimPlan::operations
  Launch,       ///< subject = number of the thread launched at time 0
  Tick,         ///< subject = CPU
  Hrtick,       ///< subject = CPU: the slice timer of v7.3
  RunEnd,       ///< subject = CPU: its task is at the end of a piece of work
  Timer,        ///< subject = task slot: a sleep or timer is over
  GroupPeriod,  ///< subject = task group: a bandwidth period ended, or runtime given back is handed out
  IdleExit,     ///< subject = CPU: it has come out of idle and looks at what it was given
  SoftirqStep,  ///< subject = CPU: its balance softirq begins, or a call of it is over
  End,          ///< `until` is reached, every task that ends has ended, or nothing is left to happen
  None
};
/// Tie of a timer: CPU above, sequence number below.
inline constexpr unsigned kTimerCpuShift = 44;

/// Stable key of an event kind: "tick", "run_end", ...
const char* eventKey(SimEventKind kind);

struct SimEvent {
  std::uint64_t timeNs = 0;  ///< machine time
  SimEventKind kind = SimEventKind::None;
  std::int32_t subject = -1;
  CpuId cpu;  ///< where it happens
};

/// What a blocked thread waits for.
enum class WaitKind : std::uint8_t {
  None,
  Timer,
  Mutex,
  Condition,
  Suspend,
  Barrier,
  Semaphore,
  PipeRead,
  PipeWrite,
  PipeLock  ///< the mutex of a pipe
};

/// Where one thread stands in its program. By task slot. Two cache lines: what every switch touches, and the
/// program.
struct alignas(64) ThreadState {
  std::uint64_t remaining = 0;    ///< of the current piece, in ns * 1024
  std::uint64_t untilNs = 0;      ///< Runtime: machine time at which the piece ends, run or not; 0: none
  std::uint64_t overheadNs = 0;   ///< costs to pay first
  std::uint64_t accountedNs = 0;  ///< progress is counted up to here while it runs
  std::uint64_t workDone = 0;     ///< Run pieces only, in ns * 1024
  std::uint32_t migrations = 0;
  std::uint8_t stage = 0;  ///< inside an event that blocks: 0 before, 1 woken
  bool isScaled = false;   ///< `remaining` is work (Run), not time (Runtime)
  bool isKilled = false;
  bool readsClock = false;  ///< ThreadProgram::clockReadNs is set
  WaitKind wait = WaitKind::None;
  std::int32_t program = -1;  ///< index into Workload::threads; -1: no thread in this slot
  std::int32_t phase = -1;    ///< -1: before the first
  std::int32_t event = -1;    ///< -1: the phase's settings come first
  std::int32_t waitObject = -1;
  std::int32_t nextWaiter = -1;
  std::int32_t instance = 0;
  std::int64_t loopsLeft = 0, phaseLoopsLeft = 0;
  std::uint64_t wokenNs = 0;     ///< machine time of the wakeup whose latency is being measured; 0: none
  std::uint64_t startNs = 0;     ///< machine time of its start (after its delay)
  std::int64_t endNs = -1;       ///< machine time of its end; -1: lives
  std::uint64_t fileLineNs = 0;  ///< for the line of a file that it began to use; to pay at the end
};

/// First-in first-out queue of waiting threads, linked through ThreadState::nextWaiter.
struct WaitQueue {
  std::int32_t head = -1, tail = -1;
};

/// The mutex of a pipe. Kernel: struct mutex with MUTEX_SPIN_ON_OWNER.
struct PipeLock {
  struct Spinner {
    TaskId task;
    std::uint64_t sinceNs = 0;  ///< machine time
  };
  TaskId owner;                    ///< has it, or was handed it and must come to pick it up
  bool isHandoff = false;          ///< the first waiter asked for it, nobody else gets it next
  std::uint64_t firstSinceNs = 0;  ///< machine time since which the first waiter spins, if it does
  std::vector<Spinner> spinners;   ///< in their order, on their CPUs
  std::vector<TaskId> waiters;     ///< asleep, or woken and not yet successful, in their order
};

/// Contents of a pipe: a ring of pages. Kernel: head, tail and bufs of pipe_inode_info.
struct PipeState {
  std::int32_t messages = 0;                          ///< unread
  std::int32_t pages = 0, oldest = 0;                 ///< in use; place of the oldest in the ring
  std::array<std::int32_t, kMostPipePages> unread{};  ///< messages of a page
  std::int32_t newestFill = 0;                        ///< messages ever written to the newest page
  CpuId lastCpu;                                      ///< that touched it last
  PipeLock lock;                                      ///< only with ProgramPipe::lockedNs
  ContendedLine writersFile;                          ///< only with ProgramPipe::isFileShared
  WaitQueue readers, writers;
};

/// One taking of a lock: by which CPU, from when to when it holds it.
struct LockTurn {
  CpuId cpu;
  std::uint64_t fromNs = 0, untilNs = 0;
};

/// The lock of a shared wakequeue, first come first served. Only with CostModel::sharedQueueLockNs.
struct SharedQueueLock {
  std::vector<LockTurn> turns;  ///< now and to come, ascending
  CpuId lastCpu;                ///< that took it last
  std::uint64_t taken = 0, contended = 0, waitedNs = 0, heldNs = 0;
  std::uint64_t length = 0, lengthFromNs = 0;  ///< of the queue, and since when
  std::uint64_t lengthNs = 0;                  ///< length x time up to then
};

/// Counts of wakeup latencies: eight buckets for every power of two of nanoseconds.
inline constexpr std::size_t kLatencyBuckets = 8 * 40;
/// The bucket of a latency, and the longest latency that a bucket counts.
std::size_t latencyBucket(std::uint64_t ns);
std::uint64_t latencyOfBucket(std::size_t bucket);

struct TimerState {
  std::uint64_t nextNs = 0;
  bool isStarted = false;
};

/// All of the workload that moves.
struct WorkloadState {
  std::vector<ThreadState> threads;  ///< by task slot
  std::vector<std::int32_t> mutexOwner;
  std::vector<WaitQueue> mutexQueue, conditionQueue, suspendQueue, barrierQueue, semaphoreQueue;
  std::vector<std::int32_t> barrierArrived, semaphoreValue;
  std::vector<PipeState> pipes;
  std::vector<std::uint64_t> latencies;  ///< kLatencyBuckets counts; empty: no program is measured
  /// By task slot: its first clock read since it runs, or the last one before. Only with SimPlan::workClock.
  std::vector<std::uint64_t> clockReadsNs;
  std::vector<TimerState> sharedTimers;
  std::vector<TimerState> ownTimers;           ///< unique timers: slot * count + number
  std::vector<std::int32_t> instancesStarted;  ///< by program
  std::vector<TaskId> deadTasks;               ///< ended, oldest first, slots still theirs
  std::int32_t liveThreads = 0;
  std::int32_t liveFiniteThreads = 0;  ///< that end by themselves
  bool hadFiniteThreads = false;
  std::int32_t restrictedTasks = 0;  ///< alive with an affinity that leaves out an online CPU
};

/// Placements of one kind so far.
struct PlacementCounters {
  std::uint64_t count = 0;
  std::uint64_t onWakerCpu = 0;               ///< placed on the CPU that forks or wakes
  std::uint64_t onPrevCpu = 0;                ///< placed where the task was
  std::uint64_t onIdleCpu = 0;                ///< placed on an idle CPU
  std::array<std::uint64_t, 8> groupTypes{};  ///< groups seen in the slow path, by GroupType
  std::uint64_t groupUtil = 0;                ///< sum of their utilisation
};

struct SimCounters {
  std::uint64_t events = 0, ticks = 0, passes = 0, placements = 0, failedPasses = 0, migrations = 0;
  std::array<std::uint64_t, 8> migrationsByReason{};  ///< by MigrationReason
  std::uint64_t idleWhileWaitingNs = 0;
  std::uint64_t switches = 0, wakeups = 0;
  std::array<PlacementCounters, 3> placementsByKind{};  ///< by PlacementKind
  /// Passes and placements so far: the next one gets this number.
  std::uint64_t decisions() const { return passes + placements; }
};

/// What the idle-while-work-waits counter and the views need of each CPU, kept as it changes.
struct CpuActivity {
  bool isIdle = true;
  std::uint32_t waiting = 0;  ///< runnable tasks that do not run
  std::uint64_t idleSinceNs = 0;
  std::uint64_t idleNs = 0;  ///< closed idle times
  std::uint32_t throughput = 1024;
  std::uint64_t chargedUntilNs = 0;               ///< kernel work not yet paid for keeps it busy up to here
  std::uint64_t tickFromNs = 0;                   ///< earliest moment of its next tick
  std::uint64_t kernelFromNs = 0;                 ///< moment of the tick that its softirq or switch followed
  std::uint64_t lockFromNs = 0, lockUntilNs = 0;  ///< its queue's lock is held; only with CostModel::rqLockNs
  CpuId nextThread;                               ///< of its core, round robin; itself without SMT
  bool sharesCore = false;                        ///< another thread of its core is busy
};

/// A run at one moment. A copyable value: a checkpoint is a copy.
struct SimState {
  std::shared_ptr<const SimPlan> plan;
  Machine machine;
  WorkloadState workload;
  TimeHeap runEnds;                   ///< by CPU
  TimeHeap timers;                    ///< by task slot
  TimeHeap hrticks;                   ///< by CPU; v7.3 only
  TimeHeap idleExits;                 ///< by CPU; only with CostModel::idleWakeupNs
  TimeHeap softirqSteps;              ///< by CPU; only with SimPlan::softirqTiming
  std::vector<SoftirqWork> softirqs;  ///< by CPU, of those with a step
  CpuMask tickingCpus;                ///< their tick is on
  std::uint64_t tickNs = 0;           ///< period of the tick; the tunable does not change in a run
  std::uint64_t tickSkewNs = 0;       ///< how much later a CPU ticks than the one before it (skew_tick)
  std::uint64_t tickBaseNs = 0;
  CpuId tickCursor{0};
  std::shared_ptr<const std::vector<std::int32_t>> launches;  ///< programs started at time 0, in order
  std::vector<GroupId> groupIds;                              ///< machine group of each workload group
  std::vector<GroupId> quotaGroups;                           ///< machine groups with a bandwidth limit
  std::uint64_t originNs = 0;                                 ///< machine time of run time 0
  std::uint64_t nextJiffyNs = 0;
  std::uint64_t timerSequence = 0;
  std::size_t nextOperation = 0;
  std::size_t nextLaunch = 0;
  std::vector<SharedQueueLock> sharedQueueLocks;  ///< by index of Machine::sharedQueues
  std::vector<CpuActivity> cpus;                  ///< by CPU number
  CpuMask touchedCpus;                            ///< changed in the current event
  CpuMask allCpus;                                ///< there is such a CPU, online or not
  CpuMask idleCpus;
  std::int32_t idleCount = 0;
  std::uint32_t waitingTasks = 0;
  std::uint32_t idleWaitingCpus = 0;  ///< idle while an allowed task waits elsewhere, now
  SimCounters counters;
  Contention contention;  ///< contended lines; counts accesses even without costs
  SimEvent lastEvent;
  std::uint64_t runHash = 0;  ///< of every event so far
  bool isAtEnd = false;

  std::uint64_t timeNs() const { return machine.nowNs - originNs; }
};

/// A run at time 0, before its first event.
SimState makeSimState(std::shared_ptr<const SimPlan> plan);
/// Hash over the run so far and the whole scheduling state: the same in every run mode and on every compiler.
std::uint64_t fingerprint(const SimState& state);
/// Memory that a copy of the state takes, about.
std::size_t stateBytes(const SimState& state);
/// "lbw-2" for instance 2 of several, else "lbw".
std::string threadName(const Workload& workload, std::int32_t program, std::int32_t instance);

}  // namespace rqscope
