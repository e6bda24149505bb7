// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "compare/compare_runner.h"

#include <QMetaObject>

namespace rqscope::compare {

CompareRunner::CompareRunner(QObject* parent) : QObject(parent) {
  qRegisterMetaType<rqscope::compare::ComparisonPtr>();
}

CompareRunner::~CompareRunner() {
  cancel();
  if (m_thread) m_thread->wait();
}

void CompareRunner::cancel() { m_cancel = true; }

/// On the thread everything goes out as a value, by a queued call.
void CompareRunner::start(const QString& fileName, const QString& text, const api::CompareSide& a,
                          const api::CompareSide& b) {
  if (m_thread) return;
  m_cancel = false;
  m_thread = QThread::create([this, file = fileName.toStdString(), scenario = text.toStdString(), a, b] {
    api::CompareControl control;
    control.cancel = &m_cancel;
    control.onProgress = [this](double share) {
      QMetaObject::invokeMethod(
          this, [this, share] { Q_EMIT progressed(share); }, Qt::QueuedConnection);
    };
    const auto result =
        std::make_shared<const api::RunComparison>(api::compareRuns(file, scenario, a, b, control));
    QMetaObject::invokeMethod(
        this,
        [this, result] {
          m_thread->wait();
          m_thread->deleteLater();
          m_thread = nullptr;
          Q_EMIT finished(result);
        },
        Qt::QueuedConnection);
  });
  m_thread->setParent(this);
  m_thread->setObjectName(QStringLiteral("rqscope-compare"));
  m_thread->start(QThread::LowPriority);
}

}  // namespace rqscope::compare
