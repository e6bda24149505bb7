// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "look/painting.h"
#include "look/words.h"
#include "machine/canvas.h"

namespace rqscope::machine {

using look::qs;

int Canvas::accessibleItemCount() const {
  if (!m_frame || !m_frame->layout || m_frame->cpus.size() != m_frame->layout->cpus.size()) return 0;
  return static_cast<int>(m_frame->cpus.size() + m_geometry.boxes.size() + m_spans.items.size());
}

std::pair<Canvas::Thing, std::size_t> Canvas::thingAt(int index) const {
  auto at = static_cast<std::size_t>(index);
  if (at < m_frame->cpus.size()) return {Thing::Cpu, at};
  at -= m_frame->cpus.size();
  if (at < m_geometry.boxes.size()) return {Thing::Box, at};
  return {Thing::Span, at - m_geometry.boxes.size()};
}

QRect Canvas::shownRect(const QRectF& sceneRect) const {
  return sceneRect.translated(m_pan).toAlignedRect() & rect();
}

look::AccessItem Canvas::accessibleItem(int index) const {
  look::AccessItem item;
  if (index < 0 || index >= accessibleItemCount()) return item;
  const auto [thing, at] = thingAt(index);
  if (thing == Thing::Cpu) {
    const api::CpuFrame& cpu = m_frame->cpus[at];
    item.name = cpuSentence(*m_frame, at);
    item.value = QString::number(cpu.util);
    QStringList names;
    for (const std::int32_t task : cpu.queued)
      names << qs(m_frame->tasks[static_cast<std::size_t>(task)].name);
    if (!names.isEmpty()) item.description = tr("queued: %1").arg(names.join(QStringLiteral(", ")));
    const int cell = m_geometry.cellOf(static_cast<std::int32_t>(at));
    if (cell >= 0) item.rect = shownRect(m_geometry.cells[static_cast<std::size_t>(cell)].rect);
    item.isSelected = cpu.id == m_selectedCpu;
  } else if (thing == Thing::Box) {
    const BoxItem& box = m_geometry.boxes[at];
    item.role = QAccessible::Grouping;
    item.name = (box.label.isEmpty() ? box.kind : box.label) + QLatin1Char(' ') + qs(look::cpuList(box.cpus));
    item.description = groupTooltip(box.cpus, m_boxGroups[at]).trimmed();
    const int group = m_boxGroups[at];
    if (group >= 0 && group < static_cast<int>(m_frame->groups.size()))
      item.value = qs(m_frame->groups[static_cast<std::size_t>(group)].type);
    item.rect = shownRect(box.head.isEmpty() ? box.rect : box.head);
  } else {
    const SpanItem& span = m_spans.items[at];
    item.role = QAccessible::Grouping;
    item.name = spanSentence(*m_frame->layout, m_spans, span);
    item.description = groupTooltip(span.cpus, span.group).trimmed();
    item.rect = shownRect(span.badge.isNull() ? span.outline.boundingRect() : span.badge);
    item.isSelected = span.group >= 0 && span.group == m_activeGroup;
  }
  return item;
}

void Canvas::pressAccessibleItem(int index) {
  if (index < 0 || index >= accessibleItemCount()) return;
  const auto [thing, at] = thingAt(index);
  if (thing == Thing::Cpu) {
    m_focusedCell = m_geometry.cellOf(static_cast<std::int32_t>(at));
    Q_EMIT cpuActivated(m_frame->cpus[at].id);
    announce();
  } else if (thing == Thing::Span && m_spans.items[at].order > 0) {
    activateSpan(static_cast<int>(at));
  } else if (thing == Thing::Box && m_boxGroups[at] >= 0) {
    const int cpu = m_geometry.boxes[at].cpus.front();
    Q_EMIT cpuActivated(cpu);
    Q_EMIT groupActivated(domainAt(*m_frame->layout, m_level, cpu), m_boxGroups[at]);
  }
}

}  // namespace rqscope::machine
