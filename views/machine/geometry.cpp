// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "machine/geometry.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>

#include "look/boxes.h"

namespace rqscope::machine {
namespace {

constexpr double kHysteresis = 0.15;
constexpr std::array kDetailsDown = {Detail::Tanks, Detail::Chips, Detail::Threads, Detail::Heat};

struct Spacing {
  double padding, gap, cellGap, head;
};

Spacing spacingOf(Detail detail, double textScale) {
  switch (detail) {
    case Detail::Tanks:
      return {8, 10, 8, 27 * textScale};
    case Detail::Chips:
      return {6, 8, 5, 24 * textScale};
    case Detail::Threads:
      return {5, 6, 2, 22 * textScale};
    case Detail::Heat:
      return {3, 4, 1, 14 * textScale};
    case Detail::Group:
      return {2, 3, 0, 0};
  }
  return {};
}

/// Heads of outer boxes at the heat level are dropped, so only the two lowest levels need room.
constexpr double kInnerCoreGap = 2;
/// A box narrower than this has no room for its name, which is worth this share of the size of its cells.
constexpr double kHeadRoomPx = 66, kHiddenHead = 0.55;
/// Boxes so small that outlines lie over each other are chosen last.
constexpr double kNoRoomForLanes = 1e-3;
/// Room at the left of the outermost box for the scale of the tanks.
constexpr double kAxisPx = 30;

struct Node {
  const api::LayoutBox* box = nullptr;
  std::vector<Node> children;
  std::vector<std::int32_t> leaves;  ///< CPU ids drawn directly
  double weight = 1;
  bool isFramed = true;
  bool isTile = false;
  bool hasLanes = false;  ///< outlines of group spans run around it
};

struct Split {
  int rows = 1;
  double score = -1;
};

class Layouter {
 public:
  Layouter(const api::MachineLayout& layout, const GeometryRequest& request, Detail detail)
      : m_layout(layout),
        m_request(request),
        m_detail(detail),
        m_spacing(spacingOf(detail, request.textScale)) {
    for (std::size_t i = 0; i < layout.cpus.size(); ++i) {
      m_position[layout.cpus[i].id] = static_cast<std::int32_t>(i);
    }
    const LaneMetrics lanes = laneMetrics(detail, request.textScale);
    if (request.lanes > 0) {
      m_laneSide = lanes.side + (request.lanes - 1) * lanes.pitch + lanes.side;
      m_laneTop = lanes.top + (request.lanes - 1) * lanes.pitch + std::max(lanes.badge / 2 + 1, lanes.side);
      if (request.hasLaneCells) m_spacing.cellGap += 2 * m_laneSide;
    }
    m_root = build(request.only ? *request.only : layout.root);
    m_geometry.detail = detail;
    m_geometry.size = request.size;
  }

  Geometry run() {
    m_geometry.cellPx = std::numeric_limits<double>::max();
    place(m_root, QRectF(QPointF(0, 0), m_request.size), 0, -1);
    if (m_geometry.cells.empty()) m_geometry.cellPx = 0;
    m_geometry.cellByPosition.assign(m_layout.cpus.size(), -1);
    for (std::size_t i = 0; i < m_geometry.cells.size(); ++i)
      m_geometry.cellByPosition[static_cast<std::size_t>(m_geometry.cells[i].position)] =
          static_cast<std::int32_t>(i);
    return std::move(m_geometry);
  }

 private:
  Node build(const api::LayoutBox& box) const {
    const api::LayoutBox* at = &box;
    // A chain of boxes around the same CPUs is drawn as its innermost box that is not a core.
    while (at->children.size() == 1 && at->children[0].cpus == at->cpus &&
           !look::isCoreBox(m_layout, at->children[0])) {
      at = &at->children[0];
    }
    Node node;
    node.box = at;
    node.isFramed = !look::isCoreBox(m_layout, *at) || isGroup(*at);
    node.weight = static_cast<double>(std::max<std::size_t>(at->cpus.size(), 1));
    node.isTile = m_detail == Detail::Group && isTile(*at);
    const auto& boxes = m_request.laneBoxes;
    node.hasLanes = m_request.lanes > 0 && (node.isFramed || node.isTile) &&
                    std::find(boxes.begin(), boxes.end(), at->cpus) != boxes.end();
    if (node.isTile) return node;
    for (const api::LayoutBox& child : at->children) node.children.push_back(build(child));
    if (at->children.empty()) node.leaves = at->cpus;
    return node;
  }

