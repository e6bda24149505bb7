// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "look/palette.h"

#include <QPalette>
#include <QWidget>
#include <algorithm>
#include <cmath>

namespace rqscope::look {
namespace {

QColor rgb(unsigned value) { return QColor::fromRgb(value); }

Palette makeDark() {
  return {Theme::Dark,   rgb(0x15181C), rgb(0x1C2025), rgb(0x1C2025), rgb(0x23282E), rgb(0x2A3037),
          rgb(0x343B44), rgb(0x30363E), rgb(0x454D58), rgb(0xE7EAEE), rgb(0xA9B1BC), rgb(0x8791A0),
          rgb(0x5AA0F2), rgb(0x24405F), rgb(0xF4C04E), rgb(0xF4C04E), rgb(0x3A3120), rgb(0x4FC3AE),
          rgb(0xF08A5D), rgb(0x9CC3F5), rgb(0xF0B45A)};
}

Palette makeLight() {
  return {Theme::Light,  rgb(0xFFFFFF), rgb(0xF1F2F4), rgb(0xF7F8F9), rgb(0xE8EAED), rgb(0xFFFFFF),
          rgb(0xDDE1E6), rgb(0xD5D9DE), rgb(0xAEB5BE), rgb(0x1B1F24), rgb(0x4D5661), rgb(0x626B76),
          rgb(0x1B66C4), rgb(0xD5E5FA), rgb(0xB98200), rgb(0x7A4F00), rgb(0xFFF3D6), rgb(0x0A7162),
          rgb(0x9A2A0C), rgb(0x1F5FB0), rgb(0xA35F00)};
}

struct TypeRow {
  unsigned dark;
  bool darkWhite;
  unsigned light;
  bool lightWhite;
};
constexpr std::array<TypeRow, kGroupTypes> kTypeRows = {{{0x52707A, true, 0x86B9E0, false},
                                                         {0x9FC6FE, false, 0x2F6DCB, true},
                                                         {0x9D67E5, false, 0x57358A, true},
                                                         {0x74F2DE, false, 0x479A8A, false},
                                                         {0xEEE88C, false, 0xCDBA2A, false},
                                                         {0xC888AC, false, 0x9E4C66, true},
                                                         {0xE4881A, false, 0xB3763B, false},
                                                         {0xC0413B, true, 0xA81410, true}}};

constexpr std::array<unsigned, 7> kHeatDark = {0x232A36, 0x2F4260, 0x46608A, 0x6D7C93,
                                               0x979578, 0xC6B45C, 0xFFE46B};
constexpr std::array<unsigned, 7> kHeatLight = {0xF2F3F0, 0xE6DFAE, 0xCDBF77, 0xA29C74,
                                                0x757A7E, 0x475A82, 0x142E63};
constexpr std::array<unsigned, 8> kTaskDark = {0x7A98D4, 0xD3A57A, 0x5F9694, 0xDDA3A6,
                                               0xA38A4C, 0x907CB8, 0xA3C4D6, 0x6F8A6C};
constexpr std::array<unsigned, 8> kTaskLight = {0x9EA5E9, 0xE6CF7C, 0x8FD3C4, 0xE8A0A6,
                                                0xCDE8B8, 0xB795B4, 0xA9DCF2, 0xD9916F};

}  // namespace

const Palette& palette(Theme theme) {
  static const Palette dark = makeDark();
  static const Palette light = makeLight();
  return theme == Theme::Dark ? dark : light;
}

const Palette& colors(const QWidget* widget) {
  const bool isDark = widget->palette().color(QPalette::Base).lightness() < 128;
  return palette(isDark ? Theme::Dark : Theme::Light);
}

QPalette qtPalette(Theme theme) {
  const Palette& p = palette(theme);
  QPalette q;
  q.setColor(QPalette::Window, p.window);
  q.setColor(QPalette::WindowText, p.text);
  q.setColor(QPalette::Base, p.canvas);
  q.setColor(QPalette::AlternateBase, p.dock);
  q.setColor(QPalette::Text, p.text);
  q.setColor(QPalette::PlaceholderText, p.text3);
  q.setColor(QPalette::Button, p.raise);
  q.setColor(QPalette::ButtonText, p.text);
  q.setColor(QPalette::BrightText, p.no);
  q.setColor(QPalette::Highlight, p.selection);
  q.setColor(QPalette::HighlightedText, p.text);
  q.setColor(QPalette::Link, p.accent);
  q.setColor(QPalette::LinkVisited, p.accent);
  q.setColor(QPalette::ToolTipBase, p.raise);
  q.setColor(QPalette::ToolTipText, p.text);
  q.setColor(QPalette::Mid, p.line);
  q.setColor(QPalette::Midlight, p.line);
  q.setColor(QPalette::Dark, p.line2);
  q.setColor(QPalette::Light, p.hover);
  q.setColor(QPalette::Shadow, p.line2);
  for (const QPalette::ColorRole role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText}) {
    q.setColor(QPalette::Disabled, role, mix(p.text3, p.window, 0.6));
  }
  return q;
}

const std::array<std::string_view, kGroupTypes>& groupTypeNames() {
  static constexpr std::array<std::string_view, kGroupTypes> names = {
      "has_spare",    "fully_busy", "misfit_task", "smt_balance",
      "asym_packing", "imbalanced", "llc_balance", "overloaded"};
  return names;
}

GroupTypeLook groupTypeLook(std::string_view groupType, Theme theme) {
  const auto& names = groupTypeNames();
  const auto it = std::find(names.begin(), names.end(), groupType);
  if (it == names.end()) return {palette(theme).line2, palette(theme).text};
  const TypeRow& row = kTypeRows[static_cast<std::size_t>(it - names.begin())];
  const bool isDark = theme == Theme::Dark;
  const bool white = isDark ? row.darkWhite : row.lightWhite;
  return {rgb(isDark ? row.dark : row.light), white ? QColor(Qt::white) : rgb(0x12161B)};
}

QColor heat(double fraction, Theme theme) {
  const auto& stops = theme == Theme::Dark ? kHeatDark : kHeatLight;
  const double at = std::clamp(fraction, 0.0, 1.0) * (static_cast<double>(stops.size()) - 1);
  const auto low = static_cast<std::size_t>(at);
  if (low + 1 >= stops.size()) return rgb(stops.back());
  return mix(rgb(stops[low + 1]), rgb(stops[low]), at - static_cast<double>(low));
}

QColor taskColor(int slot, Theme theme) {
  const auto& colors = theme == Theme::Dark ? kTaskDark : kTaskLight;
  return rgb(colors[static_cast<std::size_t>(std::max(slot, 0)) % colors.size()]);
}

QColor taskText() { return rgb(0x14181D); }

QColor mix(const QColor& a, const QColor& b, double share) {
  const auto part = [share](int x, int y) {
    return static_cast<int>(std::lround(x * share + y * (1.0 - share)));
  };
  return QColor(part(a.red(), b.red()), part(a.green(), b.green()), part(a.blue(), b.blue()));
}

}  // namespace rqscope::look
