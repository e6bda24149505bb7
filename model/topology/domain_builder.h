// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "topology/sched_topology.h"
#include "topology/topology_levels.h"

namespace rqscope {

/// A sched_domain while it is being built. Indices are into DomainBuild's vectors; -1 = none.
struct BuildDomain {
  CpuId cpu;
  int tableLevel = 0;  ///< row of the level table (its sd_data)
  int level = 0;
  int parent = -1, child = -1;
  CpuMask span;
  int spanWeight = 0;
  std::uint32_t flags = 0;
  std::vector<int> groups;
  int maskWeight = 0;  ///< W
  int imbalancePct = 117;
  int cacheNiceTries = 0;
  int imbNumaNr = 0;
  int shared = -1;
};

struct BuildGroup {
  CpuMask span;
  std::uint32_t flags = 0;
  int capacity = -1;
  int cores = 0;
  CpuId asymPreferCpu;
};

/// A sched_group_capacity: it holds the balance mask of the groups that share it.
struct BuildCapacity {
  CpuMask balanceMask;
  bool isUsed = false;
};

/// Everything build_sched_domains() makes for one partition.
struct DomainBuild {
  std::vector<TopologyLevel> levels;
  std::vector<BuildDomain> domains;
  std::vector<BuildGroup> groups;
  std::vector<BuildCapacity> capacities;
  std::vector<CpuMask> shared;               ///< span of the domain that takes it
  std::vector<std::vector<int>> domainAt;    ///< [level][CPU number]
  std::vector<std::vector<int>> groupAt;     ///< [level][CPU number]: groups of non-overlapping levels
  std::vector<std::vector<int>> capacityAt;  ///< [level][CPU number]
  std::vector<int> lowest;                   ///< by CPU number: rq->sd
  std::vector<std::string> notes;            ///< levels that do not nest
};

/// Distinct capacities, descending, with their CPUs; empty when all are equal. Kernel:
/// asym_cpu_capacity_scan().
std::vector<std::pair<std::uint32_t, CpuMask>> asymCapacityList(const Hardware& hardware);

/// Kernel: build_sched_domains() with cpu_attach_domain() for every CPU of `partition` (v6.1, v6.12, v7.3).
/// An error when `stop` was requested meanwhile.
Result<DomainBuild> buildPartition(const Hardware& hardware, const KernelProfile& profile,
                                   const CpuMask& partition, std::vector<TopologyLevel> levels,
                                   const std::stop_token& stop = {});
/// What a build that was stopped gives.
Diagnostic stoppedBuild();

/// Kernel: cpu_attach_domain(): removes the domains that do not contribute, for one CPU.
void attachDomains(DomainBuild& build, const Behaviours& behaviours, CpuId cpu);

}  // namespace rqscope
