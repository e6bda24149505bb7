// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "base/result.h"
#include "evaluate/replay_report.h"

namespace rqscope {

/// Replays `pelt_ticks` of a run's decisions.json: from the switch times (timeline) and the clock values of
/// the ticks, the averages of each running task must come out as recorded (util_sum, util_avg, load_avg,
/// runnable_avg, period_contrib). Update times are inputs, states are outputs; a task's state is carried from
/// tick to tick by the model's own functions and is set to the record only where it does not follow:
/// at a task's first tick, after a migration, and after more than one switch, or a switch and the un-pinning,
/// between two ticks (the time at which a task was put back is then not recorded).
/// load_sum and runnable_sum are not recorded: a tick counts as equal when some value of them at the start of
/// its chain gives every average recorded since.
Result<ReplayReport> verifyJunoPelt(const std::string& path);

}  // namespace rqscope
