// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "compare/runner.h"

#include <QMetaObject>
#include <algorithm>

namespace rqscope::compare {

namespace {

constexpr int kSliceMs = 100;
constexpr int kBins = 600;

/// Charts that have a line for each CPU.
constexpr const char* kChartsOfCpus[] = {"cpu_util", "nr_running"};

}  // namespace

Runner::Runner(QObject* parent) : QObject(parent) {
  qRegisterMetaType<rqscope::compare::ResultPtr>();
  qRegisterMetaType<rqscope::compare::MomentPtr>();
  m_context.moveToThread(&m_thread);
  m_thread.setObjectName(QStringLiteral("rqscope-compare"));
  m_thread.start(QThread::LowPriority);
}

Runner::~Runner() {
  ++m_moment;
  cancel();
  m_thread.quit();
  m_thread.wait();
}

void Runner::start(const Input& input) {
  cancel();
  m_isRunning = true;
  const quint64 ticket = ++m_run;
  ++m_moment;
  QMetaObject::invokeMethod(
      &m_context, [this, input, ticket] { run(input, ticket); }, Qt::QueuedConnection);
}

void Runner::cancel() {
  m_ended = m_run.load();
  const std::scoped_lock lock(m_guard);
  if (m_comparison) m_comparison->cancel();
}

void Runner::show(std::size_t difference) {
  const quint64 ticket = ++m_moment;
  QMetaObject::invokeMethod(
      &m_context, [this, difference, ticket] { take(difference, ticket); }, Qt::QueuedConnection);
}

/// On the thread, as take() is: everything goes out as a value, by a queued call.
void Runner::run(const Input& input, quint64 ticket) {
  if (ticket != m_run) return;
  {
    const std::scoped_lock lock(m_guard);
    m_comparison.reset();
  }
  const ResultPtr result = resultOf(input, ticket);
  QMetaObject::invokeMethod(
      this,
      [this, result, ticket] {
        if (ticket != m_run) return;
        m_isRunning = false;
        Q_EMIT finished(result);
      },
      Qt::QueuedConnection);
}

ResultPtr Runner::resultOf(const Input& input, quint64 ticket) {
  auto result = std::make_shared<Result>();
  result->isCancelled = isToEnd(ticket);
  if (result->isCancelled) return result;
  const bool isOneText = input.textOfB.isEmpty();
  auto opened =
      api::RunComparison::open({input.name.toStdString(), input.text.toStdString(), input.overrides[0]},
                               {(isOneText ? input.name : input.nameOfB).toStdString(),
                                (isOneText ? input.text : input.textOfB).toStdString(), input.overrides[1]});
  result->problems = std::move(opened.problems);
  if (!opened.comparison) return result;
  {
    const std::scoped_lock lock(m_guard);
    m_comparison = std::move(opened.comparison);
  }
  while (!isToEnd(ticket) && !m_comparison->run(kSliceMs)) {
    const qint64 timeNs = m_comparison->timeNs();
    QMetaObject::invokeMethod(
        this, [this, timeNs] { Q_EMIT progressed(timeNs); }, Qt::QueuedConnection);
  }
  result->isCancelled = isToEnd(ticket);
  if (result->isCancelled) {
    const std::scoped_lock lock(m_guard);
    m_comparison.reset();
    return result;
  }
  result->isGood = true;
  result->sameDecisions = m_comparison->sameDecisions();
  result->differences = m_comparison->differences();
  result->outcomes = m_comparison->outcomes();
  result->finished = m_comparison->tasksFinished();
  return result;
}

void Runner::take(std::size_t difference, quint64 ticket) {
  if (ticket != m_moment || !m_comparison || difference >= m_comparison->differences().size()) return;
  auto moment = std::make_shared<Moment>();
  moment->difference = difference;
  moment->at = m_comparison->at(difference);
  const auto layout = m_comparison->simulation(0).layout();
  const std::int32_t cpu = m_comparison->differences()[difference].cpu;
  const auto found =
      std::find_if(layout->cpus.begin(), layout->cpus.end(), [&](const auto& c) { return c.id == cpu; });
  const auto position = static_cast<std::size_t>(found - layout->cpus.begin());
  for (const char* id : kChartsOfCpus) {
    api::ChartData chart = m_comparison->chartOfCpu(id, position, kBins);
    if (!chart.series.empty()) moment->charts.push_back(std::move(chart));
  }
  QMetaObject::invokeMethod(
      this,
      [this, moment = MomentPtr(std::move(moment)), ticket] {
        if (ticket == m_moment) Q_EMIT momentReady(moment);
      },
      Qt::QueuedConnection);
}

}  // namespace rqscope::compare
