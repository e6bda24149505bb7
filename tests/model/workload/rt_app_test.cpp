// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/rt_app.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rqscope {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Kind = ProgramEventKind;

Result<Workload> readIn(const std::string& text, RtAppDialect dialect = RtAppDialect::Workgen) {
  return readRtAppText("w.json", text, dialect);
}

Workload good(const std::string& text, RtAppDialect dialect = RtAppDialect::Workgen) {
  auto result = readIn(text, dialect);
  EXPECT_TRUE(result.ok()) << (result.ok() ? "" : result.error().text());
  return result.ok() ? result.value() : Workload{};
}

/// All diagnostics as text, of good and of refused files.
std::string said(const std::string& text, RtAppDialect dialect = RtAppDialect::Workgen) {
  std::string all;
  const auto result = readIn(text, dialect);
  for (const Diagnostic& d : result.diagnostics()) all += d.text() + "\n";
  return all;
}

std::vector<Kind> kinds(const ProgramPhase& phase) {
  std::vector<Kind> out;
  for (const ProgramEvent& e : phase.events) out.push_back(e.kind);
  return out;
}

// Ours, for what a trace shows: moments and amounts in nanoseconds.
TEST(RtApp, ReadsMomentsOfTheRun) {
  const Workload w = good(R"({"tasks" : {"a" : {"asleep" : true, "start_cpu" : 2,
      "timer" : {"at_ns" : 12345678, "cpu" : 3}, "run" : {"ns" : 1500}, "timer" : {"at_ns" : 20000000}}}})");
  ASSERT_EQ(w.threads.size(), 1U);
  EXPECT_TRUE(w.threads[0].startsAsleep);
  EXPECT_TRUE(w.timers.empty());
  const auto& events = w.threads[0].phases.at(0).events;
  ASSERT_EQ(events.size(), 3U);
  EXPECT_EQ(events[0].ns, 12345678U);
  EXPECT_EQ(events[0].target, -1);
  EXPECT_EQ(events[0].cpu, 3);
  EXPECT_EQ(events[1].ns, 1500U);
  EXPECT_EQ(events[2].cpu, -1);
  EXPECT_THAT(said(R"({"tasks" : {"a" : {"timer" : {"at_ns" : -1}, "run" : 1}}})"), HasSubstr("at_ns"));
  EXPECT_THAT(said(R"({"tasks" : {"a" : {"asleep" : 1, "run" : 1}}})"),
              HasSubstr("\"asleep\" is neither true nor false"));
}

TEST(RtApp, KeepsRepeatedEventsInTheWorkgenDialect) {
  const Workload w = good(R"({"tasks" : {"a" : {"run" : 1, "sleep" : 2, "run" : 3}}})");
  ASSERT_EQ(w.threads.size(), 1U);
  const ProgramPhase& p = w.threads[0].phases.at(0);
  EXPECT_THAT(kinds(p), ElementsAre(Kind::Run, Kind::Sleep, Kind::Run));
  EXPECT_EQ(p.events[0].ns, 1000U);
  EXPECT_EQ(p.events[2].ns, 3000U);
}

TEST(RtApp, LetsTheLastRepeatedKeyWinInThePlainDialect) {
  // json-c replaces the value where the key first stood: run 3, sleep 2.
  const Workload w = good(R"({"tasks" : {"a" : {"run" : 1, "sleep" : 2, "run" : 3}}})", RtAppDialect::Plain);
  const ProgramPhase& p = w.threads.at(0).phases.at(0);
  EXPECT_THAT(kinds(p), ElementsAre(Kind::Run, Kind::Sleep));
  EXPECT_EQ(p.events[0].ns, 3000U);
}

TEST(RtApp, RepeatedTasksAndPhasesFollowTheDialect) {
  const std::string text =
      R"({"tasks" : {"a" : {"phases" : {"p" : {"run" : 1}, "p" : {"run" : 2}}}, "a" : {"run" : 3}}})";
  const Workload workgen = good(text);
  ASSERT_EQ(workgen.threads.size(), 2U);
  EXPECT_EQ(workgen.threads[0].phases.size(), 2U);
  EXPECT_EQ(workgen.threads[1].name, "a1");
  const Workload plain = good(text, RtAppDialect::Plain);
  ASSERT_EQ(plain.threads.size(), 1U);
  EXPECT_EQ(plain.threads[0].phases.at(0).events.at(0).ns, 3000U);
}

