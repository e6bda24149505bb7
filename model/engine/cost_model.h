// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace rqscope {

/// What the hardware charges beside the work itself, as CPU time of the task that pays. All zero: only the
/// scheduler's decisions show.
struct CostModel {
  std::uint64_t contextSwitchNs = 0;  ///< paid by the task that is switched in
  std::uint64_t migrationNs = 0;      ///< paid after a move to another CPU (cold caches)
  std::uint64_t wakeupNs = 0;         ///< paid by the running task that wakes another
  bool operator==(const CostModel&) const = default;
};

}  // namespace rqscope
