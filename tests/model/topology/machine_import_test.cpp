// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "topology/machine_import.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <stop_token>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/topology/temporary_folder.h"
#include "topology/sched_topology.h"
#include "topology/stoppable_load.h"

namespace rqscope {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> sampleFiles() {
  std::vector<std::string> files;
  std::error_code ec;
  const std::filesystem::path samples = std::filesystem::path(RQSCOPE_SHARED_DIR) / "samples";
  for (const auto& entry : std::filesystem::directory_iterator(samples / "topologies", ec))
    files.push_back(entry.path().string());
  for (const auto& entry : std::filesystem::directory_iterator(samples / "traces", ec))
    if (entry.path().extension() == ".yml") files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  if (files.empty()) std::printf("ABSENT: %s; no sample machine was opened\n", samples.c_str());
  return files;
}

std::vector<std::string> spansOf(const SchedTopology& t, int cpu) {
  std::vector<std::string> out;
  for (DomainId d = t.cpus[static_cast<std::size_t>(cpu)].lowest; d.isValid(); d = t.domain(d).parent)
    out.push_back(t.domain(d).name + "=" + t.domain(d).span.list());
  return out;
}

/// What is known of a sample from its own description.
struct Expected {
  const char* file;
  std::size_t cpus;
  const char* online;
  std::size_t nodes, packages;
};

constexpr Expected kExpected[] = {{"hwloc-16em64t-4s2c2t-offlines.tar.bz2", 16, "0-1,3-4,6-12,15", 1, 4},
                                  {"hwloc-16em64t-4s2c2t-offlines-xml.xml", 16, "0-1,3-4,6-12,15", 1, 4},
                                  {"hwloc-20em64t-hybrid-1p6c2t+2ca4co1t.tar.bz2", 20, "0-19", 1, 1},
                                  {"hwloc-64amd64-4p2n4ca2co.tar.bz2", 64, "0-63", 8, 4},
                                  {"hwloc-64amd64-4p2n4ca2co.xml", 64, "0-63", 8, 4},
                                  {"hwloc-8em64t-2s4c-asymcaches.tar.bz2", 8, "0-7", 1, 2},
                                  {"hwloc-96em64t-4n4d3ca2co-pci.xml", 96, "0-95", 4, 16},
                                  {"hwloc-AMD-17h-Zen-2xEpyc-7451.xml", 96, "0-95", 1, 2},
                                  {"hwloc-AMD-19h-Zen3-2xEpyc-7763.xml", 128, "0-127", 1, 2},
                                  {"hwloc-Intel-ArrowLake-CoreUltra5-225U.xml", 14, "0-13", 1, 1},
                                  {"hwloc-Intel-SapphireRapids-2xXeonMax9460.xml", 160, "0-159", 1, 2},
                                  {"hwloc-fakeheterocpunuma.xml", 24, "0-23", 6, 2},
                                  {"sysfs-arm-A510-A710-A715-X3.tar.gz", 8, "0-7", 1, 3},
                                  {"sysfs-rv64-visionfive2.tar.gz", 4, "0-3", 1, 1},
                                  {"sysfs-vbox-win.tar.gz", 2, "0-1", 1, 1},
                                  {"sysfs-x86_64-64cpu.tar.gz", 64, "0-63", 3, 4},
                                  {"sysfs-x86_64-epyc_7451.tar.gz", 96, "0-95", 8, 2},
                                  {"juno-raw.plat_info.yml", 6, "0-5", 1, 1},
                                  {"juno-sched_load.plat_info.yml", 6, "0-5", 1, 1}};

TEST(MachineImport, EverySampleOpensAndBuildsOrIsRefusedWithAReason) {
  for (const std::string& file : sampleFiles()) {
    const std::string name = std::filesystem::path(file).filename().string();
    const auto imported = importMachine(file);
    if (name.ends_with(".console")) {
      ASSERT_FALSE(imported.ok()) << name;
      EXPECT_THAT(imported.error().text(), HasSubstr("lstopo's text output"));
      continue;
    }
    ASSERT_TRUE(imported.ok()) << imported.error().text();
    const Hardware& hw = imported.value().hardware;
    const auto* expected = std::find_if(std::begin(kExpected), std::end(kExpected),
                                        [&](const Expected& e) { return name == e.file; });
    ASSERT_NE(expected, std::end(kExpected)) << name << " has no expectation";
    EXPECT_EQ(hw.cpus.size(), expected->cpus) << name;
    EXPECT_EQ(hw.onlineCpus().list(), expected->online) << name;
    EXPECT_EQ(hw.nodes.size(), expected->nodes) << name;
    std::set<int> packages;
    for (const HardwareCpu& cpu : hw.cpus)
      if (cpu.online) packages.insert(cpu.package);
    EXPECT_EQ(packages.size(), expected->packages) << name;
    for (const auto kernel : kernelProfileNames()) {
      const auto built = buildSchedTopology(hw, kernelProfile(kernel).value());
      ASSERT_TRUE(built.ok()) << name << ": " << built.error().text();
    }
  }
}

Hardware sample(const std::string& name) {
  const auto imported = importMachine(std::string(RQSCOPE_SHARED_DIR) + "/samples/topologies/" + name);
  if (!imported.ok()) {
    std::printf("ABSENT or refused: %s; not checked\n", name.c_str());
    return {};
  }
  return imported.value().hardware;
}

// i7-1370P: P cores with two threads, E cores in clusters of four that share a level 2 cache; ITMT by
// highest_perf.
TEST(MachineImport, HybridDumpHasClustersOfEfficientCores) {
  const Hardware hw = sample("hwloc-20em64t-hybrid-1p6c2t+2ca4co1t.tar.bz2");
  if (hw.cpus.empty()) return;
  const auto t = buildSchedTopology(hw, kernelProfile("v6.12").value()).value();
  EXPECT_THAT(spansOf(*t, 12), ElementsAre("CLS=12-15", "MC=0-19"));
  EXPECT_THAT(spansOf(*t, 0), ElementsAre("SMT=0-1", "MC=0-19"));
  EXPECT_TRUE(t->cpus[12].sdAsymPacking.isValid());
}

TEST(MachineImport, PhoneDumpHasItsThreeCapacities) {
  const Hardware hw = sample("sysfs-arm-A510-A710-A715-X3.tar.gz");
  if (hw.cpus.empty()) return;
  std::set<std::uint32_t> capacities;
  for (const HardwareCpu& cpu : hw.cpus) capacities.insert(cpu.capacity);
  EXPECT_THAT(capacities, ElementsAre(280, 855, 1024));
  EXPECT_EQ(hw.rules, MaskRules::ArchTopology);
}

// The archive and the XML of the same machine agree on nodes and distances.
TEST(MachineImport, ArchiveAndXmlOfOneMachineAgree) {
  const Hardware tar = sample("hwloc-64amd64-4p2n4ca2co.tar.bz2");
  const Hardware xml = sample("hwloc-64amd64-4p2n4ca2co.xml");
  if (tar.cpus.empty() || xml.cpus.empty()) return;
  ASSERT_EQ(tar.nodes.size(), xml.nodes.size());
  for (std::size_t n = 0; n < tar.nodes.size(); ++n) {
    EXPECT_EQ(tar.nodes[n].cpus, xml.nodes[n].cpus);
    EXPECT_EQ(tar.nodes[n].distance, xml.nodes[n].distance);
  }
}

// Each file of a folder and each entry of an archive asks whether to go on; the first that does ends it.
TEST(MachineImport, IsGivenUpOnceStopIsRequested) {
  constexpr int kCpus = 8;
  const TemporaryFolder folder;
  for (int cpu = 0; cpu < kCpus; ++cpu)
    folder.write(fmt::format("dump/sys/devices/system/cpu/cpu{}/topology/core_id", cpu), "0\n");
  folder.write("dump/sys/devices/system/cpu/present", fmt::format("0-{}\n", kCpus - 1));
  const std::string archive = folder.path("dump.tar");
  ASSERT_EQ(std::system(fmt::format("tar -C {} -cf {} .", folder.path("dump"), archive).c_str()), 0);
  for (const std::string& path : {folder.path("dump"), archive}) {
    ASSERT_TRUE(importMachine(path).ok()) << path;
    std::stop_source source;
    source.request_stop();
    const auto imported = importMachine(path, source.get_token());
    ASSERT_FALSE(imported.ok()) << path;
    EXPECT_EQ(imported.error().message, "reading was given up") << path;
  }
}

TEST(MachineImport, ThisComputerOpensOrSaysWhyNot) {
  const auto imported = importThisComputer();
  if (!imported.ok()) {
    EXPECT_FALSE(imported.error().message.empty());
    std::printf("this computer: %s\n", imported.error().text().c_str());
    return;
  }
  EXPECT_FALSE(imported.value().hardware.cpus.empty());
  EXPECT_TRUE(buildSchedTopology(imported.value().hardware, kernelProfile("v6.12").value()).ok());
}

Result<ImportedMachine> fromText(const std::string& text) { return importMachineText(text, "typed"); }

TEST(LscpuTable, GivesCoresCachesAndOfflineCpus) {
  const auto imported = fromText(R"({"cpus": [
    {"cpu": 0, "node": 0, "socket": 0, "core": 0, "l1d:l1i:l2:l3": "0:0:0:0", "online": true, "maxmhz": 3500.0},
    {"cpu": "1", "node": "0", "socket": "0", "core": "1", "l1d:l1i:l2:l3": "1:1:1:0", "online": "yes"},
    {"cpu": 2, "node": 0, "socket": 0, "core": 0, "l1d:l1i:l2:l3": "0:0:0:0", "online": true},
    {"cpu": 3, "node": null, "socket": null, "core": null, "l1d:l1i:l2:l3": "-", "online": false}]})");
  ASSERT_TRUE(imported.ok()) << imported.error().text();
  const Hardware& hw = imported.value().hardware;
  EXPECT_EQ(hw.onlineCpus().list(), "0-2");
  EXPECT_EQ(hw.find(CpuId{0})->threadSiblings.list(), "0,2");
  EXPECT_EQ((lastLevelCache(*hw.find(CpuId{1}))->shared & hw.onlineCpus()).list(), "0-2");
  EXPECT_EQ(hw.find(CpuId{0})->maxFrequencyKhz, 3'500'000U);
}

