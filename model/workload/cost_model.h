// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace rqscope {

/// What the hardware charges beside the work itself. All zero: only the scheduler's decisions show.
struct CostModel {
  std::uint64_t contextSwitchNs = 0;  ///< CPU time of the task that is switched in
  std::uint64_t migrationNs = 0;      ///< CPU time after a move to another CPU, fork included (cold caches)
  std::uint64_t wakeupNs = 0;         ///< CPU time of the running task that wakes another
  std::uint64_t idleWakeupNs =
      0;  ///< an idle CPU stays idle so long after another CPU gave it a task (IPI, idle exit)
  std::uint64_t newidleCpuNs = 0;  ///< CPU time of a newidle pass for each CPU of its domain; measured by it
  std::uint64_t sharedQueueLockNs = 0;  ///< how long the lock of a shared wakequeue is held each time
  bool operator==(const CostModel&) const = default;
};

}  // namespace rqscope
