// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "balance/average_load.h"

#include <algorithm>

#include "runqueue/tree.h"

namespace rqscope {
namespace {

using Pick = BalanceGroup::Pick;
using Why = FindSrcGroupWhy;

constexpr std::uint64_t kNice0 = 1024;  ///< scale_load_down(NICE_0_LOAD)

/// Order of v5.4's four group types.
int rankOf(GroupType type) {
  switch (type) {
    case GroupType::Overloaded:
      return 3;
    case GroupType::Imbalanced:
      return 2;
    case GroupType::MisfitTask:
      return 1;
    default:
      return 0;
  }
}

bool hasNoCapacity(std::uint64_t pct, const GroupStats& s) {
  return s.sumNrRunning > s.groupWeight && s.groupCapacity * 100 < s.groupUtil * pct;
}

/// Kernel: group_has_capacity() (v5.4).
bool hasCapacity(std::uint64_t pct, const GroupStats& s) {
  return s.sumNrRunning < s.groupWeight || s.groupCapacity * 100 > s.groupUtil * pct;
}

std::uint64_t pctOf(const BalanceEnv& env) { return static_cast<std::uint64_t>(env.sd.imbalancePct); }

/// Noticeably less, by v5.4's margin of a quarter. Kernel: fits_capacity() (v5.4).
bool isSmaller(std::uint64_t a, std::uint64_t b) { return a * 1280 < b * 1024; }

const GroupCapacity& capacityOf(const BalanceEnv& env, const SchedGroup& group) {
  return env.m.capacities[group.capacity.index()];
}

/// Of two groups that are equal otherwise: an idle CPU that is preferred empties the less preferred first.
Pick pickByPriority(const BalanceEnv& env, const DomainStats& sds, const SchedGroup& group,
                    const GroupStats& stats) {
  if ((env.sd.flags & kSdAsymPacking) == 0 || !env.isIdle()) return Pick::Picked;
  if (stats.sumNrRunning == 0 || !asymPrefer(env.m, env.dst, group.asymPreferCpu)) return Pick::LosesTie;
  if (sds.busiest < 0) return Pick::Picked;
  return asymPrefer(env.m, env.group(sds.busiest).asymPreferCpu, group.asymPreferCpu) ? Pick::Picked
                                                                                      : Pick::LosesTie;
}

/// Is the idle destination preferred to the busiest group's CPUs? Kernel: check_asym_packing() (v5.4).
bool wantsPacking(const BalanceEnv& env, const DomainStats& sds) {
  return (env.sd.flags & kSdAsymPacking) != 0 && env.isIdle() && sds.busiest >= 0 &&
         !asymPrefer(env.m, env.group(sds.busiest).asymPreferCpu, env.dst);
}

/// Room here and none there: the averages are not asked. Before 583ffd99d765 only by a newly idle CPU.
bool isForced(const BalanceEnv& env, const DomainStats& sds) {
  const bool mayForce =
      env.m.behaviours().forceBalanceWhenIdle ? env.isIdle() : env.idle == CpuIdleType::NewlyIdle;
  return mayForce && sds.busiestStats.type == GroupType::Overloaded &&
         hasCapacity(pctOf(env), sds.localStats);
}

/// The comparisons of average loads.
Why compareAverages(const BalanceEnv& env, const DomainStats& sds) {
  const GroupStats& local = sds.localStats;
  const GroupStats& busiest = sds.busiestStats;
  if (local.avgLoad >= busiest.avgLoad) return Why::LocalLoadGeBusiest;
  if (local.avgLoad >= sds.avgLoad) return Why::LocalLoadGeAvg;
  if (env.idle == CpuIdleType::Idle) {
    const bool isEven = busiest.type != GroupType::Overloaded && local.idleCpus <= busiest.idleCpus + 1;
    return isEven ? Why::IdleCpusBalanced : Why::Compare;
  }
  return 100 * busiest.avgLoad <= pctOf(env) * local.avgLoad ? Why::WithinImbalancePct : Why::Compare;
}

/// Load of the group's average task, 0 when it has none. Kernel: sgs->load_per_task (v5.4).
std::uint64_t loadPerTask(const GroupStats& stats) {
  return stats.sumNrRunning == 0 ? 0 : stats.groupLoad / stats.sumNrRunning;
}

/// What fix_small_imbalance() weighs.
struct SmallMove {
  const GroupStats& local;
  const GroupStats& busiest;
  std::uint64_t localPerTask, busiestPerTask;

