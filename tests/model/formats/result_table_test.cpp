// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/result_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rqscope {
namespace {

using testing::HasSubstr;

ResultRow onlyRow(const std::string& text, std::optional<bool> isLessBetter = std::nullopt) {
  const auto rows = readResultTable("t.csv", text, isLessBetter);
  EXPECT_TRUE(rows.ok());
  if (!rows) {
    ADD_FAILURE() << rows.error().text();
    return {};
  }
  EXPECT_EQ(rows.value().size(), 1U);
  return rows.value().front();
}

std::string errorOf(const std::string& text) {
  const auto rows = readResultTable("t.csv", text, std::nullopt);
  return rows ? "none" : rows.error().text();
}

TEST(ResultTable, ReadsMeansUnitsAndDeviations) {
  const ResultRow row = onlyRow(
      "test,groups,before,after,better,printed\n"
      "hackbench,16,3.120 s (+/- 1.50 %),3.253 s \u00b1 0.02,less,-4.26%\n");
  EXPECT_EQ(row.name, "hackbench, 16");
  EXPECT_EQ(row.unit, "s");
  EXPECT_EQ(row.line, 2);
  EXPECT_DOUBLE_EQ(row.before.value, 3.120);
  EXPECT_DOUBLE_EQ(row.before.halfDigit, 0.0005);
  EXPECT_NEAR(*row.beforeDeviation, 0.0468, 1e-12);
  EXPECT_DOUBLE_EQ(*row.afterDeviation, 0.02);
  EXPECT_NEAR(row.improvement(), -4.2628, 1e-4);
  // 100 * 3.253 / 3.120 * sqrt(0.015^2 + (0.02 / 3.253)^2)
  EXPECT_NEAR(*row.noise(), 1.69022, 1e-5);
  EXPECT_EQ(row.printedIs(), PrintedChange::Improvement);
}

TEST(ResultTable, KnowsTheWaysToCountAChange) {
  const std::string head = "before,after,better,printed\n";
  EXPECT_EQ(onlyRow(head + "10.0,8.00,less,20.0").printedIs(), PrintedChange::Improvement);
  EXPECT_EQ(onlyRow(head + "10.0,8.00,less,25.0").printedIs(), PrintedChange::Speed);
  EXPECT_EQ(onlyRow(head + "10.0,8.00,less,-20.0").printedIs(), PrintedChange::Difference);
  EXPECT_EQ(onlyRow(head + "10.0,8.00,more,-20.0").printedIs(), PrintedChange::Improvement);
  EXPECT_EQ(onlyRow(head + "10.0,8.00,more,20.0").printedIs(), PrintedChange::Differs);
  EXPECT_EQ(onlyRow(head + "10.0,8.00,less,30.0").printedIs(), PrintedChange::Differs);
  EXPECT_EQ(onlyRow(head + "10.0,8.00,less,").printedIs(), PrintedChange::Absent);
}

TEST(ResultTable, RoundingIsAllowedForAndNothingElse) {
  // Means of 1.045 to 1.055 and 0.995 to 1.005 give 3.8 to 5.7 %.
  const std::string head = "before,after,better,printed\n";
  EXPECT_EQ(onlyRow(head + "1.05,1.00,less,5.7").printedIs(), PrintedChange::Improvement);
  EXPECT_EQ(onlyRow(head + "1.05,1.00,less,3.8").printedIs(), PrintedChange::Improvement);
  EXPECT_EQ(onlyRow(head + "1.05,1.00,less,3.6").printedIs(), PrintedChange::Differs);
  EXPECT_EQ(onlyRow(head + "1.050,1.000,less,3.8").printedIs(), PrintedChange::Differs);
  EXPECT_DOUBLE_EQ(onlyRow(head + "1.2e3,1.3e3,more,8").before.halfDigit, 50.0);
}

TEST(ResultTable, ReadsOtherSeparatorsAndMarkdown) {
  EXPECT_DOUBLE_EQ(onlyRow("tip;patched\n2;3\n", true).improvement(), -50.0);
  EXPECT_DOUBLE_EQ(onlyRow("\"a\"\t\"b\"\n2\t3\n", false).improvement(), 50.0);
  const ResultRow row = onlyRow(
      "# of a mail\n\n| row | before | after | better is |\n| --- | ---: | ---: | --- |\n"
      "| a, \"b\" | 4 MB/s | 5 MB/s | more |\r\n");
  EXPECT_EQ(row.unit, "MB/s");
  EXPECT_EQ(row.line, 5);
  EXPECT_DOUBLE_EQ(row.improvement(), 25.0);
}

TEST(ResultTable, SaysWhatIsWrongAndWhere) {
  EXPECT_THAT(errorOf(""), HasSubstr("no rows"));
  EXPECT_THAT(errorOf("test,after,better\n"), HasSubstr("t.csv:1: error: no column \"before\""));
  EXPECT_THAT(errorOf("before,after,b,better\n"), HasSubstr("more than one column \"after\""));
  EXPECT_THAT(errorOf("before,after\n1,2\n"), HasSubstr("less or more is better"));
  EXPECT_THAT(errorOf("before,after,better\n1,2\n"), HasSubstr("t.csv:2: error: 2 cells, and 3 columns"));
  EXPECT_THAT(errorOf("before,after,better\nx,2,less\n"), HasSubstr("before: \"x\" is not a number"));
  EXPECT_THAT(errorOf("before;after;better\n1,257.5;2;less\n"), HasSubstr("is not a number"));
  EXPECT_THAT(errorOf("before,after,better\n0,2,less\n"), HasSubstr("not above 0"));
  EXPECT_THAT(errorOf("before,after,better\n1 s,2 ms,less\n"), HasSubstr("units"));
  EXPECT_THAT(errorOf("before,after,better\n1,2,big\n"), HasSubstr("better: \"big\""));
  EXPECT_THAT(errorOf("before,after,better,printed\n1,2,less,many\n"), HasSubstr("not a percentage"));
  EXPECT_THAT(errorOf("before,after,better,before_deviation\n1,2,less,-1\n"), HasSubstr("not a deviation"));
  EXPECT_THAT(errorOf("before,after,better\n1,\"2,less\n"), HasSubstr("t.csv:2"));
}

}  // namespace
}  // namespace rqscope
