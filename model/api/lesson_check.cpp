// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "api/lesson_outcomes.h"
#include "rqscope/lesson.h"
#include "rqscope/names.h"

namespace rqscope::api {
namespace {

constexpr double kNsPerMs = 1e6;

/// Finds what is wrong with a lesson that can be read, by running it.
class Checker {
 public:
  explicit Checker(const Lesson& lesson) : m_lesson(lesson) {}
  std::vector<Problem> run();

 private:
  void add(const LessonPosition& where, std::string message, std::string hint,
           Problem::Severity severity = Problem::Severity::Error);
  void checkTexts(const LessonStep& step);
  void checkKernels();
  void checkButtons(const LessonStep& step, Simulation& simulation);
  void checkPlace(const LessonButton& button, Simulation& simulation);
  void checkQuestion(const LessonStep& step, const std::string& kernel);
  void checkClaim(const LessonStep& step, const LessonClaim& claim, const std::string& kernel);
  void checkOptions(const LessonQuestion& question, const LessonMark& mark);
  bool canHappen(const LessonOption& option, const LessonMark& mark, const LessonAsk& ask) const;
  std::string whatThereIs(const LessonOption& option, const LessonMark& mark) const;

  const Lesson& m_lesson;
  std::vector<Problem> m_problems;
  std::set<std::string> m_known;  ///< what has been said once is not said for each kernel
};

void Checker::add(const LessonPosition& where, std::string message, std::string hint,
                  Problem::Severity severity) {
  if (!m_known.insert(fmt::format("{}:{}:{}", where.line, where.column, message)).second) return;
  Problem problem;
  problem.severity = severity;
  problem.file = m_lesson.file;
  problem.line = where.line;
  problem.column = where.column;
  problem.message = std::move(message);
  problem.hint = std::move(hint);
  m_problems.push_back(std::move(problem));
}

void Checker::checkTexts(const LessonStep& step) {
  constexpr auto kWarning = Problem::Severity::Warning;
  if (step.paragraphs.empty())
    add(step.where, "the step says nothing", "write \"text\" : [ \"a paragraph\" ]", kWarning);
  if (step.question && step.question->hint.empty())
    add(step.question->where, "the question has no hint", "write \"hint\" : what to look at", kWarning);
  if (step.question && step.question->expected < 0 && !step.question->then.empty())
    add(step.question->where, "\"then\" may speak of another answer than the one that comes out",
        "write \"expects\" : 1 if it speaks of the first one", kWarning);
}

void Checker::checkKernels() {
  std::vector<std::string> names;
  for (const Named& kernel : kernels()) names.push_back(kernel.name);
  for (const std::string& kernel : m_lesson.kernels)
    if (std::ranges::find(names, kernel) == names.end())
      add({1, 1}, fmt::format("there is no kernel \"{}\"", kernel), nameHintOf(kernel, names, "there are"));
}

void Checker::checkPlace(const LessonButton& button, Simulation& simulation) {
  const LessonPlace& place = button.place;
  const auto layout = simulation.layout();
  std::vector<std::string> cpus;
  for (const LayoutCpu& cpu : layout->cpus) cpus.push_back(std::to_string(cpu.id));
  const std::string cpu = std::to_string(place.cpu);
  if (place.cpu >= 0 && std::ranges::find(cpus, cpu) == cpus.end())
    add(button.where, fmt::format("the machine has no CPU {}", cpu), nameHintOf(cpu, cpus, "it has"));
  const auto& levels = layout->levelNames;
  if (!place.level.empty() && std::ranges::find(levels, place.level) == levels.end())
    add(button.where, fmt::format("the machine has no level \"{}\"", place.level),
        nameHintOf(place.level, levels, "it has"));
  if (place.decision && !runToDecision(simulation, *place.decision, 60'000))
    add(button.where, "the run has no such decision", "see what there is: rqscope explain SCENARIO --list");
  if (place.timeNs < 0) return;
  simulation.seekTime(place.timeNs);
  const auto frame = simulation.frame();
  if (frame->timeNs >= place.timeNs || !frame->atEnd) return;
  add(button.where,
      fmt::format("{} ms is beyond the end of the run", static_cast<double>(place.timeNs) / kNsPerMs),
      fmt::format("it ends at {} ms", static_cast<double>(frame->timeNs) / kNsPerMs));
}

void Checker::checkButtons(const LessonStep& step, Simulation& simulation) {
  for (const LessonButton& button : step.buttons) {
    const std::string dock = button.place.dock.substr(0, button.place.dock.find(':'));
    const std::vector<std::string>& docks = lessonDocks();
    if (!dock.empty() && std::ranges::find(docks, dock) == docks.end())
      add(button.where, fmt::format("there is no dock \"{}\"", dock), nameHintOf(dock, docks, "there are"));
    checkPlace(button, simulation);
  }
}

bool Checker::canHappen(const LessonOption& option, const LessonMark& mark, const LessonAsk& ask) const {
  if (option.from || option.to) {
    if (option.from && option.to && *option.from > *option.to) return false;
    return mark.most < mark.least ||
           (option.to.value_or(mark.most) >= mark.least && option.from.value_or(mark.least) <= mark.most);
  }
  // The amount may be any; the type that it counts in is one of a list.
  if (ask.what == LessonAsk::What::Rung && ask.rung == "imbalance" && ask.row.empty() &&
      ask.operand.empty()) {
    const std::string type = option.outcome.substr(0, option.outcome.find(' '));
    const std::vector<std::string> types = {"migrate_load", "migrate_util", "migrate_task", "migrate_misfit",
                                            "migrate_llc_task"};
    return std::ranges::find(types, type) != types.end() && option.outcome.size() > type.size() + 1;
  }
  return mark.possible.empty() || std::ranges::find(mark.possible, option.outcome) != mark.possible.end();
}

std::string Checker::whatThereIs(const LessonOption& option, const LessonMark& mark) const {
  if (option.from && option.to && *option.from > *option.to) return "\"from\" is above \"to\"";
  if (option.from || option.to) return fmt::format("it lies between {} and {}", mark.least, mark.most);
  if (mark.possible.empty()) return "write migrate_util 383: the type and the amount";
  return nameHintOf(option.outcome, mark.possible, "it is one of");
}

/// Answers that say the same as one before them, or something that never comes out.
void Checker::checkOptions(const LessonQuestion& question, const LessonMark& mark) {
  for (std::size_t i = 0; i < question.options.size(); ++i) {
    const LessonOption& option = question.options[i];
    if (!canHappen(option, mark, question.ask))
      add(option.where, fmt::format("\"{}\" can never be right", option.text), whatThereIs(option, mark));
    for (std::size_t j = 0; j < i; ++j) {
      const LessonOption& other = question.options[j];
      const bool isSame =
          option.outcome == other.outcome && option.from == other.from && option.to == other.to;
      if (isSame)
        add(option.where, fmt::format("\"{}\" is right when \"{}\" is", option.text, other.text),
            "give it another outcome or leave it out");
    }
  }
}

void Checker::checkQuestion(const LessonStep& step, const std::string& kernel) {
  const LessonQuestion& question = *step.question;
  const LessonMark mark = markQuestion(m_lesson, step, kernel);
  const std::string with = kernel.empty() ? "" : fmt::format(" with {}", kernel);
  for (const Problem& problem : mark.problems)
    add({problem.line, problem.column}, problem.message + with, problem.hint);
  if (!mark.problems.empty()) return;
  checkOptions(question, mark);
  if (mark.rightCount == 0)
    add(question.where, fmt::format("no answer is right{}", with),
        fmt::format("the model says \"{}\"", mark.outcome));
  if (mark.rightCount == 1 && question.expected >= 0 && mark.right != question.expected)
    add(question.where,
        fmt::format("answer {} is right{}, not answer {}", mark.right + 1, with, question.expected + 1),
        fmt::format("the model says \"{}\"", mark.outcome));
  if (mark.rightCount > 1)
    add(question.where, fmt::format("{} answers are right{}", mark.rightCount, with),
        fmt::format("the model says \"{}\"", mark.outcome));
  for (const LessonButton& button : step.buttons)
    if (mark.timeNs >= 0 && button.place.timeNs >= mark.timeNs &&
        question.ask.what != LessonAsk::What::Running)
      add(button.where, "the button goes to the answer or beyond it",
          fmt::format("the model's answer is of {} ms", static_cast<double>(mark.timeNs) / kNsPerMs),
          Problem::Severity::Warning);
}

void Checker::checkClaim(const LessonStep& step, const LessonClaim& claim, const std::string& kernel) {
  const LessonMark mark = markAsked(m_lesson, step, claim.ask, {claim.is}, kernel);
  const std::string with = kernel.empty() ? "" : fmt::format(" with {}", kernel);
  for (const Problem& problem : mark.problems)
    add({problem.line, problem.column}, problem.message + with, problem.hint);
  if (mark.problems.empty() && mark.right < 0)
    add(claim.is.where, fmt::format("the claim does not hold{}", with),
        fmt::format("the model says \"{}\"", mark.outcome));
}

std::vector<Problem> Checker::run() {
  checkKernels();
  const std::vector<std::string> kernels =
      m_lesson.kernels.empty() || !m_problems.empty() ? std::vector<std::string>{""} : m_lesson.kernels;
  for (const LessonStep& step : m_lesson.steps) {
    checkTexts(step);
    for (const std::string& kernel : kernels) {
      Opened opened = Simulation::open(step.scenario, overridesOf(m_lesson, step, kernel));
      if (!opened.simulation) {
        const Problem& first = opened.problems.front();
        add(step.scenarioWhere, fmt::format("scenario \"{}\": {}", step.scenario, first.message), first.hint);
        continue;
      }
      checkButtons(step, *opened.simulation);
      if (step.question) checkQuestion(step, kernel);
      for (const LessonClaim& claim : step.claims) checkClaim(step, claim, kernel);
    }
  }
  std::ranges::stable_sort(m_problems, {}, [](const Problem& p) { return std::pair{p.line, p.column}; });
  return m_problems;
}

}  // namespace

const std::vector<std::string>& lessonDocks() {
  static const std::vector<std::string> names = {
      "machine", "queue",    "domains", "runqueues", "decision", "timeline",  "charts",  "branches",
      "log",     "overview", "lens",    "scenario",  "editor",   "published", "compare", "trace"};
  return names;
}

std::vector<Problem> checkLesson(const std::string& nameOrPath) {
  const Lesson lesson = readLesson(nameOrPath);
  if (lesson.steps.empty()) return lesson.problems;
  return Checker(lesson).run();
}

}  // namespace rqscope::api
