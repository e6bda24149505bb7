// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "evaluate/free_run.h"
#include "support/shared_records.h"
#include "support/temporary_folder.h"

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

// Situation: the same record as if a sampler had run beside it. Expectation: it is reported, and none of
// those that the spans were drawn from.
TEST(JunoFreeRun, IsNotHeldAgainstTheSpansWhenASamplerRanBeside) {
  const fs::path from = fs::path(RQSCOPE_SOURCE_DIR) / "tests/kernel/juno";
  const TemporaryFolder folder;
  const fs::path run = folder.path() / "run";
  fs::create_directory(run);
  fs::copy_file(from / "topology.json", folder.path() / "topology.json");
  fs::copy_file(from / "s-d4-6.12-after/decisions.json", run / "decisions.json");
  std::ofstream(run / "proc_sched.txt") << "lbw0 (7, #threads: 1)\n";
  const auto report = freeRunJuno((run / "decisions.json").string());
  ASSERT_TRUE(report.ok()) << report.error().text();
  EXPECT_TRUE(report.value().checks.empty());
  EXPECT_THAT(report.value().pullReal, HasSubstr("(sampled)"));
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
  EXPECT_GE(passes, 1250);  // 1272 of 1377 agree; 42 of the others are of the run that a sampler disturbs
  EXPECT_GE(checked, 22);   // 20 first pulls of the main layout, 4 completion times
}

TEST(CompareFreeRun, CountsOnlyWhatLiesBeforeTheCountedEnd) {
  FreeTrack real, model;
  real.passes = {pass(10, 1, "MC", CpuIdleType::NotIdle), pass(41, 1, "MC", CpuIdleType::NotIdle, 1)};
  model.passes = {pass(10, 1, "MC", CpuIdleType::NotIdle), pass(39, 1, "MC", CpuIdleType::NotIdle, 1)};
  model.moves = {{39, "a", 1, 5, "load_balance", 2}};
  real.moves = {{41, "a", 1, 5, "load_balance", 2}};
  const FreeRunReport report = compareFreeRun(real, model, {0, 44.5, 4.5, 40});
  EXPECT_EQ(report.passesReal, 1);   // the one at 41 ms belongs to the next piece,
  EXPECT_EQ(report.passesModel, 2);  // but is a partner of the one at 39 ms
  EXPECT_EQ(report.passesAgree, 1);
  EXPECT_LT(report.firstDifferenceMs, 0);
}

TEST(CompareFreeRun, NamesWhoRunsOnTheSourceWhenAnotherTaskIsTaken) {
  FreeTrack real, model;
  real.passes = model.passes = {pass(10, 1, "MC", CpuIdleType::NotIdle, 1)};
  real.moves = {{10, "a", 3, 1, "load_balance", 1}};
  model.moves = {{10, "b", 3, 1, "load_balance", 1}};
  real.switches = {{8.2, 3, "b"}};
  model.switches = {{7.9, 3, "a"}};
  const FreeRunReport report = compareFreeRun(real, model, kWindow);
  EXPECT_EQ(report.causeKind, "task choice: whose turn it is");
  EXPECT_THAT(report.cause, HasSubstr("CPU 3 runs b since 8.200 ms in the record, a since 7.900 ms"));
}

TEST(CompareFreeRun, NamesTheCostThatCutsOffANewidlePass) {
  FreeTrack real, model;
  real.passes = {pass(20, 4, "MC", CpuIdleType::NewlyIdle)};
  model.leftOut = {{20.2, 4, "MC", false, 30'000, 45'000}};
  const FreeRunReport report = compareFreeRun(real, model, kWindow);
  EXPECT_EQ(report.causeKind, "newidle: cost cut-off");
  EXPECT_THAT(report.cause, HasSubstr("avg_idle 30000 ns is below the cost of 45000 ns"));
}

/// What the pieces of a record must show at least; somewhat less than they do today.
struct Agreement {
  const char* name;
  int passes, moves;
  double picksPart;  ///< of the record's switches that the model makes too
};

void expectAgreement(const FreeRunReport& report, const Agreement& least) {
  ASSERT_TRUE(report.segments.has_value()) << report.file;
  const SegmentsReport& s = *report.segments;
  EXPECT_GE(s.passesAgree, least.passes) << report.file;
  EXPECT_GE(s.movesAgree, least.moves) << report.file;
  EXPECT_GE(s.picksAgree, static_cast<int>(least.picksPart * s.switches)) << report.file;
  EXPECT_LE(s.passesModel, s.passesReal * 2) << report.file;
  int counted = 0;
  for (const CauseCount& cause : s.causes) {
    counted += cause.count;
    EXPECT_FALSE(cause.kind.empty()) << report.file << ": " << cause.example;
    EXPECT_FALSE(cause.example.empty()) << report.file << ": " << cause.kind;
  }
  EXPECT_EQ(counted + s.withoutDifference, s.segments) << report.file;
}

// Situation: one recorded run, copied; six tasks on four CPUs. Expectation: followed event by event, the
// model picks whom the kernel picked, and let loose every 40 ms it balances as the record does.
TEST(TraceFreeRun, OfACopiedRecordAgreesPieceByPiece) {
  const fs::path record = fs::path(RQSCOPE_SOURCE_DIR) / "tests/kernel/traces/hogs6-c4.balance.jsonl.gz";
  const auto report = freeRunTrace(record.string());
  ASSERT_TRUE(report.ok()) << report.error().text();
  expectAgreement(report.value(), {"hogs6-c4", 42, 8, 0.95});
}

// Situation: every recorded run. Expectation: its own least agreement where it has one, else that most passes
// of the pieces agree.
TEST(TraceFreeRun, OfAllRunsAgreesPieceByPiece) {
  const auto folder = sharedRecord("ground-truth/traces");
  if (!folder) return;
  const std::vector<Agreement> least{{"burst8-c4t2", 800, 30, 0.95},  {"hogs6-c4", 42, 8, 0.95},
                                     {"nicemix-c4", 33, 29, 0.8},     {"node12-d2c2t2", 920, 18, 0.94},
                                     {"node12-s2c2t2", 825, 6, 0.95}, {"pin4-c4", 34, 8, 0.95},
                                     {"wake8-d2c4", 780, 48, 0.99}};
  int runs = 0;
  for (const auto& entry : fs::directory_iterator(*folder)) {
    const std::string file = entry.path().filename().string();
    if (file.find(".balance.jsonl") == std::string::npos) continue;
    const auto report = freeRunTrace(entry.path().string());
    ASSERT_TRUE(report.ok()) << report.error().text();
    EXPECT_GT(report.value().passesAgree, 0) << file;
    EXPECT_GT(report.value().movesModel, 0) << file;
    expectInside(report.value());
    const auto own =
        std::ranges::find_if(least, [&](const Agreement& a) { return file.starts_with(a.name); });
    const auto& segments = report.value().segments;
    if (own != least.end()) {
      expectAgreement(report.value(), *own);
    } else if (segments) {
      EXPECT_GE(segments->passesAgree * 2, segments->passesReal) << file;
    }
    ++runs;
  }
  EXPECT_GE(runs, 7);
}

}  // namespace
}  // namespace rqscope
