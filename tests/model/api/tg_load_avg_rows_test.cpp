// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <ostream>

#include "api/reproduce_work.h"

// One test for each row of `reproduce tg-load-avg`. It holds what the model says today, so that a change of
// the engine that moves a figure is seen. Whether that agrees with the published table is what the command
// reports, from longer runs: these measure the first 3 ms after all tasks have started, and 10 s of the
// latency check.

namespace rqscope::api {
namespace {

using Json = nlohmann::json;

struct Row {
  const char* caseName;
  const char* name;
  double figure;         ///< in the row's unit
  double reads, writes;  ///< of tg->load_avg for each wakeup

  friend void PrintTo(const Row& row, std::ostream* out) { *out << row.caseName << ' ' << row.name; }
};

class TgLoadAvgRow : public testing::TestWithParam<Row> {};

// A run is the same every time and with every compiler: all of it is integers. The tolerance is for changes
// elsewhere that only shift when tasks start; what the patches do is more, 20 % and above where they act.
constexpr double kFigureTolerance = 0.08, kCountTolerance = 0.05, kLeastCount = 0.02;

Json rowOf(const Row& wanted) {
  std::ifstream in(std::string(RQSCOPE_SOURCE_DIR) + "/resources/published/tg-load-avg.json");
  Json table = Json::parse(in);
  Json rows = Json::array();
  for (Json& row : table["rows"]) {
    if (row["case"] != wanted.caseName || row["name"] != wanted.name) continue;
    const bool isCheck = row.contains("measured_ms");
    row["warm_up_ms"] = isCheck ? 2000 : 141;
    row["measured_ms"] = isCheck ? 10000 : 3;
    rows.push_back(row);
  }
  table["rows"] = rows;
  return table;
}

double figureOf(const ReproducedRow& row, const std::string& key) {
  const auto it = std::find_if(row.figures.begin(), row.figures.end(),
                               [&](const auto& figure) { return figure.first == key; });
  EXPECT_NE(it, row.figures.end()) << key;
  return it == row.figures.end() ? -1 : it->second;
}

TEST_P(TgLoadAvgRow, IsAsToday) {
  const Row& row = GetParam();
  Reproduction out;
  reproduceWork(rowOf(row), out, {});
  ASSERT_EQ(out.rows.size(), 1U) << "the table has this row once";
  const auto near = [](double value) { return kCountTolerance * value + kLeastCount; };
  EXPECT_NEAR(out.rows[0].model, row.figure, kFigureTolerance * row.figure);
  EXPECT_NEAR(figureOf(out.rows[0], "reads_per_wakeup"), row.reads, near(row.reads));
  EXPECT_NEAR(figureOf(out.rows[0], "writes_per_wakeup"), row.writes, near(row.writes));
}

const Row kRows[] = {
    {"postgres_sysbench, nr_thread=100% on SPR", "base", 1.445e+05, 4.524, 3.607},
    {"postgres_sysbench, nr_thread=100% on SPR", "node", 1.4463e+05, 4.487, 3.580},
    {"postgres_sysbench, nr_thread=100% on SPR", "delay", 1.455e+05, 4.468, 2.129},
    {"postgres_sysbench, nr_thread=100% on SPR", "skip", 1.4625e+05, 0.814, 1.988},
    {"postgres_sysbench, nr_thread=100% on SPR", "ratelimit", 1.4629e+05, 4.433, 0.094},
    {"postgres_sysbench, nr_thread=75% on SPR", "base", 1.2003e+05, 4.267, 2.668},
    {"postgres_sysbench, nr_thread=75% on SPR", "node", 1.197e+05, 4.269, 2.662},
    {"postgres_sysbench, nr_thread=75% on SPR", "delay", 1.1942e+05, 4.261, 1.450},
    {"postgres_sysbench, nr_thread=75% on SPR", "skip", 1.2043e+05, 0.259, 1.487},
    {"postgres_sysbench, nr_thread=75% on SPR", "ratelimit", 1.202e+05, 4.252, 0.108},
    {"postgres_sysbench, nr_thread=75% on ICL", "base", 69414, 4.193, 2.674},
    {"postgres_sysbench, nr_thread=75% on ICL", "node", 68756, 4.193, 2.697},
    {"postgres_sysbench, nr_thread=75% on ICL", "delay", 68739, 4.189, 1.498},
    {"postgres_sysbench, nr_thread=75% on ICL", "skip", 69670, 0.200, 1.524},
    {"postgres_sysbench, nr_thread=75% on ICL", "ratelimit", 69797, 4.172, 0.107},
    {"hackbench, group=8 on SPR", "base", 6.4431e+07, 2.360, 1.070},
    {"hackbench, group=8 on SPR", "node", 9.7519e+07, 2.428, 1.424},
    {"hackbench, group=8 on SPR", "delay", 1.0179e+08, 2.459, 0.990},
    {"hackbench, group=8 on SPR", "skip", 1.0969e+08, 0.715, 0.918},
    {"hackbench, group=8 on SPR", "ratelimit", 1.1129e+08, 2.351, 0.017},
    {"hackbench, group=16 on SPR", "base", 1.556e+08, 2.429, 0.899},
    {"hackbench, group=16 on SPR", "node", 1.5479e+08, 2.456, 0.983},
    {"hackbench, group=16 on SPR", "delay", 1.5437e+08, 2.655, 1.030},
    {"hackbench, group=16 on SPR", "skip", 1.5474e+08, 2.027, 1.039},
    {"hackbench, group=16 on SPR", "ratelimit", 1.5082e+08, 2.476, 0.058},
    {"netperf TCP_STREAM, nr_thread=50% on SPR", "base", 16493, 2.004, 0.029},
    {"netperf TCP_STREAM, nr_thread=50% on SPR", "node", 16459, 2.004, 0.034},
    {"netperf TCP_STREAM, nr_thread=50% on SPR", "delay", 16372, 2.004, 0.024},
    {"netperf TCP_STREAM, nr_thread=50% on SPR", "skip", 16499, 0.017, 0.031},
    {"netperf TCP_STREAM, nr_thread=50% on SPR", "ratelimit", 16469, 2.004, 0.011},
    {"netperf TCP_STREAM, nr_thread=75% on CSL", "base", 12825, 2.042, 0.237},
    {"netperf TCP_STREAM, nr_thread=75% on CSL", "node", 12786, 2.050, 0.232},
    {"netperf TCP_STREAM, nr_thread=75% on CSL", "delay", 12835, 2.039, 0.144},
    {"netperf TCP_STREAM, nr_thread=75% on CSL", "skip", 12769, 0.893, 0.171},
    {"netperf TCP_STREAM, nr_thread=75% on CSL", "ratelimit", 12706, 2.051, 0.060},
    {"netperf TCP_STREAM, nr_thread=75% on SPR", "base", 12995, 2.073, 0.362},
    {"netperf TCP_STREAM, nr_thread=75% on SPR", "node", 12961, 2.065, 0.356},
    {"netperf TCP_STREAM, nr_thread=75% on SPR", "delay", 13010, 2.070, 0.234},
    {"netperf TCP_STREAM, nr_thread=75% on SPR", "skip", 12999, 0.948, 0.269},
    {"netperf TCP_STREAM, nr_thread=75% on SPR", "ratelimit", 13021, 2.073, 0.087},
    {"netperf TCP_STREAM, nr_thread=100% on SPR", "base", 9907.9, 2.012, 0.117},
    {"netperf TCP_STREAM, nr_thread=100% on SPR", "node", 9982.5, 2.009, 0.123},
    {"netperf TCP_STREAM, nr_thread=100% on SPR", "delay", 9977.2, 2.015, 0.125},
    {"netperf TCP_STREAM, nr_thread=100% on SPR", "skip", 9935.5, 1.938, 0.098},
    {"netperf TCP_STREAM, nr_thread=100% on SPR", "ratelimit", 9948.8, 2.003, 0.070},
    {"netperf UDP_RR, nr_thread=25% on CSL", "base", 1.158e+05, 1.999, 0.007},
    {"netperf UDP_RR, nr_thread=25% on CSL", "node", 1.1543e+05, 1.999, 0.007},
    {"netperf UDP_RR, nr_thread=25% on CSL", "delay", 1.1543e+05, 1.999, 0.007},
    {"netperf UDP_RR, nr_thread=25% on CSL", "skip", 1.1543e+05, 0.000, 0.007},
    {"netperf UDP_RR, nr_thread=25% on CSL", "ratelimit", 1.1543e+05, 1.999, 0.007},
    {"netperf UDP_RR, nr_thread=50% on CSL", "base", 88114, 2.025, 0.144},
    {"netperf UDP_RR, nr_thread=50% on CSL", "node", 86726, 2.051, 0.256},
    {"netperf UDP_RR, nr_thread=50% on CSL", "delay", 87728, 2.033, 0.106},
    {"netperf UDP_RR, nr_thread=50% on CSL", "skip", 88440, 0.041, 0.104},
    {"netperf UDP_RR, nr_thread=50% on CSL", "ratelimit", 87684, 2.053, 0.010},
    {"netperf UDP_RR, nr_thread=75% on CSL", "base", 35974, 2.623, 1.862},
    {"netperf UDP_RR, nr_thread=75% on CSL", "node", 50251, 2.734, 2.165},
    {"netperf UDP_RR, nr_thread=75% on CSL", "delay", 59370, 2.777, 1.561},
    {"netperf UDP_RR, nr_thread=75% on CSL", "skip", 66440, 0.652, 1.264},
    {"netperf UDP_RR, nr_thread=75% on CSL", "ratelimit", 67568, 2.485, 0.010},
    {"netperf UDP_RR, nr_thread=75% on SPR", "base", 15644, 2.592, 1.732},
    {"netperf UDP_RR, nr_thread=75% on SPR", "node", 23423, 2.776, 2.009},
    {"netperf UDP_RR, nr_thread=75% on SPR", "delay", 27094, 2.863, 1.622},
    {"netperf UDP_RR, nr_thread=75% on SPR", "skip", 63440, 0.425, 0.591},
    {"netperf UDP_RR, nr_thread=75% on SPR", "ratelimit", 65044, 2.033, 0.010},
    {"netperf UDP_RR, nr_thread=100% on CSL", "base", 48160, 2.227, 0.827},
    {"netperf UDP_RR, nr_thread=100% on CSL", "node", 46220, 2.507, 1.603},
    {"netperf UDP_RR, nr_thread=100% on CSL", "delay", 55660, 2.487, 1.062},
    {"netperf UDP_RR, nr_thread=100% on CSL", "skip", 54966, 0.852, 1.104},
    {"netperf UDP_RR, nr_thread=100% on CSL", "ratelimit", 56447, 2.225, 0.009},
    {"netperf UDP_RR, nr_thread=100% on SPR", "base", 17636, 2.387, 1.162},
    {"netperf UDP_RR, nr_thread=100% on SPR", "node", 22242, 2.546, 1.597},
    {"netperf UDP_RR, nr_thread=100% on SPR", "delay", 26667, 2.604, 1.235},
    {"netperf UDP_RR, nr_thread=100% on SPR", "skip", 39968, 0.599, 0.839},
    {"netperf UDP_RR, nr_thread=100% on SPR", "ratelimit", 53835, 2.063, 0.009},
    {"schbench beside make -j32, p50 of the wakeups on i7-8700T", "base", 4194.3, 15.172, 5.665},
    {"schbench beside make -j32, p50 of the wakeups on i7-8700T", "series", 4194.3, 14.272, 5.650},
    {"schbench beside make -j32, p75 of the wakeups on i7-8700T", "base", 4194.3, 15.172, 5.665},
    {"schbench beside make -j32, p75 of the wakeups on i7-8700T", "series", 4194.3, 14.272, 5.650},
    {"schbench beside make -j32, p90 of the wakeups on i7-8700T", "base", 4194.3, 15.172, 5.665},
    {"schbench beside make -j32, p90 of the wakeups on i7-8700T", "series", 4194.3, 14.272, 5.650},
    {"schbench beside make -j32, p95 of the wakeups on i7-8700T", "base", 4194.3, 15.172, 5.665},
    {"schbench beside make -j32, p95 of the wakeups on i7-8700T", "series", 4194.3, 14.272, 5.650},
    {"schbench beside make -j32, p99 of the wakeups on i7-8700T", "base", 4194.3, 15.172, 5.665},
    {"schbench beside make -j32, p99 of the wakeups on i7-8700T", "series", 4194.3, 14.272, 5.650},
    {"schbench beside make -j32, p99.5 of the wakeups on i7-8700T", "base", 4194.3, 15.172, 5.665},
    {"schbench beside make -j32, p99.5 of the wakeups on i7-8700T", "series", 4718.6, 14.272, 5.650},
    {"schbench beside make -j32, p99.9 of the wakeups on i7-8700T", "base", 6291.5, 15.172, 5.665},
    {"schbench beside make -j32, p99.9 of the wakeups on i7-8700T", "series", 6291.5, 14.272, 5.650},
    {"make -j32 beside schbench on i7-8700T", "base", 8.64, 15.172, 5.665},
    {"make -j32 beside schbench on i7-8700T", "series", 8.676, 14.272, 5.650},
};

TEST(TgLoadAvgRows, AreAllHeld) {
  std::ifstream in(std::string(RQSCOPE_SOURCE_DIR) + "/resources/published/tg-load-avg.json");
  EXPECT_EQ(Json::parse(in)["rows"].size(), std::size(kRows));
}

std::string nameOf(const testing::TestParamInfo<Row>& info) {
  std::string name = std::string(info.param.caseName) + "_" + info.param.name;
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Published, TgLoadAvgRow, testing::ValuesIn(kRows), nameOf);

}  // namespace
}  // namespace rqscope::api
