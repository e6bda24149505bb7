// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/cpumask.h"
#include "base/ids.h"
#include "topology/hardware.h"
#include "workload/cost_model.h"

namespace rqscope {

// Cache lines that CPUs fight for. The model's decisions say who touches them and in which order;
// the cost model says what a touch costs. Without costs accesses are only counted.

/// How far the copy of a line is from the CPU that wants it.
enum class CacheDistance : std::uint8_t { Own, Core, Llc, Node, Socket };
inline constexpr std::size_t kCacheDistances = 5;

/// Who shares what, by CPU number. Immutable.
struct CacheDistances {
  std::vector<CpuMask> core, llc, package;

  explicit CacheDistances(const Hardware& hardware);
  CacheDistance between(CpuId a, CpuId b) const;
  /// Of the nearest and of the farthest of `holders`; Own when there are no others.
  CacheDistance nearest(CpuId cpu, const CpuMask& holders) const;
  CacheDistance farthest(CpuId cpu, const CpuMask& holders) const;
};

/// Cost of a transfer over that distance; of its own line: 0.
std::uint64_t lineTransferNs(const CostModel& costs, CacheDistance distance);
/// Cold caches after a move over that distance, beside CostModel::migrationNs.
std::uint64_t coldCacheNs(const CostModel& costs, CacheDistance distance);

/// What an access needs to know beside the line.
struct AccessEnvironment {
  const CostModel& costs;
  const CacheDistances& distances;
  std::uint64_t nowNs = 0;  ///< of the event in which it happens: what is free from then on can be taken
  std::uint64_t atNs = 0;   ///< the CPU's own time, not before: it has paid for earlier things of the event
};

/// Counts and cost of accesses to lines of one kind.
struct LineCounters {
  std::uint64_t reads = 0, writes = 0;                     ///< counted by who makes them
  std::uint64_t readNs = 0, writeNs = 0;                   ///< with the waiting
  std::uint64_t waitedNs = 0;                              ///< behind accesses of others
  std::array<std::uint64_t, kCacheDistances> transfers{};  ///< by distance; Own: no transfer
};

/// One cache line under MESI with a single queue of requests: whoever has no copy keeps the line busy until
/// it is there, as a caching agent works on one request for an address at a time. Simplified: requests are
/// served in the order in which the model makes them; a clean copy in the own last-level cache costs as much
/// as one in a core of it.
struct ContendedLine {
  CpuMask holders;           ///< caches with a copy
  bool isModified = false;   ///< by its only holder
  std::uint64_t freeNs = 0;  ///< earlier requests are done then

  /// Delay of the access, the queueing included.
  std::uint64_t access(const AccessEnvironment& environment, CpuId cpu, bool isWrite, LineCounters& counters);
};

/// Counts of a kind of lock: how often it was taken, found taken, and how long was waited for it.
struct LockCounters {
  std::uint64_t taken = 0, contended = 0, waitedNs = 0;
  std::uint64_t slept = 0;       ///< waits that were not spun out
  std::uint64_t transferNs = 0;  ///< in which the lines of what the lock guards came from other CPUs
};

/// All that moves of it in a run. A value.
struct Contention {
  std::shared_ptr<const CacheDistances> distances;  ///< only when the costs need them
  std::vector<ContendedLine> tgLoadAvg;             ///< of task group g, node n: g * nodes + n
  LineCounters tgLoadAvgCounters;
  LockCounters pipeLocks, rqLocks;
  std::vector<CpuId> rqLines;                           ///< by CPU: who took the lock of its queue last
  LineCounters fileLines;                               ///< of files that threads share
  std::uint64_t pipeEmptyWaits = 0, pipeFullWaits = 0;  ///< readers and writers that went to sleep
  std::array<std::uint64_t, kCacheDistances>
      pipeTransfers{};  ///< operations on pipes by distance of its last user
};

}  // namespace rqscope
