// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "api/machine_base.h"
#include "topology/cpu_place.h"
#include "topology/machine_layout.h"

namespace rqscope::api {

namespace {

using Layout = ::rqscope::MachineLayout;
constexpr std::int32_t kMaxCpus = 8192;  // what a window can show; files go to 65536
constexpr int kInsideDistance = 12, kOutsideDistance = 20;

const HardwareCache* cacheOf(const HardwareCpu& cpu, int level) {
  for (const HardwareCache& cache : cpu.caches)
    if (cache.level == level && cache.type != "Instruction") return &cache;
  return nullptr;
}

int firstOf(const CpuMask& mask) { return mask.isEmpty() ? -1 : mask.first().value; }

/// First CPU of the level 2 cache when it is shared by more than a core; -1: the core has its own.
int clusterOf(const HardwareCpu& cpu) {
  const HardwareCache* l2 = cacheOf(cpu, 2);
  const CpuMask& shared = cpu.clusterCpus.isEmpty() && l2 != nullptr ? l2->shared : cpu.clusterCpus;
  return shared.isEmpty() || shared == cpu.threadSiblings ? -1 : firstOf(shared);
}

int llcOf(const HardwareCpu& cpu) {
  const HardwareCache* l3 = cacheOf(cpu, 3);
  return l3 == nullptr ? -1 : firstOf(l3->shared);
}

CpuNumbering numberingOf(const Hardware& hardware) {
  for (const HardwareCpu& cpu : hardware.cpus) {
    if (cpu.threadSiblings.weight() < 2) continue;
    const bool isNeighbour =
        cpu.threadSiblings.next(cpu.threadSiblings.first()).value == cpu.threadSiblings.first().value + 1;
    return isNeighbour ? CpuNumbering::ThreadsAdjacent : CpuNumbering::ThreadsLast;
  }
  return CpuNumbering::ThreadsAdjacent;
}

std::int32_t greatest(const std::map<int, std::set<int>>& parts) {
  std::size_t most = 1;
  for (const auto& [where, kinds] : parts) most = std::max(most, kinds.size());
  return static_cast<std::int32_t>(most);
}

/// Distances of the nodes of the old machine by tier.
std::vector<int> tiersOf(const EditMachine& from) {
  std::map<int, int> packageOf;
  for (const EditCpu& cpu : from.cpus) packageOf.emplace(cpu.node, cpu.package);
  std::vector<int> tiers = {10, kInsideDistance, kOutsideDistance};
  for (std::size_t a = 0; a < from.nodes.size(); ++a)
    for (std::size_t b = 0; b < from.nodes[a].distances.size(); ++b) {
      if (!from.nodes[a].hasCpus || !from.nodes[b].hasCpus) continue;
      const bool isSame = packageOf[from.nodes[a].id] == packageOf[from.nodes[b].id];
      tiers[a == b ? 0 : isSame ? 1 : 2] = from.nodes[a].distances[b];
    }
  return tiers;
}

/// Simplified: cache sizes are the first CPU's.
Layout layoutOf(const Hardware& hardware, const MachineCounts& counts) {
  Layout layout;
  layout.packages = counts.packages;
  layout.nodes = counts.nodes;
  layout.llcs = counts.llcs;
  layout.clusters = counts.clusters;
  layout.cores = counts.cores;
  layout.threads = counts.threads;
  layout.numbering = numberingOf(hardware);
  if (hardware.cpus.empty()) return layout;
  const auto size = [&](int level, std::uint64_t& bytes) {
    if (const HardwareCache* cache = cacheOf(hardware.cpus.front(), level)) bytes = cache->sizeBytes;
  };
  size(1, layout.l1Bytes);
  size(2, layout.l2Bytes);
  size(3, layout.l3Bytes);
  layout.hasL3 = std::any_of(hardware.cpus.begin(), hardware.cpus.end(),
                             [](const HardwareCpu& cpu) { return cacheOf(cpu, 3) != nullptr; });
  return layout;
}

/// What people and firmware say of a CPU that stays.
void keepAttributes(const Hardware& from, Hardware& to) {
  for (std::size_t i = 0; i < to.cpus.size(); ++i) {
    HardwareCpu& cpu = to.cpus[i];
    const HardwareCpu* old = from.find(cpu.id);
    if (old == nullptr) continue;
    cpu.online = old->online;
    cpu.capacity = old->capacity;
    cpu.throughput = old->throughput;
    cpu.maxFrequencyKhz = old->maxFrequencyKhz;
    cpu.kind = old->kind;
  }
  CpuMask all;
  for (const HardwareCpu& cpu : to.cpus) all.set(cpu.id);
  to.isolated = from.isolated & all;
  for (const CpusetPartition& part : from.partitions)
    if (CpuMask left = part.cpus & all; !left.isEmpty()) to.partitions.push_back({left, part.isolated});
  for (const CpuId cpu : from.unpluggedAfterBoot)
    if (all.test(cpu)) to.unpluggedAfterBoot.push_back(cpu);
  if (from.asymPriority.empty()) return;
  for (const HardwareCpu& cpu : to.cpus) {
    const HardwareCpu* old = from.find(cpu.id);
    const auto at = old == nullptr ? from.cpus.size() : static_cast<std::size_t>(old - from.cpus.data());
    to.asymPriority.push_back(at < from.asymPriority.size() ? from.asymPriority[at] : 0);
  }
}

std::vector<EditFault> countFaults(const MachineCounts& counts) {
  std::vector<EditFault> out;
  const auto add = [&](std::string message, std::string hint) {
    EditFault fault;
    fault.field = "counts";
    fault.message = std::move(message);
    fault.hint = std::move(hint);
    out.push_back(std::move(fault));
  };
  const std::pair<const char*, std::int32_t> parts[] = {{"packages", counts.packages},
                                                        {"nodes", counts.nodes},
                                                        {"LLCs", counts.llcs},
                                                        {"cores", counts.cores},
                                                        {"threads", counts.threads}};
  std::int64_t product = std::max(1, counts.clusters);
  for (const auto& [name, count] : parts) {
    if (count < 1) add(fmt::format("{} {}", count, name), "at least 1");
    product = std::min<std::int64_t>(product * std::max(1, count), std::int64_t{1} << 40);
  }
  if (counts.clusters < 0) add(fmt::format("{} clusters", counts.clusters), "0 or more");
  if (product > kMaxCpus)
    add(fmt::format("these counts make {} CPUs", product), fmt::format("at most {} here", kMaxCpus));
  return out;
}

}  // namespace

MachineCounts countsOf(const Hardware& hardware) {
  std::map<int, std::set<int>> nodes, llcs, clusters, cores, threads, all;
  for (const HardwareCpu& cpu : hardware.cpus) {
    const int llc = llcOf(cpu) >= 0 ? llcOf(cpu) : -2 - cpu.node.value;
    const int cluster = clusterOf(cpu);
    const int core = firstOf(cpu.threadSiblings);
    all[0].insert(cpu.package);
    nodes[cpu.package].insert(cpu.node.value);
    llcs[cpu.node.value].insert(llc);
    if (cluster >= 0) clusters[llc].insert(cluster);
    threads[core].insert(cpu.id.value);
  }
  for (const HardwareCpu& cpu : hardware.cpus) {
    const int llc = llcOf(cpu) >= 0 ? llcOf(cpu) : -2 - cpu.node.value;
    const int part = clusters.empty() ? llc : clusterOf(cpu) >= 0 ? clusterOf(cpu) : (1 << 20) + llc;
    cores[part].insert(firstOf(cpu.threadSiblings));
  }
  MachineCounts out;
  out.packages = greatest(all);
  out.nodes = greatest(nodes);
  out.llcs = greatest(llcs);
  out.clusters = clusters.empty() ? 0 : greatest(clusters);
  out.cores = greatest(cores);
  out.threads = greatest(threads);
  return out;
}

bool isRegular(const Hardware& hardware, const MachineCounts& counts) {
  const Layout layout = layoutOf(hardware, counts);
  if (layout.cpuCount() != static_cast<int>(hardware.cpus.size())) return false;
  const Hardware like = hardwareFromLayout(layout);
  for (std::size_t i = 0; i < like.cpus.size(); ++i) {
    const HardwareCpu &a = hardware.cpus[i], &b = like.cpus[i];
    if (a.id != b.id || a.package != b.package || a.node != b.node || a.threadSiblings != b.threadSiblings ||
        llcOf(a) != llcOf(b) || clusterOf(a) != clusterOf(b))
      return false;
  }
  return true;
}

CountedMachine withCounts(const EditMachine& from, const MachineCounts& counts) {
  CountedMachine out;
  out.faults = countFaults(counts);
  if (!out.faults.empty()) return out;
  const Hardware old = hardwareOf(from);
  Layout layout = layoutOf(old, counts);
  layout.hasL3 = layout.hasL3 || counts.llcs > 1;
  if (layout.packages * layout.nodes == static_cast<int>(from.nodes.size())) {
    for (const EditNode& node : from.nodes) layout.matrix.push_back(node.distances);
  } else {
    layout.distances = tiersOf(from);
  }
  Hardware built = hardwareFromLayout(layout);
  const std::string words = built.description;
  Hardware hardware = old;
  hardware.cpus = std::move(built.cpus);
  hardware.nodes = std::move(built.nodes);
  hardware.partitions.clear();
  hardware.unpluggedAfterBoot.clear();
  hardware.asymPriority.clear();
  hardware.notes.clear();
  hardware.description = words;
  if (hardware.rules == MaskRules::ArchTopology) fillClusterMasks(hardware);
  keepAttributes(old, hardware);
  out.machine = editableOf(std::move(hardware));
  out.machine->counts = counts;
  return out;
}

}  // namespace rqscope::api
