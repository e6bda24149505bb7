// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/json_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rqscope {
namespace {

using ::testing::HasSubstr;

TEST(Duration, IsReadExactly) {
  EXPECT_EQ(parseDuration("100ms"), 100'000'000);
  EXPECT_EQ(parseDuration("2.5 s"), 2'500'000'000);
  EXPECT_EQ(parseDuration("0.000000001s"), 1);
  EXPECT_EQ(parseDuration("16us"), 16'000);
  EXPECT_EQ(parseDuration("7ns"), 7);
  EXPECT_EQ(parseDuration("0s"), 0);
}

TEST(Duration, IsRefusedWithoutUnitOrBelowANanosecond) {
  for (const char* text : {"", "100", "ms", "1.5ns", "-5ms", "1..5s", "5.s", "1min", "99999999999999999999s"})
    EXPECT_EQ(parseDuration(text), std::nullopt) << text;
}

TEST(Duration, IsWrittenAsItIsRead) {
  for (const std::int64_t ns : {0LL, 1LL, 1'500LL, 2'500'000LL, 100'000'000LL, 25'000'000'000LL})
    EXPECT_EQ(parseDuration(durationText(ns)), ns);
  EXPECT_EQ(durationText(2'500'000), "2500us");
}

TEST(ObjectReader, ReportsUnknownRepeatedAndEmptyKeys) {
  const auto d = parseJson("f", "{\"count\" : 1,\n \"cuont\" : 2,\n \"count\" : 3,\n \"nice\" }");
  ASSERT_TRUE(d.ok());
  JsonLint lint("f");
  ObjectReader reader(d.value().root, "the thing", lint);
  reader.integer("count", 0, 10);
  reader.integer("nice", -20, 19);
  reader.finish(ObjectReader::Unknown::Error);
  const auto found = lint.take();
  ASSERT_EQ(found.size(), 3U);
  EXPECT_THAT(found[0].text(),
              HasSubstr("f:2:2: error: the thing has no key \"cuont\" (did you mean \"count\"?)"));
  EXPECT_THAT(found[1].text(), HasSubstr("f:3:2: error: \"count\" stands twice"));
  EXPECT_THAT(found[2].text(), HasSubstr("f:4:2: error: \"nice\" of the thing has no value"));
}

TEST(ObjectReader, SaysWhatAValueShouldBe) {
  const auto d = parseJson("f", R"({"n" : "5", "b" : 1, "c" : 3, "big" : 11})");
  ASSERT_TRUE(d.ok());
  JsonLint lint("f");
  ObjectReader reader(d.value().root, "the thing", lint);
  EXPECT_FALSE(reader.integer("n", 0, 10));
  EXPECT_FALSE(reader.boolean("b"));
  EXPECT_FALSE(reader.cpus("c"));
  EXPECT_FALSE(reader.integer("big", 0, 10));
  const auto found = lint.take();
  ASSERT_EQ(found.size(), 4U);
  EXPECT_THAT(found[0].text(), HasSubstr("without quotes"));
  EXPECT_THAT(found[1].text(), HasSubstr("it is true or false"));
  EXPECT_THAT(found[2].text(), HasSubstr("write [3]"));
  EXPECT_THAT(found[3].text(), HasSubstr("between 0 and 10"));
}

TEST(JsonLint, StopsAfterFiftyErrors) {
  JsonLint lint("f");
  for (int i = 1; i <= 60; ++i) lint.add(Severity::Error, i, 1, "x", "");
  const auto found = lint.take();
  ASSERT_EQ(found.size(), 51U);
  EXPECT_THAT(found.back().message, HasSubstr("10 more errors"));
}

}  // namespace
}  // namespace rqscope
