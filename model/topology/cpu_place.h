// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "topology/hardware.h"

namespace rqscope {

/// One cache by a key: CPUs whose cache of this level and type has the same key share it.
struct PlaceCache {
  int level = 0;
  std::string type = "Unified";
  int key = -1;
  std::uint64_t sizeBytes = 0;
};

/// Where a CPU sits, by keys instead of masks. Cores, dies and clusters are numbered inside their package.
struct CpuPlace {
  HardwareCpu cpu;  ///< id, online, package, die, cluster, core, node, capacity and what else is not a mask
  std::vector<PlaceCache> caches;
};

/// Fills the masks of every CPU and the CPUs of the nodes from the places; nodes that do not exist are made.
/// CPUs end up ascending by id. On x86 the cluster mask is the level 2 cache's.
void placeCpus(Hardware& hardware, std::vector<CpuPlace> places);

/// Sets clusterCpus from level 2 caches (x86) or from package and cluster number.
void fillClusterMasks(Hardware& hardware);

}  // namespace rqscope
