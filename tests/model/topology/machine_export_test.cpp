// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <array>
#include <cstdio>
#include <map>
#include <memory>
#include <set>
#include <sstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/topology/sysfs_writer.h"
#include "topology/domain_dump.h"
#include "topology/hwloc_xml.h"
#include "topology/machine_file.h"
#include "topology/machine_import.h"

namespace rqscope {
namespace {

using ::testing::HasSubstr;

std::string machines() { return std::string(RQSCOPE_SOURCE_DIR) + "/resources/topologies"; }

KernelProfile profile(const char* name = "v6.12") { return kernelProfile(name).value(); }

/// Distinct masks of a kind among the online CPUs.
std::size_t countMasks(const Hardware& hw, const CpuMask HardwareCpu::*mask) {
  std::set<std::string> masks;
  for (const HardwareCpu& cpu : hw.cpus)
    if (cpu.online) masks.insert((cpu.*mask & hw.onlineCpus()).list());
  return masks.size();
}

std::size_t countLevel3(const Hardware& hw) {
  std::set<std::string> masks;
  for (const HardwareCpu& cpu : hw.cpus)
    for (const HardwareCache& cache : cpu.caches)
      if (cpu.online && cache.level == 3) masks.insert((cache.shared & hw.onlineCpus()).list());
  return masks.size();
}

std::string outputOf(const std::string& command) {
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  std::string out;
  std::array<char, 4096> buffer{};
  while (pipe && std::fgets(buffer.data(), buffer.size(), pipe.get()) != nullptr) out += buffer.data();
  return out;
}

// lstopo reads the exported XML back and counts what the machine has.
TEST(HwlocExport, LstopoReadsBackTheSameCounts) {
  if (outputOf("command -v lstopo-no-graphics").empty()) {
    std::printf("ABSENT: lstopo-no-graphics; the exported XML was read by our own reader only\n");
    return;
  }
  const TemporaryFolder folder;
  for (const std::string& name : builtinMachineNames(machines())) {
    const Hardware hw = loadMachine(name, machines()).value();
    const std::string file = folder.write(name + ".xml", writeHwlocXml(hw));
    const std::string tree =
        outputOf(fmt::format("lstopo-no-graphics -i '{}' --if xml --of console - 2>&1", file));
    const auto count = [&](const std::string& type) {
      std::size_t found = 0;
      for (auto at = tree.find(type + " L#"); at != std::string::npos; at = tree.find(type + " L#", at + 1))
        ++found;
      return found;
    };
    EXPECT_EQ(count("PU"), static_cast<std::size_t>(hw.onlineCpus().weight())) << name;
    EXPECT_EQ(count("Core"), countMasks(hw, &HardwareCpu::threadSiblings)) << name;
    EXPECT_EQ(count("Package"), countMasks(hw, &HardwareCpu::packageCpus)) << name;
    EXPECT_EQ(count("NUMANode"), hw.nodes.size()) << name;
    EXPECT_EQ(count("L3"), countLevel3(hw)) << name;
  }
}

// Our own reader gives back a machine with the same domains.
TEST(HwlocExport, ReadingBackGivesTheSameDomains) {
  for (const std::string& name : builtinMachineNames(machines())) {
    const Hardware hw = loadMachine(name, machines()).value();
    auto again = readHwlocXml(writeHwlocXml(hw), name);
    ASSERT_TRUE(again.ok()) << again.error().text();
    Hardware back = std::move(again).value();
    back.reclaimDistance = hw.reclaimDistance;  // not in hwloc's format, nor are these:
    back.rules = hw.rules;
    back.clusterLevel = hw.clusterLevel;
    back.hybrid = hw.hybrid;
    back.asymPackingMc = hw.asymPackingMc;
    back.asymPriority = hw.asymPriority;
    for (HardwareCpu& cpu : back.cpus) {
      cpu.capacity = hw.find(cpu.id)->capacity;
      cpu.clusterCpus = hw.find(cpu.id)->clusterCpus;
    }
    const auto a = buildSchedTopology(hw, profile());
    const auto b = buildSchedTopology(back, profile());
    ASSERT_TRUE(a.ok() && b.ok()) << name;
    EXPECT_EQ(schedVerboseText(*a.value(), profile()), schedVerboseText(*b.value(), profile())) << name;
  }
}

// The text a kernel prints for ring4, worked out from the record: CPU 0 has groups 0-3,6-7 (mask 0-1) and
// 2-7.
TEST(SchedVerbose, PrintsAsTheKernelDoes) {
  const auto hw = importMachine(std::string(RQSCOPE_SOURCE_DIR) + "/tests/kernel/topology/6.12-ring4.json");
  ASSERT_TRUE(hw.ok());
  const auto built = buildSchedTopology(hw.value().hardware, profile()).value();
  EXPECT_THAT(
      schedVerboseText(*built, profile()),
      HasSubstr("CPU0 attaching sched-domain(s):\n"
                " domain-0: span=0-1 level=MC\n"
                "  groups: 0:{ span=0 }, 1:{ span=1 }\n"
                "  domain-1: span=0-3,6-7 level=NUMA\n"
                "   groups: 0:{ span=0-1 cap=2048 }, 2:{ span=2-3 cap=2048 }, 6:{ span=6-7 cap=2048 }\n"
                "   domain-2: span=0-7 level=NUMA\n"
                "    groups: 0:{ span=0-3,6-7 mask=0-1 cap=6144 }, 4:{ span=2-7 mask=4-5 cap=6144 }\n"));
}

TEST(SchedVerbose, IsReadBackWithoutDifferencesAndAChangeIsFound) {
  for (const std::string& name : builtinMachineNames(machines())) {
    const Hardware hw = loadMachine(name, machines()).value();
    const auto built = buildSchedTopology(hw, profile()).value();
    const std::string text = schedVerboseText(*built, profile());
    auto dump = readSchedVerbose(text, name);
    ASSERT_TRUE(dump.ok()) << dump.error().text();
    EXPECT_EQ(dump.value().domains.size(), built->domains.size()) << name;
    EXPECT_TRUE(compareDomainDump(dump.value(), *built, profile()).empty()) << name;
    dump.value().domains.back().span = CpuMask::of(CpuId{0});
    const auto differences = compareDomainDump(dump.value(), *built, profile());
    ASSERT_EQ(differences.size(), 1U) << name;
    EXPECT_THAT(differences[0].field, HasSubstr("span"));
  }
}

// Boot text with time stamps, as dmesg shows it, opens as a machine that builds the same domains.
TEST(SchedVerbose, BootTextWithTimeStampsOpensAsAMachine) {
  const Hardware hw = loadMachine("smt-4x2", machines()).value();
  const auto built = buildSchedTopology(hw, profile()).value();
  std::istringstream lines(schedVerboseText(*built, profile()));
  std::string stamped = "[    0.000000] Linux version 6.12.0\n";
  for (std::string line; std::getline(lines, line);) stamped += "[    0.412345] " + line + "\n";
  const auto imported = importMachineText(stamped, "dmesg");
  ASSERT_TRUE(imported.ok()) << imported.error().text();
  ASSERT_TRUE(imported.value().domains.has_value());
  const auto again = buildSchedTopology(imported.value().hardware, profile()).value();
  EXPECT_TRUE(compareDomainDump(*imported.value().domains, *again, profile()).empty());
}

TEST(DebugfsDomains, AreComparedWithWhatTheModelBuilds) {
  const Hardware hw = loadMachine("smt-4x2", machines()).value();
  const auto built = buildSchedTopology(hw, profile()).value();
  const TemporaryFolder folder;
  writeDebugfs(folder, "domains", *built);
  const auto tree = FileTree::fromDirectory(folder.path("domains"));
  ASSERT_TRUE(tree.ok()) << tree.error().text();
  const auto dump = domainDumpFromTree(tree.value());
  ASSERT_TRUE(dump.has_value());
  EXPECT_EQ(dump->domains.size(), built->domains.size());
  EXPECT_TRUE(compareDomainDump(*dump, *built, profile()).empty());
  folder.write("domains/cpu3/domain1/imbalance_pct", "125\n");
  const auto changed = domainDumpFromTree(FileTree::fromDirectory(folder.path("domains")).value());
  const auto differences = compareDomainDump(*changed, *built, profile());
  ASSERT_EQ(differences.size(), 1U);
  EXPECT_EQ(differences[0].field, "cpu 3, domain 1: imbalance_pct");
  EXPECT_EQ(differences[0].expected, "125");
}

// A dump of domains alone has no spans: it cannot be a machine, and says so.
TEST(DebugfsDomains, AloneAreNoMachine) {
  const auto built = buildSchedTopology(loadMachine("smt-4x2", machines()).value(), profile()).value();
  const TemporaryFolder folder;
  writeDebugfs(folder, "domains", *built);
  const auto imported = importMachine(folder.path("domains"));
  ASSERT_FALSE(imported.ok());
  EXPECT_THAT(imported.error().text(), HasSubstr("does not say which CPUs a domain spans"));
}

}  // namespace
}  // namespace rqscope
