// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QIcon>
#include <QString>

namespace rqscope::look {

/// Icon of resources/icons in one colour. "pass-back" is drawn as the mirror of "pass" when it has no file.
QIcon icon(const QString& name, const QColor& color, const QColor& disabled);
/// The program's own icon.
QIcon programIcon();

}  // namespace rqscope::look
