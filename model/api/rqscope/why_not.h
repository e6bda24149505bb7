// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rqscope/ladder.h"

namespace rqscope::api {

/// What one decision did with a task that could have gone to a CPU: the first test that kept it away.
struct WhyNotStep {
  std::uint64_t decision = 0;
  std::int64_t timeNs = 0;
  std::string entry;  ///< "tick", "newidle", "wakeup", ...
  std::string domainName;
  std::int32_t cpu = -1;   ///< the pass's destination, or the CPU that was chosen
  std::int32_t rung = -1;  ///< of its ladder; -1: no rung, it was never considered
  std::string function;    ///< of that rung
  /// "went", "there_already", "not_runnable", "other_destination", "not_in_span", "no_higher_domain",
  /// "not_this_cpu", "serialized_out", "local_group", "other_group", "balanced", "no_imbalance", "no_queue",
  /// "other_queue", "source_one_task", "refused", "not_reached", "other_task", "active_started",
  /// "not_allowed", "stayed", "other_cpu", "decided_before", "cpu_refused"
  std::string reason;
  std::string detail;  ///< key of the kernel's own branch: "lesser_type", "util_too_big", "target_idle", ...
  std::string group;   ///< CPUs of the group that was preferred: "{0,3-5}"
  std::vector<Comparison> tests;
};

/// Why a task is not on a CPU, as far as decisions say.
struct WhyNot {
  std::int32_t task = -1, cpu = -1;
  std::string taskName;
  std::optional<WhyNotStep> here;  ///< the decision asked about
  std::vector<WhyNotStep> before;  ///< earlier ones that could have moved it there, newest first, at most ten
  std::int64_t searchedFromNs = 0;  ///< how far back was looked
  std::string problem;              ///< there is no such task or CPU
};

}  // namespace rqscope::api
