// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

#include <nlohmann/json.hpp>

#include "engine/sim_state.h"

namespace rqscope {

/// The controlling thread from one wakeup to its next sleep: what it computed, by its own CPU time.
struct ControllerTurn {
  struct Piece {
    std::uint64_t runNs = 0;
    int forkedPid = -1;  ///< at its end; -1: none
  };
  std::uint64_t wokenNs = 0;  ///< since the start of the workload
  std::vector<Piece> pieces;
};

/// Adds the affinities, nice values and kills of a recorded run to the plan, and its end. Throws
/// json::exception.
void addTraceOperations(const nlohmann::json& run, SimPlan& plan);

/// Fills workload and operations of a plan with the specification of a recorded x86 run; affinities, nice
/// values and kills happen at the moments that the record shows. The thread "wl" forks all others from
/// `controllerCpu`: woken when it was, it computes as long as it did (CPU time, which no decision changes)
/// before and after each fork. Throws json::exception when the record is not as its README says.
void fillTraceWorkload(const nlohmann::json& run, CpuId controllerCpu,
                       const std::vector<ControllerTurn>& turns, std::uint64_t clockReadNs, SimPlan& plan);

/// Name of the controlling thread.
inline constexpr const char* kControllerName = "wl";

}  // namespace rqscope
