// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "api/ladder_average_load.h"

#include <algorithm>

#include "api/ladder_balance_rungs.h"

namespace rqscope::api {
namespace {

using Why = FindSrcGroupWhy;
using Rule = ImbalanceRule;

/// The two groups of a decision and what was compared of them.
struct Pair {
  const BalanceRound& round;
  const BalanceGroup& local;
  const BalanceGroup& busiest;

  Operand localAverage() const {
    return groupOperand(local, "local.avg_load", round.localAvgLoad, Unit::Load);
  }
  Operand busiestAverage() const {
    return groupOperand(busiest, "busiest.avg_load", round.busiestAvgLoad, Unit::Load);
  }
  Operand domainAverage() const { return operand("sds.avg_load", round.averageLoad, Unit::Load); }
  Operand localMin() const {
    return groupOperand(local, "local.min_load", round.average.localMinLoad, Unit::Load);
  }
  Operand busiestMin() const {
    return groupOperand(busiest, "busiest.min_load", round.average.busiestMinLoad, Unit::Load);
  }
};

Operand idleOperand(const char* name, CpuIdleType idle) {
  return {name, static_cast<std::int64_t>(idle), Unit::None, keyOf(idle)};
}

/// Kernel: group_has_capacity() of the local group (v5.4).
Comparison roomTest(const Pair& pair, std::uint64_t pct) {
  const GroupStats& l = pair.local.stats;
  if (l.sumNrRunning < l.groupWeight)
    return compare(groupOperand(pair.local, "local.sum_nr_running", l.sumNrRunning, Unit::Tasks), "<",
                   groupOperand(pair.local, "local.group_weight", l.groupWeight, Unit::Cpus));
  return compare(groupOperand(pair.local, "group_capacity * 100", l.groupCapacity * 100), ">",
                 groupOperand(pair.local, "group_util * imbalance_pct", l.groupUtil * pct));
}

/// Room here and none there, which would have settled it had the CPU just become idle.
void addMissedForce(const Machine& m, const BalancePass& pass, const Pair& pair, std::uint64_t pct,
                    std::vector<Comparison>& tests) {
  if (m.behaviours().forceBalanceWhenIdle || pass.idle != CpuIdleType::Idle) return;
  if (pair.busiest.stats.type != GroupType::Overloaded || !roomTest(pair, pct).holds) return;
  tests.push_back(compare(idleOperand("idle", pass.idle), "==", idleOperand("", CpuIdleType::NewlyIdle)));
}

Comparison typeTest(const Pair& pair, GroupType type) {
  Operand right = textOperand("", keyOf(type));
  right.value = static_cast<std::int64_t>(type);
  return compare(groupTypeOperand(pair.busiest, "busiest.group_type"), "==", std::move(right));
}

/// The comparisons of averages, up to the one that settled it.
void addComparisons(const BalancePass& pass, const Pair& pair, std::uint64_t pct,
                    std::vector<Comparison>& tests) {
  const Why why = pair.round.why;
  tests.push_back(compare(pair.localAverage(), ">=", pair.busiestAverage()));
  if (why == Why::LocalLoadGeBusiest) return;
  tests.push_back(compare(pair.localAverage(), ">=", pair.domainAverage()));
  if (why == Why::LocalLoadGeAvg) return;
  const GroupStats& b = pair.busiest.stats;
  if (pass.idle == CpuIdleType::Idle) {
    if (b.type == GroupType::Overloaded) return tests.push_back(typeTest(pair, b.type));
    tests.push_back(compare(
        groupOperand(pair.local, "local.idle_cpus", pair.local.stats.idleCpus, Unit::Cpus),
        "<=", groupOperand(pair.busiest, "busiest.idle_cpus + 1", std::int64_t{b.idleCpus} + 1, Unit::Cpus)));
    return;
  }
  tests.push_back(compare(
      groupOperand(pair.busiest, "100 * busiest.avg_load", 100 * pair.round.busiestAvgLoad),
      "<=", groupOperand(pair.local, "imbalance_pct * local.avg_load", pct * pair.round.localAvgLoad)));
}

}  // namespace

void addAverageCells(const BalanceRound& round, const BalanceGroup& group, RungRow& row) {
  const GroupStats& stats = group.stats;
  if (stats.avgLoad == 0) row.cells.push_back(operand("avg_load", stats.avgLoad, Unit::Load));
  row.cells.push_back(operand("min_load", stats.minLoad, Unit::Load));
  row.cells.push_back(operand("max_load", stats.maxLoad, Unit::Load));
  const BalanceGroup* const local = groupAt(round, round.local);
  if (stats.reason != GroupTypeReason::SiblingExcess || local == nullptr) return;
  row.tests.push_back(compare(operand("sum_nr_running", stats.sumNrRunning, Unit::Tasks), ">",
                              groupOperand(*local, "local.sum_nr_running + 1",
                                           std::int64_t{local->stats.sumNrRunning} + 1, Unit::Tasks)));
}

void addAverageTests(const Machine& m, const BalancePass& pass, const BalanceRound& round, Rung& rung) {
  if (round.why == Why::EnergyAware)
    rung.tests.push_back(compare(operand("overutilized", 0, Unit::Bool), "==", operand("", 0, Unit::Bool)));
  const BalanceGroup* const local = groupAt(round, round.local);
  const BalanceGroup* const busiest = groupAt(round, round.busiest);
  if (local == nullptr || busiest == nullptr || round.why == Why::EnergyAware) return;
  const Pair pair{round, *local, *busiest};
  const auto pct = static_cast<std::uint64_t>(m.topology->domain(pass.domain).imbalancePct);
  rung.operands = {pair.localAverage(), pair.busiestAverage()};
  if (round.why != Why::NoBusiest && round.why != Why::AsymPacking) {
    rung.operands.push_back(pair.domainAverage());
    rung.operands.push_back(pair.localMin());
    rung.operands.push_back(pair.busiestMin());
  }
  switch (round.why) {
    case Why::NoBusiest:
      rung.tests.push_back(
          compare(groupOperand(*busiest, "busiest.sum_nr_running", busiest->stats.sumNrRunning, Unit::Tasks),
                  "==", operand("", 0, Unit::Tasks)));
      break;
    case Why::AsymPacking:
      rung.operands.push_back(
          cpuOperand("busiest.asym_prefer_cpu", m.topology->group(busiest->group).asymPreferCpu));
      break;
    case Why::Imbalanced:
      rung.tests.push_back(typeTest(pair, GroupType::Imbalanced));
      break;
    case Why::Misfit:
      rung.tests.push_back(typeTest(pair, GroupType::MisfitTask));
      break;
    case Why::IdleBesideOverloaded:
      rung.tests.push_back(roomTest(pair, pct));
      rung.tests.push_back(typeTest(pair, GroupType::Overloaded));
      break;
    case Why::MinLoadLess:
    case Why::LocalMinLoadGeBusiest:
      addMissedForce(m, pass, pair, pct, rung.tests);
      rung.tests.push_back(compare(pair.localMin(), "<", pair.busiestMin()));
      break;
    default:
      addMissedForce(m, pass, pair, pct, rung.tests);
      addComparisons(pass, pair, pct, rung.tests);
      break;
  }
}

void addAverageFormula(const BalanceRound& round, Rung& rung) {
  const BalanceGroup* const local = groupAt(round, round.local);
  const BalanceGroup* const busiest = groupAt(round, round.busiest);
  if (local == nullptr || busiest == nullptr) return;
  const Pair pair{round, *local, *busiest};
  const AverageFigures& figures = round.average;
  std::vector<Operand>& out = rung.operands;
  const auto load = [&](const BalanceGroup& group, const char* name, std::uint64_t value) {
    out.push_back(groupOperand(group, name, value, Unit::Load));
  };
  if (round.rule == Rule::AveragePackingLoad)
    return load(*busiest, "busiest.group_load", busiest->stats.groupLoad);
  if (round.rule == Rule::MinLoadHalf) {
    load(*busiest, "busiest.max_load", figures.busiestMaxLoad);
    out.push_back(pair.localMin());
    return;
  }
  out.insert(out.end(), {pair.busiestAverage(), pair.localAverage(), pair.domainAverage()});
  out.push_back(
      groupOperand(*busiest, "busiest.group_capacity", busiest->stats.groupCapacity, Unit::Capacity));
  out.push_back(groupOperand(*local, "local.group_capacity", local->stats.groupCapacity, Unit::Capacity));
  if (round.migrationType == MigrationType::Misfit)
    load(*busiest, "busiest.group_misfit_task_load", busiest->stats.groupMisfitTaskLoad);
  load(*busiest, "busiest.load_per_task", figures.busiestPerTask);
  if (imbalanceFunction(round.rule) != KernelFunction::FixSmallImbalance) return;
  load(*local, "local.load_per_task", figures.localPerTask);
  out.push_back(operand("scaled_busy_load_per_task", figures.scaledPerTask, Unit::Load));
  out.push_back(operand("imbn", figures.imbn, Unit::Tasks));
  rung.tests.push_back(
      compare(operand("busiest.avg_load + scaled_busy_load_per_task",
                      round.busiestAvgLoad + figures.scaledPerTask, Unit::Load),
              ">=",
              operand("local.avg_load + scaled_busy_load_per_task * imbn",
                      round.localAvgLoad + figures.scaledPerTask * figures.imbn, Unit::Load)));
  if (round.rule == Rule::SmallOneTask) return;
  rung.tests.push_back(compare(operand("capa_move", figures.capaMove, Unit::Load), ">",
                               operand("capa_now", figures.capaNow, Unit::Load)));
}

KernelFunction imbalanceFunction(ImbalanceRule rule) {
  const bool isSmall =
      rule == Rule::SmallOneTask || rule == Rule::SmallMoreCapacity || rule == Rule::SmallNothing;
  return isSmall ? KernelFunction::FixSmallImbalance : KernelFunction::CalculateImbalance;
}

}  // namespace rqscope::api
