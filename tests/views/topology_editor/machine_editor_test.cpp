// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "topology_editor/machine_editor.h"

#include <gtest/gtest.h>

#include <QElapsedTimer>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>

#include "topology_editor/cpu_model.h"
#include "topology_editor/distance_table.h"
#include "topology_editor/domain_list.h"
#include "topology_editor/machine_export.h"

namespace rqscope::topology_editor {
namespace {

constexpr int kWaitMs = 20000;

class MachineEditorTest : public testing::Test {
 protected:
  MachineEditorTest() : shown(&editor, &MachineEditor::previewShown) {
    editor.resize(900, 560);
    editor.show();
    static_cast<void>(QTest::qWaitForWindowActive(&editor));
  }

  void load(const char* name) {
    shown.clear();
    editor.load(QString::fromLatin1(name));
    await();
  }
  /// Waits for the domains of the last edit.
  void await() {
    EXPECT_TRUE(!shown.isEmpty() || shown.wait(kWaitMs));
    shown.clear();
  }
  /// Waits until nothing is read, built or written.
  void idle() {
    EXPECT_TRUE(QTest::qWaitFor([this] { return !editor.isBusy(); }, kWaitMs));
  }
  QTableView* cpus() { return editor.findChild<QTableView*>(QStringLiteral("cpus")); }
  template <class T>
  T* find(const char* name) {
    return editor.findChild<T*>(QString::fromLatin1(name));
  }
  /// Clicks the tick of a CPU's cell.
  void clickTick(int row, int column) {
    const QModelIndex index = cpus()->model()->index(row, column);
    cpus()->scrollTo(index);
    const QRect cell = cpus()->visualRect(index);
    QTest::mouseClick(cpus()->viewport(), Qt::LeftButton, {}, QPoint(cell.left() + 12, cell.center().y()));
  }
  void typeIn(int row, int column, const char* text) {
    const QModelIndex index = cpus()->model()->index(row, column);
    cpus()->setCurrentIndex(index);
    cpus()->setFocus();
    QTest::keyClick(cpus(), Qt::Key_F2);
    auto* field = cpus()->viewport()->findChild<QLineEdit*>();
    ASSERT_NE(field, nullptr);
    field->selectAll();
    QTest::keyClicks(field, QString::fromLatin1(text));
    QTest::keyClick(field, Qt::Key_Return);
    QTest::qWait(1);  // the view takes the text and closes the field later
  }
  QStringList domains() const {
    QStringList out;
    for (int row = 0; row < editor.domains()->rowCount(); ++row)
      out << editor.domains()->cell(row, DomainList::Name) + QLatin1Char(' ') +
                 editor.domains()->cell(row, DomainList::Span);
    return out;
  }

