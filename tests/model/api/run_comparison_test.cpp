// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "rqscope/run_comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rqscope::api {
namespace {

constexpr std::int64_t kMs = 1'000'000;

Overrides with(const std::string& patch, bool isOn, std::int64_t untilNs) {
  Overrides overrides;
  overrides.patches.emplace_back(patch, isOn);
  overrides.untilNs = untilNs;
  return overrides;
}

std::unique_ptr<RunComparison> junoUntil(std::int64_t untilNs, bool isOnInB) {
  auto opened = RunComparison::open("juno", "", with("migrate_util_shr_bound", false, untilNs),
                                    with("migrate_util_shr_bound", isOnInB, untilNs));
  EXPECT_NE(opened.comparison, nullptr);
  while (!opened.comparison->run(1000)) {
  }
  return std::move(opened.comparison);
}

TEST(RunComparison, FindsThePassInWhichThePatchDecides) {
  const auto runs = junoUntil(400 * kMs, true);
  ASSERT_TRUE(runs->hasDiverged());
  ASSERT_FALSE(runs->differences().empty());
  const Difference& first = runs->differences().front();
  EXPECT_EQ(first.timeNs, 136 * kMs);
  EXPECT_EQ(first.cpu, 5);
  EXPECT_EQ(first.resultA, "failed");
  EXPECT_EQ(first.resultB, "moved");
  // By position it is the same decision: all before are equal.
  ASSERT_TRUE(runs->firstDifferent()[0].has_value());
  EXPECT_EQ(runs->firstDifferent()[0]->index, first.a);
  EXPECT_EQ(runs->firstDifferent()[0]->index, runs->sameDecisions());
}

TEST(RunComparison, ShowsBothMachinesOnTheRungThatDiffers) {
  const auto runs = junoUntil(400 * kMs, true);
  const ComparedMoment moment = runs->at(0);
  ASSERT_NE(moment.ladders[0], nullptr);
  ASSERT_NE(moment.ladders[1], nullptr);
  ASSERT_GE(moment.rung, 0);
  const auto rung = static_cast<std::size_t>(moment.rung);
  EXPECT_EQ(moment.ladders[0]->rungs[rung].kind, "candidate");
  for (std::size_t i = 0; i < rung; ++i)
    EXPECT_EQ(moment.ladders[0]->rungs[i], moment.ladders[1]->rungs[i]) << i;
  for (const auto& frame : moment.frames) {
    EXPECT_EQ(frame->timeNs, 136 * kMs);
    EXPECT_EQ(frame->rung, moment.rung);
  }
}

TEST(RunComparison, SaysThatEqualRunsAreEqual) {
  const auto runs = junoUntil(200 * kMs, false);
  EXPECT_FALSE(runs->hasDiverged());
  EXPECT_TRUE(runs->differences().empty());
  EXPECT_GT(runs->sameDecisions(), 20U);
  for (const OutcomeRow& row : runs->outcomes()) EXPECT_EQ(row.a, row.b) << row.name;
}

TEST(RunComparison, ComparesOutcomesAndCharts) {
  auto runs = junoUntil(400 * kMs, true);
  const auto rows = runs->outcomes();
  const auto migrations =
      std::find_if(rows.begin(), rows.end(), [](const auto& r) { return r.name == "migrations"; });
  ASSERT_NE(migrations, rows.end());
  EXPECT_EQ(migrations->a, static_cast<double>(runs->simulation(0).outcome().migrations));
  EXPECT_EQ(migrations->b, static_cast<double>(runs->simulation(1).outcome().migrations));
  const ChartData chart = runs->chartOfCpu("cpu_util", 5, 100);
  ASSERT_EQ(chart.series.size(), 2U);
  EXPECT_THAT(chart.series[0].name, testing::StartsWith("A: "));
  EXPECT_THAT(chart.series[1].name, testing::StartsWith("B: "));
  EXPECT_LT(chart.series[0].value.back(), 50);   // CPU 5 stays idle without the patch
  EXPECT_GT(chart.series[1].value.back(), 300);  // and is busy with it
  EXPECT_EQ(runs->tasksFinished().series[0].value.back(), 0);
}

TEST(RunComparison, NamesTheProblemsOfEachSide) {
  Overrides bad;
  bad.kernel = "v9";
  const auto opened = RunComparison::open("juno", "", {}, bad);
  EXPECT_EQ(opened.comparison, nullptr);
  EXPECT_TRUE(opened.problems[0].empty());
  EXPECT_FALSE(opened.problems[1].empty());
}

}  // namespace
}  // namespace rqscope::api
