// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <QFontMetricsF>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "look/fonts.h"
#include "look/painting.h"
#include "look/words.h"
#include "timeline/timeline_canvas.h"

namespace rqscope::timeline {
namespace {

using look::qs;

constexpr double kFlagPx = 4.5;      ///< half the width of a parting's mark
constexpr double kLeastApartPx = 5;  ///< two marks of a lane
constexpr double kReachPx = 6;

const api::TimelineLane* laneOf(const api::TimelineWindow* window, std::int32_t cpu) {
  if (window == nullptr) return nullptr;
  const auto own = std::ranges::find(window->lanes, cpu, &api::TimelineLane::cpu);
  return own == window->lanes.end() ? nullptr : &*own;
}

const api::TimelineSlice* sliceAt(const api::TimelineLane* lane, double ns) {
  if (lane == nullptr) return nullptr;
  for (const api::TimelineSlice& slice : lane->slices)
    if (ns >= static_cast<double>(slice.beginNs) && ns < static_cast<double>(slice.endNs)) return &slice;
  return nullptr;
}

/// The first parting of the report at or after a time.
auto firstFrom(const api::TraceReport& report, double ns) {
  return std::ranges::lower_bound(report.partings, static_cast<std::int64_t>(ns), {}, &api::Parting::timeNs);
}

}  // namespace

void TimelineCanvas::setTrace(const std::shared_ptr<const api::TraceReport>& report) {
  if (m_trace == report) return;
  m_trace = report;
  m_machineWindow.reset();
  m_parting = -1;
  relayout();
  refresh();
}

void TimelineCanvas::setMachineWindow(const std::shared_ptr<const api::TimelineWindow>& window) {
  m_machineWindow = window;
  update();
}

void TimelineCanvas::setParting(int index) {
  m_parting = index;
  update();
}

void TimelineCanvas::paintMachineRows(QPainter& painter) const {
  if (!m_trace || !m_machineWindow) return;
  const look::Palette& p = look::colors(this);
  for (const LaneItem& lane : m_geometry.lanes) {
    if (lane.machineRect.isNull()) continue;
    painter.fillRect(lane.machineRect, p.canvas);
    painter.setPen(QPen(p.line2, 1));
    painter.drawLine(lane.machineRect.bottomLeft(), lane.machineRect.bottomRight());
    if (const api::TimelineLane* own = laneOf(m_machineWindow.get(), lane.cpu))
      paintSlices(painter, own->slices, lane.machineRect);
  }
}

QString TimelineCanvas::legendText() const {
  if (!m_trace) return {};
  const bool hasRows =
      std::ranges::any_of(m_geometry.lanes, [](const LaneItem& l) { return !l.machineRect.isNull(); });
  return hasRows ? tr("machine above, model below") : tr("the model's run");
}

/// Where the labels of the ruler end.
double TimelineCanvas::rulerEndPx() const {
  const QString text = legendText();
  if (text.isEmpty()) return width() - 2;
  constexpr double kGapPx = 12;
  const QFontMetricsF metrics(look::uiFont(look::kSmallPx));
  return m_geometry.ruler.right() - metrics.horizontalAdvance(text) - kGapPx;
}

/// Says which row is whose, at the right end of the ruler.
void TimelineCanvas::paintLegend(QPainter& painter) const {
  const QString text = legendText();
  if (text.isEmpty()) return;
  painter.setFont(look::uiFont(look::kSmallPx));
  painter.setPen(look::colors(this).text2);
  painter.drawText(m_geometry.ruler, Qt::AlignRight | Qt::AlignVCenter, text);
}

/// A flag at the top of the lane of each parting, fresh ones strong; a line through the one looked at.
void TimelineCanvas::paintPartings(QPainter& painter) const {
  if (!m_trace) return;
  const look::Palette& p = look::colors(this);
  std::vector<double> last(m_geometry.lanes.size(), -1e9);
  const auto flag = [&](const api::Parting& parting, bool isShown) {
    const LaneItem* lane = m_geometry.laneOf(parting.cpu);
    const double x = m_geometry.xAt(static_cast<double>(parting.timeNs));
    if (lane == nullptr) return;
    double& before = last[static_cast<std::size_t>(lane - m_geometry.lanes.data())];
    if (!isShown && x - before < kLeastApartPx) return;
    before = x;
    const double y = lane->rect.top();
    painter.setPen(QPen(p.canvas, 1));
    painter.setBrush(isShown ? p.now : p.no);
    painter.drawPolygon(QPolygonF({{x - kFlagPx, y}, {x + kFlagPx, y}, {x, y + 2 * kFlagPx}}));
  };
  for (auto it = firstFrom(*m_trace, m_begin); it != m_trace->partings.end(); ++it) {
    if (static_cast<double>(it->timeNs) > m_end) break;
    if (it->isFresh) flag(*it, false);
  }
  if (m_parting < 0 || static_cast<std::size_t>(m_parting) >= m_trace->partings.size()) return;
  const api::Parting& shown = m_trace->partings[static_cast<std::size_t>(m_parting)];
  const double x = m_geometry.xAt(static_cast<double>(shown.timeNs));
  painter.setPen(QPen(p.no, 1.2, Qt::DashLine));
  painter.drawLine(QPointF(x, m_geometry.lanesArea.top()), QPointF(x, m_geometry.lanesArea.bottom()));
  flag(shown, true);
}

QString TimelineCanvas::partingTextAt(QPointF point) const {
  if (!m_trace) return {};
  const LaneItem* lane = m_geometry.laneAt(point);
  if (lane == nullptr || point.y() > lane->rect.top() + 2 * kFlagPx + 2) return {};
  const double from = m_geometry.timeAt(point.x() - kReachPx), to = m_geometry.timeAt(point.x() + kReachPx);
  for (auto it = firstFrom(*m_trace, from);
       it != m_trace->partings.end() && static_cast<double>(it->timeNs) <= to; ++it)
    if (it->isFresh && m_geometry.laneOf(it->cpu) == lane)
      return tr("%1: %2").arg(qs(look::timeText(it->timeNs)), qs(it->text()));
  return {};
}

QString TimelineCanvas::machineTextAt(const LaneItem& lane, QPointF point) const {
  const double ns = m_geometry.timeAt(point.x());
  const api::TimelineSlice* slice = sliceAt(laneOf(m_machineWindow.get(), lane.cpu), ns);
  if (slice == nullptr)
    return tr("machine: CPU %1 idle at %2")
        .arg(lane.cpu)
        .arg(qs(look::timeText(static_cast<std::int64_t>(ns))));
  const QString who = slice->name.empty() ? tr("several tasks") : qs(slice->name);
  return tr("machine: %1 on CPU %2\n%3 to %4, %5")
      .arg(who)
      .arg(lane.cpu)
      .arg(qs(look::timeText(slice->beginNs)), qs(look::timeText(slice->endNs)),
           qs(look::durationText(slice->endNs - slice->beginNs)));
}

QString TimelineCanvas::machineTaskAt(std::int32_t cpu, std::int64_t timeNs) const {
  const api::TimelineSlice* slice = sliceAt(laneOf(m_machineWindow.get(), cpu), static_cast<double>(timeNs));
  if (slice == nullptr) return tr("idle");
  return slice->name.empty() ? tr("several tasks") : qs(slice->name);
}

}  // namespace rqscope::timeline
