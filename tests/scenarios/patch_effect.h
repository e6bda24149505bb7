// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/sim_state.h"

namespace rqscope::cases {

/// A run in which a patch makes a difference.
struct PatchShow {
  std::string patch;
  std::string kernel;
  std::string scenario;         ///< JSON of the scenario, or the name of a built-in one
  std::uint64_t limitMs = 300;  ///< of simulated time
};

const std::vector<PatchShow>& patchShows();

/// The plan of a show with the patch on or off.
std::shared_ptr<const SimPlan> planWith(const PatchShow& show, bool on);
/// Fingerprint of the state at the limit with the patch on or off.
std::uint64_t fingerprintWith(const PatchShow& show, bool on);

}  // namespace rqscope::cases
