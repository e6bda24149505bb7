// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include "formats/trace_line.h"

namespace rqscope {
namespace {

TEST(TraceLine, HasCpuTimeEventAndValues) {
  const auto line = splitTraceLine(
      "    my task-397   [004] d....     1.697132: sched_switch: prev_comm=a b prev_pid=397 prev_prio=120 "
      "prev_state=S ==> next_comm=swapper/4 next_pid=0 next_prio=120");
  ASSERT_TRUE(line);
  EXPECT_EQ(line->pid, 397);
  EXPECT_EQ(line->comm, "my task");
  EXPECT_EQ(line->cpu, 4);
  EXPECT_EQ(line->ns, 1'697'132'000U);
  EXPECT_EQ(line->event, "sched_switch");
  EXPECT_EQ(line->number("prev_pid"), 397U);
  EXPECT_EQ(line->valueUpTo("prev_comm", "prev_pid="), "a b");
  EXPECT_EQ(line->value("prev_state"), "S");
  EXPECT_EQ(line->value("comm"), "");  // part of another key
  EXPECT_FALSE(splitTraceLine("# tracer: nop"));
  EXPECT_FALSE(splitTraceLine("no trace line"));
}

TEST(TraceLine, ReadsProbesWithQuotesHexAndNegativeNumbers) {
  const auto line =
      splitTraceLine(" <idle>-0 [001] d.s3. 2.5: lb: (f+0x0/0x1) sd=\"M C\" hex=0x1f minus=-3 n=7");
  ASSERT_TRUE(line);
  EXPECT_EQ(line->event, "lb");
  EXPECT_EQ(line->value("sd"), "M C");
  EXPECT_EQ(line->integer("hex"), 31);
  EXPECT_EQ(line->integer("minus"), -3);
  EXPECT_EQ(line->integer("absent"), 0);
  EXPECT_EQ(line->number("n"), 7U);
}

// The third flag is the context: hard or soft interrupt, or none.
TEST(TraceLine, SaysWhetherItWasWrittenInAnInterrupt) {
  const auto inInterrupt = [](const std::string& flags) {
    const std::string text = "a-1 [000] " + flags + " 1.0: e: x";
    const auto line = splitTraceLine(text);
    return line && line->isInterrupt();
  };
  for (const char* flags : {"d.h..", "d.s3.", "dNH1.", "..Z..", "d.z.."})
    EXPECT_TRUE(inInterrupt(flags)) << flags;
  for (const char* flags : {"d..2.", "....", "h...", ""}) EXPECT_FALSE(inInterrupt(flags)) << flags;
}

}  // namespace
}  // namespace rqscope
