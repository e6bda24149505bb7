// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "machine/overview.h"

#include <gtest/gtest.h>

#include <QDockWidget>
#include <QFrame>
#include <QPlainTextEdit>
#include <QSignalSpy>
#include <QTest>
#include <algorithm>

#include "machine/lens.h"
#include "machine/machine_view.h"
#include "main_window.h"

namespace rqscope::app {
namespace {

constexpr int kPatienceMs = 60'000;

/// Two sockets of EPYC: 256 CPUs under 16 caches.
class OverviewTest : public testing::Test {
 protected:
  OverviewTest() : window(session, look::Theme::Dark, MainWindow::Settings::Ignore) {
    window.setMotion(false);
    window.resize(1280, 720);
    window.show();
    machine = qobject_cast<machine::MachineView*>(window.dock(QStringLiteral("machine"))->widget());
    canvas = machine->canvas();
    overview = window.findChild<machine::Overview*>();
    lens = qobject_cast<machine::Lens*>(window.dock(QStringLiteral("lens"))->widget());
  }
  void open(const char* name, std::int64_t timeNs) {
    session.open(QString::fromLatin1(name), {});
    session.seekTime(timeNs);
    settle();
    window.activateWindow();
    ASSERT_TRUE(QTest::qWaitForWindowActive(&window));
  }
  void settle() {
    bool isDone = false;
    QSignalSpy busy(&session, &session::Session::busyChanged);
    session.renameBranch(-1, {});  // nothing, after all the rest
    while (!isDone && busy.wait(kPatienceMs)) isDone = !busy.last().first().toBool();
    ASSERT_TRUE(isDone);
    QTest::qWait(50);
  }
  bool isShown(const char* dock) { return !window.dock(QLatin1String(dock))->isHidden(); }
  /// Middle of the box of a canvas that holds exactly these CPUs.
  static QPoint middleOf(const machine::Canvas& shown, const std::vector<std::int32_t>& cpus) {
    for (const machine::BoxItem& box : shown.geometryShown().boxes)
      if (box.cpus == cpus) return (box.rect.center() - shown.toScene(QPointF(0, 0))).toPoint();
    return {};
  }
  std::vector<machine::BoxItem> tiles() const {
    std::vector<machine::BoxItem> out;
    for (const machine::BoxItem& box : overview->map()->geometryShown().boxes)
      if (box.isTile) out.push_back(box);
    return out;
  }
  session::Session session;
  MainWindow window;
  machine::MachineView* machine;
  machine::Canvas* canvas;
  machine::Overview* overview;
  machine::Lens* lens;
};

TEST_F(OverviewTest, AMachineOfManyCpusHasAnOverviewAndALensAndASmallOneHasNot) {
  EXPECT_FALSE(isShown("overview"));
  open("epyc-milan-load", 20'000'000);
  EXPECT_TRUE(isShown("overview"));
  EXPECT_TRUE(isShown("lens"));
  open("juno", 20'000'000);
  EXPECT_FALSE(isShown("overview"));
  EXPECT_FALSE(isShown("lens"));
}

// 16 caches: as many tiles, and types that add up to them; the sums are those of the frame.
TEST_F(OverviewTest, CountsTheGroupsByTypeAndWhatIdlesAndWaits) {
  open("epyc-milan-load", 60'000'000);
  EXPECT_EQ(tiles().size(), 16U);
  int groups = 0;
  for (const auto& [type, count] : overview->counts()->rows()) groups += count;
  EXPECT_EQ(groups, 16);
  int idle = 0;
  std::size_t waiting = 0;
  for (const api::CpuFrame& cpu : session.frame()->cpus) {
    idle += cpu.isIdle ? 1 : 0;
    waiting += cpu.queued.size();
  }
  EXPECT_GT(waiting, 0U);
  EXPECT_EQ(overview->idleText(), QString::number(idle));
  EXPECT_EQ(overview->waitingText(), QString::number(waiting));
  EXPECT_EQ(overview->map()->level(), canvas->level());
}

TEST_F(OverviewTest, ADragInTheMapMovesTheMachineAndAClickChoosesACpu) {
  open("epyc-milan-load", 20'000'000);
  EXPECT_EQ(canvas->cpusInSight().size(), 256U);
  for (const machine::BoxItem& tile : tiles())
    EXPECT_TRUE(overview->map()->sight().contains(tile.rect.adjusted(-1, -1, 1, 1)));
  EXPECT_EQ(overview->map()->sight().toSubpathPolygons().size(), 1) << "one outline around all";
  canvas->setFocus();
  for (int i = 0; i < 7; ++i) QTest::keyClick(canvas, Qt::Key_W);
  EXPECT_LT(canvas->cpusInSight().size(), 128U);
  const auto all = tiles();
  for (const machine::BoxItem* tile : {&all.back(), &all.front()}) {
    const QPoint at = middleOf(*overview->map(), tile->cpus);
    QTest::mousePress(overview->map(), Qt::LeftButton, {}, at);
    const auto seen = canvas->cpusInSight();
    EXPECT_TRUE(std::binary_search(seen.begin(), seen.end(), tile->cpus.front()));
    EXPECT_TRUE(overview->map()->sight().contains(tile->rect.center()));
    QTest::mouseRelease(overview->map(), Qt::LeftButton, {}, at);
    EXPECT_EQ(canvas->selectedCpu(), tile->cpus.front());
  }
}

TEST_F(OverviewTest, TheLensShowsTheGroupUnderTheMouseCloser) {
  open("epyc-milan-load", 20'000'000);
  EXPECT_EQ(lens->only(), canvas->groupAround(canvas->selectedCpu())) << "until the mouse is over another";
  const std::vector<std::int32_t> group = tiles()[5].cpus;
  QTest::mouseMove(canvas, middleOf(*canvas, group));
  EXPECT_EQ(lens->only(), group);
  EXPECT_EQ(lens->cpusInSight(), group) << "its CPUs and no other";
  EXPECT_GT(lens->geometryShown().cellPx, 1.5 * canvas->geometryShown().cellPx);
  QTest::mouseClick(
      lens, Qt::LeftButton, {},
      (lens->geometryShown().cells.front().rect.center() - lens->toScene(QPointF(0, 0))).toPoint());
  EXPECT_TRUE(std::binary_search(group.begin(), group.end(), canvas->selectedCpu()));
}

TEST_F(OverviewTest, TheLensIsOverTheMachineWhileZIsHeld) {
  open("epyc-milan-load", 20'000'000);
  auto* frame = machine->findChild<QFrame*>(QStringLiteral("lensFrame"));
  ASSERT_TRUE(frame);
  canvas->setFocus();
  QTest::keyPress(canvas, Qt::Key_Z);
  ASSERT_TRUE(frame->isVisible());
  EXPECT_TRUE(machine->rect().contains(frame->geometry()));
  EXPECT_EQ(machine->lens()->only(), canvas->groupAround(canvas->selectedCpu()));
  EXPECT_EQ(machine->lens()->geometryShown().detail, machine::Detail::Chips) << "two levels over heat";
  const std::vector<std::int32_t> group = tiles()[9].cpus;
  QTest::mouseMove(canvas, middleOf(*canvas, group));
  EXPECT_EQ(machine->lens()->only(), group);
  if (const QString folder = qEnvironmentVariable("RQSCOPE_PICTURES"); !folder.isEmpty())
    window.grab().save(folder + QStringLiteral("/lens.png"));
  QTest::keyRelease(canvas, Qt::Key_Z);
  EXPECT_FALSE(frame->isVisible());
}

TEST_F(OverviewTest, ALetterZInATextIsALetter) {
  open("epyc-milan-load", 20'000'000);
  window.raiseDock(QStringLiteral("scenario"));
  auto* editor = window.dock(QStringLiteral("scenario"))->findChild<QPlainTextEdit*>();
  editor->setFocus();
  const qsizetype before = editor->toPlainText().size();
  QTest::keyClick(editor, Qt::Key_Z);
  EXPECT_EQ(editor->toPlainText().size(), before + 1);
  EXPECT_FALSE(machine->findChild<QFrame*>(QStringLiteral("lensFrame"))->isVisible());
}

}  // namespace
}  // namespace rqscope::app
