// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "rqscope/decision_filter.h"
#include "rqscope/simulation.h"

namespace rqscope::api {

/// Line and column of a part of a lesson's file, from 1.
struct LessonPosition {
  int line = 0, column = 0;
};

/// Where a button of a lesson leads; what is not given stays as it is.
struct LessonPlace {
  std::int64_t timeNs = -1;
  std::optional<DecisionFilter> decision;
  std::int32_t rung = -1;  ///< of the decision; -1: the first that refuses something
  std::int32_t cpu = -1;   ///< to select
  std::string dock;        ///< to raise: "machine", "decision", "charts:pelt_task:0"
  std::string level;       ///< domain level whose groups the machine frames: "PKG"
};

struct LessonButton {
  std::string label;
  LessonPlace place;
  LessonPosition where;
};

/// What the model is asked: each kind of question says where in a run its outcome comes from.
struct LessonAsk {
  enum class What : std::uint8_t {
    Rung,       ///< outcome of a rung of a decision, or of one of its rows or operands
    Result,     ///< what came of a decision: "moved", "failed"
    Value,      ///< a number of a task, CPU or group at a time: "task A util_avg"
    Next,       ///< the task that runs next on a CPU after the one that runs there at a time
    Running,    ///< the task that runs on a CPU at a time, or "idle"
    GroupType,  ///< type of a group as a CPU would find it at a time
    Count,      ///< how many migrations, failed passes, decisions ... between two times
    Share,      ///< percent of one CPU that a task, or all of a group, had between two times
    End,        ///< when a task, or the last of all, ends, in ms
    Domain      ///< a number, flag or span of a CPU's domain
  } what = What::Rung;
  DecisionFilter decision;   ///< Rung, Result; Count of "decisions"
  std::string rung;          ///< kind: "candidate", "imbalance"
  std::int32_t nth = 1;      ///< of the rungs of that kind
  std::string row, operand;  ///< label of a row ("CPU 3", "{1,2}", "local"); name of a number
  std::string subject;       ///< number, group, what is counted or whose share; of a domain the fact
  std::string task, domain;  ///< Count of migrations of one task, End; GroupType, Domain: the level
  std::int32_t cpu = -1;     ///< Next, Running, GroupType, Domain
  std::int64_t fromNs = 0;   ///< Count, Share
  std::int64_t atNs = 0;     ///< the moment, or the end of what is counted
  LessonPosition where;
};

/// An answer: the outcome at which the model says that it is right, or a range of numbers, ends included.
struct LessonOption {
  std::string text, outcome;
  std::optional<std::int64_t> from, to;
  LessonPosition where;
};

/// "Predict, then look": something that the run has not reached yet.
struct LessonQuestion {
  std::string text, hint, then;  ///< `then`: said once it is answered
  LessonAsk ask;
  std::vector<LessonOption> options;
  /// Index of the answer that `then` speaks of, for checkLesson() only: the model marks. -1: not said.
  std::int32_t expected = -1;
  LessonPosition where;
};

/// Something that the text says of the run: the model is asked, and this must come out.
struct LessonClaim {
  LessonAsk ask;
  LessonOption is;  ///< without a text
};

struct LessonStep {
  std::string title;
  std::vector<std::string> paragraphs;  ///< with <b> and <code>
  std::string scenario;                 ///< the step's own, else the lesson's
  LessonPosition scenarioWhere;
  Overrides overrides;  ///< of the scenario in this step
  std::vector<LessonButton> buttons;
  std::optional<LessonQuestion> question;
  std::vector<LessonClaim> claims;  ///< for checkLesson() only
  LessonPosition where;
};

struct Lesson {
  std::string name;  ///< of a built-in one; path of a file
  std::string file, title, description;
  std::int32_t order = 0, minutes = 0;  ///< place in the course; how long it takes
  std::vector<std::string> kernels;     ///< profiles it may be read with, the first by default; empty: one
  std::vector<LessonStep> steps;
  std::vector<Problem> problems;  ///< errors: it cannot be read, then there are no steps
  std::size_t questionCount() const;
};

/// The built-in lessons in the order of the course. Those that cannot be read are left out.
std::vector<Lesson> lessons();
/// The same for lists: name, title, description.
std::vector<Named> lessonNames();
/// A built-in lesson by its name, or a file.
Lesson readLesson(const std::string& nameOrPath);
/// Whether a file says that it is a lesson.
bool isLessonFile(const std::string& path);
/// The step's settings with the kernel that the lesson is read with; empty: the first of its kernels.
Overrides overridesOf(const Lesson& lesson, const LessonStep& step, const std::string& kernel);

/// What the model does where a question asks, and which answer that is.
struct LessonMark {
  std::vector<Problem> problems;
  std::string outcome;
  std::int32_t right = -1;  ///< index of the first right answer; -1: none of them
  std::int32_t rightCount = 0;
  std::int64_t timeNs = -1;  ///< of what is asked; -1: of no moment
  LessonPlace place;         ///< where one sees it
  /// Every outcome that there could be; empty: not a matter of a list. Numbers: from `least` to `most`.
  std::vector<std::string> possible;
  std::int64_t least = 0, most = 0;
};
/// Runs the scenario of a step as far as its question asks. Safe on any thread; once `cancel` is set it
/// returns soon, with a problem.
LessonMark markQuestion(const Lesson& lesson, const LessonStep& step, const std::string& kernel = {},
                        const std::atomic<bool>* cancel = nullptr);
/// The same for any answers to anything asked about the step's run.
LessonMark markAsked(const Lesson& lesson, const LessonStep& step, const LessonAsk& ask,
                     const std::vector<LessonOption>& options, const std::string& kernel,
                     const std::atomic<bool>* cancel = nullptr);
/// The answer that fits an outcome; -1: none.
std::int32_t rightOption(const std::vector<LessonOption>& options, const std::string& outcome);

/// Docks that a lesson's button may raise.
const std::vector<std::string>& lessonDocks();
/// What is wrong with a lesson: its file, places beyond the end of the run, questions without exactly one
/// right answer or with another than expected, answers that can never be right, claims that do not hold. Runs
/// every question and claim with each of the lesson's kernels.
std::vector<Problem> checkLesson(const std::string& nameOrPath);

}  // namespace rqscope::api
