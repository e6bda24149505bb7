// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "rqscope/explain_value.h"
#include "rqscope/simulation.h"

namespace rqscope::api {
namespace {

constexpr std::int64_t kMs = 1'000'000;

std::unique_ptr<Simulation> opened(const std::string& name, const std::string& kernel) {
  Overrides overrides;
  overrides.kernel = kernel;
  Opened result = Simulation::open(name, overrides);
  EXPECT_NE(result.simulation, nullptr);
  return std::move(result.simulation);
}

std::vector<std::string> nextOnes(const std::vector<QueueEntity>& entities) {
  std::vector<std::string> out;
  for (const QueueEntity& entity : entities) {
    if (entity.isNext) out.push_back(entity.name);
    const std::vector<std::string> below = nextOnes(entity.children);
    out.insert(out.end(), below.begin(), below.end());
  }
  return out;
}

std::unique_ptr<Simulation> threeEqual(const std::string& kernel) {
  const std::string text = R"({"rqscope-scenario":1,"machine":"1 package x 1 core","kernel":")" + kernel +
                           R"(","workload":[{"generator":"hogs","count":3}],"until":"1s"})";
  Opened result = Simulation::openText("three.json", text, {});
  EXPECT_NE(result.simulation, nullptr);
  return std::move(result.simulation);
}

TEST(QueueFrames, CfsHasSlicesAndMinVruntimeAndNoDeadlines) {
  // Three equal tasks on one CPU: sched_slice() is a third of sched_latency, 6 ms on one CPU; the weight is
  // divided by a reciprocal, which may lose a nanosecond.
  const auto simulation = threeEqual("v6.1");
  simulation->seekTime(100 * kMs);
  EXPECT_EQ(simulation->layout()->queue, "cfs");
  const std::vector<QueueEntity> queue = simulation->queue(0);
  ASSERT_EQ(queue.size(), 3U);
  std::int64_t least = queue.front().vruntime;
  std::map<std::string, std::int64_t> vruntimes;
  for (const QueueEntity& entity : queue) {
    EXPECT_NEAR(static_cast<double>(entity.slice), 2e6, 1) << entity.name;
    EXPECT_EQ(entity.deadline, 0);
    EXPECT_EQ(entity.lag, 0);
    vruntimes[entity.name] = entity.vruntime;
    least = std::min(least, entity.vruntime);
  }
  const std::vector<std::string> next = nextOnes(queue);
  ASSERT_EQ(next.size(), 1U);
  EXPECT_EQ(vruntimes[next.front()], least) << "without buddies the least vruntime is picked";
  EXPECT_FALSE(findValue(*simulation, "task hog-0 lag"));
  EXPECT_FALSE(findValue(*simulation, "task hog-0 deadline"));
  EXPECT_FALSE(findValue(*simulation, "cpu 0 avg_vruntime"));
  const auto min = findValue(*simulation, "cpu 0 min_vruntime");
  ASSERT_TRUE(min);
  const std::int64_t minVruntime = simulation->explainValue(*min).result;
  const auto whole = findValue(*simulation, "task hog-0 se.vruntime");
  ASSERT_TRUE(whole);
  EXPECT_EQ(simulation->explainValue(*whole).result - minVruntime, vruntimes["hog-0"]);
  const ExplainedValue slice = simulation->explainValue(*findValue(*simulation, "task hog-0 slice"));
  EXPECT_EQ(slice.function, "sched_slice()");
  EXPECT_EQ(recompute(slice), slice.result);
}

TEST(QueueFrames, EevdfHasNoMinVruntime) {
  const auto simulation = threeEqual("v6.12");
  simulation->seekTime(100 * kMs);
  EXPECT_EQ(simulation->layout()->queue, "eevdf");
  EXPECT_FALSE(findValue(*simulation, "cpu 0 min_vruntime"));
  EXPECT_TRUE(findValue(*simulation, "task hog-0 lag"));
}

TEST(QueueFrames, OneTaskIsNextHoweverManyGroupsThereAre) {
  // What is picked is found by going down from the root: only in the groups on that way something is next.
  for (const char* kernel : {"v6.1", "v6.12", "v7.3"}) {
    const auto simulation = opened("two-groups", kernel);
    for (int ms = 20; ms < 220; ms += 7) {
      simulation->seekTime(ms * kMs);
      const auto frame = simulation->frame();
      int tasks = 0;
      const auto count = [&](const auto& self, const std::vector<QueueEntity>& entities) -> void {
        for (const QueueEntity& entity : entities) {
          tasks += entity.isNext && entity.task >= 0 ? 1 : 0;
          if (!entity.isNext) {
            EXPECT_TRUE(nextOnes(entity.children).empty()) << kernel << " " << entity.name;
          }
          self(self, entity.children);
        }
      };
      count(count, simulation->queue(0));
      EXPECT_EQ(tasks, 1) << kernel << " at " << ms << " ms";
    }
  }
}

