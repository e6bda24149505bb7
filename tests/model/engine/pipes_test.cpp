// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include "engine/simulator.h"
#include "topology/machine_layout.h"

// Pipes as in fs/pipe.c of v6.1: pages, merged writes, blocking at both ends; and what kernel time costs.

namespace rqscope {
namespace {

using Kind = ProgramEventKind;

ProgramEvent event(Kind kind, std::uint64_t ns, std::int32_t target = -1) {
  ProgramEvent e;
  e.kind = kind;
  e.ns = ns;
  e.target = target;
  return e;
}

ThreadProgram program(std::string name, int cpu, std::int64_t loops, std::vector<ProgramEvent> events) {
  ThreadProgram t;
  t.name = std::move(name);
  t.settings.cpus = CpuMask{};
  t.settings.cpus->set(CpuId{cpu});
  ProgramPhase phase;
  phase.loops = loops;
  phase.events = std::move(events);
  t.phases.push_back(std::move(phase));
  return t;
}

struct PipeBench {
  std::shared_ptr<SimPlan> plan = std::make_shared<SimPlan>();
  explicit PipeBench(int pages, int perPage) {
    KernelProfile profile = kernelProfile("v6.1").value();
    plan->profile = std::make_shared<const KernelProfile>(profile);
    const auto hardware = parseCompactMachine("1 package x 1 node x 1 LLC x 4 cores x 1 thread", "test");
    plan->topology = buildSchedTopology(hardware.value(), profile).value();
    plan->workload.pipes.push_back({"pipe", pages, perPage, true});
  }
  Simulator start() const { return Simulator(makeSimState(plan)); }
};

TEST(Pipe, AWriterFillsItsPagesAndThenWaits) {
  PipeBench run(3, 4);
  run.plan->workload.threads.push_back(program("writer", 0, 100, {event(Kind::PipeWrite, 0, 0)}));
  run.plan->untilNs = 1'000'000;
  Simulator sim = run.start();
  while (sim.stepEvent()) {
  }
  const PipeState& pipe = sim.state().workload.pipes[0];
  EXPECT_EQ(pipe.messages, 12) << "three pages of four";
  EXPECT_EQ(pipe.pages, 3);
  EXPECT_EQ(sim.state().workload.threads[0].wait, WaitKind::PipeWrite);
}

TEST(Pipe, AWriterThatWaitedBeginsAFreshPage) {
  PipeBench run(2, 4);
  run.plan->workload.threads.push_back(program("writer", 0, 9, {event(Kind::PipeWrite, 0, 0)}));
  run.plan->workload.threads.push_back(
      program("reader", 1, 4, {event(Kind::Run, 1000), event(Kind::PipeRead, 0, 0)}));
  run.plan->untilNs = 1'000'000;
  Simulator sim = run.start();
  while (sim.stepEvent()) {
  }
  const PipeState& pipe = sim.state().workload.pipes[0];
  EXPECT_EQ(pipe.pages, 2) << "a full one and one with the ninth message";
  EXPECT_EQ(pipe.messages, 5);
  EXPECT_EQ(pipe.newestFill, 1);
}

/// Wakeups of a writer that fills a pipe of one page of eight while its reader takes five messages.
std::uint64_t wakeupsWhile(bool wakesWriterStillFull) {
  PipeBench run(1, 8);
  run.plan->workload.pipes[0].wakesWriterStillFull = wakesWriterStillFull;
  run.plan->workload.threads.push_back(program("writer", 0, 9, {event(Kind::PipeWrite, 0, 0)}));
  run.plan->workload.threads.push_back(
      program("reader", 1, 5, {event(Kind::Run, 100'000), event(Kind::PipeRead, 0, 0)}));
  run.plan->untilNs = 2'000'000;
  Simulator sim = run.start();
  while (sim.stepEvent()) {
  }
  return sim.state().counters.wakeups;
}

TEST(Pipe, BeforeV614AReaderOfAFullPipeWakesAWriterInVain) {
  EXPECT_EQ(wakeupsWhile(true) - wakeupsWhile(false), 5U) << "no read emptied the page";
}

/// Runs to the end; when each thread ended, from the start of the run on.
std::vector<std::int64_t> endsOf(Simulator& sim) {
  while (sim.stepEvent()) {
  }
  std::vector<std::int64_t> ends;
  for (const ThreadState& t : sim.state().workload.threads)
    ends.push_back(t.endNs - static_cast<std::int64_t>(sim.state().originNs));
  return ends;
}

TEST(Pipe, WritersHaveItsMutexInTheOrderOfAsking) {
  PipeBench run(16, 40);
  run.plan->workload.pipes[0].lockedNs = 1000;
  for (int cpu = 0; cpu < 3; ++cpu)
    run.plan->workload.threads.push_back(program("writer", cpu, 1, {event(Kind::PipeWrite, 0, 0)}));
  Simulator sim = run.start();
  EXPECT_EQ(endsOf(sim), (std::vector<std::int64_t>{1000, 2000, 3000}));
  const LockCounters& locks = sim.state().contention.pipeLocks;
  EXPECT_EQ(locks.taken, 3U);
  EXPECT_EQ(locks.contended, 2U);
  EXPECT_EQ(locks.waitedNs, 3000U) << "one and two turns of others";
  EXPECT_EQ(sim.state().workload.pipes[0].messages, 3);
}

TEST(Pipe, ItsLinesTravelUnderTheMutex) {
  PipeBench run(16, 40);
  run.plan->workload.pipes[0].lockedNs = 1000;
  run.plan->workload.pipes[0].lines = 4;
  run.plan->costs.lineLlcNs = 50;
  for (int cpu = 0; cpu < 2; ++cpu)
    run.plan->workload.threads.push_back(program("writer", cpu, 1, {event(Kind::PipeWrite, 0, 0)}));
  Simulator sim = run.start();
  EXPECT_EQ(endsOf(sim), (std::vector<std::int64_t>{1000, 2200}));
  const auto& transfers = sim.state().contention.pipeTransfers;
  EXPECT_EQ(transfers[static_cast<std::size_t>(CacheDistance::Llc)], 1U);
}

TEST(Pipe, WithoutALockedPartNobodyWaits) {
  PipeBench run(16, 40);
  for (int cpu = 0; cpu < 3; ++cpu)
    run.plan->workload.threads.push_back(program("writer", cpu, 1, {event(Kind::PipeWrite, 0, 0)}));
  Simulator sim = run.start();
  EXPECT_EQ(endsOf(sim), (std::vector<std::int64_t>{0, 0, 0}));
  EXPECT_EQ(sim.state().contention.pipeLocks.taken, 0U);
}

/// A writer on CPU 0 holds the mutex for 60 ms, one on CPU 1 wants it; a hog shares the CPU of one of them.
Simulator holdLong(int hogCpu, bool preemption) {
  PipeBench run(16, 40);
  auto profile = std::make_shared<KernelProfile>(*run.plan->profile);
  profile->tunables.preemption = preemption;
  run.plan->profile = profile;
  run.plan->workload.pipes[0].lockedNs = 60'000'000;
  run.plan->workload.threads.push_back(program("holder", 0, 1, {event(Kind::PipeWrite, 0, 0)}));
  run.plan->workload.threads.push_back(
      program("asker", 1, 1, {event(Kind::Run, 1000), event(Kind::PipeWrite, 0, 0)}));
  run.plan->workload.threads.push_back(program("hog", hogCpu, 1, {event(Kind::Run, 150'000'000)}));
  return run.start();
}

TEST(PipeLock, ASpinnerThatMustLeaveItsCpuSleepsUntilTheMutexIsFree) {
  Simulator sim = holdLong(1, false);
  const std::vector<std::int64_t> ends = endsOf(sim);
  EXPECT_EQ(ends[0], 60'000'000) << "nobody disturbs the holder";
  const LockCounters& locks = sim.state().contention.pipeLocks;
  EXPECT_EQ(locks.slept, 1U);
  EXPECT_EQ(locks.contended, 1U);
  EXPECT_GT(locks.waitedNs, 0U);
  EXPECT_LT(locks.waitedNs, 30'000'000U) << "then the hog had the CPU";
  EXPECT_GE(ends[1], 120'000'000);
  EXPECT_FALSE(sim.state().workload.pipes[0].lock.owner.isValid());
  EXPECT_TRUE(sim.state().workload.pipes[0].lock.waiters.empty());
}

TEST(PipeLock, WithoutPreemptionItsHolderKeepsTheCpu) {
  Simulator sim = holdLong(0, false);
  EXPECT_EQ(endsOf(sim)[1], 120'000'000);
  EXPECT_EQ(sim.state().contention.pipeLocks.slept, 0U) << "the other spins all the time";
  EXPECT_EQ(sim.state().contention.pipeLocks.waitedNs, 60'000'000U - 1000U);
}

TEST(PipeLock, NobodySpinsForAHolderThatLostItsCpu) {
  Simulator sim = holdLong(0, true);
  EXPECT_GT(endsOf(sim)[1], 130'000'000);
  EXPECT_EQ(sim.state().contention.pipeLocks.slept, 1U);
  EXPECT_LT(sim.state().contention.pipeLocks.waitedNs, 30'000'000U);
  EXPECT_EQ(sim.state().workload.pipes[0].messages, 2);
}

/// The sleeper spins for 4 ms, until the tick gives its CPU to a hog; it has it back when that ends. The
/// mutex is free at 60 ms.
TEST(PipeLock, TheFirstSleeperIsHandedItBeforeThoseWhoSpin) {
  PipeBench run(16, 40);
  run.plan->workload.pipes[0].lockedNs = 60'000'000;
  const auto asks = [&](const char* name, int cpu, std::uint64_t after) {
    run.plan->workload.threads.push_back(
        program(name, cpu, 1, {event(Kind::Run, after), event(Kind::PipeWrite, 0, 0)}));
  };
  asks("holder", 0, 1);
  asks("sleeper", 1, 1000);
  asks("spinner", 2, 2000);
  asks("late", 3, 65'000'000);
  run.plan->workload.threads.push_back(program("hog", 1, 1, {event(Kind::Run, 20'000'000)}));
  Simulator sim = run.start();
  const std::vector<std::int64_t> ends = endsOf(sim);
  EXPECT_EQ(sim.state().contention.pipeLocks.slept, 1U);
  EXPECT_LT(ends[2], ends[1]) << "free at once: the spinner takes it, the sleeper is only being woken";
  EXPECT_LT(ends[1], ends[3]) << "awake and first, it is handed the mutex, though another span before it";
}

TEST(PipeLock, AKilledHolderLeavesItToOthers) {
  PipeBench run(16, 40);
  run.plan->workload.pipes[0].lockedNs = 1'000'000;
  for (int cpu = 0; cpu < 3; ++cpu)
    run.plan->workload.threads.push_back(
        program(cpu == 0 ? "first" : "other", cpu, 1,
                {event(Kind::Run, 1U + static_cast<unsigned>(cpu)), event(Kind::PipeWrite, 0, 0)}));
  Operation kill;
  kill.kind = OperationKind::Kill;
  kill.task = "first";
  kill.atNs = 500'000;
  run.plan->operations.push_back(kill);
  Simulator sim = run.start();
  EXPECT_EQ(endsOf(sim), (std::vector<std::int64_t>{500'000, 1'500'000, 2'500'000}));
  EXPECT_EQ(sim.state().workload.pipes[0].messages, 2) << "what it had not written is lost";
}

TEST(Pipe, WritersOfOneProcessFightForTheCountOfItsFile) {
  PipeBench run(16, 40);
  run.plan->workload.pipes[0].isFileShared = true;
  run.plan->workload.pipes[0].lines = 0;
  run.plan->workload.pipes[0].lockedNs = 1000;
  run.plan->costs.lineLlcNs = 50;
  for (int cpu = 0; cpu < 2; ++cpu)
    run.plan->workload.threads.push_back(program("writer", cpu, 1, {event(Kind::PipeWrite, 0, 0)}));
  Simulator sim = run.start();
  EXPECT_EQ(endsOf(sim), (std::vector<std::int64_t>{1050, 2100}))
      << "the first finds the line at the second when it is done, that one finds it away twice";
  EXPECT_EQ(sim.state().contention.fileLines.writeNs, 150U);
}

/// Two hogs on the two threads of a core.
std::vector<std::int64_t> endsOnOneCore(std::uint64_t smtBusyNs, std::uint64_t workA, std::uint64_t workB) {
  PipeBench run(1, 1);
  run.plan->workload.pipes.clear();
  const auto hardware = parseCompactMachine("1 package x 1 node x 1 LLC x 1 core x 2 threads", "test");
  run.plan->topology = buildSchedTopology(hardware.value(), *run.plan->profile).value();
  run.plan->costs.smtBusyNs = smtBusyNs;
  run.plan->workload.threads.push_back(program("a", 0, 1, {event(Kind::Run, workA)}));
  run.plan->workload.threads.push_back(program("b", 1, 1, {event(Kind::Run, workB)}));
  Simulator sim = run.start();
  return endsOf(sim);
}

TEST(SharedCore, WorkTakesLongerWhileTheOtherThreadIsBusy) {
  EXPECT_EQ(endsOnOneCore(0, 1'000'000, 2'000'000), (std::vector<std::int64_t>{1'000'000, 2'000'000}));
  const auto ends = endsOnOneCore(600, 1'000'000, 2'000'000);
  EXPECT_NEAR(static_cast<double>(ends[0]), 1'600'000, 1) << "5/8 of the rate";
  EXPECT_NEAR(static_cast<double>(ends[1]), 2'600'000, 2) << "half of it shared, half alone";
}

TEST(KernelTime, WakersOfOneCpuWaitForTheLockOfItsQueue) {
  const auto waitedWith = [](std::uint64_t rqLockNs) {
    PipeBench run(1, 1);
    run.plan->workload.pipes.clear();
    run.plan->costs.rqLockNs = rqLockNs;
    for (int i = 0; i < 2; ++i) {
      run.plan->workload.semaphores.push_back({i == 0 ? "a" : "b", 0});
      run.plan->workload.threads.push_back(program("sleeper", 3, 1, {event(Kind::SemWait, 0, i)}));
      run.plan->workload.threads.push_back(
          program("waker", i, 1, {event(Kind::Run, 1'000'000), event(Kind::SemPost, 0, i)}));
    }
    Simulator sim = run.start();
    endsOf(sim);
    return sim.state().contention.rqLocks;
  };
  EXPECT_EQ(waitedWith(0).taken, 0U);
  const LockCounters locks = waitedWith(1000);
  EXPECT_GE(locks.contended, 1U) << "both wake at the same moment";
  EXPECT_GE(locks.waitedNs, 1000U);
}

/// A task that sleeps on CPU 3 is woken by another CPU.
LockCounters wokenFrom(int waker, std::uint64_t lineLlcNs) {
  PipeBench run(1, 1);
  run.plan->workload.pipes.clear();
  run.plan->costs.rqLockNs = 1000;
  run.plan->costs.lineLlcNs = lineLlcNs;
  run.plan->workload.semaphores.push_back({"a", 0});
  run.plan->workload.threads.push_back(program("sleeper", 3, 1, {event(Kind::SemWait, 0, 0)}));
  run.plan->workload.threads.push_back(program("other", 3, 1, {event(Kind::Run, 3'000'000)}));
  run.plan->workload.threads.push_back(
      program("waker", waker, 1, {event(Kind::Run, 1'000'000), event(Kind::SemPost, 0, 0)}));
  Simulator sim = run.start();
  while (sim.stepEvent()) {
  }
  return sim.state().contention.rqLocks;
}

TEST(KernelTime, TheLinesOfAQueueComeWithItsLock) {
  constexpr std::uint64_t kLines = 12;
  EXPECT_EQ(wokenFrom(0, 0).transferNs, 0U);
  EXPECT_EQ(wokenFrom(3, 50).transferNs, 0U) << "nobody else took the lock";
  EXPECT_EQ(wokenFrom(0, 50).transferNs, 2 * kLines * 50) << "to the waker, and back at the next switch";
}

TEST(KernelTime, ANewidlePassThatPulledIsPaidByTheTaskThatRunsNext) {
  const auto cpuTimeWith = [](std::uint64_t costNs) {
    PipeBench run(1, 1);
    run.plan->workload.pipes.clear();
    KernelProfile profile = kernelProfile("v6.1").value();
    profile.tunables.newidleCostPerCpuNs = costNs;
    run.plan->profile = std::make_shared<const KernelProfile>(profile);
    run.plan->costs.newidleCpuNs = costNs;
    // Seven hogs on four CPUs: whenever one ends, its CPU may take one that waits.
    for (std::uint64_t i = 1; i <= 7; ++i) {
      run.plan->workload.threads.push_back(program("hog", 0, 1, {event(Kind::Run, i * 5'000'000U)}));
      run.plan->workload.threads.back().settings.cpus.reset();
    }
    Simulator sim = run.start();
    while (sim.stepEvent()) {
    }
    std::uint64_t sum = 0;
    for (const SchedEntity& se : sim.state().machine.entities) sum += se.sumExecRuntime;
    return sum;
  };
  EXPECT_EQ(cpuTimeWith(0), 140'000'000U) << "the work alone";
  EXPECT_GT(cpuTimeWith(10'000), 140'000'000U);
  EXPECT_LT(cpuTimeWith(10'000), 141'000'000U) << "some passes of four CPUs, not more";
}

TEST(KernelTime, TheLockOfASharedQueueIsGivenInTheOrderOfAsking) {
  PipeBench run(1, 1);
  run.plan->workload.pipes.clear();
  run.plan->profile = std::make_shared<const KernelProfile>(
      withPatch(kernelProfile("v6.1").value(), "shared_runq_v2", true).value());
  run.plan->costs.sharedQueueLockNs = 300;
  for (int i = 0; i < 12; ++i)
    run.plan->workload.threads.push_back(
        program("t", 0, 20, {event(Kind::Run, 10'000), event(Kind::Sleep, 5'000)}));
  for (ThreadProgram& t : run.plan->workload.threads) t.settings.cpus.reset();
  Simulator sim = run.start();
  while (sim.stepEvent()) {
    const auto& turns = sim.state().sharedQueueLocks.at(0).turns;
    for (std::size_t i = 1; i < turns.size(); ++i) ASSERT_GE(turns[i].fromNs, turns[i - 1].untilNs);
  }
  const SharedQueueLock& lock = sim.state().sharedQueueLocks[0];
  EXPECT_GE(lock.heldNs, 300 * lock.taken / 2)
      << "who leaves touches its own node, who joins an empty list none";
  EXPECT_LE(lock.heldNs, 900 * lock.taken) << "never more than a task and its two neighbours";
  EXPECT_GT(lock.contended, 0U);
  EXPECT_GT(lock.waitedNs, 0U);
}

}  // namespace
}  // namespace rqscope
