// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "rqscope/trace_comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/formats/trace_files.h"

namespace rqscope::api {
namespace {

using test::TemporaryFile;
using testing::HasSubstr;

std::unique_ptr<TraceComparison> compared(const std::string& path, const Overrides& overrides,
                                          const TraceComparisonOptions& options = {}) {
  auto opened = TraceComparison::open(path, overrides, options);
  for (const Problem& problem : opened.problems)
    EXPECT_NE(problem.severity, Problem::Severity::Error) << problem.text();
  if (opened.comparison == nullptr) return nullptr;
  constexpr int kSliceMs = 1000;
  while (!opened.comparison->run(kSliceMs)) {
  }
  return std::move(opened.comparison);
}

constexpr const char* kPeriodic = R"({
  "rqscope-scenario" : 1,
  "title" : "Periodic tasks",
  "machine" : "MACHINE",
  "workload" : { "rt-app" : { "tasks" : {
    "short" : { "instance" : 3, "loop" : -1, "run" : 700, "timer" : { "ref" : "unique", "period" : 7100 } },
    "long" : { "instance" : 2, "loop" : -1, "run" : 5300, "timer" : { "ref" : "unique", "period" : 23000 } },
    "nice" : { "loop" : -1, "priority" : 5, "run" : 2300, "sleep" : 1900 },
    "hog" : { "loop" : 1, "delay" : 20000, "run" : 900000 }
  } } },
  "until" : "400ms"
})";

struct RoundTrip {
  const char* name;
  const char* machine;
  const char* kernel;
};

class TraceRoundTrip : public testing::TestWithParam<RoundTrip> {};

// The model's own run, exported as a trace and read back, is what the model does with that trace's work: no
// other figure can tell an error of the reader, of the workload or of the comparison from one of the model.
// The tasks sleep by timers and are not pinned: of locks and affinities a trace says nothing.
TEST_P(TraceRoundTrip, AgreesInFull) {
  const RoundTrip& of = GetParam();
  std::string scenario = kPeriodic;
  scenario.replace(scenario.find("MACHINE"), 7, of.machine);
  const TemporaryFile input("periodic.json", scenario), trace("periodic.txt");
  Overrides same;
  same.kernel = of.kernel;
  ASSERT_TRUE(writeTraceOfRun(input.path(), same, trace.path()).empty());
  same.machine = of.machine;
  const auto comparison = compared(trace.path(), same);
  ASSERT_NE(comparison, nullptr);
  const TraceReport& r = comparison->report();
  EXPECT_GT(r.eitherRunNs, 600'000'000);
  EXPECT_EQ(r.sameRunNs, r.eitherRunNs);
  EXPECT_EQ(r.sameCpuNs, r.comparedCpuNs);
  EXPECT_EQ(r.switches.machine, r.switches.model);
  EXPECT_GT(r.wakeupMoves.machine, 0U);
  EXPECT_GT(r.otherMoves.machine, 0U);
  for (const MatchedCount& count : {r.wakeups, r.wakeupMoves, r.otherMoves}) {
    EXPECT_EQ(count.agree, count.machine);
    EXPECT_EQ(count.agree, count.model);
  }
  ASSERT_EQ(r.tasks.size(), 7U);
  for (const TaskAgreement& task : r.tasks) EXPECT_EQ(task.samePlaceNs, task.eitherAwakeNs) << task.name;
  EXPECT_EQ(r.idleWhileWaitingNs.machine, r.idleWhileWaitingNs.model);
  EXPECT_EQ(r.latency.machine.percentiles, r.latency.model.percentiles);
  EXPECT_EQ(r.partingsInAll, 0U);
  for (std::size_t i = 0; i < std::min<std::size_t>(r.partings.size(), 3); ++i)
    ADD_FAILURE() << r.partings[i].timeNs << ": " << r.partings[i].text();
}

INSTANTIATE_TEST_SUITE_P(Machines, TraceRoundTrip,
                         testing::Values(RoundTrip{"FourCores", "1 packages x 4 cores x 1 threads", "v6.12"},
                                         RoundTrip{"OldKernel", "1 packages x 4 cores x 1 threads", "v6.1"},
                                         RoundTrip{"Threads", "1 packages x 2 cores x 2 threads", "v6.12"},
                                         RoundTrip{"BigAndLittle", "juno-r2", "v6.12"}),
                         [](const auto& trip) { return trip.param.name; });

std::string line(double ms, int cpu, const std::string& fields) {
  char head[64];
  std::snprintf(head, sizeof head, "  x-1 [%03d] d..2. 1.%09d: ", cpu, static_cast<int>(ms * 1e6));
  return head + fields + "\n";
}

std::string switchText(const std::string& prev, int prevPid, const std::string& state,
                       const std::string& next, int nextPid) {
  return "sched_switch: prev_comm=" + prev + " prev_pid=" + std::to_string(prevPid) +
         " prev_prio=120 prev_state=" + state + " ==> next_comm=" + next +
         " next_pid=" + std::to_string(nextPid) + " next_prio=120";
}

std::string wakeupText(const std::string& name, int pid, int cpu) {
  return "sched_wakeup: comm=" + name + " pid=" + std::to_string(pid) +
         " prio=120 target_cpu=" + std::to_string(cpu);
}

constexpr const char* kHead = "# tracer: nop\n#\n# entries-in-buffer/entries-written: 9/9   #P:2\n#\n";

