// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "topology/hardware.h"

#include <algorithm>

#include <fmt/format.h>

namespace rqscope {
namespace {

constexpr int kLocalDistance = 10;   // LOCAL_DISTANCE
constexpr int kRemoteDistance = 20;  // REMOTE_DISTANCE
constexpr int kDistanceValues = 256;

Diagnostic fault(std::string message, std::string hint = {}) {
  return {Severity::Error, {}, std::move(message), std::move(hint)};
}

void checkCpus(const Hardware& hw, std::vector<Diagnostic>& out) {
  if (hw.cpus.empty()) out.push_back(fault("the machine has no CPU"));
  for (std::size_t i = 0; i < hw.cpus.size(); ++i) {
    const HardwareCpu& cpu = hw.cpus[i];
    if (!cpu.id.isValid()) {
      out.push_back(fault(fmt::format("CPU number {} is negative", cpu.id.value)));
    } else if (i > 0 && cpu.id == hw.cpus[i - 1].id) {
      out.push_back(fault(fmt::format("CPU {} appears twice", cpu.id.value)));
    } else if (i > 0 && cpu.id < hw.cpus[i - 1].id) {
      out.push_back(fault(fmt::format("CPU {} stands after CPU {}", cpu.id.value, hw.cpus[i - 1].id.value),
                          "CPUs ascend"));
    }
    if (cpu.capacity == 0) out.push_back(fault(fmt::format("CPU {} has capacity 0", cpu.id.value)));
  }
  if (!hw.cpus.empty() && hw.onlineCpus().isEmpty()) out.push_back(fault("no CPU is online"));
}

void checkNodeCpus(const Hardware& hw, std::vector<Diagnostic>& out) {
  CpuMask seen;
  for (std::size_t i = 0; i < hw.nodes.size(); ++i) {
    const HardwareNode& node = hw.nodes[i];
    if (!node.id.isValid())
      out.push_back(fault(fmt::format("NUMA node number {} is negative", node.id.value)));
    for (std::size_t j = 0; j < i; ++j)
      if (hw.nodes[j].id == node.id)
        out.push_back(fault(fmt::format("NUMA node {} appears twice", node.id.value)));
    const CpuMask twice = seen & node.cpus;
    if (!twice.isEmpty())
      out.push_back(
          fault(fmt::format("NUMA node {} overlaps another node in CPUs {}", node.id.value, twice.list()),
                "every CPU belongs to one node"));
    seen |= node.cpus;
    CpuMask unknown;
    node.cpus.forEach([&](CpuId c) {
      if (hw.find(c) == nullptr) unknown.set(c);
    });
    if (!unknown.isEmpty())
      out.push_back(fault(fmt::format("NUMA node {} names CPUs {} that the machine does not have",
                                      node.id.value, unknown.list())));
  }
  for (const HardwareCpu& cpu : hw.cpus)
    if (cpu.online && cpu.id.isValid() && !hw.nodes.empty() && !seen.test(cpu.id))
      out.push_back(fault(fmt::format("CPU {} belongs to no NUMA node", cpu.id.value)));
}

void checkDistances(const Hardware& hw, std::vector<Diagnostic>& out) {
  for (const HardwareNode& node : hw.nodes) {
    if (!node.distance.empty() && node.distance.size() != hw.nodes.size())
      out.push_back(fault(fmt::format("NUMA node {} has {} distances for {} nodes", node.id.value,
                                      node.distance.size(), hw.nodes.size())));
    for (const int d : node.distance)
      if (d < kLocalDistance || d >= kDistanceValues) {
        out.push_back(fault(fmt::format("NUMA node {} has distance {}", node.id.value, d),
                            "distances run from 10 (local) to 255"));
        break;
      }
  }
}

void checkPartitions(const Hardware& hw, std::vector<Diagnostic>& out) {
  CpuMask seen;
  for (const CpusetPartition& part : hw.partitions) {
    const CpuMask twice = seen & part.cpus;
    if (!twice.isEmpty()) out.push_back(fault(fmt::format("cpuset partitions share CPUs {}", twice.list())));
    seen |= part.cpus;
  }
}

void checkEnergy(const Hardware& hw, std::vector<Diagnostic>& out) {
  CpuMask seen;
  for (const EnergyDomain& domain : hw.energy) {
    if (const CpuMask twice = seen & domain.cpus; !twice.isEmpty())
      out.push_back(fault(fmt::format("energy domains share CPUs {}", twice.list())));
    seen |= domain.cpus;
    domain.cpus.forEach([&](CpuId cpu) {
      if (hw.find(cpu) == nullptr)
        out.push_back(
            fault(fmt::format("the energy model names CPU {}, which the machine has not", cpu.value)));
    });
    const auto isAscending = [](const EnergyState& a, const EnergyState& b) {
      return a.performance >= b.performance;
    };
    if (std::adjacent_find(domain.states.begin(), domain.states.end(), isAscending) != domain.states.end())
      out.push_back(fault(fmt::format("the operating points of CPUs {} do not ascend", domain.cpus.list()),
                          "the slowest comes first"));
  }
}

}  // namespace

const HardwareCpu* Hardware::find(CpuId id) const {
  const auto it = std::lower_bound(cpus.begin(), cpus.end(), id,
                                   [](const HardwareCpu& cpu, CpuId wanted) { return cpu.id < wanted; });
  return it != cpus.end() && it->id == id ? &*it : nullptr;
}

HardwareCpu* Hardware::find(CpuId id) {
  return const_cast<HardwareCpu*>(static_cast<const Hardware*>(this)->find(id));
}

CpuMask Hardware::onlineCpus() const {
  CpuMask mask;
  for (const HardwareCpu& cpu : cpus)
    if (cpu.online && cpu.id.isValid()) mask.set(cpu.id);
  return mask;
}

int Hardware::distance(std::size_t from, std::size_t to) const {
  const HardwareNode& node = nodes[from];
  if (to < node.distance.size()) return node.distance[to];
  return from == to ? kLocalDistance : kRemoteDistance;
}

std::vector<Diagnostic> checkHardware(const Hardware& hardware) {
  std::vector<Diagnostic> out;
  checkCpus(hardware, out);
  checkNodeCpus(hardware, out);
  checkDistances(hardware, out);
  checkPartitions(hardware, out);
  checkEnergy(hardware, out);
  return out;
}

const HardwareCache* lastLevelCache(const HardwareCpu& cpu) {
  const HardwareCache* best = nullptr;
  for (const HardwareCache& cache : cpu.caches)
    if (cache.level >= 2 && cache.level <= 3 && cache.type != "Instruction" &&
        (best == nullptr || cache.level > best->level))
      best = &cache;
  return best;
}

}  // namespace rqscope
