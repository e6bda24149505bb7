// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "rqscope/frame.h"
#include "rqscope/series.h"

namespace rqscope::api {

/// What is wrong with an input: file, line and column from 1 (0: whole file), reason, what would be right.
struct Problem {
  enum class Severity : std::uint8_t { Note, Warning, Error } severity = Severity::Error;
  std::string file;
  int line = 0, column = 0;
  std::string message, hint;
  std::string text() const;  ///< "file:line:column: error: message (hint)"
};

enum class StepKind : std::uint8_t { Event, Tick, Pass, Rung };
enum class Direction : std::uint8_t { Forward, Back };

/// What a run-until stops at.
enum class StopKind : std::uint8_t {
  Time,
  Migration,
  FailedBalance,
  GroupTypeChange,
  Misfit,
  IdleWhileWaiting,
  End,
  Condition
};
struct StopCondition {
  StopKind kind = StopKind::End;
  std::int64_t timeNs = 0;  ///< for Time
  std::string expression;   ///< for Condition: "cpu5.nr_running == 0 && C.util > 500"
};

/// Settings that override a scenario's own.
struct Overrides {
  std::string kernel, machine;  ///< empty: the scenario's
  std::vector<std::pair<std::string, bool>> patches;
  std::vector<std::string> features;  ///< "NO_RUN_TO_PARITY"
  std::int64_t untilNs = -1;
  std::int64_t seed = -1;
};

/// Placements of one kind: where they went, and what groups the slow path saw on its way.
struct PlacementSummary {
  std::string kind;  ///< "fork", "exec", "wakeup"
  std::uint64_t count = 0, onWakerCpu = 0, onPrevCpu = 0, onIdleCpu = 0;
  std::uint64_t groups = 0;                                       ///< evaluated by the slow path
  std::vector<std::pair<std::string, std::uint64_t>> groupTypes;  ///< "has_spare", ...; only those seen
  double meanGroupUtil = 0;                                       ///< of the groups evaluated
};

/// What a finished or stopped run amounts to.
struct Outcome {
  std::int64_t timeNs = 0;
  bool finished = false;  ///< every task that ends has ended
  struct TaskEnd {
    std::string name;
    std::int32_t pid = 0;
    std::int64_t endNs = -1;
    std::int64_t runNs = 0;
    std::int32_t migrations = 0;
  };
  std::vector<TaskEnd> tasks;
  std::uint64_t events = 0, ticks = 0, passes = 0, placements = 0, migrations = 0, failedPasses = 0;
  std::uint64_t idleWhileWaitingNs = 0;
  /// The same time by what was decided last for the idle CPU, longest first; see help/command-line.md.
  struct IdleCause {
    std::string cause;   ///< "no_pass_yet", "placed_elsewhere", "newidle_skipped", "balanced", ...
    std::string detail;  ///< key of the kernel's branch, or of the event the wait began with
    std::uint64_t ns = 0, times = 0;
    std::int64_t firstDecision = -1;  ///< that decided so first; -1: none did
  };
  std::vector<IdleCause> idleCauses;
  std::vector<std::pair<std::string, std::uint64_t>> migrationsByReason;
  std::vector<PlacementSummary> placementsByKind;  ///< only kinds that happened
  std::vector<SharedQueueFrame> sharedQueues;      ///< empty when no patch adds such queues
  /// Times from wakeup to CPU of the threads that are measured: how many, and percentiles in ns.
  struct Latency {
    std::uint64_t count = 0;
    std::vector<std::pair<double, std::int64_t>> percentiles;
  };
  Latency wakeupLatency;
  std::vector<std::int64_t> cpuIdleNs;  ///< by position in the layout
  std::uint64_t wakeups = 0, switches = 0;
  /// Accesses to a shared cache line: counted always, their times only with costs.
  struct SharedLine {
    std::uint64_t reads = 0, writes = 0;
    std::uint64_t readNs = 0, writeNs = 0, waitedNs = 0;  ///< waitedNs: behind accesses of other CPUs
  };
  SharedLine tgLoadAvg;
  /// A group with a CPU limit, as its cpu.stat has it. Kernel: struct cfs_bandwidth.
  struct LimitedGroup {
    std::string name;
    std::int64_t quotaNs = 0, periodNs = 0;     ///< quota below 0: lifted since
    std::uint64_t periods = 0, throttled = 0;   ///< that ended; of these with a throttled CPU
    std::uint64_t usedNs = 0, throttledNs = 0;  ///< CPU time while limited; summed over CPUs
    std::uint64_t expiredNs = 0;                ///< runtime that ended unused; 0 with quota_never_expires
  };
  std::vector<LimitedGroup> limitedGroups;
  std::uint64_t fingerprint = 0;
};

struct ValueRef;         // explain_value.h
struct ShownValue;       // explain_value.h
struct ExplainedValue;   // explain_value.h
struct WhatIf;           // what_if.h
struct OperandOverride;  // what_if.h
struct OperandPath;      // what_if.h
struct WhyNot;           // why_not.h
struct Derivation;       // derivation.h

class Simulation;
/// A Simulation, or why there is none. Warnings may come with a Simulation.
struct Opened {
  std::unique_ptr<Simulation> simulation;
  std::vector<Problem> problems;
};

/// One run of one scenario, with its history. Not thread-safe: one thread owns it (views: the session's
/// worker); only cancel() may be called from another. Two Simulations side by side do not touch each other.
class Simulation {
 public:
  /// `name` is a built-in scenario ("juno") or a path; `text` overrides the file's content (editor).
  static Opened open(const std::string& name, const Overrides& overrides);
  static Opened openText(const std::string& fileName, const std::string& text, const Overrides& overrides);
  ~Simulation();
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  std::string scenarioName() const;
  std::string scenarioText() const;
  std::shared_ptr<const MachineLayout> layout() const;

