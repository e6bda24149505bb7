// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "runqueue/machine.h"

namespace rqscope {

/// In rising order of busyness. Kernel: enum group_type; smt_balance from v6.6, llc_balance v7.x only.
enum class GroupType : std::uint8_t {
  HasSpare,
  FullyBusy,
  MisfitTask,
  SmtBalance,
  AsymPacking,
  Imbalanced,
  LlcBalance,
  Overloaded
};

/// Why group_classify() chose a type: the test that matched.
enum class GroupTypeReason : std::uint8_t {
  UtilOverCapacity,      ///< overloaded: capacity * 100 < util * pct
  RunnableOverCapacity,  ///< overloaded: capacity * pct < runnable * 100
  LlcVerdict,
  ImbalanceFlag,
  AsymFlag,
  SmtFlag,
  MisfitLoad,
  SiblingExcess,  ///< overloaded, before v5.5: more tasks than a local group with room, and siblings come
                  ///< first
  NoCapacity,
  HasCapacity
};

/// Kernel: struct sg_lb_stats. Loads: nice 0 = 1024; utilisation and capacity: 1024 = one big CPU.
struct GroupStats {
  std::uint64_t avgLoad = 0;  ///< load * 1024 / capacity; only where the caller computes it
  std::uint64_t groupLoad = 0;
  std::uint64_t groupCapacity = 0;
  std::uint64_t groupUtil = 0;
  std::uint64_t groupRunnable = 0;
  std::uint32_t sumNrRunning = 0;   ///< all classes
  std::uint32_t sumHNrRunning = 0;  ///< fair tasks (v7.3: runnable only)
  std::uint32_t idleCpus = 0;
  std::uint32_t groupWeight = 0;  ///< CPUs of the group, whatever affinity or `cpus` say
  GroupType type = GroupType::HasSpare;
  GroupTypeReason reason = GroupTypeReason::HasCapacity;
  bool groupAsymPacking = false;
  bool groupSmtBalance = false;
  bool groupLlcBalance = false;
  std::uint64_t groupMisfitTaskLoad = 0;
  std::uint64_t minLoad = 0, maxLoad = 0;  ///< of one CPU; balancing before v5.5 only
  std::uint32_t nrPrefDstLlc = 0;          ///< v7.3
  std::uint32_t nrNumaRunning = 0, nrPreferredRunning = 0;
  /// v7.3 with energy-aware scheduling on: no CPU of the group is overutilised, so it cannot be overloaded.
  bool notOverutilized = false;
};

/// Kernel: group_is_overloaded(), group_has_capacity(), group_classify(), kernel/sched/fair.c (v6.1, v6.12,
/// v7.3).
bool groupIsOverloaded(unsigned imbalancePct, const GroupStats& stats);
bool groupHasCapacity(unsigned imbalancePct, const GroupStats& stats);
struct Classification {
  GroupType type;
  GroupTypeReason reason;
};
Classification groupClassify(unsigned imbalancePct, bool sgcImbalance, const GroupStats& stats,
                             const Behaviours& behaviours);
/// Kernel: adjust_numa_imbalance().
std::int64_t adjustNumaImbalance(std::int64_t imbalance, int dstRunning, int imbNumaNr);

}  // namespace rqscope
