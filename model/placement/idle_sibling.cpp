// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "placement/idle_sibling.h"

#include <limits>

#include "placement/placement_hook.h"
#include "placement/wake_affine.h"
#include "runqueue/load_tracking.h"

namespace rqscope {
namespace {

using Verdict = PlacementCpu::Verdict;

void note(Placement* record, CpuId cpu, PlacementStep step, Verdict verdict, std::uint64_t value = 0) {
  if (record != nullptr && record->isDetailed) record->cpus.push_back({cpu, step, verdict, value});
}

void decided(Placement* record, CpuId cpu, PlacementStep step) {
  if (record == nullptr) return;
  record->decidedBy = step;
  if (record->isDetailed) record->cpus.push_back({cpu, step, Verdict::Chosen, 0});
}

/// True when a CPU that runs only SCHED_IDLE tasks counts as idle for the task. Kernel:
/// choose_sched_idle_rq() (v7.3); before, for every task.
bool takesSchedIdle(const Machine& m, TaskId task, CpuId cpu) {
  if (!isSchedIdleCpu(m, cpu)) return false;
  return m.behaviours().schedIdleForIdleWakee || m.task(task).policy != SchedPolicy::Idle;
}

/// Kernel: choose_idle_cpu() (v7.3), available_idle_cpu() || sched_idle_cpu() before.
bool isIdleFor(const Machine& m, TaskId task, CpuId cpu) {
  return looksIdleCpu(m, cpu) || takesSchedIdle(m, task, cpu);
}

SharedId idleCoresShared(const Machine& m, CpuId cpu) {
  const CpuDomains& domains = m.topology->cpus[cpu.index()];
  if (m.behaviours().idleScanOwnedByDomain && domains.sdAsymCpucapacity.isValid()) {
    const SharedId shared = m.topology->domain(domains.sdAsymCpucapacity).shared;
    if (shared.isValid()) return shared;
  }
  return domains.llcShared;
}

bool testIdleCores(const Machine& m, CpuId cpu) {
  const SharedId shared = idleCoresShared(m, cpu);
  return shared.isValid() && m.shared[shared.index()].hasIdleCores;
}

void setIdleCores(Machine& m, CpuId cpu, bool value) {
  const SharedId shared = idleCoresShared(m, cpu);
  if (shared.isValid()) m.shared[shared.index()].hasIdleCores = value;
}

/// Walks a live mask from `start` around to just before it, as for_each_cpu_wrap(): CPUs cleared while
/// walking are skipped. f returns true to stop.
template <class F>
void walkWrapping(const CpuMask& mask, CpuId start, F&& f) {
  for (CpuId cpu = mask.next(CpuId{start.value - 1}); cpu.isValid(); cpu = mask.next(cpu))
    if (f(cpu)) return;
  for (CpuId cpu = mask.first(); cpu.isValid() && cpu < start; cpu = mask.next(cpu))
    if (f(cpu)) return;
}

/// looksIdleCpu(), counted.
bool lookAtCpu(const Machine& m, CpuId cpu, Placement* record) {
  if (record != nullptr) ++record->searched;
  return looksIdleCpu(m, cpu);
}

/// The state of one scan of select_idle_cpu().
struct IdleScan {
  Machine& m;
  TaskId task;
  CpuMask cpus;
  bool wantsCore;
  std::int64_t left;  ///< CPUs that may still be looked at, plus one
  CpuId fallback;     ///< idle CPU on a busy core
  Placement* record;
  std::int32_t searchedAtFallback = 0;

  void setFallback(CpuId cpu) {
    fallback = cpu;
    if (record != nullptr) searchedAtFallback = record->searched;
  }

