// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "rqscope/simulation.h"

namespace rqscope::api {
namespace {

constexpr std::int64_t kMs = 1'000'000;

std::unique_ptr<Simulation> opened(const std::string& name, const Overrides& overrides = {}) {
  Opened result = Simulation::open(name, overrides);
  for (const Problem& problem : result.problems) ADD_FAILURE() << problem.text();
  return std::move(result.simulation);
}

/// Types of the groups of a CPU's highest domain, the local one first.
std::vector<std::string> typesAtTop(const Simulation& simulation, std::int32_t cpu) {
  const auto frame = simulation.frame();
  std::vector<std::string> types;
  const LayoutCpu& own = frame->layout->cpus.at(static_cast<std::size_t>(cpu));
  const LayoutDomain& top = frame->layout->domains.at(static_cast<std::size_t>(own.domains.back()));
  for (const std::int32_t group : top.groups)
    types.push_back(frame->groups.at(static_cast<std::size_t>(group)).type);
  return types;
}

std::unique_ptr<Simulation> junoUnpatched() {
  Overrides overrides;
  overrides.patches = {{"migrate_util_shr_bound", false}};
  return opened("juno", overrides);
}

TEST(Viewpoint, TheLocalGroupIsNeverMisfit) {
  // Three hogs alone on little CPUs of 383: too big for them. update_sg_lb_stats() looks for misfit tasks in
  // other groups only, so to CPU 5 of that cluster it is has_spare (3 tasks < 4 CPUs), and to big CPU 1
  // misfit_task, as 1024 is greater than 383.
  const auto simulation = junoUnpatched();
  simulation->seekTime(624 * kMs);
  simulation->setViewpoint(5);
  EXPECT_EQ(typesAtTop(*simulation, 5), (std::vector<std::string>{"has_spare", "overloaded"}));
  simulation->setViewpoint(1);
  EXPECT_EQ(typesAtTop(*simulation, 1), (std::vector<std::string>{"overloaded", "misfit_task"}));
}

TEST(Viewpoint, OfSeveralDecisionsOfAMomentItsOwnIsShown) {
  // At 624 ms CPU 1 and CPU 5 both make passes; CPU 5's at PKG fails once more. Who looks at CPU 5 means it.
  const auto simulation = junoUnpatched();
  simulation->seekTime(624 * kMs);
  ASSERT_NE(simulation->frame()->ladder, nullptr);
  ASSERT_NE(simulation->frame()->ladder->cpu, 5) << "the last decision of the moment is another CPU's";
  simulation->setViewpoint(5);
  const auto frame = simulation->frame();
  EXPECT_EQ(frame->ladder->cpu, 5);
  EXPECT_EQ(frame->ladder->timeNs, 624 * kMs);
  EXPECT_TRUE(frame->ladder->failed);
}

TEST(Viewpoint, WithoutOneTheCpuOfTheDecisionLooks) {
  // At the first failed pass of CPU 5 the frame after it shows its ladder, and the groups as that CPU sees
  // them.
  const auto simulation = junoUnpatched();
  StopCondition stop;
  stop.kind = StopKind::FailedBalance;
  simulation->seekTime(101 * kMs);
  for (int tries = 0; tries < 100; ++tries) {
    ASSERT_TRUE(simulation->runUntil(stop, 10'000));
    if (simulation->frame()->ladder->cpu == 5) break;
  }
  ASSERT_EQ(simulation->frame()->ladder->cpu, 5);
  EXPECT_EQ(typesAtTop(*simulation, 5).front(), "has_spare");
}

const TimelineLane& laneOf(const TimelineWindow& window, std::int32_t cpu) {
  return *std::find_if(window.lanes.begin(), window.lanes.end(),
                       [&](const TimelineLane& lane) { return lane.cpu == cpu; });
}

TEST(Timeline, ShowsNothingRunningOnAnOfflineCpu) {
  // hotplug: CPU 2 is offline from 200 to 600 ms. No slice may reach into that time.
  const auto simulation = opened("hotplug");
  simulation->seekTime(800 * kMs);
  const TimelineWindow window = simulation->timeline(0, 800 * kMs, 1000);
  const TimelineLane& lane = laneOf(window, 2);
  ASSERT_EQ(lane.offline.size(), 1U);
  EXPECT_EQ(lane.offline[0].beginNs, 200 * kMs);
  EXPECT_EQ(lane.offline[0].endNs, 600 * kMs);
  ASSERT_FALSE(lane.slices.empty());
  for (const TimelineSlice& slice : lane.slices)
    EXPECT_TRUE(slice.endNs <= 200 * kMs || slice.beginNs >= 600 * kMs)
        << slice.name << " from " << slice.beginNs << " to " << slice.endNs;
  EXPECT_TRUE(laneOf(window, 0).offline.empty());
}

TEST(Timeline, CutsOfflineTimeToTheWindow) {
  const auto simulation = opened("hotplug");
  simulation->seekTime(400 * kMs);  // still offline
  const TimelineWindow window = simulation->timeline(300 * kMs, 500 * kMs, 1000);
  const TimelineLane& lane = laneOf(window, 2);
  ASSERT_EQ(lane.offline.size(), 1U);
  EXPECT_EQ(lane.offline[0].beginNs, 300 * kMs);
  EXPECT_EQ(lane.offline[0].endNs, window.runEndNs);
}

TEST(Timeline, ForgetsWithABranchThatACpuWentOffline) {
  const auto simulation = opened("hotplug");
  simulation->seekTime(400 * kMs);
  simulation->seekTime(100 * kMs);
  EXPECT_TRUE(simulation->apply(R"({"do":"nice","task":"hog-0","nice":5})").empty());
  const TimelineWindow window = simulation->timeline(0, 500 * kMs, 1000);
  EXPECT_TRUE(laneOf(window, 2).offline.empty());
}

TEST(Timeline, RunsATaskOnOneCpuAtATimeWhenAllOthersGoOffline) {
  // Three of four CPUs go offline at 200 ms: from then on at most one slice may be at any moment.
  const std::string text = R"({"rqscope-scenario":1,"machine":"vm-4cpu","kernel":"v6.12",
    "workload":[{"generator":"hogs","count":4}],
    "script":[{"at":"200ms","do":"offline","cpu":1},{"at":"200ms","do":"offline","cpu":2},
              {"at":"200ms","do":"offline","cpu":3}],"until":"400ms"})";
  Opened result = Simulation::openText("all.json", text, {});
  ASSERT_NE(result.simulation, nullptr);
  result.simulation->seekTime(400 * kMs);
  const TimelineWindow window = result.simulation->timeline(201 * kMs, 400 * kMs, 1000);
  EXPECT_FALSE(laneOf(window, 0).slices.empty());
  for (const std::int32_t cpu : {1, 2, 3}) EXPECT_TRUE(laneOf(window, cpu).slices.empty()) << "CPU " << cpu;
}

}  // namespace
}  // namespace rqscope::api
