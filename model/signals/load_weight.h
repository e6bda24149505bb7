// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace rqscope {

/// Kernel: struct load_weight. `weight` is scaled (nice 0 = 1048576); inverse 0 = not computed.
struct LoadWeight {
  std::uint64_t weight = 0;
  std::uint32_t inverse = 0;
  bool operator==(const LoadWeight&) const = default;
};

enum class SchedPolicy : std::uint8_t { Normal, Batch, Idle };

/// Weight and inverse of a nice value and policy. Kernel: set_load_weight(), sched_prio_to_weight.
LoadWeight loadWeightOf(int nice, SchedPolicy policy);

/// Kernel: scale_load_down(): 0 stays 0, otherwise at least 2.
constexpr std::uint64_t scaleLoadDown(std::uint64_t weight) {
  if (weight == 0) return 0;
  return weight >> 10 < 2 ? 2 : weight >> 10;
}
/// Kernel: scale_load().
constexpr std::uint64_t scaleLoad(std::uint64_t weight) { return weight << 10; }

/// delta * weight / lw.weight in the kernel's fixed point; computes and stores lw.inverse when 0.
/// Kernel: __calc_delta(), kernel/sched/fair.c (v6.1, v6.12).
std::uint64_t calcDelta(std::uint64_t delta, std::uint64_t weight, LoadWeight& lw);

/// cpu.weight 1..10000 to shares (scaled). Kernel: sched_weight_from_cgroup().
std::uint64_t sharesOfCgroupWeight(std::uint64_t weight);

}  // namespace rqscope
