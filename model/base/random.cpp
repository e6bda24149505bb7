// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/random.h"

#include "base/fixed.h"

namespace rqscope {

std::uint64_t Random::next() {
  m_state += 0x9E3779B97F4A7C15U;
  std::uint64_t z = m_state;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
  return z ^ (z >> 31);
}

std::uint64_t Random::below(std::uint64_t bound) {
  return static_cast<std::uint64_t>((static_cast<UInt128>(next()) * bound) >> 64);
}

}  // namespace rqscope
