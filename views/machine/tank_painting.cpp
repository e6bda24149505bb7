// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "look/fonts.h"
#include "look/painting.h"
#include "machine/cell_painting.h"
#include "machine/readings.h"

namespace rqscope::machine {
namespace {

using look::Palette;
using look::qs;

constexpr double kHeadPx = 26, kFootPx = 24, kSidePx = 9;
constexpr double kStateLabelPx = 46;  ///< a block at least this tall says "running"
constexpr double kValuePx = 34;       ///< ... and this tall shows its value

double metricPx(double px) { return px * look::textScale(); }

look::TaskForm formOf(const api::TaskFrame& task, bool isRunning) {
  return isRunning ? look::TaskForm::Running : look::taskForm(task.state);
}

struct Block {
  const api::TaskFrame* task;
  QRectF rect;
  bool isRunning;
};

/// Blocks of one tank from the bottom: running first, then in the order they would be picked.
std::vector<Block> blocksOf(const CellItem& cell, const Scene& scene) {
  const api::Frame& frame = *scene.frame;
  const api::CpuFrame& cpu = frame.cpus[static_cast<std::size_t>(cell.position)];
  std::vector<std::int32_t> order;
  if (cpu.running >= 0) order.push_back(cpu.running);
  order.insert(order.end(), cpu.queued.begin(), cpu.queued.end());
  std::vector<Block> blocks;
  double at = 0;
  for (const std::int32_t index : order) {
    const api::TaskFrame& task = frame.tasks[static_cast<std::size_t>(index)];
    const double units = std::max<double>(0, static_cast<double>(taskSignal(task, scene.blocks)));
    blocks.push_back({&task, tankPart(cell.rect, scene, at, at + units), index == cpu.running});
    at += units;
  }
  return blocks;
}

void paintBlockText(QPainter& painter, const Block& block, const Scene& scene) {
  const Palette& p = paletteOf(scene);
  const QRectF& rect = block.rect;
  if (rect.height() < metricPx(11)) return;
  painter.setPen(block.isRunning ? look::taskText() : p.text);
  const bool hasState = rect.height() >= metricPx(kStateLabelPx) && rect.width() >= metricPx(56);
  const bool hasValue = rect.height() >= metricPx(kValuePx);
  if (hasState) {
    painter.setFont(look::uiFont(look::kNotePx));
    const QString state = block.isRunning ? QStringLiteral("running") : qs(block.task->state);
    painter.setPen(block.isRunning ? look::taskText() : p.text2);
    painter.drawText(rect.adjusted(7, 5, -4, 0), Qt::AlignLeft | Qt::AlignTop, state);
    painter.setPen(block.isRunning ? look::taskText() : p.text);
  }
  const bool isShort = block.task->name.size() <= 2;
  painter.setFont(look::uiFont(isShort && hasValue ? 17 : look::kBasePx, look::Weight::Bold));
  const double nameHeight = painter.fontMetrics().height();
  const double valueHeight = hasValue ? metricPx(15) : 0;
  double top = rect.center().y() - (nameHeight + valueHeight) / 2 + (hasState ? metricPx(4) : 0);
  look::drawElided(painter, QRectF(rect.left() + 3, top, rect.width() - 6, nameHeight), Qt::AlignCenter,
                   qs(block.task->name));
  if (!hasValue) return;
  top += nameHeight;
  painter.setFont(look::monoFont(look::kMonoPx));
  painter.drawText(QRectF(rect.left(), top, rect.width(), valueHeight), Qt::AlignCenter,
                   QString::number(taskSignal(*block.task, scene.blocks)));
}

void paintCard(QPainter& painter, const CellItem& cell, const Scene& scene) {
  const Palette& p = paletteOf(scene);
  const auto position = static_cast<std::size_t>(cell.position);
  const api::CpuFrame& cpu = scene.frame->cpus[position];
  const api::LayoutCpu& fixed = scene.frame->layout->cpus[position];
  const QColor own = ownGroupColor(scene, cell.position);
  QPen pen(own.isValid() ? own : p.line, own.isValid() ? 1.5 : 1);
  if (fixed.isolated) pen = QPen(p.line2, 1.4, Qt::DashLine);
  painter.setPen(pen);
  QColor fill = look::mix(p.window, p.canvas, 0.6);
  if (!scene.framesByType)
    fill = look::mix(look::heat(cpuFraction(*scene.frame, position, scene.tint), scene.theme), fill, 0.45);
  painter.setBrush(fill);
  painter.drawRoundedRect(cell.rect.adjusted(0.5, 0.5, -0.5, -0.5), 3, 3);
  if (cpu.id == scene.selectedCpu) {
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(p.accent, 2));
    painter.drawRoundedRect(cell.rect, 3, 3);
  }
}

void paintHeadAndFoot(QPainter& painter, const CellItem& cell, const Scene& scene) {
  const Palette& p = paletteOf(scene);
  const auto position = static_cast<std::size_t>(cell.position);
  const api::CpuFrame& cpu = scene.frame->cpus[position];
  const QRectF head = headArea(cell.rect);
  painter.setFont(look::uiFont(look::kBasePx, look::Weight::Bold));
  painter.setPen(cpu.online ? p.text : p.text3);
  const QString name = QStringLiteral("CPU %1").arg(cpu.id);
  painter.drawText(head, Qt::AlignLeft | Qt::AlignVCenter, name);
  const double used = painter.fontMetrics().horizontalAdvance(name) + 6;
  painter.setFont(look::monoFont(look::kMonoPx));
  painter.setPen(p.text3);
  const QString capacity = QString::number(cpu.capacity);
  if (head.width() - used >= painter.fontMetrics().horizontalAdvance(capacity)) {
    painter.drawText(head, Qt::AlignRight | Qt::AlignVCenter, capacity);
  }
  const QRectF foot(head.left(), cell.rect.bottom() - metricPx(kFootPx), head.width(), metricPx(kFootPx));
  painter.setFont(
      look::monoFont(look::kMonoPx, cpu.nrRunning > 1 ? look::Weight::Bold : look::Weight::Regular));
  painter.setPen(cpu.nrRunning > 1 ? p.text : p.text2);
  const QString count = QStringLiteral("nr %1").arg(cpu.nrRunning);
  painter.drawText(foot, Qt::AlignLeft | Qt::AlignVCenter, count);
  const double left = foot.width() - painter.fontMetrics().horizontalAdvance(count + QLatin1Char(' '));
  painter.setFont(look::monoFont(look::kMonoPx));
  painter.setPen(p.text3);
  const api::LayoutCpu& fixed = scene.frame->layout->cpus[position];
  QString note = cpu.isIdle ? QStringLiteral("idle") : QString();
  if (runsStopper(cpu)) note = QStringLiteral("stopper");
  if (cpu.isIdle && cpu.tickStopped && head.width() > metricPx(120)) note = QStringLiteral("idle, no tick");
  if (fixed.isolated) note = QStringLiteral("no domain");
  if (painter.fontMetrics().horizontalAdvance(note) <= left)
    painter.drawText(foot, Qt::AlignRight | Qt::AlignVCenter, note);
}

}  // namespace

