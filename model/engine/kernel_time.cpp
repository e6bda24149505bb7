// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <bit>

#include "engine/simulator.h"

// What kernel work costs in CPU time. The scheduler's decisions of an event happen at one moment; the time
// they take is owed by the CPU that did them and paid by the task that runs there next.

namespace rqscope {
namespace {

constexpr unsigned kLatencySteps = 8;  // buckets for every power of two

}  // namespace

std::size_t latencyBucket(std::uint64_t ns) {
  if (ns < kLatencySteps) return static_cast<std::size_t>(ns);
  const auto width = static_cast<unsigned>(std::bit_width(ns)) - 4;  // keeps four leading bits
  const std::uint64_t mantissa = ns >> width;
  return std::min<std::size_t>(kLatencyBuckets - 1, (width + 1) * kLatencySteps + (mantissa - kLatencySteps));
}

std::uint64_t latencyOfBucket(std::size_t bucket) {
  if (bucket < kLatencySteps) return bucket;
  const std::size_t width = bucket / kLatencySteps - 1;
  return ((kLatencySteps + bucket % kLatencySteps + 1) << width) - 1;
}

void Simulator::chargeCpu(CpuId cpu, std::uint64_t ns) {
  if (ns == 0 || !cpu.isValid()) return;
  CpuActivity& activity = m_state.cpus[cpu.index()];
  activity.chargedUntilNs = std::max(activity.chargedUntilNs, m_state.machine.nowNs) + ns;
  m_state.touchedCpus.set(cpu);
}

/// The running task pays what its CPU owes. An idle CPU's debt ends with time.
void Simulator::payCharges(CpuId cpu) {
  CpuActivity& activity = m_state.cpus[cpu.index()];
  if (activity.chargedUntilNs == 0) return;
  const TaskId curr = m_state.machine.rq(cpu).curr;
  if (!curr.isValid()) return;
  const std::uint64_t now = m_state.machine.nowNs;
  const std::uint64_t owed = activity.chargedUntilNs - std::min(activity.chargedUntilNs, now);
  activity.chargedUntilNs = 0;
  if (owed == 0) return;
  settle(cpu, curr);
  thread(curr).overheadNs += owed;
  arm(cpu, curr);
}

/// Modelled: the lock is given in the order of asking; the work behind it has been done at once all the same.
void Simulator::onSharedQueueLock(const Machine& m, std::int32_t queue, SharedQueueUse use,
                                  std::uint32_t entries) {
  const std::uint64_t hold = m_state.plan->costs.sharedQueueLockNs;
  SharedQueueLock& lock = m_state.sharedQueueLocks[static_cast<std::size_t>(queue)];
  ++lock.taken;
  if (hold != 0) {
    const CpuId cpu = m_actingCpu;
    const std::uint64_t now = m.nowNs;
    std::erase_if(lock.turns, [&](const LockTurn& turn) { return turn.untilNs <= now; });
    // The CPU asks when it has done what it owes already.
    std::uint64_t asks = now;
    if (cpu.isValid()) asks = std::max(asks, m_state.cpus[cpu.index()].chargedUntilNs);
    const std::uint64_t from = std::max(asks, lock.turns.empty() ? 0 : lock.turns.back().untilNs);
    const std::uint64_t held = hold * std::max<std::uint32_t>(entries, 1);
    lock.turns.push_back({cpu, from, from + held});
    if (from != asks) ++lock.contended;
    lock.waitedNs += from - asks;
    lock.heldNs += held;
    chargeCpu(cpu, from + held - now - (asks - now));
  }
  if (m_observer != nullptr) m_observer->onSharedQueueLock(m, queue, use, entries);
}

void Simulator::countLatency(ThreadState& t) {
  if (t.wokenNs == 0) return;
  ++m_state.workload.latencies[latencyBucket(m_state.machine.nowNs - t.wokenNs)];
  t.wokenNs = 0;
}

}  // namespace rqscope
