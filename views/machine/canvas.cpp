// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "machine/canvas.h"

#include <QEvent>
#include <QPainter>
#include <algorithm>

#include "look/boxes.h"
#include "look/fonts.h"
#include "look/level_names.h"
#include "look/painting.h"
#include "look/panel.h"

namespace rqscope::machine {
namespace {

constexpr int kTravelMs = 240;
constexpr double kMarginPx = 10;
constexpr double kMinimumScale = 1024;
/// The tanks' height in capacities of the biggest CPU, whatever is in them: heights compare between moments.
/// A stack that is higher is cut off.
constexpr double kMaximumStack = 1.6;

const api::LayoutBox* boxOf(const api::LayoutBox& box, const std::vector<std::int32_t>& cpus) {
  if (box.cpus == cpus) return &box;
  for (const api::LayoutBox& child : box.children)
    if (const api::LayoutBox* const found = boxOf(child, cpus)) return found;
  return nullptr;
}

}  // namespace

Canvas::Canvas(QWidget* parent) : QWidget(parent), m_travelTime(this) {
  look::installAccessibleItems();  // before anything is said of this widget
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
  setAccessibleName(tr("Machine"));
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
  m_travelTime.setStartValue(0.0);
  m_travelTime.setEndValue(1.0);
  m_travelTime.setDuration(kTravelMs);
  m_travelTime.setEasingCurve(QEasingCurve::OutCubic);
  connect(&m_travelTime, &QVariantAnimation::valueChanged, this, [this](const QVariant& value) {
    m_travel.progress = value.toDouble();
    update();
  });
}

void Canvas::setFrame(const std::shared_ptr<const api::Frame>& frame) {
  const auto before = m_frame;
  m_frame = frame;
  const bool isNewLayout = !before || !frame || before->layout != frame->layout;
  m_litRung = frame ? frame->rung : -1;
  if (isNewLayout) {
    adoptLayout();
    relayout();
  } else {
    relight();
  }
  const bool moved = before && frame && !isNewLayout && !frame->recentMigrations.empty() &&
                     frame->timeNs >= before->timeNs && frame->migrations == before->migrations + 1;
  if (moved && m_isAnimated && isVisible()) {
    const api::MigrationFrame& migration = frame->recentMigrations.front();
    m_travel = {migration.task, migration.from, migration.to, 0};
    m_travelTime.stop();
    m_travelTime.start();
  } else if (m_travelTime.state() == QAbstractAnimation::Running) {
    m_travelTime.stop();
    m_travel.progress = 1;
  }
  update();
}

void Canvas::setTint(std::optional<Signal> tint) {
  m_tint = tint;
  update();
  Q_EMIT viewChanged();
}

void Canvas::setBlocks(Signal blocks) {
  m_blocks = blocks;
  update();
  Q_EMIT viewChanged();
}

void Canvas::setDetail(std::optional<Detail> detail) {
  m_pinned = detail;
  relayout();
}

void Canvas::setSelectedTask(int slot) {
  m_selectedTask = slot;
  update();
  Q_EMIT viewChanged();
}

void Canvas::setMotion(bool isAnimated) { m_isAnimated = isAnimated; }

void Canvas::fit() {
  m_zoom = 1;
  m_pan = QPointF();
  relayout();
  Q_EMIT zoomChanged(m_zoom);
}

int Canvas::focusedCpu() const {
  if (m_focusedCell < 0 || m_focusedCell >= static_cast<int>(m_geometry.cells.size())) return -1;
  return m_frame->layout
      ->cpus[static_cast<std::size_t>(m_geometry.cells[static_cast<std::size_t>(m_focusedCell)].position)]
      .id;
}

void Canvas::relayout() {
  if (!m_frame || !m_frame->layout) {
    m_geometry = {};
    m_spans = {};
    m_lights.clear();
    return update();
  }
  GeometryRequest request;
  request.size = QSizeF(width() - 2 * kMarginPx, height() - 2 * kMarginPx) * m_zoom;
  request.isPinned = m_pinned.has_value();
  request.detail = m_pinned.value_or(m_geometry.cells.empty() ? Detail::Group : m_geometry.detail);
  request.textScale = look::textScale();
  const api::MachineLayout& layout = *m_frame->layout;
  request.tileGroups = groupSets(layout, m_level);
  request.only = m_only.empty() ? nullptr : boxOf(layout.root, m_only);
  m_spans = m_hasSpans && !request.only ? spansOf(layout, shownDomain(), m_activeGroup) : Spans();
  m_hoveredSpan = -1;
  request.lanes = m_spans.lanes;
  request.laneBoxes = m_spans.parts;
  request.hasLaneCells = m_spans.hasCellParts;
  m_cpuGroups.clear();
  for (const api::LayoutCpu& cpu : layout.cpus) m_cpuGroups.push_back(groupOf(layout, m_level, {cpu.id}));
  const Detail before = m_geometry.detail;
  m_geometry = computeGeometry(layout, request);
  m_boxGroups.clear();
  m_boxDomains.clear();
  m_boxNames.clear();
  const std::vector<std::string> names = look::domainNames(layout);
  for (const BoxItem& box : m_geometry.boxes) {
    const std::vector<std::int32_t> cpus = balancedCpus(layout, box.cpus);
    m_boxGroups.push_back(groupOf(layout, m_level, cpus));
    const api::LayoutDomain* shown =
        m_spans.isEmpty() ? nullptr : &layout.domains[static_cast<std::size_t>(m_spans.domain)];
    m_boxDomains.push_back(shown && shown->span == cpus ? shown : domainSpanning(layout, cpus));
    const api::LayoutDomain* const domain = m_boxDomains.back();
    m_boxNames.push_back(domain ? look::qs(names[static_cast<std::size_t>(domain - layout.domains.data())])
                                : QString());
  }
  Q_EMIT spansChanged();
  placeSpans(m_spans, layout, m_geometry, look::textScale());
  relight();
  if (m_focusedCell >= static_cast<int>(m_geometry.cells.size())) m_focusedCell = -1;
  if (m_geometry.detail != before) Q_EMIT detailChanged(m_geometry.detail);
  clampPan();
  update();
}

void Canvas::clampPan() {
  const QSizeF free(width() - 2 * kMarginPx - m_geometry.size.width(),
                    height() - 2 * kMarginPx - m_geometry.size.height());
  m_pan.setX(std::clamp(m_pan.x(), std::min(kMarginPx, kMarginPx + free.width()), kMarginPx));
  m_pan.setY(std::clamp(m_pan.y(), std::min(kMarginPx, kMarginPx + free.height()), kMarginPx));
  Q_EMIT viewChanged();
}

Scene Canvas::scene() const {
  Scene scene;
  scene.frame = m_frame.get();
  scene.theme = look::colors(this).theme;
  scene.level = m_level;
  scene.framesByType = !m_tint.has_value();
  scene.tint = m_tint.value_or(Signal::Util);
  scene.blocks = m_blocks;
  scene.cpuGroups = &m_cpuGroups;
  scene.boxGroups = &m_boxGroups;
  scene.boxDomains = &m_boxDomains;
  scene.boxNames = &m_boxNames;
  scene.isTanks = m_geometry.detail == Detail::Tanks;
  scene.selectedCpu = m_selectedCpu;
  scene.selectedTask = m_selectedTask;
  if (hasFocus() && m_focusedCell >= 0 && m_focusedCell < static_cast<int>(m_geometry.cells.size())) {
    scene.focusedPosition = m_geometry.cells[static_cast<std::size_t>(m_focusedCell)].position;
  }
  double capacity = kMinimumScale;
  for (std::size_t i = 0; m_frame && i < m_frame->cpus.size(); ++i)
    capacity = std::max(capacity, static_cast<double>(m_frame->cpus[i].capacityOrig));
  scene.tankScale = capacity * kMaximumStack;
  return scene;
}

QRectF Canvas::blockOf(std::int32_t slot) const {
  const Scene what = scene();
  for (const CellItem& cell : m_geometry.cells)
    if (const QRectF block = taskBlock(cell, what, slot); !block.isEmpty()) return block;
  return {};
}

void Canvas::paintEvent(QPaintEvent*) {
  if (!m_frame || !m_frame->layout || m_frame->cpus.size() != m_frame->layout->cpus.size() ||
      m_frame->cpus.empty()) {
    return look::paintEmpty(this, tr("No machine yet"),
                            tr("Open a scenario, or choose a machine in Scenario."));
  }
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.fillRect(rect(), look::colors(this).canvas);
  painter.translate(m_pan);
  const Scene what = scene();
  const QRectF visible = QRectF(rect()).translated(-m_pan);
  paintBoxes(painter, m_geometry, what);
  const int active = activeSpan();
  paintSpans(painter, what, m_spans, active, m_hoveredSpan);
  paintHeadsOver(painter, m_geometry, what, spanLines(m_spans));
  if (m_geometry.detail == Detail::Tanks) paintTankAxis(painter, m_geometry, what);
  paintCells(painter, m_geometry, what, visible);
  paintSpanMarks(painter, m_geometry, what, m_spans, active, m_hoveredSpan);
  paintMigrations(painter, m_geometry, what);
  paintLights(painter, m_geometry, what, m_lights);
  if (const auto proposal = proposalOf(*m_frame)) paintProposal(painter, m_geometry, what, *proposal);
  paintTravel(painter, m_geometry, what, m_travel);
  if (hasFocus() && m_focusedCell < 0) {
    painter.resetTransform();
    look::drawFocus(painter, QRectF(rect()).adjusted(2, 2, -2, -2), look::colors(this));
  }
}

}  // namespace rqscope::machine
