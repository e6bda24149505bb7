// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "rqscope/frame.h"
#include "rqscope/series.h"
#include "rqscope/simulation.h"

namespace rqscope::api {

/// A decision that one run took and the other did not, or took with another result.
struct Difference {
  std::int64_t timeNs = 0;
  std::int32_t cpu = -1;
  std::string kind, domainName;
  std::optional<std::uint64_t> a, b;  ///< index of the decision in each run; none: it has no such decision
  std::string resultA, resultB;
};

/// One line of the table of outcomes. Absent: the run has no such figure.
struct OutcomeRow {
  std::string name;  ///< "last task ends", "migrations", "A ends", ...
  bool isTime = false;
  std::optional<double> a, b;  ///< ns, or a count
};

/// Both machines at a difference.
struct ComparedMoment {
  std::array<std::shared_ptr<const Frame>, 2> frames;
  std::array<std::shared_ptr<const Ladder>, 2> ladders;  ///< null: the run has no such decision
  int rung = -1;  ///< first rung that differs, of the shorter ladder's at most; -1: only one ladder, or equal
};

/// One of two runs: `text` empty: `name` is opened as Simulation::open() does; else the text under that name.
struct ComparedRun {
  std::string name, text;
  Overrides overrides;
};

class RunComparison;
struct OpenedRunComparison {
  std::unique_ptr<RunComparison> comparison;
  std::array<std::vector<Problem>, 2> problems;  ///< by side; warnings may come with a comparison
};

/// Two runs, of one scenario with different settings as a rule, and where they part. Not thread-safe, save
/// cancel().
class RunComparison {
 public:
  /// `text` empty: `name` is opened as Simulation::open() does; else the text under that file name.
  static OpenedRunComparison open(const std::string& name, const std::string& text, const Overrides& a,
                                  const Overrides& b);
  static OpenedRunComparison open(const ComparedRun& a, const ComparedRun& b);

  /// Runs both to their ends for at most so long; true when both have come there.
  bool run(int wallBudgetMs);
  std::int64_t timeNs() const;  ///< of the run that is less far
  void cancel();                ///< makes run() and at() return soon; from any thread

  // The rest is for runs that are over.

  /// Equal decisions before the first difference by position in the runs.
  std::size_t sameDecisions() const { return m_same; }
  bool hasDiverged() const { return m_first[0] || m_first[1]; }
  /// The first decision that differs by position, of each run; none: the run has ended before.
  const std::array<std::optional<Simulation::DecisionSummary>, 2>& firstDifferent() const { return m_first; }
  /// Decisions that only one run took (of a kind, on a CPU, for a domain, at a moment), or with another
  /// result. By time; at most kMostDifferences.
  const std::vector<Difference>& differences() const { return m_differences; }
  static constexpr std::size_t kMostDifferences = 100000;
  std::vector<OutcomeRow> outcomes() const;
  /// Takes both runs to a difference. Cost: a seek of each.
  ComparedMoment at(std::size_t difference);
  /// The tasks that have ended by then, one line for each run.
  ChartData tasksFinished() const;
  /// The series of a chart that speak of a CPU (position in the layout), of both runs, over their whole time.
  ChartData chartOfCpu(const std::string& id, std::size_t cpu, int bins) const;
  const Outcome& outcome(std::size_t side) const { return m_outcomes[side]; }
  Simulation& simulation(std::size_t side) { return *m_runs[side]; }

 private:
  RunComparison() = default;
  void findDifferences();

  std::array<std::unique_ptr<Simulation>, 2> m_runs;
  std::array<bool, 2> m_isOver{};
  std::array<std::uint64_t, 2> m_lastEvent{};
  std::array<int, 2> m_still{};
  std::array<Outcome, 2> m_outcomes;
  std::vector<Difference> m_differences;
  std::array<std::optional<Simulation::DecisionSummary>, 2> m_first;
  std::size_t m_same = 0;
};

/// First rung in which two ladders differ; -1: none does.
int firstDifferentRung(const Ladder& a, const Ladder& b);

}  // namespace rqscope::api
