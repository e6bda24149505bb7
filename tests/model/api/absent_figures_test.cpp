// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "rqscope/simulation.h"

namespace rqscope::api {
namespace {

constexpr std::int64_t kMs = 1'000'000;

bool has(const std::vector<Operand>& operands, const std::string& name) {
  return std::any_of(operands.begin(), operands.end(), [&](const Operand& o) { return o.name == name; });
}

/// Calls `look` with every rung of every decision of a scenario until a time.
template <class Look>
void forEachRung(const std::string& name, const Overrides& overrides, std::int64_t untilMs, Look look) {
  Opened opened = Simulation::open(name, overrides);
  ASSERT_NE(opened.simulation, nullptr);
  opened.simulation->seekTime(untilMs * kMs);
  for (const auto& d : opened.simulation->decisions(0, INT64_MAX, 1'000'000)) {
    const auto ladder = opened.simulation->ladder(d.index);
    for (const Rung& rung : ladder->rungs) look(*ladder, rung);
  }
}

TEST(AbsentFigures, AQueueThatIsSkippedBeforeItsFigureIsReadHasNone) {
  // find_src_rq() skips a queue with one task on a bigger CPU before it reads the utilisation: 0 would be a
  // lie, as B's is about 944.
  int skipped = 0, compared = 0;
  Overrides overrides;
  overrides.patches = {{"migrate_util_shr_bound", false}};
  forEachRung("juno", overrides, 650, [&](const Ladder&, const Rung& rung) {
    const auto hasOne = [](const RungRow& row) { return has(row.cells, "util") || has(row.cells, "load"); };
    // By migrate_task the queues are compared by nr_running itself.
    if (rung.kind != "source_queue" || std::none_of(rung.rows.begin(), rung.rows.end(), hasOne)) return;
    for (const RungRow& row : rung.rows) {
      const bool isSkipped = row.verdict == "asym_lone_task" || row.verdict == "no_tasks";
      const bool hasFigure = hasOne(row);
      EXPECT_EQ(hasFigure, !isSkipped) << row.label << " " << row.verdict;
      EXPECT_TRUE(has(row.cells, "nr_running"));
      ++(isSkipped ? skipped : compared);
    }
  });
  EXPECT_GT(skipped, 0);
  EXPECT_GT(compared, 0);
}

TEST(AbsentFigures, ATaskThatIsRefusedBeforeTaskHotHasNoTimeSinceItRan) {
  int without = 0, with = 0;
  forEachRung("six-ladders", {}, 400, [&](const Ladder&, const Rung& rung) {
    if (rung.kind != "candidate") return;
    const bool isBefore = rung.outcome == "running" || rung.outcome == "affinity" ||
                          rung.outcome == "throttled" || rung.outcome == "delayed_task";
    if (isBefore) {
      EXPECT_FALSE(has(rung.operands, "since_exec_start")) << rung.outcome;
      ++without;
    }
    for (const Operand& operand : rung.operands) {
      if (operand.name != "since_exec_start") continue;
      ++with;
      // The run has lasted 0.4 s: more can only be the clock's beginning, where exec_start is not set.
      if (operand.value > 400 * kMs) {
        EXPECT_EQ(operand.text, "not run here yet");
      }
    }
  });
  EXPECT_GT(without, 0);
  EXPECT_GT(with, 0);
}

TEST(AbsentFigures, AGroupWithoutAnAllowedCpuHasNeitherFiguresNorAType) {
  int groups = 0;
  forEachRung("six-ladders", {}, 400, [&](const Ladder&, const Rung& rung) {
    if (rung.kind != "dst_group") return;
    for (const RungRow& row : rung.rows) {
      if (row.verdict != "not_allowed") continue;
      EXPECT_TRUE(row.cells.empty()) << row.label;
      EXPECT_EQ(row.groupType, "");
      ++groups;
    }
  });
  EXPECT_GT(groups, 0);
}

}  // namespace
}  // namespace rqscope::api
