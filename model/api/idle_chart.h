// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "recording/idle_causes.h"
#include "rqscope/series.h"

namespace rqscope::api {

/// Keys of a cause, as in Outcome::IdleCause.
const char* causeKey(const IdleCause& cause);
const char* detailKey(const IdleCause& cause);

/// How many CPUs idled for each cause while an allowed task waited elsewhere, on average over each of at most
/// `bins` equal parts of the window: series "cause: detail", the one that took longest first. Of many causes
/// the small ones are summed as "other". Points stand at the ends of the parts.
void addIdleCauses(const IdleCauses& causes, std::uint64_t nowNs, std::int64_t beginNs, std::int64_t endNs,
                   int bins, ChartData& chart);

}  // namespace rqscope::api
