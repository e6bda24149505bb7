// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "look/painting.h"

#include <QFontMetricsF>
#include <QPainterPath>
#include <cmath>

#include "look/fonts.h"
#include "look/words.h"

namespace rqscope::look {
namespace {

constexpr double kRadius = 3;
constexpr double kPillPadding = 5;
constexpr double kHatchStep = 8;
constexpr double kStripeStep = 5;
constexpr double kPauseFromPx = 20;  ///< height from which a throttled block has a pause sign

QString letterOf(std::string_view groupType) { return QString(QLatin1Char(groupTypeLetter(groupType))); }

}  // namespace

double pillWidth(std::string_view groupType, PillForm form) {
  if (form == PillForm::Letter) return 18;
  const double letter = QFontMetricsF(uiFont(kSmallPx, Weight::Bold)).horizontalAdvance(letterOf(groupType));
  const double name = QFontMetricsF(monoFont(kMonoPx)).horizontalAdvance(qs(groupType));
  return 2 * kPillPadding + letter + 5 + name;
}

void drawPill(QPainter& painter, QPointF topLeft, std::string_view groupType, PillForm form, Theme theme) {
  const GroupTypeLook colors = groupTypeLook(groupType, theme);
  const QRectF rect(topLeft, QSizeF(pillWidth(groupType, form), kPillHeight));
  painter.setPen(Qt::NoPen);
  painter.setBrush(colors.fill);
  painter.drawRoundedRect(rect, kRadius, kRadius);
  painter.setPen(colors.label);
  painter.setFont(uiFont(kSmallPx, Weight::Bold));
  if (form == PillForm::Letter) {
    painter.drawText(rect, Qt::AlignCenter, letterOf(groupType));
    return;
  }
  const QRectF inner = rect.adjusted(kPillPadding, 0, -kPillPadding, 0);
  painter.drawText(inner, Qt::AlignLeft | Qt::AlignVCenter, letterOf(groupType));
  painter.setFont(monoFont(kMonoPx));
  painter.drawText(inner, Qt::AlignRight | Qt::AlignVCenter, qs(groupType));
}

TaskForm taskForm(std::string_view state) {
  if (state == "running") return TaskForm::Running;
  if (state == "delayed") return TaskForm::Delayed;
  return state == "throttled" ? TaskForm::Throttled : TaskForm::Queued;
}

void drawTaskShape(QPainter& painter, const QRectF& rect, const QColor& color, TaskForm form, Theme theme) {
  const Palette& p = palette(theme);
  const double radius = std::min(kRadius, rect.height() / 3);
  if (form == TaskForm::Running) {
    painter.setPen(QPen(mix(color, p.canvas, 0.75), 1));
    painter.setBrush(color);
    painter.drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), radius, radius);
    return;
  }
  painter.setBrush(mix(color, p.canvas, theme == Theme::Dark ? 0.22 : 0.45));
  QPen pen(theme == Theme::Dark ? color : mix(color, QColor(Qt::black), 0.65), 1.6);
  if (form == TaskForm::Delayed) pen.setStyle(Qt::DotLine);
  painter.setPen(pen);
  const QRectF edge = rect.adjusted(0.8, 0.8, -0.8, -0.8);
  painter.drawRoundedRect(edge, radius, radius);
  if (form != TaskForm::Throttled) return;
  painter.setPen(QPen(color, 1));
  for (double y = edge.top() + kStripeStep; y < edge.bottom(); y += kStripeStep) {
    painter.drawLine(QPointF(edge.left(), y), QPointF(edge.right(), y));
  }
  if (edge.height() < kPauseFromPx || edge.width() < 2 * kPauseFromPx) return;
  for (const double x : {0.0, 5.0})  // a pause sign
    painter.fillRect(QRectF(edge.right() - 14 + x, edge.top() + 6, 3, 9), p.text);
}

