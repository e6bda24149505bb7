// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "rqscope/scenario_edit.h"

#include <gtest/gtest.h>

#include "rqscope/explain_value.h"

namespace rqscope::api {
namespace {

constexpr const char* kHalf = R"({ "do" : "frequency", "cpus" : [0], "value" : 512 })";

std::int64_t frequencyAt(const std::string& text, std::int64_t timeNs) {
  auto opened = Simulation::openText("edited.json", text, {});
  EXPECT_NE(opened.simulation, nullptr);
  if (!opened.simulation) return -1;
  opened.simulation->seekTime(timeNs);
  for (const ShownValue& value : opened.simulation->values(0))
    if (value.ref == ValueRef{"freq_capacity", 0, -1, -1}) return value.value;
  return -1;
}

TEST(ScenarioEdit, AddsAnOperationAndKeepsTheRestAsItWasWritten) {
  const auto simulation = Simulation::open("nice-levels", {}).simulation;
  const std::string text = simulation->scenarioText();
  const EditedScenario edited = withOperations("nice-levels.json", text, 1'234'567, {kHalf});
  ASSERT_TRUE(edited.problems.empty());
  EXPECT_GT(edited.text.size(), text.size());
  EXPECT_NE(edited.text.find("\"at\" : \"1234567ns\", \"do\" : \"frequency\""), std::string::npos);
  EXPECT_NE(edited.text.find(text.substr(0, 60)), std::string::npos) << "the comment at the top stays";
  EXPECT_TRUE(checkScenarioText("nice-levels.json", edited.text).empty());
  EXPECT_EQ(frequencyAt(edited.text, 1'000'000), 1024);
  EXPECT_EQ(frequencyAt(edited.text, 2'000'000), 512);
}

TEST(ScenarioEdit, MakesAScriptWhereThereIsNone) {
  const auto simulation = Simulation::open("lag-and-deadline", {}).simulation;
  const EditedScenario once = withOperations("x.json", simulation->scenarioText(), 5'000'000, {kHalf});
  ASSERT_TRUE(once.problems.empty());
  EXPECT_EQ(frequencyAt(once.text, 6'000'000), 512);
  // And a second one after it.
  const EditedScenario twice =
      withOperations("x.json", once.text, 8'000'000,
                     {R"({"do": "frequency", "cpus": [0], "value": 256})", R"({"do": "mark"})"});
  ASSERT_TRUE(twice.problems.empty());
  EXPECT_EQ(frequencyAt(twice.text, 7'000'000), 512);
  EXPECT_EQ(frequencyAt(twice.text, 9'000'000), 256);
}

TEST(ScenarioEdit, RefusesWhatTheScenarioDoesNotHave) {
  const auto simulation = Simulation::open("lag-and-deadline", {}).simulation;
  const std::string text = simulation->scenarioText();
  for (const char* wrong : {R"({"do": "frequency", "cpus": [7], "value": 512})", R"({"do": "frequncy"})",
                            R"({"do": "frequency", "cpus": [0], "value": 5000})"}) {
    const EditedScenario edited = withOperations("x.json", text, 0, {wrong});
    EXPECT_FALSE(edited.problems.empty()) << wrong;
    EXPECT_EQ(edited.text, text) << wrong;
  }
}

// Only operations of the script leave the time before them as it was.
TEST(ScenarioEdit, RunsPartWhereTheirScriptsDo) {
  const std::string text = Simulation::open("nice-levels", {}).simulation->scenarioText();
  const auto with = [&](const std::string& base, std::int64_t atNs) {
    return withOperations("x.json", base, atNs, {kHalf}).text;
  };
  EXPECT_EQ(branchPointNs("x.json", text, text, {}), -1) << "no difference";
  EXPECT_EQ(branchPointNs("x.json", text, text + "\n// a comment\n", {}), -1);
  EXPECT_EQ(branchPointNs("x.json", text, with(text, 7'000'000), {}), 7'000'000);
  EXPECT_EQ(branchPointNs("x.json", with(text, 7'000'000), text, {}), 7'000'000) << "taken away";
  EXPECT_EQ(branchPointNs("x.json", with(text, 7'000'000), with(text, 9'000'000), {}), 7'000'000) << "moved";
  EXPECT_EQ(branchPointNs("x.json", with(text, 7'000'000), with(with(text, 7'000'000), 8'000'000), {}),
            8'000'000);
  std::string other = text;
  const std::size_t priority = other.find("\"priority\"");  // of a task; "nice" is an operation of the script
  ASSERT_NE(priority, std::string::npos);
  const std::size_t digit = other.find_first_of("0123456789", priority);
  other[digit] = other[digit] == '1' ? '2' : '1';
  EXPECT_EQ(branchPointNs("x.json", text, other, {}), 0) << "another workload";
  EXPECT_EQ(branchPointNs("x.json", text, "{ nonsense", {}), -1);
}

}  // namespace
}  // namespace rqscope::api
