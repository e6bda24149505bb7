// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runqueue/cache_occupancy.h"

#include <algorithm>

#include "runqueue/load_tracking.h"

namespace rqscope {
namespace {

constexpr std::uint64_t kEpochNs = 10'000'000;
constexpr std::uint64_t kPatienceEpochs = 5;  ///< a process that did not run for so long prefers nothing

std::uint64_t epochJiffies(const Machine& m) {
  return std::max<std::uint64_t>(1, kEpochNs / m.tunables().tickNs());
}

std::uint64_t halved(std::uint64_t value, std::uint64_t times) { return times < 64 ? value >> times : 0; }

/// Brings the CPU's epoch and the process's share of it up to date: each epoch halves both.
/// Kernel: __update_mm_sched().
void refresh(Machine& m, CpuId cpu, CacheProcess::Share& share) {
  CacheClock& clock = m.rq(cpu).cacheClock;
  const std::int64_t late = virtualDelta(m.jiffies, clock.nextJiffy);
  if (late > 0) {
    const std::uint64_t period = epochJiffies(m);
    const std::uint64_t epochs = (static_cast<std::uint64_t>(late) + period - 1) / period;
    clock.epoch += epochs;
    clock.nextJiffy += epochs * period;
    clock.runtime = halved(clock.runtime, epochs);
  }
  share.runtime = halved(share.runtime, clock.epoch - share.epoch);
  share.epoch = clock.epoch;
}

/// Part of the CPU's recent time that the process had. Kernel: fraction_mm_sched().
std::uint64_t fractionOf(Machine& m, CpuId cpu, CacheProcess::Share& share) {
  refresh(m, cpu, share);
  return kNice0Load * share.runtime / (m.rq(cpu).cacheClock.runtime + 1);
}

CacheProcess* processOf(Machine& m, TaskId task) {
  const std::int32_t index = m.task(task).process;
  if (index < 0) return nullptr;
  CacheProcess& process = m.processes[static_cast<std::size_t>(index)];
  return process.shares.empty() ? nullptr : &process;
}

/// More threads run at a time than the cache has room for. Kernel: exceed_llc_nr().
bool exceedsCache(const Machine& m, const CacheProcess& process, CpuId cpu) {
  const std::uint64_t threads =
      m.topology->smtActive ? static_cast<std::uint64_t>(m.topology->smtMask[cpu.index()].weight()) : 1;
  return !fitsCapacity(process.nrRunningAvg * threads,
                       static_cast<std::uint64_t>(m.topology->cpus[cpu.index()].llcSize));
}

/// Kernel: update_avg_scale(): small caches answer faster.
void averageRunning(const Machine& m, CacheProcess& process, std::uint64_t running, CpuId cpu) {
  const int divisor = std::clamp(m.topology->cpus[cpu.index()].llcSize >> 2, 2, 8);
  const auto delta = virtualDelta(running, process.nrRunningAvg) / divisor;
  process.nrRunningAvg += static_cast<std::uint64_t>(delta);
}

/// Occupancy of one cache: its sum and the CPU that has most of it.
struct Occupancy {
  std::uint64_t sum = 0, most = 0;
  CpuId mostCpu;
};

Occupancy occupancyOf(Machine& m, CacheProcess& process, const CpuMask& cpus) {
  Occupancy out;
  cpus.forEach([&](CpuId cpu) {
    const std::uint64_t part = fractionOf(m, cpu, process.shares[cpu.index()]);
    out.sum += part;
    if (part <= out.most) return;
    out.most = part;
    out.mostCpu = cpu;
  });
  return out;
}

/// Kernel: the body of task_cache_work().
void searchCache(Machine& m, CacheProcess& process, std::int32_t index, CpuId cpu) {
  Occupancy best;
  std::uint64_t current = 0, running = 0;
  CpuMask seen;
  const SchedTopology& topology = *m.topology;
  topology.online.forEach([&](CpuId c) {
    const TaskId curr = m.rq(c).curr;
    if (curr.isValid() && m.task(curr).process == index && !m.task(curr).exiting) ++running;
    const DomainId llc = topology.cpus[c.index()].sdLlc;
    if (seen.test(c) || !llc.isValid()) return;
    const CpuMask& span = topology.domain(llc).span;
    seen |= span;
    const Occupancy here = occupancyOf(m, process, span);
    if (here.sum > best.sum) best = here;
    if (process.llcCpu.isValid() && span.test(process.llcCpu)) current = here.sum;
  });
  if (best.sum > 2 * current) process.llcCpu = best.mostCpu;
  averageRunning(m, process, running, cpu);
}

void setPreference(Machine& m, CpuId cpu, TaskId task, std::int32_t llc) {
  if (m.task(task).preferredLlc == llc) return;
  const bool isQueued = m.se(task).onRq;
  if (isQueued) countPreference(m, cpu, task, -1);
  m.task(task).preferredLlc = llc;
  if (isQueued) countPreference(m, cpu, task, +1);
}

}  // namespace

std::int32_t addCacheProcess(Machine& m) {
  CacheProcess& process = m.processes.emplace_back();
  process.shares.resize(m.rqs.size());
  return static_cast<std::int32_t>(m.processes.size()) - 1;
}

void countThread(Machine& m, TaskId task, int change) {
  if (CacheProcess* process = processOf(m, task)) process->threads += change;
}

void chargeCacheProcess(Machine& m, CpuId cpu, TaskId task, std::uint64_t deltaNs) {
  CacheProcess* process = processOf(m, task);
  if (process == nullptr) return;
  CacheProcess::Share& share = process->shares[cpu.index()];
  refresh(m, cpu, share);
  share.runtime += deltaNs;
  CacheClock& clock = m.rq(cpu).cacheClock;
  clock.runtime += deltaNs;
  m.task(task).threads = process->threads;
  const bool isStale = virtualDelta(clock.epoch, process->epoch) > static_cast<std::int64_t>(kPatienceEpochs);
  if (isStale || process->threads <= 1 || exceedsCache(m, *process, cpu)) process->llcCpu = CpuId{};
  const CpuId at = process->llcCpu;
  setPreference(m, cpu, task, at.isValid() ? m.topology->cpus[at.index()].llcId.value : -1);
}

void tickCacheProcess(Machine& m, CpuId cpu, TaskId task) {
  CacheProcess* process = processOf(m, task);
  if (process == nullptr || process->epoch == m.rq(cpu).cacheClock.epoch) return;
  process->epoch = m.rq(cpu).cacheClock.epoch;
  searchCache(m, *process, m.task(task).process, cpu);
}

void countPreference(Machine& m, CpuId cpu, TaskId task, int change) {
  const std::int32_t llc = m.task(task).preferredLlc;
  if (llc < 0 || processOf(m, task) == nullptr) return;
  Rq& rq = m.rq(cpu);
  const auto number = static_cast<std::size_t>(llc);
  if (rq.prefLlcCounts.size() <= number) rq.prefLlcCounts.resize(number + 1);
  rq.prefLlcCounts[number] += static_cast<std::uint32_t>(change);
  if (m.topology->cpus[cpu.index()].llcId.value == llc)
    rq.nrPrefLlcRunning += static_cast<std::uint32_t>(change);
}

}  // namespace rqscope
