// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "look/fonts.h"

#include <QApplication>
#include <QFontDatabase>
#include <QFontInfo>
#include <QGuiApplication>
#include <QScreen>

namespace rqscope::look {
namespace {

QFont sized(QFont font, double px, Weight weight) {
  const QScreen* screen = QGuiApplication::primaryScreen();
  const double dpi = screen ? screen->logicalDotsPerInch() : 96;
  font.setPointSizeF(px * textScale() * 72.0 / dpi);
  font.setWeight(weight == Weight::Bold ? QFont::DemiBold : QFont::Normal);
  return font;
}

}  // namespace

double textScale() {
  const QVariant scale = qApp ? qApp->property("rqscopeTextScale") : QVariant();
  return scale.isValid() ? scale.toDouble() : 1.0;
}

QFont uiFont(double px, Weight weight) {
  QFont font;
  const QString system = QFontDatabase::systemFont(QFontDatabase::GeneralFont).family();
  font.setFamilies({QStringLiteral("Inter"), system});
  return sized(font, px, weight);
}

QFont monoFont(double px, Weight weight) {
  QFont font;
  const QString system = QFontDatabase::systemFont(QFontDatabase::FixedFont).family();
  font.setFamilies({QStringLiteral("JetBrains Mono"), system});
  font.setStyleHint(QFont::Monospace);
  font.setStyleStrategy(QFont::PreferNoShaping);
  return sized(font, px, weight);
}

}  // namespace rqscope::look
