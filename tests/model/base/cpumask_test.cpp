// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/cpumask.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>
#include <vector>

#include "base/random.h"

namespace rqscope {
namespace {

/// A mask and a plain set that is to hold the same CPUs.
struct Pair {
  CpuMask mask;
  std::set<int> plain;

  void set(int cpu) {
    mask.set(CpuId{cpu});
    plain.insert(cpu);
  }
  void clear(int cpu) {
    mask.clear(CpuId{cpu});
    plain.erase(cpu);
  }
};

std::vector<int> members(const CpuMask& mask) {
  std::vector<int> out;
  for (CpuId cpu = mask.first(); cpu.isValid(); cpu = mask.next(cpu)) out.push_back(cpu.value);
  return out;
}

void expectSame(const Pair& pair) {
  const std::vector<int> plain(pair.plain.begin(), pair.plain.end());
  ASSERT_EQ(members(pair.mask), plain);
  std::vector<int> each;
  pair.mask.forEach([&](CpuId cpu) { each.push_back(cpu.value); });
  ASSERT_EQ(each, plain);
  ASSERT_EQ(pair.mask.isEmpty(), plain.empty());
  ASSERT_EQ(pair.mask.weight(), static_cast<int>(plain.size()));
  for (int cpu = 0; cpu < 700; ++cpu) ASSERT_EQ(pair.mask.test(CpuId{cpu}), pair.plain.contains(cpu));
}

Pair randomPair(Random& random, std::uint64_t limit, int count) {
  Pair pair;
  for (int i = 0; i < count; ++i) pair.set(static_cast<int>(random.below(limit)));
  return pair;
}

std::set<int> plainOf(const CpuMask& mask) {
  const std::vector<int> all = members(mask);
  return {all.begin(), all.end()};
}

// 256 CPUs fit into the mask itself, more do not: CPU numbers below and beyond, and masks of both kinds.
TEST(CpuMask, AgreesWithAPlainSetWhileItGrowsAndShrinks) {
  Random random{3};
  for (const std::uint64_t limit : {4U, 64U, 256U, 257U, 600U}) {
    Pair pair;
    for (int step = 0; step < 300; ++step) {
      const int cpu = static_cast<int>(random.below(limit));
      if (random.below(3) == 0)
        pair.clear(cpu);
      else
        pair.set(cpu);
      if (step % 20 == 0) expectSame(pair);
    }
    Pair copy = pair;
    pair.mask.clearAll();
    pair.plain.clear();
    expectSame(pair);
    expectSame(copy);
    pair.set(3);
    expectSame(pair);
    const CpuMask moved = std::move(copy.mask);
    EXPECT_EQ(plainOf(moved), copy.plain);
  }
}

TEST(CpuMask, CombinesMasksOfDifferentLengthAsSetsDo) {
  Random random{5};
  const std::uint64_t limits[] = {4, 64, 200, 256, 257, 600};
  for (const std::uint64_t a : limits)
    for (const std::uint64_t b : limits) {
      const Pair x = randomPair(random, a, 20), y = randomPair(random, b, 20);
      std::set<int> both, either, rest;
      const auto into = [](std::set<int>& out) { return std::inserter(out, out.end()); };
      std::set_intersection(x.plain.begin(), x.plain.end(), y.plain.begin(), y.plain.end(), into(both));
      std::set_union(x.plain.begin(), x.plain.end(), y.plain.begin(), y.plain.end(), into(either));
      std::set_difference(x.plain.begin(), x.plain.end(), y.plain.begin(), y.plain.end(), into(rest));
      EXPECT_EQ(plainOf(x.mask & y.mask), both);
      EXPECT_EQ(plainOf(x.mask | y.mask), either);
      EXPECT_EQ(plainOf(x.mask - y.mask), rest);
      EXPECT_EQ(x.mask.intersects(y.mask), !both.empty());
      EXPECT_EQ(x.mask.isSubsetOf(y.mask), rest.empty());
      EXPECT_EQ(x.mask == y.mask, x.plain == y.plain);
      EXPECT_TRUE((x.mask & y.mask) == (y.mask & x.mask));
    }
}

TEST(CpuMask, ReadsAndWritesTheKernelsListFormat) {
  const Result<CpuMask> mask = CpuMask::parseList("0-3,6,300-301\n");
  ASSERT_TRUE(mask.ok());
  EXPECT_EQ(mask.value().list(), "0-3,6,300-301");
  EXPECT_EQ(mask.value().weight(), 7);
  EXPECT_TRUE(CpuMask::parseList("").value().isEmpty());
  EXPECT_FALSE(CpuMask::parseList("3-1").ok());
}

TEST(CpuMask, FindsTheFirstMemberFromACpuOnAround) {
  CpuMask mask = CpuMask::of(CpuId{5});
  mask.set(CpuId{70});
  EXPECT_EQ(mask.firstFromWrapping(CpuId{6}), CpuId{70});
  EXPECT_EQ(mask.firstFromWrapping(CpuId{70}), CpuId{70});
  EXPECT_EQ(mask.firstFromWrapping(CpuId{71}), CpuId{5});
}

}  // namespace
}  // namespace rqscope
