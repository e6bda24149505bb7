// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "rqscope/derivation.h"
#include "rqscope/simulation.h"
#include "rqscope/what_if.h"

namespace rqscope::api {
namespace {

/// Five tasks bound to CPU 0, one that mostly runs on CPU 1: CPU 1 balances at its tick without being idle.
std::string fiveBesideOne(const std::string& kernel) {
  return R"({"rqscope-scenario":1,"machine":"1 package x 4 cores","kernel":")" + kernel +
         R"(","workload":{"rt-app":{"tasks":{
           "H":{"instance":5,"start_cpu":0,"cpus":[0],"run":10000000},
           "L":{"start_cpu":1,"cpus":[1],"loop":-1,"run":6000,"sleep":2000}}}},"until":"1s"})";
}

const Rung* imbalanceOf(const Ladder& ladder) {
  const auto it = std::find_if(ladder.rungs.begin(), ladder.rungs.end(),
                               [](const Rung& rung) { return rung.kind == "imbalance"; });
  return it == ladder.rungs.end() ? nullptr : &*it;
}

/// The first pass for a busy CPU whose local group has room and that calculates an imbalance.
std::shared_ptr<const Ladder> busyPass(Simulation& simulation) {
  simulation.seekTime(1'000'000'000);
  for (const auto& d : simulation.decisions(0, INT64_MAX, 1'000'000)) {
    const auto ladder = simulation.ladder(d.index);
    if (ladder->idle != "not_idle" || ladder->cpu != 1) continue;
    if (const Rung* const rung = imbalanceOf(*ladder); rung != nullptr) return ladder;
  }
  return nullptr;
}

std::string textOf(const Rung& rung, const std::string& name) {
  for (const Operand& operand : rung.operands)
    if (operand.name == name) return operand.text;
  return "";
}

TEST(ImbalanceReason, ABusyCpuTakesNothingFromItsSiblings) {
  // From v6.6 on sibling_imbalance() starts with "not idle: 0". Whatever the numbers of tasks are, that is
  // the reason, and no difference is halved.
  auto opened = Simulation::openText("sib.json", fiveBesideOne("v6.12"), {});
  ASSERT_NE(opened.simulation, nullptr);
  const auto ladder = busyPass(*opened.simulation);
  ASSERT_NE(ladder, nullptr);
  const Rung& rung = *imbalanceOf(*ladder);
  EXPECT_EQ(rung.outcome, "migrate_task 0");
  EXPECT_EQ(textOf(rung, "rule"), "sibling_not_idle");
  ASSERT_EQ(rung.tests.size(), 1U);
  EXPECT_EQ(rung.tests[0].left.name, "idle");
  EXPECT_EQ(rung.tests[0].left.text, "not_idle");
  EXPECT_TRUE(rung.tests[0].holds);

  const FoundPath path = findOperand(*ladder, "imbalance.imbalance");
  ASSERT_TRUE(path.path) << path.problem;
  const Derivation derived = opened.simulation->derive(ladder->index, *path.path);
  EXPECT_TRUE(derived.formula.starts_with("0:")) << derived.formula;

  const ReadOverride more = readOverride(*ladder, "imbalance.busiest.sum_nr_running=9");
  ASSERT_TRUE(more.change) << more.problem;
  const WhatIf what = opened.simulation->whatIf(ladder->index, {*more.change});
  EXPECT_EQ(what.after.why, "sibling_not_idle");
  EXPECT_EQ(what.after.imbalance, 0);
}

TEST(ImbalanceReason, AnIdleOneWouldTakeHalfTheDifference) {
  // The same pass for an idle CPU: (5 - 1) / 2 = 2, by the same line as always.
  auto opened = Simulation::openText("sib.json", fiveBesideOne("v6.12"), {});
  ASSERT_NE(opened.simulation, nullptr);
  const auto ladder = busyPass(*opened.simulation);
  ASSERT_NE(ladder, nullptr);
  const ReadOverride idle = readOverride(*ladder, "entry.idle=idle");
  ASSERT_TRUE(idle.change) << idle.problem;
  const WhatIf what = opened.simulation->whatIf(ladder->index, {*idle.change});
  const Rung* const rung = imbalanceOf(*what.altered);
  ASSERT_NE(rung, nullptr);
  EXPECT_EQ(rung->outcome, "migrate_task 2");
  EXPECT_EQ(textOf(*rung, "rule"), "spare_tasks_sibling");
  EXPECT_TRUE(rung->tests.empty());
}

TEST(ImbalanceReason, V61HalvesTheDifferenceForABusyCpuToo) {
  // load_balance() of v6.1 knows no sibling_imbalance(): the plain difference counts, idle or not.
  auto opened = Simulation::openText("sib.json", fiveBesideOne("v6.1"), {});
  ASSERT_NE(opened.simulation, nullptr);
  const auto ladder = busyPass(*opened.simulation);
  ASSERT_NE(ladder, nullptr);
  const Rung& rung = *imbalanceOf(*ladder);
  EXPECT_EQ(textOf(rung, "rule"), "spare_tasks_sibling");
  EXPECT_EQ(rung.outcome, "migrate_task 2");
}

}  // namespace
}  // namespace rqscope::api
