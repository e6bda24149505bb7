// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>

namespace rqscope::bench {

/// A workload that never changes, so that figures of different days compare. sleepNs 0: always running.
struct FrozenWorkload {
  const char* name;
  int cpus;
  int tasks;
  std::uint64_t runNs;
  std::uint64_t sleepNs;
  std::uint64_t simulatedNs;  ///< how long one measured run simulates
};

inline constexpr std::uint64_t kTickNs = 1'000'000;  // 1 kHz

inline constexpr std::array<FrozenWorkload, 4> kFrozenWorkloads = {{
    {"W1", 4, 8, 0, 0, 100'000'000'000},
    {"W2", 16, 64, 2'000'000, 6'000'000, 8'000'000'000},
    {"W3", 64, 1000, 2'000'000, 30'000'000, 2'000'000'000},
    {"W4", 256, 1000, 2'000'000, 6'000'000, 1'000'000'000},
}};

/// What a run did, to see that both sides did the same kind of work.
struct RunCounts {
  std::uint64_t events = 0, ticks = 0, switches = 0, wakeups = 0;
};

/// The plain loop: event heap, queues sorted by deadline, exact PELT on every event, wakeup preemption,
/// nothing else. Frozen: it is the yardstick.
RunCounts runPlainLoop(const FrozenWorkload& workload);

}  // namespace rqscope::bench
