// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "decision/decision_view.h"

#include <gtest/gtest.h>

#include <QAccessible>
#include <QApplication>
#include <QClipboard>
#include <QImage>
#include <QPainter>
#include <QSignalSpy>
#include <QTest>

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

TEST_F(DecisionTest, SurvivesAFrameWithoutDecision) {
  view.setFrame(samples::empty());
  EXPECT_FALSE(view.grab().isNull());
  view.setFrame(nullptr);
  EXPECT_FALSE(view.grab().isNull());
}

}  // namespace
}  // namespace rqscope::decision
