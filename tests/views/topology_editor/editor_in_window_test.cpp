// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <QDockWidget>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>

#include "look/theme.h"
#include "main_window.h"
#include "topology_editor/cpu_model.h"
#include "topology_editor/machine_editor.h"

namespace rqscope::topology_editor {
namespace {

constexpr int kWaitMs = 30'000;

class EditorInWindowTest : public testing::Test {
 protected:
  EditorInWindowTest() : window(session, look::Theme::Dark, app::MainWindow::Settings::Ignore) {
    window.setMotion(false);
    window.resize(1280, 720);
    window.show();
    open({});
    window.raiseDock(QStringLiteral("editor"));
    editor = window.findChild<MachineEditor*>();
  }
  void open(const char* machine) {
    QSignalSpy frames(&session, &session::Session::frameChanged);
    api::Overrides overrides;
    if (machine) overrides.machine = machine;
    session.open(QStringLiteral("spread-hogs"), overrides);
    EXPECT_TRUE(frames.count() > 0 || frames.wait(kWaitMs));
    QTest::qWait(50);
  }
  void await(QSignalSpy& spy) { EXPECT_TRUE(spy.count() > 0 || spy.wait(kWaitMs)); }
  void clickOnline(int cpu) {
    QSignalSpy shown(editor, &MachineEditor::previewShown);
    editor->selectCpu(cpu);
    auto* table = editor->findChild<QTableView*>(QStringLiteral("cpus"));
    const QRect cell =
        table->visualRect(table->model()->index(table->currentIndex().row(), CpuModel::Online));
    QTest::mouseClick(table->viewport(), Qt::LeftButton, {}, QPoint(cell.left() + 12, cell.center().y()));
    await(shown);
  }

  session::Session session;
  app::MainWindow window;
  MachineEditor* editor = nullptr;
};

TEST_F(EditorInWindowTest, OffersTheMachineThatRunsAndRunsTheEditedOne) {
  ASSERT_NE(editor, nullptr);
  ASSERT_TRUE(editor->isVisible());
  ASSERT_EQ(editor->machine().cpus.size(), session.frame()->layout->cpus.size());
  const int last = editor->machine().cpus.back().id;
  clickOnline(last);
  ASSERT_FALSE(editor->machine().cpus.back().online);
  QSignalSpy opened(&session, &session::Session::opened);
  QTest::mouseClick(editor->findChild<QPushButton*>(QStringLiteral("use")), Qt::LeftButton);
  await(opened);
  QTest::qWait(100);
  ASSERT_NE(session.frame(), nullptr);
  EXPECT_FALSE(session.frame()->layout->cpus.back().online);
  EXPECT_FALSE(editor->machine().cpus.back().online);  // the edits stay, and can still be undone
  EXPECT_TRUE(editor->undoStack()->canUndo());
}

// With RQSCOPE_PICTURES=folder the pictures are kept for people.
TEST_F(EditorInWindowTest, FitsTheWindowAtBothSizesAndThemes) {
  const QString folder = qEnvironmentVariable("RQSCOPE_PICTURES");
  for (const char* machine : {"i7-13700k", "juno-r2", "epyc-milan-2s-nps2"}) {
    editor->load(QString::fromLatin1(machine));
    ASSERT_TRUE(QTest::qWaitFor([this] { return !editor->isBusy(); }, kWaitMs));
    ASSERT_EQ(editor->machine().name, machine);
    clickOnline(3);
    editor->selectCpu(2);
    for (const QSize size : {QSize(1280, 720), QSize(1920, 1080)})
      for (const look::Theme theme : {look::Theme::Dark, look::Theme::Light}) {
        window.setTheme(theme);
        window.resize(size);
        window.raiseDock(QStringLiteral("machine"));
        QTest::qWait(50);
        window.raiseDock(QStringLiteral("editor"));
        QTest::qWait(50);
        EXPECT_EQ(window.size(), size) << "a minimum size pushed the window";
        const char* const themeName = theme == look::Theme::Dark ? "dark" : "light";
        const QPixmap picture = window.grab();
        ASSERT_FALSE(picture.isNull());
        if (!folder.isEmpty())
          picture.save(QStringLiteral("%1/editor-%2-%3-%4.png")
                           .arg(folder, QString::fromLatin1(machine), QString::number(size.width()),
                                QString::fromLatin1(themeName)));
      }
  }
}

}  // namespace
}  // namespace rqscope::topology_editor
