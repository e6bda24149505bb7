// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rqscope/simulation.h"

namespace rqscope::api {

/// Where to look for the resources of the program.
struct ResourceHints {
  std::string program;             ///< folder of the program itself
  std::string given;               ///< what the user gave; nothing else is tried then
  std::vector<std::string> fixed;  ///< where they were when it was built, and where they are installed
};

/// The folder that holds the resources, and where it was looked for.
struct ResourceSearch {
  std::string folder;  ///< empty: not found
  std::vector<std::string> places;
};

/// The first folder with resources: the given one; else those beside the program and above it; else the
/// fixed.
ResourceSearch searchResources(const ResourceHints& hints);
/// Why there is nothing built in, or nothing when the resources of this program are there.
std::optional<Problem> missingResources();

}  // namespace rqscope::api
