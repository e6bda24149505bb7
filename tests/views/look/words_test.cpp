// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "look/words.h"

#include <gtest/gtest.h>

#include "look/ladder_text.h"
#include "views/support/sample_frames.h"

namespace rqscope::look {
namespace {

TEST(CpuList, JoinsRunsOfThreeAndPairs) {
  EXPECT_EQ(cpuList({}), "{}");
  EXPECT_EQ(cpuList({0, 3, 4, 5}), "{0,3-5}");
  EXPECT_EQ(cpuList({1, 2}), "{1,2}");
  EXPECT_EQ(cpuList({8, 9, 10, 11, 136}), "{8-11,136}");
}

TEST(TrueComparison, TurnsTheSignWhenItDoesNotHold) {
  api::Comparison test{
      {"util", 512, api::Unit::Capacity, {}}, "<=", {"imbalance", 383, api::Unit::Capacity, {}}, false};
  EXPECT_EQ(trueComparison(test), "512 > 383");
  test.left.value = 256;
  test.holds = true;
  EXPECT_EQ(trueComparison(test), "256 ≤ 383");
}

TEST(Word, FallsBackToTheKeyWithSpaces) {
  EXPECT_EQ(word("util_too_big"), "more than the imbalance");
  EXPECT_EQ(word("some_new_key"), "some new key");
  EXPECT_EQ(word("migrate_util 383"), "migrate_util 383");
}

TEST(Times, KeepMillisecondsUpToTenSeconds) {
  EXPECT_EQ(timeText(196'000'000), "196.000 ms");
  EXPECT_EQ(timeText(19'300'000'000), "19.300 s");
  EXPECT_EQ(durationText(4'000'000), "4 ms");
  EXPECT_EQ(durationText(-650'000), "-650 us");
}

// What Copy gives must name every rung with its function, in order.
TEST(LadderText, NamesEveryRungAndFunction) {
  const auto frame = samples::junoSkip();
  const std::string text = ladderText(*frame->ladder);
  std::size_t at = 0;
  for (const api::Rung& rung : frame->ladder->rungs) {
    const std::size_t found = text.find(rung.function + "()", at);
    ASSERT_NE(found, std::string::npos) << rung.function;
    at = found;
  }
  EXPECT_NE(text.find("util >> nr_balance_failed (512) > imbalance 383: holds"), std::string::npos) << text;
}

}  // namespace
}  // namespace rqscope::look
