// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/session.h"

#include <gtest/gtest.h>

#include <QElapsedTimer>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <memory>

#include "rqscope/trace_comparison.h"

namespace rqscope::session {
namespace {

constexpr int kPatienceMs = 30'000;

class SessionTest : public testing::Test {
 protected:
  void open(const QString& name) {
    QSignalSpy frames(&session, &Session::frameChanged);
    session.open(name, {});
    QSignalSpy told(&session, &Session::problemsFound);  // comes after the frame
    ASSERT_TRUE(told.wait(kPatienceMs));
    ASSERT_EQ(frames.count(), 1);
  }
  void settle() {
    QSignalSpy busy(&session, &Session::busyChanged);
    ASSERT_TRUE(busy.wait(kPatienceMs));
  }
  Session session;
};

TEST_F(SessionTest, PublishesTheFrameOfWhatItOpened) {
  open(QStringLiteral("juno"));
  ASSERT_TRUE(session.frame());
  EXPECT_EQ(session.frame()->cpus.size(), 6u);
  EXPECT_EQ(session.info().layout, session.frame()->layout);
  EXPECT_FALSE(session.info().chartIds.empty());
}

// Forward and back by each kind of step lands on the fingerprint that stood there before.
TEST_F(SessionTest, StepsBackToWhereItCameFrom) {
  open(QStringLiteral("juno"));
  session.seekTime(120'000'000);
  settle();
  for (const api::StepKind kind : {api::StepKind::Event, api::StepKind::Tick}) {
    session.step(kind, api::Direction::Forward);
    settle();
    const auto there = session.frame()->fingerprint;
    session.step(kind, api::Direction::Forward);
    settle();
    EXPECT_NE(session.frame()->fingerprint, there);
    session.step(kind, api::Direction::Back);
    settle();
    EXPECT_EQ(session.frame()->fingerprint, there);
  }
}

TEST_F(SessionTest, AnswersRequestsAndDropsStaleOnes) {
  open(QStringLiteral("juno"));
  session.seekTime(120'000'000);
  settle();
  QSignalSpy windows(&session, &Session::timelineReady);
  for (int i = 1; i <= 20; ++i) session.requestTimeline(0, i * 1'000'000, 100);
  settle();
  ASSERT_GE(windows.count(), 1);
  EXPECT_EQ(windows.last().first().value<TimelinePtr>()->endNs, 20'000'000);
  QSignalSpy queues(&session, &Session::queueReady);
  session.requestQueue(1);
  ASSERT_TRUE(queues.wait(kPatienceMs));
  EXPECT_EQ(queues.last().at(1).value<QueuePtr>()->size(), 2u);
}

TEST_F(SessionTest, RunsUntilAMigrationAndTells) {
  open(QStringLiteral("juno"));
  session.seekTime(101'000'000);
  settle();
  QSignalSpy ended(&session, &Session::untilEnded);
  api::StopCondition migration;
  migration.kind = api::StopKind::Migration;
  session.runUntil(migration);
  ASSERT_TRUE(ended.wait(kPatienceMs));
  EXPECT_TRUE(ended.first().first().toBool());
  EXPECT_EQ(session.pace(), Pace::Paused);
}

TEST_F(SessionTest, PausesALongRunSoon) {
  open(QStringLiteral("juno"));
  QSignalSpy paces(&session, &Session::paceChanged);
  session.setPace(Pace::Run);
  ASSERT_TRUE(paces.wait(kPatienceMs));
  EXPECT_EQ(session.pace(), Pace::Run);
  session.pause();
  ASSERT_TRUE(paces.wait(kPatienceMs));
  EXPECT_EQ(session.pace(), Pace::Paused);
}

// A window is closed while seeks far into an endless run are under way and wait: none may hold it up.
TEST(Session, EndsThoughLongCommandsWait) {
  constexpr qint64 kHour = 3'600'000'000'000;
  for (const bool hasBegun : {false, true}) {
    auto session = std::make_unique<Session>();
    QSignalSpy told(session.get(), &Session::problemsFound);
    session->openText(QStringLiteral("endless.json"),
                      QStringLiteral(R"({"rqscope-scenario": 1, "machine": "smt-4x2",
                                         "workload": {"generator": "hogs", "count": 40}, "until": "10000s"})"),
                      {});
    if (hasBegun) {
      ASSERT_TRUE(told.wait(kPatienceMs));
      ASSERT_TRUE(session->frame());
    }
    for (int hour = 1; hour <= 3; ++hour) session->seekTime(hour * kHour);  // each is minutes of work
    QElapsedTimer clock;
    clock.start();
    session.reset();
    EXPECT_LT(clock.elapsed(), kPatienceMs);
  }
}

// A scenario that cannot be read leaves the last good one running.
TEST_F(SessionTest, KeepsTheLastGoodRunWhenAFileIsBad) {
  open(QStringLiteral("juno"));
  const auto before = session.frame();
  QSignalSpy problems(&session, &Session::problemsFound);
  session.openText(QStringLiteral("bad.json"), QStringLiteral("{ nonsense"), {});
  ASSERT_TRUE(problems.wait(kPatienceMs));
  EXPECT_FALSE(problems.last().at(1).toBool());
  EXPECT_FALSE(problems.last().at(0).value<Problems>().empty());
  EXPECT_EQ(session.frame(), before);
}

// Behind a run without an end for a while: both are given up. A trace that is given up leaves the
// last good run, and says why it is not there.
TEST_F(SessionTest, GivesUpReadingATrace) {
  const QTemporaryDir folder;
  const QString file = folder.filePath(QStringLiteral("trace.txt"));
  api::Overrides shorter;
  shorter.untilNs = 20'000'000;
  ASSERT_TRUE(api::writeTraceOfRun("hackbench", shorter, file.toStdString()).empty());
  open(QStringLiteral("hackbench-milan"));
  QSignalSpy problems(&session, &Session::problemsFound);
  session.seekTime(3'600'000'000'000);
  session.open(file, {});
  // A command that has not begun forgets what was cancelled before.
  const auto isGivenUp = [&] {
    session.pause();
    return !problems.isEmpty();
  };
  ASSERT_TRUE(QTest::qWaitFor(isGivenUp, kPatienceMs));
  EXPECT_FALSE(problems.last().at(1).toBool());
  const auto told = problems.last().at(0).value<Problems>();
  ASSERT_EQ(told.size(), 1U);
  EXPECT_NE(told.front().text().find("reading was cancelled"), std::string::npos) << told.front().text();
  EXPECT_EQ(session.info().fileName, QStringLiteral("hackbench-milan"));
  session.open(file, {});
  ASSERT_TRUE(problems.wait(kPatienceMs));
  EXPECT_TRUE(problems.last().at(1).toBool());
  EXPECT_EQ(session.info().fileName, file);
}

}  // namespace
}  // namespace rqscope::session
