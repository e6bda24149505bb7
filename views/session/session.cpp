// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/session.h"

#include <QMetaObject>
#include <limits>
#include <memory>

#include "session/worker.h"

namespace rqscope::session {

Session::Session(QObject* parent) : QObject(parent), m_worker(new Worker) {
  qRegisterMetaType<rqscope::session::OpenedInfo>();
  qRegisterMetaType<rqscope::session::Problems>();
  qRegisterMetaType<rqscope::session::Place>();
  qRegisterMetaType<rqscope::session::BranchesPtr>();
  m_worker->moveToThread(&m_thread);
  connect(&m_thread, &QThread::finished, m_worker, &Worker::stopTimer, Qt::DirectConnection);
  connect(m_worker, &Worker::opened, this, [this](const OpenedInfo& info) {
    m_info = info;
    Q_EMIT opened(m_info);
  });
  connect(m_worker, &Worker::frameChanged, this, [this](const FramePtr& frame) {
    m_frame = frame;
    Q_EMIT frameChanged(frame);
  });
  connect(m_worker, &Worker::paceChanged, this, [this](Pace pace) {
    m_pace = pace;
    Q_EMIT paceChanged(pace);
  });
  connect(m_worker, &Worker::branchesChanged, this, [this](const BranchesPtr& branches) {
    m_branches = branches;
    Q_EMIT branchesChanged(branches);
  });
  connect(m_worker, &Worker::problemsFound, this, &Session::problemsFound);
  connect(m_worker, &Worker::timelineReady, this, &Session::timelineReady);
  connect(m_worker, &Worker::overviewReady, this, &Session::overviewReady);
  connect(m_worker, &Worker::chartReady, this, &Session::chartReady);
  connect(m_worker, &Worker::queueReady, this, &Session::queueReady);
  connect(m_worker, &Worker::numbersReady, this, &Session::numbersReady);
  connect(m_worker, &Worker::whatIfReady, this, &Session::whatIfReady);
  connect(m_worker, &Worker::whyNotReady, this, &Session::whyNotReady);
  connect(m_worker, &Worker::derivationReady, this, &Session::derivationReady);
  connect(m_worker, &Worker::explainedReady, this, &Session::explainedReady);
  connect(m_worker, &Worker::decisionsReady, this, &Session::decisionsReady);
  connect(m_worker, &Worker::idleCausesReady, this, &Session::idleCausesReady);
  connect(m_worker, &Worker::untilEnded, this, &Session::untilEnded);
  connect(m_worker, &Worker::seekMissed, this, &Session::seekMissed);
  m_thread.setObjectName(QStringLiteral("rqscope-engine"));
  m_thread.start();
}

Session::~Session() {
  const std::unique_ptr<Worker> worker(m_worker);
  worker->end();
  m_thread.quit();
  // A command that has just begun forgets a cancel from before.
  constexpr unsigned long kPatienceMs = 20;
  while (!m_thread.wait(kPatienceMs)) worker->cancel();
}

void Session::post(std::function<void(Worker&)> command) {
  if (++m_pending == 1) Q_EMIT busyChanged(true);
  Worker* const worker = m_worker;
  QMetaObject::invokeMethod(
      worker,
      [this, worker, run = std::move(command)] {
        if (!worker->isEnding()) run(*worker);
        QMetaObject::invokeMethod(
            this,
            [this] {
              if (--m_pending == 0) Q_EMIT busyChanged(false);
            },
            Qt::QueuedConnection);
      },
      Qt::QueuedConnection);
}

void Session::open(const QString& name, const api::Overrides& overrides) {
  Q_EMIT opening(name);
  post([=, stop = m_worker->beginReading()](Worker& worker) { worker.open(name, overrides, stop); });
}

void Session::openText(const QString& fileName, const QString& text, const api::Overrides& overrides) {
  post([=](Worker& worker) { worker.openText(fileName, text, overrides); });
}

void Session::step(api::StepKind kind, api::Direction direction) {
  post([=](Worker& worker) { worker.step(kind, direction); });
}

void Session::seekTime(qint64 timeNs) {
  post([=](Worker& worker) { worker.seekTime(timeNs); });
}

void Session::seekPass(quint64 index) {
  post([=](Worker& worker) { worker.seekPass(index); });
}

void Session::seekEvent(quint64 index) {
  post([=](Worker& worker) { worker.seekEvent(index); });
}

void Session::seekDecision(const api::DecisionFilter& filter) {
  post([=](Worker& worker) { worker.seekDecision(filter); });
}

void Session::stepToRefusal() {
  post([](Worker& worker) { worker.stepToRefusal(); });
}

void Session::seekEnd() { runUntil(api::StopCondition{}); }

void Session::runUntil(const api::StopCondition& condition) {
  post([=](Worker& worker) { worker.runUntil(condition); });
}

void Session::setSpeed(double nsPerSecond) {
  post([=](Worker& worker) { worker.setSpeed(nsPerSecond); });
}

void Session::setPace(Pace pace) {
  if (pace == Pace::Paused) return pause();
  post([=](Worker& worker) { worker.setPace(pace); });
}

void Session::pause() {
  if (m_pending > 0 || m_pace != Pace::Paused) m_worker->cancel();
  post([](Worker& worker) { worker.pause(); });
}

void Session::branch(const BranchWish& wish) {
  post([=](Worker& worker) { worker.branch(wish); });
}

void Session::showBranch(int id, qint64 timeNs) {
  post([=](Worker& worker) { worker.showBranch(id, timeNs); });
}

void Session::renameBranch(int id, const QString& name) {
  post([=](Worker& worker) { worker.renameBranch(id, name); });
}

void Session::removeBranch(int id) {
  post([=](Worker& worker) { worker.removeBranch(id); });
}

void Session::setHistoryBudget(quint64 bytes) {
  post([=](Worker& worker) { worker.setHistoryBudget(bytes); });
}

void Session::setViewpoint(int cpu) {
  post([=](Worker& worker) { worker.setViewpoint(cpu); });
}

void Session::requestTimeline(qint64 beginNs, qint64 endNs, int bins) {
  const quint64 ticket = m_worker->ticket(Worker::Request::Timeline);
  post([=](Worker& worker) { worker.timeline(Worker::Request::Timeline, ticket, beginNs, endNs, bins); });
}

void Session::requestOverview(int bins) {
  const quint64 ticket = m_worker->ticket(Worker::Request::Overview);
  constexpr qint64 kAll = std::numeric_limits<qint64>::max();
  post([=](Worker& worker) { worker.timeline(Worker::Request::Overview, ticket, 0, kAll, bins); });
}

void Session::requestChart(const QString& id, qint64 beginNs, qint64 endNs, int bins) {
  const quint64 ticket = m_worker->ticket(Worker::Request::Chart);
  post([=](Worker& worker) { worker.chart(ticket, id, beginNs, endNs, bins); });
}

void Session::requestQueue(int cpu) {
  const quint64 ticket = m_worker->ticket(Worker::Request::Queue);
  post([=](Worker& worker) { worker.queue(ticket, cpu); });
}

void Session::requestNumbers(int cpu, const api::ValueRef& ref) {
  const quint64 ticket = m_worker->ticket(Worker::Request::Numbers);
  post([=](Worker& worker) { worker.numbers(ticket, cpu, ref); });
}

void Session::requestWhatIf(quint64 index, const std::vector<api::OperandOverride>& changes) {
  const quint64 ticket = m_worker->ticket(Worker::Request::WhatIf);
  post([=](Worker& worker) { worker.whatIf(ticket, index, changes); });
}

void Session::requestWhyNot(quint64 index, int task, int cpu) {
  const quint64 ticket = m_worker->ticket(Worker::Request::WhyNot);
  post([=](Worker& worker) { worker.whyNot(ticket, index, task, cpu); });
}

void Session::requestDerivation(quint64 index, const api::OperandPath& path) {
  const quint64 ticket = m_worker->ticket(Worker::Request::Derivation);
  post([=](Worker& worker) { worker.derive(ticket, index, path); });
}

void Session::requestExplained(quint64 index, const api::ValueRef& ref) {
  const quint64 ticket = m_worker->ticket(Worker::Request::Explained);
  post([=](Worker& worker) { worker.explain(ticket, index, ref); });
}

void Session::requestDecisions(const api::DecisionFilter& filter) {
  const quint64 ticket = m_worker->ticket(Worker::Request::Decisions);
  post([=](Worker& worker) { worker.decisions(ticket, filter); });
}

void Session::requestIdleCauses() {
  const quint64 ticket = m_worker->ticket(Worker::Request::IdleCauses);
  post([=](Worker& worker) { worker.idleCauses(ticket); });
}

}  // namespace rqscope::session
