// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QString>
#include <array>
#include <string_view>

class QPalette;
class QWidget;

namespace rqscope::look {

enum class Theme { Dark, Light };

/// Every colour by its role; the roles and values are those of the design's table.
struct Palette {
  Theme theme;
  QColor canvas, window, dock, head, raise, hover, line, line2, text, text2, text3, accent, selection;
  QColor now, nowText, nowGround, yes, no, runA, runB;
};

const Palette& palette(Theme theme);
/// The palette of the widget's own theme, read off its QPalette (so no state is kept here).
const Palette& colors(const QWidget* widget);
/// The Qt palette of a theme.
QPalette qtPalette(Theme theme);

constexpr int kGroupTypes = 8;
struct GroupTypeLook {
  QColor fill, label;
};
/// Colours of a group type ("has_spare"), by the kernel's order; grey when the name is unknown.
GroupTypeLook groupTypeLook(std::string_view groupType, Theme theme);
/// Kernel names in order, "has_spare" to "overloaded".
const std::array<std::string_view, kGroupTypes>& groupTypeNames();
/// Heat for a value of 0 to 1, linear between the stops of the theme.
QColor heat(double fraction, Theme theme);
/// Task colour by slot: A..H, then again.
QColor taskColor(int slot, Theme theme);
/// Text on a task's block.
QColor taskText();
/// a over b with the given share of a.
QColor mix(const QColor& a, const QColor& b, double share);

}  // namespace rqscope::look
