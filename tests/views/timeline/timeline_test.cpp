// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <QAccessible>
#include <QApplication>
#include <QHelpEvent>
#include <QSignalSpy>
#include <QTest>
#include <QToolTip>

#include "timeline/offline_steps.h"
#include "timeline/timeline_canvas.h"
#include "views/support/sample_frames.h"

namespace rqscope::timeline {
namespace {

TEST(TimelineGeometry, TurnsTimesIntoPlacesAndBack) {
  const auto frame = samples::junoDetach();
  TimelineLayoutRequest request;
  request.size = {1000, 180};
  request.beginNs = 10e6;
  request.endNs = 50e6;
  const TimelineGeometry geometry = layoutTimeline(*frame->layout, request);
  EXPECT_NEAR(geometry.timeAt(geometry.xAt(33e6)), 33e6, 1);
  EXPECT_DOUBLE_EQ(geometry.xAt(10e6), geometry.lanesArea.left());
  ASSERT_EQ(geometry.lanes.size(), 6u);
  for (const LaneItem& lane : geometry.lanes) EXPECT_LE(lane.rect.bottom(), 180);
  EXPECT_EQ(geometry.lanes.front().cpu, 1);  // machine order: the big cluster first
}

// The recorded machine has the upper half of each lane, the model the lower one.
TEST(TimelineGeometry, GivesTheMachineARowAboveTheModels) {
  const auto frame = samples::junoDetach();
  TimelineLayoutRequest request;
  request.size = {1000, 240};
  request.hasMachineRows = true;
  for (const LaneItem& lane : layoutTimeline(*frame->layout, request).lanes) {
    EXPECT_EQ(lane.machineRect.top(), lane.rect.top());
    EXPECT_EQ(lane.machineRect.bottom(), lane.modelRect().top());
    EXPECT_EQ(lane.modelRect().bottom(), lane.rect.bottom());
    EXPECT_GT(lane.machineRect.height(), 6);
  }
  request.hasMachineRows = false;
  for (const LaneItem& lane : layoutTimeline(*frame->layout, request).lanes)
    EXPECT_EQ(lane.modelRect(), lane.rect);
}

// 256 lanes in 200 px would be under 6 px: they fold to their caches; pinned CPUs never do.
TEST(TimelineGeometry, FoldsManyCpusToTheirCaches) {
  const auto frame = samples::epyc256();
  TimelineLayoutRequest request;
  request.size = {1000, 220};
  request.pinned = {22, 138};
  const TimelineGeometry geometry = layoutTimeline(*frame->layout, request);
  ASSERT_EQ(geometry.lanes.size(), 34u);
  EXPECT_TRUE(geometry.lanes[0].isPinned);
  EXPECT_EQ(geometry.lanes[1].cpu, 138);
  EXPECT_EQ(geometry.laneOf(0)->cpu, -1);
  EXPECT_EQ(geometry.groups.size(), 4u);
}

TEST(TimelineGeometry, LabelsStepsOfOneTwoFourFive) {
  TimelineGeometry geometry;
  geometry.lanesArea = QRectF(0, 0, 1000, 100);
  geometry.endNs = 40e6;
  EXPECT_DOUBLE_EQ(geometry.tickNs(90), 4e6);
  geometry.endNs = 10e6;
  EXPECT_DOUBLE_EQ(geometry.tickNs(90), 1e6);
}

// CPUs 1 and 2 are unplugged one after the other and come back together.
TEST(OfflineSteps, SayWhichCpusOfALaneAreOfflineWhen) {
  api::TimelineWindow window;
  window.lanes = {{0, {}, {}, {{0, 100}}}, {2, {}, {}, {{20, 50}}}, {1, {}, {}, {{10, 50}, {70, 80}}}};
  const auto steps = offlineSteps(window, {1, 2, 3});
  ASSERT_EQ(steps.size(), 3U);
  const auto expectStep = [&](std::size_t i, std::int64_t begin, std::int64_t end,
                              const std::vector<std::int32_t>& cpus) {
    EXPECT_EQ(steps[i].beginNs, begin);
    EXPECT_EQ(steps[i].endNs, end);
    EXPECT_EQ(steps[i].cpus, cpus);
  };
  expectStep(0, 10, 20, {1});
  expectStep(1, 20, 50, {1, 2});
  expectStep(2, 70, 80, {1});
  EXPECT_TRUE(offlineSteps(window, {3}).empty());
}

TEST(TimelineCanvas, FoldedLanesShowOfflineCpus) {
  TimelineCanvas canvas;
  canvas.resize(1000, 400);
  canvas.setFrame(samples::epyc256());
  canvas.show();
  canvas.setRange(0, 100e6);
  const auto withOffline = [&](bool isOffline) {
    auto window = std::make_shared<api::TimelineWindow>();
    window->runEndNs = window->endNs = 100'000'000;
    for (std::int32_t cpu = 0; cpu < 256; ++cpu)
      window->lanes.push_back({cpu, {{0, 100'000'000, 0, 1, "A"}}, {}, {}});
    if (isOffline) {
      window->lanes[0].slices = {{0, 40'000'000, 0, 1, "A"}, {60'000'000, 100'000'000, 0, 1, "A"}};
      window->lanes[0].offline = {{40'000'000, 60'000'000}};
    }
    canvas.setWindow(window);
  };
  withOffline(false);
  const QImage all = canvas.grab().toImage();
  withOffline(true);
  const QImage some = canvas.grab().toImage();
  const LaneItem& lane = *canvas.geometryShown().laneOf(0);
  ASSERT_EQ(lane.cpu, -1) << "folded";
  const auto differs = [&](double ms, double y) {
    const QPoint at(static_cast<int>(canvas.geometryShown().xAt(ms * 1e6)), static_cast<int>(y));
    for (int dx = -6; dx <= 6; ++dx)
      if (all.pixel(at + QPoint(dx, 0)) != some.pixel(at + QPoint(dx, 0))) return true;
    return false;
  };
  EXPECT_TRUE(differs(50, lane.rect.bottom() - 2)) << "hatched from below";
  EXPECT_FALSE(differs(20, lane.rect.bottom() - 2));
  EXPECT_FALSE(differs(50, lane.rect.top() + 1)) << "the others are as busy as before";
  const QPoint inside(static_cast<int>(canvas.geometryShown().xAt(50e6)),
                      static_cast<int>(lane.rect.center().y()));
  QHelpEvent help(QEvent::ToolTip, inside, canvas.mapToGlobal(inside));
  QApplication::sendEvent(&canvas, &help);
  EXPECT_TRUE(QToolTip::text().contains(QStringLiteral("{0} offline, 40.000 ms to 60.000 ms")))
      << QToolTip::text().toStdString();
}

class TimelineTest : public testing::Test {
 protected:
  TimelineTest() {
    canvas.resize(1000, 180);
    canvas.setFrame(samples::junoDetach());
    canvas.show();
  }
  TimelineCanvas canvas;
};

TEST_F(TimelineTest, FollowsThePlayhead) {
  EXPECT_GT(canvas.endNs(), 196e6);
  EXPECT_LT(canvas.beginNs(), 196e6);
}

TEST_F(TimelineTest, ZoomsAndPansByKeys) {
  const double span = canvas.endNs() - canvas.beginNs();
  QTest::keyClick(&canvas, Qt::Key_W);
  EXPECT_LT(canvas.endNs() - canvas.beginNs(), span);
  QTest::keyClick(&canvas, Qt::Key_S);
  EXPECT_NEAR(canvas.endNs() - canvas.beginNs(), span, 1);
  const double begin = canvas.beginNs();
  QTest::keyClick(&canvas, Qt::Key_A);
  EXPECT_LT(canvas.beginNs(), begin);
}

TEST_F(TimelineTest, AsksForItsWindowWhenItChanges) {
  QSignalSpy wanted(&canvas, &TimelineCanvas::windowWanted);
  canvas.setRange(5e6, 25e6);
  ASSERT_GE(wanted.count(), 1);
  EXPECT_EQ(wanted.last().at(0).toLongLong(), 5'000'000);
  EXPECT_EQ(wanted.last().at(1).toLongLong(), 25'000'000);
}

TEST_F(TimelineTest, SetsMarkersHereAndSeeksByTheRuler) {
  QTest::keyClick(&canvas, Qt::Key_A, Qt::ShiftModifier);
  EXPECT_EQ(canvas.marker(QLatin1Char('A')), 196'000'000);
  QSignalSpy time(&canvas, &TimelineCanvas::timeActivated);
  const QPointF place(canvas.geometryShown().xAt(180e6), canvas.geometryShown().ruler.center().y());
  QTest::mouseClick(&canvas, Qt::LeftButton, {}, place.toPoint());
  ASSERT_EQ(time.count(), 1);
  // A click lies on a whole pixel, which is less than 0.1 ms here.
  EXPECT_NEAR(time.last().first().toDouble(), 180e6, 1e5);
}

TEST_F(TimelineTest, GoesToThePassOfAMark) {
  auto window = std::make_shared<api::TimelineWindow>();
  window->runEndNs = 196'000'000;
  window->lanes.push_back({5, {}, {{188'000'000, 213, "failed", "PKG", 2}}, {}});
  canvas.setWindow(window);
  QSignalSpy pass(&canvas, &TimelineCanvas::passActivated);
  const QPointF place(canvas.geometryShown().xAt(188e6), canvas.geometryShown().laneOf(5)->rect.center().y());
  QTest::mouseClick(&canvas, Qt::LeftButton, {}, place.toPoint());
  ASSERT_EQ(pass.count(), 1);
  EXPECT_EQ(pass.last().first().toULongLong(), 213u);
}

TEST_F(TimelineTest, SurvivesAnEmptyFrame) {
  canvas.setFrame(samples::empty());
  EXPECT_FALSE(canvas.grab().isNull());
}

// A screen reader meets each lane with what runs there, then the marks in view, and can press both.
TEST_F(TimelineTest, LanesAndMarksAreAccessibleItems) {
  auto window = std::make_shared<api::TimelineWindow>();
  window->endNs = 40'000'000;
  api::TimelineLane lane;
  lane.cpu = 2;
  lane.slices = {{0, 5'000'000, 0, 100, "A"}};
  lane.marks = {{4'000'000, 17, "failed", "PKG", -1}, {90'000'000, 18, "balanced", "PKG", -1}};
  window->lanes = {lane};
  canvas.setRange(0, 40e6);
  canvas.setWindow(window);
  QAccessibleInterface* access = QAccessible::queryAccessibleInterface(&canvas);
  ASSERT_NE(access, nullptr);
  ASSERT_EQ(access->childCount(), 7) << "six lanes and the one mark in view";
  EXPECT_EQ(access->child(0)->text(QAccessible::Name), QStringLiteral("CPU 1"));
  EXPECT_FALSE(access->child(0)->text(QAccessible::Value).isEmpty());
  QAccessibleInterface* second = access->child(1);
  EXPECT_EQ(second->text(QAccessible::Name), QStringLiteral("CPU 2"));
  EXPECT_TRUE(second->text(QAccessible::Description).contains(QStringLiteral("1 ")))
      << second->text(QAccessible::Description).toStdString();
  QAccessibleInterface* mark = access->child(6);
  EXPECT_TRUE(mark->text(QAccessible::Name).contains(QStringLiteral("PKG")));
  QSignalSpy passes(&canvas, &TimelineCanvas::passActivated);
  mark->actionInterface()->doAction(QAccessibleActionInterface::pressAction());
  ASSERT_EQ(passes.count(), 1);
  EXPECT_EQ(passes[0][0].toULongLong(), 17U);
  QSignalSpy cpus(&canvas, &TimelineCanvas::cpuActivated);
  second->actionInterface()->doAction(QAccessibleActionInterface::pressAction());
  ASSERT_EQ(cpus.count(), 1);
  EXPECT_EQ(cpus[0][0].toInt(), 2);
}

}  // namespace
}  // namespace rqscope::timeline
