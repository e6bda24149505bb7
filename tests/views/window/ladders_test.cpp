// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
// The six kinds of ladder in the window, and the way down from a number by mouse and keys.
#include <gtest/gtest.h>

#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>
#include <QTextBlock>
#include <QTextBrowser>
#include <QToolButton>

#include "charts/charts_view.h"
#include "decision/answer_pane.h"
#include "decision/decision_view.h"
#include "decision/number_card.h"
#include "look/words.h"
#include "main_window.h"
#include "rqscope/decision_filter.h"
#include "runqueues/numbers_panel.h"
#include "runqueues/queue_view.h"

namespace rqscope::app {
namespace {

constexpr int kPatienceMs = 30'000;
constexpr std::int64_t kMs = 1'000'000;

class LaddersTest : public testing::Test {
 protected:
  LaddersTest() : window(session, look::Theme::Dark, MainWindow::Settings::Ignore) {
    window.setMotion(false);
    window.resize(1280, 720);
    window.show();
    QSignalSpy frames(&session, &session::Session::frameChanged);
    session.open(QStringLiteral("six-ladders"), {});
    EXPECT_TRUE(frames.count() > 0 || frames.wait(kPatienceMs));
  }
  void settle() {
    QSignalSpy busy(&session, &session::Session::busyChanged);
    while (busy.wait(200)) {
    }
  }
  void go(const api::DecisionFilter& filter) {
    session.seekDecision(filter);
    session.stepToRefusal();
    settle();
  }
  decision::DecisionView* view() { return window.findChild<decision::DecisionView*>(); }
  decision::NumberCard* card() { return view()->card(); }
  decision::Hit hit(const QString& name) {
    view()->grab();
    for (const decision::Hit& h : view()->ladder()->hits())
      if (h.name == name && h.path.rung == view()->ladder()->currentRung()) return h;
    return {};
  }
  QPoint pointOf(const decision::Hit& h) {
    return h.rect.center().toPoint() - QPoint(0, view()->ladder()->verticalScrollBar()->value());
  }
  void save(const QString& name) {
    if (const QByteArray folder = qgetenv("RQSCOPE_TEST_PICTURES"); !folder.isEmpty())
      window.grab().save(QString::fromUtf8(folder) + QLatin1Char('/') + name + QStringLiteral(".png"));
  }
  /// Where a link of the card stands in its viewport.
  QPoint linkPoint(int number) {
    QTextBrowser* const text = card()->browser();
    for (QTextBlock block = text->document()->begin(); block.isValid(); block = block.next())
      for (auto it = block.begin(); !it.atEnd(); ++it) {
        if (it.fragment().charFormat().anchorHref() != QStringLiteral("value:%1").arg(number)) continue;
        QTextCursor cursor(text->document());
        cursor.setPosition(it.fragment().position() + 1);
        text->setTextCursor(cursor);
        text->ensureCursorVisible();
        return text->cursorRect(cursor).center();
      }
    return {};
  }

