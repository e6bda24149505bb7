// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "groupstats/group_stats.h"

#include <gtest/gtest.h>

namespace rqscope {
namespace {

constexpr unsigned kPct = 117;

/// Four CPUs, one task each, half used.
GroupStats halfUsed() {
  GroupStats s;
  s.groupCapacity = 4096;
  s.groupUtil = 2048;
  s.groupRunnable = 2048;
  s.sumNrRunning = s.sumHNrRunning = 4;
  s.groupWeight = 4;
  return s;
}

Classification classify(const GroupStats& s, std::string_view profile = "v6.12", bool sgcImbalance = false) {
  return groupClassify(kPct, sgcImbalance, s, kernelProfile(profile).value().behaviours);
}

TEST(GroupClassify, IsOverloadedOnlyWithMoreTasksThanCpus) {
  GroupStats s = halfUsed();
  s.groupUtil = 4096;
  EXPECT_EQ(classify(s).type, GroupType::FullyBusy);
  s.sumNrRunning = 5;
  EXPECT_EQ(classify(s).type, GroupType::Overloaded);
  EXPECT_EQ(classify(s).reason, GroupTypeReason::UtilOverCapacity);
}

TEST(GroupClassify, UsesTheImbalancePercentageAtTheExactEdge) {
  GroupStats s = halfUsed();
  s.sumNrRunning = 5;
  s.groupUtil = 3500;  // 409600 >= 409500
  EXPECT_NE(classify(s).type, GroupType::Overloaded);
  s.groupUtil = 3501;  // 409600 < 409617
  EXPECT_EQ(classify(s).type, GroupType::Overloaded);
}

TEST(GroupClassify, TellsWhenRunnableTimeIsTheReason) {
  GroupStats s = halfUsed();
  s.sumNrRunning = 5;
  s.groupRunnable = 4793;  // 479232 < 479300
  EXPECT_EQ(classify(s).reason, GroupTypeReason::RunnableOverCapacity);
}

TEST(GroupClassify, RanksTheFlagsInTheirOrder) {
  GroupStats s = halfUsed();
  s.groupMisfitTaskLoad = 1;
  EXPECT_EQ(classify(s).type, GroupType::MisfitTask);
  s.groupSmtBalance = true;
  EXPECT_EQ(classify(s).type, GroupType::SmtBalance);
  EXPECT_EQ(classify(s, "v6.1").type, GroupType::MisfitTask);
  s.groupAsymPacking = true;
  EXPECT_EQ(classify(s).type, GroupType::AsymPacking);
  EXPECT_EQ(classify(s, "v6.12", true).type, GroupType::Imbalanced);
}

TEST(GroupClassify, IsNeverOverloadedWithoutAnOverutilizedCpuUnderEnergyAwareness) {
  GroupStats s = halfUsed();
  s.sumNrRunning = 5;
  s.groupUtil = 4096;
  s.notOverutilized = true;
  EXPECT_EQ(classify(s, "v7.3").type, GroupType::FullyBusy);
}

TEST(AdjustNumaImbalance, AllowsASmallOneWhileTheDestinationIsLight) {
  EXPECT_EQ(adjustNumaImbalance(2, 4, 4), 0);
  EXPECT_EQ(adjustNumaImbalance(3, 4, 4), 3);
  EXPECT_EQ(adjustNumaImbalance(2, 5, 4), 2);
}

}  // namespace
}  // namespace rqscope
