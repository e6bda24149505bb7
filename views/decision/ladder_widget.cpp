// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "decision/ladder_widget.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPixmap>
#include <QScrollBar>
#include <QToolTip>
#include <algorithm>

#include "look/fonts.h"
#include "look/painting.h"
#include "look/panel.h"
#include "look/words.h"

namespace rqscope::decision {
namespace {

constexpr double kRailX = 18, kTextX = 34, kRightPx = 10, kTopPx = 5;

}  // namespace

LadderWidget::LadderWidget(QWidget* parent) : QAbstractScrollArea(parent) {
  look::installAccessibleItems();  // before anything is said of this widget
  setFrameShape(QFrame::NoFrame);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setFocusPolicy(Qt::StrongFocus);
  viewport()->setMouseTracking(true);
  setAccessibleName(tr("Ladder of the decision"));
}

void LadderWidget::setLadder(const std::shared_ptr<const api::Ladder>& ladder, int rung) {
  if (m_ladder != ladder) {
    m_opened.clear();
    m_focused = -1;
  }
  m_ladder = ladder;
  m_rung = rung;
  relayout();
}

RungState LadderWidget::stateOf(std::size_t index) const {
  const int at = static_cast<int>(index);
  if (m_rung >= 0 && at > m_rung) return RungState::NotReached;
  if (at == m_rung) return RungState::Current;
  return m_opened.contains(index) != m_unfolded.contains(index) ? RungState::Done : RungState::Folded;
}

double LadderWidget::contentWidth() const { return viewport()->width() - kTextX - kRightPx; }

void LadderWidget::relayout() {
  m_rects.clear();
  if (!m_ladder) return viewport()->update();
  QPixmap nothing(1, 1);
  QPainter painter(&nothing);
  RungPainter measurer(painter, look::colors(this), kTextX, contentWidth());
  measurer.setMode(RungPainter::Mode::Measure);
  const auto measure = [&] {
    m_rects.clear();
    double y = kTopPx;
    for (std::size_t i = 0; i < m_ladder->rungs.size(); ++i) {
      const double end = measurer.rung(m_ladder->rungs[i], y, stateOf(i), nullptr);
      m_rects.emplace_back(0, y, viewport()->width(), end - y);
      y = end;
    }
    return y;
  };
  m_unfolded.clear();
  double total = measure();
  // What is nearest above the current rung unfolds first, as far as there is room.
  const std::size_t count = m_ladder->rungs.size();
  for (std::size_t i = m_rung < 0 ? count : std::min(static_cast<std::size_t>(m_rung), count); i-- > 0;) {
    m_unfolded.insert(i);
    const double with = measure();
    if (with > viewport()->height()) m_unfolded.erase(i);
  }
  total = measure();
  verticalScrollBar()->setRange(0, std::max(0, static_cast<int>(total) - viewport()->height()));
  verticalScrollBar()->setPageStep(viewport()->height());
  verticalScrollBar()->setSingleStep(22);
  if (m_rung >= 0 && m_rung < static_cast<int>(m_rects.size())) {
    const QRectF& now = m_rects[static_cast<std::size_t>(m_rung)];
    const int value = verticalScrollBar()->value();
    const int below = static_cast<int>(now.bottom()) + 40 - viewport()->height();
    verticalScrollBar()->setValue(std::clamp(value, std::min(below, static_cast<int>(now.top())),
                                             std::max(static_cast<int>(now.top()) - 4, 0)));
  }
  viewport()->update();
}

void LadderWidget::paintRail(QPainter& painter, std::size_t index, const QRectF& rect) const {
  const look::Palette& p = look::colors(this);
  const RungState state = stateOf(index);
  const QPointF center(kRailX, rect.top() + 12 * look::textScale());
  painter.setPen(QPen(p.line2, 2));
  if (index > 0) painter.drawLine(QPointF(kRailX, rect.top()), center - QPointF(0, 6));
  if (index + 1 < m_rects.size()) painter.drawLine(center + QPointF(0, 6), QPointF(kRailX, rect.bottom()));
  if (state == RungState::Current) {
    painter.setPen(Qt::NoPen);
    painter.setBrush(p.now);
    painter.drawEllipse(center, 6, 6);
    painter.setBrush(p.nowGround);
    painter.drawPolygon(
        QPolygonF({center + QPointF(-1.8, -2.8), center + QPointF(2.8, 0), center + QPointF(-1.8, 2.8)}));
    return;
  }
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(state == RungState::NotReached ? p.line2 : p.text3, 1.4));
  painter.drawEllipse(center, 5.2, 5.2);
  if (state == RungState::NotReached) return;
  painter.setPen(Qt::NoPen);
  painter.setBrush(p.text2);
  painter.drawEllipse(center, 2.4, 2.4);
}

