// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/sim_state.h"
#include "rqscope/simulation.h"

namespace rqscope::api {

/// The shared wakequeues with their locks as they are now.
std::vector<SharedQueueFrame> sharedQueueFrames(const SimState& state);
/// Percentiles of the wakeup latencies counted so far.
Outcome::Latency wakeupLatency(const SimState& state);

}  // namespace rqscope::api
