// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "topology/node_cpus.h"

#include <algorithm>

#include <fmt/format.h>

namespace rqscope {
namespace {

HardwareNode* findNode(Hardware& hw, NodeId id) {
  const auto it = std::find_if(hw.nodes.begin(), hw.nodes.end(), [&](const auto& n) { return n.id == id; });
  return it == hw.nodes.end() ? nullptr : &*it;
}

/// A node that only a CPU's folder names: an offline one has no folder of its own.
void addNode(Hardware& hw, NodeId id) {
  const auto at = std::find_if(hw.nodes.begin(), hw.nodes.end(), [&](const auto& n) { return n.id > id; });
  const auto position = static_cast<std::size_t>(at - hw.nodes.begin());
  HardwareNode node;
  node.id = id;
  node.hasMemory = false;
  hw.nodes.insert(at, std::move(node));
  const std::size_t count = hw.nodes.size();
  std::vector<int> row;
  for (const HardwareNode& other : hw.nodes) {
    if (&other == &hw.nodes[position])
      row.push_back(10);
    else if (other.distance.size() == count)
      row.push_back(other.distance[position]);
  }
  if (row.size() == count) hw.nodes[position].distance = std::move(row);
  hw.notes.push_back(fmt::format("node {} is named by CPUs only: it was offline", id.value));
}

void leaveOutUnknown(Hardware& hw) {
  for (HardwareNode& node : hw.nodes) {
    CpuMask unknown;
    node.cpus.forEach([&](CpuId c) {
      if (hw.find(c) == nullptr) unknown.set(c);
    });
    if (unknown.isEmpty()) continue;
    node.cpus = node.cpus - unknown;
    hw.notes.push_back(fmt::format("node {} names CPUs {}, which nothing describes: left out", node.id.value,
                                   unknown.list()));
  }
}

/// Puts a CPU that no node names into one; whether nothing named a node for it either.
bool placeHomeless(Hardware& hw, CpuId cpu, NodeId named) {
  if (named.isValid() && findNode(hw, named) == nullptr) addNode(hw, named);
  HardwareNode* node = named.isValid() ? findNode(hw, named) : &hw.nodes.front();
  node->cpus.set(cpu);
  return !named.isValid();
}

}  // namespace

void settleNodeCpus(Hardware& hw, const std::map<int, int>& nodeOfCpu) {
  if (hw.nodes.empty()) return;
  leaveOutUnknown(hw);
  CpuMask several, none;
  for (const HardwareCpu& cpu : hw.cpus) {
    const auto it = nodeOfCpu.find(cpu.id.value);
    const NodeId named = it == nodeOfCpu.end() ? NodeId{} : NodeId{it->second};
    const auto around = std::count_if(hw.nodes.begin(), hw.nodes.end(),
                                      [&](const HardwareNode& node) { return node.cpus.test(cpu.id); });
    if (around == 0 && cpu.online && placeHomeless(hw, cpu.id, named)) none.set(cpu.id);
    const HardwareNode* home = findNode(hw, named);
    if (around < 2 || home == nullptr || !home->cpus.test(cpu.id)) continue;
    several.set(cpu.id);
    for (HardwareNode& node : hw.nodes)
      if (node.id != named) node.cpus.clear(cpu.id);
  }
  if (!several.isEmpty())
    hw.notes.push_back(
        fmt::format("CPUs {} are named by several NUMA nodes: each is in the one that its own "
                    "folder names",
                    several.list()));
  if (!none.isEmpty())
    hw.notes.push_back(
        fmt::format("CPUs {} are in no NUMA node: node {} is taken", none.list(), hw.nodes.front().id.value));
  for (const HardwareNode& node : hw.nodes) node.cpus.forEach([&](CpuId c) { hw.find(c)->node = node.id; });
}

}  // namespace rqscope
