// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "base/result.h"
#include "topology/sched_topology.h"

namespace rqscope {

/// A domain as a record of a run lists it.
struct RecordedDomainSpan {
  CpuId cpu;
  int index = 0;  ///< 0 = lowest
  CpuMask span;
  std::uint32_t flags = 0;
};

/// The machine that a kernel with these domains must have run on: threads from SHARE_CPUCAPACITY, caches from
/// the topmost SHARE_LLC span, nodes from NUMA. Capacities by CPU number; empty: all equal.
Hardware hardwareOfDomains(const std::vector<RecordedDomainSpan>& domains,
                           const std::vector<std::uint32_t>& capacities, MaskRules rules);

/// Builds the domains for the machine and checks that they are the recorded ones.
Result<std::shared_ptr<const SchedTopology>> topologyOfDomains(
    const Hardware& hardware, const KernelProfile& profile, const std::vector<RecordedDomainSpan>& domains);

}  // namespace rqscope
