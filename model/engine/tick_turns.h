// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/sim_state.h"

namespace rqscope {

/// How late the CPU's tick of a round (its number since run time 0) is, by SimPlan::tickTurns; 0 without
/// them.
std::uint64_t turnDelay(const SimState& s, CpuId cpu, std::uint64_t round);
/// Jiffies of the present moment, and when they advance next, with turns; `keeperOffsetNs`: of the
/// timekeeper's tick.
void advanceJiffiesByTurn(SimState& s, std::uint64_t keeperOffsetNs);

}  // namespace rqscope
