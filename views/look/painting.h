// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPainter>
#include <QRectF>
#include <QString>
#include <string>
#include <string_view>

#include "look/palette.h"
#include "rqscope/ladder.h"

namespace rqscope::look {

inline QString qs(std::string_view text) {
  return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

/// Group-type pill: "O overloaded", or the letter alone. Returns its width.
enum class PillForm { Full, Letter };
double pillWidth(std::string_view groupType, PillForm form);
void drawPill(QPainter& painter, QPointF topLeft, std::string_view groupType, PillForm form, Theme theme);
constexpr double kPillHeight = 17;

enum class TaskForm { Running, Queued, Delayed, Throttled };
/// Form of a task by TaskFrame::state.
TaskForm taskForm(std::string_view state);
/// Block or chip of a task in its state, without text.
void drawTaskShape(QPainter& painter, const QRectF& rect, const QColor& color, TaskForm form, Theme theme);
/// Small named chip of a task. Returns its width.
double drawTaskChip(QPainter& painter, const QRectF& rect, const QString& name, int slot, TaskForm form,
                    Theme theme);
/// Diagonal hatch: offline, not run yet.
void drawHatch(QPainter& painter, const QRectF& rect, const QColor& color);
enum class DiamondForm { Hollow, Filled };
void drawDiamond(QPainter& painter, QPointF center, double radius, const QColor& color, DiamondForm form);
void drawTick(QPainter& painter, QPointF center, const QColor& color);
void drawCross(QPainter& painter, QPointF center, double radius, const QColor& color);
/// "exact" badge: filled square, open square or dashed ring before the word. Returns its width.
double drawFidelity(QPainter& painter, QPointF topRight, std::string_view fidelity, const Palette& palette);
/// Text cut with an ellipsis to the width.
void drawElided(QPainter& painter, const QRectF& rect, int flags, const QString& text);
QColor toneColor(api::Tone tone, const Palette& palette);
/// 2 px accent ring around a focused item.
void drawFocus(QPainter& painter, const QRectF& rect, const Palette& palette);

}  // namespace rqscope::look
