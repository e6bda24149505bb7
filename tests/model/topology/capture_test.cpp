// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <array>
#include <cstdio>
#include <memory>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "evaluate/topology_records.h"
#include "model/topology/sysfs_writer.h"
#include "topology/domain_dump.h"
#include "topology/json_fields.h"
#include "topology/machine_file.h"
#include "topology/machine_import.h"
#include "topology/machine_layout.h"

namespace rqscope {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

Hardware machine(const std::string& name) {
  return loadMachine(name, std::string(RQSCOPE_SOURCE_DIR) + "/resources/topologies").value();
}

std::shared_ptr<const SchedTopology> build(const Hardware& hw) {
  return buildSchedTopology(hw, kernelProfile("v6.12").value()).value();
}

/// A made-up /sys, /proc, debugfs and boot log of a machine that runs v6.12.
void writeMachine(const TemporaryFolder& folder, const Hardware& hw) {
  const auto built = build(hw);
  writeSysfs(folder, hw);
  writeDebugfs(folder, "sys/kernel/debug/sched/domains", *built);
  folder.write("proc/sys/kernel/osrelease", "6.12.0-made-up\n");
  folder.write("dmesg", schedVerboseText(*built, kernelProfile("v6.12").value()));
}

json capture(const TemporaryFolder& folder) {
  const std::string command = fmt::format("sh '{}/resources/capture/capture-topology.sh' --root '{}'",
                                          RQSCOPE_SOURCE_DIR, folder.path());
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  std::string out;
  std::array<char, 4096> buffer{};
  while (pipe && std::fgets(buffer.data(), buffer.size(), pipe.get()) != nullptr) out += buffer.data();
  const auto document = parseJsonText(out, "captured");
  EXPECT_TRUE(document.ok()) << (document.ok() ? "" : document.error().text()) << out.substr(0, 2000);
  return document.ok() ? document.value() : json::object();
}

// A tree of /sys made from a machine opens as the same machine.
TEST(MadeUpSysfs, OpensAsTheMachineItWasMadeFrom) {
  for (const char* name : {"smt-4x2", "ring-4node", "juno-r2"}) {
    Hardware hw = machine(name);
    hw.cpus[1].online = std::string_view(name) == "ring-4node" ? false : true;
    const TemporaryFolder folder;
    writeSysfs(folder, hw);
    auto imported = importMachine(folder.path());
    ASSERT_TRUE(imported.ok()) << name << ": " << imported.error().text();
    imported.value().hardware.clusterLevel = hw.clusterLevel;  // a build option: not in /sys
    const auto profile = kernelProfile("v6.12").value();
    EXPECT_EQ(schedVerboseText(*build(hw), profile),
              schedVerboseText(*build(imported.value().hardware), profile))
        << name;
  }
}

// 2 x 4 cores x 2 threads, CPU 1 offline: its sibling 9 stays in a core of two, one thread of it offline.
TEST(MadeUpSysfs, OfflineCpuKeepsItsPlaceInTheTree) {
  Hardware hw =
      parseCompactMachine("2 packages x 4 cores x 2 threads, numbering threads-last", "test").value();
  hw.cpus[1].online = false;
  const TemporaryFolder folder;
  writeSysfs(folder, hw);
  const auto imported = importMachine(folder.path());
  ASSERT_TRUE(imported.ok()) << imported.error().text();
  ASSERT_NE(imported.value().hardware.find(CpuId{1}), nullptr);
  EXPECT_FALSE(imported.value().hardware.find(CpuId{1})->online);
  EXPECT_EQ(imported.value().hardware.find(CpuId{9})->threadSiblings.list(), "1,9");
  EXPECT_EQ(lastLevelCache(imported.value().hardware.cpus[0])->shared.list(), "0-3,8-11");
}

// Round-robin numbers over two packages are no hyper-threads: the tree says so, not the numbers.
TEST(MadeUpSysfs, AlternatingNumbersAreNotReadAsThreads) {
  auto hw = readMachineJson(R"({"schema": "rqscope-machine/1", "distances": [[10, 20], [20, 10]], "cpus": [
    {"cpus": "0,2,4,6", "package": 0, "node": 0, "llc": 0}, {"cpus": "1,3,5,7", "package": 1, "node": 1, "llc": 1}]})",
                            "alternating");
  ASSERT_TRUE(hw.ok()) << hw.error().text();
  const TemporaryFolder folder;
  writeSysfs(folder, hw.value());
  const auto imported = importMachine(folder.path());
  ASSERT_TRUE(imported.ok()) << imported.error().text();
  EXPECT_FALSE(build(imported.value().hardware)->smtActive);
  EXPECT_EQ(imported.value().hardware.nodes[1].cpus.list(), "1,3,5,7");
}

// The script's record of a made-up machine verifies: hardware read right, domains compared with what debugfs
// says.
TEST(CaptureScript, MakesARecordThatVerifies) {
  for (const char* name : {"smt-4x2", "ring-4node", "epyc-like"}) {
    Hardware hw = std::string_view(name) == "epyc-like" ? machine("ring-4node") : machine(name);
    if (std::string_view(name) == "epyc-like") {
      hw.reclaimDistance = 32;
      hw.isolated.set(CpuId{3});
      hw.cpus[5].online = false;
      hw.partitions.push_back({CpuMask::parseList("8-11").value(), false});
    }
    const TemporaryFolder folder;
    writeMachine(folder, hw);
    for (const CpusetPartition& part : hw.partitions) {
      folder.write("sys/fs/cgroup/mine/cpuset.cpus", part.cpus.list() + "\n");
      folder.write("sys/fs/cgroup/mine/cpuset.cpus.partition", "root\n");
    }
    const json record = capture(folder);
    const auto report = verifyTopologyRecord(record, name);
    ASSERT_TRUE(report.ok()) << report.error().text();
    EXPECT_TRUE(report.value().isEqual) << report.value().text();
    EXPECT_EQ(record["domains"].size(), build(hw)->domains.size());
    EXPECT_EQ(record["domains"][0]["span"], build(hw)->domains[0].span.list());
  }
}

TEST(CaptureScript, AChangedValueOfTheKernelIsReported) {
  const TemporaryFolder folder;
  writeMachine(folder, machine("smt-4x2"));
  folder.write("sys/kernel/debug/sched/domains/cpu2/domain1/imbalance_pct", "125\n");
  const auto report = verifyTopologyRecord(capture(folder), "changed");
  ASSERT_TRUE(report.ok());
  ASSERT_EQ(report.value().differences.size(), 1U) << report.value().text();
  EXPECT_THAT(report.value().differences[0].field, HasSubstr("cpu 2, index 1"));
  EXPECT_EQ(report.value().differences[0].expected, "125");
}

// Without debugfs the record has the hardware only; it still opens.
TEST(CaptureScript, WithoutDebugfsGivesTheHardware) {
  const TemporaryFolder folder;
  writeSysfs(folder, machine("juno-r2"));
  folder.write("proc/sys/kernel/osrelease", "6.12.0\n");
  const json record = capture(folder);
  EXPECT_FALSE(record.contains("domains"));
  const auto hw = hardwareFromRecord(record, "captured");
  ASSERT_TRUE(hw.ok()) << hw.error().text();
  EXPECT_EQ(hw.value().find(CpuId{0})->capacity, 383U);
  EXPECT_EQ(hw.value().rules, MaskRules::ArchTopology);
}

}  // namespace
}  // namespace rqscope