  bool isGroup(const api::LayoutBox& box) const {
    const auto& groups = m_request.tileGroups;
    return std::find(groups.begin(), groups.end(), box.cpus) != groups.end();
  }
  bool isTile(const api::LayoutBox& box) const { return isGroup(box) || look::isLowestBox(m_layout, box); }

  /// In a picture too small for everything the boxes stay, and the outlines lie over each other.
  bool hasRoomForLanes(const Node& node, double width, double height) const {
    return node.hasLanes && width > 3 * m_laneSide && height > 2 * (m_laneTop + m_laneSide);
  }

  double headOf(const Node& node, double width) const {
    if (!node.isFramed || node.isTile) return 0;
    if (m_detail == Detail::Heat && width < 40 * m_request.textScale) return 0;
    return m_spacing.head;
  }
  double paddingOf(const Node& node) const { return node.isFramed ? m_spacing.padding : 0; }
  double axisOf(const Node& node) const {
    return m_detail == Detail::Tanks && &node == &m_root ? kAxisPx * m_request.textScale : 0;
  }
  double gapOf(const Node& node) const {
    if (!node.isFramed) return std::min(kInnerCoreGap, m_spacing.cellGap);
    const bool holdsCells = node.children.empty() || !node.children[0].isFramed;
    return holdsCells ? m_spacing.cellGap : m_spacing.gap;
  }

  /// How good a cell of this size is: its short side, tanks being tall and chips wide.
  double cellScore(double width, double height) const {
    if (m_detail == Detail::Tanks) return std::min(width, height / 3.0);
    if (m_detail == Detail::Chips) return std::min(width / 1.2, height);
    return std::min(width, height);
  }

  static bool isUniform(const Node& node) {
    return std::all_of(node.children.begin(), node.children.end(),
                       [&](const Node& c) { return c.weight == node.children.front().weight; });
  }

  /// Children of each row: equal numbers when all are alike, else about equal weights, order kept.
  static std::vector<std::vector<const Node*>> rowsOf(const Node& node, int rows) {
    std::vector<std::vector<const Node*>> result(1);
    const std::size_t perRow =
        (node.children.size() + static_cast<std::size_t>(rows) - 1) / static_cast<std::size_t>(rows);
    double total = 0;
    for (const Node& child : node.children) total += child.weight;
    const bool uniform = isUniform(node);
    double inRow = 0;
    for (const Node& child : node.children) {
      const bool full = uniform ? result.back().size() >= perRow : inRow >= total / rows - 1e-9;
      if (full && !result.back().empty()) {
        result.emplace_back();
        inRow = 0;
      }
      result.back().push_back(&child);
      inRow += child.weight;
    }
    return result;
  }

  double scoreRows(const Node& node, double width, double height, int rows) const {
    const auto lines = rowsOf(node, rows);
    const double gap = gapOf(node);
    const double rowHeight =
        (height - gap * static_cast<double>(lines.size() - 1)) / static_cast<double>(lines.size());
    double worst = std::numeric_limits<double>::max();
    for (const auto& line : lines) {
      const std::vector<double> widths = widthsOf(node, line, lines.front().size(), width, gap);
      std::map<double, bool> seen;
      for (std::size_t i = 0; i < line.size(); ++i) {
        if (seen[line[i]->weight]) continue;
        seen[line[i]->weight] = true;
        worst = std::min(worst, score(*line[i], widths[i], rowHeight));
      }
      if (isUniform(node)) break;
    }
    return worst;
  }

  std::vector<double> widthsOf(const Node& node, const std::vector<const Node*>& line, std::size_t perRow,
                               double width, double gap) const {
    const double count = static_cast<double>(isUniform(node) ? perRow : line.size());
    double fixed = gap * (count - 1);
    if (isUniform(node)) return std::vector<double>(line.size(), (width - fixed) / count);
    double weights = 0;
    for (const Node* child : line) {
      fixed += fixedWidth(*child);
      weights += child->weight;
    }
    std::vector<double> widths;
    for (const Node* child : line) {
      widths.push_back(fixedWidth(*child) + (width - fixed) * child->weight / weights);
    }
    return widths;
  }

  /// What a box needs beside its cells when they stand in one row.
  double fixedWidth(const Node& child) const {
    const double cells = std::max(child.weight, 1.0);
    return (child.hasLanes ? 2 * m_laneSide : 0) + 2 * paddingOf(child) +
           (child.isFramed ? m_spacing.cellGap * (cells - 1) : 0);
  }

  Split bestLeafRows(std::size_t count, double width, double height, double gap) const {
    Split best;
    for (int rows = 1; rows <= static_cast<int>(count); ++rows) {
      const double columns = std::ceil(static_cast<double>(count) / rows);
      const double value =
          cellScore((width - gap * (columns - 1)) / columns, (height - gap * (rows - 1)) / rows);
      const double whole = value * fullness(count, rows);
      if (whole > best.score) best = {rows, whole};
    }
    return best;
  }

