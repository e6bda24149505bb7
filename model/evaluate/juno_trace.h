// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/result.h"

namespace rqscope {

/// What came to a recorded Juno run from outside: the ticks of its CPUs and the threads that are none of its
/// workload's. Times are those of the trace clock.
struct JunoTrace {
  struct Tick {
    std::uint64_t ns = 0;       ///< when it is traced: right before it looks whether to balance
    std::uint64_t clockNs = 0;  ///< rq clock: when its interrupt began
    std::size_t cpu = 0;
    // From there to the beginning of its balance softirq, or to a switch between tasks without one; below 0:
    // it had none, or the raw trace is missing.
    std::int32_t startNs = -1, switchNs = -1;
  };
  /// A thread on one CPU from its wakeup to its next sleep.
  struct Turn {
    std::string thread;
    std::uint64_t pid = 0;  ///< 0: not recorded
    int cpu = -1;
    int nice = 0;
    std::uint64_t wokenNs = 0;
    std::uint64_t runNs = 0;  ///< CPU time
    bool isNew = false;       ///< it was forked then
  };
  /// A call of sched_balance_rq() from a softirq that read statistics.
  struct Call {
    std::string domain;
    bool isIdle = false;       ///< an idle CPU ran it
    std::uint64_t fromNs = 0;  ///< end of what the softirq did before
    bool isFirst = true;       ///< of its softirq
    std::uint64_t readNs = 0;
    std::uint64_t lockNs = 0;  ///< of the source queue; 0: it found balance
    std::uint64_t endNs = 0;
  };
  std::vector<Tick> ticks;  ///< ascending
  std::vector<Call> calls;  ///< of the raw trace only, in order of their ends
  std::vector<Turn> turns;  ///< in order of their first switch
  bool isWhole = false;     ///< to the end of the run; else as far as the record goes
};

/// From the raw trace beside the record (trace.txt or trace.txt.gz); without one from the record itself,
/// which has the ticks and switches of the first 0.4 s. Fails only when the raw trace is damaged.
Result<JunoTrace> junoTrace(const nlohmann::json& run, const std::string& path);

}  // namespace rqscope
