// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "balance/balance_env.h"
#include "runqueue/load_tracking.h"

namespace rqscope {
namespace {

using Pick = BalanceGroup::Pick;

bool isSmtGroup(const SchedGroup& group) { return (group.flags & kSdShareCpucapacity) != 0; }

/// Fewer idle CPUs wins, then more running tasks.
bool hasLessSpare(const GroupStats& a, const GroupStats& b) {
  if (a.idleCpus != b.idleCpus) return a.idleCpus < b.idleCpus;
  return a.sumNrRunning > b.sumNrRunning;
}

bool winsFullyBusyTie(const BalanceEnv& env, const GroupStats& stats, const GroupStats& busiest,
                      const SchedGroup& busiestGroup) {
  if (!env.m.behaviours().fullyBusyTieNonSmt) return stats.avgLoad > busiest.avgLoad;
  if (stats.avgLoad != busiest.avgLoad) return stats.avgLoad > busiest.avgLoad;
  return !isSmtGroup(busiestGroup);
}

/// Both asym_packing: the group whose preferred CPU is the lesser one is emptied first.
bool winsAsymTie(const BalanceEnv& env, const SchedGroup& group, const SchedGroup& busiestGroup) {
  if (env.m.behaviours().asymPackingIdleCore)
    return asymPrefer(env.m, busiestGroup.asymPreferCpu, group.asymPreferCpu);
  return !asymPrefer(env.m, group.asymPreferCpu, busiestGroup.asymPreferCpu);
}

/// Which of two groups of the same type is busier. The first group of all meets no busiest group.
bool winsTie(const BalanceEnv& env, const DomainStats& sds, const SchedGroup& group,
             const GroupStats& stats) {
  const GroupStats& busiest = sds.busiestStats;
  const Behaviours& b = env.m.behaviours();
  const SchedGroup* const old = sds.busiest >= 0 ? &env.group(sds.busiest) : nullptr;
  switch (stats.type) {
    case GroupType::Overloaded:
      return stats.avgLoad > busiest.avgLoad;
    case GroupType::LlcBalance:
      return stats.nrPrefDstLlc > busiest.nrPrefDstLlc;
    case GroupType::Imbalanced:
      return false;
    case GroupType::AsymPacking:
      return old == nullptr || winsAsymTie(env, group, *old);
    case GroupType::MisfitTask:
      return stats.groupMisfitTaskLoad > busiest.groupMisfitTaskLoad ||
             (b.misfitTieReplaces && stats.groupMisfitTaskLoad == busiest.groupMisfitTaskLoad);
    case GroupType::SmtBalance:
      if (stats.idleCpus != 0 || busiest.idleCpus != 0) return hasLessSpare(stats, busiest);
      return old == nullptr || winsFullyBusyTie(env, stats, busiest, *old);
    case GroupType::FullyBusy:
      return old == nullptr || winsFullyBusyTie(env, stats, busiest, *old);
    case GroupType::HasSpare:
      break;
  }
  if (b.smtBalance && old != nullptr && isSmtGroup(*old) != isSmtGroup(group))
    return !(isSmtGroup(group) && stats.sumHNrRunning <= 1);
  return hasLessSpare(stats, busiest);
}

}  // namespace

BalanceGroup::Pick pickBusiest(const BalanceEnv& env, const DomainStats& sds, const SchedGroup& group,
                               const GroupStats& stats) {
  if (stats.sumHNrRunning == 0) return Pick::NoTasks;
  if ((env.sd.flags & kSdAsymCpucapacity) != 0) {
    const GroupCapacity& sgc = env.m.capacities[group.capacity.index()];
    const std::uint64_t dstCapacity = env.m.rq(env.dst).cpuCapacity;
    if (stats.type == GroupType::MisfitTask &&
        (!env.dstCoreIdle || !capacityGreater(dstCapacity, sgc.maxCapacity) ||
         sds.localStats.type != GroupType::HasSpare))
      return Pick::MisfitCannotHelp;
    if (stats.type <= GroupType::FullyBusy && capacityGreater(sgc.minCapacity, dstCapacity))
      return Pick::DstTooSmall;
  }
  if (stats.type != sds.busiestStats.type)
    return stats.type > sds.busiestStats.type ? Pick::Picked : Pick::LesserType;
  return winsTie(env, sds, group, stats) ? Pick::Picked : Pick::LosesTie;
}

}  // namespace rqscope
