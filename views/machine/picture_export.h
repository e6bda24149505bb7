// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

class QWidget;

namespace rqscope::machine {

/// Writes what the widget shows by the ending of the file: .svg, .png or .pdf. Empty when done, else why not.
QString writePicture(QWidget& widget, const QString& file);

}  // namespace rqscope::machine