  /// Both directions land on the same state that a straight run has there. False at either end.
  bool step(StepKind kind, Direction direction);
  void seekTime(std::int64_t timeNs);
  void seekEvent(std::uint64_t eventIndex);
  /// To the event of decision `index` (passes and placements), on its first rung.
  bool seekPass(std::uint64_t index);
  /// Runs until the condition or for at most `wallBudgetMs`; true when the condition was met.
  bool runUntil(const StopCondition& condition, int wallBudgetMs);
  /// Advances simulated time by `durationNs`, for animation.
  void advance(std::int64_t durationNs);
  void cancel();  ///< makes a running call return soon; from any thread
  /// What is wrong with an expression for StopKind::Condition; empty: nothing. Column counts in the text.
  std::vector<Problem> conditionProblems(const std::string& expression) const;

  std::shared_ptr<const Frame> frame() const;
  /// The CPU whose passes frame() speaks for: its domains' groups have the types that it would find now, its
  /// own ones among them as the local group; of the decisions of one moment its own is shown. -1 (as at the
  /// start): the CPU of the decision shown. Groups outside its domains are seen by a CPU beside them.
  void setViewpoint(std::int32_t cpu);
  /// Queue of one CPU as a tree, current first. Empty for an idle CPU.
  std::vector<QueueEntity> queue(std::int32_t cpu) const;
  /// Every number that the Runqueues view has of a CPU, its queues, groups and tasks.
  std::vector<ShownValue> values(std::int32_t cpu) const;
  /// How one of them comes about, at this moment; see explain_value.h.
  ExplainedValue explainValue(const ValueRef& ref) const;
  /// The same as decision `index` read it: from the state right before the decision.
  ExplainedValue explainValueIn(std::uint64_t index, const ValueRef& ref);
  /// Ladder of decision `index`, rebuilt by replay if it is not kept.
  std::shared_ptr<const Ladder> ladder(std::uint64_t index);
  struct DecisionSummary {
    std::uint64_t index = 0;
    std::int64_t timeNs = 0;
    std::string kind, domainName, result;
    std::int32_t cpu = -1;
  };
  std::vector<DecisionSummary> decisions(std::int64_t beginNs, std::int64_t endNs, std::size_t limit) const;
  TimelineWindow timeline(std::int64_t beginNs, std::int64_t endNs, int bins) const;
  std::vector<std::string> chartIds() const;
  ChartData chart(const std::string& id, std::int64_t beginNs, std::int64_t endNs, int bins) const;
  Outcome outcome() const;
  /// The decision `index` beside the one that follows from changed numbers; see what_if.h.
  WhatIf whatIf(std::uint64_t index, const std::vector<OperandOverride>& overrides);
  /// Why the task (slot) did not go to the CPU in that decision and the ten before it; see why_not.h.
  WhyNot whyNot(std::uint64_t index, std::int32_t task, std::int32_t cpu);
  /// What a number of that decision was computed from; see derivation.h.
  Derivation derive(std::uint64_t index, const OperandPath& path);
  /// Idle-while-waiting time by cause between two moments.
  std::vector<Outcome::IdleCause> idleCauses(std::int64_t beginNs, std::int64_t endNs) const;
  /// When the run ends by its scenario; 0: when every task has ended.
  std::int64_t untilNs() const;

  void setHistoryBudget(std::uint64_t bytes);
  /// Scripted operation at the current time ("pin", "unpin", "nice", "wake", ...), which starts a branch;
  /// problems or none.
  std::vector<Problem> apply(const std::string& operationJson);

 private:
  Simulation();
  struct Impl;
  std::unique_ptr<Impl> m_impl;
};

/// Built-in scenarios, machines, kernels and patches, for menus and completion.
struct Named {
  std::string name, title, description;
};
std::vector<Named> builtinScenarios();
std::vector<Named> builtinMachines();
std::vector<Named> kernels();
std::vector<Named> patchesOf(const std::string& kernel);
std::vector<std::pair<std::string, bool>> featuresOf(const std::string& kernel);
/// Where resources/ was found: beside the program, in the source tree, or installed.
std::string resourceDirectory();

/// Checks any input file (scenario, rt-app, machine) without running it.
std::vector<Problem> checkFile(const std::string& path);
std::vector<Problem> checkScenarioText(const std::string& fileName, const std::string& text);

}  // namespace rqscope::api
