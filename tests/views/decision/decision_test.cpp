// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "decision/decision_view.h"

#include <gtest/gtest.h>

#include <QAccessible>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QImage>
#include <QPainter>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>

#include "decision/answer_pane.h"

#include "look/fonts.h"
#include "look/ladder_text.h"
#include "look/palette.h"
#include "views/support/sample_frames.h"

namespace rqscope::decision {
namespace {

class DecisionTest : public testing::Test {
 protected:
  DecisionTest() {
    view.resize(360, 420);
    view.setFrame(samples::junoDetach());
    view.show();
    view.grab();
  }
  DecisionView view;
};

TEST_F(DecisionTest, PutsRungsOneBelowTheOther) {
  const auto& rects = view.ladder()->rungRects();
  ASSERT_EQ(rects.size(), 10u);
  for (std::size_t i = 1; i < rects.size(); ++i) EXPECT_GE(rects[i].top(), rects[i - 1].bottom() - 0.01);
  EXPECT_EQ(view.ladder()->currentRung(), 8);
}

// Rungs that are done fold to a line when the dock is low; all stay in sight of the scroll area.
TEST_F(DecisionTest, FoldsWhenTheDockIsLow) {
  view.resize(360, 900);
  view.grab();
  const double tall = view.ladder()->rungRects()[3].height();
  view.resize(360, 340);
  view.grab();
  EXPECT_LT(view.ladder()->rungRects()[3].height(), tall);
}

// Seven columns of wide figures in a narrow dock: what does not fit goes as a column, no figure is cut.
TEST(GroupTable, LeavesColumnsOutRatherThanCutFigures) {
  api::Rung rung;
  rung.kind = "group_statistics";
  api::RungRow row;
  row.subject = {api::SubjectKind::Group, 0};
  row.label = "{246}";
  row.groupType = "overloaded";
  for (const char* name : {"sum_nr_running", "idle_cpus", "group_util", "group_runnable", "group_load",
                           "group_capacity", "avg_load"})
    row.cells.push_back({name, 1'023'456, api::Unit::Load, {}, {}});
  rung.rows = {row};
  QImage image(400, 300, QImage::Format_RGB32);
  std::size_t before = 100;
  for (const double width : {600.0, 380.0, 310.0, 240.0}) {
    QPainter painter(&image);
    RungPainter rungs(painter, look::palette(look::Theme::Dark), 0, width);
    std::vector<Hit> hits;
    rungs.rung(rung, 0, RungState::Current, &hits);
    const QFontMetricsF metrics(look::monoFont(look::kMonoPx));
    std::size_t shown = 0;
    for (const Hit& hit : hits) {
      if (hit.value != QStringLiteral("1023456")) continue;
      ++shown;
      EXPECT_GE(hit.rect.width(), metrics.horizontalAdvance(hit.value)) << width;
      EXPECT_LE(hit.rect.right(), width + 1);
    }
    EXPECT_GE(shown, 1U);
    EXPECT_LE(shown, before);
    before = shown;
  }
  EXPECT_LT(before, 7U);
}

TEST_F(DecisionTest, NamesEveryRungForScreenReaders) {
  QAccessibleInterface* access = QAccessible::queryAccessibleInterface(view.ladder());
  ASSERT_NE(access, nullptr);
  ASSERT_EQ(access->childCount(), 10);
  QAccessibleInterface* candidate = access->child(8);
  EXPECT_FALSE(candidate->text(QAccessible::Name).isEmpty());
  EXPECT_TRUE(candidate->text(QAccessible::Description).contains(QStringLiteral("256 ≤ 383")));
  EXPECT_TRUE(candidate->state().selected) << "the current rung";
  EXPECT_EQ(access->child(9)->text(QAccessible::Value), QStringLiteral("not reached yet"));
  QSignalSpy focused(view.ladder(), &LadderWidget::rungFocused);
  access->child(3)->actionInterface()->doAction(QAccessibleActionInterface::pressAction());
  ASSERT_EQ(focused.count(), 1);
  EXPECT_EQ(focused.last().first().toInt(), 3);
}

TEST_F(DecisionTest, ExplainsANumberWhenItIsClicked) {
  const auto& hits = view.ladder()->hits();
  const auto hit = std::find_if(hits.begin(), hits.end(),
                                [](const Hit& h) { return h.name == QStringLiteral("imbalance"); });
  ASSERT_NE(hit, hits.end());
  EXPECT_EQ(hit->value, QStringLiteral("383"));
  QTest::mouseClick(view.ladder()->viewport(), Qt::LeftButton, {}, hit->rect.center().toPoint());
  EXPECT_TRUE(view.explanation().contains(QStringLiteral("How much the pass wants to move")));
  EXPECT_TRUE(view.explanation().contains(QStringLiteral("exact")));
}

TEST_F(DecisionTest, CopiesTheTextOfTheCommandLine) {
  view.copyText();
  EXPECT_EQ(QApplication::clipboard()->text().toStdString(),
            look::ladderText(*samples::junoDetach()->ladder));
}

TEST_F(DecisionTest, WalksRungsByKeys) {
  QSignalSpy focused(view.ladder(), &LadderWidget::rungFocused);
  QTest::keyClick(view.ladder(), Qt::Key_Up);
  ASSERT_EQ(focused.count(), 1);
  EXPECT_EQ(focused.last().first().toInt(), 7);
}

/// The number with this name that stands lowest: that of the current rung.
Hit hitNamed(const DecisionView& view, const QString& name) {
  Hit found;
  for (const Hit& hit : view.ladder()->hits())
    if (hit.name == name) found = hit;
  return found;
}

QPoint pointOf(const DecisionView& view, const Hit& hit) {
  return hit.rect.center().toPoint() - QPoint(0, view.ladder()->verticalScrollBar()->value());
}

TEST_F(DecisionTest, OpensAnEditorOnANumberByADoubleClick) {
  QSignalSpy wanted(&view, &DecisionView::whatIfWanted);
  Hit hit = hitNamed(view, QStringLiteral("imbalance"));
  ASSERT_FALSE(hit.name.isEmpty());
  QTest::mouseDClick(view.ladder()->viewport(), Qt::LeftButton, {}, pointOf(view, hit));
  ASSERT_TRUE(view.ladder()->isEditing());
  QTest::keyClicks(view.ladder()->editor(), QStringLiteral("900"));
  QTest::keyClick(view.ladder()->editor(), Qt::Key_Return);
  EXPECT_FALSE(view.ladder()->isEditing());
  ASSERT_EQ(wanted.count(), 1);
  ASSERT_EQ(view.changes().size(), 1u);
  EXPECT_EQ(view.changes().front().value, 900);
  EXPECT_EQ(view.changes().front().path.operand, "imbalance");
  EXPECT_EQ(view.changes().front().path, hit.path);
}

TEST_F(DecisionTest, EscapeLeavesTheNumberAsItWas) {
  QSignalSpy wanted(&view, &DecisionView::whatIfWanted);
  Hit hit = hitNamed(view, QStringLiteral("imbalance"));
  ASSERT_FALSE(hit.name.isEmpty());
  QTest::mouseDClick(view.ladder()->viewport(), Qt::LeftButton, {}, pointOf(view, hit));
  ASSERT_TRUE(view.ladder()->isEditing());
  QTest::keyClick(view.ladder()->editor(), Qt::Key_Escape);
  EXPECT_FALSE(view.ladder()->isEditing());
  EXPECT_EQ(wanted.count(), 0);
}

TEST_F(DecisionTest, ANumberIsChangedByKeysToo) {
  view.ladder()->setFocus();
  QTest::keyClick(view.ladder(), Qt::Key_Return);  // the first number of the current rung
  const QString first = view.explanation();
  EXPECT_FALSE(first.isEmpty());
  view.grab();
  QTest::keyClick(view.ladder(), Qt::Key_Return);  // the next one
  EXPECT_NE(view.explanation(), first);
  view.grab();
  Hit hit = hitNamed(view, QStringLiteral("imbalance"));
  ASSERT_FALSE(hit.name.isEmpty());
  QTest::mouseClick(view.ladder()->viewport(), Qt::LeftButton, {}, pointOf(view, hit));
  view.grab();
  QTest::keyClick(view.ladder(), Qt::Key_F2);
  ASSERT_TRUE(view.ladder()->isEditing());
  QTest::keyClicks(view.ladder()->editor(), QStringLiteral("x1"));
  QTest::keyClick(view.ladder()->editor(), Qt::Key_Return);
  EXPECT_TRUE(view.ladder()->isEditing()) << "not a number: the editor stays";
  QTest::keyClick(view.ladder()->editor(), Qt::Key_Escape);
  EXPECT_TRUE(view.changes().empty());
}

TEST_F(DecisionTest, SaysWhyANumberCannotBeChanged) {
  view.setFrame(samples::junoDetach());
  view.resize(360, 1200);
  view.grab();
  Hit hit = hitNamed(view, QStringLiteral("loop"));
  if (hit.name.isEmpty()) hit = hitNamed(view, QStringLiteral("jiffies"));
  if (hit.name.isEmpty()) hit = hitNamed(view, QStringLiteral("dst_cpu"));
  ASSERT_FALSE(hit.name.isEmpty());
  QTest::mouseDClick(view.ladder()->viewport(), Qt::LeftButton, {}, pointOf(view, hit));
  EXPECT_FALSE(view.ladder()->isEditing());
  EXPECT_TRUE(view.explanation().contains(QStringLiteral("cannot be changed")))
      << view.explanation().toStdString();
}

/// What the model would answer to another imbalance: the candidate is detached.
std::shared_ptr<const api::WhatIf> detachedInstead(const api::Ladder& actual) {
  auto what = std::make_shared<api::WhatIf>();
  what->actual = std::make_shared<const api::Ladder>(actual);
  api::Ladder altered = actual;
  altered.rungs[8].outcome = "detached";
  altered.rungs[8].tone = api::Tone::Yes;
  what->altered = std::make_shared<const api::Ladder>(altered);
  what->before.result = "failed";
  what->before.why = "util_too_big";
  what->after.result = "moved";
  what->after.movedNames = {"C"};
  what->after.sourceCpu = 2;
  what->after.cpu = 5;
  what->firstDifference = 8;
  for (std::int32_t i = 0; i < static_cast<std::int32_t>(altered.rungs.size()); ++i) {
    what->partners.push_back(i);
    what->marks.push_back(i == 8 ? api::WhatIf::Mark::Changed : api::WhatIf::Mark::Same);
  }
  what->reached = {true};
  return what;
}

TEST_F(DecisionTest, ShowsWhatWouldFollowUntilEscape) {
  Hit hit = hitNamed(view, QStringLiteral("imbalance"));
  ASSERT_FALSE(hit.name.isEmpty());
  QTest::mouseDClick(view.ladder()->viewport(), Qt::LeftButton, {}, pointOf(view, hit));
  QTest::keyClicks(view.ladder()->editor(), QStringLiteral("900"));
  QTest::keyClick(view.ladder()->editor(), Qt::Key_Return);
  view.setWhatIf(detachedInstead(*samples::junoDetach()->ladder));
  view.grab();
  EXPECT_TRUE(view.whatIfText().contains(QStringLiteral("moved C from CPU 2 to CPU 5")));
  ASSERT_EQ(view.ladder()->marks().size(), 10u);
  EXPECT_EQ(view.ladder()->marks()[8], api::WhatIf::Mark::Changed);
  QTest::keyClick(view.ladder(), Qt::Key_Escape);
  EXPECT_TRUE(view.whatIfText().isEmpty());
  EXPECT_TRUE(view.ladder()->marks().empty());
  EXPECT_EQ(view.ladder()->currentRung(), 8);
}

TEST_F(DecisionTest, AnAnswerThatComesTooLateIsNotShown) {
  view.setWhatIf(detachedInstead(*samples::junoDetach()->ladder));  // nothing was changed
  EXPECT_TRUE(view.whatIfText().isEmpty());
}

TEST_F(DecisionTest, AsksWhyATaskIsNotOnACpu) {
  QSignalSpy wanted(&view, &DecisionView::whyNotWanted);
  view.resize(360, 700);
  view.askWhyNot(2, 5);
  ASSERT_GE(wanted.count(), 1);
  EXPECT_EQ(wanted.last().at(1).toInt(), 2);
  EXPECT_EQ(wanted.last().at(2).toInt(), 5);
  auto why = std::make_shared<api::WhyNot>();
  why->task = 2;
  why->cpu = 5;
  why->taskName = "C";
  why->here = api::WhyNotStep{};
  why->here->reason = "refused";
  why->here->detail = "util_too_big";
  why->here->tests.push_back({{"util", 512, api::Unit::Capacity, {}, {}},
                              "<=",
                              {"imbalance", 383, api::Unit::Capacity, {}, {}},
                              false});
  why->before.push_back(*why->here);
  why->before.front().decision = 7;
  why->before.front().reason = "not_this_cpu";
  view.setWhyNot(why);
  EXPECT_TRUE(view.whyNotPane()->answer().contains(QStringLiteral("util 512 > imbalance 383")))
      << view.whyNotPane()->answer().toStdString();
  EXPECT_TRUE(view.whyNotPane()->answer().contains(QStringLiteral("should_we_balance refused")));
  // Another CPU is chosen in the box.
  view.whyNotPane()->cpuBox()->setFocus();
  QTest::keyClick(view.whyNotPane()->cpuBox(), Qt::Key_Up);
  EXPECT_EQ(wanted.last().at(2).toInt(), 4);
  QTest::keyClick(view.whyNotPane(), Qt::Key_Escape);
  EXPECT_TRUE(view.whyNotPane()->isHidden());
}

TEST_F(DecisionTest, TellsWhyCpusIdle) {
  QSignalSpy wanted(&view, &DecisionView::idleCausesWanted);
  for (QToolButton* button : view.findChildren<QToolButton*>())
    if (button->text() == QStringLiteral("Idle time")) QTest::mouseClick(button, Qt::LeftButton);
  EXPECT_EQ(wanted.count(), 1);
  ASSERT_FALSE(view.idlePane()->isHidden());
  view.setIdleCauses(std::make_shared<const std::vector<api::Outcome::IdleCause>>(
      std::vector<api::Outcome::IdleCause>{{"none_detached", "util_too_big", 1'500'000'000, 12, 3}}));
  EXPECT_TRUE(view.idlePane()->text().contains(QStringLiteral("no task detached: more than the imbalance")));
  EXPECT_TRUE(view.idlePane()->text().contains(QStringLiteral("1500.000 ms")));
}

TEST_F(DecisionTest, SurvivesAFrameWithoutDecision) {
  view.setFrame(samples::empty());
  EXPECT_FALSE(view.grab().isNull());
  view.setFrame(nullptr);
  EXPECT_FALSE(view.grab().isNull());
}

}  // namespace
}  // namespace rqscope::decision
