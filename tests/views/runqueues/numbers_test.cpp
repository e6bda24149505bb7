// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <QSignalSpy>
#include <QTableWidget>
#include <QTest>
#include <QTextBrowser>

#include "rqscope/simulation.h"
#include "runqueues/numbers_panel.h"
#include "runqueues/queue_axis.h"
#include "runqueues/queue_table.h"
#include "runqueues/queue_view.h"

namespace rqscope::runqueues {
namespace {

/// A queue view over a real run, answered as the session does.
class NumbersTest : public testing::Test {
 protected:
  NumbersTest() {
    api::Overrides overrides;
    overrides.kernel = "v6.12";
    simulation = api::Simulation::open("lag-and-deadline", overrides).simulation;
    simulation->seekTime(100'000'000);
    view.resize(900, 420);
    QObject::connect(&view, &QueueView::numbersWanted, &view, [this](int cpu, const api::ValueRef& ref) {
      view.setNumbers(cpu, simulation->values(cpu), simulation->explainValue(ref));
    });
    QObject::connect(view.axis(), &QueueAxis::queueWanted, &view, [this](int cpu) {
      view.axis()->setQueue(cpu,
                            std::make_shared<const std::vector<api::QueueEntity>>(simulation->queue(cpu)));
    });
    view.show();
    view.setFrame(simulation->frame());
    view.setSelectedCpu(0);
  }
  void click(int row, const char* name) {
    const QRectF rect = view.axis()->numberRect(row, name);
    ASSERT_FALSE(rect.isEmpty()) << name;
    QTest::mouseClick(view.axis()->viewport(), Qt::LeftButton, {}, rect.center().toPoint());
  }
  std::unique_ptr<api::Simulation> simulation;
  QueueView view;
};

TEST_F(NumbersTest, AClickOnAnyNumberOpensItsExplanation) {
  ASSERT_GE(view.axis()->rowCount(), 3);
  EXPECT_TRUE(view.numbers()->isHidden());
  click(-1, "avg_vruntime");
  EXPECT_FALSE(view.numbers()->isHidden());
  EXPECT_EQ(view.numbers()->explained().ref.name, "avg_vruntime");
  EXPECT_TRUE(view.numbers()->explanationText().contains(QStringLiteral("avg_vruntime()")));
  for (int row = 0; row < 3; ++row)
    for (const char* name : {"lag", "weight", "vruntime", "deadline"}) {
      click(row, name);
      const api::ExplainedValue& value = view.numbers()->explained();
      EXPECT_EQ(value.ref.name, name);
      EXPECT_EQ(value.result, api::recompute(value));
      EXPECT_TRUE(view.numbers()->explanationText().contains(QString::fromStdString(value.formula)));
    }
}

TEST_F(NumbersTest, KeysOpenFollowAndGoBack) {
  view.axis()->setFocus();
  QTest::keyClick(view.axis(), Qt::Key_Return);
  EXPECT_EQ(view.numbers()->explained().ref.name, "avg_vruntime") << "without a row: V of the queue";
  QTest::keyClick(view.axis(), Qt::Key_Down);
  QTest::keyClick(view.axis(), Qt::Key_Return);
  EXPECT_EQ(view.numbers()->explained().ref.name, "lag");
  // The lag is made of V and the vruntime: the links go there.
  auto* text = view.numbers()->findChild<QTextBrowser*>();
  ASSERT_TRUE(text);
  Q_EMIT text->anchorClicked(QUrl(QStringLiteral("operand:1")));
  EXPECT_EQ(view.numbers()->explained().ref.name, "vruntime");
  QTest::keyClick(text, Qt::Key_Backspace);
  EXPECT_EQ(view.numbers()->explained().ref.name, "lag");
  QTest::keyClick(text, Qt::Key_Escape);
  EXPECT_TRUE(view.numbers()->isHidden());
}

TEST_F(NumbersTest, TheTableOfNumbersAnswersToArrows) {
  click(0, "lag");
  auto* table = view.numbers()->findChild<QTableWidget*>();
  ASSERT_TRUE(table);
  EXPECT_GE(table->rowCount(), 8);
  const int before = table->currentRow();
  QTest::keyClick(table, Qt::Key_Down);
  EXPECT_EQ(table->currentRow(), before + 1);
  EXPECT_EQ(view.numbers()->explained().ref.name, table->item(before + 1, 0)->text().toStdString());
}

TEST_F(NumbersTest, FollowsTheRunToAnotherMoment) {
  view.explain({"se.vruntime", -1, 0, -1});  // it only grows
  const std::int64_t before = view.numbers()->explained().result;
  simulation->seekTime(160'000'000);
  view.setFrame(simulation->frame());
  EXPECT_GT(view.numbers()->explained().result, before);
  EXPECT_EQ(view.numbers()->explained().ref.task, 0);
}

TEST_F(NumbersTest, ATableCellExplainsItsNumber) {
  QueueTable table;
  table.resize(320, 200);
  table.setFrame(simulation->frame());
  table.show();
  QSignalSpy wanted(&table, &QueueTable::numberActivated);
  const auto center = [&](int column) {
    return table.visualRect(table.queueModel()->index(0, column)).center();
  };
  QTest::mouseDClick(table.viewport(), Qt::LeftButton, {}, center(QueueModel::kCount));
  ASSERT_EQ(wanted.count(), 1);
  EXPECT_EQ(wanted.last().first().value<api::ValueRef>().name, "nr_running");
  QRect cell = table.visualRect(table.queueModel()->index(0, QueueModel::kUtil));
  QTest::mouseDClick(table.viewport(), Qt::LeftButton, {}, QPoint(cell.right() - 12, cell.center().y()));
  EXPECT_EQ(wanted.last().first().value<api::ValueRef>().name, "capacity");
  table.setSelectedCpu(0);
  QTest::keyClick(&table, Qt::Key_Return);
  EXPECT_EQ(wanted.last().first().value<api::ValueRef>().name, "util");
}

}  // namespace
}  // namespace rqscope::runqueues
