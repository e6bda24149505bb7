// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "api/what_if_rules.h"
#include "balance/pass_hook.h"
#include "placement/placement_hook.h"
#include "runqueue/machine.h"

namespace rqscope::api {

/// A changed number and where it takes effect.
struct Change {
  ChangeStage stage = ChangeStage::Begin;
  std::string name;    ///< plain: without "local."
  Subject subject;     ///< whose number it is
  int round = 0;       ///< of the pass, from 0
  int occurrence = 0;  ///< candidate: how often its task was looked at before, in the round
  std::int64_t value = 0;
  bool isReached = false;
  bool isOfPick = false;  ///< on the rung of the busiest group: the statistics before it stay as they are
};

Change changeOf(const Ladder& ladder, const OperandOverride& wanted);

/// What must be there before the decision: numbers of the topology, the profile or the call itself.
void changeMachine(Machine& m, DomainId domain, Change& change);

/// Applies changes to a pass, each before the step that reads it.
class PassChanges final : public PassHook {
 public:
  explicit PassChanges(std::vector<Change>& changes) : m_changes(changes) {}

 private:
  void onRound(BalanceEnv& env) override;
  void onGroupSums(BalanceEnv& env, const SchedGroup& group, GroupStats& stats) override;
  void onGroupType(BalanceEnv& env, const SchedGroup& group, GroupStats& stats) override;
  void onFindSrcGroup(BalanceEnv& env, DomainStats& sds) override;
  void onCalculateImbalance(BalanceEnv& env, DomainStats& sds) override;
  void onImbalance(BalanceEnv& env) override;
  void onFindSrcRq(BalanceEnv& env) override;
  void onDetachTasks(BalanceEnv& env) override;
  void onCandidate(BalanceEnv& env, TaskId task) override;
  bool isWaived(BalanceEnv& env, TaskId task, BalanceCandidate::Verdict verdict) override;
  void onNeedActiveBalance(BalanceEnv& env) override;

  template <class F>
  void at(ChangeStage stage, F&& apply);
  void changeGroups(BalanceEnv& env, DomainStats& sds, ChangeStage stage);

  std::vector<Change>& m_changes;
  int m_round = -1;
  std::vector<std::int32_t> m_seen;  ///< tasks looked at in this round
};

/// The same for a placement.
class PlacementChanges final : public PlacementHook {
 public:
  PlacementChanges(std::vector<Change>& changes, const PlacementCall& call)
      : m_changes(changes), m_call(call) {}

 private:
  void onWakeWide(Machine& m) override;
  void onEnergyTask(Machine& m, std::uint64_t& busyTime) override;
  void onEnergyRoom(Machine& m, EnergyCandidate& candidate) override;
  void onEnergy(Machine& m, EnergyCandidate& candidate) override;
  void onWakeAffine(Machine& m) override;
  void onEffectiveLoads(WakeAffineChoice& choice) override;
  void onSelectIdleSibling(Machine& m, CpuId& target) override;
  void onGroupSums(Machine& m, SchedGroupId group, GroupStats& stats) override;
  void onGroupType(Machine& m, SchedGroupId group, GroupStats& stats) override;
  void onFindDstCpu(Machine& m, SchedGroupId group) override;

  template <class F>
  void at(ChangeStage stage, F&& apply);

  std::vector<Change>& m_changes;
  PlacementCall m_call;
};

}  // namespace rqscope::api
