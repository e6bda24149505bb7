// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "base/random.h"
#include "topology/hwloc_facts.h"
#include "topology/hwloc_xml.h"
#include "topology/machine_file.h"

namespace rqscope {
namespace {

std::string machines() { return std::string(RQSCOPE_SOURCE_DIR) + "/resources/topologies"; }

std::string xmlOf(const std::string& machine) {
  return writeHwlocXml(loadMachine(machine, machines()).value());
}

HwlocProbe probe() {
  HwlocProbe p;
  p.hasNodes = true;
  return p;
}

TEST(LibHwloc, ReadsEveryBuiltInMachineWrittenAsVersionTwo) {
  for (const std::string& name : builtinMachineNames(machines())) {
    const Hardware hw = loadMachine(name, machines()).value();
    const auto facts = readByLibhwloc(writeHwlocXml(hw), probe());
    ASSERT_TRUE(facts.has_value()) << name;
    EXPECT_EQ(facts->places.size(), static_cast<std::size_t>(hw.onlineCpus().weight())) << name;
    EXPECT_EQ(facts->nodes.size(), hw.nodes.size()) << name;
  }
}

TEST(LibHwloc, InventsNoNode) {
  const std::string text =
      "<?xml version=\"1.0\"?>\n<!DOCTYPE topology SYSTEM \"hwloc.dtd\">\n<topology>\n"
      "  <object type=\"Machine\" os_index=\"0\" cpuset=\"0x3\" complete_cpuset=\"0x3\">\n"
      "    <object type=\"PU\" os_index=\"0\" cpuset=\"0x1\" complete_cpuset=\"0x1\"/>\n"
      "    <object type=\"PU\" os_index=\"1\" cpuset=\"0x2\" complete_cpuset=\"0x2\"/>\n"
      "  </object>\n</topology>\n";
  const HwlocProbe found = probeHwloc(text, "no nodes").value();
  EXPECT_FALSE(found.hasNodes);
  ASSERT_TRUE(readByLibhwloc(text, found).has_value());
  EXPECT_TRUE(readByLibhwloc(text, found)->nodes.empty());
  const auto hw = readHwlocXml(text, "no nodes");
  ASSERT_TRUE(hw.ok()) << hw.error().text();
  EXPECT_THAT(hw.value().notes, ::testing::Contains(::testing::HasSubstr("no NUMA node is described")));
}

// The library is told nothing by the environment: neither this computer nor a synthetic one gets in.
TEST(LibHwloc, TakesTheTextAndNothingElse) {
  const auto facts = readByLibhwloc(xmlOf("smt-4x2"), probe());
  ASSERT_TRUE(facts.has_value());
  EXPECT_EQ(facts->places.size(), 8U);
  EXPECT_STREQ(std::getenv("HWLOC_PLUGINS_PATH"), "");
  EXPECT_EQ(std::getenv("HWLOC_COMPONENTS"), nullptr);
}

TEST(LibHwloc, LeavesVersionThreeToOurOwnReader) {
  std::string text = xmlOf("smt-4x2");
  const std::size_t at = text.find("version=\"2.0\"");
  ASSERT_NE(at, std::string::npos);
  text[at + 9] = '4';  // of the future: whatever libhwloc is installed refuses it
  EXPECT_FALSE(readByLibhwloc(text, probe()).has_value());
  const auto hw = readHwlocXml(text, "future");
  ASSERT_TRUE(hw.ok()) << hw.error().text();
  EXPECT_EQ(hw.value().cpus.size(), 8U);
}

// libhwloc 2.9 would crash on these.
TEST(LibHwloc, GetsNoTextWithAPartThatHasNoCpus) {
  for (const char* const key : {" cpuset=", " complete_nodeset="}) {
    std::string text = xmlOf("smt-4x2");
    text.replace(text.find(key), 3, " xx");
    EXPECT_FALSE(probeHwloc(text, "damaged").value().isSound) << key;
  }
  EXPECT_TRUE(probeHwloc(xmlOf("smt-4x2"), "whole").value().isSound);
}

TEST(LibHwloc, DamagedTextGivesAMachineOrOneError) {
  const std::string whole = xmlOf("smt-4x2");
  Random random(7);
  int refused = 0;
  for (int round = 0; round < 2'000; ++round) {
    std::string text = whole;
    for (int change = 0; change < 3; ++change) {
      const auto at = static_cast<std::size_t>(random.below(text.size()));
      const auto length = static_cast<std::size_t>(random.below(12));
      if (random.below(2) == 0)
        text[at] = static_cast<char>(' ' + random.below(95));
      else
        text.erase(at, length);
    }
    const auto hw = readHwlocXml(text, "damaged");
    if (hw.ok()) continue;
    ++refused;
    EXPECT_FALSE(hw.error().message.empty());
    EXPECT_EQ(hw.error().where.file, "damaged");
  }
  EXPECT_GT(refused, 0);
}

}  // namespace
}  // namespace rqscope
