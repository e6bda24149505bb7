// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "balance/average_load.h"
#include "balance/balance_env.h"
#include "balance/pass_hook.h"

namespace rqscope {
namespace {

using Why = FindSrcGroupWhy;

bool isSmtGroup(const SchedGroup& group) { return (group.flags & kSdShareCpucapacity) != 0; }

ImbalanceRule setImbalance(BalanceEnv& env, MigrationType type, std::int64_t amount, ImbalanceRule rule) {
  env.migration = type;
  env.imbalance = amount;
  return rule;
}

/// Even numbers of running tasks between groups; v6.1 plain, later per core.
std::int64_t runningDifference(const BalanceEnv& env, const DomainStats& sds) {
  const std::uint32_t busiest = sds.busiestStats.sumNrRunning;
  const std::uint32_t local = sds.localStats.sumNrRunning;
  if (!env.m.behaviours().siblingImbalance) return busiest > local ? busiest - local : 0;
  return siblingImbalance(env.isIdle(), env.group(sds.busiest).cores, env.group(sds.local).cores, busiest,
                          local);
}

/// Which line of sibling_imbalance() gave the difference.
ImbalanceRule siblingRule(const BalanceEnv& env, const DomainStats& sds) {
  if (!env.m.behaviours().siblingImbalance) return ImbalanceRule::SpareTasksSibling;
  if (!env.isIdle()) return ImbalanceRule::SiblingNotIdle;
  const bool isEven = env.group(sds.busiest).cores == env.group(sds.local).cores;
  return isEven ? ImbalanceRule::SpareTasksSibling : ImbalanceRule::SpareTasksCores;
}

/// Part of a difference between nodes that remains to be moved. Before e496132ebedd up to a quarter of a
/// group's CPUs could run elsewhere, before 2cfb7a1b031b of the busiest group's, as it was found.
std::int64_t numaRemainder(const BalanceEnv& env, const DomainStats& sds, std::int64_t amount) {
  const Behaviours& b = env.m.behaviours();
  const GroupStats& dst = sds.localStats;
  const GroupStats& src = sds.busiestStats;
  const auto quarter = [](const GroupStats& g) { return static_cast<int>(g.groupWeight / 4) - 1; };
  if (b.numaThresholdByLlc)
    return adjustNumaImbalance(amount, static_cast<int>(dst.sumNrRunning) + 1, env.sd.imbNumaNr);
  if (b.numaThresholdOfDst)
    return adjustNumaImbalance(amount, static_cast<int>(dst.sumNrRunning) + 1, quarter(dst));
  return adjustNumaImbalance(amount, static_cast<int>(src.sumNrRunning), quarter(src));
}

/// The local group has spare capacity: fill it without overloading it or emptying the other.
ImbalanceRule imbalanceOfSpareLocal(BalanceEnv& env, const DomainStats& sds) {
  const GroupStats& local = sds.localStats;
  const GroupStats& busiest = sds.busiestStats;
  if (busiest.type > GroupType::FullyBusy && (env.sd.flags & kSdShareLlc) == 0) {
    const std::uint64_t spare = std::max(local.groupCapacity, local.groupUtil) - local.groupUtil;
    if (env.isIdle() && spare == 0)
      return setImbalance(env, MigrationType::Task, 1, ImbalanceRule::SpareUtilOneTask);
    return setImbalance(env, MigrationType::Util, static_cast<std::int64_t>(spare), ImbalanceRule::SpareUtil);
  }
  const bool sibling = busiest.groupWeight == 1 || sds.preferSibling;
  // The kernel subtracts 32-bit unsigned numbers: fewer idle CPUs here than there wraps to a huge amount.
  std::int64_t amount = sibling ? runningDifference(env, sds)
                                : std::int64_t{static_cast<std::uint32_t>(local.idleCpus - busiest.idleCpus)};
  ImbalanceRule rule = sibling ? siblingRule(env, sds) : ImbalanceRule::SpareTasksIdleCpus;
  if ((env.sd.flags & kSdNuma) != 0) {
    const std::int64_t found = amount;
    amount = numaRemainder(env, sds, found);
    if (found != 0 && amount == 0) rule = ImbalanceRule::NumaImbalanceAllowed;
  }
  return setImbalance(env, MigrationType::Task, amount >> 1, rule);
}

/// Average load per capacity of the whole domain.
std::uint64_t domainAverage(const DomainStats& sds) {
  return sds.totalLoad * kCapacityScale / sds.totalCapacity;
}

/// Both groups are or become overloaded: move load until the smaller of the two distances to the average.
ImbalanceRule imbalanceOfLoad(BalanceEnv& env, DomainStats& sds) {
  GroupStats& local = sds.localStats;
  const GroupStats& busiest = sds.busiestStats;
  if (local.type < GroupType::Overloaded) {
    local.avgLoad = local.groupLoad * kCapacityScale / local.groupCapacity;
    if (local.avgLoad >= busiest.avgLoad) {
      env.imbalance = 0;
      return ImbalanceRule::LoadLocalAboveBusiest;
    }
    sds.avgLoad = domainAverage(sds);
    if (env.m.behaviours().loadImbalanceChecked && local.avgLoad >= sds.avgLoad) {
      env.imbalance = 0;
      return ImbalanceRule::LoadLocalAboveAvg;
    }
  }
  // Unsigned: before 91dcf1e8068e a local group above the average wrapped `below` and `above` won.
  const std::uint64_t above = (busiest.avgLoad - sds.avgLoad) * busiest.groupCapacity;
  const std::uint64_t below = (sds.avgLoad - local.avgLoad) * local.groupCapacity;
  return setImbalance(env, MigrationType::Load,
                      static_cast<std::int64_t>(std::min(above, below) / kCapacityScale),
                      ImbalanceRule::LoadFormula);
}

/// Both groups overloaded: is the difference worth moving anything? Compare when it is.
Why compareOverloaded(const BalanceEnv& env, DomainStats& sds) {
  const GroupStats& local = sds.localStats;
  const GroupStats& busiest = sds.busiestStats;
  if (local.avgLoad >= busiest.avgLoad) return Why::LocalLoadGeBusiest;
  sds.avgLoad = domainAverage(sds);
  if (local.avgLoad >= sds.avgLoad) return Why::LocalLoadGeAvg;
  if (100 * busiest.avgLoad <= static_cast<std::uint64_t>(env.sd.imbalancePct) * local.avgLoad)
    return Why::WithinImbalancePct;
  return Why::Compare;
}

bool exceedsSibling(const BalanceEnv& env, const DomainStats& sds) {
  if (!sds.preferSibling || sds.localStats.type != GroupType::HasSpare) return false;
  if (sds.busiestStats.type == GroupType::LlcBalance) return true;
  return runningDifference(env, sds) > 1;
}

/// The busiest group is not overloaded: only an idle CPU pulls, and only from enough.
Why compareNotOverloaded(const BalanceEnv& env, const DomainStats& sds) {
  const GroupStats& busiest = sds.busiestStats;
  if (!env.isIdle()) return Why::DstNotIdle;
  if (busiest.type == GroupType::SmtBalance &&
      isSmtGroup(env.group(sds.local)) != isSmtGroup(env.group(sds.busiest)))
    return Why::SmtBalance;
  if (busiest.groupWeight > 1 && sds.localStats.idleCpus <= busiest.idleCpus + 1)
    return Why::IdleCpusBalanced;
  if (busiest.sumHNrRunning == 1) return Why::BusiestOneTask;
  return Why::Compare;
}

/// The tests of find_src_group() in their order.
Why srcGroupWhy(const BalanceEnv& env, DomainStats& sds) {
  if (sds.busiest < 0) return Why::NoBusiest;
  const GroupStats& busiest = sds.busiestStats;
  if (busiest.type == GroupType::MisfitTask) return Why::Misfit;
  const RootDomain& rd = env.m.rootDomains[env.topology().cpus[env.dst.index()].rootDomain.index()];
  if (rd.energyAware && !rd.overutilized) return Why::EnergyAware;
  if (busiest.type == GroupType::AsymPacking) return Why::AsymPacking;
  if (busiest.type == GroupType::Imbalanced) return Why::Imbalanced;
  if (sds.localStats.type > busiest.type) return Why::LocalTypeGreater;
  if (sds.localStats.type == GroupType::Overloaded) {
    const Why why = compareOverloaded(env, sds);
    if (why != Why::Compare) return why;
  }
  if (exceedsSibling(env, sds)) return Why::PreferSibling;
  if (busiest.type != GroupType::Overloaded) return compareNotOverloaded(env, sds);
  return Why::Compare;
}

void recordDecision(const BalanceEnv& env, const DomainStats& sds, Why why, ImbalanceRule rule, bool found) {
  if (env.round == nullptr) return;
  BalanceRound& r = *env.round;
  r.local = sds.local;
  r.busiest = sds.busiest;
  r.totalLoad = sds.totalLoad;
  r.totalCapacity = sds.totalCapacity;
  r.averageLoad = sds.avgLoad;
  r.localAvgLoad = sds.localStats.avgLoad;
  r.busiestAvgLoad = sds.busiestStats.avgLoad;
  r.preferSibling = sds.preferSibling;
  r.why = why;
  r.rule = rule;
  r.migrationType = env.migration;
  r.imbalance = env.imbalance;
  r.foundGroup = found;
}

}  // namespace

std::int64_t siblingImbalance(bool dstIdle, int coresBusiest, int coresLocal, std::uint32_t nrBusiest,
                              std::uint32_t nrLocal) {
  if (!dstIdle || nrBusiest == 0) return 0;
  if (coresBusiest == coresLocal) return nrBusiest > nrLocal ? std::int64_t{nrBusiest} - nrLocal : 0;
  const auto cb = static_cast<std::uint32_t>(coresBusiest);
  const auto cl = static_cast<std::uint32_t>(coresLocal);
  std::int64_t n = cl * nrBusiest;
  n -= std::min(n, std::int64_t{cb * nrLocal});
  const std::int64_t cores = std::int64_t{coresLocal} + coresBusiest;
  n = (2 * n + cores) / cores;
  return n <= 1 && nrLocal == 0 && nrBusiest > 1 ? 2 : n;
}

ImbalanceRule calculateImbalance(BalanceEnv& env, DomainStats& sds) {
  const GroupStats& busiest = sds.busiestStats;
  switch (busiest.type) {
    case GroupType::MisfitTask:
      if ((env.sd.flags & kSdAsymCpucapacity) != 0)
        return setImbalance(env, MigrationType::Misfit, 1, ImbalanceRule::Misfit);
      return setImbalance(env, MigrationType::Load, static_cast<std::int64_t>(busiest.groupMisfitTaskLoad),
                          ImbalanceRule::MisfitReducedCapacity);
    case GroupType::AsymPacking:
      return setImbalance(env, MigrationType::Task, busiest.sumHNrRunning, ImbalanceRule::AsymPacking);
    case GroupType::SmtBalance:
      return setImbalance(env, MigrationType::Task, 1, ImbalanceRule::SmtBalance);
    case GroupType::LlcBalance:
      return setImbalance(env, MigrationType::LlcTask, 1, ImbalanceRule::LlcBalance);
    case GroupType::Imbalanced:
      return setImbalance(env, MigrationType::Task, 1, ImbalanceRule::ImbalancedOneTask);
    default:
      break;
  }
  if (sds.localStats.type == GroupType::HasSpare) return imbalanceOfSpareLocal(env, sds);
  return imbalanceOfLoad(env, sds);
}

bool decideSrcGroup(BalanceEnv& env, DomainStats& sds, FindSrcGroupWhy& why) {
  PassHook* const hook = env.ctx.passHook;
  if (hook != nullptr) hook->onFindSrcGroup(env, sds);
  const bool byAverage = !env.m.behaviours().balanceRework;
  why = byAverage ? whyByAverage(env, sds) : srcGroupWhy(env, sds);
  auto rule = ImbalanceRule::None;
  if (why < Why::Misfit) {  // a reason to stay
    env.imbalance = 0;
  } else {
    if (hook != nullptr) hook->onCalculateImbalance(env, sds);
    rule = byAverage ? imbalanceByAverage(env, sds, why) : calculateImbalance(env, sds);
    if (hook != nullptr) hook->onImbalance(env);
  }
  env.why = why;
  env.rule = rule;
  const bool found = env.imbalance != 0;
  recordDecision(env, sds, why, rule, found);
  return found;
}

int findSrcGroup(BalanceEnv& env) {
  DomainStats sds;
  updateDomainStats(env, sds);
  Why why;
  return decideSrcGroup(env, sds, why) ? sds.busiest : -1;
}

}  // namespace rqscope
