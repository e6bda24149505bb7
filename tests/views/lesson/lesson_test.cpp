// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <QApplication>
#include <QComboBox>
#include <QFile>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "lesson/lesson_index.h"
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

// The dock begins with the index: a click or a key opens a lesson, the box leads back.
TEST_F(LessonViewTest, OffersAllLessons) {
  EXPECT_FALSE(view.lesson());
  const std::vector<api::Lesson> all = api::lessons();
  const auto rows = [&] { return view.findChildren<LessonRow*>(); };
  ASSERT_EQ(rows().size(), static_cast<qsizetype>(all.size()));
  EXPECT_EQ(view.choiceBox()->count(), static_cast<int>(all.size()) + 1);
  QTest::mouseClick(rows().at(1), Qt::LeftButton);
  ASSERT_TRUE(QTest::qWaitFor([&] { return view.lesson() != nullptr; }));
  EXPECT_EQ(view.lesson()->name, all[1].name);
  EXPECT_EQ(view.choiceBox()->currentText().toStdString(), all[1].title);
  view.choiceBox()->setFocus();
  QTest::keyClick(view.choiceBox(), Qt::Key_Home);
  EXPECT_FALSE(view.lesson());
  ASSERT_FALSE(rows().isEmpty());
  EXPECT_FALSE(view.nextButton()->isEnabled());
  QTest::keyClick(rows().at(0), Qt::Key_Return);
  ASSERT_TRUE(QTest::qWaitFor([&] { return view.lesson() != nullptr; }));
  EXPECT_EQ(view.lesson()->name, all[0].name);
}

// Each row is as tall as its text in the width that it has: nothing is cut, nothing overlaps.
TEST_F(LessonViewTest, IndexFitsANarrowDock) {
  QTest::qWait(20);
  int bottom = 0;
  for (LessonRow* row : view.findChildren<LessonRow*>()) {
    EXPECT_GE(row->height(), row->heightForWidth(row->width()));
    EXPECT_GE(row->y(), bottom);
    bottom = row->geometry().bottom();
  }
  auto* scroll = view.findChild<QScrollArea*>();
  EXPECT_LE(scroll->widget()->width(), scroll->viewport()->width());
}

TEST_F(LessonViewTest, OpensALessonAndWalksItsSteps) {
  ASSERT_TRUE(view.open(QStringLiteral("idle-cpu")));
  EXPECT_EQ(view.stepCount(), 6);
  EXPECT_FALSE(view.backButton()->isEnabled());
  for (int i = 1; i < view.stepCount(); ++i) QTest::mouseClick(view.nextButton(), Qt::LeftButton);
  EXPECT_EQ(view.step(), 5);
  EXPECT_FALSE(view.nextButton()->isEnabled());
  QTest::mouseClick(view.backButton(), Qt::LeftButton);
  EXPECT_EQ(view.step(), 4);
  EXPECT_FALSE(view.open(QStringLiteral("no-such-lesson")));
  EXPECT_TRUE(view.statusText().contains(QStringLiteral("no-such-lesson")));
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

// In a low dock what comes below the question is scrolled to.
TEST_F(LessonViewTest, ShowsTheVerdictInALowDock) {
  view.resize(300, 260);
  ASSERT_TRUE(view.open(QStringLiteral("idle-cpu")));
  view.showStep(kQuestionStep);
  auto* scroll = view.findChild<QScrollArea*>();
  QTest::qWait(20);
  ASSERT_EQ(scroll->verticalScrollBar()->value(), 0);
  ASSERT_TRUE(answer(1));
  QLabel* verdict = nullptr;
  for (QLabel* label : view.card()->findChildren<QLabel*>())
    if (label->text() == view.card()->verdict()) verdict = label;
  ASSERT_TRUE(verdict);
  const auto bottom = [&] { return verdict->mapTo(scroll->viewport(), verdict->rect().bottomLeft()).y(); };
  EXPECT_TRUE(QTest::qWaitFor([&] { return bottom() <= scroll->viewport()->height(); })) << bottom();
}

// A question about the end of a long run: it can be stopped, and asked again.
TEST_F(LessonViewTest, StopsARunThatTakesLong) {
  QTemporaryDir folder;
  const QString file = folder.filePath(QStringLiteral("long.json"));
  QFile out(file);
  ASSERT_TRUE(out.open(QIODevice::WriteOnly));
  out.write(R"({ "rqscope-lesson" : 1, "title" : "Long", "scenario" : "epyc-milan-load",
    "steps" : [ { "title" : "S", "text" : [ "x" ], "question" : { "text" : "q", "hint" : "h",
      "asks" : { "what" : "end" }, "options" : [ { "text" : "a", "from" : 0 }, { "text" : "b", "to" : -1 } ] } } ] })");
  out.close();
  ASSERT_TRUE(view.open(file));
  EXPECT_FALSE(view.stopButton()->isVisible());
  view.card()->choose(0);
  QTest::mouseClick(view.card()->lookButton(), Qt::LeftButton);
  ASSERT_TRUE(view.stopButton()->isVisible());
  QTest::mouseClick(view.stopButton(), Qt::LeftButton);
  ASSERT_TRUE(QTest::qWaitFor([&] { return !view.stopButton()->isVisible(); }, kPatienceMs));
  EXPECT_FALSE(view.card()->isMarked());
  EXPECT_EQ(view.card()->verdict(), QString());
  EXPECT_TRUE(view.card()->lookButton()->isEnabled()) << "it may be asked again";
}

