// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "rqscope/derivation.h"

#include <algorithm>

#include "api/decision_replay.h"
#include "api/derivation_parts.h"
#include "api/ladder_parts.h"
#include "api/simulation_impl.h"
#include "api/what_if_rules.h"
#include "balance/balance_env.h"
#include "runqueue/load_tracking.h"
#include "runqueue/queue.h"

namespace rqscope::api {
namespace {

using Sources = DerivationSources;

/// One CPU's share of a group's figure, or nothing when it has none.
std::optional<Derivation> shareOf(const Sources& s, const std::string& name, CpuId cpu) {
  Machine& m = s.m;
  const bool without = s.placed.isValid();
  const auto make = [&](std::uint64_t value, Unit unit, const char* ref) {
    return leaf(about(cpuSubject(cpu), operand(cpuLabel(cpu), value, unit)), ofCpu(ref, cpu));
  };
  if (name == "group_util") {
    const std::uint64_t util = without ? cpuUtilWithout(m, cpu, s.placed)
                                       : std::min<std::uint64_t>(cpuUtilCfs(m, cpu), capacityOrig(m, cpu));
    return make(util, Unit::Capacity, "util");
  }
  if (name == "group_load" && !without && !m.behaviours().balanceRework)
    return Derivation{about(cpuSubject(cpu), operand(cpuLabel(cpu), balanceLoad(m, cpu), Unit::Load))};
  if (name == "group_load")
    return make(without ? cpuLoadWithout(m, cpu, s.placed) : cpuLoad(m, cpu), Unit::Load, "cfs_rq.load_avg");
  if (name == "group_runnable")
    return make(without ? cpuRunnableWithout(m, cpu, s.placed) : cpuRunnable(m, cpu), Unit::Capacity,
                "cfs_rq.runnable_avg");
  if (name == "sum_nr_running" && !without && m.behaviours().balanceRework)
    return make(m.rq(cpu).nrRunning, Unit::Tasks, "nr_running");
  if ((name == "sum_nr_running" || name == "sum_h_nr_running") && !without)
    return make(fairCount(m, m.rootCfs(cpu)), Unit::Tasks, "nr_running");
  if (name == "idle_cpus" && !without)
    return make(m.rq(cpu).nrRunning == 0 && isIdleCpu(m, cpu) ? 1 : 0, Unit::Cpus, "nr_running");
  if (name == "group_capacity") return make(m.rq(cpu).cpuCapacity, Unit::Capacity, "capacity");
  return std::nullopt;
}

const char* sumFormula(const std::string& name, bool without, bool byAverage) {
  if (name == "group_util")
    return without ? "sum over allowed CPUs of cpu_util_without()"
                   : "sum over CPUs of min(cpu_util_cfs(), capacity)";
  if (name == "group_load" && byAverage && !without) return "sum over CPUs of cpu_runnable_load()";
  if (name == "group_load")
    return without ? "sum over allowed CPUs of cpu_load_without()" : "sum over CPUs of cpu_load()";
  if (name == "group_runnable")
    return without ? "sum over allowed CPUs of cpu_runnable_without()" : "sum over CPUs of cpu_runnable()";
  if (name == "sum_nr_running" && (!byAverage || without)) return "sum over CPUs of rq->nr_running";
  if (name == "sum_nr_running" || name == "sum_h_nr_running") return "sum over CPUs of the fair tasks";
  if (name == "idle_cpus") return "count of the CPUs that are idle";
  return "sum over CPUs of what is left for fair tasks, as of update_group_capacity()";
}

/// A group's figure as a sum over its CPUs.
void sumOverCpus(const Sources& s, const SchedGroup& group, const std::string& name, Derivation& out) {
  out.formula = sumFormula(name, s.placed.isValid(), !s.m.behaviours().balanceRework);
  std::int64_t sum = 0;
  for (const CpuId cpu : group.cpus) {
    if (name != "group_capacity" && s.placed.isValid() && !s.m.task(s.placed).cpusAllowed.test(cpu)) continue;
    if (name != "group_capacity" && (s.leftOut.test(cpu) || !s.m.rq(cpu).isOnline)) continue;
    std::optional<Derivation> share = shareOf(s, name, cpu);
    if (!share) return;
    sum += share->what.value;
    out.parts.push_back(std::move(*share));
  }
  out.isExact = sum == out.what.value;
  if (!out.isExact && name == "group_capacity")
    out.note = "the group's capacity is older than the CPUs': it is refreshed by the group's own balance";
  else if (!out.isExact)
    out.note = "a CPU that affinity left out of the pass does not count";
}

/// Sources of the rounds before the one in which a rung stands: a redo goes on without them.
CpuMask sourcesBefore(const Ladder& ladder, std::int32_t index) {
  CpuMask out, last;
  for (std::int32_t i = 0; i <= index; ++i) {
    const Rung& rung = ladder.rungs[static_cast<std::size_t>(i)];
    if (rung.kind == "should_we_balance") out |= last;
    if (rung.kind == "source_queue" && rung.subject.kind == SubjectKind::Cpu)
      last = CpuMask::of(CpuId{rung.subject.id});
  }
  return out;
}

/// A row of the statistics by its group, of the last rung that has them before the one asked about.
const RungRow* statisticsOf(const Ladder& ladder, std::int32_t before, Subject group) {
  for (std::int32_t i = before; i >= 0; --i) {
    const Rung& rung = ladder.rungs[static_cast<std::size_t>(i)];
    if (rung.kind != "group_statistics" && rung.kind != "dst_group") continue;
    for (const RungRow& row : rung.rows)
      if (row.subject == group) return &row;
  }
  return nullptr;
}

Derivation groupFigure(const Sources& s, const RungRow& row, Operand what, const std::string& name);
Derivation averageOfDomain(const Sources& s, const Ladder& ladder, std::int32_t index, const Operand& what);

/// A figure of a row that stands in a product: "group_capacity * 100" is made of group_capacity.
void addFactors(const Sources& s, const RungRow& row, const std::string& product, Derivation& out) {
  for (const Operand& cell : row.cells)
    if (product.find(cell.name) != std::string::npos)
      out.parts.push_back(groupFigure(s, row, cell, cell.name));
}

/// The test of group_classify() that gave the type.
void deriveType(const Sources& s, const RungRow& row, Derivation& out) {
  out.formula = "group_classify()";
  if (row.tests.empty()) return;
  const Comparison& test = row.tests.back();
  const std::string right = test.right.name.empty() ? std::to_string(test.right.value) : test.right.name;
  out.formula +=
      ": " + test.left.name + " " + test.op + " " + right + (test.holds ? " holds" : " does not hold");
  for (const Operand* side : {&test.left, &test.right}) {
    if (side->name.empty()) continue;
    Derivation part{*side};
    addFactors(s, row, side->name, part);
    const bool isProduct = side->name.find(" * ") != std::string::npos;
    if (isProduct) part.formula = side->name;
    if (!isProduct && !part.parts.empty()) part = Derivation(part.parts.front());
    out.parts.push_back(std::move(part));
  }
}

/// A figure made of two others of the group.
void deriveQuotient(const Sources& s, const RungRow& row, const char* upper, const char* lower,
                    Derivation& out) {
  for (const char* part : {upper, lower})
    for (const Operand& cell : row.cells)
      if (cell.name == part) out.parts.push_back(groupFigure(s, row, cell, part));
}

/// The smallest or largest load of the group's CPUs.
void deriveExtreme(const Sources& s, const SchedGroup& group, const std::string& name, Derivation& out) {
  out.formula = name == "min_load" ? "smallest cpu_runnable_load() of the CPUs"
                                   : "largest cpu_runnable_load() of the CPUs";
  for (const CpuId cpu : group.cpus) {
    if (s.leftOut.test(cpu) || !s.m.rq(cpu).isOnline) continue;
    out.parts.push_back(
        Derivation{about(cpuSubject(cpu), operand(cpuLabel(cpu), balanceLoad(s.m, cpu), Unit::Load))});
  }
}

Derivation groupFigure(const Sources& s, const RungRow& row, Operand what, const std::string& name) {
  Derivation out;
  out.what = std::move(what);
  out.what.about = row.subject;
  const SchedGroup& group = s.m.topology->group(SchedGroupId{row.subject.id});
  if (name == "avg_load") {
    out.formula = "group_load * 1024 / group_capacity";
    deriveQuotient(s, row, "group_load", "group_capacity", out);
    return out;
  }
  if (name == "load_per_task") {
    out.formula = "group_load / sum_nr_running";
    deriveQuotient(s, row, "group_load", "sum_nr_running", out);
    return out;
  }
  if (name == "min_load" || name == "max_load") {
    deriveExtreme(s, group, name, out);
    return out;
  }
  if (name == "group_weight" || name == "cores") {
    out.formula = name == "cores" ? "number of cores of the group" : "number of CPUs of the group";
    return out;
  }
  if (name == "group_type") {
    deriveType(s, row, out);
    return out;
  }
  sumOverCpus(s, group, name, out);
  if (out.parts.empty()) out.note = "no figure of single CPUs is kept for it";
  return out;
}

/// The parts of a formula that are figures of groups named on the same rung.
void addRungParts(const Sources& s, const Ladder& ladder, std::int32_t index, Derivation& out) {
  const Rung& rung = ladder.rungs[static_cast<std::size_t>(index)];
  for (const Operand& operand : rung.operands) {
    if (operand.about.kind != SubjectKind::Group) {
      if (operand.name == "sds.avg_load") out.parts.push_back(averageOfDomain(s, ladder, index, operand));
      if (operand.name == "imb_numa_nr") out.parts.push_back(Derivation{operand});
      continue;
    }
    const RungRow* const row = statisticsOf(ladder, index, operand.about);
    if (row != nullptr)
      out.parts.push_back(groupFigure(s, *row, operand, plainName(operand.name)));
    else
      out.parts.push_back(Derivation{operand});
  }
}

const char* imbalanceFormula(const std::string& rule) {
  if (rule == "spare_util") return "max(local.group_capacity, local.group_util) - local.group_util";
  if (rule == "spare_util_one_task") return "1: the local group has no spare utilisation left";
  if (rule == "spare_tasks_sibling") return "max(busiest.sum_nr_running - local.sum_nr_running, 0) / 2";
  if (rule == "spare_tasks_cores")
    return "(2 * max(local.cores * busiest.sum_nr_running - busiest.cores * local.sum_nr_running, 0) + "
           "cores) "
           "/ cores / 2, cores = local.cores + busiest.cores; at least 1 from 2 tasks to an empty local "
           "group";
  if (rule == "sibling_not_idle") return "0: sibling_imbalance() finds none for a CPU that is not idle";
  if (rule == "numa_imbalance_allowed")
    return "0: adjust_numa_imbalance() leaves a difference of up to 2 while few tasks run on the local node";
  if (rule == "spare_tasks_idle_cpus") return "(local.idle_cpus - busiest.idle_cpus) / 2";
  if (rule == "load_formula")
    return "min((busiest.avg_load - sds.avg_load) * busiest.group_capacity, "
           "(sds.avg_load - local.avg_load) * local.group_capacity) / 1024";
  if (rule == "misfit_reduced_capacity") return "busiest.group_misfit_task_load";
  if (rule == "load_local_above_busiest") return "0: local.avg_load >= busiest.avg_load";
  if (rule == "load_local_above_avg") return "0: local.avg_load >= sds.avg_load";
  if (rule == "asym_packing") return "busiest.sum_h_nr_running";
  if (rule == "average_load")
    return "min(min(busiest.avg_load - sds.avg_load, load above capacity) * busiest.group_capacity, "
           "(sds.avg_load - local.avg_load) * local.group_capacity) / 1024; of a misfit at least its load";
  if (rule == "small_one_task" || rule == "small_more_capacity") return "busiest.load_per_task";
  if (rule == "small_nothing") return "0: one task more would use no more capacity";
  if (rule == "average_packing_load") return "busiest.group_load";
  if (rule == "min_load_half") return "max(busiest.max_load - local.min_load, 0) / 2";
  return "1";
}

void deriveImbalance(const Sources& s, const Ladder& ladder, std::int32_t index, Derivation& out) {
  for (const Operand& operand : ladder.rungs[static_cast<std::size_t>(index)].operands)
    if (operand.name == "rule") out.formula = imbalanceFormula(operand.text);
  for (const Comparison& test : ladder.rungs[static_cast<std::size_t>(index)].tests)
    out.parts.push_back(Derivation{test.left});
  addRungParts(s, ladder, index, out);
}

/// Products and sums that stand as one operand: their factors.
void deriveExpression(const Sources& s, const Ladder& ladder, const OperandPath& path, Derivation& out) {
  const std::string& name = out.what.name;
  const Rung& rung = ladder.rungs[static_cast<std::size_t>(path.rung)];
  const RungRow* row = path.row >= 0 ? &rung.rows[static_cast<std::size_t>(path.row)] : nullptr;
  if (row == nullptr) row = statisticsOf(ladder, path.rung, out.what.about);
  out.formula = name;
  if (row == nullptr) return;
  if (row->subject.kind == SubjectKind::Group) return addFactors(s, *row, name, out);
  for (const Operand& cell : row->cells)
    if (name.find(cell.name) != std::string::npos) out.parts.push_back(Derivation{cell});
}

/// One of the totals of the domain, from the statistics of its groups.
Derivation totalOf(const Sources& s, const Rung& statistics, const char* total, const char* figure) {
  Derivation sum{operand(total, 0), std::string("sum over groups of ") + figure};
  for (const RungRow& row : statistics.rows)
    for (const Operand& cell : row.cells) {
      if (cell.name != figure) continue;
      sum.what.value += cell.value;
      sum.what.unit = cell.unit;
      sum.parts.push_back(groupFigure(s, row, cell, cell.name));
      sum.parts.back().what.name = cell.name + " of " + row.label;
    }
  return sum;
}

/// Total load over total capacity of the domain.
Derivation averageOfDomain(const Sources& s, const Ladder& ladder, std::int32_t index, const Operand& what) {
  Derivation out{what, "total_load * 1024 / total_capacity"};
  for (std::int32_t i = index; i >= 0; --i) {
    const Rung& rung = ladder.rungs[static_cast<std::size_t>(i)];
    if (rung.kind != "group_statistics") continue;
    out.parts = {totalOf(s, rung, "total_load", "group_load"),
                 totalOf(s, rung, "total_capacity", "group_capacity")};
    return out;
  }
  return out;
}

Derivation deriveAt(const Sources& s, const Ladder& ladder, const OperandPath& path, const Operand& what) {
  Derivation out;
  out.what = what;
  const Rung& rung = ladder.rungs[static_cast<std::size_t>(path.rung)];
  Subject subject = what.about.kind != SubjectKind::None ? what.about : rung.subject;
  if (path.row >= 0 && what.about.kind == SubjectKind::None)
    subject = rung.rows[static_cast<std::size_t>(path.row)].subject;
  out.what.about = subject;
  const std::string name = plainName(what.name);
  if (what.name == "sds.avg_load") {
    out = averageOfDomain(s, ladder, path.rung, what);
  } else if (name.find(" * ") != std::string::npos) {
    deriveExpression(s, ladder, path, out);
  } else if (rung.kind == "imbalance" && name == "imbalance") {
    deriveImbalance(s, ladder, path.rung, out);
  } else if (subject.kind == SubjectKind::Group) {
    const RungRow* const row = statisticsOf(ladder, path.rung, subject);
    if (row != nullptr) out = groupFigure(s, *row, what, name);
  } else if (rung.kind == "candidate" && name == "imbalance") {
    for (std::int32_t i = path.rung; i >= 0 && out.formula.empty(); --i)
      if (ladder.rungs[static_cast<std::size_t>(i)].kind == "imbalance") deriveImbalance(s, ladder, i, out);
  } else if (subject.kind == SubjectKind::Cpu && rung.kind == "source_queue") {
    deriveQueue(s, CpuId{subject.id}, out);
  } else if (subject.kind == SubjectKind::Task && rung.kind == "candidate") {
    deriveTask(s, TaskId{subject.id}, out);
  }
  if (out.formula.empty() && out.parts.empty() && !out.value) deriveOnRung(s, ladder, rung, subject, out);
  if (out.formula.empty() && out.parts.empty() && !out.value) deriveCounter(s, ladder, out);
  if (out.formula.empty() && out.parts.empty() && !out.value && out.note.empty())
    out.note = "it is read as it is, not computed in this decision";
  return out;
}

}  // namespace

Derivation Simulation::derive(std::uint64_t index, const OperandPath& path) {
  std::optional<DecisionStart> start = decisionStart(m_impl->history, index);
  if (!start) return {};
  const MadeDecision made = makeDecision(*start, nullptr, nullptr);
  Derivation none;
  none.note = "there is no such operand";
  if (made.ladder == nullptr) return none;
  const std::optional<Operand> what = operandAt(*made.ladder, path);
  if (!what) return none;
  const Sources sources{start->machine, start->isPlacement ? start->call.task : TaskId{},
                        sourcesBefore(*made.ladder, path.rung), start->call.wakerCpu, start->call.prevCpu};
  return deriveAt(sources, *made.ladder, path, *what);
}

}  // namespace rqscope::api
