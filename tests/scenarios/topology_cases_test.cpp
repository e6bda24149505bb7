// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/case_run.h"
#include "topology/sched_topology.h"

namespace rqscope::cases {
namespace {

using ::testing::ElementsAre;

/// Spans of the groups of CPU 0's domain over exactly the CPUs of `span`.
std::vector<std::string> groupsOf(const SchedTopology& t, const std::string& span) {
  std::vector<std::string> out;
  for (DomainId d = t.cpus[0].lowest; d.isValid(); d = t.domain(d).parent)
    if (t.domain(d).span.list() == span)
      for (const SchedGroupId g : t.domain(d).groups) out.push_back(t.group(g).span.list());
  return out;
}

TEST(CaseNu04, GroupsOfThreeNodesStayInsideSinceV513) {
  // Published: {0,1} and {2}; up to v5.12 {0,1} and {2,3}. A node is four CPUs here.
  for (const std::string& kernel : kKernels) {
    const auto with = casePlan("NU-04", {kernel, {}, {}});
    EXPECT_THAT(groupsOf(*with->topology, "0-11"), ElementsAre("0-7", "8-11")) << kernel;
    EXPECT_TRUE(with->topology->notes.empty());
    const auto without = casePlan("NU-04", {kernel, {{"overlap_groups_inside", false}}, {}});
    EXPECT_THAT(groupsOf(*without->topology, "0-11"), ElementsAre("0-7", "8-15")) << kernel;
    ASSERT_FALSE(without->topology->notes.empty());
    EXPECT_NE(without->topology->notes.front().find("do not span"), std::string::npos);
  }
}

TEST(CaseNu05, NodesWithoutCpusCountedUntilV517) {
  using Type = SchedTopology::NumaType;
  for (const std::string& kernel : kKernels) {
    const auto after = casePlan("NU-05", {kernel, {}, {}})->topology;
    EXPECT_EQ(after->numaType, Type::Direct);
    EXPECT_EQ(after->levelDistances.size(), 2U);
    EXPECT_EQ(after->maxDistance, 21);
    const auto before = casePlan("NU-05", {kernel, {{"numa_cpu_nodes_only", false}}, {}})->topology;
    EXPECT_EQ(before->numaType, Type::GluelessMesh);
    EXPECT_EQ(before->levelDistances.size(), 4U);
    EXPECT_EQ(before->maxDistance, 28);
  }
}

}  // namespace
}  // namespace rqscope::cases
