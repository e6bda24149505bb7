// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QToolTip>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

#include "look/painting.h"
#include "look/words.h"
#include "timeline/offline_steps.h"
#include "timeline/timeline_canvas.h"

namespace rqscope::timeline {
namespace {

using look::qs;

constexpr double kWheelZoom = 1.25, kKeyZoom = 1.5, kKeyPan = 0.15;
constexpr double kMarkReachPx = 6;

}  // namespace

bool TimelineCanvas::event(QEvent* event) {
  if (event->type() == QEvent::ToolTip) {
    const auto* help = static_cast<QHelpEvent*>(event);
    const QString text = tooltipAt(help->pos());
    text.isEmpty() ? QToolTip::hideText() : QToolTip::showText(help->globalPos(), text, this);
    return true;
  }
  if (event->type() == QEvent::StyleChange || event->type() == QEvent::FontChange) relayout();
  return QWidget::event(event);
}

const api::TimelineMark* TimelineCanvas::markAt(QPointF point, int* cpu) const {
  if (!m_window) return nullptr;
  const api::TimelineMark* best = nullptr;
  double bestReach = kMarkReachPx;
  for (const api::TimelineLane& own : m_window->lanes) {
    const LaneItem* lane = m_geometry.laneOf(own.cpu);
    if (!lane || lane->cpu < 0 ||
        std::abs(lane->modelRect().center().y() - point.y()) > std::max(lane->modelRect().height() / 2, 6.0))
      continue;
    for (const api::TimelineMark& mark : own.marks) {
      const double reach = std::abs(m_geometry.xAt(static_cast<double>(mark.timeNs)) - point.x());
      if (reach >= bestReach) continue;
      bestReach = reach;
      best = &mark;
      if (cpu) *cpu = own.cpu;
    }
  }
  return best;
}

QString TimelineCanvas::tooltipAt(QPointF point) const {
  if (!m_window || !m_frame) return {};
  int cpu = -1;
  if (const api::TimelineMark* mark = markAt(point, &cpu)) {
    return tr("%1: pass %2 of CPU %3 at %4, %5")
        .arg(qs(look::timeText(mark->timeNs)))
        .arg(mark->pass)
        .arg(cpu)
        .arg(qs(mark->domainName), qs(mark->kind));
  }
  if (const int note = noteAt(point); note >= 0) return noteText(static_cast<std::size_t>(note));
  const LaneItem* lane = m_geometry.laneAt(point);
  if (!lane || !m_geometry.lanesArea.contains(point)) return {};
  if (const QString text = partingTextAt(point); !text.isEmpty()) return text;
  if (lane->machineRect.contains(point)) return machineTextAt(*lane, point);
  const double ns = m_geometry.timeAt(point.x());
  if (lane->cpu < 0) {
    QString text = lane->name + QLatin1Char(' ') + qs(look::cpuList(lane->cpus));
    for (const OfflineStep& step : offlineSteps(*m_window, lane->cpus)) {
      if (ns < static_cast<double>(step.beginNs) || ns >= static_cast<double>(step.endNs)) continue;
      text += tr("\n%1 offline, %2 to %3")
                  .arg(qs(look::cpuList(step.cpus)), qs(look::timeText(step.beginNs)),
                       qs(look::timeText(step.endNs)));
    }
    return text;
  }
  for (const api::TimelineLane& own : m_window->lanes) {
    if (own.cpu != lane->cpu) continue;
    for (const api::TimelineSlice& slice : own.slices) {
      if (ns < static_cast<double>(slice.beginNs) || ns >= static_cast<double>(slice.endNs)) continue;
      const QString who =
          slice.task < 0 ? tr("several tasks") : QStringLiteral("%1 (%2)").arg(qs(slice.name)).arg(slice.pid);
      return tr("%1 on CPU %2\n%3 to %4, %5")
          .arg(who)
          .arg(lane->cpu)
          .arg(qs(look::timeText(slice.beginNs)), qs(look::timeText(slice.endNs)),
               qs(look::durationText(slice.endNs - slice.beginNs)));
    }
    for (const api::TimelineSpan& span : own.offline) {
      if (ns < static_cast<double>(span.beginNs) || ns >= static_cast<double>(span.endNs)) continue;
      return tr("CPU %1 offline\n%2 to %3")
          .arg(lane->cpu)
          .arg(qs(look::timeText(span.beginNs)), qs(look::timeText(span.endNs)));
    }
  }
  return tr("CPU %1 idle at %2").arg(lane->cpu).arg(qs(look::timeText(static_cast<std::int64_t>(ns))));
}

void TimelineCanvas::wheelEvent(QWheelEvent* event) {
  const double steps =
      (event->angleDelta().y() != 0 ? event->angleDelta().y() : event->angleDelta().x()) / 120.0;
  if (event->modifiers().testFlag(Qt::ControlModifier)) {
    zoomBy(std::pow(kWheelZoom, steps), m_geometry.timeAt(event->position().x()));
  } else {
    const double way = (m_end - m_begin) * 0.08 * -steps;
    m_isFollowing = false;
    setRange(std::max(0.0, m_begin + way), std::max(0.0, m_begin + way) + (m_end - m_begin));
  }
  event->accept();
}

void TimelineCanvas::mousePressEvent(QMouseEvent* event) {
  m_pressed = event->position();
  m_beginAtPress = m_begin;
  m_endAtPress = m_end;
  m_hasMoved = false;
  m_drag = Drag::Lanes;
  if (m_geometry.overview.adjusted(0, -4, 0, 2).contains(event->position())) m_drag = Drag::Overview;
  if (m_geometry.ruler.contains(event->position())) m_drag = Drag::Ruler;
  if (m_drag == Drag::Overview) mouseMoveEvent(event);
}

void TimelineCanvas::mouseMoveEvent(QMouseEvent* event) {
  if (!(event->buttons() & Qt::LeftButton) || m_drag == Drag::None) {
    setCursor(markAt(event->position()) || noteAt(event->position()) >= 0 ? Qt::PointingHandCursor
                                                                          : Qt::ArrowCursor);
    return;
  }
  const double way = event->position().x() - m_pressed.x();
  if (std::abs(way) > 4) m_hasMoved = true;
  if (m_drag == Drag::Overview) {
    const double share = (event->position().x() - m_geometry.overview.left()) / m_geometry.overview.width();
    const double middle = std::clamp(share, 0.0, 1.0) * allNs();
    const double span = m_end - m_begin;
    m_isFollowing = false;
    return setRange(middle - span / 2, middle + span / 2);
  }
  if (m_drag == Drag::Lanes && m_hasMoved) {
    const double ns = way / m_geometry.lanesArea.width() * (m_endAtPress - m_beginAtPress);
    const double begin = std::max(0.0, m_beginAtPress - ns);
    m_isFollowing = false;
    setRange(begin, begin + (m_endAtPress - m_beginAtPress));
  }
}

void TimelineCanvas::mouseReleaseEvent(QMouseEvent* event) {
  const Drag drag = m_drag;
  m_drag = Drag::None;
  if (event->button() != Qt::LeftButton || m_hasMoved || drag == Drag::Overview) return;
  if (const int note = noteAt(event->position()); note >= 0)
    return Q_EMIT timeActivated(m_notes[static_cast<std::size_t>(note)].timeNs);
  if (drag == Drag::Ruler) {
    m_isFollowing = true;
    Q_EMIT timeActivated(static_cast<qint64>(std::max(0.0, m_geometry.timeAt(event->position().x()))));
    return;
  }
  if (const api::TimelineMark* mark = markAt(event->position())) {
    Q_EMIT passActivated(mark->pass);
    return;
  }
  const LaneItem* lane = m_geometry.laneAt(event->position());
  if (lane) Q_EMIT cpuActivated(lane->cpu >= 0 ? lane->cpu : lane->cpus.front());
}

void TimelineCanvas::mouseDoubleClickEvent(QMouseEvent* event) {
  m_isFollowing = true;
  if (m_geometry.lanesArea.contains(event->position())) {
    Q_EMIT timeActivated(static_cast<qint64>(std::max(0.0, m_geometry.timeAt(event->position().x()))));
  }
}

void TimelineCanvas::keyPressEvent(QKeyEvent* event) {
  const double now = m_frame ? static_cast<double>(m_frame->timeNs) : m_begin;
  const double around = now >= m_begin && now <= m_end ? now : (m_begin + m_end) / 2;
  const double span = m_end - m_begin;
  const auto pan = [&](double share) {
    m_isFollowing = false;
    const double begin = std::max(0.0, m_begin + share * span);
    setRange(begin, begin + span);
  };
  if (event->modifiers() == Qt::ShiftModifier) {
    if (event->key() == Qt::Key_A) return setMarker(QLatin1Char('A'), static_cast<qint64>(now));
    if (event->key() == Qt::Key_B) return setMarker(QLatin1Char('B'), static_cast<qint64>(now));
  }
  if (event->modifiers() == Qt::NoModifier) {
    switch (event->key()) {
      case Qt::Key_W:
        return zoomBy(kKeyZoom, around);
      case Qt::Key_S:
        return zoomBy(1 / kKeyZoom, around);
      case Qt::Key_A:
        return pan(-kKeyPan);
      case Qt::Key_D:
        return pan(kKeyPan);
      case Qt::Key_F:
        return fitSelection();
      case Qt::Key_X:
        if (m_trace) return Q_EMIT partingWanted(1);
        break;
      case Qt::Key_P:
        if (m_trace) return Q_EMIT partingWanted(-1);
        break;
      default:
        break;
    }
  }
  QWidget::keyPressEvent(event);
}

}  // namespace rqscope::timeline