// A number as the answer: the range that fits, with the number; where one sees it is no decision.
TEST_F(LessonViewTest, MarksANumber) {
  ASSERT_TRUE(view.open(QStringLiteral("weights")));
  QSignalSpy wanted(&view, &LessonView::placeWanted);
  ASSERT_TRUE(answer(1));
  const QString verdict = view.card()->verdict();
  EXPECT_TRUE(verdict.contains(QStringLiteral("No."))) << verdict.toStdString();
  EXPECT_TRUE(verdict.contains(QStringLiteral("A quarter: 100 of 400 (25)"))) << verdict.toStdString();
  EXPECT_FALSE(wanted.last()[2].value<api::LessonPlace>().decision.has_value());
}

// A lesson that names kernels is marked by the one that is chosen.
TEST_F(LessonViewTest, IsMarkedByTheChosenKernel) {
  QTemporaryDir folder;
  const QString file = folder.filePath(QStringLiteral("mine.json"));
  QFile out(file);
  ASSERT_TRUE(out.open(QIODevice::WriteOnly));
  out.write(
      R"({ "rqscope-lesson" : 1, "title" : "Mine", "scenario" : "misfit", "kernels" : [ "v6.1", "v6.12" ],
    "steps" : [ { "title" : "S", "text" : [ "x" ], "question" : { "text" : "q", "hint" : "h", "rung" : "entry",
      "decision" : { "cpu" : 3, "entry" : "fork" },
      "options" : [ { "text" : "forked", "outcome" : "fork" }, { "text" : "woken", "outcome" : "wakeup" } ] } } ] })");
  out.close();
  ASSERT_TRUE(view.open(file));
  EXPECT_EQ(view.choiceBox()->currentText(), QStringLiteral("Mine"));
  EXPECT_TRUE(view.kernelBox()->isVisible());
  QSignalSpy wanted(&view, &LessonView::placeWanted);
  ASSERT_TRUE(answer(0));
  EXPECT_EQ(wanted.last()[1].value<api::Overrides>().kernel, "v6.1");
  view.kernelBox()->setFocus();
  QTest::keyClick(view.kernelBox(), Qt::Key_Down);
  EXPECT_FALSE(view.card()->isMarked()) << "another kernel may say otherwise";
  ASSERT_TRUE(answer(0));
  EXPECT_EQ(wanted.last()[1].value<api::Overrides>().kernel, "v6.12");
  ASSERT_TRUE(view.open(QStringLiteral("weights")));
  EXPECT_FALSE(view.kernelBox()->isVisible());
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
