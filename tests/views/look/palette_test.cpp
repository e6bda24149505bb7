// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "look/palette.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace rqscope::look {
namespace {

using Vec = std::array<double, 3>;
using Matrix = std::array<Vec, 3>;

constexpr double kLeastDifference = 11;  // of any pair of group types, in each kind of colour vision

// Machado, Oliveira and Fernandes (2009), severity 1.0, on linear RGB.
constexpr Matrix kNormal = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
constexpr Matrix kProtanopia = {
    {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}}};
constexpr Matrix kDeuteranopia = {
    {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}}};
constexpr Matrix kTritanopia = {
    {{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}}};

double toLinear(double c) { return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4); }

Vec times(const Matrix& m, const Vec& v) {
  Vec out{};
  for (std::size_t i = 0; i < 3; ++i) out[i] = m[i][0] * v[0] + m[i][1] * v[1] + m[i][2] * v[2];
  return out;
}

Vec labOf(const QColor& color, const Matrix& vision) {
  Vec linear = {toLinear(color.redF()), toLinear(color.greenF()), toLinear(color.blueF())};
  linear = times(vision, linear);
  for (double& c : linear) c = std::min(std::max(c, 0.0), 1.0);
  constexpr Matrix kToXyz = {{{0.4124564, 0.3575761, 0.1804375},
                              {0.2126729, 0.7151522, 0.0721750},
                              {0.0193339, 0.1191920, 0.9503041}}};
  const Vec xyz = times(kToXyz, linear);
  const Vec white = {0.95047, 1.0, 1.08883};
  Vec f{};
  for (std::size_t i = 0; i < 3; ++i) {
    const double t = xyz[i] / white[i];
    f[i] = t > 216.0 / 24389 ? std::cbrt(t) : (24389.0 / 27 * t + 16) / 116;
  }
  return {116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])};
}

double degrees(double radians) { return radians * 180 / M_PI; }
double radians(double degrees) { return degrees * M_PI / 180; }

// Sharma, Wu and Dalal (2005).
double ciede2000(const Vec& one, const Vec& two) {
  const double c1 = std::hypot(one[1], one[2]), c2 = std::hypot(two[1], two[2]);
  const double c7 = std::pow((c1 + c2) / 2, 7);
  const double g = 0.5 * (1 - std::sqrt(c7 / (c7 + std::pow(25.0, 7))));
  const double a1 = (1 + g) * one[1], a2 = (1 + g) * two[1];
  const double C1 = std::hypot(a1, one[2]), C2 = std::hypot(a2, two[2]);
  const auto hue = [](double a, double b) {
    const double h = degrees(std::atan2(b, a));
    return h < 0 ? h + 360 : h;
  };
  const double h1 = hue(a1, one[2]), h2 = hue(a2, two[2]);
  double dh = h2 - h1;
  if (dh > 180) dh -= 360;
  if (dh < -180) dh += 360;
  const double dL = two[0] - one[0], dC = C2 - C1;
  const double dH = 2 * std::sqrt(C1 * C2) * std::sin(radians(dh / 2));
  const double L = (one[0] + two[0]) / 2, C = (C1 + C2) / 2;
  double h = (h1 + h2) / 2;
  if (std::abs(h1 - h2) > 180) h += h < 180 ? 180 : -180;
  const double T = 1 - 0.17 * std::cos(radians(h - 30)) + 0.24 * std::cos(radians(2 * h)) +
                   0.32 * std::cos(radians(3 * h + 6)) - 0.20 * std::cos(radians(4 * h - 63));
  const double sl = 1 + 0.015 * (L - 50) * (L - 50) / std::sqrt(20 + (L - 50) * (L - 50));
  const double sc = 1 + 0.045 * C, sh = 1 + 0.015 * C * T;
  const double turn = 30 * std::exp(-std::pow((h - 275) / 25, 2));
  const double C7 = std::pow(C, 7);
  const double rt = -2 * std::sqrt(C7 / (C7 + std::pow(25.0, 7))) * std::sin(radians(2 * turn));
  return std::sqrt(std::pow(dL / sl, 2) + std::pow(dC / sc, 2) + std::pow(dH / sh, 2) +
                   rt * dC / sc * dH / sh);
}

double luminance(const QColor& c) {
  return 0.2126 * toLinear(c.redF()) + 0.7152 * toLinear(c.greenF()) + 0.0722 * toLinear(c.blueF());
}

double contrast(const QColor& a, const QColor& b) {
  const double x = luminance(a), y = luminance(b);
  return (std::max(x, y) + 0.05) / (std::min(x, y) + 0.05);
}

// A pair of the published test data, so that the measure itself is right.
TEST(Ciede2000, AgreesWithPublishedPair) {
  EXPECT_NEAR(ciede2000({50.0, 2.6772, -79.7751}, {50.0, 0.0, -82.7485}), 2.0425, 1e-4);
}

// Group types are told apart by letter first and colour second; the colour must still work for everyone.
TEST(Palette, GroupTypesDifferInEveryColourVision) {
  for (const Theme theme : {Theme::Dark, Theme::Light}) {
    for (const Matrix& vision : {kNormal, kProtanopia, kDeuteranopia, kTritanopia}) {
      for (std::size_t i = 0; i < kGroupTypes; ++i) {
        for (std::size_t j = i + 1; j < kGroupTypes; ++j) {
          const Vec a = labOf(groupTypeLook(groupTypeNames()[i], theme).fill, vision);
          const Vec b = labOf(groupTypeLook(groupTypeNames()[j], theme).fill, vision);
          EXPECT_GE(ciede2000(a, b), kLeastDifference) << groupTypeNames()[i] << " " << groupTypeNames()[j];
        }
      }
    }
  }
}

TEST(Palette, TextReachesItsContrast) {
  for (const Theme theme : {Theme::Dark, Theme::Light}) {
    const Palette& p = palette(theme);
    for (const QColor& ground : {p.canvas, p.window, p.dock, p.head}) {
      EXPECT_GE(contrast(p.text, ground), 4.9);
      EXPECT_GE(contrast(p.text2, ground), 4.9);
    }
    EXPECT_GE(contrast(p.text3, p.canvas), 4.5);
    EXPECT_GE(contrast(p.text3, p.window), 4.5);
    for (const std::string_view type : groupTypeNames()) {
      const GroupTypeLook colors = groupTypeLook(type, theme);
      EXPECT_GE(contrast(colors.label, colors.fill), 4.75) << type;  // "4.8:1", rounded
    }
    for (int slot = 0; slot < 8; ++slot) EXPECT_GE(contrast(taskText(), taskColor(slot, theme)), 4.5) << slot;
  }
}

// Heat says "more" by lightness alone, so it must never turn back.
TEST(Palette, HeatIsMonotonicInLightness) {
  for (const Theme theme : {Theme::Dark, Theme::Light}) {
    double before = luminance(heat(0, theme));
    for (int i = 1; i <= 100; ++i) {
      const double now = luminance(heat(i / 100.0, theme));
      EXPECT_GE(theme == Theme::Dark ? now - before : before - now, 0) << i;
      before = now;
    }
  }
}

}  // namespace
}  // namespace rqscope::look
