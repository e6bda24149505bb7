// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "topology/domain_builder.h"

namespace rqscope {

/// Kernel: build_sched_groups() and build_overlap_sched_groups() for every CPU and level (v6.1, v6.12, v7.3).
/// Ends early, with what is built so far, when `stop` is requested.
void buildGroups(DomainBuild& build, const CpuMask& partition, const Behaviours& behaviours,
                 const std::stop_token& stop = {});

/// Number of cores and preferred CPU of every group. Kernel: init_sched_groups_capacity().
void finishGroups(DomainBuild& build, const Hardware& hardware, const CpuMask& partition,
                  const std::stop_token& stop = {});

/// Priority of a CPU for SD_ASYM_PACKING. Kernel: arch_asym_cpu_priority(); by default lower numbers come
/// first.
int asymCpuPriority(const Hardware& hardware, CpuId cpu);

}  // namespace rqscope
