// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QScrollBar>
#include <QToolTip>
#include <algorithm>

#include "look/painting.h"
#include "runqueues/queue_axis.h"
#include "runqueues/queue_axis_metrics.h"

namespace rqscope::runqueues {
namespace {

using namespace axis;

constexpr double kReachPx = 8;  // around a mark on the axis
constexpr const char* kRowNumbers[] = {"lag", "weight", "slice", "vruntime", "deadline"};

}  // namespace

api::ValueRef QueueAxis::refOf(const api::QueueEntity& entity, const std::string& name) const {
  if (entity.task >= 0) return {name, -1, slotOf(entity), -1};
  return {name, m_cpu, -1, entity.group};
}

QRectF QueueAxis::numberRect(int row, const std::string& name) const {
  const Axis axis = axisOf();
  if (row < 0) {
    const api::CpuFrame* cpu = cpuFrame();
    const double v = cpu && !isCfs() ? milliseconds(cpu->averageVruntime) : 0;
    return cpu && hasAxis() && name == lineName() ? flagRect(axis, v) : QRectF();
  }
  if (row >= rowCount()) return {};
  const Row& shown = m_rows[static_cast<std::size_t>(row)];
  const QRectF rect = shown.rect.translated(0, -verticalScrollBar()->value());
  const double right = viewport()->width() - kMarginPx;
  if (isCfs() && (name == "lag" || name == "deadline")) return {};
  if (name == "lag" || (name == "slice" && isCfs()))
    return {right - px(kLagFromPx), rect.top(), px(kLagPx), rect.height()};
  if (name == "weight") return {right - px(kWeightPx), rect.top(), px(kWeightPx), rect.height()};
  if (name == "slice" && shown.entity->task >= 0) {
    const QRectF chip = chipRect(shown);
    return {chip.right() + 7, rect.center().y(), px(kNamePx) - chip.right() - 10, px(15)};
  }
  if (shown.entity->isThrottled) return {};
  const double y = rect.center().y() - 2, half = std::max(thicknessOf(shown) / 2 + 5, kReachPx);
  const auto around = [&](std::int64_t virtualNs) {
    return QRectF(axis.x(milliseconds(virtualNs)) - kReachPx, y - half, 2 * kReachPx, 2 * half);
  };
  if (name == "vruntime") return around(startOf(shown));
  if (name == "deadline") return around(endOf(shown));
  return {};
}

std::optional<api::ValueRef> QueueAxis::numberAt(const QPointF& point) const {
  if (numberRect(-1, lineName()).contains(point)) return api::ValueRef{lineName(), m_cpu, -1, -1};
  if (point.y() < px(kHeadPx)) return std::nullopt;
  for (int row = 0; row < rowCount(); ++row)
    for (const char* name : kRowNumbers)
      if (numberRect(row, name).contains(point))
        return refOf(*m_rows[static_cast<std::size_t>(row)].entity, name);
  return std::nullopt;
}

void QueueAxis::mousePressEvent(QMouseEvent* event) {
  const std::optional<api::ValueRef> number = numberAt(event->position());
  const QPointF point = event->position() + QPointF(0, verticalScrollBar()->value());
  for (std::size_t i = 0; i < m_rows.size() && event->position().y() >= px(kHeadPx); ++i) {
    if (!m_rows[i].rect.contains(point)) continue;
    if (!number) return pressRow(i);
    m_focused = static_cast<int>(i);
  }
  if (number) Q_EMIT numberActivated(*number);
  viewport()->update();
}

void QueueAxis::mouseMoveEvent(QMouseEvent* event) {
  viewport()->setCursor(numberAt(event->position()) ? Qt::PointingHandCursor : Qt::ArrowCursor);
}

bool QueueAxis::viewportEvent(QEvent* event) {
  if (event->type() == QEvent::ToolTip) {
    auto* help = static_cast<QHelpEvent*>(event);
    const auto number = numberAt(help->pos());
    if (number)
      QToolTip::showText(help->globalPos(),
                         tr("%1: click to see how it comes about").arg(look::qs(number->name)), viewport());
    else
      QToolTip::hideText();
    return true;
  }
  return QAbstractScrollArea::viewportEvent(event);
}

void QueueAxis::keyPressEvent(QKeyEvent* event) {
  const int count = rowCount();
  if (count > 0 && (event->key() == Qt::Key_Down || event->key() == Qt::Key_Up)) {
    m_focused = std::clamp(m_focused + (event->key() == Qt::Key_Down ? 1 : -1), 0, count - 1);
    setAccessibleDescription(look::qs(m_rows[static_cast<std::size_t>(m_focused)].entity->name));
    return viewport()->update();
  }
  if ((event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) && m_cpu >= 0) {
    if (m_focused >= 0 && m_focused < count)
      Q_EMIT numberActivated(
          refOf(*m_rows[static_cast<std::size_t>(m_focused)].entity, isCfs() ? "vruntime" : "lag"));
    else
      Q_EMIT numberActivated({lineName(), m_cpu, -1, -1});
    return;
  }
  QAbstractScrollArea::keyPressEvent(event);
}

}  // namespace rqscope::runqueues