TEST(RtApp, LoopDefaultsAreThoseOfRtApp) {
  const Workload w = good(R"({"tasks" : {
    "endless" : {"run" : 1}, "five" : {"loop" : 5, "run" : 1},
    "phased" : {"phases" : {"p" : {"run" : 1}, "q" : {"loop" : 3, "run" : 1}}}}})");
  EXPECT_EQ(w.threads[0].loops, -1);
  EXPECT_EQ(w.threads[0].phases[0].loops, 1);
  EXPECT_EQ(w.threads[1].loops, 1);
  EXPECT_EQ(w.threads[1].phases[0].loops, 5);
  EXPECT_EQ(w.threads[2].loops, -1);
  EXPECT_EQ(w.threads[2].phases[0].loops, 1);
  EXPECT_EQ(w.threads[2].phases[1].loops, 3);
}

TEST(RtApp, ReadsEveryEvent) {
  const Workload w = good(R"({"tasks" : {
    "a" : {"run" : 1, "runtime" : 2, "sleep" : 3, "timer" : {"ref" : "unique", "period" : 4},
           "lock" : "m", "wait" : {"ref" : "c", "mutex" : "m"}, "sync" : {"ref" : "c", "mutex" : "m"},
           "unlock" : "m", "signal" : "c", "broad" : "c", "barrier" : "b", "suspend" : "s",
           "resume" : "s", "mem" : 100, "iorun" : 100, "yield" : "", "fork" : "b",
           "sem_post" : "x", "sem_wait" : "x",
           "memrun" : {"type" : "chase", "size" : 64, "count" : 10}},
    "b" : {"barrier" : "b", "run1" : 1, "sleep2" : 2}}})");
  EXPECT_THAT(
      kinds(w.threads[0].phases[0]),
      ElementsAre(Kind::Run, Kind::Runtime, Kind::Sleep, Kind::Timer, Kind::Lock, Kind::Wait, Kind::Sync,
                  Kind::Unlock, Kind::Signal, Kind::Broadcast, Kind::Barrier, Kind::Suspend, Kind::Resume,
                  Kind::Run, Kind::Run, Kind::Yield, Kind::Fork, Kind::SemPost, Kind::SemWait, Kind::Run));
  EXPECT_THAT(kinds(w.threads[1].phases[0]), ElementsAre(Kind::Barrier, Kind::Run, Kind::Sleep));
  EXPECT_EQ(w.threads[0].phases[0].events[16].target, 1) << "fork names task b";
  EXPECT_EQ(w.threads[0].phases[0].events[13].ns, 10U) << "100 bytes of memset at 10 bytes a ns";
  ASSERT_EQ(w.barriers.size(), 1U);
  EXPECT_EQ(w.barriers[0].count, 2);
}

TEST(RtApp, EachInstanceHasItsOwnUniqueTimer) {
  const Workload w = good(R"({"tasks" : {
    "a" : {"run" : 1, "timer" : {"ref" : "unique", "period" : 5}, "timer" : {"ref" : "unique", "period" : 6}},
    "b" : {"run" : 1, "timer" : {"ref" : "unique", "period" : 5}, "timer" : {"ref" : "shared", "period" : 5}},
    "c" : {"run" : 1, "timer" : {"ref" : "shared", "period" : 5, "mode" : "absolute"}}}})");
  // "unique" is one timer inside a task and another one in the next task; "shared" is one for all.
  ASSERT_EQ(w.timers.size(), 3U);
  EXPECT_EQ(w.threads[0].phases[0].events[1].target, w.threads[0].phases[0].events[2].target);
  EXPECT_NE(w.threads[0].phases[0].events[1].target, w.threads[1].phases[0].events[1].target);
  EXPECT_EQ(w.threads[1].phases[0].events[2].target, w.threads[2].phases[0].events[1].target);
  EXPECT_TRUE(w.timers[0].unique);
  EXPECT_FALSE(w.timers[2].unique);
  EXPECT_FALSE(w.timers[2].relative) << "absolute is a property of the timer";
}

