// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "placement/wake_affine.h"

#include <utility>

#include "placement/placement_hook.h"
#include "runqueue/load_tracking.h"

namespace rqscope {
namespace {

/// The waker's record of its wakees; the idle task of each CPU has one too.
struct WakeeRecord {
  TaskId& lastWakee;
  std::uint32_t& flips;
  std::uint64_t& decayJiffies;
};

WakeeRecord wakeeRecord(Machine& m, CpuId wakerCpu) {
  Rq& rq = m.rq(wakerCpu);
  if (!rq.curr.isValid()) return {rq.idleLastWakee, rq.idleWakeeFlips, rq.idleWakeeFlipDecayJiffies};
  Task& waker = m.task(rq.curr);
  return {waker.lastWakee, waker.wakeeFlips, waker.wakeeFlipDecayJiffies};
}

}  // namespace

bool cpusShareCache(const Machine& m, CpuId a, CpuId b) {
  if (a == b) return true;
  const auto& cpus = m.topology->cpus;
  return cpus[a.index()].llcId == cpus[b.index()].llcId;
}

void recordWakee(Machine& m, CpuId wakerCpu, TaskId wakee) {
  const WakeeRecord record = wakeeRecord(m, wakerCpu);
  const std::uint64_t due = record.decayJiffies + static_cast<unsigned>(m.tunables().hz);
  if (virtualDelta(m.jiffies, due) > 0) {
    record.flips >>= 1;
    record.decayJiffies = m.jiffies;
  }
  if (record.lastWakee != wakee) {
    record.lastWakee = wakee;
    ++record.flips;
  }
}

WakeWide wakeWide(const Machine& m, CpuId wakerCpu, TaskId wakee) {
  const Rq& rq = m.rq(wakerCpu);
  WakeWide result;
  result.wakerFlips = rq.curr.isValid() ? m.task(rq.curr).wakeeFlips : rq.idleWakeeFlips;
  result.wakeeFlips = m.task(wakee).wakeeFlips;
  result.factor = static_cast<std::uint32_t>(m.topology->cpus[wakerCpu.index()].llcSize);
  std::uint32_t more = result.wakerFlips, fewer = result.wakeeFlips;
  if (more < fewer) std::swap(more, fewer);
  result.isWide = fewer >= result.factor && more >= fewer * result.factor;
  return result;
}

WakeAffineChoice wakeAffineIdle(const Machine& m, CpuId thisCpu, CpuId prevCpu, bool sync) {
  if (isIdleCpu(m, thisCpu) && cpusShareCache(m, thisCpu, prevCpu)) {
    if (looksIdleCpu(m, prevCpu)) return {prevCpu, WakeAffineReason::PrevIdleToo};
    return {thisCpu, WakeAffineReason::ThisIdle};
  }
  if (sync) {
    std::uint32_t running = m.rq(thisCpu).nrRunning;
    if (m.behaviours().syncIgnoresDelayed) running -= m.rootCfs(thisCpu).hNrDelayed;
    if (running == 1) return {thisCpu, WakeAffineReason::Sync};
  }
  if (looksIdleCpu(m, prevCpu)) return {prevCpu, WakeAffineReason::PrevCacheIdle};
  return {};
}

WakeAffineChoice wakeAffineWeight(Machine& m, const SchedDomain& domain, TaskId task, CpuId thisCpu,
                                  CpuId prevCpu, bool sync, PlacementHook* hook) {
  WakeAffineChoice choice;
  const bool bias = m.features().waBias;
  auto thisLoad = static_cast<std::int64_t>(cpuLoad(m, thisCpu));
  if (sync) {
    const TaskId waker = m.rq(thisCpu).curr;
    const auto wakerLoad = waker.isValid() ? static_cast<std::int64_t>(taskHLoad(m, waker)) : 0;
    if (wakerLoad > thisLoad) {
      choice.cpu = thisCpu;
      choice.reason = WakeAffineReason::WeightThis;
      choice.thisEffLoad = thisLoad;
      return choice;
    }
    thisLoad -= wakerLoad;
  }
  const auto load = static_cast<std::int64_t>(taskHLoad(m, task));
  // The kernel multiplies in 64 bits and lets it wrap.
  std::uint64_t thisEff = static_cast<std::uint64_t>(thisLoad + load);
  if (bias) thisEff *= 100;
  thisEff *= m.rq(prevCpu).cpuCapacity;
  std::uint64_t prevEff = cpuLoad(m, prevCpu) - static_cast<std::uint64_t>(load);
  if (bias) prevEff *= 100 + static_cast<std::uint64_t>((domain.imbalancePct - 100) / 2);
  prevEff *= m.rq(thisCpu).cpuCapacity;
  if (sync) ++prevEff;
  choice.thisEffLoad = static_cast<std::int64_t>(thisEff);
  choice.prevEffLoad = static_cast<std::int64_t>(prevEff);
  if (hook != nullptr) hook->onEffectiveLoads(choice);
  if (choice.thisEffLoad < choice.prevEffLoad) {
    choice.cpu = thisCpu;
    choice.reason = WakeAffineReason::WeightThis;
  }
  return choice;
}

WakeAffineChoice wakeAffine(Machine& m, const SchedDomain& domain, TaskId task, CpuId thisCpu, CpuId prevCpu,
                            bool sync, PlacementHook* hook) {
  WakeAffineChoice choice;
  if (hook != nullptr) hook->onWakeAffine(m);
  if (m.features().waIdle) choice = wakeAffineIdle(m, thisCpu, prevCpu, sync);
  if (m.features().waWeight && !choice.cpu.isValid())
    choice = wakeAffineWeight(m, domain, task, thisCpu, prevCpu, sync, hook);
  if (choice.cpu != thisCpu) choice.cpu = prevCpu;
  return choice;
}

}  // namespace rqscope
