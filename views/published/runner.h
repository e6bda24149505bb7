// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <QThread>
#include <atomic>
#include <memory>

#include "rqscope/reproduce.h"

namespace rqscope::published {

using ReproductionPtr = std::shared_ptr<const api::Reproduction>;

/// Runs one discussion at a time on a thread of its own. The rows come as they are done.
class Runner : public QObject {
  Q_OBJECT
 public:
  explicit Runner(QObject* parent = nullptr);
  ~Runner() override;

  void start(const QString& name);
  /// Ends the run soon; finished() still comes.
  void cancel();
  bool isRunning() const { return m_thread != nullptr; }

 Q_SIGNALS:
  void progressed(const rqscope::api::ReproduceProgress& progress);
  void rowDone(const rqscope::published::ReproductionPtr& soFar);
  void finished(const rqscope::published::ReproductionPtr& result);

 private:
  void run(const QString& name);

  QThread* m_thread = nullptr;
  std::atomic<bool> m_cancel = false;
};

}  // namespace rqscope::published
