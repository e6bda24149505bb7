// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "topology/hardware.h"
#include "topology/numa_levels.h"

namespace rqscope {

/// One row of the scheduler's level table: a name, flags and a mask per CPU. Equal masks are stored once.
struct TopologyLevel {
  std::string name;
  std::uint32_t flags = 0;  ///< what the level adds: SdFlag bits
  bool overlaps = false;    ///< masks of two CPUs may overlap: NUMA levels
  int distance = 0;         ///< of a NUMA level
  std::vector<CpuMask> masks;
  std::vector<int> maskOf;  ///< by CPU number, index into masks; -1 = no such CPU

  const CpuMask& mask(CpuId cpu) const { return masks[static_cast<std::size_t>(maskOf[cpu.index()])]; }
};

/// The level table, bottom up, as it stands while `present` are the CPUs in the architecture's masks and
/// `counted` those that make a NUMA node count.
/// Kernel: default_topology, build_sched_topology() (x86), sched_init_numa() (v6.1, v6.12, v7.3).
std::vector<TopologyLevel> topologyLevels(const Hardware& hardware, const KernelProfile& profile,
                                          const CpuMask& present, const CpuMask& counted);

/// Whether x86 leaves out the PKG level: asked for, or two nodes inside one package.
bool dropsPackageLevel(const Hardware& hardware);

}  // namespace rqscope
