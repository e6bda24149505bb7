// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "rqscope/explain_value.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "rqscope/simulation.h"

namespace rqscope::api {
namespace {

const char* const kScenarios[] = {"lag-and-deadline", "two-groups",      "nice-levels",     "juno",
                                  "hackbench",        "throttled-group", "delayed-dequeue", "autogroup",
                                  "misfit",           "pelt-ramp"};

std::unique_ptr<Simulation> open(const std::string& scenario, const std::string& kernel) {
  Overrides overrides;
  overrides.kernel = kernel;
  return Simulation::open(scenario, overrides).simulation;
}

/// What explanations were made of, over a test.
struct Tally {
  std::map<std::string, int> rules, followedRules;
  int values = 0, operandsFollowed = 0;
};

void expectExplained(const Simulation& simulation, const ShownValue& shown, const std::string& where,
                     Tally& tally) {
  const ExplainedValue value = simulation.explainValue(shown.ref);
  ASSERT_FALSE(value.rule.empty()) << where;
  EXPECT_EQ(value.result, shown.value) << where << " by " << value.function << ": " << value.formula;
  EXPECT_EQ(recompute(value), shown.value) << where;
  EXPECT_EQ(value.subject, shown.subject) << where;
  EXPECT_FALSE(value.function.empty()) << where;
  ++tally.values;
  ++tally.rules[value.rule];
  for (const ValueOperand& operand : value.operands) {
    if (!operand.ref) continue;
    const ExplainedValue inner = simulation.explainValue(*operand.ref);
    ASSERT_FALSE(inner.rule.empty()) << where << ": " << operand.name;
    EXPECT_EQ(inner.result, operand.value) << where << ": " << operand.name << " by " << inner.function;
    ++tally.operandsFollowed;
    ++tally.followedRules[inner.rule];
  }
}

class ExplainValue : public testing::TestWithParam<std::string> {};

TEST_P(ExplainValue, GivesEveryShownNumberAtRandomTimes) {
  std::mt19937 random(11);
  Tally tally;
  for (const char* name : kScenarios) {
    const auto simulation = open(name, GetParam());
    ASSERT_NE(simulation, nullptr) << name;
    for (int moment = 0; moment < 5; ++moment) {
      simulation->seekTime(static_cast<std::int64_t>(random() % 400'000'000));
      const auto frame = simulation->frame();
      for (const CpuFrame& cpu : frame->cpus) {
        if (frame->cpus.size() > 6 && random() % 4 != 0) continue;
        for (const ShownValue& shown : simulation->values(cpu.id))
          expectExplained(*simulation, shown,
                          std::string(name) + " at " + std::to_string(frame->timeNs) + " ns, " +
                              shown.subject + ", " + shown.ref.name,
                          tally);
      }
    }
  }
  EXPECT_GT(tally.values, 1500);
  EXPECT_GT(tally.operandsFollowed, 1000);
  // Only a few may say no more than "before + change".
  EXPECT_LT(tally.rules["change"], tally.values / 12) << "of " << tally.values;
  for (const char* rule :
       {"pelt_util", "pelt_load", "pelt_runnable", "cpu_util", "difference", "nice_weight"})
    EXPECT_GT(tally.rules[rule], 0) << rule;
  EXPECT_GT(tally.followedRules["charge"], 0);
  if (GetParam() != "v6.1") {
    EXPECT_GT(tally.followedRules["deadline"], 0);
  }
}

TEST_P(ExplainValue, SaysWhereAWakingTaskWasPlaced) {
  const auto simulation = open("spawn", GetParam());
  int placed = 0;
  for (const std::int64_t ms : {7, 11, 33, 47, 81, 101, 150}) {
    simulation->seekTime(ms * 1'000'000);
    for (const char* task : {"spawn-0", "spawn-1", "spawn-2", "spawn-3"}) {
      const auto ref = findValue(*simulation, "task " + std::string(task) + " se.vruntime");
      if (!ref) continue;
      const ExplainedValue value = simulation->explainValue(*ref);
      placed += value.rule == "place" || value.rule == "place_cfs" ? 1 : 0;
      EXPECT_EQ(value.result, recompute(value)) << task << " at " << ms << " ms";
    }
  }
  EXPECT_GT(placed, 0);
}

TEST_P(ExplainValue, GivesTheNumbersOfTheQueueAsTheViewDrawsThem) {
  for (const char* name : {"lag-and-deadline", "two-groups", "nice-levels"}) {
    const auto simulation = open(name, GetParam());
    simulation->seekTime(123'456'789);
    const auto frame = simulation->frame();
    for (const CpuFrame& cpu : frame->cpus) {
      ValueRef ref{"avg_vruntime", cpu.id, -1, -1};
      EXPECT_EQ(simulation->explainValue(ref).result, cpu.averageVruntime);
      ref.name = "util";
      EXPECT_EQ(simulation->explainValue(ref).result, cpu.util);
      ref.name = "load_weight";
      EXPECT_EQ(simulation->explainValue(ref).result, cpu.totalWeight);
      for (const QueueEntity& entity : simulation->queue(cpu.id)) {
        const bool isTask = entity.task >= 0;
        const ValueRef of{"", isTask ? -1 : cpu.id, entity.task, isTask ? -1 : entity.group};
        const auto explained = [&](const char* number) {
          ValueRef one = of;
          one.name = number;
          return simulation->explainValue(one).result;
        };
        EXPECT_EQ(explained("vruntime"), entity.vruntime) << name << " " << entity.name;
        EXPECT_EQ(explained("weight"), entity.weight);
        EXPECT_EQ(explained("util_avg"), entity.util);
        EXPECT_EQ(explained("load_avg"), entity.load);
        EXPECT_EQ(explained("slice"), entity.slice) << name << " " << entity.name;
        if (GetParam() == "v6.1") continue;  // it has no lag and no deadline
        EXPECT_EQ(explained("lag"), entity.lag) << name << " " << entity.name;
        EXPECT_EQ(explained("deadline"), entity.deadline);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, ExplainValue, testing::Values("v6.1", "v6.12", "v7.3"),
                         [](const auto& kernel) {
                           std::string name = kernel.param;
                           std::replace(name.begin(), name.end(), '.', '_');
                           return name;
                         });

TEST(ExplainedValue, DependsOnItsOperands) {
  const auto simulation = open("lag-and-deadline", "v6.12");
  simulation->seekTime(100'000'000);
  int moved = 0;
  for (const ShownValue& shown : simulation->values(0)) {
    ExplainedValue value = simulation->explainValue(shown.ref);
    if (value.operands.empty()) continue;
    value.operands.front().value += 1'000'000;
    moved += recompute(value) != value.result ? 1 : 0;
  }
  EXPECT_GT(moved, 20);
}

TEST(ExplainedValue, IsFoundByItsText) {
  const auto simulation = open("two-groups", "v6.12");
  simulation->seekTime(100'000'000);
  EXPECT_TRUE(findValue(*simulation, "cpu 0 avg_vruntime"));
  const auto frame = simulation->frame();
  ASSERT_FALSE(frame->tasks.empty());
  const auto lag = findValue(*simulation, "task " + frame->tasks.front().name + " lag");
  ASSERT_TRUE(lag);
  EXPECT_EQ(lag->task, frame->tasks.front().id);
  ASSERT_GT(frame->taskGroups.size(), 1U);
  const std::string& group = frame->taskGroups[1].name;
  EXPECT_TRUE(findValue(*simulation, "group " + group + " shares"));
  EXPECT_TRUE(findValue(*simulation, "group " + group + " on cpu 0 weight"));
  EXPECT_FALSE(findValue(*simulation, "cpu 99 util"));
  EXPECT_FALSE(findValue(*simulation, "cpu 0 lag"));
  EXPECT_FALSE(findValue(*simulation, "nonsense"));
}

}  // namespace
}  // namespace rqscope::api
