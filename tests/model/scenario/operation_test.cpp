// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "scenario/scenario.h"
#include "scenario/scenario_reader.h"

namespace rqscope {
namespace {

using ::testing::HasSubstr;

Scenario base() {
  auto r = readScenario("s.json", R"({"rqscope-scenario" : 1, "machine" : "vm-4cpu", "groups" : {"/g" : {}},
    "workload" : {"rt-app" : {"tasks" : {"A" : {"run" : 1000}, "B" : {"instance" : 3, "run" : 1000}}}}, "until" : "1s"})",
                        std::string{RQSCOPE_SOURCE_DIR} + "/resources", {});
  EXPECT_TRUE(r.ok()) << (r.ok() ? "" : r.error().text());
  return r.ok() ? std::move(r).value() : Scenario{};
}

TEST(Operation, IsWrittenAsItIsRead) {
  const Scenario s = base();
  for (const char* text : {
           R"({ "at" : "1ms", "do" : "pin", "task" : "A", "cpus" : "0-2" })",
           R"({ "at" : "0ms", "do" : "unpin", "task" : "*" })",
           R"({ "at" : "1500us", "do" : "nice", "task" : "B-2", "nice" : -5 })",
           R"({ "at" : "1s", "do" : "policy", "task" : "A", "policy" : "batch" })",
           R"({ "at" : "1s", "do" : "slice", "task" : "A", "slice" : "3ms" })",
           R"({ "at" : "1s", "do" : "wake", "task" : "A" })",
           R"({ "at" : "1s", "do" : "wake", "task" : "A", "cpu" : 2 })",
           R"({ "at" : "1s", "do" : "fork", "task" : "B", "cpu" : 1 })",
           R"({ "at" : "1s", "do" : "kill", "task" : "A" })",
           R"({ "at" : "1s", "do" : "move_group", "task" : "A", "group" : "/g" })",
           R"({ "at" : "1s", "do" : "move_group", "task" : "A", "group" : "/" })",
           R"({ "at" : "1s", "do" : "online", "cpu" : 3 })",
           R"({ "at" : "1s", "do" : "offline", "cpu" : 3 })",
           R"({ "at" : "1s", "do" : "weight", "group" : "/g", "weight" : 300 })",
           R"({ "at" : "1s", "do" : "quota", "group" : "/g", "quota" : "20ms", "period" : "100ms" })",
           R"({ "at" : "1s", "do" : "quota", "group" : "/g", "quota" : "none", "period" : "100ms" })",
           R"({ "at" : "1s", "do" : "frequency", "cpus" : "0,2", "value" : 512 })",
           R"({ "at" : "1s", "do" : "capacity", "cpus" : "1", "value" : 800 })",
           R"({ "at" : "1s", "do" : "throughput", "cpus" : "1", "value" : 490 })",
           R"({ "at" : "1s", "do" : "mark" })",
       }) {
    const auto op = readOperation(text, 0, s);
    ASSERT_TRUE(op.ok()) << op.error().text();
    EXPECT_EQ(operationJson(op.value()), text);
  }
}

TEST(Operation, TakesTheDefaultTime) {
  const auto op = readOperation(R"({ "do" : "unpin", "task" : "A" })", 7, base());
  ASSERT_TRUE(op.ok());
  EXPECT_EQ(op.value().atNs, 7U);
}

/// The warnings of a scenario of two hogs on four CPUs with this script, one a line.
std::string warningsOf(const std::string& script, const std::string& until = "3s") {
  const std::string text = R"({"rqscope-scenario" : 1, "machine" : "vm-4cpu",
    "workload" : {"generator" : "hogs", "count" : 2}, "until" : ")" +
                           until + R"(", "script" : [)" + script + "]}";
  const auto read = readScenario("s.json", text, std::string{RQSCOPE_SOURCE_DIR} + "/resources", {});
  EXPECT_TRUE(read.ok());
  std::string out;
  for (const Diagnostic& d : read.diagnostics()) out += d.text() + "\n";
  return out;
}

