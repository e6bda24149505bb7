// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/generators.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "workload/rt_app.h"

namespace rqscope {
namespace {

using ::testing::HasSubstr;

std::optional<Workload> make(const std::string& text, JsonLint& lint) {
  const auto document = parseJson("g", text);
  EXPECT_TRUE(document.ok());
  return generateWorkload(document.value().root, lint);
}

TEST(Generators, AllMakeASoundWorkloadByDefault) {
  for (const Generator& g : generators()) {
    JsonLint lint("g");
    const auto w = make("{\"generator\" : \"" + std::string{g.name} + "\"}", lint);
    ASSERT_TRUE(w) << g.name;
    EXPECT_FALSE(w->threads.empty()) << g.name;
    lintWorkload(*w, lint);
    EXPECT_TRUE(lint.take().empty()) << g.name << " uses every name on both sides and lets time pass";
  }
}

TEST(Generators, SpawnForksItsOwnChild) {
  JsonLint lint("g");
  const auto w = make(R"({"generator" : "spawn", "parents" : 2, "loops" : 5, "child" : "7us"})", lint);
  ASSERT_TRUE(w);
  ASSERT_EQ(w->threads.size(), 4U);
  EXPECT_EQ(w->threads[2].phases[0].loops, 5);
  EXPECT_EQ(w->threads[2].phases[0].events[1].target, 3) << "the second parent forks the second child";
  EXPECT_EQ(w->threads[3].instances, 0);
  EXPECT_EQ(w->threads[3].phases[0].events[0].ns, 7000U);
  EXPECT_EQ(w->threads[3].phases[0].events[1].kind, ProgramEventKind::ExitMove)
      << "before it tells the parent";
}

TEST(Generators, HackbenchSendersReachEveryReceiver) {
  JsonLint lint("g");
  const auto w = make(R"({"generator" : "hackbench", "groups" : 2, "fds" : 3, "loops" : 4})", lint);
  ASSERT_TRUE(w);
  // 2 groups x (3 receivers + 3 senders); each receiver takes loops x senders = 12 messages.
  EXPECT_EQ(w->threads.size(), 12U);
  EXPECT_EQ(w->threads[0].phases[1].loops, 12);
  EXPECT_EQ(w->pipes.size(), 6U);
  EXPECT_EQ(w->pipes[0].messagesPerPage, 40) << "of 100 bytes";
  EXPECT_EQ(w->barriers[0].count, 12) << "all begin together";
}

TEST(Generators, SchbenchMeasuresTheWorkersWakeups) {
  JsonLint lint("g");
  const auto w = make(R"({"generator" : "schbench", "message_threads" : 2, "workers" : 5})", lint);
  ASSERT_TRUE(w);
  ASSERT_EQ(w->threads.size(), 4U);
  EXPECT_FALSE(w->threads[0].isLatencyMeasured);
  EXPECT_TRUE(w->threads[1].isLatencyMeasured);
  EXPECT_EQ(w->threads[3].instances, 5);
  EXPECT_EQ(w->threads[3].phases[0].events.back().target, 1) << "waits at the second message thread's point";
}

TEST(Generators, RefuseUnknownNamesAndParameters) {
  JsonLint name("g"), parameter("g"), range("g");
  EXPECT_FALSE(make(R"({"generator" : "hog"})", name));
  EXPECT_THAT(name.take()[0].text(), HasSubstr("did you mean \"hogs\"?"));
  EXPECT_FALSE(make(R"({"generator" : "hogs", "cuont" : 3})", parameter));
  EXPECT_THAT(parameter.take()[0].text(), HasSubstr("did you mean \"count\"?"));
  EXPECT_FALSE(make(R"({"generator" : "hogs", "count" : 0})", range));
  EXPECT_THAT(range.take()[0].text(), HasSubstr("between 1 and"));
}

}  // namespace
}  // namespace rqscope