  /// Kernel: select_idle_core(): `cpu` when its whole core is idle.
  bool isWholeCoreIdle(CpuId cpu) {
    bool idle = true;
    const CpuMask& siblings = m.topology->smtMask[cpu.index()];
    for (CpuId s = siblings.first(); s.isValid(); s = siblings.next(s)) {
      if (!lookAtCpu(m, s, record)) {
        idle = false;
        if (fallback.isValid()) break;
        if (takesSchedIdle(m, task, s) && cpus.test(s)) {
          setFallback(s);
          break;
        }
        continue;
      }
      if (!fallback.isValid() && cpus.test(s)) setFallback(s);
    }
    return idle;
  }

  /// One CPU of the scan; true ends it, with the result in `found`.
  bool visit(CpuId cpu, CpuId& found, bool& gaveUp) {
    if (wantsCore) {
      if (isWholeCoreIdle(cpu)) {
        found = cpu;
        return true;
      }
      note(record, cpu, PlacementStep::IdleCore, Verdict::BusySibling);
      cpus -= m.topology->smtMask[cpu.index()];
      return false;
    }
    if (--left <= 0) {
      note(record, cpu, PlacementStep::IdleCpuScan, Verdict::ScanLimit);
      gaveUp = true;
      return true;
    }
    if (record != nullptr) ++record->searched;
    if (isIdleFor(m, task, cpu)) {
      found = cpu;
      return true;
    }
    note(record, cpu, PlacementStep::IdleCpuScan, Verdict::NotIdle);
    return false;
  }
};

/// CPUs that SIS_UTIL lets the scan look at, plus one; 1 = none at all.
std::int64_t scanBudget(const Machine& m, SharedId shared) {
  if (!m.features().sisUtil || !shared.isValid()) return std::numeric_limits<std::int32_t>::max();
  return std::int64_t{m.shared[shared.index()].nrIdleScan} + 1;
}

/// The cluster that holds `target`, when the cache has clusters. Kernel: sd->groups with SD_CLUSTER, v6.7+.
const SchedGroup* clusterOf(const Machine& m, const SchedDomain& domain) {
  if (!m.behaviours().clusterScan || domain.groups.empty()) return nullptr;
  const SchedGroup& local = m.topology->group(domain.groups.front());
  return (local.flags & kSdCluster) != 0 ? &local : nullptr;
}

/// Kernel: select_idle_cpu(). Simplified: SIS_PROP of v6.1 (off by default there) does not exist.
CpuId selectIdleCpu(Machine& m, const SchedDomain& domain, TaskId task, bool hasIdleCore, CpuId target,
                    Placement* record) {
  const SharedId shared =
      m.behaviours().idleScanOwnedByDomain ? domain.shared : m.topology->cpus[target.index()].llcShared;
  const std::int64_t budget = scanBudget(m, shared);
  if (record != nullptr && shared.isValid()) record->nrIdleScan = m.shared[shared.index()].nrIdleScan;
  if (budget == 1) return CpuId{};
  IdleScan scan{m, task, domain.span & m.task(task).cpusAllowed, hasIdleCore, budget, CpuId{}, record, 0};
  const CpuId start{target.value + 1};
  CpuId found;
  bool gaveUp = false;
  if (const SchedGroup* cluster = clusterOf(m, domain)) {
    walkWrapping(cluster->span, start,
                 [&](CpuId cpu) { return scan.cpus.test(cpu) && scan.visit(cpu, found, gaveUp); });
    if (found.isValid() || gaveUp) return found;
    scan.cpus -= cluster->span;
  }
  walkWrapping(scan.cpus, start, [&](CpuId cpu) { return scan.visit(cpu, found, gaveUp); });
  if (gaveUp || (found.isValid())) return found;
  if (hasIdleCore) {
    setIdleCores(m, target, false);
    if (record != nullptr && scan.fallback.isValid())
      record->searchedAfter = record->searched - scan.searchedAtFallback;
    return scan.fallback;
  }
  return CpuId{};
}

/// Kernel: select_idle_smt(): an idle sibling of `prev` inside the cache domain.
CpuId selectIdleSmt(const Machine& m, const SchedDomain& domain, TaskId task, CpuId prev, Placement* record) {
  const CpuMask& siblings = m.topology->smtMask[prev.index()];
  for (CpuId cpu = siblings.first(); cpu.isValid(); cpu = siblings.next(cpu)) {
    if (cpu == prev || !m.task(task).cpusAllowed.test(cpu) || !domain.span.test(cpu)) continue;
    if (record != nullptr) ++record->searched;
    if (isIdleFor(m, task, cpu)) return cpu;
    note(record, cpu, PlacementStep::IdleSmtOfPrev, Verdict::NotIdle);
  }
  return CpuId{};
}

/// What "the task fits" needs, read once. Kernel: asym_fits_cpu().
struct FitTest {
  bool isAsymmetric = false;
  std::uint64_t util = 0, uclampMin = 0, uclampMax = 1024;

