// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include "workload/generators.h"

namespace rqscope {
namespace {

Workload make(const std::string& text) {
  const auto document = parseJson("test", text);
  EXPECT_TRUE(document.ok());
  JsonLint lint("test");
  auto workload = generateWorkload(document.value().root, lint);
  EXPECT_TRUE(workload) << text;
  return workload ? *workload : Workload{};
}

int countOf(const ThreadProgram& thread, ProgramEventKind kind) {
  int count = 0;
  for (const ProgramPhase& phase : thread.phases)
    for (const ProgramEvent& event : phase.events) count += event.kind == kind ? 1 : 0;
  return count;
}

TEST(ServerGenerators, UdpPairsTalkOverTwoPipesOfTheirOwn) {
  const Workload w =
      make(R"({ "generator" : "netperf_udp_rr", "pairs" : 2, "send" : "2us", "jitter" : 10 })");
  ASSERT_EQ(w.threads.size(), 4U);
  ASSERT_EQ(w.pipes.size(), 4U);
  const std::vector<ProgramEvent>& client = w.threads[2].phases[0].events;
  const std::vector<ProgramEvent>& server = w.threads[3].phases[0].events;
  ASSERT_EQ(client.size(), 5U);
  ASSERT_EQ(server.size(), 5U);
  EXPECT_EQ(client[0].ns, 2000U);
  EXPECT_EQ(client[0].jitterNs, 200U);
  EXPECT_EQ(client[1].kind, ProgramEventKind::PipeWrite);
  EXPECT_EQ(client[1].target, server[0].target) << "what the client writes the server reads";
  EXPECT_EQ(client[2].kind, ProgramEventKind::Run) << "the sender goes on for a while after the wakeup";
  EXPECT_EQ(client[3].kind, ProgramEventKind::PipeRead);
  EXPECT_EQ(server[3].target, client[3].target) << "and the other way round";
  EXPECT_EQ(w.pipes[0].lines, 6);
}

TEST(ServerGenerators, TcpStreamOnlyFlowsOneWay) {
  const Workload w = make(R"({ "generator" : "netperf_tcp_stream", "pairs" : 1, "buffered" : 64 })");
  ASSERT_EQ(w.pipes.size(), 1U);
  EXPECT_EQ(w.pipes[0].pages * w.pipes[0].messagesPerPage, 64);
  EXPECT_EQ(countOf(w.threads[0], ProgramEventKind::PipeRead), 0);
  EXPECT_EQ(countOf(w.threads[1], ProgramEventKind::PipeWrite), 0);
}

TEST(ServerGenerators, OltpAnswersEveryQueryAndCommitsUnderALock) {
  const Workload w = make(R"({ "generator" : "sysbench_oltp", "clients" : 3, "queries" : 5, "locks" : 2 })");
  ASSERT_EQ(w.threads.size(), 6U);
  EXPECT_EQ(countOf(w.threads[4], ProgramEventKind::PipeWrite), 6) << "five queries and the commit";
  EXPECT_EQ(countOf(w.threads[5], ProgramEventKind::PipeRead), 6);
  EXPECT_EQ(countOf(w.threads[5], ProgramEventKind::PipeWrite), 6);
  EXPECT_EQ(countOf(w.threads[5], ProgramEventKind::Lock), 1);
  EXPECT_EQ(countOf(w.threads[5], ProgramEventKind::Unlock), 1);
  EXPECT_EQ(w.mutexes.size(), 2U);
}

TEST(ServerGenerators, MakeForksAJobForEachToken) {
  const Workload w =
      make(R"({ "generator" : "make", "jobs" : 3, "units" : 10, "waits" : 2, "run" : "30ms" })");
  ASSERT_EQ(w.threads.size(), 2U);
  EXPECT_EQ(w.semaphores.at(0).initial, 3);
  EXPECT_EQ(w.threads[1].instances, 0) << "only forked";
  EXPECT_EQ(countOf(w.threads[1], ProgramEventKind::Run), 3);
  EXPECT_EQ(w.threads[1].phases[0].events[1].ns, 10'000'000U);
}

TEST(ServerGenerators, StreamThreadsAreBoundAndMeet) {
  const Workload w = make(R"({ "generator" : "stream", "threads" : 3, "stride" : 2 })");
  ASSERT_EQ(w.threads.size(), 3U);
  EXPECT_EQ(w.barriers.at(0).count, 3);
  EXPECT_EQ(w.threads[2].settings.cpus->list(), "4");
  EXPECT_EQ(countOf(w.threads[2], ProgramEventKind::Barrier), 4);
}

}  // namespace
}  // namespace rqscope
