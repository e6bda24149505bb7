// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <QDialogButtonBox>
#include <QDockWidget>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTest>

#include "cpu_dialog.h"
#include "main_window.h"
#include "published/published_view.h"
#include "runqueues/numbers_panel.h"
#include "runqueues/queue_table.h"
#include "runqueues/queue_view.h"

namespace rqscope::app {
namespace {

constexpr int kPatienceMs = 60'000;

class ChangesTest : public testing::Test {
 protected:
  ChangesTest() : window(session, look::Theme::Dark, MainWindow::Settings::Ignore) {
    window.setMotion(false);
    window.resize(1280, 720);
    window.show();
    open("juno");
    session.seekTime(200'000'000);
    settle();
    window.selectCpu(3);
  }
  void open(const char* name) {
    QSignalSpy opened(&session, &session::Session::opened);
    session.open(QString::fromLatin1(name), {});
    EXPECT_TRUE(opened.count() > 0 || opened.wait(kPatienceMs));
    settle();
  }
  void settle() {
    QSignalSpy busy(&session, &session::Session::busyChanged);
    while (busy.wait(300)) {
    }
  }
  /// A number of CPU 3 as the session gives it.
  std::int64_t number(const char* name) {
    std::int64_t found = -1;
    QSignalSpy ready(&session, &session::Session::numbersReady);
    session.requestNumbers(3, {});
    EXPECT_TRUE(ready.count() > 0 || ready.wait(kPatienceMs));
    for (const api::ShownValue& value : ready.last().first().value<session::NumbersPtr>()->shown)
      if (value.ref == api::ValueRef{name, 3, -1, -1}) found = value.value;
    return found;
  }
  session::Session session;
  MainWindow window;
};

TEST_F(ChangesTest, AFrequencyChangedInTheDialogIsInTheScriptAndInForceAndCanBeTakenBack) {
  const QString before = session.info().scenarioText;
  const std::int64_t timeNs = session.frame()->timeNs;
  EXPECT_EQ(number("freq_capacity"), 1024);
  window.changeCpu(3);
  auto* dialog = window.findChild<CpuDialog*>();
  ASSERT_TRUE(dialog);
  settle();
  auto* frequency = dialog->findChild<QSpinBox*>(QStringLiteral("frequency"));
  ASSERT_TRUE(frequency);
  EXPECT_EQ(frequency->value(), 1024);
  frequency->setFocus();
  frequency->selectAll();
  QTest::keyClicks(frequency, QStringLiteral("512"));
  QTest::keyClick(frequency, Qt::Key_Tab);
  auto* apply = dialog->findChild<QDialogButtonBox*>()->button(QDialogButtonBox::Apply);
  QTest::mouseClick(apply, Qt::LeftButton);
  settle();
  EXPECT_TRUE(session.info().scenarioText.contains(QStringLiteral("\"do\" : \"frequency\"")));
  EXPECT_TRUE(session.info().scenarioText.contains(QStringLiteral("\"value\" : 512")));
  EXPECT_EQ(session.frame()->timeNs, timeNs);
  EXPECT_EQ(number("freq_capacity"), 512);
  EXPECT_EQ(number("throughput"), 383) << "only what was ticked is changed";
  window.activateWindow();
  ASSERT_TRUE(QTest::qWaitForWindowActive(&window));
  window.setFocus();
  QTest::keyClick(&window, Qt::Key_Z, Qt::ControlModifier | Qt::AltModifier);
  settle();
  EXPECT_EQ(session.info().scenarioText, before);
  EXPECT_EQ(number("freq_capacity"), 1024);
}

TEST_F(ChangesTest, ANumberOfTheTableOpensInTheQueueDock) {
  auto* table = window.findChild<runqueues::QueueTable*>();
  ASSERT_TRUE(table);
  table->setFocus();
  QTest::keyClick(table, Qt::Key_Return);
  settle();
  auto* queue = window.findChild<runqueues::QueueView*>();
  ASSERT_TRUE(queue);
  EXPECT_TRUE(queue->isVisible());
  EXPECT_FALSE(queue->numbers()->isHidden());
  EXPECT_EQ(queue->numbers()->explained().ref.name, "util");
  EXPECT_EQ(queue->numbers()->explained().ref.cpu, 3);
}

TEST_F(ChangesTest, APublishedRowOpensItsScenarioWithItsPatch) {
  window.raiseDock(QStringLiteral("published"));
  window.published()->chooseDiscussion(QStringLiteral("juno"));
  QSignalSpy opened(&session, &session::Session::opened);
  Q_EMIT window.published()->openWanted(QStringLiteral("juno-published"),
                                        {{}, {}, {{"migrate_util_shr_bound", false}}, {}, -1, -1});
  ASSERT_TRUE(opened.wait(kPatienceMs));
  settle();
  EXPECT_EQ(session.info().fileName, QStringLiteral("juno-published"));
  ASSERT_EQ(session.info().overrides.patches.size(), 1U);
  EXPECT_FALSE(session.info().overrides.patches[0].second);
}

}  // namespace
}  // namespace rqscope::app
