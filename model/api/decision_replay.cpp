// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "api/decision_replay.h"

#include "api/ladder_keys.h"
#include "api/ladder_parts.h"
#include "balance/balance.h"
#include "placement/select_task_rq.h"

namespace rqscope::api {
namespace {

/// Copies the machine when the wanted decision begins. `first` is the number of the event's first decision
/// and is known when the event is replayed, not before.
class StartCapture final : public Observer {
 public:
  StartCapture(std::uint64_t wanted, const std::uint64_t& first) : m_wanted(wanted), m_first(first) {}
  std::optional<DecisionStart> start;

 private:
  bool wantsDecisions() const override { return true; }
  bool isWanted() const { return m_first + m_made == m_wanted && !start; }
  void onBalanceBegin(const Machine& m, const BalancePass& pass) override {
    if (!isWanted()) return;
    start.emplace();
    start->machine = m;
    start->pass = pass;
  }
  void onPlacementBegin(const Machine& m, const PlacementCall& call) override {
    if (!isWanted()) return;
    start.emplace();
    start->machine = m;
    start->isPlacement = true;
    start->call = call;
  }
  void onBalancePass(const Machine&, const BalancePass&) override { ++m_made; }
  void onPlacement(const Machine&, const Placement&) override { ++m_made; }

  std::uint64_t m_wanted, m_made = 0;
  const std::uint64_t& m_first;
};

/// Keeps the ladder of the one decision that it watches.
class OneDecision final : public Observer {
 public:
  explicit OneDecision(const DecisionPlace& place) : m_place(place) {}
  MadeDecision made;

 private:
  bool wantsDecisions() const override { return true; }
  void onBalancePass(const Machine& m, const BalancePass& pass) override {
    made = {std::make_shared<const Ladder>(balanceLadder(m, pass, m_place)), outcomeOf(m, pass)};
  }
  void onPlacement(const Machine& m, const Placement& placement) override {
    made = {std::make_shared<const Ladder>(placementLadder(m, placement, m_place)), outcomeOf(placement)};
  }

  DecisionPlace m_place;
};

/// Why a pass moved nothing, by the test that ended it.
const char* whyOf(const BalancePass& pass) {
  switch (pass.end) {
    case PassEnd::Balanced:
      return keyOf(pass.why);
    case PassEnd::NoImbalance:
      return keyOf(pass.rule);
    case PassEnd::NoneDetached:
      return pass.refusal == BalanceCandidate::Verdict::Detached ? "none_detached" : keyOf(pass.refusal);
    default:
      return keyOf(pass.end);
  }
}

}  // namespace

DecisionOutcome outcomeOf(const Machine& m, const BalancePass& pass) {
  DecisionOutcome out;
  out.result = balanceResult(pass);
  out.cpu = pass.dstCpu.value;
  out.sourceCpu = pass.sourceCpu.value;
  if (pass.movedCount == 0 && !pass.activeStarted) out.why = whyOf(pass);
  if (pass.rounds.empty()) return out;
  const BalanceRound& last = pass.rounds.back();
  if (last.why >= FindSrcGroupWhy::Misfit) {
    out.migrationType = keyOf(last.migrationType);
    out.imbalance = last.imbalance;
  }
  for (const BalanceRound& round : pass.rounds)
    for (const TaskId task : round.moved) {
      out.movedTasks.push_back(task.value);
      out.movedNames.push_back(taskLabel(m, task));
    }
  return out;
}

DecisionOutcome outcomeOf(const Placement& placement) {
  DecisionOutcome out;
  out.result = "placed";
  out.why = keyOf(placement.decidedBy);
  out.cpu = placement.chosen.value;
  out.sourceCpu = placement.prevCpu.value;
  return out;
}

std::optional<DecisionStart> decisionStart(History& history, std::uint64_t index) {
  std::uint64_t first = 0, event = 0;
  StartCapture capture(index, first);
  if (!history.replayDecision(index, capture, first, event) || !capture.start) return std::nullopt;
  capture.start->place = {index, event, history.state().originNs};
  return std::move(capture.start);
}

MadeDecision makeDecision(const DecisionStart& start, PassHook* passHook, PlacementHook* placementHook) {
  Machine m = start.machine;
  OneDecision observer(start.place);
  Context ctx{m, observer, nullptr, passHook, placementHook};
  if (start.isPlacement) {
    const PlacementCall& call = start.call;
    selectTaskRq(ctx, call.task, call.prevCpu, call.wakerCpu, call.wakeFlags);
  } else if (start.pass.entry == BalanceEntry::ActiveStopper) {
    activeLoadBalanceCpuStop(ctx, start.pass.runOn);
  } else {
    BalancePass pass = start.pass;
    bool continueBalancing = true;
    schedBalanceRq(ctx, pass, continueBalancing);
  }
  return std::move(observer.made);
}

}  // namespace rqscope::api
