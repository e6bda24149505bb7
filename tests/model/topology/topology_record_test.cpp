// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "evaluate/topology_records.h"
#include "topology/json_fields.h"

namespace rqscope {
namespace {

using nlohmann::json;

std::vector<std::string> recordFiles() {
  std::vector<std::string> files;
  const std::filesystem::path dir = std::filesystem::path(RQSCOPE_SHARED_DIR) / "ground-truth/topology";
  std::error_code ec;
  for (const auto& entry : std::filesystem::directory_iterator(dir, ec))
    if (entry.path().extension() == ".json") files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  if (files.empty())
    std::printf("ABSENT: %s; the 61 records of real kernels were not checked\n", dir.c_str());
  return files;
}

json loadJson(const std::string& path) {
  std::ifstream in(path);
  return json::parse(in);
}

// Records that always run: copied from the ground truth.
std::string ownRecord(const char* name) {
  return std::string(RQSCOPE_SOURCE_DIR) + "/tests/kernel/topology/" + name;
}

TEST(TopologyRecord, EveryRecordOfARealKernelIsEqual) {
  const auto files = recordFiles();
  int equal = 0;
  for (const std::string& file : files) {
    const auto report = verifyTopologyRecordFile(file);
    ASSERT_TRUE(report.ok()) << report.error().text();
    EXPECT_TRUE(report.value().isEqual) << report.value().text();
    EXPECT_GT(report.value().comparedFields, 5) << file;
    equal += report.value().isEqual ? 1 : 0;
  }
  std::printf("%d of %zu records equal\n", equal, files.size());
  if (!files.empty()) {
    EXPECT_EQ(files.size(), 61U);
  }
}

TEST(TopologyRecord, OwnCopiesAreEqual) {
  for (const char* name :
       {"6.12-ring4.json", "6.1-s2c4t2-numa2.json", "6.12-cpuset.json", "6.12-off-smt.json"}) {
    const auto report = verifyTopologyRecordFile(ownRecord(name));
    ASSERT_TRUE(report.ok()) << report.error().text();
    EXPECT_TRUE(report.value().isEqual) << report.value().text();
  }
}

/// Another value of the same kind.
json changed(const json& value) {
  if (value.is_number()) return value.get<int>() + 1;
  if (value.is_null()) return 0;
  if (value.is_boolean()) return !value.get<bool>();
  if (value.is_string()) return value.get<std::string>() + (value.get<std::string>().empty() ? "7" : ",99");
  if (value.is_array() && !value.empty()) {
    json out = value;
    out.erase(out.begin());
    return out;
  }
  return json::array({"SD_NUMA"});
}

// Situation: one value of a record of a real kernel is changed by hand, for every field the kernel computes.
// Expectation: exactly that field is reported. Reason: a comparison that misses a field proves nothing.
TEST(TopologyRecord, ReportsEachKindOfFieldThatWasChanged) {
  const json record = loadJson(ownRecord("6.12-ring4.json"));
  int kinds = 0;
  const auto tryField = [&](const json::json_pointer& where) {
    json wrong = record;
    wrong[where] = changed(record[where]);
    const auto report = verifyTopologyRecord(wrong, "changed.json");
    ASSERT_TRUE(report.ok()) << where.to_string() << ": " << report.error().text();
    EXPECT_FALSE(report.value().isEqual) << where.to_string();
    ASSERT_EQ(report.value().differences.size(), 1U) << where.to_string() << report.value().text();
    EXPECT_THAT(report.value().differences[0].field, ::testing::HasSubstr(where.back()));
    ++kinds;
  };
  for (const char* field : {"name", "level", "span", "span_weight", "flags", "flags_hex", "groups",
                            "imbalance_pct", "busy_factor", "min_interval_ms", "max_interval_ms",
                            "cache_nice_tries", "imb_numa_nr", "shared", "groups_flags"})
    tryField(json::json_pointer("/domains/4") / field);
  for (const char* field : {"span", "balance_mask", "weight", "cores", "flags_hex", "asym_prefer_cpu", "sgc",
                            "sgc_id", "capacity_nominal"})
    tryField(json::json_pointer("/groups/5") / field);
  for (const char* field : {"llc_id", "llc_size", "sd_llc", "sd_numa", "sd_asym_packing", "sd_share_id",
                            "root_domain_span", "root_domain_online"})
    tryField(json::json_pointer("/cpus/3") / field);
  for (const char* field : {"topology_type", "level_distances", "max_distance"})
    tryField(json::json_pointer("/numa") / field);
  EXPECT_EQ(kinds, 35);
}

TEST(TopologyRecord, ReportsADomainOrGroupThatIsMissing) {
  const json record = loadJson(ownRecord("6.12-ring4.json"));
  for (const char* list : {"domains", "groups"}) {
    json wrong = record;
    wrong[list].erase(wrong[list].size() - 1);
    const auto report = verifyTopologyRecord(wrong, "changed.json");
    ASSERT_TRUE(report.ok());
    ASSERT_EQ(report.value().differences.size(), 1U);
    EXPECT_EQ(report.value().differences[0].expected, "missing");
  }
}

TEST(TopologyRecord, WritingAndReadingGivesTheSameRecord) {
  for (const std::string& file : {ownRecord("6.12-ring4.json"), ownRecord("6.12-cpuset.json")}) {
    const json record = loadJson(file);
    const auto hw = hardwareFromRecord(record, file);
    ASSERT_TRUE(hw.ok());
    const auto profile = kernelProfile("v6.12").value();
    const auto built = buildSchedTopology(hw.value(), profile);
    ASSERT_TRUE(built.ok());
    const json written = topologyRecord(*built.value(), profile);
    const auto again = verifyTopologyRecord(written, "written.json");
    ASSERT_TRUE(again.ok()) << again.error().text();
    EXPECT_TRUE(again.value().isEqual) << again.value().text();
  }
}

TEST(TopologyRecord, RefusesWhatIsNotARecord) {
  EXPECT_FALSE(verifyTopologyRecord(json::array(), "a.json").ok());
  EXPECT_FALSE(verifyTopologyRecord({{"schema", "other/1"}}, "a.json").ok());
  json record = loadJson(ownRecord("6.12-ring4.json"));
  record["cpus"][1]["id"] = 0;
  const auto twice = verifyTopologyRecord(record, "twice.json");
  ASSERT_FALSE(twice.ok());
  EXPECT_THAT(twice.error().text(), ::testing::HasSubstr("CPU 0 appears twice"));
}

}  // namespace
}  // namespace rqscope