// Two hogs take turns on CPU 0 for 40 ms while CPU 1 idles: no kernel leaves it so for long.
std::string crowdedCpu() {
  std::string text = kHead;
  text += line(0, 1, switchText("old", 9, "S", "swapper/1", 0));
  text += line(0, 0, wakeupText("two", 8, 0));
  text += line(0.001, 0, switchText("old", 9, "S", "one", 7));
  for (int i = 1; i < 10; ++i)
    text += line(4 * i, 0,
                 i % 2 == 1 ? switchText("one", 7, "R", "two", 8) : switchText("two", 8, "R", "one", 7));
  return text + line(40, 0, switchText("two", 8, "S", "swapper/0", 0));
}

TEST(TraceComparison, ShowsTheModelsDecisionWhereOnlyTheModelMovesATask) {
  const TemporaryFile file("comparison.txt", crowdedCpu());
  const auto comparison = compared(file.path(), {});
  ASSERT_NE(comparison, nullptr);
  const TraceReport& r = comparison->report();
  ASSERT_FALSE(r.partings.empty());
  const Parting& first = r.partings.front();
  EXPECT_EQ(first.kind, Parting::Kind::Move);
  EXPECT_FALSE(first.isMachines);
  EXPECT_TRUE(first.isFresh);
  EXPECT_EQ(first.fromCpu, 0);
  EXPECT_EQ(first.cpu, 1);
  EXPECT_THAT(first.text(), HasSubstr("the model moves "));
  EXPECT_LT(r.sameRunNs, r.eitherRunNs);
  // Machine: CPU 1 idles while one of the two waits, all 40 ms long, whichever it is.
  EXPECT_EQ(r.idleWhileWaitingNs.machine, 40'000'000);
  const auto ladder = comparison->decisionAt(first);
  ASSERT_NE(ladder, nullptr);
  EXPECT_EQ(ladder->cpu, 1);
  const auto moment = comparison->at(first.timeNs);
  ASSERT_EQ(moment.machine.cpus.size(), 2U);
  EXPECT_EQ(moment.machine.cpus[1].running, "");
  EXPECT_EQ(moment.machine.cpus[0].waiting.size(), 1U);
}

TEST(TraceComparison, CutsTheMachinesTimeline) {
  const TemporaryFile file("comparison.txt", crowdedCpu());
  const auto comparison = compared(file.path(), {});
  ASSERT_NE(comparison, nullptr);
  const TimelineWindow window = comparison->machineTimeline(0, 40'000'000, 1000);
  ASSERT_EQ(window.lanes.size(), 2U);
  ASSERT_EQ(window.lanes[0].slices.size(), 11U);
  EXPECT_EQ(window.lanes[0].slices[0].name, "old-9");
  EXPECT_EQ(window.lanes[0].slices[2].name, "two-8");
  EXPECT_EQ(window.lanes[0].slices[2].beginNs, 4'000'000);
  EXPECT_TRUE(window.lanes[1].slices.empty());
}

// Both CPUs idle; the task slept on CPU 0, and the recorded machine wakes it on CPU 1.
TEST(TraceComparison, ShowsThePlacementWhereAWakeupParts) {
  std::string text = kHead;
  text += line(0, 1, switchText("old", 9, "S", "swapper/1", 0));
  text += line(0, 0, switchText("swapper/0", 0, "R", "one", 7));
  text += line(2, 0, switchText("one", 7, "S", "swapper/0", 0));
  text += line(10, 0, wakeupText("one", 7, 1));
  text += line(10.01, 1, switchText("swapper/1", 0, "R", "one", 7));
  text += line(14, 1, switchText("one", 7, "S", "swapper/1", 0));
  const TemporaryFile file("comparison.txt", text);
  const auto comparison = compared(file.path(), {});
  ASSERT_NE(comparison, nullptr);
  const TraceReport& r = comparison->report();
  EXPECT_EQ(r.wakeups.machine, 1U);
  EXPECT_EQ(r.wakeups.model, 1U);
  EXPECT_EQ(r.wakeups.agree, 0U);
  ASSERT_FALSE(r.partings.empty());
  const Parting& first = r.partings.front();
  EXPECT_EQ(first.kind, Parting::Kind::Wakeup);
  EXPECT_EQ(first.text(), "wakeup of one-7, last on CPU 0: the machine chooses CPU 1, the model CPU 0");
  const auto ladder = comparison->decisionAt(first);
  ASSERT_NE(ladder, nullptr);
  EXPECT_EQ(ladder->kind, Ladder::Kind::Placement);
  EXPECT_EQ(ladder->timeNs, 10'000'000);
}

TEST(TraceComparison, StopsWhenCancelled) {
  const TemporaryFile file("comparison.txt", crowdedCpu());
  auto opened = TraceComparison::open(file.path(), {});
  ASSERT_NE(opened.comparison, nullptr);
  EXPECT_THAT(opened.comparison->progress(), HasSubstr("of 0.040 s"));
  opened.comparison->cancel();
  EXPECT_FALSE(opened.comparison->run(60'000));
}

TEST(TraceComparison, RefusesATraceWithoutATaskToCompare) {
  const TemporaryFile file("comparison.txt",
                           std::string(kHead) + line(1, 0, switchText("swapper/0", 0, "R", "swapper/0", 0)));
  const auto opened = TraceComparison::open(file.path(), {});
  EXPECT_EQ(opened.comparison, nullptr);
  ASSERT_FALSE(opened.problems.empty());
  EXPECT_THAT(opened.problems.front().text(), HasSubstr(file.path()));
}

TEST(TraceComparison, SaysWhereATraceCannotBeWritten) {
  const auto problems = writeTraceOfRun("juno", {}, "/no/such/folder/t.txt");
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_THAT(problems.front().text(), HasSubstr("/no/such/folder/t.txt"));
}

}  // namespace
}  // namespace rqscope::api
