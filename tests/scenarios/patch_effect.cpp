// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "scenarios/patch_effect.h"

#include <gtest/gtest.h>

#include "engine/simulator.h"
#include "support/scenario_plan.h"
#include "topology/sched_topology.h"
#include "workload/json_document.h"

namespace rqscope::cases {
namespace {

/// Tasks of two groups that come and go on two packages; a weight, a nice value and a CPU change.
const char* const kGroups = R"({ "rqscope-scenario" : 1, "machine" : "2 packages x 4 cores",
  "groups" : { "/a" : { "weight" : 300 }, "/b" : {}, "/b/c" : { "weight" : 50 } },
  "workload" : [
    { "generator" : "periodic", "count" : 9, "run" : "3ms", "sleep" : "2ms", "jitter" : "1ms", "group" : "/a" },
    { "generator" : "periodic", "count" : 7, "run" : "1500us", "sleep" : "4ms", "jitter" : "1ms",
      "group" : "/b/c" },
    { "generator" : "hogs", "count" : 5, "group" : "/b" } ],
  "script" : [ { "at" : "60ms", "do" : "weight", "group" : "/a", "weight" : 30 },
               { "at" : "90ms", "do" : "offline", "cpu" : 3 }, { "at" : "150ms", "do" : "online", "cpu" : 3 },
               { "at" : "170ms", "do" : "nice", "task" : "hog-1", "nice" : 5 } ],
  "until" : "300ms" })";

/// Long and short slices beside each other on two CPUs, and a task that yields.
const char* const kSlices = R"({ "rqscope-scenario" : 1, "machine" : "2 cores",
  "workload" : { "rt-app" : { "tasks" : {
    "long" : { "instance" : 3, "loop" : -1, "dl-runtime" : 20000, "run" : 50000 },
    "middle" : { "instance" : 3, "loop" : -1, "run" : 700, "sleep" : 900 },
    "short" : { "instance" : 2, "loop" : -1, "dl-runtime" : 300, "run" : 250, "sleep" : 1300 },
    "polite" : { "loop" : -1, "run" : 400, "yield" : "" } } } },
  "until" : "300ms" })";

/// Batch tasks with short slices wake beside long ones: they do not preempt, and may shorten the protection.
const char* const kBatch = R"({ "rqscope-scenario" : 1, "machine" : "2 cores",
  "workload" : { "rt-app" : { "tasks" : {
    "long" : { "instance" : 4, "loop" : -1, "dl-runtime" : 20000, "run" : 50000 },
    "short" : { "instance" : 4, "loop" : -1, "policy" : "SCHED_BATCH", "dl-runtime" : 300, "run" : 250, "sleep" : 1300 },
    "middle" : { "instance" : 2, "loop" : -1, "run" : 700, "sleep" : 900 } } } },
  "until" : "300ms" })";

/// Forks, sleepers and hogs on two nodes with two threads a core.
const char* const kNodes =
    R"({ "rqscope-scenario" : 1, "machine" : "2 packages x 2 nodes x 4 cores x 2 threads",
  "groups" : { "/s" : {} },
  "workload" : [
    { "generator" : "spawn", "parents" : 6, "loops" : 5000, "jitter" : 30, "group" : "/s" },
    { "generator" : "periodic", "count" : 24, "run" : "2ms", "sleep" : "3ms", "jitter" : "1ms" },
    { "generator" : "hogs", "count" : 10 } ],
  "script" : [ { "at" : "20ms", "do" : "pin", "task" : "hog", "cpus" : "0-3" },
               { "at" : "100ms", "do" : "unpin", "task" : "hog" } ],
  "until" : "300ms" })";

/// A heavy thread alone on a node, light ones on the other, with v5.4's comparison of averages.
const char* const kAverages = R"({ "rqscope-scenario" : 1, "machine" : "2 packages x 4 cores",
  "patches" : { "balance_rework" : false },
  "groups" : { "/light" : {} },
  "workload" : [
    { "generator" : "hogs", "count" : 1, "prefix" : "heavy-", "cpus" : [0] },
    { "generator" : "hogs", "count" : 8, "group" : "/light", "prefix" : "light-", "cpus" : "4-7" } ],
  "script" : [ { "at" : "50ms", "do" : "unpin", "task" : "*" } ],
  "until" : "300ms" })";

