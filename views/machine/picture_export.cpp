// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "machine/picture_export.h"

#include <QFileInfo>
#include <QImage>
#include <QPainter>
#include <QPdfWriter>
#include <QSvgGenerator>
#include <QWidget>

#include "look/palette.h"

namespace rqscope::machine {
namespace {

constexpr int kPngScale = 2;
constexpr int kPdfDpi = 96;

QString cannotWrite(const QString& file) { return QObject::tr("cannot write %1").arg(file); }

/// Paints the widget with its ground, as shapes and text where the device keeps them.
bool paint(QPaintDevice& device, QWidget& widget) {
  QPainter painter;
  if (!painter.begin(&device)) return false;
  painter.fillRect(widget.rect(), look::colors(&widget).canvas);
  widget.render(&painter, {}, {}, QWidget::DrawChildren);
  return painter.end();
}

}  // namespace

QString writePicture(QWidget& widget, const QString& file) {
  const QString ending = QFileInfo(file).suffix().toLower();
  const QSize size = widget.size();
  if (ending == QStringLiteral("png")) {
    QImage image(size * kPngScale, QImage::Format_RGB32);
    image.setDevicePixelRatio(kPngScale);
    return paint(image, widget) && image.save(file, "PNG") ? QString() : cannotWrite(file);
  }
  if (ending == QStringLiteral("svg")) {
    QSvgGenerator generator;
    generator.setFileName(file);
    generator.setSize(size);
    generator.setViewBox(QRect(QPoint(0, 0), size));
    generator.setTitle(QObject::tr("Machine"));
    return paint(generator, widget) ? QString() : cannotWrite(file);
  }
  if (ending == QStringLiteral("pdf")) {
    QPdfWriter writer(file);
    writer.setResolution(kPdfDpi);
    writer.setPageSize(
        QPageSize(QSizeF(size) * 72.0 / kPdfDpi, QPageSize::Point, QString(), QPageSize::ExactMatch));
    writer.setPageMargins(QMarginsF(0, 0, 0, 0));
    return paint(writer, widget) ? QString() : cannotWrite(file);
  }
  return QObject::tr("%1: a picture is written as .svg, .png or .pdf").arg(file);
}

}  // namespace rqscope::machine
