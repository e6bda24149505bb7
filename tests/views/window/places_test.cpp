// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <QComboBox>
#include <QInputDialog>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTest>

#include "main_window.h"
#include "runqueues/queue_view.h"
#include "task_dialog.h"
#include "timeline/timeline_canvas.h"

namespace rqscope::app {
namespace {

constexpr int kPatienceMs = 60'000;

class PlacesTest : public testing::Test {
 protected:
  PlacesTest() : window(session, look::Theme::Dark, MainWindow::Settings::Ignore) {
    window.setMotion(false);
    window.resize(1280, 720);
    window.show();
    window.activateWindow();
    EXPECT_TRUE(QTest::qWaitForWindowActive(&window));
    QSignalSpy opened(&session, &session::Session::opened);
    session.open(QStringLiteral("juno"), {});
    EXPECT_TRUE(opened.wait(kPatienceMs));
    session.seekTime(198'500'000);
    settle();
    timeline = window.findChild<timeline::TimelineCanvas*>();
    window.raiseDock(QStringLiteral("machine"));
  }
  void settle() {
    EXPECT_TRUE(QTest::qWaitFor([this] { return !session.isBusy(); }, kPatienceMs));
  }
  void keep(const QString& text) {
    QTest::keyClick(&window, Qt::Key_M, Qt::ShiftModifier);
    auto* dialog = window.findChild<QInputDialog*>();
    ASSERT_NE(dialog, nullptr);
    auto* field = dialog->findChild<QLineEdit*>();
    ASSERT_NE(field, nullptr);
    field->selectAll();
    text.isEmpty() ? QTest::keyClick(field, Qt::Key_Delete) : QTest::keyClicks(field, text);
    QTest::keyClick(field, Qt::Key_Return);
    EXPECT_TRUE(QTest::qWaitFor([&] { return window.findChild<QInputDialog*>() == nullptr; }, kPatienceMs));
    window.activateWindow();
    EXPECT_TRUE(QTest::qWaitForWindowActive(&window));
  }

