// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QRectF>
#include <QString>
#include <cstdint>
#include <vector>

#include "rqscope/layout.h"

namespace rqscope::timeline {

/// A lane: one CPU, or the CPUs of one cache folded into one row of heat.
struct LaneItem {
  QRectF rect;
  std::int32_t cpu = -1;  ///< -1: folded
  std::vector<std::int32_t> cpus;
  QString name;
  bool isPinned = false;
  /// Where the recorded machine's slices are, above the model's; null: there are none.
  QRectF machineRect;

  /// Where the model's slices and marks are.
  QRectF modelRect() const {
    return machineRect.isNull() ? rect
                                : QRectF(rect.left(), machineRect.bottom(), rect.width(),
                                         rect.bottom() - machineRect.bottom());
  }
};

/// A bracket left of the lanes: "big", "node 0".
struct LaneGroup {
  QRectF rect;
  QString name, note;
};

/// Where times and lanes are. A value with no state of its own.
struct TimelineGeometry {
  double beginNs = 0, endNs = 1;
  QRectF overview, ruler, lanesArea;
  std::vector<LaneItem> lanes;
  std::vector<LaneGroup> groups;

  double xAt(double ns) const;
  double timeAt(double x) const;
  double overviewX(double ns, double allNs) const;
  const LaneItem* laneAt(QPointF point) const;
  const LaneItem* laneOf(std::int32_t cpu) const;
  /// Distance between labelled ticks: 1, 2, 4 or 5 times a power of ten, at least minPx apart.
  double tickNs(double minPx) const;
};

struct TimelineLayoutRequest {
  QSizeF size;
  double beginNs = 0, endNs = 1;
  double textScale = 1;
  double labelPx = 76;
  std::vector<std::int32_t> pinned;  ///< CPUs that never fold
  bool hasMachineRows = false;       ///< a recorded machine's slices stand above the model's
};

TimelineGeometry layoutTimeline(const api::MachineLayout& layout, const TimelineLayoutRequest& request);

}  // namespace rqscope::timeline
