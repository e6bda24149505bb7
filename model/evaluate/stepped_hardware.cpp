// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "evaluate/stepped_scenario.h"

namespace rqscope {
namespace {

constexpr int kRemoteDistance = 20, kDriverDistance = 40;

/// The groups of the first of `names` that the scenario gives, searched downwards; single CPUs when none.
std::vector<CpuMask> groupsOf(const SteppedScenario& s, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    const auto at = s.levels.find(name);
    if (at != s.levels.end()) return at->second;
  }
  std::vector<CpuMask> singles;
  for (int cpu = 1; cpu <= s.cpus; ++cpu) singles.push_back(CpuMask::of(CpuId{cpu}));
  return singles;
}

/// Index of the group with the CPU, and the group; a CPU in none stands alone.
struct Place {
  int index = 0;
  CpuMask cpus;
};
Place placeOf(const std::vector<CpuMask>& groups, CpuId cpu) {
  for (std::size_t i = 0; i < groups.size(); ++i)
    if (groups[i].test(cpu)) return {static_cast<int>(i) + 1, groups[i]};
  return {static_cast<int>(groups.size()) + 1 + cpu.value, CpuMask::of(cpu)};
}

/// CPU 0 runs the driver: alone in every respect, its node too, so that no level's mask has it.
HardwareCpu driverCpu(NodeId node) {
  HardwareCpu cpu;
  cpu.node = node;
  cpu.id = CpuId{0};
  cpu.threadSiblings = cpu.dieCpus = cpu.packageCpus = CpuMask::of(cpu.id);
  cpu.caches.push_back({3, "Unified", 0, 0, CpuMask::of(cpu.id)});
  return cpu;
}

/// The driver's node is farther than any other, so that no level below the last has its CPU.
int distanceOf(std::size_t a, std::size_t b, std::size_t driverNode) {
  if (a == b) return 10;
  return a == driverNode || b == driverNode ? kDriverDistance : kRemoteDistance;
}

}  // namespace

Hardware hardwareOf(const SteppedScenario& s) {
  const auto smt = groupsOf(s, {"SMT"});
  const auto clusters = groupsOf(s, {"CLS", "SMT"});
  const auto caches = groupsOf(s, {"MC", "CLS", "SMT"});
  const auto packages = groupsOf(s, {"PKG", "MC", "CLS", "SMT"});
  const auto nodes = s.levels.contains("NUMA") ? groupsOf(s, {"NODE", "PKG", "MC"}) : std::vector<CpuMask>{};
  Hardware h;
  h.name = s.name;
  h.source = "stepped run of a real kernel";
  h.isolated = CpuMask::of(CpuId{0});
  const std::size_t nodeCount = std::max<std::size_t>(nodes.size(), 1) + 1;
  h.cpus.push_back(driverCpu(NodeId{nodeCount - 1}));
  for (int number = 1; number <= s.cpus; ++number) {
    HardwareCpu& cpu = h.cpus.emplace_back();
    cpu.id = CpuId{number};
    const Place core = placeOf(smt, cpu.id), cluster = placeOf(clusters, cpu.id);
    const Place cache = placeOf(caches, cpu.id), package = placeOf(packages, cpu.id);
    cpu.core = core.index;
    cpu.threadSiblings = core.cpus;
    cpu.cluster = cluster.index;
    cpu.clusterCpus = cluster.cpus;
    cpu.caches.push_back({3, "Unified", 0, cache.index, cache.cpus});
    cpu.package = package.index;
    cpu.packageCpus = cpu.dieCpus = package.cpus;
    if (!nodes.empty()) cpu.node = NodeId{placeOf(nodes, cpu.id).index - 1};
    const auto capacity = s.capacities.find(number);
    if (capacity != s.capacities.end()) cpu.capacity = capacity->second;
  }
  for (std::size_t n = 0; n < nodeCount; ++n) {
    HardwareNode& node = h.nodes.emplace_back();
    node.id = NodeId{n};
    for (const HardwareCpu& cpu : h.cpus)
      if (cpu.node == node.id) node.cpus.set(cpu.id);
    for (std::size_t other = 0; other < nodeCount; ++other)
      node.distance.push_back(distanceOf(n, other, nodeCount - 1));
  }
  return h;
}

}  // namespace rqscope
