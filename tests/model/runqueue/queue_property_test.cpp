// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "model/runqueue/queue_invariants.h"
#include "model/runqueue/random_queues.h"

namespace rqscope {
namespace {

constexpr CpuId kCpu{0};
constexpr std::uint64_t kTickNs = 4'000'000;

TEST(QueueInvariants, FindWhatIsBroken) {
  RandomQueues queues("v6.12", 2, 12, 3);
  while (queues.m.rootCfs(kCpu).nrQueued < 3 || !queues.m.rootCfs(kCpu).root.isValid()) queues.step();
  ASSERT_EQ(queueFault(queues.m), "");
  const auto faultWith = [&](auto&& breakIt) {
    Machine copy = queues.m;
    breakIt(copy);
    return queueFault(copy);
  };
  EXPECT_NE(faultWith([](Machine& m) { ++m.rootCfs(kCpu).sumWeight; }), "");
  EXPECT_NE(faultWith([](Machine& m) { ++m.rootCfs(kCpu).hNrQueued; }), "");
  EXPECT_NE(faultWith([](Machine& m) { ++m.rq(kCpu).nrRunning; }), "");
  EXPECT_NE(faultWith([](Machine& m) { ++m.entity(m.rootCfs(kCpu).root).minVruntime; }), "");
  EXPECT_NE(faultWith([](Machine& m) { m.entity(m.rootCfs(kCpu).root).tree.isRed = true; }), "");
}

class QueueProperties : public testing::TestWithParam<const char*> {};

TEST_P(QueueProperties, HoldOverAMillionOperations) {
  constexpr int kSeeds = 10;
  constexpr int kOperations = 34'000;  // times seeds and kernels: a million
  int delayedSeen = 0, longTrees = 0;
  for (int seed = 1; seed <= kSeeds; ++seed) {
    RandomQueues queues(GetParam(), 3, 16, static_cast<std::uint64_t>(seed));
    for (int i = 0; i < kOperations; ++i) {
      queues.step();
      if (i % 7 != 0) continue;
      for (const TaskId task : queues.tasks) delayedSeen += queues.m.se(task).schedDelayed ? 1 : 0;
      longTrees += queues.m.rootCfs(kCpu).hNrQueued >= 6 ? 1 : 0;
      const std::string fault = queueFault(queues.m);
      ASSERT_EQ(fault, "") << "seed " << seed << ", operation " << i;
    }
  }
  if (std::string(GetParam()) != "v6.1") {
    EXPECT_GT(delayedSeen, 1000);
  }
  EXPECT_GT(longTrees, 1000);
}

/// Tasks that always run, on one CPU.
struct Hogs {
  explicit Hogs(const char* kernel, const std::vector<int>& nices) : queues(kernel, 1, 0, 1) {
    for (const int nice : nices) add(GroupId{0}, nice);
  }
  void add(GroupId group, int nice) {
    NewTask spec;
    spec.nice = nice;
    spec.group = group;
    queues.tasks.push_back(addTask(queues.m, spec));
    queues.m.task(queues.tasks.back()).state = TaskState::New;
    queues.wake(queues.tasks.back(), kCpu);
  }
  std::uint64_t ran(std::size_t i) { return queues.m.se(queues.tasks[i]).sumExecRuntime; }
  RandomQueues queues;
};

TEST_P(QueueProperties, GiveTimeByWeight) {
  Hogs hogs(GetParam(), {0, 5, -5, 0});
  hogs.queues.schedule(kCpu);
  for (int i = 0; i < 20'000; ++i) hogs.queues.tick(kTickNs);
  const double weights[] = {1024, 335, 3121, 1024};
  const double total = std::accumulate(std::begin(weights), std::end(weights), 0.0);
  for (std::size_t i = 0; i < 4; ++i) {
    const double share = static_cast<double>(hogs.ran(i)) / (20'000.0 * kTickNs);
    EXPECT_NEAR(share, weights[i] / total, 0.005) << "task " << i;
  }
}

TEST_P(QueueProperties, GiveTimeToGroupsByShares) {
  Hogs hogs(GetParam(), {});
  RandomQueues& queues = hogs.queues;
  setGroupShares(queues.ctx, queues.groups[1], sharesOfCgroupWeight(100));
  setGroupShares(queues.ctx, queues.groups[3], sharesOfCgroupWeight(300));
  hogs.add(queues.groups[1], 0);
  hogs.add(queues.groups[3], 0);
  hogs.add(queues.groups[3], 0);
  queues.schedule(kCpu);
  for (int i = 0; i < 20'000; ++i) queues.tick(kTickNs);
  EXPECT_NEAR(static_cast<double>(hogs.ran(0)) / (20'000.0 * kTickNs), 0.25, 0.005);
  EXPECT_NEAR(static_cast<double>(hogs.ran(1)) / (20'000.0 * kTickNs), 0.375, 0.005);
}

// With n equal tasks nobody waits longer than n - 1 requests, each served to the tick after its end.
TEST_P(QueueProperties, StarveNobody) {
  constexpr std::size_t kCount = 6;
  Hogs hogs(GetParam(), std::vector<int>(kCount, 0));
  Machine& m = hogs.queues.m;
  hogs.queues.schedule(kCpu);
  const std::uint64_t request = std::max(m.baseSliceNs, m.latencyNs / kCount) + 2 * kTickNs;
  std::vector<std::uint64_t> ran(kCount, 0), since(kCount, m.nowNs);
  for (int i = 0; i < 20'000; ++i) {
    hogs.queues.tick(kTickNs);
    for (std::size_t t = 0; t < kCount; ++t) {
      if (hogs.ran(t) != ran[t]) since[t] = m.nowNs;
      ran[t] = hogs.ran(t);
      ASSERT_LE(m.nowNs - since[t], kCount * request) << "task " << t;
    }
  }
}

TEST_P(QueueProperties, KeepAGroupToItsLimit) {
  constexpr int kTicksPerPeriod = 25;
  Hogs hogs(GetParam(), {0});
  RandomQueues& queues = hogs.queues;
  const GroupId group = queues.groups[2];  // below another group
  hogs.add(group, 0);
  hogs.add(group, 0);
  queues.schedule(kCpu);
  const auto run = [&](int periods) {
    const std::uint64_t before = hogs.ran(1) + hogs.ran(2);
    for (int i = 0; i < periods * kTicksPerPeriod; ++i) {
      if (i % kTicksPerPeriod == 0) bandwidthTimer(queues.ctx, group);
      if (queues.m.rq(kCpu).needResched) queues.schedule(kCpu);
      queues.tick(kTickNs);
    }
    return static_cast<double>(hogs.ran(1) + hogs.ran(2) - before) / (periods * kTicksPerPeriod * 4e6);
  };
  EXPECT_NEAR(run(100), 0.5, 0.01);
  setGroupBandwidth(queues.ctx, group, 20'000'000, 100'000'000);
  EXPECT_NEAR(run(200), 0.2, 0.005);
  EXPECT_TRUE(queues.m.group(group).bandwidth.throttled.size() <= 1);
  setGroupBandwidth(queues.ctx, group, -1, 100'000'000);
  EXPECT_EQ(queueFault(queues.m), "");
  EXPECT_NEAR(run(200), 0.5, 0.01);
  EXPECT_EQ(queueFault(queues.m), "");
}

INSTANTIATE_TEST_SUITE_P(All, QueueProperties, testing::Values("v6.1", "v6.12", "v7.3"),
                         [](const auto& kernel) {
                           std::string name = kernel.param;
                           std::replace(name.begin(), name.end(), '.', '_');
                           return name;
                         });

}  // namespace
}  // namespace rqscope
