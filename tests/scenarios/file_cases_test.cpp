// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
// Reports about files that describe machines and workloads: the machine or the run that they should give.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <limits>
#include <utility>

#include "rqscope/simulation.h"
#include "scenarios/case_run.h"
#include "topology/sched_topology.h"

namespace rqscope::cases {
namespace {

TEST(CaseTr04, SleepersOfCpusThatVanishedWakeOnThoseThatAreLeft) {
  for (const std::string& kernel : kKernels) {
    CaseRun run("TR-04", {kernel, {}, {}});
    run.to(1990 * kMs);
    std::uint64_t gone = 0;
    std::vector<std::pair<std::uint64_t, CpuId>> offlineAt;
    for (int cpu = 23; cpu >= 8; --cpu)
      offlineAt.emplace_back(static_cast<std::uint64_t>(24 - cpu) * 100 * kMs, CpuId{cpu});
    const std::uint64_t origin = run.state().originNs;
    for (const Placement& placement : run.placements)
      for (const auto& [at, cpu] : offlineAt) {
        if (placement.timeNs - origin <= at) continue;
        EXPECT_NE(placement.chosen, cpu) << kernel << " at " << placement.timeNs - origin;
        if (placement.prevCpu == cpu) ++gone;
      }
    std::printf("%s: %lu wakeups of tasks whose previous CPU was gone\n", kernel.c_str(), gone);
    EXPECT_GT(gone, 10U) << kernel;
    EXPECT_EQ(run.machine().topology->online.list(), "0-7") << kernel;
    EXPECT_EQ(run.machine().topology->hardware.cpus.size(), 24U) << "the others keep their place";
    for (const Task& task : run.machine().tasks)
      if (task.se.isValid()) {
        EXPECT_LT(task.cpu.value, 8) << kernel;
      }
  }
}

TEST(CaseTr04, NumbersWithHolesAreShownAsGiven) {
  CaseRun run("TR-04-gaps", {});
  run.to(290 * kMs);
  EXPECT_EQ(run.machine().topology->online.list(), "0-7,16-23");
  EXPECT_EQ(run.machine().topology->hardware.cpus.size(), 16U);
  EXPECT_EQ(run.machine().rqs.size(), 24U) << "by the highest number";
  const api::Opened opened = api::Simulation::open("TR-04-gaps", {});
  ASSERT_NE(opened.simulation, nullptr);
  const auto frame = opened.simulation->frame();
  ASSERT_EQ(frame->cpus.size(), 16U);
  EXPECT_EQ(frame->cpus.back().id, 23);
  EXPECT_EQ(frame->cpus[8].id, 16);
}

/// Name and span of each domain of a CPU, without one CPU.
std::vector<std::pair<std::string, std::string>> levelsOf(const SchedTopology& t, CpuId cpu, CpuId without) {
  std::vector<std::pair<std::string, std::string>> out;
  for (DomainId d = t.cpus[cpu.index()].lowest; d.isValid(); d = t.domain(d).parent) {
    CpuMask span = t.domain(d).span;
    span.clear(without);
    out.emplace_back(t.domain(d).name, span.list());
  }
  return out;
}

TEST(CaseTr05, AnOfflineCpuTakesItsLeafAndNothingElse) {
  for (const std::string& kernel : kKernels) {
    CaseRun run("TR-05", {kernel, {}, {}});
    run.keepsDecisions = false;
    run.to(50 * kMs);
    const auto first = run.machine().topology;
    EXPECT_EQ(first->online.list(), "0,2-95");
    EXPECT_EQ(first->smtMask[49].list(), "49") << "its core has one thread online";
    EXPECT_EQ(first->smtMask[0].list(), "0,48");
    run.to(150 * kMs);
    const auto second = run.machine().topology;
    EXPECT_EQ(second->online.list(), "2-95");
    EXPECT_EQ(second->smtMask[48].list(), "48");
    for (const int cpu : {2, 23, 24, 50, 72, 95})
      EXPECT_EQ(levelsOf(*second, CpuId{cpu}, CpuId{0}), levelsOf(*first, CpuId{cpu}, CpuId{0}))
          << kernel << " CPU " << cpu;
    // The core of CPU 48 has lost its level of threads, as that of CPU 49 had.
    EXPECT_EQ(levelsOf(*second, CpuId{48}, CpuId{0}).front().first,
              levelsOf(*second, CpuId{49}, CpuId{0}).front().first);
  }
}

TEST(CaseTr05, ThreadsAreNotInferredFromTheOrderOfTheNumbers) {
  const auto plan = casePlan("TR-05-ids", {});
  const SchedTopology& t = *plan->topology;
  int inFirst = 0;
  for (const HardwareCpu& cpu : t.hardware.cpus) {
    EXPECT_EQ(t.smtMask[cpu.id.index()].list(), std::to_string(cpu.id.value)) << "one thread a core";
    EXPECT_EQ(cpu.package, cpu.id.value % 2);
    inFirst += cpu.package == 0 ? 1 : 0;
  }
  EXPECT_EQ(inFirst, 12);
  EXPECT_EQ(t.domain(t.cpus[0].lowest).span.list(), "0,2,4,6,8,10,12,14,16,18,20,22");
}

/// Lowest and highest utilisation of a task from 1 s on, looked at after each event.
std::pair<std::uint64_t, std::uint64_t> swing(CaseRun& run, const std::string& name) {
  std::uint64_t low = std::numeric_limits<std::uint64_t>::max(), high = 0;
  run.to(1000 * kMs);
  const TaskId task = run.task(name);
  while (run.state().timeNs() < 1900 * kMs && run.simulator().stepEvent()) {
    const std::uint64_t util = run.machine().se(task).avg.utilAvg;
    low = std::min(low, util);
    high = std::max(high, util);
  }
  return {low, high};
}

TEST(CaseTr08, LongerRunsThanIntendedLiftTheSwing) {
  // Published ideal swings, each within 2: 8.0, 8.5 and 9.0 ms of 16.
  const struct {
    const char* task;
    std::uint64_t low, high;
  } kSwings[] = {{"intended", 468, 555}, {"longer", 500, 586}, {"longest", 533, 618}};
  for (const std::string& kernel : kKernels)
    for (const auto& wanted : kSwings) {
      CaseRun run("TR-08", {kernel, {}, {}});
      run.keepsDecisions = false;
      const auto [low, high] = swing(run, wanted.task);
      std::printf("%s %s: %lu to %lu, published %lu to %lu\n", kernel.c_str(), wanted.task, low, high,
                  wanted.low, wanted.high);
      EXPECT_NEAR(static_cast<double>(low), static_cast<double>(wanted.low), 2) << kernel << wanted.task;
      EXPECT_NEAR(static_cast<double>(high), static_cast<double>(wanted.high), 2) << kernel << wanted.task;
    }
}

}  // namespace
}  // namespace rqscope::cases
