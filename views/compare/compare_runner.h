// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <QThread>
#include <atomic>
#include <memory>

#include "rqscope/compare.h"

namespace rqscope::compare {

using ComparisonPtr = std::shared_ptr<const api::RunComparison>;

/// Compares one pair of runs at a time on a thread of its own.
class CompareRunner : public QObject {
  Q_OBJECT
 public:
  explicit CompareRunner(QObject* parent = nullptr);
  ~CompareRunner() override;

  void start(const QString& fileName, const QString& text, const api::CompareSide& a,
             const api::CompareSide& b);
  /// Ends the runs soon; finished() still comes.
  void cancel();
  bool isRunning() const { return m_thread != nullptr; }

 Q_SIGNALS:
  void progressed(double share);
  void finished(const rqscope::compare::ComparisonPtr& result);

 private:
  QThread* m_thread = nullptr;
  std::atomic<bool> m_cancel = false;
};

}  // namespace rqscope::compare
