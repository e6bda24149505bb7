// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <QAbstractItemModelTester>
#include <QAccessible>
#include <QSignalSpy>
#include <QTest>

#include "runqueues/queue_axis.h"
#include "runqueues/queue_table.h"
#include "views/support/sample_frames.h"

namespace rqscope::runqueues {
namespace {

TEST(QueueModel, KeepsTheRulesOfItemModels) {
  QueueModel model;
  QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
  model.setFrame(samples::junoDetach());
  EXPECT_EQ(model.rowCount(), 6);
  EXPECT_EQ(model.index(2, QueueModel::kRuns).data().toString(), QStringLiteral("B"));
  EXPECT_EQ(model.index(2, QueueModel::kQueue).data().toString(), QStringLiteral("C"));
  EXPECT_EQ(model.index(5, QueueModel::kRuns).data().toString(), QStringLiteral("idle"));
  EXPECT_EQ(model.index(2, QueueModel::kUtil).data().toString(), QStringLiteral("1024 / 1024"));
  model.setFrame(samples::epyc256());
  EXPECT_EQ(model.rowCount(), 256);
  model.setFrame(samples::empty());
  EXPECT_EQ(model.rowCount(), 0);
}

TEST(QueueTable, SaysWhichCpuWasChosen) {
  QueueTable table;
  table.resize(280, 220);
  table.setFrame(samples::junoDetach());
  table.show();
  QSignalSpy chosen(&table, &QueueTable::cpuActivated);
  table.setSelectedCpu(5);
  EXPECT_EQ(chosen.count(), 0) << "a selection from elsewhere is not sent back";
  QTest::keyClick(&table, Qt::Key_Up);
  ASSERT_EQ(chosen.count(), 1);
  EXPECT_EQ(chosen.last().first().toInt(), 4);
}

// A group with two tasks takes three rows, and one when it is closed by a click.
TEST(QueueAxis, OpensAndClosesGroups) {
  auto queue = std::make_shared<std::vector<api::QueueEntity>>();
  api::QueueEntity group, a, b;
  group.name = "web";
  group.group = 1;
  group.vruntime = 80'000'000;
  group.deadline = 84'000'000;
  group.weight = 1024;
  a.name = "a";
  a.task = 1;
  b.name = "b";
  b.task = 2;
  group.children = {a, b};
  queue->push_back(group);
  QueueAxis axis;
  axis.resize(600, 400);
  axis.show();
  axis.setFrame(samples::junoDetach());
  axis.setSelectedCpu(2);
  axis.setQueue(2, queue);
  EXPECT_EQ(axis.rowCount(), 3);
  EXPECT_FALSE(axis.grab().isNull());
  QAccessibleInterface* access = QAccessible::queryAccessibleInterface(&axis);
  ASSERT_NE(access, nullptr);
  ASSERT_EQ(access->childCount(), 3);
  EXPECT_TRUE(access->child(0)->text(QAccessible::Name).startsWith(QStringLiteral("web")));
  EXPECT_TRUE(access->child(0)->text(QAccessible::Description).contains(QStringLiteral("weight 1024")));
  EXPECT_TRUE(access->child(2)->text(QAccessible::Name).startsWith(QStringLiteral("b")));
  QTest::mouseClick(axis.viewport(), Qt::LeftButton, {}, QPoint(20, 70));
  EXPECT_EQ(axis.rowCount(), 1);
  axis.setQueue(4, queue);
  EXPECT_EQ(axis.rowCount(), 1) << "an answer for another CPU is not shown";
}

}  // namespace
}  // namespace rqscope::runqueues
