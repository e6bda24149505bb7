// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "look/icons.h"

#include <QFile>
#include <QPainter>
#include <QPixmap>
#include <QSvgRenderer>

static void initIconResource() { Q_INIT_RESOURCE(icons); }

namespace rqscope::look {
namespace {

constexpr int kIconPx = 16;

QByteArray readIcon(const QString& name) {
  QFile file(QStringLiteral(":/icons/%1.svg").arg(name));
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

QPixmap drawn(QByteArray svg, const QColor& color, bool mirrored, int scale) {
  svg.replace("currentColor", color.name().toLatin1());
  QSvgRenderer renderer(svg);
  QPixmap pixmap(kIconPx * scale, kIconPx * scale);
  pixmap.fill(Qt::transparent);
  QPainter painter(&pixmap);
  if (mirrored) {
    painter.translate(pixmap.width(), 0);
    painter.scale(-1, 1);
  }
  renderer.render(&painter, QRectF(QPointF(0, 0), QSizeF(pixmap.size())));
  painter.end();
  pixmap.setDevicePixelRatio(scale);
  return pixmap;
}

}  // namespace

QIcon icon(const QString& name, const QColor& color, const QColor& disabled) {
  initIconResource();
  QByteArray svg = readIcon(name);
  bool mirrored = false;
  if (svg.isEmpty() && name.endsWith(QStringLiteral("-back"))) {
    svg = readIcon(name.chopped(5));
    mirrored = true;
  }
  QIcon result;
  for (const int scale : {1, 2, 3}) {
    result.addPixmap(drawn(svg, color, mirrored, scale), QIcon::Normal);
    result.addPixmap(drawn(svg, disabled, mirrored, scale), QIcon::Disabled);
  }
  return result;
}

QIcon programIcon() {
  initIconResource();
  return QIcon(QStringLiteral(":/icons/rqscope.svg"));
}

}  // namespace rqscope::look
