// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "app/program.h"

namespace rqscope {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

constexpr const char* kSmall = R"({"rqscope-scenario" : 1, "machine" : "vm-4cpu",
  "workload" : {"rt-app" : {"tasks" : {"A" : {"loop" : 3, "run" : 2000, "sleep" : 1000},
                                       "B" : {"instance" : 6, "loop" : 1, "run" : 20000}}}}})";

TEST(CommandLine, BadUsageIsTwo) {
  for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{
           {"--no-such-option"},
           {"run"},
           {"run", "juno", "--patch", "migrate_util_shr_bound"},
           {"run", "juno", "--patch", "migrate_util_shr_bound=maybe"},
           {"run", "juno", "--patch", "nonsense=on"},
           {"run", "juno", "--kernel", "v5.4"},
           {"run", "juno", "--until", "5"},
           {"run", "juno", "--seed", "-1"},
           {"run", "juno", "--feature", "NO_SUCH"},
           {"run", "juno", "--machine", "no-such-machine"},
           {"compare", "juno", "--a", "machine=nope", "--b", "kernel=v6.1"},
           {"frob"},
           {"--screenshot", "x.png", "--select", "task5"},
           {"--screenshot", "x.png", "--dock", "nowhere"},
           {"explain", "juno", "--at", "1s", "--pass", "3"},
           {"compare", "juno", "--a", "x"},
           {"compare", "juno", "--a", "x=on", "--b", "kernel=v6.1"},
           {"list", "cars"},
           {"verify"},
       }) {
    const ProgramResult r = runProgram(arguments);
    EXPECT_EQ(r.status, 2) << testing::PrintToString(arguments);
    EXPECT_FALSE(r.err.empty()) << testing::PrintToString(arguments);
    EXPECT_EQ(r.out, "") << testing::PrintToString(arguments);
  }
}

// What run takes by name, check does; what is read by another command is said to be.
TEST(CommandLine, KnowsNamesInCheckAndTablesInRun) {
  EXPECT_EQ(runProgram({"check", "misfit"}).out, "misfit: ok\n");
  EXPECT_EQ(runProgram({"check", "juno-r2"}).status, 0);
  const ProgramResult none = runProgram({"check", "no-such-scenario"});
  EXPECT_EQ(none.status, 1);
  EXPECT_THAT(none.out, HasSubstr("no such file"));
  const std::string table = writeTo(freshFolder("table"), "table.csv", "a,before,after\nx,1,2\n");
  const ProgramResult run = runProgram({"run", table});
  EXPECT_EQ(run.status, 1);
  EXPECT_THAT(run.err, HasSubstr("rqscope results " + table));
}

TEST(CommandLine, HelpAndVersionAreZero) {
  const ProgramResult help = runProgram({"--help"});
  EXPECT_EQ(help.status, 0);
  for (const char* command : {"run", "explain", "compare", "topology", "eval", "verify", "check", "list"})
    EXPECT_THAT(help.out, HasSubstr(command));
  EXPECT_EQ(runProgram({"run", "--help"}).status, 0);
  EXPECT_THAT(runProgram({"--version"}).out, HasSubstr("rqscope"));
}

// What stands on the command line is named, with what would be right.
TEST(CommandLine, BadOptionsAreNamed) {
  const auto errorOf = [](const std::vector<std::string>& arguments) {
    const ProgramResult r = runProgram(arguments);
    EXPECT_EQ(r.status, 2);
    return r.err;
  };
  EXPECT_EQ(errorOf({"explain", "juno", "--dock", "lesson"}),
            "rqscope: explain --dock: --dock is an option of the window: rqscope SCENARIO --dock ...\n");
  EXPECT_EQ(errorOf({"run", "juno", "--frob"}),
            "rqscope: run: there is no option --frob; rqscope run --help lists them\n");
  EXPECT_THAT(errorOf({"explain", "juno", "--cpu", "x"}), HasSubstr("x is not a whole number from 0"));
  EXPECT_THAT(errorOf({"run"}),
              testing::AllOf(testing::StartsWith("rqscope: "), HasSubstr("SCENARIO is required")));
}

