// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/worker.h"

#include <chrono>
#include <limits>

#include "rqscope/trace_comparison.h"

namespace rqscope::session {
namespace {

constexpr int kRunIntervalMs = 33;    // 30 Hz
constexpr int kFastIntervalMs = 100;  // fast redraws each 100 ms
constexpr int kUntilSliceMs = 50;     // a run-until looks for a cancel this often
constexpr double kFastFactor = 50;
constexpr int kExpressSliceMs = 200;

}  // namespace

Worker::Worker() : m_timer(this) { connect(&m_timer, &QTimer::timeout, this, &Worker::onTimer); }

std::stop_token Worker::beginReading() {
  const std::lock_guard lock(m_guard);
  m_reading.request_stop();
  m_reading = std::stop_source();
  return m_reading.get_token();
}

void Worker::open(const QString& name, const api::Overrides& overrides, const std::stop_token& stop) {
  const std::string path = name.toStdString();
  if (!api::isTrace(path)) return adopt(name, overrides, api::Simulation::open(path, overrides));
  api::TraceText read = api::textOfTrace(path, overrides, stop);
  if (!read.text.empty())
    return adopt(name, overrides, api::Simulation::openText(read.file, read.text, overrides));
  api::Opened refused;
  refused.problems = std::move(read.problems);
  adopt(name, overrides, std::move(refused));
}

void Worker::openText(const QString& fileName, const QString& text, const api::Overrides& overrides) {
  adopt(fileName, overrides,
        api::Simulation::openText(fileName.toStdString(), text.toStdString(), overrides));
}

void Worker::adopt(const QString& fileName, const api::Overrides& overrides, api::Opened opened) {
  const bool isOpen = opened.simulation != nullptr;
  if (isOpen) {
    setPace(Pace::Paused);
    forgetBranches();
    Branch& first = m_branches.emplace_back();
    first.id = m_nextBranch++;
    first.change = QString::fromStdString(opened.simulation->scenarioName());
    first.fileName = fileName;
    first.text = QString::fromStdString(opened.simulation->scenarioText());
    first.overrides = overrides;
    swapIn(first.id, std::move(opened.simulation));
    tellOpened(false);
    publish();
  }
  Q_EMIT problemsFound(opened.problems, isOpen);
}

void Worker::publish() {
  if (!m_simulation) return;
  FramePtr frame = m_simulation->frame();
  noteStanding(*frame);
  shareBudget();
  if (m_branches.size() > 1 || frame->historyBudget != m_budget) {
    // One budget for all runs: the frame knows of its own only.
    auto whole = std::make_shared<api::Frame>(*frame);
    whole->historyBytes += bytesAside();
    whole->historyBudget = m_budget;
    frame = std::move(whole);
  }
  Q_EMIT frameChanged(frame);
  tellBranches();
}

void Worker::step(api::StepKind kind, api::Direction direction) {
  if (!m_simulation) return;
  setPace(Pace::Paused);
  m_simulation->step(kind, direction);
  publish();
}

void Worker::seekTime(qint64 timeNs) {
  if (!m_simulation) return;
  setPace(Pace::Paused);
  m_simulation->seekTime(timeNs);
  publish();
  const auto frame = m_simulation->frame();
  if (frame->atEnd && frame->timeNs < timeNs) Q_EMIT seekMissed(Place::Time, static_cast<quint64>(timeNs));
}

void Worker::seekPass(quint64 index) {
  if (!m_simulation) return;
  setPace(Pace::Paused);
  const bool isThere = m_simulation->seekPass(index);
  publish();
  if (!isThere) Q_EMIT seekMissed(Place::Pass, index);
}

void Worker::seekEvent(quint64 index) {
  if (!m_simulation) return;
  setPace(Pace::Paused);
  m_simulation->seekEvent(index);
  publish();
  const auto frame = m_simulation->frame();
  if (frame->atEnd && frame->eventIndex < index) Q_EMIT seekMissed(Place::Event, index);
}

void Worker::seekDecision(const api::DecisionFilter& filter) {
  if (!m_simulation) return;
  setPace(Pace::Paused);
  constexpr int kWhateverItTakes = std::numeric_limits<int>::max();
  const auto index = api::runToDecision(*m_simulation, filter, kWhateverItTakes);
  if (index) m_simulation->seekPass(*index);
  publish();
  if (!index) Q_EMIT seekMissed(Place::Decision, 0);
}

void Worker::stepToRefusal() {
  if (!m_simulation) return;
  const auto frame = m_simulation->frame();
  if (!frame->ladder) return;
  const int wanted = api::refusingRung(*frame->ladder);
  for (int at = frame->rung; at < wanted; ++at)
    m_simulation->step(api::StepKind::Rung, api::Direction::Forward);
  publish();
}

void Worker::runUntil(const api::StopCondition& condition) {
  if (!m_simulation) return;
  m_until = condition;
  m_hasUntil = true;
  setPace(Pace::Express);
}

void Worker::setPace(Pace pace) {
  if (pace == Pace::Paused) m_hasUntil = false;
  if (pace == m_pace) return;
  m_pace = pace;
  switch (pace) {
    case Pace::Paused:
      m_timer.stop();
      break;
    case Pace::Run:
      m_timer.start(kRunIntervalMs);
      break;
    case Pace::Fast:
      m_timer.start(kFastIntervalMs);
      break;
    case Pace::Express:
      m_timer.start(0);
      break;
  }
  Q_EMIT paceChanged(pace);
}

void Worker::onTimer() {
  if (!m_simulation) return setPace(Pace::Paused);
  if (m_hasUntil) {
    const bool met = m_simulation->runUntil(m_until, kUntilSliceMs);
    if (met || m_simulation->frame()->atEnd) {
      setPace(Pace::Paused);
      publish();
      Q_EMIT untilEnded(met);
    } else {
      publish();
    }
    return;
  }
  if (m_pace == Pace::Express) {
    m_simulation->runUntil(api::StopCondition{}, kExpressSliceMs);
  } else {
    const double factor = m_pace == Pace::Fast ? kFastFactor : 1;
    m_simulation->advance(static_cast<std::int64_t>(m_speed * factor * m_timer.interval() / 1000.0));
  }
  const bool atEnd = m_simulation->frame()->atEnd;
  if (atEnd) setPace(Pace::Paused);
  if (m_pace != Pace::Express || atEnd) publish();
}

void Worker::setViewpoint(int cpu) {
  if (!m_simulation || cpu == m_viewpoint) return;
  m_viewpoint = cpu;
  m_simulation->setViewpoint(cpu);
  publish();
}

void Worker::timeline(Request kind, quint64 ticket, qint64 beginNs, qint64 endNs, int bins) {
  if (!m_simulation || isStale(kind, ticket)) return;
  const auto window =
      std::make_shared<const api::TimelineWindow>(m_simulation->timeline(beginNs, endNs, bins));
  if (kind == Request::Overview) {
    Q_EMIT overviewReady(window);
  } else {
    Q_EMIT timelineReady(window);
  }
}

void Worker::chart(quint64 ticket, const QString& id, qint64 beginNs, qint64 endNs, int bins) {
  if (!m_simulation || isStale(Request::Chart, ticket)) return;
  Q_EMIT chartReady(
      std::make_shared<const api::ChartData>(m_simulation->chart(id.toStdString(), beginNs, endNs, bins)));
}

void Worker::queue(quint64 ticket, int cpu) {
  if (!m_simulation || isStale(Request::Queue, ticket)) return;
  Q_EMIT queueReady(cpu, std::make_shared<const std::vector<api::QueueEntity>>(m_simulation->queue(cpu)));
}

void Worker::numbers(quint64 ticket, int cpu, const api::ValueRef& ref) {
  if (!m_simulation || isStale(Request::Numbers, ticket)) return;
  auto answer = std::make_shared<Numbers>();
  answer->cpu = cpu;
  answer->shown = m_simulation->values(cpu);
  if (!ref.name.empty()) answer->explained = m_simulation->explainValue(ref);
  Q_EMIT numbersReady(answer);
}

void Worker::whatIf(quint64 ticket, quint64 index, const std::vector<api::OperandOverride>& changes) {
  if (!m_simulation || isStale(Request::WhatIf, ticket)) return;
  Q_EMIT whatIfReady(std::make_shared<const api::WhatIf>(m_simulation->whatIf(index, changes)));
}

void Worker::whyNot(quint64 ticket, quint64 index, int task, int cpu) {
  if (!m_simulation || isStale(Request::WhyNot, ticket)) return;
  Q_EMIT whyNotReady(std::make_shared<const api::WhyNot>(m_simulation->whyNot(index, task, cpu)));
}

void Worker::derive(quint64 ticket, quint64 index, const api::OperandPath& path) {
  if (!m_simulation || isStale(Request::Derivation, ticket)) return;
  Q_EMIT derivationReady(std::make_shared<const api::Derivation>(m_simulation->derive(index, path)));
}

void Worker::explain(quint64 ticket, quint64 index, const api::ValueRef& ref) {
  if (!m_simulation || isStale(Request::Explained, ticket)) return;
  Q_EMIT explainedReady(
      std::make_shared<const api::ExplainedValue>(m_simulation->explainValueIn(index, ref)));
}

void Worker::decisions(quint64 ticket, const api::DecisionFilter& filter) {
  constexpr std::size_t kEachSide = 1000;
  if (!m_simulation || isStale(Request::Decisions, ticket)) return;
  Q_EMIT decisionsReady(
      std::make_shared<const api::DecisionList>(api::decisionsAround(*m_simulation, filter, kEachSide)));
}

void Worker::idleCauses(quint64 ticket) {
  if (!m_simulation || isStale(Request::IdleCauses, ticket)) return;
  Q_EMIT idleCausesReady(std::make_shared<const std::vector<api::Outcome::IdleCause>>(
      m_simulation->idleCauses(0, m_simulation->frame()->timeNs)));
}

void Worker::pause() {
  setPace(Pace::Paused);
  publish();
}

void Worker::end() {
  m_isEnding = true;
  cancel();
}

void Worker::cancel() {
  m_isCancelled = true;
  const std::lock_guard lock(m_guard);
  m_reading.request_stop();
  if (m_simulation) m_simulation->cancel();
}

}  // namespace rqscope::session
