// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rqscope/decision_filter.h"
#include "rqscope/simulation.h"

namespace rqscope::api {

/// Where a button of a lesson leads; what is not given stays as it is.
struct LessonPlace {
  std::int64_t timeNs = -1;
  std::optional<DecisionFilter> decision;
  std::int32_t cpu = -1;  ///< to select
  std::string dock;       ///< to raise: "machine", "decision"
};

struct LessonButton {
  std::string label;
  LessonPlace place;
};

/// An answer, and the outcome of the rung by which the model says whether it is right.
struct LessonOption {
  std::string text, outcome;
};

/// "Predict, then look": the outcome of a rung of a decision that the run has not reached yet.
struct LessonQuestion {
  std::string text, hint, then;  ///< `then`: said once it is answered
  DecisionFilter decision;
  std::string rung;  ///< kind: "candidate", "imbalance"; the first of the decision
  std::vector<LessonOption> options;
};

struct LessonStep {
  std::string title;
  std::vector<std::string> paragraphs;  ///< with <b> and <code>
  Overrides overrides;                  ///< of the scenario in this step
  std::vector<LessonButton> buttons;
  std::optional<LessonQuestion> question;
};

struct Lesson {
  std::string name, title, description, scenario;
  std::vector<LessonStep> steps;
  std::vector<Problem> problems;  ///< why it cannot be read; then there are no steps
};

/// The built-in lessons, by name.
std::vector<Named> lessons();
/// A built-in lesson by its name, or a file.
Lesson readLesson(const std::string& nameOrPath);

/// What the model does where a question asks, and which answer that is.
struct LessonMark {
  std::vector<Problem> problems;
  std::string outcome;
  std::int32_t right = -1;  ///< index of the right answer; -1: none of them
  std::uint64_t decision = 0;
  std::int64_t timeNs = 0;
};
/// Runs the scenario of a step up to the decision that it asks about. Safe on any thread.
LessonMark markQuestion(const Lesson& lesson, const LessonStep& step);

}  // namespace rqscope::api
