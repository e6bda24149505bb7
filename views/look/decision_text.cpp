// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "look/decision_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "look/ladder_text.h"
#include "look/words.h"

namespace rqscope::look {
namespace {

constexpr std::size_t kColumn = 52;

std::string oneLine(const api::Rung& rung) {
  std::string text = rungTitle(rung);
  if (rung.kind == "candidate" && !rung.operands.empty()) text += " " + rung.operands.front().text;
  return fmt::format("{}: {}", text, word(rung.outcome));
}

/// Cut or filled to a column, counting signs and not bytes.
std::string fitted(const std::string& text) {
  std::size_t signs = 0;
  std::string out;
  for (const char c : text) {
    const bool begins = (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
    if (begins && ++signs > kColumn) break;
    out += c;
  }
  return signs < kColumn ? out + std::string(kColumn - signs, ' ') : out;
}

const api::Rung& rungAt(const api::Ladder& ladder, std::int32_t index) {
  return ladder.rungs[static_cast<std::size_t>(index)];
}

std::string indented(const std::string& text, const std::string& sign) {
  std::string out;
  std::size_t from = 0;
  while (from < text.size()) {
    const std::size_t end = std::min(text.find('\n', from), text.size());
    out += sign + text.substr(from, end - from) + "\n";
    from = end + 1;
  }
  return out;
}

/// Actual rungs that no altered one stands for.
bool isGone(const api::WhatIf& what, std::int32_t index) {
  return std::find(what.partners.begin(), what.partners.end(), index) == what.partners.end();
}

std::string sideBySide(const api::WhatIf& what) {
  std::string text = fmt::format("  {}   {}\n", fitted("as it was"), "what if");
  std::int32_t shown = 0;
  const auto gone = [&](std::int32_t end) {
    for (; shown < end; ++shown)
      if (isGone(what, shown)) text += fmt::format("- {} |\n", fitted(oneLine(rungAt(*what.actual, shown))));
  };
  for (std::size_t i = 0; i < what.altered->rungs.size(); ++i) {
    const std::int32_t partner = what.partners[i];
    if (partner >= 0) gone(partner);
    const char* sign = what.marks[i] == api::WhatIf::Mark::Same      ? "  "
                       : what.marks[i] == api::WhatIf::Mark::Changed ? "* "
                                                                     : "+ ";
    const std::string left = partner < 0 ? "" : oneLine(rungAt(*what.actual, partner));
    text += fmt::format("{}{} | {}\n", sign, fitted(left), oneLine(what.altered->rungs[i]));
    if (partner >= 0) shown = partner + 1;
  }
  gone(static_cast<std::int32_t>(what.actual->rungs.size()));
  return text;
}

/// "533 > 383", with names: "util 533 > imbalance 383".
std::string testText(const api::Comparison& test) {
  return fmt::format("{} {} {}", operandText(test.left), trueOperator(test), operandText(test.right));
}

std::string testsOf(const api::WhyNotStep& step) {
  return step.tests.empty() ? "" : fmt::format(" ({})", testText(step.tests.back()));
}

void addDerivation(const api::Derivation& d, int depth, std::string& text) {
  text += std::string(static_cast<std::size_t>(depth) * 2, ' ') + operandText(d.what);
  if (!d.formula.empty()) text += "  = " + d.formula;
  if (d.value && d.value->task < 0 && d.value->cpu >= 0 && d.formula.empty())
    text += fmt::format("  ({})", d.value->name);
  text += "\n";
  if (!d.note.empty())
    text += fmt::format("{}{}\n", std::string(static_cast<std::size_t>(depth) * 2 + 2, ' '), d.note);
  for (const api::Derivation& part : d.parts) addDerivation(part, depth + 1, text);
}

}  // namespace

std::string outcomeText(const api::DecisionOutcome& outcome) {
  if (outcome.result == "placed") return fmt::format("placed on CPU {}: {}", outcome.cpu, word(outcome.why));
  if (outcome.result == "not_made") return fmt::format("no pass: {}", word(outcome.why));
  std::string text = word(outcome.result);
  if (outcome.result == "moved")
    text = outcome.movedNames.empty()
               ? fmt::format("moved a task to CPU {}", outcome.cpu)
               : fmt::format("moved {} from CPU {} to CPU {}", fmt::join(outcome.movedNames, ", "),
                             outcome.sourceCpu, outcome.cpu);
  if (!outcome.why.empty() && outcome.why != outcome.result) text += ": " + word(outcome.why);
  if (!outcome.migrationType.empty())
    text += fmt::format(" ({} {})", outcome.migrationType, outcome.imbalance);
  return text;
}

std::string overrideText(const api::Ladder& ladder, const api::OperandOverride& change) {
  const auto operand = api::operandAt(ladder, change.path);
  api::Operand after = operand.value_or(api::Operand{change.path.operand, 0, api::Unit::None, "", {}});
  after.value = change.value;
  after.text = change.text;
  return fmt::format("{} {} -> {}", api::pathText(ladder, change.path),
                     operand ? operandValue(*operand) : "?", operandValue(after));
}

std::string whatIfText(const api::WhatIf& what, const std::vector<api::OperandOverride>& changes) {
  if (what.actual == nullptr || what.altered == nullptr) return "there is no such decision\n";
  std::string text;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    text += "changed  " + overrideText(*what.actual, changes[i]);
    const bool reached = i < what.reached.size() && what.reached[i];
    text += reached ? "\n" : "  (its step is not reached any more, so it did not count)\n";
  }
  for (const std::string& problem : what.problems) text += "not changed  " + problem + "\n";
  text += fmt::format("as it was  {}\nwhat if    {}\n\n", outcomeText(what.before), outcomeText(what.after));
  if (what.firstDifference < 0) return text + "The ladder stays the same.\n";
  text += sideBySide(what);
  const auto first = static_cast<std::size_t>(what.firstDifference);
  text += fmt::format("\nFirst difference: rung {}\n", first);
  if (first < what.actual->rungs.size()) text += indented(rungText(what.actual->rungs[first]), "- ");
  if (first < what.altered->rungs.size()) text += indented(rungText(what.altered->rungs[first]), "+ ");
  return text;
}

std::string whyNotSentence(const api::WhyNotStep& s, const std::string& task, std::int32_t cpu) {
  const std::string detail = word(s.detail);
  if (s.reason == "went") return fmt::format("it did: {} went to CPU {}", task, cpu);
  if (s.reason == "there_already") return fmt::format("{} was on CPU {} already", task, cpu);
  if (s.reason == "not_runnable") return fmt::format("{} was not runnable", task);
  if (s.reason == "other_destination")
    return fmt::format("this pass pulls for CPU {}, not for CPU {}", s.cpu, cpu);
  if (s.reason == "not_in_span")
    return fmt::format("never considered: its CPU is not in the span of {}",
                       s.domainName.empty() ? "the domain" : s.domainName);
  if (s.reason == "no_higher_domain")
    return fmt::format("should_we_balance refused at {}, so no higher domain was looked at{}", s.domainName,
                       testsOf(s));
  if (s.reason == "not_this_cpu") return fmt::format("should_we_balance refused: {}{}", detail, testsOf(s));
  if (s.reason == "serialized_out") return "another CPU balances a serialised domain";
  if (s.reason == "local_group")
    return fmt::format("its CPU is in the local group of {}: a lower domain moves inside", s.domainName);
  if (s.reason == "other_group")
    return s.group.empty() ? fmt::format("its group was not the busiest: {}{}", detail, testsOf(s))
                           : fmt::format("{} was preferred to its group: {}{}", s.group, detail, testsOf(s));
  if (s.reason == "balanced") return fmt::format("balanced: {}{}", detail, testsOf(s));
  if (s.reason == "no_imbalance") return fmt::format("the imbalance is 0: {}", detail);
  if (s.reason == "no_queue") return "no queue of the busiest group was worth it";
  if (s.reason == "other_queue")
    return s.detail.empty() ? "another queue was the source"
                            : fmt::format("another queue was the source: {}{}", detail, testsOf(s));
  if (s.reason == "source_one_task") return "its queue has one task, and that runs";
  if (s.reason == "refused") return detail + testsOf(s);
  if (s.reason == "not_reached") return fmt::format("the list was not read as far as it: {}", detail);
  if (s.reason == "other_task") return "this was about another task";
  if (s.reason == "active_started") return fmt::format("it runs, so the stopper is to push it: {}", detail);
  if (s.reason == "not_allowed") return fmt::format("{} may not run on CPU {}", task, cpu);
  if (s.reason == "stayed") return fmt::format("it stayed in the local group: {}{}", detail, testsOf(s));
  if (s.reason == "other_cpu")
    return s.detail.empty() ? "another CPU of the group was idler"
                            : "another CPU of the group was idler: " + detail;
  if (s.reason == "decided_before")
    return fmt::format("CPU {} was taken before it was looked at: {}", s.cpu, detail);
  if (s.reason == "cpu_refused") return fmt::format("CPU {}: {}", cpu, detail);
  return word(s.reason);
}

std::string whyNotText(const api::WhyNot& why) {
  if (!why.problem.empty()) return why.problem + "\n";
  std::string text = fmt::format("Why is {} not on CPU {}?\n", why.taskName, why.cpu);
  const auto line = [&](const api::WhyNotStep& step) {
    std::string place = word(step.entry);
    if (!step.domainName.empty()) place += " at " + step.domainName;
    const std::string rung = step.rung < 0 ? "" : fmt::format("  [rung {}, {}()]", step.rung, step.function);
    return fmt::format("  {}  decision {}, {}: {}{}\n", timeText(step.timeNs), step.decision, place,
                       whyNotSentence(step, why.taskName, why.cpu), rung);
  };
  text += "this decision\n";
  text += why.here ? line(*why.here) : "  it says nothing about it\n";
  if (why.before.empty()) return text + "no earlier decision could have moved it there\n";
  text += fmt::format("the last {} that could have moved it\n", why.before.size());
  for (const api::WhyNotStep& step : why.before) text += line(step);
  return text;
}

std::string derivationText(const api::Derivation& derivation) {
  std::string text;
  addDerivation(derivation, 0, text);
  return text;
}

std::string idleCauseText(const api::Outcome::IdleCause& cause) {
  const std::string detail = word(cause.detail);
  if (cause.cause == "no_pass_yet") return fmt::format("no pass yet since the wait began ({})", detail);
  if (cause.cause == "placed_elsewhere") return fmt::format("a task was put on a busy CPU: {}", detail);
  if (cause.cause == "newidle_skipped") return fmt::format("newidle pass left out: {}", detail);
  if (cause.cause == "none_detached")
    return fmt::format("no task detached: {}", detail.empty() ? "none fits" : detail);
  if (cause.cause == "balanced") return fmt::format("found balanced: {}", detail);
  if (cause.cause == "no_imbalance") return fmt::format("imbalance too small: {}", detail);
  return word(cause.cause);
}

}  // namespace rqscope::look
