// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <QApplication>
#include <QFrame>
#include <QKeyEvent>
#include <QVBoxLayout>
#include <algorithm>

#include "look/fonts.h"
#include "look/palette.h"
#include "machine/lens.h"
#include "machine/machine_view.h"

namespace rqscope::machine {
namespace {

constexpr double kWidthPx = 420, kHeightPx = 300, kMostShare = 0.7;
constexpr int kAwayPx = 18;  ///< from the mouse, so that what is under it stays seen

bool takesText(const QWidget* widget) {
  return widget != nullptr && widget->testAttribute(Qt::WA_InputMethodEnabled);
}

}  // namespace

void MachineView::buildLens() {
  m_lensFrame = new QFrame(this);
  m_lensFrame->setObjectName(QStringLiteral("lensFrame"));
  m_lensFrame->setAttribute(Qt::WA_TransparentForMouseEvents);
  m_lensFrame->hide();
  auto* inside = new QVBoxLayout(m_lensFrame);
  inside->setContentsMargins(2, 2, 2, 2);
  m_lens = new Lens(m_lensFrame);
  m_lens->setFocusPolicy(Qt::NoFocus);
  inside->addWidget(m_lens);
  m_lens->follow(m_canvas);
  connect(m_canvas, &Canvas::groupHovered, this, &MachineView::placeLens);
  qApp->installEventFilter(this);
}

void MachineView::showLens() {
  m_lensFrame->setStyleSheet(
      QStringLiteral("#lensFrame { border: 2px solid %1; }").arg(look::colors(this).accent.name()));
  const double scale = look::textScale();
  m_lensFrame->resize(static_cast<int>(std::min(kWidthPx * scale, m_canvas->width() * kMostShare)),
                      static_cast<int>(std::min(kHeightPx * scale, m_canvas->height() * kMostShare)));
  m_lensFrame->show();
  m_lensFrame->raise();
  m_lens->setFrame(m_canvas->frame());
  placeLens();
}

/// Beside the mouse, or the selected CPU when the mouse is elsewhere.
void MachineView::placeLens() {
  if (!m_lensFrame->isVisible()) return;
  QPoint at = m_canvas->mapFromGlobal(QCursor::pos());
  if (!m_canvas->rect().contains(at)) {
    at = m_canvas->rect().center();
    const Geometry& geometry = m_canvas->geometryShown();
    for (const BoxItem& box : geometry.boxes)
      if (box.cpus == m_lens->only()) at = (box.rect.center() - m_canvas->toScene(QPointF(0, 0))).toPoint();
  }
  const QRect room = m_canvas->geometry();
  const QPoint mouse = m_canvas->mapTo(this, at);
  const QSize size = m_lensFrame->size();
  int x = mouse.x() + kAwayPx;
  if (x + size.width() > room.right()) x = mouse.x() - kAwayPx - size.width();
  const int y = mouse.y() - size.height() / 2;
  m_lensFrame->move(std::clamp(x, room.left(), std::max(room.left(), room.right() - size.width())),
                    std::clamp(y, room.top(), std::max(room.top(), room.bottom() - size.height())));
}

bool MachineView::eventFilter(QObject* watched, QEvent* event) {
  if (watched == window() && event->type() == QEvent::WindowDeactivate) m_lensFrame->hide();
  if (event->type() != QEvent::KeyPress && event->type() != QEvent::KeyRelease) return false;
  const auto* key = static_cast<QKeyEvent*>(event);
  if (key->key() != Qt::Key_Z || watched != QApplication::focusWidget()) return false;
  const bool isShown = m_lensFrame->isVisible();
  if (key->isAutoRepeat()) return isShown;
  if (event->type() == QEvent::KeyRelease) {
    m_lensFrame->hide();
    return isShown;
  }
  const bool isHere = m_canvas->hasFocus() || m_canvas->underMouse();
  if (key->modifiers() != Qt::NoModifier || !isHere || takesText(QApplication::focusWidget())) return false;
  if (m_canvas->frame()) showLens();
  return true;
}

}  // namespace rqscope::machine
