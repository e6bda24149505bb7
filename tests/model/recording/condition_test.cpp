// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "recording/condition.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/simulator.h"
#include "support/plans.h"

namespace rqscope {
namespace {

using namespace rqscope::test;
using ::testing::HasSubstr;

/// Two CPUs; "a" and "b-c" run for ever on CPU 0, "gone" has ended; 100 ms have passed.
class ConditionTest : public ::testing::Test {
 protected:
  void SetUp() override {
    Workload w;
    for (const char* const name : {"a", "b-c"}) {
      ThreadProgram t = thread(name, {event(ProgramEventKind::Run, 1'000'000'000)}, -1);
      t.settings.cpus = CpuMask::of(CpuId{0});
      w.threads.push_back(t);
    }
    w.threads.push_back(thread("gone", {event(ProgramEventKind::Run, 1'000'000)}));
    m_simulator.emplace(makeSimState(makePlan(flatHardware(2), profileOf("v6.12"), w, 100'000'000)));
    while (m_simulator->stepEvent()) {
    }
  }
  const SimState& state() const { return m_simulator->state(); }
  std::int64_t value(std::string_view text) const {
    auto condition = Condition::parse(text, state());
    EXPECT_TRUE(condition.ok()) << text << ": " << (condition.ok() ? "" : condition.error().text());
    return condition.ok() ? condition.value().value(state()) : INT64_MIN;
  }
  Diagnostic errorOf(std::string_view text) const {
    auto condition = Condition::parse(text, state());
    EXPECT_FALSE(condition.ok()) << text;
    return condition.ok() ? Diagnostic{} : condition.error();
  }

 private:
  std::optional<Simulator> m_simulator;
};

TEST_F(ConditionTest, OperatorsBindAsInC) {
  EXPECT_EQ(value("1 + 2 * 3"), 7);
  EXPECT_EQ(value("(1 + 2) * 3"), 9);
  EXPECT_EQ(value("10 - 4 - 3"), 3);
  EXPECT_EQ(value("7 / 2 + 7 % 2"), 4);
  EXPECT_EQ(value("1 + 1 == 2 && 3 < 2 || 5 >= 5"), 1);
  EXPECT_EQ(value("0 && 1 || 0"), 0);
  EXPECT_EQ(value("1 || 0 && 0"), 1);
  EXPECT_EQ(value("!0 == 2"), 1);  // "!" takes the whole comparison, as the grammar says
  EXPECT_EQ(value("!(2 > 1)"), 0);
  EXPECT_EQ(value("--3 - -2"), 5);
}

TEST_F(ConditionTest, DivisionByZeroGivesZero) {
  EXPECT_EQ(value("5 / 0"), 0);
  EXPECT_EQ(value("5 % (1 - 1)"), 0);
}

TEST_F(ConditionTest, NumbersTakeUnitsOfTime) {
  EXPECT_EQ(value("3ns"), 3);
  EXPECT_EQ(value("3us"), 3'000);
  EXPECT_EQ(value("3ms"), 3'000'000);
  EXPECT_EQ(value("3s"), 3'000'000'000);
}

TEST_F(ConditionTest, ReadsTheRun) {
  EXPECT_EQ(value("time"), 100'000'000);
  EXPECT_EQ(value("time == 100ms"), 1);
  EXPECT_EQ(value("events"), static_cast<std::int64_t>(state().counters.events));
  EXPECT_EQ(value("idle_cpus"), 1);
  EXPECT_EQ(value("waiting_tasks"), 1);
}

TEST_F(ConditionTest, ReadsCpusDomainsAndTasks) {
  EXPECT_EQ(value("cpu0.nr_running"), 2);
  EXPECT_EQ(value("cpu1.nr_running == 0 && cpu1.idle"), 1);
  EXPECT_EQ(value("cpu0.util"), value("cpu0.util + 0"));
  EXPECT_GT(value("cpu0.util"), 900);
  EXPECT_EQ(value("cpu0.MC.local == has_spare") + value("cpu0.MC.local == overloaded") +
                value("cpu0.MC.local == fully_busy"),
            1);
  EXPECT_EQ(value("cpu1.MC.busiest"), value("overloaded"));
  EXPECT_EQ(value("a.cpu"), 0);
  EXPECT_EQ(value("a.weight"), 1024);
  EXPECT_EQ(value("a.running + b-c.running"), 1);
  EXPECT_EQ(value("'b-c'.on_rq"), 1);
}

TEST_F(ConditionTest, ATaskThatHasEndedHasEveryValueZero) {
  EXPECT_EQ(value("gone.weight"), 0);
  EXPECT_EQ(value("gone.util"), 0);
}

TEST_F(ConditionTest, AMinusBelongsToANameOnlyBetweenWords) {
  EXPECT_EQ(value("time - time"), 0);
  EXPECT_EQ(value("cpu0.nr_running -1"), 1);
}

TEST_F(ConditionTest, PointsAtTheMistake) {
  EXPECT_EQ(errorOf("time = 3").where.column, 6);
  EXPECT_THAT(errorOf("time = 3").hint, HasSubstr("=="));
  EXPECT_EQ(errorOf("time > ").where.column, 8);
  EXPECT_EQ(errorOf("(time > 3").where.column, 10);
  EXPECT_EQ(errorOf("1 2").where.column, 3);
  EXPECT_EQ(errorOf("time > 3 weeks").where.column, 10);
  EXPECT_EQ(errorOf("1 + $").where.column, 5);
  EXPECT_EQ(errorOf("'a.cpu").where.column, 1);
  EXPECT_EQ(errorOf("").where.column, 1);
}

TEST_F(ConditionTest, SuggestsTheNearestName) {
  EXPECT_THAT(errorOf("cpu0.nr_runing").hint, HasSubstr("nr_running"));
  EXPECT_THAT(errorOf("migratons > 1").hint, HasSubstr("migrations"));
  EXPECT_THAT(errorOf("gine.util").hint, HasSubstr("gone"));
  EXPECT_THAT(errorOf("cpu7.util").hint, HasSubstr("0-1"));
  EXPECT_THAT(errorOf("cpu0.NUMA.local").hint, HasSubstr("MC"));
}

TEST_F(ConditionTest, RefusesWhatItCannotHold) {
  EXPECT_THAT(errorOf("99999999999999999999").message, HasSubstr("too large"));
  EXPECT_THAT(errorOf("9223372036854775807s").message, HasSubstr("too large"));
  EXPECT_THAT(errorOf("3weeks").message, HasSubstr("weeks"));
  EXPECT_THAT(errorOf("1.5ms").hint, HasSubstr("smaller unit"));
  EXPECT_THAT(errorOf(std::string(100'000, '(')).message, HasSubstr("deeply"));
  EXPECT_THAT(errorOf(std::string(100'000, '!')).message, HasSubstr("deeply"));
}

}  // namespace
}  // namespace rqscope