  FitTest(Context& ctx, TaskId task) : isAsymmetric(ctx.m.topology->asymCapacityActive) {
    if (!isAsymmetric) return;
    syncEntityLoadAvg(ctx, ctx.m.task(task).se);
    util = taskUtilEst(ctx.m, task);
    uclampMin = ctx.m.task(task).uclampMin;
    uclampMax = ctx.m.task(task).uclampMax;
  }
  bool fits(const Machine& m, CpuId cpu) const {
    if (!isAsymmetric) return true;
    if (m.behaviours().asymIdleCapacitySmt && m.topology->smtActive && !isCoreIdle(m, cpu)) return false;
    return utilFitsCpu(m, util, uclampMin, uclampMax, cpu) > 0;
  }
};

/// Why `cpu` does not serve the task, or Chosen.
Verdict judge(const Machine& m, TaskId task, CpuId cpu, const FitTest& fit) {
  if (!isIdleFor(m, task, cpu)) return Verdict::NotIdle;
  return fit.fits(m, cpu) ? Verdict::Chosen : Verdict::DoesNotFit;
}

bool sharesCluster(const Machine& m, CpuId a, CpuId b) {
  if (!m.behaviours().clusterScan) return true;
  return m.topology->cpus[a.index()].shareId == m.topology->cpus[b.index()].shareId;
}

/// CPUs kept in mind by the steps before the scan, for use when it finds nothing.
struct Aside {
  CpuId prev, recent;
};

/// Target, previous CPU, per-CPU kthread and recent CPU: the steps before any scan. None = go on.
CpuId tryKnownCpus(Machine& m, TaskId task, CpuId prev, CpuId target, CpuId wakerCpu, const FitTest& fit,
                   Aside& aside, Placement* record) {
  Verdict verdict = judge(m, task, target, fit);
  if (verdict == Verdict::Chosen) {
    decided(record, target, PlacementStep::TargetIdle);
    return target;
  }
  note(record, target, PlacementStep::TargetIdle, verdict);
  verdict = prev == target                     ? Verdict::SameAsOther
            : !cpusShareCache(m, prev, target) ? Verdict::OtherLlc
                                               : judge(m, task, prev, fit);
  if (verdict == Verdict::Chosen && sharesCluster(m, prev, target)) {
    decided(record, prev, PlacementStep::PrevIdle);
    return prev;
  }
  if (verdict == Verdict::Chosen) aside.prev = prev;
  note(record, prev, PlacementStep::PrevIdle, verdict == Verdict::Chosen ? Verdict::LessGood : verdict);
  const Rq& waker = m.rq(wakerCpu);
  if (m.behaviours().kthreadWakesInPlace && waker.curr.isValid() && m.task(waker.curr).isPerCpuKthread &&
      prev == wakerCpu && waker.nrRunning <= 1 && fit.fits(m, prev)) {
    decided(record, prev, PlacementStep::KthreadPrev);
    return prev;
  }
  const CpuId recent = m.task(task).recentUsedCpu;
  m.task(task).recentUsedCpu = prev;
  if (!recent.isValid()) return CpuId{};
  verdict = recent == prev || recent == target       ? Verdict::SameAsOther
            : !cpusShareCache(m, recent, target)     ? Verdict::OtherLlc
            : !m.task(task).cpusAllowed.test(recent) ? Verdict::NotAllowed
                                                     : judge(m, task, recent, fit);
  if (verdict == Verdict::Chosen && sharesCluster(m, recent, target)) {
    decided(record, recent, PlacementStep::RecentIdle);
    return recent;
  }
  if (verdict == Verdict::Chosen) aside.recent = recent;
  note(record, recent, PlacementStep::RecentIdle, verdict == Verdict::Chosen ? Verdict::LessGood : verdict);
  return CpuId{};
}

/// The scans of the last-level cache. None = nothing idle found.
CpuId scanCache(Machine& m, const SchedDomain& domain, TaskId task, CpuId prev, CpuId target,
                Placement* record) {
  bool hasIdleCore = false;
  if (m.topology->smtActive) {
    hasIdleCore = testIdleCores(m, target);
    if (record != nullptr) record->hasIdleCore = hasIdleCore;
    if (!hasIdleCore && cpusShareCache(m, prev, target)) {
      const CpuId sibling = selectIdleSmt(m, domain, task, prev, record);
      if (sibling.isValid()) {
        decided(record, sibling, PlacementStep::IdleSmtOfPrev);
        return sibling;
      }
    }
  }
  const CpuId idle = selectIdleCpu(m, domain, task, hasIdleCore, target, record);
  if (idle.isValid())
    decided(record, idle, hasIdleCore ? PlacementStep::IdleCore : PlacementStep::IdleCpuScan);
  return idle;
}

}  // namespace

void updateIdleCore(Machine& m, CpuId cpu) {
  if (!m.topology->smtActive || testIdleCores(m, cpu)) return;
  if (isCoreIdle(m, cpu)) setIdleCores(m, cpu, true);
}

CpuId selectIdleSibling(Context& ctx, TaskId task, CpuId prev, CpuId target, CpuId wakerCpu,
                        Placement* record) {
  Machine& m = ctx.m;
  if (ctx.placementHook != nullptr) ctx.placementHook->onSelectIdleSibling(m, target);
  if (record != nullptr) record->target = target;
  const FitTest fit(ctx, task);
  Aside aside;
  const CpuId known = tryKnownCpus(m, task, prev, target, wakerCpu, fit, aside, record);
  if (known.isValid()) return known;
  const CpuDomains& domains = m.topology->cpus[target.index()];
  if (m.topology->asymCapacityActive && domains.sdAsymCpucapacity.isValid()) {
    const SchedDomain& asym = m.topology->domain(domains.sdAsymCpucapacity);
    const CpuId idle = selectIdleCapacity(m, asym, task, target, record);
    decided(record, idle.isValid() ? idle : target,
            idle.isValid() ? PlacementStep::AsymCapacity : PlacementStep::TargetFallback);
    return idle.isValid() ? idle : target;
  }
  if (!domains.sdLlc.isValid()) {
    decided(record, target, PlacementStep::NoLlc);
    return target;
  }
  const CpuId idle = scanCache(m, m.topology->domain(domains.sdLlc), task, prev, target, record);
  if (idle.isValid()) return idle;
  if (aside.prev.isValid()) {
    decided(record, aside.prev, PlacementStep::PrevAside);
    return aside.prev;
  }
  if (aside.recent.isValid()) {
    decided(record, aside.recent, PlacementStep::RecentAside);
    return aside.recent;
  }
  decided(record, target, PlacementStep::TargetFallback);
  // Mail variant of the shared wakequeue: only such a task is queued.
  if (m.behaviours().wakequeueOnlyWhenNoIdle) m.task(task).addToWakequeue = true;
  return target;
}

}  // namespace rqscope
