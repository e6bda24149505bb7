// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "groupstats/group_stats.h"
#include "runqueue/machine.h"

namespace rqscope {

/// A distinct sched_group with the domain whose imbalance_pct classifies it (the first that lists it).
struct ViewedGroup {
  SchedGroupId group;
  DomainId domain;
};
std::vector<ViewedGroup> viewedGroups(const SchedTopology& topology);

/// What update_sg_lb_stats() would sum for a group now, seen from outside it by an idle CPU.
/// Simplified: the asym-packing, smt_balance and llc_balance flags depend on who asks and stay off here; a
/// pass shows them.
GroupStats liveGroupStats(const Machine& m, const ViewedGroup& viewed);

/// Per-CPU sums of the above, computed once for all groups of a machine.
class GroupView {
 public:
  explicit GroupView(const Machine& m);
  GroupStats stats(const ViewedGroup& viewed) const;

 private:
  struct CpuSums {
    std::uint64_t load = 0, util = 0, runnable = 0, misfit = 0;
    std::uint32_t nrRunning = 0, hNrRunning = 0;
    bool isIdle = false;
  };
  const Machine& m_machine;
  std::vector<CpuSums> m_cpus;
};

}  // namespace rqscope
