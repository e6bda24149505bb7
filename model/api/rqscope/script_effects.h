// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "rqscope/simulation.h"

namespace rqscope::api {

/// Warnings for operations of the script that had no effect in a run that has ended, beside those that the
/// file alone tells: tasks that had ended, a wakeup of none that slept, an end that came before. `name` and
/// `overrides` are what the run was opened with. Looks back into the run, then goes on to where it was.
std::vector<Problem> operationsWithoutEffect(Simulation& simulation, const std::string& name,
                                             const Overrides& overrides);

}  // namespace rqscope::api
