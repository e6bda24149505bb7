// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "balance/balance_env.h"

namespace rqscope {

/// Changes numbers of a pass right before the step that reads them, for "what if": everything after is what
/// the engine makes of it. Each may change what it is given and the machine of `env`. The base class does
/// nothing.
class PassHook {
 public:
  virtual ~PassHook() = default;
  virtual void onRound(BalanceEnv&) {}  ///< before should_we_balance(); a redo makes another round
  /// The sums of a group are there, its type is not.
  virtual void onGroupSums(BalanceEnv&, const SchedGroup&, GroupStats&) {}
  /// Its type and average load are there.
  virtual void onGroupType(BalanceEnv&, const SchedGroup&, GroupStats&) {}
  virtual void onFindSrcGroup(BalanceEnv&, DomainStats&) {}        ///< before the tests of find_src_group()
  virtual void onCalculateImbalance(BalanceEnv&, DomainStats&) {}  ///< before calculate_imbalance()
  virtual void onImbalance(BalanceEnv&) {}                         ///< type and amount are there
  virtual void onFindSrcRq(BalanceEnv&) {}                         ///< before a queue is looked at
  virtual void onDetachTasks(BalanceEnv&) {}                       ///< before the first task is looked at
  virtual void onCandidate(BalanceEnv&, TaskId) {}                 ///< before can_migrate_task()
  /// Is this refusal of a task to be passed over? Asked where a test of can_migrate_task() refuses.
  virtual bool isWaived(BalanceEnv&, TaskId, BalanceCandidate::Verdict) { return false; }
  virtual void onNeedActiveBalance(BalanceEnv&) {}
};

}  // namespace rqscope
