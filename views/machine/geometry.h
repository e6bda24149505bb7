// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QRectF>
#include <QString>
#include <cstdint>
#include <string>
#include <vector>

#include "rqscope/layout.h"

namespace rqscope::machine {

/// Levels of detail, by the short side of one CPU cell.
enum class Detail { Group, Heat, Threads, Chips, Tanks };
/// Smallest short side, in px, at which a level is chosen.
double minimumCellPx(Detail detail);

struct BoxItem {
  QRectF rect, head;  ///< head is empty where there is no room for one
  QString kind, label;
  std::vector<std::int32_t> cpus;  ///< ids, ascending
  int depth = 0;
  int parent = -1;      ///< index into Geometry::boxes
  bool isTile = false;  ///< at Detail::Group: drawn as one tile
};

struct CellItem {
  QRectF rect;
  std::int32_t position = 0;  ///< of the CPU in MachineLayout::cpus and Frame::cpus
  int box = -1;
};

/// Where everything is drawn. A value: computed once for a size, then only read by paint.
struct Geometry {
  QSizeF size;
  Detail detail = Detail::Tanks;
  double cellPx = 0;
  std::vector<BoxItem> boxes;  ///< parents before children
  std::vector<CellItem> cells;

  /// Index of the cell at a point, or -1.
  int cellAt(QPointF point) const;
  /// Index of the innermost box at a point, or -1.
  int boxAt(QPointF point) const;
  /// Index of the cell of a CPU by position in the layout, or -1.
  int cellOf(std::int32_t position) const;
  std::vector<std::int32_t> cellByPosition;  ///< index into cells, or -1
  /// Nearest cell from one cell in a direction of dx, dy (-1, 0, 1), or -1.
  int neighbour(int cell, int dx, int dy) const;
};

/// Where outlines of group spans run around a box: the first one's distance at the sides and at the top,
/// where badges stand, and from one to the next.
struct LaneMetrics {
  double side, top, pitch, badge;
};
LaneMetrics laneMetrics(Detail detail, double textScale);

struct GeometryRequest {
  QSizeF size;
  const api::LayoutBox* only = nullptr;  ///< a box of the layout: it alone is laid out
  bool isPinned = false;                 ///< use detail as it is
  Detail detail = Detail::Tanks;         ///< pinned, or the one shown now (for hysteresis)
  double textScale = 1;
  std::vector<std::vector<std::int32_t>>
      tileGroups;                                    ///< CPU sets of the framed level: tiles at Detail::Group
  int lanes = 0;                                     ///< outlines that need room around boxes
  std::vector<std::vector<std::int32_t>> laneBoxes;  ///< CPU sets of these boxes
  bool hasLaneCells = false;                         ///< ... and around single CPUs too
};

Geometry computeGeometry(const api::MachineLayout& layout, const GeometryRequest& request);

}  // namespace rqscope::machine