TEST(LscpuSummary, GivesNodesAndThreadsFromTheirLists) {
  const auto imported = fromText(R"J({"lscpu": [
    {"field": "Architecture:", "data": "x86_64"}, {"field": "CPU(s):", "data": "16", "children": [
      {"field": "On-line CPU(s) list:", "data": "0-15"}]},
    {"field": "Thread(s) per core:", "data": "2"}, {"field": "Core(s) per socket:", "data": "4"},
    {"field": "Socket(s):", "data": "2"}, {"field": "NUMA node(s):", "data": "2"},
    {"field": "Caches (sum of all):", "data": null, "children": [
      {"field": "L2:", "data": "8 MiB (8 instances)"}, {"field": "L3:", "data": "64 MiB (4 instances)"}]},
    {"field": "NUMA node0 CPU(s):", "data": "0-3,8-11"}, {"field": "NUMA node1 CPU(s):", "data": "4-7,12-15"}]})J");
  ASSERT_TRUE(imported.ok()) << imported.error().text();
  const Hardware& hw = imported.value().hardware;
  EXPECT_EQ(hw.find(CpuId{0})->threadSiblings.list(), "0,8");
  EXPECT_EQ(lastLevelCache(*hw.find(CpuId{0}))->shared.list(), "0-1,8-9");
  EXPECT_EQ(hw.nodes[1].cpus.list(), "4-7,12-15");
  EXPECT_THAT(hw.notes, ::testing::Contains(HasSubstr("distances")));
}

