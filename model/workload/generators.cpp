// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/generators.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/name_list.h"
#include "workload/generator_parts.h"

namespace rqscope {

namespace {

using namespace generator;

/// CPU-bound tasks: each runs `work`, or for ever when it is 0.
Workload makeHogs(const Values& v) {
  Workload w;
  const bool endless = v.at("work") == 0;
  w.threads.push_back(thread("hog", v.at("count"),
                             {phase(endless ? -1 : 1, {event(Kind::Run, endless ? kS : v.at("work"))})}));
  return w;
}

/// Tasks that run and sleep in turn; start offsets are spread over one period.
Workload makePeriodic(const Values& v) {
  Workload w;
  const std::int64_t period = v.at("run") + v.at("sleep");
  const std::int64_t count = v.at("count");
  for (std::int64_t i = 0; i < count; ++i) {
    ThreadProgram t = thread(count == 1 ? "periodic" : fmt::format("periodic-{}", i), 1, {});
    t.delayNs = v.at("spread") != 0 ? static_cast<std::uint64_t>(period / count * i) : 0;
    t.phases.push_back(phase(v.at("loops"), {event(Kind::Run, v.at("run"), -1, v.at("jitter")),
                                             event(Kind::Sleep, v.at("sleep"))}));
    w.threads.push_back(std::move(t));
  }
  return w;
}

/// Processes that fork a child, wait for its end and start over, as the spawn test of UnixBench does.
Workload makeSpawn(const Values& v) {
  Workload w;
  for (std::int64_t i = 0; i < v.at("parents"); ++i) {
    const std::int32_t done = addSemaphore(w, fmt::format("done-{}", i), 0);
    const auto child = static_cast<std::int32_t>(w.threads.size() + 1);
    const std::int64_t jitter = v.at("jitter");
    std::vector<ProgramEvent> loop{event(Kind::Run, v.at("fork_cost"), -1, v.at("fork_cost") * jitter / 100),
                                   event(Kind::Fork, 0, child)};
    if (v.at("wait_cost") != 0) loop.push_back(event(Kind::Run, v.at("wait_cost")));
    loop.push_back(event(Kind::SemWait, 0, done));
    w.threads.push_back(thread(fmt::format("spawn-{}", i), 1, {phase(v.at("loops"), std::move(loop))}));
    // do_exit(): the child leaves its group, tells the parent a little later and is gone.
    std::vector<ProgramEvent> life{event(Kind::Run, v.at("child"), -1, v.at("child") * jitter / 100),
                                   event(Kind::ExitMove)};
    if (v.at("exit_tail") != 0) life.push_back(event(Kind::Run, v.at("exit_tail")));
    life.push_back(event(Kind::SemPost, 0, done));
    w.threads.push_back(thread(fmt::format("child-{}", i), 0, {phase(1, std::move(life))}));
  }
  return w;
}

/// Pairs that send one message to and fro over two pipes.
Workload makePipe(const Values& v) {
  Workload w;
  for (std::int64_t i = 0; i < v.at("pairs"); ++i) {
    const std::int32_t there = addSemaphore(w, fmt::format("there-{}", i), 0);
    const std::int32_t back = addSemaphore(w, fmt::format("back-{}", i), 0);
    const ProgramEvent work = event(Kind::Run, v.at("work"));
    w.threads.push_back(thread(
        fmt::format("ping-{}", i), 1,
        {phase(v.at("loops"), {work, event(Kind::SemPost, 0, there), event(Kind::SemWait, 0, back)})}));
    w.threads.push_back(thread(
        fmt::format("pong-{}", i), 1,
        {phase(v.at("loops"), {event(Kind::SemWait, 0, there), work, event(Kind::SemPost, 0, back)})}));
  }
  return w;
}

std::int32_t addPipe(Workload& w, std::string name, const Values& v) {
  constexpr std::int64_t kPageBytes = 4096;
  ProgramPipe pipe;
  pipe.name = std::move(name);
  pipe.pages = static_cast<std::int32_t>(v.at("pages"));
  pipe.messagesPerPage = static_cast<std::int32_t>(kPageBytes / v.at("size"));
  pipe.lines = static_cast<std::int32_t>(v.at("lines"));
  pipe.wakesWriterStillFull = v.at("wake_still_full") != 0;
  pipe.lockedNs = static_cast<std::uint64_t>(v.at("locked"));
  pipe.isFileShared = v.at("threads") != 0;
  w.pipes.push_back(std::move(pipe));
  return static_cast<std::int32_t>(w.pipes.size() - 1);
}

/// Groups of senders that each write to every receiver of the group, as hackbench -p does: one pipe for each
/// receiver, all start at once when the last is there. Threads and processes switch alike here.
Workload makeHackbench(const Values& v) {
  Workload w;
  const std::int64_t fds = v.at("fds"), groups = v.at("groups"), jitter = v.at("jitter");
  w.barriers.push_back({"start", static_cast<std::int32_t>(2 * fds * groups)});
  const ProgramPhase start = phase(1, {event(Kind::Barrier, 0, 0)});
  const auto outside = [&](const char* name) {  // of the mutex
    const std::int64_t ns = std::max<std::int64_t>(v.at(name) - v.at("locked"), 1);
    return event(Kind::Run, ns, -1, ns * jitter / 100);
  };
  const ProgramEvent write = outside("write"), read = outside("read");
  for (std::int64_t g = 0; g < groups; ++g) {
    std::vector<ProgramEvent> send;
    for (std::int64_t r = 0; r < fds; ++r) {
      const std::int32_t pipe = addPipe(w, fmt::format("pipe-{}-{}", g, r), v);
      send.insert(send.end(), {write, event(Kind::PipeWrite, 0, pipe)});
      w.threads.push_back(
          thread(fmt::format("receiver-{}-{}", g, r), 1,
                 {start, phase(v.at("loops") * fds, {event(Kind::PipeRead, 0, pipe), read})}));
    }
    for (std::int64_t s = 0; s < fds; ++s)
      w.threads.push_back(thread(fmt::format("sender-{}-{}", g, s), 1, {start, phase(v.at("loops"), send)}));
  }
  return w;
}

/// Message threads that wake their workers again and again, as schbench did before its version 1: a worker
/// thinks, tells its message thread and waits; that one answers all who wait after its latency. Thinking is a
/// loop that looks at the clock, so that it takes as long on a slow CPU.
Workload makeSchbench(const Values& v) {
  Workload w;
  const std::int64_t jitter = v.at("jitter");
  for (std::int64_t i = 0; i < v.at("message_threads"); ++i) {
    const std::int32_t told = addSemaphore(w, fmt::format("told-{}", i), 0);
    const auto waiting = static_cast<std::int32_t>(w.suspendPoints.size());
    w.suspendPoints.push_back(fmt::format("waiting-{}", i));
    w.threads.push_back(
        thread(fmt::format("message-{}", i), 1,
               {phase(-1, {event(Kind::SemWait, 0, told), event(Kind::Sleep, v.at("latency")),
                           event(Kind::Run, v.at("message_cost")), event(Kind::Resume, 0, waiting)})}));
    ThreadProgram worker =
        thread(fmt::format("worker-{}", i), v.at("workers"),
               {phase(v.at("loops"), {event(Kind::Runtime, v.at("think"), -1, v.at("think") * jitter / 100),
                                      event(Kind::SemPost, 0, told), event(Kind::Suspend, 0, waiting)})});
    worker.isLatencyMeasured = true;
    w.threads.push_back(std::move(worker));
  }
  return w;
}

/// A parallel build: jobs that run for a varying time with short waits, one after the other.
Workload makeCompile(const Values& v) {
  Workload w;
  w.threads.push_back(
      thread("job", v.at("jobs"),
             {phase(v.at("units"), {event(Kind::Exec), event(Kind::Run, v.at("run"), -1, v.at("run") / 2),
                                    event(Kind::Sleep, v.at("wait"))})}));
  return w;
}

constexpr GeneratorParameter count(std::int64_t value) {
  return {"count", false, value, 1, kMostTasks, "number of tasks"};
}

const std::vector<Row>& ownRows() {
  static const std::vector<Row> table = {
      {{"hogs",
        "CPU-bound tasks",
        {count(8),
         {"work", true, 0, 0, kLongest, "CPU work of each at throughput 1024; 0s: endless"},
         kNice}},
       &makeHogs},
      {{"periodic",
        "tasks that run and sleep in turn",
        {count(16),
         {"run", true, 2 * kMs, 0, kLongest, "CPU work of one turn"},
         {"sleep", true, 6 * kMs, 1, kLongest, "sleep of one turn"},
         {"jitter", true, 0, 0, kLongest, "run varies by up to this, seeded"},
         {"loops", false, -1, -1, kLongest, "turns; -1: endless"},
         {"spread", false, 1, 0, 1, "1: starts spread over one period, 0: all at once"},
         kNice}},
       &makePeriodic},
      {{"spawn",
        "fork, exit and wait in a loop, as UnixBench spawn",
        {{"parents", false, 1, 1, kMostTasks, "processes that fork"},
         {"loops", false, 1000, -1, kLongest, "children of each; -1: endless"},
         {"child", true, 79 * kUs, 0, kLongest, "CPU work of a child until it leaves its group in exit"},
         {"exit_tail", true, 5 * kUs, 0, kLongest, "CPU work of a child after that, up to its end"},
         {"fork_cost", true, 75 * kUs, 1, kLongest,
          "CPU work of the parent from a child's end to the next fork"},
         {"wait_cost", true, 16 * kUs, 0, kLongest, "CPU work of the parent from the fork to its wait"},
         {"jitter", false, 0, 0, 100, "fork_cost and child vary by up to this many percent, seeded"},
         kNice}},
       &makeSpawn},
      {{"pipe",
        "pairs that send a message to and fro",
        {{"pairs", false, 1, 1, kMostTasks, "number of pairs"},
         {"loops", false, 10000, -1, kLongest, "round trips; -1: endless"},
         {"work", true, 5 * kUs, 1, kLongest, "CPU work for one message"},
         kNice}},
       &makePipe},
      {{"hackbench",
        "groups of senders and receivers over pipes",
        {{"groups", false, 1, 1, 100, "number of groups"},
         {"fds", false, 20, 1, 50, "senders, and receivers, of a group"},
         {"loops", false, 100, 1, 10'000'000, "messages from each sender to each receiver"},
         {"size", false, 100, 1, 4096, "bytes of a message"},
         {"pages", false, kMostPipePages, 1, kMostPipePages, "pages of a pipe"},
         {"write", true, 300, 1, kLongest, "CPU work of writing a message (measured: 0.29 us on a Zen 4)"},
         {"read", true, 300, 1, kLongest, "CPU work of reading a message (the same)"},
         {"jitter", false, 10, 0, 100, "write and read vary by up to this many percent, seeded"},
         {"lines", false, 6, 0, 1000,
          "cache lines that an operation takes from the CPU that used the pipe before, at the costs line_*"},
         {"locked", true, 0, 0, kLongest,
          "part of a write or read under the pipe's mutex, for which others wait; 0s: nobody waits"},
         {"threads", false, 0, 0, 1,
          "1: all are threads of one process, so that a write counts the file in use and again unused, in a "
          "line that all senders to a receiver share, at the costs line_*"},
         {"wake_still_full", false, 1, 0, 1,
          "1: a reader of a full pipe wakes a writer though no page became free (before v6.14)"},
         kNice}},
       &makeHackbench},
      {{"schbench",
        "message threads that wake workers; the wakeups' latency is measured",
        {{"message_threads", false, 2, 1, 1000, "message threads"},
         {"workers", false, 16, 1, 1000, "workers of each message thread"},
         {"loops", false, -1, -1, kLongest, "thoughts of each worker; -1: endless"},
         {"think", true, 30 * kMs, 1, kLongest, "a worker spins so long between two waits, by the clock"},
         {"latency", true, 30 * kMs, 10 * kUs, kLongest, "sleep of a message thread before it answers"},
         {"message_cost", true, 2 * kUs, 1, kLongest, "CPU work of a message thread before it answers"},
         {"jitter", false, 10, 0, 100, "think varies by up to this many percent, seeded"},
         kNice}},
       &makeSchbench},
      {{"compile",
        "a parallel build: jobs of varying length with short waits",
        {{"jobs", false, 8, 1, kMostTasks, "jobs at a time (make -j)"},
         {"units", false, 20, -1, kLongest, "files for each job; -1: endless"},
         {"run", true, 80 * kMs, 1, kLongest, "mean CPU work for a file, varied by half, seeded"},
         {"wait", true, 2 * kMs, 0, kLongest, "wait between two files"},
         kNice}},
       &makeCompile},
  };
  return table;
}

const std::vector<Row>& rows() {
  static const std::vector<Row> table = [] {
    std::vector<Row> all = ownRows();
    for (Row& row : serverRows()) all.push_back(std::move(row));
    return all;
  }();
  return table;
}

const Row* findRow(std::string_view name) {
  for (const Row& row : rows())
    if (row.generator.name == name) return &row;
  return nullptr;
}

}  // namespace

const std::vector<Generator>& generators() {
  static const std::vector<Generator> list = [] {
    std::vector<Generator> out;
    for (const Row& row : rows()) out.push_back(row.generator);
    return out;
  }();
  return list;
}

std::optional<Workload> generateWorkload(const JsonValue& object, JsonLint& lint) {
  const JsonMember* named = object.find("generator");
  if (named == nullptr || !named->value.is(JsonValue::Kind::String)) {
    lint.error(object, "\"generator\" names no generator", R"(write "generator" : "hogs")");
    return std::nullopt;
  }
  const Row* row = findRow(named->value.string);
  if (row == nullptr) {
    std::vector<std::string_view> names;
    for (const Generator& g : generators()) names.push_back(g.name);
    lint.error(named->value, fmt::format("there is no generator \"{}\"", named->value.string),
               quotedNameHint(named->value.string, names, "the generators are"));
    return std::nullopt;
  }
  ObjectReader reader(object, fmt::format("the generator \"{}\"", row->generator.name), lint);
  reader.text("generator");
  Values values;
  for (const GeneratorParameter& p : row->generator.parameters) {
    const auto given = p.isDuration ? reader.duration(p.name) : reader.integer(p.name, p.min, p.max);
    values[p.name] = given.value_or(p.value);
    if (p.isDuration && given && (*given < p.min || *given > p.max))
      lint.error(object.find(p.name)->value, fmt::format("\"{}\" is out of range", p.name),
                 fmt::format("it lies between {} and {}", durationText(p.min), durationText(p.max)));
  }
  reader.finish(ObjectReader::Unknown::Error);
  if (lint.failed()) return std::nullopt;
  Workload workload = row->make(values);
  workload.file = lint.file();
  for (ThreadProgram& t : workload.threads) {
    t.where = {"", object.line, object.column};
    if (values.at("nice") != 0) t.settings.nice = static_cast<int>(values.at("nice"));
    for (ProgramPhase& p : t.phases)
      for (ProgramEvent& e : p.events) e.where = {"", object.line, object.column};
  }
  return workload;
}

}  // namespace rqscope
