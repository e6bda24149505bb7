// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/json_document.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/random.h"

namespace rqscope {
namespace {

using ::testing::HasSubstr;
using Kind = JsonValue::Kind;

JsonDocument parsed(const std::string& text) {
  auto result = parseJson("t.json", text);
  EXPECT_TRUE(result.ok()) << (result.ok() ? "" : result.error().text());
  return result.ok() ? result.value() : JsonDocument{};
}

/// "line:column message (hint)" of the error, for texts that must be refused.
std::string refusal(const std::string& text) {
  const auto result = parseJson("t.json", text);
  if (result.ok()) return "accepted";
  return result.error().text();
}

TEST(Json, KeepsRepeatedKeysInOrder) {
  // A workgen sequence: run, sleep, run. All three stay, with their values.
  const JsonDocument d = parsed(R"({"run" : 1, "sleep" : 2, "run" : 3})");
  ASSERT_EQ(d.root.members.size(), 3U);
  EXPECT_EQ(d.root.members[0].key, "run");
  EXPECT_EQ(d.root.members[0].value.integer, 1);
  EXPECT_EQ(d.root.members[2].value.integer, 3);
  EXPECT_EQ(d.root.find("run")->value.integer, 3) << "find() gives the last";
}

TEST(Json, KnowsKeysWithoutValue) {
  const JsonDocument d = parsed("{\n  \"suspend\",\n  \"run\" : 5, \"last\"\n}");
  ASSERT_EQ(d.root.members.size(), 3U);
  EXPECT_FALSE(d.root.members[0].hasValue);
  EXPECT_EQ(d.root.members[0].line, 2);
  EXPECT_EQ(d.root.members[0].column, 3);
  EXPECT_TRUE(d.root.members[1].hasValue);
  EXPECT_FALSE(d.root.members[2].hasValue);
}

TEST(Json, SkipsCommentsAndTrailingCommas) {
  const JsonDocument d = parsed("/* a { */ { // b }\n \"a\" : [1, 2, /* , */ ], \"b\" : {}, }");
  ASSERT_EQ(d.root.members.size(), 2U);
  EXPECT_EQ(d.root.members[0].value.items.size(), 2U);
}

TEST(Json, CountsColumnsInCharacters) {
  // The umlaut takes two bytes and one column: {"ä":1,"b":2} has "b" at column 8.
  const JsonDocument d = parsed("{\"\u00e4\":1,\"b\":2}");
  ASSERT_EQ(d.root.members.size(), 2U);
  EXPECT_EQ(d.root.members[1].column, 8);
  EXPECT_EQ(d.root.members[1].value.column, 12);
}

TEST(Json, ReadsNumbersExactly) {
  const JsonDocument d = parsed("[9223372036854775807, -5, 1.5, 2e3, 0, -0]");
  EXPECT_EQ(d.root.items[0].integer, INT64_MAX);
  EXPECT_EQ(d.root.items[1].integer, -5);
  EXPECT_EQ(d.root.items[2].kind, Kind::Real);
  EXPECT_DOUBLE_EQ(d.root.items[3].real, 2000.0);
  EXPECT_EQ(d.root.items[4].kind, Kind::Integer);
}

TEST(Json, ReadsEscapes) {
  const JsonDocument d = parsed(R"(["a\"\\\/\n", "\u00e4", "\ud83d\ude00"])");
  EXPECT_EQ(d.root.items[0].string, "a\"\\/\n");
  EXPECT_EQ(d.root.items[1].string, "\u00e4");
  EXPECT_EQ(d.root.items[2].string, "\U0001F600");
}

TEST(Json, GivesTheSourceOfAValue) {
  const JsonDocument d = parsed(R"({"w" : { "run" : 1, /* x */ "run" : 2 } , "b" : 1})");
  EXPECT_EQ(d.source(d.root.members[0].value), R"({ "run" : 1, /* x */ "run" : 2 })");
}

TEST(Json, SaysWhatIsWrongAndWhere) {
  struct Case {
    const char* text;
    const char* where;
    const char* message;
  };
  const Case cases[] = {
      {"", "t.json:1:1", "holds no JSON"},
      {"{\"a\" : 1\n \"b\" : 2}", "t.json:1:9", "\",\" is missing after \"a\""},
      {"{\"a\" 1}", "t.json:1:5", "\":\" is missing after the key \"a\""},
      {"{a : 1}", "t.json:1:2", "the key a has no quotes"},
      {"{\"a\" : 'x'}", "t.json:1:8", "double quotes"},
      {"{\"a\" : True}", "t.json:1:8", "\"True\" is not JSON"},
      {"{\"a\" : 0x10}", "t.json:1:8", "hexadecimal"},
      {"{\"a\" : 010}", "t.json:1:8", "starts with 0"},
      {"{\"a\" : 99999999999999999999}", "t.json:1:8", "too big"},
      {"{\"a\" : 10ms}", "t.json:1:8", "letter"},
      {"{\"a\" : }", "t.json:1:8", "\"a\" has no value"},
      {"{\"a\" : 1,, }", "t.json:1:10", "\",\" too many"},
      {"{\"a\" : [1 2]}", "t.json:1:10", "\",\" is missing after element 0"},
      {"{\"a\" : [1}", "t.json:1:10", "closes the list that opened at line 1"},
      {"{\n\"a\" : {\n\"b\" : 1", "t.json:3:8", "inside the object that opened at line 2"},
      {"{} }", "t.json:1:4", "closes nothing"},
      {"{} {}", "t.json:1:4", "more text after the end"},
      {"{\"a\n\" : 1}", "t.json:1:2", "does not end on its line"},
      {"/* x", "t.json:1:1", "never ends"},
      {"{ # x\n}", "t.json:1:3", "does not start a comment"},
      {"{\"a\" : \"\\q\"}", "t.json:1:9", "no known escape"},
      {"{\"a\" : \"\\ud800\"}", "t.json:1:9", "half a character"},
      {"{\"a\" : \"\xff\"}", "t.json:1:9", "not valid UTF-8"},
  };
  for (const Case& c : cases) {
    const std::string said = refusal(c.text);
    EXPECT_THAT(said, HasSubstr(c.where)) << c.text;
    EXPECT_THAT(said, HasSubstr(c.message)) << c.text;
  }
}

TEST(Json, RefusesDeepNestingInsteadOfOverflowing) {
  const std::string deep(1'000'000, '[');
  EXPECT_THAT(refusal(deep), HasSubstr("nested more than 200 deep"));
  std::string objects;
  for (int i = 0; i < 100'000; ++i) objects += "{\"a\":";
  EXPECT_THAT(refusal(objects), HasSubstr("nested more than 200 deep"));
  // 200 levels are fine.
  EXPECT_TRUE(parseJson("t", std::string(200, '[') + std::string(200, ']')).ok());
}

TEST(Json, RefusesOtherEncodings) {
  EXPECT_THAT(refusal(std::string("\xff\xfe{\0}\0", 6)), HasSubstr("UTF-16"));
  EXPECT_THAT(refusal(std::string("\0\1\2", 3)), HasSubstr("binary"));
  EXPECT_THAT(refusal("\x1f\x8b\x08"), HasSubstr("compressed"));
  EXPECT_TRUE(parseJson("t", "\xEF\xBB\xBF{}").ok()) << "a byte order mark is fine";
}

TEST(Json, NeverCrashesOnDamagedText) {
  // Every prefix of a text and 20,000 single-byte changes: accepted or refused, never worse.
  const std::string good =
      "{ /* c */ \"tasks\" : { \"a\" : { \"run\" : 10, \"suspend\", \"timer\" : { \"ref\" : \"u\\u00e4\", "
      "\"period\" : 1.5e3 }, \"cpus\" : [0, 1,], } }, } // end";
  for (std::size_t n = 0; n <= good.size(); ++n) (void)parseJson("t", good.substr(0, n));
  Random random(7);
  for (int i = 0; i < 20'000; ++i) {
    std::string bad = good;
    bad[random.below(bad.size())] = static_cast<char>(random.below(256));
    bad[random.below(bad.size())] = "{}[],:\"\\/*0-e"[random.below(13)];
    const auto result = parseJson("t", bad);
    if (!result.ok()) {
      EXPECT_GT(result.error().where.line, 0);
    }
  }
}

TEST(Json, LocatesPaths) {
  const JsonDocument d = parsed("{\"a\" : [\n 1, {\"b\" : 2}]}");
  EXPECT_EQ(locateJsonPath(d.root, "a"), std::pair(1, 2));
  EXPECT_EQ(locateJsonPath(d.root, "a[0]"), std::pair(2, 2));
  EXPECT_EQ(locateJsonPath(d.root, "a[1].b"), std::pair(2, 6));
  EXPECT_EQ(locateJsonPath(d.root, "a[1].none"), std::pair(2, 5)) << "as far as it goes";
  EXPECT_EQ(locateJsonPath(d.root, "a[7].b"), std::pair(1, 2));
}

TEST(Json, QuotesText) { EXPECT_EQ(quoteJson("a\"\\\n\x01"), "\"a\\\"\\\\\\n\\u0001\""); }

TEST(ReadTextFile, SaysWhyNot) {
  EXPECT_THAT(readTextFile("/no/such/file").error().text(), HasSubstr("no such file"));
  EXPECT_THAT(readTextFile("/").error().text(), HasSubstr("folder"));
}

}  // namespace
}  // namespace rqscope
