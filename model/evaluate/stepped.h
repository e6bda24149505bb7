// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"

namespace rqscope {

/// One field of one line of a stepped run where the model and the kernel differ. A whole line missing on one
/// side has the field "(line)".
struct SteppedDifference {
  std::int64_t tick = 0;
  std::string phase;  ///< empty for state lines
  std::string line;   ///< "task 3", "lb cpu 2 MC"
  std::string field;
  std::string kernel, model;
};

struct SteppedCount {
  std::uint64_t lines = 0, equal = 0;
};

struct SteppedReport {
  std::string name, kernel;
  std::uint64_t lines = 0, equal = 0;          ///< of the record
  std::uint64_t extraLines = 0;                ///< lines of the model that the record lacks
  std::map<std::string, SteppedCount> byKind;  ///< by "ev"
  std::vector<std::string> fieldsNotCompared;  ///< of slow-path events, whose schema no known run shows
  std::int64_t firstDifferentTick = -2;        ///< -2: none
  std::vector<SteppedDifference> first;

  bool allEqual() const { return lines > 0 && lines == equal && extraLines == 0; }
};

/// Replays a stepped run of a real kernel (a folder with scenario.json and output.jsonl.gz) on the engine and
/// compares every event and state line field by field. Keeps the first `shown` differences.
Result<SteppedReport> verifySteppedRun(const std::string& directory, std::size_t shown = 20);

/// Report as lines of text, for people.
std::string textOf(const SteppedReport& report);

}  // namespace rqscope