TEST(HwlocXml, ReadsVersionOneWithSocketsAndRelativeDistances) {
  const auto imported = fromText(R"(<?xml version="1.0"?><!DOCTYPE topology SYSTEM "hwloc.dtd">
<topology><object type="Machine" os_index="0" cpuset="0xf" complete_cpuset="0xf" online_cpuset="0x7">
  <distances nbobjs="2" relative_depth="1" latency_base="10.000000"><latency value="1.0"/><latency value="2.1"/>
    <latency value="2.1"/><latency value="1.0"/></distances>
  <object type="NUMANode" os_index="0" cpuset="0x3"><object type="Socket" os_index="0" cpuset="0x3">
    <object type="Cache" cpuset="0x3" cache_size="4194304" depth="3" cache_type="0">
      <object type="Core" os_index="0" cpuset="0x1"><object type="PU" os_index="0" cpuset="0x1"/></object>
      <object type="Core" os_index="1" cpuset="0x2"><object type="PU" os_index="1" cpuset="0x2"/></object>
    </object></object></object>
  <object type="NUMANode" os_index="1" cpuset="0xc"><object type="Socket" os_index="1" cpuset="0xc">
    <object type="Core" os_index="0" cpuset="0x4"><object type="PU" os_index="2" cpuset="0x4"/></object>
    <object type="Core" os_index="1" cpuset="0x8"><object type="PU" os_index="3" cpuset="0x8"/></object>
  </object></object>
</object></topology>)");
  ASSERT_TRUE(imported.ok()) << imported.error().text();
  const Hardware& hw = imported.value().hardware;
  EXPECT_EQ(hw.onlineCpus().list(), "0-2");
  EXPECT_EQ(hw.nodes[0].distance, (std::vector<int>{10, 21}));
  EXPECT_EQ(hw.find(CpuId{1})->packageCpus.list(), "0-1");
}

}  // namespace
}  // namespace rqscope
