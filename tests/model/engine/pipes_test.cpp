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
  EXPECT_GE(lock.heldNs, 300 * lock.taken) << "at least one node each time";
  EXPECT_LE(lock.heldNs, 900 * lock.taken) << "never more than a task and its two neighbours";
  EXPECT_GT(lock.contended, 0U);
  EXPECT_GT(lock.waitedNs, 0U);
}

}  // namespace
}  // namespace rqscope
