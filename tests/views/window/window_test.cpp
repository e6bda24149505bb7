// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <QAction>
#include <QApplication>
#include <QDockWidget>
#include <QMenu>
#include <QSignalSpy>
#include <QTest>

#include "decision/decision_view.h"
#include "look/theme.h"
#include "machine/canvas.h"
#include "main_window.h"
#include "playback/playback.h"
#include "problem_card.h"
#include "runqueues/queue_table.h"

namespace rqscope::app {
namespace {

constexpr int kPatienceMs = 30'000;

class WindowTest : public testing::Test {
 protected:
  WindowTest() : window(session, look::Theme::Dark, MainWindow::Settings::Ignore) {
    window.setMotion(false);
    window.resize(1280, 720);
    window.show();
    QSignalSpy frames(&session, &session::Session::frameChanged);
    session.open(QStringLiteral("juno"), {});
    EXPECT_TRUE(frames.count() > 0 || frames.wait(kPatienceMs));
  }
  void settle() {
    QSignalSpy busy(&session, &session::Session::busyChanged);
    while (busy.wait(200)) {
    }
  }
  session::Session session;
  MainWindow window;
};

TEST_F(WindowTest, ShowsEveryDockInsideItself) {
  for (const char* name : {"machine", "domains", "runqueues", "decision", "timeline"}) {
    const QDockWidget* dock = window.dock(QString::fromLatin1(name));
    ASSERT_TRUE(dock) << name;
    EXPECT_TRUE(dock->isVisible()) << name;
    EXPECT_TRUE(window.rect().contains(dock->geometry())) << name;
    EXPECT_GE(dock->width(), 200) << name;
    EXPECT_GE(dock->height(), 100) << name;
  }
}

// The Lens behind it is hidden on a machine of six CPUs, so that there is no tab with its name.
TEST_F(WindowTest, NamesTheDockWhoseOtherTabsAreHidden) {
  ASSERT_TRUE(window.dock(QStringLiteral("lens"))->isHidden());
  EXPECT_TRUE(QTest::qWaitFor([&] {
    const QWidget* title = window.dock(QStringLiteral("runqueues"))->titleBarWidget();
    return title && title->height() > 10;
  }));
}

// The text of a scenario is as wide as the machine: the left column would cut every line.
TEST_F(WindowTest, GivesTheScenarioRoomForItsLines) {
  window.resize(1280, 720);
  window.raiseDock(QStringLiteral("scenario"));
  QTest::qWait(60);
  EXPECT_GT(window.dock(QStringLiteral("scenario"))->width(), 600);
  EXPECT_TRUE(window.dock(QStringLiteral("domains"))->isVisible());
}

TEST_F(WindowTest, KeepsTheDocksAsWideWhileStepsChangeWhatTheyShow) {
  settle();
  QTest::qWait(50);
  const auto width = [&](const char* name) { return window.dock(QString::fromLatin1(name))->width(); };
  EXPECT_NEAR(width("domains"), 262, 2);
  EXPECT_NEAR(width("decision"), 352, 2);
  EXPECT_NEAR(window.dock(QStringLiteral("timeline"))->height(), 178, 30);
  const int machine = width("machine");
  for (int i = 0; i < 40; ++i) session.step(api::StepKind::Pass, api::Direction::Forward);
  settle();
  QTest::qWait(50);
  EXPECT_EQ(width("machine"), machine);
}

TEST_F(WindowTest, HasTheSameDocksAfterTheWindowWasSmall) {
  window.resize(1920, 1080);
  QTest::qWait(60);
  const auto width = [&](const char* name) { return window.dock(QString::fromLatin1(name))->width(); };
  const int left = width("domains"), right = width("decision"), machine = width("machine");
  window.resize(640, 480);
  QTest::qWait(60);
  window.resize(1920, 1080);
  QTest::qWait(60);
  EXPECT_EQ(width("domains"), left);
  EXPECT_EQ(width("decision"), right);
  EXPECT_EQ(width("machine"), machine);
  EXPECT_GT(machine, 1000);
}

TEST_F(WindowTest, NothingIsWiderThanTheWindowAtBothSizesAndThemes) {
  for (const QSize size : {QSize(1280, 720), QSize(1920, 1080)}) {
    for (const look::Theme theme : {look::Theme::Dark, look::Theme::Light}) {
      window.setTheme(theme);
      window.resize(size);
      QTest::qWait(30);
      EXPECT_EQ(window.size(), size) << "a minimum size pushed the window";
      EXPECT_FALSE(window.grab().isNull());
    }
  }
}

// Keys of the run control, pressed on the window.
TEST_F(WindowTest, StepsByKeysForwardAndBack) {
  settle();
  const auto start = session.frame();
  QTest::keyClick(&window, Qt::Key_Right, Qt::ControlModifier);
  settle();
  ASSERT_TRUE(session.frame()->ladder);
  EXPECT_EQ(session.frame()->rung, 0);
  const auto pass = session.frame();
  QTest::keyClick(&window, Qt::Key_Period);
  settle();
  EXPECT_EQ(session.frame()->rung, 1);
  QTest::keyClick(&window, Qt::Key_Comma);
  settle();
  EXPECT_EQ(session.frame()->rung, 0);
  EXPECT_EQ(session.frame()->fingerprint, pass->fingerprint);
  QTest::keyClick(&window, Qt::Key_Right);
  settle();
  EXPECT_GT(session.frame()->eventIndex, pass->eventIndex);
  QTest::keyClick(&window, Qt::Key_Home);
  settle();
  EXPECT_EQ(session.frame()->timeNs, start->timeNs);
}

TEST_F(WindowTest, StepsFromARowOfTheRunqueuesAndComesHomeToTheFirstEvent) {
  settle();
  auto* table = window.findChild<runqueues::QueueTable*>();
  ASSERT_TRUE(table);
  QApplication::setActiveWindow(&window);
  table->setFocus();
  const auto before = session.frame()->eventIndex;
  QTest::keyClick(table, Qt::Key_Right);
  settle();
  EXPECT_EQ(session.frame()->eventIndex, before + 1);
  session.seekTime(300'000'000);
  settle();
  QTest::keyClick(table, Qt::Key_Home);
  settle();
  EXPECT_EQ(session.frame()->eventIndex, 0U);
}

// Plain arrows belong to the walk through the machine while it has the focus.
TEST_F(WindowTest, LeavesArrowsToTheMachineWhileOneWalks) {
  settle();
  const auto before = session.frame();
  auto* canvas = window.dock(QStringLiteral("machine"))->findChild<machine::Canvas*>();
  ASSERT_TRUE(canvas);
  QApplication::setActiveWindow(&window);
  canvas->setFocus();
  QTest::keyClick(canvas, Qt::Key_Return);
  const int first = canvas->focusedCpu();
  QTest::keyClick(canvas, Qt::Key_Right);
  settle();
  EXPECT_NE(canvas->focusedCpu(), first);
  EXPECT_EQ(session.frame()->eventIndex, before->eventIndex);
}

TEST_F(WindowTest, SaysInTheMiddleWhatCannotBeOpened) {
  settle();
  session.open(QStringLiteral("/no/such/machine.xml"), {});
  settle();
  EXPECT_TRUE(window.problemCard()->isVisible());
  EXPECT_TRUE(window.problemCard()->text().contains(QStringLiteral("/no/such/machine.xml")));
  EXPECT_TRUE(window.problemCard()->text().contains(QStringLiteral("is still open")));
  session.open(QStringLiteral("juno-r2"), {});  // A machine: hogs on it.
  settle();
  EXPECT_FALSE(window.problemCard()->isVisible());
  EXPECT_TRUE(session.info().scenarioText.contains(QStringLiteral("hogs")));
}

TEST_F(WindowTest, EveryActionHasATextAndAnIconOrAShortcut) {
  for (const QAction* action : window.findChildren<QAction*>()) {
    if (action->isSeparator() || action->menu() || action->text().isEmpty()) continue;
    EXPECT_FALSE(action->text().isEmpty());
  }
  const QAction* pass = window.playback()->stepAction(api::StepKind::Pass, api::Direction::Forward);
  EXPECT_FALSE(pass->icon().isNull());
  EXPECT_TRUE(pass->toolTip().contains(QStringLiteral("Ctrl+Right")));
}

}  // namespace
}  // namespace rqscope::app
