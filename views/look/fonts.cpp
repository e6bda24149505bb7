// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "look/fonts.h"

#include <QApplication>
#include <QFontDatabase>
#include <QFontInfo>
#include <QGuiApplication>
#include <QScreen>
#include <map>
#include <tuple>

namespace rqscope::look {
namespace {

double screenDpi() {
  const QScreen* screen = QGuiApplication::primaryScreen();
  return screen ? screen->logicalDotsPerInch() : 96;
}

/// A font is made once for a size and then shared, since with it is shared what Qt finds out about its
/// glyphs: painting asks for fonts thousands of times in a picture.
template <class Make>
QFont shared(QFontDatabase::SystemFont kind, double px, Weight weight, const Make& make) {
  using Key = std::tuple<int, double, bool>;
  // Never destroyed: fonts must not outlive the application, and it ends before statics do.
  static auto& fonts = *new std::map<Key, QFont>;
  const double points = px * textScale() * 72.0 / screenDpi();
  const Key key{kind, points, weight == Weight::Bold};
  const auto it = fonts.find(key);
  if (it != fonts.end()) return it->second;
  QFont font = make(QFontDatabase::systemFont(kind).family());
  font.setPointSizeF(points);
  font.setWeight(weight == Weight::Bold ? QFont::DemiBold : QFont::Normal);
  return fonts.emplace(key, font).first->second;
}

}  // namespace

double textScale() {
  const QVariant scale = qApp ? qApp->property("rqscopeTextScale") : QVariant();
  return scale.isValid() ? scale.toDouble() : 1.0;
}

QFont uiFont(double px, Weight weight) {
  return shared(QFontDatabase::GeneralFont, px, weight, [](const QString& system) {
    QFont font;
    font.setFamilies({QStringLiteral("Inter"), system});
    return font;
  });
}

QFont monoFont(double px, Weight weight) {
  return shared(QFontDatabase::FixedFont, px, weight, [](const QString& system) {
    QFont font;
    font.setFamilies({QStringLiteral("JetBrains Mono"), system});
    font.setStyleHint(QFont::Monospace);
    font.setStyleStrategy(QFont::PreferNoShaping);
    return font;
  });
}

}  // namespace rqscope::look