  /// A grid with holes in its last row reads badly.
  static double fullness(std::size_t count, int rows) {
    const double columns = std::ceil(static_cast<double>(count) / rows);
    return std::pow(static_cast<double>(count) / (columns * rows), 3);
  }

  Split bestRows(const Node& node, double width, double height) const {
    Split best;
    for (int rows = 1; rows <= static_cast<int>(node.children.size()); ++rows) {
      const double fill = isUniform(node) ? fullness(node.children.size(), rows) : 1;
      const double value = fill * scoreRows(node, width, height, rows);
      if (value > best.score) best = {rows, value};
    }
    return best;
  }

  double score(const Node& node, double width, double height) const {
    if (hasRoomForLanes(node, width, height)) {
      width -= 2 * m_laneSide;
      height -= m_laneTop + m_laneSide;
    } else if (node.hasLanes) {
      return kNoRoomForLanes * std::min(width, height);
    }
    const double padding = paddingOf(node);
    const double innerWidth = width - 2 * padding - axisOf(node);
    const double innerHeight =
        height - 2 * padding - headOf(node, width) + (headOf(node, width) > 0 ? padding : 0);
    if (innerWidth <= 0 || innerHeight <= 0) return 0;
    if (node.isTile) return std::min(innerWidth, innerHeight);
    const bool isLow = node.isFramed && (node.children.empty() || !node.children[0].isFramed);
    const bool hidesHead = m_detail == Detail::Threads && isLow && width < kHeadRoomPx * m_request.textScale;
    return (hidesHead ? kHiddenHead : 1) * cellsScore(node, innerWidth, innerHeight);
  }

  double cellsScore(const Node& node, double innerWidth, double innerHeight) const {
    if (node.leaves.empty()) return bestRows(node, innerWidth, innerHeight).score;
    return bestLeafRows(node.leaves.size(), innerWidth, innerHeight, gapOf(node)).score;
  }

  void place(const Node& node, const QRectF& room, int depth, int parent, bool inLanes = false) {
    int self = parent;
    const QRectF rect = hasRoomForLanes(node, room.width(), room.height())
                            ? room.adjusted(m_laneSide, m_laneTop, -m_laneSide, -m_laneSide)
                            : room;
    // A lower level of detail has smaller outlines, and is tried next.
    if (node.hasLanes && !hasRoomForLanes(node, room.width(), room.height())) m_geometry.cellPx = 0;
    QRectF inner = rect;
    if (node.isFramed) {
      BoxItem item;
      item.rect = rect;
      const double head = headOf(node, rect.width());
      if (head > 0) item.head = QRectF(rect.left(), rect.top(), rect.width(), head);
      // Outlines from row to row cross the heads of what is around the boxes: words stand clear of them.
      if (head > 0 && m_request.lanes > 0 && depth > 0 && !node.hasLanes && !inLanes) {
        const double inset = paddingOf(node) + 2 * m_laneSide;
        if (item.head.width() > 4 * inset) item.head.adjust(inset, 0, -inset, 0);
      }
      item.kind = QString::fromStdString(node.box->kind);
      item.label = QString::fromStdString(node.box->label);
      item.cpus = node.box->cpus;
      item.depth = depth;
      item.parent = parent;
      item.isTile = node.isTile;
      self = static_cast<int>(m_geometry.boxes.size());
      m_geometry.boxes.push_back(item);
      const double padding = paddingOf(node);
      inner = rect.adjusted(padding + axisOf(node), head > 0 ? head : padding, -padding, -padding);
    }
    if (node.isTile) {
      m_geometry.cellPx = std::min(m_geometry.cellPx, std::min(rect.width(), rect.height()));
    } else if (!node.leaves.empty()) {
      placeLeaves(node, inner, self);
    } else {
      placeChildren(node, inner, depth, self, inLanes || node.hasLanes);
    }
  }

  void placeChildren(const Node& node, const QRectF& inner, int depth, int self, bool inLanes) {
    const Split split = bestRows(node, inner.width(), inner.height());
    const auto lines = rowsOf(node, std::max(split.rows, 1));
    const double gap = gapOf(node);
    const double rowHeight =
        (inner.height() - gap * static_cast<double>(lines.size() - 1)) / static_cast<double>(lines.size());
    double y = inner.top();
    for (const auto& line : lines) {
      const std::vector<double> widths = widthsOf(node, line, lines.front().size(), inner.width(), gap);
      double x = inner.left();
      for (std::size_t i = 0; i < line.size(); ++i) {
        place(*line[i], QRectF(x, y, widths[i], rowHeight), depth + 1, self, inLanes);
        x += widths[i] + gap;
      }
      y += rowHeight + gap;
    }
  }

