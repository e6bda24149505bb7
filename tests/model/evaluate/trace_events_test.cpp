// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <fstream>

#include <gtest/gtest.h>

#include "evaluate/trace_threads.h"
#include "support/temporary_folder.h"

namespace rqscope {
namespace {

using Kind = RecordedEvent::Kind;

// A producer (pid 20) is forked by the controller (pid 10), computes 300 us, wakes the consumer (pid 21)
// through a pipe and sleeps 1 ms. The kernel thread (pid 5) ran for 40 us in between.
constexpr const char* kTrace = R"(# tracer: nop
          wl-10      [000] .....     1.000000: tracing_mark_write: wl start t0_mono_ns=5
          wl-10      [000] .....     1.000100: sched_process_fork: comm=wl pid=10 child_comm=wl child_pid=20
          wl-10      [000] d..2.     1.000101: sched_wakeup_new: comm=wl pid=20 prio=120 target_cpu=001
      <idle>-0       [001] d..2.     1.000110: sched_switch: prev_comm=swapper/1 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=wl next_pid=20 next_prio=120
      <idle>-0       [000] d..2.     1.000120: sched_switch: prev_comm=wl prev_pid=10 prev_prio=120 prev_state=S ==> next_comm=swapper/0 next_pid=0 next_prio=120
           p-20      [001] d.h3.     1.000200: sched_wakeup: comm=kworker/1:0 pid=5 prio=120 target_cpu=001
           p-20      [001] d..2.     1.000210: sched_switch: prev_comm=p prev_pid=20 prev_prio=120 prev_state=R ==> next_comm=kworker/1:0 next_pid=5 next_prio=120
 kworker/1:0-5       [001] d..2.     1.000250: sched_switch: prev_comm=kworker/1:0 prev_pid=5 prev_prio=120 prev_state=I ==> next_comm=p next_pid=20 next_prio=120
           p-20      [001] d..3.     1.000450: seltask: (x <- select_task_rq_fair) pid=21 comm="pc" prev=0 wflags=0x18 cpu=0
      <idle>-0       [000] dNh2.     1.000460: sched_wakeup: comm=pc pid=21 prio=120 target_cpu=000
           p-20      [001] d..2.     1.000470: sched_switch: prev_comm=p prev_pid=20 prev_prio=120 prev_state=S ==> next_comm=swapper/1 next_pid=0 next_prio=120
      <idle>-0       [000] d..2.     1.000480: sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=pc next_pid=21 next_prio=120
          pc-21      [000] ..s..     1.000500: lbin: (sched_balance_rq+0x0/0xf20) dst=0 level=2 span=0x3 idle=0 failed=1 interval=16
      <idle>-0       [001] d.h3.     1.001470: sched_wakeup: comm=p pid=20 prio=120 target_cpu=001
)";

class TraceEventsTest : public testing::Test {
 protected:
  Result<TraceText> read(const std::string& text) {
    const std::string path = (m_folder.path() / "a.trace.txt").string();
    std::ofstream(path) << text;
    return readTraceText(path);
  }
  TemporaryFolder m_folder;
};

TEST_F(TraceEventsTest, ReadsWhatThreadsAndCpusDid) {
  const auto text = read(kTrace);
  ASSERT_TRUE(text.ok()) << text.error().text();
  EXPECT_EQ(text.value().controllerPid, 10);
  ASSERT_EQ(text.value().events.size(), 13U);
  const RecordedEvent& choice = text.value().events[7];
  EXPECT_EQ(choice.kind, Kind::Choice);
  EXPECT_EQ(choice.us, 450);
  EXPECT_EQ(choice.writer, 20);
  EXPECT_EQ(choice.flags & kTraceWakeSync, kTraceWakeSync);
  EXPECT_FALSE(choice.isInterrupt);
  const RecordedEvent& balance = text.value().events[11];
  EXPECT_EQ(balance.kind, Kind::BalanceBegin);
  EXPECT_EQ(balance.intervalMs, 16U);
  EXPECT_EQ(balance.failed, 1U);
  EXPECT_TRUE(text.value().events[12].isInterrupt);
}

TEST_F(TraceEventsTest, RefusesATraceWithoutAStart) {
  const auto text = read(
      "          wl-10      [000] .....     1.0: sched_process_fork: comm=wl pid=10 child_comm=wl "
      "child_pid=20\n");
  ASSERT_FALSE(text.ok());
  EXPECT_NE(text.error().text().find("no start"), std::string::npos);
}

TEST_F(TraceEventsTest, GiveEachThreadItsProgramAndItsPositionAtAnyMoment) {
  const auto text = read(kTrace);
  ASSERT_TRUE(text.ok());
  const auto run = nlohmann::json::parse(R"({"tasks": [{"name": "p", "pid": 20}, {"name": "pc", "pid": 21}],
      "actions": [], "workload": {"spec": ["ev 0 fork p prod 300 1000 100 5 2"]}})");
  SimPlan plan;
  const TraceThreads threads = threadsOfTrace(run, text.value(), 50'000, plan);
  ASSERT_EQ(threads.size(), 3U);  // the controller never gets the CPU here
  const TraceThread& producer = threads.at(20);
  EXPECT_TRUE(producer.isForked);
  EXPECT_EQ(producer.nice, 5);
  EXPECT_EQ(plan.workload.threads[static_cast<std::size_t>(producer.program)].clockReadNs, 50'000U);
  ASSERT_GE(producer.steps.size(), 4U);
  EXPECT_EQ(producer.steps[0].event.kind, ProgramEventKind::Run);
  EXPECT_EQ(producer.steps[0].event.ns, 300'000U);  // without the 40 us of the kernel thread
  EXPECT_EQ(producer.steps[1].event.kind, ProgramEventKind::PipeWrite);
  EXPECT_EQ(producer.steps[3].event.kind, ProgramEventKind::Sleep);
  EXPECT_EQ(producer.steps[3].event.ns, 1'000'000U);
  EXPECT_EQ(threads.at(21).steps[0].event.kind, ProgramEventKind::PipeRead);
  EXPECT_EQ(threads.at(5).steps[0].event.kind, ProgramEventKind::Timer);
  const ThreadPosition halfway = producer.positionAt(260, 0);
  EXPECT_EQ(halfway.event, 1);
  EXPECT_EQ(halfway.runNs, 190'000U);
  const ThreadPosition asleep = producer.positionAt(1000, 0);
  EXPECT_EQ(asleep.wait, WaitKind::Timer);
  EXPECT_EQ(asleep.wakeNs, 1'470'000U);
}

}  // namespace
}  // namespace rqscope
