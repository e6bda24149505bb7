// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "recording/group_view.h"

#include "balance/survey.h"

namespace rqscope {

std::vector<ViewedGroup> viewedGroups(const SchedTopology& topology) {
  std::vector<ViewedGroup> out(topology.groups.size());
  std::vector<bool> isOutside(out.size(), false);
  for (std::size_t g = 0; g < out.size(); ++g) out[g].group = SchedGroupId{g};
  for (std::size_t d = 0; d < topology.domains.size(); ++d) {
    const SchedDomain& domain = topology.domains[d];
    for (const SchedGroupId group : domain.groups) {
      const std::size_t g = group.index();
      if (isOutside[g]) continue;
      isOutside[g] = !topology.group(group).span.test(domain.cpu);
      if (isOutside[g] || !out[g].domain.isValid()) out[g].domain = DomainId{d};
    }
  }
  return out;
}

void lookFrom(const SchedTopology& topology, CpuId viewer, std::vector<ViewedGroup>& groups) {
  if (!viewer.isValid() || viewer.index() >= topology.cpus.size()) return;
  for (DomainId d = topology.cpus[viewer.index()].lowest; d.isValid(); d = topology.domain(d).parent)
    for (const SchedGroupId group : topology.domain(d).groups) groups[group.index()].domain = d;
}

GroupStats liveGroupStats(const Machine& m, const ViewedGroup& viewed) {
  return viewed.domain.isValid() ? surveyGroup(m, viewed.domain, viewed.group) : GroupStats{};
}

}  // namespace rqscope