  session::Session session;
  MainWindow window;
};

struct Shown {
  const char* name;
  api::DecisionFilter filter;
  const char* refusal;
};
const Shown kShown[] = {
    {"fork", {-1, 1, "", "", "fork", ""}, "not_allowed"},
    {"wakeup", {9 * kMs, -1, "", "", "wakeup", ""}, "not_idle"},
    {"newidle", {-1, -1, "", "", "newidle", "moved"}, "affinity"},
    {"periodic", {-1, 1, "", "", "tick", ""}, "migrate_task 0"},
    {"nohz", {-1, -1, "", "", "nohz", "failed"}, "affinity"},
    {"active", {-1, -1, "", "", "active", ""}, "affinity"},
};

TEST_F(LaddersTest, EachKindStandsOnItsRefusalWithTheReasonShown) {
  for (const Shown& shown : kShown)
    for (const QSize size : {QSize(1280, 720), QSize(1920, 1080)}) {
      window.resize(size);
      go(shown.filter);
      const auto frame = session.frame();
      ASSERT_TRUE(frame->ladder) << shown.name;
      EXPECT_EQ(frame->rung, api::refusingRung(*frame->ladder)) << shown.name;
      decision::LadderWidget* const ladder = view()->ladder();
      view()->grab();
      ASSERT_EQ(ladder->currentRung(), frame->rung) << shown.name;
      // The whole rung is in view, and says why in words.
      const QRectF rect = ladder->rungRects()[static_cast<std::size_t>(frame->rung)].translated(
          0, -ladder->verticalScrollBar()->value());
      EXPECT_GE(rect.top(), 0) << shown.name;
      EXPECT_LE(rect.bottom(), ladder->viewport()->height()) << shown.name << " at " << size.width();
      const auto item = ladder->accessibleItem(frame->rung);
      const QString said = item.value + QLatin1Char(' ') + item.description;
      const std::string word = look::word(shown.refusal);
      EXPECT_TRUE(said.contains(QString::fromStdString(word))) << shown.name << ": " << said.toStdString();
      // No number is cut: each stands within the width.
      for (const decision::Hit& h : ladder->hits())
        EXPECT_LE(h.rect.right(), ladder->viewport()->width() + 1);
      save(QStringLiteral("%1-%2").arg(QString::fromLatin1(shown.name)).arg(size.width()));
    }
}

TEST_F(LaddersTest, ANumberLeadsDownToTheQueueByMouseAndBackspaceLeadsBack) {
  window.resize(1280, 900);
  go(kShown[3].filter);
  const decision::Hit nr = hit(QStringLiteral("busiest.sum_nr_running"));
  ASSERT_FALSE(nr.name.isEmpty());
  QTest::mouseClick(view()->ladder()->viewport(), Qt::LeftButton, {}, pointOf(nr));
  settle();
  ASSERT_FALSE(card()->isHidden());
  EXPECT_EQ(card()->depth(), 0);
  const QString first = card()->text();
  EXPECT_TRUE(first.contains(QStringLiteral("CPU 0"))) << first.toStdString();
  const QPoint point = linkPoint(0);
  ASSERT_FALSE(point.isNull());
  save(QStringLiteral("card-number"));
  QTest::mouseClick(card()->browser()->viewport(), Qt::LeftButton, {}, point);
  settle();
  EXPECT_EQ(card()->depth(), 1);
  EXPECT_TRUE(card()->text().contains(QStringLiteral("add_nr_running"))) << card()->text().toStdString();
  EXPECT_TRUE(card()->text().contains(QStringLiteral("h_nr_queued"))) << card()->text().toStdString();
  save(QStringLiteral("card-step"));
  QTest::keyClick(card()->browser(), Qt::Key_Backspace);
  EXPECT_EQ(card()->depth(), 0);
  EXPECT_EQ(card()->text(), first);
  QTest::keyClick(card()->browser(), Qt::Key_Escape);
  EXPECT_TRUE(card()->isHidden());
  EXPECT_TRUE(view()->ladder()->hasFocus());
}

TEST_F(LaddersTest, TheSameByKeysAlone) {
  window.resize(1280, 900);
  window.activateWindow();
  api::DecisionFilter newidle = kShown[2].filter;
  session.seekDecision(newidle);
  settle();
  // To the group statistics, which have sums of several CPUs' figures.
  const auto ladder = session.frame()->ladder;
  while (session.frame()->ladder->rungs[static_cast<std::size_t>(session.frame()->rung)].kind !=
         "group_statistics") {
    session.step(api::StepKind::Rung, api::Direction::Forward);
    settle();
  }
  view()->ladder()->setFocus();
  view()->grab();
  for (int i = 0; i < 12 && !card()->text().contains(QStringLiteral("group_load")); ++i) {
    QTest::keyClick(view()->ladder(), Qt::Key_Return);
    settle();
    view()->grab();
  }
  ASSERT_TRUE(card()->text().contains(QStringLiteral("group_load"))) << card()->text().toStdString();
  card()->browser()->setFocus(Qt::TabFocusReason);
  QTest::keyClick(card()->browser(), Qt::Key_Tab);
  QTest::keyClick(card()->browser(), Qt::Key_Return);
  settle();
  ASSERT_EQ(card()->depth(), 1) << card()->text().toStdString();
  EXPECT_TRUE(card()->text().contains(QStringLiteral("load_sum"))) << card()->text().toStdString();
  QTest::keyClick(view()->ladder(), Qt::Key_Backspace);
  EXPECT_EQ(card()->depth(), 0);
}

TEST_F(LaddersTest, AStepCanBeSeenAmongTheNumbersOfItsQueue) {
  window.resize(1280, 900);
  go(kShown[3].filter);
  QTest::mouseClick(view()->ladder()->viewport(), Qt::LeftButton, {},
                    pointOf(hit(QStringLiteral("busiest.sum_nr_running"))));
  settle();
  QTest::mouseClick(card()->browser()->viewport(), Qt::LeftButton, {}, linkPoint(0));
  settle();
  Q_EMIT card()->browser()->anchorClicked(QUrl(QStringLiteral("queue:")));
  settle();
  auto* numbers = window.findChild<runqueues::NumbersPanel*>();
  ASSERT_NE(numbers, nullptr);
  EXPECT_EQ(numbers->current().name, "nr_running");
}

TEST_F(LaddersTest, CausesOfIdleTimeLeadToTheirChart) {
  session.seekTime(100 * kMs);
  settle();
  for (QToolButton* button : view()->findChildren<QToolButton*>())
    if (button->text() == QStringLiteral("Idle time")) QTest::mouseClick(button, Qt::LeftButton);
  settle();
  auto* text = view()->idlePane()->findChild<QTextBrowser*>();
  Q_EMIT text->anchorClicked(QUrl(QStringLiteral("chart:idle_causes")));
  settle();
  auto* charts = window.findChild<charts::ChartsView*>();
  EXPECT_EQ(charts->currentId(), QStringLiteral("idle_causes"));
  EXPECT_TRUE(charts->isVisible());
  save(QStringLiteral("idle-causes"));
}

}  // namespace
}  // namespace rqscope::app
