// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "machine/picture_export.h"

#include <QPainter>
#include <QWidget>

#include "look/palette.h"
#include "look/picture_file.h"

namespace rqscope::machine {

/// Paints the widget with its ground, as shapes and text where the device keeps them.
QString writePicture(QWidget& widget, const QString& file) {
  const auto paint = [&](QPainter& painter) {
    painter.fillRect(widget.rect(), look::colors(&widget).canvas);
    widget.render(&painter, {}, {}, QWidget::DrawChildren);
  };
  return look::writePicture({widget.size(), QObject::tr("Machine"), paint}, file,
                            QObject::tr("a picture is written as .svg, .png or .pdf"));
}

}  // namespace rqscope::machine
