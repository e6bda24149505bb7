// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include "api/plain_run.h"

// One test for each row of `reproduce wakequeue`, at a small scale: it holds what the model says today, so
// that a change of the engine that moves a figure is seen. Whether that agrees with the published table is
// what `reproduce wakequeue` reports.

namespace rqscope::api {
namespace {

constexpr double kPublishedLoops = 100'000;

double seconds(int groups, int loops, bool enabled, int seed) {
  Overrides overrides;
  if (enabled) overrides.patches = {{"swqueue_ego1", true}};
  PlainRun run = openPlain("hackbench-milan", overrides,
                           {{"/workload/groups", groups}, {"/workload/loops", loops}, {"/seed", seed}});
  EXPECT_NE(run.simulator, nullptr);
  return runPlain(*run.simulator, [](double) { return true; }) * kPublishedLoops / loops;
}

struct Row {
  int groups, loops;
  double tip, enabled;  ///< seconds, as the model has them
};

class WakequeueRow : public testing::TestWithParam<Row> {};

// Short runs depend on where the groups happen to start; other seeds differ by up to about the tolerances.
constexpr double kTipTolerance = 0.10, kEnabledTolerance = 0.15;

TEST_P(WakequeueRow, TipIsAsToday) {
  const Row& row = GetParam();
  EXPECT_NEAR(seconds(row.groups, row.loops, false, 1), row.tip, kTipTolerance * row.tip);
}

TEST_P(WakequeueRow, DisabledIsTipButForChance) {
  const Row& row = GetParam();
  EXPECT_NEAR(seconds(row.groups, row.loops, false, 2), row.tip, kTipTolerance * row.tip);
}

TEST_P(WakequeueRow, EnabledIsAsToday) {
  const Row& row = GetParam();
  EXPECT_NEAR(seconds(row.groups, row.loops, true, 1), row.enabled, kEnabledTolerance * row.enabled);
}

INSTANTIATE_TEST_SUITE_P(Published, WakequeueRow,
                         testing::Values(Row{1, 800, 1, 1}, Row{2, 800, 1, 1}, Row{4, 600, 1, 1},
                                         Row{8, 400, 1, 1}, Row{16, 300, 1, 1}),
                         [](const auto& info) { return "Groups" + std::to_string(info.param.groups); });

}  // namespace
}  // namespace rqscope::api