  void placeLeaves(const Node& node, const QRectF& inner, int self) {
    const double gap = gapOf(node);
    const Split split = bestLeafRows(node.leaves.size(), inner.width(), inner.height(), gap);
    const int rows = std::max(split.rows, 1);
    const int columns = static_cast<int>(std::ceil(static_cast<double>(node.leaves.size()) / rows));
    const double width = (inner.width() - gap * (columns - 1)) / columns;
    const double height = (inner.height() - gap * (rows - 1)) / rows;
    for (std::size_t i = 0; i < node.leaves.size(); ++i) {
      const auto found = m_position.find(node.leaves[i]);
      if (found == m_position.end()) continue;
      const int column = static_cast<int>(i) % columns;
      const int row = static_cast<int>(i) / columns;
      const QRectF rect(inner.left() + column * (width + gap), inner.top() + row * (height + gap), width,
                        height);
      m_geometry.cells.push_back({rect, found->second, self});
      m_geometry.cellPx = std::min(m_geometry.cellPx, std::min(width, height));
    }
  }

  const api::MachineLayout& m_layout;
  const GeometryRequest& m_request;
  Detail m_detail;
  Spacing m_spacing;
  double m_laneSide = 0, m_laneTop = 0;
  std::map<std::int32_t, std::int32_t> m_position;
  Node m_root;
  Geometry m_geometry;
};

}  // namespace

double minimumCellPx(Detail detail) {
  switch (detail) {
    case Detail::Tanks:
      return 80;
    case Detail::Chips:
      return 34;
    case Detail::Threads:
      return 12;
    case Detail::Heat:
      return 4;
    case Detail::Group:
      return 0;
  }
  return 0;
}

LaneMetrics laneMetrics(Detail detail, double textScale) {
  switch (detail) {
    case Detail::Tanks:
    case Detail::Chips:
      return {4, 2 + 7 * textScale, 5, 14 * textScale};
    case Detail::Threads:
      return {3.5, 2 + 7 * textScale, 4, 14 * textScale};
    case Detail::Heat:
      return {2.5, 1 + 6 * textScale, 3, 12 * textScale};
    case Detail::Group:
      return {2, 2, 2.5, 0};
  }
  return {};
}

Geometry computeGeometry(const api::MachineLayout& layout, const GeometryRequest& request) {
  if (layout.root.cpus.empty() || request.size.isEmpty()) return {};
  if (request.isPinned) return Layouter(layout, request, request.detail).run();
  for (const Detail detail : kDetailsDown) {
    Geometry geometry = Layouter(layout, request, detail).run();
    double least = minimumCellPx(detail) * request.textScale;
    // The level on show is kept until the cells are clearly too small for it, and not left for a higher one
    // before that fits clearly.
    if (detail <= request.detail) least *= 1 - kHysteresis;
    if (geometry.cellPx >= least) return geometry;
  }
  return Layouter(layout, request, Detail::Group).run();
}

int Geometry::cellAt(QPointF point) const {
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (cells[i].rect.contains(point)) return static_cast<int>(i);
  }
  return -1;
}

int Geometry::boxAt(QPointF point) const {
  for (std::size_t i = boxes.size(); i-- > 0;) {
    if (boxes[i].rect.contains(point)) return static_cast<int>(i);
  }
  return -1;
}

int Geometry::cellOf(std::int32_t position) const {
  const auto at = static_cast<std::size_t>(position);
  return position >= 0 && at < cellByPosition.size() ? cellByPosition[at] : -1;
}

int Geometry::neighbour(int cell, int dx, int dy) const {
  if (cell < 0 || cell >= static_cast<int>(cells.size())) return cells.empty() ? -1 : 0;
  const QPointF from = cells[static_cast<std::size_t>(cell)].rect.center();
  int best = -1;
  double bestCost = std::numeric_limits<double>::max();
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const QPointF way = cells[i].rect.center() - from;
    const double along = way.x() * dx + way.y() * dy;
    if (along <= 0.5) continue;
    const double aside = std::abs(way.x() * dy) + std::abs(way.y() * dx);
    const double cost = along + 3 * aside;
    if (cost < bestCost) {
      bestCost = cost;
      best = static_cast<int>(i);
    }
  }
  return best;
}

}  // namespace rqscope::machine
