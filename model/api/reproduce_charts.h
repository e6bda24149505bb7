// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

#include "api/work_run.h"
#include "rqscope/reproduce.h"

namespace rqscope::api {

/// Reads and writes of tg->load_avg for each wakeup: a bar for each variant of every case.
void addAccessCharts(Reproduction& out);

/// The run of one row and when its samples begin.
struct RunSeries {
  std::int64_t fromNs = 0;
  const WorkFigures* figures = nullptr;
};
/// load_avg of the group and the mean weight of its entities over time, and how far both are from the base
/// variant's at the same moment: charts of every case, a line for each variant. `runs` by row of `out`.
void addGroupCharts(Reproduction& out, const std::vector<RunSeries>& runs);

}  // namespace rqscope::api
