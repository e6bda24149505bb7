// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <algorithm>

#include "scenarios/case_run.h"

namespace rqscope::cases {
namespace {

constexpr std::uint64_t kTick = 4 * kMs;

/// Runs until CPU 2 has joined the tickless idle CPUs after its task's end.
void runUntilCpu2Idles(CaseRun& run) {
  run.to(50 * kMs);
  ASSERT_FALSE(run.machine().nohz.idleCpus.test(CpuId{2}));
  while (!run.machine().nohz.idleCpus.test(CpuId{2}) && run.simulator().stepEvent()) {
  }
}

std::size_t nextKicks(const CaseRun& run, std::uint64_t from, std::uint64_t to) {
  return static_cast<std::size_t>(std::count_if(run.kicks.begin(), run.kicks.end(), [&](const auto& k) {
    return k.timeNs > from && k.timeNs <= to && (k.flags & kNohzNextKick) != 0;
  }));
}

TEST(CaseLb10, EnteringIdleAsksForTheEarliestDeadlineWithThePatch) {
  for (const std::string& kernel : kKernels) {
    for (const bool patch : {true, false}) {
      CaseRun run("LB-10", {kernel, {{"nohz_needs_update", patch}}, {}});
      run.to(50 * kMs);
      runUntilCpu2Idles(run);
      const Nohz& nohz = run.machine().nohz;
      EXPECT_TRUE(nohz.idleCpus.test(CpuId{2})) << kernel;
      EXPECT_EQ(nohz.needsUpdate, patch) << kernel;
      const std::uint64_t then = run.state().timeNs();
      // "A kick at the first tick after": a busy CPU ticks every 4 ms. Without the patch nobody ever asks.
      run.to(then + kTick);
      EXPECT_EQ(nextKicks(run, then, then + kTick), patch ? 1U : 0U) << kernel;
      run.to(then + 200 * kMs);
      const bool asked = nextKicks(run, 0, then + 200 * kMs) != 0;
      EXPECT_EQ(asked, patch) << kernel;
    }
  }
}

TEST(CaseLb11, CountersStartAtHalf) {
  for (const std::string& kernel : kKernels) {
    const SimState state = makeSimState(casePlan("LB-11", {kernel, {}, {}}));
    for (const DomainState& d : state.machine.domains) {
      EXPECT_EQ(d.newidleCall, 512U);
      EXPECT_EQ(d.newidleSuccess, 256U);
      EXPECT_EQ(d.newidleRatio, 512U);
    }
  }
}

TEST(CaseLb11, RatioIsTheSuccessesOf1024Calls) {
  const auto after = [](int calls, int successes, int success) {
    return evaluated("update_newidle_cost", {{"jiffies", 100000},
                                             {"hz", 250},
                                             {"cost", 1000},
                                             {"max_newidle_lb_cost", 5000},
                                             {"last_decay", 100000},
                                             {"success", success},
                                             {"newidle_call", calls},
                                             {"newidle_success", successes},
                                             {"newidle_ratio", 512}});
  };
  const auto counted = after(600, 100, 2);
  EXPECT_EQ(counted["newidle_call"], 601);
  EXPECT_EQ(counted["newidle_success"], 102);
  EXPECT_EQ(counted["newidle_ratio"], 512);
  const auto turned = after(1023, 100, 2);
  EXPECT_EQ(turned["newidle_ratio"], 102);
  EXPECT_EQ(turned["newidle_call"], 512);
  EXPECT_EQ(turned["newidle_success"], 51);
}

struct Newidle {
  std::size_t passes = 0;
  std::uint64_t pulled = 0;
  std::uint64_t greatestCost = 0;
};

Newidle newidleOf(const Setting& setting) {
  CaseRun run("LB-11", setting);
  run.to(500 * kMs);
  Newidle out;
  for (const BalancePass& pass : run.passes)
    if (pass.entry == BalanceEntry::Newidle) {
      ++out.passes;
      out.pulled += pass.movedCount;
    }
  for (const DomainState& d : run.machine().domains)
    out.greatestCost = std::max(out.greatestCost, d.maxNewidleLbCost);
  return out;
}

TEST(CaseLb11, BumpLeavesOutMostPassesTheDiceSome) {
  // Direction only, as the report: the bump soon makes newidle look too dear, the dice leave out some.
  const Newidle revert = newidleOf({"v6.12", {}, {"NO_NI_RANDOM"}});
  const Newidle bump = newidleOf({"v6.12", {{"newidle_cost_bump", true}}, {"NO_NI_RANDOM"}});
  const Newidle dice = newidleOf({"v6.12", {}, {}});
  EXPECT_GT(revert.passes, 1000U);
  EXPECT_LT(bump.passes, revert.passes);
  EXPECT_LT(dice.passes, revert.passes);
  // The cost is capped at the migration cost and 200 ns.
  EXPECT_LE(bump.greatestCost, 500'200U);
  EXPECT_GT(bump.greatestCost, revert.greatestCost);
}

}  // namespace
}  // namespace rqscope::cases
