// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "topology/offline_cpus.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

namespace rqscope {
namespace {

class OfflinePlacer {
 public:
  explicit OfflinePlacer(Hardware& hw) : m_hw(hw) {
    for (const HardwareCpu& cpu : hw.cpus) {
      if (cpu.packageCpus.isEmpty()) continue;
      m_packageSize = std::max(m_packageSize, cpu.packageCpus.weight());
      m_threads = std::max(m_threads, cpu.threadSiblings.weight());
      cpu.threadSiblings.forEach([&](CpuId c) {
        if (c > cpu.id) m_siblingSteps.insert(c.value - cpu.id.value);
      });
      if (const HardwareCache* llc = lastLevelCache(cpu))
        m_llcSize = std::max(m_llcSize, llc->shared.weight());
    }
  }

  void place(std::size_t position) {
    const HardwareCpu* below = neighbour(position, -1);
    const HardwareCpu* above = neighbour(position, 1);
    const HardwareCpu* like = pick(below, above);
    if (like == nullptr) {
      alone(position, below, above);
      return;
    }
    join(m_hw.cpus[position], *like);
  }

 private:
  /// Nearest CPU in that direction whose place is known.
  const HardwareCpu* neighbour(std::size_t position, int step) const {
    for (auto i = static_cast<std::ptrdiff_t>(position) + step;
         i >= 0 && i < static_cast<std::ptrdiff_t>(m_hw.cpus.size()); i += step)
      if (!m_hw.cpus[static_cast<std::size_t>(i)].packageCpus.isEmpty())
        return &m_hw.cpus[static_cast<std::size_t>(i)];
    return nullptr;
  }

  /// The neighbour beside which the CPU fits: in the same package and cache on both sides, or where one
  /// lacks.
  const HardwareCpu* pick(const HardwareCpu* below, const HardwareCpu* above) const {
    if (below != nullptr && above != nullptr && below->package == above->package)
      return lacksLlc(*below) || !lacksLlc(*above) ? below : above;
    if (below != nullptr && below->packageCpus.weight() < m_packageSize) return below;
    if (above != nullptr && above->packageCpus.weight() < m_packageSize) return above;
    return nullptr;
  }

  bool lacksLlc(const HardwareCpu& cpu) const {
    const HardwareCache* llc = lastLevelCache(cpu);
    return llc != nullptr && llc->shared.weight() < m_llcSize;
  }

  /// A package of its own, in the node between the neighbours' that has no CPU.
  void alone(std::size_t position, const HardwareCpu* below, const HardwareCpu* above) {
    HardwareCpu& cpu = m_hw.cpus[position];
    cpu.package = below != nullptr ? below->package + 1 : 0;
    cpu.node = below != nullptr ? below->node : above != nullptr ? above->node : NodeId{0};
    for (const HardwareNode& node : m_hw.nodes)
      if (node.cpus.isEmpty() && (below == nullptr || node.id > below->node) &&
          (above == nullptr || node.id < above->node)) {
        cpu.node = node.id;
        break;
      }
    cpu.threadSiblings = cpu.dieCpus = cpu.packageCpus = CpuMask::of(cpu.id);
    addToNode(cpu);
  }

  void join(HardwareCpu& cpu, const HardwareCpu& like) {
    cpu.package = like.package;
    cpu.die = like.die;
    cpu.node = like.node;
    cpu.threadSiblings = cpu.clusterCpus = CpuMask::of(cpu.id);
    const CpuMask package = like.packageCpus;
    const CpuMask die = like.dieCpus;
    const CpuId mate = coreMate(cpu.id, package);
    const HardwareCpu& model = mate.isValid() ? *m_hw.find(mate) : like;
    const HardwareCache* llc = lastLevelCache(model);
    const int llcLevel = llc != nullptr ? llc->level : 0;
    const CpuMask cluster = model.clusterCpus;
    std::vector<HardwareCache> caches = model.caches;
    for (HardwareCache& cache : caches) {
      // Without a core to join only the last level is shared with the neighbour.
      if (mate.isValid() || cache.level == llcLevel)
        addToCache(cpu.id, cache);
      else
        cache.shared = CpuMask::of(cpu.id);
    }
    cpu.caches = std::move(caches);
    for (HardwareCpu& other : m_hw.cpus) {
      if (package.test(other.id)) other.packageCpus.set(cpu.id);
      if (die.test(other.id)) other.dieCpus.set(cpu.id);
      if (mate.isValid() && cluster.test(other.id)) other.clusterCpus.set(cpu.id);
    }
    cpu.packageCpus = package | CpuMask::of(cpu.id);
    cpu.dieCpus = die | CpuMask::of(cpu.id);
    if (mate.isValid()) {
      cpu.clusterCpus |= cluster;
      joinCore(cpu, mate);
    }
    addToNode(cpu);
  }

  /// Adds the CPU to this cache, also where the CPUs that share it describe it.
  void addToCache(CpuId cpu, HardwareCache& cache) {
    cache.shared.forEach([&](CpuId c) {
      HardwareCpu* other = m_hw.find(c);
      for (HardwareCache& theirs : other == nullptr ? m_none : other->caches)
        if (theirs.level == cache.level && theirs.type == cache.type) theirs.shared.set(cpu);
    });
    cache.shared.set(cpu);
  }

  /// A CPU of the package in a core that lacks a thread, at a distance at which siblings are seen elsewhere.
  CpuId coreMate(CpuId cpu, const CpuMask& package) const {
    for (const int step : m_siblingSteps)
      for (const int sign : {-1, 1}) {
        const CpuId mate{cpu.value + sign * step};
        const HardwareCpu* found = mate.isValid() && package.test(mate) ? m_hw.find(mate) : nullptr;
        if (found != nullptr && found->threadSiblings.weight() < m_threads) return mate;
      }
    return {};
  }

  void joinCore(HardwareCpu& cpu, CpuId mate) {
    const CpuMask core = m_hw.find(mate)->threadSiblings | CpuMask::of(cpu.id);
    cpu.core = m_hw.find(mate)->core;
    core.forEach([&](CpuId c) { m_hw.find(c)->threadSiblings = core; });
  }

  /// A node that names the CPU keeps it.
  void addToNode(HardwareCpu& cpu) {
    for (const HardwareNode& node : m_hw.nodes)
      if (node.cpus.test(cpu.id)) cpu.node = node.id;
    for (HardwareNode& node : m_hw.nodes)
      if (node.id == cpu.node) node.cpus.set(cpu.id);
  }

  Hardware& m_hw;
  int m_packageSize = 0, m_llcSize = 0, m_threads = 1;
  std::set<int> m_siblingSteps;
  std::vector<HardwareCache> m_none;
};

}  // namespace

void placeOfflineCpus(Hardware& hardware) {
  OfflinePlacer placer(hardware);
  CpuMask guessed;
  for (std::size_t i = 0; i < hardware.cpus.size(); ++i)
    if (!hardware.cpus[i].online && hardware.cpus[i].packageCpus.isEmpty()) {
      guessed.set(hardware.cpus[i].id);
      placer.place(i);
    }
  if (!guessed.isEmpty())
    hardware.notes.push_back(fmt::format(
        "CPUs {} are offline: Linux does not say where they sit, their package, node and cache are "
        "guessed from the other CPUs",
        guessed.list()));
}

}  // namespace rqscope
