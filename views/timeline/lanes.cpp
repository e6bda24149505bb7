// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <QPainter>
#include <QPainterPath>
#include <algorithm>
#include <cmath>

#include "look/fonts.h"
#include "look/painting.h"
#include "look/words.h"
#include "timeline/offline_steps.h"
#include "timeline/timeline_canvas.h"

namespace rqscope::timeline {
namespace {

using look::Palette;
using look::qs;

constexpr double kNamePx = 16, kNameLanePx = 10;  ///< names on slices from here on
constexpr double kMajorPx = 90;

QString rulerText(double ns, double stepNs, bool hasUnit) {
  const bool inSeconds = stepNs >= 1e9;
  const bool inMicros = stepNs < 1e4;
  const double value = ns / (inSeconds ? 1e9 : (inMicros ? 1e3 : 1e6));
  const int decimals = stepNs >= 1e6 || inMicros || inSeconds ? 0 : (stepNs >= 1e5 ? 1 : 2);
  const QString unit =
      inSeconds ? QStringLiteral(" s") : (inMicros ? QStringLiteral(" µs") : QStringLiteral(" ms"));
  return QString::number(value, 'f', decimals) + (hasUnit ? unit : QString());
}

QColor markColor(const std::string& kind, const Palette& p) {
  if (kind == "moved" || kind == "active") return p.yes;
  return kind == "failed" ? p.no : p.text3;
}

/// A hatch over part of a lane, with a word at its left.
void paintHatched(QPainter& painter, const QRectF& part, const QString& word, const QColor& hatch,
                  const Palette& p) {
  painter.fillRect(part, p.canvas);
  look::drawHatch(painter, part, hatch);
  painter.setFont(look::uiFont(look::kNotePx));
  const double width = painter.fontMetrics().horizontalAdvance(word) + 10;
  if (part.height() < kNameLanePx || part.width() < width) return;
  painter.fillRect(QRectF(part.left(), part.top(), width, part.height()), p.canvas);
  painter.setPen(p.text3);
  painter.drawText(part.adjusted(5, -2, 0, 2), Qt::AlignLeft | Qt::AlignVCenter, word);
}

}  // namespace

void TimelineCanvas::paintOverview(QPainter& painter) const {
  const Palette& p = look::colors(this);
  const QRectF strip = m_geometry.overview;
  painter.fillRect(strip, p.head);
  const double all = allNs();
  painter.fillRect(
      QRectF(strip.left(), strip.top(), m_geometry.overviewX(runEndNs(), all) - strip.left(), strip.height()),
      p.line);
  if (m_overview) {
    for (const api::TimelineLane& lane : m_overview->lanes) {
      for (const api::TimelineMark& mark : lane.marks) {
        if (mark.kind == "balanced" || mark.kind == "placement") continue;
        const double x = m_geometry.overviewX(static_cast<double>(mark.timeNs), all);
        painter.fillRect(QRectF(x, strip.top() + 2, 1.4, strip.height() - 4), markColor(mark.kind, p));
      }
    }
  }
  const QRectF shown(m_geometry.overviewX(m_begin, all), strip.top() - 1,
                     std::max(m_geometry.overviewX(m_end, all) - m_geometry.overviewX(m_begin, all), 4.0),
                     strip.height() + 2);
  QColor fill = p.accent;
  fill.setAlpha(50);
  painter.setBrush(fill);
  painter.setPen(QPen(p.accent, 1.2));
  painter.drawRoundedRect(shown, 2, 2);
  painter.setPen(p.text2);
  painter.setFont(look::monoFont(look::kSmallPx));
  const QString range = QStringLiteral("0-%1").arg(rulerText(all, all > 5e9 ? 1e9 : 1e6, true));
  painter.drawText(QRectF(0, strip.top() - 3, strip.left() - 8, strip.height() + 6),
                   Qt::AlignRight | Qt::AlignVCenter, range);
}

void TimelineCanvas::paintRuler(QPainter& painter) const {
  const Palette& p = look::colors(this);
  const double step = m_geometry.tickNs(kMajorPx * look::textScale());
  painter.setFont(look::monoFont(look::kSmallPx));
  int count = 0;
  double free = m_geometry.ruler.left() - 30;
  const double rulerEnd = rulerEndPx();
  for (double ns = std::ceil(m_begin / step) * step; ns <= m_end; ns += step, ++count) {
    const double x = m_geometry.xAt(ns);
    painter.setPen(QPen(p.line, 1));
    painter.drawLine(QPointF(x, m_geometry.lanesArea.top()), QPointF(x, m_geometry.lanesArea.bottom()));
    const QString text = rulerText(ns, step, true);
    const double width = painter.fontMetrics().horizontalAdvance(text);
    QRectF rect(x - width / 2 - 1, m_geometry.ruler.top(), width + 2, m_geometry.ruler.height());
    const double head = m_geometry.xAt(static_cast<double>(m_frame->timeNs));
    if (head > rect.left() - 8 && head < rect.right() + 8) continue;
    if (rect.left() < free || rect.right() > rulerEnd || isUnderNote(rect)) continue;
    free = rect.right() + 6;
    painter.setPen(p.text2);
    painter.drawText(rect, Qt::AlignCenter, text);
  }
}

void TimelineCanvas::paintLabels(QPainter& painter) const {
  const Palette& p = look::colors(this);
  const double right = m_geometry.lanesArea.left() - 8;
  for (const LaneGroup& group : m_geometry.groups) {
    painter.setFont(look::uiFont(look::kSmallPx));
    painter.setPen(p.text3);
    if (!group.note.isEmpty()) {
      if (group.rect.height() > 26) {
        painter.drawText(QRectF(4, group.rect.center().y() - 15, right - 4, 15),
                         Qt::AlignRight | Qt::AlignVCenter, group.name);
        painter.drawText(QRectF(4, group.rect.center().y(), right - 4, 15), Qt::AlignRight | Qt::AlignVCenter,
                         group.note);
      } else if (group.rect.height() > 12) {
        painter.drawText(QRectF(4, group.rect.top(), right - 4, group.rect.height()),
                         Qt::AlignRight | Qt::AlignVCenter, group.name);
      }
      continue;
    }
    if (painter.fontMetrics().horizontalAdvance(group.name) > group.rect.height()) continue;
    painter.save();
    painter.translate(10, group.rect.center().y());
    painter.rotate(-90);
    painter.drawText(QRectF(-group.rect.height() / 2, -8, group.rect.height(), 16), Qt::AlignCenter,
                     group.name);
    painter.restore();
    painter.setPen(QPen(p.line2, 1));
    painter.drawLine(QPointF(20, group.rect.top()), QPointF(20, group.rect.bottom()));
  }
  double free = -1e9;
  for (const LaneItem& lane : m_geometry.lanes) {
    if (lane.cpu < 0) continue;
    const bool isSelected = lane.cpu == m_selectedCpu;
    painter.setFont(look::uiFont(look::kNotePx,
                                 isSelected || lane.isPinned ? look::Weight::Bold : look::Weight::Regular));
    const double height = painter.fontMetrics().height();
    if (lane.rect.center().y() - height / 2 < free - 3 && !isSelected) continue;
    free = lane.rect.center().y() + height / 2;
    painter.setPen(isSelected ? p.text : p.text2);
    // Beside the name of the group, unless a long name needs its room.
    const double left = painter.fontMetrics().horizontalAdvance(lane.name) > right - 22 ? 2 : 22;
    painter.drawText(QRectF(left, lane.rect.center().y() - height / 2, right - left, height),
                     Qt::AlignRight | Qt::AlignVCenter, lane.name);
  }
}

/// CPUs that are offline take their share of a folded lane, from below; a word says how many.
void TimelineCanvas::paintFoldedOffline(QPainter& painter, const LaneItem& lane) const {
  if (!m_window) return;
  const Palette& p = look::colors(this);
  const double end = std::min(m_geometry.xAt(std::min(runEndNs(), m_end)), lane.rect.right());
  for (const OfflineStep& step : offlineSteps(*m_window, lane.cpus)) {
    const double x0 = std::max(m_geometry.xAt(static_cast<double>(step.beginNs)), lane.rect.left());
    const double x1 = std::min(m_geometry.xAt(static_cast<double>(step.endNs)), end);
    if (x1 <= x0) continue;
    const double share = static_cast<double>(step.cpus.size()) / static_cast<double>(lane.cpus.size());
    const double height = std::max(lane.rect.height() * share, std::min(lane.rect.height(), 2.0));
    const QRectF part(x0, lane.rect.bottom() - height, x1 - x0, height);
    paintHatched(painter, part, tr("%1 offline").arg(step.cpus.size()), p.text3, p);
  }
}

void TimelineCanvas::paintSlices(QPainter& painter, const std::vector<api::TimelineSlice>& slices,
                                 const QRectF& row) const {
  const Palette& p = look::colors(this);
  for (const api::TimelineSlice& slice : slices) {
    const double x0 = std::max(m_geometry.xAt(static_cast<double>(slice.beginNs)), row.left());
    const double x1 = std::min(m_geometry.xAt(static_cast<double>(slice.endNs)), row.right());
    if (x1 <= x0) continue;
    const QRectF rect(x0, row.top(), std::max(x1 - x0 - (x1 - x0 > 3 ? 0.8 : 0), 0.6), row.height());
    painter.fillRect(rect, slice.task < 0 ? p.text3 : look::taskColor(slice.task, p.theme));
    if (slice.task >= 0 && slice.task == m_selectedTask) {
      painter.setBrush(Qt::NoBrush);
      painter.setPen(QPen(p.accent, 1.5));
      painter.drawRect(rect);
    }
    if (rect.width() < kNamePx || row.height() < kNameLanePx || slice.task < 0) continue;
    painter.setFont(look::uiFont(look::kNotePx, look::Weight::Bold));
    painter.setPen(look::taskText());
    const QString name = qs(slice.name);
    const double width = painter.fontMetrics().horizontalAdvance(name);
    // A long slice repeats its name, so that one is in sight wherever the window is.
    const int times = std::clamp(static_cast<int>(rect.width() / 280), 1, 5);
    for (int i = 0; i < times; ++i) {
      const QRectF part(rect.left() + rect.width() * i / times, rect.top() - 2, rect.width() / times,
                        rect.height() + 4);
      if (width + 4 <= part.width()) painter.drawText(part, Qt::AlignCenter, name);
    }
  }
}

void TimelineCanvas::paintLanes(QPainter& painter) const {
  const Palette& p = look::colors(this);
  const double end = m_geometry.xAt(std::min(runEndNs(), m_end));
  if (!m_heat.isNull()) {
    for (std::size_t row = 0; row < m_geometry.lanes.size(); ++row) {
      const LaneItem& lane = m_geometry.lanes[row];
      if (lane.cpu >= 0) continue;
      painter.drawImage(lane.rect, m_heat, QRectF(0, static_cast<double>(row), m_heat.width(), 1));
      paintFoldedOffline(painter, lane);
    }
  }
  for (const LaneItem& lane : m_geometry.lanes) {
    if (lane.cpu < 0) continue;
    if (!m_window) continue;
    const QRectF row = lane.modelRect();
    const auto own = std::find_if(m_window->lanes.begin(), m_window->lanes.end(),
                                  [&](const api::TimelineLane& l) { return l.cpu == lane.cpu; });
    const QRectF ran(row.left(), row.top(), std::max(end - row.left(), 0.0), row.height());
    if (own == m_window->lanes.end() || own->slices.empty()) {
      paintHatched(painter, ran, tr("idle"), p.line, p);
    }
    if (own == m_window->lanes.end()) continue;
    for (const api::TimelineSpan& span : own->offline) {
      const double x0 = std::max(m_geometry.xAt(static_cast<double>(span.beginNs)), row.left());
      const double x1 = std::min(m_geometry.xAt(static_cast<double>(span.endNs)), ran.right());
      if (x1 > x0)
        paintHatched(painter, QRectF(x0, row.top(), x1 - x0, row.height()), tr("offline"), p.text3, p);
    }
    paintSlices(painter, own->slices, row);
  }
  if (end < m_geometry.lanesArea.right()) {
    const QRectF future(end, m_geometry.lanesArea.top(), m_geometry.lanesArea.right() - end,
                        m_geometry.lanesArea.height());
    painter.fillRect(future, p.canvas);
    look::drawHatch(painter, future, p.line);
    painter.setFont(look::uiFont(look::kNotePx));
    const QString text = tr("not run yet");
    const double width = painter.fontMetrics().horizontalAdvance(text) + 12;
    if (future.width() > width && !m_trace) {  // beside a trace the machine's rows go on
      const QRectF label(future.center().x() - width / 2, future.center().y() - 9, width, 18);
      painter.fillRect(label, p.canvas);
      painter.setPen(p.text3);
      painter.drawText(label, Qt::AlignCenter, text);
    }
  }
}

void TimelineCanvas::paintMarks(QPainter& painter) const {
  if (!m_window) return;
  const Palette& p = look::colors(this);
  const std::uint64_t current = m_frame->ladder ? m_frame->ladder->index : ~std::uint64_t{0};
  for (const api::TimelineLane& own : m_window->lanes) {
    const LaneItem* lane = m_geometry.laneOf(own.cpu);
    if (!lane || lane->cpu < 0) continue;
    double last = -1e9;
    for (const api::TimelineMark& mark : own.marks) {
      if (mark.kind == "placement") continue;
      const double x = m_geometry.xAt(static_cast<double>(mark.timeNs));
      if (x < m_geometry.lanesArea.left() - 4 || x > m_geometry.lanesArea.right() + 4) continue;
      const bool isNow = mark.pass == current;
      const bool isPlain = mark.kind == "balanced" && !isNow;
      if (isPlain && x - last < 5) continue;
      last = x;
      const double radius = std::min(isPlain ? 3.2 : 4.6, std::max(lane->modelRect().height() / 2, 2.5));
      painter.setBrush(isPlain || mark.kind == "failed" ? p.canvas : QColor(Qt::transparent));
      const bool filled = isNow || mark.kind == "moved" || mark.kind == "active";
      look::drawDiamond(painter, {x, lane->modelRect().center().y()}, radius,
                        isNow ? p.now : markColor(mark.kind, p),
                        filled ? look::DiamondForm::Filled : look::DiamondForm::Hollow);
    }
  }
}

void TimelineCanvas::paintMoves(QPainter& painter) const {
  const Palette& p = look::colors(this);
  const auto draw = [&](std::int64_t ns, std::int32_t from, std::int32_t to, const QColor& color) {
    const LaneItem* a = m_geometry.laneOf(from);
    const LaneItem* b = m_geometry.laneOf(to);
    const double x = m_geometry.xAt(static_cast<double>(ns));
    if (!a || !b || a == b || x < m_geometry.lanesArea.left() || x > m_geometry.lanesArea.right()) return;
    const double down = b->modelRect().center().y() > a->modelRect().center().y() ? 1 : -1;
    const QPointF start(x, a->modelRect().center().y());
    const QPointF end(x - 5, b->modelRect().center().y() - 3 * down);
    QPainterPath path(start);
    const double bow = std::min(34.0, std::abs(end.y() - start.y()) * 0.6 + 6);
    const double reach = std::min(20.0, std::abs(end.y() - start.y()) * 0.3);
    path.cubicTo(start + QPointF(-bow, reach * down), end + QPointF(-bow, -reach * down), end);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(color, 1.5));
    painter.drawPath(path);
    painter.setPen(Qt::NoPen);
    painter.setBrush(color);
    painter.drawPolygon(
        QPolygonF({end + QPointF(2, 1 * down), end + QPointF(-5, 0), end + QPointF(-1, -6 * down)}));
  };
  for (const api::MigrationFrame& migration : m_frame->recentMigrations)
    draw(migration.timeNs, migration.from, migration.to, p.text2);
  if (!m_frame->ladder || m_frame->rung < 0 ||
      m_frame->rung >= static_cast<int>(m_frame->ladder->rungs.size()))
    return;
  const api::Rung& rung = m_frame->ladder->rungs[static_cast<std::size_t>(m_frame->rung)];
  if (rung.kind != "candidate" || rung.tone != api::Tone::Yes || rung.subject.kind != api::SubjectKind::Task)
    return;
  for (const api::TaskFrame& task : m_frame->tasks) {
    if (task.id == rung.subject.id) draw(m_frame->timeNs, task.cpu, m_frame->ladder->cpu, p.now);
  }
}