double drawTaskChip(QPainter& painter, const QRectF& rect, const QString& name, int slot, TaskForm form,
                    Theme theme) {
  const Palette& p = palette(theme);
  drawTaskShape(painter, rect, taskColor(slot, theme), form, theme);
  painter.setFont(uiFont(kSmallPx, form == TaskForm::Running ? Weight::Bold : Weight::Regular));
  QColor text = form == TaskForm::Running ? taskText() : p.text;
  if (form == TaskForm::Delayed) text = p.text3;
  painter.setPen(text);
  // Names of many tasks differ at their end: "periodic-118".
  const QRectF inside = rect.adjusted(3, 0, -3, 0);
  const QString cut =
      painter.fontMetrics().elidedText(name, Qt::ElideMiddle, static_cast<int>(inside.width()) + 1);
  painter.drawText(inside, Qt::AlignCenter | Qt::TextSingleLine, cut);
  return rect.width();
}

void drawHatch(QPainter& painter, const QRectF& rect, const QColor& color) {
  painter.save();
  painter.setClipRect(rect, Qt::IntersectClip);
  painter.setPen(QPen(color, 1));
  // Lines start on multiples of the step, so that the pattern stands still while the view scrolls.
  const double first = std::floor(rect.left() / kHatchStep) * kHatchStep;
  for (double x = first; x < rect.right() + rect.height(); x += kHatchStep) {
    painter.drawLine(QPointF(x, rect.top()), QPointF(x - rect.height(), rect.bottom()));
  }
  painter.restore();
}

void drawDiamond(QPainter& painter, QPointF center, double radius, const QColor& color, DiamondForm form) {
  const QPolygonF shape({center + QPointF(0, -radius), center + QPointF(radius, 0),
                         center + QPointF(0, radius), center + QPointF(-radius, 0)});
  painter.setPen(QPen(color, 1.3));
  if (form == DiamondForm::Filled) painter.setBrush(color);
  painter.drawPolygon(shape);
}

void drawTick(QPainter& painter, QPointF center, const QColor& color) {
  QPen pen(color, 1.6, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin);
  painter.setPen(pen);
  const QPointF points[] = {center + QPointF(-4, 0.5), center + QPointF(-1.3, 3.2), center + QPointF(4, -3)};
  painter.setBrush(Qt::NoBrush);
  painter.drawPolyline(points, 3);
}

void drawCross(QPainter& painter, QPointF center, double radius, const QColor& color) {
  painter.setPen(QPen(color, 1.6, Qt::SolidLine, Qt::RoundCap));
  painter.drawLine(center + QPointF(-radius, -radius), center + QPointF(radius, radius));
  painter.drawLine(center + QPointF(-radius, radius), center + QPointF(radius, -radius));
}

double drawFidelity(QPainter& painter, QPointF topRight, std::string_view fidelity, const Palette& p) {
  const QFont font = uiFont(kNotePx);
  const double width = QFontMetricsF(font).horizontalAdvance(qs(fidelity)) + 27;
  const QRectF rect(topRight.x() - width, topRight.y(), width, 17);
  painter.setPen(QPen(p.line2, 1));
  painter.setBrush(Qt::NoBrush);
  painter.drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), 8, 8);
  const QRectF sign(rect.left() + 8, rect.center().y() - 3.5, 7, 7);
  painter.setPen(QPen(p.text2, 1.4, fidelity == "modelled" ? Qt::DotLine : Qt::SolidLine));
  painter.setBrush(fidelity == "exact" ? QBrush(p.text2) : QBrush(Qt::NoBrush));
  if (fidelity == "modelled") {
    painter.drawEllipse(sign);
  } else {
    painter.drawRect(sign);
  }
  painter.setPen(p.text2);
  painter.setFont(font);
  painter.drawText(rect.adjusted(19, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter, qs(fidelity));
  return width;
}

void drawElided(QPainter& painter, const QRectF& rect, int flags, const QString& text) {
  if (rect.width() <= 0) return;
  const QString cut =
      painter.fontMetrics().elidedText(text, Qt::ElideRight, static_cast<int>(rect.width()) + 1);
  painter.drawText(rect, flags | Qt::TextSingleLine, cut);
}

QColor toneColor(api::Tone tone, const Palette& p) {
  if (tone == api::Tone::Yes) return p.yes;
  return tone == api::Tone::No ? p.no : p.text;
}

void drawFocus(QPainter& painter, const QRectF& rect, const Palette& p) {
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(p.accent, 2));
  painter.drawRoundedRect(rect, kRadius, kRadius);
}

}  // namespace rqscope::look
