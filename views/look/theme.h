// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "look/palette.h"

class QApplication;

namespace rqscope::look {

/// Fusion, the theme's palette, the fonts and the style sheet for docks, tabs, tool bars and tables.
void applyTheme(QApplication& application, Theme theme);
/// Sets the text scale (0.8 to 2) and applies the theme again.
void setTextScale(QApplication& application, double scale, Theme theme);

}  // namespace rqscope::look
