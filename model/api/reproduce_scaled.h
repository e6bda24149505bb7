// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <nlohmann/json.hpp>

#include "rqscope/reproduce.h"

namespace rqscope::api {

/// Runs a table whose rows are times of runs longer than the model's, two runs at a time. The number at
/// "scaled" ("/workload/loops") is how many of "scaled_to" loops are run; the time is what all would take at
/// the speed of the second half. The second quarter gives what a run of half the length would have said.
/// `out` has its head; gets rows and findings.
void reproduceScaled(const nlohmann::json& table, Reproduction& out, const ReproduceControl& control);

}  // namespace rqscope::api
