// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "compare/compare_view.h"

#include <gtest/gtest.h>

#include <QComboBox>
#include <QDockWidget>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>

#include "compare/difference_bar.h"
#include "compare/outcome_table.h"
#include "compare/runner.h"
#include "compare/start_page.h"
#include "decision/ladder_widget.h"
#include "main_window.h"

namespace rqscope::app {
namespace {

constexpr int kPatienceMs = 60'000;

class CompareTest : public testing::Test {
 protected:
  CompareTest() : window(session, look::Theme::Dark, MainWindow::Settings::Ignore) {
    window.setMotion(false);
    window.resize(1280, 720);
    window.show();
    api::Overrides shorter;
    shorter.untilNs = 400'000'000;
    QSignalSpy opened(&session, &session::Session::opened);
    session.open(QStringLiteral("juno"), shorter);
    EXPECT_TRUE(opened.wait(kPatienceMs));
    window.raiseDock(QStringLiteral("compare"));
    view = window.compareView();
  }
  void compareNow() {
    QSignalSpy finished(view, &compare::CompareView::finished);
    QSignalSpy shown(view, &compare::CompareView::shown);
    QTest::mouseClick(view->runButton(), Qt::LeftButton);
    ASSERT_TRUE(!finished.isEmpty() || finished.wait(kPatienceMs));
    const bool hasMoment = view->result() && !view->result()->differences.empty();
    ASSERT_TRUE(!hasMoment || !shown.isEmpty() || shown.wait(kPatienceMs));
  }
  session::Session session;
  MainWindow window;
  compare::CompareView* view = nullptr;
};

TEST_F(CompareTest, OffersThePatchThatTheScenarioIsAbout) {
  EXPECT_EQ(view->changeBox()->currentText(), QStringLiteral("migrate_util_shr_bound"));
  EXPECT_EQ(view->settingsEdit(0)->text(), QStringLiteral("migrate_util_shr_bound=off"));
  EXPECT_EQ(view->settingsEdit(1)->text(), QStringLiteral("migrate_util_shr_bound=on"));
}

TEST_F(CompareTest, OffersComparisonsWhereThereIsNoneYet) {
  compare::StartPage* start = view->startPage();
  ASSERT_TRUE(start->isVisible());
  ASSERT_EQ(start->buttons().size(), 3);
  EXPECT_EQ(start->buttons()[0]->text(), QStringLiteral("migrate_util_shr_bound off and on"));
  EXPECT_EQ(start->buttons()[1]->text(), QStringLiteral("kernel v6.12 and v6.1"));
  QSignalSpy shown(view, &compare::CompareView::shown);
  QTest::mouseClick(start->buttons()[1], Qt::LeftButton);
  ASSERT_TRUE(shown.wait(kPatienceMs));
  EXPECT_EQ(view->settingsEdit(1)->text(), QStringLiteral("kernel=v6.1"));
  EXPECT_FALSE(start->isVisible());
  EXPECT_TRUE(view->bar()->isVisible());
}

// Cancelled before its thread has taken it up, and closed: neither is lost, and finished() comes all the
// same.
TEST(CompareRunner, EndsARunThatHasNotBegun) {
  compare::Input input;
  input.name = QStringLiteral("endless.json");
  input.text = QStringLiteral(R"({"rqscope-scenario": 1, "machine": "smt-4x2",
                                  "workload": {"generator": "hogs", "count": 40}, "until": "10000s"})");
  input.overrides[1].seed = 2;
  compare::Runner runner;
  QSignalSpy finished(&runner, &compare::Runner::finished);
  runner.start(input);
  runner.cancel();
  ASSERT_TRUE(finished.wait(kPatienceMs));
  EXPECT_TRUE(finished.at(0).at(0).value<compare::ResultPtr>()->isCancelled);
  EXPECT_FALSE(runner.isRunning());
  runner.start(input);  // and let go with the runner
}

TEST_F(CompareTest, ShowsBothLaddersOnTheRungThatDiffers) {
  compareNow();
  ASSERT_NE(view->moment(), nullptr);
  EXPECT_TRUE(view->bar()->text().contains(QStringLiteral("136.000 ms")))
      << view->bar()->text().toStdString();
  const auto ladders = view->findChildren<decision::LadderWidget*>();
  ASSERT_EQ(ladders.size(), 2);
  for (const decision::LadderWidget* ladder : ladders)
    EXPECT_EQ(ladder->currentRung(), view->moment()->at.rung);
  EXPECT_GT(view->outcomes()->rowCount(), 6);
  EXPECT_EQ(view->chart()->data().series.size(), 2U);
}

TEST_F(CompareTest, WalksTheDifferencesByMouseAndKeys) {
  compareNow();
  ASSERT_GT(view->result()->differences.size(), 2U);
  QSignalSpy shown(view, &compare::CompareView::shown);
  QTest::mouseClick(view->bar()->nextButton(), Qt::LeftButton);
  ASSERT_TRUE(shown.wait(kPatienceMs));
  EXPECT_EQ(view->moment()->difference, 1U);
  view->setFocus();
  QTest::keyClick(view, Qt::Key_X);
  ASSERT_TRUE(shown.wait(kPatienceMs));
  EXPECT_EQ(view->moment()->difference, 2U);
  QTest::keyClick(view, Qt::Key_P);
  ASSERT_TRUE(shown.wait(kPatienceMs));
  EXPECT_EQ(view->moment()->difference, 1U);
}

TEST_F(CompareTest, OpensARunAtTheDecisionThatDiffers) {
  compareNow();
  QSignalSpy frames(&session, &session::Session::frameChanged);
  QTest::mouseClick(view->openButton(0), Qt::LeftButton);
  const quint64 wanted = *view->result()->differences[0].a;
  const auto isThere = [&] {
    const auto frame = session.frame();
    return frame && frame->ladder && frame->ladder->index == wanted && frame->timeNs == 136'000'000;
  };
  ASSERT_TRUE(QTest::qWaitFor(isThere, kPatienceMs));
  EXPECT_TRUE(window.dock(QStringLiteral("machine"))->isVisible());
  EXPECT_TRUE(window.dock(QStringLiteral("decision"))->isVisible());
}

TEST_F(CompareTest, HasTheWholeWindowWhileItIsInFront) {
  EXPECT_FALSE(window.dock(QStringLiteral("decision"))->isVisible());
  EXPECT_FALSE(window.dock(QStringLiteral("timeline"))->isVisible());
  window.raiseDock(QStringLiteral("machine"));
  QTest::qWait(50);
  EXPECT_TRUE(window.dock(QStringLiteral("decision"))->isVisible());
  EXPECT_TRUE(window.dock(QStringLiteral("domains"))->isVisible());
}

TEST_F(CompareTest, SaysWhatIsWrongWithASetting) {
  view->setSettings(QStringLiteral("migrate_util_shr_bound=of"), QStringLiteral("kernel=v6.1"));
  compareNow();
  EXPECT_EQ(view->statusText(), QStringLiteral("A: migrate_util_shr_bound=of: write on or off"));
  view->setSettings(QStringLiteral("seed=1"), QStringLiteral("seed=1"));
  compareNow();
  EXPECT_TRUE(view->bar()->text().startsWith(QStringLiteral("No decision differs")))
      << view->bar()->text().toStdString();
}

TEST_F(CompareTest, CanBeCancelled) {
  session.open(QStringLiteral("hackbench-milan"), {});
  QSignalSpy opened(&session, &session::Session::opened);
  ASSERT_TRUE(opened.wait(kPatienceMs));
  QSignalSpy finished(view, &compare::CompareView::finished);
  QTest::mouseClick(view->runButton(), Qt::LeftButton);
  QTest::qWait(200);
  ASSERT_TRUE(view->isRunning());
  QTest::mouseClick(view->runButton(), Qt::LeftButton);
  ASSERT_TRUE(!finished.isEmpty() || finished.wait(kPatienceMs));
  EXPECT_FALSE(view->isRunning());
  EXPECT_EQ(view->statusText(), QStringLiteral("Cancelled"));
}

}  // namespace
}  // namespace rqscope::app
