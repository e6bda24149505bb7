// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "evaluate/free_run.h"
#include "evaluate/trace_record.h"

namespace rqscope {

/// Lets the engine loose at the start of the workload, until its end. Throws json::exception.
FreeRunReport runTraceWhole(const TraceRecord& record);

/// Cuts the record into pieces of ten ticks, lets the engine loose at the beginning of each from the state
/// that the record leads to, and compares. Throws json::exception.
SegmentsReport runTraceSegments(const TraceRecord& record);

}  // namespace rqscope
