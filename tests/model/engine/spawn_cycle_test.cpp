// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include "engine/scheduler.h"
#include "runqueue/load_tracking.h"
#include "support/plans.h"

namespace rqscope {
namespace {

using namespace rqscope::test;

constexpr std::uint64_t kPeltUs = 1024;  // PELT counts 1024 ns as one

/// One CPU whose session queue stands where the real kernel's stood before the fork; the parent runs.
class ForkExitCycle {
 public:
  ForkExitCycle(bool earlyBail, std::uint32_t contrib, std::uint64_t utilAvg, std::uint32_t utilSum,
                std::uint64_t removedUtil)
      : m_plan(
            makePlan(flatHardware(1), profileOf("v6.12", {{"sched_move_task_early_bail", earlyBail}}), {})),
        m(makeMachine(m_plan->topology, m_plan->profile, 1'048'576'000, 1)),
        m_ctx{m, m_nobody} {
    m_session = addGroup(m, "/user.slice/session", addGroup(m, "/user.slice", GroupId{0}));
    NewTask spec;
    spec.name = "parent";
    spec.group = m_session;
    m_parent = addTask(m, spec);
    wakeUpNewTask(m_ctx, m_parent);
    schedule(m_ctx, kCpu);
    advance(0);
    CfsRq& q = queue();
    q.avg.lastUpdateTime = m.rq(kCpu).clockPelt / kPeltUs * kPeltUs;
    q.avg.periodContrib = contrib;
    q.avg.utilAvg = utilAvg;
    q.avg.utilSum = utilSum;
    q.avg.loadAvg = 2045;  // two full weights, as in the record
    q.avg.loadSum = q.avg.loadAvg * peltDivider(q.avg);
    q.removed.nr = 1;
    q.removed.utilAvg = removedUtil;
    q.removed.loadAvg = 1024;
  }

  void advance(std::uint64_t peltUs) {
    m.nowNs += peltUs * kPeltUs;
    updateRqClock(m_ctx, kCpu);
  }
  CfsRq& queue() { return m.cfs[queueOf(m, m_session, kCpu).index()]; }
  const SchedAvg& child() { return m.se(m_child).avg; }
  TaskId running() const { return m.rq(kCpu).curr; }

  void fork() {
    NewTask spec;
    spec.name = "child";
    spec.group = m_session;
    m_child = schedFork(m_ctx, m_parent, spec);
    wakeUpNewTask(m_ctx, m_child);
  }
  void parentWaits() {
    blockCurrent(m_ctx, kCpu);
    schedule(m_ctx, kCpu);
  }
  void leaveGroup() { exitMoveTask(m_ctx, kCpu); }
  void die() {
    tryToWakeUp(m_ctx, m_parent, kCpu, 0);
    exitTask(m_ctx, kCpu);
    schedule(m_ctx, kCpu);
  }
  TaskId parentId() const { return m_parent; }
  TaskId childId() const { return m_child; }

 private:
  static constexpr CpuId kCpu{0};
  std::shared_ptr<const SimPlan> m_plan;
  Machine m;
  Observer m_nobody;
  Context m_ctx;
  GroupId m_session;
  TaskId m_parent, m_child;
};

void expectQueue(ForkExitCycle& c, std::uint64_t utilAvg, std::uint32_t utilSum, const char* step) {
  EXPECT_EQ(c.queue().avg.utilAvg, utilAvg) << step;
  EXPECT_EQ(c.queue().avg.utilSum, utilSum) << step;
}

// ground-truth/spawn/README.md, section 5, first table: child 2384 of a real 6.12.117 kernel on one CPU.
TEST(ForkExitCycle, LosesTheChildsRunTimeWithTheSequence) {
  ForkExitCycle c(false, 265, 719, 33'810'341, 151);
  c.advance(84);
  c.fork();
  EXPECT_EQ(c.child().utilAvg, 152U);
  EXPECT_EQ(c.child().utilSum, 7'154'184U);
  expectQueue(c, 720, 33'956'108, "attach at the fork");
  c.advance(26);
  c.parentWaits();
  ASSERT_EQ(c.running(), c.childId());
  expectQueue(c, 720, 33'956'108 + 26 * 1024, "the parent waits");
  c.advance(77);
  c.leaveGroup();
  expectQueue(c, 720, 33'998'388, "detach and attach at the exit");
  EXPECT_EQ(c.child().utilSum, 7'169'840U);
  c.advance(26);
  c.die();
  ASSERT_EQ(c.running(), c.parentId());
  expectQueue(c, 720, 34'025'012, "the child is dead");
  EXPECT_EQ(c.queue().removed.utilAvg, 152U);
  // The next fork: removed first (568, 26 851 220), then 1 us of the parent and the attach of the new child.
  c.advance(1);
  c.fork();
  expectQueue(c, 568 + 152, 26'851'220 + 1024 + 152 * (46'718 + 479), "the next fork");
}

// Second table: child 2468, the early return.
TEST(ForkExitCycle, KeepsTheChildsRunTimeWithEarlyBail) {
  ForkExitCycle c(true, 256, 996, 46'815'623, 13);
  c.advance(84);
  c.fork();
  EXPECT_EQ(c.child().utilAvg, 14U);
  expectQueue(c, 997, 46'949'789, "attach at the fork");
  c.advance(26);
  c.parentWaits();
  ASSERT_EQ(c.running(), c.childId());
  c.advance(78);
  c.leaveGroup();
  c.die();
  expectQueue(c, 997, 47'056'285, "the child is dead");
  EXPECT_EQ(c.child().utilSum, 738'684U);
  EXPECT_EQ(c.queue().removed.utilAvg, 14U);
  c.advance(1);
  c.fork();
  const std::uint64_t next = (1024 - 997) / 2;
  expectQueue(c, 983 + next, static_cast<std::uint32_t>(46'396'017 + 1024 + next * (46'718 + 445)),
              "the next fork");
}

}  // namespace
}  // namespace rqscope
