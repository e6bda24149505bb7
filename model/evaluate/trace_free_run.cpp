// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "evaluate/record_problem.h"
#include "evaluate/trace_record.h"
#include "evaluate/trace_segments.h"

namespace rqscope {

Result<FreeRunReport> freeRunTrace(const std::string& path) {
  try {  // nlohmann reports a missing or wrong member by exception
    auto record = readTraceRecord(path);
    if (!record) return record.error();
    FreeRunReport report = runTraceWhole(record.value());
    report.file = path;
    report.kernel = record.value().profile.name;
    report.endReal = report.endModel = -1;  // the run is cut off
    report.segments = runTraceSegments(record.value());
    return report;
  } catch (const std::exception& e) {
    return recordProblem(path, e);
  }
}

}  // namespace rqscope
