// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

#include "base/profile.h"
#include "rqscope/layout.h"
#include "topology/sched_topology.h"

namespace rqscope::api {

/// What stands still of a machine. Domain and group indexes are DomainId and SchedGroupId.
MachineLayout buildLayout(const SchedTopology& topology, const KernelProfile& profile);

std::vector<std::int32_t> cpuNumbers(const CpuMask& mask);

}  // namespace rqscope::api
