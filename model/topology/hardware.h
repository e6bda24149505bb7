// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/cpumask.h"
#include "base/ids.h"

namespace rqscope {

/// One cache as a CPU sees it.
struct HardwareCache {
  int level = 0;
  std::string type;  ///< "Data", "Instruction", "Unified"
  std::uint64_t sizeBytes = 0;
  int id = -1;
  CpuMask shared;  ///< CPUs that share it
};

/// One logical CPU of the machine, online or not. Masks are those sysfs shows: online CPUs only.
struct HardwareCpu {
  CpuId id;
  bool online = true;
  int package = 0;
  int die = 0;
  int cluster = -1;  ///< -1: the kernel says none (65535)
  int core = 0;      ///< core number inside the package, as sysfs core_id
  CpuMask threadSiblings;
  CpuMask clusterCpus;  ///< empty: no cluster known
  CpuMask dieCpus;
  CpuMask packageCpus;
  std::vector<HardwareCache> caches;
  NodeId node{0};
  /// What the scheduler is told (arch_scale_cpu_capacity): 1024 = the biggest CPU.
  std::uint32_t capacity = 1024;
  /// What the CPU really does on the workload, 1024 = the reference; differs from capacity in Juno's case.
  std::uint32_t throughput = 1024;
  std::uint64_t maxFrequencyKhz = 0;  ///< 0: not known
  std::string kind;                   ///< "P", "E", "little", ...; free text for people
};

struct HardwareNode {
  NodeId id;
  CpuMask cpus;               ///< empty: memory only
  std::vector<int> distance;  ///< to each node, in the order of Hardware::nodes; empty: not known
  bool hasMemory = true;
};

/// A cpuset partition: its CPUs and whether they are isolated (no load balancing at all).
struct CpusetPartition {
  CpuMask cpus;
  bool isolated = false;
};

/// The machine as firmware and boot parameters describe it: the input of the domain builder. A value.
/// Invariant: cpus ascend by id; ids may have gaps.
struct Hardware {
  std::string name;
  std::string description;
  std::string source;  ///< where the numbers come from
  std::vector<HardwareCpu> cpus;
  std::vector<HardwareNode> nodes;
  CpuMask isolated;                         ///< isolcpus= (domain)
  std::vector<CpusetPartition> partitions;  ///< none: one partition of all others
  int reclaimDistance = 30;                 ///< node_reclaim_distance; AMD family 17h sets 32
  int relaxDomainLevel = -1;
  bool dropPackageLevel = false;  ///< x86: a NUMA boundary runs inside a package
  bool asymPackingMc = false;     ///< x86 ITMT: SD_ASYM_PACKING on the levels that x86 gives it
  std::vector<int> asymPriority;  ///< per CPU position; empty: -cpu
  /// CPUs that were hot-unplugged after boot, in that order (6.12 counts the last one in W).
  std::vector<CpuId> unpluggedAfterBoot;
  std::vector<std::string> notes;  ///< what was missing and how it was filled in

  const HardwareCpu* find(CpuId id) const;  ///< nullptr when there is no such CPU
  CpuMask onlineCpus() const;
};

}  // namespace rqscope
