// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "base/result.h"
#include "evaluate/replay_report.h"

namespace rqscope {

/// Recomputes every PI (first utilisation), AT (attach), DT (detach), RA (removed), UP (period step) and TU
/// (group entity) line of a spawn trace by the model's own functions. Each line gives the state before; what
/// the kernel printed after it must come out: util_avg and util_sum of queue and entity, load_avg of the
/// queue (not at UP: the load sum is not in the record), period_contrib. A line whose "before" is not what
/// the last line of the same queue left counts as different too. Plain or compressed text; the kernel is 6.12
/// unless named.
Result<ReplayReport> verifySpawnTrace(const std::string& path, const std::string& kernel = "v6.12");

}  // namespace rqscope
