// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/trace_scenario.h"

#include <gtest/gtest.h>

namespace rqscope {
namespace {

TraceEvent switched(std::uint64_t ns, int cpu, int prev, int next, bool staysRunnable = false) {
  TraceEvent e;
  e.ns = ns;
  e.cpu = cpu;
  e.otherPid = prev;
  e.pid = next;
  e.prio = 120;
  e.staysRunnable = staysRunnable;
  return e;
}

TraceEvent woken(std::uint64_t ns, int pid, int target) {
  TraceEvent e;
  e.kind = TraceEventKind::Wakeup;
  e.ns = ns;
  e.cpu = 0;
  e.pid = pid;
  e.targetCpu = target;
  e.prio = 120;
  return e;
}

Trace traceOf(std::vector<TraceEvent> events) {
  Trace trace;
  trace.file = "t.txt";
  trace.cpus = 2;
  trace.events = std::move(events);
  trace.firstNs = {{0, trace.events.front().ns}, {1, trace.events.front().ns}};
  return trace;
}

TEST(TraceTasks, AddsUpTheStretchesOfATurn) {
  // Woken at 1 ms, runs 2 to 3 ms on CPU 0, is preempted, goes on 5 to 9 ms on the slow CPU 1, sleeps; again
  // at 20.
  const std::uint64_t ms = 1000000;
  const Trace trace =
      traceOf({switched(0, 1, 0, 8), woken(1 * ms, 7, 0), switched(2 * ms, 0, 0, 7),
               switched(3 * ms, 0, 7, 9, true), switched(5 * ms, 1, 8, 7), switched(9 * ms, 1, 7, 0),
               woken(20 * ms, 7, 1), switched(21 * ms, 1, 0, 7), switched(22 * ms, 1, 7, 0)});
  const TraceTasks tasks = tasksOfTrace(trace, {1024, 512});
  ASSERT_EQ(tasks.tasks.size(), 3U);
  const TraceTask& task = tasks.tasks[0];
  EXPECT_EQ(task.pid, 7);
  ASSERT_EQ(task.turns.size(), 2U);
  EXPECT_EQ(task.turns[0].wokenNs, 1 * ms);
  EXPECT_EQ(task.turns[0].runNs, 5 * ms);
  EXPECT_EQ(task.turns[0].work, 3 * ms);
  EXPECT_EQ(task.turns[1].wokenNs, 20 * ms);
  EXPECT_EQ(task.turns[1].runNs, 1 * ms);
  EXPECT_EQ(task.runNsByCpu, (std::vector<std::uint64_t>{1 * ms, 5 * ms}));
}

TEST(TraceTasks, TakesTaskThatRanFromTheBeginningAndOneThatRunsAtTheEnd) {
  const Trace trace = traceOf({woken(100, 5, 0), switched(1100, 1, 7, 8), switched(2100, 0, 0, 5)});
  const TraceTasks tasks = tasksOfTrace(trace, {});
  ASSERT_EQ(tasks.tasks.size(), 3U);
  EXPECT_EQ(tasks.tasks[0].pid, 5);
  EXPECT_EQ(tasks.tasks[0].turns[0].runNs, 0U);  // it only waits
  EXPECT_EQ(tasks.tasks[1].pid, 7);
  EXPECT_EQ(tasks.tasks[1].turns[0].runNs, 1000U);
  EXPECT_EQ(tasks.tasks[2].pid, 8);
  EXPECT_EQ(tasks.tasks[2].turns[0].wokenNs, 0U);  // no wakeup of it is recorded, so it has waited
  EXPECT_EQ(tasks.tasks[2].turns[0].runNs, 1000U);
}

TEST(TraceTasks, PinsThreadsOfOneCpuAndLeavesOutRealTime) {
  Trace trace = traceOf(
      {switched(0, 1, 0, 7), switched(1000, 1, 7, 8), switched(2000, 1, 8, 9), switched(3000, 1, 9, 0)});
  trace.names = {{7, "kworker/1:2"}, {8, "kworker/u8:1"}, {9, "migration/1"}};
  trace.events[2].prio = 0;
  const TraceTasks tasks = tasksOfTrace(trace, {});
  ASSERT_EQ(tasks.tasks.size(), 2U);
  EXPECT_TRUE(tasks.tasks[0].isPerCpuKthread);
  EXPECT_FALSE(tasks.tasks[1].isPerCpuKthread);
  EXPECT_EQ(tasks.realTime, 1U);
  EXPECT_EQ(tasks.realTimeNs, 1000U);
  const std::string text = scenarioOfTrace(trace, tasks, "vm-4cpu");
  EXPECT_NE(text.find("\"kworker/1:2-7\" : { \"loop\" : 1, \"start_cpu\" : 1, \"cpus\" : [1], "
                      "\"per_cpu_kthread\" : true"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("\"until\" : \"3000ns\""), std::string::npos) << text;
}

}  // namespace
}  // namespace rqscope
