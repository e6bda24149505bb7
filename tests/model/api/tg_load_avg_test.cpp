// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <fstream>

#include "api/reproduce_work.h"

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

TEST(TgLoadAvgTable, HasEveryPublishedRowWithItsScenario) {
  const Reproduction published = publishedTable("tg-load-avg");
  ASSERT_EQ(published.rows.size(), 60U);
  for (const ReproducedRow& r : published.rows) {
    EXPECT_GT(r.published, 0) << r.caseName;
    EXPECT_EQ(r.patches.size(), r.name == "base" ? 0U : r.name == "node" ? 1U : r.name == "delay" ? 2U : 3U);
    EXPECT_NE(r.label, "fitted") << "nothing is";
  }
}

/// The rows of one case, run for a shorter time.
Reproduction runCase(const std::string& caseName, double warmUpMs, double measuredMs) {
  Json json = table();
  json["warm_up_ms"] = warmUpMs;
  json["measured_ms"] = measuredMs;
  Json rows = Json::array();
  for (const Json& r : json["rows"])
    if (r["case"] == caseName) rows.push_back(r);
  json["rows"] = rows;
  Reproduction out;
  reproduceWork(json, out, {});
  EXPECT_TRUE(out.problems.empty());
  EXPECT_EQ(out.rows.size(), 4U);
  return out;
}

double figure(const ReproducedRow& r, const std::string& key) {
  for (const auto& [name, value] : r.figures)
    if (name == key) return value;
  ADD_FAILURE() << "no figure " << key;
  return 0;
}

// The case in which nothing but the line differs between the variants: published 1, 1.396, 2.199, 2.364.
TEST(TgLoadAvgCase, UdpOnSprGainsByEveryPatch) {
  const Reproduction r = runCase("netperf UDP_RR, nr_thread=75% on SPR", 220, 30);
  ASSERT_EQ(r.rows.size(), 4U);
  // The command's own length. 15 %: other starts of the tasks move the share of pairs that migrate by a
  // tenth.
  EXPECT_NEAR(r.rows[1].modelRatio, 1.22, 0.18);
  EXPECT_NEAR(r.rows[2].modelRatio, 2.38, 0.36);
  EXPECT_GT(r.rows[3].modelRatio, r.rows[2].modelRatio);
  // What the patches change: writes by half with delay, reads to nearly none with skip.
  EXPECT_NEAR(figure(r.rows[0], "writes_per_wakeup"), 1.88, 0.15);
  EXPECT_NEAR(figure(r.rows[0], "reads_per_wakeup"), 2.0, 0.1);
  EXPECT_NEAR(figure(r.rows[2], "writes_per_wakeup"), 0.87, 0.12);
  EXPECT_LT(figure(r.rows[3], "reads_per_wakeup"), 0.1);
  EXPECT_GT(figure(r.rows[0], "line_wait_percent"), 60) << "the cause: CPUs wait for the line";
}

// A quarter as many pairs as CPUs: published within 0.3 % but for skip, +2.2 %. Nobody migrates, so the model
// has no change at all; one point for the jitter.
TEST(TgLoadAvgCase, UdpOnCslAtLowLoadIsNotTouched) {
  const Reproduction r = runCase("netperf UDP_RR, nr_thread=25% on CSL", 180, 8);
  ASSERT_EQ(r.rows.size(), 4U);
  for (const std::size_t i : {1U, 2U, 3U}) EXPECT_NEAR(r.rows[i].modelRatio, 1.0, 0.01) << r.rows[i].name;
  EXPECT_NEAR(r.rows[0].model, 110'400, 2'000) << "published 107,269; nothing is fitted";
}

// As many pairs as CPUs: the model disagrees with the table (1.47 for skip). Held so that a change of the
// engine that breaks the pairs up is seen.
TEST(TgLoadAvgCase, UdpOnCslAtFullLoadSettlesInPairsAndSeesNothing) {
  const Reproduction r = runCase("netperf UDP_RR, nr_thread=100% on CSL", 160, 6);
  ASSERT_EQ(r.rows.size(), 4U);
  EXPECT_NEAR(r.rows[3].modelRatio, 1.0, 0.03);
  EXPECT_LT(figure(r.rows[0], "migrations_per_wakeup"), 0.05);
  EXPECT_LT(figure(r.rows[0], "writes_per_wakeup"), 0.05);
}

}  // namespace
}  // namespace rqscope::api
