// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "recording/recorder.h"

#include <gtest/gtest.h>

#include "recording/history.h"
#include "support/plans.h"

namespace rqscope {
namespace {

using namespace rqscope::test;

constexpr std::uint64_t kMs = 1'000'000;

/// "a" runs 20 ms from the start; "b" comes 5 ms later and runs 10 ms. One CPU, or two.
std::shared_ptr<const SimPlan> planOfTwo(int cpus) {
  Workload w;
  w.threads = {thread("a", {event(ProgramEventKind::Run, 20 * kMs)}),
               thread("b", {event(ProgramEventKind::Run, 10 * kMs)})};
  w.threads[1].delayNs = 5 * kMs;
  return makePlan(flatHardware(cpus), profileOf("v6.12"), w);
}

void runToEnd(History& history) {
  while (history.stepEvent()) {
  }
}

TEST(BoundedLog, ForgetsItsOlderHalfAndKeepsCounting) {
  BoundedLog<int> log;
  log.limit = 10;
  for (int i = 0; i < 25; ++i) log.add(i);
  EXPECT_EQ(log.total(), 25U);
  EXPECT_LE(log.items.size(), 10U);
  EXPECT_EQ(log.items.back(), 24);
  EXPECT_EQ(log.items.front(), static_cast<int>(log.dropped));
}

TEST(BoundedLog, GoesBackToAnEarlierTotal) {
  BoundedLog<int> log;
  log.limit = 10;
  for (int i = 0; i < 12; ++i) log.add(i);
  ASSERT_EQ(log.dropped, 5U);
  log.truncate(8);
  EXPECT_EQ(log.total(), 8U);
  EXPECT_EQ(log.items.back(), 7);
  log.truncate(3);  // older than what is kept
  EXPECT_TRUE(log.items.empty());
  EXPECT_EQ(log.total(), 3U);
}

TEST(Recorder, TellsWhoRanWhen) {
  History history(makeSimState(planOfTwo(2)));
  runToEnd(history);
  const Recorder& r = history.recorder();
  std::vector<std::pair<std::string, std::uint64_t>> ran;  // who, from when, on the CPU of "a"
  const std::int32_t aCpu = 0;
  for (const SwitchRecord& s : r.switches(CpuId{aCpu}).items) ran.emplace_back(r.nameOf(s.pid), s.timeNs);
  ASSERT_FALSE(ran.empty());
  EXPECT_EQ(ran.front(), (std::pair<std::string, std::uint64_t>("a", 0)));
  EXPECT_EQ(ran.back(), (std::pair<std::string, std::uint64_t>("", 20 * kMs)));
}

TEST(Recorder, NumbersDecisionsAsTheEngineCountsThem) {
  History history(makeSimState(planOfTwo(2)));
  runToEnd(history);
  const auto& log = history.recorder().decisions();
  ASSERT_EQ(log.total(), history.state().counters.decisions());
  std::uint64_t placements = 0;
  for (std::size_t i = 0; i < log.items.size(); ++i) {
    EXPECT_EQ(log.items[i].index, i);
    if (i > 0) {
      EXPECT_GE(log.items[i].event, log.items[i - 1].event);
    }
    placements += log.items[i].kind == DecisionKind::Placement ? 1 : 0;
  }
  EXPECT_EQ(placements, history.state().counters.placements);
}

TEST(Recorder, MeasuresFromTheWakeupToTheFirstInstruction) {
  History history(makeSimState(planOfTwo(2)));
  runToEnd(history);
  const auto& apart = history.recorder().latencies().items;
  ASSERT_FALSE(apart.empty());
  for (const LatencyRecord& l : apart) EXPECT_EQ(l.latencyNs, 0U);  // each has a CPU of its own
  History shared(makeSimState(planOfTwo(1)));
  runToEnd(shared);
  // "b" starts behind "a", is delayed, and may have to wait for a tick when it wakes.
  std::uint64_t most = 0;
  for (const LatencyRecord& l : shared.recorder().latencies().items)
    most = std::max<std::uint64_t>(most, l.latencyNs);
  EXPECT_GT(most, 0U);
  EXPECT_LT(most, 20 * kMs);
}

TEST(Recorder, ListsEveryMoveWithItsEvent) {
  Workload w;
  ThreadProgram t = thread("a", {event(ProgramEventKind::Run, 5 * kMs)});
  t.phases[0].settings.cpus = CpuMask::of(CpuId{0});
  ProgramPhase second = t.phases[0];
  second.settings.cpus = CpuMask::of(CpuId{1});
  t.phases.push_back(second);
  w.threads = {t};
  History history(makeSimState(makePlan(flatHardware(2), profileOf("v6.12"), w)));
  runToEnd(history);
  const auto& moves = history.recorder().migrations();
  ASSERT_EQ(moves.total(), history.state().counters.migrations);
  ASSERT_FALSE(moves.items.empty());
  const MigrationRecord& last = moves.items.back();
  EXPECT_EQ(last.from, 0);
  EXPECT_EQ(last.to, 1);
  EXPECT_EQ(last.timeNs, 5 * kMs);
  EXPECT_EQ(last.reason, MigrationReason::Affinity);
  EXPECT_LT(last.event, history.frontier());
}

TEST(Recorder, AReplayRecordsNothingTwice) {
  History history(makeSimState(planOfTwo(2)));
  runToEnd(history);
  const std::uint64_t decisions = history.recorder().decisions().total();
  const std::uint64_t switches = history.recorder().switches(CpuId{0}).total();
  history.seekEvent(0);
  runToEnd(history);
  EXPECT_EQ(history.recorder().decisions().total(), decisions);
  EXPECT_EQ(history.recorder().switches(CpuId{0}).total(), switches);
}

TEST(Recorder, ABranchForgetsWhatCameLater) {
  History history(makeSimState(planOfTwo(1)));
  runToEnd(history);
  history.seekTime(12 * kMs);
  Operation pin;
  pin.kind = OperationKind::Nice;
  pin.task = "a";
  pin.value = 5;
  history.branch(pin);
  const Recorder& r = history.recorder();
  EXPECT_EQ(r.decisions().total(), history.state().counters.decisions());
  ASSERT_FALSE(r.switches(CpuId{0}).items.empty());
  EXPECT_LE(r.switches(CpuId{0}).items.back().timeNs, 12 * kMs);
  EXPECT_LE(r.samples().timeNs(r.samples().size() - 1), 12 * kMs);
  runToEnd(history);
  EXPECT_EQ(r.decisions().total(), history.state().counters.decisions());
}

TEST(Recorder, TakesASampleATick) {
  History history(makeSimState(planOfTwo(1)));
  runToEnd(history);
  const Samples& samples = history.recorder().samples();
  EXPECT_EQ(samples.spacingNs(), 4 * kMs);  // HZ 250
  ASSERT_GE(samples.size(), 7U);            // the run takes 30 ms
  EXPECT_EQ(samples.at(0).cpus.at(0).nrRunning, 0);
  EXPECT_EQ(samples.at(2).cpus.at(0).nrRunning, 2);  // at 8 ms both want the CPU
  EXPECT_EQ(samples.at(7).cpus.at(0).nrRunning, 1);  // at 28 ms "b" has had its 10 ms
}

}  // namespace
}  // namespace rqscope
