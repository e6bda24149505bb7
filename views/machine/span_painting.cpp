// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "machine/span_painting.h"

#include <algorithm>
#include <array>

#include "look/fonts.h"
#include "look/painting.h"
#include "look/words.h"

namespace rqscope::machine {
namespace {

using look::Palette;

constexpr double kLinePx = 1.6, kActivePx = 2.6;
constexpr double kMarkPx = 13;        ///< side of the mark of a balancing CPU
constexpr double kSmallMarkPx = 7;    ///< ... in cells too small for a number
constexpr double kNumberCellPx = 18;  ///< short side from which a mark has its number

const std::string& typeOf(const SpanItem& item, const Scene& scene) {
  static const std::string none;
  const auto at = static_cast<std::size_t>(item.group);
  return item.group >= 0 && at < scene.frame->groups.size() ? scene.frame->groups[at].type : none;
}

struct Ink {
  QColor line, label;
};

Ink inkOf(const SpanItem& item, const Scene& scene) {
  const Palette& p = paletteOf(scene);
  if (item.order == 0) return {p.text3, p.text2};
  if (!scene.framesByType) return {p.text2, p.canvas};
  const look::GroupTypeLook colors = look::groupTypeLook(typeOf(item, scene), scene.theme);
  return {colors.fill, colors.label};
}

/// Outlines differ by their dashes too, as two groups may have one type.
QPen penOf(const SpanItem& item, const Scene& scene, bool isActive) {
  QPen pen(inkOf(item, scene).line, isActive ? kActivePx : kLinePx);
  static const std::array<QList<qreal>, 4> dashes = {QList<qreal>{}, QList<qreal>{7, 3},
                                                     QList<qreal>{2.5, 2.5}, QList<qreal>{8, 2.5, 2, 2.5}};
  if (item.order == 0) {
    pen.setWidthF(1);
    pen.setDashPattern({2, 3});
  } else if (const auto& dash = dashes[static_cast<std::size_t>(item.order - 1) % dashes.size()];
             !dash.isEmpty()) {
    pen.setDashPattern(dash);
  }
  pen.setCapStyle(Qt::FlatCap);
  return pen;
}

void paintBadge(QPainter& painter, const SpanItem& item, const Scene& scene, bool isActive) {
  if (item.badge.isNull()) return;
  const Palette& p = paletteOf(scene);
  const Ink ink = inkOf(item, scene);
  painter.setBrush(ink.line);
  painter.setPen(isActive ? QPen(p.text, 1.6) : QPen(p.canvas, 1));
  painter.drawRoundedRect(item.badge, 3, 3);
  painter.setPen(ink.label);
  painter.setFont(look::uiFont(look::kSmallPx, look::Weight::Bold));
  const std::string& type = typeOf(item, scene);
  const QString letter =
      type.empty() ? QString() : QStringLiteral(" ") + QLatin1Char(look::groupTypeLetter(type));
  painter.drawText(item.badge, Qt::AlignCenter, QString::number(item.order) + letter);
}

const CellItem* cellOf(const Geometry& geometry, const Scene& scene, std::int32_t cpu) {
  const int cell = geometry.cellOf(positionOf(*scene.frame->layout, cpu));
  return cell < 0 ? nullptr : &geometry.cells[static_cast<std::size_t>(cell)];
}

/// A flag on the CPU that balances for the group; beside others when several groups share it.
void paintBalanceMark(QPainter& painter, const CellItem& cell, const SpanItem& item, const Scene& scene,
                      int beside, bool isActive) {
  const Palette& p = paletteOf(scene);
  const Ink ink = inkOf(item, scene);
  const double side = std::min(cell.rect.width(), cell.rect.height());
  if (side < minimumCellPx(Detail::Threads)) {
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(p.text, 1.4));
    painter.drawRect(cell.rect);
    return;
  }
  const bool hasNumber = side >= kNumberCellPx;
  const double size = (hasNumber ? kMarkPx : kSmallMarkPx) * look::textScale();
  // At the foot, where neither number nor name stands; beside the tank's head, whose foot has words.
  const bool isTank = scene.isTanks;
  const double x = isTank ? cell.rect.left() - 6 : cell.rect.right() - size - beside * (size + 2) + 3;
  const double y = isTank ? cell.rect.top() + 4 + beside * (size + 2) : cell.rect.bottom() - size + 4;
  const QRectF mark(x, y, size, size);
  painter.setBrush(ink.line);
  painter.setPen(QPen(isActive ? p.text : p.canvas, 1.2));
  painter.drawRoundedRect(mark, 2, 2);
  if (!hasNumber) return;
  painter.setPen(ink.label);
  painter.setFont(look::uiFont(look::kSmallPx, look::Weight::Bold));
  painter.drawText(mark, Qt::AlignCenter, QString::number(item.order));
}

/// A bar under every CPU of the balance mask.
void paintBalanceMask(QPainter& painter, const Geometry& geometry, const SpanItem& item, const Scene& scene) {
  for (const std::int32_t cpu : item.balanceMask) {
    const CellItem* cell = cellOf(geometry, scene, cpu);
    if (!cell) continue;
    const double height = cell->rect.height() < minimumCellPx(Detail::Threads) ? 1 : 3;
    painter.fillRect(QRectF(cell->rect.left(), cell->rect.bottom() - height, cell->rect.width(), height),
                     inkOf(item, scene).line);
  }
}

QPen lightPen(Role role, const Palette& p) {
  switch (role) {
    case Role::Domain:
      return QPen(p.now, 1, Qt::DashLine);
    case Role::Considered:
    case Role::Refused:
      return QPen(p.now, 1.3, Qt::DotLine);
    default:
      return QPen(p.now, 2.2);
  }
}

/// Tags of what is lit, by the rectangle they stand under: "local · dst" where both stand under one CPU.
class Tags {
 public:
  void add(const QRectF& rect, const QString& tag) {
    if (tag.isEmpty()) return;
    for (auto& [place, text] : m_tags) {
      const QPointF apart = place.center() - rect.center();
      if (std::abs(apart.x()) > 2 || std::abs(place.bottom() - rect.bottom()) > 2) continue;
      if (!text.split(kBetween).contains(tag)) text += kBetween + tag;
      return;
    }
    m_tags.emplace_back(rect, tag);
  }
  const std::vector<std::pair<QRectF, QString>>& all() const { return m_tags; }