void TimelineCanvas::paintPlayhead(QPainter& painter) const {
  const Palette& p = look::colors(this);
  const double x = m_geometry.xAt(static_cast<double>(m_frame->timeNs));
  if (x < m_geometry.lanesArea.left() - 1 || x > m_geometry.lanesArea.right() + 1) return;
  const double top = m_geometry.ruler.bottom() - 9;
  painter.setPen(QPen(p.now, 1.8));
  painter.drawLine(QPointF(x, top), QPointF(x, m_geometry.lanesArea.bottom() + 2));
  painter.setPen(Qt::NoPen);
  painter.setBrush(p.now);
  painter.drawPolygon(QPolygonF(
      {{x - 5.5, top - 4}, {x + 5.5, top - 4}, {x + 5.5, top + 3}, {x, top + 8}, {x - 5.5, top + 3}}));
}

void TimelineCanvas::paintMarkers(QPainter& painter) const {
  const Palette& p = look::colors(this);
  const double top = m_geometry.ruler.top() + 1;
  const auto draw = [&](const std::optional<qint64>& marker, QChar name, const QColor& color) {
    if (!marker) return;
    const double x = m_geometry.xAt(static_cast<double>(*marker));
    if (x < m_geometry.lanesArea.left() - 1 || x > m_geometry.lanesArea.right() + 1) return;
    painter.setPen(QPen(color, 1.5));
    painter.drawLine(QPointF(x, top + 14), QPointF(x, m_geometry.lanesArea.bottom()));
    painter.fillRect(QRectF(x - 7, top, 14, 14), color);
    painter.setPen(p.theme == look::Theme::Dark ? look::taskText() : QColor(Qt::white));
    painter.setFont(look::uiFont(look::kSmallPx, look::Weight::Bold));
    painter.drawText(QRectF(x - 7, top, 14, 14), Qt::AlignCenter, QString(name));
  };
  draw(m_markerA, QLatin1Char('A'), p.runA);
  draw(m_markerB, QLatin1Char('B'), p.runB);
  if (!m_markerA) return;
  const qint64 other = m_markerB.value_or(m_frame->timeNs);
  const double x0 = m_geometry.xAt(static_cast<double>(std::min(*m_markerA, other)));
  const double x1 = m_geometry.xAt(static_cast<double>(std::max(*m_markerA, other)));
  const QString text = qs(look::timeText(std::abs(other - *m_markerA)));
  painter.setFont(look::monoFont(look::kSmallPx, look::Weight::Bold));
  const double width = painter.fontMetrics().horizontalAdvance(text) + 12;
  if (x1 - x0 < width + 24) return;
  painter.setPen(QPen(p.text2, 1));
  painter.drawLine(QPointF(x0 + 10, top + 7), QPointF(x1 - 8, top + 7));
  const QRectF label((x0 + x1 - width) / 2, top - 1, width, 16);
  painter.fillRect(label, p.canvas);
  painter.setPen(p.text);
  painter.drawText(label, Qt::AlignCenter, text);
}

}  // namespace rqscope::timeline
