// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QMetaType>
#include <QObject>
#include <QString>
#include <QStringList>
#include <QThread>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "rqscope/decision_list.h"
#include "rqscope/derivation.h"
#include "rqscope/explain_value.h"
#include "rqscope/simulation.h"
#include "rqscope/what_if.h"
#include "rqscope/why_not.h"
#include "session/branches.h"

namespace rqscope::session {

class Worker;

using FramePtr = std::shared_ptr<const api::Frame>;
using LadderPtr = std::shared_ptr<const api::Ladder>;
using TimelinePtr = std::shared_ptr<const api::TimelineWindow>;
using ChartPtr = std::shared_ptr<const api::ChartData>;
using QueuePtr = std::shared_ptr<const std::vector<api::QueueEntity>>;
/// The numbers of one CPU's queue, and how the one asked for comes about.
struct Numbers {
  int cpu = -1;
  std::vector<api::ShownValue> shown;
  api::ExplainedValue explained;  ///< without a rule when none was asked for
};
using NumbersPtr = std::shared_ptr<const Numbers>;
using WhatIfPtr = std::shared_ptr<const api::WhatIf>;
using WhyNotPtr = std::shared_ptr<const api::WhyNot>;
using ExplainedPtr = std::shared_ptr<const api::ExplainedValue>;
using DerivationPtr = std::shared_ptr<const api::Derivation>;
using DecisionListPtr = std::shared_ptr<const api::DecisionList>;
using IdleCausesPtr = std::shared_ptr<const std::vector<api::Outcome::IdleCause>>;
using Problems = std::vector<api::Problem>;

/// How the run goes on by itself.
enum class Pace { Paused, Run, Fast, Express };

/// What one can go to.
enum class Place { Time, Pass, Event, Decision };

/// What was opened, or is shown of the runs that are: plain facts for titles and menus.
struct OpenedInfo {
  int branch = -1;            ///< its place among the session's runs
  bool isOfSameTree = false;  ///< it came of a change of what was shown before, or was there already
  QString fileName;           ///< as given: a built-in name or a path
  QString scenarioName, scenarioText;
  std::shared_ptr<const api::MachineLayout> layout;
  std::vector<std::string> chartIds;
  api::Overrides overrides;
};

/// Sole owner of the Simulation, which lives on a worker thread. Commands are queued and return at once;
/// answers come as signals with immutable values. The window never waits for it.
class Session : public QObject {
  Q_OBJECT
 public:
  explicit Session(QObject* parent = nullptr);
  ~Session() override;

  /// Whether a command is queued or under way; busyChanged() tells when that ends.
  bool isBusy() const { return m_pending > 0; }
  /// Reading a trace takes about a second for each 100 MB; pause() gives it up.
  void open(const QString& name, const api::Overrides& overrides);
  void openText(const QString& fileName, const QString& text, const api::Overrides& overrides);
  void step(api::StepKind kind, api::Direction direction);
  void seekTime(qint64 timeNs);
  void seekPass(quint64 index);
  void seekEvent(quint64 index);
  /// To the first such decision, running on as far as it takes.
  void seekDecision(const api::DecisionFilter& filter);
  /// From where the run stands inside a decision to its first rung that refuses something.
  void stepToRefusal();
  void seekEnd();
  void runUntil(const api::StopCondition& condition);
  /// Simulated ns per second of wall time, for Pace::Run.
  void setSpeed(double nsPerSecond);
  void setPace(Pace pace);
  void pause();
  /// Runs a changed scenario as a branch of what is shown, up to where they differ; the run shown stays as it
  /// is. A run that is there already is shown instead.
  void branch(const BranchWish& wish);
  /// Shows another run where it was left, or at a moment. One whose history was let go is run again.
  void showBranch(int id, qint64 timeNs = -1);
  void renameBranch(int id, const QString& name);
  /// Not the run that was opened. Instead of the one that is shown its parent is.
  void removeBranch(int id);
  /// For the histories of all runs together.
  void setHistoryBudget(quint64 bytes);
  /// The CPU for which group types and the decision of a moment are shown; see Simulation::setViewpoint().
  void setViewpoint(int cpu);

  /// Requests; a newer one of the same kind replaces one that has not begun.
  void requestTimeline(qint64 beginNs, qint64 endNs, int bins);
  void requestOverview(int bins);
  void requestChart(const QString& id, qint64 beginNs, qint64 endNs, int bins);
  void requestQueue(int cpu);
  void requestNumbers(int cpu, const api::ValueRef& ref);
  /// Decision `index` with changed numbers; why a task did not go to a CPU there; what a number came from.
  void requestWhatIf(quint64 index, const std::vector<api::OperandOverride>& changes);
  void requestWhyNot(quint64 index, int task, int cpu);
  void requestDerivation(quint64 index, const api::OperandPath& path);
  /// How a number came about as decision `index` read it.
  void requestExplained(quint64 index, const api::ValueRef& ref);
  /// The decisions around now that match, a thousand before and after.
  void requestDecisions(const api::DecisionFilter& filter);
  /// Idle-while-waiting time by cause, up to now.
  void requestIdleCauses();

  FramePtr frame() const { return m_frame; }
  const OpenedInfo& info() const { return m_info; }
  /// Null until something is open.
  const BranchesPtr& branches() const { return m_branches; }
  Pace pace() const { return m_pace; }

 Q_SIGNALS:
  /// What open() was called with; opened() or problemsFound() follows.
  void opening(const QString& name);
  void opened(const rqscope::session::OpenedInfo& info);
  /// Warnings beside an open run, or the errors for which there is none (the last good run goes on).
  void problemsFound(const rqscope::session::Problems& problems, bool isOpen);
  void frameChanged(const rqscope::session::FramePtr& frame);
  /// Other runs, or another one is shown, or the one shown went on.
  void branchesChanged(const rqscope::session::BranchesPtr& branches);
  void timelineReady(const rqscope::session::TimelinePtr& window);
  void overviewReady(const rqscope::session::TimelinePtr& window);
  void chartReady(const rqscope::session::ChartPtr& chart);
  void queueReady(int cpu, const rqscope::session::QueuePtr& queue);
  void numbersReady(const rqscope::session::NumbersPtr& numbers);
  void whatIfReady(const rqscope::session::WhatIfPtr& what);
  void whyNotReady(const rqscope::session::WhyNotPtr& why);
  void explainedReady(const rqscope::session::ExplainedPtr& explained);
  void derivationReady(const rqscope::session::DerivationPtr& derivation);
  void decisionsReady(const rqscope::session::DecisionListPtr& list);
  void idleCausesReady(const rqscope::session::IdleCausesPtr& causes);
  void paceChanged(rqscope::session::Pace pace);
  /// A run-until ended; met tells whether by its condition.
  void untilEnded(bool met);
  /// The run ended before the place that was to be gone to: a time in ns, or a number. Comes after the frame.
  void seekMissed(rqscope::session::Place place, quint64 wanted);
  void busyChanged(bool busy);

 private:
  void post(std::function<void(Worker&)> command);

  QThread m_thread;
  Worker* m_worker;
  FramePtr m_frame;
  OpenedInfo m_info;
  BranchesPtr m_branches;
  Pace m_pace = Pace::Paused;
  int m_pending = 0;
};

}  // namespace rqscope::session
