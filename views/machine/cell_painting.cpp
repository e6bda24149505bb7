// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "machine/cell_painting.h"

#include <algorithm>
#include <array>

#include "look/fonts.h"
#include "look/painting.h"
#include "look/words.h"

namespace rqscope::machine {
namespace {

using look::Palette;
using look::qs;

constexpr double kLeastEdgedPx = 5;        ///< smaller cells have no edge of their own
constexpr std::size_t kSmallMachine = 16;  ///< up to this many CPUs boxes are titled by their domain

struct BoxText {
  QString title, mono;
  QString brief;  ///< instead of title and mono where both do not fit: what tells the box from its neighbours
  QStringList right;  ///< longest first
};

QStringList groupFigures(const api::Frame& frame, int group, std::size_t cpus) {
  const api::GroupFrame& g = frame.groups[static_cast<std::size_t>(group)];
  const char* const sign = g.nrRunning > static_cast<std::int32_t>(cpus)
                               ? ">"
                               : (g.nrRunning < static_cast<std::int32_t>(cpus) ? "<" : "=");
  const QString nr = QStringLiteral("nr %1 %2 %3").arg(g.nrRunning).arg(QLatin1String(sign)).arg(cpus);
  const std::int64_t spare = std::max<std::int64_t>(0, g.capacity - g.util);
  const QString brief = QStringLiteral("%1/%2").arg(g.nrRunning).arg(cpus);
  if (g.type != "has_spare") return {nr + QStringLiteral(" · util %1").arg(g.util), nr, brief};
  return {nr + QStringLiteral(" · %1 idle · spare %2").arg(g.idleCpus).arg(spare),
          nr + QStringLiteral(" · %1 idle").arg(g.idleCpus), QStringLiteral("spare %1").arg(spare), brief};
}

QStringList boxFigures(const api::Frame& frame, const BoxItem& box, const api::LayoutDomain* domain) {
  std::int64_t capacity = 0;
  std::int32_t running = 0;
  for (const std::int32_t id : box.cpus) {
    const int position = positionOf(*frame.layout, id);
    if (position < 0 || !frame.cpus[static_cast<std::size_t>(position)].online) continue;
    capacity += frame.cpus[static_cast<std::size_t>(position)].capacity;
    running += frame.cpus[static_cast<std::size_t>(position)].nrRunning;
  }
  const QString load = QStringLiteral("nr %1 of %2").arg(running).arg(box.cpus.size());
  if (!domain) return {load};
  const QString groups = QStringLiteral("%1 groups").arg(domain->groups.size());
  QString flags;
  for (const std::string& flag : domain->flags) {
    if (flag.starts_with("ASYM") || flag == "PREFER_SIBLING") flags = qs(flag);
  }
  const QString some = groups + QStringLiteral(" · capacity %1").arg(capacity);
  QStringList result = {groups + QStringLiteral(" · ") + load, groups, load};
  if (frame.layout->cpus.size() <= kSmallMachine) result = {some, groups};
  if (!flags.isEmpty() && frame.layout->cpus.size() <= kSmallMachine)
    result.prepend(some + QStringLiteral(" · ") + flags);
  return result;
}

/// Where a box stands in the geometry, and what the scene knows of it.
struct BoxKnown {
  const BoxItem& box;
  int group;
  const api::LayoutDomain* domain;
  QString domainName;
};

BoxText boxText(const Scene& scene, const BoxKnown& known) {
  const auto& [box, group, domain, domainName] = known;
  const api::Frame& frame = *scene.frame;
  BoxText text;
  const bool byDomain =
      domain && (frame.layout->cpus.size() <= kSmallMachine || box.depth <= 1 || box.label.isEmpty());
  text.title = byDomain ? domainName : (box.label.isEmpty() ? box.kind : box.label);
  const std::string list = look::cpuList(box.cpus);
  if (list.size() <= 28) text.mono = qs(list);
  text.brief = byDomain && !box.label.isEmpty() ? box.label : text.title;
  text.right = group >= 0 ? groupFigures(frame, group, box.cpus.size()) : boxFigures(frame, box, domain);
  if (!byDomain && group < 0 && box.depth == 0) text.right.prepend(qs(frame.layout->name));
  return text;
}

/// The title, or its number alone: "Package 3" or "3"; empty when neither fits.
QString fittingTitle(const QFontMetrics& metrics, const QString& title, double width) {
  if (metrics.horizontalAdvance(title) <= width) return title;
  const QString number = title.section(QLatin1Char(' '), -1);
  const bool isNumber = number != title && metrics.horizontalAdvance(number) <= width;
  return isNumber ? number : QString();
}

/// Text of a head; on a ground of its own where lines may pass behind it.
void drawHeadText(QPainter& painter, const QRectF& rect, Qt::Alignment align, const QString& text,
                  const QColor& ground) {
  if (ground.isValid()) {
    const QRectF place = painter.fontMetrics().boundingRect(text);
    QRectF behind(0, 0, painter.fontMetrics().horizontalAdvance(text), place.height());
    behind.moveCenter(rect.center());
    align.testFlag(Qt::AlignRight) ? behind.moveRight(rect.right()) : behind.moveLeft(rect.left());
    painter.fillRect(behind.adjusted(-3, 0, 3, 0), ground);
  }
  painter.drawText(rect, align, text);
}

/// The ground of a box.
QColor fillOf(const BoxItem& box, const Scene& scene, int group) {
  const Palette& p = paletteOf(scene);
  if (group < 0) return look::mix(p.window, p.canvas, box.depth % 2 == 0 ? 0.35 : 0.7);
  const std::string& type = scene.frame->groups[static_cast<std::size_t>(group)].type;
  return look::mix(look::groupTypeLook(type, scene.theme).fill, p.canvas, type == "overloaded" ? 0.10 : 0.06);
}

void paintHead(QPainter& painter, const Scene& scene, const BoxKnown& known, Detail detail,
               const QColor& ground = {}) {
  const Palette& p = paletteOf(scene);
  const BoxItem& box = known.box;
  const int group = known.group;
  const BoxText text = boxText(scene, known);
  const bool isLow = detail == Detail::Heat;
  QRectF head = box.head.adjusted(isLow ? 3 : 8, 0, isLow ? -3 : -8, 0);
  const std::string type =
      group >= 0 ? scene.frame->groups[static_cast<std::size_t>(group)].type : std::string();
  const double pillY = head.center().y() - look::kPillHeight / 2;
  if (detail == Detail::Threads && !type.empty()) {
    look::drawPill(painter, {head.left() - 3, pillY}, type, look::PillForm::Letter, scene.theme);
    head.setLeft(head.left() + 20);
  }
  painter.setFont(look::uiFont(isLow ? look::kSmallPx : look::kBasePx, look::Weight::Bold));
  painter.setPen(p.text);
  if (isLow && !type.empty()) {
    painter.drawText(head, Qt::AlignLeft | Qt::AlignVCenter,
                     QString(QLatin1Char(look::groupTypeLetter(type))));
    painter.setFont(look::monoFont(look::kSmallPx));
    painter.drawText(head, Qt::AlignRight | Qt::AlignVCenter,
                     QString::number(scene.frame->groups[static_cast<std::size_t>(group)].nrRunning));
    return;
  }
  const QFont monoFont = look::monoFont(isLow ? look::kSmallPx : look::kMonoPx);
  const double mono = QFontMetricsF(monoFont).horizontalAdvance(text.mono) + 8;
  const bool hasMono =
      !text.mono.isEmpty() && painter.fontMetrics().horizontalAdvance(text.title) + 5 + mono <= head.width();
  const QString title = fittingTitle(painter.fontMetrics(), hasMono ? text.title : text.brief, head.width());
  if (title.isEmpty()) return;
  drawHeadText(painter, head, Qt::AlignLeft | Qt::AlignVCenter, title, ground);
  head.setLeft(head.left() + painter.fontMetrics().horizontalAdvance(title) + 5);
  const bool hasPill = !type.empty() && detail >= Detail::Chips;
  const double fullPill = hasPill ? look::pillWidth(type, look::PillForm::Full) + 8 : 0;
  painter.setFont(monoFont);
  if (hasMono && mono + fullPill <= head.width()) {
    painter.setPen(p.text2);
    drawHeadText(painter, head, Qt::AlignLeft | Qt::AlignVCenter, text.mono, ground);
    head.setLeft(head.left() + mono);
  }
  if (hasPill) {
    const look::PillForm form = fullPill <= head.width() ? look::PillForm::Full : look::PillForm::Letter;
    look::drawPill(painter, {head.left(), pillY}, type, form, scene.theme);
    head.setLeft(head.left() + look::pillWidth(type, form) + 8);
  }
  painter.setFont(monoFont);
  painter.setPen(type == "overloaded" ? p.text : p.text2);
  for (const QString& right : text.right) {
    if (painter.fontMetrics().horizontalAdvance(right) > head.width()) continue;
    drawHeadText(painter, head, Qt::AlignRight | Qt::AlignVCenter, right, ground);
    break;
  }
}

void paintTile(QPainter& painter, const Scene& scene, const BoxItem& box, int group) {
  const std::string type =
      group >= 0 ? scene.frame->groups[static_cast<std::size_t>(group)].type : std::string();
  const look::GroupTypeLook colors = look::groupTypeLook(type, scene.theme);
  painter.setBrush(colors.fill);
  const double side = std::min(box.rect.width(), box.rect.height());
  const bool needsEdge = scene.theme == look::Theme::Light && side < 14;
  painter.setPen(needsEdge ? QPen(QColor(0x8A, 0x92, 0x9C), 1) : QPen(Qt::NoPen));
  painter.drawRoundedRect(box.rect, 2, 2);
  if (side < 14) return;
  painter.setPen(colors.label);
  painter.setFont(look::uiFont(look::kSmallPx, look::Weight::Bold));
  painter.drawText(box.rect, Qt::AlignCenter, QString(QLatin1Char(look::groupTypeLetter(type))));
}

void paintThread(QPainter& painter, const CellItem& cell, const Scene& scene, Detail detail) {
  const Palette& p = paletteOf(scene);
  const auto position = static_cast<std::size_t>(cell.position);
  const api::CpuFrame& cpu = scene.frame->cpus[position];
  const QRectF rect = cell.rect;
  if (!cpu.online) return look::drawHatch(painter, rect, p.line2);
  if (cpu.isIdle && detail == Detail::Threads) {
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(p.line2, 1, Qt::DotLine));
    painter.drawRect(rect.adjusted(0.5, 0.5, -0.5, -0.5));
  } else {
    const double fraction = cpuFraction(*scene.frame, position, scene.blocks);
    painter.fillRect(rect, look::heat(fraction, scene.theme));
    // An idle cell is nearly as dark, or as bright, as the ground: its edge shows it.
    if (cpu.isIdle && std::min(rect.width(), rect.height()) >= kLeastEdgedPx) {
      painter.setBrush(Qt::NoBrush);
      painter.setPen(QPen(p.line2, 1));
      painter.drawRect(rect.adjusted(0.5, 0.5, -0.5, -0.5));
    }
    if (cpu.nrRunning >= 2 && detail == Detail::Threads) {
      const QColor ground = look::heat(fraction, scene.theme);
      painter.setPen(ground.lightness() > 120 ? look::taskText() : QColor(Qt::white));
      painter.setFont(look::uiFont(look::kSmallPx, look::Weight::Bold));
      painter.drawText(rect, Qt::AlignCenter, QString::number(cpu.nrRunning));
    }
  }
  if (cpu.id == scene.selectedCpu) {
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(p.accent, 2));
    painter.drawRect(rect);
  }
}

