// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <bit>
#include <cstdint>

namespace rqscope {

__extension__ using UInt128 = unsigned __int128;
__extension__ using Int128 = __int128;

/// (a * mul) >> shift with a wide intermediate. Kernel: mul_u64_u32_shr().
constexpr std::uint64_t mulShift(std::uint64_t a, std::uint32_t mul, unsigned shift) {
  return static_cast<std::uint64_t>((static_cast<UInt128>(a) * mul) >> shift);
}

/// Kernel: shr_bound(): shift right by at most 63.
constexpr std::uint64_t shrBound(std::uint64_t value, unsigned shift) {
  return value >> (shift < 63 ? shift : 63);
}

/// Kernel: sub_positive()/lsub_positive(): subtract with a floor of 0.
template <class T>
constexpr void subPositive(T& value, T amount) {
  value = value > amount ? static_cast<T>(value - amount) : T{0};
}

/// Signed difference of wrapping 64-bit virtual times.
constexpr std::int64_t virtualDelta(std::uint64_t a, std::uint64_t b) {
  return static_cast<std::int64_t>(a - b);
}

constexpr int kCapacityShift = 10;
constexpr std::uint64_t kCapacityScale = 1024;  ///< SCHED_CAPACITY_SCALE
constexpr std::uint64_t kNice0Load = 1048576;   ///< NICE_0_LOAD: 1024 scaled by 1 << 10

}  // namespace rqscope
