// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "groupstats/group_stats.h"

namespace rqscope {
namespace {

/// Reason for which a group is overloaded, or HasCapacity when it is not.
GroupTypeReason overloadReason(unsigned imbalancePct, const GroupStats& s) {
  if (s.notOverutilized || s.sumNrRunning <= s.groupWeight) return GroupTypeReason::HasCapacity;
  if (s.groupCapacity * 100 < s.groupUtil * imbalancePct) return GroupTypeReason::UtilOverCapacity;
  if (s.groupCapacity * imbalancePct < s.groupRunnable * 100) return GroupTypeReason::RunnableOverCapacity;
  return GroupTypeReason::HasCapacity;
}

}  // namespace

bool groupIsOverloaded(unsigned imbalancePct, const GroupStats& stats) {
  return overloadReason(imbalancePct, stats) != GroupTypeReason::HasCapacity;
}

bool groupHasCapacity(unsigned imbalancePct, const GroupStats& stats) {
  if (stats.sumNrRunning < stats.groupWeight) return true;
  const bool runnableFits = stats.groupCapacity * imbalancePct >= stats.groupRunnable * 100;
  return runnableFits && stats.groupCapacity * 100 > stats.groupUtil * imbalancePct;
}

Classification groupClassify(unsigned imbalancePct, bool sgcImbalance, const GroupStats& stats,
                             const Behaviours& behaviours) {
  const GroupTypeReason overload = overloadReason(imbalancePct, stats);
  if (overload != GroupTypeReason::HasCapacity) return {GroupType::Overloaded, overload};
  if (stats.groupLlcBalance) return {GroupType::LlcBalance, GroupTypeReason::LlcVerdict};
  if (sgcImbalance) return {GroupType::Imbalanced, GroupTypeReason::ImbalanceFlag};
  if (stats.groupAsymPacking) return {GroupType::AsymPacking, GroupTypeReason::AsymFlag};
  if (behaviours.smtBalance && stats.groupSmtBalance)
    return {GroupType::SmtBalance, GroupTypeReason::SmtFlag};
  if (stats.groupMisfitTaskLoad != 0) return {GroupType::MisfitTask, GroupTypeReason::MisfitLoad};
  if (!groupHasCapacity(imbalancePct, stats)) return {GroupType::FullyBusy, GroupTypeReason::NoCapacity};
  return {GroupType::HasSpare, GroupTypeReason::HasCapacity};
}

std::int64_t adjustNumaImbalance(std::int64_t imbalance, int dstRunning, int imbNumaNr) {
  constexpr std::int64_t kNumaImbalanceMin = 2;
  const auto narrow = static_cast<std::int32_t>(imbalance);  // the kernel passes it as int
  if (dstRunning > imbNumaNr) return narrow;
  return narrow <= kNumaImbalanceMin ? 0 : narrow;
}

}  // namespace rqscope
