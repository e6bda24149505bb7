// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
// What can be asked of each rung: the six kinds of ladder with their refusals, numbers that can be changed,
// and where numbers come from, down to those of the queues.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>

#include "rqscope/decision_filter.h"
#include "rqscope/derivation.h"
#include "rqscope/explain_value.h"
#include "rqscope/names.h"
#include "rqscope/patches.h"
#include "rqscope/simulation.h"
#include "rqscope/what_if.h"

namespace rqscope::api {
namespace {

constexpr std::int64_t kMs = 1'000'000;
constexpr int kPatienceMs = 60'000;

std::unique_ptr<Simulation> openRun(const std::string& name, std::int64_t untilMs,
                                    const std::string& kernel = "") {
  Overrides overrides;
  overrides.kernel = kernel;
  Opened opened = Simulation::open(name, overrides);
  if (opened.simulation == nullptr) return nullptr;
  opened.simulation->runUntil({StopKind::Time, untilMs * kMs, {}}, kPatienceMs);
  return std::move(opened.simulation);
}

/// The ladders of help/command-line.md, and the rung that refuses in each.
struct Shown {
  const char* name;
  DecisionFilter filter;
  const char* rung;
  const char* refusal;  ///< outcome of the rung, or verdict of one of its rows
};
const Shown kShown[] = {
    {"fork", {-1, 1, "", "", "fork", ""}, "dst_group", "not_allowed"},
    {"wakeup", {9 * kMs, -1, "", "", "wakeup", ""}, "idle_sibling", "not_idle"},
    {"newidle", {-1, -1, "", "", "newidle", "moved"}, "candidate", "affinity"},
    {"periodic", {-1, 1, "", "", "tick", ""}, "imbalance", "migrate_task 0"},
    {"nohz", {-1, -1, "", "", "nohz", "failed"}, "candidate", "affinity"},
    {"active", {-1, -1, "", "", "active", ""}, "candidate", "affinity"},
};

TEST(SixLadders, EachIsFoundByWhatTheHelpSaysAndNamesItsRefusal) {
  for (const Shown& shown : kShown) {
    auto simulation = openRun("six-ladders", 0);
    ASSERT_NE(simulation, nullptr);
    const auto index = runToDecision(*simulation, shown.filter, kPatienceMs);
    ASSERT_TRUE(index) << shown.name;
    const auto ladder = simulation->ladder(*index);
    ASSERT_NE(ladder, nullptr) << shown.name;
    const std::int32_t at = refusingRung(*ladder);
    ASSERT_GE(at, 0) << shown.name;
    const Rung& rung = ladder->rungs[static_cast<std::size_t>(at)];
    EXPECT_EQ(rung.kind, shown.rung) << shown.name;
    const bool isSaid = rung.outcome == shown.refusal ||
                        std::any_of(rung.rows.begin(), rung.rows.end(), [&](const RungRow& row) {
                          return row.tone == Tone::No && row.verdict == shown.refusal;
                        });
    EXPECT_TRUE(isSaid) << shown.name << " " << rung.outcome;
    if (rung.outcome != "affinity") continue;
    // The reason has its numbers: the CPU and the CPUs that are allowed.
    ASSERT_FALSE(rung.tests.empty()) << shown.name;
    EXPECT_EQ(rung.tests.back().op, "in");
    EXPECT_FALSE(rung.tests.back().holds);
    EXPECT_EQ(rung.tests.back().left.value, ladder->cpu);
    EXPECT_EQ(rung.tests.back().right.text, "{0}");
  }
}

TEST(DecisionFilter, SearchesOnAndKnowsWhenThereIsNone) {
  auto simulation = openRun("six-ladders", 0);
  const DecisionFilter late{70 * kMs, 3, "MC", "", "", ""};
  const auto index = runToDecision(*simulation, late, kPatienceMs);
  ASSERT_TRUE(index);
  const auto ladder = simulation->ladder(*index);
  EXPECT_GE(ladder->timeNs, 70 * kMs);
  EXPECT_EQ(ladder->cpu, 3);
  EXPECT_EQ(findDecision(*simulation, late), index);
  const DecisionFilter none{-1, -1, "NUMA 7", "", "", ""};
  EXPECT_FALSE(runToDecision(*simulation, none, kPatienceMs));
  EXPECT_TRUE(simulation->frame()->atEnd) << "the whole run was looked through";
  EXPECT_TRUE(DecisionFilter{}.isEmpty());
  EXPECT_FALSE(late.isEmpty());
}

/// Rungs that say what came of it or what was before, and so have nothing that a later test reads.
bool saysOnly(const Rung& rung) {
  return rung.kind == "result" || rung.kind == "placed" || rung.kind == "group_move" ||
         (rung.kind == "worth_balancing" && rung.outcome == "no_busiest") ||
         (rung.kind == "dst_cpu" && rung.rows.empty());  // a group of one CPU is not searched
}

template <class F>
void eachOperand(const Rung& rung, std::int32_t index, F&& visit) {
  const auto side = [&](const Operand& operand, std::int32_t row) {
    if (!operand.name.empty()) visit(OperandPath{index, row, operand.name});
  };
  const auto list = [&](const std::vector<Operand>& operands, const std::vector<Comparison>& tests,
                        std::int32_t row) {
    for (const Operand& operand : operands) side(operand, row);
    for (const Comparison& test : tests) {
      side(test.left, row);
      side(test.right, row);
    }
  };
  list(rung.operands, rung.tests, -1);
  for (std::size_t r = 0; r < rung.rows.size(); ++r)
    list(rung.rows[r].cells, rung.rows[r].tests, static_cast<std::int32_t>(r));
}

TEST(WhatIf, EveryRungHasANumberThatCanBeChanged) {
  std::map<std::string, std::pair<int, int>> rungs;  // by kind and outcome: seen, without a number
  std::set<std::string> kinds;
  const std::pair<const char*, int> runs[] = {
      {"six-ladders", 400},     {"juno", 300},           {"smt", 60},        {"misfit", 120},
      {"hackbench", 8},         {"spawn", 40},           {"pipe", 20},       {"hotplug", 150},
      {"throttled-group", 150}, {"preferred-cache", 60}, {"cases/CA-02", 60}};
  for (const auto& [name, untilMs] : runs)
    for (const char* kernel : {"v6.1", "v6.12", "v7.3"}) {
      auto simulation = openRun(name, untilMs, kernel);
      if (simulation == nullptr) continue;  // a scenario with a patch that the kernel does not know
      const auto all = simulation->decisions(0, INT64_MAX, 1'000'000);
      const std::size_t step = std::max<std::size_t>(all.size() / 250, 1);
      for (std::size_t i = 0; i < all.size(); i += step) {
        const auto ladder = simulation->ladder(all[i].index);
        for (std::size_t r = 0; r < ladder->rungs.size(); ++r) {
          const Rung& rung = ladder->rungs[r];
          kinds.insert(rung.kind);
          if (saysOnly(rung)) continue;
          bool canChange = false;
          eachOperand(rung, static_cast<std::int32_t>(r), [&](const OperandPath& path) {
            canChange = canChange || whyFixed(*ladder, path).empty();
          });
          auto& [seen, without] = rungs[rung.kind + " " + rung.outcome.substr(0, 24)];
          ++seen;
          if (!canChange) ++without;
        }
      }
    }
  for (const auto& [what, counts] : rungs)
    EXPECT_EQ(counts.second, 0) << what << ": " << counts.second << " of " << counts.first
                                << " have nothing to change";
  for (const char* kind :
       {"entry", "domain_due", "newidle_cost", "should_we_balance", "group_statistics", "busiest_group",
        "worth_balancing", "imbalance", "source_queue", "candidate", "active_balance", "wake_wide",
        "wake_affine", "idle_sibling", "dst_group", "dst_cpu"})
    EXPECT_TRUE(kinds.count(kind)) << kind << " was never seen";
}

std::shared_ptr<const Ladder> found(Simulation& simulation, const DecisionFilter& filter) {
  const auto index = runToDecision(simulation, filter, kPatienceMs);
  return index ? simulation.ladder(*index) : nullptr;
}

WhatIf changed(Simulation& simulation, const Ladder& ladder, const std::string& text) {
  const ReadOverride read = readOverride(ladder, text);
  EXPECT_TRUE(read.change) << read.problem;
  return read.change ? simulation.whatIf(ladder.index, {*read.change}) : WhatIf{};
}

TEST(WhatIf, ATaskThatWereAllowedOrNotRunningWouldMove) {
  auto simulation = openRun("six-ladders", 0);
  const auto nohz = found(*simulation, kShown[4].filter);
  ASSERT_NE(nohz, nullptr);
  const std::uint64_t before = simulation->frame()->fingerprint;
  const WhatIf allowed = changed(*simulation, *nohz, "candidate[P].allowed=yes");
  ASSERT_NE(allowed.altered, nullptr);
  EXPECT_EQ(allowed.before.result, "failed");
  EXPECT_EQ(allowed.after.result, "moved");
  EXPECT_EQ(allowed.after.movedNames, std::vector<std::string>{"P"});
  EXPECT_EQ(allowed.reached, std::vector<bool>{true});
  // Not running, A would still be hot, as it ran just now.
  const WhatIf hot = changed(*simulation, *nohz, "candidate[A].on_cpu=no");
  EXPECT_EQ(hot.after.result, "failed");
  const auto refused = std::find_if(hot.altered->rungs.begin(), hot.altered->rungs.end(), [](const Rung& r) {
    return r.kind == "candidate" && r.operands.front().text == "A";
  });
  ASSERT_NE(refused, hot.altered->rungs.end());
  EXPECT_EQ(refused->outcome, "hot");
  EXPECT_EQ(simulation->frame()->fingerprint, before);
  const auto active = found(*simulation, kShown[5].filter);
  const WhatIf other = changed(*simulation, *active, "candidate[P].allowed=yes");
  EXPECT_EQ(other.after.movedNames, std::vector<std::string>{"P"});
  const WhatIf elsewhere = changed(*simulation, *active, "entry.dst_cpu=2");
  ASSERT_NE(elsewhere.altered, nullptr);
  EXPECT_EQ(elsewhere.altered->cpu, 2);
  EXPECT_NE(elsewhere.after.result, "moved") << "neither may run on CPU 2";
}

TEST(WhatIf, ABusyCpuDoesNotBalanceForItsGroupAndAnIdleOneDoes) {
  auto simulation = openRun("six-ladders", 0);
  const auto nohz = found(*simulation, kShown[4].filter);
  const auto rung = std::find_if(nohz->rungs.begin(), nohz->rungs.end(),
                                 [](const Rung& r) { return r.kind == "should_we_balance"; });
  ASSERT_NE(rung, nohz->rungs.end());
  ASSERT_EQ(rung->rows.size(), 1U) << "the group of CPU 3 is CPU 3";
  EXPECT_EQ(rung->rows.front().verdict, "chosen");
  const WhatIf busy = changed(*simulation, *nohz, "should_we_balance[CPU 3].idle_cpu=no");
  ASSERT_NE(busy.altered, nullptr);
  EXPECT_EQ(busy.reached, std::vector<bool>{true});
  // A group of one CPU has no other that could balance for it: the rule changes, not the answer.
  EXPECT_NE(busy.firstDifference, -1);
  const auto newidle = found(*simulation, kShown[2].filter);
  const WhatIf woken = changed(*simulation, *newidle, "should_we_balance[CPU 2].ttwu_pending=yes");
  EXPECT_EQ(woken.after.result, "balanced");
  EXPECT_EQ(woken.after.why, "not_this_cpu");
  const WhatIf filled = changed(*simulation, *newidle, "should_we_balance[CPU 2].nr_running=1");
  EXPECT_EQ(filled.after.why, "not_this_cpu");
}

TEST(WhatIf, AnotherCpuOfTheGroupBalancesWhenItIsIdle) {
  auto simulation = openRun("juno", 400);
  // A pass of a busy CPU that should_we_balance() refused: were the CPU the first idle one, it would go on.
  for (const auto& d : simulation->decisions(0, INT64_MAX, 1'000'000)) {
    const auto ladder = simulation->ladder(d.index);
    for (const Rung& rung : ladder->rungs) {
      if (rung.kind != "should_we_balance" || rung.outcome != "no" || rung.rows.size() < 2) continue;
      const WhatIf what = changed(*simulation, *ladder,
                                  "should_we_balance[CPU " + std::to_string(ladder->cpu) + "].idle_cpu=yes");
      ASSERT_NE(what.altered, nullptr);
      if (what.reached != std::vector<bool>{true}) continue;
      const auto altered = std::find_if(what.altered->rungs.begin(), what.altered->rungs.end(),
                                        [](const Rung& r) { return r.kind == "should_we_balance"; });
      if (altered->outcome != "yes") continue;  // an idle CPU before it in the mask
      EXPECT_GT(what.altered->rungs.size(), what.actual->rungs.size());
      return;
    }
  }
  FAIL() << "no pass was refused to a CPU of a larger group";
}

TEST(WhatIf, TheBusiestGroupIsPickedByTheChangedFigures) {
  auto simulation = openRun("six-ladders", 0);
  const auto nohz = found(*simulation, kShown[4].filter);
  const WhatIf what = changed(*simulation, *nohz, "busiest_group[{0}].group_type=has_spare");
  ASSERT_NE(what.altered, nullptr);
  EXPECT_EQ(what.reached, std::vector<bool>{true});
  EXPECT_NE(what.firstDifference, -1);
}

TEST(WhatIf, AnIdleWakerDrawsTheWakee) {
  auto simulation = openRun("pipe", 30);
  for (const auto& d : simulation->decisions(0, INT64_MAX, 1'000'000)) {
    if (d.kind != "wakeup") continue;
    const auto ladder = simulation->ladder(d.index);
    const auto rung = std::find_if(ladder->rungs.begin(), ladder->rungs.end(),
                                   [](const Rung& r) { return r.kind == "wake_affine"; });
    if (rung == ladder->rungs.end() || rung->operands.size() < 3) continue;
    const WhatIf what = changed(*simulation, *ladder, "wake_affine.this_cpu idle=yes");
    ASSERT_NE(what.altered, nullptr);
    EXPECT_EQ(what.reached, std::vector<bool>{true});
    return;
  }
  FAIL() << "no wakeup across CPUs in this run";
}

// An idle waker of another cache: wake_affine_idle() does not take it into account, so the rung must not say
// that it is not idle.
TEST(WakeAffineRung, LeavesOutAnIdleCpuOfAnotherCache) {
  const std::string file = resourceDirectory() + "/lessons/scenarios/wakeups.json";
  const Opened opened = Simulation::open(file, {});
  ASSERT_NE(opened.simulation, nullptr);
  DecisionFilter filter;
  filter.entry = "wakeup";
  filter.fromNs = 260'000'000;
  const auto index = runToDecision(*opened.simulation, filter, 60'000);
  ASSERT_TRUE(index);
  const auto ladder = opened.simulation->ladder(*index);
  const auto rung = std::ranges::find(ladder->rungs, "wake_affine", &Rung::kind);
  ASSERT_NE(rung, ladder->rungs.end());
  EXPECT_EQ(rung->outcome, "weight_this");
  EXPECT_EQ(std::ranges::find(rung->operands, "this_cpu idle", &Operand::name), rung->operands.end());
  EXPECT_NE(std::ranges::find(rung->operands, "prev_cpu idle", &Operand::name), rung->operands.end());
}

void eachLeaf(const Derivation& derivation, const std::function<void(const Derivation&)>& visit) {
  if (derivation.value) visit(derivation);
  for (const Derivation& part : derivation.parts) eachLeaf(part, visit);
}

TEST(Derivation, GoesOnToNumbersThatExplainThemselvesAsTheDecisionReadThem) {
  // Figures that the kernel reads as they are must be explained to the unit.
  const std::set<std::string> asTheyAre{"cfs_rq.load_avg", "cfs_rq.runnable_avg",
                                        "cfs_rq.util_avg", "cfs_rq.util_est",
                                        "capacity",        "util_avg",
                                        "util_est",        "load_avg"};
  int allExact = 0;
  for (const auto& [name, kernel] : {std::pair{"six-ladders", "v6.1"}, std::pair{"six-ladders", "v6.12"},
                                     std::pair{"six-ladders", "v7.3"}, std::pair{"juno", "v6.12"}}) {
    auto simulation = openRun(name, 220, kernel);
    ASSERT_NE(simulation, nullptr);
    int leaves = 0, steps = 0, exact = 0;
    std::map<std::string, std::string> unlike;
    const auto all = simulation->decisions(0, INT64_MAX, 1'000'000);
    for (std::size_t i = 0; i < all.size(); i += std::max<std::size_t>(all.size() / 12, 1)) {
      const auto ladder = simulation->ladder(all[i].index);
      for (std::size_t r = 0; r < ladder->rungs.size(); ++r)
        eachOperand(ladder->rungs[r], static_cast<std::int32_t>(r), [&](const OperandPath& path) {
          const Derivation derived = simulation->derive(ladder->index, path);
          eachLeaf(derived, [&](const Derivation& leaf) {
            ++leaves;
            if (leaves % 2 != 1) return;  // some are enough, and each is a replay
            const ExplainedValue value = simulation->explainValueIn(ladder->index, *leaf.value);
            ASSERT_FALSE(value.rule.empty()) << pathText(*ladder, path) << " " << leaf.value->name;
            EXPECT_EQ(recompute(value), value.result) << leaf.value->name;
            ++steps;
            if (!asTheyAre.count(leaf.value->name) || leaf.what.name.rfind("CPU ", 0) == 0) return;
            ++exact;
            if (value.result != leaf.what.value)
              unlike[kernel + std::string(" ") + leaf.value->name] =
                  pathText(*ladder, path) + ": " + std::to_string(value.result) + " against " +
                  std::to_string(leaf.what.value);
            for (const ValueOperand& operand : value.operands) {
              if (!operand.ref) continue;
              EXPECT_FALSE(simulation->explainValueIn(ladder->index, *operand.ref).rule.empty())
                  << operand.name;
            }
          });
        });
    }
    EXPECT_GT(steps, 20) << kernel;
    allExact += exact;
    for (const auto& [what, where] : unlike) ADD_FAILURE() << what << " at " << where;
  }
  EXPECT_GT(allExact, 3);
}

TEST(Derivation, AskingDoesNotTouchTheRun) {
  auto simulation = openRun("six-ladders", 100);
  const auto before = simulation->frame();
  simulation->explainValueIn(5, {"cfs_rq.load_avg", 0, -1, -1});
  EXPECT_EQ(simulation->frame()->fingerprint, before->fingerprint);
  EXPECT_EQ(simulation->frame()->eventIndex, before->eventIndex);
}

TEST(IdleCauses, TheChartAddsUpToTheTimeThatWasLost) {
  for (const auto& [name, untilMs] :
       {std::pair{"juno", 600}, std::pair{"hackbench", 20}, std::pair{"smt", 100}}) {
    auto simulation = openRun(name, untilMs);
    const std::int64_t begin = 10 * kMs, end = static_cast<std::int64_t>(untilMs) * kMs - 3 * kMs;
    std::map<std::string, double> wanted;
    double whole = 0;
    for (const auto& cause : simulation->idleCauses(begin, end)) {
      wanted[cause.detail.empty() ? cause.cause : cause.cause + ": " + cause.detail] +=
          static_cast<double>(cause.ns);
      whole += static_cast<double>(cause.ns);
    }
    for (const int bins : {7, 100, 1000}) {
      const ChartData chart = simulation->chart("idle_causes", begin, end, bins);
      EXPECT_TRUE(chart.isStacked);
      double sum = 0;
      for (const Series& series : chart.series) {
        double own = 0;
        std::int64_t from = begin;
        ASSERT_LE(series.value.size(), static_cast<std::size_t>(bins));
        for (std::size_t i = 0; i < series.value.size(); ++i) {
          EXPECT_GE(series.value[i], 0);
          own += series.value[i] * static_cast<double>(series.timeNs[i] - from);
          from = series.timeNs[i];
        }
        EXPECT_EQ(from, end);
        sum += own;
        if (series.name != "other") {
          EXPECT_NEAR(own, wanted[series.name], 10) << name << " " << series.name;
        }
      }
      EXPECT_NEAR(sum, whole, 100) << name;
      EXPECT_LE(chart.series.size(), 11U);
    }
  }
}

TEST(PatchChoices, SayWhatIsOnByDefaultAndWhatMakesNoSense) {
  const auto choices = patchChoices("v6.12");
  const auto named = [&](const std::string& name) {
    return *std::find_if(choices.begin(), choices.end(),
                         [&](const PatchChoice& c) { return c.name == name; });
  };
  EXPECT_TRUE(named("eevdf").isOnByDefault);
  EXPECT_FALSE(named("flat_queue").isOnByDefault);
  EXPECT_TRUE(named("flat_queue").isKnown);
  EXPECT_FALSE(named("slice_protection").isKnown);
  EXPECT_FALSE(named("slice_protection").isOnByDefault);
  EXPECT_EQ(named("migrate_util_shr_bound").commit, "3af7524b1419");
  EXPECT_TRUE(patchChoices("v0").empty());
}

}  // namespace
}  // namespace rqscope::api
