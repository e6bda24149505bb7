// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <nlohmann/json.hpp>

#include "rqscope/reproduce.h"

namespace rqscope::api {

/// Runs a table whose rows are times of runs longer than the model's, two runs at a time. The number at
/// "scaled" ("/workload/loops") is that of the row; the time, at the speed of the run's middle, is multiplied
/// by "scaled_to" divided by it. Each row is run with half of it too, which shows whether the figure depends
/// on the length. `out` has its head; gets rows and findings.
void reproduceScaled(const nlohmann::json& table, Reproduction& out, const ReproduceControl& control);

}  // namespace rqscope::api
