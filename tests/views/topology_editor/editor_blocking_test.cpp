// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>
#include <time.h>

#include <QElapsedTimer>
#include <QProgressBar>
#include <QPushButton>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTableView>
#include <QTest>
#include <QTimer>
#include <cstdio>

#include "topology_editor/cpu_model.h"
#include "topology_editor/distance_table.h"
#include "topology_editor/domain_list.h"
#include "topology_editor/machine_editor.h"

namespace rqscope::topology_editor {
namespace {

constexpr int kWaitMs = 120'000;
constexpr double kMostMs = 100;
const char* const kLargest =
    "8 packages x 8 nodes x 4 LLC x 16 cores x 2 threads, distances 10/12/32";  // 8,192 CPUs

/// Longest time that the window's thread computed without answering events. Processor time of the thread, so
/// that other programs on the machine do not count.
class Heartbeat : public QObject {
 public:
  Heartbeat() {
    connect(&m_timer, &QTimer::timeout, this, [this] { beat(); });
    m_timer.start(1);
    m_last = now();
  }
  void beat() {
    const double at = now();
    m_longest = std::max(m_longest, at - m_last);
    m_last = at;
  }
  double takeLongestMs() {
    beat();
    return std::exchange(m_longest, 0);
  }

 private:
  static double now() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
  }
  QTimer m_timer;
  double m_last = 0, m_longest = 0;
};

class EditorBlockingTest : public testing::Test {
 protected:
  EditorBlockingTest() : shown(&editor, &MachineEditor::previewShown) {
    editor.resize(900, 560);
    editor.show();
    static_cast<void>(QTest::qWaitForWindowActive(&editor));
    pulse.takeLongestMs();
  }
  /// Waits until the last edit is built; says and checks the longest block since the last call.
  void expectShort(const char* what) {
    EXPECT_TRUE(QTest::qWaitFor([this] { return !shown.isEmpty() && !editor.isBusy(); }, kWaitMs)) << what;
    QTest::qWait(30);
    shown.clear();
    const double longest = pulse.takeLongestMs();
    std::printf("  %-28s longest block %6.1f ms\n", what, longest);
    EXPECT_LT(longest, kMostMs) << what;
  }
  void clickOnline(int row) {
    auto* table = editor.findChild<QTableView*>(QStringLiteral("cpus"));
    const QModelIndex index = table->model()->index(row, CpuModel::Online);
    table->scrollTo(index);
    const QRect cell = table->visualRect(index);
    QTest::mouseClick(table->viewport(), Qt::LeftButton, {}, QPoint(cell.left() + 12, cell.center().y()));
  }
  void editAll(const char* machine, std::size_t cpus) {
    editor.load(QString::fromLatin1(machine));
    expectShort("open");
    ASSERT_EQ(editor.machine().cpus.size(), cpus);
    clickOnline(5);
    expectShort("one CPU offline");
    EXPECT_FALSE(editor.machine().cpus[5].online);
    auto* distances = editor.findChild<DistanceTable*>(QStringLiteral("distances"));
    distances->model()->setData(distances->model()->index(0, 1), 33);
    expectShort("a distance");
    auto* cores = editor.findChild<QSpinBox*>(QStringLiteral("cores"));
    cores->setFocus();
    QTest::keyClick(cores, Qt::Key_Down);
    expectShort("fewer cores");
    EXPECT_LT(editor.machine().cpus.size(), cpus);
    QTest::mouseClick(editor.findChild<QPushButton*>(QStringLiteral("undo")), Qt::LeftButton);
    expectShort("undo");
    EXPECT_EQ(editor.machine().cpus.size(), cpus);
    editor.selectCpu(editor.machine().cpus.back().id);
    QTest::qWait(20);
    EXPECT_LT(pulse.takeLongestMs(), kMostMs) << "choosing the last CPU";
    EXPECT_GT(editor.domains()->rowCount(), 2);
  }

  MachineEditor editor;
  QSignalSpy shown;
  Heartbeat pulse;
};

TEST_F(EditorBlockingTest, AnswersWhile1024CpusAreEdited) { editAll("server-1024cpu", 1024); }

// Two gigabytes and some time: only when asked for, RQSCOPE_LARGE=1.
TEST_F(EditorBlockingTest, AnswersWhile8192CpusAreEdited) {
  if (qEnvironmentVariableIsEmpty("RQSCOPE_LARGE")) {
    std::puts("  8,192 CPUs were opened and cancelled only; RQSCOPE_LARGE=1 builds and edits them too");
    return SUCCEED();
  }
  editAll(kLargest, 8192);
}

TEST_F(EditorBlockingTest, ShowsProgressAndCancelsWhile8192CpusAreBuilt) {
  QElapsedTimer clock;
  editor.load(QString::fromLatin1(kLargest));
  auto* cancel = editor.findChild<QPushButton*>(QStringLiteral("cancel"));
  const auto isBuilding = [&] { return editor.machine().cpus.size() == 8192 && cancel->isVisible(); };
  ASSERT_TRUE(QTest::qWaitFor(isBuilding, kWaitMs)) << "no progress was shown";
  EXPECT_TRUE(editor.findChild<QProgressBar*>()->isVisible());
  EXPECT_TRUE(editor.message().contains(QStringLiteral("8192 CPUs"))) << editor.message().toStdString();
  QTest::mouseClick(cancel, Qt::LeftButton);
  EXPECT_FALSE(editor.isBusy());
  EXPECT_FALSE(cancel->isVisible());
  EXPECT_TRUE(editor.message().contains(QStringLiteral("Cancelled"))) << editor.message().toStdString();
  QTest::qWait(50);
  const double longest = pulse.takeLongestMs();
  std::printf("  8,192 CPUs opened, cancelled  longest block %6.1f ms\n", longest);
  EXPECT_LT(longest, kMostMs);
  // The editor goes on: a small machine is built at once though the large one was under way.
  shown.clear();
  clock.start();
  editor.load(QStringLiteral("juno-r2"));
  ASSERT_TRUE(shown.count() > 0 || shown.wait(kWaitMs));
  EXPECT_EQ(editor.machine().cpus.size(), 6U);
  EXPECT_GT(editor.domains()->rowCount(), 0);
}

TEST_F(EditorBlockingTest, KeepsTheMachineWhenCountingIsCancelled) {
  editor.load(QStringLiteral("smt-4x2"));
  ASSERT_TRUE(QTest::qWaitFor([this] { return !shown.isEmpty() && !editor.isBusy(); }, kWaitMs));
  auto* packages = editor.findChild<QSpinBox*>(QStringLiteral("packages"));
  packages->setFocus();
  QTest::keyClick(packages, Qt::Key_Up);
  ASSERT_TRUE(editor.isBusy());
  editor.cancel();
  QTest::qWait(100);
  EXPECT_EQ(editor.machine().cpus.size(), 8U);
  EXPECT_EQ(packages->value(), 1) << "the field says what the machine is";
  EXPECT_FALSE(editor.undoStack()->canUndo());
}

}  // namespace
}  // namespace rqscope::topology_editor
