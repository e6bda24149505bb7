// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
// What each event of a thread's program does, seen from when the threads end.
#include <gtest/gtest.h>

#include <optional>

#include "engine/simulator.h"
#include "support/plans.h"

namespace rqscope {
namespace {

using namespace rqscope::test;
using Kind = ProgramEventKind;

constexpr std::uint64_t kMs = 1'000'000;
constexpr std::uint64_t kUs = 1'000;

ProgramEvent run(std::uint64_t ns) { return event(Kind::Run, ns); }

/// Runs the workload to its end, at most for a second, and tells when a thread ended (run time); none: never.
class ThreadRun {
 public:
  ThreadRun(Workload workload, int cpus, std::uint32_t throughput = 1024)
      : m_simulator(makeSimState(planOf(std::move(workload), cpus, throughput))) {
    while (m_simulator.stepEvent()) {
    }
  }
  std::optional<std::uint64_t> endOf(const std::string& name) const {
    const SimState& s = m_simulator.state();
    for (const ThreadState& t : s.workload.threads)
      if (t.program >= 0 && threadName(s.plan->workload, t.program, t.instance) == name && t.endNs >= 0)
        return static_cast<std::uint64_t>(t.endNs) - s.originNs;
    return std::nullopt;
  }
  int ended() const {
    int count = 0;
    for (const ThreadState& t : m_simulator.state().workload.threads) count += t.endNs >= 0 ? 1 : 0;
    return count;
  }

