// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "api/shared_queue_frames.h"

#include <numeric>

namespace rqscope::api {
namespace {

void addLock(const SharedQueueLock& lock, std::uint64_t nowNs, SharedQueueFrame& out) {
  for (const LockTurn& turn : lock.turns) {
    if (turn.untilNs <= nowNs) continue;
    if (turn.fromNs <= nowNs)
      out.lockHolder = turn.cpu.value;
    else
      out.lockWaiters.push_back(turn.cpu.value);
  }
  out.lockTaken = lock.taken;
  out.lockContended = lock.contended;
  out.lockWaitedNs = static_cast<std::int64_t>(lock.waitedNs);
  out.lockHeldNs = static_cast<std::int64_t>(lock.heldNs);
}

}  // namespace

std::vector<SharedQueueFrame> sharedQueueFrames(const SimState& state) {
  const Machine& m = state.machine;
  std::vector<SharedQueueFrame> out(m.sharedQueues.size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    const SharedQueue& queue = m.sharedQueues[i];
    out[i].llcCpu = queue.llc.value;
    out[i].shard = queue.shard;
    for (TaskId t = queue.head; t.isValid(); t = m.task(t).sharedNext) out[i].tasks.push_back(t.value);
    out[i].joined = queue.joined;
    out[i].pulled = queue.pulled;
    out[i].refused = queue.refused;
    if (i < state.sharedQueueLocks.size()) addLock(state.sharedQueueLocks[i], m.nowNs, out[i]);
  }
  for (std::size_t cpu = 0; cpu < m.sharedQueueOfCpu.size(); ++cpu) {
    const SharedQueueOfCpu& mine = m.sharedQueueOfCpu[cpu];
    if (mine.count == 0) continue;
    SharedQueueFrame& own = out[static_cast<std::size_t>(mine.own)];
    own.shards = mine.count;
    own.cpus.push_back(static_cast<std::int32_t>(cpu));
  }
  return out;
}

Outcome::Latency wakeupLatency(const SimState& state) {
  constexpr double kPercentiles[] = {50, 75, 90, 95, 99, 99.5, 99.9, 100};
  const auto& counts = state.workload.latencies;
  Outcome::Latency out;
  out.count = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  if (out.count == 0) return out;
  std::size_t bucket = 0;
  std::uint64_t below = 0;
  for (const double percentile : kPercentiles) {
    const auto wanted = static_cast<std::uint64_t>(static_cast<double>(out.count) * percentile / 100);
    while (bucket + 1 < counts.size() && below + counts[bucket] < std::max<std::uint64_t>(wanted, 1))
      below += counts[bucket++];
    out.percentiles.emplace_back(percentile, static_cast<std::int64_t>(latencyOfBucket(bucket)));
  }
  return out;
}

}  // namespace rqscope::api
