// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <QComboBox>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>
#include <algorithm>

#include "decision/answer_pane.h"
#include "decision/decision_view.h"
#include "main_window.h"
#include "rqscope/simulation.h"

namespace rqscope::app {
namespace {

constexpr int kPatienceMs = 30'000;

/// The window on a pass of Juno that refused a task, asked questions by mouse and keys.
class QuestionsTest : public testing::Test {
 protected:
  QuestionsTest() : window(session, look::Theme::Dark, MainWindow::Settings::Ignore) {
    window.setMotion(false);
    window.resize(1280, 720);
    window.show();
    QSignalSpy frames(&session, &session::Session::frameChanged);
    api::Overrides overrides;
    overrides.patches = {{"migrate_util_shr_bound", false}};
    session.open(QStringLiteral("juno"), overrides);
    EXPECT_TRUE(frames.count() > 0 || frames.wait(kPatienceMs));
    toRefusal(overrides);
  }
  /// To the candidate that was refused for its utilisation.
  void toRefusal(const api::Overrides& overrides) {
    auto opened = api::Simulation::open("juno", overrides);
    opened.simulation->runUntil({api::StopKind::Time, 400'000'000, {}}, 60'000);
    for (const auto& d : opened.simulation->decisions(0, INT64_MAX, 1'000'000)) {
      if (d.result != "failed" || d.cpu != 5 || d.domainName != "PKG") continue;
      const auto ladder = opened.simulation->ladder(d.index);
      const auto it = std::find_if(ladder->rungs.begin(), ladder->rungs.end(), [](const api::Rung& rung) {
        return rung.kind == "candidate" && rung.outcome == "util_too_big";
      });
      if (it == ladder->rungs.end()) continue;
      task = it->subject.id;
      session.seekPass(d.index);
      for (auto rung = ladder->rungs.begin(); rung != it; ++rung)
        session.step(api::StepKind::Rung, api::Direction::Forward);
      break;
    }
    ASSERT_GE(task, 0);
    settle();
  }
  void settle() {
    QSignalSpy busy(&session, &session::Session::busyChanged);
    while (busy.wait(200)) {
    }
  }
  decision::DecisionView* view() { return window.findChild<decision::DecisionView*>(); }
  decision::Hit hit(const QString& name, int rung = -1) {
    view()->grab();
    for (const decision::Hit& h : view()->ladder()->hits())
      if (h.name == name && (rung < 0 || h.path.rung == rung)) return h;
    return {};
  }
  QPoint pointOf(const decision::Hit& h) {
    return h.rect.center().toPoint() - QPoint(0, view()->ladder()->verticalScrollBar()->value());
  }
  void save(const QString& name) {
    if (const QByteArray folder = qgetenv("RQSCOPE_TEST_PICTURES"); !folder.isEmpty())
      window.grab().save(QString::fromUtf8(folder) + QLatin1Char('/') + name + QStringLiteral(".png"));
  }

  session::Session session;
  MainWindow window;
  int task = -1;
};

TEST_F(QuestionsTest, AnotherNumberShowsTheDecisionThatWouldFollowAndEscapeBringsBackTheRun) {
  const auto before = session.frame();
  const decision::Hit limit = hit(QStringLiteral("imbalance"), before->rung);
  ASSERT_FALSE(limit.name.isEmpty());
  QTest::mouseDClick(view()->ladder()->viewport(), Qt::LeftButton, {}, pointOf(limit));
  ASSERT_TRUE(view()->ladder()->isEditing());
  QTest::keyClicks(view()->ladder()->editor(), QStringLiteral("700"));
  save(QStringLiteral("what-if-editing"));
  QTest::keyClick(view()->ladder()->editor(), Qt::Key_Return);
  settle();
  EXPECT_TRUE(view()->whatIfText().contains(QStringLiteral("moved"))) << view()->whatIfText().toStdString();
  ASSERT_FALSE(view()->ladder()->marks().empty());
  EXPECT_EQ(view()->ladder()->marks()[static_cast<std::size_t>(before->rung)], api::WhatIf::Mark::Changed);
  view()->grab();
  save(QStringLiteral("what-if"));
  EXPECT_EQ(session.frame()->fingerprint, before->fingerprint);
  QTest::keyClick(view()->ladder(), Qt::Key_Escape);
  EXPECT_TRUE(view()->whatIfText().isEmpty());
  EXPECT_EQ(view()->ladder()->currentRung(), before->rung);
}

TEST_F(QuestionsTest, ANumberTellsWhatItWasComputedFrom) {
  window.resize(1280, 1000);
  QTest::qWait(50);
  const auto frame = session.frame();
  int rung = 0;
  for (std::size_t i = 0; i < frame->ladder->rungs.size(); ++i)
    if (frame->ladder->rungs[i].kind == "imbalance") rung = static_cast<int>(i);
  const decision::Hit amount = hit(QStringLiteral("imbalance"), rung);
  ASSERT_FALSE(amount.name.isEmpty()) << "the rung of the imbalance is folded";
  QTest::mouseClick(view()->ladder()->viewport(), Qt::LeftButton, {}, pointOf(amount));
  settle();
  EXPECT_TRUE(view()->explanation().contains(QStringLiteral("local.group_capacity")))
      << view()->explanation().toStdString();
  EXPECT_TRUE(view()->explanation().contains(QStringLiteral("CPU 4")));
  save(QStringLiteral("derivation"));
}

TEST_F(QuestionsTest, WhyNotIsAskedByAKeyAndAnsweredWithTheTestsOfTheLastPasses) {
  window.selectTask(task);
  window.selectCpu(5);
  QTest::keyClick(&window, Qt::Key_N);
  settle();
  ASSERT_FALSE(view()->whyNotPane()->isHidden());
  EXPECT_EQ(view()->whyNotPane()->task(), task);
  EXPECT_EQ(view()->whyNotPane()->cpu(), 5);
  const QString answer = view()->whyNotPane()->answer();
  EXPECT_TRUE(answer.contains(QStringLiteral("> imbalance"))) << answer.toStdString();
  save(QStringLiteral("why-not"));
  // Another CPU in the box asks again.
  view()->whyNotPane()->cpuBox()->setFocus();
  QTest::keyClick(view()->whyNotPane()->cpuBox(), Qt::Key_Up);
  settle();
  EXPECT_NE(view()->whyNotPane()->answer(), answer);
}

// On the rung of a candidate, "the task" is that candidate, and not one that was chosen on another rung.
TEST_F(QuestionsTest, WhyNotAsksForTheTaskOfTheRung) {
  const int other = task + 1;
  window.selectCpu(5);
  // Chosen here, another task goes before it ...
  window.selectTask(other);
  QTest::keyClick(&window, Qt::Key_N);
  settle();
  EXPECT_EQ(view()->whyNotPane()->task(), other);
  // ... until one goes on to another rung and comes back.
  session.step(api::StepKind::Rung, api::Direction::Back);
  session.step(api::StepKind::Rung, api::Direction::Forward);
  settle();
  QTest::keyClick(&window, Qt::Key_N);
  settle();
  EXPECT_EQ(view()->whyNotPane()->task(), task);
}

TEST_F(QuestionsTest, IdleTimeHasItsCauses) {
  for (QToolButton* button : view()->findChildren<QToolButton*>())
    if (button->text() == QStringLiteral("Idle time")) QTest::mouseClick(button, Qt::LeftButton);
  settle();
  EXPECT_TRUE(view()->idlePane()->text().contains(QStringLiteral("Idle while work waited")))
      << view()->idlePane()->text().toStdString();
  save(QStringLiteral("idle-time"));
}

TEST_F(QuestionsTest, NothingIsWiderThanTheDockAtBothSizesAndThemes) {
  window.selectTask(task);
  window.selectCpu(5);
  QTest::keyClick(&window, Qt::Key_N);
  settle();
  for (const QSize size : {QSize(1280, 720), QSize(1920, 1080)})
    for (const look::Theme theme : {look::Theme::Dark, look::Theme::Light}) {
      window.setTheme(theme);
      window.resize(size);
      QTest::qWait(40);
      EXPECT_EQ(window.size(), size);
      EXPECT_LE(view()->minimumSizeHint().width(), view()->width());
      save(QStringLiteral("why-not-%1-%2")
               .arg(size.width())
               .arg(theme == look::Theme::Dark ? QStringLiteral("dark") : QStringLiteral("light")));
    }
}

}  // namespace
}  // namespace rqscope::app
