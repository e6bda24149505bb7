// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "base/fixed.h"

namespace rqscope {

/// PELT state of an entity or queue. Kernel: struct sched_avg. Sums advance at every update, to the 1024 ns;
/// averages change only when a 1024 us period boundary is crossed.
struct SchedAvg {
  std::uint64_t lastUpdateTime = 0;  ///< ns; 0 = not attached
  std::uint64_t loadSum = 0;
  std::uint64_t runnableSum = 0;
  std::uint32_t utilSum = 0;
  std::uint32_t periodContrib = 0;  ///< 0..1023, in 1024 ns
  std::uint64_t loadAvg = 0;
  std::uint64_t runnableAvg = 0;
  std::uint64_t utilAvg = 0;
  std::uint32_t utilEst = 0;      ///< v6.8+: the ewma with flag bit 31; v6.1: util_est.enqueued
  std::uint32_t utilEstEwma = 0;  ///< v6.1 only
  bool operator==(const SchedAvg&) const = default;
};

inline constexpr std::uint32_t kLoadAvgMax = 47742;      ///< LOAD_AVG_MAX
inline constexpr std::uint32_t kPeltMinDivider = 46718;  ///< PELT_MIN_DIVIDER
inline constexpr std::uint32_t kUtilAvgUnchanged = 0x80000000U;

/// Kernel: get_pelt_divider().
inline std::uint32_t peltDivider(const SchedAvg& avg) { return kPeltMinDivider + avg.periodContrib; }

/// What an update adds time for: weights of the three sums.
struct PeltInput {
  std::uint64_t load = 0;
  std::uint64_t runnable = 0;
  bool running = false;
};

/// value * y^periods. Kernel: decay_load(), kernel/sched/pelt.c (v6.1, v6.12, v7.3).
std::uint64_t decayLoad(std::uint64_t value, std::uint64_t periods);

/// Advances the sums to nowNs; true when a period boundary was crossed. Kernel: ___update_load_sum().
bool updateLoadSum(std::uint64_t nowNs, SchedAvg& avg, PeltInput input);

/// Recomputes the averages from the sums; `weight` is se_weight for entities, 1 for queues.
/// Kernel: ___update_load_avg().
void updateLoadAverages(SchedAvg& avg, std::uint64_t weight);

}  // namespace rqscope
