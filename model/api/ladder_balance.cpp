// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <optional>
#include <string_view>

#include "api/ladder_balance_rungs.h"
#include "api/ladder_builder.h"
#include "api/ladder_parts.h"
#include "balance/balance.h"

namespace rqscope::api {
namespace {

const SchedDomain& domainOf(const Machine& m, const BalancePass& pass) {
  return m.topology->domain(pass.domain);
}

KernelFunction entryFunction(BalanceEntry entry) {
  switch (entry) {
    case BalanceEntry::Tick:
      return KernelFunction::Trigger;
    case BalanceEntry::NohzKick:
      return KernelFunction::NohzKick;
    case BalanceEntry::Newidle:
      return KernelFunction::Newidle;
    case BalanceEntry::ActiveStopper:
      return KernelFunction::ActiveStop;
  }
  return KernelFunction::Trigger;
}

Rung entryRung(const Machine& m, const BalancePass& pass) {
  Rung rung = makeRung("entry", passFunction(entryFunction(pass.entry), *m.profile), keyOf(pass.entry));
  rung.subject = cpuSubject(pass.dstCpu);
  rung.operands.push_back(cpuOperand("dst_cpu", pass.dstCpu));
  addLookedAt(rung, cpuSubject(pass.runOn));
  if (pass.runOn.isValid() && pass.runOn != pass.dstCpu)
    rung.operands.push_back(cpuOperand("this_cpu", pass.runOn));
  rung.operands.push_back(textOperand("idle", keyOf(pass.idle)));
  rung.operands.push_back(operand("jiffies", pass.jiffies, Unit::Jiffies));
  return rung;
}

/// Why the pass runs now: the interval is over, or the newidle pass is expected to be worth its cost.
Rung dueRung(const Machine& m, const BalancePass& pass) {
  if (pass.entry == BalanceEntry::Newidle) {
    Comparison test = compare(
        operand("avg_idle", pass.avgIdleNs, Unit::Nanoseconds), ">=",
        operand("curr_cost + max_newidle_lb_cost",
                pass.costSoFarNs + m.domains[pass.domain.index()].maxNewidleLbCost, Unit::Nanoseconds));
    Rung rung = makeRung("newidle_cost", passFunction(KernelFunction::Newidle, *m.profile),
                         test.holds ? "yes" : "no", test.holds ? Tone::Yes : Tone::No);
    rung.subject = domainSubject(pass.domain);
    rung.tests.push_back(std::move(test));
    return rung;
  }
  Comparison test = compare(
      operand("jiffies", pass.jiffies, Unit::Jiffies),
      ">=", operand("last_balance + interval", pass.lastBalance + pass.intervalJiffies, Unit::Jiffies));
  Rung rung = makeRung("domain_due", passFunction(KernelFunction::Domains, *m.profile),
                       test.holds ? domainOf(m, pass).name : "not_due", test.holds ? Tone::Yes : Tone::No);
  rung.subject = domainSubject(pass.domain);
  rung.operands.push_back(operand("balance_interval", pass.intervalMsBefore, Unit::Milliseconds));
  rung.tests.push_back(std::move(test));
  return rung;
}

Rung resultRung(const Machine& m, const BalancePass& pass) {
  const std::string_view outcome = balanceResult(pass);
  Tone tone = Tone::Neutral;
  if (outcome == "moved" || outcome == "active_started") tone = Tone::Yes;
  if (outcome == "failed" || outcome == "all_pinned") tone = Tone::No;
  Rung rung =
      makeRung("result", passFunction(KernelFunction::BalanceRq, *m.profile), std::string(outcome), tone);
  rung.subject = cpuSubject(pass.dstCpu);
  const auto change = [](std::uint32_t before, std::uint32_t after, const char* unit) {
    return std::to_string(before) + unit + " -> " + std::to_string(after) + unit;
  };
  rung.operands.push_back(operand("moved", pass.movedCount, Unit::Tasks));
  Operand failedOperand = operand("nr_balance_failed", pass.nrBalanceFailedAfter);
  if (pass.nrBalanceFailedAfter != pass.nrBalanceFailedBefore)
    failedOperand.text = change(pass.nrBalanceFailedBefore, pass.nrBalanceFailedAfter, "");
  rung.operands.push_back(failedOperand);
  Operand interval = operand("balance_interval", pass.intervalMsAfter, Unit::Milliseconds);
  if (pass.intervalMsAfter != pass.intervalMsBefore)
    interval.text = change(pass.intervalMsBefore, pass.intervalMsAfter, " ms");
  rung.operands.push_back(interval);
  return rung;
}

/// Whether the pass moves by this kind, in the kernel's words.
Comparison migrationTest(MigrationType is, MigrationType wanted) {
  Operand left = textOperand("migration_type", keyOf(is));
  Operand right = textOperand("", keyOf(wanted));
  left.value = static_cast<std::int64_t>(is);
  right.value = static_cast<std::int64_t>(wanted);
  return compare(std::move(left), "==", std::move(right));
}

/// The failures are only looked at when the kind is migrate_task, so only then they are shown; before v5.5
/// whatever the kind.
Rung activeRung(const Machine& m, const BalancePass& pass) {
  const bool needed = pass.needActiveBalance;
  Rung rung = makeRung("active_balance", passFunction(KernelFunction::NeedActiveBalance, *m.profile),
                       needed ? keyOf(pass.activeReason) : "no", needed ? Tone::Yes : Tone::No);
  rung.subject = cpuSubject(pass.sourceCpu);
  addLookedAt(rung, cpuSubject(pass.dstCpu));
  addLookedAt(rung, taskSubject(m.rq(pass.sourceCpu).curr));
  const SchedDomain& domain = domainOf(m, pass);
  using Reason = BalancePass::ActiveReason;
  const MigrationType is = pass.rounds.back().migrationType;
  const bool isByKind = pass.activeReason == Reason::Misfit || pass.activeReason == Reason::LlcTask;
  const bool isByFailures = is == MigrationType::Task || !m.behaviours().balanceRework;
  if (isByKind || m.behaviours().balanceRework)
    rung.tests.push_back(migrationTest(is, isByKind ? is : MigrationType::Task));
  if (!isByFailures) return rung;
  rung.tests.push_back(
      compare(operand("nr_balance_failed", std::max(pass.nrBalanceFailedBefore, pass.nrBalanceFailedAfter)),
              ">", operand("cache_nice_tries + 2", domain.cacheNiceTries + 2)));
  return rung;
}

void addRound(const Machine& m, const BalancePass& pass, const BalanceRound& round, Ladder& ladder) {
  ladder.rungs.push_back(shouldWeBalanceRung(m, pass, round));
  if (!round.shouldBalance || round.groups.empty()) return;
  ladder.rungs.push_back(groupStatisticsRung(m, pass, round));
  ladder.rungs.push_back(busiestGroupRung(m, pass, round));
  ladder.rungs.push_back(worthBalancingRung(m, pass, round));
  if (round.why < FindSrcGroupWhy::Misfit) return;
  ladder.rungs.push_back(imbalanceRung(m, pass, round));
  if (!round.foundGroup) return;
  ladder.rungs.push_back(sourceQueueRung(m, pass, round));
  for (const BalanceCandidate& candidate : round.candidates)
    ladder.rungs.push_back(candidateRung(m, pass, round, candidate));
}

/// All but the rungs.
Ladder ladderHead(const Machine& m, const BalancePass& pass, const DecisionPlace& place) {
  Ladder ladder;
  const bool isActive = pass.entry == BalanceEntry::ActiveStopper;
  ladder.kind = isActive ? Ladder::Kind::ActiveBalance : Ladder::Kind::Balance;
  ladder.index = place.index;
  ladder.eventIndex = place.event;
  ladder.timeNs = static_cast<std::int64_t>(m.nowNs - place.originNs);
  ladder.entry = keyOf(pass.entry);
  ladder.cpu = pass.dstCpu.value;
  ladder.runOn = pass.runOn.value;
  ladder.domain = pass.domain.value;
  if (pass.domain.isValid()) ladder.domainName = domainOf(m, pass).name;
  ladder.idle = keyOf(pass.idle);
  ladder.moved = pass.movedCount;
  ladder.failed = pass.nrBalanceFailedAfter > pass.nrBalanceFailedBefore;
  return ladder;
}

}  // namespace

const char* balanceResult(const BalancePass& pass) {
  if (pass.movedCount != 0) return "moved";
  if (pass.activeStarted) return "active_started";
  if (pass.serializedOut) return "serialized_out";
  if (pass.nrBalanceFailedAfter > pass.nrBalanceFailedBefore) return "failed";
  return pass.allPinned ? "all_pinned" : "balanced";
}

Ladder passNotMade(const Machine& m, const BalancePass& pass, const DecisionPlace& place) {
  Ladder ladder = ladderHead(m, pass, place);
  ladder.rungs.push_back(entryRung(m, pass));
  ladder.rungs.push_back(dueRung(m, pass));
  return ladder;
}

Ladder balanceLadder(const Machine& m, const BalancePass& pass, const DecisionPlace& place) {
  const bool isActive = pass.entry == BalanceEntry::ActiveStopper;
  Ladder ladder = ladderHead(m, pass, place);
  ladder.rungs.push_back(entryRung(m, pass));
  if (isActive) {
    for (const BalanceRound& round : pass.rounds)
      for (const BalanceCandidate& candidate : round.candidates)
        ladder.rungs.push_back(candidateRung(m, pass, round, candidate));
  } else {
    ladder.rungs.push_back(dueRung(m, pass));
    for (const BalanceRound& round : pass.rounds) addRound(m, pass, round, ladder);
    if (pass.movedCount == 0 && !pass.rounds.empty() && pass.sourceCpu.isValid() && !pass.allPinned)
      ladder.rungs.push_back(activeRung(m, pass));
  }
  ladder.rungs.push_back(resultRung(m, pass));
  // Behind entry and due date all hangs on the choice of the source, and no record of such a kernel is at
  // hand.
  if (!m.behaviours().balanceRework)
    for (Rung& rung : ladder.rungs)
      if (rung.kind != "entry" && rung.kind != "domain_due" && rung.kind != "newidle_cost")
        rung.fidelity = "behaves";
  return ladder;
}

}  // namespace rqscope::api
