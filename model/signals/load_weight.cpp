// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "signals/load_weight.h"

#include <algorithm>
#include <array>
#include <bit>

#include "base/check.h"
#include "base/fixed.h"

namespace rqscope {
namespace {

struct NiceWeight {
  std::uint32_t weight;
  std::uint32_t inverse;  ///< about 2^32 / weight, as the kernel's table has it
};

constexpr int kLowestNice = -20;
constexpr int kHighestNice = 19;

/// Kernel: sched_prio_to_weight and sched_prio_to_wmult, nice -20 first.
constexpr std::array<NiceWeight, 40> kNiceWeights = {{
    {88761, 48388},  {71755, 59856},  {56483, 76040},  {46273, 92818},  {36291, 118348}, {29154, 147320},
    {23254, 184698}, {18705, 229616}, {14949, 287308}, {11916, 360437}, {9548, 449829},  {7620, 563644},
    {6100, 704093},  {4904, 875809},  {3906, 1099582}, {3121, 1376151}, {2501, 1717300}, {1991, 2157191},
    {1586, 2708050}, {1277, 3363326}, {1024, 4194304}, {820, 5237765},  {655, 6557202},  {526, 8165337},
    {423, 10153587}, {335, 12820798}, {272, 15790321}, {215, 19976592}, {172, 24970740}, {137, 31350126},
    {110, 39045157}, {87, 49367440},  {70, 61356676},  {56, 76695844},  {45, 95443717},  {36, 119304647},
    {29, 148102320}, {23, 186737708}, {18, 238609294}, {15, 286331153},
}};
constexpr NiceWeight kIdlePolicyWeight = {3, 1431655765};
constexpr std::uint32_t kInverseLimit = 0xFFFFFFFFU;  // WMULT_CONST
constexpr int kInverseShift = 32;                     // WMULT_SHIFT

/// Kernel: __update_inv_weight().
std::uint32_t inverseOf(LoadWeight& lw) {
  if (lw.inverse != 0) return lw.inverse;
  const std::uint64_t weight = scaleLoadDown(lw.weight);
  if (weight >= kInverseLimit)
    lw.inverse = 1;
  else if (weight == 0)
    lw.inverse = kInverseLimit;
  else
    lw.inverse = kInverseLimit / static_cast<std::uint32_t>(weight);
  return lw.inverse;
}

/// Bits of the upper half of a number: how far it must be shifted right to fit 32 bits.
int bitsAbove32(std::uint64_t value) { return static_cast<int>(std::bit_width(value >> 32)); }

}  // namespace

LoadWeight loadWeightOf(int nice, SchedPolicy policy) {
  RQS_CHECK(nice >= kLowestNice && nice <= kHighestNice, "nice outside -20..19");
  const NiceWeight& row = policy == SchedPolicy::Idle
                              ? kIdlePolicyWeight
                              : kNiceWeights[static_cast<std::size_t>(nice - kLowestNice)];
  return {scaleLoad(row.weight), row.inverse};
}

std::uint64_t calcDelta(std::uint64_t delta, std::uint64_t weight, LoadWeight& lw) {
  std::uint64_t factor = scaleLoadDown(weight);
  int shift = kInverseShift;
  const std::uint32_t inverse = inverseOf(lw);
  int over = bitsAbove32(factor);
  shift -= over;
  factor >>= over;
  factor = static_cast<std::uint64_t>(static_cast<std::uint32_t>(factor)) * inverse;
  over = bitsAbove32(factor);
  shift -= over;
  factor >>= over;
  return mulShift(delta, static_cast<std::uint32_t>(factor), static_cast<unsigned>(shift));
}

std::uint64_t sharesOfCgroupWeight(std::uint64_t weight) {
  constexpr std::uint64_t kDefaultWeight = 100;
  return scaleLoad((weight * kCapacityScale + kDefaultWeight / 2) / kDefaultWeight);
}

}  // namespace rqscope
