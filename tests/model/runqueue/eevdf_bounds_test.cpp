// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "model/runqueue/random_queues.h"
#include "runqueue/eevdf.h"
#include "runqueue/flat.h"

// What EEVDF promises, with the bounds of its theorem for this scheduler's grain. Notation: an entity of
// weight w among n of weight W asks for requests of r ns; q is the longest time between two moments in which
// the scheduler can choose: a tick in v6.12; two in v7.3, where a tick asks lazily and the next one enforces
// it. Lag is service owed: w * (V - v), in ns of service.
//
// 1. lag >= -(r + q): an entity is chosen only while eligible (lag >= 0), and the next choice comes at most
//    r + q of its own service later: at the first moment after its request is served.
// 2. lag <= r_max + n * q: up to its deadline an entity loses service to requests with earlier deadlines, to
//    which it is due but for what each of the n overruns (q at most), and to one request with a later
//    deadline that was being served when it became eligible (r_max). Stoica and Abdel-Wahab have q = 0 for
//    requests that end in time.
// 3. Service over any time T is w/W * T within the lag at both ends, so shares converge as 1/T.
// 4. Nobody waits longer than its lag takes to rise from the least to the most, at w/W per ns:
//    (r + q + r_max + n * q) * W / w.

namespace rqscope {
namespace {

constexpr CpuId kCpu{0};
constexpr std::uint64_t kTickNs = 4'000'000;

double asNs(std::uint64_t ns) { return static_cast<double>(ns); }

/// Tasks that always run, with requests of their own length.
class Hogs {
 public:
  struct Spec {
    int nice;
    std::uint64_t sliceNs;
  };
  Hogs(const char* kernel, const std::vector<Spec>& specs) : m_queues(kernel, 1, 0, 1) {
    for (const Spec& spec : specs) {
      NewTask task;
      task.nice = spec.nice;
      task.sliceNs = spec.sliceNs;
      m_queues.tasks.push_back(addTask(m_queues.m, task));
      m_queues.m.task(m_queues.tasks.back()).state = TaskState::New;
      m_queues.wake(m_queues.tasks.back(), kCpu);
    }
    m_queues.schedule(kCpu);
  }
  void tick() { m_queues.tick(kTickNs); }
  std::size_t count() const { return m_queues.tasks.size(); }
  const SchedEntity& entity(std::size_t i) const { return m_queues.m.se(m_queues.tasks[i]); }
  std::uint64_t ran(std::size_t i) const { return entity(i).sumExecRuntime; }
  double request(std::size_t i) const { return asNs(entity(i).slice); }
  double longestRequest() const {
    double longest = 0;
    for (std::size_t i = 0; i < count(); ++i) longest = std::max(longest, request(i));
    return longest;
  }
  double weight(std::size_t i) const { return static_cast<double>(entity(i).load.weight); }
  double totalWeight() const {
    double total = 0;
    for (std::size_t i = 0; i < count(); ++i) total += weight(i);
    return total;
  }
  /// Service owed, in ns.
  double lag(std::size_t i) const {
    const std::uint64_t v = avgVruntime(m_queues.m, CfsRqId{0});
    return static_cast<double>(virtualDelta(v, entity(i).vruntime)) * weight(i) / asNs(kNice0Load);
  }

