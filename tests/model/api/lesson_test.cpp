// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "rqscope/lesson.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace rqscope::api {
namespace {

// Every built-in lesson: it can be read, says something in each step, and each question has one right answer,
// which the model finds, at a decision that the run reaches after the place that the step's buttons lead to.
TEST(Lessons, HaveQuestionsThatTheModelAnswers) {
  ASSERT_FALSE(lessons().empty());
  for (const Named& named : lessons()) {
    const Lesson lesson = readLesson(named.name);
    ASSERT_TRUE(lesson.problems.empty()) << lesson.problems.front().text();
    EXPECT_FALSE(lesson.title.empty());
    EXPECT_FALSE(lesson.description.empty());
    ASSERT_GT(lesson.steps.size(), 1U) << named.name;
    for (const LessonStep& step : lesson.steps) {
      EXPECT_FALSE(step.title.empty());
      EXPECT_FALSE(step.paragraphs.empty()) << step.title;
      ASSERT_TRUE(Simulation::open(lesson.scenario, step.overrides).simulation) << step.title;
      if (!step.question) continue;
      EXPECT_GE(step.question->options.size(), 2U) << step.title;
      EXPECT_FALSE(step.question->hint.empty());
      const LessonMark mark = markQuestion(lesson, step);
      ASSERT_TRUE(mark.problems.empty()) << step.title << ": " << mark.problems.front().text();
      EXPECT_GE(mark.right, 0) << step.title << ": the model says " << mark.outcome;
      for (const LessonButton& button : step.buttons) {
        EXPECT_FALSE(button.label.empty());
        EXPECT_LT(button.place.timeNs, mark.timeNs) << "it would give the answer away";
      }
    }
  }
}

// The figures that the text of the Juno lesson names.
TEST(Lessons, IdleCpuSaysWhatTheRunsSay) {
  const Lesson lesson = readLesson("idle-cpu");
  ASSERT_EQ(lesson.steps.size(), 6U);
  const LessonMark before = markQuestion(lesson, lesson.steps[3]),
                   after = markQuestion(lesson, lesson.steps[4]);
  EXPECT_EQ(before.timeNs, after.timeNs);
  EXPECT_EQ(before.outcome, "util_too_big");
  EXPECT_EQ(after.outcome, "detached");
  EXPECT_EQ(markQuestion(lesson, lesson.steps[1]).outcome, "migrate_util 383");
  EXPECT_FALSE(lesson.steps[3].overrides.patches.at(0).second);
  EXPECT_TRUE(lesson.steps[4].overrides.patches.at(0).second) << "the step's patch over the lesson's";
}

TEST(Lessons, SayWhatIsWrongWithAFile) {
  const std::string file = (std::filesystem::path(testing::TempDir()) / "no-lesson.json").string();
  std::ofstream(file) << R"({"title" : "x"})";
  const Lesson lesson = readLesson(file);
  std::filesystem::remove(file);
  ASSERT_EQ(lesson.problems.size(), 1U);
  EXPECT_THAT(lesson.problems[0].text(), testing::HasSubstr("this is no lesson"));
  EXPECT_FALSE(readLesson("no-such-lesson").problems.empty());
}

}  // namespace
}  // namespace rqscope::api
