// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QTimer>
#include <array>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <stop_token>

#include "session/session.h"

namespace rqscope::session {

/// Lives on the session's thread. Only cancel() and the request counters are touched from outside.
class Worker : public QObject {
  Q_OBJECT
 public:
  enum class Request {
    Timeline,
    Overview,
    Chart,
    Queue,
    Numbers,
    WhatIf,
    WhyNot,
    Derivation,
    Explained,
    Decisions,
    IdleCauses,
    Count
  };

  Worker();

  void open(const QString& name, const api::Overrides& overrides, const std::stop_token& stop);
  void openText(const QString& fileName, const QString& text, const api::Overrides& overrides);
  void step(api::StepKind kind, api::Direction direction);
  void seekTime(qint64 timeNs);
  void seekPass(quint64 index);
  void seekEvent(quint64 index);
  void seekDecision(const api::DecisionFilter& filter);
  void stepToRefusal();
  void runUntil(const api::StopCondition& condition);
  void setSpeed(double nsPerSecond) { m_speed = nsPerSecond; }
  void setPace(Pace pace);
  void pause();
  void branch(BranchWish wish);
  void showBranch(int id, qint64 timeNs);
  void renameBranch(int id, const QString& name);
  void removeBranch(int id);
  void setHistoryBudget(quint64 bytes);
  void setViewpoint(int cpu);
  void timeline(Request kind, quint64 ticket, qint64 beginNs, qint64 endNs, int bins);
  void chart(quint64 ticket, const QString& id, qint64 beginNs, qint64 endNs, int bins);
  void queue(quint64 ticket, int cpu);
  void numbers(quint64 ticket, int cpu, const api::ValueRef& ref);
  void whatIf(quint64 ticket, quint64 index, const std::vector<api::OperandOverride>& changes);
  void whyNot(quint64 ticket, quint64 index, int task, int cpu);
  void derive(quint64 ticket, quint64 index, const api::OperandPath& path);
  void explain(quint64 ticket, quint64 index, const api::ValueRef& ref);
  void decisions(quint64 ticket, const api::DecisionFilter& filter);
  void idleCauses(quint64 ticket);

  /// From any thread: makes the running command end soon.
  void cancel();
  /// From any thread: for open(); cancel() and the next one end the reading of a trace.
  std::stop_token beginReading();
  /// From any thread: cancels, and what was posted and has not begun is left out.
  void end();
  bool isEnding() const { return m_isEnding; }
  /// As the last thing on the thread.
  void stopTimer() { m_timer.stop(); }
  /// From any thread: number for a new request; older ones of the kind become stale.
  quint64 ticket(Request kind) { return ++m_tickets[static_cast<std::size_t>(kind)]; }

 Q_SIGNALS:
  void opened(const rqscope::session::OpenedInfo& info);
  void problemsFound(const rqscope::session::Problems& problems, bool isOpen);
  void frameChanged(const rqscope::session::FramePtr& frame);
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
  void untilEnded(bool met);
  void seekMissed(rqscope::session::Place place, quint64 wanted);

 private:
  /// A run that is not shown: its Simulation, unless its history was let go.
  using Parked = std::map<int, std::unique_ptr<api::Simulation>>;

  Branch* find(int id);
  void forgetBranches();
  /// Another run of the list is shown; the one that was is kept aside, where it stands.
  void swapIn(int id, std::unique_ptr<api::Simulation> simulation);
  void tellOpened(bool isOfSameTree);
  void tellBranches();
  void noteStanding(const api::Frame& frame);
  bool runUp(qint64 timeNs);
  void comeBack(const Branch& left);
  quint64 bytesAside() const;
  void shareBudget();
  void adopt(const QString& fileName, const api::Overrides& overrides, api::Opened opened);
  void publish();
  void onTimer();
  bool isStale(Request kind, quint64 ticket) const {
    return ticket != m_tickets[static_cast<std::size_t>(kind)].load();
  }

  std::unique_ptr<api::Simulation> m_simulation;  ///< of the branch that is shown
  std::vector<Branch> m_branches;
  int m_shown = -1, m_nextBranch = 0;
  Parked m_parked;
  std::vector<int> m_order;  ///< ids by when they were shown last, the latest at the end
  quint64 m_budget = 0, m_sharedBudget = 0;
  std::atomic<bool> m_isCancelled = false, m_isEnding = false;
  std::mutex m_guard;          ///< guards the pointer and m_reading against cancel() while they are replaced
  std::stop_source m_reading;  ///< ends the reading of a trace
  std::array<std::atomic<quint64>, static_cast<std::size_t>(Request::Count)> m_tickets{};
  QTimer m_timer;
  Pace m_pace = Pace::Paused;
  int m_viewpoint = -1;
  double m_speed = 4e6;
  bool m_hasUntil = false;
  api::StopCondition m_until;
};

}  // namespace rqscope::session
