// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "balance/balance_env.h"

// How a pass chose its source before 0b0695f2b34a (v5.5): groups compare by their average load. For profiles
// whose balanceRework is off; the steps before and after are those of the profile.
// Simplified: v5.4's type `other` is HasSpare or FullyBusy here, by its own group_has_capacity(); the choice
// takes the two for one. The marks of asymmetric packing, SMT and caches, which are younger, are not set.

namespace rqscope {

/// The group's load, the smallest and the largest of its CPUs, and the counters as v5.4 has them: fair tasks
/// only. Kernel: update_sg_lb_stats() (v5.4); the smallest and largest by the patch of 2016.
void sumAverageLoads(const BalanceEnv& env, const SchedGroup& group, GroupStats& stats);
/// Type of a group with its sums. `local`: statistics of the local group, null for that group itself.
/// Kernel: group_classify(), and what update_sd_lb_stats() makes of it where siblings come first (v5.4).
Classification classifyByAverage(const BalanceEnv& env, bool sgcImbalance, const GroupStats* local,
                                 const GroupStats& stats);
/// Does the child domain want its tasks spread before they double up? Kernel: prefer_sibling (v5.4).
bool prefersSibling(const BalanceEnv& env);
/// Kernel: update_sd_pick_busiest() (v5.4).
/// Simplified: with groupMinLoad the largest smallest load wins among groups of a type, which is what the
/// paper says; its patch, a draft by its own comments, takes whichever group comes last.
BalanceGroup::Pick pickBusiestByAverage(const BalanceEnv& env, const DomainStats& sds,
                                        const SchedGroup& group, const GroupStats& stats);
/// The tests of find_busiest_group() (v5.4) in their order. Computes sds.avgLoad.
FindSrcGroupWhy whyByAverage(const BalanceEnv& env, DomainStats& sds);
/// Sets migration type (load, or misfit) and imbalance. Kernel: calculate_imbalance(),
/// fix_small_imbalance() (v5.4).
ImbalanceRule imbalanceByAverage(BalanceEnv& env, const DomainStats& sds, FindSrcGroupWhy why);

}  // namespace rqscope