TEST(CommandLine, SaysOfALessonThatItIsOne) {
  const std::string lesson = std::string(RQSCOPE_SOURCE_DIR) + "/resources/lessons/misfit.json";
  const ProgramResult run = runProgram({"run", lesson}), check = runProgram({"check", lesson});
  EXPECT_EQ(run.status, 1);
  EXPECT_THAT(run.err, HasSubstr("misfit.json:1:1: error: this is a lesson, no scenario"));
  EXPECT_EQ(check.status, 0);
  EXPECT_EQ(check.out, lesson + ": ok\n");
  EXPECT_THAT(runProgram({"list", "lessons"}).out, HasSubstr("  misfit "));
}

TEST(CommandLine, BadInputIsOneWithPositionAndHint) {
  const std::string folder = freshFolder("files");
  const std::string bad = writeTo(folder, "bad.json", "{\"tasks\" : {\"A\" : {\n  \"run\" : \"5\"}}}");
  for (const char* command : {"run", "explain"}) {
    const ProgramResult r = runProgram({command, bad});
    EXPECT_EQ(r.status, 1);
    EXPECT_THAT(r.err, HasSubstr("bad.json:2:11: error:"));
    EXPECT_EQ(r.out, "");
  }
  EXPECT_EQ(runProgram({"run", "no-such-scenario"}).status, 1);
  const ProgramResult check = runProgram({"check", bad});
  EXPECT_EQ(check.status, 1);
  EXPECT_THAT(check.out, HasSubstr("without quotes"));
}

TEST(CommandLine, ProposesTheNameThatWasMeant) {
  EXPECT_THAT(runProgram({"run", "jnuo"}).err, HasSubstr("did you mean juno?"));
  EXPECT_THAT(runProgram({"exlpain"}).err, HasSubstr("did you mean explain?"));
  EXPECT_THAT(runProgram({"run", "juno", "--machine", "juno-r3"}).err, HasSubstr("did you mean juno-r2?"));
  EXPECT_THAT(runProgram({"run", "juno", "--feature", "NO_RUN_TO_PARTIY"}).err,
              HasSubstr("did you mean NO_RUN_TO_PARITY?"));
  EXPECT_LT(runProgram({"run", "juno", "--seed", "-1"}).err.size(), 80U);
}

// What came by an option is blamed on the option, not on the scenario that is good.
TEST(CommandLine, BlamesTheOptionForWhatCameByIt) {
  using Case = std::pair<std::vector<std::string>, std::vector<std::string>>;
  for (const auto& [arguments, parts] : std::vector<Case>{
           {{"run", "juno", "--machine", "2 packages x 0 cores"},
            {"--machine \"2 packages x 0 cores\"", "1 to 65536"}},
           {{"run", "juno", "--patch", "next_buddy_for_short=on"},
            {"--patch next_buddy_for_short=on", "v7.3"}},
           {{"run", "juno", "--kernel", "v6.1", "--patch", "delayed_dequeue=on"},
            {"--patch delayed_dequeue=on"}},
           {{"compare", "juno", "--a", "kernel=v6.1", "--b", "kernel=v9"},
            {"--b kernel=v9", "v6.1, v6.12, v7.3"}},
           {{"compare", "juno", "--until", "10ms", "--a", "kernel=v6.1", "--b", "next_buddy_for_short=on"},
            {"--b next_buddy_for_short=on"}},
           {{"reproduce", "foo"}, {"foo: error", "juno", "spawn", "tg-load-avg", "wakequeue"}},
           {{"topology", "nosuch"}, {"nosuch: error"}},
           {{"topology", "2 packages x 0 cores"}, {"\"2 packages x 0 cores\":1:13"}},
       }) {
    const ProgramResult r = runProgram(arguments);
    EXPECT_NE(r.status, 0) << testing::PrintToString(arguments);
    for (const std::string& part : parts) EXPECT_THAT(r.err, HasSubstr(part));
    EXPECT_THAT(r.err, testing::Not(HasSubstr(".json"))) << "blames a file that was not given or is good";
    EXPECT_THAT(r.err, testing::Not(HasSubstr("input:")));
  }
}

// A machine in compact notation inside a scenario: the column is the one in the file.
TEST(CommandLine, PlacesAMistakeInACompactMachine) {
  const std::string folder = freshFolder("compact");
  const std::string file = writeTo(folder, "compact.json",
                                   "{ \"rqscope-scenario\" : 1,\n  \"machine\" : \"2 packages x 0 cores\",\n"
                                   "  \"workload\" : { \"generator\" : \"hogs\" } }");
  EXPECT_THAT(runProgram({"check", file}).out, HasSubstr("compact.json:2:28: error: 0 cores"));
}

