// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "rqscope/report_file.h"

#include <gtest/gtest.h>

namespace rqscope::api {
namespace {

TEST(Reports, TimesThatNoRunHasAreCutOff) {
  // 1e308 is no 64-bit integer: turned into one it could be anything.
  const auto reports = readReports(R"({"discussion": "juno", "rows": [],
      "charts": [{"id": "c", "series": [{"name": "s", "value": [1, 2, 3], "time_ns": [-1e308, 5, 1e308]}]}]})",
                                   "r.json");
  ASSERT_EQ(reports.size(), 1U);
  EXPECT_EQ(reports[0].charts.at(0).series.at(0).timeNs,
            (std::vector<std::int64_t>{0, 5, 900'000'000'000'000'000}));
}

}  // namespace
}  // namespace rqscope::api
