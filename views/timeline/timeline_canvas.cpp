// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline/timeline_canvas.h"

#include <QPainter>
#include <algorithm>
#include <cmath>

#include "look/fonts.h"
#include "look/painting.h"
#include "look/panel.h"

namespace rqscope::timeline {
namespace {

constexpr double kFollowFrom = 0.80;  ///< share of the width after which the window moves on
constexpr double kFollowTo = 0.74;
constexpr double kShortestNs = 2000;
constexpr double kLongestNs = 3.6e12;
constexpr int kOverviewBins = 400;

}  // namespace

TimelineCanvas::TimelineCanvas(QWidget* parent) : QWidget(parent) {
  look::installAccessibleItems();  // before anything is said of this widget
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
  setAccessibleName(tr("Timeline"));
}

double TimelineCanvas::runEndNs() const {
  const double frame = m_frame ? static_cast<double>(m_frame->timeNs) : 0;
  const double window = m_window ? static_cast<double>(m_window->runEndNs) : 0;
  return std::max(frame, window);
}

double TimelineCanvas::allNs() const {
  const double trace = m_trace ? static_cast<double>(m_trace->lengthNs) : 0;
  return std::max({std::max(runEndNs(), trace) * 1.02, m_end, 1e6});
}

void TimelineCanvas::setFrame(const std::shared_ptr<const api::Frame>& frame) {
  const bool isNew = !m_frame || !frame || m_frame->layout != frame->layout;
  m_frame = frame;
  if (isNew) m_window.reset(), m_overview.reset();
  std::vector<std::int32_t> pinned;
  if (frame && frame->ladder) {
    pinned.push_back(frame->ladder->cpu);
    for (const api::Rung& rung : frame->ladder->rungs) {
      const bool isSource = rung.kind == "source_queue" && rung.subject.kind == api::SubjectKind::Cpu;
      if (isSource && rung.subject.id != frame->ladder->cpu) pinned.push_back(rung.subject.id);
    }
  }
  if (pinned != m_pinned || isNew) {
    m_pinned = pinned;
    relayout();
  }
  follow();
  refresh();
}

void TimelineCanvas::setPinnedCpus(const std::vector<std::int32_t>& cpus) {
  m_pinned = cpus;
  relayout();
}

void TimelineCanvas::follow() {
  if (!m_frame || !m_isFollowing) return;
  const double now = static_cast<double>(m_frame->timeNs);
  const double span = m_end - m_begin;
  const double at = (now - m_begin) / span;
  if (at >= 0 && at <= kFollowFrom && m_begin >= 0) return;
  m_begin = std::max(0.0, now - kFollowTo * span);
  m_end = m_begin + span;
  relayout();
}

void TimelineCanvas::refresh() {
  Q_EMIT windowWanted(static_cast<qint64>(m_begin), static_cast<qint64>(m_end),
                      std::max(static_cast<int>(m_geometry.lanesArea.width()), 16));
  Q_EMIT overviewWanted(kOverviewBins);
  update();
}

void TimelineCanvas::setWindow(const std::shared_ptr<const api::TimelineWindow>& window) {
  m_window = window;
  buildHeat();
  update();
}

void TimelineCanvas::setOverview(const std::shared_ptr<const api::TimelineWindow>& window) {
  m_overview = window;
  update();
}

void TimelineCanvas::setSelectedCpu(int cpu) {
  m_selectedCpu = cpu;
  update();
}

void TimelineCanvas::setSelectedTask(int slot) {
  m_selectedTask = slot;
  update();
}

void TimelineCanvas::setRange(double beginNs, double endNs) {
  const double span = std::clamp(endNs - beginNs, kShortestNs, kLongestNs);
  m_begin = std::max(0.0, beginNs);
  m_end = m_begin + span;
  relayout();
  refresh();
}

void TimelineCanvas::zoomBy(double factor, double aroundNs) {
  const double span = std::clamp((m_end - m_begin) / factor, kShortestNs, kLongestNs);
  const double share = (aroundNs - m_begin) / (m_end - m_begin);
  setRange(aroundNs - share * span, aroundNs + (1 - share) * span);
}

void TimelineCanvas::fitSelection() {
  if (m_markerA && m_markerB) {
    const double low = static_cast<double>(std::min(*m_markerA, *m_markerB));
    const double high = static_cast<double>(std::max(*m_markerA, *m_markerB));
    return setRange(low - (high - low) * 0.1, high + (high - low) * 0.1);
  }
  setRange(0, std::max(runEndNs() * 1.05, 1e6));
}

void TimelineCanvas::setMarker(QChar which, std::optional<qint64> ns) {
  (which == QLatin1Char('A') ? m_markerA : m_markerB) = ns;
  Q_EMIT markersChanged();
  update();
}

void TimelineCanvas::relayout() {
  if (!m_frame || !m_frame->layout) return update();
  TimelineLayoutRequest request;
  request.size = size();
  request.beginNs = m_begin;
  request.endNs = m_end;
  request.textScale = look::textScale();
  request.pinned = m_pinned;
  request.hasMachineRows = m_trace != nullptr;
  m_geometry = layoutTimeline(*m_frame->layout, request);
  buildHeat();
  update();
}

void TimelineCanvas::resizeEvent(QResizeEvent*) {
  relayout();
  refresh();
}

void TimelineCanvas::buildHeat() {
  m_heat = QImage();
  const bool hasFolded = std::any_of(m_geometry.lanes.begin(), m_geometry.lanes.end(),
                                     [](const LaneItem& lane) { return lane.cpu < 0; });
  if (!m_window || !hasFolded) return;
  const int bins = std::max(static_cast<int>(m_geometry.lanesArea.width()), 1);
  const look::Theme theme = look::colors(this).theme;
  m_heat = QImage(bins, static_cast<int>(m_geometry.lanes.size()), QImage::Format_RGB32);
  m_heat.fill(look::heat(0, theme));
  const double nsPerBin = (m_end - m_begin) / bins;
  std::vector<double> busy(static_cast<std::size_t>(bins)), online(static_cast<std::size_t>(bins));
  const auto add = [&](std::vector<double>& sums, std::int64_t beginNs, std::int64_t endNs, double amount) {
    const double from =
        std::clamp((static_cast<double>(beginNs) - m_begin) / nsPerBin, 0.0, static_cast<double>(bins));
    const double to =
        std::clamp((static_cast<double>(endNs) - m_begin) / nsPerBin, 0.0, static_cast<double>(bins));
    for (auto bin = static_cast<std::size_t>(from); static_cast<double>(bin) < to; ++bin)
      sums[bin] +=
          amount * (std::min(to, static_cast<double>(bin) + 1) - std::max(from, static_cast<double>(bin)));
  };
  for (std::size_t row = 0; row < m_geometry.lanes.size(); ++row) {
    const LaneItem& lane = m_geometry.lanes[row];
    if (lane.cpu >= 0) continue;
    std::fill(busy.begin(), busy.end(), 0.0);
    std::fill(online.begin(), online.end(), static_cast<double>(lane.cpus.size()));
    for (const api::TimelineLane& own : m_window->lanes) {
      if (std::find(lane.cpus.begin(), lane.cpus.end(), own.cpu) == lane.cpus.end()) continue;
      for (const api::TimelineSlice& slice : own.slices) add(busy, slice.beginNs, slice.endNs, 1);
      for (const api::TimelineSpan& span : own.offline) add(online, span.beginNs, span.endNs, -1);
    }
    auto* line = reinterpret_cast<QRgb*>(m_heat.scanLine(static_cast<int>(row)));
    for (std::size_t bin = 0; bin < busy.size(); ++bin) {
      constexpr double kLeast = 1e-6;  // of a CPU: all are offline
      line[bin] = look::heat(online[bin] < kLeast ? 0 : busy[bin] / online[bin], theme).rgb();
    }
  }
}

void TimelineCanvas::paintEvent(QPaintEvent*) {
  if (!m_frame || !m_frame->layout || m_frame->cpus.empty()) {
    return look::paintEmpty(this, tr("Nothing has run yet"), tr("Open a scenario, then run or step."));
  }
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.fillRect(rect(), look::colors(this).canvas);
  paintOverview(painter);
  paintRuler(painter);
  paintLabels(painter);
  painter.setClipRect(m_geometry.lanesArea.adjusted(0, -1, 1, 4));
  paintLanes(painter);
  paintMachineRows(painter);
  paintMarks(painter);
  paintMoves(painter);
  paintPartings(painter);
  painter.setClipping(false);
  paintLegend(painter);
  paintNotes(painter);
  paintMarkers(painter);
  paintPlayhead(painter);
  if (hasFocus()) look::drawFocus(painter, QRectF(rect()).adjusted(1, 1, -1, -1), look::colors(this));
}

}  // namespace rqscope::timeline
