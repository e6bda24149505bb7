// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "groupstats/balance_pass.h"

namespace rqscope {

/// One balance pass as both sides of a free run tell it. Times are ms of the record.
struct FreePass {
  double ms = 0;
  int dst = -1;
  std::string domain;
  CpuIdleType idle = CpuIdleType::NotIdle;
  bool shouldBalance = false;
  std::uint32_t failedBefore = 0, intervalMsBefore = 0;
  std::optional<std::uint64_t> jiffiesSinceLast;  ///< since the domain's last balance, where it is recorded
  std::optional<GroupType> local, busiest;
  std::uint64_t localUtil = 0, busiestUtil = 0, localLoad = 0;
  bool localIsOneCpu = false;
  std::string decision = "balanced";  ///< or "util", "load", "task", "misfit"
  std::int64_t imbalance = 0;
  int moved = 0;
  /// Looked at by detach_tasks(): how long ago it ran says whether it is cache hot.
  struct Candidate {
    std::string task;
    double sinceMs = 0;
    std::string verdict;  ///< "detached", "running", "hot", ...
  };
  std::vector<Candidate> candidates;
};

/// A task that changed its CPU (or, `by` "fork", got its first).
struct FreeMove {
  double ms = 0;
  std::string task;
  int from = -1, to = -1;
  std::string by;
  std::optional<std::uint32_t> failed;  ///< nr_balance_failed of the pass
};

/// A thread that is none of the workload's began to run.
struct ForeignThread {
  double ms = 0;
  int cpu = -1;
  std::string name;
};

/// What one side of a free run did.
struct FreeTrack {
  std::vector<FreePass> passes;
  std::vector<FreeMove> moves;
  std::vector<ForeignThread> foreign;  ///< of the record only
  double lastEndMs = -1;               ///< end of the last task; below 0: none ended
};

/// A figure that must lie in what real runs span.
struct SpanCheck {
  std::string what, allowed, found;
  bool isInside = false;
};

/// A line of the two runs side by side.
struct SideBySide {
  std::string real, model;  ///< empty: that side has no such event
};

/// The engine let loose on a recorded workload, beside the record.
struct FreeRunReport {
  std::string file, kernel;
  double fromMs = 0, passesToMs = 0;  ///< where passes are compared
  int passesReal = 0, passesModel = 0, passesAgree = 0;
  int movesReal = 0, movesModel = 0, movesAgree = 0;
  int passesBeforeDifference = 0;  ///< that agree before the first that does not
  double firstDifferenceMs = -1;   ///< below 0: there is none
  std::string firstDifference, cause;
  double endReal = -1, endModel = -1;
  std::string pullReal, pullModel;  ///< first pull by an idle CPU; empty: the record has no such question
  std::vector<SideBySide> rows;     ///< up to the first difference
  std::vector<SpanCheck> checks;

  bool isInside() const;
};

struct FreeRunWindow {
  double fromMs = 0, passesToMs = 0;
  double toleranceMs = 0;  ///< two events farther apart are not the same
};

/// Aligns the two runs, CPU by CPU, and finds the first pass or move that only one of them has.
FreeRunReport compareFreeRun(const FreeTrack& real, const FreeTrack& model, const FreeRunWindow& window);

/// Lets the engine run on the workload of a recorded Juno run from the kernel's own state at the end of its
/// pinned phase. Spans are checked for the runs of the main layout.
Result<FreeRunReport> freeRunJuno(const std::string& path);
/// Lets the engine run the workload of an x86 record ("*.balance.jsonl[.gz]") on its machine.
Result<FreeRunReport> freeRunTrace(const std::string& path);

std::string textOf(const FreePass& pass);
std::string textOf(const FreeMove& move);

}  // namespace rqscope
