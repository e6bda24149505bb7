// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <vector>

#include "recording/history.h"
#include "support/plans.h"

namespace rqscope {
namespace {

using namespace rqscope::test;

constexpr std::uint64_t kSecond = 1'000'000'000;

std::shared_ptr<const SimPlan> junoPlan(std::uint64_t untilNs) {
  return makePlan(builtinHardware("juno-r2"), profileOf("v6.12"), junoWorkload(10 * kSecond), untilNs);
}

/// Fingerprint after each event of a straight run without recording or checkpoints.
std::vector<std::uint64_t> straightRun(const std::shared_ptr<const SimPlan>& plan) {
  Simulator simulator(makeSimState(plan));
  std::vector<std::uint64_t> prints{fingerprint(simulator.state())};
  while (simulator.stepEvent()) prints.push_back(fingerprint(simulator.state()));
  return prints;
}

TEST(History, LandsOnTheStraightRunsFingerprintAtAThousandRandomSeeks) {
  // A 10 s Juno run; seeks back and forward by event, each compared with a run that never seeks.
  const auto plan = junoPlan(10 * kSecond);
  const auto prints = straightRun(plan);
  ASSERT_GT(prints.size(), 10'000U);
  History history(makeSimState(plan));
  Random random{7};
  int back = 0;
  for (int seek = 0; seek < 1000; ++seek) {
    const std::uint64_t target = random.below(prints.size());
    if (target < history.position()) ++back;
    history.seekEvent(target);
    ASSERT_EQ(history.position(), target);
    ASSERT_EQ(fingerprint(history.state()), prints[target]) << "seek " << seek << " to event " << target;
  }
  EXPECT_GT(back, 300);
}

TEST(History, KeepsItsBudgetAndStillLandsRight) {
  // A budget for a handful of checkpoints: they thin out, the run stays whole.
  const auto plan = junoPlan(2 * kSecond);
  const auto prints = straightRun(plan);
  History history(makeSimState(plan), 400'000);
  history.seekEvent(prints.size() - 1);
  EXPECT_LE(history.checkpoints(), 40U);
  Random random{11};
  for (int seek = 0; seek < 50; ++seek) {
    const std::uint64_t target = random.below(prints.size());
    history.seekEvent(target);
    ASSERT_EQ(fingerprint(history.state()), prints[target]);
  }
}

TEST(History, RecordsTheSameWhenTheRunWasLookedAtFromEverySide) {
  // One history runs straight, the other jumps about on its way: switches, decisions and migrations are
  // equal.
  const auto plan = junoPlan(kSecond);
  History straight(makeSimState(plan));
  straight.seekEvent(UINT64_MAX);
  History jumping(makeSimState(plan));
  Random random{3};
  while (jumping.frontier() < straight.frontier()) {
    jumping.seekEvent(jumping.frontier() + random.below(300));
    jumping.seekEvent(random.below(jumping.frontier() + 1));
  }
  const Recorder& a = straight.recorder();
  const Recorder& b = jumping.recorder();
  ASSERT_EQ(a.decisions().total(), b.decisions().total());
  ASSERT_EQ(a.migrations().total(), b.migrations().total());
  ASSERT_EQ(a.samples().size(), b.samples().size());
  for (int cpu = 0; cpu < 6; ++cpu) {
    const auto& left = a.switches(CpuId{cpu}).items;
    const auto& right = b.switches(CpuId{cpu}).items;
    ASSERT_EQ(left.size(), right.size()) << "CPU " << cpu;
    for (std::size_t i = 0; i < left.size(); ++i) {
      EXPECT_EQ(left[i].timeNs, right[i].timeNs);
      EXPECT_EQ(left[i].slot, right[i].slot);
    }
  }
}

TEST(History, ABranchThatChangesNothingRecordsTheSame) {
  // A mark at 300 ms cuts the record back and is replayed: what follows is the old future, one event later.
  const auto plan = junoPlan(kSecond);
  History plain(makeSimState(plan));
  plain.seekEvent(UINT64_MAX);
  History branched(makeSimState(plan));
  branched.seekEvent(UINT64_MAX);
  branched.seekTime(300'000'000);
  branched.branch(Operation{});
  branched.seekEvent(UINT64_MAX);
  EXPECT_EQ(branched.position(), plain.position() + 1);
  EXPECT_EQ(branched.recorder().decisions().total(), plain.recorder().decisions().total());
  EXPECT_EQ(branched.recorder().latencies().total(), plain.recorder().latencies().total());
  for (int cpu = 0; cpu < 6; ++cpu)
    EXPECT_EQ(branched.recorder().switches(CpuId{cpu}).total(),
              plain.recorder().switches(CpuId{cpu}).total());
}

}  // namespace
}  // namespace rqscope
