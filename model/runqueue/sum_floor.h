// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>

#include "runqueue/machine.h"

namespace rqscope {

/// After a subtraction a queue's sum must not fall below what its average implies: sum = max(sum, avg *
/// 46718). v6.1 and v6.12 evaluate that in 32 bits for every sum, also the 64-bit ones; v7.3 in the field's
/// type.
inline std::uint64_t flooredSum(const Machine& m, std::uint64_t sum, std::uint64_t avg) {
  const std::uint64_t floor = avg * kPeltMinDivider;
  if (m.behaviours().floorInFieldType) return std::max(sum, floor);
  return std::max(static_cast<std::uint32_t>(sum), static_cast<std::uint32_t>(floor));
}
inline void floorLoadSum(const Machine& m, SchedAvg& avg) {
  avg.loadSum = flooredSum(m, avg.loadSum, avg.loadAvg);
}
inline void floorRunnableSum(const Machine& m, SchedAvg& avg) {
  avg.runnableSum = flooredSum(m, avg.runnableSum, avg.runnableAvg);
}
inline void floorUtilSum(SchedAvg& avg) {
  avg.utilSum = std::max(avg.utilSum, static_cast<std::uint32_t>(avg.utilAvg * kPeltMinDivider));
}
inline void floorSums(const Machine& m, SchedAvg& avg) {
  floorLoadSum(m, avg);
  floorUtilSum(avg);
  floorRunnableSum(m, avg);
}

/// Kernel: add_positive(): adds a signed delta, a result below 0 becomes 0.
template <class T>
constexpr void addPositive(T& value, std::int64_t delta) {
  const T result = static_cast<T>(value + static_cast<std::uint64_t>(delta));
  value = delta < 0 && result > value ? T{0} : result;
}

/// Registers a change of the runnable sum for the levels above. Kernel: add_tg_cfs_propagate(), with the sum
/// that the patch tg_load_avg_delay_removed held back.
inline void addTgCfsPropagate(CfsRq& queue, std::int64_t runnableSum) {
  queue.propagate = true;
  queue.propRunnableSum += runnableSum + queue.propRemovedSum;
  queue.propRemovedSum = 0;
}

}  // namespace rqscope
