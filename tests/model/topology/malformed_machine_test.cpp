// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cstdio>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/random.h"
#include "model/topology/temporary_folder.h"
#include "topology/machine_import.h"

namespace rqscope {
namespace {

using ::testing::HasSubstr;

/// A ustar archive of (path, contents).
std::string tarOf(const std::vector<std::pair<std::string, std::string>>& files) {
  std::string out;
  for (const auto& [name, contents] : files) {
    std::string header(512, '\0');
    const auto put = [&](std::size_t at, const std::string& text) { header.replace(at, text.size(), text); };
    put(0, name);
    put(100, "0000644");
    put(108, "0000000");
    put(116, "0000000");
    put(124, fmt::format("{:011o}", contents.size()));
    put(136, "00000000000");
    put(148, "        ");
    header[156] = '0';
    put(257, std::string("ustar\0"
                         "00",
                         8));
    unsigned sum = 0;
    for (const char c : header) sum += static_cast<unsigned char>(c);
    put(148, fmt::format("{:06o}", sum) + std::string("\0 ", 2));
    out += header + contents;
    out.append((512 - contents.size() % 512) % 512, '\0');
  }
  return out.append(1024, '\0');
}

/// A small machine of four CPUs and two nodes as /sys shows it.
std::vector<std::pair<std::string, std::string>> smallSysfs() {
  std::vector<std::pair<std::string, std::string>> files;
  const std::string cpus = "dump/sys/devices/system/cpu/";
  const std::string nodes = "dump/sys/devices/system/node/";
  files.emplace_back(cpus + "online", "0-3\n");
  for (int c = 0; c < 4; ++c) {
    const std::string topology = fmt::format("{}cpu{}/topology/", cpus, c);
    files.emplace_back(topology + "physical_package_id", fmt::format("{}\n", c / 2));
    files.emplace_back(topology + "core_id", fmt::format("{}\n", c % 2));
    files.emplace_back(topology + "thread_siblings_list", fmt::format("{}\n", c));
    files.emplace_back(topology + "core_siblings_list", c < 2 ? "0-1\n" : "2-3\n");
  }
  files.emplace_back(nodes + "node0/cpulist", "0-1\n");
  files.emplace_back(nodes + "node1/cpulist", "2-3\n");
  files.emplace_back(nodes + "node0/distance", "10 20\n");
  files.emplace_back(nodes + "node1/distance", "20 10\n");
  return files;
}

void set(std::vector<std::pair<std::string, std::string>>& files, const std::string& end,
         const std::string& text) {
  for (auto& [name, contents] : files)
    if (name.ends_with(end)) contents = text;
}

class MalformedMachine : public ::testing::Test {
 protected:
  /// The one error of a file with these contents.
  std::string errorOf(const std::string& contents) {
    const auto imported = importMachine(m_folder.write("input", contents));
    EXPECT_FALSE(imported.ok());
    if (imported.ok()) return "opened";
    EXPECT_FALSE(imported.error().message.empty());
    return imported.error().text();
  }
  TemporaryFolder m_folder;
};

TEST_F(MalformedMachine, TheWellFormedArchiveOpens) {
  const auto imported = importMachine(m_folder.write("good.tar", tarOf(smallSysfs())));
  ASSERT_TRUE(imported.ok()) << imported.error().text();
  EXPECT_EQ(imported.value().hardware.nodes[1].cpus.list(), "2-3");
}

TEST_F(MalformedMachine, TruncatedArchive) {
  const std::string whole = tarOf(smallSysfs());
  EXPECT_THAT(errorOf(whole.substr(0, whole.size() / 2 + 300)), HasSubstr("damaged or ends too early"));
}

TEST_F(MalformedMachine, PathEscapeIsRefusedAndWritesNothing) {
  auto files = smallSysfs();
  files.emplace_back("dump/../../../escaped-by-tar", "x");
  EXPECT_THAT(errorOf(tarOf(files)), HasSubstr("leads out of the archive"));
  EXPECT_FALSE(std::filesystem::exists(m_folder.path("../escaped-by-tar")));
  files.back().first = "/sys/devices/system/cpu/cpu9/online";
  EXPECT_THAT(errorOf(tarOf(files)), HasSubstr("leads out of the archive"));
}

TEST_F(MalformedMachine, OverlappingNodeLists) {
  auto files = smallSysfs();
  set(files, "node1/cpulist", "1-3\n");
  EXPECT_THAT(errorOf(tarOf(files)), HasSubstr("overlaps another node in CPUs 1"));
}

TEST_F(MalformedMachine, DistanceBelowTen) {
  auto files = smallSysfs();
  set(files, "node0/distance", "10 9\n");
  EXPECT_THAT(errorOf(tarOf(files)), HasSubstr("distance 9"));
}

TEST_F(MalformedMachine, CacheThatIsNone) {
  // Bytes that are no UTF-8 as a type went into the scenario's machine, which is JSON, and ended the program.
  auto files = smallSysfs();
  const std::string cache = "dump/sys/devices/system/cpu/cpu1/cache/index0/";
  files.emplace_back(cache + "level", "2\n");
  files.emplace_back(cache + "size", "nanK\n");  // std::from_chars() takes it for a number
  files.emplace_back(cache + "type", "\xff\xfe\n");
  EXPECT_THAT(errorOf(tarOf(files)), HasSubstr("index0/type: \"\xff\xfe\" is none of Data, Instruction"));
  files.back().second = "Unified\n";
  const auto imported = importMachine(m_folder.write("good.tar", tarOf(files)));
  ASSERT_TRUE(imported.ok()) << imported.error().text();
  EXPECT_EQ(imported.value().hardware.cpus[1].caches.at(0).sizeBytes, 0U);
}

TEST_F(MalformedMachine, OtherFilesOfTheProgramAreNamed) {
  EXPECT_THAT(errorOf(R"({"rqscope-scenario": 1, "machine": "juno-r2"})"),
              HasSubstr("this is a scenario, its machine is juno-r2"));
  EXPECT_THAT(errorOf(R"({"rqscope-scenario": 1, "machine": {}})"), HasSubstr("this is a scenario"));
  EXPECT_THAT(errorOf(R"({"tasks": {}})"), HasSubstr("this is an rt-app file"));
  // With comments, and with the comma that rt-app allows.
  EXPECT_THAT(errorOf("// one task\n{\"rqscope-scenario\": 1, /* a board */ \"machine\": \"juno-r2\"}"),
              HasSubstr("this is a scenario, its machine is juno-r2"));
  EXPECT_THAT(errorOf("/* two */ {\"tasks\": {\"A\": {}, }}"), HasSubstr("this is an rt-app file"));
}

TEST_F(MalformedMachine, DuplicateCpu) {
  EXPECT_THAT(errorOf(R"({"cpus": [{"cpu": 0, "core": 0}, {"cpu": 1, "core": 1}, {"cpu": 1, "core": 2}]})"),
              HasSubstr("CPU 1 appears twice"));
}

TEST_F(MalformedMachine, NegativeIds) {
  EXPECT_THAT(errorOf(R"({"cpus": [{"cpu": -1, "core": 0}]})"), HasSubstr("CPU number -1"));
  EXPECT_THAT(errorOf(R"({"schema": "linux-sched-topology/1", "cpus": [{"id": -4, "online": true}]})"),
              HasSubstr("cpus[0].id: -4 is out of range"));
  EXPECT_THAT(
      errorOf("<topology><object type=\"Machine\"><object type=\"PU\" os_index=\"-5\"/></object></topology>"),
      HasSubstr("os_index \"-5\""));
}

TEST_F(MalformedMachine, TenMegabytesOfNoise) {
  Random random(1);
  std::string noise(std::size_t{10} << 20, '\0');
  for (char& c : noise) c = static_cast<char>(random.next() >> 56);
  EXPECT_THAT(errorOf(noise), HasSubstr("known kind"));
  for (const char* start : {"{", "<", "\x1f\x8b", "BZh9", "4 cores x ", "Machine (", "platform-info:\n"})
    errorOf(start + noise);
}

// Names out of foreign files may be no UTF-8; a record of such a machine is still written.
TEST_F(MalformedMachine, NamesThatAreNoUtf8AreReplaced) {
  const auto imported = importMachineText(
      "<topology><object type=\"Machine\" cpuset=\"0x1\"><info name=\"CPUModel\" value=\"a\xb7z\"/>"
      "<object type=\"PU\" os_index=\"0\" cpuset=\"0x1\"/></object></topology>",
      "foreign");
  ASSERT_TRUE(imported.ok()) << imported.error().text();
  EXPECT_EQ(imported.value().hardware.description, "a\xef\xbf\xbdz");
}

TEST_F(MalformedMachine, TextFormatsCutAnywhereGiveOneErrorOrAMachine) {
  const std::string xml =
      "<?xml version=\"1.0\"?>\n<topology version=\"2.0\"><object type=\"Machine\" cpuset=\"0x3\">"
      "<object type=\"PU\" os_index=\"0\" cpuset=\"0x1\"/><object type=\"PU\" os_index=\"1\" cpuset=\"0x2\"/>"
      "</object></topology>\n";
  const std::string json = R"({"cpus": [{"cpu": 0, "core": 0}, {"cpu": 1, "core": 1}]})";
  const std::string verbose =
      "CPU0 attaching sched-domain(s):\n domain-0: span=0-1 level=MC\n  groups: 0:{ span=0 }, "
      "1:{ span=1 }\nCPU1 attaching sched-domain(s):\n domain-0: span=0-1 level=MC\n  groups: "
      "1:{ span=1 }, 0:{ span=0 }\nroot domain span: 0-1\n";
  for (const std::string& whole :
       {xml, json, verbose, std::string("2 packages x 4 cores, distances 10/20")}) {
    ASSERT_TRUE(importMachineText(whole, "whole").ok());
    for (std::size_t length = 0; length < whole.size(); ++length) {
      const auto imported = importMachineText(whole.substr(0, length), "cut");
      if (!imported.ok()) {
        EXPECT_FALSE(imported.error().message.empty());
      }
    }
  }
}

}  // namespace
}  // namespace rqscope
