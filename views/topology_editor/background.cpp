// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "topology_editor/background.h"

#include <QCoreApplication>
#include <QPointer>
#include <QThreadPool>

namespace rqscope::topology_editor {

Background::~Background() { m_stop.request_stop(); }

void Background::setBusy(bool isBusy) {
  m_isBusy = isBusy;
  Q_EMIT busyChanged();
}

void Background::run(const QString& what, Work work) {
  m_stop.request_stop();
  m_stop = std::stop_source();
  m_what = what;
  const quint64 turn = ++m_turn;
  setBusy(true);
  QPointer<Background> self(this);
  QThreadPool::globalInstance()->start([self, turn, token = m_stop.get_token(), work = std::move(work)] {
    std::function<void()> answer = work(token);
    QMetaObject::invokeMethod(
        QCoreApplication::instance(),
        [self, turn, answer = std::move(answer)]() mutable {
          if (!self || self->m_turn != turn) {
            // What nobody wants may be large.
            return releaseElsewhere(std::make_shared<std::function<void()>>(std::move(answer)));
          }
          self->setBusy(false);
          if (answer) answer();
        },
        Qt::QueuedConnection);
  });
}

void Background::cancel() {
  if (!m_isBusy) return;
  m_stop.request_stop();
  ++m_turn;
  setBusy(false);
}

void releaseElsewhere(std::shared_ptr<const void> what) {
  if (!what) return;
  QThreadPool::globalInstance()->start([what = std::move(what)]() mutable { what.reset(); });
}

}  // namespace rqscope::topology_editor
