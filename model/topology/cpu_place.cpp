// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "topology/cpu_place.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace rqscope {
namespace {

using CacheKey = std::tuple<int, std::string, int>;

void fillNodes(Hardware& hw) {
  std::map<int, CpuMask> cpusOf;
  for (const HardwareCpu& cpu : hw.cpus)
    if (cpu.id.isValid()) cpusOf[cpu.node.value].set(cpu.id);
  for (HardwareNode& node : hw.nodes) {
    const auto it = cpusOf.find(node.id.value);
    if (it == cpusOf.end()) continue;
    node.cpus = it->second;
    cpusOf.erase(it);
  }
  for (auto& [id, cpus] : cpusOf) {
    HardwareNode node;
    node.id = NodeId{id};
    node.cpus = cpus;
    hw.nodes.push_back(std::move(node));
  }
  if (std::all_of(hw.nodes.begin(), hw.nodes.end(), [](const auto& n) { return n.distance.empty(); }))
    std::sort(hw.nodes.begin(), hw.nodes.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
}

}  // namespace

void fillClusterMasks(Hardware& hardware) {
  std::map<std::pair<int, int>, CpuMask> clusters;
  for (const HardwareCpu& cpu : hardware.cpus)
    if (cpu.cluster >= 0) clusters[{cpu.package, cpu.cluster}].set(cpu.id);
  for (HardwareCpu& cpu : hardware.cpus) {
    cpu.clusterCpus = {};
    if (hardware.rules == MaskRules::ArchTopology) {
      if (cpu.cluster >= 0) cpu.clusterCpus = clusters[{cpu.package, cpu.cluster}];
      continue;
    }
    for (const HardwareCache& cache : cpu.caches)
      if (cache.level == 2 && cache.type != "Instruction") cpu.clusterCpus = cache.shared;
  }
}

void placeCpus(Hardware& hardware, std::vector<CpuPlace> places) {
  std::stable_sort(places.begin(), places.end(),
                   [](const auto& a, const auto& b) { return a.cpu.id < b.cpu.id; });
  std::map<int, CpuMask> packages;
  std::map<std::pair<int, int>, CpuMask> dies;
  std::map<std::pair<int, int>, CpuMask> cores;
  std::map<CacheKey, CpuMask> caches;
  for (const CpuPlace& place : places) {
    const HardwareCpu& cpu = place.cpu;
    if (!cpu.id.isValid()) continue;  // refused by checkHardware()
    packages[cpu.package].set(cpu.id);
    dies[{cpu.package, cpu.die}].set(cpu.id);
    cores[{cpu.package, cpu.core}].set(cpu.id);
    for (const PlaceCache& c : place.caches) caches[{c.level, c.type, c.key}].set(cpu.id);
  }
  hardware.cpus.clear();
  for (CpuPlace& place : places) {
    HardwareCpu cpu = std::move(place.cpu);
    cpu.packageCpus = packages[cpu.package];
    cpu.dieCpus = dies[{cpu.package, cpu.die}];
    cpu.threadSiblings = cores[{cpu.package, cpu.core}];
    for (const PlaceCache& c : place.caches)
      cpu.caches.push_back({c.level, c.type, c.sizeBytes, c.key, caches[{c.level, c.type, c.key}]});
    hardware.cpus.push_back(std::move(cpu));
  }
  fillClusterMasks(hardware);
  fillNodes(hardware);
}

}  // namespace rqscope
