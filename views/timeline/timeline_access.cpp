// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <map>

#include "look/painting.h"
#include "look/words.h"
#include "timeline/timeline_canvas.h"

namespace rqscope::timeline {

using look::qs;

namespace {

constexpr int kMostMarks = 500;  ///< of those in view; more than anyone walks through
constexpr double kMarkPx = 8;

QString markKind(const api::TimelineMark& mark) {
  if (mark.kind == "placement") return QObject::tr("placement");
  return QObject::tr("pass at %1, %2").arg(qs(mark.domainName), qs(look::word(mark.kind)));
}

/// "3 balanced, 1 failed" of the marks of a lane.
QString marksText(const std::vector<api::TimelineMark>& marks) {
  std::map<std::string, int> counts;
  for (const api::TimelineMark& mark : marks) ++counts[mark.kind];
  QStringList parts;
  for (const auto& [kind, count] : counts)
    parts << QStringLiteral("%1 %2").arg(count).arg(qs(look::word(kind)));
  return parts.join(QStringLiteral(", "));
}

}  // namespace

/// The marks in view, lane by lane.
std::vector<std::pair<const api::TimelineLane*, const api::TimelineMark*>> TimelineCanvas::marksShown()
    const {
  std::vector<std::pair<const api::TimelineLane*, const api::TimelineMark*>> out;
  if (!m_window) return out;
  for (const LaneItem& item : m_geometry.lanes)
    for (const api::TimelineLane& lane : m_window->lanes) {
      if (lane.cpu != item.cpu) continue;
      for (const api::TimelineMark& mark : lane.marks) {
        const auto at = static_cast<double>(mark.timeNs);
        if (at < m_begin || at > m_end || static_cast<int>(out.size()) >= kMostMarks) continue;
        out.emplace_back(&lane, &mark);
      }
    }
  return out;
}

int TimelineCanvas::accessibleItemCount() const {
  return static_cast<int>(m_geometry.lanes.size() + marksShown().size() + m_notes.size());
}

look::AccessItem TimelineCanvas::accessibleItem(int index) const {
  look::AccessItem item;
  if (index < 0) return item;
  const auto at = static_cast<std::size_t>(index);
  if (at < m_geometry.lanes.size()) return laneItem(m_geometry.lanes[at]);
  const auto marks = marksShown();
  const std::size_t firstNote = m_geometry.lanes.size() + marks.size();
  if (at >= firstNote) return at - firstNote < m_notes.size() ? noteItem(at - firstNote) : item;
  const auto& [lane, mark] = marks[at - m_geometry.lanes.size()];
  item.name = tr("CPU %1, %2").arg(lane->cpu).arg(markKind(*mark));
  item.value = qs(look::timeText(mark->timeNs));
  item.description = tr("decision %1").arg(mark->pass);
  item.isSelected = m_frame && m_frame->ladder && m_frame->ladder->index == mark->pass;
  if (const LaneItem* shown = m_geometry.laneOf(lane->cpu)) {
    const QPointF center(m_geometry.xAt(static_cast<double>(mark->timeNs)), shown->modelRect().center().y());
    item.rect =
        QRectF(center - QPointF(kMarkPx / 2, kMarkPx / 2), QSizeF(kMarkPx, kMarkPx)).toAlignedRect() & rect();
  }
  return item;
}

/// A lane: its CPU, what runs now, and what happened in the span shown.
look::AccessItem TimelineCanvas::laneItem(const LaneItem& lane) const {
  look::AccessItem item;
  item.rect = lane.rect.toAlignedRect() & rect();
  item.role = QAccessible::Row;
  if (lane.cpu < 0) {
    item.name = lane.name + QLatin1Char(' ') + qs(look::cpuList(lane.cpus));
    item.description = tr("%1 CPUs in one row").arg(lane.cpus.size());
    return item;
  }
  item.name = tr("CPU %1").arg(lane.cpu);
  item.isSelected = lane.cpu == m_selectedCpu;
  item.value = tr("idle");
  for (const api::CpuFrame& cpu : m_frame ? m_frame->cpus : std::vector<api::CpuFrame>{})
    if (cpu.id == lane.cpu && cpu.running >= 0)
      item.value = qs(m_frame->tasks[static_cast<std::size_t>(cpu.running)].name);
  if (!lane.machineRect.isNull())
    item.value =
        tr("model: %1; machine: %2").arg(item.value, machineTaskAt(lane.cpu, m_frame ? m_frame->timeNs : 0));
  if (!m_window) return item;
  const auto own = std::find_if(m_window->lanes.begin(), m_window->lanes.end(),
                                [&](const api::TimelineLane& l) { return l.cpu == lane.cpu; });
  if (own == m_window->lanes.end()) return item;
  item.description = tr("%1 to %2: %n run(s)", nullptr, static_cast<int>(own->slices.size()))
                         .arg(qs(look::timeText(static_cast<std::int64_t>(m_begin))),
                              qs(look::timeText(static_cast<std::int64_t>(m_end))));
  if (const QString marks = marksText(own->marks); !marks.isEmpty())
    item.description += QStringLiteral("; ") + marks;
  return item;
}

void TimelineCanvas::pressAccessibleItem(int index) {
  if (index < 0) return;
  const auto at = static_cast<std::size_t>(index);
  if (at < m_geometry.lanes.size()) {
    const LaneItem& lane = m_geometry.lanes[at];
    const std::int32_t cpu = lane.cpu >= 0 || lane.cpus.empty() ? lane.cpu : lane.cpus.front();
    if (cpu >= 0) Q_EMIT cpuActivated(cpu);
    return;
  }
  const auto marks = marksShown();
  const std::size_t firstNote = m_geometry.lanes.size() + marks.size();
  if (at < firstNote) return Q_EMIT passActivated(marks[at - m_geometry.lanes.size()].second->pass);
  if (at - firstNote < m_notes.size()) Q_EMIT timeActivated(m_notes[at - firstNote].timeNs);
}

}  // namespace rqscope::timeline
