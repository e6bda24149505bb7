// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
// A balance softirq and a switch that take time after their tick.
#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "engine/simulator.h"
#include "support/plans.h"

namespace rqscope {
namespace {

using namespace rqscope::test;

constexpr std::uint64_t kMs = 1'000'000;
constexpr std::uint64_t kUs = 1'000;
constexpr std::uint64_t kTick = 4 * kMs;

/// Notes how long after the tick things happened.
class TickWatcher final : public Observer {
 public:
  explicit TickWatcher(std::uint64_t originNs) : m_origin(originNs) {}
  bool wantsDecisions() const override { return true; }
  void onBalancePass(const Machine& m, const BalancePass& pass) override {
    if (pass.entry == BalanceEntry::Newidle || pass.entry == BalanceEntry::ActiveStopper) return;
    (pass.end == PassEnd::NotThisCpu ? notItsTurn : passes).insert(sinceTick(m));
  }
  void onSwitch(const Machine& m, const Switch& sw) override {
    if (sw.prev.isValid() && sw.next.isValid()) switches.insert(sinceTick(m));
  }
  std::set<std::uint64_t> passes, notItsTurn, switches;

 private:
  std::uint64_t sinceTick(const Machine& m) const { return (m.nowNs - m_origin) % kTick; }
  std::uint64_t m_origin;
};

TickWatcher watched(int cpus, int hogs, const SoftirqTiming& timing) {
  Workload w;
  ThreadProgram hog = thread("hog", {event(ProgramEventKind::Run, 10'000 * kMs)});
  hog.instances = hogs;
  w.threads = {hog};
  auto plan =
      std::make_shared<SimPlan>(*makePlan(flatHardware(cpus), profileOf("v6.12"), std::move(w), 1'000 * kMs));
  plan->softirqTiming = timing;
  Simulator simulator(makeSimState(plan));
  TickWatcher watcher(simulator.state().originNs);
  simulator.setObserver(&watcher);
  while (simulator.stepEvent()) {
  }
  return watcher;
}

// Situation: three tasks on two CPUs. Expectation: by default all happens at the tick; with times given, a
// call that finds balance is over with its statistics, one that pulls with the lock of the source, and one
// that leaves it to another CPU at its beginning.
TEST(TimedSoftirq, ACallReadsAndPullsBehindTheTick) {
  const TickWatcher atOnce = watched(2, 3, {});
  EXPECT_EQ(atOnce.passes, std::set<std::uint64_t>{0});
  SoftirqTiming timing;
  timing.startsNs = {50 * kUs};
  timing.calls.front() = {{10 * kUs, 200 * kUs, 40 * kUs}};
  const TickWatcher timed = watched(2, 3, timing);
  EXPECT_EQ(timed.passes, (std::set<std::uint64_t>{60 * kUs, 250 * kUs}));
  for (const std::uint64_t at : timed.notItsTurn) EXPECT_EQ(at, 50 * kUs);
}

TEST(TimedSoftirq, ASwitchComesBehindTheTickThatAskedForIt) {
  EXPECT_EQ(watched(1, 2, {}).switches, std::set<std::uint64_t>{0});
  SoftirqTiming timing;
  timing.switchesNs = {100 * kUs};
  EXPECT_EQ(watched(1, 2, timing).switches, std::set<std::uint64_t>{100 * kUs});
}

TEST(TimedSoftirq, OfSeveralTimesEachIsDrawn) {
  SoftirqTiming timing;
  timing.switchesNs = {60 * kUs, 80 * kUs, 100 * kUs};
  EXPECT_EQ(watched(1, 2, timing).switches, (std::set<std::uint64_t>{60 * kUs, 80 * kUs, 100 * kUs}));
}

}  // namespace
}  // namespace rqscope
