// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "machine/spans.h"

#include <QObject>
#include <algorithm>
#include <set>

#include "look/painting.h"
#include "look/words.h"

namespace rqscope::machine {
namespace {

/// Membership by CPU id.
class CpuSet {
 public:
  explicit CpuSet(const std::vector<std::int32_t>& cpus) {
    for (const std::int32_t cpu : cpus) {
      const auto at = static_cast<std::size_t>(cpu);
      if (at >= m_bits.size()) m_bits.resize(at + 1);
      m_bits[at] = true;
    }
  }
  bool has(std::int32_t cpu) const {
    const auto at = static_cast<std::size_t>(cpu);
    return at < m_bits.size() && m_bits[at];
  }
  std::size_t countOf(const std::vector<std::int32_t>& cpus) const {
    return static_cast<std::size_t>(
        std::count_if(cpus.begin(), cpus.end(), [this](std::int32_t cpu) { return has(cpu); }));
  }

 private:
  std::vector<bool> m_bits;
};

/// CPUs in any domain.
CpuSet balancedSet(const api::MachineLayout& layout) {
  std::vector<std::int32_t> cpus;
  for (const api::LayoutCpu& cpu : layout.cpus)
    if (!cpu.domains.empty()) cpus.push_back(cpu.id);
  return CpuSet(cpus);
}

/// Whether the CPUs are those of a box that are in a domain at all.
bool isBox(const api::MachineLayout& layout, const api::LayoutBox& box,
           const std::vector<std::int32_t>& cpus) {
  if (box.cpus.size() < cpus.size()) return false;
  if (box.cpus == cpus || balancedCpus(layout, box.cpus) == cpus) return true;
  return std::any_of(box.children.begin(), box.children.end(),
                     [&](const api::LayoutBox& child) { return isBox(layout, child, cpus); });
}

bool doOverlap(const api::MachineLayout& layout, const api::LayoutDomain& domain) {
  std::set<std::int32_t> seen;
  for (const std::int32_t group : domain.groups) {
    for (const std::int32_t cpu : layout.groups[static_cast<std::size_t>(group)].cpus)
      if (!seen.insert(cpu).second) return true;
  }
  return false;
}

/// Whether boxes alone do not show the groups of a domain.
bool needsSpans(const api::MachineLayout& layout, const api::LayoutDomain& domain) {
  if (domain.groups.size() < 2) return false;
  const auto cpusOf = [&](std::int32_t group) -> const std::vector<std::int32_t>& {
    return layout.groups[static_cast<std::size_t>(group)].cpus;
  };
  if (std::all_of(domain.groups.begin(), domain.groups.end(),
                  [&](std::int32_t group) { return cpusOf(group).size() < 2; }))
    return false;
  if (!isBox(layout, layout.root, domain.span) || doOverlap(layout, domain)) return true;
  return std::any_of(domain.groups.begin(), domain.groups.end(), [&](std::int32_t group) {
    return cpusOf(group).size() > 1 && !isBox(layout, layout.root, cpusOf(group));
  });
}

/// Boxes that every span holds as a whole or not at all, as few as possible.
void addParts(const api::LayoutBox& box, const std::vector<CpuSet>& sets, const CpuSet& balanced,
              Spans& spans) {
  const std::size_t all = balanced.countOf(box.cpus);
  const bool isWhole = std::all_of(sets.begin(), sets.end(), [&](const CpuSet& set) {
    const std::size_t count = set.countOf(box.cpus);
    return count == 0 || count == all;
  });
  if (isWhole) return spans.parts.push_back(box.cpus);
  for (const api::LayoutBox& child : box.children) addParts(child, sets, balanced, spans);
  if (!box.children.empty()) return;
  spans.hasCellParts = true;
  for (const std::int32_t cpu : box.cpus) spans.parts.push_back({cpu});
}

/// Whether the CPUs are a box with a frame of its own; the CPUs of one core stand in the box around it.
bool isFramedBox(const api::LayoutBox& box, const std::vector<std::int32_t>& cpus) {
  if (box.cpus.size() < cpus.size()) return false;
  if (box.cpus == cpus) return box.kind != "core" && cpus.size() > 1;
  return std::any_of(box.children.begin(), box.children.end(),
                     [&](const api::LayoutBox& child) { return isFramedBox(child, cpus); });
}

/// Sides of two rectangles that face each other along x (or y): the strip between them, or null.
QRectF stripBetween(const QRectF& a, const QRectF& b, bool isAlongX) {
  const QRectF& low = isAlongX ? (a.left() < b.left() ? a : b) : (a.top() < b.top() ? a : b);
  const QRectF& high = &low == &a ? b : a;
  if (isAlongX) {
    const double top = std::max(a.top(), b.top()), bottom = std::min(a.bottom(), b.bottom());
    if (high.left() < low.right() - 0.5 || bottom - top < std::min(a.height(), b.height()) / 2) return {};
    return QRectF(QPointF(low.right(), top), QPointF(high.left(), bottom));
  }
  const double left = std::max(a.left(), b.left()), right = std::min(a.right(), b.right());
  if (high.top() < low.bottom() - 0.5 || right - left < std::min(a.width(), b.width()) / 2) return {};
  return QRectF(QPointF(left, low.bottom()), QPointF(right, high.top()));
}

bool isFree(const QRectF& strip, const Geometry& geometry) {
  const QRectF inner = strip.adjusted(0.5, 0.5, -0.5, -0.5);
  return std::none_of(geometry.cells.begin(), geometry.cells.end(),
                      [&](const CellItem& cell) { return cell.rect.intersects(inner); }) &&
         std::none_of(geometry.boxes.begin(), geometry.boxes.end(),
                      [&](const BoxItem& box) { return box.isTile && box.rect.intersects(inner); });
}

class Components {
 public:
  explicit Components(std::size_t count) : m_parent(count) {
    for (std::size_t i = 0; i < count; ++i) m_parent[i] = i;
  }
  std::size_t find(std::size_t i) const {
    while (m_parent[i] != i) i = m_parent[i];
    return i;
  }
  void join(std::size_t a, std::size_t b) { m_parent[find(a)] = find(b); }

