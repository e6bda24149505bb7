// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "api/ladder_balance_rungs.h"

#include <algorithm>

#include "api/ladder_average_load.h"
#include "api/ladder_parts.h"
#include "balance/balance_env.h"

namespace rqscope::api {
namespace {

unsigned pctOf(const Machine& m, const BalancePass& pass) {
  return static_cast<unsigned>(m.topology->domain(pass.domain).imbalancePct);
}

/// Unit of what a migration type counts.
Unit unitOf(MigrationType type) {
  switch (type) {
    case MigrationType::Load:
      return Unit::Load;
    case MigrationType::Util:
      return Unit::Capacity;
    default:
      return Unit::Tasks;
  }
}

Operand typeOperand(const char* name, GroupType type) {
  return {name, static_cast<std::int64_t>(type), Unit::None, keyOf(type)};
}

/// The two groups that every step after the choice of the busiest compares.
void addGroups(const BalanceRound& round, Rung& rung) {
  for (const std::int32_t position : {round.local, round.busiest})
    if (const BalanceGroup* const group = groupAt(round, position))
      addLookedAt(rung, groupSubject(group->group));
}

/// The comparison that find_src_group() stopped or went on at.
void addWhyTests(const BalancePass& pass, const BalanceRound& round, unsigned pct, Rung& rung) {
  std::vector<Operand>& operands = rung.operands;
  std::vector<Comparison>& tests = rung.tests;
  if (round.why == FindSrcGroupWhy::EnergyAware)
    tests.push_back(compare(operand("overutilized", 0, Unit::Bool), "==", operand("", 0, Unit::Bool)));
  const BalanceGroup* const local = groupAt(round, round.local);
  const BalanceGroup* const busiest = groupAt(round, round.busiest);
  if (local == nullptr || busiest == nullptr) return;
  const GroupStats& l = local->stats;
  const GroupStats& b = busiest->stats;
  switch (round.why) {
    case FindSrcGroupWhy::LocalTypeGreater:
    case FindSrcGroupWhy::Compare:
      tests.push_back(compare(groupTypeOperand(*local, "local.group_type"), ">",
                              groupTypeOperand(*busiest, "busiest.group_type")));
      break;
    case FindSrcGroupWhy::LocalLoadGeBusiest:
      tests.push_back(compare(groupOperand(*local, "local.avg_load", round.localAvgLoad, Unit::Load), ">=",
                              groupOperand(*busiest, "busiest.avg_load", round.busiestAvgLoad, Unit::Load)));
      break;
    case FindSrcGroupWhy::LocalLoadGeAvg:
      tests.push_back(compare(groupOperand(*local, "local.avg_load", round.localAvgLoad, Unit::Load),
                              ">=", operand("sds.avg_load", round.averageLoad, Unit::Load)));
      break;
    case FindSrcGroupWhy::WithinImbalancePct:
      operands.push_back(operand("imbalance_pct", pct, Unit::Percent));
      operands.push_back(groupOperand(*busiest, "busiest.avg_load", round.busiestAvgLoad, Unit::Load));
      operands.push_back(groupOperand(*local, "local.avg_load", round.localAvgLoad, Unit::Load));
      tests.push_back(
          compare(groupOperand(*busiest, "100 * busiest.avg_load", 100 * round.busiestAvgLoad),
                  "<=", groupOperand(*local, "imbalance_pct * local.avg_load", pct * round.localAvgLoad)));
      break;
    case FindSrcGroupWhy::DstNotIdle:
      tests.push_back(compare(operand("idle", pass.idle != CpuIdleType::NotIdle, Unit::Bool),
                              "==", operand("", 0, Unit::Bool)));
      break;
    case FindSrcGroupWhy::IdleCpusBalanced:
      tests.push_back(compare(
          groupOperand(*local, "local.idle_cpus", l.idleCpus, Unit::Cpus),
          "<=", groupOperand(*busiest, "busiest.idle_cpus + 1", std::int64_t{b.idleCpus} + 1, Unit::Cpus)));
      break;
    case FindSrcGroupWhy::BusiestOneTask:
      tests.push_back(
          compare(groupOperand(*busiest, "busiest.sum_h_nr_running", b.sumHNrRunning, Unit::Tasks),
                  "==", operand("", 1, Unit::Tasks)));
      break;
    case FindSrcGroupWhy::Misfit:
    case FindSrcGroupWhy::AsymPacking:
    case FindSrcGroupWhy::Imbalanced:
    case FindSrcGroupWhy::SmtBalance:
    case FindSrcGroupWhy::LlcBalance:
      tests.push_back(
          compare(groupTypeOperand(*busiest, "busiest.group_type"), "==", typeOperand("", b.type)));
      break;
    case FindSrcGroupWhy::PreferSibling:
      tests.push_back(compare(operand("prefer_sibling", round.preferSibling, Unit::Bool),
                              "==", operand("", 1, Unit::Bool)));
      break;
    default:
      break;
  }
}

/// The operands of the formula that calculate_imbalance() used.
void addFormula(const Machine& m, const BalancePass& pass, const BalanceRound& round,
                std::vector<Operand>& out) {
  const BalanceGroup* const local = groupAt(round, round.local);
  const BalanceGroup* const busiest = groupAt(round, round.busiest);
  if (local == nullptr || busiest == nullptr) return;
  switch (round.rule) {
    case ImbalanceRule::SpareUtil:
    case ImbalanceRule::SpareUtilOneTask:
      out.push_back(groupOperand(*local, "local.group_capacity", local->stats.groupCapacity, Unit::Capacity));
      out.push_back(groupOperand(*local, "local.group_util", local->stats.groupUtil, Unit::Capacity));
      break;
    case ImbalanceRule::SpareTasksSibling:
    case ImbalanceRule::SpareTasksCores:
    case ImbalanceRule::SiblingNotIdle:
    case ImbalanceRule::NumaImbalanceAllowed:
      out.push_back(
          groupOperand(*busiest, "busiest.sum_nr_running", busiest->stats.sumNrRunning, Unit::Tasks));
      out.push_back(groupOperand(*local, "local.sum_nr_running", local->stats.sumNrRunning, Unit::Tasks));
      if (round.rule == ImbalanceRule::NumaImbalanceAllowed)
        out.push_back(operand("imb_numa_nr", m.topology->domain(pass.domain).imbNumaNr, Unit::Tasks));
      if (round.rule != ImbalanceRule::SpareTasksCores) break;
      out.push_back(groupOperand(*busiest, "busiest.cores", m.topology->group(busiest->group).cores));
      out.push_back(groupOperand(*local, "local.cores", m.topology->group(local->group).cores));
      break;
    case ImbalanceRule::SpareTasksIdleCpus:
      out.push_back(groupOperand(*local, "local.idle_cpus", local->stats.idleCpus, Unit::Cpus));
      out.push_back(groupOperand(*busiest, "busiest.idle_cpus", busiest->stats.idleCpus, Unit::Cpus));
      break;
    case ImbalanceRule::LoadFormula:
    case ImbalanceRule::LoadLocalAboveBusiest:
    case ImbalanceRule::LoadLocalAboveAvg:
      out.push_back(groupOperand(*busiest, "busiest.avg_load", round.busiestAvgLoad, Unit::Load));
      out.push_back(groupOperand(*local, "local.avg_load", round.localAvgLoad, Unit::Load));
      if (round.rule != ImbalanceRule::LoadLocalAboveBusiest)  // it comes after that test
        out.push_back(operand("sds.avg_load", round.averageLoad, Unit::Load));
      break;
    case ImbalanceRule::MisfitReducedCapacity:
      out.push_back(groupOperand(*busiest, "busiest.group_misfit_task_load",
                                 busiest->stats.groupMisfitTaskLoad, Unit::Load));
      break;
    default:
      break;
  }
}

/// Did the search come as far as the figure it compares queues by?
bool isValueRead(BalanceQueue::Verdict verdict) {
  using Verdict = BalanceQueue::Verdict;
  return verdict != Verdict::FbqType && verdict != Verdict::NoTasks && verdict != Verdict::AsymLoneTask &&
         verdict != Verdict::AsymPriority;
}

/// A CPU that should_we_balance() looked at, and what it thought of it.
RungRow seenRow(const BalancePass& pass, const BalanceRound& round, const BalanceCpuSeen& seen) {
  RungRow row;
  row.subject = cpuSubject(seen.cpu);
  row.label = cpuLabel(seen.cpu);
  if (pass.idle == CpuIdleType::NewlyIdle) {
    row.cells = {operand("nr_running", seen.nrRunning, Unit::Tasks),
                 operand("ttwu_pending", seen.isWakeupPending, Unit::Bool)};
  } else {
    row.cells = {operand("idle_cpu", seen.isIdle, Unit::Bool)};
    if (seen.isIdle) row.cells.push_back(operand("is_core_idle", seen.isCoreIdle, Unit::Bool));
  }
  const bool isWanted = seen.cpu == round.balanceCpu;
  const bool isRefused = isWanted && pass.idle == CpuIdleType::NewlyIdle && !round.shouldBalance;
  row.verdict = isRefused ? "has_work" : isWanted ? "chosen" : !seen.isIdle ? "not_idle" : "busy_sibling";
  row.tone = isWanted && !isRefused ? Tone::Yes : Tone::No;
  return row;
}

/// What can_migrate_task() or detach_tasks() found against the task, as a number that can be asked about.
void addRefusal(const Machine& m, const BalanceCandidate& candidate, Unit unit, Rung& rung) {
  using Verdict = BalanceCandidate::Verdict;
  const auto flag = [&](const char* name, bool value) {
    rung.operands.push_back(operand(name, value, Unit::Bool));
  };
  switch (candidate.verdict) {
    case Verdict::Affinity:
      flag("allowed", false);
      rung.tests.push_back(allowedTest(m, "dst_cpu", candidate.dst, candidate.task));
      break;
    case Verdict::Running:
      return flag("on_cpu", true);
    case Verdict::Throttled:
      return flag("throttled", true);
    case Verdict::DelayedTask:
      return flag("sched_delayed", true);
    case Verdict::Ineligible:
      return flag("eligible", false);
    case Verdict::PerCpuKthread:
      return flag("kthread_is_per_cpu", true);
    case Verdict::LlcForbidden:
      return flag("keeps_llc", true);
    case Verdict::FitsSource:
      return flag("fits_source", true);
    case Verdict::LoadMin:
      rung.tests.push_back(
          compare(operand("load", candidate.value, unit), "<", operand("LB_MIN", kLbMinLoad, unit)));
      break;
    default:
      break;
  }
}

/// What a queue is compared by.
const char* queueValueName(MigrationType type) {
  switch (type) {
    case MigrationType::Load:
      return "load";
    case MigrationType::Util:
      return "util";
    case MigrationType::Task:
      return "nr_running";  // which each queue's row has anyway
    case MigrationType::Misfit:
      return "misfit_task_load";
    case MigrationType::LlcTask:
      return "nr_pref_dst_llc";
  }
  return "value";
}

}  // namespace

Operand groupTypeOperand(const BalanceGroup& group, const char* name) {
  return about(groupSubject(group.group), typeOperand(name, group.stats.type));
}

Rung shouldWeBalanceRung(const Machine& m, const BalancePass& pass, const BalanceRound& round) {
  Rung rung = makeRung("should_we_balance", passFunction(KernelFunction::ShouldWeBalance, *m.profile),
                       round.shouldBalance ? "yes" : "no", round.shouldBalance ? Tone::Yes : Tone::No);
  rung.subject = cpuSubject(round.balanceCpu.isValid() ? round.balanceCpu : pass.dstCpu);
  addLookedAt(rung, m.topology->group(m.topology->domain(pass.domain).groups.front()).balanceMask);
  rung.operands.push_back(textOperand("rule", keyOf(round.balanceCpuRule)));
  if (round.balanceCpu.isValid())
    rung.tests.push_back(
        compare(cpuOperand("balance_cpu", round.balanceCpu), "==", cpuOperand("dst_cpu", pass.dstCpu)));
  for (const BalanceCpuSeen& seen : round.seen) rung.rows.push_back(seenRow(pass, round, seen));
  return rung;
}

Rung groupStatisticsRung(const Machine& m, const BalancePass& pass, const BalanceRound& round) {
  Rung rung = makeRung("group_statistics", passFunction(KernelFunction::GroupStats, *m.profile), "");
  rung.subject = domainSubject(pass.domain);
  rung.operands.push_back(operand("imbalance_pct", pctOf(m, pass), Unit::Percent));
  for (const BalanceGroup& group : round.groups) {
    RungRow row = groupRow(m, group.group, group.stats, pctOf(m, pass));
    row.isLocal = group.isLocal;
    if (!m.behaviours().balanceRework) addAverageCells(round, group, row);
    rung.rows.push_back(std::move(row));
  }
  rung.outcome = std::to_string(round.groups.size()) + " groups";
  return rung;
}

Rung busiestGroupRung(const Machine& m, const BalancePass& pass, const BalanceRound& round) {
  const BalanceGroup* const busiest = groupAt(round, round.busiest);
  Rung rung = makeRung("busiest_group", passFunction(KernelFunction::PickBusiest, *m.profile),
                       busiest != nullptr ? groupLabel(m.topology->group(busiest->group).span) : "no_busiest",
                       busiest != nullptr ? Tone::Yes : Tone::No);
  if (busiest != nullptr) rung.subject = groupSubject(busiest->group);
  for (const BalanceGroup& group : round.groups) {
    if (group.isLocal) continue;
    RungRow row = groupRow(m, group.group, group.stats, pctOf(m, pass));
    if (!m.behaviours().balanceRework) addAverageCells(round, group, row);
    row.tests.clear();
    row.verdict = &group == busiest ? "picked" : keyOf(group.pick);
    row.tone = &group == busiest ? Tone::Yes : Tone::No;
    // One that led for a while and lost its place to a later one.
    if (&group != busiest && group.pick == BalanceGroup::Pick::Picked) row.verdict = "surpassed";
    rung.rows.push_back(std::move(row));
  }
  return rung;
}

Rung worthBalancingRung(const Machine& m, const BalancePass& pass, const BalanceRound& round) {
  const bool stays = round.why < FindSrcGroupWhy::Misfit;
  Rung rung = makeRung("worth_balancing", passFunction(KernelFunction::FindSrcGroup, *m.profile),
                       keyOf(round.why), stays ? Tone::No : Tone::Yes);
  rung.subject = domainSubject(pass.domain);
  addGroups(round, rung);
  if (m.behaviours().balanceRework)
    addWhyTests(pass, round, pctOf(m, pass), rung);
  else
    addAverageTests(m, pass, round, rung);
  return rung;
}

Rung imbalanceRung(const Machine& m, const BalancePass& pass, const BalanceRound& round) {
  const bool some = round.imbalance != 0;
  Rung rung = makeRung("imbalance", passFunction(imbalanceFunction(round.rule), *m.profile),
                       std::string(keyOf(round.migrationType)) + " " + std::to_string(round.imbalance),
                       some ? Tone::Yes : Tone::No);
  rung.operands.push_back(textOperand("migration_type", keyOf(round.migrationType)));
  rung.operands.push_back(operand("imbalance", round.imbalance, unitOf(round.migrationType)));
  rung.operands.push_back(textOperand("rule", keyOf(round.rule)));
  addGroups(round, rung);
  if (m.behaviours().balanceRework)
    addFormula(m, pass, round, rung.operands);
  else
    addAverageFormula(round, rung);
  if (round.rule == ImbalanceRule::SiblingNotIdle) {
    Operand idle = textOperand("idle", keyOf(pass.idle));
    idle.value = static_cast<std::int64_t>(pass.idle);
    rung.tests.push_back(compare(std::move(idle), "==", textOperand("", keyOf(CpuIdleType::NotIdle))));
  }
  return rung;
}

Rung sourceQueueRung(const Machine& m, const BalancePass& pass, const BalanceRound& round) {
  const bool found = round.sourceCpu.isValid();
  Rung rung = makeRung("source_queue", passFunction(KernelFunction::FindSrcRq, *m.profile),
                       found ? cpuLabel(round.sourceCpu) : "none", found ? Tone::Yes : Tone::No);
  if (found) rung.subject = cpuSubject(round.sourceCpu);
  if (const BalanceGroup* const busiest = groupAt(round, round.busiest))
    addLookedAt(rung, groupSubject(busiest->group));
  for (const BalanceQueue& queue : round.queues) {
    RungRow row;
    row.subject = cpuSubject(queue.cpu);
    row.label = cpuLabel(queue.cpu);
    row.cells = {operand("nr_running", queue.nrRunning, Unit::Tasks)};
    if (round.migrationType != MigrationType::Task && isValueRead(queue.verdict))
      row.cells.push_back(
          operand(queueValueName(round.migrationType), queue.value, unitOf(round.migrationType)));
    row.cells.push_back(operand("capacity", queue.capacity, Unit::Capacity));
    row.verdict = keyOf(queue.verdict);
    row.tone = queue.verdict == BalanceQueue::Verdict::Chosen ? Tone::Yes : Tone::No;
    if (queue.verdict == BalanceQueue::Verdict::AsymLoneTask)
      row.tests.push_back(compare(operand("dst capacity * 1024", m.rq(pass.dstCpu).cpuCapacity * 1024), ">",
                                  operand("src capacity * 1078", queue.capacity * 1078)));
    rung.rows.push_back(std::move(row));
  }
  return rung;
}

Rung candidateRung(const Machine& m, const BalancePass& pass, const BalanceRound& round,
                   const BalanceCandidate& candidate) {
  using Verdict = BalanceCandidate::Verdict;
  const bool detached = candidate.verdict == Verdict::Detached;
  Rung rung = makeRung("candidate", passFunction(KernelFunction::DetachTasks, *m.profile),
                       keyOf(candidate.verdict), detached ? Tone::Yes : Tone::No);
  rung.subject = taskSubject(candidate.task);
  addLookedAt(rung, cpuSubject(round.sourceCpu.isValid() ? round.sourceCpu : pass.sourceCpu));
  addLookedAt(rung, cpuSubject(pass.dstCpu));
  rung.operands.push_back(textOperand("task", taskLabel(m, candidate.task)));
  rung.operands.push_back(operand("nr_balance_failed", pass.nrBalanceFailedBefore));
  if (candidate.loopMax != 0) {
    rung.operands.push_back(operand("loop", candidate.loop));
    rung.operands.push_back(operand("loop_max", candidate.loopMax));
  }
  if (candidate.isHotTested) {
    Operand since = operand("since_exec_start", candidate.sinceExecStartNs, Unit::Nanoseconds);
    if (!candidate.hasRunHere) since.text = "not run here yet";
    rung.operands.push_back(std::move(since));
  }
  const bool compared =
      detached || candidate.verdict == Verdict::LoadTooBig || candidate.verdict == Verdict::UtilTooBig;
  // Before v5.5 all that is moved is load.
  const bool isByLoad = round.migrationType == MigrationType::Load || !m.behaviours().balanceRework;
  const Unit unit = unitOf(isByLoad ? MigrationType::Load : round.migrationType);
  // The stopper takes the first task that may go, whatever its size.
  const bool byAmount =
      pass.entry != BalanceEntry::ActiveStopper &&
      (round.migrationType == MigrationType::Load || round.migrationType == MigrationType::Util || isByLoad);
  if (compared && byAmount) {
    const std::string what = isByLoad ? "load" : "util";
    const std::string shifted =
        what + " " + std::to_string(candidate.value) + " >> " + std::to_string(candidate.shift);
    rung.operands.push_back(operand(what, candidate.value, unit));
    rung.operands.push_back(operand("shift", candidate.shift));
    rung.tests.push_back(compare(operand(candidate.shift != 0 ? shifted : what, candidate.compared, unit),
                                 "<=", operand("imbalance", candidate.limit, unit)));
  }
  addRefusal(m, candidate, unit, rung);
  if (candidate.verdict == Verdict::Hot) {
    rung.tests.push_back(compare(operand("since_exec_start", candidate.sinceExecStartNs, Unit::Nanoseconds),
                                 "<",
                                 operand("migration_cost", m.tunables().migrationCostNs, Unit::Nanoseconds)));
    rung.tests.push_back(
        compare(operand("nr_balance_failed", pass.nrBalanceFailedBefore),
                "<=", operand("cache_nice_tries", m.topology->domain(pass.domain).cacheNiceTries)));
  }
  if (detached && byAmount)
    rung.operands.push_back(operand("imbalance after", candidate.imbalanceAfter, unit));
  return rung;
}

}  // namespace rqscope::api
