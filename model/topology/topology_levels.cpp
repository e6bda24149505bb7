// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "topology/topology_levels.h"

#include <functional>
#include <map>

namespace rqscope {
namespace {

/// Fills in masks, each distinct one once.
class LevelFiller {
 public:
  LevelFiller(TopologyLevel& level, std::size_t cpuLimit) : m_level(level) {
    m_level.maskOf.assign(cpuLimit, -1);
  }
  void add(CpuId cpu, const CpuMask& mask) {
    std::vector<int>& sameFirst = m_byFirst[mask.first().value];
    for (const int i : sameFirst)
      if (m_level.masks[static_cast<std::size_t>(i)] == mask) {
        m_level.maskOf[cpu.index()] = i;
        return;
      }
    const int i = static_cast<int>(m_level.masks.size());
    m_level.masks.push_back(mask);
    sameFirst.push_back(i);
    m_level.maskOf[cpu.index()] = i;
  }

 private:
  TopologyLevel& m_level;
  std::map<int, std::vector<int>> m_byFirst;
};

/// The masks of one CPU below the NUMA levels.
class CpuMasks {
 public:
  CpuMasks(const Hardware& hw, const CpuMask& present) : m_hw(hw), m_present(present) {}

  CpuMask smt(const HardwareCpu& cpu) const { return withSelf(cpu.threadSiblings, cpu); }
  CpuMask node(const HardwareCpu& cpu) const {
    for (const HardwareNode& n : m_hw.nodes)
      if (n.cpus.test(cpu.id)) return withSelf(n.cpus, cpu);
    return m_hw.nodes.empty() ? m_present : withSelf({}, cpu);
  }
  CpuMask cluster(const HardwareCpu& cpu) const {
    return m_hw.rules == MaskRules::X86 ? clusterX86(cpu) : clusterArch(cpu);
  }
  CpuMask core(const HardwareCpu& cpu) const {
    return m_hw.rules == MaskRules::X86 ? coreX86(cpu) : coreArch(cpu);
  }

 private:
  CpuMask withSelf(CpuMask mask, const HardwareCpu& cpu) const {
    mask.set(cpu.id);
    return mask & m_present;
  }
  // x86: cpu_l2c_shared_mask, which falls back to the SMT siblings.
  CpuMask clusterX86(const HardwareCpu& cpu) const {
    return cpu.clusterCpus.isEmpty() ? smt(cpu) : withSelf(cpu.clusterCpus & node(cpu), cpu);
  }
  // x86: cpu_llc_shared_mask. Without any cache information all CPUs of the package share (cpuid level < 4);
  // a node boundary cuts the cache (match_llc()).
  CpuMask coreX86(const HardwareCpu& cpu) const {
    const HardwareCache* llc = lastLevelCache(cpu);
    if (llc == nullptr && !cpu.caches.empty()) return withSelf({}, cpu);
    return withSelf((llc == nullptr ? cpu.packageCpus : llc->shared) & node(cpu), cpu);
  }
  // Kernel: cpu_coregroup_mask() of drivers/base/arch_topology.c.
  CpuMask coreArch(const HardwareCpu& cpu) const {
    CpuMask mask = node(cpu);
    const CpuMask package = withSelf(cpu.packageCpus, cpu);
    if (package.isSubsetOf(mask)) mask = package;
    if (const HardwareCache* llc = lastLevelCache(cpu)) {
      const CpuMask shared = withSelf(llc->shared, cpu);
      if (shared.isSubsetOf(mask)) mask = shared;
    }
    const CpuMask siblings = clusterSiblings(cpu);
    if (m_hw.clusterLevel && mask.isSubsetOf(siblings)) mask = siblings;
    return mask;
  }
  // Kernel: cpu_clustergroup_mask() of drivers/base/arch_topology.c.
  CpuMask clusterArch(const HardwareCpu& cpu) const {
    const CpuMask siblings = clusterSiblings(cpu);
    return coreArch(cpu).isSubsetOf(siblings) ? smt(cpu) : siblings;
  }
  CpuMask clusterSiblings(const HardwareCpu& cpu) const { return withSelf(cpu.clusterCpus, cpu); }