 private:
  mutable RandomQueues m_queues;
};

const std::vector<std::vector<Hogs::Spec>> kMixes = {
    {{0, 0}, {0, 0}, {0, 0}},
    {{0, 0}, {5, 0}, {-5, 0}, {0, 0}},
    {{0, 3'000'000}, {0, 12'000'000}, {0, 1'000'000}, {0, 20'000'000}},
    {{-10, 20'000'000}, {0, 2'000'000}, {10, 8'000'000}, {3, 0}, {-3, 5'000'000}},
};

class EevdfBounds : public testing::TestWithParam<const char*> {
 protected:
  static bool isFlat() { return std::string(GetParam()) == "v7.3"; }
  static double grain() { return isFlat() ? 2.0 * kTickNs : 1.0 * kTickNs; }
  static double leastLag(const Hogs& hogs, std::size_t t) { return -(hogs.request(t) + grain()); }
  static double mostLag(const Hogs& hogs) {
    return hogs.longestRequest() + static_cast<double>(hogs.count()) * grain();
  }
};

TEST_P(EevdfBounds, LagStaysWithinTheTheorem) {
  double least = 0, most = 0;
  for (const auto& mix : kMixes) {
    Hogs hogs(GetParam(), mix);
    for (int i = 0; i < 20'000; ++i) {
      hogs.tick();
      for (std::size_t t = 0; t < hogs.count(); ++t) {
        const double lag = hogs.lag(t);
        ASSERT_GE(lag, leastLag(hogs, t)) << "task " << t << ", tick " << i;
        ASSERT_LE(lag, mostLag(hogs)) << "task " << t << ", tick " << i;
        least = std::min(least, -lag / leastLag(hogs, t));
        most = std::max(most, lag / mostLag(hogs));
      }
    }
  }
  // The bounds are of the right size: lags come near the lower and a third of the way to the upper.
  EXPECT_LT(least, -0.6);
  EXPECT_GT(most, 0.3);
}

TEST_P(EevdfBounds, SharesConvergeAsOneOverTime) {
  for (const auto& mix : kMixes) {
    Hogs hogs(GetParam(), mix);
    std::vector<std::uint64_t> start;
    for (std::size_t t = 0; t < hogs.count(); ++t) start.push_back(hogs.ran(t));
    for (int i = 1; i <= 20'000; ++i) {
      hogs.tick();
      for (std::size_t t = 0; t < hogs.count(); ++t) {
        const double due =
            asNs(static_cast<std::uint64_t>(i) * kTickNs) * hogs.weight(t) / hogs.totalWeight();
        const double bound = mostLag(hogs) - leastLag(hogs, t);  // from one end to the other
        ASSERT_LE(std::abs(asNs(hogs.ran(t) - start[t]) - due), bound) << "task " << t << ", tick " << i;
      }
    }
  }
}

TEST_P(EevdfBounds, NobodyWaitsLongerThanItsLagTakesToRise) {
  double nearest = 0;
  for (const auto& mix : kMixes) {
    Hogs hogs(GetParam(), mix);
    std::vector<std::uint64_t> ran(hogs.count(), 0);
    std::vector<int> since(hogs.count(), 0);
    for (int i = 1; i <= 20'000; ++i) {
      hogs.tick();
      for (std::size_t t = 0; t < hogs.count(); ++t) {
        if (hogs.ran(t) != ran[t]) since[t] = i;
        ran[t] = hogs.ran(t);
        const double waited = asNs(static_cast<std::uint64_t>(i - since[t]) * kTickNs);
        const double bound = (mostLag(hogs) - leastLag(hogs, t)) * hogs.totalWeight() / hogs.weight(t);
        ASSERT_LE(waited, bound) << "task " << t << ", tick " << i;
        nearest = std::max(nearest, waited / bound);
      }
    }
  }
  EXPECT_GT(nearest, 0.2) << "the bound is far from what happens";
}

// A task that leaves keeps the lag that update_entity_lag() cut to: v6.12 max(2 * slice, a tick), v7.3 the
// longest slice queued and a tick, each in the virtual time of its weight; not a nanosecond more.
TEST_P(EevdfBounds, ALeavingTaskKeepsAtMostTheClampedLag) {
  int left = 0, atTheLimit = 0;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    RandomQueues queues(GetParam(), 2, 12, seed);
    Machine& m = queues.m;
    for (int i = 0; i < 50'000; ++i) {
      std::vector<bool> wasOn;
      std::uint64_t longest = 0;
      for (const TaskId task : queues.tasks) {
        wasOn.push_back(m.se(task).onRq);
        longest = std::max(longest, m.se(task).slice);
      }
      queues.step();
      for (std::size_t t = 0; t < queues.tasks.size(); ++t) {
        SchedEntity se = m.se(queues.tasks[t]);
        if (!wasOn[t] || se.onRq || m.task(queues.tasks[t]).state != TaskState::Sleeping) continue;
        const std::uint64_t tick = m.tunables().tickNs();
        const std::uint64_t limit = isFlat() ? flat::calcDeltaFair(longest + tick, se.hLoad.weight)
                                             : calcDeltaFair(std::max(2 * se.slice, tick), se);
        ASSERT_LE(static_cast<std::uint64_t>(std::abs(se.vlag)), limit)
            << "seed " << seed << ", operation " << i;
        ++left;
        atTheLimit += static_cast<std::uint64_t>(std::abs(se.vlag)) == limit ? 1 : 0;
      }
    }
  }
  EXPECT_GT(left, 1000);
  if (!isFlat()) {
    EXPECT_GT(atTheLimit, 0) << "the clamp was never reached";
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, EevdfBounds, testing::Values("v6.12", "v7.3"), [](const auto& kernel) {
  std::string name = kernel.param;
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
});

// v6.1 promises less: entities of a queue stay within a spread of vruntime of what the longest slice and a
// tick make for the lightest of them, so service differs from the share by at most that spread.
TEST(CfsBounds, VruntimesStayWithinASliceAndATick) {
  for (const std::vector<Hogs::Spec>& mix : {std::vector<Hogs::Spec>{{0, 0}, {0, 0}, {0, 0}},
                                             std::vector<Hogs::Spec>{{0, 0}, {5, 0}, {-5, 0}, {0, 0}}}) {
    Hogs hogs("v6.1", mix);
    const double latency = 6'000'000;  // one CPU: not scaled
    for (int i = 0; i < 20'000; ++i) {
      hogs.tick();
      if (i < 100) continue;  // START_DEBIT spreads them at first
      double lightest = hogs.weight(0);
      std::uint64_t low = hogs.entity(0).vruntime, high = low;
      for (std::size_t t = 0; t < hogs.count(); ++t) {
        lightest = std::min(lightest, hogs.weight(t));
        low = std::min(low, hogs.entity(t).vruntime);
        high = std::max(high, hogs.entity(t).vruntime);
      }
      ASSERT_LE(asNs(high - low), (latency + 2 * kTickNs) * asNs(kNice0Load) / lightest) << "tick " << i;
    }
  }
}

}  // namespace
}  // namespace rqscope
