// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "machine/canvas.h"

#include <gtest/gtest.h>

#include <QAccessible>
#include <QSignalSpy>
#include <QTest>

#include "machine/arrows.h"
#include "machine/cell_painting.h"
#include "machine/machine_view.h"
#include "views/support/sample_frames.h"

namespace rqscope::machine {
namespace {

class CanvasTest : public testing::Test {
 protected:
  CanvasTest() {
    canvas.resize(660, 340);
    canvas.setMotion(false);
    canvas.setFrame(samples::junoDetach());
    canvas.show();
    canvas.setFocus();
  }
  Canvas canvas;
};

TEST_F(CanvasTest, WalksCpusByKeysAndEndsWithEscape) {
  QSignalSpy chosen(&canvas, &Canvas::cpuActivated);
  QTest::keyClick(&canvas, Qt::Key_Return);
  EXPECT_EQ(canvas.focusedCpu(), 1);
  QTest::keyClick(&canvas, Qt::Key_Right);
  EXPECT_EQ(canvas.focusedCpu(), 2);
  EXPECT_EQ(chosen.last().first().toInt(), 2);
  EXPECT_EQ(canvas.accessibleDescription(), QStringLiteral("CPU 2, running B, 1 queued, util 1024 of 1024"));
  QTest::keyClick(&canvas, Qt::Key_Escape);
  EXPECT_EQ(canvas.focusedCpu(), -1);
}

TEST_F(CanvasTest, SaysThatTheStopperRunsRatherThanIdle) {
  auto pushing = std::make_shared<api::Frame>(*samples::junoDetach());
  api::CpuFrame& cpu = pushing->cpus[2];
  ASSERT_EQ(cpu.id, 2);
  cpu.queued.insert(cpu.queued.begin(), cpu.running);
  cpu.running = -1;
  cpu.isIdle = false;
  canvas.setFrame(pushing);
  QTest::keyClick(&canvas, Qt::Key_Return);
  QTest::keyClick(&canvas, Qt::Key_Right);
  EXPECT_EQ(canvas.accessibleDescription(),
            QStringLiteral("CPU 2, running the migration thread, 2 queued, util 1024 of 1024"));
  const QImage stopper = canvas.grab().toImage();
  cpu.isIdle = true;
  canvas.setFrame(pushing);
  EXPECT_NE(canvas.grab().toImage(), stopper);
}

// The cross lies on the corner: the capacity at the right of a tank's head ends before it, and so does the
// number in a chip.
TEST(RefusalMark, StandsClearOfTheCapacity) {
  const QRectF card(100, 50, 90, 200);
  const QRectF mark = refusalMark(card);
  EXPECT_FALSE(mark.adjusted(-2, -2, 2, 2).intersects(headArea(card)));
  EXPECT_TRUE(mark.contains(card.topRight() + QPointF(-1, 1)));
}

TEST_F(CanvasTest, DrawsATaskAsTallWhateverElseWaits) {
  // Heights must compare between moments: a stack on one CPU may not shrink the blocks of the others.
  const auto before = canvas.blockOf(3);
  auto crowded = std::make_shared<api::Frame>(*samples::junoDetach());
  for (const std::int32_t task : {1, 2, 4, 5}) crowded->cpus[1].queued.push_back(task);
  canvas.setFrame(crowded);
  ASSERT_FALSE(before.isEmpty());
  EXPECT_DOUBLE_EQ(canvas.blockOf(3).height(), before.height());
}

TEST(MigrationArrows, FadeByTicksAndByLaterMigrations) {
  // Juno ticks every 4 ms: 3 ticks later an arrow has 5/8 of its strength, after 8 it is gone; so it is after
  // 8 migrations.
  api::Frame frame = *samples::junoDetach();
  frame.timeNs = 100'000'000;
  frame.recentMigrations.assign(9, {frame.timeNs, 0, 1, 2, "wakeup"});
  EXPECT_DOUBLE_EQ(migrationOpacity(frame, 0), 0.55);
  EXPECT_DOUBLE_EQ(migrationOpacity(frame, 4), 0.55 / 2);
  EXPECT_EQ(migrationOpacity(frame, 8), 0);
  frame.recentMigrations[0].timeNs = frame.timeNs - 12'000'000;
  EXPECT_DOUBLE_EQ(migrationOpacity(frame, 0), 0.55 * 5 / 8);
  frame.recentMigrations[0].timeNs = frame.timeNs - 32'000'000;
  EXPECT_EQ(migrationOpacity(frame, 0), 0);
}

TEST(TaskSignal, CountsATaskAsBalanceDoes) {
  // task_util_est(): the greater of what it used of late and what it used before it slept.
  api::TaskFrame task;
  task.util = 16;
  task.utilEst = 1007;
  EXPECT_EQ(taskSignal(task, Signal::UtilEst), 1007);
  task.util = 500;
  task.utilEst = 100;
  EXPECT_EQ(taskSignal(task, Signal::UtilEst), 500);
  EXPECT_EQ(taskSignal(task, Signal::Util), 500);
}

TEST_F(CanvasTest, WalksTasksOfACpuByPageKeys) {
  QSignalSpy tasks(&canvas, &Canvas::taskActivated);
  QTest::keyClick(&canvas, Qt::Key_Return);
  QTest::keyClick(&canvas, Qt::Key_Right);
  QTest::keyClick(&canvas, Qt::Key_PageDown);
  ASSERT_EQ(tasks.count(), 1);
  EXPECT_EQ(tasks.last().first().toInt(), 1);  // B runs on CPU 2
}

TEST_F(CanvasTest, ChoosesCpuAndTaskByClick) {
  QSignalSpy cpus(&canvas, &Canvas::cpuActivated), tasks(&canvas, &Canvas::taskActivated);
  const Geometry& geometry = canvas.geometryShown();
  const int cell = geometry.cellOf(2);
  const QPointF margin(10, 10);
  const QRectF rect = geometry.cells[static_cast<std::size_t>(cell)].rect;
  QTest::mouseClick(&canvas, Qt::LeftButton, {},
                    (QPointF(rect.center().x(), rect.bottom() - 40) + margin).toPoint());
  EXPECT_EQ(cpus.last().first().toInt(), 2);
  ASSERT_EQ(tasks.count(), 1);
  EXPECT_EQ(tasks.last().first().toInt(), 1);
}

TEST_F(CanvasTest, ZoomsByKeyAndFitsAgain) {
  QTest::keyClick(&canvas, Qt::Key_W);
  EXPECT_GT(canvas.zoom(), 1);
  QTest::keyClick(&canvas, Qt::Key_F);
  EXPECT_DOUBLE_EQ(canvas.zoom(), 1);
}

// Every CPU and box can be reached by a screen reader, and a CPU chosen from there.
TEST_F(CanvasTest, NamesEveryCpuAndBoxForScreenReaders) {
  QAccessibleInterface* access = QAccessible::queryAccessibleInterface(&canvas);
  ASSERT_NE(access, nullptr);
  QStringList names;
  for (int i = 0; i < access->childCount(); ++i) names << access->child(i)->text(QAccessible::Name);
  EXPECT_EQ(names.mid(0, 6).filter(QStringLiteral("CPU ")).size(), 6);
  EXPECT_EQ(names[2], QStringLiteral("CPU 2, running B, 1 queued, util 1024 of 1024"));
  EXPECT_EQ(access->child(2)->text(QAccessible::Description), QStringLiteral("queued: C"));
  const auto has = [&](const char* text, const char* type) {
    for (int i = 6; i < access->childCount(); ++i)
      if (names[i].contains(QLatin1String(text)) &&
          access->child(i)->text(QAccessible::Value) == QLatin1String(type))
        return true;
    return false;
  };
  EXPECT_TRUE(has("{1,2}", "overloaded"));
  EXPECT_TRUE(has("{0,3-5}", "has_spare"));
  QSignalSpy chosen(&canvas, &Canvas::cpuActivated);
  access->child(4)->actionInterface()->doAction(QAccessibleActionInterface::pressAction());
  ASSERT_EQ(chosen.count(), 1);
  EXPECT_EQ(chosen.last().first().toInt(), 4);
  const QRect where = access->child(4)->rect();
  EXPECT_EQ(access->childAt(where.center().x(), where.center().y()), access->child(4));
}

TEST_F(CanvasTest, SurvivesAnEmptyFrame) {
  canvas.setFrame(samples::empty());
  EXPECT_FALSE(canvas.grab().isNull());
  canvas.setFrame(samples::epyc256());
  EXPECT_FALSE(canvas.grab().isNull());
}

// The rung on the candidate proposes C from CPU 2 to CPU 5, with the comparison as it turned out.
TEST(Proposal, SaysWhatTheCandidateRungCompares) {
  const auto detach = proposalOf(*samples::junoDetach());
  ASSERT_TRUE(detach);
  EXPECT_EQ(detach->slot, 2);
  EXPECT_EQ(detach->from, 2);
  EXPECT_EQ(detach->to, 5);
  EXPECT_TRUE(detach->isAllowed);
  EXPECT_EQ(detach->comparison, QStringLiteral("256 ≤ 383"));
  EXPECT_EQ(detach->before, QStringLiteral("512 >> 1"));
  const auto skip = proposalOf(*samples::junoSkip());
  ASSERT_TRUE(skip);
  EXPECT_FALSE(skip->isAllowed);
  EXPECT_EQ(skip->comparison, QStringLiteral("512 > 383"));
  EXPECT_FALSE(proposalOf(*samples::epyc256()));
}

TEST(MachineView, PaintsEveryLevelOfDetail) {
  MachineView view;
  view.resize(700, 420);
  view.setFrame(samples::epyc256());
  for (const Detail detail : {Detail::Group, Detail::Heat, Detail::Threads, Detail::Chips, Detail::Tanks}) {
    view.canvas()->setDetail(detail);
    EXPECT_FALSE(view.grab().isNull());
    EXPECT_EQ(view.canvas()->geometryShown().detail, detail);
  }
}

// The colours of cells are explained, and keep as much room as the machine and the width alone decide: a
// legend that grew with the level of detail would change the level of detail.
TEST(MachineView, ExplainsTheColoursOfCells) {
  MachineView view;
  view.resize(655, 420);
  view.show();
  view.setFrame(samples::epyc256());
  const auto* legend = view.findChild<QWidget*>(QStringLiteral("legend"));
  ASSERT_TRUE(legend);
  int height = -1;
  for (const Detail detail : {Detail::Heat, Detail::Threads, Detail::Tanks}) {
    view.canvas()->setDetail(detail);
    QTest::qWait(10);
    const bool hasCells = detail != Detail::Tanks;
    EXPECT_EQ(legend->accessibleDescription(),
              hasCells ? QStringLiteral("colour of cells: util_est from 0 to 1024") : QString());
    EXPECT_TRUE(height < 0 || legend->height() == height) << legend->height();
    height = legend->height();
  }
  EXPECT_LE(legend->geometry().bottom(), view.height());
}

}  // namespace
}  // namespace rqscope::machine
