// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cli_output.h"
#include "rqscope/trace_comparison.h"

namespace rqscope::app {

/// A complete comparison with its partings and the model's decision at the first.
Json traceComparisonJson(api::TraceComparison& comparison);

}  // namespace rqscope::app