 private:
  static std::shared_ptr<const SimPlan> planOf(Workload workload, int cpus, std::uint32_t throughput) {
    Hardware hw = flatHardware(cpus);
    for (HardwareCpu& cpu : hw.cpus) cpu.throughput = throughput;
    return makePlan(hw, profileOf("v6.12"), std::move(workload), 1'000 * kMs);
  }
  Simulator m_simulator;
};

/// Sleeps until a moment of the run.
ProgramEvent until(std::uint64_t ns, std::int32_t cpu = -1) {
  ProgramEvent e = event(Kind::Timer, ns);
  e.cpu = cpu;
  return e;
}

// A moment that is over already does not sleep: b is 4 ms late at its second one.
TEST(ThreadEvents, AMomentIsTheRunsHoweverLateTheThreadComes) {
  Workload w;
  w.threads = {thread("a", {until(20 * kMs), run(3 * kMs), until(50 * kMs, 1), run(1 * kMs)}),
               thread("b", {until(10 * kMs), run(9 * kMs), until(15 * kMs), run(2 * kMs)})};
  const ThreadRun r(w, 2);
  EXPECT_EQ(r.endOf("a"), 51 * kMs);
  EXPECT_EQ(r.endOf("b"), 21 * kMs);
}

// It waits for its first moment without having been on a queue: nothing of it is seen until then, and it
// sleeps only once.
TEST(ThreadEvents, AThreadThatStartsAsleepBeginsAtItsFirstMoment) {
  Workload w;
  w.threads = {thread("a", {until(20 * kMs), run(3 * kMs)})};
  w.threads[0].startsAsleep = true;
  w.threads[0].startCpu = CpuId{1};
  Hardware hw = flatHardware(2);
  Simulator simulator(makeSimState(makePlan(hw, profileOf("v6.12"), w, 1'000 * kMs)));
  const SimState& s = simulator.state();
  while (s.timeNs() < 20 * kMs && simulator.stepEvent()) {
    if (s.timeNs() < 20 * kMs) {
      EXPECT_EQ(s.machine.rq(CpuId{0}).nrRunning + s.machine.rq(CpuId{1}).nrRunning, 0U);
    }
  }
  while (simulator.stepEvent()) {
  }
  const ThreadState& t = s.workload.threads[0];
  EXPECT_EQ(static_cast<std::uint64_t>(t.endNs) - s.originNs, 23 * kMs);
}

TEST(ThreadEvents, AMutexLetsOneThreadInAtATime) {
  Workload w;
  w.mutexes = {"m"};
  w.threads = {thread("a", {event(Kind::Lock, 0, 0), run(10 * kMs), event(Kind::Unlock, 0, 0)}),
               thread("b", {run(1 * kMs), event(Kind::Lock, 0, 0), run(5 * kMs), event(Kind::Unlock, 0, 0)})};
  const ThreadRun r(w, 2);
  EXPECT_EQ(r.endOf("a"), 10 * kMs);
  EXPECT_EQ(r.endOf("b"), 15 * kMs);
}

TEST(ThreadEvents, OnlyTheOwnerFreesAMutex) {
  Workload w;
  w.mutexes = {"m"};
  w.threads = {thread("a", {event(Kind::Lock, 0, 0), run(10 * kMs), event(Kind::Unlock, 0, 0)}),
               thread("b", {run(1 * kMs), event(Kind::Unlock, 0, 0), event(Kind::Lock, 0, 0), run(5 * kMs)})};
  EXPECT_EQ(ThreadRun(w, 2).endOf("b"), 15 * kMs);
}

TEST(ThreadEvents, AWaitGivesTheMutexUpAndTakesItAgainAfterTheSignal) {
  Workload w;
  w.mutexes = {"m"};
  w.conditions = {"c"};
  w.threads = {thread("waits", {event(Kind::Lock, 0, 0), event(Kind::Wait, 0, 0, 0), run(2 * kMs),
                                event(Kind::Unlock, 0, 0)}),
               thread("signals", {run(5 * kMs), event(Kind::Lock, 0, 0), event(Kind::Signal, 0, 0),
                                  run(3 * kMs), event(Kind::Unlock, 0, 0)})};
  const ThreadRun r(w, 2);
  EXPECT_EQ(r.endOf("signals"), 8 * kMs);  // it got the mutex at 5 ms although the waiter had locked it
  EXPECT_EQ(r.endOf("waits"), 10 * kMs);   // woken at 5 ms, has the mutex at 8 ms
}

TEST(ThreadEvents, ASignalThatNobodyWaitsForIsLost) {
  Workload w;
  w.conditions = {"c"};
  w.threads = {thread("signals", {event(Kind::Signal, 0, 0)}),
               thread("waits", {run(1 * kMs), event(Kind::Wait, 0, 0)})};
  EXPECT_EQ(ThreadRun(w, 2).endOf("waits"), std::nullopt);
}

TEST(ThreadEvents, ASignalWakesOneWaiterAndABroadcastAll) {
  for (const Kind kind : {Kind::Signal, Kind::Broadcast}) {
    Workload w;
    w.conditions = {"c"};
    ThreadProgram waiter = thread("waits", {event(Kind::Wait, 0, 0), run(1 * kMs)});
    waiter.instances = 3;
    w.threads = {waiter, thread("wakes", {run(5 * kMs), event(kind, 0, 0)})};
    const ThreadRun r(w, 4);
    EXPECT_EQ(r.ended(), kind == Kind::Signal ? 2 : 4);
    EXPECT_EQ(r.endOf("waits-0"), 6 * kMs);  // first come, first served
  }
}

TEST(ThreadEvents, SyncSignalsAndThenWaits) {
  Workload w;
  w.mutexes = {"m"};
  w.conditions = {"c"};
  w.threads = {thread("first", {event(Kind::Wait, 0, 0), run(2 * kMs), event(Kind::Signal, 0, 0)}),
               thread("syncs", {run(3 * kMs), event(Kind::Sync, 0, 0), run(1 * kMs)})};
  const ThreadRun r(w, 2);
  EXPECT_EQ(r.endOf("first"), 5 * kMs);
  EXPECT_EQ(r.endOf("syncs"), 6 * kMs);
}

TEST(ThreadEvents, ABarrierHoldsThreadsUntilAllHaveCome) {
  Workload w;
  w.barriers = {{"b", 3}};
  for (std::uint64_t i = 1; i <= 3; ++i)
    w.threads.push_back(
        thread("t" + std::to_string(i), {run(i * kMs), event(Kind::Barrier, 0, 0), run(1 * kMs)}));
  const ThreadRun r(w, 4);
  for (int i = 1; i <= 3; ++i) EXPECT_EQ(r.endOf("t" + std::to_string(i)), 4 * kMs);
}

TEST(ThreadEvents, ABarrierStartsOverForTheNextRound) {
  Workload w;
  w.barriers = {{"b", 2}};
  w.threads = {thread("fast", {run(1 * kMs), event(Kind::Barrier, 0, 0)}, 3),
               thread("slow", {run(4 * kMs), event(Kind::Barrier, 0, 0)}, 3)};
  EXPECT_EQ(ThreadRun(w, 2).endOf("fast"), 12 * kMs);
}

TEST(ThreadEvents, ASuspendedThreadSleepsUntilTheResume) {
  Workload w;
  w.suspendPoints = {"p"};
  w.threads = {thread("sleeps", {event(Kind::Suspend, 0, 0), run(1 * kMs)}),
               thread("resumes", {run(4 * kMs), event(Kind::Resume, 0, 0)})};
  EXPECT_EQ(ThreadRun(w, 2).endOf("sleeps"), 5 * kMs);
}

TEST(ThreadEvents, AForkStartsTheOtherProgramThen) {
  Workload w;
  ThreadProgram child = thread("child", {run(3 * kMs)});
  child.instances = 0;
  w.threads = {thread("parent", {run(2 * kMs), event(Kind::Fork, 0, 1), run(4 * kMs)}), child};
  const ThreadRun r(w, 2);
  EXPECT_EQ(r.endOf("parent"), 6 * kMs);
  EXPECT_EQ(r.endOf("child-0"), 5 * kMs);
}

TEST(ThreadEvents, ASemaphoreCountsPostsThatNobodyWaitsFor) {
  Workload w;
  w.semaphores = {{"s", 1}};
  const ProgramEvent wait = event(Kind::SemWait, 0, 0);
  w.threads = {
      thread("takes", {wait, run(1 * kMs), wait, run(1 * kMs), wait, run(1 * kMs)}),
      thread("posts", {run(4 * kMs), event(Kind::SemPost, 0, 0), run(6 * kMs), event(Kind::SemPost, 0, 0)})};
  // The first is there at the start, the second comes at 4 ms, the third at 10 ms.
  EXPECT_EQ(ThreadRun(w, 2).endOf("takes"), 11 * kMs);
}

TEST(ThreadEvents, ATimerKeepsItsPeriodWhateverTheWorkTook) {
  Workload w;
  w.timers = {{"t", true, true}};
  w.threads = {thread("a", {run(1 * kMs), event(Kind::Timer, 4 * kMs, 0)}, 3)};
  EXPECT_EQ(ThreadRun(w, 1).endOf("a"), 12 * kMs);
}

TEST(ThreadEvents, ARelativeTimerStartsOverAfterAMissedPeriodAndAnAbsoluteOneDoesNot) {
  for (const bool relative : {true, false}) {
    Workload w;
    w.timers = {{"t", true, relative}};
    const ProgramEvent timer = event(Kind::Timer, 4 * kMs, 0);
    w.threads = {thread("a", {run(6 * kMs), timer, run(1 * kMs), timer})};
    EXPECT_EQ(ThreadRun(w, 1).endOf("a"), relative ? 10 * kMs : 8 * kMs);
  }
}

TEST(ThreadEvents, AYieldLetsTheOtherThreadRun) {
  // Shorter than a slice: without the yield the first would end before the second starts.
  for (const bool yields : {false, true}) {
    Workload w;
    std::vector<ProgramEvent> events = {run(500 * kUs), run(500 * kUs)};
    if (yields) events.insert(events.begin() + 1, event(Kind::Yield));
    w.threads = {thread("a", events), thread("b", {run(500 * kUs)})};
    const ThreadRun r(w, 1);
    EXPECT_EQ(r.endOf("a"), yields ? 1500 * kUs : 1000 * kUs);
    EXPECT_EQ(r.endOf("b"), yields ? 1000 * kUs : 1500 * kUs);
  }
}

TEST(ThreadEvents, WorkTakesLongerOnASlowerCpuAndRuntimeDoesNot) {
  Workload w;
  w.threads = {thread("work", {run(10 * kMs)}), thread("clock", {event(Kind::Runtime, 10 * kMs)})};
  const ThreadRun r(w, 2, 512);
  EXPECT_EQ(r.endOf("work"), 20 * kMs);
  EXPECT_EQ(r.endOf("clock"), 10 * kMs);
}

TEST(ThreadEvents, SleepsAndDelaysAddUp) {
  Workload w;
  ThreadProgram t = thread("a", {run(1 * kMs), event(Kind::Sleep, 7 * kMs)}, 2);
  t.delayNs = 5 * kMs;
  w.threads = {t};
  EXPECT_EQ(ThreadRun(w, 1).endOf("a"), 21 * kMs);
}

TEST(ThreadEvents, ExitEndsTheThreadWhereItStands) {
  Workload w;
  w.threads = {thread("a", {run(2 * kMs), event(Kind::Exit), run(5 * kMs)}, 4)};
  EXPECT_EQ(ThreadRun(w, 1).endOf("a"), 2 * kMs);
}

}  // namespace
}  // namespace rqscope
