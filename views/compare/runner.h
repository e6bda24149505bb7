// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <QThread>
#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "rqscope/run_comparison.h"

namespace rqscope::compare {

/// What is run twice.
struct Input {
  QString name, text;  ///< as api::ComparedRun
  std::array<api::Overrides, 2> overrides;
  QString nameOfB, textOfB;  ///< empty: B runs the same text
};

/// What came of two runs; immutable.
struct Result {
  bool isGood = false, isCancelled = false;
  std::array<std::vector<api::Problem>, 2> problems;
  std::size_t sameDecisions = 0;
  std::vector<api::Difference> differences;
  std::vector<api::OutcomeRow> outcomes;
  api::ChartData finished;
};
using ResultPtr = std::shared_ptr<const Result>;

/// Both machines at one difference, with the charts of its CPU.
struct Moment {
  std::size_t difference = 0;
  api::ComparedMoment at;
  std::vector<api::ChartData> charts;
};
using MomentPtr = std::shared_ptr<const Moment>;

/// Owns two runs on a thread of its own. A newer start or show replaces an older one.
class Runner : public QObject {
  Q_OBJECT
 public:
  explicit Runner(QObject* parent = nullptr);
  ~Runner() override;

  void start(const Input& input);
  /// Ends the run soon; finished() still comes.
  void cancel();
  bool isRunning() const { return m_isRunning; }
  /// Asks for a moment of the finished runs.
  void show(std::size_t difference);

 Q_SIGNALS:
  void progressed(qint64 timeNs);
  void finished(const rqscope::compare::ResultPtr& result);
  void momentReady(const rqscope::compare::MomentPtr& moment);

 private:
  void run(const Input& input, quint64 ticket);
  void take(std::size_t difference, quint64 ticket);
  ResultPtr resultOf(const Input& input, quint64 ticket);
  bool isToEnd(quint64 ticket) const { return ticket != m_run || ticket <= m_ended; }

  QThread m_thread;
  QObject m_context;   ///< lives on the thread; calls for it run there
  std::mutex m_guard;  ///< guards the pointer against cancel() while it is replaced
  std::unique_ptr<api::RunComparison> m_comparison;
  std::atomic<quint64> m_run = 0, m_moment = 0;  ///< newest requests; older ones are stale
  std::atomic<quint64> m_ended = 0;  ///< runs up to this one are to end, also one that has not begun
  bool m_isRunning = false;
};

}  // namespace rqscope::compare
