// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "compare/trace_view.h"

#include <gtest/gtest.h>

#include <QDockWidget>
#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QTabBar>
#include <QTableWidget>
#include <QTemporaryDir>
#include <QTest>

#include "compare/difference_bar.h"
#include "compare/start_page.h"
#include "decision/ladder_widget.h"
#include "main_window.h"
#include "timeline/timeline_canvas.h"

namespace rqscope::app {
namespace {

constexpr int kPatienceMs = 60'000;
constexpr const char* kMachine = "i7-13700k-8p";

/// A window on a trace: hackbench, as a run of the model wrote it. Who waits for whose message a trace does
/// not say, so the run of its work parts from it.
class TraceTest : public testing::Test {
 protected:
  TraceTest() : window(session, look::Theme::Dark, MainWindow::Settings::Ignore) {
    api::Overrides shorter;
    shorter.untilNs = 20'000'000;
    EXPECT_TRUE(api::writeTraceOfRun("hackbench", shorter, file().toStdString()).empty());
    window.setMotion(false);
    window.resize(1280, 720);
    window.show();
    view = window.traceView();
  }
  QString file() const { return folder.filePath(QStringLiteral("trace.txt")); }
  void openIt() {
    api::Overrides overrides;
    overrides.machine = kMachine;
    QSignalSpy opened(&session, &session::Session::opened), finished(view, &compare::TraceView::finished);
    QSignalSpy moments(view->runner(), &compare::TraceRunner::momentReady);
    session.open(file(), overrides);
    ASSERT_TRUE(opened.wait(kPatienceMs));
    ASSERT_TRUE(!finished.isEmpty() || finished.wait(kPatienceMs));
    ASSERT_TRUE(view->result() && view->result()->report);
    ASSERT_TRUE(!moments.isEmpty() || moments.wait(kPatienceMs));
    window.raiseDock(QStringLiteral("trace"));
  }
  timeline::TimelineCanvas* timeline() { return window.findChild<timeline::TimelineCanvas*>(); }

