// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cmath>

#include "signals/pelt.h"

namespace rqscope {

/// The three signals of a sched_avg, in the order of the arrays below.
enum class PeltSignal : unsigned char { Util, Load, Runnable };
inline constexpr int kPeltSignals = 3;

/// Time, in ns of the PELT clock, after which the ideal average has come half of its way: y^32 = 1/2, a
/// period being 1024 * 1024 ns.
inline constexpr double kIdealHalfLifeNs = 1024.0 * kPeltPeriod * kPeltHalfLife;

/// The geometric average without periods and without integers: the solution of dv/dt = (target - v) ln 2 /
/// half-life after `peltNs` of the PELT clock. For charts and tests; the model counts in integers.
inline double idealAverage(double value, double target, double peltNs) {
  return peltNs <= 0 ? value : target + (value - target) * std::exp2(-peltNs / kIdealHalfLifeNs);
}

}  // namespace rqscope