void paintChips(QPainter& painter, const CellItem& cell, const Scene& scene) {
  const Palette& p = paletteOf(scene);
  const auto position = static_cast<std::size_t>(cell.position);
  const api::Frame& frame = *scene.frame;
  const api::CpuFrame& cpu = frame.cpus[position];
  const QColor own = ownGroupColor(scene, cell.position);
  const bool isSelected = cpu.id == scene.selectedCpu;
  painter.setPen(QPen(isSelected ? p.accent : (own.isValid() ? own : p.line),
                      isSelected ? 2 : (own.isValid() ? 1.5 : 1)));
  QColor fill = look::mix(p.window, p.canvas, 0.6);
  if (!scene.framesByType)
    fill = look::mix(look::heat(cpuFraction(frame, position, scene.tint), scene.theme), fill, 0.45);
  painter.setBrush(fill);
  painter.drawRoundedRect(cell.rect.adjusted(0.5, 0.5, -0.5, -0.5), 3, 3);
  if (!cpu.online) return look::drawHatch(painter, cell.rect, p.line2);
  const double line = 15 * look::textScale();
  QRectF inner = cell.rect.adjusted(4, 2, -4, -4);
  painter.setFont(look::uiFont(look::kNotePx, look::Weight::Bold));
  painter.setPen(p.text);
  painter.drawText(QRectF(inner.left(), inner.top(), inner.width(), line), Qt::AlignLeft | Qt::AlignVCenter,
                   QString::number(cpu.id));
  if (cpu.nrRunning >= 2)
    painter.drawText(QRectF(inner.left(), inner.top(), inner.width(), line),
                     Qt::AlignRight | Qt::AlignVCenter, QString::number(cpu.nrRunning));
  double y = inner.top() + line + 1;
  const auto chip = [&](std::int32_t index, look::TaskForm form) {
    if (y + line > inner.bottom() - 4) return;
    const api::TaskFrame& task = frame.tasks[static_cast<std::size_t>(index)];
    const bool hasMore = form != look::TaskForm::Running && cpu.queued.size() > 1;
    const double more = hasMore ? 18 : 0;
    look::drawTaskChip(painter, QRectF(inner.left(), y, inner.width() - more, line), qs(task.name), task.id,
                       form, scene.theme);
    if (hasMore) {
      painter.setPen(p.text2);
      painter.drawText(QRectF(inner.right() - more, y, more, line), Qt::AlignRight | Qt::AlignVCenter,
                       QStringLiteral("+%1").arg(cpu.queued.size() - 1));
    }
    y += line + 2;
  };
  if (cpu.running >= 0) chip(cpu.running, look::TaskForm::Running);
  if (!cpu.queued.empty()) {
    chip(cpu.queued.front(), look::taskForm(frame.tasks[static_cast<std::size_t>(cpu.queued.front())].state));
  }
  const double fraction = std::clamp(cpuFraction(frame, position, scene.blocks), 0.0, 1.0);
  painter.fillRect(QRectF(inner.left(), inner.bottom() - 3, inner.width(), 4), p.line);
  painter.fillRect(QRectF(inner.left(), inner.bottom() - 3, inner.width() * fraction, 4),
                   look::heat(fraction, scene.theme));
}

}  // namespace

