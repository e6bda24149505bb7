// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "groupstats/group_stats.h"
#include "groupstats/placement_decision.h"
#include "placement/wake_affine.h"

namespace rqscope {

/// Changes numbers of a placement right before the step that reads them, for "what if". Each may change what
/// it is given and the machine. The base class does nothing.
class PlacementHook {
 public:
  virtual ~PlacementHook() = default;
  virtual void onWakeWide(Machine&) {}                                 ///< the wakee is recorded
  virtual void onEnergyTask(Machine&, std::uint64_t& /*busyTime*/) {}  ///< busy time of the task is there
  virtual void onEnergyRoom(Machine&, EnergyCandidate&) {}             ///< util and capacity are there
  virtual void onEnergy(Machine&, EnergyCandidate&) {}                 ///< energies of a CPU are there
  virtual void onWakeAffine(Machine&) {}                               ///< before wake_affine_idle()
  virtual void onEffectiveLoads(WakeAffineChoice&) {}                  ///< before they are compared
  virtual void onSelectIdleSibling(Machine&, CpuId& /*target*/) {}     ///< before the first CPU is looked at
  /// The sums of a group are there, its type is not.
  virtual void onGroupSums(Machine&, SchedGroupId, GroupStats&) {}
  /// Its type and average load are there.
  virtual void onGroupType(Machine&, SchedGroupId, GroupStats&) {}
  virtual void onFindDstCpu(Machine&, SchedGroupId) {}  ///< before a CPU of the chosen group is looked at
};

}  // namespace rqscope