// A name that is not there lists those that are: at most ten, the nearest first.
TEST(CommandLine, ListsTheNamesThatAre) {
  using Case = std::pair<std::vector<std::string>, std::string>;
  for (const auto& [arguments, part] : std::vector<Case>{
           {{"explain", "two-groups", "--at", "10ms", "--value", "task B load_avg"}, "B-0, B-1"},
           {{"explain", "two-groups", "--at", "10ms", "--value", "cpu 99 util"},
            "there is no CPU 99; there are 0"},
           {{"explain", "two-groups", "--at", "10ms", "--value", "group /c shares"}, "/a"},
           {{"explain", "two-groups", "--at", "10ms", "--value", "task B-0 load_agv"},
            "did you mean load_avg?"},
           {{"explain", "two-groups", "--at", "10ms", "--value", "nonsense"}, "write \"cpu 3 avg_vruntime\""},
           {{"explain", "juno", "--until", "50ms", "--pass", "3", "--why-not", "Q", "3"},
            "there is no task Q; there are A, B, C"},
           {{"explain", "juno", "--cpu", "99"}, "--cpu 99: "},
           {{"explain", "juno", "--cpu", "99"}, "has {0-5}"},
           {{"explain", "juno", "--domain", "FOO"}, "MC, PKG"},
           {{"explain", "juno", "--until", "50ms", "--at", "1000s"}, "the run ends at 50.000 ms"},
           {{"explain", "juno", "--until", "50ms", "--pass", "999999"}, "the run has the decisions 0 to "},
           {{"explain", "juno", "--until", "50ms", "--cpu", "3", "--entry", "exec"},
            "without --entry exec there are"},
           {{"explain", "juno", "--until", "50ms"},
            "no pass of the run moved a task or failed up to 50.000 ms"},
           {{"run", "juno", "--until", "1e9s"}, "no run is that long"},
           {{"run", "/no/such/folder/x.json"}, "there is no folder /no/such/folder"},
       }) {
    const ProgramResult r = runProgram(arguments);
    EXPECT_NE(r.status, 0) << testing::PrintToString(arguments);
    EXPECT_THAT(r.err, HasSubstr(part)) << testing::PrintToString(arguments);
    EXPECT_LT(std::count(r.err.begin(), r.err.end(), ','), 14) << r.err;
    EXPECT_EQ(r.out, "");
  }
  for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{
           {"run", "zzzzzzz"}, {"run", "juno", "--patch", "zz=on"}, {"topology", "zzzzzzzzzz"}}) {
    const ProgramResult r = runProgram(arguments);
    EXPECT_THAT(r.err, testing::ContainsRegex("and [0-9]+ more"));
    EXPECT_LT(r.err.size(), 400U) << r.err;
  }
}

// A run written as a trace and compared with the model agrees in full; a machine that leaves a CPU idle
// parts.
TEST(CommandLine, ComparesATraceWithTheModel) {
  const std::string folder = freshFolder("compared");
  const std::string scenario =
      writeTo(folder, "s.json", R"({ "rqscope-scenario" : 1, "machine" : "1 package x 2 cores",
  "workload" : { "rt-app" : { "tasks" : {
    "p" : { "instance" : 3, "loop" : -1, "run" : 900, "timer" : { "ref" : "unique", "period" : 5000 } } } } },
  "until" : "100ms" })");
  const std::string trace = folder + "/trace.txt";
  const ProgramResult run = runProgram({"run", scenario, "--trace", trace});
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("the trace of the run is in " + trace));
  const ProgramResult compared = runProgram({"compare", trace, "--json", "--segments", "20ms"});
  ASSERT_EQ(compared.status, 0) << compared.err;
  const auto json = compared.json();
  EXPECT_FALSE(json["parted"]);
  EXPECT_EQ(json["run_time"]["same_ns"], json["run_time"]["either_ns"]);
  EXPECT_GT(json["run_time"]["same_ns"], 50'000'000);
  EXPECT_EQ(json["wakeups"]["agree"], json["wakeups"]["machine"]);
  EXPECT_GT(json["segments"]["segments"], 2);
  EXPECT_THAT(runProgram({"compare", trace}).out,
              HasSubstr("Machine and model never part (within 4.000 ms)."));
  EXPECT_EQ(runProgram({"run", scenario, "--trace", folder + "/none/t.txt"}).status, 1);
  for (const char* bad : {"0ms", "x"}) {
    const ProgramResult r = runProgram({"compare", trace, "--window", bad});
    EXPECT_EQ(r.status, 2) << bad;
    EXPECT_THAT(r.err, HasSubstr("--window"));
  }
  const std::string empty = writeTo(folder, "empty.txt", "# tracer: nop\n");
  const ProgramResult none = runProgram({"compare", empty});
  EXPECT_NE(none.status, 0);
  EXPECT_FALSE(none.err.empty());
}

