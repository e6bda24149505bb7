// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "api/ladder_parts.h"

#include <algorithm>

#include "base/check.h"

namespace rqscope::api {

Comparison compare(Operand left, std::string op, Operand right) {
  const std::int64_t a = left.value;
  const std::int64_t b = right.value;
  bool holds = false;
  if (op == "<")
    holds = a < b;
  else if (op == "<=")
    holds = a <= b;
  else if (op == ">")
    holds = a > b;
  else if (op == ">=")
    holds = a >= b;
  else if (op == "==")
    holds = a == b;
  else
    RQS_CHECK(false, "a comparison of no known kind");
  return {std::move(left), std::move(op), std::move(right), holds};
}

Comparison allowedTest(const Machine& m, std::string name, CpuId cpu, TaskId task) {
  const CpuMask& allowed = m.task(task).cpusAllowed;
  return {cpuOperand(std::move(name), cpu), "in", textOperand("cpus_ptr", groupLabel(allowed)),
          allowed.test(cpu)};
}

std::string cpuLabel(CpuId cpu) { return "CPU " + std::to_string(cpu.value); }

std::string taskLabel(const Machine& m, TaskId task) {
  const Task& t = m.task(task);
  if (t.name.empty()) return "task " + std::to_string(t.pid);
  for (std::size_t i = 0; i < m.tasks.size(); ++i)
    if (i != task.index() && m.tasks[i].se.isValid() && m.tasks[i].name == t.name)
      return t.name + " " + std::to_string(t.pid);
  return t.name;
}

void addLookedAt(Rung& rung, Subject subject) {
  if (subject.id < 0 || std::find(rung.looksAt.begin(), rung.looksAt.end(), subject) != rung.looksAt.end())
    return;
  rung.looksAt.push_back(subject);
}

void addLookedAt(Rung& rung, const CpuMask& cpus) {
  cpus.forEach([&](CpuId cpu) { addLookedAt(rung, cpuSubject(cpu)); });
}

Rung makeRung(std::string kind, const char* function, std::string outcome, Tone tone) {
  Rung rung;
  rung.kind = std::move(kind);
  rung.function = function;
  rung.outcome = std::move(outcome);
  rung.tone = tone;
  return rung;
}

namespace {

/// The comparison in group_classify() and its helpers that settled the type.
void addReason(const GroupStats& stats, unsigned pct, std::vector<Comparison>& tests) {
  const auto capacity100 = [&] { return operand("group_capacity * 100", stats.groupCapacity * 100); };
  const auto utilPct = [&] { return operand("group_util * imbalance_pct", stats.groupUtil * pct); };
  const auto nr = [&] { return operand("sum_nr_running", stats.sumNrRunning, Unit::Tasks); };
  const auto weight = [&] { return operand("group_weight", stats.groupWeight, Unit::Cpus); };
  switch (stats.reason) {
    case GroupTypeReason::UtilOverCapacity:
      tests.push_back(compare(nr(), ">", weight()));
      tests.push_back(compare(capacity100(), "<", utilPct()));
      break;
    case GroupTypeReason::RunnableOverCapacity:
      tests.push_back(compare(nr(), ">", weight()));
      tests.push_back(compare(operand("group_capacity * imbalance_pct", stats.groupCapacity * pct), "<",
                              operand("group_runnable * 100", stats.groupRunnable * 100)));
      break;
    case GroupTypeReason::MisfitLoad:
      tests.push_back(compare(operand("group_misfit_task_load", stats.groupMisfitTaskLoad, Unit::Load), ">",
                              operand("", 0)));
      break;
    case GroupTypeReason::NoCapacity:
      tests.push_back(compare(nr(), "<", weight()));
      tests.push_back(compare(capacity100(), ">", utilPct()));
      break;
    case GroupTypeReason::HasCapacity:
      tests.push_back(compare(nr(), "<", weight()));
      if (!tests.back().holds) tests.push_back(compare(capacity100(), ">", utilPct()));
      break;
    case GroupTypeReason::SiblingExcess:  // shown with the pass, which knows the local group
      break;
    case GroupTypeReason::ImbalanceFlag:
      tests.push_back(compare(operand("sgc->imbalance", 1, Unit::Bool), "==", operand("", 1, Unit::Bool)));
      break;
    case GroupTypeReason::AsymFlag:
      tests.push_back(compare(operand("group_asym_packing", stats.groupAsymPacking, Unit::Bool),
                              "==", operand("", 1, Unit::Bool)));
      break;
    case GroupTypeReason::SmtFlag:
      tests.push_back(compare(operand("group_smt_balance", stats.groupSmtBalance, Unit::Bool),
                              "==", operand("", 1, Unit::Bool)));
      break;
    case GroupTypeReason::LlcVerdict:
      tests.push_back(compare(operand("group_llc_balance", stats.groupLlcBalance, Unit::Bool),
                              "==", operand("", 1, Unit::Bool)));
      break;
  }
}

}  // namespace

RungRow groupRow(const Machine& m, SchedGroupId group, const GroupStats& stats, unsigned imbalancePct) {
  RungRow row;
  row.subject = groupSubject(group);
  row.label = groupLabel(m.topology->group(group).span);
  row.groupType = keyOf(stats.type);
  row.cells = {operand("sum_nr_running", stats.sumNrRunning, Unit::Tasks),
               operand("idle_cpus", stats.idleCpus, Unit::Cpus),
               operand("group_util", stats.groupUtil, Unit::Capacity),
               operand("group_runnable", stats.groupRunnable, Unit::Capacity),
               operand("group_load", stats.groupLoad, Unit::Load),
               operand("group_capacity", stats.groupCapacity, Unit::Capacity)};
  if (stats.avgLoad != 0) row.cells.push_back(operand("avg_load", stats.avgLoad, Unit::Load));
  if (stats.groupMisfitTaskLoad != 0)
    row.cells.push_back(operand("group_misfit_task_load", stats.groupMisfitTaskLoad, Unit::Load));
  addReason(stats, imbalancePct, row.tests);
  return row;
}

}  // namespace rqscope::api
