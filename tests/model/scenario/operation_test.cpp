// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
