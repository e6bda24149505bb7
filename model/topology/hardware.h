// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/cpumask.h"
#include "base/ids.h"
#include "base/result.h"

namespace rqscope {

/// One cache as a CPU sees it.
struct HardwareCache {
  int level = 0;
  std::string type;  ///< "Data", "Instruction", "Unified"
  std::uint64_t sizeBytes = 0;
  int id = -1;
  CpuMask shared;  ///< CPUs that share it
};

/// One logical CPU of the machine, online or not. Masks may name offline CPUs: the domain builder takes the
/// online ones, as the kernel's masks do.
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

/// One operating point of an energy model.
struct EnergyState {
  std::uint32_t performance = 0;   ///< capacity at this point, 1024 = the biggest CPU at its highest
  std::uint64_t power = 0;         ///< while busy, in one unit for the whole machine (kernel: microwatts)
  std::uint64_t frequencyKhz = 0;  ///< 0: not given
};

/// CPUs that change frequency together, with their operating points, ascending. Kernel: em_perf_domain.
struct EnergyDomain {
  CpuMask cpus;
  std::vector<EnergyState> states;
};

/// Who computes the masks of the levels: arch/x86/kernel/smpboot.c or drivers/base/arch_topology.c (Arm,
/// RISC-V).
enum class MaskRules { X86, ArchTopology };

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
  MaskRules rules = MaskRules::X86;
  bool clusterLevel = true;       ///< CONFIG_SCHED_CLUSTER: there is a CLS level
  bool hybrid = false;            ///< x86: P and E cores (X86_FEATURE_HYBRID_CPU); v6.1 has no CLS level then
  bool dropPackageLevel = false;  ///< x86: no PKG level; also dropped when a node boundary runs in a package
  bool asymPackingMc = false;     ///< x86 ITMT: SD_ASYM_PACKING on the levels that x86 gives it
  std::vector<int> asymPriority;  ///< per CPU position; empty: -cpu
  /// CPUs that were hot-unplugged after boot, in that order (6.12 counts the last one in W).
  std::vector<CpuId> unpluggedAfterBoot;
  std::vector<EnergyDomain> energy;  ///< the energy model; empty: none is known
  std::vector<std::string> notes;    ///< what was missing and how it was filled in

  const HardwareCpu* find(CpuId id) const;  ///< nullptr when there is no such CPU
  HardwareCpu* find(CpuId id);
  CpuMask onlineCpus() const;
  /// Distance between two nodes by position; 10 and 20 where none is known, as the kernel's default.
  int distance(std::size_t from, std::size_t to) const;
};

/// Checks what every machine must satisfy: ids not negative, ascending, no CPU twice or in two nodes,
/// distance rows complete and between 10 and 255, CPUs of nodes and partitions that exist. One diagnostic per
/// fault.
std::vector<Diagnostic> checkHardware(const Hardware& hardware);

/// The last-level cache's CPUs as `cpu` sees it: highest cache of level 2 or 3; nullptr when none is known.
const HardwareCache* lastLevelCache(const HardwareCpu& cpu);

}  // namespace rqscope
