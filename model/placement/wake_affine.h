// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "groupstats/placement_decision.h"
#include "runqueue/observer.h"

namespace rqscope {

class PlacementHook;

/// True when both CPUs are under one last-level cache. Kernel: cpus_share_cache().
bool cpusShareCache(const Machine& m, CpuId a, CpuId b);

/// Counts how often the waker on `wakerCpu` changes its wakee. Kernel: record_wakee() (v6.1, v6.12, v7.3).
void recordWakee(Machine& m, CpuId wakerCpu, TaskId wakee);

/// Operands of wake_wide().
struct WakeWide {
  std::uint32_t wakerFlips = 0, wakeeFlips = 0, factor = 1;
  bool isWide = false;
};
/// True for M:N wakers, whose tasks should spread. Kernel: wake_wide() (v6.1, v6.12, v7.3).
WakeWide wakeWide(const Machine& m, CpuId wakerCpu, TaskId wakee);

/// What wake_affine() or one of its parts found; no CPU = undecided.
struct WakeAffineChoice {
  CpuId cpu;
  WakeAffineReason reason = WakeAffineReason::Undecided;
  std::int64_t thisEffLoad = 0, prevEffLoad = 0;
};
/// Kernel: wake_affine_idle() (v6.1; v6.12 and v7.3 leave delayed tasks out of the sync test).
WakeAffineChoice wakeAffineIdle(const Machine& m, CpuId thisCpu, CpuId prevCpu, bool sync);
/// Kernel: wake_affine_weight() (v6.1, v6.12, v7.3). The waker is the current task of thisCpu.
WakeAffineChoice wakeAffineWeight(Machine& m, const SchedDomain& domain, TaskId task, CpuId thisCpu,
                                  CpuId prevCpu, bool sync, PlacementHook* hook = nullptr);
/// This CPU when the wakee should be pulled to it, else prevCpu. Kernel: wake_affine().
WakeAffineChoice wakeAffine(Machine& m, const SchedDomain& domain, TaskId task, CpuId thisCpu, CpuId prevCpu,
                            bool sync, PlacementHook* hook = nullptr);

}  // namespace rqscope
