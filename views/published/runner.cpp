// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "published/runner.h"

#include <QMetaObject>

namespace rqscope::published {

Runner::Runner(QObject* parent) : QObject(parent) {
  qRegisterMetaType<rqscope::api::ReproduceProgress>();
  qRegisterMetaType<rqscope::published::ReproductionPtr>();
}

Runner::~Runner() {
  cancel();
  if (m_thread) m_thread->wait();
}

void Runner::start(const QString& name) {
  if (m_thread) return;
  m_cancel = false;
  m_thread = QThread::create([this, name] { run(name); });
  m_thread->setParent(this);
  m_thread->setObjectName(QStringLiteral("rqscope-published"));
  m_thread->start(QThread::LowPriority);
}

void Runner::cancel() { m_cancel = true; }

/// On the thread: everything goes out as a value, by a queued call.
void Runner::run(const QString& name) {
  api::ReproduceControl control;
  control.cancel = &m_cancel;
  control.onProgress = [this](const api::ReproduceProgress& progress) {
    QMetaObject::invokeMethod(
        this, [this, progress] { Q_EMIT progressed(progress); }, Qt::QueuedConnection);
  };
  control.onRow = [this](const api::Reproduction& soFar) {
    const auto value = std::make_shared<const api::Reproduction>(soFar);
    QMetaObject::invokeMethod(
        this, [this, value] { Q_EMIT rowDone(value); }, Qt::QueuedConnection);
  };
  const auto result = std::make_shared<const api::Reproduction>(api::reproduce(name.toStdString(), control));
  QMetaObject::invokeMethod(
      this,
      [this, result] {
        m_thread->wait();
        m_thread->deleteLater();
        m_thread = nullptr;
        Q_EMIT finished(result);
      },
      Qt::QueuedConnection);
}

}  // namespace rqscope::published
