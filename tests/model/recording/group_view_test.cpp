// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "recording/group_view.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "engine/simulator.h"
#include "groupstats/balance_pass.h"
#include "support/plans.h"

namespace rqscope {
namespace {

using namespace rqscope::test;

constexpr std::uint64_t kMs = 1'000'000;

/// Keeps what the view says when a pass begins, and holds it against what the pass found.
class Comparer final : public Observer {
 public:
  std::uint64_t compared = 0;
  std::array<std::uint64_t, 8> types{};

 private:
  bool wantsDecisions() const override { return true; }
  void onBalanceBegin(const Machine& m, const BalancePass& pass) override {
    if (!pass.domain.isValid()) return;  // the stopper of active balance
    m_seen = viewedGroups(*m.topology);
    lookFrom(*m.topology, pass.dstCpu, m_seen);
    m_stats.clear();
    for (const SchedGroupId group : m.topology->domain(pass.domain).groups)
      m_stats.push_back(liveGroupStats(m, {group, pass.domain}));
    m_groups = m.topology->domain(pass.domain).groups;
  }
  void onBalancePass(const Machine&, const BalancePass& pass) override {
    if (pass.entry == BalanceEntry::ActiveStopper || pass.rounds.empty()) return;
    for (const BalanceGroup& found : pass.rounds.front().groups) {
      const auto at = std::find(m_groups.begin(), m_groups.end(), found.group) - m_groups.begin();
      const GroupStats& seen = m_stats.at(static_cast<std::size_t>(at));
      EXPECT_EQ(seen.type, found.stats.type) << "at " << pass.timeNs << ", group " << found.group.value;
      EXPECT_EQ(seen.groupUtil, found.stats.groupUtil);
      EXPECT_EQ(seen.groupLoad, found.stats.groupLoad);
      EXPECT_EQ(seen.groupMisfitTaskLoad, found.stats.groupMisfitTaskLoad);
      EXPECT_EQ(m_seen[found.group.index()].domain, pass.domain);
      ++types[static_cast<std::size_t>(found.stats.type)];
      ++compared;
    }
  }

  std::vector<ViewedGroup> m_seen;
  std::vector<GroupStats> m_stats;
  std::vector<SchedGroupId> m_groups;
};

void compareWithPasses(const std::string& machine, const std::string& kernel, int hogs, Comparer& comparer) {
  Workload w;
  for (int i = 0; i < hogs; ++i)
    w.threads.push_back(thread("h" + std::to_string(i),
                               {event(ProgramEventKind::Run, 50 * kMs),
                                event(ProgramEventKind::Sleep, static_cast<std::uint64_t>(1 + i % 3) * kMs)},
                               60));
  Simulator simulator(makeSimState(makePlan(builtinHardware(machine), profileOf(kernel), w, 300 * kMs)));
  simulator.setObserver(&comparer);
  while (simulator.stepEvent()) {
  }
}

TEST(GroupView, SeesWhatAPassFindsOnAMachineOfUnequalCpus) {
  // With more tasks than CPUs and with fewer, on big and little CPUs: every group of every pass.
  for (const char* kernel : {"v6.1", "v6.12", "v7.3"}) {
    Comparer comparer;
    for (const int hogs : {4, 5, 9}) compareWithPasses("juno-r2", kernel, hogs, comparer);
    EXPECT_GT(comparer.compared, 100U) << kernel;
    EXPECT_GT(comparer.types[static_cast<std::size_t>(GroupType::MisfitTask)], 0U) << kernel;
  }
}

TEST(GroupView, SeesWhatAPassFindsWithThreadsAndNodes) {
  for (const char* kernel : {"v6.1", "v6.12", "v7.3"}) {
    Comparer comparer;
    compareWithPasses("epyc-milan-2s-nps2", kernel, 40, comparer);
    EXPECT_GT(comparer.compared, 1000U) << kernel;
  }
}

}  // namespace
}  // namespace rqscope
