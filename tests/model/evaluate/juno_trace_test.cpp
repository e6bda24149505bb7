// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "evaluate/juno_trace.h"
#include "support/temporary_folder.h"

namespace rqscope {
namespace {

// Situation: a kernel thread woken on CPU 1 runs 30 us in two pieces, preempted in between; the tick before
// switches 90 us later. Expectation: one turn with both pieces, and the tick's delay.
TEST(JunoTrace, ReadsTicksAndTurnsOfOtherThreads) {
  const TemporaryFolder folder;
  std::ofstream(folder.path() / "trace.txt")
      << " lbw0-7 [001] d.h.. 1.000010: tick: (f+0x0/0x1) cpu=1 nr=2 clk=1000000500 lut=3\n"
         " lbw0-7 [001] d.... 1.000020: sched_wakeup: comm=kworker/1:1 pid=9 prio=110 target_cpu=001\n"
         " lbw0-7 [001] d.... 1.000100: sched_switch: prev_comm=lbw0 prev_pid=7 prev_prio=120 prev_state=R "
         "==> "
         "next_comm=kworker/1:1 next_pid=9 next_prio=110\n"
         " kworker/1:1-9 [001] d.... 1.000110: sched_switch: prev_comm=kworker/1:1 prev_pid=9 prev_prio=110 "
         "prev_state=R ==> next_comm=lbw0 next_pid=7 next_prio=120\n"
         " lbw0-7 [001] d.... 1.000200: sched_switch: prev_comm=lbw0 prev_pid=7 prev_prio=120 prev_state=R "
         "==> "
         "next_comm=kworker/1:1 next_pid=9 next_prio=110\n"
         " kworker/1:1-9 [001] d.... 1.000220: sched_switch: prev_comm=kworker/1:1 prev_pid=9 prev_prio=110 "
         "prev_state=I ==> next_comm=lbw0 next_pid=7 next_prio=120\n";
  const nlohmann::json run = {{"tasks", {{{"name", "lbw0"}, {"pid", 7}}}}};
  const auto trace = junoTrace(run, (folder.path() / "decisions.json").string());
  ASSERT_TRUE(trace.ok());
  ASSERT_EQ(trace.value().ticks.size(), 1U);
  EXPECT_EQ(trace.value().ticks[0].clockNs, 1'000'000'500U);
  EXPECT_EQ(trace.value().ticks[0].switchNs, 90'000);
  ASSERT_EQ(trace.value().turns.size(), 1U);
  const JunoTrace::Turn& turn = trace.value().turns[0];
  EXPECT_EQ(turn.thread, "kworker/1:1");
  EXPECT_EQ(turn.cpu, 1);
  EXPECT_EQ(turn.nice, -10);
  EXPECT_EQ(turn.wokenNs, 1'000'020'000U);
  EXPECT_EQ(turn.runNs, 30'000U);
}

}  // namespace
}  // namespace rqscope
