// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <QComboBox>
#include <QDockWidget>
#include <QPushButton>
#include <QSignalSpy>
#include <QTabBar>
#include <QTest>
#include <set>

#include "dock_table.h"
#include "lesson/lesson_view.h"
#include "main_window.h"

namespace rqscope::app {
namespace {

constexpr int kPatienceMs = 60'000;

class LessonDock : public testing::Test {
 protected:
  LessonDock() : window(session, look::Theme::Dark, MainWindow::Settings::Ignore) {
    window.setMotion(false);
    window.resize(1280, 720);
    window.show();
    QSignalSpy opened(&session, &session::Session::opened);
    session.open(QStringLiteral("juno"), {});
    EXPECT_TRUE(opened.count() > 0 || opened.wait(kPatienceMs));
    settle();
  }
  void settle() {
    QSignalSpy busy(&session, &session::Session::busyChanged);
    while (busy.wait(300)) {
    }
  }
  /// What the boxes with this tooltip say.
  QStringList boxTexts(const QString& toolTip) const {
    QStringList texts;
    for (const QComboBox* box : window.findChildren<QComboBox*>())
      if (box->toolTip() == toolTip) texts << box->currentText();
    return texts;
  }
  /// The raised tab beside this one.
  QString currentTab(const QString& neighbour) const {
    for (const QTabBar* bar : window.findChildren<QTabBar*>())
      for (int i = 0; i < bar->count(); ++i)
        if (bar->tabText(i) == neighbour) return bar->tabText(bar->currentIndex());
    return {};
  }
  session::Session session;
  MainWindow window;
};

// A button of a lesson opens its scenario with the step's patches and goes to its moment; the next one on the
// same run only goes there.
TEST_F(LessonDock, LessonDrivesTheProgram) {
  window.raiseDock(QStringLiteral("lesson"));
  ASSERT_TRUE(window.lesson()->open(QStringLiteral("idle-cpu")));
  const auto go = [&](int step, const char* label) {
    window.lesson()->showStep(step);
    for (QPushButton* button : window.lesson()->findChildren<QPushButton*>())
      if (button->text() == QLatin1String(label)) QTest::mouseClick(button, Qt::LeftButton);
    settle();
  };
  QSignalSpy opened(&session, &session::Session::opened);
  go(2, "Stand before it");
  EXPECT_EQ(opened.count(), 1);
  ASSERT_EQ(session.info().overrides.patches.size(), 1U);
  EXPECT_FALSE(session.info().overrides.patches[0].second);
  EXPECT_EQ(session.frame()->timeNs, 124'000'000) << "the last event before 127 ms";
  go(3, "Stand before it");
  EXPECT_EQ(opened.count(), 1) << "the same run goes on";
  EXPECT_EQ(session.frame()->timeNs, 132'000'000) << "the last event before 135 ms";
  go(4, "Stand before the same pass");
  EXPECT_EQ(opened.count(), 2);
  EXPECT_TRUE(session.info().overrides.patches[0].second);
  go(5, "Open Compare");
  EXPECT_TRUE(window.dock(QStringLiteral("compare"))->isVisible());
  EXPECT_EQ(opened.count(), 2);
}

// A place may frame a level and show something in a dock; a file that is a lesson opens in the dock.
TEST_F(LessonDock, ShowsThePlaceAndOpensAFile) {
  window.raiseDock(QStringLiteral("lesson"));
  const auto press = [&] {
    for (QPushButton* button : window.lesson()->findChildren<QPushButton*>())
      if (button->text().startsWith(QStringLiteral("Show the groups")) ||
          button->text().startsWith(QStringLiteral("Look at the queue")))
        QTest::mouseClick(button, Qt::LeftButton);
    settle();
  };
  ASSERT_TRUE(window.lesson()->open(QStringLiteral("group-types")));
  press();
  EXPECT_EQ(session.frame()->layout->name, "1 package x 2 LLC x 4 cores");
  ASSERT_TRUE(window.showLevel(QStringLiteral("MC")));
  press();
  const QStringList levels = boxTexts(QStringLiteral("Domain level whose groups are framed"));
  EXPECT_TRUE(levels.contains(QStringLiteral("PKG"))) << levels.join(u' ').toStdString();
  const QString file = QString::fromStdString(api::readLesson("weights").file);
  EXPECT_EQ(window.openAny(file), QString());
  EXPECT_EQ(window.lesson()->lesson()->title, "Groups share first, tasks after");
  press();
  EXPECT_EQ(currentTab(QStringLiteral("Editor")), QStringLiteral("Queue of CPU 0"));
  EXPECT_EQ(window.dockProblem(QStringLiteral("lesson"), QStringLiteral("weights/4")),
            QStringLiteral("lesson weights has the steps 1 to 3"));
}

// The model checks a lesson without a window: its list of docks is that of the window.
TEST_F(LessonDock, LessonsMayRaiseEveryOtherDock) {
  std::set<std::string> docks;
  for (const DockRow& row : dockTable()) docks.insert(row.name);
  docks.erase("lesson");
  const std::vector<std::string>& known = api::lessonDocks();
  EXPECT_EQ(std::set<std::string>(known.begin(), known.end()), docks);
}

TEST_F(LessonDock, LessonHasRoomBesideTheMachine) {
  window.raiseDock(QStringLiteral("lesson"));
  QTest::qWait(50);
  EXPECT_GE(window.lesson()->width(), 300);
  EXPECT_GE(window.lesson()->height(), 280);
  EXPECT_TRUE(window.dock(QStringLiteral("machine"))->isVisible());
  EXPECT_TRUE(window.dock(QStringLiteral("decision"))->isVisible());
  window.raiseDock(QStringLiteral("domains"));
  QTest::qWait(50);
  EXPECT_LT(window.dock(QStringLiteral("domains"))->width(), 300);
}

}  // namespace
}  // namespace rqscope::app
