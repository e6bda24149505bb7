// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands.h"

#include <gtest/gtest.h>

#include <QAction>
#include <QDialogButtonBox>
#include <QKeySequenceEdit>
#include <QLineEdit>
#include <QPushButton>
#include <QSettings>
#include <QSignalSpy>
#include <QTableWidget>
#include <QTemporaryDir>
#include <QTest>
#include <QTreeWidget>
#include <algorithm>

#include "command_palette.h"
#include "keys_dialog.h"
#include "main_window.h"
#include "view_table.h"

namespace rqscope::app {
namespace {

constexpr int kPatienceMs = 60'000;

class CommandsTest : public testing::Test {
 protected:
  CommandsTest() : window(session, look::Theme::Dark, MainWindow::Settings::Ignore) {
    window.setMotion(false);
    window.resize(1280, 720);
    window.show();
    window.activateWindow();
    EXPECT_TRUE(QTest::qWaitForWindowActive(&window));
    QSignalSpy opened(&session, &session::Session::opened);
    session.open(QStringLiteral("juno"), {});
    EXPECT_TRUE(opened.wait(kPatienceMs));
    settle();
  }
  void settle() {
    EXPECT_TRUE(QTest::qWaitFor([this] { return !session.isBusy(); }, kPatienceMs));
  }
  QAction* named(const QString& name) {
    for (const Command& command : commandsOf(window))
      if (command.name == name) return command.action;
    return nullptr;
  }
  session::Session session;
  MainWindow window;
};

TEST_F(CommandsTest, EveryCommandHasANameOfItsOwnAndEveryKeyIsOneCommands) {
  std::vector<Command> commands = commandsOf(window);
  ASSERT_GT(commands.size(), 40U);
  QStringList names, keys;
  for (const Command& command : commands) {
    names << command.name;
    for (const QKeySequence& key : command.action->shortcuts()) keys << key.toString();
  }
  for (const QString& name : names) EXPECT_EQ(names.count(name), 1) << name.toStdString();
  for (const QString& key : keys) {
    EXPECT_EQ(keys.count(key), 1) << key.toStdString();
    EXPECT_EQ(viewsKey(QKeySequence(key)), QString()) << key.toStdString();
  }
}

// By keys alone: the palette opens, "end run" leaves one command, Enter runs it.
TEST_F(CommandsTest, ThePaletteFindsACommandByItsWordsAndRunsIt) {
  QTest::keyClick(&window, Qt::Key_P, Qt::ControlModifier | Qt::ShiftModifier);
  auto* palette = window.findChild<CommandPalette*>();
  ASSERT_NE(palette, nullptr);
  ASSERT_TRUE(palette->isVisible());
  QTest::keyClicks(palette->field(), QStringLiteral("to pass GO"));
  QAction* goTo = named(QStringLiteral("Run: Go to time, event or pass"));
  ASSERT_NE(goTo, nullptr);
  EXPECT_EQ(palette->chosen(), goTo);
  palette->field()->clear();
  QTest::keyClicks(palette->field(), QStringLiteral("light"));
  EXPECT_EQ(palette->chosen(), named(QStringLiteral("View: Light")));
  QTest::keyClick(palette->field(), Qt::Key_Return);
  EXPECT_TRUE(QTest::qWaitFor([this] { return window.theme() == look::Theme::Light; }, kPatienceMs));
  palette = window.findChild<CommandPalette*>();
  EXPECT_TRUE(palette == nullptr || !palette->isVisible());
}

TEST_F(CommandsTest, ThePaletteIsWalkedFromItsField) {
  CommandPalette palette(commandsOf(window), &window);
  QTest::keyClicks(palette.field(), QStringLiteral("event"));
  QAction* first = palette.chosen();
  QTest::keyClick(palette.field(), Qt::Key_Down);
  EXPECT_NE(palette.chosen(), first);
  QTest::keyClick(palette.field(), Qt::Key_Up);
  EXPECT_EQ(palette.chosen(), first);
  QTest::keyClicks(palette.field(), QStringLiteral(" of no command"));
  EXPECT_EQ(palette.chosen(), nullptr);
}

TEST_F(CommandsTest, AKeyIsGivenAndTakenAndGivenBack) {
  QAction* express = named(QStringLiteral("Run: Run express"));
  QAction* pause = named(QStringLiteral("Run: Pause"));
  ASSERT_TRUE(express != nullptr && pause != nullptr);
  KeysDialog dialog(commandsOf(window), &window);
  dialog.show();
  dialog.choose(QStringLiteral("Run: Run express"));
  // Ctrl+J is free.
  QTest::keyClick(dialog.edit(), Qt::Key_J, Qt::ControlModifier);
  EXPECT_EQ(dialog.conflict(), QString());
  // F8 is the key of Pause, W belongs to the views: neither is given twice.
  QTest::keyClick(dialog.edit(), Qt::Key_F8);
  EXPECT_TRUE(dialog.conflict().contains(QStringLiteral("Run: Pause"))) << dialog.conflict().toStdString();
  ASSERT_TRUE(dialog.takeButton()->isVisible());
  QTest::mouseClick(dialog.takeButton(), Qt::LeftButton);
  EXPECT_EQ(dialog.conflict(), QString());
  QTest::keyClick(dialog.edit(), Qt::Key_W);
  EXPECT_TRUE(dialog.conflict().contains(QStringLiteral("views"))) << dialog.conflict().toStdString();
  EXPECT_FALSE(dialog.takeButton()->isVisible());
  EXPECT_EQ(express->shortcut(), QKeySequence(Qt::Key_F7)) << "nothing holds before the dialog is accepted";
  dialog.accept();
  EXPECT_EQ(express->shortcuts(), QList<QKeySequence>{QKeySequence(Qt::Key_F8)});
  EXPECT_TRUE(pause->shortcuts().isEmpty());

  KeysDialog again(commandsOf(window), &window);
  again.show();
  again.choose(QStringLiteral("Run: Pause"));
  QTest::mouseClick(again.resetButton(), Qt::LeftButton);
  again.accept();
  EXPECT_EQ(pause->shortcuts(), QList<QKeySequence>{QKeySequence(Qt::Key_F8)});
  EXPECT_TRUE(express->shortcuts().isEmpty());

  KeysDialog last(commandsOf(window), &window);
  last.show();
  QTest::mouseClick(last.resetAllButton(), Qt::LeftButton);
  last.accept();
  EXPECT_EQ(express->shortcut(), QKeySequence(Qt::Key_F7));
  EXPECT_EQ(pause->shortcut(), QKeySequence(Qt::Key_F8));
}

// Of two keys the first is replaced; what a tool button says follows.
TEST_F(CommandsTest, KeysAreKeptAndSaid) {
  const QTemporaryDir folder;
  QSettings store(folder.filePath(QStringLiteral("keys.ini")), QSettings::IniFormat);
  QAction* until = named(QStringLiteral("Run: Until"));
  ASSERT_NE(until, nullptr);
  setKeys(*until, {QKeySequence(QStringLiteral("Ctrl+J"))});
  EXPECT_TRUE(until->toolTip().endsWith(QStringLiteral("(Ctrl+J)"))) << until->toolTip().toStdString();
  saveKeys(commandsOf(window), store);
  setKeys(*until, ownKeys(*until));
  EXPECT_EQ(until->shortcut(), QKeySequence(QStringLiteral("Ctrl+F5")));
  loadKeys(commandsOf(window), store);
  EXPECT_EQ(until->shortcut(), QKeySequence(QStringLiteral("Ctrl+J")));
  setKeys(*until, ownKeys(*until));
  saveKeys(commandsOf(window), store);
  store.beginGroup(QStringLiteral("keys"));
  EXPECT_TRUE(store.childKeys().isEmpty());
}

TEST_F(CommandsTest, ATableHasWhatAPaintedViewShowsAndFollowsTheRun) {
  session.seekTime(196'000'000);
  settle();
  window.raiseDock(QStringLiteral("machine"));
  QTest::keyClick(&window, Qt::Key_T, Qt::ControlModifier);
  auto* table = window.findChild<ViewTable*>();
  ASSERT_NE(table, nullptr);
  const auto cellOf = [&](const QString& name) {
    for (int row = 0; row < table->table()->rowCount(); ++row)
      if (table->table()->item(row, 0)->text().startsWith(name)) return row;
    return -1;
  };
  ASSERT_GE(cellOf(QStringLiteral("CPU 5")), 0);
  const auto textOf = [&] {
    QString all;
    for (int row = 0; row < table->table()->rowCount(); ++row)
      for (int column = 0; column < table->table()->columnCount(); ++column)
        all += table->table()->item(row, column)->text() + QLatin1Char('\n');
    return all;
  };
  const QString before = textOf();
  session.seekTime(0);
  settle();
  EXPECT_TRUE(QTest::qWaitFor([&] { return textOf() != before; }, kPatienceMs));
  table->close();
}

TEST_F(CommandsTest, AChartHasATable) {
  session.seekTime(196'000'000);
  settle();
  window.raiseDock(QStringLiteral("charts"));
  settle();
  QTest::keyClick(&window, Qt::Key_T, Qt::ControlModifier);
  auto* table = window.findChild<ViewTable*>();
  ASSERT_NE(table, nullptr);
  EXPECT_TRUE(QTest::qWaitFor([&] { return table->table()->rowCount() > 1; }, kPatienceMs));
  EXPECT_GT(table->table()->columnCount(), 1);
}

}  // namespace
}  // namespace rqscope::app
