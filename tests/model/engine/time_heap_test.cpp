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

TEST(TimeHeap, AgreesWithAPlainMapOverRandomOperations) {
  // A clever structure against a plain one: a map ordered by (time, tie).
  TimeHeap heap;
  std::map<std::uint32_t, std::pair<std::uint64_t, std::uint64_t>> plain;
  Random random{42};
  for (int step = 0; step < 20000; ++step) {
    const auto index = static_cast<std::uint32_t>(random.below(50));
    if (random.below(3) == 0) {
      heap.clear(index);
      plain.erase(index);
    } else {
      const std::uint64_t time = random.below(30);
      heap.set(index, time, index);
      plain[index] = {time, index};
    }
    ASSERT_EQ(heap.isEmpty(), plain.empty());
    if (plain.empty()) continue;
    auto best = plain.begin();
    for (auto it = plain.begin(); it != plain.end(); ++it)
      if (it->second < best->second) best = it;
    ASSERT_EQ(heap.top().index, best->first) << "step " << step;
    ASSERT_EQ(heap.top().timeNs, best->second.first);
  }
}

}  // namespace
}  // namespace rqscope
