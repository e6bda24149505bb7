// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "runqueue/load_tracking.h"
#include "scenarios/case_run.h"

namespace rqscope::cases {
namespace {

using nlohmann::json;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

TEST(CaseLb03, WakeupsStackBesideAnIdleCpuOfAnotherCache) {
  // Still current in all profiles: a wakeup looks into one cache only.
  for (const std::string& kernel : kKernels) {
    CaseRun run("LB-03", {kernel, {}, {}});
    run.keepsDecisions = false;
    run.to(500 * kMs);
    EXPECT_GT(run.missedIdle, 0U) << kernel;
  }
}

/// CPUs that the forks of a run chose, in order.
std::vector<int> forkChoices(const CaseRun& run) {
  std::vector<int> out;
  for (const Placement& p : run.placements)
    if (p.kind == PlacementKind::Fork && p.wakerCpu.isValid() && p.timeNs != 0) out.push_back(p.chosen.value);
  return out;
}

TEST(CaseNu01, ForkSpreadsOverAllAllowedCpusWithThePatch) {
  // Published: 32 48 0 112 96 80 64 after, 32 48 0 16 16 16 16 before (with CPU 16 for the parent).
  for (const std::string& kernel : kKernels) {
    for (const bool patch : {true, false}) {
      CaseRun run("NU-01", {kernel, {{"numa_imbalance_affinity", patch}}, {}});
      run.to(12 * kMs);
      std::vector<int> cpus = forkChoices(run);
      ASSERT_GE(cpus.size(), 7U);
      cpus.erase(cpus.begin(), cpus.end() - 7);
      std::sort(cpus.begin(), cpus.end());
      // Without this one alone two tasks stack on CPU 16 while 96 and 112 are free: the later limit of small
      // imbalances (numa_fork_checks_imbalance), by which a fork leaves the node earlier, stays on.
      if (patch)
        EXPECT_THAT(cpus, ElementsAre(0, 32, 48, 64, 80, 96, 112)) << kernel;
      else
        EXPECT_THAT(cpus, ElementsAre(0, 16, 16, 32, 48, 64, 80)) << kernel;
      if (!patch) continue;
      const std::uint64_t before = run.state().counters.migrations;
      run.to(300 * kMs);
      EXPECT_EQ(run.state().counters.migrations, before) << kernel << ": migrations after";
    }
  }
}

TEST(CaseNu01, FourStackOnTheParentsCpuAsBeforeTheFix) {
  // The kernel of the report, v5.18-rc1, had neither of the two patches: 32 48 0 16 16 16 16.
  for (const std::string& kernel : kKernels) {
    CaseRun run("NU-01",
                {kernel, {{"numa_imbalance_affinity", false}, {"numa_fork_checks_imbalance", false}}, {}});
    run.to(60 * kMs);
    std::vector<int> cpus = forkChoices(run);
    ASSERT_GE(cpus.size(), 8U);
    cpus.erase(cpus.begin(), cpus.end() - 7);
    EXPECT_THAT(std::vector<int>(cpus.begin(), cpus.begin() + 3), ::testing::UnorderedElementsAre(0, 32, 48))
        << kernel;
    EXPECT_THAT(std::vector<int>(cpus.begin() + 3, cpus.end()), ElementsAre(16, 16, 16, 16)) << kernel;
  }
}

/// Position of the first of the seven children of NU-03 that was placed on node 1, from 0.
int firstOnOtherNode(const Setting& setting) {
  CaseRun run("NU-03", setting);
  run.to(12 * kMs);
  std::vector<int> cpus = forkChoices(run);
  if (cpus.size() < 7) return -1;
  cpus.erase(cpus.begin(), cpus.end() - 7);
  for (std::size_t i = 0; i < cpus.size(); ++i)
    if (cpus[i] >= 8) return static_cast<int>(i);
  return -1;
}

TEST(CaseNu03, FifthTaskIsTheFirstOnTheOtherNodeByTheRuleOfV511) {
  using Patches = std::vector<std::pair<std::string, bool>>;
  const Patches v518 = {{"numa_imbalance_affinity", false},
                        {"numa_fork_checks_imbalance", false},
                        {"numa_threshold_by_llc", false}};
  Patches v511 = v518;
  v511.emplace_back("numa_threshold_of_dst", false);
  for (const std::string& kernel : kKernels) {
    EXPECT_EQ(firstOnOtherNode({kernel, v511, {}}), 3) << kernel << ": counts 0 to 3 stay, the parent is one";
    EXPECT_EQ(firstOnOtherNode({kernel, v518, {}}), 0) << kernel << ": the second task leaves";
  }
}

TEST(CaseNu03, SecondTaskIsTheFirstOnTheOtherNode) {
  for (const std::string& kernel : kKernels) {
    CaseRun run("NU-03", {kernel, {}, {}});
    int imbNumaNr = 0;
    for (const SchedDomain& d : run.machine().topology->domains)
      if ((d.flags & kSdNuma) != 0) imbNumaNr = d.imbNumaNr;
    EXPECT_EQ(imbNumaNr, 1);
    run.to(12 * kMs);
    std::vector<int> cpus = forkChoices(run);
    ASSERT_GE(cpus.size(), 7U);
    cpus.erase(cpus.begin(), cpus.end() - 7);
    // Count 0 (the parent itself) stays, count 1 leaves.
    EXPECT_GE(cpus[0], 8) << kernel;
  }
  // The inequality itself, the same function at all call sites: small imbalances pass while the number
  // running there afterwards is within imb_numa_nr.
  const auto adjusted = [](int running) {
    return evaluated("adjust_numa_imbalance",
                     {{"imbalance", 2}, {"dst_running", running}, {"imb_numa_nr", 1}});
  };
  EXPECT_EQ(adjusted(1)["imbalance"], 0);
  EXPECT_EQ(adjusted(2)["imbalance"], 2);
}

std::vector<int> scanBudgets(int cpus, const std::string& kernel) {
  std::vector<int> out;
  for (const int percent : {0, 5, 15, 25, 35, 45, 55, 65, 75, 85, 86}) {
    const json in = {{"idle", "idle"},
                     {"sum_util", cpus * 1024 * percent / 100},
                     {"domain_has_shared", true},
                     {"domain_weight", cpus},
                     {"imbalance_pct", 117},
                     {"previous_nr_idle_scan", 99},
                     {"llc_size", cpus}};
    out.push_back(evaluated("update_idle_cpu_scan", in, {kernel, {}, {}})["nr_idle_scan"].get<int>());
  }
  return out;
}

TEST(CaseWk01, BudgetFallsWithTheSquareOfUtilisation) {
  for (const std::string& kernel : kKernels) {
    EXPECT_THAT(scanBudgets(112, kernel), ElementsAre(112, 111, 108, 102, 93, 81, 65, 47, 25, 1, 0));
    EXPECT_THAT(scanBudgets(16, kernel), ElementsAre(16, 15, 15, 14, 13, 11, 9, 6, 3, 0, 0));
    EXPECT_THAT(scanBudgets(8, kernel), ElementsAre(8, 7, 7, 7, 6, 5, 4, 3, 1, 0, 0));
  }
}

/// Scans of the run that left the target's cluster of four, and those of them that had not seen all of it.
std::pair<int, int> scansAcrossClusters(const Setting& setting) {
  CaseRun run("WK-02", setting);
  run.to(200 * kMs);
  int across = 0, incomplete = 0;
  for (const Placement& p : run.placements) {
    std::set<int> seen;
    bool left = false;
    for (const PlacementCpu& c : p.cpus) {
      if (c.step != PlacementStep::IdleCpuScan || left) continue;
      left = c.cpu.value / 4 != p.target.value / 4;
      if (!left && c.cpu != p.target) seen.insert(c.cpu.value);
    }
    across += left ? 1 : 0;
    incomplete += left && seen.size() < 3 ? 1 : 0;
  }
  return {across, incomplete};
}

TEST(CaseWk02, ScanTakesTheWholeClusterFirst) {
  for (const char* kernel : {"v6.12", "v7.3"}) {
    const auto [across, incomplete] = scansAcrossClusters({kernel, {{"cluster_scan", true}}, {}});
    EXPECT_GT(across, 0) << kernel;
    EXPECT_EQ(incomplete, 0) << kernel;
    EXPECT_GT(scansAcrossClusters({kernel, {{"cluster_scan", false}}, {}}).second, 0) << kernel;
  }
  EXPECT_GT(scansAcrossClusters({"v6.1", {{"cluster_scan", false}}, {}}).second, 0);
}

/// Where wakeups of the submitter by the kthread of its own CPU went.
std::set<int> wakeupsFromOwnKthread(const Setting& setting) {
  CaseRun run("WK-03", setting);
  run.to(200 * kMs);
  const TaskId submitter = run.task("submitter");
  std::set<int> out;
  for (const Placement& p : run.placements)
    if (p.task == submitter && p.kind == PlacementKind::Wakeup && p.prevCpu == CpuId{2} &&
        p.wakerCpu == CpuId{2})
      out.insert(p.chosen.value);
  return out;
}

TEST(CaseWk03, SubmitterStaysWithItsKworker) {
  for (const std::string& kernel : kKernels) {
    EXPECT_THAT(wakeupsFromOwnKthread({kernel, {}, {}}), ElementsAre(2)) << kernel;
    const std::set<int> without = wakeupsFromOwnKthread({kernel, {{"kthread_wakes_in_place", false}}, {}});
    EXPECT_FALSE(without.empty()) << kernel;
    EXPECT_EQ(without.count(2), 0U) << kernel;
  }
}

TEST(CaseWk06, OneCpuIsOverloadedFrom876) {
  const auto overloaded = [](int util, const std::string& kernel) {
    const json sgs = {{"avg_load", 0},           {"group_load", 100},      {"group_capacity", 1024},
                      {"group_util", util},      {"group_runnable", util}, {"sum_nr_running", 2},
                      {"sum_h_nr_running", 2},   {"idle_cpus", 0},         {"group_weight", 1},
                      {"group_asym_packing", 0}, {"group_smt_balance", 0}, {"group_misfit_task_load", 0}};
    return evaluated("group_classify", {{"imbalance_pct", 117}, {"sgc_imbalance", 0}, {"sgs", sgs}},
                     {kernel, {}, {}})["is_overloaded"];
  };
  for (const std::string& kernel : kKernels) {
    EXPECT_EQ(overloaded(875, kernel), false) << kernel;
    EXPECT_EQ(overloaded(876, kernel), true) << kernel;
  }
}

double shareOfForksThatStay(bool bail) {
  CaseRun run("WK-06", {"v6.12", {{"sched_move_task_early_bail", bail}}, {}});
  run.to(700 * kMs);
  double forks = 0, stays = 0;
  for (const Placement& p : run.placements) {
    if (p.kind != PlacementKind::Fork) continue;
    ++forks;
    if (p.chosen == p.wakerCpu) ++stays;
  }
  return forks > 0 ? stays / forks : 0;
}

TEST(CaseWk06, ForksStayMoreOftenWithoutTheEarlyBail) {
  // Direction only, as the report.
  const double revert = shareOfForksThatStay(false), bail = shareOfForksThatStay(true);
  std::printf("forks that stay: %.3f without, %.3f with the early bail\n", revert, bail);
  EXPECT_GT(revert, bail);
}

std::uint64_t estimateAt(CaseRun& run, std::uint64_t timeNs) {
  run.keepsDecisions = false;
  run.to(timeNs);
  return taskUtilEstRaw(run.machine(), run.task("TA"));
}

/// Where energy-aware wakeups of P went, by CPU, and the last record of one that left CPU 0.
std::map<int, int> energyChoices(const Setting& setting, bool headroom) {
  CaseRun run("CA-01", setting, [&](Tunables& t) { t.dvfsHeadroom = headroom; });
  run.to(1000 * kMs);
  std::map<int, int> out;
  const TaskId p = run.task("P");
  for (const Placement& one : run.placements)
    if (one.task == p && one.decidedBy == PlacementStep::EnergyAware) ++out[one.chosen.value];
  return out;
}

TEST(CaseCa01, PlacementByEnergyPrefersTheLittleCpus) {
  // The published figures themselves are asserted in EnergyAware.WorkedExampleOfTheDocumentationChoosesCpu1.
  for (const std::string& kernel : kKernels)
    for (const bool headroom : {false, true}) {
      const std::map<int, int> chosen = energyChoices({kernel, {}, {}}, headroom);
      int little = 0, big = 0;
      for (const auto& [cpu, count] : chosen) (cpu < 2 ? little : big) += count;
      EXPECT_GT(little, 50) << kernel << headroom;
      EXPECT_LT(big, little) << kernel << headroom;
    }
}

TEST(CaseCa03, EstimateStaysWhenATwinJoins) {
  for (const char* kernel : {"v6.12", "v7.3"}) {
    CaseRun on(std::string("CA-03"), {kernel, {{"util_est_skip_starved", true}}, {}});
    const std::uint64_t alone = estimateAt(on, 990 * kMs);
    // 888 published, 931 by ideal arithmetic: the report accepts 880 to 935.
    EXPECT_GE(alone, 880U) << kernel;
    EXPECT_LE(alone, 935U) << kernel;
    EXPECT_GE(estimateAt(on, 2000 * kMs), alone - alone / 50) << kernel;
    CaseRun off(std::string("CA-03"), {kernel, {{"util_est_skip_starved", false}}, {}});
    EXPECT_EQ(estimateAt(off, 990 * kMs), alone) << kernel;
    EXPECT_LT(estimateAt(off, 2000 * kMs), alone * 8 / 10) << kernel;
  }
}

}  // namespace
}  // namespace rqscope::cases
