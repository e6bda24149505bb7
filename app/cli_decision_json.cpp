// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli_output.h"
#include "look/decision_text.h"

namespace rqscope::app {

namespace {

Json outcomeJson(const api::DecisionOutcome& outcome) {
  return {{"result", outcome.result},
          {"why", outcome.why},
          {"migration_type", outcome.migrationType},
          {"imbalance", outcome.imbalance},
          {"source_cpu", outcome.sourceCpu},
          {"cpu", outcome.cpu},
          {"moved_tasks", outcome.movedTasks},
          {"moved_names", outcome.movedNames}};
}

const char* markKey(api::WhatIf::Mark mark) {
  return mark == api::WhatIf::Mark::Same ? "same" : mark == api::WhatIf::Mark::Changed ? "changed" : "new";
}

Json stepJson(const api::WhyNotStep& step, const api::WhyNot& why) {
  return {{"decision", step.decision},
          {"time_ns", step.timeNs},
          {"entry", step.entry},
          {"domain", step.domainName},
          {"cpu", step.cpu},
          {"rung", step.rung},
          {"function", step.function},
          {"reason", step.reason},
          {"detail", step.detail},
          {"group", step.group},
          {"tests", jsonOf(step.tests)},
          {"sentence", look::whyNotSentence(step, why.taskName, why.cpu)}};
}

}  // namespace

Json jsonOf(const api::WhatIf& what, const std::vector<api::OperandOverride>& changes) {
  Json made = Json::array();
  for (std::size_t i = 0; i < changes.size(); ++i) {
    Json change = {{"path", api::pathText(*what.actual, changes[i].path)}, {"value", changes[i].value}};
    if (!changes[i].text.empty()) change["text"] = changes[i].text;
    change["reached"] = i < what.reached.size() && what.reached[i];
    made.push_back(std::move(change));
  }
  Json marks = Json::array();
  for (std::size_t i = 0; i < what.marks.size(); ++i)
    marks.push_back({{"mark", markKey(what.marks[i])}, {"partner", what.partners[i]}});
  return {{"changes", std::move(made)},
          {"problems", what.problems},
          {"before", outcomeJson(what.before)},
          {"after", outcomeJson(what.after)},
          {"first_difference", what.firstDifference},
          {"marks", std::move(marks)},
          {"actual", jsonOf(*what.actual)},
          {"altered", jsonOf(*what.altered)}};
}

Json jsonOf(const api::WhyNot& why) {
  Json before = Json::array();
  for (const api::WhyNotStep& step : why.before) before.push_back(stepJson(step, why));
  return {{"task", why.taskName},
          {"slot", why.task},
          {"cpu", why.cpu},
          {"here", why.here ? stepJson(*why.here, why) : Json()},
          {"before", std::move(before)}};
}

Json jsonOf(const api::Derivation& derivation) {
  Json parts = Json::array();
  for (const api::Derivation& part : derivation.parts) parts.push_back(jsonOf(part));
  Json json = jsonOf(derivation.what);
  json["formula"] = derivation.formula;
  json["exact"] = derivation.isExact;
  if (derivation.value)
    json["explained_as"] = {
        {"name", derivation.value->name}, {"cpu", derivation.value->cpu}, {"task", derivation.value->task}};
  if (!derivation.note.empty()) json["note"] = derivation.note;
  json["parts"] = std::move(parts);
  return json;
}

Json jsonOf(const std::vector<api::Outcome::IdleCause>& causes) {
  Json json = Json::array();
  for (const api::Outcome::IdleCause& cause : causes)
    json.push_back({{"cause", cause.cause},
                    {"detail", cause.detail},
                    {"ns", cause.ns},
                    {"times", cause.times},
                    {"first_decision", cause.firstDecision}});
  return json;
}

}  // namespace rqscope::app
