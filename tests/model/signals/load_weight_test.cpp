// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "signals/load_weight.h"

#include <gtest/gtest.h>

#include "base/fixed.h"

namespace rqscope {
namespace {

TEST(LoadWeight, FollowsTheKernelsTableAtItsEnds) {
  EXPECT_EQ(loadWeightOf(0, SchedPolicy::Normal), (LoadWeight{1024 << 10, 4194304}));
  EXPECT_EQ(loadWeightOf(-20, SchedPolicy::Normal), (LoadWeight{88761ULL << 10, 48388}));
  EXPECT_EQ(loadWeightOf(19, SchedPolicy::Batch), (LoadWeight{15 << 10, 286331153}));
}

TEST(LoadWeight, OfTheIdlePolicyIsThreeWhateverTheNiceValue) {
  EXPECT_EQ(loadWeightOf(-20, SchedPolicy::Idle), (LoadWeight{3 << 10, 1431655765}));
}

// Each step of nice is meant to be 25 %: neighbours differ by a factor between 1.19 and 1.29.
TEST(LoadWeight, FallsByAboutAQuarterPerNiceLevel) {
  for (int nice = -20; nice < 10; ++nice) {
    const double ratio = static_cast<double>(loadWeightOf(nice, SchedPolicy::Normal).weight) /
                         static_cast<double>(loadWeightOf(nice + 1, SchedPolicy::Normal).weight);
    EXPECT_GT(ratio, 1.19) << nice;
    EXPECT_LT(ratio, 1.29) << nice;
  }
}

TEST(ScaleLoadDown, KeepsZeroAndRaisesSmallWeightsToTwo) {
  EXPECT_EQ(scaleLoadDown(0), 0U);
  EXPECT_EQ(scaleLoadDown(1), 2U);
  EXPECT_EQ(scaleLoadDown(2047), 2U);
  EXPECT_EQ(scaleLoadDown(kNice0Load), 1024U);
}

// At equal weights delta * w / w loses at most 1: the inverse is 2^32 / 1024 exactly.
TEST(CalcDelta, OfEqualWeightsIsTheTimeItself) {
  LoadWeight lw = loadWeightOf(0, SchedPolicy::Normal);
  EXPECT_EQ(calcDelta(3'000'000, kNice0Load, lw), 3'000'000U);
}

TEST(CalcDelta, ComputesAndStoresAMissingInverse) {
  LoadWeight lw{1024 << 10, 0};
  calcDelta(1, kNice0Load, lw);
  EXPECT_EQ(lw.inverse, 0xFFFFFFFFU / 1024);
}

TEST(CgroupWeight, HundredIsOneNiceZeroShare) {
  EXPECT_EQ(sharesOfCgroupWeight(100), kNice0Load);
  EXPECT_EQ(sharesOfCgroupWeight(1), 10U << 10);  // 10.24 rounds to 10
  EXPECT_EQ(sharesOfCgroupWeight(10000), 102400U << 10);
}

}  // namespace
}  // namespace rqscope
