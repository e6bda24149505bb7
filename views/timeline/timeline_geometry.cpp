// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline/timeline_geometry.h"

#include <algorithm>
#include <cmath>

#include "look/boxes.h"

namespace rqscope::timeline {
namespace {

constexpr double kRightPx = 10, kTopPx = 6, kOverviewPx = 12, kRulerPx = 19;
constexpr double kLaneMaximumPx = 20, kLaneMinimumPx = 6, kLaneGapPx = 3, kGroupGapPx = 7;
constexpr double kPinnedPx = 16, kTwoRowsMaximumPx = 34;

struct LaneSet {
  QString name;
  std::vector<std::int32_t> cpus;
};

/// The boxes whose children are CPUs or cores, in the order of the machine.
void lowestBoxes(const api::MachineLayout& layout, const api::LayoutBox& box, std::vector<LaneSet>& sets) {
  if (look::isLowestBox(layout, box)) {
    sets.push_back({QString::fromStdString(box.label), box.cpus});
    return;
  }
  for (const api::LayoutBox& child : box.children) lowestBoxes(layout, child, sets);
}

void nodeBoxes(const api::LayoutBox& box, std::vector<LaneSet>& sets) {
  if (box.kind == "node" || box.children.empty() || box.children.front().kind == "llc") {
    sets.push_back({QString::fromStdString(box.label), box.cpus});
    return;
  }
  for (const api::LayoutBox& child : box.children) nodeBoxes(child, sets);
}

QString kindOf(const api::MachineLayout& layout, const LaneSet& set) {
  QString kind;
  for (const api::LayoutCpu& cpu : layout.cpus) {
    if (std::find(set.cpus.begin(), set.cpus.end(), cpu.id) == set.cpus.end()) continue;
    const QString own = QString::fromStdString(cpu.kind);
    if (!kind.isEmpty() && kind != own) return set.name;
    kind = own;
  }
  return kind.isEmpty() ? set.name : kind;
}

void unfolded(const api::MachineLayout& layout, const std::vector<LaneSet>& sets, const QRectF& area,
              double maximumPx, TimelineGeometry& result) {
  double count = 0;
  for (const LaneSet& set : sets) count += static_cast<double>(set.cpus.size());
  const double gaps = kGroupGapPx * static_cast<double>(sets.size() - 1);
  const double step = std::min((area.height() - gaps) / count, maximumPx + kLaneGapPx);
  const double gap = std::min(kLaneGapPx, step * 0.25);
  double y = area.top();
  for (const LaneSet& set : sets) {
    const double top = y;
    for (const std::int32_t cpu : set.cpus) {
      result.lanes.push_back({QRectF(area.left(), y, area.width(), step - gap),
                              cpu,
                              {cpu},
                              QStringLiteral("CPU %1").arg(cpu),
                              false,
                              {}});
      y += step;
    }
    if (sets.size() > 1)
      result.groups.push_back({QRectF(0, top, area.left(), y - top - gap), kindOf(layout, set), {}});
    y += kGroupGapPx;
  }
}

void folded(const api::MachineLayout& layout, const std::vector<LaneSet>& sets,
            const TimelineLayoutRequest& request, QRectF area, TimelineGeometry& result) {
  for (const std::int32_t cpu : request.pinned) {
    const double height = kPinnedPx * request.textScale;
    result.lanes.push_back({QRectF(area.left(), area.top(), area.width(), height),
                            cpu,
                            {cpu},
                            QStringLiteral("CPU %1").arg(cpu),
                            true,
                            {}});
    area.setTop(area.top() + height + 2);
  }
  if (!request.pinned.empty()) area.setTop(area.top() + 5);
  std::vector<LaneSet> nodes;
  nodeBoxes(layout.root, nodes);
  const double gaps = 4 * static_cast<double>(std::max<std::size_t>(nodes.size(), 1) - 1);
  const double step = (area.height() - gaps) / static_cast<double>(sets.size());
  double y = area.top();
  for (const LaneSet& node : nodes) {
    const double top = y;
    int inNode = 0;
    for (const LaneSet& set : sets) {
      if (set.cpus.empty() ||
          std::find(node.cpus.begin(), node.cpus.end(), set.cpus.front()) == node.cpus.end())
        continue;
      result.lanes.push_back({QRectF(area.left(), y, area.width(), std::max(step - 0.5, 1.0)),
                              -1,
                              set.cpus,
                              set.name,
                              false,
                              {}});
      y += step;
      ++inNode;
    }
    const QString caches = inNode == 1 ? QStringLiteral("1 cache") : QStringLiteral("%1 caches").arg(inNode);
    result.groups.push_back({QRectF(0, top, area.left(), y - top), node.name.toLower(), caches});
    y += 4;
  }
}

}  // namespace

double TimelineGeometry::xAt(double ns) const {
  return lanesArea.left() + (ns - beginNs) / (endNs - beginNs) * lanesArea.width();
}

double TimelineGeometry::timeAt(double x) const {
  return beginNs + (x - lanesArea.left()) / lanesArea.width() * (endNs - beginNs);
}

double TimelineGeometry::overviewX(double ns, double allNs) const {
  return overview.left() + std::clamp(ns / std::max(allNs, 1.0), 0.0, 1.0) * overview.width();
}

const LaneItem* TimelineGeometry::laneAt(QPointF point) const {
  const auto it = std::find_if(lanes.begin(), lanes.end(), [&](const LaneItem& lane) {
    return point.y() >= lane.rect.top() && point.y() < lane.rect.bottom() + 1;
  });
  return it == lanes.end() ? nullptr : &*it;
}

const LaneItem* TimelineGeometry::laneOf(std::int32_t cpu) const {
  const auto own =
      std::find_if(lanes.begin(), lanes.end(), [&](const LaneItem& lane) { return lane.cpu == cpu; });
  if (own != lanes.end()) return &*own;
  const auto with = std::find_if(lanes.begin(), lanes.end(), [&](const LaneItem& lane) {
    return std::find(lane.cpus.begin(), lane.cpus.end(), cpu) != lane.cpus.end();
  });
  return with == lanes.end() ? nullptr : &*with;
}

double TimelineGeometry::tickNs(double minPx) const {
  const double nsPerPx = (endNs - beginNs) / std::max(lanesArea.width(), 1.0);
  const double least = nsPerPx * minPx;
  const double power = std::pow(10, std::floor(std::log10(std::max(least, 1.0))));
  for (const double factor : {1.0, 2.0, 4.0, 5.0}) {
    if (factor * power >= least) return factor * power;
  }
  return 10 * power;
}

TimelineGeometry layoutTimeline(const api::MachineLayout& layout, const TimelineLayoutRequest& request) {
  TimelineGeometry result;
  result.beginNs = request.beginNs;
  result.endNs = std::max(request.endNs, request.beginNs + 1);
  const double left = request.labelPx * request.textScale;
  const double width = std::max(request.size.width() - left - kRightPx, 1.0);
  result.overview = QRectF(left, kTopPx, width, kOverviewPx);
  result.ruler = QRectF(left, result.overview.bottom() + 2, width, kRulerPx * request.textScale);
  const double top = result.ruler.bottom() + 2;
  result.lanesArea = QRectF(left, top, width, std::max(request.size.height() - top - 5, 1.0));
  std::vector<LaneSet> sets;
  lowestBoxes(layout, layout.root, sets);
  std::size_t count = 0;
  for (const LaneSet& set : sets) count += set.cpus.size();
  if (count == 0) return result;
  const double gaps = kGroupGapPx * static_cast<double>(sets.size() - 1);
  const double rows = request.hasMachineRows ? 2 : 1;
  const bool fits = (result.lanesArea.height() - gaps) / static_cast<double>(count) >= kLaneMinimumPx * rows;
  if (fits) {
    const double maximum = request.hasMachineRows ? kTwoRowsMaximumPx : kLaneMaximumPx;
    unfolded(layout, sets, result.lanesArea, maximum, result);
  } else {
    folded(layout, sets, request, result.lanesArea, result);
  }
  for (LaneItem& lane : result.lanes)
    if (request.hasMachineRows && lane.cpu >= 0)
      lane.machineRect = QRectF(lane.rect.topLeft(), QSizeF(lane.rect.width(), lane.rect.height() / 2));
  return result;
}

}  // namespace rqscope::timeline
