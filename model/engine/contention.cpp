// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/contention.h"

#include <algorithm>

namespace rqscope {
namespace {

/// A request for something with one queue: it is busy for `busyNs`, and longer when it is busy already. Time
/// is given out from the event's moment on, so that a CPU that is ahead of the event leaves no gap behind.
/// Returns the delay of the CPU.
std::uint64_t queueUp(const AccessEnvironment& environment, std::uint64_t& freeNs, std::uint64_t busyNs) {
  if (freeNs > environment.nowNs) busyNs += environment.costs.lineContendedNs;
  freeNs = std::max(freeNs, environment.nowNs) + busyNs;
  return std::max(freeNs, environment.atNs + busyNs) - environment.atNs;
}

}  // namespace

CacheDistances::CacheDistances(const Hardware& hardware) {
  const std::size_t limit = hardware.cpus.empty() ? 0 : hardware.cpus.back().id.index() + 1;
  core.resize(limit);
  llc.resize(limit);
  package.resize(limit);
  for (const HardwareCpu& cpu : hardware.cpus) {
    const std::size_t i = cpu.id.index();
    const CpuMask own = CpuMask::of(cpu.id);
    core[i] = cpu.threadSiblings | own;
    const HardwareCache* last = lastLevelCache(cpu);
    llc[i] = (last != nullptr ? last->shared : cpu.packageCpus) | core[i];
    package[i] = cpu.packageCpus | llc[i];
  }
}

CacheDistance CacheDistances::between(CpuId a, CpuId b) const { return nearest(a, CpuMask::of(b)); }

CacheDistance CacheDistances::nearest(CpuId cpu, const CpuMask& holders) const {
  if (holders.isEmpty() || holders.test(cpu)) return CacheDistance::Own;
  if (core[cpu.index()].intersects(holders)) return CacheDistance::Core;
  if (llc[cpu.index()].intersects(holders)) return CacheDistance::Llc;
  return package[cpu.index()].intersects(holders) ? CacheDistance::Node : CacheDistance::Socket;
}

CacheDistance CacheDistances::farthest(CpuId cpu, const CpuMask& holders) const {
  if (!holders.isSubsetOf(package[cpu.index()])) return CacheDistance::Socket;
  if (!holders.isSubsetOf(llc[cpu.index()])) return CacheDistance::Node;
  if (!holders.isSubsetOf(core[cpu.index()])) return CacheDistance::Llc;
  return holders.isSubsetOf(CpuMask::of(cpu)) ? CacheDistance::Own : CacheDistance::Core;
}

std::uint64_t lineTransferNs(const CostModel& costs, CacheDistance distance) {
  switch (distance) {
    case CacheDistance::Own:
      return 0;
    case CacheDistance::Core:
      return costs.lineCoreNs;
    case CacheDistance::Llc:
      return costs.lineLlcNs;
    case CacheDistance::Node:
      return costs.lineNodeNs;
    case CacheDistance::Socket:
      return costs.lineSocketNs;
  }
  return 0;
}

std::uint64_t coldCacheNs(const CostModel& costs, CacheDistance distance) {
  switch (distance) {
    case CacheDistance::Own:
      return 0;
    case CacheDistance::Core:
      return costs.migrationCoreNs;
    case CacheDistance::Llc:
      return costs.migrationLlcNs;
    case CacheDistance::Node:
      return costs.migrationNodeNs;
    case CacheDistance::Socket:
      return costs.migrationSocketNs;
  }
  return 0;
}

std::uint64_t ContendedLine::access(const AccessEnvironment& environment, CpuId cpu, bool isWrite,
                                    LineCounters& counters) {
  const CacheDistances& distances = environment.distances;
  const CacheDistance distance = isWrite ? distances.farthest(cpu, holders) : distances.nearest(cpu, holders);
  const std::uint64_t transfer = lineTransferNs(environment.costs, distance);
  std::uint64_t delay = transfer;
  if (isWrite)
    delay = queueUp(environment, freeNs, transfer + environment.costs.lineAtomicNs);
  else if (isModified && distance != CacheDistance::Own)
    delay = queueUp(environment, freeNs, transfer);
  else if (distance != CacheDistance::Own)  // a clean copy, which earlier requests must have left first
    delay = std::max(freeNs, environment.atNs) + transfer - environment.atNs;
  if (isWrite) {
    holders.clearAll();
    isModified = true;
  } else if (distance != CacheDistance::Own) {
    isModified = false;
  }
  holders.set(cpu);
  (isWrite ? counters.writeNs : counters.readNs) += delay;
  counters.waitedNs += delay - transfer - (isWrite ? environment.costs.lineAtomicNs : 0);
  ++counters.transfers[static_cast<std::size_t>(distance)];
  return delay;
}

}  // namespace rqscope
