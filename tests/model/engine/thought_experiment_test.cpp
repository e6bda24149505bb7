// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include "engine/simulator.h"
#include "support/scenario_plan.h"

// The three cases of the shared wakequeue thread's thought experiment, as the scenario walks through them.

namespace rqscope {
namespace {

class ThoughtExperiment : public testing::Test {
 protected:
  ThoughtExperiment() : m_simulator(makeSimState(plan())) {}

  static std::shared_ptr<const SimPlan> plan() {
    return test::scenarioPlan(test::builtinScenario("wakequeue-thought-experiment", {}));
  }
  void runToUs(std::uint64_t us) {
    const std::uint64_t end = m_simulator.state().originNs + us * 1000;
    while (m_simulator.nextEvent().kind != SimEventKind::None && m_simulator.nextEvent().timeNs <= end)
      m_simulator.stepEvent();
  }
  const SharedQueue& queue() const { return m_simulator.state().machine.sharedQueues.at(0); }
  std::string runningOn(int cpu) const {
    const Machine& m = m_simulator.state().machine;
    const TaskId curr = m.rq(CpuId{cpu}).curr;
    return curr.isValid() ? m.task(curr).name : "idle";
  }

  Simulator m_simulator;
};

TEST_F(ThoughtExperiment, FillingTheCpusQueuesNobody) {
  runToUs(10'400);
  for (int cpu = 0; cpu < 4; ++cpu) EXPECT_EQ(runningOn(cpu), "T" + std::to_string(cpu));
  EXPECT_EQ(queue().joined, 0U);
}

TEST_F(ThoughtExperiment, WakeesThatWinPreemptionLeaveAnEmptyQueue) {
  runToUs(10'600);
  for (int cpu = 0; cpu < 4; ++cpu) EXPECT_EQ(runningOn(cpu), "W" + std::to_string(cpu));
  EXPECT_EQ(queue().joined, 4U) << "none found an idle CPU";
  EXPECT_EQ(queue().length, 0U);
  runToUs(12'000);
  EXPECT_EQ(queue().pulled, 0U) << "CPU 3 ran out of work and found nothing in it";
  EXPECT_EQ(runningOn(3), "T0") << "newidle balance found what waited all the time";
}

TEST_F(ThoughtExperiment, AHeadThatMayNotRunThereIsRemovedAllTheSame) {
  runToUs(42'400);
  ASSERT_EQ(queue().length, 1U);
  EXPECT_EQ(m_simulator.state().machine.task(queue().head).name, "P");
  runToUs(42'600);
  EXPECT_EQ(runningOn(3), "idle");
  EXPECT_EQ(queue().length, 0U);
  EXPECT_EQ(queue().refused, 1U);
}

TEST_F(ThoughtExperiment, AHeadThatMayMigratesAndWaitsLess) {
  runToUs(71'400);
  ASSERT_EQ(queue().length, 1U);
  EXPECT_EQ(m_simulator.state().machine.task(queue().head).name, "Q");
  runToUs(71'600);
  EXPECT_EQ(runningOn(3), "Q");
  EXPECT_EQ(queue().pulled, 1U);
}

}  // namespace
}  // namespace rqscope