class Throttled : public testing::TestWithParam<std::string> {};

TEST_P(Throttled, TasksWaitOnTheirCpuAndInItsQueue) {
  // 20 ms in 100 ms for two hogs on two CPUs: both have run out at 90 ms. They are on no queue, and yet
  // there.
  const auto simulation = opened("throttled-group", GetParam());
  simulation->seekTime(90 * kMs);
  const auto frame = simulation->frame();
  int seen = 0;
  for (const TaskFrame& task : frame->tasks) {
    if (!task.name.starts_with("limited")) continue;
    ++seen;
    EXPECT_EQ(task.state, "throttled") << task.name;
    const auto cpu = std::find_if(frame->cpus.begin(), frame->cpus.end(),
                                  [&](const CpuFrame& c) { return c.id == task.cpu; });
    ASSERT_NE(cpu, frame->cpus.end());
    EXPECT_EQ(std::count(cpu->queued.begin(), cpu->queued.end(), task.id), 1) << task.name;
    const std::vector<QueueEntity> queue = simulation->queue(task.cpu);
    bool isInQueue = false;
    for (const QueueEntity& entity : queue) {
      if (entity.task == task.id) isInQueue = entity.isThrottled;
      for (const QueueEntity& child : entity.children)
        if (child.task == task.id) isInQueue = entity.isThrottled && child.isThrottled;
    }
    EXPECT_TRUE(isInQueue) << task.name;
  }
  EXPECT_EQ(seen, 2);
}

INSTANTIATE_TEST_SUITE_P(Kernels, Throttled, testing::Values("v6.1", "v6.12", "v7.3"),
                         [](const auto& kernel) {
                           std::string name = kernel.param;
                           std::erase_if(name, [](char c) { return c == '.'; });
                           return name;
                         });

// The migration thread is no task, but a CPU that runs it is not idle: the kernel counts it in nr_running
// too.
TEST(Frames, CpuThatRunsItsStopperIsNotIdle) {
  const auto simulation = opened("six-ladders", "v6.12");
  simulation->seekTime(100'000'000);
  int seen = 0;
  for (const auto& decision : simulation->decisions(0, 100'000'000, 10'000)) {
    if (decision.kind != "active") continue;
    ASSERT_TRUE(simulation->seekPass(decision.index));  // the machine in which it begins: the stopper runs
    const auto frame = simulation->frame();
    for (const CpuFrame& cpu : frame->cpus) {
      EXPECT_TRUE(!cpu.isIdle || cpu.running == -1) << cpu.id;
      if (cpu.isIdle || cpu.running >= 0) continue;
      ++seen;
      EXPECT_GE(cpu.nrRunning, 1) << cpu.id;
      EXPECT_EQ(static_cast<std::size_t>(cpu.nrRunning), cpu.queued.size() + 1)
          << "the stopper and who waits";
    }
  }
  EXPECT_GT(seen, 0) << "this scenario has active balance";
}

/// Lengths of the pieces in which each task ran on CPU 0, in ms.
std::map<std::string, std::vector<double>> piecesOf(const Simulation& simulation, std::int64_t endNs) {
  std::map<std::string, std::vector<double>> out;
  const TimelineWindow window = simulation.timeline(0, endNs, 1'000'000);
  for (const TimelineSlice& slice : window.lanes.front().slices)
    out[slice.name].push_back(static_cast<double>(slice.endNs - slice.beginNs) / 1e6);
  return out;
}

TEST(LagAndDeadline, AShorterSliceMeansMoreAndShorterPieces) {
  // What the lesson says: equal shares, and the shorter the slice the more and the shorter the pieces. Long
  // ones are 12 ms, default ones 4 ms; in the time of one long piece default makes three, and short comes
  // after each of the four: 4 pieces of 3 ms.
  const auto simulation = opened("lag-and-deadline", "");
  simulation->seekTime(480 * kMs);
  auto pieces = piecesOf(*simulation, 480 * kMs);
  ASSERT_EQ(pieces.size(), 3U);
  const auto sum = [&](const std::string& name) {
    double all = 0;
    for (const double piece : pieces[name]) all += piece;
    return all;
  };
  const auto mean = [&](const std::string& name) {
    return sum(name) / static_cast<double>(pieces[name].size());
  };
  EXPECT_NEAR(mean("long"), 12, 0.5);
  EXPECT_NEAR(mean("default"), 4, 0.2);
  EXPECT_NEAR(mean("short"), 3, 0.2);
  EXPECT_GT(pieces["short"].size(), pieces["default"].size());
  EXPECT_GT(pieces["default"].size(), 2 * pieces["long"].size());
  for (const char* name : {"short", "default", "long"}) EXPECT_NEAR(sum(name), 160, 12) << name;
}

}  // namespace
}  // namespace rqscope::api