QRectF headArea(const QRectF& card) {
  return QRectF(card.left() + kSidePx, card.top(), card.width() - 2 * kSidePx, metricPx(kHeadPx));
}

QRectF refusalMark(const QRectF& card) {
  constexpr double kRadiusPx = 3.5;
  return QRectF(card.right() - kRadiusPx - 1, card.top() - kRadiusPx + 1, 2 * kRadiusPx, 2 * kRadiusPx);
}

QRectF tankArea(const QRectF& card) {
  const double scale = look::textScale();
  return card.adjusted(kSidePx, kHeadPx * scale + 6, -kSidePx, -kFootPx * scale);
}

QRectF tankPart(const QRectF& card, const Scene& scene, double fromUnits, double toUnits) {
  const QRectF area = tankArea(card);
  const double perUnit = area.height() / scene.tankScale;
  const double top = std::max(area.top(), area.bottom() - toUnits * perUnit);
  const double bottom = std::max(area.top(), area.bottom() - fromUnits * perUnit);
  return QRectF(area.left(), top, area.width(), bottom - top);
}

QRectF taskBlock(const CellItem& cell, const Scene& scene, std::int32_t slot) {
  for (const Block& block : blocksOf(cell, scene)) {
    if (block.task->id == slot) return block.rect;
  }
  return {};
}

