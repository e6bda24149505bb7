// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <QComboBox>
#include <QDockWidget>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>

#include "decision_log/log_view.h"
#include "look/theme.h"
#include "main_window.h"

namespace rqscope::app {
namespace {

constexpr int kPatienceMs = 30'000;

TEST(LogDock, ListsTheDecisionsOfTheRunAndGoesToTheOneThatIsClicked) {
  session::Session session;
  MainWindow window(session, look::Theme::Light, MainWindow::Settings::Ignore);
  window.setMotion(false);
  window.resize(1280, 720);
  window.show();
  api::Overrides overrides;  // so that balancing goes on failing
  overrides.patches = {{"migrate_util_shr_bound", false}};
  session.open(QStringLiteral("juno"), overrides);
  session.seekTime(250'000'000);
  window.raiseDock(QStringLiteral("log"));
  auto* view = window.findChild<decision_log::LogView*>();
  ASSERT_TRUE(view);
  const decision_log::LogModel* model = view->logModel();
  ASSERT_TRUE(QTest::qWaitFor([&] { return model->rowCount() > 30; }, kPatienceMs));

  auto* result = view->findChildren<QComboBox*>().at(1);
  result->setCurrentIndex(result->findData(QStringLiteral("failed")));
  ASSERT_TRUE(QTest::qWaitFor([&] { return model->rowCount() > 0 && model->at(0)->result == "failed"; },
                              kPatienceMs));
  const std::uint64_t wanted = model->at(0)->index;
  auto* table = view->findChild<QTableView*>();
  table->scrollToTop();
  QTest::mouseClick(table->viewport(), Qt::LeftButton, {},
                    table->visualRect(table->model()->index(0, 0)).center());
  ASSERT_TRUE(QTest::qWaitFor(
      [&] { return session.frame()->ladder && session.frame()->ladder->index == wanted; }, kPatienceMs));
  EXPECT_TRUE(QTest::qWaitFor([&] { return model->isNow(model->rowOf(wanted)); }, kPatienceMs))
      << "the row of the decision shown is marked";
  EXPECT_GT(model->rowCount(), 1) << "what comes after is known, and listed";
}

}  // namespace
}  // namespace rqscope::app