TEST(RtApp, SuspendNamesItsPointInWorkgenOnly) {
  const std::string text =
      R"({"tasks" : {"a" : {"suspend" : "p", "run" : 1}, "b" : {"resume" : "p", "run" : 1}}})";
  const Workload workgen = good(text);
  EXPECT_EQ(workgen.suspendPoints, std::vector<std::string>({"p"}));
  const Workload plain = good(text, RtAppDialect::Plain);
  EXPECT_EQ(plain.suspendPoints, std::vector<std::string>({"a", "p"}));
  EXPECT_THAT(said(text, RtAppDialect::Plain), HasSubstr("rt-app ignores \"p\""));
  // Without a value it is the task's own name; rt-app's JSON refuses that.
  const std::string bare = R"({"tasks" : {"a" : {"suspend", "run" : 1}, "b" : {"resume" : "a", "run" : 1}}})";
  EXPECT_EQ(good(bare).suspendPoints, std::vector<std::string>({"a"}));
  EXPECT_THAT(said(bare, RtAppDialect::Plain), HasSubstr("w.json:1:20: error: \"suspend\" has no value"));
}

TEST(RtApp, ReadsSettings) {
  const Workload w = good(R"({"global" : {"duration" : 2, "default_policy" : "SCHED_BATCH"}, "tasks" : {
    "a" : {"instance" : 3, "delay" : 500, "cpus" : [0, 2], "priority" : -5, "dl-runtime" : 20,
           "taskgroup" : "/x/y", "phases" : {
             "p" : {"cpus" : [1], "run" : 1}, "q" : {"policy" : "SCHED_IDLE", "run" : 1},
             "r" : {"taskgroup" : "/", "priority" : 4, "run" : 1}}}}})");
  EXPECT_EQ(w.durationNs, 2'000'000'000);
  const ThreadProgram& t = w.threads.at(0);
  EXPECT_EQ(t.instances, 3);
  EXPECT_EQ(t.delayNs, 500'000U);
  EXPECT_EQ(t.settings.cpus->list(), "0,2");
  EXPECT_EQ(t.settings.nice, -5);
  EXPECT_EQ(t.settings.policy, ProgramPolicy::Batch);
  EXPECT_EQ(t.settings.sliceNs, 100'000U) << "20 us are cut to the kernel's 0.1 ms";
  ASSERT_EQ(w.groups.size(), 2U);
  EXPECT_EQ(w.groups[1].name, "/x/y");
  EXPECT_EQ(w.groups[1].parent, 0);
  EXPECT_EQ(t.settings.group, 1);
  EXPECT_EQ(t.phases[0].settings.cpus->list(), "1");
  EXPECT_EQ(t.phases[0].settings.nice, std::nullopt) << "a phase that names none changes none";
  EXPECT_EQ(t.phases[1].settings.policy, ProgramPolicy::Idle);
  EXPECT_EQ(t.phases[2].settings.group, -1);
  EXPECT_EQ(t.phases[2].settings.nice, 4);
}

TEST(RtApp, RunsOtherClassesAsFairAndSaysSo) {
  const std::string text = R"({"tasks" : {"a" : {"policy" : "SCHED_FIFO", "priority" : 50, "run" : 1}}})";
  EXPECT_EQ(good(text).threads[0].settings.policy, ProgramPolicy::Other);
  EXPECT_EQ(good(text).threads[0].settings.nice, 0);
  EXPECT_THAT(said(text), HasSubstr("warning: SCHED_FIFO is run as SCHED_OTHER"));
}

TEST(RtApp, RefusesWithPositionReasonAndHint) {
  struct Case {
    const char* text;
    const char* expected;
  };
  const Case cases[] = {
      {"[]", "w.json:1:1: error: an rt-app file is an object"},
      {"{}", "w.json:1:1: error: there is no \"tasks\" section"},
      {R"({"tasks" : {"a" : {"run" : "10"}}})", "w.json:1:28: error: \"run\" is the text \"10\""},
      {R"({"tasks" : {"a" : {"run" : -1}}})", "out of range"},
      {R"({"tasks" : {"a" : {"run"}}})", "\"run\" has no value"},
      {R"({"tasks" : {"a" : {"loop" : 1}}})", "task \"a\" has no events"},
      {R"({"tasks" : {"a" : {"phases" : {"p" : {"loop" : 1}}}}})", "phase \"p\" has no events"},
      {R"({"tasks" : {"a" : {"fork" : "bee", "run" : 1}, "be" : {"run" : 1}}})", "did you mean \"be\"?"},
      {R"({"tasks" : {"a" : {"lock" : 1, "run" : 1}}})", "\"lock\" is a whole number"},
      {R"({"tasks" : {"a" : {"timer" : 5, "run" : 1}}})", "\"ref\" : \"unique\""},
      {R"({"tasks" : {"a" : {"priority" : 20, "run" : 1}}})", "between -20 and 19"},
      {R"({"tasks" : {"a" : {"policy" : "SCHED_OTER", "run" : 1}}})", "did you mean SCHED_OTHER?"},
      {R"({"tasks" : {"a" : {"taskgroup" : "x", "run" : 1}}})", "write \"/x\""},
      {R"({"tasks" : {"a" : {"cpus" : [], "run" : 1}}})", "empty list"},
      {R"({"tasks" : {"a" : {"resume" : "b"}, "b" : {"suspend", "run" : 1}}})", "time would stand still"},
      {R"({"tasks" : {"a" : {"exec" : 5000, "period" : 24000}}})",
       R"(write "run" : 5000, "timer" : { "ref" : "unique", "period" : 24000 })"},
  };
  for (const Case& c : cases) {
    EXPECT_FALSE(readIn(c.text).ok()) << c.text;
    EXPECT_THAT(said(c.text), HasSubstr(c.expected)) << c.text;
  }
}

TEST(RtApp, WarnsWithADidYouMean) {
  struct Case {
    const char* text;
    const char* expected;
  };
  const Case cases[] = {
      {R"({"tasks" : {"a" : {"instances" : 2, "run" : 1}}})", "did you mean \"instance\"?"},
      {R"({"tasks" : {"a" : {"runtme" : 2}}})", "did you mean \"runtime\"?"},
      {R"({"tasks" : {"a" : {"slep" : 2, "run" : 1}}})", "did you mean \"sleep\"?"},
      {R"({"tasks" : {"a" : {"run" : 1}}, "globl" : {}})", "did you mean \"global\"?"},
      {R"({"tasks" : {"a" : {"run" : 1}}, "global" : {"durtion" : 1}})", "did you mean \"duration\"?"},
      {R"({"tasks" : {"a" : {"run" : 1, "suspend" : "x"}, "b" : {"run" : 1, "resume" : "y"}}})",
       "nothing resumes \"x\""},
      {R"({"tasks" : {"a" : {"run" : 1, "lock" : "x"}}})", "never unlocked"},
      {R"({"tasks" : {"a" : {"run" : 1, "sem_wait" : "x"}}})", "nothing posts \"x\""},
      {R"({"tasks" : {"a" : {"run" : 1, "barrier" : "x"}}})", "only one task uses the barrier"},
      {R"({"tasks" : {"a" : {"run" : 1, "loop" : 1, "loop" : 2}}})", "only the first one counts"},
      {R"({"tasks" : {"a" : {"instance" : 0, "run" : 1}}})", "no task forks it"},
      {R"({"tasks" : {"a" : {"run" : 1, "phases" : {"p" : {"run" : 1}}}}})", "beside \"phases\" is ignored"},
  };
  for (const Case& c : cases) {
    EXPECT_TRUE(readIn(c.text).ok()) << c.text << said(c.text);
    EXPECT_THAT(said(c.text), HasSubstr(c.expected)) << c.text;
  }
}

}  // namespace
}  // namespace rqscope
