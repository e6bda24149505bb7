// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "groupstats/group_stats.h"
#include "runqueue/machine.h"

namespace rqscope {

/// A distinct sched_group with the domain from whose CPU it is seen: what a type is depends on who asks.
struct ViewedGroup {
  SchedGroupId group;
  DomainId domain;
};
/// All groups by id, each from outside: by the CPU of the first domain in which it is not the local group, or
/// of the first that has it at all. Seen by no CPU, a group has an invalid domain.
std::vector<ViewedGroup> viewedGroups(const SchedTopology& topology);
/// The same with the groups of one CPU's domains as that CPU sees them, its own as the local group.
void lookFrom(const SchedTopology& topology, CpuId viewer, std::vector<ViewedGroup>& groups);

/// What update_sg_lb_stats() would give for the group now, in a pass of that CPU.
GroupStats liveGroupStats(const Machine& m, const ViewedGroup& viewed);

}  // namespace rqscope
