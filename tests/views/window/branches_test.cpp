// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <QDockWidget>
#include <QLineEdit>
#include <QMenu>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTest>
#include <QTimer>
#include <QToolButton>
#include <QTreeWidget>

#include "branch_words.h"
#include "branches/branch_view.h"
#include "compare/compare_view.h"
#include "lesson/lesson_view.h"
#include "main_window.h"
#include "scenario/scenario_view.h"

namespace rqscope::app {
namespace {

constexpr int kPatienceMs = 60'000;
constexpr const char* kHalf = R"({ "do" : "frequency", "cpus" : [3], "value" : 512 })";
constexpr const char* kPin = R"({ "do" : "pin", "task" : "C", "cpus" : [5] })";

class BranchWindowTest : public testing::Test {
 protected:
  BranchWindowTest() : window(session, look::Theme::Dark, MainWindow::Settings::Ignore) {
    window.setMotion(false);
    window.resize(1280, 720);
    window.show();
    api::Overrides shorter;
    shorter.untilNs = 400'000'000;
    session.open(QStringLiteral("juno"), shorter);
    session.seekTime(200'000'000);
    settle();
    view = window.branchView();
    window.activateWindow();
    EXPECT_TRUE(QTest::qWaitForWindowActive(&window));
  }
  void settle() {
    bool isDone = false;
    QSignalSpy busy(&session, &session::Session::busyChanged);
    session.renameBranch(-1, {});
    while (!isDone && busy.wait(kPatienceMs)) isDone = !busy.last().first().toBool();
    QTest::qWait(20);
  }
  void change(const char* operation) {
    window.changeScenario(session.frame()->timeNs, {operation});
    settle();
  }
  int shown() const { return session.branches()->current; }
  QTreeWidgetItem* row(int index) const {
    QTreeWidgetItemIterator it(view->tree());
    for (int i = 0; *it != nullptr && i < index; ++i) ++it;
    return *it;
  }
  QPoint middleOf(int index) const { return view->tree()->visualItemRect(row(index)).center(); }
  void raise() {
    window.raiseDock(QStringLiteral("branches"));
    QTest::qWait(30);
  }
  session::Session session;
  MainWindow window;
  branches::BranchView* view = nullptr;
};

TEST_F(BranchWindowTest, SaysThatThereIsOneRunAndHowToMakeMore) {
  raise();
  EXPECT_EQ(view->tree()->topLevelItemCount(), 1);
  EXPECT_FALSE(view->note().isEmpty());
  EXPECT_FALSE(view->removeButton()->isEnabled());
  EXPECT_TRUE(window.findChild<QToolButton*>(QStringLiteral("branchButton"))->isHidden());
}

// What is changed at 200 ms is a branch of that name there; keys go to the run before and back.
TEST_F(BranchWindowTest, KeysGoFromOneRunToTheOther) {
  const quint64 before = session.frame()->fingerprint;
  const int first = shown();
  change(kHalf);
  const int second = shown();
  ASSERT_NE(first, second);
  EXPECT_EQ(session.branches()->shown()->title(), QStringLiteral("frequency of CPU 3: 512"));
  const auto* button = window.findChild<QToolButton*>(QStringLiteral("branchButton"));
  EXPECT_FALSE(button->isHidden());
  EXPECT_TRUE(button->text().contains(QStringLiteral("frequency"))) << button->text().toStdString();
  window.setFocus();
  QTest::keyClick(&window, Qt::Key_Z, Qt::ControlModifier | Qt::AltModifier);
  settle();
  EXPECT_EQ(shown(), first);
  EXPECT_EQ(session.frame()->fingerprint, before);
  QTest::keyClick(&window, Qt::Key_B, Qt::ControlModifier);
  settle();
  EXPECT_EQ(shown(), second);
  EXPECT_TRUE(session.info().scenarioText.contains(QStringLiteral("512")));
  QTest::keyClick(&window, Qt::Key_B, Qt::ControlModifier | Qt::ShiftModifier);
  settle();
  EXPECT_EQ(shown(), first);
}

TEST_F(BranchWindowTest, TheTreeShowsRenamesAndRemovesByKeys) {
  const int first = shown();
  change(kHalf);
  change(kPin);
  raise();
  ASSERT_NE(row(2), nullptr);
  EXPECT_EQ(row(2)->parent(), row(1)) << "a branch of the branch";
  view->tree()->setFocus();
  EXPECT_EQ(view->chosen(), shown());
  QTest::keyClick(view->tree(), Qt::Key_Up);
  QTest::keyClick(view->tree(), Qt::Key_Up);
  EXPECT_EQ(view->chosen(), first);
  QTest::keyClick(view->tree(), Qt::Key_Return);
  settle();
  EXPECT_EQ(shown(), first);
  view->tree()->setFocus();
  QTest::keyClick(view->tree(), Qt::Key_Down);
  QTest::keyClick(view->tree(), Qt::Key_F2);
  auto* editor = view->tree()->findChild<QLineEdit*>();
  ASSERT_NE(editor, nullptr);
  editor->selectAll();
  QTest::keyClicks(editor, QStringLiteral("half"));
  QTest::keyClick(editor, Qt::Key_Return);
  settle();
  EXPECT_EQ(row(1)->text(0), QStringLiteral("half"));
  EXPECT_EQ(session.branches()->all[1].title(), QStringLiteral("half"));
  view->choose(session.branches()->all[1].id);
  view->tree()->setFocus();
  QTest::keyClick(view->tree(), Qt::Key_Delete);
  settle();
  ASSERT_EQ(session.branches()->all.size(), 2U);
  EXPECT_EQ(row(1)->parent(), row(0)) << "the branch of the one that is gone";
}

TEST_F(BranchWindowTest, TheMouseShowsARunWhereItWasLeftOrAtThisMoment) {
  const int first = shown();
  const std::int64_t leftNs = session.frame()->timeNs;
  change(kHalf);
  session.seekTime(300'000'000);
  settle();
  const std::int64_t here = session.frame()->timeNs;
  raise();
  QTest::mouseClick(view->tree()->viewport(), Qt::LeftButton, {}, middleOf(0));
  QTest::mouseDClick(view->tree()->viewport(), Qt::LeftButton, {}, middleOf(0));
  settle();
  EXPECT_EQ(shown(), first);
  EXPECT_EQ(session.frame()->timeNs, leftNs);
  QTest::mouseClick(view->tree()->viewport(), Qt::LeftButton, {}, middleOf(1));
  QTest::mouseClick(view->showButton(), Qt::LeftButton);
  settle();
  EXPECT_EQ(session.frame()->timeNs, here);
  view->tree()->setFocus();
  view->choose(first);
  QTest::keyClick(view->tree(), Qt::Key_Return, Qt::ShiftModifier);
  settle();
  EXPECT_EQ(shown(), first);
  EXPECT_NEAR(static_cast<double>(session.frame()->timeNs), static_cast<double>(here), 4e6)
      << "the last event at or before that moment, at most a tick ago";
}

TEST_F(BranchWindowTest, ARunIsComparedWithTheOneShown) {
  change(kPin);
  raise();
  view->choose(session.branches()->all[0].id);
  view->tree()->setFocus();
  QSignalSpy finished(window.compareView(), &compare::CompareView::finished);
  QTest::keyClick(view->tree(), Qt::Key_C);
  ASSERT_TRUE(!finished.isEmpty() || finished.wait(kPatienceMs));
  ASSERT_TRUE(window.compareView()->result());
  EXPECT_TRUE(window.compareView()->result()->isGood);
  ASSERT_FALSE(window.compareView()->result()->differences.empty());
  EXPECT_GE(window.compareView()->result()->differences.front().timeNs, session.branches()->all[1].atNs)
      << "before the change they are one";
}

// The text that is applied in Scenario is a branch as well, from where its script first differs.
TEST_F(BranchWindowTest, AnEditedScenarioIsABranch) {
  const int first = shown();
  window.raiseDock(QStringLiteral("scenario"));
  auto* scenario = window.findChild<scenario::ScenarioView*>();
  auto* editor = scenario->findChild<QPlainTextEdit*>();
  QString text = editor->toPlainText();
  const QString seed = QStringLiteral("\"seed\" : 1");
  ASSERT_EQ(text.count(seed), 1);
  editor->setPlainText(text.replace(seed, QStringLiteral("\"seed\" : 7")));
  editor->setFocus();
  QSignalSpy applied(scenario, &scenario::ScenarioView::applyWanted);
  QTest::keyClick(editor, Qt::Key_Return, Qt::ControlModifier);
  ASSERT_TRUE(applied.count() > 0 || applied.wait(kPatienceMs)) << "the button is seen pressed first";
  settle();
  ASSERT_EQ(session.branches()->all.size(), 2U);
  EXPECT_EQ(session.branches()->shown()->parent, first);
  EXPECT_EQ(session.branches()->shown()->atNs, 0) << "another seed is another run from its beginning";
  EXPECT_TRUE(session.branches()->shown()->title().contains(QStringLiteral("line")));
}

// A lesson leads to the run that was opened; what was changed stays beside it.
TEST_F(BranchWindowTest, ALessonGoesToTheRunThatWasOpened) {
  window.raiseDock(QStringLiteral("lesson"));
  ASSERT_TRUE(window.lesson()->open(QStringLiteral("idle-cpu")));
  const auto stand = [&](int step) {
    window.lesson()->showStep(step);
    for (QPushButton* button : window.lesson()->findChildren<QPushButton*>())
      if (button->text() == QLatin1String("Stand before it")) QTest::mouseClick(button, Qt::LeftButton);
    settle();
  };
  stand(2);
  const int first = shown();
  change(kHalf);
  ASSERT_NE(shown(), first);
  stand(3);
  EXPECT_EQ(shown(), first);
  EXPECT_EQ(session.branches()->all.size(), 2U) << "the change is still there";
  EXPECT_EQ(session.frame()->timeNs, 132'000'000) << "the last event before 135 ms";
}

TEST_F(BranchWindowTest, TheBudgetIsSetInMegabytes) {
  raise();
  view->budget()->setFocus();
  view->budget()->selectAll();
  QTest::keyClicks(view->budget(), QStringLiteral("64"));
  QTest::keyClick(view->budget(), Qt::Key_Return);
  settle();
  EXPECT_EQ(session.frame()->historyBudget, 64'000'000U);
}

TEST_F(BranchWindowTest, TheStatusMenuShowsAnotherRun) {
  const int first = shown();
  change(kHalf);
  auto* button = window.findChild<QToolButton*>(QStringLiteral("branchButton"));
  QTimer::singleShot(0, button, [button] {
    QMenu* const menu = button->menu();
    while (!menu->isVisible()) QTest::qWait(10);
    QTest::mouseClick(menu, Qt::LeftButton, {}, menu->actionGeometry(menu->actions().front()).center());
  });
  QTest::mouseClick(button, Qt::LeftButton);
  settle();
  EXPECT_EQ(shown(), first);
}

TEST(BranchWords, ChangesAreNamedByWhatTheyChange) {
  EXPECT_EQ(operationsText({kHalf, kPin}), QStringLiteral("frequency of CPU 3: 512; pin of C: CPU 5"));
  EXPECT_EQ(operationsText({R"({ "do" : "pin", "task" : "C", "cpus" : "0-1,5" })"}),
            QStringLiteral("pin of C: CPU 0-1,5"));
  api::Overrides off;
  off.patches = {{"p", false}};
  EXPECT_EQ(changeText(QStringLiteral("a"), {}, QStringLiteral("a"), off), QStringLiteral("p off"));
  EXPECT_EQ(changeText(QStringLiteral("a\nb"), {}, QStringLiteral("a\n c "), {}),
            QStringLiteral("line 2: c"));
}

// With RQSCOPE_PICTURES=folder the pictures are kept for people.
TEST_F(BranchWindowTest, FitsTheWindowAtBothSizesAndThemes) {
  const QString folder = qEnvironmentVariable("RQSCOPE_PICTURES");
  const int first = shown();
  session.seekTime(340'000'000);
  session.seekTime(200'000'000);
  settle();
  change(kHalf);
  session.seekTime(280'000'000);
  settle();
  change(kPin);
  session.showBranch(first);
  session.seekTime(120'000'000);
  settle();
  change(R"({ "do" : "nice", "task" : "A", "nice" : 10 })");
  for (const QSize size : {QSize(1280, 720), QSize(1920, 1080)})
    for (const look::Theme theme : {look::Theme::Dark, look::Theme::Light}) {
      window.setTheme(theme);
      window.resize(size);
      raise();
      QTest::qWait(50);
      EXPECT_EQ(window.size(), size) << "a minimum size pushed the window";
      const QPixmap picture = window.grab();
      if (!folder.isEmpty())
        picture.save(QStringLiteral("%1/branches-%2-%3.png")
                         .arg(folder, QString::number(size.width()),
                              theme == look::Theme::Dark ? QStringLiteral("dark") : QStringLiteral("light")));
    }
}

}  // namespace
}  // namespace rqscope::app
