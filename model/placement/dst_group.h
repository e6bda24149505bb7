// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "groupstats/placement_decision.h"
#include "runqueue/observer.h"

namespace rqscope {

/// Statistics of a group as the task would find it, without the task itself. `stats` is filled anew.
/// Kernel: update_sg_wakeup_stats() (v6.1, v6.12; v7.3 counts runnable tasks only).
void updateSgWakeupStats(Machine& m, const SchedDomain& domain, SchedGroupId group, TaskId task,
                         GroupStats& stats, PlacementHook* hook = nullptr);

/// True when the candidate group is idler. Kernel: update_pick_idlest() (v6.1, v6.12, v7.3).
bool updatePickIdlest(const GroupStats& idlest, std::uint64_t idlestMaxCapacity, const GroupStats& candidate,
                      std::uint64_t candidateMaxCapacity);

/// The choice of a group: feed it the allowed groups in ring order, then ask.
/// Kernel: sched_balance_find_dst_group() (v6.1 find_idlest_group()).
class DstGroupChoice {
 public:
  struct Decision {
    SchedGroupId group;  ///< none = stay
    PlacementLevel::Why why = PlacementLevel::Why::Go;
  };

  DstGroupChoice();
  void consider(const Machine& m, SchedGroupId group, bool isLocal, const GroupStats& stats);
  Decision decide(const Machine& m, const SchedDomain& domain, TaskId task, CpuId thisCpu) const;
  SchedGroupId idlest() const { return m_idlest; }

 private:
  using Why = PlacementLevel::Why;
  Why compareLoad(const SchedDomain& domain) const;
  Why compareSpare(const Machine& m, const SchedDomain& domain, TaskId task, CpuId thisCpu) const;

  SchedGroupId m_local, m_idlest;
  GroupStats m_localStats, m_idlestStats;
};

/// Group for the task in this domain, none = stay. `level` and `tally` may be null. Kernel:
/// sched_balance_find_dst_group().
SchedGroupId findDstGroup(Machine& m, const SchedDomain& domain, TaskId task, CpuId thisCpu,
                          PlacementLevel* level, SlowPathTally* tally = nullptr,
                          PlacementHook* hook = nullptr);

/// Idlest CPU of a group. Kernel: sched_balance_find_dst_group_cpu() (v6.1 find_idlest_group_cpu()).
CpuId findDstGroupCpu(const Machine& m, SchedGroupId group, TaskId task, CpuId thisCpu,
                      PlacementLevel* level);

/// The slow path from `domain` downwards. Kernel: sched_balance_find_dst_cpu() (v6.1 find_idlest_cpu()).
CpuId findDstCpu(Context& ctx, DomainId domain, TaskId task, CpuId cpu, CpuId prevCpu, std::uint32_t sdFlag,
                 Placement* record);

}  // namespace rqscope
