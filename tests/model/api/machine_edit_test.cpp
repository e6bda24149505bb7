// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "rqscope/machine_edit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "rqscope/topology.h"

namespace rqscope::api {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

EditMachine opened(const std::string& name) {
  const EditOpened result = editMachine(name);
  EXPECT_TRUE(result.machine.has_value()) << name;
  return result.machine.value_or(EditMachine{});
}

/// Names and spans of a CPU's domains, lowest first.
std::vector<std::string> domainsOf(const MachineLayout& layout, int cpu) {
  std::vector<std::string> out;
  for (const LayoutCpu& c : layout.cpus) {
    if (c.id != cpu) continue;
    for (const std::int32_t d : c.domains) {
      const LayoutDomain& domain = layout.domains[static_cast<std::size_t>(d)];
      out.push_back(domain.name + " " + std::to_string(domain.span.size()));
    }
  }
  return out;
}

std::string recordOf(const EditMachine& machine, const std::string& kernel) {
  return machineText(machine, kernel, MachineFormat::Record).text;
}

/// What the kernel builds: domains, groups and the shortcuts of each CPU.
nlohmann::json builtOf(const EditMachine& machine) {
  const auto record = nlohmann::json::parse(recordOf(machine, "v7.3"));
  nlohmann::json out = {record["domains"], record["groups"]};
  for (const auto& cpu : record["cpus"])
    for (const char* key :
         {"sd_llc", "sd_numa", "sd_asym_packing", "llc_id", "llc_size", "capacity", "root_domain_span"})
      out.push_back(cpu.contains(key) ? cpu[key] : nlohmann::json());
  return out;
}

/// Core numbers only name the cores: a saved machine counts them anew.
std::vector<EditCpu> withoutCores(std::vector<EditCpu> cpus) {
  for (EditCpu& cpu : cpus) cpu.core = 0;
  return cpus;
}

TEST(MachineEdit, UntouchedMachineGivesTheDomainsOfTheFile) {
  for (const Named& named : builtinMachines()) {
    const EditMachine machine = opened(named.name);
    EXPECT_TRUE(faultsOf(machine).empty()) << named.name;
    const auto expected = nlohmann::json::parse(machineTopology(named.name, "v6.12").recordJson);
    EXPECT_TRUE(nlohmann::json::parse(recordOf(machine, "v6.12")) == expected) << named.name;
  }
}

TEST(MachineEdit, SavedTextGivesTheSameMachineBack) {
  const std::string path = testing::TempDir() + "rqscope-machine-edit.json";
  for (const Named& named : builtinMachines()) {
    EditMachine machine = opened(named.name);
    machine.cpus[1].online = false;
    machine.cpus[2].isolated = true;
    machine.cpus[3].capacity = 300;
    machine.cpus[3].throughput = 200;
    std::ofstream(path) << machineText(machine, "", MachineFormat::MachineFile).text;
    const EditMachine again = opened(path);
    EXPECT_TRUE(withoutCores(again.cpus) == withoutCores(machine.cpus)) << named.name;
    EXPECT_TRUE(again.nodes == machine.nodes) << named.name;
    EXPECT_TRUE(builtOf(again) == builtOf(machine)) << named.name;
  }
  std::filesystem::remove(path);
}

TEST(MachineEdit, OfflineCpuLeavesTheDomainsOfTheOthers) {
  EditMachine machine = opened("i7-13700k");
  const auto before = previewMachine(machine, "v6.12").layout;
  ASSERT_NE(before, nullptr);
  EXPECT_THAT(domainsOf(*before, 0), ElementsAre("SMT 2", "MC 24"));
  machine.cpus[1].online = false;
  const auto after = previewMachine(machine, "v6.12").layout;
  ASSERT_NE(after, nullptr);
  EXPECT_THAT(domainsOf(*after, 0), ElementsAre("MC 23"));
  EXPECT_THAT(domainsOf(*after, 1), ElementsAre());
}

TEST(MachineEdit, CountsOfRegularMachinesAreThoseOfTheirLayout) {
  const EditMachine milan = opened("epyc-milan-2s-nps2");
  EXPECT_TRUE(milan.isRegular);
  EXPECT_EQ(milan.counts, (MachineCounts{2, 2, 4, 0, 8, 2}));
  const EditMachine compact = opened("3 packages x 2 LLC x 2 clusters x 4 cores, distances 10/21");
  EXPECT_TRUE(compact.isRegular);
  EXPECT_EQ(compact.counts, (MachineCounts{3, 1, 2, 2, 4, 1}));
  EXPECT_FALSE(opened("juno-r2").isRegular);
  EXPECT_FALSE(opened("i7-13700k").isRegular);
}

TEST(MachineEdit, ChangedCountsGiveTheMachineOfTheCompactNotation) {
  const EditMachine from = opened("2 packages x 4 cores x 2 threads, distances 10/21");
  const CountedMachine counted = withCounts(from, {4, 1, 2, 0, 4, 2});
  ASSERT_TRUE(counted.machine.has_value());
  const EditMachine expected = opened("4 packages x 2 LLC x 4 cores x 2 threads, distances 10/21");
  EXPECT_EQ(counted.machine->cpus, expected.cpus);
  EXPECT_EQ(counted.machine->nodes, expected.nodes);
  EXPECT_EQ(counted.machine->counts, expected.counts);
  const auto a = previewMachine(*counted.machine, "v6.12").layout;
  const auto b = previewMachine(expected, "v6.12").layout;
  ASSERT_TRUE(a && b);
  EXPECT_EQ(domainsOf(*a, 0), domainsOf(*b, 0));
}

TEST(MachineEdit, CountsThereAndBackKeepWhatEveryCpuWas) {
  EditMachine from = opened("smt-4x2");
  from.cpus[1].online = false;
  from.cpus[2].capacity = 500;
  MachineCounts more = from.counts;
  more.cores = 6;
  const CountedMachine there = withCounts(from, more);
  ASSERT_TRUE(there.machine.has_value());
  EXPECT_EQ(there.machine->cpus.size(), 12U);
  EXPECT_FALSE(there.machine->cpus[1].online);
  const CountedMachine back = withCounts(*there.machine, from.counts);
  ASSERT_TRUE(back.machine.has_value());
  EXPECT_EQ(back.machine->cpus, from.cpus);
}

TEST(MachineEdit, FaultsNameTheirField) {
  EditMachine machine = opened("epyc-milan-2s-nps2");
  machine.cpus[3].capacity = 2000;
  machine.nodes[1].distances[2] = 9;
  const auto faults = faultsOf(machine);
  ASSERT_EQ(faults.size(), 2U);
  EXPECT_EQ(faults[0].field, "capacity");
  EXPECT_EQ(faults[0].cpu, 3);
  EXPECT_EQ(faults[1].field, "distances");
  EXPECT_EQ(faults[1].row, 1);
  EXPECT_EQ(faults[1].column, 2);
  EXPECT_EQ(previewMachine(machine, "v6.12").layout, nullptr);
  EXPECT_TRUE(machineText(machine, "v6.12", MachineFormat::Record).text.empty());
  EXPECT_FALSE(withCounts(machine, {100, 100, 1, 0, 1, 1}).faults.empty());
  EXPECT_FALSE(withCounts(machine, {0, 1, 1, 0, 1, 1}).faults.empty());
  EXPECT_FALSE(readCpuList(machine, "0,999", "offline").faults.empty());
  EXPECT_FALSE(readCpuList(machine, "x", "offline").faults.empty());
  EXPECT_THAT(readCpuList(machine, "1,4-5", "offline").cpus, ElementsAre(1, 4, 5));
}

TEST(MachineEdit, NoCpuOnlineIsAFault) {
  EditMachine machine = opened("vm-4cpu");
  for (EditCpu& cpu : machine.cpus) cpu.online = false;
  ASSERT_EQ(faultsOf(machine).size(), 1U);
  EXPECT_EQ(faultsOf(machine)[0].field, "online");
}

TEST(MachineEdit, ScenarioRunsWithTheMachineThatWasPutIn) {
  for (const char* scenario : {"juno", "misfit", "smt"}) {
    const Opened before = Simulation::open(scenario, {});
    ASSERT_NE(before.simulation, nullptr) << scenario;
    const std::string text = before.simulation->scenarioText();
    const EditOpened own = editScenarioMachine(scenario, text, {});
    ASSERT_TRUE(own.machine.has_value());
    EditMachine machine = *own.machine;
    machine.cpus.back().capacity = 222;
    const MachineText put = scenarioWithMachine(scenario, text, machine);
    const Opened after = Simulation::openText(scenario, put.text, {});
    ASSERT_NE(after.simulation, nullptr) << scenario << "\n" << put.text;
    const auto layout = after.simulation->layout();
    ASSERT_EQ(layout->cpus.size(), machine.cpus.size());
    EXPECT_EQ(layout->cpus.back().capacity, 222);
    for (std::size_t i = 0; i < machine.cpus.size(); ++i)
      EXPECT_EQ(layout->cpus[i].throughput, machine.cpus[i].throughput) << scenario << " CPU " << i;
  }
}

TEST(MachineEdit, ScenarioWithoutAMachineIsRefusedWithTheReason) {
  const MachineText put = scenarioWithMachine("a.json", R"({"tasks":{}})", opened("vm-4cpu"));
  EXPECT_TRUE(put.text.empty());
  ASSERT_FALSE(put.problems.empty());
  EXPECT_THAT(put.problems[0].message, HasSubstr("no \"machine\""));
}

TEST(MachineEdit, EveryFormatIsWritten) {
  EditMachine machine = opened("juno-r2");
  machine.cpus[4].online = false;
  EXPECT_THAT(machineText(machine, "v6.12", MachineFormat::HwlocXml).text, HasSubstr("<topology"));
  EXPECT_THAT(machineText(machine, "v6.12", MachineFormat::SchedVerbose).text, HasSubstr("domain-0"));
  EXPECT_THAT(machineText(machine, "v6.12", MachineFormat::Record).text, HasSubstr("linux-sched-topology/1"));
  EXPECT_THAT(machineText(machine, "", MachineFormat::MachineFile).text, HasSubstr("rqscope-machine/1"));
  EXPECT_FALSE(machineText(machine, "v9.9", MachineFormat::Record).problems.empty());
}

}  // namespace
}  // namespace rqscope::api
