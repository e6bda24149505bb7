// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <string>

#include "support/shared_records.h"

namespace rqscope {
namespace {

class QueueVectors : public testing::TestWithParam<const char*> {};

TEST_P(QueueVectors, AreAllEqual) { expectSharedVectorsEqual(GetParam()); }

INSTANTIATE_TEST_SUITE_P(All, QueueVectors,
                         testing::Values("6.12/calc_delta_fair.jsonl", "6.12/pick_eevdf.jsonl.gz",
                                         "6.12/place_entity.jsonl.gz", "6.12/update_entity_lag.jsonl.gz",
                                         "6.12/update_deadline.jsonl", "6.12/reweight_entity.jsonl.gz",
                                         "6.12/eevdf_sequence.jsonl.gz", "6.1/cfs_sequence.jsonl.gz",
                                         "6.1/sched_slice.jsonl", "6.1/wakeup_preempt_entity.jsonl"),
                         [](const testing::TestParamInfo<const char*>& file) {
                           std::string name = file.param;
                           name = name.substr(0, name.find(".jsonl"));
                           for (char& c : name)
                             if (c == '.' || c == '/') c = '_';
                           return "V" + name;
                         });

}  // namespace
}  // namespace rqscope