  /// One task's load in the units of the busiest group's average.
  std::uint64_t step() const { return busiestPerTask * kCapacityScale / busiest.groupCapacity; }
  /// Kernel: imbn.
  std::uint64_t tasks() const { return local.sumNrRunning != 0 && busiestPerTask > localPerTask ? 1 : 2; }
  /// Moving one task leaves the local group no busier than the busiest was.
  bool isFair() const { return busiest.avgLoad + step() >= local.avgLoad + step() * tasks(); }
  std::uint64_t usedNow() const {
    return (busiest.groupCapacity * std::min(busiestPerTask, busiest.avgLoad) +
            local.groupCapacity * std::min(localPerTask, local.avgLoad)) /
           kCapacityScale;
  }
  std::uint64_t usedAfter() const {
    std::uint64_t used = 0;
    if (busiest.avgLoad > step())
      used += busiest.groupCapacity * std::min(busiestPerTask, busiest.avgLoad - step());
    const std::uint64_t moved =
        std::min(busiest.avgLoad * busiest.groupCapacity, busiestPerTask * kCapacityScale);
    used += local.groupCapacity * std::min(localPerTask, local.avgLoad + moved / local.groupCapacity);
    return used / kCapacityScale;
  }
};

/// Is one task worth moving where the averages give less? Else the amount stays as it is: `otherwise`.
ImbalanceRule fixSmallImbalance(BalanceEnv& env, const SmallMove& move, ImbalanceRule otherwise) {
  if (env.round != nullptr) {
    AverageFigures& figures = env.round->average;
    figures.scaledPerTask = move.step();
    figures.imbn = move.tasks();
    figures.capaNow = move.usedNow();
    figures.capaMove = move.usedAfter();
  }
  if (!move.isFair() && move.usedAfter() <= move.usedNow()) return otherwise;
  env.imbalance = static_cast<std::int64_t>(move.busiestPerTask);
  return move.isFair() ? ImbalanceRule::SmallOneTask : ImbalanceRule::SmallMoreCapacity;
}

/// The figures that the decision compares, for the record.
void recordFigures(const BalanceEnv& env, const DomainStats& sds, const SmallMove& move) {
  if (env.round == nullptr) return;
  AverageFigures& figures = env.round->average;
  figures.localPerTask = move.localPerTask;
  figures.busiestPerTask = move.busiestPerTask;
  figures.busiestMaxLoad = sds.busiestStats.maxLoad;
}

/// Load above what the busiest group has capacity for, as an average; no limit unless both are overloaded.
std::uint64_t loadAboveCapacity(const GroupStats& local, const GroupStats& busiest) {
  if (busiest.type != GroupType::Overloaded || local.type != GroupType::Overloaded) return UINT64_MAX;
  const std::uint64_t load = busiest.sumNrRunning * kCapacityScale;
  if (load <= busiest.groupCapacity) return UINT64_MAX;
  return (load - busiest.groupCapacity) * kNice0 / busiest.groupCapacity;
}

/// The smaller of the two distances to the domain's average. Unsigned, as in the kernel: of a misfit group
/// either may wrap.
std::uint64_t distanceToAverage(const DomainStats& sds) {
  const GroupStats& local = sds.localStats;
  const GroupStats& busiest = sds.busiestStats;
  const std::uint64_t pull = std::min(busiest.avgLoad - sds.avgLoad, loadAboveCapacity(local, busiest));
  const std::uint64_t push = (sds.avgLoad - local.avgLoad) * local.groupCapacity;
  return std::min(pull * busiest.groupCapacity, push) / kCapacityScale;
}

/// The patch of 2016: half of what lies between the busiest CPU there and the idlest here.
ImbalanceRule imbalanceByMinLoad(BalanceEnv& env, const DomainStats& sds) {
  const std::uint64_t most = sds.busiestStats.maxLoad, least = sds.localStats.minLoad;
  env.imbalance = least >= most ? 0 : static_cast<std::int64_t>((most - least) / 2);
  return ImbalanceRule::MinLoadHalf;
}

}  // namespace

std::uint64_t balanceLoad(const Machine& m, CpuId cpu) {
  const CfsRq& root = m.rootCfs(cpu);
  if (m.behaviours().balanceRework || m.profile->queue == QueueKind::FlatEevdf) return root.avg.loadAvg;
  std::uint64_t load = 0;
  for (EntityId id = root.leftmost; id.isValid(); id = treeNext(m.entities.data(), id))
    load += m.entity(id).avg.loadAvg;
  if (root.curr.isValid() && m.entity(root.curr).onRq) load += m.entity(root.curr).avg.loadAvg;
  return load;
}

void sumAverageLoads(const BalanceEnv& env, const SchedGroup& group, GroupStats& stats) {
  stats.groupLoad = stats.maxLoad = 0;
  stats.minLoad = UINT64_MAX;
  for (const CpuId cpu : group.cpus) {
    if (env.cpusReduced && !env.cpus.test(cpu)) continue;
    const std::uint64_t load = balanceLoad(env.m, cpu);
    stats.groupLoad += load;
    stats.minLoad = std::min(stats.minLoad, load);
    stats.maxLoad = std::max(stats.maxLoad, load);
  }
  stats.minLoad = std::min(stats.minLoad, stats.maxLoad);  // of a group that the pass leaves out: 0
  stats.sumNrRunning = stats.sumHNrRunning;
  if ((env.sd.flags & kSdAsymCpucapacity) == 0) stats.groupMisfitTaskLoad = 0;
}

bool prefersSibling(const BalanceEnv& env) {
  return env.sd.child.isValid() && (env.topology().domain(env.sd.child).flags & kSdPreferSibling) != 0;
}

Classification classifyByAverage(const BalanceEnv& env, bool sgcImbalance, const GroupStats* local,
                                 const GroupStats& stats) {
  const std::uint64_t pct = pctOf(env);
  if (hasNoCapacity(pct, stats)) return {GroupType::Overloaded, GroupTypeReason::UtilOverCapacity};
  if (local != nullptr && prefersSibling(env) && hasCapacity(pct, *local) &&
      stats.sumNrRunning > local->sumNrRunning + 1)
    return {GroupType::Overloaded, GroupTypeReason::SiblingExcess};
  if (sgcImbalance) return {GroupType::Imbalanced, GroupTypeReason::ImbalanceFlag};
  if (stats.groupMisfitTaskLoad != 0) return {GroupType::MisfitTask, GroupTypeReason::MisfitLoad};
  if (hasCapacity(pct, stats)) return {GroupType::HasSpare, GroupTypeReason::HasCapacity};
  return {GroupType::FullyBusy, GroupTypeReason::NoCapacity};
}

BalanceGroup::Pick pickBusiestByAverage(const BalanceEnv& env, const DomainStats& sds,
                                        const SchedGroup& group, const GroupStats& stats) {
  const GroupStats& busiest = sds.busiestStats;
  const GroupCapacity& there = capacityOf(env, group);
  const GroupCapacity& here = capacityOf(env, env.group(sds.local));
  if (stats.type == GroupType::MisfitTask &&
      (!isSmaller(there.maxCapacity, here.maxCapacity) || !hasCapacity(pctOf(env), sds.localStats)))
    return Pick::MisfitCannotHelp;
  const int rank = rankOf(stats.type), leader = rankOf(busiest.type);
  if (rank != leader) return rank > leader ? Pick::Picked : Pick::LesserType;
  const bool byMinLoad = env.m.behaviours().groupMinLoad;
  if (byMinLoad ? stats.minLoad <= busiest.minLoad : stats.avgLoad <= busiest.avgLoad)
    return stats.sumNrRunning == 0 ? Pick::NoTasks : Pick::LosesTie;
  if ((env.sd.flags & kSdAsymCpucapacity) != 0) {
    if (stats.sumNrRunning <= stats.groupWeight && isSmaller(here.minCapacity, there.minCapacity))
      return Pick::DstTooSmall;
    if (stats.type == GroupType::MisfitTask && stats.groupMisfitTaskLoad < busiest.groupMisfitTaskLoad)
      return Pick::LosesTie;
  }
  return pickByPriority(env, sds, group, stats);
}

FindSrcGroupWhy whyByAverage(const BalanceEnv& env, DomainStats& sds) {
  const RootDomain& rd = env.m.rootDomains[env.topology().cpus[env.dst.index()].rootDomain.index()];
  if (rd.energyAware && !rd.overutilized) return Why::EnergyAware;
  if (wantsPacking(env, sds)) return Why::AsymPacking;
  if (sds.busiest < 0 || sds.busiestStats.sumNrRunning == 0) return Why::NoBusiest;
  sds.avgLoad = sds.totalLoad * kCapacityScale / sds.totalCapacity;
  if (env.round != nullptr) {
    env.round->average.localMinLoad = sds.localStats.minLoad;
    env.round->average.busiestMinLoad = sds.busiestStats.minLoad;
  }
  if (sds.busiestStats.type == GroupType::Imbalanced) return Why::Imbalanced;
  if (isForced(env, sds)) return Why::IdleBesideOverloaded;
  if (sds.busiestStats.type == GroupType::MisfitTask) return Why::Misfit;
  if (env.m.behaviours().groupMinLoad)
    return sds.localStats.minLoad < sds.busiestStats.minLoad ? Why::MinLoadLess : Why::LocalMinLoadGeBusiest;
  return compareAverages(env, sds);
}

ImbalanceRule imbalanceByAverage(BalanceEnv& env, const DomainStats& sds, FindSrcGroupWhy why) {
  const GroupStats& local = sds.localStats;
  const GroupStats& busiest = sds.busiestStats;
  env.migration = MigrationType::Load;
  if (why == Why::AsymPacking) {
    env.imbalance = static_cast<std::int64_t>(busiest.groupLoad);
    return ImbalanceRule::AveragePackingLoad;
  }
  const bool isMisfit = busiest.type == GroupType::MisfitTask;
  if (isMisfit) env.migration = MigrationType::Misfit;
  SmallMove move{local, busiest, loadPerTask(local), loadPerTask(busiest)};
  if (busiest.type == GroupType::Imbalanced) move.busiestPerTask = std::min(move.busiestPerTask, sds.avgLoad);
  recordFigures(env, sds, move);
  if (env.m.behaviours().groupMinLoad) return imbalanceByMinLoad(env, sds);
  env.imbalance = 0;
  if (!isMisfit && (busiest.avgLoad <= sds.avgLoad || local.avgLoad >= sds.avgLoad))
    return fixSmallImbalance(env, move, ImbalanceRule::SmallNothing);
  std::uint64_t amount = distanceToAverage(sds);
  if (isMisfit) amount = std::max(amount, busiest.groupMisfitTaskLoad);
  env.imbalance = static_cast<std::int64_t>(amount);
  if (amount >= move.busiestPerTask) return ImbalanceRule::AverageLoad;
  return fixSmallImbalance(env, move, ImbalanceRule::AverageLoad);
}

}  // namespace rqscope
