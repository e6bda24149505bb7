// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "rqscope/ladder.h"
#include "rqscope/series.h"
#include "rqscope/simulation.h"

namespace rqscope::api {

/// Whether a file is a recorded trace by its first bytes, compressed or not.
bool isTrace(const std::string& path);

/// A trace's tasks as the text of a scenario.
struct TraceText {
  std::string file, text;         ///< the text is empty when it could not be read
  std::vector<Problem> problems;  ///< why not
};

/// What Simulation::open() runs of a trace. `stop`, from any thread, ends the reading with a problem.
/// Cost: about a second for each 100 MB.
TraceText textOfTrace(const std::string& path, const Overrides& overrides, const std::stop_token& stop);

/// Runs a scenario to its end (or that of `overrides`) and writes what it does as the text of a trace, as the
/// kernel's tracing would. Problems with an error among them: nothing was written.
std::vector<Problem> writeTraceOfRun(const std::string& name, const Overrides& overrides,
                                     const std::string& file);

/// A figure of the recorded machine and of the model.
template <class T>
struct BothSides {
  T machine{}, model{};
};

/// Something that both sides count, and how many of them have a partner on the other side.
struct MatchedCount {
  std::size_t machine = 0, model = 0, agree = 0;
};

/// One task over the whole time.
struct TaskAgreement {
  std::int32_t pid = -1;
  std::string name;
  BothSides<std::int64_t> ranNs;
  std::int64_t sameRunNs = 0;    ///< it runs on the same CPU in both
  std::int64_t eitherRunNs = 0;  ///< it runs in at least one
  std::int64_t samePlaceNs = 0;  ///< it runs or waits on the same CPU in both
  std::int64_t eitherAwakeNs = 0;
  MatchedCount moves, wakeups;  ///< wakeups agree when the CPU is the same
};

/// One CPU over the whole time.
struct CpuAgreement {
  std::int32_t cpu = -1;
  std::int64_t sameNs = 0;      ///< it runs the same task in both, or idles in both
  std::int64_t comparedNs = 0;  ///< what the machine spent in tasks of other classes is left out
  BothSides<std::int64_t> busyNs;
  BothSides<std::size_t> switches;
};

/// Times from a wakeup until the task has its CPU.
struct LatencyFigures {
  std::size_t count = 0;
  std::vector<std::pair<double, std::int64_t>> percentiles;
};

/// A place where machine and model part.
struct Parting {
  enum class Kind : std::uint8_t {
    Wakeup,  ///< the same wakeup, another CPU
    Move,    ///< a task was moved in one of the two only
    Turn     ///< a CPU runs different tasks of the same queue, for longer than the window
  };
  Kind kind = Kind::Wakeup;
  std::int64_t timeNs = 0;
  std::int32_t cpu = -1;  ///< Turn: where; Move: to; Wakeup: the machine's choice
  std::int32_t pid = -1;  ///< Turn: whom the machine runs
  std::string task;
  BothSides<std::int32_t> cpus{-1, -1};  ///< Wakeup: chosen; Move: where the task is then
  std::int32_t fromCpu = -1;             ///< Move, Wakeup: where it was
  bool isFork = false;                   ///< Wakeup: a forked task's first
  bool isMachines = false;               ///< Move: the machine moved it, the model did not
  std::string modelTask;                 ///< Turn: whom the model runs; empty: idle
  std::int32_t modelPid = -1;
  std::int64_t lastsNs = 0;  ///< Turn
  /// The task was at the same place in both until then. Else this follows from an earlier parting.
  bool isFresh = false;
  std::string text() const;  ///< "wakeup of A-12: the machine chose CPU 3, the model CPU 1"
};

/// Who is where on one side at a moment. Index: position in the layout.
struct SideMoment {
  struct Cpu {
    std::int32_t cpu = -1;
    std::string running;  ///< empty: idle; "(other class)"
    std::vector<std::string> waiting;
  };
  std::vector<Cpu> cpus;
};

/// The model restarted from the trace's state again and again.
struct SegmentAgreement {
  std::int64_t lengthNs = 0;
  std::size_t segments = 0;
  std::size_t withMove = 0, nextMoveAgrees = 0;  ///< of segments in which the machine moves a task
  std::size_t noMove = 0, noMoveInBoth = 0;      ///< of segments in which it moves none
  std::size_t withoutParting = 0;
  std::int64_t medianPartingNs = -1;  ///< from a segment's start to its first parting; -1: most have none
  MatchedCount moves, wakeups;
  BothSides<std::int64_t> sameCpuNs;           ///< machine: compared; model: of it the same
  std::array<std::size_t, 3> firstPartings{};  ///< by Parting::Kind
  /// Event by event, from the trace's state each time: the task that the model would switch to, and the CPU
  /// that it would choose for a wakeup.
  std::size_t switches = 0, picksAgree = 0, choices = 0, choicesAgree = 0;
};

/// All that was found. Times are ns since `startNs` of the trace's clock.
struct TraceReport {
  std::string file, dialect, machineName, kernel;
  std::vector<std::string> patches;
  std::int64_t startNs = 0, lengthNs = 0, windowNs = 0;
  std::size_t events = 0, tasksLeftOut = 0;
  std::int64_t leftOutNs = 0;    ///< run time of tasks of other classes
  std::uint64_t lostEvents = 0;  ///< that the trace itself says were lost
  std::vector<TaskAgreement> tasks;
  std::vector<CpuAgreement> cpus;
  BothSides<std::size_t> switches;
  MatchedCount wakeupMoves, otherMoves, wakeups;
  bool hasWakeups = false;  ///< it has sched_wakeup or sched_waking
  bool hasMoves = false;    ///< the trace has sched_migrate_task
  BothSides<LatencyFigures> latency;
  BothSides<std::int64_t> idleWhileWaitingNs;
  std::vector<Parting> partings;  ///< by time; at most kMostPartings
  std::size_t partingsInAll = 0, freshPartings = 0;
  std::int64_t sameCpuNs = 0, comparedCpuNs = 0;
  std::int64_t sameRunNs = 0, eitherRunNs = 0;  ///< sums over the tasks
  std::optional<SegmentAgreement> segments;
};

struct TraceComparisonOptions {
  std::int64_t windowNs = 4'000'000;    ///< two events farther apart are not the same
  std::int64_t segmentNs = 40'000'000;  ///< 0: no segments
};

class TraceComparison;
struct OpenedTraceComparison {
  std::unique_ptr<TraceComparison> comparison;
  std::vector<Problem> problems;  ///< warnings may come with a comparison
};

/// A recorded trace beside the model's run of its workload. Not thread-safe, save cancel().
class TraceComparison {
 public:
  static constexpr std::size_t kMostPartings = 20000;