  MachineEditor editor;
  QSignalSpy shown;
};

TEST_F(MachineEditorTest, OfflineCpuChangesTheDomainsAndUndoBringsThemBack) {
  load("i7-13700k");
  const QStringList before = domains();
  EXPECT_EQ(before, (QStringList{QStringLiteral("MC {0-23}"), QStringLiteral("SMT {0,1}")}));
  clickTick(1, CpuModel::Online);
  await();
  EXPECT_FALSE(editor.machine().cpus[1].online);
  EXPECT_EQ(find<QLineEdit>("offline")->text(), QStringLiteral("1"));
  editor.selectCpu(0);
  EXPECT_EQ(domains(), (QStringList{QStringLiteral("MC {0,2-23}"), QStringLiteral("SMT gone, was {0,1}")}));
  editor.selectCpu(1);
  EXPECT_FALSE(editor.domains()->reason().isEmpty());
  editor.selectCpu(0);
  QTest::keyClick(cpus(), Qt::Key_Z, Qt::ControlModifier);
  await();
  EXPECT_EQ(domains(), before);
  EXPECT_TRUE(editor.machine().cpus[1].online);
  QTest::mouseClick(find<QPushButton>("redo"), Qt::LeftButton);
  await();
  EXPECT_FALSE(editor.machine().cpus[1].online);
  QTest::mouseClick(find<QPushButton>("undo"), Qt::LeftButton);
  await();
  EXPECT_EQ(domains(), before);
}

TEST_F(MachineEditorTest, SpaceIsolatesTheChosenCpus) {
  load("vm-4cpu");
  cpus()->setFocus();
  cpus()->setCurrentIndex(cpus()->model()->index(0, CpuModel::Isolated));
  QTest::keyClick(cpus(), Qt::Key_Down, Qt::ShiftModifier);
  QTest::keyClick(cpus(), Qt::Key_Space);
  await();
  EXPECT_TRUE(editor.machine().cpus[0].isolated);
  EXPECT_TRUE(editor.machine().cpus[1].isolated);
  EXPECT_FALSE(editor.machine().cpus[2].isolated);
  editor.selectCpu(2);
  EXPECT_EQ(domains(), QStringList{QStringLiteral("MC {2,3}")});
}

TEST_F(MachineEditorTest, ListOfOfflineCpusIsReadAndFaultsAreSaidBesideIt) {
  load("juno-r2");
  auto* field = find<QLineEdit>("offline");
  QTest::mouseClick(field, Qt::LeftButton);
  QTest::keyClicks(field, QStringLiteral("4-9"));
  QTest::keyClick(field, Qt::Key_Return);
  EXPECT_TRUE(editor.machine().cpus[4].online);
  bool isSaid = false;
  for (const QLabel* label : editor.findChildren<QLabel*>())
    isSaid = isSaid || (label->isVisible() && label->text().contains(QStringLiteral("no CPU 6-9")));
  EXPECT_TRUE(isSaid);
  EXPECT_EQ(field->text(), QStringLiteral("4-9"));
  field->selectAll();
  QTest::keyClicks(field, QStringLiteral("4-5"));
  QTest::keyClick(field, Qt::Key_Return);
  await();
  EXPECT_FALSE(editor.machine().cpus[4].online);
  EXPECT_FALSE(editor.machine().cpus[5].online);
}

TEST_F(MachineEditorTest, CountsByKeysMakeAnotherMachine) {
  load("smt-4x2");
  auto* packages = find<QSpinBox>("packages");
  packages->setFocus();
  QTest::keyClick(packages, Qt::Key_Up);
  await();
  EXPECT_EQ(editor.machine().cpus.size(), 16U);
  EXPECT_EQ(editor.machine().nodes.size(), 2U);
  EXPECT_EQ(domains().size(), 3);
  QTest::keyClick(packages, Qt::Key_Z, Qt::ControlModifier);
  await();
  EXPECT_EQ(editor.machine().cpus.size(), 8U);
  EXPECT_EQ(packages->value(), 1);
  packages->selectAll();
  QTest::keyClicks(packages, QStringLiteral("4000"));
  QTest::keyClick(packages, Qt::Key_Return);
  idle();
  EXPECT_EQ(editor.machine().cpus.size(), 8U);
  EXPECT_TRUE(find<QLabel>("countsNote")->text().contains(QStringLiteral("32000 CPUs")));
}

TEST_F(MachineEditorTest, BadCapacityStaysMarkedUntilItIsRight) {
  load("juno-r2");
  typeIn(1, CpuModel::Capacity, "5000");
  EXPECT_EQ(editor.faults().size(), 1U);
  EXPECT_FALSE(find<QPushButton>("use")->isEnabled());
  const QModelIndex cell = cpus()->model()->index(1, CpuModel::Capacity);
  EXPECT_TRUE(cell.data(Qt::ToolTipRole).toString().contains(QStringLiteral("1 to 1024")));
  EXPECT_FALSE(domains().isEmpty());  // of the last good machine
  shown.clear();
  typeIn(1, CpuModel::Capacity, "700");
  await();
  EXPECT_TRUE(editor.faults().empty());
  EXPECT_EQ(editor.machine().cpus[1].capacity, 700);
}

TEST_F(MachineEditorTest, DistanceIsChangedBothWaysAndRefusedWhenNoNumber) {
  load("epyc-milan-2s-nps1");
  auto* table = find<DistanceTable>("distances");
  ASSERT_TRUE(table->isVisible());
  const QModelIndex cell = table->model()->index(0, 1);
  table->setCurrentIndex(cell);
  table->setFocus();
  QTest::keyClick(table, Qt::Key_F2);
  auto* field = table->viewport()->findChild<QLineEdit*>();
  ASSERT_NE(field, nullptr);
  field->selectAll();
  QTest::keyClicks(field, QStringLiteral("21"));
  QTest::keyClick(field, Qt::Key_Return);
  await();
  EXPECT_EQ(editor.machine().nodes[0].distances[1], 21);
  EXPECT_EQ(editor.machine().nodes[1].distances[0], 21);
  table->model()->setData(cell, QStringLiteral("far"));
  EXPECT_EQ(cell.data().toString(), QStringLiteral("21"));
  table->model()->setData(cell, QStringLiteral("3"));
  EXPECT_EQ(editor.faults().size(), 2U);
}

TEST_F(MachineEditorTest, UseGivesTheScenarioWithTheMachineInIt) {
  const api::Opened opened = api::Simulation::open("juno", {});
  ASSERT_NE(opened.simulation, nullptr);
  shown.clear();
  editor.setScenario(QStringLiteral("juno.json"), QString::fromStdString(opened.simulation->scenarioText()),
                     {}, "v6.12");
  await();
  EXPECT_EQ(editor.machine().cpus.size(), 6U);
  typeIn(0, CpuModel::Throughput, "490");
  await();
  QSignalSpy wanted(&editor, &MachineEditor::applyWanted);
  QTest::mouseClick(find<QPushButton>("use"), Qt::LeftButton);
  ASSERT_TRUE(wanted.count() == 1 || wanted.wait(kWaitMs));
  const std::string text = wanted.first().at(1).toString().toStdString();
  const api::Opened again = api::Simulation::openText("juno.json", text, {});
  ASSERT_NE(again.simulation, nullptr);
  EXPECT_EQ(again.simulation->layout()->cpus[0].throughput, 490);
}

TEST_F(MachineEditorTest, EditsOutliveTheReopeningOfAScenario) {
  load("vm-4cpu");
  clickTick(3, CpuModel::Online);
  await();
  editor.setScenario(QStringLiteral("x.json"), QStringLiteral("{\"machine\":\"juno-r2\"}"), {}, "v6.12");
  EXPECT_EQ(editor.machine().cpus.size(), 4U);
}

TEST_F(MachineEditorTest, LargeMachineDoesNotStopTheWindow) {
  QElapsedTimer clock;
  load("server-1024cpu");
  clock.start();
  shown.clear();
  clickTick(5, CpuModel::Online);
  const qint64 blocked = clock.elapsed();
  EXPECT_TRUE(shown.isEmpty()) << "the domains were built while the window waited";
  RecordProperty("click_ms", static_cast<int>(blocked));
  await();
  EXPECT_FALSE(editor.machine().cpus[5].online);
  EXPECT_LT(blocked, 1000);
  editor.selectCpu(4);
  EXPECT_FALSE(domains().isEmpty());
}

TEST_F(MachineEditorTest, EveryFormatIsWrittenToAFile) {
  load("juno-r2");
  QTemporaryDir folder;
  for (const ExportRow& row : exportRows()) {
    const QString path =
        folder.filePath(QString::fromLatin1(row.title) + QLatin1Char('.') + QLatin1String(row.suffix));
    EXPECT_EQ(writeMachine(path, editor.machine(), "v6.12", row.format), QString());
    EXPECT_GT(QFile(path).size(), 100);
  }
  EXPECT_FALSE(writeMachine(folder.filePath(QStringLiteral("no/file")), editor.machine(), "v6.12",
                            api::MachineFormat::HwlocXml)
                   .isEmpty());
}

/// Pictures for people, when a folder is named: RQSCOPE_PICTURES=folder.
TEST_F(MachineEditorTest, ShowsOneCpuOfflineWithoutCutTexts) {
  const QString folder = qEnvironmentVariable("RQSCOPE_PICTURES");
  for (const char* name : {"i7-13700k", "juno-r2"}) {
    load(name);
    clickTick(3, CpuModel::Online);
    await();
    editor.selectCpu(2);
    const auto* table = cpus()->horizontalHeader();
    EXPECT_LE(table->length(), cpus()->viewport()->width() + 1) << name;
    if (!folder.isEmpty())
      editor.grab().save(QStringLiteral("%1/editor-%2.png").arg(folder, QString::fromLatin1(name)));
  }
}

// In the room that the window of 1280x720 gives, both lists of CPUs are there whole, and the first flags tell
// the domains apart.
TEST_F(MachineEditorTest, ShowsItsFieldsAndTheOwnFlagsInLittleRoom) {
  load("juno-r2");
  editor.resize(655, 416);
  QTest::qWait(30);
  for (const char* name : {"offline", "isolated"}) {
    const auto* field = find<QLineEdit>(name);
    ASSERT_TRUE(field) << name;
    EXPECT_EQ(field->visibleRegion().boundingRect(), field->rect()) << name;
  }
  ASSERT_EQ(editor.domains()->rowCount(), 2);
  const auto firstFlag = [&](int row) {
    return editor.domains()->cell(row, DomainList::Flags).section(QLatin1Char(' '), 0, 0);
  };
  EXPECT_NE(firstFlag(0), firstFlag(1));
  EXPECT_NE(firstFlag(0), QStringLiteral("BALANCE_NEWIDLE"));
}

}  // namespace
}  // namespace rqscope::topology_editor
