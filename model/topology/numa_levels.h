// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "topology/hardware.h"
#include "topology/sched_topology.h"

namespace rqscope {

/// What sched_init_numa() finds: the distances between nodes that have CPUs, and per distance and node the
/// CPUs within it.
struct NumaLevels {
  std::vector<int> distances;               ///< ascending; the first is the local one
  std::vector<std::vector<CpuMask>> masks;  ///< by distance, then by position in Hardware::nodes
  SchedTopology::NumaType type = SchedTopology::NumaType::Direct;
};

/// Kernel: sched_init_numa(), init_numa_topology_type() (v6.1, v6.12, v7.3). `present`: CPUs the nodes have
/// at that moment; `counted`: nodes without one of these CPUs take no part, unless `cpuNodesOnly` is false
/// (before 0fb3978b0aac). Simplified: v7.3's separate scheduling distance of some x86 servers is not
/// modelled.
NumaLevels numaLevels(const Hardware& hardware, const CpuMask& present, const CpuMask& counted,
                      bool cpuNodesOnly);

}  // namespace rqscope
