// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "topology/node_cpus.h"

#include <gtest/gtest.h>

#include "model/topology/sysfs_writer.h"
#include "topology/machine_import.h"

namespace rqscope {
namespace {

/// CPUs 0 to 3, and nodes with these CPUs.
Hardware machineWith(const std::vector<std::string>& nodes) {
  Hardware hw;
  for (int c = 0; c < 4; ++c) {
    HardwareCpu cpu;
    cpu.id = CpuId{c};
    cpu.threadSiblings = cpu.dieCpus = cpu.packageCpus = CpuMask::of(cpu.id);
    hw.cpus.push_back(std::move(cpu));
  }
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    HardwareNode node;
    node.id = NodeId{static_cast<int>(n)};
    node.cpus = CpuMask::parseList(nodes[n]).value();
    hw.nodes.push_back(std::move(node));
  }
  return hw;
}

TEST(NodeCpus, KeepsWhatAgrees) {
  Hardware hw = machineWith({"0-1", "2-3"});
  settleNodeCpus(hw, {{0, 1}});
  EXPECT_EQ(hw.nodes[0].cpus.list(), "0-1");
  EXPECT_EQ(hw.cpus[0].node, NodeId{0}) << "a node that names a CPU counts more than the CPU's folder";
  EXPECT_TRUE(hw.notes.empty());
}

TEST(NodeCpus, LeavesOutCpusThatNothingDescribes) {
  Hardware hw = machineWith({"0-1,8-140", "2-3"});
  settleNodeCpus(hw, {});
  EXPECT_EQ(hw.nodes[0].cpus.list(), "0-1");
  ASSERT_EQ(hw.notes.size(), 1u);
  EXPECT_EQ(hw.notes[0], "node 0 names CPUs 8-140, which nothing describes: left out");
}

TEST(NodeCpus, TakesTheNodeOfTheCpusFolderWhenSeveralNameIt) {
  Hardware hw = machineWith({"0-3", "0-1", "2"});
  settleNodeCpus(hw, {{0, 1}, {1, 0}, {2, 2}});
  EXPECT_EQ(hw.nodes[0].cpus.list(), "1,3");
  EXPECT_EQ(hw.nodes[1].cpus.list(), "0");
  EXPECT_EQ(hw.nodes[2].cpus.list(), "2");
  EXPECT_EQ(hw.cpus[2].node, NodeId{2});
  EXPECT_TRUE(checkHardware(hw).empty());
}

TEST(NodeCpus, LeavesAnOverlapThatNothingSettlesToBeRefused) {
  Hardware hw = machineWith({"0-3", "0-1"});
  settleNodeCpus(hw, {});
  EXPECT_FALSE(checkHardware(hw).empty());
}

TEST(NodeCpus, AddsAnOfflineNodeThatOnlyCpusName) {
  Hardware hw = machineWith({"0,2", "1,3"});
  hw.nodes.erase(hw.nodes.begin());
  hw.nodes[0].distance = {21, 10};
  settleNodeCpus(hw, {{0, 0}, {2, 0}});
  ASSERT_EQ(hw.nodes.size(), 2u);
  EXPECT_EQ(hw.nodes[0].cpus.list(), "0,2");
  EXPECT_EQ(hw.nodes[0].distance, (std::vector<int>{10, 21}));
  EXPECT_FALSE(hw.nodes[0].hasMemory);
  EXPECT_TRUE(checkHardware(hw).empty());
}

TEST(NodeCpus, PutsTheHomelessIntoTheFirstNode) {
  Hardware hw = machineWith({"0", "1"});
  hw.cpus[3].online = false;
  settleNodeCpus(hw, {});
  EXPECT_EQ(hw.nodes[0].cpus.list(), "0,2");
  ASSERT_EQ(hw.notes.size(), 1u);
  EXPECT_EQ(hw.notes[0], "CPUs 2 are in no NUMA node: node 0 is taken");
}

TEST(NodeCpus, AnOfflineCpuStaysInTheNodeThatNamesIt) {
  const TemporaryFolder folder;
  Hardware hw = machineWith({"0,2", "1,3"});
  hw.nodes[0].distance = {10, 21};
  hw.nodes[1].distance = {21, 10};
  hw.cpus[3].online = false;
  writeSysfs(folder, hw);
  folder.write("sys/devices/system/node/node1/cpulist", "1,3\n");
  const auto imported = importMachine(folder.path());
  ASSERT_TRUE(imported.ok()) << imported.error().text();
  const Hardware& read = imported.value().hardware;
  EXPECT_EQ(read.nodes[1].cpus.list(), "1,3");
  EXPECT_EQ(read.find(CpuId{3})->node, NodeId{1});
}

TEST(NodeCpus, IgnoresTheDistanceOfAnOnlyNodeThatIsOutOfRange) {
  const TemporaryFolder folder;
  writeSysfs(folder, machineWith({"0-3"}));
  folder.write("sys/devices/system/node/node0/distance", "0\n");
  const auto imported = importMachine(folder.path());
  ASSERT_TRUE(imported.ok()) << imported.error().text();
  EXPECT_TRUE(imported.value().hardware.nodes[0].distance.empty());
}

}  // namespace
}  // namespace rqscope
