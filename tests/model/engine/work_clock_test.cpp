// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
// Programs that count their work by a clock that they read over and over.
#include <gtest/gtest.h>

#include "engine/simulator.h"
#include "support/plans.h"

namespace rqscope {
namespace {

using namespace rqscope::test;

constexpr std::uint64_t kMs = 1'000'000;
constexpr std::uint64_t kUs = 1'000;

/// Counts involuntary switches and notes when the last task ends.
class EndWatcher final : public Observer {
 public:
  void onSwitch(const Machine& m, const Switch& sw) override {
    if (sw.prev.isValid() && m.task(sw.prev).state == TaskState::Running) ++preempted;
  }
  void onTaskDead(const Machine& m, TaskId) override { endNs = m.nowNs; }
  std::uint64_t preempted = 0, endNs = 0;
};

/// Two tasks of 99 ms each on one CPU; a tick's switch comes 100 us behind the tick.
EndWatcher watched(const WorkClock& clock) {
  Workload w;
  ThreadProgram hog = thread("hog", {event(ProgramEventKind::Run, 99 * kMs)});
  hog.instances = 2;
  w.threads = {hog};
  auto plan = std::make_shared<SimPlan>(*makePlan(flatHardware(1), profileOf("v6.12"), std::move(w), 0));
  plan->softirqTiming.switchesNs = {100 * kUs};
  plan->workClock = clock;
  Simulator simulator(makeSimState(plan));
  const std::uint64_t origin = simulator.state().originNs;
  EndWatcher watcher;
  simulator.setObserver(&watcher);
  while (simulator.stepEvent()) {
  }
  watcher.endNs -= origin;
  return watcher;
}

// Situation: two tasks that preempt each other at ticks. Expectation: without a clock every ns on the CPU is
// work; with one, each preemption costs the time from the tick to the switch and that until the next read.
TEST(WorkClock, APreemptedTaskLosesWhatTheKernelDidAroundTheSwitches) {
  const EndWatcher plain = watched({});
  EXPECT_EQ(plain.endNs, 198 * kMs);
  const EndWatcher read = watched({1'500 * kUs, 20 * kUs});
  EXPECT_GT(read.preempted, 20U);
  // The last switch back is of the task that ends last; one that ends in between does not come back.
  EXPECT_EQ(read.endNs, 198 * kMs + read.preempted * 120 * kUs);
}

// Situation: the same, and an absence of a tick's length counts as no absence. Expectation: the time away is
// counted as work, as the program cannot tell.
TEST(WorkClock, AShortAbsenceCountsAsWork) {
  const EndWatcher read = watched({100 * kMs, 20 * kUs});
  EXPECT_LT(read.endNs, 198 * kMs);
}

}  // namespace
}  // namespace rqscope
