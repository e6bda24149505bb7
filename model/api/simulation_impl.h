// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/frame_builder.h"
#include "api/open_input.h"
#include "recording/history.h"
#include "recording/pelt_track.h"
#include "rqscope/simulation.h"
#include "scenario/scenario.h"

namespace rqscope::api {

/// The scenario that a name means: a built-in one, a file, a trace's tasks, a load on a machine.
std::optional<ScenarioText> inputText(const std::string& name, const Overrides& overrides,
                                      std::vector<Problem>& problems);
ScenarioOverrides overridesOf(const Overrides& overrides);
/// The plan of a run; problems when the kernel would refuse the machine.
std::shared_ptr<const SimPlan> planOf(const Scenario& scenario, std::vector<Problem>& problems);

/// What a Simulation holds. The view stands on a position of the history; inside a decision, on a rung of it,
/// the state is the one before the decision's event, with the machine as it is when a later decision of the
/// event begins.
struct Simulation::Impl {
  struct Cursor {
    std::vector<std::shared_ptr<const Ladder>> ladders;  ///< of the next event
    std::size_t which = 0;
    std::int32_t rung = 0;
    std::optional<SimState> before;  ///< of a later decision: the state in which it begins
    const Ladder& ladder() const { return *ladders[which]; }
  };
  struct KnownLayout {
    std::shared_ptr<const SchedTopology> topology;
    std::shared_ptr<const MachineLayout> layout;
    FrameTables tables;
  };

  Impl(Scenario scenarioIn, std::string textIn, std::shared_ptr<const SimPlan> planIn)
      : scenario(std::move(scenarioIn)), text(std::move(textIn)), history(makeSimState(std::move(planIn))) {
    history.setCancelFlag(&cancelled);
  }

  // simulation.cpp
  const KnownLayout& known() const;
  /// What the view shows: in a later decision of an event the moment in which it begins.
  const SimState& shownState() const { return cursor && cursor->before ? *cursor->before : history.state(); }
  std::uint64_t layoutVersion() const;
  std::shared_ptr<const Ladder> ladderOf(std::uint64_t index) const;
  void addMigrations(Frame& frame) const;
  std::uint64_t decisionToShow() const;

  // simulation_steps.cpp
  void leaveDecision();
  bool enterDecision(std::uint64_t index, std::int32_t rung);
  void takeStateBefore();
  bool stepTick(Direction direction);
  bool stepPass(Direction direction);
  bool stepRung(Direction direction);
  bool toNextDecision();
  bool toDecisionBefore(bool lastRung);
  bool runTo(const StopCondition& stop, int wallBudgetMs);

  // pelt_charts.cpp
  ChartData peltChart(const std::string& id, std::int64_t beginNs, std::int64_t endNs, int bins) const;
  std::optional<PeltSubject> peltSubject(const std::string& id) const;
  std::string peltTitle(const PeltSubject& subject) const;

  std::int64_t nowNs() const;

  Scenario scenario;
  std::string text;
  mutable History history;  ///< frame() and decisions replay on the side
  std::optional<Cursor> cursor;
  std::uint64_t shownDecision = UINT64_MAX;  ///< shown instead of the last one, after a stop at it
  CpuId viewpoint;                           ///< none: the CPU of the decision shown
  std::uint64_t viewNs = 0;                  ///< clock of the animation, at or after the state's time
  std::atomic<bool> cancelled = false;
  mutable std::unique_ptr<PeltTrack> pelt;  ///< of the subject charted last; null after a branch
  mutable std::vector<KnownLayout> layouts;
  mutable std::vector<std::shared_ptr<const Ladder>> recentLadders;
};

/// Keeps the ladders of the events it watches.
class DecisionCapture final : public Observer {
 public:
  DecisionCapture(std::uint64_t firstDecision, std::uint64_t event, std::uint64_t originNs)
      : m_place{firstDecision, event, originNs} {}
  std::vector<std::shared_ptr<const Ladder>> ladders;

 private:
  bool wantsDecisions() const override { return true; }
  void onBalancePass(const Machine& m, const BalancePass& pass) override;
  void onPlacement(const Machine& m, const Placement& placement) override;

  struct {
    std::uint64_t index, event, originNs;
  } m_place;
};

}  // namespace rqscope::api
