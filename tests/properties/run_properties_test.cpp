// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/simulator.h"
#include "runqueue/queue.h"
#include "support/plans.h"
#include "support/scenario_plan.h"

namespace rqscope {
namespace {

using namespace rqscope::test;

constexpr std::uint64_t kRunNs = 400'000'000;
const char* const kScenarios[] = {"juno",    "hackbench", "two-groups", "throttled-group", "smt",
                                  "hotplug", "spawn",     "pipe",       "nice-levels",     "misfit"};

std::shared_ptr<const SimPlan> builtinPlan(const std::string& name, const std::string& kernel) {
  ScenarioOverrides overrides;
  overrides.kernel = kernel;
  auto plan = test::scenarioPlan(test::builtinScenario(name, overrides));
  plan->untilNs = kRunNs;
  return plan;
}

/// Wants every decision and drops it.
class Watcher final : public Observer {
 public:
  bool wantsDecisions() const override { return true; }
};

/// A mark may wait for a later event in two cases: the current task has begun to exit and cannot be preempted
/// until it is dead (its run end is the event), or the CPU is still coming out of idle.
bool mayWait(const SimState& state, CpuId cpu) {
  const Machine& m = state.machine;
  if (state.idleExits.contains(cpu.index())) return true;
  const TaskId curr = m.rq(cpu).curr;
  return !m.tunables().preemption && curr.isValid() && m.task(curr).exiting &&
         state.runEnds.contains(cpu.index());
}

/// What must hold of a machine at rest between two events.
void expectSound(const SimState& state, const std::string& where) {
  const Machine& m = state.machine;
  m.topology->online.forEach([&](CpuId cpu) {
    const Rq& rq = m.rq(cpu);
    const CfsRq& root = m.rootCfs(cpu);
    ASSERT_FALSE(rq.needResched && !mayWait(state, cpu))
        << where << ": CPU " << cpu.value << " was left with a reschedule";
    ASSERT_FALSE(rq.softirqPending) << where << ": CPU " << cpu.value << " was left with a softirq";
    ASSERT_FALSE(rq.stopperRunning) << where;
    ASSERT_TRUE(rq.curr.isValid() || root.hNrQueued == root.hNrDelayed || mayWait(state, cpu))
        << where << ": CPU " << cpu.value << " idles over " << root.hNrQueued << " tasks";
    if (!rq.curr.isValid()) return;
    ASSERT_EQ(m.task(rq.curr).cpu, cpu) << where;
    ASSERT_TRUE(m.task(rq.curr).onCpu) << where;
    ASSERT_TRUE(m.task(rq.curr).cpusAllowed.test(cpu)) << where << ": " << m.task(rq.curr).name;
    ASSERT_TRUE(state.runEnds.contains(cpu.index()))
        << where << ": nothing ends the run of CPU " << cpu.value;
    ASSERT_FALSE(state.cpus[cpu.index()].isIdle) << where;
  });
  for (const StopperWork& work : m.stopperWork) ASSERT_TRUE(mayWait(state, work.cpu)) << where;
}

class RunProperties : public testing::TestWithParam<std::string> {};

TEST_P(RunProperties, LeavesNoMarkUnservedAndNoTaskBehind) {
  for (const char* name : kScenarios) {
    Simulator simulator(makeSimState(builtinPlan(name, GetParam())));
    while (simulator.stepEvent() && !testing::Test::HasFatalFailure())
      expectSound(simulator.state(), std::string(name) + " on " + GetParam() + " at event " +
                                         std::to_string(simulator.state().counters.events));
  }
}

TEST_P(RunProperties, IsTheSameWatchedOrNot) {
  // Building decisions in full must not change what is decided; nor the number of decisions counted.
  for (const char* name : kScenarios) {
    const auto plan = builtinPlan(name, GetParam());
    Simulator fast(makeSimState(plan));
    Simulator watched(makeSimState(plan));
    Watcher watcher;
    watched.setObserver(&watcher);
    while (fast.stepEvent()) {
      ASSERT_TRUE(watched.stepEvent());
      ASSERT_EQ(fast.state().runHash, watched.state().runHash)
          << name << " event " << fast.state().counters.events;
    }
    EXPECT_EQ(fingerprint(fast.state()), fingerprint(watched.state())) << name;
    EXPECT_EQ(fast.state().counters.decisions(), watched.state().counters.decisions()) << name;
  }
}

TEST_P(RunProperties, ACopyGoesOnAsTheOriginal) {
  // A checkpoint is a copy: both futures are equal, and running one does not touch the other.
  for (const char* name : kScenarios) {
    Simulator original(makeSimState(builtinPlan(name, GetParam())));
    for (int i = 0; i < 500; ++i) original.stepEvent();
    Simulator copy(original.state());
    for (int i = 0; i < 500; ++i) copy.stepEvent();
    const std::uint64_t there = fingerprint(copy.state());
    for (int i = 0; i < 500; ++i) original.stepEvent();
    EXPECT_EQ(fingerprint(original.state()), there) << name;
  }
}

TEST_P(RunProperties, CountsIdleWhileWaitingAsALookAtEveryTaskDoes) {
  // The counter is kept by changes; here it is recomputed from the machine between any two events.
  for (const char* name : kScenarios) {
    Simulator simulator(makeSimState(builtinPlan(name, GetParam())));
    std::uint64_t expected = 0;
    for (;;) {
      const SimState& state = simulator.state();
      const Machine& m = state.machine;
      std::uint64_t idleCpus = 0;
      m.topology->online.forEach([&](CpuId cpu) {
        if (m.rq(cpu).curr.isValid()) return;
        for (std::size_t t = 0; t < m.tasks.size(); ++t) {
          const Task& task = m.tasks[t];
          if (!task.se.isValid() || !task.onRq || task.onCpu || m.entity(task.se).schedDelayed) continue;
          if (isThrottledHierarchy(m, m.entity(task.se).cfsRq)) continue;
          if (!task.cpusAllowed.test(cpu)) continue;
          ++idleCpus;
          return;
        }
      });
      const std::uint64_t before = m.nowNs;
      if (!simulator.stepEvent()) break;
      expected += idleCpus * (simulator.state().machine.nowNs - before);
      ASSERT_EQ(simulator.state().counters.idleWhileWaitingNs, expected)
          << name << " event " << simulator.state().counters.events;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, RunProperties, testing::Values("v6.1", "v6.12", "v7.3"),
                         [](const auto& kernel) {
                           std::string name = kernel.param;
                           for (char& c : name)
                             if (c == '.') c = '_';
                           return name;
                         });

}  // namespace
}  // namespace rqscope