 private:
  inline static const QString kBetween = QStringLiteral(" · ");
  std::vector<std::pair<QRectF, QString>> m_tags;
};

void paintTag(QPainter& painter, const QRectF& rect, const QString& tag, const Scene& scene) {
  const Palette& p = paletteOf(scene);
  painter.setFont(look::monoFont(look::kSmallPx, look::Weight::Bold));
  const double width = painter.fontMetrics().horizontalAdvance(tag) + 8;
  const double height = 14 * look::textScale();
  if (width > rect.width() + 6) return;
  const QRectF place(rect.center().x() - width / 2, rect.bottom() - height / 2 - 1, width, height);
  painter.setPen(QPen(p.now, 1));
  painter.setBrush(p.nowGround);
  painter.drawRoundedRect(place, 3, 3);
  painter.setPen(p.nowText);
  painter.drawText(place, Qt::AlignCenter, tag);
}

void paintLitCpu(QPainter& painter, const Geometry& geometry, const Scene& scene, const LitItem& item) {
  const Palette& p = paletteOf(scene);
  const CellItem& cell = geometry.cells[static_cast<std::size_t>(item.cell)];
  painter.setBrush(Qt::NoBrush);
  painter.setPen(lightPen(item.light.role, p));
  const double out = geometry.detail >= Detail::Chips ? 2 : 1;
  painter.drawRoundedRect(cell.rect.adjusted(-out, -out, out, out), 3, 3);
  if (geometry.detail < Detail::Chips || item.light.role != Role::Refused) return;
  const QRectF mark = refusalMark(cell.rect);
  painter.setPen(Qt::NoPen);
  painter.setBrush(p.canvas);  // the outline runs behind it
  painter.drawEllipse(mark.adjusted(-2, -2, 2, 2));
  look::drawCross(painter, mark.center(), mark.width() / 2, p.no);
}

void paintLitTask(QPainter& painter, const Geometry& geometry, const Scene& scene, const LitItem& item) {
  const CellItem& cell = geometry.cells[static_cast<std::size_t>(item.cell)];
  QRectF rect = cell.rect;
  if (geometry.detail == Detail::Tanks) {
    rect = taskBlock(cell, scene, item.light.subject.id);
    if (rect.height() < 2) return;
  }
  painter.setBrush(Qt::NoBrush);
  painter.setPen(lightPen(Role::Candidate, paletteOf(scene)));
  painter.drawRoundedRect(rect.adjusted(-1, -1, 1, 1), 3, 3);
}

}  // namespace

