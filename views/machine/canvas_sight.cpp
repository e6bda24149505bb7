// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "machine/canvas.h"

namespace rqscope::machine {

void Canvas::setOnly(const std::vector<std::int32_t>& cpus) {
  if (cpus == m_only) return;
  m_only = cpus;
  m_focusedCell = -1;
  relayout();
}

void Canvas::hideSpans() {
  m_hasSpans = false;
  relayout();
}

void Canvas::adoptChoices(const Canvas& other) {
  const bool isSameLevel = m_level == other.m_level;
  m_tint = other.m_tint;
  m_blocks = other.m_blocks;
  m_selectedCpu = other.m_selectedCpu;
  m_selectedTask = other.m_selectedTask;
  if (!isSameLevel) return setLevel(other.m_level.label);
  update();
}

std::vector<std::int32_t> Canvas::cpusInSight() const {
  std::vector<std::int32_t> found;
  const QRectF sight = QRectF(rect()).translated(-m_pan);
  for (const CellItem& cell : m_geometry.cells)
    if (sight.contains(cell.rect.center()))
      found.push_back(m_frame->layout->cpus[static_cast<std::size_t>(cell.position)].id);
  for (const BoxItem& box : m_geometry.boxes)
    if (box.isTile && sight.contains(box.rect.center()))
      found.insert(found.end(), box.cpus.begin(), box.cpus.end());
  std::sort(found.begin(), found.end());
  return found;
}

void Canvas::centerOn(int cpu) {
  if (!m_frame || !m_frame->layout) return;
  QRectF place;
  if (const int cell = m_geometry.cellOf(positionOf(*m_frame->layout, cpu)); cell >= 0)
    place = m_geometry.cells[static_cast<std::size_t>(cell)].rect;
  for (const BoxItem& box : m_geometry.boxes)
    if (box.isTile && std::binary_search(box.cpus.begin(), box.cpus.end(), cpu)) place = box.rect;
  if (place.isNull()) return;
  m_pan = QRectF(rect()).center() - place.center();
  clampPan();
  update();
}

/// Of a box, or of the nearest around it that is a group of the level on show.
std::vector<std::int32_t> Canvas::groupOfBox(int box) const {
  for (int at = box; at >= 0; at = m_geometry.boxes[static_cast<std::size_t>(at)].parent)
    if (m_boxGroups[static_cast<std::size_t>(at)] >= 0)
      return m_geometry.boxes[static_cast<std::size_t>(at)].cpus;
  return box < 0 ? std::vector<std::int32_t>() : m_geometry.boxes[static_cast<std::size_t>(box)].cpus;
}

std::vector<std::int32_t> Canvas::groupAt(QPointF scenePoint) const {
  return groupOfBox(m_geometry.boxAt(scenePoint));
}

std::vector<std::int32_t> Canvas::groupAround(int cpu) const {
  int innermost = -1;
  for (std::size_t i = 0; i < m_geometry.boxes.size(); ++i) {
    const std::vector<std::int32_t>& cpus = m_geometry.boxes[i].cpus;
    if (std::binary_search(cpus.begin(), cpus.end(), cpu)) innermost = static_cast<int>(i);
  }
  return groupOfBox(innermost);
}

}  // namespace rqscope::machine
