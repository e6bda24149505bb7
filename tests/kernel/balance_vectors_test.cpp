// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <string>
#include <tuple>

#include "support/shared_records.h"

namespace rqscope {
namespace {

std::string testName(std::string name) {
  name = name.substr(0, name.find(".jsonl"));
  for (char& c : name)
    if (c == '.' || c == '/') c = '_';
  return "V" + name;
}

class BalanceVectors : public testing::TestWithParam<const char*> {};

TEST_P(BalanceVectors, AreAllEqual) { expectSharedVectorsEqual(GetParam()); }

INSTANTIATE_TEST_SUITE_P(
    All, BalanceVectors,
    testing::Values(
        "6.12/group_classify.jsonl.gz", "6.12/update_sg_lb_stats.jsonl.gz",
        "6.12/update_sd_pick_busiest.jsonl.gz", "6.12/calculate_imbalance.jsonl.gz",
        "6.12/find_src_group_decide.jsonl.gz", "6.12/find_src_group_full.jsonl.gz",
        "6.12/adjust_numa_imbalance.jsonl", "6.12/sibling_imbalance.jsonl", "6.12/detach_tasks.jsonl.gz",
        "6.12/detach_tasks_util_plain.jsonl.gz", "6.12/find_busiest_queue.jsonl.gz",
        "6.12/should_we_balance.jsonl.gz", "6.12/need_active_balance.jsonl.gz",
        "6.12/load_balance_pass.jsonl.gz", "6.12/get_sd_balance_interval.jsonl",
        "6.12/update_newidle_cost.jsonl", "6.12/update_idle_cpu_scan.jsonl", "6.1/group_classify.jsonl.gz",
        "6.1/update_sg_lb_stats.jsonl.gz", "6.1/update_sd_pick_busiest.jsonl.gz",
        "6.1/calculate_imbalance.jsonl.gz", "6.1/find_src_group_decide.jsonl.gz",
        "6.1/find_src_group_full.jsonl.gz", "6.1/detach_tasks.jsonl.gz", "6.1/find_busiest_queue.jsonl.gz",
        "6.1/should_we_balance.jsonl.gz", "6.1/need_active_balance.jsonl.gz",
        "6.1/load_balance_pass.jsonl.gz", "7.3/group_classify.jsonl.gz", "7.3/update_sg_lb_stats.jsonl.gz",
        "7.3/update_sg_lb_stats_cache.jsonl.gz", "7.3/update_sd_pick_busiest.jsonl.gz",
        "7.3/calculate_imbalance.jsonl.gz", "7.3/find_src_group_decide.jsonl.gz",
        "7.3/find_src_group_full.jsonl.gz", "7.3/find_src_group_full_cache.jsonl.gz",
        "7.3/detach_tasks.jsonl.gz", "7.3/detach_tasks_cache.jsonl.gz", "7.3/find_busiest_queue.jsonl.gz",
        "7.3/find_busiest_queue_cache.jsonl.gz", "7.3/need_active_balance.jsonl.gz",
        "7.3/need_active_balance_cache.jsonl.gz", "7.3/load_balance_pass.jsonl.gz",
        "7.3/can_migrate_llc.jsonl.gz", "7.3/update_newidle_cost.jsonl.gz", "7.3/update_idle_cpu_scan.jsonl"),
    [](const testing::TestParamInfo<const char*>& file) { return testName(file.param); });

// Where a kernel has no file of its own its function was found to be the same; the 6.12 file then holds.
class BalanceVectorsOfOtherKernels : public testing::TestWithParam<std::tuple<const char*, const char*>> {};

TEST_P(BalanceVectorsOfOtherKernels, AreAllEqual) {
  const auto [kernel, file] = GetParam();
  const auto path = sharedRecord(std::string("ground-truth/vectors/6.12/") + file);
  if (!path) return;
  const auto report = verifyVectors(*path, {.kernel = kernel});
  ASSERT_TRUE(report.ok());
  std::cout << textOf(report.value());
  EXPECT_TRUE(report.value().allEqual());
}

INSTANTIATE_TEST_SUITE_P(
    V6_1, BalanceVectorsOfOtherKernels,
    testing::Combine(testing::Values("v6.1"),
                     testing::Values("adjust_numa_imbalance.jsonl", "get_sd_balance_interval.jsonl",
                                     "update_idle_cpu_scan.jsonl", "update_newidle_cost.jsonl")));
INSTANTIATE_TEST_SUITE_P(
    V7_3, BalanceVectorsOfOtherKernels,
    testing::Combine(testing::Values("v7.3"),
                     testing::Values("adjust_numa_imbalance.jsonl", "sibling_imbalance.jsonl",
                                     "get_sd_balance_interval.jsonl", "should_we_balance.jsonl.gz")));

}  // namespace
}  // namespace rqscope