QColor ownGroupColor(const Scene& scene, std::int32_t position) {
  const auto at = static_cast<std::size_t>(position);
  if (!scene.framesByType || !scene.cpuGroups || at >= scene.cpuGroups->size()) return {};
  const int group = (*scene.cpuGroups)[at];
  if (group < 0 || group >= static_cast<int>(scene.frame->groups.size())) return {};
  return look::groupTypeLook(scene.frame->groups[static_cast<std::size_t>(group)].type, scene.theme).fill;
}

look::Palette const& paletteOf(const Scene& scene) { return look::palette(scene.theme); }

void paintBoxes(QPainter& painter, const Geometry& geometry, const Scene& scene) {
  const Palette& p = paletteOf(scene);
  for (std::size_t i = 0; i < geometry.boxes.size(); ++i) {
    const BoxItem& box = geometry.boxes[i];
    const int group = scene.framesByType && scene.boxGroups ? (*scene.boxGroups)[i] : -1;
    const bool hasGroup = group >= 0 && group < static_cast<int>(scene.frame->groups.size());
    if (box.isTile) {
      paintTile(painter, scene, box, hasGroup ? group : -1);
      continue;
    }
    const std::string type =
        hasGroup ? scene.frame->groups[static_cast<std::size_t>(group)].type : std::string();
    const QColor frame = hasGroup ? look::groupTypeLook(type, scene.theme).fill : p.line2;
    painter.setPen(QPen(frame, hasGroup ? 1.5 : 1));
    painter.setBrush(fillOf(box, scene, hasGroup ? group : -1));
    // On the middle of a pixel, so that a thin line is not spread over two.
    const double inset = hasGroup ? 0.75 : 0.5;
    const QRectF edge = hasGroup ? box.rect : QRectF(box.rect.toAlignedRect());
    painter.drawRoundedRect(edge.adjusted(inset, inset, -inset, -inset), 4, 4);
    const api::LayoutDomain* domain = scene.boxDomains ? (*scene.boxDomains)[i] : nullptr;
    const QString name = domain && scene.boxNames ? (*scene.boxNames)[i] : QString();
    if (!box.head.isEmpty())
      paintHead(painter, scene, {box, hasGroup ? group : -1, domain, name}, geometry.detail);
  }
}

