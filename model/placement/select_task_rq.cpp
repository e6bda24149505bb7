// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "placement/select_task_rq.h"

#include "placement/dst_group.h"
#include "placement/energy.h"
#include "placement/idle_sibling.h"
#include "placement/placement_hook.h"
#include "placement/wake_affine.h"
#include "runqueue/queue.h"

namespace rqscope {
namespace {

/// Where the walk up the domains of the waking CPU ended.
struct Walk {
  CpuId cpu;          ///< target of the fast path
  DomainId slowPath;  ///< highest domain with the flag; none = fast path
};

void noteAffine(Placement* record, DomainId domain, const WakeAffineChoice& choice) {
  if (record == nullptr) return;
  record->affineDomain = domain;
  record->wakeAffine = choice.reason;
  record->thisEffLoad = choice.thisEffLoad;
  record->prevEffLoad = choice.prevEffLoad;
}

/// Kernel: the for_each_domain() loop of select_task_rq_fair().
Walk walkDomains(Context& ctx, TaskId task, CpuId prevCpu, CpuId wakerCpu, std::uint32_t wakeFlags,
                 bool wantAffine, Placement* record) {
  Machine& m = ctx.m;
  const std::uint32_t sdFlag = wakeFlags & 0xF;
  const TaskId waker = m.rq(wakerCpu).curr;
  const bool sync = (wakeFlags & kWfSync) != 0 && !(waker.isValid() && m.task(waker).exiting);
  Walk walk{prevCpu, DomainId{}};
  for (DomainId id = m.topology->cpus[wakerCpu.index()].lowest; id.isValid();
       id = m.topology->domain(id).parent) {
    const SchedDomain& domain = m.topology->domain(id);
    if (wantAffine && (domain.flags & kSdWakeAffine) != 0 && domain.span.test(prevCpu)) {
      walk.slowPath = DomainId{};
      if (wakerCpu == prevCpu) {
        noteAffine(record, id, {prevCpu, WakeAffineReason::PrevSame});
        break;
      }
      const WakeAffineChoice choice = wakeAffine(m, domain, task, wakerCpu, prevCpu, sync, ctx.placementHook);
      noteAffine(record, id, choice);
      walk.cpu = choice.cpu;
      break;
    }
    if ((domain.flags & sdFlag) != 0)
      walk.slowPath = id;
    else if (!wantAffine)
      break;
  }
  return walk;
}

CpuId finish(Placement* record, CpuId cpu) {
  if (record != nullptr) record->chosen = cpu;
  return cpu;
}

void begin(Placement* record, const Machine& m, TaskId task, CpuId prevCpu, CpuId wakerCpu,
           std::uint32_t wakeFlags) {
  if (record == nullptr) return;
  record->timeNs = m.nowNs;
  record->kind = (wakeFlags & kWfFork) != 0   ? PlacementKind::Fork
                 : (wakeFlags & kWfExec) != 0 ? PlacementKind::Exec
                                              : PlacementKind::Wakeup;
  record->task = task;
  record->wakerCpu = wakerCpu;
  record->prevCpu = prevCpu;
  record->wakeFlags = wakeFlags;
  record->decidedBy = PlacementStep::PrevKept;
}

/// The wakeup's part before the domains: true when the wakee may be pulled to the waker.
bool considerAffine(Machine& m, TaskId task, CpuId wakerCpu, Placement* record) {
  const WakeWide wide = wakeWide(m, wakerCpu, task);
  const bool wantAffine = !wide.isWide && m.task(task).cpusAllowed.test(wakerCpu);
  if (record != nullptr) {
    record->wakeWide = wide.isWide;
    record->wakerFlips = wide.wakerFlips;
    record->wakeeFlips = wide.wakeeFlips;
    record->wakeWideFactor = wide.factor;
    record->wantAffine = wantAffine;
  }
  return wantAffine;
}

bool isCpuAllowed(const Machine& m, TaskId task, CpuId cpu) {
  return cpu.isValid() && m.task(task).cpusAllowed.test(cpu) && m.rq(cpu).isOnline;
}

/// Kernel: select_fallback_rq(). Simplified: cpusets are not asked before the mask is widened to all CPUs.
CpuId selectFallbackRq(Machine& m, TaskId task) {
  Task& t = m.task(task);
  const SchedTopology& topology = *m.topology;
  const NodeId node = topology.node[t.cpu.index()];
  CpuId sameNode, any, online;
  topology.online.forEach([&](CpuId cpu) {
    if (m.rq(cpu).isOnline && !online.isValid()) online = cpu;
    if (!isCpuAllowed(m, task, cpu)) return;
    if (!any.isValid()) any = cpu;
    if (!sameNode.isValid() && topology.node[cpu.index()] == node) sameNode = cpu;
  });
  if (sameNode.isValid()) return sameNode;
  if (any.isValid()) return any;
  t.cpusAllowed = topology.online;
  t.nrCpusAllowed = t.cpusAllowed.weight();
  return online;
}

}  // namespace

CpuId selectTaskRqFair(Context& ctx, TaskId task, CpuId prevCpu, CpuId wakerCpu, std::uint32_t wakeFlags,
                       Placement* record) {
  Machine& m = ctx.m;
  begin(record, m, task, prevCpu, wakerCpu, wakeFlags);
  bool wantAffine = false;
  if ((wakeFlags & kWfTtwu) != 0) {
    recordWakee(m, wakerCpu, task);
    if (ctx.placementHook != nullptr) ctx.placementHook->onWakeWide(m);
    if ((wakeFlags & kWfCurrentCpu) != 0 && m.task(task).cpusAllowed.test(wakerCpu)) {
      if (record != nullptr) record->decidedBy = PlacementStep::WakeCurrentCpu;
      return finish(record, wakerCpu);
    }
    EnergyChoice* energy = record != nullptr ? &record->energy : nullptr;
    const CpuId efficient =
        findEnergyEfficientCpu(ctx, task, prevCpu, wakerCpu, energy, record != nullptr && record->isDetailed);
    if (efficient.isValid()) {
      if (record != nullptr) record->decidedBy = PlacementStep::EnergyAware;
      return finish(record, efficient);
    }
    wantAffine = considerAffine(m, task, wakerCpu, record);
  }
  const Walk walk = walkDomains(ctx, task, prevCpu, wakerCpu, wakeFlags, wantAffine, record);
  if (walk.slowPath.isValid()) {
    if (record != nullptr) record->decidedBy = PlacementStep::SlowPath;
    return finish(record, findDstCpu(ctx, walk.slowPath, task, wakerCpu, prevCpu, wakeFlags & 0xF, record));
  }
  if ((wakeFlags & kWfTtwu) != 0)
    return finish(record, selectIdleSibling(ctx, task, prevCpu, walk.cpu, wakerCpu, record));
  return finish(record, walk.cpu);
}

CpuId selectTaskRq(Context& ctx, TaskId task, CpuId cpu, CpuId wakerCpu, std::uint32_t wakeFlags) {
  Machine& m = ctx.m;
  Placement placement;
  placement.isDetailed = ctx.observer.wantsDecisions();
  ctx.observer.onPlacementBegin(m, {task, cpu, wakerCpu, wakeFlags});
  CpuId chosen;
  if (m.task(task).nrCpusAllowed > 1) {
    chosen = selectTaskRqFair(ctx, task, cpu, wakerCpu, wakeFlags, &placement);
  } else {
    begin(&placement, m, task, cpu, wakerCpu, wakeFlags);
    placement.decidedBy = PlacementStep::OnlyOneCpu;
    chosen = m.task(task).cpusAllowed.first();
  }
  if (!isCpuAllowed(m, task, chosen)) {
    chosen = selectFallbackRq(m, task);
    placement.decidedBy = PlacementStep::NotAllowedFallback;
  }
  finish(&placement, chosen);
  ctx.observer.onPlacement(m, placement);
  return chosen;
}

}  // namespace rqscope
