// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "topology/hwloc_facts.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

#include "topology/machine_notes.h"
#include "topology/offline_cpus.h"

namespace rqscope {
namespace {

using Node = HwlocFacts::Node;
using Distances = HwlocFacts::Distances;

void setRules(const HwlocFacts& facts, Hardware& hw) {
  const auto get = [&](const char* key) {
    const auto it = facts.infos.find(key);
    return it == facts.infos.end() ? std::string() : it->second;
  };
  const std::string vendor = get("CPUVendor");
  const std::string arch = get("Architecture");
  const bool isArm = !get("CPUImplementer").empty() || arch.starts_with("aarch64") ||
                     arch.starts_with("arm") || arch.starts_with("riscv");
  hw.rules = isArm ? MaskRules::ArchTopology : MaskRules::X86;
  if (!isArm && vendor.empty() && arch.empty())
    hw.notes.push_back("the file names no architecture: x86 is assumed");
  hw.description = get("CPUModel");
  while (!hw.description.empty() && hw.description.back() == ' ') hw.description.pop_back();
  const std::string family = get("CPUFamilyNumber");
  if (vendor == "AuthenticAMD" && std::atoi(family.c_str()) >= 23) {
    hw.reclaimDistance = 32;
    hw.notes.push_back("node_reclaim_distance is 32, as the kernel sets it on AMD Zen");
  }
}

/// Nodes may overlap in hwloc (several kinds of memory); Linux puts a CPU into one: the smallest around it.
/// Returns the CPUs of no node.
CpuMask assignNodes(HwlocFacts& facts) {
  CpuMask without;
  for (CpuPlace& place : facts.places) {
    const Node* best = nullptr;
    for (const Node& node : facts.nodes)
      if (node.cpus.test(place.cpu.id) && (best == nullptr || node.cpus.weight() < best->cpus.weight()))
        best = &node;
    if (best == nullptr) without.set(place.cpu.id);
    place.cpu.node = NodeId{best == nullptr ? 0 : best->id};
  }
  return without;
}

/// Row of a node in the matrix.
std::size_t rowOf(const Distances& m, int id, std::size_t ifUnknown) {
  const auto it = std::find(m.indexes.begin(), m.indexes.end(), id);
  return it == m.indexes.end() ? ifUnknown : static_cast<std::size_t>(it - m.indexes.begin());
}

void setDistances(const HwlocFacts& facts, Hardware& hw) {
  if (!facts.distances) {
    if (hw.nodes.size() > 1)
      hw.notes.push_back("no node distances: 10 to itself and 20 to others, the kernel's default");
    return;
  }
  const Distances& m = *facts.distances;
  const std::size_t n = hw.nodes.size();
  if (m.values.size() != n * n) {
    hw.notes.push_back(fmt::format("{} distances for {} nodes: left out, the kernel's default is taken",
                                   m.values.size(), n));
    return;
  }
  for (std::size_t a = 0; a < n; ++a) {
    const std::size_t row = rowOf(m, hw.nodes[a].id.value, a);
    for (std::size_t b = 0; b < n; ++b)
      hw.nodes[a].distance.push_back(
          static_cast<int>(std::lround(m.values[row * n + rowOf(m, hw.nodes[b].id.value, b)] * m.base)));
  }
}

void setKinds(const HwlocFacts& facts, Hardware& hw) {
  for (const auto& [cpus, type] : facts.kinds) {
    const std::string kind = type == "IntelCore"       ? "P"
                             : type == "IntelAtom"     ? "E"
                             : type == "IntelLowPower" ? "LP-E"
                                                       : type;
    cpus.forEach([&](CpuId c) {
      if (HardwareCpu* cpu = hw.find(c)) cpu->kind = kind;
    });
    if (type.starts_with("Intel") && facts.kinds.size() > 1) hw.hybrid = true;
  }
}

// CPUs of the machine that have no PU are offline.
void addOffline(const HwlocFacts& facts, Hardware& hw) {
  CpuMask known;
  for (const HardwareCpu& cpu : hw.cpus) known.set(cpu.id);
  const CpuMask missing = facts.complete - known;
  missing.forEach([&](CpuId c) {
    HardwareCpu cpu;
    cpu.id = c;
    cpu.online = false;
    hw.cpus.push_back(std::move(cpu));
  });
  std::stable_sort(hw.cpus.begin(), hw.cpus.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
  if (!facts.online) return;
  for (HardwareCpu& cpu : hw.cpus) cpu.online = facts.online->test(cpu.id);
}

void noteNodes(const HwlocFacts& facts, const CpuMask& withoutNode, Hardware& hw) {
  if (facts.nodes.empty())
    hw.notes.push_back("no NUMA node is described: all CPUs are in node 0");
  else if (!withoutNode.isEmpty())
    hw.notes.push_back(fmt::format("CPUs {} are in no NUMA node: node 0 is taken", withoutNode.list()));
  for (const HardwareNode& node : hw.nodes)
    if (node.cpus.isEmpty())
      hw.notes.push_back(
          fmt::format("node {} has memory only: its CPUs are nearer to another node", node.id.value));
}

}  // namespace

Result<Hardware> hardwareFromHwloc(HwlocFacts facts, const std::string& file) {
  Hardware hw;
  hw.name = "imported";
  hw.source = file;
  setRules(facts, hw);
  for (const Node& n : facts.nodes) {
    HardwareNode node;
    node.id = NodeId{n.id};
    hw.nodes.push_back(std::move(node));
  }
  std::stable_sort(hw.nodes.begin(), hw.nodes.end(),
                   [](const auto& a, const auto& b) { return a.id < b.id; });
  const CpuMask withoutNode = assignNodes(facts);
  placeCpus(hw, std::move(facts.places));
  setDistances(facts, hw);
  setKinds(facts, hw);
  addOffline(facts, hw);
  fillMachineGaps(hw, {});
  noteNodes(facts, withoutNode, hw);
  placeOfflineCpus(hw);
  auto faults = checkHardware(hw);
  for (Diagnostic& d : faults) d.where.file = file;
  if (!faults.empty()) return faults;
  return hw;
}

}  // namespace rqscope
