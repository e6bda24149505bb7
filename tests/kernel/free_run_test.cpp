// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "evaluate/free_run.h"
#include "support/shared_records.h"

namespace rqscope {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

FreePass pass(double ms, int cpu, const char* domain, CpuIdleType idle, int moved = 0) {
  FreePass out;
  out.ms = ms;
  out.dst = cpu;
  out.domain = domain;
  out.idle = idle;
  out.shouldBalance = true;
  out.local = GroupType::HasSpare;
  out.busiest = GroupType::FullyBusy;
  out.moved = moved;
  return out;
}

constexpr FreeRunWindow kWindow{0, 400, 4.5};

TEST(CompareFreeRun, FindsNoDifferenceBetweenRunsThatDifferInTimingOnly) {
  FreeTrack real, model;
  real.passes = {pass(10.1, 1, "MC", CpuIdleType::NotIdle), pass(10.3, 5, "PKG", CpuIdleType::Idle)};
  model.passes = {pass(10.0, 5, "PKG", CpuIdleType::Idle), pass(10.0, 1, "MC", CpuIdleType::NotIdle)};
  real.moves = {{10.4, "a", 1, 5, "load_balance", 2}};
  model.moves = {{10.0, "a", 1, 5, "load_balance", 2}};
  const FreeRunReport report = compareFreeRun(real, model, kWindow);
  EXPECT_EQ(report.passesAgree, 2);
  EXPECT_EQ(report.movesAgree, 1);
  EXPECT_LT(report.firstDifferenceMs, 0);
}

TEST(CompareFreeRun, NamesTheKernelThreadBehindANewidlePassThatTheModelLacks) {
  FreeTrack real, model;
  real.passes = {pass(10, 1, "MC", CpuIdleType::NotIdle), pass(20, 4, "MC", CpuIdleType::NewlyIdle, 1)};
  model.passes = {pass(10, 1, "MC", CpuIdleType::NotIdle)};
  real.foreign = {{19.5, 4, "kworker/4:1"}};
  const FreeRunReport report = compareFreeRun(real, model, kWindow);
  EXPECT_EQ(report.passesAgree, 1);
  EXPECT_EQ(report.passesBeforeDifference, 1);
  EXPECT_DOUBLE_EQ(report.firstDifferenceMs, 20);
  EXPECT_THAT(report.cause, HasSubstr("kworker/4:1"));
}

TEST(CompareFreeRun, SaysThatACandidateWasHotInOneRunOnly) {
  FreeTrack real, model;
  real.passes = {pass(10, 5, "PKG", CpuIdleType::Idle)};
  model.passes = {pass(10, 5, "PKG", CpuIdleType::Idle, 1)};
  real.passes[0].decision = model.passes[0].decision = "util";
  real.passes[0].candidates = {{"lbw1", 0.3, "hot"}};
  model.passes[0].candidates = {{"lbw1", 4.1, "detached"}};
  const FreeRunReport report = compareFreeRun(real, model, kWindow);
  EXPECT_EQ(report.passesAgree, 0);
  EXPECT_THAT(report.cause,
              HasSubstr("lbw1: hot in the record (0.300 ms since it ran), detached in the model"));
}

TEST(CompareFreeRun, SaysWhichGroupTypesDiffer) {
  FreeTrack real, model;
  real.passes = {pass(10, 5, "PKG", CpuIdleType::Idle)};
  model.passes = real.passes;
  model.passes[0].busiest = GroupType::Overloaded;
  const FreeRunReport report = compareFreeRun(real, model, kWindow);
  EXPECT_THAT(report.cause, HasSubstr("group types"));
  EXPECT_THAT(report.cause, HasSubstr("overloaded"));
}

void expectInside(const FreeRunReport& report) {
  for (const SpanCheck& check : report.checks)
    EXPECT_TRUE(check.isInside) << report.file << ": " << check.what << ": real runs " << check.allowed
                                << ", model " << check.found;
  EXPECT_TRUE(report.firstDifferenceMs < 0 || !report.cause.empty()) << report.file;
}

// Situation: two recorded runs of the main layout, copied. Expectation: the engine, let loose from the
// kernel's state at the un-pinning, pulls when real runs do, and goes with the record for a while.
TEST(JunoFreeRun, FromCopiedRecordsFallsIntoTheSpanOfRealRuns) {
  for (const char* name : {"s-d4-6.12-after", "s-d2-6.1-after"}) {
    const fs::path record = fs::path(RQSCOPE_SOURCE_DIR) / "tests/kernel/juno" / name / "decisions.json";
    const auto report = freeRunJuno(record.string());
    ASSERT_TRUE(report.ok()) << report.error().text();
    EXPECT_EQ(report.value().checks.size(), 1U);
    expectInside(report.value());
    EXPECT_GT(report.value().passesAgree, 10);
  }
}

// Situation: every recorded run of kernels 6.1 and 6.12, patch off and on. Expectation: each first pull
// lies within what the real runs span (to 0.1 ms, a round of the emulator's turns) and comes when it did in
// the record, each completion time within 0.1 s.
TEST(JunoFreeRun, OfAllRunsFallsIntoTheSpanOfRealRuns) {
  const auto folder = sharedRecord("ground-truth/juno/runs");
  if (!folder) return;
  int checked = 0, passes = 0;
  for (const auto& entry : fs::directory_iterator(*folder)) {
    const auto report = freeRunJuno((entry.path() / "decisions.json").string());
    ASSERT_TRUE(report.ok()) << report.error().text();
    expectInside(report.value());
    passes += report.value().passesAgree;
    checked += static_cast<int>(report.value().checks.size());
  }
  EXPECT_GE(passes, 1250);  // 1271 of 1377 agree; 49 of the others are of the run that a sampler disturbs
  EXPECT_GE(checked, 22);   // 18 first pulls of the main layout, 4 completion times
}

TEST(TraceFreeRun, OfAllRunsGoesWithTheRecordForAWhile) {
  const auto folder = sharedRecord("ground-truth/traces");
  if (!folder) return;
  int runs = 0;
  for (const auto& entry : fs::directory_iterator(*folder)) {
    if (entry.path().filename().string().find(".balance.jsonl") == std::string::npos) continue;
    const auto report = freeRunTrace(entry.path().string());
    ASSERT_TRUE(report.ok()) << report.error().text();
    EXPECT_GT(report.value().passesAgree, 0) << entry.path();
    EXPECT_GT(report.value().movesModel, 0) << entry.path();
    expectInside(report.value());
    ++runs;
  }
  EXPECT_GE(runs, 7);
}

}  // namespace
}  // namespace rqscope
