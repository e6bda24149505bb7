// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rqscope/simulation.h"

namespace rqscope::api {

/// A scenario's text after an edit; with errors the text is the old one.
struct EditedScenario {
  std::string text;
  std::vector<Problem> problems;
};

/// Adds operations to the end of the script, at one time. Each is an object without "at", as a script has it:
/// {"do": "frequency", "cpus": [3], "value": 512}. The rest of the text stays as it was written, comments
/// too; a file that is no scenario of its own (rt-app) becomes one.
EditedScenario withOperations(const std::string& fileName, const std::string& text, std::int64_t atNs,
                              const std::vector<std::string>& operations);

/// The first moment at which the runs of two texts can differ: 0, unless nothing but operations of the script
/// does; -1: never, or a text is bad. Both are opened with these overrides.
std::int64_t branchPointNs(const std::string& fileName, const std::string& a, const std::string& b,
                           const Overrides& overrides);

}  // namespace rqscope::api
