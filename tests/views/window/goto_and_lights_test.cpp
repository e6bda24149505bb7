// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <QApplication>
#include <QDockWidget>
#include <QHeaderView>
#include <QInputDialog>
#include <QLabel>
#include <QLineEdit>
#include <QSignalSpy>
#include <QTest>
#include <QTimer>
#include <QTreeWidget>
#include <set>

#include "decision/ladder_widget.h"
#include "domains/domains_view.h"
#include "look/theme.h"
#include "machine/canvas.h"
#include "main_window.h"
#include "runqueues/queue_table.h"

namespace rqscope::app {
namespace {

constexpr int kPatienceMs = 60'000;

class MachineInWindow : public testing::Test {
 protected:
  MachineInWindow() : window(session, look::Theme::Dark, MainWindow::Settings::Ignore) {
    window.setMotion(false);
    window.resize(1280, 720);
    window.show();
    QApplication::setActiveWindow(&window);
    canvas = window.dock(QStringLiteral("machine"))->findChild<machine::Canvas*>();
  }
  void open(const char* scenario, const char* machine = nullptr) {
    api::Overrides overrides;
    if (machine) overrides.machine = machine;
    QSignalSpy frames(&session, &session::Session::frameChanged);
    session.open(QString::fromLatin1(scenario), overrides);
    EXPECT_TRUE(frames.count() > 0 || frames.wait(kPatienceMs));
    settle();
  }
  void settle() {
    QSignalSpy busy(&session, &session::Session::busyChanged);
    while (busy.wait(200)) {
    }
  }
  /// Opens the dialog by its keys, types and presses Return.
  void goTo(const char* text) {
    QTimer typist;
    QObject::connect(&typist, &QTimer::timeout, &window, [&typist, text] {
      QWidget* dialog = QApplication::activeModalWidget();
      auto* line = dialog ? dialog->findChild<QLineEdit*>() : nullptr;
      if (!line || !line->isVisible()) return;
      typist.stop();
      QTest::keyClicks(line, QString::fromLatin1(text));
      QTest::keyClick(line, Qt::Key_Return);
    });
    typist.start(20);
    QApplication::setActiveWindow(&window);  // the last dialog took the place
    QTest::keyClick(&window, Qt::Key_G, Qt::ControlModifier);
    settle();
  }
  QString message() const { return window.findChild<QLabel*>(QStringLiteral("message"))->text(); }
  bool isLit(api::SubjectKind kind, machine::Role role) const {
    for (const machine::LitItem& item : canvas->lights())
      if (item.light.subject.kind == kind && item.light.role == role) return true;
    return false;
  }