 private:
  std::vector<std::size_t> m_parent;
};

/// From edge to edge of two rectangles.
QLineF linkBetween(const QRectF& a, const QRectF& b) {
  const QPointF from(std::clamp(b.center().x(), a.left(), a.right()),
                     std::clamp(b.center().y(), a.top(), a.bottom()));
  const QPointF to(std::clamp(from.x(), b.left(), b.right()), std::clamp(from.y(), b.top(), b.bottom()));
  return {from, to};
}

/// Parts that touch nothing yet are tied to the nearest, until all hang together.
void linkComponents(const std::vector<QRectF>& rects, Components& components, std::vector<QLineF>& links) {
  while (true) {
    QLineF best;
    std::size_t from = 0, to = 0;
    for (std::size_t i = 0; i < rects.size(); ++i)
      for (std::size_t j = i + 1; j < rects.size(); ++j) {
        if (components.find(i) == components.find(j)) continue;
        const QLineF line = linkBetween(rects[i], rects[j]);
        if (from != to && line.length() >= best.length()) continue;
        best = line;
        from = i;
        to = j;
      }
    if (from == to) return;
    links.push_back(best);
    components.join(from, to);
  }
}

/// Without the holes that hold no CPU: what is left between four parts that all belong to the group.
QPainterPath withoutEmptyHoles(const QPainterPath& path, const Geometry& geometry) {
  const QList<QPolygonF> rings = path.toSubpathPolygons();
  QPainterPath out;
  for (const QPolygonF& ring : rings) {
    const QRectF bounds = ring.boundingRect();
    const bool isHole = std::any_of(rings.begin(), rings.end(), [&](const QPolygonF& outer) {
      return &outer != &ring && outer.boundingRect().contains(bounds) &&
             outer.containsPoint(bounds.center(), Qt::OddEvenFill);
    });
    const bool hasCpu = std::any_of(geometry.cells.begin(), geometry.cells.end(),
                                    [&](const CellItem& cell) {
                                      return ring.containsPoint(cell.rect.center(), Qt::OddEvenFill);
                                    }) ||
                        std::any_of(geometry.boxes.begin(), geometry.boxes.end(), [&](const BoxItem& box) {
                          return box.isTile && ring.containsPoint(box.rect.center(), Qt::OddEvenFill);
                        });
    if (!isHole || hasCpu) out.addPolygon(ring);
  }
  return out;
}

/// Beyond this many parts joining them says nothing and costs much: each keeps an outline of its own.
constexpr std::size_t kMostJoined = 64;
constexpr double kHitPx = 7, kBoxOutlinePx = 1.5;
constexpr double kBadgeGapPx = 4, kBadgeWidthPx = 30;

}  // namespace

Spans spansOf(const api::MachineLayout& layout, std::int32_t domain, std::int32_t active) {
  Spans spans;
  if (domain < 0 || static_cast<std::size_t>(domain) >= layout.domains.size()) return spans;
  const api::LayoutDomain& which = layout.domains[static_cast<std::size_t>(domain)];
  if (!needsSpans(layout, which)) return spans;
  spans.domain = domain;
  int order = 0;
  for (const std::int32_t group : which.groups) {
    const api::LayoutGroup& from = layout.groups[static_cast<std::size_t>(group)];
    spans.items.push_back({group,
                           ++order,
                           from.cpus,
                           from.balanceMask,
                           -1,
                           isFramedBox(layout.root, from.cpus),
                           {},
                           {},
                           {},
                           {}});
  }
  const bool isWholeMachine = which.span == balancedCpus(layout, layout.root.cpus);
  if (!isWholeMachine) spans.items.push_back({-1, 0, which.span, {}, -1, false, {}, {}, {}, {}});
  const auto outlines =
      std::count_if(spans.items.begin(), spans.items.end(), [](const SpanItem& item) { return !item.isBox; });
  const bool isMany = outlines > kMostLanes;
  for (SpanItem& item : spans.items) {
    if (item.isBox) continue;
    if (!isMany || item.order <= 1 || item.group == active) item.lane = spans.lanes++;
  }
  std::vector<CpuSet> sets;
  for (const SpanItem& item : spans.items) sets.emplace_back(item.cpus);
  addParts(layout.root, sets, balancedSet(layout), spans);
  return spans;
}

std::vector<QRectF> rectsOf(const api::MachineLayout& layout, const Geometry& geometry,
                            const std::vector<std::int32_t>& cpus) {
  const CpuSet set(cpus), balanced = balancedSet(layout);
  std::vector<QRectF> rects;
  std::vector<bool> isCovered(geometry.boxes.size());
  for (std::size_t i = 0; i < geometry.boxes.size(); ++i) {
    const BoxItem& box = geometry.boxes[i];
    const bool isInside = box.parent >= 0 && isCovered[static_cast<std::size_t>(box.parent)];
    const std::size_t count = isInside ? 0 : set.countOf(box.cpus);
    const bool isWhole = count == box.cpus.size() || count == balanced.countOf(box.cpus);
    isCovered[i] = isInside || (count > 0 && isWhole);
    const bool isPartTile = box.isTile && !isCovered[i] && count > 0;
    if ((isCovered[i] && !isInside) || isPartTile) rects.push_back(box.rect);
  }
  for (const CellItem& cell : geometry.cells) {
    const bool isInside = cell.box >= 0 && isCovered[static_cast<std::size_t>(cell.box)];
    if (!isInside && set.has(layout.cpus[static_cast<std::size_t>(cell.position)].id))
      rects.push_back(cell.rect);
  }
  return rects;
}

Hull hullAround(const std::vector<QRectF>& rects, const Geometry& geometry, double side, double top) {
  Hull hull;
  std::vector<QRectF> wide;
  for (const QRectF& rect : rects) wide.push_back(rect.adjusted(-side, -top, side, side));
  for (const QRectF& rect : wide) hull.outline.addRoundedRect(rect, 4, 4);
  if (rects.size() > kMostJoined) return hull;
  Components components(rects.size());
  hull.outline.setFillRule(Qt::WindingFill);
  for (std::size_t i = 0; i < rects.size(); ++i) {
    for (std::size_t j = i + 1; j < rects.size(); ++j) {
      for (const bool isAlongX : {true, false}) {
        const QRectF strip = stripBetween(rects[i], rects[j], isAlongX);
        if (strip.isNull() || !isFree(strip, geometry)) continue;
        components.join(i, j);
        hull.outline.addRect(isAlongX ? strip.adjusted(-4, -top, 4, side)
                                      : strip.adjusted(-side, -4, side, 4));
      }
    }
  }
  hull.outline = withoutEmptyHoles(hull.outline.simplified(), geometry);
  linkComponents(wide, components, hull.links);
  return hull;
}

void placeSpans(Spans& spans, const api::MachineLayout& layout, const Geometry& geometry, double textScale) {
  const LaneMetrics metrics = laneMetrics(geometry.detail, textScale);
  std::vector<QRectF> badges;
  for (SpanItem& item : spans.items) {
    if (!item.isDrawn()) continue;
    const CpuSet set(item.cpus);
    std::vector<QRectF> rects;
    for (const auto& part : spans.parts) {
      if (set.countOf(part) == 0) continue;
      const std::vector<QRectF> own = rectsOf(layout, geometry, part);
      rects.insert(rects.end(), own.begin(), own.end());
    }
    const int lane = std::max(item.lane, 0);
    const double side = item.isBox ? kBoxOutlinePx : metrics.side + lane * metrics.pitch;
    const double top = item.isBox ? kBoxOutlinePx : metrics.top + lane * metrics.pitch;
    const double badgeTop = metrics.top + lane * metrics.pitch;
    Hull hull = hullAround(rects, geometry, side, top);
    item.outline = std::move(hull.outline);
    item.links = std::move(hull.links);
    QPainterPathStroker stroker;
    stroker.setWidth(std::min(kHitPx, metrics.pitch + 1));
    QPainterPath lines = item.outline;
    for (const QLineF& line : item.links) {
      lines.moveTo(line.p1());
      lines.lineTo(line.p2());
    }
    item.hit = stroker.createStroke(lines);
    item.badge = {};
    if (metrics.badge <= 0 || item.order == 0) continue;
    const double width = kBadgeWidthPx * textScale;
    for (const QRectF& rect : rects) {
      QRectF badge(rect.left() + 6, rect.top() - badgeTop - metrics.badge / 2, width, metrics.badge);
      const auto clash = [&](const QRectF& other) {
        return other.adjusted(-kBadgeGapPx, -kBadgeGapPx, kBadgeGapPx, kBadgeGapPx).intersects(badge);
      };
      while (std::any_of(badges.begin(), badges.end(), clash)) badge.translate(kBadgeGapPx, 0);
      if (badge.right() > rect.right()) continue;
      item.badge = badge;
      badges.push_back(badge);
      break;
    }
  }
}

QString spanSentence(const api::MachineLayout& layout, const Spans& spans, const SpanItem& item) {
  const api::LayoutDomain& domain = layout.domains[static_cast<std::size_t>(spans.domain)];
  const QString where = QStringLiteral("%1 of CPU %2").arg(look::qs(domain.name)).arg(domain.cpu);
  if (item.order == 0) return QObject::tr("%1 spans %2").arg(where, look::qs(look::cpuList(item.cpus)));
  QString text = QObject::tr("Group %1 of %2 of %3%4: %5")
                     .arg(item.order)
                     .arg(domain.groups.size())
                     .arg(where, item.order == 1 ? QObject::tr(", the local one") : QString(),
                          look::qs(look::cpuList(item.cpus)));
  if (!item.balanceMask.empty())
    text += QObject::tr("\nbalance mask %1: CPU %2 balances for it")
                .arg(look::qs(look::cpuList(item.balanceMask)))
                .arg(item.balanceMask.front());
  for (const SpanItem& other : spans.items) {
    if (other.order == 0 || other.order == item.order) continue;
    std::vector<std::int32_t> both;
    std::set_intersection(item.cpus.begin(), item.cpus.end(), other.cpus.begin(), other.cpus.end(),
                          std::back_inserter(both));
    if (both.empty()) continue;
    text += QObject::tr("\nshares %1 with group %2").arg(look::qs(look::cpuList(both))).arg(other.order);
  }
  return text;
}

}  // namespace rqscope::machine
