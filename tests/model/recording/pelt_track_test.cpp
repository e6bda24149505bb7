// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "recording/pelt_track.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/plans.h"

namespace rqscope {
namespace {

using namespace rqscope::test;

constexpr std::uint64_t kMs = 1'000'000;
constexpr std::size_t kUtil = 0, kLoad = 1, kRunnable = 2;
/// The kernel's average stands still for up to a period (1.05 ms) of the PELT clock between its updates at
/// ticks (4 ms) and loses less than a unit per sum to rounding down: 1024 * (1 - y^(5.05/1.05)) = 101 between
/// two ticks, and right at an update at most what a period is worth, 1024 * (1 - y) = 22, and 2 for rounding.
constexpr double kAtUpdate = 24;

Workload rampWorkload() {
  Workload w;
  w.threads = {
      thread("A", {event(ProgramEventKind::Sleep, 200 * kMs), event(ProgramEventKind::Run, 200 * kMs)}, 5)};
  return w;
}

std::unique_ptr<const PeltTrack> trackOf(const std::shared_ptr<const SimPlan>& plan,
                                         const PeltSubject& subject) {
  auto track = std::make_unique<PeltTrack>(makeSimState(plan), subject);
  track->advanceTo(UINT64_MAX);
  return track;
}

PeltSubject taskSubject(std::size_t slot, std::int32_t pid) {
  PeltSubject subject;
  subject.task = TaskId{slot};
  subject.pid = pid;
  return subject;
}

PeltSubject queueSubject(int cpu, int group = 0) {
  PeltSubject subject;
  subject.kind = PeltSubject::Kind::Queue;
  subject.cpu = CpuId{cpu};
  subject.group = GroupId{group};
  return subject;
}

std::int32_t firstPid(const std::shared_ptr<const SimPlan>& plan) {
  Simulator simulator(makeSimState(plan));
  while (simulator.state().machine.tasks.empty()) simulator.stepEvent();
  return simulator.state().machine.tasks[0].pid;
}

/// Farthest that the integers are from the curve at the moments in which they changed.
double farthestAtSteps(const PeltTrack& track, std::size_t signal) {
  double far = 0;
  for (const PeltTrack::Step& step : track.steps())
    far = std::max(far, std::abs(static_cast<double>(step.value[signal]) - track.ideal(step.timeNs)[signal]));
  return far;
}

TEST(IdealAverage, ComesHalfOfItsWayInThirtyTwoPeriods) {
  EXPECT_DOUBLE_EQ(idealAverage(0, 1024, 32 * 1024.0 * 1024.0), 512);
  EXPECT_DOUBLE_EQ(idealAverage(1024, 0, 64 * 1024.0 * 1024.0), 256);
  EXPECT_DOUBLE_EQ(idealAverage(300, 300, 12345), 300);
  EXPECT_DOUBLE_EQ(idealAverage(7, 1024, 0), 7);
}

TEST(PeltTrack, FollowsARampByTheClosedForm) {
  const auto plan = makePlan(flatHardware(1), profileOf("v6.12"), rampWorkload(), 2'200 * kMs);
  const auto heldTrack = trackOf(plan, taskSubject(0, firstPid(plan)));
  const PeltTrack& track = *heldTrack;
  // It sleeps 200 ms, then runs 200 ms: the curve is that of the formula, from where it stood.
  const double before = track.ideal(200 * kMs)[kUtil];
  for (const std::uint64_t ms : {1, 10, 32, 64, 150, 199})
    EXPECT_NEAR(track.ideal((200 + ms) * kMs)[kUtil],
                1024 + (before - 1024) * std::exp2(-static_cast<double>(ms) / 33.554432), 0.5)
        << ms << " ms";
  const double top = track.ideal(400 * kMs)[kUtil];
  EXPECT_NEAR(track.ideal(400 * kMs + 33'554'432)[kUtil], top / 2, 0.5);
}

TEST(PeltTrack, LiesBesideTheIntegersOfATask) {
  for (const char* kernel : {"v6.1", "v6.12", "v7.3"}) {
    const auto plan = makePlan(flatHardware(1), profileOf(kernel), rampWorkload(), 2'200 * kMs);
    const auto heldTrack = trackOf(plan, taskSubject(0, firstPid(plan)));
    const PeltTrack& track = *heldTrack;
    EXPECT_GT(track.steps().size(), 100U) << kernel;
    for (const std::size_t signal : {kUtil, kLoad, kRunnable})
      EXPECT_LE(farthestAtSteps(track, signal), kAtUpdate) << kernel << " signal " << signal;
  }
}

TEST(PeltTrack, GoesByTheClockOfASlowCpu) {
  // On a CPU of capacity 512 the clock runs at half speed while it is busy: half of the way in 67 ms.
  Hardware hardware = flatHardware(1);
  hardware.cpus[0].capacity = 512;
  Workload w;
  w.threads = {thread("A", {event(ProgramEventKind::Run, 2'000 * kMs)})};
  const auto plan = makePlan(hardware, profileOf("v6.12"), w, 400 * kMs);
  const std::uint32_t capacity = plan->topology->cpuCapacity[0];
  const auto heldTrack = trackOf(plan, taskSubject(0, firstPid(plan)));
  const PeltTrack& track = *heldTrack;
  const double start = track.ideal(10 * kMs)[kUtil];
  const double half = 33'554'432.0 * 1024.0 / capacity;
  EXPECT_NEAR(track.ideal(10 * kMs + static_cast<std::uint64_t>(half))[kUtil], start + (1024 - start) / 2, 1);
  EXPECT_LE(farthestAtSteps(track, kUtil), kAtUpdate);
}

TEST(PeltTrack, FollowsAFrequencyThatChangesWhileItRuns) {
  Workload w;
  w.threads = {thread("A", {event(ProgramEventKind::Run, 2'000 * kMs)})};
  Operation slower;
  slower.atNs = 20 * kMs;
  slower.kind = OperationKind::Frequency;
  slower.cpus = CpuMask::of(CpuId{0});
  slower.value = 256;
  const auto plan = makePlan(flatHardware(1), profileOf("v6.12"), w, 400 * kMs, {slower});
  const auto heldTrack = trackOf(plan, taskSubject(0, firstPid(plan)));
  const PeltTrack& track = *heldTrack;
  const double at = track.ideal(20 * kMs)[kUtil];
  // A quarter of the frequency: in four half-lives of wall time half of the way.
  EXPECT_NEAR(track.ideal(20 * kMs + 4 * 33'554'432)[kUtil], at + (1024 - at) / 2, 1);
  EXPECT_LE(farthestAtSteps(track, kUtil), kAtUpdate);
}

TEST(PeltTrack, SumsTheTasksOfAQueueAcrossMigrations) {
  // Six hogs on Juno, pinned and then set free: attached and detached many times.
  const auto plan =
      makePlan(builtinHardware("juno-r2"), profileOf("v6.12"), junoWorkload(3'000 * kMs), 3'000 * kMs);
  for (const int cpu : {0, 1, 3}) {
    const auto heldTrack = trackOf(plan, queueSubject(cpu));
    const PeltTrack& track = *heldTrack;
    ASSERT_GT(track.steps().size(), 100U);
    EXPECT_LE(farthestAtSteps(track, kUtil), 2 * kAtUpdate) << "CPU " << cpu;
  }
}

TEST(PeltTrack, IsTheSameInOneGoAndInMany) {
  const auto plan =
      makePlan(builtinHardware("juno-r2"), profileOf("v6.12"), junoWorkload(1'000 * kMs), 1'000 * kMs);
  const auto heldOnce = trackOf(plan, queueSubject(1));
  const PeltTrack& once = *heldOnce;
  PeltTrack pieces(makeSimState(plan), queueSubject(1));
  for (std::uint64_t p = 1; p < once.position(); p += 37) pieces.advanceTo(p);
  pieces.advanceTo(UINT64_MAX);
  for (std::uint64_t ms = 0; ms < 1'000; ms += 7)
    for (const std::size_t signal : {kUtil, kLoad, kRunnable})
      EXPECT_EQ(pieces.ideal(ms * kMs)[signal], once.ideal(ms * kMs)[signal]);
}

}  // namespace
}  // namespace rqscope