void paintHeadsOver(QPainter& painter, const Geometry& geometry, const Scene& scene,
                    const QPainterPath& lines) {
  if (lines.isEmpty()) return;
  QPainterPathStroker stroker;
  stroker.setWidth(2);
  const QPainterPath ink = stroker.createStroke(lines);
  for (std::size_t i = 0; i < geometry.boxes.size(); ++i) {
    const BoxItem& box = geometry.boxes[i];
    if (box.isTile || box.head.isEmpty() || !ink.intersects(box.head)) continue;
    const int group = scene.framesByType && scene.boxGroups ? (*scene.boxGroups)[i] : -1;
    const bool hasGroup = group >= 0 && group < static_cast<int>(scene.frame->groups.size());
    const api::LayoutDomain* domain = scene.boxDomains ? (*scene.boxDomains)[i] : nullptr;
    const QString name = domain && scene.boxNames ? (*scene.boxNames)[i] : QString();
    const int shown = hasGroup ? group : -1;
    paintHead(painter, scene, {box, shown, domain, name}, geometry.detail, fillOf(box, scene, shown));
  }
}

void paintCells(QPainter& painter, const Geometry& geometry, const Scene& scene, const QRectF& visible) {
  for (const CellItem& cell : geometry.cells) {
    if (!cell.rect.intersects(visible)) continue;
    if (geometry.detail == Detail::Tanks) {
      paintTank(painter, cell, scene);
    } else if (geometry.detail == Detail::Chips) {
      paintChips(painter, cell, scene);
    } else {
      paintThread(painter, cell, scene, geometry.detail);
    }
    if (cell.position == scene.focusedPosition)
      look::drawFocus(painter, cell.rect.adjusted(-2, -2, 2, 2), paletteOf(scene));
  }
}

}  // namespace rqscope::machine
