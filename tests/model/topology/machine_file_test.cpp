// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "topology/machine_file.h"

#include <algorithm>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "topology/domain_dump.h"
#include "topology/machine_import.h"
#include "topology/machine_layout.h"
#include "topology/sched_topology.h"

namespace rqscope {
namespace {

using ::testing::HasSubstr;

std::string machines() { return std::string(RQSCOPE_SOURCE_DIR) + "/resources/topologies"; }

Hardware machine(const std::string& name) {
  auto hw = loadMachine(name, machines());
  EXPECT_TRUE(hw.ok()) << (hw.ok() ? "" : hw.error().text());
  return hw.ok() ? hw.value() : Hardware{};
}

TEST(Machines, EveryBuiltInOneLoadsWithASourceAndBuilds) {
  const auto names = builtinMachineNames(machines());
  ASSERT_GE(names.size(), 20U);
  for (const std::string& name : names) {
    const Hardware hw = machine(name);
    EXPECT_EQ(hw.name, name);
    EXPECT_FALSE(hw.source.empty()) << name;
    EXPECT_FALSE(hw.description.empty()) << name;
    for (const auto kernel : kernelProfileNames()) {
      const auto built = buildSchedTopology(hw, kernelProfile(kernel).value());
      ASSERT_TRUE(built.ok()) << name << ": " << built.error().text();
    }
  }
}

TEST(Machines, UnknownNameIsRefusedWithANearOne) {
  const auto hw = loadMachine("juno-r3", machines());
  ASSERT_FALSE(hw.ok());
  EXPECT_THAT(hw.error().text(), HasSubstr("juno-r2"));
}

// Linux numbers the second threads after all first threads: CPU 0's sibling of 128 cores is CPU 128.
TEST(Machines, MilanNumbersSecondThreadsLast) {
  const Hardware hw = machine("epyc-milan-2s-nps2");
  ASSERT_EQ(hw.cpus.size(), 256U);
  EXPECT_EQ(hw.find(CpuId{0})->threadSiblings.list(), "0,128");
  EXPECT_EQ(lastLevelCache(*hw.find(CpuId{9}))->shared.list(), "8-15,136-143");
  EXPECT_EQ(hw.nodes.size(), 4U);
  EXPECT_EQ(hw.nodes[1].cpus.list(), "32-63,160-191");
  EXPECT_EQ(hw.nodes[0].distance, (std::vector<int>{10, 12, 32, 32}));
}

TEST(CompactNotation, GivesTheMachineItSays) {
  const auto hw = parseCompactMachine(
      "2 packages x 2 nodes x 8 LLC x 4 cores x 2 threads, distances 10/12/32, isolated 2,5, offline 3",
      "typed");
  ASSERT_TRUE(hw.ok()) << hw.error().text();
  EXPECT_EQ(hw.value().cpus.size(), 256U);
  EXPECT_EQ(hw.value().nodes.size(), 4U);
  EXPECT_EQ(hw.value().nodes[2].distance, (std::vector<int>{32, 32, 10, 12}));
  EXPECT_EQ(hw.value().isolated.list(), "2,5");
  EXPECT_FALSE(hw.value().find(CpuId{3})->online);
  EXPECT_EQ(lastLevelCache(hw.value().cpus[0])->shared.list(), "0-7");
}

TEST(CompactNotation, RefusesWithTheColumn) {
  const auto bad = [](const char* text) {
    const auto hw = parseCompactMachine(text, "typed");
    EXPECT_FALSE(hw.ok()) << text;
    return hw.ok() ? std::string() : hw.error().text();
  };
  EXPECT_THAT(bad("2 packages x 4 bananas"), HasSubstr("typed:1:"));
  EXPECT_THAT(bad("2 packages x 4 bananas"), HasSubstr("bananas"));
  EXPECT_THAT(bad("0 packages"), HasSubstr("counts run from 1"));
  EXPECT_THAT(bad("-1 cores"), HasSubstr("counts run from 1"));
  EXPECT_THAT(bad("2 packages x 4 cores, distances 9/20"), HasSubstr("distance \"9\""));
  EXPECT_THAT(bad("4000 packages x 4000 cores"), HasSubstr("CPUs"));
  EXPECT_THAT(bad("4 cores, distence 10"), HasSubstr("did you mean distances"));
}

TEST(MachineFile, SaysWhereItIsWrong) {
  const auto bad = [](const char* text) {
    const auto hw = readMachineJson(text, "m.json");
    EXPECT_FALSE(hw.ok()) << text;
    return hw.ok() ? std::string() : hw.error().text();
  };
  EXPECT_THAT(bad("{\n \"schema\": \n}"), HasSubstr("m.json:3:"));
  EXPECT_THAT(bad("{}"), HasSubstr("not a machine file"));
  EXPECT_THAT(bad(R"({"schema":"rqscope-machine/1","layout":"4 cores","isolatd":""})"),
              HasSubstr("isolated"));
  EXPECT_THAT(bad(R"({"schema":"rqscope-machine/1","cpus":[{"cpus":"0-3"},{"cpus":"3-5"}]})"),
              HasSubstr("CPU 3 appears twice"));
  EXPECT_THAT(bad(R"({"schema":"rqscope-machine/1","cpus":[{"cpus":"-2"}]})"), HasSubstr("CPU list"));
  EXPECT_THAT(
      bad(R"({"schema":"rqscope-machine/1","layout":"2 packages x 1 cores","distances":[[10,9],[20,10]]})"),
      HasSubstr("out of range"));
}

/// What the model builds, as text that shows every span, ring and mask.
std::string builtText(const Hardware& hw) {
  const auto profile = kernelProfile("v6.12").value();
  const auto built = buildSchedTopology(hw, profile);
  return built.ok() ? schedVerboseText(*built.value(), profile) : built.error().text();
}

void expectSameAfterSaving(const Hardware& hw) {
  const std::string text = writeMachineJson(hw);
  const auto again = readMachineJson(text, hw.name + ".json");
  ASSERT_TRUE(again.ok()) << again.error().text() << "\n" << text;
  EXPECT_EQ(builtText(hw), builtText(again.value())) << text;
  EXPECT_EQ(writeMachineJson(again.value()), text);
  ASSERT_EQ(again.value().cpus.size(), hw.cpus.size());
  for (std::size_t i = 0; i < hw.cpus.size(); ++i) {
    EXPECT_EQ(again.value().cpus[i].online, hw.cpus[i].online);
    EXPECT_EQ(again.value().cpus[i].capacity, hw.cpus[i].capacity);
    EXPECT_EQ(again.value().cpus[i].throughput, hw.cpus[i].throughput);
    EXPECT_EQ(again.value().cpus[i].kind, hw.cpus[i].kind);
  }
}

TEST(MachineFile, SavedBuiltInMachinesReadBackTheSame) {
  for (const std::string& name : builtinMachineNames(machines())) expectSameAfterSaving(machine(name));
}

// Everything that can be imported can be saved: offline CPUs, partitions, node gaps, odd caches.
TEST(MachineFile, SavedImportedMachinesReadBackTheSame) {
  std::vector<std::string> files;
  for (const char* folder : {"/ground-truth/topology", "/samples/topologies"}) {
    std::error_code ec;
    for (const auto& entry :
         std::filesystem::directory_iterator(std::string(RQSCOPE_SHARED_DIR) + folder, ec))
      if (entry.path().extension() != ".md" && entry.path().extension() != ".console")
        files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  if (files.empty())
    std::printf("ABSENT: records and samples; only built-in machines were saved and read back\n");
  for (const std::string& file : files) {
    const auto imported = importMachine(file);
    ASSERT_TRUE(imported.ok()) << imported.error().text();
    SCOPED_TRACE(file);
    expectSameAfterSaving(imported.value().hardware);
  }
}

}  // namespace
}  // namespace rqscope
