// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "recording/group_view.h"

#include <algorithm>

#include "runqueue/load_tracking.h"

namespace rqscope {

std::vector<ViewedGroup> viewedGroups(const SchedTopology& topology) {
  std::vector<ViewedGroup> out(topology.groups.size());
  for (std::size_t g = 0; g < out.size(); ++g) out[g].group = SchedGroupId{g};
  for (std::size_t d = 0; d < topology.domains.size(); ++d)
    for (const SchedGroupId group : topology.domains[d].groups)
      if (!out[group.index()].domain.isValid()) out[group.index()].domain = DomainId{d};
  return out;
}

GroupView::GroupView(const Machine& m) : m_machine(m), m_cpus(m.rqs.size()) {
  const bool runnableOnly = m.behaviours().countsRunnableOnly;
  for (CpuId cpu = m.topology->online.first(); cpu.isValid(); cpu = m.topology->online.next(cpu)) {
    CpuSums& sums = m_cpus[cpu.index()];
    const CfsRq& queue = m.rootCfs(cpu);
    sums.load = queue.avg.loadAvg;
    sums.util = cpuUtilCfs(m, cpu);
    sums.runnable = queue.avg.runnableAvg;
    sums.misfit = m.rq(cpu).misfitTaskLoad;
    sums.nrRunning = m.rq(cpu).nrRunning;
    sums.hNrRunning = runnableOnly ? queue.hNrRunnable : queue.hNrQueued;
    sums.isIdle = isIdleCpu(m, cpu);
  }
}

GroupStats GroupView::stats(const ViewedGroup& viewed) const {
  const SchedTopology& topology = *m_machine.topology;
  const SchedGroup& group = topology.group(viewed.group);
  GroupStats out;
  for (const CpuId cpu : group.cpus) {
    const CpuSums& sums = m_cpus[cpu.index()];
    out.groupLoad += sums.load;
    out.groupUtil += sums.util;
    out.groupRunnable += sums.runnable;
    out.sumNrRunning += sums.nrRunning;
    out.sumHNrRunning += sums.hNrRunning;
    out.groupMisfitTaskLoad = std::max(out.groupMisfitTaskLoad, sums.misfit);
    if (sums.isIdle) ++out.idleCpus;
  }
  out.groupWeight = static_cast<std::uint32_t>(group.weight);
  bool imbalance = false;
  if (group.capacity.isValid()) {
    const GroupCapacity& capacity = m_machine.capacities[group.capacity.index()];
    out.groupCapacity = capacity.capacity;
    imbalance = capacity.imbalance;
  }
  if (!viewed.domain.isValid()) return out;
  const SchedDomain& domain = topology.domain(viewed.domain);
  if ((domain.flags & kSdAsymCpucapacity) == 0) out.groupMisfitTaskLoad = 0;
  const Classification c =
      groupClassify(static_cast<unsigned>(domain.imbalancePct), imbalance, out, m_machine.behaviours());
  out.type = c.type;
  out.reason = c.reason;
  return out;
}

GroupStats liveGroupStats(const Machine& m, const ViewedGroup& viewed) { return GroupView(m).stats(viewed); }

}  // namespace rqscope
