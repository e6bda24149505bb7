// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "rqscope/lesson.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "api/reproduced_row_json.h"
#include "workload/json_document.h"

namespace rqscope::api {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr const char* kVersionKey = "rqscope-lesson";
constexpr double kNsPerMs = 1e6;
constexpr int kPatienceMs = 60'000;

fs::path lessonFolder() { return fs::path(resourceDirectory()) / "lessons"; }

Problem problemIn(const std::string& file, std::string message, std::string hint = {}) {
  Problem problem;
  problem.file = file;
  problem.message = std::move(message);
  problem.hint = std::move(hint);
  return problem;
}

std::int64_t nsOf(const Json& object, const char* key) {
  const auto it = object.find(key);
  return it != object.end() && it->is_number() ? static_cast<std::int64_t>(it->get<double>() * kNsPerMs) : -1;
}

std::int32_t cpuOf(const Json& object) {
  const auto it = object.find("cpu");
  return it != object.end() && it->is_number_integer() ? it->get<std::int32_t>() : -1;
}

DecisionFilter filterOf(const Json& json) {
  DecisionFilter filter;
  filter.fromNs = nsOf(json, "from_ms");
  filter.cpu = cpuOf(json);
  filter.domain = textOf(json, "domain");
  filter.kind = textOf(json, "kind");
  filter.entry = textOf(json, "entry");
  filter.result = textOf(json, "result");
  return filter;
}

LessonButton buttonOf(const Json& json) {
  LessonButton button;
  button.label = textOf(json, "label");
  button.place.timeNs = nsOf(json, "at_ms");
  button.place.cpu = cpuOf(json);
  button.place.dock = textOf(json, "dock");
  if (const auto it = json.find("decision"); it != json.end() && it->is_object())
    button.place.decision = filterOf(*it);
  return button;
}

LessonQuestion questionOf(const Json& json) {
  LessonQuestion question;
  question.text = textOf(json, "text");
  question.hint = textOf(json, "hint");
  question.then = textOf(json, "then");
  question.rung = textOf(json, "rung");
  if (const auto it = json.find("decision"); it != json.end() && it->is_object())
    question.decision = filterOf(*it);
  if (const auto it = json.find("options"); it != json.end() && it->is_array())
    for (const Json& option : *it)
      if (option.is_object()) question.options.push_back({textOf(option, "text"), textOf(option, "outcome")});
  return question;
}

/// Patches of the lesson, and over them those of the step.
Overrides overridesIn(const Json& lesson, const Json& step) {
  Overrides overrides;
  for (const Json* json : {&lesson, &step}) {
    if (const std::string kernel = textOf(*json, "kernel"); !kernel.empty()) overrides.kernel = kernel;
    const auto patches = json->find("patches");
    if (patches == json->end() || !patches->is_object()) continue;
    for (const auto& [name, on] : patches->items()) {
      if (!on.is_boolean()) continue;
      std::erase_if(overrides.patches, [&](const auto& set) { return set.first == name; });
      overrides.patches.emplace_back(name, on.get<bool>());
    }
  }
  return overrides;
}

LessonStep stepOf(const Json& lesson, const Json& json) {
  LessonStep step;
  step.title = textOf(json, "title");
  step.overrides = overridesIn(lesson, json);
  if (const auto it = json.find("text"); it != json.end() && it->is_array())
    for (const Json& paragraph : *it)
      if (paragraph.is_string()) step.paragraphs.push_back(paragraph.get<std::string>());
  if (const auto it = json.find("buttons"); it != json.end() && it->is_array())
    for (const Json& button : *it)
      if (button.is_object()) step.buttons.push_back(buttonOf(button));
  if (const auto it = json.find("question"); it != json.end() && it->is_object())
    step.question = questionOf(*it);
  return step;
}

}  // namespace

std::vector<Named> lessons() {
  std::vector<Named> out;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(lessonFolder(), error)) {
    if (entry.path().extension() != ".json") continue;
    const Lesson lesson = readLesson(entry.path().string());
    out.push_back({entry.path().stem().string(), lesson.title, lesson.description});
  }
  std::sort(out.begin(), out.end(), [](const Named& a, const Named& b) { return a.name < b.name; });
  return out;
}

Lesson readLesson(const std::string& nameOrPath) {
  Lesson out;
  std::error_code ignored;
  const fs::path builtin = lessonFolder() / (nameOrPath + ".json");
  const std::string file = fs::is_regular_file(builtin, ignored) ? builtin.string() : nameOrPath;
  out.name = fs::path(file).stem().string();
  auto text = readTextFile(file);
  if (!text.ok()) {
    out.problems.push_back(problemIn(file, text.error().message));
    return out;
  }
  const Json json = Json::parse(text.value(), nullptr, false, true);
  if (!json.is_object() || !json.contains(kVersionKey) || !json.contains("steps") ||
      !json["steps"].is_array()) {
    out.problems.push_back(problemIn(file, "this is no lesson",
                                     fmt::format("an object with \"{}\" and \"steps\"", kVersionKey)));
    return out;
  }
  out.title = textOf(json, "title");
  out.description = textOf(json, "description");
  out.scenario = textOf(json, "scenario");
  for (const Json& step : json["steps"])
    if (step.is_object()) out.steps.push_back(stepOf(json, step));
  return out;
}

LessonMark markQuestion(const Lesson& lesson, const LessonStep& step) {
  LessonMark mark;
  if (!step.question) return mark;
  const LessonQuestion& question = *step.question;
  Opened opened = Simulation::open(lesson.scenario, step.overrides);
  if (opened.simulation == nullptr) {
    mark.problems = std::move(opened.problems);
    return mark;
  }
  const auto index = runToDecision(*opened.simulation, question.decision, kPatienceMs);
  const auto ladder = index ? opened.simulation->ladder(*index) : nullptr;
  if (!ladder) {
    mark.problems.push_back(problemIn(lesson.name, "the run has no such decision"));
    return mark;
  }
  mark.decision = *index;
  mark.timeNs = ladder->timeNs;
  const auto rung = std::ranges::find(ladder->rungs, question.rung, &Rung::kind);
  if (rung == ladder->rungs.end()) {
    mark.problems.push_back(
        problemIn(lesson.name, fmt::format("the decision has no rung \"{}\"", question.rung)));
    return mark;
  }
  mark.outcome = rung->outcome;
  const auto right = std::ranges::find(question.options, rung->outcome, &LessonOption::outcome);
  if (right != question.options.end())
    mark.right = static_cast<std::int32_t>(right - question.options.begin());
  return mark;
}

}  // namespace rqscope::api