/// Newidle passes that cost something.
const char* const kCosts = R"({ "rqscope-scenario" : 1, "machine" : "2 packages x 4 cores",
  "tunables" : { "newidle_cost_per_cpu_ns" : 2000 },
  "workload" : { "generator" : "periodic", "count" : 15, "run" : "1ms", "sleep" : "1ms", "jitter" : "900us" },
  "until" : "300ms" })";

/// So many tasks of a group on one CPU that 32 bits do not hold their sum; some leave.
const char* const kCrowd = R"({ "rqscope-scenario" : 1, "machine" : "2 cores",
  "groups" : { "/many" : {} },
  "workload" : [ { "generator" : "hogs", "count" : 180, "group" : "/many", "cpus" : [0] },
                 { "generator" : "periodic", "count" : 3, "run" : "1ms", "sleep" : "2ms" } ],
  "script" : [ { "at" : "450ms", "do" : "pin", "task" : "hog-7", "cpus" : [1] } ],
  "until" : "500ms" })";

/// Three kinds of CPU under hogs and sleepers.
const char* const kPhone = R"({ "rqscope-scenario" : 1, "machine" : "phone-280-855-1024",
  "workload" : [
    { "generator" : "hogs", "count" : 6, "work" : "80ms" },
    { "generator" : "periodic", "count" : 6, "run" : "2ms", "sleep" : "6ms", "jitter" : "1ms" } ],
  "until" : "600ms" })";

/// A group whose members pull its load's cache line between two packages.
const char* const kLines = R"({ "rqscope-scenario" : 1, "machine" : "2 packages x 4 cores",
  "groups" : { "/db" : {} },
  "costs" : { "line_core" : "20ns", "line_llc" : "60ns", "line_node" : "200ns", "line_socket" : "400ns",
              "line_atomic" : "20ns" },
  "workload" : { "generator" : "hackbench", "groups" : 2, "fds" : 6, "loops" : 200, "write" : "20us", "read" : "20us",
                 "group" : "/db" },
  "until" : "200ms" })";

/// Forks beside their parent by the thresholds before v5.18.
const char* const kOldForks = R"({ "rqscope-scenario" : 1, "machine" : "2 packages x 8 cores",
  "patches" : { "numa_imbalance_affinity" : false, "numa_fork_checks_imbalance" : false,
                "numa_threshold_by_llc" : false },
  "workload" : { "rt-app" : { "tasks" : {
    "parent" : { "loop" : 1, "start_cpu" : 0, "phases" : {
      "start" : { "run1" : 1000, "fork1" : "child", "run2" : 1000, "fork2" : "child", "run3" : 1000,
                  "fork3" : "child" },
      "work" : { "loop" : -1, "run" : 100000 } } },
    "child" : { "instance" : 0, "loop" : -1, "run" : 100000 } } } },
  "until" : "50ms" })";

}  // namespace

