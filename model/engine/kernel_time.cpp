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

/// When the CPU has done what it owes.
std::uint64_t Simulator::owedUntil(CpuId cpu) const {
  return std::max(m_state.cpus[cpu.index()].chargedUntilNs, m_state.machine.nowNs);
}

void Simulator::chargeCpu(CpuId cpu, std::uint64_t ns) {
  if (ns == 0 || !cpu.isValid()) return;
  CpuActivity& activity = m_state.cpus[cpu.index()];
  activity.chargedUntilNs = owedUntil(cpu) + ns;
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

/// Modelled: a CPU asks when it has done what it owes already, and gets the lock as soon as it is free for so
/// long; the work behind the lock has been done at once all the same. The list's head and the lock are a line
/// that comes from the CPU that had it before. Who waits for the CPU's queue meanwhile waits too.
void Simulator::onSharedQueueLock(const Machine& m, std::int32_t queue, SharedQueueUse use,
                                  std::uint32_t entries) {
  SharedQueueLock& lock = m_state.sharedQueueLocks[static_cast<std::size_t>(queue)];
  ++lock.taken;
  lock.lengthNs += lock.length * (m.nowNs - lock.lengthFromNs);
  lock.lengthFromNs = m.nowNs;
  lock.length = m.sharedQueues[static_cast<std::size_t>(queue)].length;
  if (m_state.plan->costs.sharedQueueLockNs != 0) holdSharedQueue(lock, sharedQueueNodesNs(use, entries));
  if (m_observer != nullptr) m_observer->onSharedQueueLock(m, queue, use, entries);
}

/// What is done to the nodes of a shared queue under its lock. The nodes of tasks that wait are in the cache
/// of the queue. That of one that joins in a wakeup which a CPU of another cache began was written there
/// last.
std::uint64_t Simulator::sharedQueueNodesNs(SharedQueueUse use, std::uint32_t entries) const {
  const CostModel& costs = m_state.plan->costs;
  const std::uint64_t nodes = costs.sharedQueueLockNs * entries;
  if (use != SharedQueueUse::Join || !m_wakerCpu.isValid() || m_state.contention.distances == nullptr)
    return nodes;
  const CacheDistance distance = m_state.contention.distances->between(m_actingCpu, m_wakerCpu);
  return distance <= CacheDistance::Llc ? nodes : nodes + lineTransferNs(costs, distance);
}

void Simulator::holdSharedQueue(SharedQueueLock& lock, std::uint64_t nodesNs) {
  const CpuId cpu = m_actingCpu;
  const std::uint64_t now = m_state.machine.nowNs;
  std::uint64_t asks = now;
  if (cpu.isValid()) asks = std::max(asks, m_state.cpus[cpu.index()].chargedUntilNs);
  std::uint64_t held = nodesNs;
  if (cpu.isValid() && lock.lastCpu.isValid() && m_state.contention.distances != nullptr)
    held += lineTransferNs(m_state.plan->costs, m_state.contention.distances->between(cpu, lock.lastCpu));
  lock.lastCpu = cpu;
  std::erase_if(lock.turns, [&](const LockTurn& turn) { return turn.untilNs <= now; });
  std::uint64_t from = asks;
  auto place = lock.turns.begin();
  for (; place != lock.turns.end() && place->fromNs < from + held; ++place)
    from = std::max(from, place->untilNs);
  lock.turns.insert(place, {cpu, from, from + held});
  if (from != asks) ++lock.contended;
  lock.waitedNs += from - asks;
  lock.heldNs += held;
  chargeCpu(cpu, from + held - asks);
  if (m_lockedRq.isValid() && m_state.plan->costs.rqLockNs != 0)
    m_state.cpus[m_lockedRq.index()].lockUntilNs += from + held - asks;
}

void Simulator::countLatency(ThreadState& t) {
  if (t.wokenNs == 0) return;
  ++m_state.workload.latencies[latencyBucket(m_state.machine.nowNs - t.wokenNs)];
  t.wokenNs = 0;
}

}  // namespace rqscope
