// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <string>
#include <tuple>

#include "support/shared_records.h"

namespace rqscope {
namespace {

using FileAndKernel = std::tuple<const char*, const char*>;

// The kernel beside each file is the one it is run for: where a kernel has no file, the 6.12 one holds.
class PlacementVectors : public testing::TestWithParam<FileAndKernel> {};

TEST_P(PlacementVectors, AreAllEqual) {
  const auto [file, kernel] = GetParam();
  const auto path = sharedRecord(std::string("ground-truth/vectors/") + file);
  if (!path) return;
  const auto report = verifyVectors(*path, {.kernel = kernel});
  ASSERT_TRUE(report.ok());
  std::cout << textOf(report.value());
  EXPECT_TRUE(report.value().allEqual());
}

std::string nameOf(const testing::TestParamInfo<FileAndKernel>& info) {
  std::string file = std::get<0>(info.param);
  std::string name = std::string(std::get<1>(info.param)) + file.substr(file.find('/'));
  name = name.substr(0, name.find(".jsonl"));
  for (char& c : name)
    if (c == '.' || c == '/') c = '_';
  return name;
}

INSTANTIATE_TEST_SUITE_P(All, PlacementVectors,
                         testing::Values(FileAndKernel{"6.12/update_pick_idlest.jsonl.gz", "v6.12"},
                                         FileAndKernel{"6.12/find_dst_group_decide.jsonl.gz", "v6.12"},
                                         FileAndKernel{"6.12/find_dst_group_full.jsonl.gz", "v6.12"},
                                         FileAndKernel{"6.12/find_dst_group_cpu.jsonl.gz", "v6.12"},
                                         FileAndKernel{"6.12/select_task_rq.jsonl.gz", "v6.12"},
                                         FileAndKernel{"6.12/select_idle_sibling.jsonl.gz", "v6.12"},
                                         FileAndKernel{"6.12/wake_affine_idle.jsonl.gz", "v6.12"},
                                         FileAndKernel{"6.12/wake_affine_weight.jsonl", "v6.12"},
                                         FileAndKernel{"6.12/wake_wide.jsonl", "v6.12"},
                                         FileAndKernel{"6.12/record_wakee.jsonl", "v6.12"},
                                         FileAndKernel{"6.1/update_pick_idlest.jsonl.gz", "v6.1"},
                                         FileAndKernel{"6.1/find_dst_group_decide.jsonl.gz", "v6.1"},
                                         FileAndKernel{"6.1/find_dst_group_full.jsonl.gz", "v6.1"},
                                         FileAndKernel{"6.12/find_dst_group_cpu.jsonl.gz", "v6.1"},
                                         FileAndKernel{"6.12/select_task_rq.jsonl.gz", "v6.1"},
                                         FileAndKernel{"6.12/select_idle_sibling.jsonl.gz", "v6.1"},
                                         FileAndKernel{"6.1/wake_affine_idle.jsonl.gz", "v6.1"},
                                         FileAndKernel{"6.12/wake_affine_weight.jsonl", "v6.1"},
                                         FileAndKernel{"6.12/wake_wide.jsonl", "v6.1"},
                                         FileAndKernel{"6.12/record_wakee.jsonl", "v6.1"},
                                         FileAndKernel{"6.12/update_pick_idlest.jsonl.gz", "v7.3"},
                                         FileAndKernel{"6.12/find_dst_group_decide.jsonl.gz", "v7.3"},
                                         FileAndKernel{"7.3/find_dst_group_full.jsonl.gz", "v7.3"},
                                         FileAndKernel{"7.3/find_dst_group_cpu.jsonl.gz", "v7.3"},
                                         FileAndKernel{"7.3/select_task_rq.jsonl.gz", "v7.3"},
                                         FileAndKernel{"7.3/select_idle_sibling.jsonl.gz", "v7.3"},
                                         FileAndKernel{"6.12/wake_affine_idle.jsonl.gz", "v7.3"},
                                         FileAndKernel{"6.12/wake_affine_weight.jsonl", "v7.3"},
                                         FileAndKernel{"6.12/wake_wide.jsonl", "v7.3"},
                                         FileAndKernel{"6.12/record_wakee.jsonl", "v7.3"}),
                         nameOf);

}  // namespace
}  // namespace rqscope
