// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFont>

namespace rqscope::look {

/// Base size of all text at 100 %, in px; the application font carries the user's scale.
constexpr double kBasePx = 12.5;
constexpr double kMonoPx = 11.5;
constexpr double kNotePx = 11;
constexpr double kSmallPx = 10.5;

enum class Weight { Regular, Bold };
/// What we say: the UI font at px (100 %).
QFont uiFont(double px = kBasePx, Weight weight = Weight::Regular);
/// What the kernel computes or names: the fixed font, without ligatures.
QFont monoFont(double px = kMonoPx, Weight weight = Weight::Regular);
/// How much text is scaled: 1 at 100 %.
double textScale();

}  // namespace rqscope::look
