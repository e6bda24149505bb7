// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "api/layout_builder.h"

#include <algorithm>
#include <map>

#include "api/ladder_keys.h"

namespace rqscope::api {
namespace {

/// The levels of boxes, outermost first; each gives a CPU the number of its box on that level (-1: none).
struct BoxLevel {
  const char* kind;
  const char* label;
  int (*boxOf)(const HardwareCpu& cpu);
};

const HardwareCache* lastCache(const HardwareCpu& cpu) {
  const HardwareCache* last = nullptr;
  for (const HardwareCache& cache : cpu.caches)
    if (cache.type != "Instruction" && (last == nullptr || cache.level > last->level)) last = &cache;
  return last;
}

int firstOf(const CpuMask& mask) { return mask.isEmpty() ? -1 : mask.first().value; }

constexpr BoxLevel kLevels[] = {
    {"package", "Package", [](const HardwareCpu& c) { return c.package; }},
    {"node", "Node", [](const HardwareCpu& c) { return c.node.value; }},
    {"die", "Die", [](const HardwareCpu& c) { return c.die; }},
    {"llc", "L",
     [](const HardwareCpu& c) {
       const HardwareCache* cache = lastCache(c);
       return cache == nullptr ? -1 : firstOf(cache->shared);
     }},
    {"cluster", "Cluster", [](const HardwareCpu& c) { return firstOf(c.clusterCpus); }},
    {"core", "Core", [](const HardwareCpu& c) { return firstOf(c.threadSiblings); }},
};

using CpuList = std::vector<const HardwareCpu*>;

std::string boxLabel(const BoxLevel& level, const CpuList& cpus, int number, int ordinal) {
  if (std::string_view(level.kind) == "llc") {
    const HardwareCache* cache = lastCache(*cpus.front());
    return "L" + std::to_string(cache == nullptr ? 0 : cache->level) + " " + std::to_string(ordinal);
  }
  const bool isOwnNumber =
      std::string_view(level.kind) == "package" || std::string_view(level.kind) == "node";
  return std::string(level.label) + " " + std::to_string(isOwnNumber ? number : ordinal);
}

/// Counters for the labels of a kind, in order of appearance over the whole machine.
using Ordinals = std::map<std::string, int>;

void splitBox(LayoutBox& box, const CpuList& cpus, std::size_t levelIndex, Ordinals& ordinals) {
  if (levelIndex == std::size(kLevels)) return;
  const BoxLevel& level = kLevels[levelIndex];
  std::map<int, CpuList> parts;
  for (const HardwareCpu* cpu : cpus) parts[level.boxOf(*cpu)].push_back(cpu);
  const bool splits = parts.size() > 1 && parts.size() < cpus.size();
  if (!splits) {  // one box like its parent, or one box per CPU: says nothing
    splitBox(box, cpus, levelIndex + 1, ordinals);
    return;
  }
  for (auto& [number, members] : parts) {
    LayoutBox& child = box.children.emplace_back();
    child.kind = level.kind;
    child.label = boxLabel(level, members, number, ordinals[level.kind]++);
    for (const HardwareCpu* cpu : members) child.cpus.push_back(cpu->id.value);
    splitBox(child, members, levelIndex + 1, ordinals);
  }
}

LayoutBox buildBoxes(const Hardware& hardware) {
  LayoutBox root;
  root.kind = "machine";
  root.label = hardware.name;
  CpuList cpus;
  for (const HardwareCpu& cpu : hardware.cpus) {
    cpus.push_back(&cpu);
    root.cpus.push_back(cpu.id.value);
  }
  Ordinals ordinals;
  splitBox(root, cpus, 0, ordinals);
  return root;
}

LayoutCpu layoutCpu(const SchedTopology& topology, const HardwareCpu& cpu) {
  LayoutCpu out;
  out.id = cpu.id.value;
  out.online = topology.online.test(cpu.id);
  out.capacity = static_cast<std::int32_t>(cpu.capacity);
  out.throughput = static_cast<std::int32_t>(cpu.throughput);
  out.kind = cpu.kind;
  out.package = cpu.package;
  out.node = cpu.node.value;
  const HardwareCache* cache = lastCache(cpu);
  out.llc = cache == nullptr ? -1 : firstOf(cache->shared);
  out.core = cpu.core;
  if (!out.online) return out;
  for (DomainId d = topology.cpus[cpu.id.index()].lowest; d.isValid(); d = topology.domain(d).parent)
    out.domains.push_back(d.value);
  out.isolated = out.domains.empty();
  return out;
}

LayoutDomain layoutDomain(const SchedDomain& domain, KernelVersion version) {
  LayoutDomain out;
  out.cpu = domain.cpu.value;
  out.index = domain.index;
  out.level = domain.level;
  out.name = domain.name;
  out.span = cpuNumbers(domain.span);
  out.flags = sdFlagNames(domain.flags, version);
  for (const SchedGroupId group : domain.groups) out.groups.push_back(group.value);
  out.minIntervalMs = domain.minIntervalMs;
  out.maxIntervalMs = domain.maxIntervalMs;
  out.busyFactor = domain.busyFactor;
  out.imbalancePct = domain.imbalancePct;
  out.cacheNiceTries = domain.cacheNiceTries;
  out.imbNumaNr = domain.imbNumaNr;
  out.parent = domain.parent.value;
  return out;
}

/// Group types that this kernel can give on this machine, in the kernel's order.
std::vector<std::string> possibleTypes(const SchedTopology& topology, const KernelProfile& profile) {
  const bool asymPacking = std::any_of(topology.domains.begin(), topology.domains.end(),
                                       [](const SchedDomain& d) { return (d.flags & kSdAsymPacking) != 0; });
  std::vector<std::string> out;
  for (int t = 0; t <= static_cast<int>(GroupType::Overloaded); ++t) {
    const auto type = static_cast<GroupType>(t);
    if (type == GroupType::SmtBalance && (!profile.behaviours.smtBalance || !topology.smtActive)) continue;
    if (type == GroupType::AsymPacking && !asymPacking) continue;
    if (type == GroupType::LlcBalance && !profile.features.schedCache) continue;
    out.emplace_back(keyOf(type));
  }
  return out;
}

const char* queueKey(QueueKind kind) {
  switch (kind) {
    case QueueKind::Cfs:
      return "cfs";
    case QueueKind::Eevdf:
      return "eevdf";
    case QueueKind::FlatEevdf:
      break;
  }
  return "flat_eevdf";
}

/// Distinct domain names, lowest level first.
std::vector<std::string> levelNames(const SchedTopology& topology) {
  std::map<std::pair<int, std::string>, bool> seen;
  for (const SchedDomain& domain : topology.domains) seen[{domain.level, domain.name}] = true;
  std::vector<std::string> out;
  for (const auto& [key, present] : seen)
    if (std::find(out.begin(), out.end(), key.second) == out.end()) out.push_back(key.second);
  return out;
}

}  // namespace

std::vector<std::int32_t> cpuNumbers(const CpuMask& mask) {
  std::vector<std::int32_t> out;
  mask.forEach([&](CpuId cpu) { out.push_back(cpu.value); });
  return out;
}

MachineLayout buildLayout(const SchedTopology& topology, const KernelProfile& profile) {
  MachineLayout out;
  const Hardware& hardware = topology.hardware;
  out.name = hardware.name;
  out.description = hardware.description;
  out.source = hardware.source;
  out.kernel = profile.name;
  out.queue = queueKey(profile.queue);
  out.patches = profile.patchesOn;
  out.hz = profile.tunables.hz;
  for (const HardwareCpu& cpu : hardware.cpus) out.cpus.push_back(layoutCpu(topology, cpu));
  out.root = buildBoxes(hardware);
  for (const SchedDomain& domain : topology.domains)
    out.domains.push_back(layoutDomain(domain, profile.version));
  for (const SchedGroup& group : topology.groups)
    out.groups.push_back({cpuNumbers(group.span), cpuNumbers(group.balanceMask),
                          sdFlagNames(group.flags, profile.version), groupLabel(group.span)});
  out.groupTypes = possibleTypes(topology, profile);
  out.levelNames = levelNames(topology);
  out.notes = hardware.notes;
  out.notes.insert(out.notes.end(), topology.notes.begin(), topology.notes.end());
  return out;
}

}  // namespace rqscope::api