  static OpenedTraceComparison open(const std::string& path, const Overrides& overrides,
                                    const TraceComparisonOptions& options = {},
                                    const std::stop_token& stop = {});
  ~TraceComparison();
  TraceComparison(const TraceComparison&) = delete;
  TraceComparison& operator=(const TraceComparison&) = delete;

  /// Goes on for at most so long; true when the report is complete.
  bool run(int wallBudgetMs);
  void cancel();                 ///< makes run() return soon; from any thread
  std::string progress() const;  ///< "the model runs: 120 ms of 1.2 s"

  // The rest is for a comparison that is complete.

  const TraceReport& report() const;
  std::shared_ptr<const MachineLayout> layout() const;
  /// What the CPUs of the machine ran, at most `bins` slices for a CPU; without marks.
  TimelineWindow machineTimeline(std::int64_t beginNs, std::int64_t endNs, int bins) const;
  BothSides<SideMoment> at(std::int64_t timeNs) const;
  /// The model's decision at a parting: the placement, the pass that moved the task, or the last one by the
  /// CPU to which the machine moved it. Null: there was none, or it is a turn. Cost: the model runs up to
  /// there.
  std::shared_ptr<const Ladder> decisionAt(const Parting& parting);

 private:
  struct Impl;
  explicit TraceComparison(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> m_impl;
};

}  // namespace rqscope::api
