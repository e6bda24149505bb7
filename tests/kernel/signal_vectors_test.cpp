// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <string>

#include "support/shared_records.h"

namespace rqscope {
namespace {

class SignalVectors : public testing::TestWithParam<const char*> {};

TEST_P(SignalVectors, AreAllEqual) { expectSharedVectorsEqual(GetParam()); }

INSTANTIATE_TEST_SUITE_P(
    All, SignalVectors,
    testing::Values("6.12/decay_load.jsonl", "6.12/pelt_se.jsonl.gz", "6.12/pelt_cfs_rq.jsonl.gz",
                    "6.12/pelt_scaled.jsonl.gz", "6.12/attach_detach.jsonl.gz",
                    "6.12/propagate_entity_load_avg.jsonl.gz", "6.12/post_init_entity_util_avg.jsonl",
                    "6.12/util_est_update.jsonl", "6.12/cpu_util.jsonl.gz", "6.12/scale_rt_capacity.jsonl",
                    "6.12/task_h_load.jsonl", "6.12/calc_group_shares.jsonl",
                    "6.12/update_tg_load_avg.jsonl.gz", "6.12/update_misfit_status.jsonl",
                    "6.12/capacity_compare.jsonl", "6.1/pelt_se.jsonl.gz", "6.1/pelt_cfs_rq.jsonl",
                    "6.1/post_init_entity_util_avg.jsonl", "6.1/util_est_update.jsonl",
                    "6.1/cpu_util.jsonl.gz", "6.1/update_tg_load_avg.jsonl.gz",
                    "6.1/update_misfit_status.jsonl", "7.3/calc_group_shares.jsonl.gz",
                    "7.3/update_tg_load_avg.jsonl.gz", "7.3/util_est_update.jsonl.gz"),
    [](const testing::TestParamInfo<const char*>& file) {
      std::string name = file.param;
      name = name.substr(0, name.find(".jsonl"));
      for (char& c : name)
        if (c == '.' || c == '/') c = '_';
      return "V" + name;
    });

// Where a kernel has no file of its own its function was found to be the same; the 6.12 file then holds.
class SignalVectorsOfOtherKernels : public testing::TestWithParam<std::tuple<const char*, const char*>> {};

TEST_P(SignalVectorsOfOtherKernels, AreAllEqual) {
  const auto [kernel, file] = GetParam();
  const auto path = sharedRecord(std::string("ground-truth/vectors/6.12/") + file);
  if (!path) return;
  const auto report = verifyVectors(*path, {.kernel = kernel});
  ASSERT_TRUE(report.ok());
  std::cout << textOf(report.value());
  EXPECT_TRUE(report.value().allEqual());
}

INSTANTIATE_TEST_SUITE_P(
    V6_1, SignalVectorsOfOtherKernels,
    testing::Combine(testing::Values("v6.1"),
                     testing::Values("decay_load.jsonl", "pelt_scaled.jsonl.gz", "attach_detach.jsonl.gz",
                                     "propagate_entity_load_avg.jsonl.gz", "calc_group_shares.jsonl",
                                     "task_h_load.jsonl", "scale_rt_capacity.jsonl",
                                     "capacity_compare.jsonl")));
INSTANTIATE_TEST_SUITE_P(
    V7_3, SignalVectorsOfOtherKernels,
    testing::Combine(testing::Values("v7.3"),
                     testing::Values("decay_load.jsonl", "pelt_se.jsonl.gz", "pelt_cfs_rq.jsonl.gz",
                                     "pelt_scaled.jsonl.gz", "post_init_entity_util_avg.jsonl",
                                     "attach_detach.jsonl.gz", "propagate_entity_load_avg.jsonl.gz",
                                     "task_h_load.jsonl", "scale_rt_capacity.jsonl", "cpu_util.jsonl.gz",
                                     "update_misfit_status.jsonl", "capacity_compare.jsonl")));

}  // namespace
}  // namespace rqscope