  QTemporaryDir folder;
  session::Session session;
  MainWindow window;
  compare::TraceView* view = nullptr;
};

TEST_F(TraceTest, ShowsMachineAndModelWhenATraceOpens) {
  openIt();
  const api::TraceReport& report = *view->result()->report;
  EXPECT_TRUE(view->isVisible());
  EXPECT_EQ(view->tasks()->rowCount(), static_cast<int>(report.tasks.size()));
  EXPECT_GT(view->outcomes()->rowCount(), 10);
  EXPECT_GT(view->sides()->rowCount(), 0);
  ASSERT_FALSE(report.partings.empty());
  ASSERT_GE(view->parting(), 0);
  const api::Parting& first = report.partings[static_cast<std::size_t>(view->parting())];
  EXPECT_TRUE(first.isFresh);
  EXPECT_TRUE(view->bar()->text().contains(QString::fromStdString(first.text())))
      << view->bar()->text().toStdString();
  // A wakeup that parts is always a decision of the model.
  const auto isWakeup = [](const api::Parting& p) { return p.kind == api::Parting::Kind::Wakeup; };
  const auto wakeup = std::find_if(report.partings.begin(), report.partings.end(), isWakeup);
  ASSERT_NE(wakeup, report.partings.end());
  QSignalSpy moments(view->runner(), &compare::TraceRunner::momentReady);
  view->showParting(static_cast<std::size_t>(wakeup - report.partings.begin()));
  ASSERT_TRUE(moments.wait(kPatienceMs));
  const auto* ladder = view->findChild<decision::LadderWidget*>();
  ASSERT_NE(ladder, nullptr);
  EXPECT_GE(ladder->currentRung(), 0);
}

TEST_F(TraceTest, ShowsARowOfTheMachineAboveThatOfTheModel) {
  QSignalSpy windows(view->runner(), &compare::TraceRunner::windowReady);
  openIt();
  ASSERT_TRUE(!windows.isEmpty() || windows.wait(kPatienceMs));
  int withBoth = 0;
  for (int i = 0; i < timeline()->accessibleItemCount(); ++i)
    withBoth += timeline()->accessibleItem(i).value.startsWith(QStringLiteral("model: ")) ? 1 : 0;
  EXPECT_EQ(withBoth, 8);
}

TEST_F(TraceTest, WalksThePartingsByMouseAndKeys) {
  openIt();
  std::vector<int> fresh;
  const auto& partings = view->result()->report->partings;
  for (std::size_t i = 0; i < partings.size(); ++i)
    if (partings[i].isFresh) fresh.push_back(static_cast<int>(i));
  ASSERT_GE(fresh.size(), 3U);
  QTest::mouseClick(view->bar()->nextButton(), Qt::LeftButton);
  EXPECT_EQ(view->parting(), fresh[1]);
  view->setFocus();
  QTest::keyClick(view, Qt::Key_X);
  EXPECT_EQ(view->parting(), fresh[2]);
  QTest::keyClick(view, Qt::Key_P);
  EXPECT_EQ(view->parting(), fresh[1]);
  QTest::mouseClick(view->bar()->previousButton(), Qt::LeftButton);
  EXPECT_EQ(view->parting(), fresh[0]);
  timeline()->setFocus();
  QTest::keyClick(timeline(), Qt::Key_X);
  EXPECT_EQ(view->parting(), fresh[1]);
  view->showParting(static_cast<std::size_t>(fresh.back()));
  const std::int64_t wanted = partings[static_cast<std::size_t>(fresh.back())].timeNs;
  EXPECT_TRUE(QTest::qWaitFor(
      [&] { return session.frame() && session.frame()->timeNs <= wanted && session.frame()->timeNs > 0; },
      kPatienceMs));
}

TEST_F(TraceTest, IsEmptyForAScenario) {
  openIt();
  QSignalSpy finished(view, &compare::TraceView::finished);
  session.open(QStringLiteral("juno"), {});
  ASSERT_TRUE(finished.wait(kPatienceMs));
  EXPECT_FALSE(view->result());
  EXPECT_EQ(view->statusText(), QString());
  EXPECT_TRUE(view->startPage()->isVisible());
  EXPECT_FALSE(view->bar()->isVisible());
}

// The empty view says what it is for and offers what fills it.
TEST_F(TraceTest, OffersToOpenATrace) {
  window.raiseDock(QStringLiteral("trace"));
  ASSERT_EQ(view->startPage()->buttons().size(), 1);
  QSignalSpy wanted(view, &compare::TraceView::openWanted);
  QObject::disconnect(view, &compare::TraceView::openWanted, &window, nullptr);  // no dialog here
  QTest::mouseClick(view->startPage()->buttons().front(), Qt::LeftButton);
  EXPECT_EQ(wanted.count(), 1);
}

// All tabs of the middle are there to be read at the smallest size, with room for a CPU of three digits.
TEST_F(TraceTest, HasRoomForTheTabsOfTheMiddle) {
  ASSERT_TRUE(QTest::qWaitForWindowExposed(&window));
  window.selectCpu(127);
  const auto bars = window.findChildren<QTabBar*>();
  const auto isMiddle = [](const QTabBar* bar) {
    for (int i = 0; i < bar->count(); ++i)
      if (bar->tabText(i) == QStringLiteral("Trace")) return true;
    return false;
  };
  const auto middle = std::find_if(bars.begin(), bars.end(), isMiddle);
  ASSERT_NE(middle, bars.end());
  EXPECT_TRUE(QTest::qWaitFor([&] { return (*middle)->width() > 600; }, kPatienceMs));
  EXPECT_GE((*middle)->width(), (*middle)->sizeHint().width());
}

// No row of the outcomes is cut at the smallest size.
TEST_F(TraceTest, ShowsTheQuantitiesInFull) {
  openIt();
  const QTableWidget* table = view->outcomes();
  ASSERT_TRUE(table->isVisible());
  for (int row = 0; row < table->rowCount(); ++row)
    EXPECT_GE(table->columnWidth(0), table->fontMetrics().horizontalAdvance(table->item(row, 0)->text()))
        << table->item(row, 0)->text().toStdString();
}

// Behind a run that has no end for a while the trace waits; the note in the status bar gives both up.
TEST_F(TraceTest, SaysThatItReadsAndCanBeGivenUp) {
  api::Overrides longer;
  longer.untilNs = 3'600'000'000'000;
  QSignalSpy opened(&session, &session::Session::opened),
      problems(&session, &session::Session::problemsFound);
  session.open(QStringLiteral("hackbench-milan"), longer);
  ASSERT_TRUE(opened.wait(kPatienceMs));
  ASSERT_TRUE(!problems.isEmpty() || problems.wait(kPatienceMs));
  session.seekTime(longer.untilNs);
  session.open(file(), {});
  auto* message = window.findChild<QLabel*>(QStringLiteral("message"));
  ASSERT_TRUE(
      QTest::qWaitFor([&] { return message->text().contains(QStringLiteral("trace.txt")); }, kPatienceMs));
  message->setFocus(Qt::TabFocusReason);
  QTest::keyClick(message, Qt::Key_Tab);
  const int before = static_cast<int>(problems.count());
  // A command that has not begun forgets what was cancelled before.
  const auto isGivenUp = [&] {
    QTest::keyClick(message, Qt::Key_Return);
    return problems.count() > before;
  };
  ASSERT_TRUE(QTest::qWaitFor(isGivenUp, kPatienceMs));
  EXPECT_EQ(session.info().fileName, QStringLiteral("hackbench-milan"));
  EXPECT_TRUE(message->text().contains(QStringLiteral("reading was cancelled")))
      << message->text().toStdString();
}

TEST_F(TraceTest, CanBeCancelledAndBeginsAgain) {
  QSignalSpy finished(view, &compare::TraceView::finished);
  window.raiseDock(QStringLiteral("trace"));
  const auto cancel = QObject::connect(&session, &session::Session::opened, view, [this] {
    ASSERT_TRUE(view->isRunning());
    QTest::mouseClick(view->againButton(), Qt::LeftButton);
  });
  api::Overrides overrides;
  overrides.machine = kMachine;
  session.open(file(), overrides);
  ASSERT_TRUE(finished.wait(kPatienceMs));
  EXPECT_EQ(view->statusText(), QStringLiteral("Cancelled"));
  EXPECT_FALSE(view->result()->report);
  QObject::disconnect(cancel);
  QTest::mouseClick(view->againButton(), Qt::LeftButton);
  ASSERT_TRUE(view->isRunning());
  ASSERT_TRUE(finished.wait(kPatienceMs));
  EXPECT_TRUE(view->result()->report);
  EXPECT_EQ(view->statusText(), QString());
}

}  // namespace
}  // namespace rqscope::app
