// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "rqscope/what_if.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "rqscope/derivation.h"
#include "rqscope/why_not.h"
#include "what_if_runs.h"

namespace rqscope::api {
namespace {

/// The first pass of CPU 5 at PKG in Juno that refused every task for its utilisation.
std::shared_ptr<const Ladder> refusedPass(Simulation& simulation) {
  for (const auto& d : decisionsOf(simulation)) {
    if (d.result != "failed" || d.cpu != 5 || d.domainName != "PKG") continue;
    const auto ladder = simulation.ladder(d.index);
    for (const Rung& rung : ladder->rungs)
      if (rung.kind == "candidate" && rung.outcome == "util_too_big") return ladder;
  }
  return nullptr;
}

std::string refusedTask(const Ladder& ladder) {
  for (const Rung& rung : ladder.rungs)
    if (rung.kind == "candidate" && rung.outcome == "util_too_big") return rung.operands.front().text;
  return "";
}

TEST(WhatIf, MakesEveryDecisionAgainAsTheRunMadeIt) {
  const std::pair<const char*, int> runs[] = {{"juno", 400},           {"smt", 60},   {"misfit", 60},
                                              {"hackbench", 8},        {"spawn", 30}, {"pipe", 20},
                                              {"throttled-group", 120}};
  for (const auto& [name, untilMs] : runs) {
    const auto simulation = openRun(name, untilMs);
    ASSERT_NE(simulation, nullptr);
    const auto all = decisionsOf(*simulation);
    ASSERT_FALSE(all.empty()) << name;
    const std::size_t step = std::max<std::size_t>(all.size() / 60, 1);
    for (std::size_t i = 0; i < all.size(); i += step) {
      const WhatIf again = simulation->whatIf(all[i].index, {});
      ASSERT_NE(again.actual, nullptr) << name << " " << i;
      EXPECT_EQ(again.firstDifference, -1) << name << " " << i;
      const auto ladder = simulation->ladder(all[i].index);
      ASSERT_NE(ladder, nullptr);
      EXPECT_TRUE(again.actual->rungs == ladder->rungs) << name << ", decision " << all[i].index;
      EXPECT_EQ(again.actual->timeNs, ladder->timeNs);
    }
  }
}

TEST(WhatIf, ASmallerTaskWouldHaveMoved) {
  auto simulation = openRun("juno", 400, {{"migrate_util_shr_bound", false}});
  const auto ladder = refusedPass(*simulation);
  ASSERT_NE(ladder, nullptr);
  const std::uint64_t before = simulation->frame()->fingerprint;
  const std::string task = refusedTask(*ladder);
  const WhatIf what = changed(*simulation, *ladder, "candidate[" + task + "].util=300");
  ASSERT_NE(what.altered, nullptr);
  EXPECT_EQ(what.before.result, "failed");
  EXPECT_EQ(what.before.why, "util_too_big");
  EXPECT_EQ(what.after.result, "moved");
  EXPECT_EQ(what.after.movedNames, std::vector<std::string>{task});
  ASSERT_GE(what.firstDifference, 0);
  EXPECT_EQ(what.altered->rungs[static_cast<std::size_t>(what.firstDifference)].kind, "candidate");
  EXPECT_EQ(what.altered->rungs[static_cast<std::size_t>(what.firstDifference)].outcome, "detached");
  EXPECT_EQ(what.reached, std::vector<bool>{true});
  EXPECT_EQ(simulation->frame()->fingerprint, before);  // the run itself is not touched
}

TEST(WhatIf, AFailureOnTheCounterHalvesTheUtilisationOnlyWithThePatch) {
  for (const bool patch : {false, true}) {
    auto simulation = openRun("juno", 400, {{"migrate_util_shr_bound", patch}});
    const auto ladder = refusedPass(*simulation);
    ASSERT_NE(ladder, nullptr);
    const WhatIf what =
        changed(*simulation, *ladder, "candidate[" + refusedTask(*ladder) + "].nr_balance_failed=2");
    EXPECT_EQ(what.after.result == "moved", patch);
    EXPECT_NE(what.firstDifference, -1);
  }
}

TEST(WhatIf, AnotherImbalanceOrTypeLeadsElsewhere) {
  auto simulation = openRun("juno", 400, {{"migrate_util_shr_bound", false}});
  const auto ladder = refusedPass(*simulation);
  ASSERT_NE(ladder, nullptr);
  EXPECT_EQ(changed(*simulation, *ladder, "imbalance.imbalance=700").after.result, "moved");
  const WhatIf type = changed(*simulation, *ladder, "imbalance.migration_type=migrate_task");
  EXPECT_EQ(type.after.migrationType, "migrate_task");
  EXPECT_EQ(type.after.result, "moved");
  const WhatIf none = changed(*simulation, *ladder, "imbalance.imbalance=0");
  EXPECT_EQ(none.after.result, "balanced");
  EXPECT_EQ(none.altered->rungs.size(), 8U) << "the ladder goes from the imbalance to the result";
  const WhatIf full = changed(*simulation, *ladder, "group_statistics[{0,3-5}].group_type=overloaded");
  EXPECT_NE(full.after.migrationType, "migrate_util");
  EXPECT_EQ(full.altered->rungs[static_cast<std::size_t>(full.firstDifference)].kind, "group_statistics");
}

TEST(WhatIf, AGroupsSumsDecideItsType) {
  auto simulation = openRun("juno", 400, {{"migrate_util_shr_bound", false}});
  const auto ladder = refusedPass(*simulation);
  ASSERT_NE(ladder, nullptr);
  const Rung* groups = rungOf(*ladder, "group_statistics");
  ASSERT_EQ(groups->rows[1].groupType, "overloaded");
  // One task on two CPUs: the group has spare capacity whatever its utilisation.
  const WhatIf what = changed(*simulation, *ladder, "group_statistics[1,2].sum_nr_running=1");
  ASSERT_NE(what.altered, nullptr);
  const Rung* altered = rungOf(*what.altered, "group_statistics");
  // Not overloaded, but affinity left the mark of an imbalance on it.
  EXPECT_EQ(altered->rows[1].groupType, "imbalanced");
  EXPECT_EQ(what.after.migrationType, "migrate_task");
}

TEST(WhatIf, ADomainThatIsNotDueMakesNoPass) {
  auto simulation = openRun("juno", 400, {{"migrate_util_shr_bound", false}});
  const auto ladder = refusedPass(*simulation);
  ASSERT_NE(ladder, nullptr);
  const WhatIf what = changed(*simulation, *ladder, "domain_due.balance_interval=1000");
  EXPECT_EQ(what.after.result, "not_made");
  ASSERT_EQ(what.altered->rungs.size(), 2U);
  EXPECT_EQ(what.altered->rungs[1].outcome, "not_due");
  EXPECT_FALSE(what.altered->rungs[1].tests.front().holds);
}

TEST(WhatIf, SaysWhyANumberCannotBeChanged) {
  auto simulation = openRun("juno", 400, {{"migrate_util_shr_bound", false}});
  const auto ladder = refusedPass(*simulation);
  ASSERT_NE(ladder, nullptr);
  for (const char* text : {"should_we_balance.balance_cpu=1", "result.moved=1", "imbalance.rule=1",
                           "entry.dst_cpu=2", "candidate.loop=1"}) {
    const ReadOverride read = readOverride(*ladder, text);
    EXPECT_FALSE(read.change) << text;
    EXPECT_GT(read.problem.size(), 25U) << text;
  }
  for (const char* text :
       {"imbalance.imbalance=x", "imbalance.imbalance", "nothing.imbalance=3", "imbalance=3",
        "imbalance.nothing=3", "imbalance.imbalance=-1", "imbalance.migration_type=3",
        "group_statistics[9].group_util=1", "candidate[nobody].util=1"}) {
    const ReadOverride read = readOverride(*ladder, text);
    EXPECT_FALSE(read.change) << text;
    EXPECT_FALSE(read.problem.empty()) << text;
  }
}

TEST(WhatIf, PathsReadBackAsTheyAreWritten) {
  auto simulation = openRun("juno", 400, {{"migrate_util_shr_bound", false}});
  const auto ladder = refusedPass(*simulation);
  ASSERT_NE(ladder, nullptr);
  for (std::size_t r = 0; r < ladder->rungs.size(); ++r) {
    const Rung& rung = ladder->rungs[r];
    for (const Operand& operand : rung.operands) {
      const OperandPath path{static_cast<std::int32_t>(r), -1, operand.name};
      const FoundPath found = findOperand(*ladder, pathText(*ladder, path));
      ASSERT_TRUE(found.path) << pathText(*ladder, path) << ": " << found.problem;
      EXPECT_EQ(*found.path, path) << pathText(*ladder, path);
    }
    for (std::size_t row = 0; row < rung.rows.size(); ++row)
      for (const Operand& cell : rung.rows[row].cells) {
        const OperandPath path{static_cast<std::int32_t>(r), static_cast<std::int32_t>(row), cell.name};
        const FoundPath found = findOperand(*ladder, pathText(*ladder, path));
        ASSERT_TRUE(found.path) << pathText(*ladder, path) << ": " << found.problem;
        EXPECT_EQ(*found.path, path);
      }
  }
}

TEST(WhatIf, AnIdleCpuNearbyTakesAWakingTask) {
  const auto simulation = openRun("hackbench", 8);
  int tried = 0, moved = 0;
  for (const auto& d : decisionsOf(*simulation)) {
    if (d.kind != "wakeup" || tried >= 10) continue;
    const auto ladder = simulation->ladder(d.index);
    const Rung* scan = rungOf(*ladder, "idle_sibling");
    if (scan == nullptr || scan->outcome != "target_fallback") continue;
    const auto busy = std::find_if(scan->rows.begin(), scan->rows.end(),
                                   [](const RungRow& row) { return row.verdict == "not_idle"; });
    if (busy == scan->rows.end()) continue;
    ++tried;
    const WhatIf what = changed(*simulation, *ladder, "idle_sibling[" + busy->label + "].idle_cpu=yes");
    if (what.after.cpu == busy->subject.id) ++moved;
  }
  ASSERT_GT(tried, 0);
  EXPECT_EQ(moved, tried);
}

TEST(WhatIf, AForkGoesWhereTheChangedGroupIsIdlest) {
  const auto simulation = openRun("spawn", 30);
  int tried = 0;
  for (const auto& d : decisionsOf(*simulation)) {
    if (d.kind != "fork" || tried >= 5) continue;
    const auto ladder = simulation->ladder(d.index);
    const Rung* groups = rungOf(*ladder, "dst_group");
    if (groups == nullptr || groups->rows.size() < 2) continue;
    for (const RungRow& row : groups->rows) {
      if (row.isLocal || !row.verdict.empty()) continue;
      ++tried;
      // More idle CPUs than any other and nothing running.
      const auto util = readOverride(*ladder, "dst_group[" + row.label + "].group_util=0");
      const auto load = readOverride(*ladder, "dst_group[" + row.label + "].sum_nr_running=0");
      const auto idle = readOverride(*ladder, "dst_group[" + row.label + "].idle_cpus=64");
      ASSERT_TRUE(util.change && load.change && idle.change) << util.problem << load.problem << idle.problem;
      const WhatIf what = simulation->whatIf(d.index, {*util.change, *load.change, *idle.change});
      const Rung* altered = rungOf(*what.altered, "dst_group");
      bool isChosen = false;
      for (const RungRow& other : altered->rows)
        if (other.subject == row.subject) isChosen = other.verdict == "chosen";
      EXPECT_TRUE(isChosen) << row.label << " of decision " << d.index;
      break;
    }
  }
  EXPECT_GT(tried, 0);
}

TEST(WhatIf, AnyChangeOfAnyNumberGivesADecision) {
  int changes = 0;
  for (const char* name : {"juno", "smt", "hackbench", "spawn", "misfit"})
    changes += changeAll(*openRun(name, std::string(name) == "juno" ? 300 : 10), name);
  EXPECT_GT(changes, 500);
}

TEST(Derivation, AGroupsFiguresAreTheSumsOfItsCpus) {
  int exact = 0;
  for (const char* name : {"juno", "smt", "spawn", "hackbench"}) {
    const auto simulation = openRun(name, std::string(name) == "juno" ? 300 : 10);
    int tried = 0;
    for (const auto& d : decisionsOf(*simulation)) {
      const auto ladder = simulation->ladder(d.index);
      for (std::size_t r = 0; r < ladder->rungs.size(); ++r) {
        const Rung& rung = ladder->rungs[r];
        if (rung.kind != "group_statistics" && rung.kind != "dst_group") continue;
        if (++tried > 15) break;
        for (std::size_t row = 0; row < rung.rows.size(); ++row)
          for (const char* figure : {"group_util", "group_load", "group_runnable"}) {
            const OperandPath path{static_cast<std::int32_t>(r), static_cast<std::int32_t>(row), figure};
            const Derivation derived = simulation->derive(d.index, path);
            if (rung.rows[row].verdict == "not_allowed") continue;
            ASSERT_FALSE(derived.parts.empty()) << name << " " << d.index << " " << pathText(*ladder, path);
            std::int64_t sum = 0;
            for (const Derivation& part : derived.parts) {
              sum += part.what.value;
              EXPECT_TRUE(part.value.has_value());
            }
            EXPECT_EQ(sum, derived.what.value) << name << " " << d.index << " " << pathText(*ladder, path);
            ++exact;
          }
      }
    }
  }
  EXPECT_GT(exact, 100);
}

TEST(Derivation, TheImbalanceGoesDownToTheCpus) {
  auto simulation = openRun("juno", 400, {{"migrate_util_shr_bound", false}});
  const auto ladder = refusedPass(*simulation);
  ASSERT_NE(ladder, nullptr);
  const FoundPath path = findOperand(*ladder, "imbalance.imbalance");
  ASSERT_TRUE(path.path);
  const Derivation derived = simulation->derive(ladder->index, *path.path);
  EXPECT_EQ(derived.formula, "max(local.group_capacity, local.group_util) - local.group_util");
  ASSERT_EQ(derived.parts.size(), 2U);
  EXPECT_EQ(derived.parts[0].what.value - derived.parts[1].what.value, derived.what.value);
  EXPECT_EQ(derived.parts[1].parts.size(), 4U) << "utilisation of the four little CPUs";
}

TEST(WhyNot, NamesTheFirstTestThatKeptTheTask) {
  auto simulation = openRun("juno", 400, {{"migrate_util_shr_bound", false}});
  const auto ladder = refusedPass(*simulation);
  ASSERT_NE(ladder, nullptr);
  std::set<std::string> reasons;
  for (const Rung& rung : ladder->rungs) {
    if (rung.kind != "candidate") continue;
    const WhyNot why = simulation->whyNot(ladder->index, rung.subject.id, 5);
    ASSERT_TRUE(why.here) << why.problem;
    EXPECT_EQ(why.here->reason, "refused");
    EXPECT_EQ(why.here->detail, rung.outcome);
    EXPECT_EQ(why.here->decision, ladder->index);
    EXPECT_EQ(ladder->rungs[static_cast<std::size_t>(why.here->rung)].kind, "candidate");
    EXPECT_EQ(why.here->tests.empty(), rung.tests.empty());
    reasons.insert(why.here->detail);
    EXPECT_LE(why.before.size(), 10U);
    for (std::size_t i = 1; i < why.before.size(); ++i)
      EXPECT_LT(why.before[i].decision, why.before[i - 1].decision);
  }
  EXPECT_TRUE(reasons.contains("util_too_big"));
  // A task of the other big CPU: its queue was not chosen, or it was looked at.
  const WhyNot other = simulation->whyNot(ladder->index, rungOf(*ladder, "candidate")->subject.id, 0);
  ASSERT_TRUE(other.here);
  EXPECT_EQ(other.here->reason, "other_destination");
}

TEST(WhyNot, EveryDecisionHasAReasonForEveryTaskAndCpu) {
  for (const char* name : {"juno", "smt", "hackbench", "spawn"}) {
    const auto simulation = openRun(name, std::string(name) == "juno" ? 300 : 8);
    const auto frame = simulation->frame();
    const auto all = decisionsOf(*simulation);
    const std::size_t step = std::max<std::size_t>(all.size() / 12, 1);
    for (std::size_t i = 0; i < all.size(); i += step)
      for (std::size_t t = 0; t < frame->tasks.size() && t < 6; ++t)
        for (const CpuFrame& cpu : frame->cpus) {
          if (cpu.id > 7) break;
          const WhyNot why = simulation->whyNot(all[i].index, frame->tasks[t].id, cpu.id);
          ASSERT_TRUE(why.problem.empty()) << why.problem;
          ASSERT_TRUE(why.here);
          EXPECT_FALSE(why.here->reason.empty());
          for (const WhyNotStep& earlier : why.before) EXPECT_FALSE(earlier.reason.empty());
        }
  }
}

TEST(SixLadders, EachKindOfDecisionIsThereWithARefusal) {
  const auto simulation = openRun("six-ladders", 400);
  ASSERT_NE(simulation, nullptr);
  std::map<std::string, int> refused;
  for (const auto& d : decisionsOf(*simulation)) {
    const auto ladder = simulation->ladder(d.index);
    bool isRefused = false;
    for (const Rung& rung : ladder->rungs) {
      isRefused = isRefused || (rung.tone == Tone::No && rung.kind != "result");
      for (const RungRow& row : rung.rows) isRefused = isRefused || row.tone == Tone::No;
    }
    if (isRefused) ++refused[d.kind];
  }
  for (const char* kind : {"tick", "nohz", "newidle", "active", "fork", "wakeup"})
    EXPECT_GT(refused[kind], 0) << kind;
}

TEST(WhyNot, SaysWhatThereIsNot) {
  const auto simulation = openRun("juno", 50);
  EXPECT_FALSE(simulation->whyNot(0, 999, 0).problem.empty());
  EXPECT_FALSE(simulation->whyNot(0, 0, 999).problem.empty());
  EXPECT_FALSE(simulation->whyNot(UINT64_MAX - 1, 0, 0).problem.empty());
}

std::string fmtKinds(const std::set<std::string>& kinds) {
  std::string text;
  for (const std::string& kind : kinds) text += kind + " ";
  return text;
}

TEST(IdleCauses, AddUpToTheTimeThatWasLost) {
  const std::pair<const char*, int> runs[] = {{"juno", 1000},    {"smt", 200},         {"misfit", 200},
                                              {"hackbench", 30}, {"spawn", 60},        {"pipe", 30},
                                              {"hotplug", 400},  {"spread-hogs", 200}, {"two-groups", 200}};
  std::set<std::string> kinds;
  for (const auto& [name, untilMs] : runs) {
    const auto simulation = openRun(name, untilMs);
    ASSERT_NE(simulation, nullptr) << name;
    const Outcome outcome = simulation->outcome();
    std::uint64_t sum = 0;
    for (const Outcome::IdleCause& cause : outcome.idleCauses) {
      sum += cause.ns;
      kinds.insert(cause.cause);
      EXPECT_GT(cause.times, 0U);
    }
    EXPECT_EQ(sum, outcome.idleWhileWaitingNs) << name;
    // Going back, they are those of the earlier moment.
    simulation->seekTime(untilMs * kMs / 2);
    const Outcome half = simulation->outcome();
    sum = 0;
    for (const Outcome::IdleCause& cause : half.idleCauses) sum += cause.ns;
    EXPECT_EQ(sum, half.idleWhileWaitingNs) << name << " at half time";
  }
  EXPECT_GE(kinds.size(), 3U) << fmtKinds(kinds);
}

TEST(IdleCauses, NameTheRefusalThatKeepsTheLittleCpuIdle) {
  const auto simulation = openRun("juno", 5000, {{"migrate_util_shr_bound", false}});
  const Outcome outcome = simulation->outcome();
  ASSERT_FALSE(outcome.idleCauses.empty());
  bool isNamed = false;
  for (const Outcome::IdleCause& cause : outcome.idleCauses)
    if (cause.cause == "none_detached" && (cause.detail == "util_too_big" || cause.detail == "hot"))
      isNamed = true;
  EXPECT_TRUE(isNamed);
}

}  // namespace
}  // namespace rqscope::api
