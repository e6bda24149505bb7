// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <algorithm>

#include "rqscope/simulation.h"

namespace rqscope::api {
namespace {

std::unique_ptr<Simulation> open(const std::string& scenario) {
  return Simulation::open(scenario, {}).simulation;
}

TEST(PeltChart, HasEachIntegerBesideItsIdealAtTheSameMoments) {
  const auto simulation = open("pelt-ramp");
  simulation->seekTime(2'000'000'000);
  const ChartData chart = simulation->chart("pelt_task", 0, 2'000'000'000, 500);
  ASSERT_EQ(chart.series.size(), 6U);
  for (std::size_t s = 0; s < 6; s += 2) {
    const Series& integer = chart.series[s];
    const Series& ideal = chart.series[s + 1];
    EXPECT_TRUE(integer.isStep && !integer.isIdeal);
    EXPECT_TRUE(ideal.isIdeal && !ideal.isStep);
    EXPECT_EQ(ideal.name, integer.name + ", ideal");
    EXPECT_EQ(integer.timeNs, ideal.timeNs);
    ASSERT_GT(integer.value.size(), 500U);
    ASSERT_EQ(integer.value.size(), ideal.value.size());
  }
  // Asleep the kernel's number stands still while the ideal falls; running both rise to 1024.
  const auto at = [&](std::size_t series, std::int64_t ns) {
    const Series& s = chart.series[series];
    const auto it = std::upper_bound(s.timeNs.begin(), s.timeNs.end(), ns);
    return s.value[static_cast<std::size_t>(it - s.timeNs.begin()) - 1];
  };
  EXPECT_NEAR(at(0, 399'000'000), at(1, 399'000'000), 24);
  EXPECT_GT(at(0, 500'000'000), 900);
  EXPECT_LT(at(1, 500'000'000), 200);
}

TEST(PeltChart, IsThereForTasksQueuesAndGroups) {
  const auto simulation = open("two-groups");
  simulation->seekTime(300'000'000);
  for (const char* id : {"pelt_task:2", "pelt_cpu:0", "pelt_group:1", "pelt_group:2:0", "pelt_group"}) {
    const ChartData chart = simulation->chart(id, 0, 300'000'000, 100);
    EXPECT_EQ(chart.id, id);
    ASSERT_EQ(chart.series.size(), 6U) << id;
    EXPECT_GT(chart.series[0].value.back(), 0) << id;
    EXPECT_NEAR(chart.series[0].value.back(), chart.series[1].value.back(), 110) << id << ", a tick's worth";
  }
  EXPECT_TRUE(simulation->chart("pelt_task:99", 0, 1'000, 10).series.empty());
  EXPECT_TRUE(simulation->chart("pelt_cpu:7", 0, 1'000, 10).series.empty());
}

TEST(PeltChart, IsTheSameAfterGoingBackAndAfterABranch) {
  const auto simulation = open("two-groups");
  simulation->seekTime(200'000'000);
  const ChartData first = simulation->chart("pelt_cpu:0", 0, 200'000'000, 50);
  simulation->seekTime(20'000'000);
  simulation->seekTime(200'000'000);
  EXPECT_EQ(simulation->chart("pelt_cpu:0", 0, 200'000'000, 50).series[1].value, first.series[1].value);
  simulation->seekTime(100'000'000);
  ASSERT_TRUE(simulation->apply(R"({"do": "frequency", "cpus": [0], "value": 256})").empty());
  simulation->seekTime(200'000'000);
  EXPECT_NE(simulation->chart("pelt_cpu:0", 0, 200'000'000, 50).series[5].value, first.series[5].value);
}

}  // namespace
}  // namespace rqscope::api
