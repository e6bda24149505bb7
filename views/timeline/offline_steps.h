// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

#include "rqscope/series.h"

namespace rqscope::timeline {

/// A time in which the same CPUs of a folded lane are offline.
struct OfflineStep {
  std::int64_t beginNs = 0, endNs = 0;
  std::vector<std::int32_t> cpus;  ///< never empty, ascending
};

/// When some of these CPUs are offline in the window, in order of time.
std::vector<OfflineStep> offlineSteps(const api::TimelineWindow& window,
                                      const std::vector<std::int32_t>& cpus);

}  // namespace rqscope::timeline
