// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/time_heap.h"

#include <gtest/gtest.h>

#include <map>
#include <tuple>

#include "base/random.h"

namespace rqscope {
namespace {

/// Takes the earliest entry off and returns its index.
std::uint32_t popIndex(TimeHeap& heap) {
  const std::uint32_t index = heap.top().index;
  heap.clear(index);
  return index;
}

TEST(TimeHeap, GivesEarliestFirstAndSmallerTieAtEqualTimes) {
  // Two at 10 (ties 7 and 3), one at 5: 5 first, then tie 3, then tie 7.
  TimeHeap heap;
  heap.set(0, 10, 7);
  heap.set(1, 10, 3);
  heap.set(2, 5, 9);
  EXPECT_EQ(popIndex(heap), 2U);
  EXPECT_EQ(popIndex(heap), 1U);
  EXPECT_EQ(popIndex(heap), 0U);
  EXPECT_TRUE(heap.isEmpty());
}

TEST(TimeHeap, MovesAnIndexThatIsSetAgain) {
  // Index 0 moves behind index 1: one entry each, no leftover of the first setting.
  TimeHeap heap;
  heap.set(0, 1, 0);
  heap.set(1, 2, 0);
  heap.set(0, 3, 0);
  EXPECT_EQ(popIndex(heap), 1U);
  EXPECT_EQ(popIndex(heap), 0U);
  EXPECT_TRUE(heap.isEmpty());
}

/// A clever structure against a plain one: a map ordered by (time, tie). Times are drawn from `span` ns after
/// the earliest, as a run draws them; `clears` of ten steps take one away instead, the earliest or any.
void expectAgreesWithMap(std::uint64_t span, std::uint64_t clears, int steps) {
  TimeHeap heap;
  std::map<std::uint32_t, std::pair<std::uint64_t, std::uint64_t>> plain;
  Random random{42};
  std::uint64_t now = 0;
  for (int step = 0; step < steps; ++step) {
    auto index = static_cast<std::uint32_t>(random.below(50));
    if (!heap.isEmpty()) now = heap.top().timeNs;
    if (random.below(10) < clears) {
      if (!heap.isEmpty() && random.below(4) != 0) index = heap.top().index;
      heap.clear(index);
      plain.erase(index);
    } else {
      // Squared: near times are as common as far ones.
      const std::uint64_t part = random.below(1000);
      const std::uint64_t time = now + span / 1000 * part * part / 1000 + random.below(3);
      heap.set(index, time, index);
      plain[index] = {time, index};
    }
    ASSERT_EQ(heap.isEmpty(), plain.empty());
    ASSERT_EQ(heap.contains(index), plain.contains(index));
    if (plain.contains(index)) {
      ASSERT_EQ(heap.timeOf(index), plain[index].first);
    }
    if (plain.empty()) continue;
    auto best = plain.begin();
    for (auto it = plain.begin(); it != plain.end(); ++it)
      if (it->second < best->second) best = it;
    ASSERT_EQ(heap.top().index, best->first) << "step " << step;
    ASSERT_EQ(heap.top().timeNs, best->second.first);
  }
}

TEST(TimeHeap, AgreesWithAPlainMapAtOneMoment) { expectAgreesWithMap(30, 4, 20000); }
TEST(TimeHeap, AgreesWithAPlainMapOverMilliseconds) { expectAgreesWithMap(30'000'000, 4, 20000); }
TEST(TimeHeap, AgreesWithAPlainMapOverSeconds) { expectAgreesWithMap(20'000'000'000, 4, 20000); }
TEST(TimeHeap, AgreesWithAPlainMapWhenItOftenRunsEmpty) { expectAgreesWithMap(2'000'000'000, 6, 20000); }

TEST(TimeHeap, GivesEveryTimeInOrderWhenNoneIsAddedAnyMore) {
  // Thirty times from 1 ns to 2^60 ns, set from the latest to the earliest.
  TimeHeap heap;
  for (std::uint32_t i = 0; i < 30; ++i) heap.set(i, std::uint64_t{1} << (60 - 2 * i), 0);
  for (std::uint32_t i = 30; i-- > 0;) EXPECT_EQ(popIndex(heap), i);
  EXPECT_TRUE(heap.isEmpty());
}

TEST(TimeHeap, IsIndependentOfItsCopy) {
  TimeHeap heap;
  for (std::uint32_t i = 0; i < 20; ++i) heap.set(i, i * 7'000'000, i);
  TimeHeap copy = heap;
  while (!heap.isEmpty()) popIndex(heap);
  for (std::uint32_t i = 0; i < 20; ++i) EXPECT_EQ(popIndex(copy), i);
}

}  // namespace
}  // namespace rqscope