// A trace opens as a workload, plain or packed, and check says what is in it and where it is broken.
TEST(CommandLine, OpensATraceAsAWorkload) {
  const std::string folder = freshFolder("traces");
  const std::string text =
      "# tracer: nop\n#\n"
      "  <idle>-0  [000] d..2. 12.000000: sched_wakeup: comm=hog pid=17 prio=120 target_cpu=000\n"
      "  <idle>-0  [000] d..2. 12.000000: sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 "
      "prev_state=R ==> "
      "next_comm=hog next_pid=17 next_prio=120\n"
      "     hog-17 [000] d..2. 12.004000: sched_switch: prev_comm=hog prev_pid=17 prev_prio=120 prev_state=S "
      "==> "
      "next_comm=swapper/0 next_pid=0 next_prio=120\n";
  const std::string trace = writeTo(folder, "trace.txt", text);
  ASSERT_EQ(std::system(("gzip -k '" + trace + "'").c_str()), 0);
  for (const std::string& file : {trace, trace + ".gz"}) {
    const ProgramResult check = runProgram({"check", file});
    EXPECT_EQ(check.status, 0);
    EXPECT_THAT(check.out,
                HasSubstr(file + ": note: ftrace text: 1 CPUs, 12.000000 to 12.004000 s; sched_switch 2"));
    const ProgramResult run = runProgram({"run", file});
    EXPECT_EQ(run.status, 0) << run.err;
    EXPECT_THAT(run.out, testing::ContainsRegex("hog-17 +4\\.000 ms +4\\.000 ms"));
  }
  const std::string broken = writeTo(
      folder, "broken.txt", "# tracer: nop\n  hog-17 [003] d..2. 12.345: sched_switch: prev_comm=hog\n");
  for (const char* command : {"check", "run"}) {
    const ProgramResult r = runProgram({command, broken});
    EXPECT_EQ(r.status, 1);
    EXPECT_THAT(r.out + r.err,
                HasSubstr(broken + ":2: warning: sched_switch without the fields that it should have"))
        << command;
  }
}

