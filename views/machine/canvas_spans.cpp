// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "look/boxes.h"
#include "look/fonts.h"
#include "machine/canvas.h"

namespace rqscope::machine {

/// A new machine: its levels, and the one on show if it has that too.
void Canvas::adoptLayout() {
  m_focusedCell = -1;
  m_activeGroup = -1;
  m_levels = m_frame && m_frame->layout ? levelsOf(*m_frame->layout) : std::vector<Level>();
  if (m_levels.empty()) return;
  const auto named = [this](const std::string& label, std::string Level::*field) {
    return std::find_if(m_levels.begin(), m_levels.end(),
                        [&](const Level& level) { return level.*field == label; });
  };
  auto it = named(m_level.label, &Level::label);
  if (it == m_levels.end()) it = named(look::defaultLevel(*m_frame->layout), &Level::name);
  m_level = it == m_levels.end() ? m_levels.back() : *it;
}

void Canvas::setLevel(const std::string& label) {
  const auto it = std::find_if(m_levels.begin(), m_levels.end(),
                               [&](const Level& level) { return level.label == label; });
  if (it == m_levels.end()) return;
  m_level = *it;
  m_activeGroup = -1;
  relayout();
}

/// The domain whose groups may need spans: of the selected CPU at the level on show.
int Canvas::shownDomain() const {
  if (!m_frame || !m_frame->layout || m_frame->layout->cpus.empty()) return -1;
  const int cpu = m_selectedCpu < 0 ? m_frame->layout->cpus.front().id : m_selectedCpu;
  return domainAt(*m_frame->layout, m_level, cpu);
}

void Canvas::setSelectedCpu(int cpu) {
  if (cpu == m_selectedCpu) return;
  const int before = shownDomain();
  m_selectedCpu = cpu;
  const int now = shownDomain();
  Q_EMIT viewChanged();
  if (before == now || !m_frame || !m_frame->layout) return update();
  if (!m_hasSpans || !m_only.empty()) return update();
  const Spans spans = spansOf(*m_frame->layout, now, m_activeGroup);
  if (!spans.isEmpty() || !m_spans.isEmpty()) return relayout();
  update();
}

void Canvas::showDomain(int domain, int group) {
  if (!m_frame || !m_frame->layout) return;
  const auto& domains = m_frame->layout->domains;
  if (domain < 0 || static_cast<std::size_t>(domain) >= domains.size()) return;
  const auto it = std::find_if(m_levels.begin(), m_levels.end(), [&](const Level& level) {
    return isAt(domains[static_cast<std::size_t>(domain)], level);
  });
  if (it == m_levels.end()) return;
  if (m_level == *it && m_activeGroup == group) return;
  m_level = *it;
  m_activeGroup = group;
  relayout();
}

void Canvas::setLitRung(int rung) {
  m_litRung = rung;
  relight();
}

void Canvas::relight() {
  m_lights.clear();
  if (m_frame && m_frame->layout) m_lights = placeLights(lightsOf(*m_frame, m_litRung), *m_frame, m_geometry);
  update();
}

int Canvas::spanAt(QPointF point) const {
  const double reach = 2 * look::textScale();
  int found = -1;
  for (std::size_t i = 0; i < m_spans.items.size(); ++i) {
    const SpanItem& item = m_spans.items[i];
    if (!item.isDrawn()) continue;
    if (item.badge.adjusted(-reach, -reach, reach, reach).contains(point) && !item.badge.isNull())
      return static_cast<int>(i);
    if (found < 0 && item.hit.contains(point)) found = static_cast<int>(i);
  }
  return found;
}

int Canvas::activeSpan() const {
  for (std::size_t i = 0; i < m_spans.items.size(); ++i)
    if (m_spans.items[i].group >= 0 && m_spans.items[i].group == m_activeGroup) return static_cast<int>(i);
  return -1;
}

void Canvas::hoverSpan(int span) {
  if (span == m_hoveredSpan) return;
  m_hoveredSpan = span;
  update();
}

void Canvas::activateSpan(int span) {
  const SpanItem& item = m_spans.items[static_cast<std::size_t>(span)];
  const int domain = m_spans.domain, group = item.group;
  m_activeGroup = group;
  setAccessibleDescription(spanSentence(*m_frame->layout, m_spans, item));
  // Beyond the number of lanes the chosen group takes one.
  if (!item.isDrawn()) {
    relayout();
  } else {
    update();
  }
  Q_EMIT groupActivated(domain, group);
}

/// To the next or previous group of the domain on show, in ring order.
void Canvas::walkSpan(int step) {
  int count = 0;
  for (const SpanItem& item : m_spans.items) count += item.order > 0 ? 1 : 0;
  if (count == 0) return;
  const int at = activeSpan();
  activateSpan(at < 0 ? (step > 0 ? 0 : count - 1) : (at + step + count) % count);
}

void Canvas::leaveEvent(QEvent* event) {
  hoverSpan(-1);
  QWidget::leaveEvent(event);
}

}  // namespace rqscope::machine
