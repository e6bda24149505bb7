// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/contention.h"

#include <gtest/gtest.h>

#include <set>

#include "engine/simulator.h"
#include "groupstats/placement_decision.h"
#include "support/plans.h"
#include "topology/machine_layout.h"

namespace rqscope {
namespace {

// CPUs 0 1 | 2 3 share a core each; 0..3 one cache and package, 4..7 the other.
Hardware twoPackages() {
  return parseCompactMachine("2 packages x 1 nodes x 1 LLC x 2 cores x 2 threads", "test").value();
}

CostModel lineCosts() {
  CostModel costs;
  costs.lineCoreNs = 5;
  costs.lineLlcNs = 50;
  costs.lineNodeNs = 80;
  costs.lineSocketNs = 130;
  costs.lineAtomicNs = 10;
  return costs;
}

class ContentionTest : public testing::Test {
 protected:
  AccessEnvironment at(std::uint64_t nowNs) const { return {costs, distances, nowNs, nowNs}; }
  std::uint64_t write(int cpu, std::uint64_t nowNs) {
    return line.access(at(nowNs), CpuId{cpu}, true, counters);
  }
  std::uint64_t read(int cpu, std::uint64_t nowNs) {
    return line.access(at(nowNs), CpuId{cpu}, false, counters);
  }

