// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <string>

#include "support/shared_records.h"

namespace rqscope {
namespace {

class QueueVectorFiles : public testing::TestWithParam<const char*> {};

TEST_P(QueueVectorFiles, AreAllEqual) { expectSharedVectorsEqual(GetParam()); }

INSTANTIATE_TEST_SUITE_P(All, QueueVectorFiles,
                         testing::Values("6.12/calc_delta_fair.jsonl", "6.12/pick_eevdf.jsonl.gz",
                                         "6.12/place_entity.jsonl.gz", "6.12/update_entity_lag.jsonl.gz",
                                         "6.12/update_deadline.jsonl", "6.12/reweight_entity.jsonl.gz",
                                         "6.12/eevdf_sequence.jsonl.gz", "6.1/cfs_sequence.jsonl.gz",
                                         "6.1/sched_slice.jsonl", "6.1/wakeup_preempt_entity.jsonl",
                                         "7.3/calc_delta_fair.jsonl", "7.3/pick_eevdf.jsonl.gz",
                                         "7.3/place_entity.jsonl.gz", "7.3/update_entity_lag.jsonl.gz",
                                         "7.3/update_deadline.jsonl.gz", "7.3/reweight_entity.jsonl.gz",
                                         "7.3/reweight_eevdf.jsonl.gz", "7.3/protect_slice.jsonl.gz",
                                         "7.3/hierarchical_weight.jsonl", "7.3/eevdf_sequence.jsonl.gz"),
                         [](const testing::TestParamInfo<const char*>& file) {
                           std::string name = file.param;
                           name = name.substr(0, name.find(".jsonl"));
                           for (char& c : name)
                             if (c == '.' || c == '/') c = '_';
                           return "V" + name;
                         });

// Line 69 begins on an idle CPU without a task, and its first step (time passes) reports need_resched. The
// case recorded before it ended idle with that mark set; every other case that begins idle after such an end
// begins with "schedule", which clears it. So the mark belongs to the case before and is not in this one's
// inputs.
TEST(QueueVectors, OfGroupSequencesDifferOnlyWhereTheRecordCarriesOverAMark) {
  const auto path = sharedRecord("ground-truth/vectors/7.3/eevdf_group_sequence.jsonl.gz");
  if (!path) return;
  const auto report = verifyVectors(*path);
  ASSERT_TRUE(report.ok());
  std::cout << textOf(report.value());
  EXPECT_EQ(report.value().cases, 120);
  EXPECT_EQ(report.value().equal, 119);
  ASSERT_EQ(report.value().firstDifferent.size(), 1U);
  const CaseDifference& difference = report.value().firstDifferent.front();
  EXPECT_EQ(difference.line, 69);
  ASSERT_EQ(difference.fields.size(), 1U);
  EXPECT_EQ(difference.fields.front().path, "out.steps[0].need_resched");
}

}  // namespace
}  // namespace rqscope
