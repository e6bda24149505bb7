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
  std::uint64_t localUtil = 0, busiestUtil = 0, localLoad = 0, busiestLoad = 0;
  std::uint32_t localRunning = 0, busiestRunning = 0;  ///< sum_nr_running
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

/// A CPU went over to a task of the workload, or to anything else.
struct FreeSwitch {
  double ms = 0;
  int cpu = -1;
  std::string task;  ///< empty: none of the workload's
};

/// A thread that is none of the workload's began to run.
struct ForeignThread {
  double ms = 0;
  int cpu = -1;
  std::string name;
};

/// sched_balance_newidle() of the model left out all domains, or those from one on.
struct NewidleLeftOut {
  double ms = 0;
  int cpu = -1;
  std::string domain;  ///< empty: all
  bool isNotOverloaded = false;
  std::uint64_t avgIdleNs = 0, costNs = 0;
};

/// What one side of a free run did.
struct FreeTrack {
  std::vector<FreePass> passes;
  std::vector<FreeMove> moves;
  std::vector<ForeignThread> foreign;   ///< of the record only
  std::vector<NewidleLeftOut> leftOut;  ///< of the model only
  std::vector<FreeSwitch> switches;     ///< of x86 records; by time
  double lastEndMs = -1;                ///< end of the last task; below 0: none ended
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

/// Differences of one kind.
struct CauseCount {
  std::string kind;
  int count = 0;
  std::string example;
};

/// A record cut into pieces: the engine is let loose at the beginning of each from the recorded state there.
struct SegmentsReport {
  int segments = 0, withoutDifference = 0;
  double lengthMs = 0;
  double medianMs = -1;  ///< to a segment's first difference; below 0: more than half have none
  int passesReal = 0, passesModel = 0, passesAgree = 0;
  int movesReal = 0, movesModel = 0, movesAgree = 0;
  int switches = 0, picksAgree = 0;   ///< in the followed record: the model picks the next thread as well
  int wakeups = 0, choicesAgree = 0;  ///< likewise, CPUs of wakeups with a choice
  std::vector<CauseCount> causes;     ///< of the segments' first differences, most frequent first
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
  std::string causeKind;  ///< of a small number of kinds, for counting
  double endReal = -1, endModel = -1;
  std::string pullReal, pullModel;  ///< first pull by an idle CPU; empty: the record has no such question
  std::vector<SideBySide> rows;     ///< up to the first difference
  std::vector<SpanCheck> checks;
  std::optional<SegmentsReport> segments;  ///< of records that can be followed

  bool isInside() const;
};

struct FreeRunWindow {
  double fromMs = 0, passesToMs = 0;
  double toleranceMs = 0;   ///< two events farther apart are not the same
  double countToMs = 1e30;  ///< later ones can only be partners of earlier ones
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
