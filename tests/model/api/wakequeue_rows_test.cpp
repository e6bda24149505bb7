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
  double tip, disabled, enabled;  ///< seconds, as the model has them
};

class WakequeueRow : public testing::TestWithParam<Row> {};

// A run is the same every time. The tolerance is for changes that only shift it: another seed, which shifts
// where the groups of so short a run begin, moves a figure by up to 15 % (compare tip with disabled, the same
// with another seed). These runs are too short for the published signs; `reproduce wakequeue` has longer
// ones.
constexpr double kTolerance = 0.15;

TEST_P(WakequeueRow, TipIsAsToday) {
  const Row& row = GetParam();
  EXPECT_NEAR(seconds(row.groups, row.loops, false, 1), row.tip, kTolerance * row.tip);
}

TEST_P(WakequeueRow, DisabledIsTipWithAnotherSeed) {
  const Row& row = GetParam();
  EXPECT_NEAR(seconds(row.groups, row.loops, false, 2), row.disabled, kTolerance * row.disabled);
}

TEST_P(WakequeueRow, EnabledIsAsToday) {
  const Row& row = GetParam();
  EXPECT_NEAR(seconds(row.groups, row.loops, true, 1), row.enabled, kTolerance * row.enabled);
}

INSTANTIATE_TEST_SUITE_P(Published, WakequeueRow,
                         testing::Values(Row{1, 800, 3.55, 3.09, 3.40}, Row{2, 600, 3.10, 3.30, 4.56},
                                         Row{4, 400, 3.09, 3.21, 3.65}, Row{8, 250, 3.23, 3.22, 2.76},
                                         Row{16, 150, 3.63, 3.90, 3.49}),
                         [](const auto& row) { return "Groups" + std::to_string(row.param.groups); });

}  // namespace
}  // namespace rqscope::api