// Operations that did nothing are told by check when the file shows it, and by run in any case.
TEST(CommandLine, WarnsOfOperationsWithoutEffect) {
  const std::string folder = freshFolder("script");
  const auto scenario = [&](const std::string& name, const std::string& script) {
    return writeTo(
        folder, name,
        "{\"rqscope-scenario\" : 1, \"machine\" : \"vm-4cpu\", \"workload\" : {\"rt-app\" : {\"tasks\" : {\n"
        "\"A\" : {\"loop\" : 1, \"run\" : 5000},\n"
        "\"B\" : {\"loop\" : 10, \"run\" : 1000, \"sleep\" : 3000}}}},\n\"script\" : [" +
            script + "]}");
  };
  const std::string file = scenario("file.json", R"({"at" : "1ms", "do" : "online", "cpu" : 0})");
  for (const char* command : {"check", "run"}) {
    const ProgramResult r = runProgram({command, file});
    EXPECT_EQ(r.status, 0) << command;
    EXPECT_THAT(r.out + r.err,
                HasSubstr("file.json:4:13: warning: the operation has no effect: CPU 0 is online already"));
  }
  for (const auto& [script, part] : std::vector<std::pair<std::string, std::string>>{
           {R"({"at" : "20ms", "do" : "nice", "task" : "A", "nice" : 5})", "A had ended by "},
           {R"({"at" : "900ms", "do" : "nice", "task" : "A", "nice" : 5})", "the run ended at "},
           {R"({"at" : "2ms", "do" : "wake", "task" : "A"})", "A did not sleep then"}}) {
    const ProgramResult r = runProgram({"run", scenario("run.json", script)});
    EXPECT_EQ(r.status, 0);
    EXPECT_THAT(r.err, HasSubstr("run.json:4:13: warning: the operation had no effect: " + part));
  }
  const ProgramResult good =
      runProgram({"run", scenario("good.json", R"({"at" : "2ms", "do" : "nice", "task" : "A", "nice" : 5},
                                        {"at" : "3ms", "do" : "wake", "task" : "B"})")});
  EXPECT_EQ(good.err, "");
}

TEST(CommandLine, DocksSayWhatTheyCanShow) {
  const std::string folder = freshFolder("docks");
  const std::string small = writeTo(folder, "small.json", kSmall);
  for (const auto& [dock, part] : std::vector<std::pair<std::string, std::string>>{
           {"charts:foo", "the charts are"},
           {"charts:pelt_task:99", "it has 0"},
           {"published:foo", "there are juno"},
           {"queue:cpu 9 util", "there is no number"},
           {"timeline:foo", "only charts, compare, lesson, queue, published and trace"}}) {
    const ProgramResult r = runProgram(
        {small, "--at", "5ms", "--screenshot", folder + "/x.png", "--dock", dock, "--size", "640x400"});
    EXPECT_EQ(r.status, 1) << dock;
    EXPECT_THAT(r.err, HasSubstr("--dock " + dock + ": "));
    EXPECT_THAT(r.err, HasSubstr(part));
    EXPECT_FALSE(fs::exists(folder + "/x.png"));
  }
}

TEST(CommandLine, PlacesThatTheRunDoesNotHaveAreOne) {
  const std::string folder = freshFolder("places");
  const std::string small = writeTo(folder, "small.json", kSmall);
  for (const std::vector<std::string>& place : std::vector<std::vector<std::string>>{
           {"--select", "cpu99"}, {"--at", "900s"}, {"--pass", "9999999"}, {"--pass", "0", "--rung", "77"}}) {
    std::vector<std::string> arguments{small, "--screenshot", folder + "/x.png"};
    arguments.insert(arguments.end(), place.begin(), place.end());
    const ProgramResult r = runProgram(arguments);
    EXPECT_EQ(r.status, 1) << place[0];
    EXPECT_THAT(r.err, HasSubstr(place[place.size() - 2])) << place[0];
    EXPECT_FALSE(fs::exists(folder + "/x.png")) << place[0];
  }
}

TEST(CommandLine, RunsHogsOnAMachineFile) {
  const std::string folder = freshFolder("machines");
  const std::string machine = writeTo(folder, "two.machine", "2 cores");
  const ProgramResult r = runProgram({"run", machine, "--until", "200ms"});
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_THAT(r.out, HasSubstr("2 CPUs"));
  const std::string bad = writeTo(folder, "bad.xml", "<topology");
  EXPECT_EQ(runProgram({"run", bad}).status, 1);
}

TEST(CommandLine, CheckPrintsJson) {
  const std::string folder = freshFolder("files");
  const std::string good = writeTo(folder, "good.json", kSmall);
  const ProgramResult r = runProgram({"check", "--json", good, "/no/such"});
  EXPECT_EQ(r.status, 1);
  const auto json = r.json();
  ASSERT_TRUE(json.is_object()) << r.out;
  EXPECT_EQ(json["ok"], false);
  ASSERT_EQ(json["files"].size(), 2U);
  EXPECT_EQ(json["files"][0]["ok"], true);
  EXPECT_EQ(json["files"][1]["problems"][0]["severity"], "error");
}

TEST(CommandLine, RunGivesTheSameBytesTwice) {
  const std::string file = writeTo(freshFolder("files"), "small.json", kSmall);
  const ProgramResult first = runProgram({"run", file, "--json"});
  ASSERT_EQ(first.status, 0) << first.err;
  EXPECT_EQ(first.out, runProgram({"run", file, "--json"}).out);
  const auto json = first.json();
  ASSERT_TRUE(json.is_object()) << first.out;
  for (const char* key : {"scenario",
                          "machine",
                          "kernel",
                          "patches",
                          "hz",
                          "time_ns",
                          "finished",
                          "last_end_ns",
                          "events",
                          "ticks",
                          "balance_passes",
                          "failed_balances",
                          "placements",
                          "migrations",
                          "migrations_by_reason",
                          "idle_while_waiting_ns",
                          "fingerprint",
                          "tasks",
                          "cpus",
                          "files"})
    EXPECT_TRUE(json.contains(key)) << key;
  EXPECT_EQ(json["finished"], true);
  EXPECT_EQ(json["tasks"].size(), 7U);
  // 3 x 2 ms + 6 x 20 ms of work on CPUs of throughput 1024: 126 ms of CPU time in all.
  std::int64_t ran = 0;
  for (const auto& task : json["tasks"]) ran += task["run_ns"].get<std::int64_t>();
  EXPECT_EQ(ran, 126'000'000);
}

TEST(CommandLine, OverridesReachTheRun) {
  const std::string file = writeTo(freshFolder("files"), "small.json", kSmall);
  const auto json =
      runProgram({"run", file, "--json", "--kernel", "v6.1", "--machine", "smt-4x2", "--until", "10ms"})
          .json();
  ASSERT_TRUE(json.is_object());
  EXPECT_EQ(json["kernel"], "v6.1");
  EXPECT_EQ(json["machine"], "smt-4x2");
  EXPECT_EQ(json["time_ns"], 10'000'000);
  EXPECT_EQ(json["cpus"].size(), 8U);
}

TEST(CommandLine, RunWritesCharts) {
  const std::string folder = freshFolder("files");
  const std::string file = writeTo(folder, "small.json", kSmall);
  const std::string out = folder + "/charts";
  const auto json = runProgram({"run", file, "--json", "--out", out}).json();
  ASSERT_TRUE(json.is_object());
  ASSERT_FALSE(json["files"].empty());
  for (const auto& name : json["files"]) EXPECT_GT(fs::file_size(name.get<std::string>()), 10U) << name;
  for (const char* name : {"cpu_util.png", "cpu_util.svg", "cpu_util.csv", "task_util.csv", "migrations.png"})
    EXPECT_TRUE(fs::exists(fs::path(out) / name)) << name;
  // A file stands where the folder should be.
  EXPECT_EQ(runProgram({"run", file, "--out", file}).status, 1);
}

TEST(CommandLine, ExplainPrintsTheWantedDecision) {
  const std::string file = writeTo(freshFolder("files"), "small.json", kSmall);
  const ProgramResult list = runProgram({"explain", file, "--list", "--json"});
  ASSERT_EQ(list.status, 0) << list.err;
  const auto decisions = list.json();
  ASSERT_GT(decisions.size(), 3U);
  const auto wanted = decisions[2];
  const auto byNumber =
      runProgram({"explain", file, "--json", "--pass", std::to_string(wanted["index"].get<int>())}).json();
  EXPECT_EQ(byNumber["time_ns"], wanted["time_ns"]);
  EXPECT_EQ(byNumber["cpu"], wanted["cpu"]);
  EXPECT_FALSE(byNumber["rungs"].empty());
  const auto byTime = runProgram({"explain", file, "--json", "--at", "5ms"}).json();
  EXPECT_GE(byTime["time_ns"].get<std::int64_t>(), 5'000'000);
  EXPECT_EQ(runProgram({"explain", file, "--pass", "1000000"}).status, 1);
}

TEST(CommandLine, CompareFindsNoDifferenceBetweenEqualRuns) {
  const std::string file = writeTo(freshFolder("files"), "small.json", kSmall);
  const auto same = runProgram({"compare", file, "--json", "--a", "seed=1", "--b", "seed=1"}).json();
  EXPECT_EQ(same["diverged"], false);
  EXPECT_EQ(same["a"]["outcome"], same["b"]["outcome"]);
  const auto other =
      runProgram({"compare", file, "--json", "--a", "kernel=v6.12", "--b", "machine=smt-4x2"}).json();
  EXPECT_EQ(other["diverged"], true);
}

TEST(CommandLine, TopologyPrintsDomains) {
  const ProgramResult text = runProgram({"topology", "juno-r2"});
  EXPECT_EQ(text.status, 0) << text.err;
  EXPECT_THAT(text.out, HasSubstr("PKG"));
  EXPECT_THAT(text.out, HasSubstr("SD_ASYM_CPUCAPACITY"));
  EXPECT_THAT(runProgram({"topology", "juno-r2", "--kernel", "v6.1"}).out, HasSubstr("DIE"));
  const auto json = runProgram({"topology", "--json", "2 packages x 2 cores x 2 threads"}).json();
  EXPECT_EQ(json["schema"], "linux-sched-topology/1");
  EXPECT_EQ(runProgram({"topology", "no-such"}).status, 1);
  EXPECT_EQ(runProgram({"topology", "juno-r2", "--cpu", "77"}).status, 1);
}

TEST(CommandLine, EvalAnswersEachLine) {
  const ProgramResult r = runProgram({"eval"}, "{\"fn\":\"no_such\",\"in\":{}}\n\n{broken\n");
  EXPECT_EQ(r.status, 1);
  std::istringstream lines(r.out);
  std::string line;
  int count = 0;
  for (; std::getline(lines, line); ++count)
    EXPECT_TRUE(nlohmann::json::parse(line).contains("error")) << line;
  EXPECT_EQ(count, 2);
  EXPECT_THAT(runProgram({"eval", "--list"}).out, HasSubstr("decay_load"));
}

TEST(CommandLine, VerifyIsZeroOnlyWhenAllIsEqual) {
  EXPECT_EQ(runProgram({"verify", "/no/such"}).status, 1);
  const std::string folder = freshFolder("6.12");
  writeTo(folder, "x.jsonl", "{\"fn\":\"no_such\",\"in\":{},\"out\":{\"ret\":1}}\n");
  const ProgramResult wrong = runProgram({"verify", folder, "--kernel", "v6.12", "--json"});
  EXPECT_EQ(wrong.status, 1);
  EXPECT_EQ(wrong.json()["all_equal"], false);
  const fs::path record = fs::path(RQSCOPE_SHARED_DIR) / "ground-truth" / "topology" / "6.12-c4t2.json";
  if (!fs::exists(record)) {
    std::cout << record << " is absent: verify was not run on a real record\n";
    return;
  }
  const ProgramResult right = runProgram({"verify", record.string(), "--json"});
  EXPECT_EQ(right.status, 0) << right.out;
  EXPECT_EQ(right.json()["all_equal"], true);
}

TEST(CommandLine, ListNamesWhatIsBuiltIn) {
  const auto json = runProgram({"list", "--json"}).json();
  for (const char* key : {"scenarios", "machines", "kernels", "patches", "features"})
    EXPECT_FALSE(json[key].empty()) << key;
  EXPECT_EQ(json["scenarios"][0]["name"], "juno");
  EXPECT_THAT(runProgram({"list", "patches"}).out, HasSubstr("migrate_util_shr_bound"));
}

TEST(CommandLine, WithoutADisplayTheFileIsRunAsText) {
  const std::string folder = freshFolder("files");
  const std::string file = writeTo(folder, "small.json", kSmall);
  const ProgramResult r = runProgram({file}, "", folder);
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_THAT(r.out, HasSubstr("no display"));
  EXPECT_THAT(r.out, HasSubstr("rqscope-out"));
  EXPECT_FALSE(fs::is_empty(folder + "/rqscope-out"));
}

TEST(CommandLine, ResultsRecomputesAPublishedTable) {
  const std::string table = std::string(RQSCOPE_SOURCE) + "/resources/scenarios/cases/LB-05.csv";
  const ProgramResult r = runProgram({"results", "--json", table});
  EXPECT_EQ(r.status, 0) << r.err;
  std::vector<std::string> printed;
  const auto rows = r.json()["tables"][0]["rows"];
  for (const auto& row : rows) printed.push_back(row["printed_is"]);
  EXPECT_THAT(printed,
              testing::ElementsAre("improvement", "differs", "differs", "improvement", "differs", "differs"));
  EXPECT_NEAR(rows[2]["improvement_percent"].get<double>(), -22.9, 0.005);

  const std::string bare = writeTo(freshFolder("results"), "bare.csv", "before,after\n2,1\n");
  const ProgramResult unsaid = runProgram({"results", bare});
  EXPECT_EQ(unsaid.status, 1);
  EXPECT_THAT(unsaid.err, testing::HasSubstr("--better less"));
  EXPECT_THAT(runProgram({"results", "--better", "less", bare}).out, testing::HasSubstr("+50.00 % better"));
  EXPECT_EQ(runProgram({"check", table}).status, 0);
}

}  // namespace
}  // namespace rqscope
