// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace rqscope::api {

struct VerifyOptions {
  std::string kernel;  ///< profile for vectors; empty: by the folder's name
  int shown = 3;       ///< how many differences are described per record
  /// Told of each record before it is run; may be empty.
  std::function<void(const std::string& file)> onRecord;
};

/// A figure of a free run that must lie in what real runs span.
struct FreeRunCheck {
  std::string what, allowed, found;
  bool isInside = false;
};

/// First differences of one kind.
struct FreeRunCauses {
  std::string kind;
  int count = 0;
  std::string example;
};

/// A record cut into pieces: the engine is let loose at the beginning of each from the recorded state there.
struct FreeRunSegments {
  int segments = 0, withoutDifference = 0;
  double lengthMs = 0;
  double medianMs = -1;  ///< to a piece's first difference; below 0: more than half have none
  int passesReal = 0, passesModel = 0, passesAgree = 0;
  int movesReal = 0, movesModel = 0, movesAgree = 0;
  int switches = 0, picksAgree = 0;   ///< along the record: the next thread that the model picks
  int wakeups = 0, choicesAgree = 0;  ///< likewise, CPUs of wakeups
  std::vector<FreeRunCauses> causes;  ///< of the pieces' first differences, most frequent first
};

/// The engine let loose on the workload of a record, beside the record. Times are ms of the record.
struct FreeRun {
  double fromMs = 0, passesToMs = 0;
  int passesReal = 0, passesModel = 0, passesAgree = 0;
  int movesReal = 0, movesModel = 0, movesAgree = 0;
  int passesBeforeDifference = 0;  ///< that agree before the first that does not
  double firstDifferenceMs = -1;   ///< below 0: there is none
  std::string firstDifference, cause;
  std::string pullReal, pullModel;  ///< first pull by an idle CPU; empty: not asked of this record
  double endReal = -1, endModel = -1;
  std::vector<std::pair<std::string, std::string>> rows;  ///< record and model side by side up to there
  std::vector<FreeRunCheck> checks;
  std::optional<FreeRunSegments> segments;  ///< of records that tell the state at any moment
};

/// One record of a real kernel against the model.
struct VerifyRow {
  std::string file;
  std::string
      kind;  ///< "topology", "vectors", "stepped", "pelt_ticks", "decisions", "spawn_trace", "free_run"
  std::string kernel;  ///< profile that was run
  std::uint64_t compared = 0, equal = 0, different = 0;
  std::uint64_t notDerivable = 0;    ///< states that the record does not determine; not compared
  std::string error;                 ///< why it could not be run; empty: it was
  std::vector<std::string> details;  ///< the first differences, a line each
  std::optional<FreeRun> freeRun;    ///< "free_run": compared are the figures that must lie in a span

  bool allEqual() const { return error.empty() && (compared > 0 || freeRun) && different == 0; }
};

struct VerifyReport {
  std::vector<VerifyRow> rows;       ///< in order of path
  std::vector<std::string> skipped;  ///< files of a folder that are no record this program runs
  /// At least one record, and each of them equal in all.
  bool allEqual() const;
};

/// Runs the model on the input of the records at `path`: a file, the folder of a stepped run, or any folder
/// of records.
VerifyReport verifyPath(const std::string& path, const VerifyOptions& options);

/// `rqscope eval`: one JSON line in, one out; see evalFunctions(). Never throws.
std::string evalLine(const std::string& line, const std::string& kernel, int lineNumber);
std::vector<std::string> evalFunctions();

}  // namespace rqscope::api
