// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "signals/pelt.h"

#include <cmath>

#include <gtest/gtest.h>

#include "base/random.h"

namespace rqscope {
namespace {

constexpr PeltInput kRunning{1, 1, true};
constexpr PeltInput kWaiting{1, 1, false};
constexpr PeltInput kSleeping{0, 0, false};

// y^32 = 1/2, y^64 = 1/4; multiplying by 2^32 - 1 instead of 2^32 takes 1 off.
TEST(DecayLoad, HalvesEvery32Periods) {
  EXPECT_EQ(decayLoad(1 << 20, 32), (1U << 19) - 1);
  EXPECT_EQ(decayLoad(1 << 20, 64), (1U << 18) - 1);
}

TEST(DecayLoad, IsZeroBeyond2016Periods) {
  EXPECT_EQ(decayLoad(UINT64_MAX, 2015), 1U);  // (2^64 - 1) >> 62 is 3, times 0.511
  EXPECT_EQ(decayLoad(UINT64_MAX, 2017), 0U);
}

TEST(DecayTable, IsTwoToThe32TimesYToTheI) {
  for (int i = 0; i < 32; ++i)
    EXPECT_NEAR(static_cast<double>(kDecayInverse[static_cast<std::size_t>(i)]),
                4294967295.0 * std::exp2(-i / 32.0), 1.0)
        << i;
}

// LOAD_AVG_MAX is where max <- max * y + 1024 stops changing.
TEST(LoadAvgMax, IsTheLimitOfTheSeries) {
  std::uint64_t max = 1024, last = 0;
  while (max != last) {
    last = max;
    max = decayLoad(max, 1) + 1024;
  }
  EXPECT_EQ(max, kLoadAvgMax);
}

TEST(UpdateLoadSum, KeepsTheRestBelow1024Nanoseconds) {
  SchedAvg avg{.lastUpdateTime = 1000};
  EXPECT_FALSE(updateLoadSum(1000 + 1023, avg, kRunning));
  EXPECT_EQ(avg.lastUpdateTime, 1000U);
  updateLoadSum(1000 + 2050, avg, kRunning);
  EXPECT_EQ(avg.lastUpdateTime, 1000U + 2048);
  EXPECT_EQ(avg.loadSum, 2U);
  EXPECT_EQ(avg.utilSum, 2U * 1024);
}

TEST(UpdateLoadSum, TakesTheTimeOverWhenTheClockWentBack) {
  SchedAvg avg{.lastUpdateTime = 1 << 20, .loadSum = 5};
  EXPECT_FALSE(updateLoadSum(1000, avg, kRunning));
  EXPECT_EQ(avg.lastUpdateTime, 1000U);
  EXPECT_EQ(avg.loadSum, 5U);
}

TEST(UpdateLoadSum, CountsNothingAsRunningWithoutLoad) {
  SchedAvg avg{.lastUpdateTime = 1024};
  updateLoadSum(1024 + 512 * 1024, avg, {0, 3, true});
  EXPECT_EQ(avg.utilSum, 0U);
  EXPECT_EQ(avg.runnableSum, 0U);
}

// Averages change only where a boundary of 1024 us is crossed.
TEST(UpdatePelt, LeavesTheAveragesInsideAPeriod) {
  SchedAvg avg{.lastUpdateTime = 1024};
  EXPECT_FALSE(updatePelt(1024 + 1023 * 1024, avg, kRunning, 1024));
  EXPECT_EQ(avg.utilAvg, 0U);
  EXPECT_TRUE(updatePelt(1024 + 1024 * 1024, avg, kRunning, 1024));
  EXPECT_GT(avg.utilAvg, 0U);
}

// Property: inside one period it does not matter how often the sums were updated.
TEST(UpdateLoadSum, IsTheSameInOneStepOrManyInsideAPeriod) {
  Random random(7);
  for (int round = 0; round < 20'000; ++round) {
    SchedAvg once{.lastUpdateTime = random.below(1 << 30) << 10,
                  .loadSum = random.below(47742),
                  .runnableSum = random.below(47742) << 10,
                  .utilSum = static_cast<std::uint32_t>(random.below(47742) << 10),
                  .periodContrib = static_cast<std::uint32_t>(random.below(1024))};
    SchedAvg many = once;
    const std::uint64_t left = 1023 - once.periodContrib, units = left == 0 ? 0 : random.below(left + 1);
    const PeltInput input{random.below(3), random.below(4), random.below(2) != 0};
    const std::uint64_t end = once.lastUpdateTime + units * 1024;
    for (int i = 0; i < 5 && many.lastUpdateTime < end; ++i)
      updateLoadSum(many.lastUpdateTime + random.below(end - many.lastUpdateTime + 1), many, input);
    updateLoadSum(end, many, input);
    updateLoadSum(end, once, input);
    ASSERT_EQ(once, many) << round;
  }
}

// Property: in a million random steps nothing exceeds what always running gives, and runnable holds running.
TEST(UpdatePelt, StaysInItsBoundsForAMillionSteps) {
  Random random(11);
  SchedAvg avg{.lastUpdateTime = 1024};
  std::uint64_t now = 1024;
  for (int step = 0; step < 1'000'000; ++step) {
    const PeltInput inputs[] = {kRunning, kWaiting, kSleeping};
    now += random.below(step % 100 == 0 ? 100'000'000 : 3'000'000);
    updatePelt(now, avg, inputs[random.below(3)], 1024);
    ASSERT_LT(avg.periodContrib, 1024U);
    ASSERT_LE(avg.loadSum, kLoadAvgMax);
    ASSERT_LE(avg.utilSum, kLoadAvgMax * 1024);
    ASSERT_LE(avg.utilSum, avg.runnableSum + 64);  // each is rounded down on its own at every decay
    ASSERT_LE(avg.loadAvg, 1024U);
    ASSERT_LE(avg.utilAvg, avg.runnableAvg + 1);
  }
}

// 32 periods of running from nothing give half of full scale, 345 ms nearly all of it.
// A quotient by reciprocal goes wrong, if at all, where the true one changes.
TEST(PeltQuotient, IsTheDivisionForEveryDivider) {
  Random random{7};
  for (std::uint32_t contrib = 0; contrib < kPeltPeriod; ++contrib) {
    const std::uint64_t divider = kPeltMinDivider + contrib;
    const std::uint64_t limit = (std::uint64_t{1} << 48) - 1;
    for (int i = 0; i < 200; ++i) {
      const std::uint64_t quotient = i == 0 ? limit / divider : random.below(limit / divider + 1);
      const std::uint64_t edge = quotient * divider;
      for (const std::uint64_t sum : {edge, edge - 1, edge + 1, edge + divider - 1})
        ASSERT_EQ(peltQuotient(sum, contrib), sum / divider) << sum << " / " << divider;
    }
    for (const std::uint64_t sum : {std::uint64_t{0}, limit, limit + 1, UINT64_MAX})
      ASSERT_EQ(peltQuotient(sum, contrib), sum / divider) << sum << " / " << divider;
  }
}

// The step of an average is one computation for several; it must be what the kernel's steps give one by one.
TEST(PeltStep, DecaysAndCountsForFewPeriodsAndMany) {
  Random random{11};
  for (std::uint64_t periods = 1; periods < 2100; periods += periods < 200 ? 1 : 97) {
    SchedAvg avg;
    avg.lastUpdateTime = 1'000'000;
    avg.periodContrib = static_cast<std::uint32_t>(random.below(1024));
    const std::uint64_t rest = random.below(1024);
    const std::uint64_t units = periods * 1024 - avg.periodContrib + rest;
    const PeltStep step = peltStep(avg.lastUpdateTime + units * 1024 + 5, avg, true);
    const std::uint64_t whole = kLoadAvgMax - decayLoad(kLoadAvgMax, periods) - kPeltPeriod;
    EXPECT_EQ(step.contribution, decayLoad(1024 - avg.periodContrib, periods) + whole + rest) << periods;
    EXPECT_EQ(step.periodContrib, rest);
    EXPECT_EQ(step.lastUpdateTime, avg.lastUpdateTime + units * 1024);
    EXPECT_TRUE(step.advances && step.crosses);
    for (const std::uint64_t sum : {std::uint64_t{1}, random.below(47742 * 1024), random.next()})
      EXPECT_EQ(step.decayed(sum), decayLoad(sum, periods)) << periods;
    EXPECT_EQ(step.decayed(47742U << 10), decayLoad(47742U << 10, periods)) << periods;
  }
}

TEST(PeltStep, DoesNothingBelow1024NanosecondsAndFollowsAClockThatWentBack) {
  SchedAvg avg;
  avg.lastUpdateTime = 10'000;
  avg.periodContrib = 17;
  for (const std::uint64_t now : {10'000U, 11'023U, 9'999U}) {
    const PeltStep step = peltStep(now, avg, true);
    EXPECT_FALSE(step.advances || step.crosses);
    EXPECT_EQ(step.periodContrib, 17U);
    EXPECT_EQ(step.lastUpdateTime, now < 10'000 ? now : 10'000U);
  }
}

TEST(IdealRamp, IsFollowedByTheIntegersWithinTwo) {
  SchedAvg avg{.lastUpdateTime = 1024};
  for (int ms = 1; ms <= 345; ++ms) {
    updatePelt(1024 + static_cast<std::uint64_t>(ms) * 1048576, avg, kRunning, 1024);
    // The curve counts each period as it ends, so it is at most one period (22 of 1024) behind at the start.
    EXPECT_NEAR(static_cast<double>(avg.utilAvg), idealRamp(0.0, ms * 1.048576, true), 2.0) << ms;
  }
  EXPECT_NEAR(idealRamp(0.0, 32 * 1.048576, true), 512.0, 1e-9);
  EXPECT_NEAR(idealRamp(1024.0, 32 * 1.048576, false), 512.0, 1e-9);
}

}  // namespace
}  // namespace rqscope
