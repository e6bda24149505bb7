// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "lesson/marker.h"

#include <QMetaObject>

namespace rqscope::lesson {

Marker::Marker(QObject* parent) : QObject(parent) { qRegisterMetaType<rqscope::lesson::MarkPtr>(); }

Marker::~Marker() {
  cancel();
  if (m_thread) m_thread->wait();
}

void Marker::start(const LessonPtr& lesson, std::size_t step, const std::string& kernel) {
  if (m_thread) return;
  m_isCancelled = false;
  m_thread = QThread::create([this, lesson, step, kernel] {
    const auto mark = std::make_shared<const api::LessonMark>(
        api::markQuestion(*lesson, lesson->steps[step], kernel, &m_isCancelled));
    QMetaObject::invokeMethod(
        this,
        [this, mark] {
          m_thread->wait();
          m_thread->deleteLater();
          m_thread = nullptr;
          Q_EMIT marked(mark);
        },
        Qt::QueuedConnection);
  });
  m_thread->setParent(this);
  m_thread->setObjectName(QStringLiteral("rqscope-lesson"));
  m_thread->start();
}

}  // namespace rqscope::lesson
