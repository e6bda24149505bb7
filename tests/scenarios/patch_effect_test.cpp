// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <optional>
#include <regex>
#include <set>

#include <nlohmann/json.hpp>

#include "balance/balance.h"
#include "base/profile.h"
#include "engine/simulator.h"
#include "evaluate/eval_line.h"
#include "formats/line_reader.h"
#include "groupstats/balance_pass.h"
#include "runqueue/queue.h"
#include "scenarios/patch_effect.h"
#include "workload/json_document.h"

namespace rqscope::cases {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Vectors of real kernels beside the tests that a patch changes.
struct VectorShow {
  const char* patch;
  const char* kernel;
  const char* file;
};
constexpr VectorShow kVectorShows[] = {
    {"sync_ignores_delayed", "v6.12", "6.12/wake_affine_idle.jsonl.gz"},
    {"serialize_inside_pass", "v7.3", "7.3/load_balance_pass.jsonl.gz"},
    {"smt_balance", "v6.12", "6.12/find_src_group_full.jsonl.gz"},
    {"sibling_imbalance", "v6.12", "6.12/calculate_imbalance.jsonl.gz"},
    {"migrate_util_shr_bound", "v6.12", "6.12/detach_tasks.jsonl.gz"},
};

TEST(Patches, ChangeVectorsOfRealKernels) {
  for (const VectorShow& show : kVectorShows) {
    const KernelProfile on = withPatch(kernelProfile(show.kernel).value(), show.patch, true).value();
    const KernelProfile off = withPatch(on, show.patch, false).value();
    auto lines = LineReader::open(std::string(RQSCOPE_SOURCE_DIR) + "/tests/kernel/vectors/" + show.file);
    ASSERT_TRUE(lines.ok()) << show.file;
    std::string line;
    int differing = 0, cases = 0;
    while (lines.value().next(line)) {
      const nlohmann::json one = nlohmann::json::parse(line);
      const auto with = runVectorCase({one["fn"], one["in"], nullptr}, on);
      const auto without = runVectorCase({one["fn"], one["in"], nullptr}, off);
      ASSERT_TRUE(with.ok() && without.ok()) << show.file;
      ++cases;
      if (with.value() != without.value()) ++differing;
    }
    std::printf("%s: %d of %d vectors of %s differ without it\n", show.patch, differing, cases, show.file);
    EXPECT_GT(differing, 0) << show.patch;
  }
}

TEST(Patches, NameCommitsOfTwelveDigitsAMailOrAPaper) {
  const std::regex word("[0-9a-z]+");
  const std::regex commit("[0-9a-f]{12}");
  const std::regex mail("(RFC|mail|paper|v[2-4]) .*");
  for (const PatchInfo& patch : patches()) {
    const std::string text(patch.commit);
    int ids = 0;
    for (auto at = std::sregex_iterator(text.begin(), text.end(), word); at != std::sregex_iterator(); ++at) {
      const std::string w = at->str();
      if (w.size() < 8 || w.find_first_of("0123456789") == std::string::npos) continue;
      ++ids;
      EXPECT_TRUE(std::regex_match(w, commit)) << patch.name << ": " << w;
    }
    EXPECT_TRUE(ids > 0 || std::regex_match(text, mail)) << patch.name << ": " << text;
  }
}

TEST(Patches, HaveEachTheirNameAndOneLine) {
  std::set<std::string_view> names;
  const auto help = readTextFile(std::string(RQSCOPE_SOURCE_DIR) + "/resources/help/patches.md");
  ASSERT_TRUE(help.ok());
  for (const PatchInfo& patch : patches()) {
    EXPECT_TRUE(names.insert(patch.name).second) << patch.name;
    EXPECT_GT(patch.summary.size(), 20U) << patch.name;
    EXPECT_EQ(patch.summary.find('\n'), std::string_view::npos) << patch.name;
    const std::string name(patch.name);
    const std::string family = name.substr(0, name.find('_')) + "_";
    const bool isNamed =
        help.value().find("`" + name + "`") != std::string::npos ||
        help.value().find("`" + family + (family == "shared_" ? "runq_*`" : "*`")) != std::string::npos ||
        family == "cgroup_";
    EXPECT_TRUE(isNamed) << name << " is not in patches.md";
  }
}

TEST(Patches, AreOnWhereTheSourcesHaveThem) {
  EXPECT_THAT(profilesWithPatchOn("migrate_util_shr_bound"), ElementsAre("v6.1", "v6.12", "v7.3"));
  EXPECT_THAT(profilesWithPatchOn("eevdf"), ElementsAre("v6.12"));
  EXPECT_THAT(profilesWithPatchOn("flat_queue"), ElementsAre("v7.3"));
  EXPECT_THAT(profilesWithPatchOn("tg_load_avg_ratelimit"), ElementsAre("v6.12", "v7.3"));
  EXPECT_THAT(profilesWithPatchOn("sched_move_task_early_bail"), IsEmpty());
  EXPECT_THAT(profilesWithPatchOn("cgroup_mode_concur"), ElementsAre("v7.3"));
  EXPECT_THAT(profilesWithPatchOn("refuse_delayed_migration"), ElementsAre("v7.3"));
}

TEST(Patches, GiveTheProfileBackWhenSwitchedForthAndBack) {
  for (const std::string_view name : kernelProfileNames()) {
    const KernelProfile plain = kernelProfile(name).value();
    for (const PatchInfo& patch : patches()) {
      if (!hasPatch(plain, patch.name)) {
        const auto refused = withPatch(plain, patch.name, true);
        ASSERT_FALSE(refused.ok()) << name << " " << patch.name;
        EXPECT_NE(refused.error().hint.find("it is for v"), std::string::npos) << refused.error().text();
        continue;
      }
      const bool on = isPatchOn(plain, patch.name);
      KernelProfile changed = withPatch(plain, patch.name, !on).value();
      EXPECT_NE(isPatchOn(changed, patch.name), on) << name << " " << patch.name;
      KernelProfile back = withPatch(changed, patch.name, on).value();
      back.patchesOn.clear();
      // Of the shared queues one takes the place of another.
      const bool isQueue = patch.name.find("runq") != std::string_view::npos ||
                           patch.name.find("swqueue") != std::string_view::npos;
      EXPECT_TRUE(isQueue || back == plain) << name << " " << patch.name;
    }
  }
}

TEST(Patches, HaveEachARunThatTheyChange) {
  std::set<std::string> shown;
  for (const PatchShow& show : patchShows()) shown.insert(show.patch);
  for (const VectorShow& show : kVectorShows) shown.insert(show.patch);
  shown.insert("active_balance_needs_curr");  // the test of its own below
  shown.insert("interval_reset_always");      // as well
  shown.insert("protect_when_resched");       // as well
  for (const PatchInfo& patch : patches()) {
    const bool isQueue =
        patch.name.find("runq") != std::string_view::npos ||
        patch.name.find("swqueue") != std::string_view::npos;  // they have tests of their own
    EXPECT_TRUE(isQueue || shown.count(std::string(patch.name)) != 0) << patch.name;
  }
}

/// Notes the passes that started an active balance.
class ActivePasses : public Observer {
 public:
  void onBalancePass(const Machine&, const BalancePass& pass) override {
    if (pass.activeStarted) sources.push_back(pass.activeSource);
  }
  std::vector<CpuId> sources;
};

TEST(Patches, ActiveBalanceIsRefusedWhileTheRunningTaskLeaves) {
  // In a run nothing comes between a task's leaving its queue and the next pick, so the moment is made here:
  // the state before the event in which an active balance starts, its source's task taken off the queue.
  const PatchShow show{"active_balance_needs_curr", "v7.3", "misfit", 0};
  for (const bool on : {true, false}) {
    ActivePasses seen;
    Simulator run(makeSimState(planWith(show, on)));
    run.setObserver(&seen);
    SimState before = run.state();
    while (seen.sources.empty()) {
      before = run.state();
      ASSERT_TRUE(run.stepEvent());
    }
    Machine& m = before.machine;
    const TaskId curr = m.rq(seen.sources.front()).curr;
    ASSERT_TRUE(curr.isValid());
    m.task(curr).onRq = false;
    ActivePasses again;
    Simulator changed(before);
    changed.setObserver(&again);
    changed.stepEvent();
    EXPECT_EQ(again.sources.empty(), on);
  }
}

/// The machine right before the first pass that starts an active balance, and that pass.
class BeforeActive : public Observer {
 public:
  std::optional<Machine> machine;
  BalancePass pass;
  bool isFound = false;

