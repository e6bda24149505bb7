// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "look/fonts.h"

/// Sizes that painting and input of the queue's axis share.
namespace rqscope::runqueues::axis {

constexpr double kHeadPx = 46, kFootPx = 24, kRowLeastPx = 36, kRowMostPx = 68;
constexpr double kNamePx = 184, kFiguresPx = 146, kIndentPx = 16;
constexpr double kLagFromPx = 140, kLagPx = 72, kWeightPx = 64, kMarginPx = 10;

inline double px(double value) { return value * look::textScale(); }

inline double milliseconds(std::int64_t ns) { return static_cast<double>(ns) / 1e6; }

}  // namespace rqscope::runqueues::axis
