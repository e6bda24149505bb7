// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <QAbstractItemModelTester>
#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QSignalSpy>
#include <QTest>

#include "decision_log/log_view.h"
#include "views/support/sample_frames.h"

namespace rqscope::decision_log {
namespace {

std::shared_ptr<const api::DecisionList> someDecisions() {
  auto list = std::make_shared<api::DecisionList>();
  list->rows = {{40, 188'000'000, "tick", "PKG", "failed", 5},
                {41, 190'000'000, "wakeup", "", "placed", 2},
                {42, 196'000'000, "newidle", "PKG", "moved", 5},
                {47, 200'000'000, "tick", "MC", "balanced", 0}};
  list->made = 43;
  return list;
}

/// The Juno frame with the decision of that number.
std::shared_ptr<const api::Frame> frameAt(std::uint64_t decision) {
  auto frame = std::make_shared<api::Frame>(*samples::junoDetach());
  auto ladder = std::make_shared<api::Ladder>(*frame->ladder);
  ladder->index = decision;
  frame->ladder = ladder;
  return frame;
}

QTableView* tableOf(const LogView& view) { return view.findChild<QTableView*>(); }

TEST(LogModel, KeepsTheRulesOfItemModels) {
  LogModel model;
  QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
  model.setList(someDecisions());
  EXPECT_EQ(model.rowCount(), 4);
  EXPECT_EQ(model.index(0, LogModel::kTime).data().toString(), QStringLiteral("188.000 ms"));
  EXPECT_EQ(model.index(2, LogModel::kDomain).data().toString(), QStringLiteral("PKG"));
  EXPECT_EQ(model.rowOf(47), 3);
  EXPECT_EQ(model.rowOf(43), -1);
  model.setNow(42, 196'000'000);
  EXPECT_TRUE(model.isNow(2));
  EXPECT_FALSE(model.isFuture(1));
  EXPECT_TRUE(model.isFuture(3));
  model.setList(nullptr);
  EXPECT_EQ(model.rowCount(), 0);
}

TEST(LogView, AsksOnlyWhileItIsSeen) {
  LogView view;
  QSignalSpy wanted(&view, &LogView::listWanted);
  view.setFrame(frameAt(42));
  QTest::qWait(200);
  EXPECT_EQ(wanted.count(), 0);
  view.resize(700, 300);
  view.show();
  ASSERT_TRUE(wanted.wait());
  EXPECT_TRUE(wanted.last().first().value<api::DecisionFilter>().isEmpty());
  wanted.clear();
  for (std::uint64_t i = 0; i < 20; ++i) view.setFrame(frameAt(i));
  ASSERT_TRUE(wanted.wait());
  EXPECT_EQ(wanted.count(), 1) << "once for many frames";
}

TEST(LogView, AsksForWhatIsChosen) {
  LogView view;
  view.resize(700, 300);
  view.setFrame(frameAt(42));
  view.setSelectedCpu(5);
  view.show();
  QSignalSpy wanted(&view, &LogView::listWanted);
  const auto boxes = view.findChildren<QComboBox*>();
  ASSERT_EQ(boxes.size(), 2);
  boxes[0]->setFocus();
  QTest::keyClick(boxes[0], Qt::Key_Down);
  QTest::keyClick(boxes[1], Qt::Key_Down);
  QTest::keyClick(boxes[1], Qt::Key_Down);
  auto* own = view.findChild<QCheckBox*>();
  QTest::keyClick(own, Qt::Key_Space);
  EXPECT_EQ(own->text(), QStringLiteral("Only CPU 5"));
  ASSERT_FALSE(wanted.isEmpty());
  const auto filter = wanted.last().first().value<api::DecisionFilter>();
  EXPECT_EQ(filter.entry, "tick");
  EXPECT_EQ(filter.result, "failed");
  EXPECT_EQ(filter.cpu, 5);
  view.setSelectedCpu(2);
  EXPECT_EQ(wanted.last().first().value<api::DecisionFilter>().cpu, 2);
}

TEST(LogView, GoesToTheDecisionThatIsClickedOrEntered) {
  LogView view;
  view.resize(700, 300);
  view.show();
  view.setFrame(frameAt(42));
  view.setList(someDecisions());
  QTableView* table = tableOf(view);
  EXPECT_EQ(table->currentIndex().row(), 2) << "the decision that the ladder shows";
  QSignalSpy activated(&view, &LogView::decisionActivated);
  QTest::mouseClick(table->viewport(), Qt::LeftButton, {},
                    table->visualRect(table->model()->index(0, LogModel::kResult)).center());
  ASSERT_EQ(activated.count(), 1);
  EXPECT_EQ(activated.last().first().toULongLong(), 40U);
  QTest::keyClick(table, Qt::Key_Down);
  EXPECT_EQ(activated.count(), 1) << "arrows look, Enter goes";
  QTest::keyClick(table, Qt::Key_Return);
  ASSERT_EQ(activated.count(), 2);
  EXPECT_EQ(activated.last().first().toULongLong(), 41U);
}

TEST(LogView, SaysHowMuchItLists) {
  LogView view;
  view.resize(700, 300);
  view.show();
  const auto* count = view.findChild<QLabel*>(QStringLiteral("count"));
  EXPECT_EQ(count->text(), QString());
  auto list = std::make_shared<api::DecisionList>(*someDecisions());
  view.setList(list);
  EXPECT_EQ(count->text(), QStringLiteral("4 of 43 decisions so far"));
  list = std::make_shared<api::DecisionList>(*list);
  list->hasEarlier = true;
  list->made = 16'191;
  view.setList(list);
  EXPECT_EQ(count->text(), QStringLiteral("4 around now, of 16191 decisions so far"));
  view.setFrame(samples::empty());
  view.setList(std::make_shared<api::DecisionList>());
  EXPECT_FALSE(view.grab().isNull());
}

}  // namespace
}  // namespace rqscope::decision_log
