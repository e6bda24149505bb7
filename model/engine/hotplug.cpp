// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "engine/scheduler.h"
#include "engine/simulator.h"
#include "runqueue/shared_queue.h"

namespace rqscope {
namespace {

/// The topology that the kernel rebuilds after the CPU came or went; null when it would refuse.
std::shared_ptr<const SchedTopology> topologyWith(const Machine& m, CpuId cpu, bool online) {
  Hardware hardware = m.topology->hardware;
  for (HardwareCpu& c : hardware.cpus)
    if (c.id == cpu) c.online = online;
  std::erase(hardware.unpluggedAfterBoot, cpu);
  if (!online) hardware.unpluggedAfterBoot.push_back(cpu);
  auto built = buildSchedTopology(hardware, *m.profile);
  return built.ok() ? built.value() : nullptr;
}

/// Domains are new objects after a rebuild: their counters start as at boot. Kernel: build_sched_domains().
void adoptTopology(Machine& m, std::shared_ptr<const SchedTopology> topology) {
  const Machine fresh = makeMachine(topology, m.profile, m.nowNs, 0);
  m.topology = std::move(topology);
  m.domains = fresh.domains;
  m.capacities = fresh.capacities;
  m.shared = fresh.shared;
  m.rootDomains = fresh.rootDomains;
  m.baseSliceNs = fresh.baseSliceNs;
  m.latencyNs = fresh.latencyNs;
  m.minGranularityNs = fresh.minGranularityNs;
  m.wakeupGranularityNs = fresh.wakeupGranularityNs;
  for (DomainState& domain : m.domains) domain.lastBalance = m.jiffies;
  sharedQueuesAfterRebuild(m);
}

}  // namespace

/// Takes a CPU down or up and rebuilds the domains. False when the kernel would refuse (no such CPU, no
/// change, the last one).
bool Simulator::setCpuOnline(CpuId cpu, bool online) {
  SimState& s = m_state;
  Machine& m = s.machine;
  if (!s.allCpus.test(cpu) || m.topology->online.test(cpu) == online) return false;
  if (!online && m.topology->online.weight() == 1) return false;
  auto topology = topologyWith(m, cpu, online);
  if (topology == nullptr) return false;
  Context ctx = context();
  if (!online) {
    if (const TaskId curr = m.rq(cpu).curr; curr.isValid()) settle(cpu, curr);
    s.runEnds.clear(cpu.index());
    s.idleExits.clear(cpu.index());
    evacuateCpu(ctx, cpu);
    m.nohz.idleCpus.clear(cpu);
    m.rq(cpu).nohzTickStopped = false;
    s.tickingCpus.clear(cpu);
    if (s.cpus[cpu.index()].isIdle) {
      s.idleCpus.clear(cpu);
      --s.idleCount;
    }
  }
  adoptTopology(m, std::move(topology));
  if (m.behaviours().wakequeue >= Behaviours::Wakequeue::V3)  // made anew, as the queues
    s.sharedQueueLocks.assign(m.sharedQueues.size(), {});
  setCpuActive(m, cpu, online);
  updateMaxInterval(m, m.topology->online.weight() - (online ? 1 : 0));
  if (online) {
    s.cpus[cpu.index()].isIdle = false;  // so that it enters idle now
    s.touchedCpus.set(cpu);
  }
  recountRestricted();
  s.touchedCpus |= m.topology->online;
  return true;
}

void Simulator::recountRestricted() {
  WorkloadState& w = m_state.workload;
  w.restrictedTasks = 0;
  for (std::size_t slot = 0; slot < w.threads.size(); ++slot)
    if (w.threads[slot].program >= 0 && w.threads[slot].endNs < 0 && isRestricted(TaskId{slot}))
      ++w.restrictedTasks;
}

}  // namespace rqscope
