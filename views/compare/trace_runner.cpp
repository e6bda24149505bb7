// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "compare/trace_runner.h"

#include <QMetaObject>

namespace rqscope::compare {

namespace {

constexpr int kSliceMs = 100;

TraceResultPtr cancelledResult(bool isTrace) {
  auto result = std::make_shared<TraceResult>();
  result->isTrace = isTrace;
  result->isCancelled = true;
  return result;
}

}  // namespace

TraceRunner::TraceRunner(QObject* parent) : QObject(parent) {
  m_context.moveToThread(&m_thread);
  m_thread.setObjectName(QStringLiteral("rqscope-trace"));
  m_thread.start(QThread::LowPriority);
}

TraceRunner::~TraceRunner() {
  cancel();
  m_thread.quit();
  m_thread.wait();
}

void TraceRunner::start(const QString& file, const api::Overrides& overrides) {
  cancel();
  m_isRunning = true;
  const quint64 ticket = ++m_run;
  ++m_window, ++m_moment;
  QMetaObject::invokeMethod(
      &m_context, [this, file, overrides, ticket] { run(file, overrides, ticket); }, Qt::QueuedConnection);
}

void TraceRunner::cancel() {
  m_cancelled = m_run.load();
  const std::scoped_lock lock(m_guard);
  m_reading.request_stop();
  if (m_comparison) m_comparison->cancel();
}

void TraceRunner::drop() {
  const std::scoped_lock lock(m_guard);
  m_comparison.reset();
}

/// On the thread, as all below: everything goes out as a value, by a queued call.
void TraceRunner::run(const QString& file, const api::Overrides& overrides, quint64 ticket) {
  if (ticket != m_run) return;
  drop();
  const TraceResultPtr result = resultOf(file, overrides, ticket);
  QMetaObject::invokeMethod(
      this,
      [this, result, ticket] {
        if (ticket != m_run) return;
        m_isRunning = false;
        Q_EMIT finished(isCancelled(ticket) ? cancelledResult(result->isTrace) : result);
      },
      Qt::QueuedConnection);
}

TraceResultPtr TraceRunner::resultOf(const QString& file, const api::Overrides& overrides, quint64 ticket) {
  auto result = std::make_shared<TraceResult>();
  const std::string path = file.toStdString();
  result->isTrace = api::isTrace(path);
  if (!result->isTrace) return result;
  std::stop_token stop;
  {
    const std::scoped_lock lock(m_guard);
    m_reading = std::stop_source();
    stop = m_reading.get_token();
  }
  if (isCancelled(ticket)) return result;
  auto opened = api::TraceComparison::open(path, overrides, {}, stop);
  result->problems = std::move(opened.problems);
  if (!opened.comparison) return result;
  {
    const std::scoped_lock lock(m_guard);
    m_comparison = std::move(opened.comparison);
  }
  while (!isCancelled(ticket) && !m_comparison->run(kSliceMs)) {
    const QString text = QString::fromStdString(m_comparison->progress());
    QMetaObject::invokeMethod(
        this, [this, text] { Q_EMIT progressed(text); }, Qt::QueuedConnection);
  }
  result->isCancelled = isCancelled(ticket);
  if (result->isCancelled)
    drop();
  else
    result->report = std::make_shared<const api::TraceReport>(m_comparison->report());
  return result;
}

void TraceRunner::requestWindow(qint64 beginNs, qint64 endNs, int bins) {
  const quint64 ticket = ++m_window;
  QMetaObject::invokeMethod(
      &m_context,
      [this, beginNs, endNs, bins, ticket] {
        if (ticket != m_window || !m_comparison) return;
        auto window =
            std::make_shared<const api::TimelineWindow>(m_comparison->machineTimeline(beginNs, endNs, bins));
        QMetaObject::invokeMethod(
            this,
            [this, window, ticket] {
              if (ticket == m_window) Q_EMIT windowReady(window);
            },
            Qt::QueuedConnection);
      },
      Qt::QueuedConnection);
}

void TraceRunner::show(std::size_t parting) {
  const quint64 ticket = ++m_moment;
  QMetaObject::invokeMethod(
      &m_context,
      [this, parting, ticket] {
        if (ticket != m_moment || !m_comparison || parting >= m_comparison->report().partings.size()) return;
        auto moment = std::make_shared<TraceMoment>();
        const api::Parting& which = m_comparison->report().partings[parting];
        moment->parting = parting;
        moment->at = m_comparison->at(which.timeNs);
        moment->ladder = m_comparison->decisionAt(which);
        QMetaObject::invokeMethod(
            this,
            [this, moment = TraceMomentPtr(std::move(moment)), ticket] {
              if (ticket == m_moment) Q_EMIT momentReady(moment);
            },
            Qt::QueuedConnection);
      },
      Qt::QueuedConnection);
}

}  // namespace rqscope::compare
