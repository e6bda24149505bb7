// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "groupstats/balance_pass.h"
#include "groupstats/placement_decision.h"
#include "runqueue/machine.h"
#include "runqueue/observer.h"

namespace rqscope::api {

// Stable keys of the decisions' enumerators: what JSON holds and views/look has words for.

const char* keyOf(GroupType type);
const char* keyOf(BalanceEntry entry);
const char* keyOf(CpuIdleType idle);
const char* keyOf(MigrationType type);
const char* keyOf(FindSrcGroupWhy why);
const char* keyOf(ImbalanceRule rule);
const char* keyOf(BalanceGroup::Pick pick);
const char* keyOf(BalanceQueue::Verdict verdict);
const char* keyOf(BalanceCandidate::Verdict verdict);
const char* keyOf(DetachStop stop);
const char* keyOf(BalanceRound::BalanceCpuRule rule);
const char* keyOf(BalancePass::ActiveReason reason);
const char* keyOf(PassEnd end);
const char* keyOf(NewidleSkip::Reason reason);
const char* keyOf(PlacementKind kind);
const char* keyOf(PlacementStep step);
const char* keyOf(WakeAffineReason reason);
const char* keyOf(PlacementCpu::Verdict verdict);
const char* keyOf(EnergyCandidate::Verdict value);
const char* keyOf(EnergyChoice::Why value);
const char* keyOf(PlacementLevel::Why why);
const char* keyOf(MigrationReason reason);

/// Kernel functions by the name the version has for them (v6.10 renamed the balancer's).
enum class KernelFunction {
  Trigger,
  NohzKick,
  Newidle,
  ActiveStop,
  Domains,
  ShouldWeBalance,
  GroupStats,
  PickBusiest,
  FindSrcGroup,
  CalculateImbalance,
  FindSrcRq,
  DetachTasks,
  NeedActiveBalance,
  BalanceRq,
  FindDstGroup,
  FindDstCpu,
  FixSmallImbalance  ///< before v5.5
};
const char* nameOf(KernelFunction function, KernelVersion version);
/// Of a pass: with balance_rework off those that balancing had then, v6.1's.
const char* passFunction(KernelFunction function, const KernelProfile& profile);

/// "{0,3-5}"
std::string groupLabel(const CpuMask& span);

}  // namespace rqscope::api
