// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <QApplication>
#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>

#include "lesson/lesson_view.h"
#include "lesson/question_card.h"
#include "look/palette.h"

namespace rqscope::lesson {
namespace {

constexpr int kPatienceMs = 60'000;
constexpr int kQuestionStep = 2;  ///< of "idle-cpu": what happens to A, which is skipped

class LessonViewTest : public testing::Test {
 protected:
  LessonViewTest() {
    view.resize(270, 500);
    view.show();
  }
  /// Answers the question of the step and waits for the mark.
  bool answer(int option) {
    QSignalSpy wanted(&view, &LessonView::placeWanted);
    view.card()->choose(option);
    QTest::mouseClick(view.card()->lookButton(), Qt::LeftButton);
    return wanted.wait(kPatienceMs);
  }
  LessonView view;
};

TEST_F(LessonViewTest, OpensTheFirstLessonAndWalksItsSteps) {
  ASSERT_TRUE(view.lesson());
  EXPECT_GE(view.choiceBox()->count(), 1);
  ASSERT_TRUE(view.open(QStringLiteral("idle-cpu")));
  EXPECT_EQ(view.stepCount(), 6);
  EXPECT_FALSE(view.backButton()->isEnabled());
  for (int i = 1; i < view.stepCount(); ++i) QTest::mouseClick(view.nextButton(), Qt::LeftButton);
  EXPECT_EQ(view.step(), 5);
  EXPECT_FALSE(view.nextButton()->isEnabled());
  QTest::mouseClick(view.backButton(), Qt::LeftButton);
  EXPECT_EQ(view.step(), 4);
  EXPECT_FALSE(view.open(QStringLiteral("no-such-lesson")));
  EXPECT_FALSE(view.statusText().isEmpty());
  EXPECT_EQ(view.stepCount(), 6) << "the last good one stays";
}

TEST_F(LessonViewTest, ButtonsDriveTheProgramToAPlaceBeforeTheAnswer) {
  ASSERT_TRUE(view.open(QStringLiteral("idle-cpu")));
  view.showStep(kQuestionStep);
  QSignalSpy wanted(&view, &LessonView::placeWanted);
  for (QPushButton* button : view.findChildren<QPushButton*>())
    if (button->text() == QStringLiteral("Stand before it")) QTest::mouseClick(button, Qt::LeftButton);
  ASSERT_EQ(wanted.count(), 1);
  EXPECT_EQ(wanted[0][0].toString(), QStringLiteral("juno"));
  EXPECT_EQ(wanted[0][2].value<api::LessonPlace>().timeNs, 127'000'000);
}

TEST_F(LessonViewTest, MarksARightAndAWrongAnswerByTheModel) {
  ASSERT_TRUE(view.open(QStringLiteral("idle-cpu")));
  view.showStep(kQuestionStep);
  ASSERT_TRUE(view.card());
  EXPECT_FALSE(view.card()->lookButton()->isEnabled()) << "nothing chosen yet";
  ASSERT_TRUE(answer(1));
  EXPECT_TRUE(view.card()->isMarked());
  EXPECT_TRUE(view.card()->verdict().contains(QStringLiteral("Right")))
      << view.card()->verdict().toStdString();
  EXPECT_TRUE(view.card()->verdict().contains(QStringLiteral("128.000 ms")));
  EXPECT_FALSE(view.card()->lookButton()->isEnabled());
  view.showStep(kQuestionStep + 1);
  ASSERT_TRUE(answer(1));
  EXPECT_TRUE(view.card()->verdict().contains(QStringLiteral("No"))) << view.card()->verdict().toStdString();
  EXPECT_EQ(view.statusText(), QStringLiteral("1 of 2 right"));
  view.showStep(kQuestionStep);
  EXPECT_TRUE(view.card()->isMarked()) << "an answer is remembered";
}

TEST_F(LessonViewTest, ShowsAHintWhenAsked) {
  ASSERT_TRUE(view.open(QStringLiteral("idle-cpu")));
  view.showStep(kQuestionStep);
  QWidget* hint = nullptr;
  for (QLabel* label : view.card()->findChildren<QLabel*>())
    if (label->text() == QString::fromStdString(view.lesson()->steps[kQuestionStep].question->hint))
      hint = label;
  ASSERT_TRUE(hint);
  EXPECT_FALSE(hint->isVisible());
  QTest::mouseClick(view.card()->hintButton(), Qt::LeftButton);
  EXPECT_TRUE(hint->isVisible());
}

// The page is made anew for its colours, but not while the old one hears of them.
TEST_F(LessonViewTest, SurvivesAChangeOfTheme) {
  ASSERT_TRUE(view.open(QStringLiteral("idle-cpu")));
  view.showStep(kQuestionStep);
  ASSERT_TRUE(answer(1));
  const QString dark = view.card()->styleSheet();
  for (const look::Theme theme : {look::Theme::Light, look::Theme::Dark, look::Theme::Light}) {
    QApplication::setPalette(look::qtPalette(theme));
    view.setPalette(look::qtPalette(theme));
    QTest::qWait(10);
  }
  EXPECT_NE(view.card()->styleSheet(), dark);
  EXPECT_TRUE(view.card()->isMarked());
}

TEST_F(LessonViewTest, WrapsInANarrowDock) {
  ASSERT_TRUE(view.open(QStringLiteral("idle-cpu")));
  view.showStep(1);
  QTest::qWait(20);
  auto* scroll = view.findChild<QScrollArea*>();
  EXPECT_LE(scroll->widget()->width(), scroll->viewport()->width());
  EXPECT_LE(view.minimumSizeHint().width(), 270);
}

}  // namespace
}  // namespace rqscope::lesson
