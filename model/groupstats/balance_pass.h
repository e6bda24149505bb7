// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "groupstats/group_stats.h"

namespace rqscope {

enum class CpuIdleType : std::uint8_t { NotIdle, Idle, NewlyIdle };
enum class MigrationType : std::uint8_t { Load, Util, Task, Misfit, LlcTask };

/// Who asked for the pass.
enum class BalanceEntry : std::uint8_t { Tick, NohzKick, Newidle, ActiveStopper };

/// Exit or branch of find_src_group; names of ground-truth "why".
enum class FindSrcGroupWhy : std::uint8_t {
  NoBusiest,
  EnergyAware,
  LocalTypeGreater,
  LocalLoadGeBusiest,
  LocalLoadGeAvg,
  WithinImbalancePct,
  DstNotIdle,
  IdleCpusBalanced,
  BusiestOneTask,
  LocalMinLoadGeBusiest,  // the last that means balanced; patch of 2016
  Misfit,
  AsymPacking,
  Imbalanced,
  PreferSibling,
  SmtBalance,
  LlcBalance,
  IdleBesideOverloaded,  ///< before v5.5: the averages are not asked
  MinLoadLess,           ///< patch of 2016
  Compare                // calculate_imbalance() runs
};

/// Line of calculate_imbalance() that set type and amount.
enum class ImbalanceRule : std::uint8_t {
  None,
  Misfit,
  MisfitReducedCapacity,
  AsymPacking,
  SmtBalance,
  LlcBalance,
  ImbalancedOneTask,
  SpareUtil,
  SpareUtilOneTask,
  SpareTasksSibling,
  SpareTasksCores,       ///< v6.6+: groups of unequal numbers of cores
  SiblingNotIdle,        ///< v6.6+: nothing, as the destination is not idle
  NumaImbalanceAllowed,  ///< nothing, as the difference between nodes is small enough
  SpareTasksIdleCpus,
  LoadLocalAboveBusiest,
  LoadLocalAboveAvg,
  LoadFormula,
  // Before v5.5:
  AverageLoad,         ///< the smaller distance to the domain's average
  SmallOneTask,        ///< fix_small_imbalance(): one task's worth does not turn the difference round
  SmallMoreCapacity,   ///< fix_small_imbalance(): more capacity would be used
  SmallNothing,        ///< fix_small_imbalance(): neither
  AveragePackingLoad,  ///< all load of a group whose CPUs are less preferred
  MinLoadHalf          ///< patch of 2016: half of what lies between the largest and the smallest load
};

/// One group as the pass saw it.
struct BalanceGroup {
  SchedGroupId group;
  bool isLocal = false;
  GroupStats stats;
  std::uint64_t minCapacity = 0, maxCapacity = 0;
  bool sgcImbalance = false;
  /// What update_sd_pick_busiest() said of it; Local for the local group.
  enum class Pick : std::uint8_t {
    Local,
    Picked,
    NoTasks,
    MisfitCannotHelp,
    DstTooSmall,
    LesserType,
    LosesTie
  } pick = Pick::Local;
};

/// One queue looked at by find_src_rq.
struct BalanceQueue {
  CpuId cpu;
  std::uint64_t value = 0;  ///< load, util, h_nr or misfit load, by migration type
  std::uint64_t capacity = 0;
  std::uint32_t nrRunning = 0;
  enum class Verdict : std::uint8_t {
    Chosen,
    Passed,
    FbqType,
    NoTasks,
    AsymLoneTask,
    AsymPriority,
    LoadTooBigLone,
    OneTask,
    NotLarger
  } verdict = Verdict::Passed;
};

/// One task looked at by detach_tasks() (or detach_one_task() of active balance), in order.
struct BalanceCandidate {
  TaskId task;
  CpuId dst;  ///< where it would have gone: another one after LBF_DST_PINNED
  enum class Verdict : std::uint8_t {
    Detached,
    Throttled,
    DelayedTask,
    Ineligible,
    PerCpuKthread,
    Affinity,
    Running,
    Hot,
    LlcForbidden,
    LoadMin,
    LoadTooBig,
    UtilTooBig,
    FitsSource
  } verdict = Verdict::Detached;
  std::uint64_t value = 0;     ///< load or util before the shift
  std::uint64_t compared = 0;  ///< after the shift
  std::uint32_t shift = 0;     ///< nr_balance_failed used
  std::int64_t limit = 0;      ///< imbalance it was compared with
  std::int64_t imbalanceAfter = 0;
  std::uint64_t sinceExecStartNs = 0;  ///< holds when task_hot() was asked
  bool isHotTested = false;            ///< task_hot() was asked
  bool hasRunHere = false;             ///< else exec_start is 0, and it counts from the clock's beginning
  std::uint32_t loop = 0, loopMax = 0;
};

/// Why detach_tasks() ended.
enum class DetachStop : std::uint8_t {
  NotTried,
  ListEnd,
  ImbalanceDone,
  DstIdleSourceOne,
  LoopMax,
  LoopBreak,
  NewidleOne
};

/// One CPU that should_we_balance() looked at, as it was then.
struct BalanceCpuSeen {
  CpuId cpu;
  bool isIdle = false, isCoreIdle = false, isWakeupPending = false;
  std::uint32_t nrRunning = 0;
};

/// What balancing before v5.5 compared beside the averages.
struct AverageFigures {
  std::uint64_t localMinLoad = 0, busiestMinLoad = 0, busiestMaxLoad = 0;
  std::uint64_t localPerTask = 0, busiestPerTask = 0;  ///< load_per_task
  // fix_small_imbalance():
  std::uint64_t scaledPerTask = 0;          ///< scaled_busy_load_per_task
  std::uint64_t imbn = 0;                   ///< tasks that the local group would be ahead by
  std::uint64_t capaNow = 0, capaMove = 0;  ///< capacity used, and used after moving one task
};

/// One round of sched_balance_rq(): statistics to result. A redo makes another round.
struct BalanceRound {
  bool shouldBalance = false;
  /// should_we_balance(): the CPU it wanted, and why.
  CpuId balanceCpu;
  enum class BalanceCpuRule : std::uint8_t {
    NewlyIdle,
    NotInMask,
    FirstIdleCore,
    FirstIdleSmt,
    FirstIdle,
    GroupBalanceCpu,
    HasWork
  } balanceCpuRule = BalanceCpuRule::NewlyIdle;
  std::vector<BalanceCpuSeen> seen;       ///< up to the CPU it wanted
  std::vector<BalanceGroup> groups;       ///< order of update_sd_lb_stats(), local first
  std::int32_t local = -1, busiest = -1;  ///< indexes into groups; busiest as picked, before the decision
  std::uint64_t totalLoad = 0, totalCapacity = 0, averageLoad = 0;
  std::uint64_t localAvgLoad = 0, busiestAvgLoad = 0;
  AverageFigures average;
  bool preferSibling = false;
  FindSrcGroupWhy why = FindSrcGroupWhy::NoBusiest;
  MigrationType migrationType = MigrationType::Load;
  ImbalanceRule rule = ImbalanceRule::None;
  std::int64_t imbalance = 0;  ///< of calculate_imbalance()
  bool foundGroup = false;
  std::vector<BalanceQueue> queues;
  CpuId sourceCpu;  ///< none: no queue
  std::vector<BalanceCandidate> candidates;
  DetachStop detachStop = DetachStop::NotTried;
  std::vector<TaskId> moved;  ///< in order of detachment
  std::uint32_t flags = 0;    ///< LBF_* at the end of the round
};

enum LbfFlag : std::uint32_t {
  kLbfAllPinned = 1,
  kLbfNeedBreak = 2,
  kLbfDstPinned = 4,
  kLbfSomePinned = 8,
  kLbfActiveLb = 16,
  kLbfLlcPinned = 32
};

/// What a pass came to: the last test that it met.
enum class PassEnd : std::uint8_t {
  Moved,
  NotThisCpu,  ///< should_we_balance() refused
  SerializedOut,
  Balanced,     ///< find_src_group() stayed: `why`
  NoImbalance,  ///< calculate_imbalance() gave 0: `rule`
  NoQueue,
  SourceOneTask,  ///< the source queue has nothing but what runs
  NoneDetached,   ///< `refusal` says what was wrong with the first task
  AllPinned,
  ActiveStarted,
  NothingToPush  ///< active balance: the source has no task for it any more
};

/// One call of sched_balance_rq() (v6.1 load_balance()), or one run of the active-balance stopper. A value.
struct BalancePass {
  std::uint64_t timeNs = 0;
  std::uint64_t jiffies = 0;
  BalanceEntry entry = BalanceEntry::Tick;
  CpuId runOn;  ///< CPU that executed it (nohz: the balancer)
  CpuId dstCpu;
  DomainId domain;
  CpuIdleType idle = CpuIdleType::NotIdle;
  std::uint64_t lastBalance = 0;                                   ///< jiffies
  std::uint64_t intervalJiffies = 0;                               ///< what had to pass (tick and nohz)
  std::uint64_t avgIdleNs = 0, costSoFarNs = 0, domainCostNs = 0;  ///< newidle
  std::uint32_t nrBalanceFailedBefore = 0, nrBalanceFailedAfter = 0;
  std::uint32_t intervalMsBefore = 0, intervalMsAfter = 0;
  bool serializedOut = false;  ///< v7.3: another CPU was balancing a serialised domain
  std::vector<BalanceRound> rounds;
  std::uint32_t movedCount = 0;
  CpuId sourceCpu;  ///< queue of the last round, in both modes; none: no queue was chosen
  bool needActiveBalance = false;
  enum class ActiveReason : std::uint8_t {
    No,
    AsymPacking,
    ImbalancedActive,
    ReducedCapacity,
    Misfit,
    LlcTask
  } activeReason = ActiveReason::No;
  bool activeStarted = false;
  bool allPinned = false;
  // In both modes, of the last round:
  PassEnd end = PassEnd::Balanced;
  FindSrcGroupWhy why = FindSrcGroupWhy::NoBusiest;
  ImbalanceRule rule = ImbalanceRule::None;
  BalanceCandidate::Verdict refusal = BalanceCandidate::Verdict::Detached;  ///< Detached: none was refused
  bool parentImbalanceAfter = false;
  CpuId activeSource;  ///< stopper runs: busiest CPU
};

}  // namespace rqscope
