// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <filesystem>
#include <fstream>
#include <string>

#include "formats/line_reader.h"
#include "support/shared_records.h"
#include "support/temporary_folder.h"

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
                                         "7.3/hierarchical_weight.jsonl", "7.3/eevdf_sequence.jsonl.gz",
                                         "7.3/eevdf_group_sequence.jsonl.gz"),
                         [](const testing::TestParamInfo<const char*>& file) {
                           std::string name = file.param;
                           name = name.substr(0, name.find(".jsonl"));
                           for (char& c : name)
                             if (c == '.' || c == '/') c = '_';
                           return "V" + name;
                         });

// Line 69 begins on an idle CPU without a task, and its first step (time passes) reports need_resched, which
// nothing in the case can set: the case recorded before it ended idle with that mark, and the recording
// process did not clear it. Every other case after such an end begins with "schedule", which clears the mark.
// So the case is equal in its place in the file, and alone it differs in just that field.
TEST(QueueVectors, AGroupSequenceThatInheritsAMarkDiffersOnlyWhenItStandsAlone) {
  const auto path = sharedRecord("ground-truth/vectors/7.3/eevdf_group_sequence.jsonl.gz");
  if (!path) return;
  auto reader = LineReader::open(*path);
  ASSERT_TRUE(reader.ok());
  std::string line;
  for (int i = 0; i < 69; ++i) ASSERT_TRUE(reader.value().next(line));
  TemporaryFolder folder;
  std::filesystem::create_directories(folder.path() / "7.3");
  const auto alone = folder.path() / "7.3" / "eevdf_group_sequence.jsonl";
  std::ofstream(alone) << line << "\n";
  const auto report = verifyVectors(alone.string());
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report.value().different, 1);
  ASSERT_EQ(report.value().firstDifferent.size(), 1U);
  ASSERT_EQ(report.value().firstDifferent.front().fields.size(), 1U);
  EXPECT_EQ(report.value().firstDifferent.front().fields.front().path, "out.steps[0].need_resched");
}

}  // namespace
}  // namespace rqscope
