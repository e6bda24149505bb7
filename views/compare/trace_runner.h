// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <QThread>
#include <atomic>
#include <memory>
#include <mutex>
#include <stop_token>

#include "rqscope/trace_comparison.h"

namespace rqscope::compare {

/// What came of a trace beside the model; immutable.
struct TraceResult {
  bool isTrace = false;  ///< the file is none: there is nothing to compare
  bool isCancelled = false;
  std::vector<api::Problem> problems;
  std::shared_ptr<const api::TraceReport> report;  ///< null: none was made
};
using TraceResultPtr = std::shared_ptr<const TraceResult>;

/// Both sides at one parting, and what the model decided there.
struct TraceMoment {
  std::size_t parting = 0;  ///< index in the report
  api::BothSides<api::SideMoment> at;
  std::shared_ptr<const api::Ladder> ladder;
};
using TraceMomentPtr = std::shared_ptr<const TraceMoment>;

/// Owns the comparison of the window's trace on a thread of its own. A newer request replaces an older one.
class TraceRunner : public QObject {
  Q_OBJECT
 public:
  explicit TraceRunner(QObject* parent = nullptr);
  ~TraceRunner() override;

  void start(const QString& file, const api::Overrides& overrides);
  void cancel();  ///< finished() still comes
  bool isRunning() const { return m_isRunning; }
  /// What the machine ran in [begin, end]; only once a comparison is complete.
  void requestWindow(qint64 beginNs, qint64 endNs, int bins);
  void show(std::size_t parting);

 Q_SIGNALS:
  void progressed(const QString& text);
  void finished(const rqscope::compare::TraceResultPtr& result);
  void windowReady(const std::shared_ptr<const rqscope::api::TimelineWindow>& window);
  void momentReady(const rqscope::compare::TraceMomentPtr& moment);

 private:
  void run(const QString& file, const api::Overrides& overrides, quint64 ticket);
  TraceResultPtr resultOf(const QString& file, const api::Overrides& overrides, quint64 ticket);
  void drop();
  bool isCancelled(quint64 run) const { return run <= m_cancelled || run != m_run; }

  QThread m_thread;
  QObject m_context;           ///< lives on the thread; calls for it run there
  std::mutex m_guard;          ///< guards the pointer and m_reading against cancel() while they are replaced
  std::stop_source m_reading;  ///< ends the reading of the trace
  std::unique_ptr<api::TraceComparison> m_comparison;
  std::atomic<quint64> m_run = 0, m_window = 0, m_moment = 0;  ///< newest requests
  std::atomic<quint64> m_cancelled = 0;                        ///< newest run that was given up
  bool m_isRunning = false;
};

}  // namespace rqscope::compare
