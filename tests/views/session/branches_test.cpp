// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/branches.h"

#include <gtest/gtest.h>

#include <QSignalSpy>
#include <QTest>
#include <QTimer>
#include <map>

#include "rqscope/scenario_edit.h"
#include "session/session.h"

namespace rqscope::session {
namespace {

constexpr int kPatienceMs = 60'000;
constexpr qint64 kMs = 1'000'000;

Branch branchOf(int id, int parent, qint64 atMs, quint64 bytes = 0) {
  Branch branch;
  branch.id = id;
  branch.parent = parent;
  branch.atNs = atMs * kMs;
  branch.bytes = bytes;
  return branch;
}

// 0 - 1 (at 100) - 2 (at 200), 1 - 3 (at 50): without 1, run 2 first differs from 0 where 1 did, 3 where it
// did.
TEST(Branches, ChildrenOfARemovedRunComeOfItsParent) {
  std::vector<Branch> all{branchOf(0, -1, 0), branchOf(1, 0, 100), branchOf(2, 1, 200), branchOf(3, 1, 50)};
  EXPECT_FALSE(removeBranch(all, 0)) << "the run that was opened stays";
  EXPECT_FALSE(removeBranch(all, 7));
  ASSERT_EQ(all.size(), 4U);
  ASSERT_TRUE(removeBranch(all, 1));
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[1].parent, 0);
  EXPECT_EQ(all[1].atNs, 100 * kMs);
  EXPECT_EQ(all[2].parent, 0);
  EXPECT_EQ(all[2].atNs, 50 * kMs);
}

// 60 bytes aside, 30 allowed: the two shown longest ago go (20 + 20), never the one shown.
TEST(Branches, TheRunsShownLongestAgoAreLetGo) {
  const std::vector<Branch> all{branchOf(0, -1, 0, 20), branchOf(1, 0, 1, 20), branchOf(2, 0, 2, 20),
                                branchOf(3, 0, 3, 900)};
  EXPECT_EQ(branchesToDrop(all, 3, {1, 0, 2, 3}, 30), (std::vector<int>{1, 0}));
  EXPECT_TRUE(branchesToDrop(all, 3, {1, 0, 2, 3}, 60).empty());
}

class BranchesTest : public testing::Test {
 protected:
  void open(const QString& name) {
    QSignalSpy told(&session, &Session::problemsFound);
    session.open(name, {});
    ASSERT_TRUE(told.wait(kPatienceMs));
    settle();
  }
  /// Until everything that was asked for is done.
  void settle() {
    bool isDone = false;
    QSignalSpy busy(&session, &Session::busyChanged);
    session.renameBranch(-1, {});  // nothing, after all the rest
    while (!isDone && busy.wait(kPatienceMs)) isDone = !busy.last().first().toBool();
    ASSERT_TRUE(isDone);
  }
  void goTo(qint64 ms) {
    session.seekTime(ms * kMs);
    settle();
  }
  /// Fingerprints of the run shown at some moments; it stands at the last of them afterwards.
  std::map<qint64, quint64> fingerprints() {
    std::map<qint64, quint64> out;
    for (const qint64 ms : {100, 150, 200, 250, 300}) {
      goTo(ms);
      out[ms] = session.frame()->fingerprint;
    }
    return out;
  }
  BranchWish wish(const char* operation, qint64 ms) {
    const OpenedInfo& info = session.info();
    BranchWish out;
    out.change = QString::fromLatin1(operation);
    out.fileName = info.fileName;
    out.overrides = info.overrides;
    out.atNs = ms * kMs;
    out.text =
        QString::fromStdString(api::withOperations(info.fileName.toStdString(),
                                                   info.scenarioText.toStdString(), ms * kMs, {operation})
                                   .text);
    return out;
  }
  int shown() const { return session.branches()->current; }
  Session session;
};

constexpr const char* kSlower = R"({ "do" : "frequency", "cpus" : [3], "value" : 512 })";
constexpr const char* kSlowest = R"({ "do" : "frequency", "cpus" : [1], "value" : 200 })";

// A change at 150 ms is another run from there on; the run that was, its future too, is the same integers.
TEST_F(BranchesTest, AChangeInThePastLeavesTheOldFutureAsItWas) {
  open(QStringLiteral("juno"));
  const auto before = fingerprints();
  goTo(150);
  const int first = shown();
  const qint64 leftNs = session.frame()->timeNs;
  session.branch(wish(kSlower, 150));
  settle();
  ASSERT_EQ(session.branches()->all.size(), 2U);
  EXPECT_NE(shown(), first);
  EXPECT_EQ(session.branches()->shown()->parent, first);
  EXPECT_EQ(session.branches()->shown()->atNs, 150 * kMs);
  const auto changed = fingerprints();
  EXPECT_EQ(changed.at(100), before.at(100)) << "before the change they are one";
  EXPECT_NE(changed.at(300), before.at(300));

  session.showBranch(first);
  settle();
  EXPECT_EQ(shown(), first);
  EXPECT_EQ(session.frame()->timeNs, leftNs) << "where it was left";
  EXPECT_EQ(session.frame()->fingerprint, before.at(150));
  QSignalSpy windows(&session, &Session::overviewReady);
  session.requestOverview(100);
  settle();
  ASSERT_FALSE(windows.isEmpty());
  EXPECT_GE(windows.last().first().value<TimelinePtr>()->runEndNs, 290 * kMs) << "its future is still there";
  EXPECT_EQ(fingerprints(), before);
}

// The same recipe gives the same integers when the history was let go, also inside a decision.
TEST_F(BranchesTest, ARunThatWasLetGoComesBackToTheSameState) {
  open(QStringLiteral("juno"));
  const auto before = fingerprints();
  goTo(150);
  for (int i = 0; i < 3; ++i) session.step(api::StepKind::Rung, api::Direction::Forward);
  settle();
  const FramePtr left = session.frame();
  ASSERT_EQ(left->rung, 2);
  const int first = shown();
  session.branch(wish(kSlower, 150));
  settle();
  session.setHistoryBudget(1);
  settle();
  EXPECT_FALSE(session.branches()->find(first)->isKept);
  EXPECT_EQ(session.branches()->find(first)->bytes, 0U);
  session.setHistoryBudget(quint64{256} << 20);
  QSignalSpy problems(&session, &Session::problemsFound);
  session.showBranch(first);
  settle();
  EXPECT_TRUE(session.branches()->find(first)->isKept);
  EXPECT_EQ(session.frame()->fingerprint, left->fingerprint);
  EXPECT_EQ(session.frame()->rung, 2);
  EXPECT_EQ(session.frame()->passIndex, left->passIndex);
  for (const auto& told : problems) EXPECT_TRUE(told.first().value<Problems>().empty());
  EXPECT_EQ(fingerprints(), before);
}

TEST_F(BranchesTest, OneBudgetHoldsTheHistoriesOfAllRuns) {
  open(QStringLiteral("juno"));
  goTo(400);
  const quint64 alone = session.frame()->historyBytes;
  session.branch(wish(kSlower, 150));
  settle();
  const Branches& both = *session.branches();
  ASSERT_EQ(both.all.size(), 2U);
  EXPECT_GT(both.bytes, alone);
  EXPECT_EQ(both.bytes, both.all[0].bytes + both.all[1].bytes);
  EXPECT_EQ(session.frame()->historyBytes, both.bytes);
  EXPECT_EQ(session.frame()->historyBudget, both.budget);
  session.setHistoryBudget(64'000'000);
  settle();
  EXPECT_EQ(session.branches()->budget, 64'000'000U);
  EXPECT_EQ(session.frame()->historyBudget, 64'000'000U);
}

TEST_F(BranchesTest, BranchesOfBranchesAreRenamedAndRemoved) {
  open(QStringLiteral("juno"));
  goTo(150);
  const int first = shown();
  session.branch(wish(kSlower, 150));
  settle();
  const int second = shown();
  goTo(200);
  session.branch(wish(kSlowest, 200));
  settle();
  const int third = shown();
  EXPECT_EQ(session.branches()->find(third)->parent, second);
  session.renameBranch(second, QStringLiteral("  half speed "));
  settle();
  EXPECT_EQ(session.branches()->find(second)->title(), QStringLiteral("half speed"));
  session.removeBranch(first);
  settle();
  EXPECT_EQ(session.branches()->all.size(), 3U) << "the run that was opened stays";
  const auto before = fingerprints();
  session.removeBranch(second);
  settle();
  EXPECT_EQ(session.branches()->all.size(), 2U);
  EXPECT_EQ(session.branches()->find(third)->parent, first);
  EXPECT_EQ(session.branches()->find(third)->atNs, 150 * kMs);
  EXPECT_EQ(fingerprints(), before);
  session.removeBranch(third);
  settle();
  EXPECT_EQ(shown(), first);
  EXPECT_EQ(session.branches()->all.size(), 1U);
}

// The same change again is the run that is there, not one more.
TEST_F(BranchesTest, TheSameChangeIsTheSameRun) {
  open(QStringLiteral("juno"));
  goTo(150);
  const int first = shown();
  const BranchWish same = wish(kSlower, 150);
  session.branch(same);
  settle();
  const int second = shown();
  session.showBranch(first);
  session.branch(same);
  settle();
  EXPECT_EQ(shown(), second);
  EXPECT_EQ(session.branches()->all.size(), 2U);
}

// A text without a moment starts where it first differs.
TEST_F(BranchesTest, AnEditedTextBranchesWhereItFirstDiffers) {
  open(QStringLiteral("juno"));
  goTo(300);
  BranchWish late = wish(kSlower, 250);
  late.atNs = -1;
  session.branch(late);
  settle();
  EXPECT_EQ(session.branches()->shown()->atNs, 250 * kMs);
  EXPECT_EQ(session.frame()->timeNs, 250 * kMs);
  BranchWish bad = late;
  bad.text = QStringLiteral("{ nonsense");
  const int before = shown();
  session.branch(bad);
  settle();
  EXPECT_EQ(shown(), before) << "what cannot be read changes nothing";
  EXPECT_EQ(session.branches()->all.size(), 2U);
}

TEST_F(BranchesTest, AnotherScenarioBeginsAnew) {
  open(QStringLiteral("juno"));
  goTo(150);
  session.branch(wish(kSlower, 150));
  settle();
  open(QStringLiteral("smt"));
  EXPECT_EQ(session.branches()->all.size(), 1U);
  EXPECT_FALSE(session.info().isOfSameTree);
}

// On the way to a far moment of a big machine: Pause ends it there, and the run can go on.
TEST_F(BranchesTest, RunningUpToAChangeCanBeCancelled) {
  open(QStringLiteral("hackbench-milan"));
  const qint64 farMs = 3'600'000;
  bool isPaused = false;
  QObject::connect(&session, &Session::frameChanged, &session, [&] {
    if (session.info().isOfSameTree && !isPaused) session.pause();
    isPaused = isPaused || session.info().isOfSameTree;
  });
  BranchWish far = wish(R"({ "do" : "mark" })", farMs);
  ASSERT_TRUE(far.text.contains(QStringLiteral("mark")));
  session.branch(far);
  settle();
  settle();
  EXPECT_TRUE(isPaused);
  EXPECT_FALSE(session.frame()->atEnd);
  EXPECT_LT(session.frame()->timeNs, farMs * kMs);
  const quint64 event = session.frame()->eventIndex;
  session.step(api::StepKind::Event, api::Direction::Forward);
  settle();
  EXPECT_EQ(session.frame()->eventIndex, event + 1);
}

}  // namespace
}  // namespace rqscope::session
