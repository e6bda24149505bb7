// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <filesystem>
#include <iostream>
#include <stop_token>

#include "formats/trace.h"
#include "formats/trace_line.h"
#include "topology/file_tree.h"
#include "trace_files.h"

namespace rqscope {
namespace {

using test::TemporaryFile;

Trace read(const std::string& text) {
  const TemporaryFile file("trace.txt", text);
  auto trace = readTrace(file.path());
  EXPECT_TRUE(trace.ok()) << (trace.ok() ? "" : trace.error().text());
  return trace.ok() ? std::move(trace).value() : Trace{};
}

/// The same three events: a blocks and b, woken before, runs; then b goes to CPU 2.
std::string eventsOf(const Trace& trace) {
  std::string out;
  for (const TraceEvent& e : trace.events)
    out += std::to_string(e.ns) + ":" + std::to_string(e.cpu) + ":" +
           std::to_string(static_cast<int>(e.kind)) + ":" + std::to_string(e.pid) + ":" +
           std::to_string(e.otherPid) + ":" + std::to_string(e.targetCpu) + ":" +
           (e.staysRunnable ? "R" : "-") + " ";
  return out;
}

const char* const kKeyed =
    "  a b-10    [001]    5.000001: sched_wakeup:         comm=x=y: 3 pid=11 prio=120 target_cpu=001\n"
    "  a b-10    [001]    5.000002: sched_switch:         prev_comm=a b prev_pid=10 prev_prio=120 "
    "prev_state=S ==> "
    "next_comm=x=y: 3 next_pid=11 next_prio=120\n"
    "  x=y: 3-11 [001]    5.000003: sched_migrate_task:   comm=x=y: 3 pid=11 prio=120 orig_cpu=1 "
    "dest_cpu=2\n";

TEST(TraceText, GivesTheSameEventsForEveryDialect) {
  const Trace keyed = read(kKeyed);
  EXPECT_EQ(keyed.dialect, TraceDialect::TraceCmdReport);
  ASSERT_EQ(keyed.events.size(), 3U);
  EXPECT_EQ(keyed.names.at(10), "a b");
  EXPECT_EQ(keyed.names.at(11), "x=y: 3");
  EXPECT_EQ(keyed.cpus, 3);
  EXPECT_EQ(keyed.notUnderstood, 0U);

  const Trace plugin = read(
      "  a b-10    [001]    5.000001: sched_wakeup:         x=y: 3:11 [120] CPU:001\n"
      "  a b-10    [001]    5.000002: sched_switch:         a b:10 [120] S ==> x=y: 3:11 [120]\n"
      "  x=y: 3-11 [001]    5.000003: sched_migrate_task:   comm=x=y: 3 pid=11 prio=120 orig_cpu=1 "
      "dest_cpu=2\n");
  EXPECT_EQ(eventsOf(plugin), eventsOf(keyed));

  const Trace raw = read(
      "version = 6\ncpus=6\n"
      "  a b-10    [001]    5.000001: sched_wakeup:         comm=x=y: 3 pid=11 prio=120 success=1 "
      "target_cpu=1\n"
      "  a b-10    [001]    5.000002: sched_switch:         prev_comm=a b prev_pid=10 prev_prio=120 "
      "prev_state=1 "
      "next_comm=x=y: 3 next_pid=11 next_prio=120\n"
      "  x=y: 3-11 [001]    5.000003: sched_migrate_task:   comm=x=y: 3 pid=11 prio=120 orig_cpu=1 "
      "dest_cpu=2\n");
  EXPECT_EQ(eventsOf(raw), eventsOf(keyed));
  EXPECT_EQ(raw.dialect, TraceDialect::TraceCmdRaw);
  EXPECT_EQ(raw.cpus, 6);

  const Trace tracefs = read(
      "# tracer: nop\n#\n# entries-in-buffer/entries-written: 3/3   #P:4\n#\n"
      "             a b-10      [001] d..2.     5.000001: sched_wakeup: comm=x=y: 3 pid=11 prio=120 "
      "target_cpu=001\n"
      "             a b-10      [001] d..2.     5.000002: sched_switch: prev_comm=a b prev_pid=10 "
      "prev_prio=120 "
      "prev_state=S ==> next_comm=x=y: 3 next_pid=11 next_prio=120\n"
      "          x=y: 3-11      [001] d..3.     5.000003: sched_migrate_task: comm=x=y: 3 pid=11 prio=120 "
      "orig_cpu=1 "
      "dest_cpu=2\n");
  EXPECT_EQ(eventsOf(tracefs), eventsOf(keyed));
  EXPECT_EQ(tracefs.dialect, TraceDialect::Tracefs);
  EXPECT_EQ(tracefs.cpus, 4);
  EXPECT_FALSE(tracefs.isOverwritten);

  const Trace systrace = read(
      "# tracer: nop\n"
      "             a b-10    (   10) [001] d..2     5.000001: sched_wakeup: comm=x=y: 3 pid=11 prio=120 "
      "target_cpu=001\n"
      "             a b-10    (-----) [001] d..2     5.000002: sched_switch: prev_comm=a b prev_pid=10 "
      "prev_prio=120 "
      "prev_state=S ==> next_comm=x=y: 3 next_pid=11 next_prio=120\n"
      "          x=y: 3-11    (   11) [001] d..3     5.000003: sched_migrate_task: comm=x=y: 3 pid=11 "
      "prio=120 "
      "orig_cpu=1 dest_cpu=2\n");
  EXPECT_EQ(eventsOf(systrace), eventsOf(keyed));
  EXPECT_EQ(systrace.dialect, TraceDialect::Systrace);

  const Trace perf = read(
      "a b    10 [001]     5.000001:       sched:sched_wakeup: x=y: 3:11 [120] CPU:001\n"
      "a b    10/10 [001]     5.000002:          1 sched:sched_switch: a b:10 [120] S ==> x=y: 3:11 [120]\n"
      "x=y: 3    11 [001]     5.000003: sched:sched_migrate_task: comm=x=y: 3 pid=11 prio=120 orig_cpu=1 "
      "dest_cpu=2\n");
  EXPECT_EQ(eventsOf(perf), eventsOf(keyed));
  EXPECT_EQ(perf.dialect, TraceDialect::PerfScript);
  EXPECT_EQ(perf.names.at(10), "a b");
}

TEST(TraceText, IsNotMisledByNamesThatLookLikeFields) {
  const auto fields = readTraceFields(TraceEventKind::Switch,
                                      "prev_comm=a ==> b prev_pid=10 prev_prio=120 prev_state=R+ ==> "
                                      "next_comm=n next_pid=7 next_pid=11 next_prio=100");
  ASSERT_TRUE(fields.has_value());
  EXPECT_EQ(fields->names[1].comm, "a ==> b");
  EXPECT_EQ(fields->names[0].comm, "n next_pid=7");
  EXPECT_EQ(fields->event.pid, 11);
  EXPECT_TRUE(fields->event.staysRunnable);
  const auto plugin = readTraceFields(TraceEventKind::Switch, "a:1 [2]:10 [120] D ==> b:x:11 [98]");
  ASSERT_TRUE(plugin.has_value());
  EXPECT_EQ(plugin->names[1].comm, "a:1 [2]");
  EXPECT_EQ(plugin->event.otherPid, 10);
  EXPECT_EQ(plugin->event.pid, 11);
  EXPECT_EQ(plugin->event.prio, 98);
}

TEST(TraceText, TakesUnknownNamesFromLaterEvents) {
  const Trace trace = read(
      "  <...>-10  [001]    5.000001: sched_wakeup: comm=<...> pid=12 prio=120 target_cpu=001\n"
      "  <...>-10  [001]    5.000002: sched_switch: prev_comm=<...> prev_pid=10 prev_prio=120 prev_state=S "
      "==> "
      "next_comm=known next_pid=11 next_prio=120\n"
      "  known-11  [001]    5.000003: sched_switch: prev_comm=known prev_pid=11 prev_prio=120 prev_state=S "
      "==> "
      "next_comm=late next_pid=10 next_prio=120\n");
  EXPECT_EQ(trace.names.at(10), "late");
  EXPECT_EQ(trace.names.at(11), "known");
  EXPECT_EQ(trace.names.count(12), 0U);
}

TEST(TraceText, KeepsTheOrderOfTheFileForEqualTimesAndSortsTheRest) {
  const Trace trace = read(
      "  a-10  [000]    5.000002: sched_wakeup: comm=b pid=11 prio=120 target_cpu=000\n"
      "  a-10  [001]    5.000001: sched_wakeup: comm=b pid=12 prio=120 target_cpu=000\n"
      "  a-10  [000]    5.000002: sched_wakeup: comm=b pid=13 prio=120 target_cpu=000\n");
  ASSERT_EQ(trace.events.size(), 3U);
  EXPECT_EQ(trace.events[0].pid, 12);
  EXPECT_EQ(trace.events[1].pid, 11);
  EXPECT_EQ(trace.events[2].pid, 13);
  EXPECT_EQ(trace.outOfOrder, 1U);
}

TEST(TraceText, TellsStatesThatWaitFromThoseThatRun) {
  for (const char* runs : {"R", "R+", "R|K", "0", "256", "1024", "2048", "4096"})
    EXPECT_TRUE(isRunnableState(runs)) << runs;
  for (const char* waits : {"S", "D", "D|K", "I", "X", "1", "2", "64", "130", "1026", "257"})
    EXPECT_FALSE(isRunnableState(waits)) << waits;
}

TEST(TraceText, CountsWhatTheTraceSaysWasLost) {
  const Trace trace = read(
      "# tracer: nop\n# entries-in-buffer/entries-written: 100/250   #P:2\n"
      "  a-10  [000]    5.000002: sched_wakeup: comm=b pid=11 prio=120 target_cpu=000\n"
      "CPU:1 [LOST 7 EVENTS]\n");
  EXPECT_TRUE(trace.isOverwritten);
  EXPECT_EQ(trace.lostEvents, 157U);
}

TEST(TraceText, NamesLinesThatItCannotRead) {
  const Trace trace = read(
      "  a-10  [000]    5.000002: sched_wakeup: comm=b pid=11 prio=120 target_cpu=000\n"
      "what is this\n"
      "  a-10  [000]    5.000003: sched_switch: prev_comm=a next_comm=b\n"
      "  a-10  [000]    5.000004: tracing_mark_write: [5] anything\n");
  EXPECT_EQ(trace.notUnderstood, 2U);
  ASSERT_EQ(trace.remarks.size(), 2U);
  EXPECT_EQ(trace.remarks[0].where.line, 2);
  EXPECT_EQ(trace.remarks[1].where.line, 3);
  EXPECT_EQ(trace.otherEvents.at("tracing_mark_write"), 1U);
}

TEST(TraceText, ReadsTheTraceInAPageOfSystrace) {
  const std::string head =
      "<!DOCTYPE html>\n<html><head><script>var a = 1;</script></head>\n"
      "<!-- BEGIN TRACE -->\n  <script class=\"trace-data\" type=\"application/text\">\n";
  const std::string tail = "  </script>\n<script class=\"trace-data\">\n{\"traceEvents\": []}\n</script>\n";
  const Trace page = read(head + "# tracer: nop\n#\n" + kKeyed + tail);
  EXPECT_EQ(eventsOf(page), eventsOf(read(kKeyed)));
  EXPECT_EQ(page.notUnderstood, 0u);
  EXPECT_EQ(page.events[0].line, 7) << "lines are those of the page";
  std::string inString = kKeyed;
  for (std::size_t at = 0; (at = inString.find('\n', at)) != std::string::npos; at += 4)
    inString.replace(at, 1, "\\n\\\n");
  EXPECT_EQ(
      eventsOf(read("<html>\n<script>\n  var linuxPerfData = \"\\\n# tracer: nop\\n\\\n" + inString + tail)),
      eventsOf(page));
}

TEST(TraceText, PassesOverCallChains) {
  const std::string perf =
      "foo   100 [000] 1.000001: sched:sched_switch: foo:100 [120] S ==> bar:101 [120]\n"
      "\tffffffff810b1234 __schedule+0x124 ([kernel.kallsyms])\n\n"
      "bar   101 [000] 1.000002: sched:sched_switch: bar:101 [120] S ==> foo:100 [120]\n"
      " => schedule\n";
  const Trace trace = read(perf);
  EXPECT_EQ(trace.events.size(), 2u);
  EXPECT_EQ(trace.notUnderstood, 0u);
  EXPECT_EQ(trace.otherEvents.at("frames of call chains"), 2u);
}

TEST(TraceText, RefusesAPageWithoutATrace) {
  const TemporaryFile file("page.html", "<!doctype HTML>\n<html>\n</html>\n");
  const auto trace = readTrace(file.path());
  ASSERT_FALSE(trace.ok());
  EXPECT_NE(trace.error().message.find("no ftrace data"), std::string::npos);
}

TEST(TraceText, KnowsATraceByItsFirstLines) {
  EXPECT_TRUE(looksLikeTrace("          <idle>-0     [000] d..2  1136.097253: cpu_idle: state=0 cpu_id=0\n"));
  EXPECT_TRUE(looksLikeTrace("           <...>-1297  [001]  3843.734440: sched_switch: x\n"));
  EXPECT_TRUE(looksLikeTrace("  VideoDecMsgThr-32342 [007] 85636.208531: clock_set_rate: clk state=2\n"));
  EXPECT_TRUE(looksLikeTrace("  a b-1 (  900) [007] d.h1 1.208531: irq_handler_entry: irq=1 name=x\n"));
  EXPECT_TRUE(looksLikeTrace("<html>\n"));
  EXPECT_FALSE(looksLikeTrace("<!DOCTYPE topology SYSTEM \"hwloc2.dtd\">\n"));
  EXPECT_FALSE(looksLikeTrace("{\"tasks\": {}}"));
  EXPECT_FALSE(looksLikeTrace("[    0.4] x-1 [1] 2.0: sched_domain: y"));
}

TEST(TraceText, RefusesATraceWithoutSchedulerEvents) {
  const TemporaryFile file("none.txt",
                           "# tracer: nop\n  a-10  [000]    5.000002: irq_handler_entry: irq=3 name=x\n");
  const auto trace = readTrace(file.path());
  ASSERT_FALSE(trace.ok());
  EXPECT_NE(trace.error().message.find("irq_handler_entry (1)"), std::string::npos) << trace.error().message;
}

TEST(TraceText, IsNotReadOnceItIsStopped) {
  const TemporaryFile file("stopped.txt",
                           "foo 100 [000] 1.000001: sched:sched_switch: foo:100 [120] S ==> bar:101 [120]\n");
  std::stop_source source;
  ASSERT_TRUE(readTrace(file.path(), source.get_token()).ok());
  source.request_stop();
  const auto trace = readTrace(file.path(), source.get_token());
  ASSERT_FALSE(trace.ok());
  EXPECT_NE(trace.error().message.find("cancelled"), std::string::npos) << trace.error().message;
}

TEST(TraceText, ReadsTheRecordedJunoTrace) {
  const std::string path = std::string(RQSCOPE_SHARED_DIR) + "/samples/traces/juno-raw.txt.gz";
  if (!std::filesystem::exists(path)) {
    std::cout << "absent: " << path << "; the trace of a real machine was not read\n";
    return;
  }
  const auto trace = readTrace(path);
  ASSERT_TRUE(trace.ok()) << trace.error().text();
  EXPECT_EQ(trace.value().dialect, TraceDialect::TraceCmdRaw);
  EXPECT_EQ(trace.value().cpus, 6);
  EXPECT_EQ(trace.value().events.size(), 1856U + 1068U);  // as grep counts them
  EXPECT_EQ(trace.value().otherEvents.at("print"), 14U);
  EXPECT_EQ(trace.value().notUnderstood, 0U);
}

}  // namespace
}  // namespace rqscope