// What the script cannot do is told with its place, and what can be done is not warned of.
TEST(Operation, WarnsOfWhatHasNoEffect) {
  EXPECT_THAT(warningsOf(R"({"at" : "10s", "do" : "unpin", "task" : "*"})"),
              HasSubstr("the run ends at 3s and never comes to 10s"));
  EXPECT_EQ(warningsOf(R"({"at" : "3s", "do" : "unpin", "task" : "*"})"), "");
  std::string all;
  for (int cpu = 0; cpu < 4; ++cpu)
    all += (cpu == 0 ? "" : ", ") +
           ("{\"at\" : \"1s\", \"do\" : \"offline\", \"cpu\" : " + std::to_string(cpu) + "}");
  const std::string last = warningsOf(all);
  EXPECT_THAT(last, HasSubstr("s.json:2:"));
  EXPECT_THAT(last, HasSubstr("CPU 3 is the last one online"));
  EXPECT_EQ(std::count(last.begin(), last.end(), '\n'), 1);
  const std::string down = R"({"at" : "1s", "do" : "offline", "cpu" : 2}, )";
  EXPECT_THAT(warningsOf(down + R"({"at" : "2s", "do" : "offline", "cpu" : 2})"),
              HasSubstr("CPU 2 is offline already"));
  EXPECT_THAT(warningsOf(R"({"at" : "2s", "do" : "online", "cpu" : 2})"),
              HasSubstr("CPU 2 is online already"));
  EXPECT_THAT(warningsOf(down + R"({"at" : "2s", "do" : "pin", "task" : "*", "cpus" : [2]})"),
              HasSubstr("none of CPUs 2 is online then (online are then 0-1,3)"));
  EXPECT_THAT(warningsOf(down + R"({"at" : "2s", "do" : "frequency", "cpus" : "2", "value" : 512})"),
              HasSubstr("none of CPUs 2"));
  // By time, not by place in the file: at 0.5 s the CPU is still there.
  EXPECT_EQ(warningsOf(down + R"({"at" : "500ms", "do" : "pin", "task" : "*", "cpus" : [2]})"), "");
  EXPECT_EQ(warningsOf(down + R"({"at" : "2s", "do" : "online", "cpu" : 2})"), "");
}

TEST(Operation, RefusesWithAHint) {
  const Scenario s = base();
  const std::pair<const char*, const char*> cases[] = {
      {R"({"do" : "unpin"})", "wants \"task\""},
      {R"({"do" : "unpin", "task" : "AA"})", "did you mean \"A\"?"},
      {R"({"do" : "fork", "task" : "B-1"})", "no task \"B-1\""},
      {R"({"do" : "pin", "task" : "A", "cpus" : [9]})", "it has 0-3"},
      {R"({"do" : "offline", "cpu" : 9})", "it has 0-3"},
      {R"({"do" : "nice", "task" : "A", "nice" : 20})", "between -20 and 19"},
      {R"({"do" : "weight", "group" : "/x", "weight" : 3})", "no group \"/x\""},
      {R"({"do" : "nice", "task" : "A", "value" : 2})", "wants \"nice\""},
      {R"({"do" : "policy", "task" : "A", "policy" : "fifo"})", "normal, batch and idle"},
      {R"({"do" : "quota", "group" : "/g", "quota" : "1us"})", "below 1 ms"},
      {R"(5)", "an operation is an object"},
  };
  for (const auto& [text, expected] : cases) {
    const auto op = readOperation(text, 0, s);
    ASSERT_FALSE(op.ok()) << text;
    std::string all;
    for (const Diagnostic& d : op.diagnostics()) all += d.text() + "\n";
    EXPECT_THAT(all, HasSubstr(expected)) << text;
  }
}

}  // namespace
}  // namespace rqscope
