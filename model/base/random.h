// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace rqscope {

/// The one seeded generator of a run (SplitMix64). A value: copying a machine copies its future.
class Random {
 public:
  explicit Random(std::uint64_t seed = 1) : m_state(seed) {}
  std::uint64_t next();
  /// Uniform in [0, bound); bound 0 gives 0.
  std::uint64_t below(std::uint64_t bound);
  std::uint64_t state() const { return m_state; }
  bool operator==(const Random&) const = default;

 private:
  std::uint64_t m_state;
};

}  // namespace rqscope
