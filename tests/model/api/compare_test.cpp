// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "rqscope/compare.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace rqscope::api {
namespace {

CompareSide side(bool isOn) {
  CompareSide out;
  out.label = isOn ? "on" : "off";
  out.overrides.patches = {{"migrate_util_shr_bound", isOn}};
  return out;
}

RunComparison compared(const CompareSide& a, const CompareSide& b, const CompareControl& control = {}) {
  const auto opened = Simulation::open("juno", {});
  return compareRuns("juno.json", opened.simulation->scenarioText(), a, b, control);
}

const OutcomeRow& rowOf(const RunComparison& c, const std::string& name) {
  static const OutcomeRow none;
  const auto it = std::ranges::find(c.outcomes, name, &OutcomeRow::name);
  return it == c.outcomes.end() ? none : *it;
}

// Juno off and on: the first decision that differs is the pass that takes the task only with the patch, and
// the rung is that of the candidate; all before it are equal.
TEST(CompareRuns, FindsTheRungAtWhichThePatchDecides) {
  const RunComparison c = compared(side(false), side(true));
  ASSERT_TRUE(c.problems.empty());
  ASSERT_TRUE(c.first);
  ASSERT_TRUE(c.first->a && c.first->b);
  EXPECT_EQ(c.first->a->timeNs, c.first->b->timeNs);
  EXPECT_EQ(c.first->a->moved, 0U);
  EXPECT_EQ(c.first->b->moved, 1U);
  ASSERT_LT(c.first->rung, c.first->a->rungs.size());
  const Rung &a = c.first->a->rungs[c.first->rung], &b = c.first->b->rungs[c.first->rung];
  EXPECT_EQ(a.kind, "candidate");
  EXPECT_EQ(b.kind, "candidate");
  EXPECT_FALSE(a == b);
  for (std::size_t i = 0; i < c.first->rung; ++i) EXPECT_TRUE(c.first->a->rungs[i] == c.first->b->rungs[i]);
  EXPECT_GT(c.equalDecisions, 0U);
  EXPECT_LT(c.equalDecisions, std::min(c.decisionsA, c.decisionsB));
}

TEST(CompareRuns, PutsFiguresAndCurvesBesideEachOther) {
  const RunComparison c = compared(side(false), side(true));
  const OutcomeRow& end = rowOf(c, "last task ends");
  ASSERT_TRUE(end.a && end.b);
  EXPECT_TRUE(end.isTime);
  EXPECT_LT(*end.b, *end.a) << "the patch helps";
  EXPECT_EQ(changeText(end).front(), '-');
  ASSERT_EQ(c.charts.size(), 2U);
  for (const ChartData& chart : c.charts) {
    ASSERT_EQ(chart.series.size(), 2U) << chart.id;
    EXPECT_EQ(chart.series[0].name, "A");
    EXPECT_EQ(chart.series[1].name, "B");
    EXPECT_EQ(chart.series[0].timeNs.size(), chart.series[0].value.size());
  }
  EXPECT_EQ(c.charts[0].series[0].value.back(), 6) << "all six tasks end";
}

TEST(CompareRuns, SaysThatNothingDiffers) {
  const RunComparison c = compared(side(true), side(true));
  EXPECT_FALSE(c.first);
  EXPECT_EQ(c.equalDecisions, c.decisionsA);
  EXPECT_EQ(c.decisionsA, c.decisionsB);
  EXPECT_EQ(changeText(rowOf(c, "migrations")), "+0.0 %");
}

TEST(CompareRuns, EndsSoonWhenCancelledAndTellsWhatIsWrong) {
  std::atomic<bool> cancel = false;
  CompareControl control;
  control.cancel = &cancel;
  int calls = 0;
  control.onProgress = [&](double share) {
    EXPECT_GE(share, 0);
    EXPECT_LE(share, 1);
    if (++calls == 1) cancel = true;
  };
  EXPECT_TRUE(compared(side(false), side(true), control).wasCancelled);
  EXPECT_EQ(calls, 1);
  CompareSide wrong = side(true);
  wrong.overrides.kernel = "v9";
  EXPECT_FALSE(compared(wrong, side(true)).problems.empty());
}

TEST(CompareOutcomes, GivesNoChangeOfWhatIsMissing) {
  EXPECT_EQ(changeText({"x", true, std::nullopt, 5}), "-");
  EXPECT_EQ(changeText({"x", false, 0, 5}), "-");
  EXPECT_EQ(changeText({"x", false, 0, 0}), "0.0 %");
  EXPECT_EQ(changeText({"x", false, 200, 150}), "-25.0 %");
}

}  // namespace
}  // namespace rqscope::api