std::vector<LitItem> placeLights(const std::vector<Light>& lights, const api::Frame& frame,
                                 const Geometry& geometry) {
  std::vector<LitItem> out;
  const api::MachineLayout& layout = *frame.layout;
  for (const Light& light : lights) {
    LitItem item{light, {}, {}, -1};
    const auto at = static_cast<std::size_t>(light.subject.id);
    std::int32_t cpu = light.subject.id;
    switch (light.subject.kind) {
      case api::SubjectKind::Group:
      case api::SubjectKind::Domain: {
        const bool isGroup = light.subject.kind == api::SubjectKind::Group;
        if (at >= (isGroup ? layout.groups.size() : layout.domains.size())) continue;
        const auto rects =
            rectsOf(layout, geometry, isGroup ? layout.groups[at].cpus : layout.domains[at].span);
        if (rects.empty()) continue;
        item.hull = hullAround(rects, geometry, 2.5, 2.5);
        item.first = rects.front();
        break;
      }
      case api::SubjectKind::Task: {
        const api::TaskFrame* task = taskBySlot(frame, light.subject.id);
        if (!task) continue;
        cpu = task->cpu;
        [[fallthrough]];
      }
      case api::SubjectKind::Cpu:
        item.cell = geometry.cellOf(positionOf(layout, cpu));
        if (item.cell < 0) continue;
        break;
      case api::SubjectKind::None:
        continue;
    }
    out.push_back(std::move(item));
  }
  return out;
}

void paintSpans(QPainter& painter, const Scene& scene, const Spans& spans, int active, int hovered) {
  if (spans.isEmpty()) return;
  const Palette& p = paletteOf(scene);
  const int lit = hovered >= 0 ? hovered : active;
  // The lit one last, so that no other line crosses it.
  for (int pass = 0; pass < 2; ++pass) {
    for (std::size_t i = 0; i < spans.items.size(); ++i) {
      const SpanItem& item = spans.items[i];
      const bool isLit = static_cast<int>(i) == lit;
      if (!item.isDrawn() || isLit != (pass == 1) || (item.isBox && !isLit)) continue;
      painter.setPen(penOf(item, scene, isLit));
      painter.setBrush(Qt::NoBrush);
      if (isLit && item.order > 0) {
        QColor fill = inkOf(item, scene).line;
        fill.setAlphaF(scene.theme == look::Theme::Dark ? 0.16F : 0.12F);
        painter.setBrush(fill);
      }
      painter.drawPath(item.outline);
      if (item.links.empty()) continue;
      painter.setPen(QPen(item.order == 0 ? p.line2 : inkOf(item, scene).line, 1.2, Qt::DotLine));
      painter.drawLines(item.links.data(), static_cast<int>(item.links.size()));
    }
  }
}

QPainterPath spanLines(const Spans& spans) {
  QPainterPath lines;
  for (const SpanItem& item : spans.items)
    if (item.isDrawn()) lines.addPath(item.outline);
  return lines;
}

void paintSpanMarks(QPainter& painter, const Geometry& geometry, const Scene& scene, const Spans& spans,
                    int active, int hovered) {
  const int lit = hovered >= 0 ? hovered : active;
  if (lit >= 0 && lit < static_cast<int>(spans.items.size()))
    paintBalanceMask(painter, geometry, spans.items[static_cast<std::size_t>(lit)], scene);
  std::vector<std::int32_t> marked;
  for (std::size_t i = 0; i < spans.items.size(); ++i) {
    const SpanItem& item = spans.items[i];
    const bool isLit = static_cast<int>(i) == lit;
    if (item.order == 0) continue;
    if (item.isDrawn()) paintBadge(painter, item, scene, isLit);
    if (item.balanceMask.empty()) continue;
    const std::int32_t cpu = item.balanceMask.front();
    const CellItem* cell = cellOf(geometry, scene, cpu);
    if (!cell) continue;
    const auto beside = std::count(marked.begin(), marked.end(), cpu);
    paintBalanceMark(painter, *cell, item, scene, static_cast<int>(beside), isLit);
    marked.push_back(cpu);
  }
}

void paintLights(QPainter& painter, const Geometry& geometry, const Scene& scene,
                 const std::vector<LitItem>& lights) {
  const Palette& p = paletteOf(scene);
  Tags tags;
  for (const LitItem& item : lights) {
    switch (item.light.subject.kind) {
      case api::SubjectKind::Group:
      case api::SubjectKind::Domain:
        painter.setBrush(Qt::NoBrush);
        painter.setPen(lightPen(item.light.role, p));
        painter.drawPath(item.hull.outline);
        if (!item.hull.links.empty())
          painter.drawLines(item.hull.links.data(), static_cast<int>(item.hull.links.size()));
        if (geometry.detail >= Detail::Threads) tags.add(item.first, roleTag(item.light.role));
        break;
      case api::SubjectKind::Cpu:
        paintLitCpu(painter, geometry, scene, item);
        tags.add(geometry.cells[static_cast<std::size_t>(item.cell)].rect, roleTag(item.light.role));
        break;
      case api::SubjectKind::Task:
        paintLitTask(painter, geometry, scene, item);
        break;
      case api::SubjectKind::None:
        break;
    }
  }
  for (const auto& [rect, text] : tags.all()) paintTag(painter, rect, text, scene);
}

}  // namespace rqscope::machine
