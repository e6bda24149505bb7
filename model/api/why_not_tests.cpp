// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "api/why_not_tests.h"

#include <algorithm>

#include "api/ladder_keys.h"

namespace rqscope::api {
namespace {

WhyNotStep stepOf(const Ladder& ladder) {
  WhyNotStep step;
  step.decision = ladder.index;
  step.timeNs = ladder.timeNs;
  step.entry = ladder.entry;
  step.domainName = ladder.domainName;
  step.cpu = ladder.cpu;
  return step;
}

/// Puts the rung with its tests into the step: the last of its kind, of the subject when one is given.
void pointAt(WhyNotStep& step, const Ladder& ladder, const std::string& kind, Subject subject = {}) {
  for (std::size_t i = ladder.rungs.size(); i-- > 0;) {
    const Rung& rung = ladder.rungs[i];
    if (rung.kind != kind || (subject.id >= 0 && !(rung.subject == subject))) continue;
    step.rung = static_cast<std::int32_t>(i);
    step.function = rung.function;
    step.tests = rung.tests;
    return;
  }
}

/// The tests of the row about one CPU or group instead of the rung's own.
void takeRowTests(WhyNotStep& step, const Ladder& ladder, Subject subject) {
  if (step.rung < 0) return;
  for (const RungRow& row : ladder.rungs[static_cast<std::size_t>(step.rung)].rows)
    if (row.subject == subject) step.tests = row.tests;
}

void settle(WhyNotStep& step, const char* reason, const char* detail = "") {
  step.reason = reason;
  step.detail = detail;
}

bool isAbove(const Machine& m, DomainId domain, CpuId cpu) {
  for (DomainId id = m.topology->domain(domain).parent; id.isValid(); id = m.topology->domain(id).parent)
    if (m.topology->domain(id).span.test(cpu)) return true;
  return false;
}

/// The last round that got as far as any; a redo leaves CPUs out and says less.
const BalanceRound* tellingRound(const BalancePass& pass, TaskId task) {
  const BalanceRound* best = nullptr;
  for (const BalanceRound& round : pass.rounds) {
    for (const BalanceCandidate& candidate : round.candidates)
      if (candidate.task == task) best = &round;
  }
  return best != nullptr ? best : pass.rounds.empty() ? nullptr : &pass.rounds.front();
}

const BalanceGroup* groupWith(const Machine& m, const BalanceRound& round, CpuId cpu) {
  for (const BalanceGroup& group : round.groups)
    if (m.topology->group(group.group).span.test(cpu)) return &group;
  return nullptr;
}

/// The task's queue was chosen: what detach_tasks() said of the task.
void judgeCandidate(const BalancePass& pass, const BalanceRound& round, const Ladder& ladder,
                    const WhyNotAsked& asked, const TaskPlace& place, WhyNotStep& step) {
  const Subject task{SubjectKind::Task, asked.task.value};
  const BalanceCandidate* last = nullptr;
  for (const BalanceCandidate& candidate : round.candidates)
    if (candidate.task == asked.task) last = &candidate;
  if (last != nullptr) {
    pointAt(step, ladder, "candidate", task);
    if (last->verdict != BalanceCandidate::Verdict::Detached)
      return settle(step, "refused", keyOf(last->verdict));
    return settle(step, "went");
  }
  if (pass.activeStarted && place.isRunning) {
    pointAt(step, ladder, "active_balance");
    return settle(step, "active_started", keyOf(pass.activeReason));
  }
  pointAt(step, ladder, "source_queue");
  if (round.detachStop == DetachStop::NotTried) return settle(step, "source_one_task");
  if (!round.candidates.empty()) pointAt(step, ladder, "candidate");
  settle(step, "not_reached", keyOf(round.detachStop));
}

/// The round in the order of its tests.
void judgeRound(const Machine& m, const BalancePass& pass, const BalanceRound& round, const Ladder& ladder,
                const WhyNotAsked& asked, const TaskPlace& place, WhyNotStep& step) {
  pointAt(step, ladder, "should_we_balance");
  if (!round.shouldBalance) return settle(step, "not_this_cpu", keyOf(round.balanceCpuRule));
  if (round.groups.empty()) return settle(step, "serialized_out");
  const BalanceGroup* const own = groupWith(m, round, place.cpu);
  pointAt(step, ladder, "group_statistics");
  if (own == nullptr) return settle(step, "not_in_span");
  if (own->isLocal) return settle(step, "local_group");
  const bool isBusiest = round.busiest >= 0 && own == &round.groups[static_cast<std::size_t>(round.busiest)];
  if (!isBusiest) {
    pointAt(step, ladder, "busiest_group");
    takeRowTests(step, ladder, {SubjectKind::Group, own->group.value});
    const bool led = own->pick == BalanceGroup::Pick::Picked;
    settle(step, "other_group", led ? "surpassed" : keyOf(own->pick));
    if (round.busiest >= 0)
      step.group =
          groupLabel(m.topology->group(round.groups[static_cast<std::size_t>(round.busiest)].group).span);
    return;
  }
  pointAt(step, ladder, "worth_balancing");
  if (round.why < FindSrcGroupWhy::Misfit) return settle(step, "balanced", keyOf(round.why));
  pointAt(step, ladder, "imbalance");
  if (!round.foundGroup) return settle(step, "no_imbalance", keyOf(round.rule));
  pointAt(step, ladder, "source_queue");
  if (!round.sourceCpu.isValid()) return settle(step, "no_queue");
  if (round.sourceCpu != place.cpu) {
    const Subject cpu{SubjectKind::Cpu, place.cpu.value};
    takeRowTests(step, ladder, cpu);
    settle(step, "other_queue");
    for (const BalanceQueue& queue : round.queues)
      if (queue.cpu == place.cpu) step.detail = keyOf(queue.verdict);
    return;
  }
  judgeCandidate(pass, round, ladder, asked, place, step);
}

/// A level of the slow path in which the task went another way; true: this one settles it.
bool judgeLevel(const Machine& m, const PlacementLevel& level, CpuId cpu, const Ladder& ladder,
                WhyNotStep& step) {
  std::int32_t own = -1;
  for (std::size_t i = 0; i < level.groups.size(); ++i)
    if (m.topology->group(level.groups[i].group).span.test(cpu)) own = static_cast<std::int32_t>(i);
  if (own < 0) return false;
  const PlacementLevel::Group& group = level.groups[static_cast<std::size_t>(own)];
  if (level.stay && group.isLocal) return false;  // it goes down inside the local group
  pointAt(step, ladder, "dst_group", {SubjectKind::Domain, level.domain.value});
  if (!group.allowed) return settle(step, "not_allowed"), true;
  if (level.stay) return settle(step, "stayed", keyOf(level.why)), true;
  if (own != level.idlest) {
    settle(step, "other_group", keyOf(level.why));
    if (level.idlest >= 0)
      step.group =
          groupLabel(m.topology->group(level.groups[static_cast<std::size_t>(level.idlest)].group).span);
    return true;
  }
  if (level.chosenCpu == cpu) return false;
  pointAt(step, ladder, "dst_cpu", {SubjectKind::Cpu, level.chosenCpu.value});
  settle(step, "other_cpu");
  for (const PlacementCpu& row : level.cpus)
    if (row.cpu == cpu) step.detail = keyOf(row.verdict);
  return true;
}

}  // namespace

TaskPlace placeOf(const Machine& m, TaskId task) {
  if (task.index() >= m.tasks.size() || !m.task(task).se.isValid()) return {};
  const Task& t = m.task(task);
  return {t.cpu, t.onRq && !m.se(task).schedDelayed, t.onCpu};
}

bool couldMove(const Machine& m, const BalancePass& pass, const WhyNotAsked& asked, const TaskPlace& place) {
  if (pass.dstCpu != asked.cpu || !pass.domain.isValid() || !place.isRunnable || place.cpu == asked.cpu)
    return false;
  if (m.topology->domain(pass.domain).span.test(place.cpu)) return true;
  return pass.end == PassEnd::NotThisCpu && isAbove(m, pass.domain, place.cpu);
}

WhyNotStep whyNotOf(const Machine& m, const BalancePass& pass, const Ladder& ladder, const WhyNotAsked& asked,
                    const TaskPlace& place) {
  WhyNotStep step = stepOf(ladder);
  if (!place.cpu.isValid() || !place.isRunnable) return settle(step, "not_runnable"), step;
  if (place.cpu == asked.cpu) return settle(step, "there_already"), step;
  if (m.task(asked.task).cpu == asked.cpu) {
    pointAt(step, ladder, "candidate", {SubjectKind::Task, asked.task.value});
    return settle(step, "went"), step;
  }
  if (pass.dstCpu != asked.cpu) return settle(step, "other_destination"), step;
  if (!pass.domain.isValid()) return settle(step, "not_in_span"), step;
  const bool isInside = m.topology->domain(pass.domain).span.test(place.cpu);
  const BalanceRound* const round = tellingRound(pass, asked.task);
  if (!isInside && pass.end == PassEnd::NotThisCpu && isAbove(m, pass.domain, place.cpu)) {
    pointAt(step, ladder, "should_we_balance");
    return settle(step, "no_higher_domain"), step;
  }
  if (!isInside) return settle(step, "not_in_span"), step;
  if (pass.entry == BalanceEntry::ActiveStopper) {
    if (pass.activeSource != place.cpu || round == nullptr) return settle(step, "other_queue"), step;
    judgeCandidate(pass, *round, ladder, asked, place, step);
    if (step.reason == "source_one_task" || step.reason == "not_reached") settle(step, "other_task");
    return step;
  }
  if (round == nullptr) return settle(step, "serialized_out"), step;
  judgeRound(m, pass, *round, ladder, asked, place, step);
  return step;
}

WhyNotStep whyNotOf(const Machine& m, const Placement& p, const Ladder& ladder, const WhyNotAsked& asked) {
  WhyNotStep step = stepOf(ladder);
  step.cpu = p.chosen.value;
  if (p.task != asked.task) return settle(step, "other_task"), step;
  pointAt(step, ladder, "placed");
  if (p.chosen == asked.cpu) return settle(step, "went", keyOf(p.decidedBy)), step;
  if (!m.task(p.task).cpusAllowed.test(asked.cpu)) return settle(step, "not_allowed"), step;
  for (const PlacementLevel& level : p.levels)
    if (judgeLevel(m, level, asked.cpu, ladder, step)) return step;
  if (!p.levels.empty()) return settle(step, "stayed"), step;
  pointAt(step, ladder, "idle_sibling");
  settle(step, "decided_before", keyOf(p.decidedBy));
  for (const PlacementCpu& row : p.cpus)
    if (row.cpu == asked.cpu && row.verdict != PlacementCpu::Verdict::SameAsOther &&
        row.verdict != PlacementCpu::Verdict::Chosen)
      settle(step, "cpu_refused", keyOf(row.verdict));
  if (step.reason == "cpu_refused") return step;
  const SchedTopology& topology = *m.topology;
  const bool isElsewhere =
      p.target.isValid() && topology.cpus[p.target.index()].llcId != topology.cpus[asked.cpu.index()].llcId;
  if (isElsewhere && !topology.asymCapacityActive) settle(step, "cpu_refused", "other_llc");
  return step;
}

}  // namespace rqscope::api