  session::Session session;
  MainWindow window;
  timeline::TimelineCanvas* timeline = nullptr;
};

// M notes the moment until the next M; Shift+M asks for words and keeps it.
TEST_F(PlacesTest, NotesAreMadeKeptAndRemovedByKeys) {
  QTest::keyClick(&window, Qt::Key_M);
  ASSERT_EQ(timeline->notes().size(), 1U);
  EXPECT_EQ(timeline->notes()[0].timeNs, session.frame()->timeNs);
  EXPECT_FALSE(timeline->notes()[0].isKept);
  const std::int64_t kept = session.frame()->timeNs;
  keep(QStringLiteral("too late"));
  ASSERT_EQ(timeline->notes().size(), 1U);
  EXPECT_EQ(timeline->notes()[0].text, QStringLiteral("too late"));
  EXPECT_TRUE(timeline->notes()[0].isKept);
  session.seekTime(150'000'000);
  settle();
  QTest::keyClick(&window, Qt::Key_M);
  session.seekTime(100'000'000);
  settle();
  QTest::keyClick(&window, Qt::Key_M);
  ASSERT_EQ(timeline->notes().size(), 2U) << "a note that is not kept gives way to the next";
  EXPECT_EQ(timeline->notes()[0].timeNs, session.frame()->timeNs);
  keep(QString());
  ASSERT_EQ(timeline->notes().size(), 1U) << "a note without words is removed";
  EXPECT_EQ(timeline->notes()[0].timeNs, kept);
}

TEST_F(PlacesTest, AKeptNoteIsReachedByItsFlag) {
  QTest::keyClick(&window, Qt::Key_M);
  const std::int64_t noted = session.frame()->timeNs;
  keep(QStringLiteral("here"));
  session.seekTime(150'000'000);
  settle();
  timeline->setRange(100e6, 250e6);
  const int last = timeline->accessibleItemCount() - 1;
  const look::AccessItem note = timeline->accessibleItem(last);
  EXPECT_EQ(note.name, QStringLiteral("Note: here"));
  ASSERT_FALSE(note.rect.isEmpty());
  QTest::mouseClick(timeline, Qt::LeftButton, Qt::NoModifier, note.rect.center());
  settle();
  EXPECT_EQ(session.frame()->timeNs, noted);
}

// A number of CPU 3 that an earlier event set: Alt+Left goes there, Alt+Right returns to the same event.
TEST_F(PlacesTest, GoesToWhereANumberWasSetAndBack) {
  const auto sinceOf = [this](const std::string& name) {
    QSignalSpy ready(&session, &session::Session::numbersReady);
    window.explainNumber({name, 3, -1, -1});
    std::int64_t since = -1;
    EXPECT_TRUE(QTest::qWaitFor(
        [&] {
          if (ready.isEmpty()) return false;
          const auto explained = ready.last().first().value<session::NumbersPtr>()->explained;
          since = explained.sinceEvent.empty() ? -1 : explained.sinceNs;
          return explained.ref.name == name;
        },
        kPatienceMs));
    return since;
  };
  std::int64_t since = -1;
  constexpr int kMostEvents = 12;
  for (int i = 0; i < kMostEvents && since < 0; ++i) {
    session.step(api::StepKind::Event, api::Direction::Forward);
    settle();
    for (const std::string& name : api::valueNames("cpu")) {
      since = sinceOf(name);
      if (since >= 0 && since < session.frame()->timeNs) break;
      since = -1;
    }
  }
  ASSERT_GE(since, 0);
  const auto event = session.frame()->eventIndex;
  QTest::keyClick(&window, Qt::Key_Left, Qt::AltModifier);
  settle();
  EXPECT_EQ(session.frame()->timeNs, since);
  QTest::keyClick(&window, Qt::Key_Right, Qt::AltModifier);
  settle();
  EXPECT_EQ(session.frame()->eventIndex, event);
}

// Nice, policy and CPUs of a task: only what differs goes into the script, as one branch.
TEST_F(PlacesTest, ATaskIsChangedAsABranch) {
  const auto& tasks = session.frame()->tasks;
  const auto task = std::find_if(tasks.begin(), tasks.end(), [](const auto& t) { return t.name == "C"; });
  ASSERT_NE(task, tasks.end());
  const int slot = task->id;
  const QString before = session.info().scenarioText;
  window.changeTask(slot);
  auto* dialog = window.findChild<TaskDialog*>();
  ASSERT_NE(dialog, nullptr);
  EXPECT_EQ(dialog->operations().size(), 0U);
  dialog->nice()->setFocus();
  dialog->nice()->selectAll();
  QTest::keyClicks(dialog->nice(), QStringLiteral("5"));
  dialog->allowed()->selectAll();
  QTest::keyClicks(dialog->allowed(), QStringLiteral("0,9"));
  EXPECT_FALSE(dialog->applyButton()->isEnabled());
  EXPECT_TRUE(dialog->problem().contains(QStringLiteral("no CPU 9"))) << dialog->problem().toStdString();
  dialog->allowed()->selectAll();
  QTest::keyClicks(dialog->allowed(), QStringLiteral("0,3-5"));
  ASSERT_TRUE(dialog->applyButton()->isEnabled());
  QTest::mouseClick(dialog->applyButton(), Qt::LeftButton);
  settle();
  const QString after = session.info().scenarioText;
  EXPECT_TRUE(after.contains(QStringLiteral(R"("do" : "nice", "task" : "C", "nice" : 5)")))
      << after.toStdString();
  EXPECT_TRUE(after.contains(QStringLiteral(R"("do" : "pin", "task" : "C", "cpus" : [0, 3, 4, 5])")));
  EXPECT_FALSE(after.contains(QStringLiteral(R"("do" : "policy")")));
  const auto& changed = session.frame()->tasks[static_cast<std::size_t>(slot)];
  EXPECT_EQ(changed.nice, 5);
  EXPECT_EQ(changed.affinity, (std::vector<std::int32_t>{0, 3, 4, 5}));
  ASSERT_TRUE(session.branches() != nullptr);
  EXPECT_EQ(session.branches()->all.size(), 2U);
  window.undoChange();
  settle();
  EXPECT_EQ(session.info().scenarioText, before);
}

}  // namespace
}  // namespace rqscope::app
