// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>

#include "api/reproduce_work.h"
#include "api/work_run.h"

namespace rqscope::api {
namespace {

using Json = nlohmann::json;

Json table() {
  std::ifstream in(std::string(RQSCOPE_SOURCE_DIR) + "/resources/published/tg-load-avg.json");
  return Json::parse(in);
}

// The published figures and what is claimed of them: worked out from rows alone, no run.
ReproducedRow row(const std::string& caseName, const std::string& name, double published, double model,
                  double spread) {
  ReproducedRow r;
  r.caseName = caseName;
  r.name = name;
  r.published = published;
  r.model = model;
  r.publishedSpreadPercent = spread;
  r.label = "modelled";
  return r;
}

TEST(JudgeRatios, ComparesSignsOnlyBeyondThePublishedSpread) {
  Reproduction r;
  // Changes: +1 % with a spread of 0.5 + 1 %: no matter; +10 % and the model +2 %: same sign; +20 % and -1 %.
  r.rows = {row("a, x=1 on SPR", "base", 100, 1000, 0.5), row("a, x=1 on SPR", "node", 101, 900, 1),
            row("a, x=1 on SPR", "delay", 110, 1020, 1), row("a, x=1 on SPR", "skip", 120, 990, 1)};
  judgeRatios(r);
  EXPECT_EQ(r.rows[0].verdict, "");
  EXPECT_EQ(r.rows[1].verdict, "published change within its spread");
  EXPECT_EQ(r.rows[2].verdict, "same sign");
  EXPECT_EQ(r.rows[3].verdict, "other sign");
  EXPECT_DOUBLE_EQ(r.rows[2].modelRatio, 1.02);
  EXPECT_NEAR(r.rows[2].deviationPercent, 100 * (1.02 / 1.1 - 1), 1e-9);
  EXPECT_EQ(r.findings.at(0).substr(0, 7), "1 of 2 ");
  EXPECT_EQ(r.findings.at(1).substr(0, 7), "0 of 1 ") << "node is below base";
}

TEST(JudgeRatios, CallsAChangeWithinTheSpreadOfSeedsNoEffect) {
  Reproduction r;
  r.rows = {row("a, x=1 on SPR", "base", 100, 1000, 1), row("a, x=1 on SPR", "node", 120, 1020, 1),
            row("a, x=1 on SPR", "delay", 120, 1040, 1)};
  r.rows[0].figures = {{std::string(kSeedSpreadKey), 3.0}};
  r.rows[2].figures = {{std::string(kSeedSpreadKey), 1.0}};
  judgeRatios(r);
  EXPECT_EQ(r.rows[1].verdict, "model's change within its spread") << "2 % of 3 %";
  EXPECT_EQ(r.rows[2].verdict, "same sign") << "4 % of 3 %";
  EXPECT_EQ(r.findings.at(0).substr(0, 7), "1 of 2 ");
}

TEST(JudgeRatios, SaysWhetherTheGainMovesWithTheLoadAsPublished) {
  Reproduction r;
  r.rows = {row("a, x=50% on SPR", "base", 100, 100, 0), row("a, x=50% on SPR", "skip", 110, 105, 0),
            row("a, x=75% on SPR", "base", 100, 100, 0), row("a, x=75% on SPR", "skip", 150, 103, 0),
            row("b, x=75% on SPR", "base", 100, 100, 0), row("b, x=75% on SPR", "skip", 150, 150, 0)};
  judgeRatios(r);
  ASSERT_EQ(r.findings.size(), 4U) << "signs, order, one step of load, scales";
  EXPECT_NE(r.findings[2].find("a on SPR: from load 50 to 75"), std::string::npos) << r.findings[2];
  EXPECT_TRUE(r.findings[2].ends_with("the other way")) << r.findings[2];
}

TEST(JudgeRatios, ComparesTheLaterPostingWithItsOwnBase) {
  Reproduction r;
  r.rows = {row("a, x=1 on SPR", "base", 100, 1000, 1),  row("a, x=1 on SPR", "node", 110, 1100, 1),
            row("a, x=1 on SPR", "delay", 120, 1200, 1), row("a, x=1 on SPR", "ratelimit", 150, 1300, 1),
            row("b, x=1 on SPR", "base", 100, 1000, 1),  row("b, x=1 on SPR", "ratelimit", 0, 900, 0)};
  r.rows[3].publishedBase = 200;
  judgeRatios(r);
  EXPECT_DOUBLE_EQ(r.rows[3].publishedRatio, 0.75);
  EXPECT_EQ(r.rows[3].verdict, "other sign");
  EXPECT_EQ(r.rows[5].verdict, "") << "nothing is published";
  EXPECT_DOUBLE_EQ(r.rows[5].modelRatio, 0.9);
  EXPECT_EQ(r.findings.at(0).substr(0, 7), "2 of 2 ") << "the later posting is counted on its own";
  const auto later = std::find_if(r.findings.begin(), r.findings.end(), [](const std::string& finding) {
    return finding.find("later posting") != std::string::npos;
  });
  ASSERT_NE(later, r.findings.end());
  EXPECT_EQ(later->substr(0, 7), "0 of 1 ");
}

TEST(LatencyPercentile, IsTheBucketThatSoManyDoNotExceed) {
  std::vector<std::uint64_t> latencies(kLatencyBuckets);
  EXPECT_EQ(latencyPercentile(latencies, 50), 0);
  latencies[latencyBucket(1000)] = 98;
  latencies[latencyBucket(50'000)] = 2;
  EXPECT_EQ(latencyPercentile(latencies, 98), static_cast<double>(latencyOfBucket(latencyBucket(1000))));
  EXPECT_EQ(latencyPercentile(latencies, 98.5), static_cast<double>(latencyOfBucket(latencyBucket(50'000))));
}

TEST(TgLoadAvgTable, HasEveryPublishedRowWithItsScenario) {
  const Reproduction published = publishedTable("tg-load-avg");
  std::map<std::string, int> counts;
  std::vector<std::string> fitted;
  for (const ReproducedRow& r : published.rows) {
    if (r.unit != "us" && r.unit != "builds/h") ++counts[r.name];
    EXPECT_TRUE(r.published > 0 || r.name == "ratelimit") << r.caseName;
    const std::size_t patches = r.name == "base"                            ? 0
                                : r.name == "node" || r.name == "ratelimit" ? 1
                                : r.name == "delay"                         ? 2
                                                                            : 3;
    EXPECT_EQ(r.patches.size(), patches) << r.name;
    if (r.label == "fitted") fitted.push_back(r.caseName + " " + r.name);
  }
  EXPECT_EQ(fitted, (std::vector<std::string>{"postgres_sysbench, nr_thread=75% on SPR skip"}))
      << "line_contended";
  // 15 cases of the table, each with the later posting's patch too, which six of them were published with.
  const std::map<std::string, int> expected{
      {"base", 15}, {"node", 15}, {"delay", 15}, {"skip", 15}, {"ratelimit", 15}};
  EXPECT_EQ(counts, expected);
  EXPECT_EQ(std::count_if(published.rows.begin(), published.rows.end(),
                          [](const ReproducedRow& r) { return r.publishedBase > 0; }),
            6);
}

/// The rows of one case, run for a shorter time.
Reproduction runCase(const std::string& caseName, double warmUpMs, double measuredMs) {
  Json json = table();
  json["warm_up_ms"] = warmUpMs;
  json["measured_ms"] = measuredMs;
  json["seeds"] = 1;
  Json rows = Json::array();
  for (const Json& r : json["rows"])
    if (r["case"] == caseName) rows.push_back(r);
  json["rows"] = rows;
  Reproduction out;
  reproduceWork(json, out, {});
  EXPECT_TRUE(out.problems.empty());
  EXPECT_EQ(out.rows.size(), 5U);
  return out;
}

double figure(const ReproducedRow& r, const std::string& key) {
  for (const auto& [name, value] : r.figures)
    if (name == key) return value;
  ADD_FAILURE() << "no figure " << key;
  return 0;
}

// The order of the published table where the model has it at the command's own length too:
// 1, 1.40, 2.20, 2.36 at 75 %. At 100 % (published 1, 1.48, 2.17, 3.36) only the counts are claimed: the
// order that this short run shows does not last, the command's longer one gives skip less than delay. The
// ratios are held row by row.
TEST(TgLoadAvgCase, UdpOnSprAt75PercentGainsByEveryPatch) {
  const Reproduction r = runCase("netperf UDP_RR, nr_thread=75% on SPR", 141, 4);
  ASSERT_EQ(r.rows.size(), 5U);
  EXPECT_GT(r.rows[1].modelRatio, 1.1);
  EXPECT_GT(r.rows[2].modelRatio, r.rows[1].modelRatio);
  EXPECT_GT(r.rows[3].modelRatio, r.rows[2].modelRatio);
}

TEST(TgLoadAvgCase, UdpOnSprTouchesTheLineAsThePatchesSay) {
  for (const char* name : {"netperf UDP_RR, nr_thread=75% on SPR", "netperf UDP_RR, nr_thread=100% on SPR"}) {
    const Reproduction r = runCase(name, 141, 4);
    ASSERT_EQ(r.rows.size(), 5U);
    // What the patches change: a migration writes once and not twice with delay, reads go with skip, and the
    // later patch leaves a write in a millisecond.
    const auto writesOfMigration = [&](std::size_t row) {
      return figure(r.rows[row], "writes_per_wakeup") / figure(r.rows[row], "migrations_per_wakeup");
    };
    EXPECT_LT(writesOfMigration(2), 0.85 * writesOfMigration(1)) << name;
    EXPECT_LT(figure(r.rows[3], "reads_per_wakeup"), 0.5 * figure(r.rows[0], "reads_per_wakeup")) << name;
    EXPECT_LT(figure(r.rows[4], "writes_per_wakeup"), 0.1) << name;
    // At 100 % the mail of the later patch counts 14 million migrations and 21 million wakeups in 5 s and 41
    // % of the CPU time in the two functions that touch the line.
    EXPECT_GT(figure(r.rows[0], "migrations_per_wakeup"), 0.4) << name << ": pairs do not settle on a CPU";
    EXPECT_GT(figure(r.rows[0], "line_cpu_percent"), 18) << name << ": about half of the mail's at 100 %";
  }
}

// A quarter as many pairs as CPUs: published within 0.3 % but for skip, +2.2 %. Hardly anybody migrates, so
// the line is free; two points for where pairs happen to share a core, and for what skip saves.
TEST(TgLoadAvgCase, UdpOnCslAtLowLoadIsNotTouched) {
  const Reproduction r = runCase("netperf UDP_RR, nr_thread=25% on CSL", 180, 8);
  ASSERT_EQ(r.rows.size(), 5U);
  for (const std::size_t i : {1U, 2U, 3U, 4U}) EXPECT_NEAR(r.rows[i].modelRatio, 1.0, 0.02) << r.rows[i].name;
}

}  // namespace
}  // namespace rqscope::api
