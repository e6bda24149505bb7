// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "machine/arrows.h"

#include <QLineF>
#include <algorithm>
#include <cmath>

#include "look/fonts.h"
#include "look/painting.h"

namespace rqscope::machine {
namespace {

using look::Palette;
using look::qs;

constexpr int kFadeSteps = 8;
constexpr double kFadeFrom = 0.55;
constexpr double kHeadPx = 6;

const CellItem* cellOfCpu(const Geometry& geometry, const Scene& scene, std::int32_t cpu) {
  const int position = positionOf(*scene.frame->layout, cpu);
  const int cell = position < 0 ? -1 : geometry.cellOf(position);
  return cell < 0 ? nullptr : &geometry.cells[static_cast<std::size_t>(cell)];
}

void drawHead(QPainter& painter, const QPainterPath& path, const QColor& color) {
  const QPointF tip = path.currentPosition();
  const double angle = path.angleAtPercent(0.985) * M_PI / 180;
  const QPointF back(-std::cos(angle) * kHeadPx * 1.5, std::sin(angle) * kHeadPx * 1.5);
  const QPointF side(std::sin(angle) * kHeadPx * 0.7, std::cos(angle) * kHeadPx * 0.7);
  painter.setPen(Qt::NoPen);
  painter.setBrush(color);
  painter.drawPolygon(QPolygonF({tip, tip + back + side, tip + back - side}));
}

QPointF migrationPoint(const CellItem& cell, Detail detail) {
  if (detail == Detail::Tanks) return {cell.rect.center().x(), cell.rect.top() + cell.rect.height() * 0.3};
  return cell.rect.center();
}

/// The ghost's parts in the tank: what is within the limit and what is over it.
struct Ghost {
  QRectF whole, over;
};

Ghost ghostOf(const CellItem& cell, const Scene& scene, const Proposal& proposal,
              const api::TaskFrame& task) {
  const api::CpuFrame& cpu = scene.frame->cpus[static_cast<std::size_t>(cell.position)];
  double base = 0;
  const auto add = [&](std::int32_t index) {
    base += static_cast<double>(std::max<std::int64_t>(
        0, taskSignal(scene.frame->tasks[static_cast<std::size_t>(index)], scene.blocks)));
  };
  if (cpu.running >= 0) add(cpu.running);
  for (const std::int32_t index : cpu.queued) add(index);
  const double value =
      static_cast<double>(proposal.isCapacity ? proposal.value : taskSignal(task, scene.blocks));
  Ghost ghost;
  ghost.whole = tankPart(cell.rect, scene, base, base + value).adjusted(1, 0, -1, -1);
  const bool isOver =
      !proposal.isAllowed && proposal.isCapacity && proposal.limit >= 0 && proposal.value > proposal.limit;
  if (isOver) {
    ghost.over = tankPart(cell.rect, scene, base + static_cast<double>(proposal.limit), base + value)
                     .adjusted(1, 0, -1, 0);
  }
  return ghost;
}

void paintGhost(QPainter& painter, const Ghost& ghost, const Scene& scene, const Proposal& proposal,
                const api::TaskFrame& task) {
  const Palette& p = paletteOf(scene);
  const QColor color = look::taskColor(task.id, scene.theme);
  painter.setPen(Qt::NoPen);
  painter.setBrush(look::mix(color, p.canvas, scene.theme == look::Theme::Dark ? 0.24 : 0.45));
  painter.drawRect(ghost.whole);
  QRectF inner = ghost.whole;
  if (!ghost.over.isEmpty()) {
    painter.setBrush(look::mix(p.no, p.canvas, 0.35));
    painter.drawRect(ghost.over);
    painter.setPen(scene.theme == look::Theme::Dark ? p.text : p.no);
    painter.setFont(look::monoFont(look::kMonoPx));
    if (ghost.over.height() > 12 * look::textScale()) {
      look::drawElided(painter, ghost.over, Qt::AlignCenter,
                       QStringLiteral("%1 over").arg(proposal.value - proposal.limit));
    }
    inner.setTop(ghost.over.bottom());
  }
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(p.now, 1.8, Qt::DashLine));
  painter.drawRoundedRect(ghost.whole, 3, 3);
  painter.setPen(p.text);
  const double scale = look::textScale();
  const bool two = inner.height() > 36 * scale;
  if (inner.height() < 13 * scale) return;
  painter.setFont(look::uiFont(two ? 15 : look::kBasePx, look::Weight::Bold));
  const QRectF name = two ? inner.adjusted(2, 0, -2, -16 * scale) : inner;
  look::drawElided(painter, name, Qt::AlignCenter, qs(task.name));
  if (!two) return;
  painter.setFont(look::monoFont(look::kMonoPx));
  QString below =
      proposal.before.isEmpty() ? QString::number(taskSignal(task, scene.blocks)) : proposal.before;
  if (painter.fontMetrics().horizontalAdvance(below) > inner.width() - 4) below.remove(QLatin1Char(' '));
  look::drawElided(painter, inner.adjusted(2, 18 * scale, -2, 0), Qt::AlignCenter, below);
}

void paintComparison(QPainter& painter, QPointF bottomCenter, const QRectF& bounds, const Scene& scene,
                     const Proposal& proposal) {
  const Palette& p = paletteOf(scene);
  painter.setFont(look::monoFont(look::kMonoPx, look::Weight::Bold));
  const double width = painter.fontMetrics().horizontalAdvance(proposal.comparison) + 8;
  QRectF rect(bottomCenter.x() - width / 2, bottomCenter.y() - 17 * look::textScale(), width,
              16 * look::textScale());
  if (rect.right() > bounds.right()) rect.moveRight(bounds.right());
  if (rect.left() < bounds.left()) rect.moveLeft(bounds.left());
  painter.fillRect(rect, look::mix(p.window, p.canvas, 0.6));
  painter.setPen(proposal.isAllowed ? p.yes : p.no);
  painter.drawText(rect, Qt::AlignCenter, proposal.comparison);
}

}  // namespace

