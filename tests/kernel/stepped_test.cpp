// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <string>

#include "evaluate/stepped.h"
#include "support/shared_records.h"

namespace rqscope {
namespace {

class SteppedRun : public testing::TestWithParam<const char*> {};

TEST_P(SteppedRun, EqualsTheKernelInEveryLine) {
  const auto path = sharedRecord(std::string("ground-truth/stepped/") + GetParam());
  if (!path) return;
  const auto report = verifySteppedRun(*path);
  ASSERT_TRUE(report.ok()) << report.diagnostics().front().text();
  std::cout << textOf(report.value());
  EXPECT_TRUE(report.value().allEqual());
}

INSTANTIATE_TEST_SUITE_P(V6_12, SteppedRun,
                         testing::Values("a_always_running", "b_periodic_50", "c_three_nice", "d_groups",
                                         "e_spread8", "g_smt", "h_misfit", "rand01", "rand02", "rand03",
                                         "rand04"),
                         [](const testing::TestParamInfo<const char*>& run) {
                           return std::string(run.param);
                         });

}  // namespace
}  // namespace rqscope
