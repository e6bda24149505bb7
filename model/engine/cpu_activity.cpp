// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "engine/hash.h"
#include "engine/idle_waiting.h"
#include "engine/scheduler.h"
#include "engine/simulator.h"

namespace rqscope {

/// Kernel: tick_nohz_idle_enter() and the idle loop's balance hooks. Simplified: the tick of an idle CPU
/// stops at once; the idle governor that may keep it for short sleeps is left out.
void Simulator::enterIdle(CpuId cpu) {
  SimState& s = m_state;
  CpuActivity& activity = s.cpus[cpu.index()];
  activity.isIdle = true;
  activity.idleSinceNs = s.machine.nowNs;
  s.idleCpus.set(cpu);
  ++s.idleCount;
  if (!s.machine.tunables().nohz) return;
  m_actingCpu = cpu;
  Context ctx = context();
  nohzRunIdleBalance(ctx, cpu);
  s.tickingCpus.clear(cpu);
  nohzBalanceEnterIdle(ctx, cpu);
}

/// The tick comes back at the CPU's next regular moment. Kernel: tick_nohz_restart().
void Simulator::startTick(CpuId cpu) {
  SimState& s = m_state;
  const std::uint64_t now = s.machine.nowNs;
  if (s.tickingCpus.isEmpty()) {
    s.tickBaseNs = now - (now - s.originNs) % s.tickNs;
    s.tickCursor = CpuId{0};
  }
  s.tickingCpus.set(cpu);
  s.cpus[cpu.index()].tickFromNs = std::max(s.cpus[cpu.index()].tickFromNs, now + 1);
}

/// The CPU begins or ends to idle.
void Simulator::changeActivity(CpuId cpu, bool runs) {
  SimState& s = m_state;
  CpuActivity& activity = s.cpus[cpu.index()];
  if (runs) {
    activity.isIdle = false;
    activity.idleNs += s.machine.nowNs - activity.idleSinceNs;
    s.idleCpus.clear(cpu);
    --s.idleCount;
    startTick(cpu);
  } else {
    enterIdle(cpu);
  }
  shareCore(cpu);
}

void Simulator::refreshHrtick(CpuId cpu) {
  const Rq& rq = m_state.machine.rq(cpu);
  if (rq.hrtickArmed)
    m_state.hrticks.set(cpu.index(), rq.hrtickAtNs, static_cast<std::uint64_t>(cpu.value));
  else
    m_state.hrticks.clear(cpu.index());
}

void Simulator::recountIdleWaiting() {
  SimState& s = m_state;
  s.idleWaitingCpus = 0;
  if (s.idleCount == 0 || s.waitingTasks == 0) return;
  s.idleWaitingCpus = s.workload.restrictedTasks == 0
                          ? static_cast<std::uint32_t>(s.idleCount)
                          : static_cast<std::uint32_t>(idleWhileWaiting(s).weight());
}

void Simulator::mixIntoHash(const SimEvent& event) {
  SimState& s = m_state;
  const Machine& m = s.machine;
  std::uint64_t hash = mixHash(s.runHash, event.timeNs);
  hash =
      mixHash(hash, static_cast<std::uint64_t>(event.kind) << 32 | static_cast<std::uint32_t>(event.subject));
  s.touchedCpus.forEach([&](CpuId cpu) {
    const Rq& rq = m.rq(cpu);
    const auto pid = static_cast<std::uint32_t>(rq.curr.isValid() ? m.task(rq.curr).pid : 0);
    hash = mixHash(hash, static_cast<std::uint64_t>(cpu.value) << 48 ^
                             static_cast<std::uint64_t>(rq.nrRunning) << 32 ^ pid);
  });
  s.runHash = hash;
}

CpuMask idleWhileWaiting(const SimState& s) {
  const Machine& m = s.machine;
  if (s.idleCount == 0 || s.waitingTasks == 0) return {};
  if (s.workload.restrictedTasks == 0) return s.idleCpus;
  CpuMask usable;
  for (CpuId cpu = m.topology->online.first(); cpu.isValid(); cpu = m.topology->online.next(cpu)) {
    if (s.cpus[cpu.index()].waiting == 0) continue;
    for (TaskId t = m.rq(cpu).listHead; t.isValid(); t = m.task(t).listNext) {
      if (t == m.rq(cpu).curr || m.se(t).schedDelayed) continue;
      usable |= m.task(t).cpusAllowed;
    }
  }
  return usable & s.idleCpus;
}

}  // namespace rqscope
