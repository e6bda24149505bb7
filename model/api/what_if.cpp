// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "rqscope/what_if.h"

#include <algorithm>

#include "api/decision_replay.h"
#include "api/ladder_keys.h"
#include "api/simulation_impl.h"
#include "api/what_if_changes.h"
#include "balance/balance.h"
#include "balance/balance_env.h"
#include "runqueue/queue.h"

namespace rqscope::api {
namespace {

/// Numbers that stand in the machine or the call before the decision begins.
void changeStart(DecisionStart& start, Change& change) {
  const auto cpuWanted = [&](CpuId& cpu) {
    const CpuId wanted{static_cast<std::int32_t>(change.value)};
    change.isReached =
        wanted.index() < start.machine.rqs.size() && start.machine.topology->online.test(wanted);
    if (change.isReached) cpu = wanted;
  };
  if (change.name == "idle") {
    start.pass.idle = static_cast<CpuIdleType>(change.value);
    change.isReached = true;
  } else if (change.name == "dst_cpu") {
    cpuWanted(start.machine.rq(start.pass.runOn).pushCpu);
  } else if (change.name == "sync") {
    start.call.wakeFlags =
        change.value != 0 ? start.call.wakeFlags | kWfSync : start.call.wakeFlags & ~std::uint32_t{kWfSync};
    change.isReached = true;
  } else if (change.name == "overutilized") {
    Machine& m = start.machine;
    m.rootDomains[m.topology->cpus[start.call.wakerCpu.index()].rootDomain.index()].overutilized =
        change.value != 0;
    change.isReached = true;
  } else if (change.name == "prev_cpu") {
    cpuWanted(start.call.prevCpu);
  } else if (change.name == "this_cpu") {
    cpuWanted(start.call.wakerCpu);
  } else {
    changeMachine(start.machine, start.pass.domain, change);
  }
}

/// Numbers of the tests that come before the pass itself.
void changeGate(DecisionStart& start, Change& change) {
  Machine& m = start.machine;
  DomainState& state = m.domains[start.pass.domain.index()];
  const auto amount = static_cast<std::uint64_t>(change.value);
  if (change.name == "balance_interval") {
    state.balanceIntervalMs = static_cast<std::uint32_t>(change.value);
  } else if (change.name == "jiffies") {
    m.jiffies = amount;
  } else if (change.name == "avg_idle") {
    m.rq(start.pass.dstCpu).avgIdle = amount;
    start.pass.avgIdleNs = amount;
  } else {
    start.pass.costSoFarNs = amount - std::min(amount, state.maxNewidleLbCost);
    state.maxNewidleLbCost = std::min(amount, state.maxNewidleLbCost);
  }
  change.isReached = true;
}

/// Is the pass made at all? Asks the tests that the engine asks before it.
bool isMade(DecisionStart& start) {
  BalancePass& pass = start.pass;
  const Machine& m = start.machine;
  if (start.isPlacement || pass.entry == BalanceEntry::ActiveStopper || !pass.domain.isValid()) return true;
  if (pass.entry == BalanceEntry::Newidle)
    return newidleHasTime(m, pass.dstCpu, pass.costSoFarNs + m.domains[pass.domain.index()].maxNewidleLbCost);
  pass.intervalJiffies = sdBalanceInterval(m, pass.domain, isBusyForBalance(m, pass.dstCpu, pass.idle));
  return isDomainDue(m, pass.domain, pass.intervalJiffies);
}

MadeDecision notMade(DecisionStart& start) {
  const Machine& m = start.machine;
  BalancePass& pass = start.pass;
  const DomainState& state = m.domains[pass.domain.index()];
  pass.jiffies = m.jiffies;
  pass.lastBalance = state.lastBalance;
  pass.intervalMsBefore = pass.intervalMsAfter = state.balanceIntervalMs;
  DecisionOutcome outcome;
  outcome.result = "not_made";
  outcome.why = pass.entry == BalanceEntry::Newidle ? "newidle_cost" : "not_due";
  outcome.cpu = pass.dstCpu.value;
  return {std::make_shared<const Ladder>(passNotMade(m, pass, start.place)), std::move(outcome)};
}

/// The rung of the statistics in a round of the pass, or null.
Rung* statisticsOf(Ladder& ladder, int round) {
  int seen = -1;
  for (Rung& rung : ladder.rungs) {
    if (rung.kind == "should_we_balance") ++seen;
    if (rung.kind == "group_statistics" && seen == round) return &rung;
  }
  return nullptr;
}

/// Figures that are changed where the busiest group is picked stand in the statistics as well, one step
/// before: there they are as without those changes.
std::shared_ptr<const Ladder> withEarlierStatistics(const DecisionStart& start,
                                                    const std::vector<Change>& changes,
                                                    const std::shared_ptr<const Ladder>& altered) {
  std::vector<Change> earlier;
  for (const Change& change : changes)
    if (!change.isOfPick) earlier.push_back(change);
  if (earlier.size() == changes.size() || altered == nullptr) return altered;
  PassChanges hook(earlier);
  const MadeDecision before = makeDecision(start, &hook, nullptr);
  auto out = std::make_shared<Ladder>(*altered);
  Ladder source = *before.ladder;
  for (const Change& change : changes) {
    if (!change.isOfPick) continue;
    Rung* const from = statisticsOf(source, change.round);
    Rung* const to = statisticsOf(*out, change.round);
    if (from != nullptr && to != nullptr) *to = *from;
  }
  return out;
}

/// Marks each rung of the altered ladder by its partner in the actual one: the next of its kind and subject.
void compareLadders(WhatIf& out) {
  const std::vector<Rung>& a = out.actual->rungs;
  const std::vector<Rung>& b = out.altered->rungs;
  std::size_t from = 0;
  for (const Rung& rung : b) {
    std::int32_t partner = -1;
    for (std::size_t i = from; i < a.size() && partner < 0; ++i)
      if (a[i].kind == rung.kind && (rung.kind != "candidate" || a[i].subject == rung.subject))
        partner = static_cast<std::int32_t>(i);
    out.partners.push_back(partner);
    auto mark = WhatIf::Mark::New;
    if (partner >= 0) {
      from = static_cast<std::size_t>(partner) + 1;
      mark = a[static_cast<std::size_t>(partner)] == rung ? WhatIf::Mark::Same : WhatIf::Mark::Changed;
    }
    out.marks.push_back(mark);
  }
  const std::size_t common = std::min(a.size(), b.size());
  for (std::size_t i = 0; i < common && out.firstDifference < 0; ++i)
    if (!(a[i] == b[i])) out.firstDifference = static_cast<std::int32_t>(i);
  if (out.firstDifference < 0 && a.size() != b.size())
    out.firstDifference = static_cast<std::int32_t>(common);
}

}  // namespace

WhatIf Simulation::whatIf(std::uint64_t index, const std::vector<OperandOverride>& overrides) {
  WhatIf out;
  std::optional<DecisionStart> start = decisionStart(m_impl->history, index);
  if (!start) return out;
  MadeDecision actual = makeDecision(*start, nullptr, nullptr);
  out.actual = actual.ladder;
  out.before = actual.outcome;
  std::vector<Change> changes;
  std::vector<std::size_t> numbers;  // of the override that each change comes from
  out.reached.assign(overrides.size(), false);
  for (std::size_t i = 0; i < overrides.size(); ++i) {
    const std::string wrong = outOfRange(*out.actual, overrides[i]);
    if (!wrong.empty()) {
      out.problems.push_back(pathText(*out.actual, overrides[i].path) + ": " + wrong);
      continue;
    }
    changes.push_back(changeOf(*out.actual, overrides[i]));
    numbers.push_back(i);
  }
  for (Change& change : changes) {
    if (change.stage == ChangeStage::Begin) changeStart(*start, change);
    if (change.stage == ChangeStage::Gate) changeGate(*start, change);
  }
  PassChanges passHook(changes);
  PlacementChanges placementHook(changes, start->call);
  MadeDecision altered = isMade(*start) ? makeDecision(*start, &passHook, &placementHook) : notMade(*start);
  out.altered = withEarlierStatistics(*start, changes, altered.ladder);
  out.after = altered.outcome;
  for (std::size_t i = 0; i < changes.size(); ++i) out.reached[numbers[i]] = changes[i].isReached;
  compareLadders(out);
  return out;
}

}  // namespace rqscope::api
