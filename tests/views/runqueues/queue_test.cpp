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

TEST(QueueTable, SaysThatTheStopperRunsWhereNoTaskDoes) {
  auto frame = std::make_shared<api::Frame>(*samples::junoDetach());
  frame->cpus[5].isIdle = false;
  QueueModel model;
  model.setFrame(frame);
  EXPECT_EQ(model.index(5, QueueModel::kRuns).data().toString(), QStringLiteral("stopper"));
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

/// A frame of Juno whose kernel orders tasks as CFS does.
std::shared_ptr<const api::Frame> cfsFrame() {
  auto frame = std::make_shared<api::Frame>(*samples::junoDetach());
  auto layout = std::make_shared<api::MachineLayout>(*frame->layout);
  layout->kernel = "v6.1";
  layout->queue = "cfs";
  frame->layout = layout;
  return frame;
}

// v6.1 has neither V nor lags nor deadlines: rows by vruntime, a line at min_vruntime, slices as figures.
TEST(QueueAxis, ShowsCfsByVruntime) {
  auto queue = std::make_shared<std::vector<api::QueueEntity>>();
  api::QueueEntity late, early;
  late.name = "late";
  late.task = 1;
  late.vruntime = 9'000'000;
  early.name = "early";
  early.task = 2;
  early.vruntime = 1'000'000;
  late.weight = early.weight = 1024;
  late.slice = early.slice = 2'000'000;
  *queue = {late, early};
  QueueAxis axis;
  axis.resize(600, 400);
  axis.show();
  axis.setFrame(cfsFrame());
  axis.setSelectedCpu(2);
  axis.setQueue(2, queue);
  EXPECT_STREQ(axis.lineName(), "min_vruntime");
  ASSERT_EQ(axis.rowCount(), 2);
  EXPECT_EQ(axis.accessibleItem(0).name, QStringLiteral("early, waiting"));
  for (int row = 0; row < 2; ++row) {
    EXPECT_FALSE(axis.accessibleItem(row).description.contains(QStringLiteral("deadline")));
    EXPECT_TRUE(axis.numberRect(row, "lag").isEmpty());
    EXPECT_TRUE(axis.numberRect(row, "deadline").isEmpty());
    EXPECT_FALSE(axis.numberRect(row, "slice").isEmpty());
  }
  EXPECT_TRUE(axis.numberRect(-1, "avg_vruntime").isEmpty());
  EXPECT_FALSE(axis.numberRect(-1, "min_vruntime").isEmpty());
  EXPECT_FALSE(axis.grab().isNull());
}

// The members of a group have bars too: V of their own queue lies on V of the CPU, so an entity owed 2 ms
// begins 2 ms before it.
TEST(QueueAxis, DrawsGroupMembersByTheirLag) {
  auto queue = std::make_shared<std::vector<api::QueueEntity>>();
  const auto frame = samples::junoDetach();
  const std::int64_t v = frame->cpus[2].averageVruntime;
  api::QueueEntity group, owed, even;
  group.name = "web";
  group.group = 1;
  group.vruntime = v;
  group.deadline = v + 4'000'000;
  owed.name = "owed";
  owed.task = 1;
  owed.vruntime = 500'000'000;
  owed.deadline = 503'000'000;
  owed.lag = 2'000'000;
  even.name = "even";
  even.task = 2;
  even.vruntime = 502'000'000;
  even.deadline = 505'000'000;
  group.weight = owed.weight = even.weight = 1024;
  group.children = {owed, even};
  queue->push_back(group);
  QueueAxis axis;
  axis.resize(700, 400);
  axis.show();
  axis.setFrame(frame);
  axis.setSelectedCpu(2);
  axis.setQueue(2, queue);
  ASSERT_EQ(axis.rowCount(), 3);
  const auto at = [&](int row, const char* name) { return axis.numberRect(row, name).center().x(); };
  EXPECT_NEAR(at(2, "vruntime"), at(0, "vruntime"), 0.01) << "no lag: at V, where the group stands too";
  EXPECT_LT(at(1, "vruntime"), at(2, "vruntime") - 20);
  EXPECT_NEAR(at(1, "deadline") - at(1, "vruntime"), at(2, "deadline") - at(2, "vruntime"), 0.01);
}

// What runs is said to run, whatever would be picked; a throttled group is on no queue and has no bar.
TEST(QueueAxis, SaysWhatRunsAndWhatIsThrottled) {
  auto queue = std::make_shared<std::vector<api::QueueEntity>>();
  api::QueueEntity running, throttled, child;
  running.name = "A";
  running.task = 0;
  running.isCurrent = running.isNext = true;
  throttled.name = "/limited";
  throttled.group = 1;
  throttled.isThrottled = true;
  child.name = "limited-0";
  child.task = 1;
  child.isThrottled = true;
  throttled.children = {child};
  *queue = {running, throttled};
  QueueAxis axis;
  axis.resize(600, 400);
  axis.show();
  axis.setFrame(samples::junoDetach());
  axis.setSelectedCpu(2);
  axis.setQueue(2, queue);
  ASSERT_EQ(axis.rowCount(), 3);
  EXPECT_EQ(axis.accessibleItem(0).name, QStringLiteral("A, runs on"));
  EXPECT_EQ(axis.accessibleItem(1).name, QStringLiteral("/limited, throttled"));
  EXPECT_EQ(axis.accessibleItem(2).name, QStringLiteral("limited-0, throttled"));
  EXPECT_TRUE(axis.numberRect(1, "vruntime").isEmpty());
  EXPECT_FALSE(axis.numberRect(-1, "avg_vruntime").isEmpty());
  *queue = {throttled};
  axis.setQueue(2, queue);
  EXPECT_TRUE(axis.numberRect(-1, "avg_vruntime").isEmpty()) << "V of an empty queue is not computed";
  EXPECT_FALSE(axis.grab().isNull());
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
