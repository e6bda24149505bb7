// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "rqscope/lesson.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

#include "api/lesson_outcomes.h"

namespace rqscope::api {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

/// Text of all problems, one a line.
std::string textOf(const std::vector<Problem>& problems) {
  std::string text;
  for (const Problem& problem : problems) text += problem.text() + "\n";
  return text;
}

class LessonFile : public testing::Test {
 protected:
  LessonFile()
      : m_folder(fs::path(testing::TempDir()) /
                 testing::UnitTest::GetInstance()->current_test_info()->name()) {
    fs::create_directories(m_folder);
  }
  ~LessonFile() override { fs::remove_all(m_folder); }
  std::string write(const std::string& text) {
    const fs::path file = m_folder / "lesson.json";
    std::ofstream(file) << text;
    return file.string();
  }
  /// A lesson of one step on "misfit" with these members beside its title and text.
  std::string step(const std::string& members) {
    return write(
        "{ \"rqscope-lesson\" : 1, \"title\" : \"T\", \"scenario\" : \"misfit\",\n\"steps\" : [ { \"title\" "
        ": \"S\", "
        "\"text\" : [ \"x\" ],\n" +
        members + "\n} ] }");
  }

 private:
  fs::path m_folder;
};

// Every lesson there is, whole: the index has each file of the folder in the order of the course; it can be
// read, each place of a button is there, each question has one right answer, the one that its text speaks of,
// no button gives it away, and what the text says of the run holds.
TEST(Lessons, AreRightFromTheFirstStepToTheLast) {
  std::size_t files = 0;
  for (const auto& entry : fs::directory_iterator(fs::path(resourceDirectory()) / "lessons"))
    files += entry.path().extension() == ".json" ? 1 : 0;
  const std::vector<Lesson> all = lessons();
  EXPECT_GE(all.size(), 8U);
  EXPECT_EQ(all.size(), files) << "one of them cannot be read";
  EXPECT_TRUE(std::ranges::is_sorted(all, {}, &Lesson::order));
  std::size_t claims = 0;
  for (const Lesson& lesson : all) {
    EXPECT_EQ(textOf(checkLesson(lesson.name)), "");
    EXPECT_FALSE(lesson.title.empty()) << lesson.name;
    EXPECT_FALSE(lesson.description.empty()) << lesson.name;
    EXPECT_GT(lesson.minutes, 0) << lesson.name;
    EXPECT_GE(lesson.questionCount(), 3U) << lesson.name;
    for (const LessonStep& step : lesson.steps) claims += step.claims.size();
  }
  EXPECT_GE(claims, 50U);
}

// The step's patch goes over the lesson's; each question is marked by its own run.
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

// A question is left when it is cancelled: there is no answer then, and no mark.
TEST(Lessons, MarkingCanBeCancelled) {
  Lesson lesson = readLesson("idle-cpu");
  const std::atomic<bool> isCancelled = true;
  const LessonMark mark = markQuestion(lesson, lesson.steps[2], {}, &isCancelled);
  EXPECT_THAT(textOf(mark.problems), testing::EndsWith("error: stopped before there was an answer\n"));
  EXPECT_EQ(mark.right, -1);
}

TEST_F(LessonFile, SaysWhatIsWrongWithItsForm) {
  EXPECT_THAT(textOf(checkLesson(write(R"({"title" : "x"})"))), HasSubstr("this is no lesson"));
  EXPECT_FALSE(readLesson("no-such-lesson").problems.empty());
  const std::string text = textOf(checkLesson(step(R"("buttons" : [ { "labl" : "Go" } ],
    "question" : { "text" : "q", "asks" : { "what" : "weather" }, "options" : [ { "text" : "a", "outcome" : true } ] })")));
  EXPECT_THAT(text, HasSubstr("lesson.json:3:15: error: the button has no \"label\""));
  EXPECT_THAT(text, HasSubstr("a question cannot ask for \"weather\""));
  EXPECT_THAT(text, HasSubstr("\"outcome\" is neither text nor a whole number"));
  EXPECT_THAT(text, HasSubstr("fewer than two options"));
}

TEST_F(LessonFile, SaysWhichPlacesAreNotThere) {
  const std::string text = textOf(checkLesson(step(R"("buttons" : [ { "label" : "a", "cpu" : 9 },
    { "label" : "b", "at_ms" : 90000 }, { "label" : "c", "dock" : "decisoin" }, { "label" : "d", "level" : "DIE" },
    { "label" : "e", "decision" : { "entry" : "exec" } } ])")));
  EXPECT_THAT(text, HasSubstr("lesson.json:3:15: error: the machine has no CPU 9"));
  EXPECT_THAT(text, HasSubstr("lesson.json:4:5: error: 90000 ms is beyond the end of the run"));
  EXPECT_THAT(text, HasSubstr("there is no dock \"decisoin\""));
  EXPECT_THAT(text, HasSubstr("the machine has no level \"DIE\""));
  EXPECT_THAT(text, HasSubstr("lesson.json:5:5: error: the run has no such decision"));
}

// One question, wrong in a way each time. The model says migrate_misfit 1.
TEST_F(LessonFile, SaysWhatIsWrongWithItsQuestions) {
  const auto check = [&](const std::string& options, const std::string& more = {}) {
    return textOf(checkLesson(step(R"("question" : { "text" : "q", "hint" : "h", "rung" : "imbalance",
      "decision" : { "from_ms" : 204, "cpu" : 1, "domain" : "PKG" },)" +
                                   more + "\n\"options\" : [ " + options + " ] }")));
  };
  const std::string right = R"({ "text" : "one", "outcome" : "migrate_misfit 1" })";
  EXPECT_EQ(check(right + R"(, { "text" : "load", "outcome" : "migrate_load 512" })"), "");
  EXPECT_THAT(
      check(
          R"({ "text" : "a", "outcome" : "migrate_load 1" }, { "text" : "b", "outcome" : "migrate_task 1" })"),
      HasSubstr("lesson.json:3:14: error: no answer is right (the model says \"migrate_misfit 1\")"));
  EXPECT_THAT(check(right + R"(, { "text" : "x", "outcome" : "migrate_misfit 1" })"),
              testing::AllOf(HasSubstr("2 answers are right"), HasSubstr("\"x\" is right when \"one\" is")));
  EXPECT_THAT(check(right + R"(, { "text" : "x", "outcome" : "migrate_everything 1" })"),
              HasSubstr("\"x\" can never be right"));
  EXPECT_THAT(
      check(right + R"(, { "text" : "x", "outcome" : "migrate_load 1" })", R"("expects" : 2, "then" : "t",)"),
      HasSubstr("answer 1 is right, not answer 2"));
  EXPECT_THAT(check(right + R"(, { "text" : "x", "outcome" : "migrate_load 1" })", R"("then" : "t",)"),
              HasSubstr("warning: \"then\" may speak of another answer"));
}

TEST_F(LessonFile, SaysWhichClaimsDoNotHold) {
  const std::string text = textOf(checkLesson(step(R"("buttons" : [ { "label" : "late", "at_ms" : 300 } ],
    "question" : { "text" : "q", "hint" : "h", "asks" : { "what" : "running", "cpu" : 1, "at_ms" : 100 },
      "options" : [ { "text" : "a", "outcome" : "big" }, { "text" : "b", "outcome" : "idle" } ] },
    "claims" : [ { "what" : "end", "task" : "big", "is" : 1203 }, { "what" : "end", "task" : "big", "is" : 1202 },
      { "what" : "count", "count" : "migrations", "task" : "huge", "from_ms" : 0, "to_ms" : 300, "is" : 1 } ])")));
  EXPECT_THAT(text, testing::Not(HasSubstr("lesson.json:6:18")));
  EXPECT_THAT(text, HasSubstr("lesson.json:6:67: error: the claim does not hold (the model says \"1203\")"));
  EXPECT_THAT(text, HasSubstr("there is no task huge"));
}

// What a lesson's answers are compared with: no run may have an outcome that is not in the lists. The
// scenarios have each kind of rung.
TEST(LessonOutcomes, AreAllThatRunsHave) {
  std::set<std::string> kinds;
  for (const char* name :
       {"six-ladders", "misfit", "smt", "pipe", "lessons/scenarios/affinity.json", "preferred-cache"}) {
    const fs::path file = fs::path(resourceDirectory()) / name;
    const Opened opened = Simulation::open(fs::is_regular_file(file) ? file.string() : name, {});
    ASSERT_TRUE(opened.simulation) << name;
    Simulation& run = *opened.simulation;
    constexpr std::int64_t kUntilNs = 250'000'000;
    run.seekTime(kUntilNs);
    const auto layout = run.layout();
    const std::vector<std::string> results = outcomesOfDecision();
    for (const auto& decision : run.decisions(0, kUntilNs, 400)) {
      EXPECT_THAT(results, testing::Contains(decision.result)) << name;
      const auto ladder = run.ladder(decision.index);
      for (const Rung& rung : ladder->rungs) {
        kinds.insert(rung.kind);
        EXPECT_THAT(rungKinds(), testing::Contains(rung.kind)) << name;
        const std::vector<std::string> possible = outcomesOfRung(rung.kind, *layout);
        if (possible.empty()) continue;
        EXPECT_THAT(possible, testing::Contains(rung.outcome))
            << name << ", decision " << decision.index << ", " << rung.kind;
      }
    }
  }
  EXPECT_GE(kinds.size(), 15U);
}

}  // namespace
}  // namespace rqscope::api
