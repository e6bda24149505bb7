// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/sim_state.h"

namespace rqscope {

/// Idle CPUs that a waiting task could use, now. Exact with affinities: then the waiting tasks are looked at.
CpuMask idleWhileWaiting(const SimState& state);

}  // namespace rqscope
