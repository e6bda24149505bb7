// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "rqscope/simulation.h"

namespace rqscope::api {

/// What is wrong with a name where something to open is wanted (scenario, workload or machine): there is
/// neither a file nor a built-in of that name. Empty: there is.
std::vector<Problem> unknownInput(const std::string& name);
/// The same where a machine is wanted: built-in name, file, folder or compact notation.
std::vector<Problem> unknownMachine(const std::string& name);
/// The one of `names` that `word` most likely means, or empty.
std::string nearestOf(const std::string& word, const std::vector<std::string>& names);
/// What would be right instead: "did you mean a?", or `intro` and at most ten names, the nearest first.
std::string nameHintOf(const std::string& word, const std::vector<std::string>& names,
                       const std::string& intro);

}  // namespace rqscope::api
