// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <QAccessible>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QToolTip>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

#include "look/painting.h"
#include "look/words.h"
#include "machine/canvas.h"

namespace rqscope::machine {
namespace {

using look::qs;

constexpr double kMaximumZoom = 24;
constexpr double kZoomStep = 1.25;
constexpr double kPanPx = 60;

}  // namespace

void Canvas::resizeEvent(QResizeEvent*) { relayout(); }

bool Canvas::event(QEvent* event) {
  if (event->type() == QEvent::ToolTip) {
    const auto* help = static_cast<QHelpEvent*>(event);
    const QString text = tooltipAt(toScene(help->pos()));
    text.isEmpty() ? QToolTip::hideText() : QToolTip::showText(help->globalPos(), text, this);
    return true;
  }
  if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange) relayout();
  return QWidget::event(event);
}

QString Canvas::tooltipAt(QPointF point) const {
  if (!m_frame || !m_frame->layout) return {};
  const int cellIndex = m_geometry.cellAt(point);
  if (cellIndex >= 0) {
    const CellItem& cell = m_geometry.cells[static_cast<std::size_t>(cellIndex)];
    const auto position = static_cast<std::size_t>(cell.position);
    const api::CpuFrame& cpu = m_frame->cpus[position];
    QString text = cpuSentence(*m_frame, position) + QStringLiteral("\nload %1 · runnable %2 · nr_running %3")
                                                         .arg(cpu.load)
                                                         .arg(cpu.runnable)
                                                         .arg(cpu.nrRunning);
    const Scene what = scene();
    for (const api::TaskFrame& task : m_frame->tasks) {
      if (task.cpu != cpu.id || !taskBlock(cell, what, task.id).contains(point) ||
          m_geometry.detail != Detail::Tanks)
        continue;
      text += QStringLiteral("\n%1 (%2): util_avg %3, util_est %4, load_avg %5, nice %6, vruntime %7")
                  .arg(qs(task.name), qs(task.state))
                  .arg(task.util)
                  .arg(task.utilEst)
                  .arg(task.load)
                  .arg(task.nice)
                  .arg(qs(look::durationText(task.vruntime)));
      if (m_frame->layout->queue != "cfs")
        text += QStringLiteral(", lag ") + qs(look::durationText(task.lag));
    }
    return text;
  }
  if (const int span = spanAt(point); span >= 0) {
    const SpanItem& item = m_spans.items[static_cast<std::size_t>(span)];
    return spanSentence(*m_frame->layout, m_spans, item) + groupTooltip(item.cpus, item.group);
  }
  const int boxIndex = m_geometry.boxAt(point);
  if (boxIndex < 0) return {};
  const BoxItem& box = m_geometry.boxes[static_cast<std::size_t>(boxIndex)];
  return box.label + QLatin1Char(' ') + qs(look::cpuList(box.cpus)) +
         groupTooltip(box.cpus, m_boxGroups[static_cast<std::size_t>(boxIndex)]);
}

/// A line on the state of a group; empty for none.
QString Canvas::groupTooltip(const std::vector<std::int32_t>& cpus, int group) const {
  if (group < 0 || group >= static_cast<int>(m_frame->groups.size())) return {};
  const api::GroupFrame& g = m_frame->groups[static_cast<std::size_t>(group)];
  return QStringLiteral("\n%1: nr %2 of %3 CPUs, %4 idle, util %5 of %6, load %7")
      .arg(qs(g.type))
      .arg(g.nrRunning)
      .arg(cpus.size())
      .arg(g.idleCpus)
      .arg(g.util)
      .arg(g.capacity)
      .arg(g.load);
}

void Canvas::zoomAt(QPointF point, double factor) {
  const double before = m_zoom;
  m_zoom = std::clamp(m_zoom * factor, 1.0, kMaximumZoom);
  const double real = m_zoom / before;
  m_pan = point - (point - m_pan) * real;
  relayout();
  Q_EMIT zoomChanged(m_zoom);
}

void Canvas::wheelEvent(QWheelEvent* event) {
  const double steps = event->angleDelta().y() / 120.0;
  if (event->modifiers().testFlag(Qt::ControlModifier)) {
    zoomAt(event->position(), std::pow(kZoomStep, steps));
  } else {
    m_pan += QPointF(event->angleDelta()) / 2;
    clampPan();
    update();
  }
  event->accept();
}

void Canvas::mousePressEvent(QMouseEvent* event) {
  m_pressed = event->position();
  m_panAtPress = m_pan;
  m_isPanning = false;
}

void Canvas::mouseMoveEvent(QMouseEvent* event) {
  if (event->buttons() == Qt::NoButton) {
    const QPointF point = toScene(event->position());
    if (const auto group = groupAt(point); !group.empty() && group != m_hoveredGroup) {
      m_hoveredGroup = group;
      Q_EMIT groupHovered(group);
    }
    return hoverSpan(m_geometry.cellAt(point) >= 0 ? -1 : spanAt(point));
  }
  if (!(event->buttons() & (Qt::LeftButton | Qt::MiddleButton)) || m_zoom <= 1) return;
  const QPointF way = event->position() - m_pressed;
  if (!m_isPanning && way.manhattanLength() < 5) return;
  m_isPanning = true;
  m_pan = m_panAtPress + way;
  clampPan();
  update();
}

