// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "placement/energy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "placement/select_task_rq.h"
#include "runqueue/load_tracking.h"
#include "runqueue/queue.h"
#include "runqueue/uclamp.h"
#include "topology/machine_file.h"

namespace rqscope {
namespace {

using Verdict = EnergyCandidate::Verdict;
using Why = EnergyChoice::Why;

/// The machine of the worked example in the kernel's documentation (sched-energy), power in microwatts.
constexpr const char* kTwoAndTwo = R"({ "schema" : "rqscope-machine/1", "rules" : "arch_topology",
  "cluster_level" : false,
  "energy" : [
    { "cpus" : "0-1", "states" : [ { "capacity" : 170, "power" : 50000 }, { "capacity" : 341, "power" : 150000 },
                                   { "capacity" : 512, "power" : 300000 } ] },
    { "cpus" : "2-3", "states" : [ { "capacity" : 512, "power" : 400000 }, { "capacity" : 768, "power" : 800000 },
                                   { "capacity" : 1024, "power" : 1700000 } ] } ],
  "cpus" : [ { "cpus" : "0-1", "package" : 0, "llc" : 0, "capacity" : 512 },
             { "cpus" : "2-3", "package" : 1, "llc" : 1, "capacity" : 1024 } ] })";

/// The example's state: utilisation 400 100 600 500, and P, 200 of it, asleep on CPU 0.
class Example {
 public:
  explicit Example(const char* kernel, bool headroom, std::uint64_t taskUtil = 200,
                   const std::vector<std::uint64_t>& utils = {400, 100, 600, 500}) {
    KernelProfile profile = kernelProfile(kernel).value();
    profile.tunables.energyAware = true;
    profile.tunables.dvfsHeadroom = headroom;
    const Hardware hardware = readMachineJson(kTwoAndTwo, "two-and-two").value();
    m = makeMachine(buildSchedTopology(hardware, profile).value(),
                    std::make_shared<const KernelProfile>(profile), 1'000'000'000, 1);
    for (std::size_t c = 0; c < utils.size(); ++c) m.rootCfs(CpuId{c}).avg.utilAvg = utils[c];
    for (int c = 0; c < 4; ++c) m.rq(CpuId{c}).cpuCapacity = capacityOrig(m, CpuId{c});
    NewTask spec;
    spec.name = "P";
    task = addTask(m, spec);
    m.task(task).state = TaskState::Sleeping;
    SchedAvg& avg = m.se(task).avg;
    avg.utilAvg = taskUtil;
    avg.lastUpdateTime = m.rootCfs(CpuId{0}).avg.lastUpdateTime = 1;
  }

  CpuId choose() {
    Context ctx{m, nobody};
    return findEnergyEfficientCpu(ctx, task, CpuId{0}, CpuId{0}, &choice, true);
  }
  const EnergyCandidate& of(int cpu) const {
    for (const EnergyCandidate& c : choice.cpus)
      if (c.cpu == CpuId{cpu}) return c;
    ADD_FAILURE() << "CPU " << cpu << " was not looked at";
    return choice.cpus.front();
  }

  Machine m;
  TaskId task;
  EnergyChoice choice;
  Observer nobody;
};

TEST(EnergyAware, WorkedExampleOfTheDocumentationChoosesCpu1) {
  // Published, not truncated: 1365.8 on CPU 1, 1486.1 on CPU 3, 1438.8 on CPU 0. It has no headroom.
  Example example("v6.12", false);
  EXPECT_EQ(example.choose(), CpuId{1});
  EXPECT_EQ(example.choice.why, Why::LessEnergy);
  EXPECT_EQ(example.of(1).energy, 500U * (1'500'000 / 341));
  EXPECT_EQ(example.of(0).energy, 500U * (3'000'000 / 512));
  EXPECT_EQ(example.of(3).energy, 1300U * (8'000'000 / 768));
  const std::uint64_t little = example.of(1).baseEnergy, big = example.of(3).baseEnergy;
  EXPECT_NEAR(static_cast<double>(example.of(1).energy + big) / 10'000, 1365.8, 0.3);
  EXPECT_NEAR(static_cast<double>(example.of(3).energy + little) / 10'000, 1486.1, 0.3);
  EXPECT_NEAR(static_cast<double>(example.of(0).energy + big) / 10'000, 1438.8, 0.3);
  EXPECT_EQ(example.of(2).verdict, Verdict::LessRoom);
  EXPECT_EQ(example.of(3).verdict, Verdict::MoreEnergy);
}

TEST(EnergyAware, AllKernelsAgreeOnTheExample) {
  for (const char* kernel : {"v6.1", "v6.12", "v7.3"}) EXPECT_EQ(Example(kernel, false).choose(), CpuId{1});
  // v6.1 keeps power times the highest frequency per frequency, and divides by the capacity.
  Example old("v6.1", false);
  old.choose();
  EXPECT_EQ(old.of(1).cost, 512'000ULL * 150'000 / 341'000);
  EXPECT_EQ(old.of(1).energy, old.of(1).cost * 500 / 512);
}

TEST(EnergyAware, HeadroomOfSchedutilKeepsTheTaskWhereItWas) {
  // 300 and 400 with a quarter more both need the point of 512: no gain, the previous CPU stays.
  for (const char* kernel : {"v6.1", "v6.12", "v7.3"}) {
    Example example(kernel, true);
    EXPECT_EQ(example.choose(), CpuId{0}) << kernel;
    EXPECT_EQ(example.choice.why, Why::PrevStays) << kernel;
    EXPECT_EQ(example.of(0).energy, example.of(1).energy) << kernel;
  }
}

TEST(EnergyAware, OverutilizedLeavesTheChoiceToTheOthers) {
  Example example("v6.12", false);
  example.m.rootDomains[0].overutilized = true;
  EXPECT_FALSE(example.choose().isValid());
  EXPECT_EQ(example.choice.why, Why::Overutilized);
}

TEST(EnergyAware, TaskWithoutUtilisationStays) {
  Example example("v6.12", false, 0);
  EXPECT_EQ(example.choose(), CpuId{0});
  EXPECT_EQ(example.choice.why, Why::NoUtil);
}

TEST(EnergyAware, LeastClampNeedsABigCpu) {
  Example example("v6.12", true, 50, {100, 100, 100, 100});
  setTaskClamps(example.m, example.task, {800, 1024});
  EXPECT_EQ(example.choose(), CpuId{2});
  EXPECT_EQ(example.choice.why, Why::FitsBetter);
  EXPECT_EQ(example.of(0).fits, -1);
  EXPECT_EQ(example.of(2).fits, 1);
}

TEST(EnergyAware, GreatestClampLetsAHeavyTaskFitALittleCpu) {
  Example free("v6.12", true, 480, {480, 0, 0, 0});
  EXPECT_EQ(free.choose(), CpuId{2});
  EXPECT_EQ(free.of(0).fits, 0);
  Example capped("v6.12", true, 480, {480, 0, 0, 0});
  setTaskClamps(capped.m, capped.task, {0, 300});
  EXPECT_EQ(capped.choose(), CpuId{0});
  EXPECT_EQ(capped.of(0).fits, 1);
}

TEST(EnergyAware, AffinityIsHeeded) {
  Example example("v6.12", false);
  CpuMask allowed;
  for (const int c : {0, 2, 3}) allowed.set(CpuId{c});
  setTaskAffinity(example.m, example.task, allowed);
  EXPECT_EQ(example.choose(), CpuId{0});
  EXPECT_EQ(example.of(1).verdict, Verdict::NotAllowed);
}

TEST(EnergyAware, SelectTaskRqUsesItForWakeupsOnly) {
  for (const bool wakes : {true, false}) {
    Example example("v6.12", false);
    Context ctx{example.m, example.nobody};
    Placement placement;
    const CpuId cpu =
        selectTaskRqFair(ctx, example.task, CpuId{0}, CpuId{0}, wakes ? kWfTtwu : kWfFork, &placement);
    EXPECT_EQ(placement.decidedBy == PlacementStep::EnergyAware, wakes);
    if (wakes) {
      EXPECT_EQ(cpu, CpuId{1});
    }
  }
}

TEST(EnergyAware, NeedsAModelForEachCpuAndUnequalCapacities) {
  KernelProfile profile = kernelProfile("v6.12").value();
  const Hardware hardware = readMachineJson(kTwoAndTwo, "two-and-two").value();
  const auto isOn = [&](const Hardware& hw) {
    const auto topology = buildSchedTopology(hw, profile).value();
    return !topology->perfDomains.empty() && !topology->perfDomains[0].empty();
  };
  EXPECT_FALSE(isOn(hardware));  // sched_energy_aware is off
  profile.tunables.energyAware = true;
  EXPECT_TRUE(isOn(hardware));
  Hardware partly = hardware;
  partly.energy.pop_back();
  EXPECT_FALSE(isOn(partly));
  Hardware equal = hardware;
  for (HardwareCpu& cpu : equal.cpus) cpu.capacity = 1024;
  EXPECT_FALSE(isOn(equal));
}

TEST(EnergyAware, PointsThatSaveNothingAreSkipped) {
  KernelProfile profile = kernelProfile("v6.12").value();
  profile.tunables.energyAware = true;
  Hardware hardware = readMachineJson(kTwoAndTwo, "two-and-two").value();
  hardware.energy[0].states[1].power = 250'000;  // 7331 per unit at 341, 5859 at 512
  const auto topology = buildSchedTopology(hardware, profile).value();
  ASSERT_EQ(topology->perfDomains[0].size(), 2U);
  EXPECT_EQ(topology->perfDomains[0][0].cpus.first(),
            CpuId{2});  // the kernel's list is filled from the front
  EXPECT_TRUE(topology->perfDomains[0][1].states[1].isInefficient);
  EXPECT_FALSE(topology->perfDomains[0][1].states[0].isInefficient);
}

TEST(Uclamp, QueueHoldsTheGreatestOfItsTasksAndTheLastWhenIdle) {
  Example example("v6.12", true);
  Machine& m = example.m;
  NewTask spec;
  const TaskId other = addTask(m, spec);
  setTaskClamps(m, example.task, {100, 300});
  setTaskClamps(m, other, {200, 250});
  Rq& rq = m.rq(CpuId{0});
  clampRqInc(m, CpuId{0}, example.task);
  EXPECT_EQ(rq.uclampMax, 300);
  clampRqDec(m, CpuId{0}, example.task);
  EXPECT_TRUE(rq.uclampIdle);
  EXPECT_EQ(rq.uclampMin, 0);
  EXPECT_EQ(rq.uclampMax, 300);
  clampRqInc(m, CpuId{0}, other);
  EXPECT_EQ(rq.uclampMin, 200);
  EXPECT_EQ(rq.uclampMax, 250);
}

TEST(Uclamp, GroupRestrictsItsTasks) {
  Example example("v6.12", true);
  Machine& m = example.m;
  const GroupId group = addGroup(m, "/a", GroupId{0});
  const GroupId inner = addGroup(m, "/a/b", group);
  setGroupClamps(m, group, {100, 500});
  setGroupClamps(m, inner, {300, 900});
  EXPECT_EQ(m.group(inner).uclampMin, 100);
  EXPECT_EQ(m.group(inner).uclampMax, 500);
  m.task(example.task).group = inner;
  setTaskClamps(m, example.task, {0, 1024});
  EXPECT_EQ(m.task(example.task).uclampMin, 100);
  EXPECT_EQ(m.task(example.task).uclampMax, 500);
}

}  // namespace
}  // namespace rqscope