 private:
  void onBalanceBegin(const Machine& m, const BalancePass& begun) override {
    if (isFound) return;
    machine = m;
    pass = begun;
  }
  void onBalancePass(const Machine&, const BalancePass& made) override {
    isFound = isFound || made.activeStarted;
  }
};

/// A stopper that has pushed its task before the pass goes on: it preempts what runs, so that this can move.
class FasterStopper : public Concurrency {
 public:
  int runs = 0;

 private:
  void beforeRemoteLock(Context&, CpuId) override {}
  void afterStopperRequest(Context& ctx, CpuId cpu) override {
    ++runs;
    Rq& rq = ctx.m.rq(cpu);
    if (rq.curr.isValid()) {
      putPrevTaskFair(ctx, cpu, rq.curr);
      ctx.m.task(rq.curr).onCpu = false;
      rq.curr = TaskId{};
    }
    activeLoadBalanceCpuStop(ctx, cpu);
  }
};

TEST(Patches, TheIntervalIsKeptWithoutTheResetWhereTheStopperWasFaster) {
  // In a run the stopper is a step of its own after the pass, so that the active balance is needed still when
  // the pass looks again. On a machine it may be done by then: nr_balance_failed is 0 and no push is needed.
  const PatchShow show{"interval_reset_always", "v6.12", "six-ladders", 0};
  BeforeActive seen;
  Simulator run(makeSimState(planWith(show, true)));
  run.setObserver(&seen);
  while (!seen.isFound) ASSERT_TRUE(run.stepEvent());
  for (const bool isFaster : {false, true})
    for (const bool on : {true, false}) {
      Machine m = *seen.machine;
      m.profile = std::make_shared<const KernelProfile>(withPatch(*m.profile, show.patch, on).value());
      DomainState& state = m.domains[seen.pass.domain.index()];
      state.balanceIntervalMs = 32;
      Observer nobody;
      FasterStopper stopper;
      Context ctx{m, nobody, isFaster ? &stopper : nullptr};
      BalancePass pass = seen.pass;
      bool goesOn = true;
      schedBalanceRq(ctx, pass, goesOn);
      ASSERT_TRUE(pass.activeStarted);
      EXPECT_EQ(stopper.runs, isFaster ? 1 : 0);
      const auto least = static_cast<std::uint32_t>(m.topology->domain(pass.domain).minIntervalMs);
      ASSERT_LT(least, 32U);
      EXPECT_EQ(state.balanceIntervalMs, on || !isFaster ? least : 32U) << on << isFaster;
    }
}

TEST(Patches, AWakeupIsLookedAtThoughARescheduleIsDue) {
  // Two tasks wake at one moment beside a long slice: the first marks the CPU, the second finds the mark.
  const PatchShow show{"protect_when_resched", "v7.3", "run-to-parity", 0};
  Simulator run(makeSimState(planWith(show, true)));
  for (int i = 0; i < 400; ++i) {
    const SimState& state = run.state();
    for (std::size_t c = 0; c < state.machine.rqs.size(); ++c) {
      const Rq& rq = state.machine.rqs[c];
      if (!rq.curr.isValid()) continue;
      for (std::size_t t = 0; t < state.machine.tasks.size(); ++t) {
        const Task& task = state.machine.tasks[t];
        if (!task.se.isValid() || !task.onRq || task.onCpu || task.cpu != CpuId{c}) continue;
        std::array<std::uint64_t, 2> until{};
        for (const bool on : {false, true}) {
          Machine m = state.machine;
          m.profile = std::make_shared<const KernelProfile>(withPatch(*m.profile, show.patch, on).value());
          m.rqs[c].needResched = true;
          SchedEntity& own = m.se(rq.curr);
          own.vprot = own.vruntime + 1'000'000'000;
          Observer nobody;
          Context ctx{m, nobody};
          wakeupPreemptFair(ctx, CpuId{c}, TaskId{t}, 0);
          until[on ? 1 : 0] = own.vprot;
        }
        EXPECT_NE(until[0], until[1]) << "the protection was looked at, and shortened or taken away";
        return;
      }
    }
    ASSERT_TRUE(run.stepEvent());
  }
  FAIL() << "no task waited beside a running one";
}

class PatchEffect : public ::testing::TestWithParam<PatchShow> {};

TEST_P(PatchEffect, ChangesTheRun) {
  const PatchShow& show = GetParam();
  EXPECT_NE(fingerprintWith(show, true), fingerprintWith(show, false)) << show.patch << " on " << show.kernel;
}

INSTANTIATE_TEST_SUITE_P(Each, PatchEffect, ::testing::ValuesIn(patchShows()), [](const auto& shown) {
  return shown.param.patch + "_" + std::to_string(shown.index);
});

}  // namespace
}  // namespace rqscope::cases
