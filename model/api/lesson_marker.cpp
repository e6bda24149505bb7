// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "api/lesson_outcomes.h"
#include "rqscope/explain_value.h"
#include "rqscope/lesson.h"
#include "rqscope/names.h"

namespace rqscope::api {
namespace {

using What = LessonAsk::What;

constexpr int kPatienceMs = 60'000, kPartMs = 100;
constexpr std::int64_t kPartNs = 100'000'000;
constexpr std::int64_t kMostCounted = std::int64_t{1} << 40, kWholeCapacity = 1024, kHundred = 100;
constexpr std::size_t kManyDecisions = 10'000'000;
constexpr std::int64_t kLongestTurnNs = 10'000'000'000;  ///< nobody waits longer for the next task

std::optional<std::int64_t> numberOf(const std::string& text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

/// Answers one question on one run of its scenario.
class Marker {
 public:
  Marker(Simulation& simulation, const LessonAsk& ask, LessonMark& mark, const std::atomic<bool>* cancel)
      : m_simulation(simulation), m_ask(ask), m_mark(mark), m_cancel(cancel) {}

  void run();

 private:
  void fail(std::string message, std::string hint = {}) {
    Problem problem;
    problem.message = std::move(message);
    problem.hint = std::move(hint);
    m_mark.problems.push_back(std::move(problem));
  }
  bool isCancelled() const { return m_cancel != nullptr && m_cancel->load(std::memory_order_relaxed); }
  bool goTo(std::int64_t timeNs);
  std::optional<std::uint64_t> goToDecision();
  const CpuFrame* cpuOf(const Frame& frame);
  std::string runningOn(const Frame& frame, const CpuFrame& cpu) const;
  void addTaskNames(const Frame& frame);
  void askDecision();
  void askRung(const Ladder& ladder);
  void askRow(const Rung& rung);
  void askOperand(const std::vector<Operand>& operands, const std::vector<Comparison>& tests);
  void askValue();
  void askRunning();
  void askNext();
  void askGroupType();
  void askCount();
  void askShare();
  void askEnd();
  void askDomain();
  std::int64_t countedSoFar();
  std::optional<std::int64_t> ranSoFar();

  Simulation& m_simulation;
  const LessonAsk& m_ask;
  LessonMark& m_mark;
  const std::atomic<bool>* m_cancel;
};

/// To the last event at or before a time; false when the run ends before it.
bool Marker::goTo(std::int64_t timeNs) {
  // Forward in parts, so that it can be cancelled between them.
  std::int64_t at = m_simulation.frame()->timeNs;
  do {
    at = std::min(timeNs, at + kPartNs);
    m_simulation.seekTime(at);
  } while (at < timeNs && !m_simulation.frame()->atEnd && !isCancelled());
  const auto frame = m_simulation.frame();
  if (frame->timeNs >= timeNs || !frame->atEnd) return true;
  fail(fmt::format("the run ends at {} ms", static_cast<double>(frame->timeNs) / 1e6),
       "ask for an earlier time");
  return false;
}

std::optional<std::uint64_t> Marker::goToDecision() {
  for (int left = kPatienceMs; left > 0 && !isCancelled(); left -= kPartMs) {
    if (const auto index = runToDecision(m_simulation, m_ask.decision, kPartMs)) return index;
    if (m_simulation.frame()->atEnd) break;
  }
  return std::nullopt;
}

const CpuFrame* Marker::cpuOf(const Frame& frame) {
  const auto it = std::ranges::find(frame.cpus, m_ask.cpu, &CpuFrame::id);
  if (it != frame.cpus.end()) return &*it;
  std::vector<std::string> names;
  for (const CpuFrame& cpu : frame.cpus) names.push_back(std::to_string(cpu.id));
  fail(fmt::format("there is no CPU {}", m_ask.cpu),
       nameHintOf(std::to_string(m_ask.cpu), names, "there are"));
  return nullptr;
}

std::string Marker::runningOn(const Frame& frame, const CpuFrame& cpu) const {
  return cpu.running < 0 ? "idle" : frame.tasks[static_cast<std::size_t>(cpu.running)].name;
}

void Marker::addTaskNames(const Frame& frame) {
  for (const TaskFrame& task : frame.tasks)
    if (std::ranges::find(m_mark.possible, task.name) == m_mark.possible.end())
      m_mark.possible.push_back(task.name);
}

void Marker::askOperand(const std::vector<Operand>& operands, const std::vector<Comparison>& tests) {
  std::vector<Operand> all = operands;
  for (const Comparison& test : tests) all.insert(all.end(), {test.left, test.right});
  const auto it = std::ranges::find(all, m_ask.operand, &Operand::name);
  if (it != all.end()) {
    m_mark.outcome = it->text.empty() ? std::to_string(it->value) : it->text;
    return;
  }
  std::vector<std::string> names;
  for (const Operand& operand : all)
    if (!operand.name.empty()) names.push_back(operand.name);
  fail(fmt::format("the rung \"{}\" has no number \"{}\" here", m_ask.rung, m_ask.operand),
       nameHintOf(m_ask.operand, names, "it has"));
}

/// What became of a row: its verdict, or the type of its group where there is none.
void Marker::askRow(const Rung& rung) {
  const auto it = std::ranges::find_if(rung.rows, [&](const RungRow& row) {
    return row.label == m_ask.row || (row.isLocal && m_ask.row == "local");
  });
  if (it == rung.rows.end()) {
    std::vector<std::string> labels;
    for (const RungRow& row : rung.rows) labels.push_back(row.label);
    return fail(fmt::format("the rung \"{}\" has no row \"{}\"", m_ask.rung, m_ask.row),
                nameHintOf(m_ask.row, labels, "it has"));
  }
  if (m_ask.operand == "group_type" || (m_ask.operand.empty() && it->verdict.empty())) {
    m_mark.possible = m_simulation.layout()->groupTypes;
    m_mark.outcome = it->groupType;
  } else if (m_ask.operand.empty() || m_ask.operand == "verdict") {
    m_mark.outcome = it->verdict;
  } else {
    askOperand(it->cells, it->tests);
  }
}

void Marker::askRung(const Ladder& ladder) {
  std::int32_t left = m_ask.nth;
  for (std::size_t i = 0; i < ladder.rungs.size(); ++i) {
    const Rung& rung = ladder.rungs[i];
    if (rung.kind != m_ask.rung || --left > 0) continue;
    m_mark.place.rung = static_cast<std::int32_t>(i);
    if (!m_ask.row.empty()) return askRow(rung);
    if (!m_ask.operand.empty()) return askOperand(rung.operands, rung.tests);
    m_mark.outcome = rung.outcome;
    m_mark.possible = outcomesOfRung(rung.kind, *m_simulation.layout());
    return;
  }
  std::vector<std::string> kinds;
  for (const Rung& rung : ladder.rungs)
    if (std::ranges::find(kinds, rung.kind) == kinds.end()) kinds.push_back(rung.kind);
  fail(m_ask.nth > 1 ? fmt::format("the decision has no rung number {} of \"{}\"", m_ask.nth, m_ask.rung)
                     : fmt::format("the decision has no rung \"{}\"", m_ask.rung),
       nameHintOf(m_ask.rung, kinds, "it has"));
}

void Marker::askDecision() {
  const auto index = goToDecision();
  const auto ladder = index ? m_simulation.ladder(*index) : nullptr;
  if (!ladder)
    return fail("the run has no such decision", "see what there is: rqscope explain SCENARIO --list");
  m_mark.timeNs = ladder->timeNs;
  m_mark.place.decision = m_ask.decision;
  m_mark.place.cpu = ladder->cpu;
  m_mark.place.dock = "decision";
  if (m_ask.what == What::Rung) return askRung(*ladder);
  const auto decisions = m_simulation.decisions(ladder->timeNs, ladder->timeNs + 1, kManyDecisions);
  const auto it = std::ranges::find(decisions, *index, &Simulation::DecisionSummary::index);
  if (it == decisions.end()) return fail("the decision has no result");
  m_mark.outcome = it->result;
  m_mark.possible = outcomesOfDecision();
}

void Marker::askValue() {
  if (!goTo(m_ask.atNs)) return;
  const auto ref = findValue(m_simulation, m_ask.subject);
  if (!ref) {
    const std::string problem = valueProblem(m_simulation, m_ask.subject);
    return fail(fmt::format("there is no number \"{}\" then", m_ask.subject), problem);
  }
  const ExplainedValue value = m_simulation.explainValue(*ref);
  if (value.rule.empty()) return fail(fmt::format("\"{}\" has no value then", m_ask.subject));
  m_mark.outcome = std::to_string(value.result);
  const bool isUtil = value.unit == Unit::Capacity;
  m_mark.least = isUtil ? 0 : std::numeric_limits<std::int64_t>::min();
  m_mark.most = isUtil ? kWholeCapacity : std::numeric_limits<std::int64_t>::max();
  m_mark.place.dock = "queue:" + m_ask.subject;
  const auto frame = m_simulation.frame();
  for (const TaskFrame& task : frame->tasks)
    if (task.id == ref->task) m_mark.place.cpu = task.cpu;
  if (ref->cpu >= 0) m_mark.place.cpu = ref->cpu;
}

void Marker::askRunning() {
  if (!goTo(m_ask.atNs)) return;
  const auto frame = m_simulation.frame();
  const CpuFrame* cpu = cpuOf(*frame);
  if (cpu == nullptr) return;
  m_mark.outcome = runningOn(*frame, *cpu);
  m_mark.possible = {"idle"};
  addTaskNames(*frame);
}

/// The first task on the CPU that is another than the one there at the time asked for.
void Marker::askNext() {
  if (!goTo(m_ask.atNs)) return;
  auto frame = m_simulation.frame();
  const CpuFrame* cpu = cpuOf(*frame);
  if (cpu == nullptr) return;
  const std::int32_t before = cpu->running < 0 ? -1 : frame->tasks[static_cast<std::size_t>(cpu->running)].id;
  const std::int64_t until = frame->timeNs + kLongestTurnNs;
  while (!frame->atEnd && frame->timeNs < until && !isCancelled()) {
    if (!m_simulation.step(StepKind::Event, Direction::Forward)) break;
    frame = m_simulation.frame();
    cpu = cpuOf(*frame);
    if (cpu == nullptr) return;
    if (cpu->running < 0 || frame->tasks[static_cast<std::size_t>(cpu->running)].id == before) continue;
    m_mark.outcome = runningOn(*frame, *cpu);
    m_mark.timeNs = m_mark.place.timeNs = frame->timeNs;
    return addTaskNames(*frame);
  }
  fail(fmt::format("no other task comes to run on CPU {}", m_ask.cpu), "ask for an earlier time");
}

void Marker::askGroupType() {
  m_simulation.setViewpoint(m_ask.cpu);
  if (!goTo(m_ask.atNs)) return;
  const auto frame = m_simulation.frame();
  if (cpuOf(*frame) == nullptr) return;
  const MachineLayout& layout = *frame->layout;
  std::vector<std::string> labels;
  for (const LayoutDomain& domain : layout.domains) {
    if (domain.cpu != m_ask.cpu || (!m_ask.domain.empty() && domain.name != m_ask.domain)) continue;
    for (const std::int32_t g : domain.groups) {
      const auto group = static_cast<std::size_t>(g);
      labels.push_back(layout.groups[group].label);
      if (layout.groups[group].label != m_ask.subject) continue;
      m_mark.outcome = frame->groups[group].type;
      m_mark.possible = layout.groupTypes;
      m_mark.place.dock = "machine";
      m_mark.place.level = domain.name;
      return;
    }
  }
  fail(fmt::format("CPU {} has no group {}{}", m_ask.cpu, m_ask.subject,
                   m_ask.domain.empty() ? "" : " at " + m_ask.domain),
       nameHintOf(m_ask.subject, labels, "it has"));
}

/// What has been counted up to now.
std::int64_t Marker::countedSoFar() {
  const Outcome outcome = m_simulation.outcome();
  const auto count = [](std::uint64_t value) { return static_cast<std::int64_t>(value); };
  if (m_ask.subject == "failed_passes") return count(outcome.failedPasses);
  if (m_ask.subject == "passes") return count(outcome.passes);
  if (m_ask.subject == "placements") return count(outcome.placements);
  if (m_ask.subject == "switches") return count(outcome.switches);
  if (m_ask.subject == "wakeups") return count(outcome.wakeups);
  if (m_ask.task.empty()) return count(outcome.migrations);
  std::int64_t sum = 0;
  for (const Outcome::TaskEnd& task : outcome.tasks) sum += task.name == m_ask.task ? task.migrations : 0;
  return sum;
}

void Marker::askCount() {
  const std::vector<std::string> things = countedThings();
  if (std::ranges::find(things, m_ask.subject) == things.end())
    return fail(fmt::format("\"{}\" cannot be counted", m_ask.subject),
                nameHintOf(m_ask.subject, things, "what can be is"));
  if (!goTo(m_ask.fromNs)) return;
  const std::int64_t before = countedSoFar();
  if (!goTo(m_ask.atNs)) return;
  std::int64_t count = countedSoFar() - before;
  if (m_ask.subject == "decisions") {
    const auto all = m_simulation.decisions(m_ask.fromNs, m_ask.atNs + 1, kManyDecisions);
    count = std::ranges::count_if(all, [&](const auto& d) { return matches(m_ask.decision, d); });
  }
  const auto frame = m_simulation.frame();
  const auto isNamed = [&](const TaskFrame& task) { return task.name == m_ask.task; };
  if (!m_ask.task.empty() && std::ranges::none_of(frame->tasks, isNamed)) {
    addTaskNames(*frame);
    return fail(fmt::format("there is no task {}", m_ask.task),
                nameHintOf(m_ask.task, m_mark.possible, "there are"));
  }
  m_mark.outcome = std::to_string(count);
  m_mark.most = kMostCounted;
}

/// CPU time so far of "task A" or "group /a", those inside it too.
std::optional<std::int64_t> Marker::ranSoFar() {
  const auto frame = m_simulation.frame();
  const std::size_t space = m_ask.subject.find(' ');
  const std::string kind = m_ask.subject.substr(0, space);
  const std::string name = space == std::string::npos ? "" : m_ask.subject.substr(space + 1);
  const auto isInside = [&](std::int32_t group) {
    for (; group >= 0; group = frame->taskGroups[static_cast<std::size_t>(group)].parent)
      if (frame->taskGroups[static_cast<std::size_t>(group)].name == name) return true;
    return false;
  };
  std::int64_t ran = 0;
  bool isKnown = false;
  for (const TaskFrame& task : frame->tasks) {
    if (kind == "task" ? task.name != name : kind != "group" || !isInside(task.group)) continue;
    isKnown = true;
    ran += task.sumExecNs;
  }
  if (isKnown) return ran;
  addTaskNames(*frame);
  fail(fmt::format("there is no \"{}\" whose share there could be", m_ask.subject),
       "write \"task A\" or \"group /a\"");
  return std::nullopt;
}

void Marker::askShare() {
  if (!goTo(m_ask.fromNs)) return;
  const auto before = ranSoFar();
  if (!before || !goTo(m_ask.atNs)) return;
  const std::int64_t window = m_ask.atNs - m_ask.fromNs;
  const std::int64_t ran = ranSoFar().value_or(0) - *before;
  m_mark.outcome = std::to_string((ran * kHundred + window / 2) / window);
  m_mark.most = kHundred * static_cast<std::int64_t>(m_simulation.frame()->cpus.size());
}

/// Rounded to a ms. The run goes on to its end for it.
void Marker::askEnd() {
  for (int left = kPatienceMs; left > 0 && !m_simulation.frame()->atEnd && !isCancelled(); left -= kPartMs)
    m_simulation.runUntil({StopKind::End, 0, {}}, kPartMs);
  const auto frame = m_simulation.frame();
  std::int64_t end = -1;
  bool isKnown = false;
  for (const Outcome::TaskEnd& task : m_simulation.outcome().tasks) {
    if (!m_ask.task.empty() && task.name != m_ask.task) continue;
    isKnown = true;
    end = std::max(end, task.endNs);
  }
  if (!isKnown) {
    addTaskNames(*frame);
    return fail(fmt::format("there is no task {}", m_ask.task),
                nameHintOf(m_ask.task, m_mark.possible, "there are"));
  }
  if (end < 0) return fail("nothing that is asked for has ended when the run ends", "ask for another number");
  constexpr std::int64_t kNsPerMs = 1'000'000;
  m_mark.timeNs = m_mark.place.timeNs = end;
  m_mark.outcome = std::to_string((end + kNsPerMs / 2) / kNsPerMs);
  m_mark.most = kMostCounted;
}

void Marker::askDomain() {
  const auto layout = m_simulation.layout();
  const auto frame = m_simulation.frame();
  if (cpuOf(*frame) == nullptr) return;
  m_mark.timeNs = -1;
  m_mark.place.timeNs = 0;
  m_mark.place.dock = "machine";  // the Domains stand behind the lesson
  m_mark.place.level = m_ask.domain;
  m_mark.outcome = domainFact(*layout, m_ask.cpu, m_ask.domain, m_ask.subject);
  if (m_ask.subject.starts_with("SD_")) m_mark.possible = {"yes", "no"};
  if (!m_mark.outcome.empty()) return;
  std::vector<std::string> levels;
  for (const LayoutDomain& domain : layout->domains)
    if (domain.cpu == m_ask.cpu) levels.push_back(domain.name);
  if (std::ranges::find(levels, m_ask.domain) == levels.end())
    return fail(fmt::format("CPU {} has no domain \"{}\"", m_ask.cpu, m_ask.domain),
                nameHintOf(m_ask.domain, levels, "it has"));
  fail(fmt::format("a domain has no \"{}\"", m_ask.subject),
       nameHintOf(m_ask.subject, domainFacts(), "it has flags by their names, \"SD_ASYM_PACKING\", and"));
}

void Marker::run() {
  m_mark.place.cpu = m_ask.cpu;
  m_mark.timeNs = m_mark.place.timeNs = m_ask.atNs;
  m_mark.most = -1;
  switch (m_ask.what) {
    case What::Rung:
    case What::Result:
      m_mark.place.timeNs = -1;
      return askDecision();
    case What::Value:
      return askValue();
    case What::Next:
      return askNext();
    case What::Running:
      return askRunning();
    case What::GroupType:
      return askGroupType();
    case What::Count:
      return askCount();
    case What::Share:
      return askShare();
    case What::End:
      return askEnd();
    case What::Domain:
      return askDomain();
  }
}

bool fits(const LessonOption& option, const std::string& outcome) {
  if (!option.from && !option.to) return option.outcome == outcome;
  const auto number = numberOf(outcome);
  return number && *number >= option.from.value_or(*number) && *number <= option.to.value_or(*number);
}

}  // namespace

std::int32_t rightOption(const std::vector<LessonOption>& options, const std::string& outcome) {
  for (std::size_t i = 0; i < options.size(); ++i)
    if (fits(options[i], outcome)) return static_cast<std::int32_t>(i);
  return -1;
}

LessonMark markQuestion(const Lesson& lesson, const LessonStep& step, const std::string& kernel,
                        const std::atomic<bool>* cancel) {
  if (!step.question) return {};
  return markAsked(lesson, step, step.question->ask, step.question->options, kernel, cancel);
}

LessonMark markAsked(const Lesson& lesson, const LessonStep& step, const LessonAsk& ask,
                     const std::vector<LessonOption>& options, const std::string& kernel,
                     const std::atomic<bool>* cancel) {
  LessonMark mark;
  Opened opened = Simulation::open(step.scenario, overridesOf(lesson, step, kernel));
  if (opened.simulation == nullptr) {
    mark.problems = std::move(opened.problems);
    return mark;
  }
  Marker(*opened.simulation, ask, mark, cancel).run();
  if (cancel != nullptr && cancel->load()) {
    mark.problems.assign(1, {});
    mark.problems.front().message = "stopped before there was an answer";
  }
  for (Problem& problem : mark.problems) {
    problem.file = lesson.file;
    problem.line = ask.where.line;
    problem.column = ask.where.column;
  }
  if (!mark.problems.empty()) return mark;
  mark.right = rightOption(options, mark.outcome);
  mark.rightCount = static_cast<std::int32_t>(
      std::ranges::count_if(options, [&](const LessonOption& option) { return fits(option, mark.outcome); }));
  return mark;
}

}  // namespace rqscope::api
