// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "groupstats/group_stats.h"

namespace rqscope {

enum class PlacementKind : std::uint8_t { Wakeup, Fork, Exec };

/// Where the choice fell. Order of select_task_rq_fair() and select_idle_sibling() (v6.12).
enum class PlacementStep : std::uint8_t {
  OnlyOneCpu,
  WakeCurrentCpu,
  EnergyAware,
  SlowPath,
  PrevKept,
  TargetIdle,
  PrevIdle,
  KthreadPrev,
  RecentIdle,
  AsymCapacity,
  NoLlc,
  IdleSmtOfPrev,
  IdleCore,
  IdleCpuScan,
  PrevAside,
  RecentAside,
  TargetFallback,
  NotAllowedFallback
};

enum class WakeAffineReason : std::uint8_t {
  NotTried,
  PrevSame,
  ThisIdle,
  PrevIdleToo,
  Sync,
  PrevCacheIdle,
  WeightThis,
  Undecided
};

/// One CPU that placement looked at.
struct PlacementCpu {
  CpuId cpu;
  PlacementStep step = PlacementStep::TargetIdle;
  enum class Verdict : std::uint8_t {
    Chosen,
    NotIdle,
    NotAllowed,
    DoesNotFit,
    OtherLlc,
    SameAsOther,
    BusySibling,
    ScanLimit,
    LessGood
  } verdict = Verdict::NotIdle;
  std::uint64_t value = 0;  ///< load, idle_stamp or capacity, by step
};

/// One level of the slow path: statistics of each group, choice of group, then of CPU.
struct PlacementLevel {
  DomainId domain;
  struct Group {
    SchedGroupId group;
    bool isLocal = false;
    bool allowed = true;
    GroupStats stats;
  };
  std::vector<Group> groups;
  std::int32_t local = -1, idlest = -1;
  /// Why find_dst_group stayed or went.
  enum class Why : std::uint8_t {
    NoIdlest,
    NoLocal,
    LocalTypeLess,
    LocalTypeGreater,
    LoadNuma,
    LoadWithin,
    LoadLess,
    SameTypeStay,
    MisfitCapacity,
    NumaPreferred,
    NumaImbalance,
    IdleCpus,
    Go
  } why = Why::Go;
  bool stay = false;
  CpuId chosenCpu;  ///< by find_dst_group_cpu; none when it stayed
  std::vector<PlacementCpu> cpus;
};

/// What the slow path saw, in short; kept in fast runs too.
struct SlowPathTally {
  std::array<std::uint32_t, 8> groupTypes{};  ///< groups of each GroupType
  std::uint64_t groupUtil = 0;                ///< sum over the groups
  std::uint32_t groups() const {
    std::uint32_t sum = 0;
    for (const std::uint32_t n : groupTypes) sum += n;
    return sum;
  }
};

/// A CPU, or the base of its performance domain, as energy-aware placement saw it.
struct EnergyCandidate {
  CpuId cpu;
  std::int32_t domain = 0;               ///< index into SchedTopology::perfDomains of the root domain
  std::uint64_t util = 0, capacity = 0;  ///< of the CPU with the task, and what it has
  std::uint64_t uclampMin = 0, uclampMax = 1024;
  int fits = 0;                              ///< util_fits_cpu()
  bool isEvaluated = false;                  ///< prev_cpu, or the one with most room: the figures below hold
  std::uint64_t maxUtil = 0, busyTime = 0;   ///< of the domain with the task here
  std::uint64_t performance = 0, cost = 0;   ///< operating point
  std::uint64_t energy = 0, baseEnergy = 0;  ///< of the domain with and without the task
  enum class Verdict : std::uint8_t {
    Chosen,
    NotAllowed,
    DoesNotFit,
    LessRoom,         ///< another CPU of its domain has more left
    FitsWorse,        ///< than the best so far
    SmallerCapacity,  ///< uclamp_min fits neither
    MoreEnergy,
    Racing  ///< less energy with the task than without: figures changed meanwhile
  } verdict = Verdict::LessRoom;
};

/// One call of find_energy_efficient_cpu().
struct EnergyChoice {
  enum class Why : std::uint8_t {
    NotTried,
    Overutilized,  ///< the root domain is: the other rules decide
    NoDomain,      ///< no domain with all capacities holds both CPUs
    NoUtil,        ///< a task without utilisation stays
    Racing,
    PrevStays,
    LessEnergy,
    FitsBetter,
    LargerCapacity
  } why = Why::NotTried;
  std::uint64_t taskBusyTime = 0;
  std::vector<EnergyCandidate> cpus;  ///< of a detailed record
};

/// One call of select_task_rq_fair(). A value.
struct Placement {
  std::uint64_t timeNs = 0;
  PlacementKind kind = PlacementKind::Wakeup;
  TaskId task;
  CpuId wakerCpu, prevCpu;
  std::uint32_t wakeFlags = 0;
  bool wakeWide = false;
  std::uint32_t wakerFlips = 0, wakeeFlips = 0;
  std::uint32_t wakeWideFactor = 0;
  bool wantAffine = false;
  DomainId affineDomain;
  WakeAffineReason wakeAffine = WakeAffineReason::NotTried;
  std::int64_t thisEffLoad = 0, prevEffLoad = 0;  ///< WA_WEIGHT operands
  CpuId target;                                   ///< handed to select_idle_sibling
  bool hasIdleCore = false;
  std::int32_t nrIdleScan = 0;
  std::int32_t searchedAfter = 0;  ///< of them, those looked at after the one that was chosen; always filled
  std::int32_t searched = 0;       ///< CPUs that the search for an idle one looked at; always filled
  EnergyChoice energy;
  SlowPathTally tally;     ///< always filled
  bool isDetailed = true;  ///< false: the two lists below stay empty (a fast run)
  std::vector<PlacementCpu> cpus;
  std::vector<PlacementLevel> levels;
  PlacementStep decidedBy = PlacementStep::PrevKept;
  CpuId chosen;
};

}  // namespace rqscope
