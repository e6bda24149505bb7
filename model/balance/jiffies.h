// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>

#include "runqueue/machine.h"

namespace rqscope {

/// Rounds up. Kernel: msecs_to_jiffies().
inline std::uint64_t jiffiesOfMs(const Machine& m, std::uint64_t ms) {
  return (ms * static_cast<std::uint64_t>(m.tunables().hz) + 999) / 1000;
}

/// Kernel: max_load_balance_interval.
inline std::uint64_t maxBalanceInterval(const Machine& m) {
  if (m.maxBalanceIntervalJiffies != 0) return m.maxBalanceIntervalJiffies;
  const auto online = static_cast<std::uint64_t>(m.topology->online.weight());
  return std::max<std::uint64_t>(static_cast<std::uint64_t>(m.tunables().hz) * online / 10, 1);
}

// Comparisons of wrapping jiffies. Kernel: time_after(), time_after_eq().
inline bool isAfter(std::uint64_t a, std::uint64_t b) { return static_cast<std::int64_t>(b - a) < 0; }
inline bool isAfterOrAt(std::uint64_t a, std::uint64_t b) { return static_cast<std::int64_t>(a - b) >= 0; }

}  // namespace rqscope