void LadderWidget::paintEvent(QPaintEvent*) {
  const look::Palette& p = look::colors(this);
  if (!m_ladder)
    return look::paintEmpty(viewport(), tr("No decision yet"),
                            tr("Run to the next pass (Ctrl+Right) to see one."));
  QPainter painter(viewport());
  painter.setRenderHint(QPainter::Antialiasing);
  painter.fillRect(viewport()->rect(), p.dock);
  painter.translate(0, -verticalScrollBar()->value());
  m_hits.clear();
  RungPainter rungs(painter, p, kTextX, contentWidth());
  for (std::size_t i = 0; i < m_rects.size(); ++i) {
    const QRectF& rect = m_rects[i];
    if (stateOf(i) == RungState::Current) {
      painter.fillRect(rect, p.nowGround);
      painter.fillRect(QRectF(rect.left(), rect.top(), 3, rect.height()), p.now);
    }
    if (static_cast<int>(i) == m_focused && hasFocus())
      look::drawFocus(painter, rect.adjusted(3, 1, -3, -1), p);
    paintRail(painter, i, rect);
    rungs.rung(m_ladder->rungs[i], rect.top(), stateOf(i), &m_hits);
  }
}

void LadderWidget::resizeEvent(QResizeEvent*) { relayout(); }

const Hit* LadderWidget::hitAt(QPointF viewportPoint) const {
  const QPointF point = viewportPoint + QPointF(0, verticalScrollBar()->value());
  const auto it =
      std::find_if(m_hits.begin(), m_hits.end(), [&](const Hit& hit) { return hit.rect.contains(point); });
  return it == m_hits.end() ? nullptr : &*it;
}

void LadderWidget::mousePressEvent(QMouseEvent* event) {
  if (const Hit* hit = hitAt(event->position())) {
    Q_EMIT numberActivated(*hit);
    return;
  }
  const QPointF point = event->position() + QPointF(0, verticalScrollBar()->value());
  for (std::size_t i = 0; i < m_rects.size(); ++i) {
    if (!m_rects[i].contains(point)) continue;
    m_focused = static_cast<int>(i);
    if (!m_opened.erase(i)) m_opened.insert(i);
    Q_EMIT rungFocused(m_focused);
    relayout();
    return;
  }
}

void LadderWidget::mouseMoveEvent(QMouseEvent* event) {
  const Hit* hit = hitAt(event->position());
  viewport()->setCursor(hit ? Qt::PointingHandCursor : Qt::ArrowCursor);
  if (hit) Q_EMIT subjectHovered(hit->subject);
}

bool LadderWidget::viewportEvent(QEvent* event) {
  if (event->type() == QEvent::ToolTip) {
    const auto* help = static_cast<QHelpEvent*>(event);
    const Hit* hit = hitAt(help->pos());
    hit ? QToolTip::showText(help->globalPos(), hit->name + QStringLiteral(" = ") + hit->value, viewport())
        : QToolTip::hideText();
    return true;
  }
  if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange) relayout();
  return QAbstractScrollArea::viewportEvent(event);
}

void LadderWidget::keyPressEvent(QKeyEvent* event) {
  const int count = static_cast<int>(m_rects.size());
  if (count > 0 && (event->key() == Qt::Key_Down || event->key() == Qt::Key_Up)) {
    const int from = m_focused < 0 ? m_rung : m_focused;
    m_focused = std::clamp(from + (event->key() == Qt::Key_Down ? 1 : -1), 0, count - 1);
    setAccessibleDescription(look::qs(look::rungTitle(m_ladder->rungs[static_cast<std::size_t>(m_focused)])));
    Q_EMIT rungFocused(m_focused);
    return viewport()->update();
  }
  if (m_focused >= 0 && event->key() == Qt::Key_Space && event->modifiers() == Qt::ControlModifier) {
    const auto index = static_cast<std::size_t>(m_focused);
    if (!m_opened.erase(index)) m_opened.insert(index);
    return relayout();
  }
  if (event->key() == Qt::Key_Return && m_ladder) {
    const int at = m_focused < 0 ? m_rung : m_focused;
    const auto it = std::find_if(m_hits.begin(), m_hits.end(), [&](const Hit& hit) {
      return at >= 0 && m_rects[static_cast<std::size_t>(at)].contains(hit.rect.center());
    });
    if (it != m_hits.end()) Q_EMIT numberActivated(*it);
    return;
  }
  QAbstractScrollArea::keyPressEvent(event);
}

}  // namespace rqscope::decision
