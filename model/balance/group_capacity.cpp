// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "balance/balance_env.h"
#include "balance/jiffies.h"
#include "runqueue/load_tracking.h"

namespace rqscope {
namespace {

/// Adds one part to a group's capacity.
void addCapacity(GroupCapacity& sum, std::uint64_t capacity, std::uint64_t lowest, std::uint64_t highest) {
  sum.capacity += capacity;
  sum.minCapacity = std::min(sum.minCapacity, lowest);
  sum.maxCapacity = std::max(sum.maxCapacity, highest);
}

/// Sum over the child's groups, or over the CPUs where child groups may reach beyond this group.
GroupCapacity sumOfChild(const Machine& m, const SchedDomain& child, const SchedGroup& group) {
  GroupCapacity sum;
  sum.capacity = sum.maxCapacity = 0;
  sum.minCapacity = UINT64_MAX;
  const std::uint32_t overlap = m.behaviours().hasOverlapFlag ? kSdOverlap : kSdNuma;
  if ((child.flags & overlap) != 0) {
    for (const CpuId cpu : group.cpus) {
      const std::uint64_t c = m.rq(cpu).cpuCapacity;
      addCapacity(sum, c, c, c);
    }
    return sum;
  }
  for (const SchedGroupId id : child.groups) {
    const GroupCapacity& part = m.capacities[m.topology->group(id).capacity.index()];
    addCapacity(sum, part.capacity, part.minCapacity, part.maxCapacity);
  }
  return sum;
}

/// Kernel: update_cpu_capacity().
GroupCapacity refreshCpuCapacity(Machine& m, CpuId cpu) {
  const std::uint64_t capacity = std::max<std::uint64_t>(scaleRtCapacity(m, cpu), 1);
  m.rq(cpu).cpuCapacity = capacity;
  GroupCapacity sum;
  sum.capacity = sum.minCapacity = sum.maxCapacity = capacity;
  return sum;
}

}  // namespace

void updateGroupCapacity(Context& ctx, DomainId domain, CpuId cpu) {
  Machine& m = ctx.m;
  const SchedDomain& sd = m.topology->domain(domain);
  const SchedGroup& group = m.topology->group(sd.groups.front());
  const GroupCapacity sum =
      sd.child.isValid() ? sumOfChild(m, m.topology->domain(sd.child), group) : refreshCpuCapacity(m, cpu);
  GroupCapacity& sgc = m.capacities[group.capacity.index()];
  sgc.nextUpdate =
      m.jiffies + std::clamp<std::uint64_t>(jiffiesOfMs(m, m.domains[domain.index()].balanceIntervalMs), 1,
                                            maxBalanceInterval(m));
  sgc.capacity = sum.capacity;
  sgc.minCapacity = sum.minCapacity;
  sgc.maxCapacity = sum.maxCapacity;
}

}  // namespace rqscope