  session::Session session;
  MainWindow window;
  machine::Canvas* canvas = nullptr;
};

TEST_F(MachineInWindow, SaysThatThereIsNoFurtherPassAndOffersTheLast) {
  open("juno");
  goTo("pass 99999999");
  EXPECT_TRUE(message().contains(QStringLiteral("There is no pass 99999999"))) << message().toStdString();
  const auto end = session.frame();
  ASSERT_TRUE(end->ladder);
  const quint64 last = end->ladder->index;
  EXPECT_TRUE(message().contains(QString::number(last)));
  auto* label = window.findChild<QLabel*>(QStringLiteral("message"));
  for (int x = 4; x < label->width() && message().contains(QStringLiteral("href")); x += 6)
    QTest::mouseClick(label, Qt::LeftButton, {}, QPoint(x, label->height() / 2)), QTest::qWait(1);
  settle();
  EXPECT_EQ(session.frame()->ladder->index, last);
  EXPECT_EQ(session.frame()->rung, 0) << "stands on the first rung of the last pass";
  EXPECT_FALSE(message().contains(QStringLiteral("There is no pass")));
}

TEST_F(MachineInWindow, SaysWhereTheRunEndsWhenATimeIsBeyond) {
  open("juno");
  goTo("99999999");
  EXPECT_TRUE(message().contains(QStringLiteral("The run ends at"))) << message().toStdString();
  goTo("event 999999999");
  EXPECT_TRUE(message().contains(QStringLiteral("There is no event"))) << message().toStdString();
  goTo("12");
  EXPECT_TRUE(message().isEmpty()) << message().toStdString();
}

// Stepping through the rungs by keys lights one after the other what each looks at.
TEST_F(MachineInWindow, LightsWhatTheRungLooksAtWhileOneSteps) {
  open("juno");
  bool hasLocal = false, hasBusiest = false, hasSource = false, hasTask = false;
  for (int pass = 0; pass < 60 && !hasTask; ++pass) {
    QTest::keyClick(&window, Qt::Key_Right, Qt::ControlModifier);
    settle();
    if (!session.frame()->ladder) continue;
    const bool isBig = session.frame()->ladder->rungs.size() > 7;
    for (std::size_t i = 1; isBig && i < session.frame()->ladder->rungs.size(); ++i) {
      EXPECT_TRUE(isLit(api::SubjectKind::Cpu, machine::Role::Destination)) << i;
      QTest::keyClick(&window, Qt::Key_Period);
      settle();
      hasLocal |= isLit(api::SubjectKind::Group, machine::Role::Local);
      hasBusiest |= isLit(api::SubjectKind::Group, machine::Role::Busiest);
      hasSource |= isLit(api::SubjectKind::Cpu, machine::Role::Source);
      hasTask |= isLit(api::SubjectKind::Task, machine::Role::Candidate);
    }
  }
  EXPECT_TRUE(hasLocal);
  EXPECT_TRUE(hasBusiest);
  EXPECT_TRUE(hasSource);
  EXPECT_TRUE(hasTask);
}

TEST_F(MachineInWindow, LightsARungThatIsChosenInTheLadder) {
  open("juno");
  session.seekPass(42);  // a balance pass down to a candidate
  settle();
  ASSERT_GT(session.frame()->ladder->rungs.size(), 7U);
  auto* ladder = window.dock(QStringLiteral("decision"))->findChild<decision::LadderWidget*>();
  ASSERT_TRUE(ladder);
  const auto litNow = [&] {
    QStringList out;
    for (const auto& item : canvas->lights())
      out << QStringLiteral("%1.%2.%3")
                 .arg(static_cast<int>(item.light.subject.kind))
                 .arg(item.light.subject.id)
                 .arg(static_cast<int>(item.light.role));
    return out;
  };
  std::set<QString> seen;
  QApplication::setActiveWindow(&window);
  ladder->setFocus();
  for (int i = 0; i < static_cast<int>(session.frame()->ladder->rungs.size()); ++i) {
    QTest::keyClick(ladder, Qt::Key_Down);
    seen.insert(litNow().join(QLatin1Char(' ')));
  }
  EXPECT_GT(seen.size(), 2U) << "rungs light different things";
  const QRectF first = ladder->rungRects().front();
  QTest::mouseClick(ladder->viewport(), Qt::LeftButton, {}, QPoint(20, static_cast<int>(first.top()) + 8));
  EXPECT_EQ(ladder->focusedRung(), 0);
  EXPECT_TRUE(isLit(api::SubjectKind::Cpu, machine::Role::Destination));
}

// A domain chosen in the tree is framed in the machine, a group chosen in the machine stands in the tree.
TEST_F(MachineInWindow, FollowsTheDomainTreeAndLeadsItToAGroup) {
  open("spread-hogs", "hypertransport-8node");
  window.raiseDock(QStringLiteral("domains"));  // 64 CPUs: Overview is before it
  QTest::qWait(50);
  auto* domains = window.findChild<domains::DomainsView*>();
  QTreeWidget* tree = domains->tree();
  ASSERT_GE(tree->topLevelItemCount(), 2);
  const QRect second = tree->visualItemRect(tree->topLevelItem(1));
  QTest::mouseClick(tree->viewport(), Qt::LeftButton, {}, second.center());
  EXPECT_EQ(canvas->level(), "NUMA 1");
  const QRect first = tree->visualItemRect(tree->topLevelItem(0));
  QTest::mouseClick(tree->viewport(), Qt::LeftButton, {}, first.center());
  EXPECT_EQ(canvas->level(), "NUMA 2");
  ASSERT_FALSE(canvas->spans().isEmpty());
  const machine::SpanItem& item = canvas->spans().items[1];
  ASSERT_FALSE(item.badge.isNull());
  QTest::mouseClick(canvas, Qt::LeftButton, {},
                    (item.badge.center() - canvas->toScene(QPointF(0, 0))).toPoint());
  ASSERT_TRUE(tree->currentItem());
  EXPECT_EQ(tree->currentItem()->parent(), tree->topLevelItem(0));
  EXPECT_EQ(tree->topLevelItem(0)->indexOfChild(tree->currentItem()), 1);
}

TEST_F(MachineInWindow, CutsNoHeadOfTheRunqueuesAtAnyWidth) {
  open("juno");
  for (const int width : {240, 262, 280, 296, 330, 420}) {
    runqueues::QueueTable own;
    own.setFrame(session.frame());
    own.resize(width, 160);
    own.show();
    QTest::qWait(1);
    const QHeaderView* head = own.horizontalHeader();
    int used = 0;
    for (int column = 0; column < head->count(); ++column) {
      if (head->isSectionHidden(column)) continue;
      used += head->sectionSize(column);
      EXPECT_GE(head->sectionSize(column), head->sectionSizeHint(column))
          << width << " px, column " << column;
    }
    EXPECT_LE(used, own.viewport()->width()) << width;
    // How narrow is too narrow for util depends on the computer's fonts; this is not.
    if (width == 420) {
      EXPECT_FALSE(own.isColumnHidden(runqueues::QueueModel::kUtil));
    }
  }
}

}  // namespace
}  // namespace rqscope::app
