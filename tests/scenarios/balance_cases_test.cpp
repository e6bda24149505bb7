// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "balance/balance_env.h"
#include "scenarios/case_run.h"

namespace rqscope::cases {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;

TEST(CaseLb01, IdleCpusOfAHeavyNodePull) {
  // Reported of v3.17 to v4.3: idle cores beside a lone thread pull nothing for seconds. Since v5.5 idle CPUs
  // are compared, so after the un-pinning every one of the 64 CPUs finds one of the 66 tasks.
  for (const std::string& kernel : kKernels) {
    CaseRun run("LB-01", {kernel, {}, {}});
    run.keepsDecisions = false;
    run.to(100 * kMs - 1);
    EXPECT_EQ(run.state().idleCount, 14) << kernel;
    run.to(600 * kMs);
    EXPECT_EQ(run.state().idleCount, 0) << kernel;
    EXPECT_EQ(run.state().idleWaitingCpus, 0U) << kernel;
  }
}

/// Passes of idle CPUs of nodes 0 and 1 between nodes that came as far as the statistics, after the
/// un-pinning.
std::vector<const BalancePass*> heavyNodePasses(const CaseRun& run) {
  std::vector<const BalancePass*> out;
  for (const BalancePass& pass : run.passes) {
    const bool isBetweenNodes = (run.machine().topology->domain(pass.domain).flags & kSdNuma) != 0;
    if (isBetweenNodes && pass.dstCpu.value < 16 && pass.idle == CpuIdleType::Idle &&
        pass.timeNs - run.state().originNs > 100 * kMs && pass.end != PassEnd::NotThisCpu)
      out.push_back(&pass);
  }
  return out;
}

TEST(CaseLb01, ComparisonOfAveragesLeavesThemIdle) {
  // The heavy thread alone gives its node 1024 * 1024 / 8192 = 128, a node of eleven threads of a 64th each
  // has less than 32. So for 2.9 s no idle CPU there pulls, while sixteen tasks wait.
  for (const std::string kernel : {"v6.1", "v6.12"}) {
    CaseRun run("LB-01", {kernel, {{"balance_rework", false}}, {}});
    run.to(3000 * kMs);
    EXPECT_EQ(run.state().idleCount, 14) << kernel;
    EXPECT_EQ(run.state().idleWaitingCpus, 14U) << kernel;
    const auto passes = heavyNodePasses(run);
    ASSERT_GT(passes.size(), 10U);
    for (const BalancePass* pass : passes) {
      EXPECT_EQ(pass->end, PassEnd::Balanced);
      EXPECT_EQ(pass->why, FindSrcGroupWhy::LocalLoadGeBusiest);
      const BalanceRound& round = pass->rounds.back();
      EXPECT_GE(round.localAvgLoad, round.busiestAvgLoad);
      EXPECT_EQ(round.average.localMinLoad, 0U) << "an idle CPU is there";
    }
  }
}

TEST(CaseLb01, TheTwoFixesBeforeTheRework) {
  // The paper's: the smallest load of the node is 0, that of a node without idle CPUs is not.
  CaseRun paper("LB-01", {"v6.12", {{"balance_rework", false}, {"group_imbalance_min_load", true}}, {}});
  paper.keepsDecisions = false;
  paper.to(1000 * kMs);
  EXPECT_EQ(paper.state().idleCount, 0);
  // That of v4.15 goes past the averages, and then moves nothing where one light task more is worth nothing
  // to a group whose load per task is above its average: some are filled.
  CaseRun forced("LB-01", {"v6.12", {{"balance_rework", false}, {"force_balance_when_idle", true}}, {}});
  forced.to(1000 * kMs);
  EXPECT_GT(forced.state().idleCount, 0);
  EXPECT_LT(forced.state().idleCount, 14);
  const auto passes = heavyNodePasses(forced);
  const auto isNothing = [](const BalancePass* pass) { return pass->rule == ImbalanceRule::SmallNothing; };
  EXPECT_TRUE(std::any_of(passes.begin(), passes.end(), isNothing));
}

/// Two groups of one CPU: the local one fully busy, the other overloaded with an average load of 236.
json imbalanceInput(int localLoad, int totalLoad) {
  const json zero = {{"avg_load", 0},
                     {"group_load", localLoad},
                     {"group_capacity", 1024},
                     {"group_util", 1000},
                     {"group_runnable", 1000},
                     {"sum_nr_running", 1},
                     {"sum_h_nr_running", 1},
                     {"idle_cpus", 0},
                     {"group_weight", 1},
                     {"group_type", "fully_busy"},
                     {"group_asym_packing", 0},
                     {"group_smt_balance", 0},
                     {"group_misfit_task_load", 0}};
  json busiest = zero;
  busiest["avg_load"] = busiest["group_load"] = 236;
  busiest["sum_nr_running"] = busiest["sum_h_nr_running"] = 3;
  busiest["group_type"] = "overloaded";
  return {{"idle", "not_idle"},      {"sd_flags", json::array({"share_llc"})},
          {"imbalance_pct", 117},    {"imb_numa_nr", 0},
          {"prefer_sibling", 0},     {"total_load", totalLoad},
          {"total_capacity", 10240}, {"sds_avg_load", 0},
          {"local_cores", 1},        {"busiest_cores", 1},
          {"local_smt", false},      {"busiest_smt", false},
          {"local", zero},           {"busiest", busiest}};
}

TEST(CaseLb06, DifferenceBelowZeroMovesLoadWithoutTheTest) {
  // Published numbers: busiest 236, local 104, domain 103: 133 moved instead of nothing.
  const json in = imbalanceInput(104, 1030);
  for (const std::string& kernel : kKernels) {
    const json fixed = evaluated("calculate_imbalance", in, {kernel, {}, {}});
    EXPECT_EQ(fixed["sds_avg_load"], 103);
    EXPECT_EQ(fixed["local_avg_load"], 104);
    EXPECT_EQ(fixed["imbalance"], 0) << kernel;
    const json wrapped =
        evaluated("calculate_imbalance", in, {kernel, {{"load_imbalance_checked", false}}, {}});
    EXPECT_EQ(wrapped["imbalance"], 133) << kernel;
    EXPECT_EQ(wrapped["migration_type"], "load");
  }
  // Without a wrap the smaller difference counts: local 102 is 1 below the average.
  EXPECT_EQ(evaluated("calculate_imbalance", imbalanceInput(102, 1030))["imbalance"], 1);
}

TEST(CaseLb06, ScenarioMeetsTheCase) {
  // Somewhere in the run a pass ends because the local group is at the average or above it.
  CaseRun run("LB-06", {});
  run.to(1000 * kMs);
  const auto ends = [](const BalancePass& pass) {
    return std::any_of(pass.rounds.begin(), pass.rounds.end(), [](const BalanceRound& round) {
      return round.rule == ImbalanceRule::LoadLocalAboveAvg;
    });
  };
  EXPECT_TRUE(std::any_of(run.passes.begin(), run.passes.end(), ends));
}

/// CPUs of `cpus` that say yes to should_we_balance() at the level between nodes, by their state now.
std::vector<int> balancers(CaseRun& run, int first, int last) {
  Machine& m = run.simulator().state().machine;
  Observer nobody;
  Context ctx{m, nobody};
  std::vector<int> out;
  for (int c = first; c <= last; ++c) {
    DomainId d = m.topology->cpus[static_cast<std::size_t>(c)].lowest;
    while (d.isValid() && (m.topology->domain(d).flags & kSdNuma) == 0) d = m.topology->domain(d).parent;
    EXPECT_TRUE(d.isValid());
    const bool idle = !m.rq(CpuId{c}).curr.isValid();
    const BalanceEnv env(ctx, d, CpuId{c}, idle ? CpuIdleType::Idle : CpuIdleType::NotIdle);
    if (shouldWeBalance(env).balance) out.push_back(c);
  }
  return out;
}

TEST(CaseLb08, BalancerIsOnAnIdleCoreSinceV66) {
  for (const std::string& kernel : kKernels) {
    for (const bool patch : {false, true}) {
      CaseRun run("LB-08", {kernel, {{"should_balance_idle_core", patch}}, {}});
      run.to(300 * kMs);
      EXPECT_THAT(balancers(run, 0, 9), ElementsAre(patch ? 7 : 1)) << kernel;
    }
  }
  EXPECT_FALSE(isPatchOn(kernelProfile("v6.1").value(), "should_balance_idle_core"));
  EXPECT_TRUE(isPatchOn(kernelProfile("v6.12").value(), "should_balance_idle_core"));
}

TEST(CaseLb08, TwoCpusBalanceBetweenV66AndV67) {
  for (const std::string& kernel : kKernels) {
    CaseRun fixed("LB-08-two", {kernel, {}, {}});
    fixed.to(1900 * kMs);
    EXPECT_THAT(balancers(fixed, 1, 4), ElementsAre(2)) << kernel;
    CaseRun broken("LB-08-two", {kernel, {{"should_balance_one_answer", false}}, {}});
    broken.to(1900 * kMs);
    EXPECT_THAT(balancers(broken, 1, 4), ElementsAre(1, 2)) << kernel;
  }
}

json detachInput(int failed, int util, int imbalance) {
  json tasks = json::array();
  for (int id : {1, 0})
    tasks.push_back({{"id", id},
                     {"load_avg", 1024},
                     {"util_avg", util},
                     {"util_est", util},
                     {"allowed_on_dst", true},
                     {"allowed_on_cpu2", true},
                     {"running", false},
                     {"ns_since_exec_start", 5'000'000},
                     {"vruntime", 1000 + id},
                     {"delayed", false},
                     {"eligible", true}});
  return {{"config_preemption", false},
          {"util_check", "shifted"},
          {"migration_type", "util"},
          {"imbalance", imbalance},
          {"idle", "idle"},
          {"sd_flags", json::array()},
          {"nr_balance_failed", failed},
          {"cache_nice_tries", 1},
          {"loop", 0},
          {"loop_max", 2},
          {"loop_break", 32},
          {"flags", 1},
          {"new_dst_cpu", nullptr},
          {"src_nr_running", 2},
          {"dst_nr_running", 0},
          {"dst_cfs_h_nr", 0},
          {"cfs_load_avg", 2048},
          {"cached_h_load", nullptr},
          {"migration_cost_ns", 500'000},
          {"tasks_newest_first", tasks}};
}

TEST(CaseLb09, OneFailureHalvesAUtilisationOf512) {
  for (const std::string& kernel : kKernels) {
    const Setting on{kernel, {{"migrate_util_shr_bound", true}}, {}};
    const Setting off{kernel, {{"migrate_util_shr_bound", false}}, {}};
    EXPECT_EQ(evaluated("detach_tasks", detachInput(0, 512, 383), on)["detached"], 0) << kernel;
    EXPECT_EQ(evaluated("detach_tasks", detachInput(1, 512, 383), on)["detached"], 1) << kernel;
    for (const int failed : {0, 1, 5})
      EXPECT_EQ(evaluated("detach_tasks", detachInput(failed, 512, 383), off)["detached"], 0) << kernel;
  }
}

/// Seconds from the un-pinning to the end of the last task.
double secondsToTheEnd(CaseRun& run) {
  run.keepsDecisions = false;
  run.to(60'000 * kMs);
  std::int64_t last = 0;
  for (const ThreadState& t : run.state().workload.threads)
    if (t.program >= 0) last = std::max(last, t.endNs - static_cast<std::int64_t>(run.state().originNs));
  return static_cast<double>(last - 100'000'000) / 1e9;
}

TEST(CaseLb09, LittleCpuIsFilledWithThePatchOnly) {
  for (const std::string& kernel : kKernels) {
    CaseRun on("LB-09", {kernel, {{"migrate_util_shr_bound", true}}, {}});
    on.to(1000 * kMs);
    for (int c = 0; c < 6; ++c) EXPECT_EQ(on.machine().rq(CpuId{c}).nrRunning, 1U) << kernel << " CPU " << c;
    // Tolerance of the report for times: 3 %.
    EXPECT_NEAR(secondsToTheEnd(on), 18.0, 18.0 * 0.03) << kernel;
    CaseRun off("LB-09", {kernel, {{"migrate_util_shr_bound", false}}, {}});
    off.to(5000 * kMs);
    EXPECT_EQ(off.machine().rq(CpuId{5}).nrRunning, 0U) << kernel;
    EXPECT_EQ(std::max(off.machine().rq(CpuId{1}).nrRunning, off.machine().rq(CpuId{2}).nrRunning), 2U)
        << kernel;
    EXPECT_NEAR(secondsToTheEnd(off), 19.3, 19.3 * 0.03) << kernel;
  }
}

/// Tasks looked at in the first pass of CPU 1 that came to detach_tasks().
std::size_t examinedInFirstPass(const Setting& setting, std::uint32_t& loop) {
  CaseRun run("LB-14", setting);
  for (std::uint64_t at = kMs; at <= 100 * kMs; at += kMs) {
    run.to(at);
    for (const BalancePass& pass : run.passes)
      for (const BalanceRound& round : pass.rounds)
        if (pass.dstCpu == CpuId{1} && !round.candidates.empty()) {
          for (const BalanceCandidate& c : round.candidates)
            EXPECT_EQ(c.verdict, BalanceCandidate::Verdict::Affinity);
          loop = round.candidates.back().loop;
          return round.candidates.size();
        }
    run.passes.clear();
  }
  return 0;
}

TEST(CaseLb14, PinnedTasksAreAllLookedAtWithoutTheBound) {
  for (const std::string& kernel : kKernels) {
    std::uint32_t loop = 0;
    EXPECT_EQ(examinedInFirstPass({kernel, {{"detach_loop_max_stops", true}}, {}}, loop), 32U) << kernel;
    // Each breather of 32 counts one turn of the loop without a task: the loop ends at the first breather
    // past nr_running, 32 k + 1 >= 10,000, so k = 313 turns looked at nothing and 32 * 313 - 312 at a task.
    EXPECT_EQ(examinedInFirstPass({kernel, {{"detach_loop_max_stops", false}}, {}}, loop), 9704U) << kernel;
    EXPECT_GE(loop, 10'000U) << kernel;
  }
}

TEST(CaseLb05, PairOfTypesSelectsWhatIsMoved) {
  json in = imbalanceInput(104, 1200);
  in["idle"] = "idle";
  in["sd_flags"] = json::array();
  in["local"]["group_util"] = 400;
  const auto typeOf = [&](const char* local, const char* busiest) {
    in["local"]["group_type"] = local;
    in["busiest"]["group_type"] = busiest;
    return evaluated("calculate_imbalance", in)["migration_type"];
  };
  EXPECT_EQ(typeOf("has_spare", "overloaded"), "util");
  EXPECT_EQ(typeOf("has_spare", "fully_busy"), "task");
  EXPECT_EQ(typeOf("has_spare", "has_spare"), "task");
  EXPECT_EQ(typeOf("has_spare", "imbalanced"), "task");
  EXPECT_EQ(typeOf("overloaded", "overloaded"), "load");
  EXPECT_EQ(typeOf("fully_busy", "overloaded"), "load");
}

}  // namespace
}  // namespace rqscope::cases
