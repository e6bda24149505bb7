// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "api/open_input.h"
#include "base/result.h"
#include "formats/trace_scenario.h"

namespace rqscope {

/// Whether a file is a recorded trace by its first bytes, compressed or not.
bool isTraceFile(const std::string& path);

/// A trace with its tasks, and the scenario that they make.
struct TraceInput {
  Trace trace;
  TraceTasks tasks;
  ScenarioText scenario;
};

/// Reads a trace for the machine that scenarioFromTrace() would take.
Result<TraceInput> openTrace(const std::string& path, const std::string& machine,
                             const std::stop_token& stop = {});

/// The scenario of a trace's tasks, on `machine` or, when that is empty, on the platform file beside it
/// (NAME.plat_info.yml) or on as many like CPUs as the trace has.
Result<ScenarioText> scenarioFromTrace(const std::string& path, const std::string& machine,
                                       const std::stop_token& stop = {});

/// What was found in a trace, where it is safe to begin, and every kind of contradiction with its first
/// place.
std::vector<Diagnostic> checkTraceFile(const std::string& path);

}  // namespace rqscope
