// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <QApplication>
#include <QDockWidget>
#include <QTest>

#include "dock_table.h"
#include "main_window.h"

namespace rqscope::app {
namespace {

/// Name of the dock that has the focus.
QString focusedDock(const MainWindow& window) {
  for (const DockRow& row : dockTable()) {
    const QString name = QString::fromLatin1(row.name);
    if (window.dock(name)->isAncestorOf(QApplication::focusWidget())) return name;
  }
  return {};
}

// Machine, Queue, Domains is the order of the table; the walk goes round in both directions.
TEST(DockKeys, WalkTheDocksThatAreShown) {
  session::Session session;
  MainWindow window(session, look::Theme::Dark, MainWindow::Settings::Ignore);
  window.resize(1280, 720);
  window.show();
  window.activateWindow();
  ASSERT_TRUE(QTest::qWaitForWindowActive(&window));
  window.raiseDock(QStringLiteral("machine"));
  ASSERT_EQ(focusedDock(window), QStringLiteral("machine"));
  QTest::keyClick(&window, Qt::Key_Tab, Qt::ControlModifier);
  EXPECT_EQ(focusedDock(window), QStringLiteral("queue"));
  QTest::keyClick(&window, Qt::Key_Tab, Qt::ControlModifier);
  EXPECT_EQ(focusedDock(window), QStringLiteral("domains"));
  QTest::keyClick(&window, Qt::Key_Tab, Qt::ControlModifier | Qt::ShiftModifier);
  EXPECT_EQ(focusedDock(window), QStringLiteral("queue"));
  window.dock(QStringLiteral("domains"))->hide();
  QTest::keyClick(&window, Qt::Key_Tab, Qt::ControlModifier);
  EXPECT_EQ(focusedDock(window), QStringLiteral("runqueues"));
}

}  // namespace
}  // namespace rqscope::app
