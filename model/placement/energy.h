// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "groupstats/placement_decision.h"
#include "runqueue/observer.h"

namespace rqscope {

/// Energy of a performance domain for that highest and that summed utilisation, in the model's unit.
/// `state` receives the operating point. Kernel: em_cpu_energy(), include/linux/energy_model.h (v6.1, v6.12).
std::uint64_t domainEnergy(const Machine& m, const PerfDomain& domain, std::uint64_t maxUtil,
                           std::uint64_t sumUtil, std::uint64_t allowedCapacity,
                           const PerfDomain::State** state = nullptr);

/// CPU that costs least energy for a waking task, or none: another rule decides. `record` may be null.
/// Kernel: find_energy_efficient_cpu(), kernel/sched/fair.c (v6.1, v6.12; v7.3 by description: as v6.12).
CpuId findEnergyEfficientCpu(Context& ctx, TaskId task, CpuId prevCpu, CpuId wakerCpu, EnergyChoice* record,
                             bool isDetailed);

}  // namespace rqscope
