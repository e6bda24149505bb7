// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "groupstats/placement_decision.h"
#include "rqscope/ladder.h"

namespace rqscope::api {

/// Energy-aware placement of a wakeup: each CPU with what its domain would use. Kernel:
/// find_energy_efficient_cpu().
Rung energyRung(const Placement& p);

}  // namespace rqscope::api