const std::vector<PatchShow>& patchShows() {
  static const std::vector<PatchShow> shows = {
      {"migrate_util_shr_bound", "v6.12", "juno", 600},
      {"sched_move_task_early_bail", "v6.12", kNodes},
      {"tg_load_avg_ratelimit", "v6.12", kGroups},
      {"tg_load_avg_per_node", "v6.12", kLines},
      {"tg_load_avg_delay_removed", "v6.12", kNodes},
      {"tg_load_avg_delay_removed", "v7.3", kNodes},
      {"skip_update_cfs_group", "v6.12", kGroups},
      {"skip_update_cfs_group", "v7.3", kGroups},
      {"tg_decayed_checks_contrib", "v6.12", kGroups},
      {"eevdf", "v6.12", kSlices},
      {"eevdf", "v6.1", kGroups},
      {"flat_queue", "v6.12", kGroups},
      {"flat_queue", "v7.3", kGroups},
      {"run_to_parity", "v6.12", kSlices},
      {"preempt_short", "v6.12", kSlices},
      {"delayed_dequeue", "v6.12", kSlices},
      {"reweight_keeps_lag", "v6.12", kGroups},
      {"fork_places_at_enqueue", "v6.12", kNodes},
      {"fork_places_at_enqueue", "v7.3", kNodes},
      {"yield_forfeits", "v6.12", kSlices},
      {"yield_forfeits", "v7.3", kSlices},
      {"base_slice_700us", "v6.12", kSlices},
      {"next_buddy_for_short", "v7.3", kSlices},
      {"slice_protection", "v7.3", kSlices},
      {"protect_from_lag", "v7.3", kBatch},
      {"short_slice_eligible", "v7.3", kSlices},
      {"protect_always", "v7.3", kBatch},
      {"protect_till_ineligible", "v7.3", kSlices},
      {"util_est_single", "v6.12", kGroups},
      {"util_est_skip_starved", "v6.12", kSlices},
      {"post_init_se_weight", "v6.12", kNodes},
      {"offline_clears_tg_load", "v6.12", kGroups},
      {"runnable_product_64", "v6.12", kCrowd, 500},
      {"attach_lists_queue", "v6.12", "cases/TG-02"},
      {"quota_never_expires", "v6.12", "cases/TG-03"},
      {"cgroup_mode_up", "v6.12", kGroups},
      {"cgroup_mode_max", "v6.12", kGroups},
      {"cgroup_mode_concur", "v6.12", kGroups},
      {"cgroup_mode_concur", "v7.3", kGroups},
      {"cgroup_mode_tasks", "v6.12", kGroups},
      {"numa_imbalance_affinity", "v6.12", "cases/NU-01"},
      {"numa_fork_checks_imbalance", "v6.12", "cases/NU-01"},
      {"numa_threshold_by_llc", "v6.12", kNodes},
      {"numa_threshold_of_dst", "v6.12", kOldForks},
      {"kthread_wakes_in_place", "v6.12", "cases/WK-03"},
      {"cluster_scan", "v6.12", "cases/WK-02"},
      {"should_balance_idle_core", "v6.12", kNodes},
      {"should_balance_one_answer", "v6.12", "cases/LB-08-two"},
      {"sibling_imbalance", "v6.12", kGroups},
      {"smt_balance", "v6.12", kNodes},
      {"balance_rework", "v6.1", kGroups},
      {"balance_rework", "v6.12", kNodes},
      {"balance_rework", "v7.3", kGroups},
      {"force_balance_when_idle", "v6.12", kAverages},
      {"group_imbalance_min_load", "v6.12", kAverages},
      {"load_imbalance_checked", "v6.1", kPhone, 600},
      {"detach_loop_max_stops", "v6.1", kNodes},
      {"refuse_delayed_migration", "v7.3", kGroups},
      {"refuse_delayed_migration", "v6.12", kGroups},
      {"nohz_needs_update", "v6.12", kGroups},
      {"newidle_ratio", "v6.12", kGroups},
      {"newidle_cost_bump", "v6.12", kCosts},
      {"overlap_groups_inside", "v6.12", "cases/NU-04"},
      {"numa_cpu_nodes_only", "v6.12", "cases/NU-05"},
  };
  return shows;
}

std::shared_ptr<const SimPlan> planWith(const PatchShow& show, bool on) {
  const std::string resources = std::string(RQSCOPE_SOURCE_DIR) + "/resources";
  std::string text = show.scenario;
  std::string file = resources + "/scenarios/" + show.patch + ".json";
  if (text.find('{') == std::string::npos) {
    file = resources + "/scenarios/" + show.scenario + ".json";
    auto read = readTextFile(file);
    EXPECT_TRUE(read.ok()) << file;
    text = read.value();
  }
  ScenarioOverrides overrides;
  overrides.kernel = show.kernel;
  overrides.patches = {{show.patch, on}};
  auto scenario = readScenario(file, text, resources, overrides);
  EXPECT_TRUE(scenario.ok()) << show.patch << ": " << (scenario.ok() ? "" : scenario.error().text());
  if (!scenario.ok()) return nullptr;
  return test::scenarioPlan(scenario.value());
}

std::uint64_t fingerprintWith(const PatchShow& show, bool on) {
  const auto plan = planWith(show, on);
  if (plan == nullptr) return 0;
  Simulator simulator(makeSimState(plan));
  const std::uint64_t limit = show.limitMs * 1'000'000;
  for (SimEvent next = simulator.nextEvent();
       next.kind != SimEventKind::None && next.timeNs - simulator.state().originNs <= limit;
       next = simulator.nextEvent())
    if (!simulator.stepEvent()) break;
  return fingerprint(simulator.state());
}

}  // namespace rqscope::cases
