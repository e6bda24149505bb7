// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include "formats/trace.h"
#include "trace_files.h"

namespace rqscope {
namespace {

Trace read(const std::string& text) {
  const test::TemporaryFile file("check.txt", text);
  auto trace = readTrace(file.path());
  EXPECT_TRUE(trace.ok());
  return trace.ok() ? std::move(trace).value() : Trace{};
}

std::string line(int cpu, int us, const std::string& event) {
  return "  x-1  [00" + std::to_string(cpu) + "]  5.00000" + std::to_string(us) + ": " + event + "\n";
}

std::string runs(int cpu, int us, int prev, int next, const char* state = "S") {
  return line(cpu, us,
              "sched_switch: prev_comm=p prev_pid=" + std::to_string(prev) + " prev_prio=120 prev_state=" +
                  state + " ==> next_comm=n next_pid=" + std::to_string(next) + " next_prio=120");
}

std::string moves(int cpu, int us, int pid, int from, int to) {
  return line(cpu, us,
              "sched_migrate_task: comm=n pid=" + std::to_string(pid) +
                  " prio=120 orig_cpu=" + std::to_string(from) + " dest_cpu=" + std::to_string(to));
}

TEST(TraceCheck, StartsSafelyWhereTheLastCpuBegins) {
  const TraceCheck check =
      checkTrace(read(runs(0, 1, 0, 5) + runs(1, 4, 0, 6) + runs(2, 3, 0, 7) + runs(0, 5, 5, 0)));
  EXPECT_EQ(check.firstNs, 5000001000U);
  EXPECT_EQ(check.safeStartNs, 5000004000U);
  EXPECT_EQ(check.beforeSafeStart, 2U);
  EXPECT_TRUE(check.conflicts.empty());
}

TEST(TraceCheck, FindsATaskThatStartsWhereItIsNot) {
  // The case of a flight recorder: seen to go from 1 to 2, then switched in on 1.
  const TraceCheck check =
      checkTrace(read(runs(1, 1, 5, 0) + runs(2, 2, 0, 9) + moves(2, 3, 5, 1, 2) + runs(1, 4, 0, 5)));
  ASSERT_EQ(check.conflicts.size(), 1U);
  EXPECT_EQ(check.conflicts[0].kind, TraceConflictKind::RunsWhereItIsNot);
  EXPECT_EQ(check.conflicts[0].pid, 5);
  EXPECT_EQ(check.conflicts[0].cpu, 1);
  EXPECT_EQ(check.conflicts[0].other, 2);
  EXPECT_EQ(check.conflicts[0].line, 4);
  EXPECT_EQ(check.conflictsBefore, 0U);
}

TEST(TraceCheck, FindsATaskOnTwoCpusAndAWrongPredecessor) {
  const TraceCheck check = checkTrace(read(runs(0, 1, 0, 5) + runs(1, 2, 0, 5) + runs(0, 3, 7, 0)));
  ASSERT_EQ(check.conflicts.size(), 2U);
  EXPECT_EQ(check.conflicts[0].kind, TraceConflictKind::RunsOnTwo);
  EXPECT_EQ(check.conflicts[1].kind, TraceConflictKind::SwitchedOutOther);
  EXPECT_EQ(check.conflicts[1].other, 5);
  EXPECT_EQ(check.conflictsBefore, 0U);
}

TEST(TraceCheck, FindsAMoveFromElsewhere) {
  const TraceCheck check = checkTrace(read(runs(0, 1, 0, 5) + runs(0, 2, 5, 0) + moves(1, 3, 5, 1, 2)));
  ASSERT_EQ(check.conflicts.size(), 1U);
  EXPECT_EQ(check.conflicts[0].kind, TraceConflictKind::MovedFromElsewhere);
  EXPECT_EQ(check.conflicts[0].other, 0);
}

TEST(TraceCheck, DoesNotBlameATraceThatRecordsNoMoves) {
  EXPECT_TRUE(checkTrace(read(runs(0, 1, 5, 0, "R") + runs(1, 2, 0, 5))).conflicts.empty());
}

}  // namespace
}  // namespace rqscope
