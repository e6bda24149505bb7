// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include "workload/generator_parts.h"

// Clients and servers, parallel builds and memory streams. Both directions of a local socket are pipes: the
// message is there when the sender's call ends, as loopback does the receiver's protocol work in a softirq on
// the sender's CPU, and the wakeup is synchronous, as sock_def_readable() makes it.

namespace rqscope::generator {
namespace {

constexpr std::int32_t kSocketPages = 16;

/// One direction of a socket; its lines come from the CPU that used it before.
std::int32_t addSocket(Workload& w, const Values& v, std::string name, std::int32_t perPage) {
  const std::int32_t socket = addPipe(w, std::move(name), kSocketPages, perPage);
  w.pipes[static_cast<std::size_t>(socket)].lines = static_cast<std::int32_t>(v.at("lines"));
  w.pipes[static_cast<std::size_t>(socket)].softirqNs = static_cast<std::uint64_t>(v.at("softirq"));
  return socket;
}

/// netperf UDP_RR: each client sends one message and waits for the answer of its own server.
Workload makeUdpRr(const Values& v) {
  Workload w;
  const std::int64_t jitter = v.at("jitter");
  const ProgramEvent send = work(v.at("send"), jitter), leave = work(v.at("leave"), jitter),
                     receive = work(v.at("receive"), jitter);
  for (std::int64_t i = 0; i < v.at("pairs"); ++i) {
    const std::int32_t there = addSocket(w, v, fmt::format("request-{}", i), 1);
    const std::int32_t back = addSocket(w, v, fmt::format("reply-{}", i), 1);
    w.threads.push_back(thread(fmt::format("netperf-{}", i), 1,
                               {phase(v.at("loops"), {send, event(Kind::PipeWrite, 0, there), leave,
                                                      event(Kind::PipeRead, 0, back), receive})}));
    w.threads.push_back(thread(fmt::format("netserver-{}", i), 1,
                               {phase(v.at("loops"), {event(Kind::PipeRead, 0, there), receive, send,
                                                      event(Kind::PipeWrite, 0, back), leave})}));
  }
  return w;
}

/// netperf TCP_STREAM: each client sends without a pause; it waits when the socket's buffers are full.
// Simplified: a buffer of fixed size; a writer wakes as soon as there is room, TCP waits for a third of it.
// Acknowledgements cost no time of their own: they are part of what sending and receiving cost.
Workload makeTcpStream(const Values& v) {
  Workload w;
  const std::int64_t jitter = v.at("jitter");
  const auto perPage = static_cast<std::int32_t>(v.at("buffered") / kSocketPages);
  for (std::int64_t i = 0; i < v.at("pairs"); ++i) {
    const std::int32_t data = addSocket(w, v, fmt::format("data-{}", i), perPage);
    w.threads.push_back(
        thread(fmt::format("netperf-{}", i), 1,
               {phase(v.at("loops"), {work(v.at("send"), jitter), event(Kind::PipeWrite, 0, data)})}));
    w.threads.push_back(
        thread(fmt::format("netserver-{}", i), 1,
               {phase(v.at("loops"), {event(Kind::PipeRead, 0, data), work(v.at("receive"), jitter)})}));
  }
  return w;
}

/// One query of a session: the client asks and waits, the backend works and answers.
void addQuery(std::vector<ProgramEvent>& client, std::vector<ProgramEvent>& server, const Values& v,
              std::int32_t there, std::int32_t back, std::int64_t workNs) {
  const std::int64_t jitter = v.at("jitter");
  client.push_back(work(v.at("client"), jitter));
  client.push_back(event(Kind::PipeWrite, 0, there));
  client.push_back(event(Kind::PipeRead, 0, back));
  server.push_back(event(Kind::PipeRead, 0, there));
  server.push_back(work(workNs, jitter));
}

/// sysbench OLTP against a database with one server process for each client: queries, then a commit under a
/// lock that a few sessions share.
Workload makeOltp(const Values& v) {
  Workload w;
  const std::int64_t jitter = v.at("jitter"), locks = v.at("locks");
  for (std::int64_t l = 0; l < locks; ++l) w.mutexes.push_back(fmt::format("wal-{}", l));
  for (std::int64_t i = 0; i < v.at("clients"); ++i) {
    const std::int32_t there = addSocket(w, v, fmt::format("query-{}", i), 1);
    const std::int32_t back = addSocket(w, v, fmt::format("answer-{}", i), 1);
    std::vector<ProgramEvent> client, server;
    if (v.at("think") != 0) client.push_back(event(Kind::Sleep, v.at("think")));
    for (std::int64_t q = 0; q < v.at("queries"); ++q) {
      addQuery(client, server, v, there, back, v.at("query"));
      server.push_back(event(Kind::PipeWrite, 0, back));
    }
    if (v.at("commit") != 0) {
      addQuery(client, server, v, there, back, v.at("query"));
      if (locks != 0) server.push_back(event(Kind::Lock, 0, static_cast<std::int32_t>(i % locks)));
      server.push_back(work(v.at("commit"), jitter));
      if (locks != 0) server.push_back(event(Kind::Unlock, 0, static_cast<std::int32_t>(i % locks)));
      server.push_back(event(Kind::PipeWrite, 0, back));
    }
    w.threads.push_back(thread(fmt::format("sysbench-{}", i), 1, {phase(v.at("loops"), client)}));
    w.threads.push_back(thread(fmt::format("backend-{}", i), 1, {phase(v.at("loops"), server)}));
  }
  return w;
}

/// make -jN: one process that forks a job whenever a token is free; a job runs, reads and writes files.
Workload makeMake(const Values& v) {
  Workload w;
  const std::int32_t tokens = addSemaphore(w, "tokens", v.at("jobs"));
  w.threads.push_back(
      thread("make", 1,
             {phase(v.at("units"), {event(Kind::SemWait, 0, tokens), work(v.at("fork_cost"), v.at("jitter")),
                                    event(Kind::Fork, 0, 1)})}));
  std::vector<ProgramEvent> life{event(Kind::Exec)};
  const std::int64_t waits = v.at("waits");
  for (std::int64_t i = 0; i <= waits; ++i) {
    life.push_back(work(v.at("run") / (waits + 1), v.at("jitter")));
    if (i < waits) life.push_back(event(Kind::Sleep, v.at("wait")));
  }
  life.push_back(event(Kind::SemPost, 0, tokens));
  w.threads.push_back(thread("cc", 0, {phase(1, std::move(life))}));
  return w;
}

/// STREAM with OpenMP: threads bound to CPUs 0, 1, ... that meet at a barrier after each of four kernels.
Workload makeStream(const Values& v) {
  Workload w;
  const std::int64_t threads = v.at("threads");
  w.barriers.push_back({"kernel-end", static_cast<std::int32_t>(threads)});
  for (std::int64_t i = 0; i < threads; ++i) {
    std::vector<ProgramEvent> kernels;
    for (const char* kernel : {"copy", "scale", "add", "triad"}) {
      kernels.push_back(work(v.at(kernel), v.at("jitter")));
      kernels.push_back(event(Kind::Barrier, 0, 0));
    }
    ThreadProgram t = thread(fmt::format("stream-{}", i), 1, {phase(v.at("loops"), std::move(kernels))});
    const CpuId cpu{static_cast<std::int32_t>(i * v.at("stride"))};
    if (v.at("pinned") != 0) t.settings.cpus = CpuMask::of(cpu);
    w.threads.push_back(std::move(t));
  }
  return w;
}

GeneratorParameter loops() { return {"loops", false, -1, -1, kLongest, "rounds of each; -1: endless"}; }
GeneratorParameter jitterPercent(std::int64_t value) {
  return {"jitter", false, value, 0, 100, "costs vary by up to this many percent, seeded"};
}
GeneratorParameter lines(std::int64_t value) {
  return {
      "lines", false,
      value,   0,
      1000,    "cache lines that a call takes from the CPU that used the socket before, at the costs line_*"};
}
GeneratorParameter softirq(std::int64_t value) {
  return {"softirq",
          true,
          value,
          0,
          kLongest,
          "part of a send that is done in the softirq, as is the wakeup: not the task's time; 0s: all is"};
}
GeneratorParameter cost(std::string_view name, std::int64_t value, std::string_view about) {
  return {name, true, value, 1, kLongest, about};
}

}  // namespace

std::vector<Row> serverRows() {
  return {
      {{"netperf_udp_rr",
        "netperf UDP_RR over loopback: clients that wait for the answer to each message",
        {{"pairs", false, 1, 1, kMostTasks, "clients, each with a server"},
         loops(),
         cost("send", 1400, "CPU work of a sendto() up to the wakeup in the receiver's softirq"),
         cost("leave", 500, "CPU work from there to the wait in recvfrom()"),
         cost("receive", 600, "CPU work of a recvfrom() after its wait"),
         jitterPercent(10),
         lines(6),
         softirq(560),
         kNice}},
       &makeUdpRr},
      {{"netperf_tcp_stream",
        "netperf TCP_STREAM over loopback: clients that send as much as their servers take",
        {{"pairs", false, 1, 1, kMostTasks, "clients, each with a server"},
         loops(),
         cost("send", 4500, "CPU work for 16 kB sent: copy, and the receiver's protocol work in the softirq"),
         cost("receive", 3500, "CPU work for 16 kB received, copy and acknowledgement included"),
         {"buffered", false, 32, kSocketPages, 1024, "messages of 16 kB that the socket's buffers hold"},
         jitterPercent(20),
         lines(6),
         softirq(1500),
         kNice}},
       &makeTcpStream},
      {{"sysbench_oltp",
        "sysbench OLTP: clients that ask a server process each, query by query, and commit",
        {{"clients", false, 8, 1, kMostTasks, "client threads, each with a server process"},
         loops(),
         {"think", true, 0, 0, kLongest, "sleep of a client before a transaction"},
         {"queries", false, 18, 1, 1000, "queries of a transaction"},
         cost("query", 40 * kUs, "CPU work of the server for a query"),
         cost("client", 10 * kUs, "CPU work of the client for a query"),
         {"commit", true, 20 * kUs, 0, kLongest,
          "CPU work of the server for the commit, under the lock; 0s: none"},
         {"locks", false, 8, 0, 1000, "locks that the sessions share for commits; 0: no lock"},
         jitterPercent(30),
         lines(6),
         softirq(560),
         kNice}},
       &makeOltp},
      {{"make",
        "make -jN: a process that forks a compiler whenever a job ends",
        {{"jobs", false, 8, 1, kMostTasks, "jobs at a time"},
         {"units", false, 200, -1, kLongest, "files; -1: endless"},
         cost("run", 200 * kMs, "CPU work for a file"),
         {"waits", false, 4, 0, 1000, "waits for files in between"},
         {"wait", true, 300 * kUs, 1, kLongest, "length of such a wait"},
         cost("fork_cost", 300 * kUs, "CPU work of make for a job"),
         jitterPercent(60),
         kNice}},
       &makeMake},
      {{"stream",
        "STREAM: bound threads that meet at a barrier after each kernel",
        {{"threads", false, 4, 1, 8192, "threads"},
         {"stride", false, 1, 1, 8192, "thread i is bound to CPU i times this"},
         {"pinned", false, 1, 0, 1, "0: threads are not bound"},
         loops(),
         cost("copy", 2 * kMs, "CPU work of the kernel copy"),
         cost("scale", 2 * kMs, "CPU work of the kernel scale"),
         cost("add", 3 * kMs, "CPU work of the kernel add"),
         cost("triad", 3 * kMs, "CPU work of the kernel triad"),
         jitterPercent(2),
         kNice}},
       &makeStream},
  };
}

}  // namespace rqscope::generator
