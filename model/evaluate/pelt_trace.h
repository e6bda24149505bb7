// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "base/result.h"
#include "evaluate/replay_report.h"

namespace rqscope {

/// Recomputes every update of a task's averages in an ftrace text that holds the probes pelt_se
/// (__update_load_avg_se) and pelt_bl (__update_load_avg_blocked_se), each from the one before, by the
/// model's own functions: sums, averages, period_contrib, last_update_time and whether a boundary was
/// crossed. Who runs comes from each line's own head, who sleeps while still queued from the switches and
/// wakeups. Not derivable: a task's first line on a CPU, and what follows its exit, where the sums are
/// rebuilt. A path NAME.pelt.csv stands for the trace NAME.trace.txt[.gz] beside it. 6.12 unless named.
Result<ReplayReport> verifyPeltTrace(const std::string& path, const std::string& kernel = "v6.12");

}  // namespace rqscope