void paintTank(QPainter& painter, const CellItem& cell, const Scene& scene) {
  const Palette& p = paletteOf(scene);
  const api::CpuFrame& cpu = scene.frame->cpus[static_cast<std::size_t>(cell.position)];
  paintCard(painter, cell, scene);
  if (!cpu.online) {
    look::drawHatch(painter, cell.rect.adjusted(1, metricPx(kHeadPx), -1, -1), p.line2);
    painter.setPen(p.text3);
    painter.setFont(look::uiFont(look::kNotePx));
    painter.drawText(cell.rect, Qt::AlignCenter, QStringLiteral("offline"));
    return paintHeadAndFoot(painter, cell, scene);
  }
  const QRectF tank = tankPart(cell.rect, scene, 0, static_cast<double>(cpu.capacity));
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(cpu.isIdle ? p.line2 : p.line, 1, cpu.isIdle ? Qt::DashLine : Qt::SolidLine));
  painter.drawRoundedRect(tank.adjusted(0.5, 0.5, -0.5, -0.5), 3, 3);
  for (const Block& block : blocksOf(cell, scene)) {
    if (block.rect.height() < 1) continue;
    const QRectF shape = block.rect.adjusted(1, 0.5, -1, -0.5);
    look::drawTaskShape(painter, shape, look::taskColor(block.task->id, scene.theme),
                        formOf(*block.task, block.isRunning), scene.theme);
    if (block.task->id == scene.selectedTask) look::drawFocus(painter, shape, p);
    paintBlockText(painter, block, scene);
  }
  paintHeadAndFoot(painter, cell, scene);
}

void paintTankAxis(QPainter& painter, const Geometry& geometry, const Scene& scene) {
  if (geometry.cells.empty()) return;
  const Palette& p = paletteOf(scene);
  std::vector<std::int32_t> values = {0};
  for (const api::CpuFrame& cpu : scene.frame->cpus) {
    if (std::find(values.begin(), values.end(), cpu.capacityOrig) == values.end() && values.size() < 5) {
      values.push_back(static_cast<std::int32_t>(cpu.capacityOrig));
    }
  }
  const CellItem& first = geometry.cells.front();
  painter.setFont(look::monoFont(look::kMonoPx));
  std::vector<double> taken;
  for (const std::int32_t value : values) {
    const QRectF part = tankPart(first.rect, scene, 0, value);
    const double y = part.top();
    painter.setPen(QPen(p.line, 1, Qt::DotLine));
    for (const CellItem& cell : geometry.cells) {
      if (std::abs(cell.rect.top() - first.rect.top()) > 1) continue;
      painter.drawLine(QPointF(cell.rect.left() + 1, y), QPointF(cell.rect.right() - 1, y));
    }
    const bool clash = std::any_of(taken.begin(), taken.end(),
                                   [&](double other) { return std::abs(other - y) < metricPx(13); });
    if (clash) continue;
    taken.push_back(y);
    painter.setPen(p.text2);
    const double right =
        geometry.boxes.size() > 1 ? geometry.boxes[1].rect.left() - 6 : first.rect.left() - 6;
    painter.drawText(QRectF(right - 60, y - metricPx(8), 60, metricPx(16)), Qt::AlignRight | Qt::AlignVCenter,
                     QString::number(value));
  }
}

}  // namespace rqscope::machine
