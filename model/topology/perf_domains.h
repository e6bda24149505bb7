// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "topology/sched_topology.h"

namespace rqscope {

/// The performance domains of one root domain, in the order in which placement walks them (the kernel's list
/// is filled from the front). None when energy-aware scheduling is off, or impossible: no energy model for
/// all CPUs, equal capacities, SMT; v6.1 also refuses models that are too large.
/// Kernel: build_perf_domains(), kernel/sched/topology.c (v6.1, v6.12; v7.3 by description).
std::vector<PerfDomain> buildPerfDomains(const Hardware& hardware, const KernelProfile& profile,
                                         const CpuMask& span, bool hasAsymCapacity, bool smtActive);

}  // namespace rqscope
