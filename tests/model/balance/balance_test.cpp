// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "balance/balance.h"

#include <gtest/gtest.h>

#include "evaluate/hand_machine.h"
#include "runqueue/queue.h"

namespace rqscope {
namespace {

constexpr CpuId kA{0}, kB{1}, kC{2};

/// Keeps what balance reports.
class Log : public Observer {
 public:
  explicit Log(bool wants = false) : m_wants(wants) {}
  bool wantsDecisions() const override { return m_wants; }
  void onBalancePass(const Machine&, const BalancePass& pass) override { passes.push_back(pass); }
  void onNohzKick(const Machine&, CpuId, CpuId target, std::uint32_t) override { kicks.push_back(target); }
  std::vector<BalancePass> passes;
  std::vector<CpuId> kicks;

 private:
  bool m_wants;
};

/// Four CPUs of one cache in one domain; interval 4 ms, as 4 CPUs give it.
Machine fourCpus(bool preemption = true) {
  HandTopology hand(4);
  hand.addDomain({0, 1, 2, 3}, kSdShareLlc | kSdBalanceNewidle, 117, {{{0}}, {{1}}, {{2}}, {{3}}});
  hand.addCache({0, 1, 2, 3});
  KernelProfile profile = kernelProfile("v6.12").value();
  profile.tunables.preemption = preemption;
  profile.features.niRandom = false;
  return handMachine(hand.finish(), profile);
}

TaskId enqueue(Context& ctx, CpuId cpu, bool running) {
  Machine& m = ctx.m;
  NewTask spec;
  spec.cpu = cpu;
  const TaskId task = addTask(m, spec);
  m.task(task).state = TaskState::Running;
  m.task(task).newTask = false;
  enqueueTaskFair(ctx, cpu, task, kEnqueueNoclock);
  m.task(task).onRq = true;
  if (running) {
    m.rq(cpu).curr = task;
    m.task(task).onCpu = true;
    setNextTaskFair(ctx, cpu, task);
  }
  return task;
}

/// A running task and a waiting, cache-cold one on CPU B.
TaskId crowdB(Context& ctx) {
  enqueue(ctx, kB, true);
  const TaskId waiting = enqueue(ctx, kB, false);
  ctx.m.se(waiting).execStart = ctx.m.rq(kB).clockTask - 2'000'000;
  return waiting;
}

TEST(NewidleBalance, LooksAtNoDomainUnlessTheRootDomainIsOverloaded) {
  Machine m = fourCpus();
  Log log;
  Context ctx{m, log};
  crowdB(ctx);
  m.rootDomains[0].overloaded = false;
  EXPECT_EQ(schedBalanceNewidle(ctx, kA), 0);
  EXPECT_TRUE(log.passes.empty());
  m.rootDomains[0].overloaded = true;
  EXPECT_EQ(schedBalanceNewidle(ctx, kA), 1);
  EXPECT_EQ(log.passes.size(), 1U);
}

TEST(NewidleBalance, TakesTheWaitingTaskOfTheBusyCpu) {
  Machine m = fourCpus();
  Log log(true);
  Context ctx{m, log};
  const TaskId waiting = crowdB(ctx);
  EXPECT_EQ(schedBalanceNewidle(ctx, kA), 1);
  EXPECT_EQ(m.task(waiting).cpu, kA);
  EXPECT_EQ(m.rq(kA).nrRunning, 1U);
  EXPECT_EQ(m.rq(kB).nrRunning, 1U);
  ASSERT_EQ(log.passes.size(), 1U);
  const BalancePass& pass = log.passes.front();
  EXPECT_EQ(pass.entry, BalanceEntry::Newidle);
  ASSERT_EQ(pass.rounds.size(), 1U);
  EXPECT_EQ(pass.rounds[0].groups.size(), 4U);
  EXPECT_EQ(pass.rounds[0].sourceCpu, kB);
  ASSERT_EQ(pass.rounds[0].moved.size(), 1U);
  EXPECT_EQ(pass.rounds[0].moved[0], waiting);
}

TEST(NewidleBalance, IsSkippedWhenItWouldCostMoreThanTheCpuIsIdle) {
  Machine m = fourCpus();
  Log log;
  Context ctx{m, log};
  crowdB(ctx);
  const DomainId lowest = m.topology->cpus[0].lowest;
  m.domains[lowest.index()].maxNewidleLbCost = m.rq(kA).avgIdle + 1;
  EXPECT_EQ(schedBalanceNewidle(ctx, kA), 0);
  EXPECT_TRUE(log.passes.empty());
}

TEST(BalancePass, HoldsNoRoundsWhenNobodyWantsDecisions) {
  Machine m = fourCpus();
  Log log(false);
  Context ctx{m, log};
  crowdB(ctx);
  schedBalanceNewidle(ctx, kA);
  ASSERT_EQ(log.passes.size(), 1U);
  EXPECT_TRUE(log.passes[0].rounds.empty());
  EXPECT_EQ(log.passes[0].movedCount, 1U);
}

TEST(BalancePass, LeavesTheSameMachineWhetherWatchedOrNot) {
  Machine watched = fourCpus(), unwatched = fourCpus();
  Log loud(true), quiet(false);
  Context a{watched, loud}, b{unwatched, quiet};
  crowdB(a);
  crowdB(b);
  schedBalanceNewidle(a, kA);
  schedBalanceNewidle(b, kA);
  EXPECT_EQ(watched.rq(kA).nrRunning, unwatched.rq(kA).nrRunning);
  EXPECT_EQ(watched.rq(kA).nextBalance, unwatched.rq(kA).nextBalance);
  EXPECT_EQ(watched.rootCfs(kB).avg.loadAvg, unwatched.rootCfs(kB).avg.loadAvg);
}

TEST(BalanceDomains, WaitsForTheIntervalAndSetsTheNextDate) {
  Machine m = fourCpus();
  Log log;
  Context ctx{m, log};
  const DomainId lowest = m.topology->cpus[0].lowest;
  m.domains[lowest.index()].lastBalance = m.jiffies;
  schedBalanceDomains(ctx, {kA, kA, CpuIdleType::Idle});
  EXPECT_TRUE(log.passes.empty());
  const std::uint64_t interval = sdBalanceInterval(m, lowest, false);
  EXPECT_EQ(m.rq(kA).nextBalance, m.jiffies + interval);
  m.jiffies += interval;
  schedBalanceDomains(ctx, {kA, kA, CpuIdleType::Idle});
  EXPECT_EQ(log.passes.size(), 1U);
  EXPECT_EQ(m.domains[lowest.index()].lastBalance, m.jiffies);
}

TEST(BalanceDomains, DoublesTheIntervalWhileBalanced) {
  Machine m = fourCpus();
  Log log;
  Context ctx{m, log};
  const DomainId lowest = m.topology->cpus[0].lowest;
  m.domains[lowest.index()].balanceIntervalMs = 4;
  m.jiffies += 1000;
  schedBalanceDomains(ctx, {kA, kA, CpuIdleType::Idle});
  ASSERT_EQ(log.passes.size(), 1U);
  EXPECT_EQ(log.passes[0].intervalMsBefore, 4U);
  EXPECT_EQ(log.passes[0].intervalMsAfter, 8U);
}

TEST(Nohz, KicksTheFirstIdleCpuOnce) {
  Machine m = fourCpus();
  Log log;
  Context ctx{m, log};
  m.shared[0].nrBusyCpus = 4;
  crowdB(ctx);
  nohzBalanceEnterIdle(ctx, kA);
  nohzBalanceEnterIdle(ctx, kC);
  EXPECT_EQ(m.shared[0].nrBusyCpus, 2);
  m.nohz.nextBalance = m.jiffies;
  schedBalanceTrigger(ctx, kB);
  ASSERT_EQ(log.kicks.size(), 1U);
  EXPECT_EQ(log.kicks[0], kA);
  EXPECT_TRUE(m.rq(kA).softirqPending);
  ++m.jiffies;
  schedBalanceTrigger(ctx, kB);
  EXPECT_EQ(log.kicks.size(), 1U);  // the first is still on its way
}

TEST(Nohz, BalancesOnBehalfOfTheOtherIdleCpus) {
  Machine m = fourCpus();
  Log log;
  Context ctx{m, log};
  crowdB(ctx);
  nohzBalanceEnterIdle(ctx, kA);
  nohzBalanceEnterIdle(ctx, kC);
  m.nohz.nextBalance = m.jiffies;
  schedBalanceTrigger(ctx, kB);
  schedBalanceSoftirq(ctx, kA);
  ASSERT_FALSE(log.passes.empty());
  EXPECT_EQ(log.passes[0].dstCpu, kC);  // the others first, this CPU last
  EXPECT_EQ(log.passes[0].runOn, kA);
  EXPECT_EQ(log.passes[0].entry, BalanceEntry::NohzKick);
}

TEST(Nohz, LeavesTheIdleSetAtTheNextBusyTick) {
  Machine m = fourCpus();
  Log log;
  Context ctx{m, log};
  nohzBalanceEnterIdle(ctx, kB);
  EXPECT_TRUE(m.nohz.idleCpus.test(kB));
  crowdB(ctx);
  schedBalanceTrigger(ctx, kB);
  EXPECT_FALSE(m.nohz.idleCpus.test(kB));
}

TEST(ActiveBalance, PushesOneWaitingTaskToTheRequester) {
  Machine m = fourCpus();
  Log log;
  Context ctx{m, log};
  const TaskId waiting = crowdB(ctx);
  m.rq(kB).activeBalance = true;
  m.rq(kB).pushCpu = kA;
  activeLoadBalanceCpuStop(ctx, kB);
  EXPECT_EQ(m.task(waiting).cpu, kA);
  EXPECT_FALSE(m.rq(kB).activeBalance);
  ASSERT_EQ(log.passes.size(), 1U);
  EXPECT_EQ(log.passes[0].movedCount, 1U);
}

}  // namespace
}  // namespace rqscope
