// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "rqscope/derivation.h"
#include "rqscope/why_not.h"
#include "what_if_runs.h"

// The ladder, what-if, why-not and derivations of passes that compare average loads (balance_rework off).

namespace rqscope::api {
namespace {

using Patches = std::vector<std::pair<std::string, bool>>;

/// Balancing before v5.5, as in v4.1, in v5.4 and with the paper's change.
const std::vector<Patches> kOldBalancing = {{{"balance_rework", false}, {"force_balance_when_idle", false}},
                                            {{"balance_rework", false}, {"force_balance_when_idle", true}},
                                            {{"balance_rework", false}, {"group_imbalance_min_load", true}}};

/// The first pass of CPU 1 of LB-01 between nodes that did not move anything.
std::shared_ptr<const Ladder> heavyNodePass(Simulation& simulation) {
  for (const auto& d : decisionsOf(simulation)) {
    if (d.cpu != 1 || d.domainName != "NUMA" || d.timeNs < 100 * kMs) continue;
    auto ladder = simulation.ladder(d.index);
    if (rungOf(*ladder, "worth_balancing") != nullptr) return ladder;
  }
  return nullptr;
}

TEST(WhatIf, AnyChangeOfAnyNumberGivesADecisionBeforeV55Too) {
  int changes = 0;
  for (const Patches& patches : kOldBalancing)
    for (const char* name : {"juno", "smt", "misfit"})
      changes += changeAll(*openRun(name, 60, patches), name);
  EXPECT_GT(changes, 500);
}

TEST(WhatIf, AverageLoadsDecideBeforeV55) {
  const auto simulation = openRun("LB-01", 200, kOldBalancing[0]);
  ASSERT_NE(simulation, nullptr);
  const auto ladder = heavyNodePass(*simulation);
  ASSERT_NE(ladder, nullptr);
  const Rung* const worth = rungOf(*ladder, "worth_balancing");
  EXPECT_EQ(worth->function, "find_busiest_group");
  EXPECT_EQ(worth->outcome, "local_load_ge_busiest");
  EXPECT_EQ(worth->fidelity, "behaves");
  std::vector<std::string> names;
  for (const Operand& operand : worth->operands) names.push_back(operand.name);
  EXPECT_EQ(names, (std::vector<std::string>{"local.avg_load", "busiest.avg_load", "sds.avg_load",
                                             "local.min_load", "busiest.min_load"}));
  ASSERT_FALSE(worth->tests.empty());
  EXPECT_EQ(worth->tests.back().left.name, "local.avg_load");
  EXPECT_TRUE(worth->tests.back().holds);
  // Without the heavy thread's load the node would be the lighter one. One task of the other is moved.
  const WhatIf light = changed(*simulation, *ladder, "group_statistics[0-7].group_load=16");
  EXPECT_EQ(light.after.result, "moved");
  const WhatIf average = changed(*simulation, *ladder, "worth_balancing.local.avg_load=0");
  EXPECT_EQ(average.after.result, "moved");
  const WhatIf newly = changed(*simulation, *ladder, "worth_balancing.idle=newly_idle");
  EXPECT_EQ(newly.altered->rungs[static_cast<std::size_t>(newly.firstDifference)].outcome,
            "idle_beside_overloaded");
}

TEST(Derivation, AverageLoadsGoDownToTheQueues) {
  const auto simulation = openRun("LB-01", 200, kOldBalancing[0]);
  const auto ladder = heavyNodePass(*simulation);
  ASSERT_NE(ladder, nullptr);
  const FoundPath path = findOperand(*ladder, "worth_balancing.busiest.avg_load");
  ASSERT_TRUE(path.path) << path.problem;
  const Derivation derived = simulation->derive(ladder->index, *path.path);
  EXPECT_EQ(derived.formula, "group_load * 1024 / group_capacity");
  ASSERT_EQ(derived.parts.size(), 2U);
  EXPECT_EQ(derived.parts[0].formula, "sum over CPUs of cpu_runnable_load()");
  std::int64_t sum = 0, least = INT64_MAX;
  for (const Derivation& part : derived.parts[0].parts) {
    sum += part.what.value;
    least = std::min(least, part.what.value);
  }
  EXPECT_EQ(sum, derived.parts[0].what.value);
  EXPECT_EQ(sum * 1024 / derived.parts[1].what.value, derived.what.value);
  const FoundPath smallest = findOperand(*ladder, "worth_balancing.busiest.min_load");
  ASSERT_TRUE(smallest.path) << smallest.problem;
  EXPECT_EQ(simulation->derive(ladder->index, *smallest.path).what.value, least);
}

TEST(WhyNot, EveryDecisionHasAReasonBeforeV55Too) {
  for (const Patches& patches : kOldBalancing) {
    const auto simulation = openRun("LB-01", 130, patches);
    const auto frame = simulation->frame();
    const auto all = decisionsOf(*simulation);
    for (std::size_t i = all.size() * 9 / 10; i < all.size(); i += 25)
      for (const std::int32_t cpu : {1, 9, 20}) {
        const WhyNot why = simulation->whyNot(all[i].index, frame->tasks[3].id, cpu);
        ASSERT_TRUE(why.here);
        EXPECT_FALSE(why.here->reason.empty());
      }
  }
}

}  // namespace
}  // namespace rqscope::api