  const Hardware& m_hw;
  const CpuMask& m_present;
};

using MaskOfCpu = std::function<CpuMask(const HardwareCpu&)>;

TopologyLevel makeLevel(std::string name, std::uint32_t flags, const Hardware& hw, const CpuMask& present,
                        const MaskOfCpu& maskOf) {
  TopologyLevel level;
  level.name = std::move(name);
  level.flags = flags;
  LevelFiller filler(level, hw.cpus.empty() ? 0 : hw.cpus.back().id.index() + 1);
  for (const HardwareCpu& cpu : hw.cpus)
    if (present.test(cpu.id)) filler.add(cpu.id, maskOf(cpu));
  return level;
}

void addNumaLevels(std::vector<TopologyLevel>& levels, const Hardware& hw, const CpuMask& present,
                   const CpuMask& counted, bool cpuNodesOnly) {
  const NumaLevels numa = numaLevels(hw, present, counted, cpuNodesOnly);
  for (std::size_t d = 0; d < numa.distances.size(); ++d) {
    const auto maskOf = [&](const HardwareCpu& cpu) {
      for (std::size_t n = 0; n < hw.nodes.size(); ++n)
        if (hw.nodes[n].cpus.test(cpu.id)) return numa.masks[d][n];
      return CpuMask::of(cpu.id);
    };
    TopologyLevel level =
        makeLevel(d == 0 ? "NODE" : "NUMA", d == 0 ? 0U : unsigned{kSdNuma}, hw, present, maskOf);
    level.overlaps = d != 0;
    level.distance = numa.distances[d];
    levels.push_back(std::move(level));
  }
}

}  // namespace

bool dropsPackageLevel(const Hardware& hardware) {
  if (hardware.rules != MaskRules::X86) return false;
  if (hardware.dropPackageLevel) return true;
  std::map<int, int> nodeOfPackage;
  for (const HardwareCpu& cpu : hardware.cpus) {
    if (!cpu.online) continue;
    const auto [it, isNew] = nodeOfPackage.emplace(cpu.package, cpu.node.value);
    if (!isNew && it->second != cpu.node.value) return true;
  }
  return false;
}

std::vector<TopologyLevel> topologyLevels(const Hardware& hardware, const KernelProfile& profile,
                                          const CpuMask& present, const CpuMask& counted) {
  const Behaviours& b = profile.behaviours;
  const CpuMasks masks(hardware, present);
  const std::uint32_t itmt = hardware.asymPackingMc ? kSdAsymPacking : 0U;
  std::vector<TopologyLevel> levels;
  levels.push_back(makeLevel("SMT", kSdShareCpucapacity | kSdShareLlc | (b.itmtOnPackage ? 0U : itmt),
                             hardware, present, [&](const HardwareCpu& cpu) { return masks.smt(cpu); }));
  if (hardware.clusterLevel && !(hardware.hybrid && b.hybridLacksCluster))
    levels.push_back(makeLevel("CLS", kSdShareLlc | (b.hasCluster ? kSdCluster : 0U) | itmt, hardware,
                               present, [&](const HardwareCpu& cpu) { return masks.cluster(cpu); }));
  levels.push_back(makeLevel("MC", kSdShareLlc | itmt, hardware, present,
                             [&](const HardwareCpu& cpu) { return masks.core(cpu); }));
  if (!dropsPackageLevel(hardware))
    levels.push_back(makeLevel(b.pkgNamedDie ? "DIE" : "PKG", b.itmtOnPackage ? itmt : 0U, hardware, present,
                               [&](const HardwareCpu& cpu) { return masks.node(cpu); }));
  addNumaLevels(levels, hardware, present, counted, profile.behaviours.numaCpuNodesOnly);
  return levels;
}

}  // namespace rqscope
