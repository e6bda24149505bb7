// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "topology/sched_topology.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "topology/machine_file.h"
#include "topology/machine_layout.h"

namespace rqscope {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Hardware machine(const std::string& name) {
  auto hw = loadMachine(name, std::string(RQSCOPE_SOURCE_DIR) + "/resources/topologies");
  EXPECT_TRUE(hw.ok()) << (hw.ok() ? "" : hw.error().text());
  return std::move(hw).value();
}

Hardware compact(const char* text) {
  auto hw = parseCompactMachine(text, "test");
  EXPECT_TRUE(hw.ok()) << (hw.ok() ? "" : hw.error().text());
  return std::move(hw).value();
}

std::shared_ptr<const SchedTopology> build(const Hardware& hw, const char* kernel = "v6.12") {
  auto built = buildSchedTopology(hw, kernelProfile(kernel).value());
  EXPECT_TRUE(built.ok()) << (built.ok() ? "" : built.error().text());
  return built.value();
}

std::vector<const SchedDomain*> domainsOf(const SchedTopology& t, int cpu) {
  std::vector<const SchedDomain*> out;
  for (DomainId d = t.cpus[static_cast<std::size_t>(cpu)].lowest; d.isValid(); d = t.domain(d).parent)
    out.push_back(&t.domain(d));
  return out;
}

std::vector<std::string> namesOf(const SchedTopology& t, int cpu) {
  std::vector<std::string> out;
  for (const SchedDomain* d : domainsOf(t, cpu)) out.push_back(d->name);
  return out;
}

// What a real arm64 kernel built on a Juno-shaped machine stands in ground-truth/juno/topology.json.
TEST(SchedTopology, BuildsJunoAsTheRealKernelDid) {
  std::ifstream in(std::string(RQSCOPE_SHARED_DIR) + "/ground-truth/juno/topology.json");
  if (!in) {
    std::printf("ABSENT: ground-truth/juno/topology.json; Juno's domains were not compared\n");
    SUCCEED();
    return;
  }
  const auto truth = nlohmann::json::parse(in);
  int compared = 0;
  for (const char* kernel : {"v6.1", "v6.12"}) {
    const auto t = build(machine("juno-r2"), kernel);
    for (const auto& [cpuName, list] : truth[std::string("juno ") + (kernel + 1)]["domains"].items()) {
      const auto mine = domainsOf(*t, std::stoi(cpuName.substr(3)));
      ASSERT_EQ(mine.size(), list.size()) << kernel << " " << cpuName;
      for (std::size_t i = 0; i < mine.size(); ++i) {
        const SchedDomain& d = *mine[i];
        EXPECT_EQ(d.name, list[i]["name"]);
        EXPECT_EQ(nlohmann::json(sdFlagNames(d.flags, kernelProfile(kernel).value().version)),
                  list[i]["flags"]);
        EXPECT_EQ(d.minIntervalMs, list[i]["min_interval"]);
        EXPECT_EQ(d.maxIntervalMs, list[i]["max_interval"]);
        EXPECT_EQ(d.imbalancePct, list[i]["imbalance_pct"]);
        EXPECT_EQ(d.cacheNiceTries, list[i]["cache_nice_tries"]);
        if (list[i].contains("level")) {
          EXPECT_EQ(d.level, list[i]["level"]);
        }
        ASSERT_EQ(d.groups.size(), list[i]["groups"].size());
        for (std::size_t g = 0; g < d.groups.size(); ++g) {
          std::vector<int> cpus;
          std::uint64_t capacity = 0;
          for (const CpuId c : t->group(d.groups[g]).cpus) {
            cpus.push_back(c.value);
            capacity += t->cpuCapacity[c.index()];
          }
          EXPECT_EQ(nlohmann::json(cpus), list[i]["groups"][g]["span"]);
          EXPECT_EQ(capacity, list[i]["groups"][g]["capacity"]);
        }
        ++compared;
      }
    }
    EXPECT_TRUE(t->asymCapacityActive);
    EXPECT_EQ(t->asymCapacities.front().first, 1024U);
  }
  EXPECT_EQ(compared, 24);  // two kernels, six CPUs, two domains
}

// Juno's PKG sees both capacities: v6.x takes PREFER_SIBLING from MC, v7.3 does not.
TEST(SchedTopology, ClearsPreferSiblingUnderAsymmetryBeforeV73Only) {
  for (const auto& [kernel, isCleared] : {std::pair{"v6.1", true}, {"v6.12", true}, {"v7.3", false}}) {
    const auto t = build(machine("juno-r2"), kernel);
    EXPECT_EQ((domainsOf(*t, 0)[0]->flags & kSdPreferSibling) == 0, isCleared) << kernel;
  }
}

// v7.3: only the topmost SHARE_LLC domain and the lowest domain with all capacities have a shared object.
TEST(SchedTopology, SharesTheTopmostLlcDomainOnlyInV73) {
  const auto old = build(compact("4 cores x 2 threads"), "v6.12");
  const auto recent = build(compact("4 cores x 2 threads"), "v7.3");
  EXPECT_TRUE(domainsOf(*old, 0)[0]->shared.isValid());
  EXPECT_FALSE(domainsOf(*recent, 0)[0]->shared.isValid());
  EXPECT_TRUE(domainsOf(*recent, 0)[1]->shared.isValid());
  EXPECT_EQ(recent->sharedCount, 1);
  const auto juno = build(machine("juno-r2"), "v7.3");
  EXPECT_TRUE(domainsOf(*juno, 0)[1]->shared.isValid());
  EXPECT_NE(juno->cpus[0].balanceShared, juno->cpus[0].llcShared);
}

// v7.3 counts W inside the partition: 8 CPUs in the cache, 6 in the domain -> 6 ms; v6.12 counts 8.
TEST(SchedTopology, CountsIntervalsInsideThePartitionInV73) {
  EXPECT_EQ(domainsOf(*build(compact("8 cores, isolated 2,5"), "v7.3"), 0)[0]->minIntervalMs, 6);
  EXPECT_EQ(domainsOf(*build(compact("8 cores, isolated 2,5"), "v6.12"), 0)[0]->minIntervalMs, 8);
}

TEST(SchedTopology, HasNoOverlapFlagInV73) {
  const char* ring = "4 packages x 2 cores, distances 10 20 30 20; 20 10 20 30; 30 20 10 20; 20 30 20 10";
  const auto old = build(compact(ring), "v6.12");
  const auto recent = build(compact(ring), "v7.3");
  EXPECT_NE(domainsOf(*old, 0)[1]->flags & kSdOverlap, 0U);
  EXPECT_EQ(domainsOf(*recent, 0)[1]->flags & kSdOverlap, 0U);
  EXPECT_EQ(sdFlagBits(kSdNuma, KernelVersion::V7_3), 0x2000U);
  const auto spans = [](const SchedTopology& t) {
    std::vector<std::string> out;
    for (const SchedGroupId g : domainsOf(t, 0)[2]->groups) out.push_back(t.group(g).span.list());
    return out;
  };
  EXPECT_THAT(spans(*recent), ElementsAre("0-3,6-7", "2-7"));
  EXPECT_EQ(spans(*old), spans(*recent));
}

TEST(SchedTopology, PacksAtTheLevelsThatEachVersionGivesToItmt) {
  Hardware hw = compact("2 LLC x 2 cores x 2 threads");
  hw.asymPackingMc = true;
  hw.asymPriority = {1, 1, 5, 5, 9, 8, 7, 7};
  const auto packed = [&](const char* kernel) {
    std::vector<bool> out;
    const auto t = build(hw, kernel);
    for (const SchedDomain* d : domainsOf(*t, 0)) out.push_back((d->flags & kSdAsymPacking) != 0);
    return out;
  };
  EXPECT_THAT(packed("v6.1"), ElementsAre(true, true, false));
  EXPECT_THAT(packed("v6.12"), ElementsAre(false, true, true));
  const auto t = build(hw, "v6.12");
  const SchedDomain& top = *domainsOf(*t, 0).back();
  EXPECT_EQ(t->group(top.groups[0]).asymPreferCpu, CpuId{2});  // the first of the two with priority 5
  EXPECT_EQ(t->group(top.groups[1]).asymPreferCpu, CpuId{4});
  EXPECT_EQ(t->domain(t->cpus[0].sdAsymPacking).name, "PKG");
}

TEST(SchedTopology, GapsInCpuNumbersAreKept) {
  const auto hw = readMachineJson(
      R"({"schema":"rqscope-machine/1","cpus":[{"cpus":"3,1000","threads":1},{"cpus":"9000","threads":1}]})",
      "gaps");
  ASSERT_TRUE(hw.ok()) << hw.error().text();
  const auto t = build(hw.value());
  EXPECT_EQ(t->cpuLimit, 9001);
  EXPECT_EQ(t->position[1000], 1);
  EXPECT_EQ(t->position[1001], -1);
  EXPECT_EQ(domainsOf(*t, 1000)[0]->span.list(), "3,1000,9000");
}

// Two level 3 caches that overlap without being equal: the kernel's topology_span_sane() refuses.
TEST(SchedTopology, RefusesInsaneSpans) {
  Hardware hw = compact("2 LLC x 2 cores");
  for (HardwareCache& cache : hw.cpus[0].caches)
    if (cache.level == 3) cache.shared.set(CpuId{2});
  const auto built = buildSchedTopology(hw, kernelProfile("v6.12").value());
  ASSERT_FALSE(built.ok());
  EXPECT_THAT(built.error().text(), HasSubstr("level MC"));
}

TEST(SchedTopology, DropsThePackageLevelWhenNodesCutAPackage) {
  EXPECT_THAT(namesOf(*build(compact("1 package x 2 nodes x 2 LLC x 2 cores, distances 10/12")), 0),
              ElementsAre("MC", "NODE", "NUMA"));
  EXPECT_THAT(namesOf(*build(compact("2 packages x 2 LLC x 2 cores, distances 10/20")), 0),
              ElementsAre("MC", "PKG", "NUMA"));
}

// A line 0 -12- 1 -20- 2 -12- 3: since v5.13 the far group of node 0's second NUMA domain is {2}, not {2,3},
// which reaches out of the domain (commit 585b6d2723dc).
TEST(SchedTopology, GroupsStayInsideTheirDomainOnThreeHops) {
  const auto t =
      build(compact("4 packages x 1 core, distances 10 12 22 24; 12 10 20 22; 22 20 10 12; 24 22 12 10"));
  const auto domains = domainsOf(*t, 0);
  const auto it =
      std::find_if(domains.begin(), domains.end(), [](auto* d) { return d->span.list() == "0-2"; });
  ASSERT_NE(it, domains.end());
  std::vector<std::string> groups;
  for (const SchedGroupId g : (*it)->groups) groups.push_back(t->group(g).span.list());
  EXPECT_THAT(groups, ElementsAre("0-1", "2"));
}

// Nodes without CPUs do not count (commit 0fb3978b0aac): two levels, directly connected, greatest
// distance 21.
TEST(SchedTopology, MemoryOnlyNodesDoNotCount) {
  const auto t = build(machine("csl-2s-96cpu-pmem"));
  EXPECT_EQ(t->levelDistances, (std::vector<int>{10, 21}));
  EXPECT_EQ(t->numaType, SchedTopology::NumaType::Direct);
  EXPECT_EQ(t->maxDistance, 21);
  EXPECT_EQ(t->hardware.nodes[0].cpus.list(), "0-23,48-71");
}

// Levels that do not nest: SMT 0-1,4-5 sticks out of CLS 0-3. The kernel reports and widens; so do we, in
// words.
TEST(SchedTopology, LevelsThatDoNotNestAreWidenedAndReported) {
  Hardware hw = compact("2 packages x 4 cores x 2 threads, distances 10 10; 10 10");
  for (HardwareCpu& cpu : hw.cpus) {
    const int base = cpu.id.value / 8 * 8;
    const auto list = [&](const std::vector<int>& cpus) {
      CpuMask mask;
      for (const int c : cpus) mask.set(CpuId{base + c});
      return mask;
    };
    cpu.threadSiblings = cpu.id.value % 4 < 2 ? list({0, 1, 4, 5}) : list({2, 3, 6, 7});
    cpu.clusterCpus = cpu.id.value % 8 < 4 ? list({0, 1, 2, 3}) : list({4, 5, 6, 7});
  }
  const auto t = build(hw);
  EXPECT_THAT(t->notes,
              ::testing::Contains(HasSubstr("level SMT is not a subset of level CLS: CPU 0 has child "
                                            "0-1,4-5, parent 0-3; the parent is widened, on 16 CPUs")));
  EXPECT_EQ(domainsOf(*t, 0)[0]->span.list(), "0-1,4-5");
}

// 1,024 CPUs: time is reported; counts and memory are asserted.
TEST(SchedTopology, Builds1024Cpus) {
  const Hardware hw = compact(
      "8 packages x 2 nodes x 4 LLC x 8 cores x 2 threads, distances 10/12/32, numbering threads-last");
  ASSERT_EQ(hw.cpus.size(), 1024U);
  const auto start = std::chrono::steady_clock::now();
  const auto t = build(hw);
  const auto ms =
      std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - start);
  EXPECT_THAT(namesOf(*t, 0), ElementsAre("SMT", "MC", "NODE", "NUMA", "NUMA"));
  std::size_t bytes = t->domains.size() * sizeof(SchedDomain) + t->groups.size() * sizeof(SchedGroup);
  for (const SchedDomain& d : t->domains) bytes += 96 + d.groups.capacity() * sizeof(SchedGroupId);
  for (const SchedGroup& g : t->groups) bytes += 192 + g.cpus.capacity() * sizeof(CpuId);
  std::printf("1024 CPUs: %zu domains, %zu groups, about %zu KB, %lld ms\n", t->domains.size(),
              t->groups.size(), bytes >> 10, static_cast<long long>(ms.count()));
  EXPECT_LT(bytes, std::size_t{40} << 20);
}

}  // namespace
}  // namespace rqscope