  CostModel costs = lineCosts();
  CacheDistances distances{twoPackages()};
  ContendedLine line;
  LineCounters counters;
};

TEST_F(ContentionTest, KnowsDistances) {
  EXPECT_EQ(distances.between(CpuId{0}, CpuId{0}), CacheDistance::Own);
  EXPECT_EQ(distances.between(CpuId{0}, CpuId{1}), CacheDistance::Core);
  EXPECT_EQ(distances.between(CpuId{0}, CpuId{3}), CacheDistance::Llc);
  EXPECT_EQ(distances.between(CpuId{0}, CpuId{4}), CacheDistance::Socket);
  const CacheDistances dies{
      parseCompactMachine("1 packages x 1 nodes x 2 LLC x 1 cores x 1 threads", "test").value()};
  EXPECT_EQ(dies.between(CpuId{0}, CpuId{1}), CacheDistance::Node);
}

TEST_F(ContentionTest, LineMovesBetweenWritersOneAfterTheOther) {
  EXPECT_EQ(write(0, 0), 10U) << "nobody has it: only the locked add";
  EXPECT_EQ(write(2, 100), 60U) << "from the other core";
  // Busy until 160, then 130 over the socket and 10.
  EXPECT_EQ(write(4, 100), 200U);
  EXPECT_EQ(counters.waitedNs, 60U);
  EXPECT_EQ(write(4, 400), 10U) << "own by then";
}

TEST_F(ContentionTest, ReadersShareACleanLine) {
  write(4, 0);
  EXPECT_EQ(read(0, 100), 130U) << "written in the other package";
  EXPECT_EQ(read(2, 300), 50U) << "a copy is in the own package now";
  EXPECT_EQ(read(3, 300), 5U) << "and in the own core; the line is not busy with clean copies";
  EXPECT_EQ(read(3, 300), 0U);
  EXPECT_EQ(write(0, 400), 140U) << "the copy in the other package must go";
  EXPECT_EQ(read(4, 400), 270U) << "behind that write: 140, then 130 back";
}

TEST_F(ContentionTest, BusyLineIsBusyForLongerWhenAskedFor) {
  costs.lineContendedNs = 20;
  write(0, 0);
  EXPECT_EQ(write(2, 100), 60U) << "free: nothing is added";
  EXPECT_EQ(write(3, 100), 60U + 15U + 20U)
      << "behind the other thread's write, and 20 for having asked meanwhile";
  EXPECT_EQ(write(3, 400), 10U) << "free again";
}

TEST_F(ContentionTest, CpuThatIsAheadOfItsEventLeavesNoGap) {
  write(0, 0);
  const AccessEnvironment ahead{costs, distances, 100, 1000};
  EXPECT_EQ(line.access(ahead, CpuId{2}, true, counters), 60U);
  EXPECT_EQ(write(0, 110), 110U) << "busy until 160, not until 1060";
}

/// Tasks in a group that run and sleep, on any CPU.
Workload groupWorkload(bool inGroup, int tasks = 4) {
  Workload w;
  w.groups.push_back({"/g", -1, 100, -1, 100'000'000, false});
  for (int i = 0; i < tasks; ++i) {
    ThreadProgram t = test::thread(
        "t" + std::to_string(i),
        {test::event(ProgramEventKind::Run, 300'000), test::event(ProgramEventKind::Sleep, 200'000)}, 20);
    if (inGroup) t.settings.group = 0;
    w.threads.push_back(t);
  }
  return w;
}

SimState runWith(const CostModel& costs, bool inGroup) {
  auto plan = std::make_shared<SimPlan>(
      *test::makePlan(twoPackages(), test::profileOf("v6.1"), groupWorkload(inGroup)));
  plan->costs = costs;
  Simulator simulator(makeSimState(plan));
  while (simulator.stepEvent()) {
  }
  return simulator.state();
}

TEST(LineCosts, AreFreeWithoutGroupsAndCountedWithoutCosts) {
  const SimState plain = runWith({}, false);
  EXPECT_EQ(fingerprint(plain), fingerprint(runWith(lineCosts(), false))) << "no group: no such line";
  EXPECT_EQ(plain.contention.tgLoadAvgCounters.reads, 0U);
  const SimState counted = runWith({}, true);
  const LineCounters& counters = counted.contention.tgLoadAvgCounters;
  // 4 tasks x 20 turns: each turn ends on a queue of its own, so one enqueue and one dequeue of the group.
  EXPECT_GE(counters.reads, 160U);
  EXPECT_GT(counters.writes, 0U);
  EXPECT_EQ(counters.readNs + counters.writeNs, 0U);
}

TEST(LineCosts, MakeTasksLate) {
  CostModel costs = lineCosts();
  costs.lineSocketNs = costs.lineLlcNs = 20'000;
  const SimState cheap = runWith({}, true);
  const SimState dear = runWith(costs, true);
  EXPECT_GT(dear.machine.nowNs, cheap.machine.nowNs + 100'000);
  EXPECT_GT(dear.contention.tgLoadAvgCounters.readNs, 0U);
  for (const CpuActivity& cpu : dear.cpus)
    EXPECT_LE(cpu.chargedUntilNs, dear.machine.nowNs + 1'000'000) << "charges are paid";
}

/// Two tasks that send each other messages, the sockets' work in softirqs or not.
SimState runSocketPair(std::uint64_t softirqNs, const CostModel& costs) {
  Workload w;
  for (const char* name : {"there", "back"}) {
    ProgramPipe pipe;
    pipe.name = name;
    pipe.messagesPerPage = 1;
    pipe.softirqNs = softirqNs;
    w.pipes.push_back(pipe);
  }
  using Kind = ProgramEventKind;
  w.threads.push_back(test::thread(
      "client",
      {test::event(Kind::Run, 4'000), test::event(Kind::PipeWrite, 0, 0), test::event(Kind::PipeRead, 0, 1)},
      2'000));
  w.threads.push_back(test::thread(
      "server",
      {test::event(Kind::PipeRead, 0, 0), test::event(Kind::Run, 4'000), test::event(Kind::PipeWrite, 0, 1)},
      2'000));
  auto plan = std::make_shared<SimPlan>(*test::makePlan(twoPackages(), test::profileOf("v6.1"), w));
  plan->costs = costs;
  Simulator simulator(makeSimState(plan));
  while (simulator.state().timeNs() < 8'000'000 && simulator.stepEvent()) {
  }
  return simulator.state();
}

/// Time that the task clocks of all CPUs are behind.
std::uint64_t softirqTime(const SimState& state) {
  std::uint64_t sum = 0;
  for (int cpu = 0; cpu < 8; ++cpu) {
    const Rq& rq = state.machine.rq(CpuId{cpu});
    sum += rq.clock - rq.clockTask;
  }
  return sum;
}

TEST(SocketSoftirqs, AreNotTheTasksTime) {
  const SimState asTask = runSocketPair(0, {});
  const SimState asSoftirq = runSocketPair(2'000, {});
  EXPECT_EQ(softirqTime(asTask), 0U);
  const std::uint64_t sends = asSoftirq.counters.wakeups;
  EXPECT_GT(sends, 1'000U);
  EXPECT_NEAR(static_cast<double>(softirqTime(asSoftirq)), 2'000.0 * static_cast<double>(sends), 20'000.0);
  EXPECT_NEAR(static_cast<double>(sends), static_cast<double>(asTask.counters.wakeups), 20)
      << "a send takes as long";
  std::uint64_t irq = 0;
  for (int cpu = 0; cpu < 8; ++cpu) irq += asSoftirq.machine.rq(CpuId{cpu}).avgIrq.utilAvg;
  EXPECT_GT(irq, 0U);
}

/// What searches looked at.
struct Searches final : Observer {
  std::uint64_t looked = 0, stale = 0, longest = 0;
  void onPlacement(const Machine&, const Placement& placement) override {
    looked += static_cast<std::uint64_t>(placement.searched);
    stale += static_cast<std::uint64_t>(placement.searchedAfter);
    longest = std::max<std::uint64_t>(longest, static_cast<std::uint64_t>(placement.searched));
  }
};

TEST(SearchCost, IsPaidForEachCpuLookedAt) {
  const auto run = [](std::uint64_t searchCpuNs, Searches& searches) {
    auto plan = std::make_shared<SimPlan>(
        *test::makePlan(twoPackages(), test::profileOf("v6.1"), groupWorkload(true, 14)));
    plan->costs.searchCpuNs = searchCpuNs;
    Simulator simulator(makeSimState(plan));
    simulator.setObserver(&searches);
    while (simulator.stepEvent()) {
    }
    return simulator.state().machine.nowNs;
  };
  Searches free, dear;
  const std::uint64_t early = run(0, free);
  const std::uint64_t late = run(20'000, dear);
  EXPECT_LE(free.longest, 5U) << "the other thread of prev and the CPUs of one cache";
  EXPECT_GT(free.looked, 0U);
  EXPECT_GT(late, early);
  EXPECT_LE(free.stale, free.looked);
}

/// CPUs that executed accesses between the choice of a CPU for a wakeup and its end.
struct WakeupAccesses final : Observer {
  bool isWakeup = false;
  std::set<int> cpus;
  void onPlacement(const Machine&, const Placement& placement) override {
    isWakeup = placement.kind == PlacementKind::Wakeup;
  }
  void onWakeup(const Machine&, TaskId, CpuId) override { isWakeup = false; }
  void onTgLoadAvgAccess(const Machine&, GroupId, CpuId cpu, bool) override {
    if (isWakeup) cpus.insert(cpu.value);
  }
};

/// CPU 0 wakes a task of a group that is bound to `cpu`, on which a task of the root group runs or not.
std::set<int> cpusOfWakeup(int cpu, bool isBusy) {
  Workload w;
  w.groups.push_back({"/g", -1, 100, -1, 100'000'000, false});
  w.semaphores.push_back({"go", 0});
  ThreadProgram waker = test::thread(
      "waker", {test::event(ProgramEventKind::Run, 1'000'000), test::event(ProgramEventKind::SemPost, 0, 0)});
  waker.settings.cpus = CpuMask::of(CpuId{0});
  ThreadProgram wakee = test::thread(
      "wakee", {test::event(ProgramEventKind::SemWait, 0, 0), test::event(ProgramEventKind::Run, 1000)});
  wakee.settings.cpus = CpuMask::of(CpuId{cpu});
  wakee.settings.group = 0;
  w.threads = {wakee, waker};
  if (isBusy) {
    ThreadProgram hog = test::thread("hog", {test::event(ProgramEventKind::Run, 5'000'000)});
    hog.settings.cpus = CpuMask::of(CpuId{cpu});
    w.threads.insert(w.threads.begin() + 1, hog);
  }
  Simulator simulator(makeSimState(test::makePlan(twoPackages(), test::profileOf("v6.1"), w)));
  WakeupAccesses accesses;
  simulator.setObserver(&accesses);
  while (simulator.stepEvent()) {
  }
  return accesses.cpus;
}

// ttwu_queue_cond(): the woken task's CPU finishes the wakeup if it is idle or has another cache.
TEST(LineAccesses, AreMadeByTheCpuThatFinishesTheWakeup) {
  EXPECT_EQ(cpusOfWakeup(2, true), (std::set<int>{0}));
  EXPECT_EQ(cpusOfWakeup(2, false), (std::set<int>{2}));
  EXPECT_EQ(cpusOfWakeup(4, true), (std::set<int>{4}));
}

/// Two tasks on CPUs 0 and 1 wake one sleeper each at 1 ms and `apartNs` later, which both slept on CPU 2;
/// where these were put.
std::vector<int> chosenCpus(std::uint64_t selectNs, std::uint64_t apartNs) {
  Workload w;
  for (int i = 0; i < 2; ++i) {
    w.semaphores.push_back({"go-" + std::to_string(i), 0});
    ThreadProgram wakee = test::thread(
        "wakee-" + std::to_string(i),
        {test::event(ProgramEventKind::SemWait, 0, i), test::event(ProgramEventKind::Run, 500'000)});
    ProgramPhase first;  // both come from CPU 2
    first.settings.cpus = CpuMask::of(CpuId{2});
    first.events = {test::event(ProgramEventKind::Run, 10'000)};
    wakee.phases.insert(wakee.phases.begin(), first);
    const std::uint64_t runs = 1'000'000 + (i == 0 ? 0 : apartNs);
    ThreadProgram waker =
        test::thread("waker-" + std::to_string(i),
                     {test::event(ProgramEventKind::Run, runs), test::event(ProgramEventKind::SemPost, 0, i),
                      test::event(ProgramEventKind::Run, 1'000'000)});
    waker.settings.cpus = CpuMask::of(CpuId{i});
    w.threads.push_back(wakee);
    w.threads.push_back(waker);
  }
  KernelProfile profile = test::profileOf("v6.1");
  profile.features.sisUtil = false;  // every CPU is looked at, though no balancing has counted idle ones yet
  auto plan = std::make_shared<SimPlan>(*test::makePlan(
      parseCompactMachine("1 packages x 1 nodes x 1 LLC x 8 cores x 1 threads", "test").value(), profile, w));
  plan->costs.selectNs = selectNs;
  struct Choices final : Observer {
    std::vector<int> cpus;
    void onPlacement(const Machine& m, const Placement& placement) override {
      if (placement.kind == PlacementKind::Wakeup && m.task(placement.task).name.starts_with("wakee"))
        cpus.push_back(placement.chosen.value);
    }
  } choices;
  Simulator simulator(makeSimState(plan));
  simulator.setObserver(&choices);
  while (simulator.stepEvent()) {
  }
  return choices.cpus;
}

// The second waker sees the CPU idle until the first choice is written down.
TEST(SelectCost, WakersChooseTheSameIdleCpuUntilTheFirstChoiceIsSeen) {
  const std::vector<int> atOnce = chosenCpus(400, 300), later = chosenCpus(400, 500),
                         never = chosenCpus(0, 300);
  ASSERT_EQ(atOnce.size(), 2U);
  ASSERT_EQ(later.size(), 2U);
  ASSERT_EQ(never.size(), 2U);
  EXPECT_EQ(atOnce[0], atOnce[1]);
  EXPECT_NE(later[0], later[1]);
  EXPECT_NE(never[0], never[1]) << "without the cost a choice is seen at once";
}

/// A task on CPU 0 blocks and is woken `afterNs` later from CPU 1; how many choices of a CPU that took.
std::size_t choicesOfWakeup(std::uint64_t selectNs, std::uint64_t afterNs) {
  Workload w;
  w.semaphores.push_back({"go", 0});
  ThreadProgram sleeper = test::thread(
      "sleeper", {test::event(ProgramEventKind::Run, 1'000'000), test::event(ProgramEventKind::SemWait, 0, 0),
                  test::event(ProgramEventKind::Run, 1000)});
  sleeper.startCpu = CpuId{2};
  ThreadProgram waker = test::thread(
      "waker", {test::event(ProgramEventKind::Run, 1'000'000 + afterNs),
                test::event(ProgramEventKind::SemPost, 0, 0), test::event(ProgramEventKind::Run, 1'000'000)});
  waker.settings.cpus = CpuMask::of(CpuId{0});
  w.threads = {sleeper, waker};
  auto plan = std::make_shared<SimPlan>(*test::makePlan(
      parseCompactMachine("1 packages x 1 nodes x 1 LLC x 4 cores x 1 threads", "test").value(),
      test::profileOf("v6.1"), w));
  plan->costs.selectNs = selectNs;
  plan->costs.contextSwitchNs = 1000;
  struct Count final : Observer {
    std::size_t choices = 0;
    void onPlacement(const Machine& m, const Placement& placement) override {
      if (placement.kind == PlacementKind::Wakeup && m.task(placement.task).name == "sleeper") ++choices;
    }
  } count;
  Simulator simulator(makeSimState(plan));
  simulator.setObserver(&count);
  while (simulator.stepEvent()) {
  }
  EXPECT_EQ(simulator.state().workload.liveThreads, 0) << "the sleeper was woken and ended";
  return count.choices;
}

// try_to_wake_up(): a wakee that is still in schedule() of its CPU (p->on_cpu) goes back there unasked.
TEST(SelectCost, WakeeOnItsWayOutIsLeftToItsCpu) {
  EXPECT_EQ(choicesOfWakeup(400, 500), 0U) << "the switch takes a microsecond";
  EXPECT_EQ(choicesOfWakeup(400, 1500), 1U);
  EXPECT_EQ(choicesOfWakeup(0, 500), 1U) << "without the cost it is gone at once";
}

}  // namespace
}  // namespace rqscope