QPainterPath arrowPath(QPointF from, QPointF to) {
  QPainterPath path(from);
  const double reach = std::abs(to.x() - from.x());
  const double lift = std::clamp(reach * 0.16, 12.0, 60.0);
  const double top = std::min(from.y(), to.y()) - lift;
  path.cubicTo(QPointF(from.x() + (to.x() - from.x()) * 0.3, top),
               QPointF(to.x() - (to.x() - from.x()) * 0.05, top), to);
  return path;
}

double migrationOpacity(const api::Frame& frame, std::size_t index) {
  const auto tickNs = static_cast<std::int64_t>(1e9) / std::max(frame.layout->hz, 1);
  const std::int64_t ticks = (frame.timeNs - frame.recentMigrations[index].timeNs) / tickNs;
  const auto age = std::max(static_cast<double>(index), static_cast<double>(ticks));
  return age >= kFadeSteps ? 0 : kFadeFrom * (1.0 - age / kFadeSteps);
}

void paintMigrations(QPainter& painter, const Geometry& geometry, const Scene& scene) {
  const Palette& p = paletteOf(scene);
  for (std::size_t age = 0; age < scene.frame->recentMigrations.size(); ++age) {
    const double opacity = migrationOpacity(*scene.frame, age);
    if (opacity <= 0) break;  // the others are older still
    const api::MigrationFrame& migration = scene.frame->recentMigrations[age];
    const CellItem* from = cellOfCpu(geometry, scene, migration.from);
    const CellItem* to = cellOfCpu(geometry, scene, migration.to);
    if (from && to && from != to) {
      QColor color = age == 0 && migration.timeNs == scene.frame->timeNs ? p.now : p.text2;
      color.setAlphaF(static_cast<float>(opacity));
      const QPainterPath path =
          arrowPath(migrationPoint(*from, geometry.detail), migrationPoint(*to, geometry.detail));
      painter.setBrush(Qt::NoBrush);
      painter.setPen(QPen(color, 1.6));
      painter.drawPath(path);
      drawHead(painter, path, color);
    }
  }
}

void paintProposal(QPainter& painter, const Geometry& geometry, const Scene& scene,
                   const Proposal& proposal) {
  const Palette& p = paletteOf(scene);
  const CellItem* from = cellOfCpu(geometry, scene, proposal.from);
  const CellItem* to = cellOfCpu(geometry, scene, proposal.to);
  const api::TaskFrame* task = taskBySlot(*scene.frame, proposal.slot);
  if (!from || !to || !task || from == to) return;
  QPointF start = from->rect.center();
  QPointF end = to->rect.center();
  if (geometry.detail == Detail::Tanks) {
    const QRectF block = taskBlock(*from, scene, proposal.slot);
    const bool toRight = to->rect.center().x() > from->rect.center().x();
    start = block.isNull() ? from->rect.center()
                           : QPointF(toRight ? block.right() : block.left(), block.center().y());
    const Ghost ghost = ghostOf(*to, scene, proposal, *task);
    paintGhost(painter, ghost, scene, proposal, *task);
    // Above the ghost; without room there, so that the head of the CPU stays readable, inside it.
    const double line = 22 * look::textScale();
    QPointF bottom(ghost.whole.center().x(), ghost.whole.top() - 3);
    end = bottom - QPointF(0, line);
    const double roof = tankArea(to->rect).top();
    if (end.y() < roof + 4) {
      end.setY(roof + 8);
      bottom.setY(end.y() + line);
    }
    paintComparison(painter, bottom, QRectF(QPointF(0, 0), geometry.size), scene, proposal);
  } else if (geometry.detail >= Detail::Threads) {
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(p.now, 2, Qt::DashLine));
    painter.drawRect(to->rect);
  }
  const QPainterPath path = arrowPath(start, proposal.isAllowed ? end : end - QPointF(0, 4));
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(p.now, 1.8, Qt::DashLine));
  painter.drawPath(path);
  painter.setPen(Qt::NoPen);
  painter.setBrush(p.now);
  painter.drawEllipse(start, 3.5, 3.5);
  if (proposal.isAllowed) {
    drawHead(painter, path, p.now);
  } else {
    look::drawCross(painter, end, 5, p.no);
  }
}

void paintTravel(QPainter& painter, const Geometry& geometry, const Scene& scene, const Travel& travel) {
  const CellItem* from = cellOfCpu(geometry, scene, travel.from);
  const CellItem* to = cellOfCpu(geometry, scene, travel.to);
  const api::TaskFrame* task = taskBySlot(*scene.frame, travel.slot);
  if (!from || !to || !task || travel.progress >= 1) return;
  const QPainterPath path =
      arrowPath(migrationPoint(*from, geometry.detail), migrationPoint(*to, geometry.detail));
  const QPointF at = path.pointAtPercent(std::clamp(travel.progress, 0.0, 1.0));
  const double width = std::clamp(from->rect.width() * 0.7, 8.0, 70.0);
  const double height = std::clamp(from->rect.height() * 0.3, 6.0, 40.0);
  const QRectF block(at.x() - width / 2, at.y() - height / 2, width, height);
  look::drawTaskChip(painter, block, width > 16 ? qs(task->name) : QString(), task->id,
                     look::TaskForm::Running, scene.theme);
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(paletteOf(scene).now, 2));
  painter.drawRoundedRect(block, 3, 3);
}

}  // namespace rqscope::machine