void Canvas::mouseReleaseEvent(QMouseEvent* event) {
  if (m_isPanning || event->button() != Qt::LeftButton || !m_frame) return;
  const QPointF point = toScene(event->position());
  const int index = m_geometry.cellAt(point);
  const int span = index < 0 ? spanAt(point) : -1;
  if (span >= 0) return activateSpan(span);
  if (index < 0) return;
  const CellItem& cell = m_geometry.cells[static_cast<std::size_t>(index)];
  m_focusedCell = index;
  Q_EMIT cpuActivated(m_frame->layout->cpus[static_cast<std::size_t>(cell.position)].id);
  if (m_geometry.detail == Detail::Tanks) {
    const Scene what = scene();
    for (const api::TaskFrame& task : m_frame->tasks) {
      if (taskBlock(cell, what, task.id).contains(point)) Q_EMIT taskActivated(task.id);
    }
  }
  announce();
}

void Canvas::mouseDoubleClickEvent(QMouseEvent* event) {
  zoomAt(event->position(), event->modifiers().testFlag(Qt::ShiftModifier) ? 0.5 : 2);
}

void Canvas::walk(int dx, int dy) {
  const int next = m_geometry.neighbour(m_focusedCell, dx, dy);
  if (next < 0) return;
  m_focusedCell = next;
  Q_EMIT cpuActivated(focusedCpu());
  const QRectF shown = m_geometry.cells[static_cast<std::size_t>(next)].rect.translated(m_pan);
  if (shown.left() < 0) m_pan.rx() -= shown.left() - 8;
  if (shown.right() > width()) m_pan.rx() -= shown.right() - width() + 8;
  if (shown.top() < 0) m_pan.ry() -= shown.top() - 8;
  if (shown.bottom() > height()) m_pan.ry() -= shown.bottom() - height() + 8;
  clampPan();
  announce();
}

void Canvas::walkTask(int step) {
  const int position =
      m_focusedCell < 0 ? -1 : m_geometry.cells[static_cast<std::size_t>(m_focusedCell)].position;
  if (position < 0) return;
  const api::CpuFrame& cpu = m_frame->cpus[static_cast<std::size_t>(position)];
  std::vector<std::int32_t> order;
  if (cpu.running >= 0) order.push_back(cpu.running);
  order.insert(order.end(), cpu.queued.begin(), cpu.queued.end());
  if (order.empty()) return;
  int at = -1;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (m_frame->tasks[static_cast<std::size_t>(order[i])].id == m_selectedTask) at = static_cast<int>(i);
  }
  const int count = static_cast<int>(order.size());
  at = at < 0 ? (step > 0 ? 0 : count - 1) : (at + step + count) % count;
  Q_EMIT taskActivated(m_frame->tasks[static_cast<std::size_t>(order[static_cast<std::size_t>(at)])].id);
}

void Canvas::announce() {
  update();
  if (m_focusedCell < 0 || !m_frame) return;
  const auto position =
      static_cast<std::size_t>(m_geometry.cells[static_cast<std::size_t>(m_focusedCell)].position);
  setAccessibleDescription(cpuSentence(*m_frame, position));
  QAccessibleEvent change(this, QAccessible::DescriptionChanged);
  QAccessible::updateAccessibility(&change);
}

void Canvas::keyPressEvent(QKeyEvent* event) {
  const bool isPlain = event->modifiers() == Qt::NoModifier;
  const bool walks = m_focusedCell >= 0;
  if (event->key() == Qt::Key_G && event->modifiers() == Qt::ShiftModifier) return walkSpan(-1);
  switch (isPlain ? event->key() : 0) {
    case Qt::Key_Return:
    case Qt::Key_Enter:
      if (!walks && !m_geometry.cells.empty()) m_focusedCell = 0;
      if (m_focusedCell >= 0) Q_EMIT cpuActivated(focusedCpu());
      return announce();
    case Qt::Key_Escape:
      if (!walks) break;
      m_focusedCell = -1;
      return update();
    case Qt::Key_Left:
      if (walks) return walk(-1, 0);
      break;
    case Qt::Key_Right:
      if (walks) return walk(1, 0);
      break;
    case Qt::Key_Up:
      if (walks) return walk(0, -1);
      break;
    case Qt::Key_Down:
      if (walks) return walk(0, 1);
      break;
    case Qt::Key_PageDown:
      if (walks) return walkTask(1);
      break;
    case Qt::Key_PageUp:
      if (walks) return walkTask(-1);
      break;
    case Qt::Key_W:
    case Qt::Key_Plus:
      return zoomAt(QRectF(rect()).center(), kZoomStep);
    case Qt::Key_S:
    case Qt::Key_Minus:
      return zoomAt(QRectF(rect()).center(), 1 / kZoomStep);
    case Qt::Key_A:
      m_pan.rx() += kPanPx;
      clampPan();
      return update();
    case Qt::Key_D:
      m_pan.rx() -= kPanPx;
      clampPan();
      return update();
    case Qt::Key_F:
      return fit();
    case Qt::Key_G:
      return walkSpan(1);
    default:
      break;
  }
  QWidget::keyPressEvent(event);
}

}  // namespace rqscope::machine
