// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include <nlohmann/json.hpp>

#include "engine/sim_state.h"
#include "evaluate/juno_trace.h"

namespace rqscope {

/// When the recording machine ticked, and how long it took to balance. The grid of the ticks is a constant of
/// its boot and is read from all recorded ticks; how long things take is read in the pinned phase alone, in
/// which no task can be pulled, and counted from the tick that it follows.
struct JunoTiming {
  std::uint64_t phaseNs = 0;             ///< the moments of the tick, modulo its period
  std::vector<std::uint64_t> offsetsNs;  ///< by CPU: of its tick behind that moment (skew_tick)
  TickTurns turns;
  struct Round {
    std::vector<std::int32_t> lateNs;                ///< ticks, by CPU; below 0: not recorded
    std::int32_t jiffyLateNs = -1;                   ///< the timekeeper's interrupt
    std::vector<std::int32_t> startsNs, switchesNs;  ///< by CPU: what follows them, likewise
  };
  std::map<std::uint64_t, Round> rounds;  ///< recorded ticks, by their number since `phaseNs`
  SoftirqTiming softirq;
  WorkClock workClock;

  /// The last moment of the grid at or before `ns`.
  std::uint64_t gridBefore(std::uint64_t ns, std::uint64_t periodNs) const {
    return ns - (ns - phaseNs) % periodNs;
  }
};

std::uint64_t medianOf(std::vector<std::uint64_t> values);

JunoTiming junoTiming(const nlohmann::json& run, const JunoTrace& trace, const SchedTopology& topology,
                      std::uint64_t periodNs);

}  // namespace rqscope
