// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "signals/pelt.h"

#include <cmath>

namespace rqscope {

double idealRamp(double start, double milliseconds, bool running) {
  constexpr double kFull = static_cast<double>(kCapacityScale);
  constexpr double kPeriodMs = 1.048576;  // 1024 * 1024 ns
  const double left = std::exp2(-milliseconds / (kPeriodMs * kPeltHalfLife));
  return start * left + (running ? kFull * (1.0 - left) : 0.0);
}

}  // namespace rqscope
