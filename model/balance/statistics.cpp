// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "balance/average_load.h"
#include "balance/balance_env.h"
#include "balance/pass_hook.h"
#include "balance/pass_sums.h"
#include "runqueue/load_tracking.h"
#include "runqueue/uclamp.h"

namespace rqscope {
namespace {

constexpr std::uint64_t kScanEndsPct = 10000;  ///< imbalance_pct is squared, so is its 100

bool isSmtGroup(const SchedGroup& group) { return (group.flags & kSdShareCpucapacity) != 0; }

/// v6.1's asym packing between groups of which at least one has SMT siblings.
/// Kernel: asym_smt_can_pull_tasks().
bool asymSmtCanPull(const BalanceEnv& env, const DomainStats& sds, const GroupStats& stats,
                    const SchedGroup& group) {
  const SchedGroup& local = env.group(sds.local);
  const bool preferred = asymPrefer(env.m, env.dst, group.asymPreferCpu);
  const std::int64_t busy = std::int64_t{stats.groupWeight} - stats.idleCpus;
  if (!isSmtGroup(local)) return busy >= 2 || preferred;
  if (isSmtGroup(group)) {
    const std::int64_t localBusy = std::int64_t{local.weight} - sds.localStats.idleCpus;
    return busy - localBusy == 1 && preferred;
  }
  return sds.localStats.sumNrRunning == 0 && preferred;
}

/// Should the group's tasks go to the idle, preferred destination? Kernel: sched_asym() of v6.1,
/// sched_group_asym() later.
bool groupAsym(const BalanceEnv& env, const DomainStats& sds, const GroupStats& stats,
               const SchedGroup& group) {
  if ((env.sd.flags & kSdAsymPacking) == 0) return false;
  if (!env.m.behaviours().asymPackingIdleCore) {
    if (isSmtGroup(env.group(sds.local)) || isSmtGroup(group)) return asymSmtCanPull(env, sds, stats, group);
    return asymPrefer(env.m, env.dst, group.asymPreferCpu);
  }
  if (isSmtGroup(group) && stats.groupWeight - stats.idleCpus != 1) return false;
  return schedAsym(env.m, env.sd, env.dst, group.asymPreferCpu);
}

/// One busy CPU of another group: does it hold a task that its CPU cannot serve?
void noteMisfit(const BalanceEnv& env, const SchedGroup& group, CpuId cpu, std::uint64_t load,
                GroupStats& stats, GroupFindings& found) {
  const Machine& m = env.m;
  if ((env.sd.flags & kSdAsymCpucapacity) != 0) {
    const std::uint64_t misfit = m.rq(cpu).misfitTaskLoad;
    if (stats.groupMisfitTaskLoad >= misfit) return;
    found.overloaded = true;
    const bool helps =
        !m.behaviours().misfitNeedsBiggerDst ||
        capacityGreater(m.rq(env.dst).cpuCapacity, m.capacities[group.capacity.index()].maxCapacity);
    if (helps) stats.groupMisfitTaskLoad = misfit;
  } else if (env.isIdle() && fairCount(m, m.rootCfs(cpu)) == 1 && checkCpuCapacity(m, cpu, env.sd)) {
    if (stats.groupMisfitTaskLoad < load) stats.groupMisfitTaskLoad = load;
  }
}

/// The sums over the group's CPUs, and what only some machines and versions ask.
[[gnu::noinline]] void sumCpus(const BalanceEnv& env, const PassRules& rules, const SchedGroup& group,
                               bool isLocal, GroupStats& stats, GroupFindings& found) {
  const Machine& m = env.m;
  for (const CpuId cpu : group.cpus) {
    if (env.cpusReduced && !env.cpus.test(cpu)) continue;
    const Rq& rq = m.rq(cpu);
    const CfsRq& queue = m.rootCfs(cpu);
    stats.groupLoad += queue.avg.loadAvg;
    stats.groupUtil += cpuUtilCfs(m, cpu);
    stats.groupRunnable += queue.avg.runnableAvg;
    stats.sumHNrRunning += fairCount(m, queue);
    stats.sumNrRunning += rq.nrRunning;
    stats.nrNumaRunning += rq.nrNumaRunning;
    stats.nrPreferredRunning += rq.nrPreferredRunning;
    if (rq.nrRunning > 1) found.overloaded = true;
    if (rules.energyAware && isCpuOverutilized(m, cpu)) found.overutilized = true;
    if (rules.cacheAware) stats.nrPrefDstLlc += countPreferringLlc(m, cpu, env.dst);
    if (rq.nrRunning == 0 && isIdleCpu(m, cpu))
      ++stats.idleCpus;
    else if (!isLocal)
      noteMisfit(env, group, cpu, queue.avg.loadAvg, stats, found);
  }
}

FbqType classifyFbq(const GroupStats& stats) {
  if (stats.sumHNrRunning > stats.nrNumaRunning) return FbqType::Regular;
  if (stats.sumHNrRunning > stats.nrPreferredRunning) return FbqType::Remote;
  return FbqType::All;
}

/// Appends the group to the record of the round, when there is one.
void recordGroup(const BalanceEnv& env, const SchedGroupId id, bool isLocal, const GroupStats& stats,
                 BalanceGroup::Pick pick) {
  if (env.round == nullptr) return;
  const GroupCapacity& sgc = env.m.capacities[env.topology().group(id).capacity.index()];
  BalanceGroup& row = env.round->groups.emplace_back();
  row.group = id;
  row.isLocal = isLocal;
  row.stats = stats;
  row.minCapacity = sgc.minCapacity;
  row.maxCapacity = sgc.maxCapacity;
  row.sgcImbalance = sgc.imbalance;
  row.pick = pick;
}

/// One group's statistics and type. Kernel: update_sg_lb_stats().
[[gnu::noinline]] GroupFindings fillStats(BalanceEnv& env, const PassRules& rules, const DomainStats& sds,
                                          const SchedGroup& group, bool isLocal, GroupStats& stats) {
  stats = GroupStats{};
  GroupFindings found;
  const auto pct = static_cast<std::uint64_t>(env.sd.imbalancePct);
  const bool loneMisfit = rules.isIdle && !isLocal;
  if (!rules.isPlain)
    sumCpus(env, rules, group, isLocal, stats, found);
  else
    found.overloaded = rules.utilEst ? sumPlainCpus<true>(env.m, rules, group, pct, loneMisfit, stats)
                                     : sumPlainCpus<false>(env.m, rules, group, pct, loneMisfit, stats);
  const GroupCapacity& sgc = env.m.capacities[group.capacity.index()];
  stats.groupCapacity = sgc.capacity;
  stats.groupWeight = static_cast<std::uint32_t>(group.weight);
  const bool byAverage = !rules.behaviours.balanceRework;
  if (byAverage) sumAverageLoads(env, group, stats);
  PassHook* const hook = env.ctx.passHook;
  if (hook != nullptr) hook->onGroupSums(env, group, stats);
  if (!isLocal && !byAverage) {
    stats.groupAsymPacking = rules.isIdle && stats.sumHNrRunning != 0 && groupAsym(env, sds, stats, group);
    stats.groupSmtBalance = isSmtBalance(env, group, stats);
    if (rules.cacheAware) stats.groupLlcBalance = wantsLlcBalance(env, stats, group);
  }
  stats.notOverutilized = rules.runnableOnly && rules.energyAware && !found.overutilized;  // v7.3
  const Classification c =
      byAverage
          ? classifyByAverage(env, sgc.imbalance, isLocal ? nullptr : &sds.localStats, stats)
          : groupClassify(static_cast<unsigned>(env.sd.imbalancePct), sgc.imbalance, stats, rules.behaviours);
  stats.type = c.type;
  stats.reason = c.reason;
  if (rules.cacheAware && !env.isSurvey) recordLlcStats(env, stats, group);
  if (byAverage || stats.type == GroupType::Overloaded)
    stats.avgLoad = stats.groupLoad * kCapacityScale / stats.groupCapacity;
  if (hook != nullptr) hook->onGroupType(env, group, stats);
  return found;
}

/// Root-domain marks that only statistics set.
void updateRootDomain(BalanceEnv& env, const GroupFindings& found) {
  RootDomain& rd = env.m.rootDomains[env.topology().cpus[env.dst.index()].rootDomain.index()];
  const bool top = !env.sd.parent.isValid();
  if (top) rd.overloaded = found.overloaded;
  if (rd.energyAware && (top || found.overutilized)) rd.overutilized = found.overutilized;
}

}  // namespace

BalanceEnv::BalanceEnv(Context& context, DomainId domain, CpuId dstCpu, CpuIdleType idleType)
    : ctx(context),
      m(context.m),
      domainId(domain),
      sd(context.m.topology->domain(domain)),
      state(context.m.domains[domain.index()]) {
  idle = idleType;
  dst = dstCpu;
  cpus = sd.span;
  loopBreak = m.tunables().nrMigrateBreak;
  if (!sd.span.isSubsetOf(m.activeCpus)) {
    cpus &= m.activeCpus;
    cpusReduced = true;
  }
}

bool asymPrefer(const Machine& m, CpuId a, CpuId b) {
  return m.topology->asymPriority[a.index()] > m.topology->asymPriority[b.index()];
}

bool useAsymPriority(const Machine& m, const SchedDomain& sd, CpuId cpu) {
  if ((sd.flags & kSdAsymPacking) == 0) return false;
  if (!m.behaviours().asymPackingIdleCore || !m.topology->smtActive) return true;
  return (sd.flags & kSdShareCpucapacity) != 0 || isCoreIdle(m, cpu);
}

bool schedAsym(const Machine& m, const SchedDomain& sd, CpuId dst, CpuId src) {
  return useAsymPriority(m, sd, dst) && asymPrefer(m, dst, src);
}

bool checkCpuCapacity(const Machine& m, CpuId cpu, const SchedDomain& sd) {
  return m.rq(cpu).cpuCapacity * static_cast<std::uint64_t>(sd.imbalancePct) < capacityOrig(m, cpu) * 100;
}

bool isEnergyAware(const Machine& m, CpuId cpu) {
  return m.rootDomains[m.topology->cpus[cpu.index()].rootDomain.index()].energyAware;
}

bool isSmtBalance(const BalanceEnv& env, const SchedGroup& group, const GroupStats& stats) {
  return env.m.behaviours().smtBalance && env.isIdle() && isSmtGroup(group) && stats.sumHNrRunning > 1;
}

GroupFindings updateGroupStats(BalanceEnv& env, const DomainStats& sds, const SchedGroup& group, bool isLocal,
                               GroupStats& stats) {
  return fillStats(env, PassRules(env), sds, group, isLocal, stats);
}

namespace {

/// The local group, which a pass may refresh first.
GroupFindings fillLocal(BalanceEnv& env, const PassRules& rules, DomainStats& sds, std::size_t position) {
  const SchedGroup& group = rules.topology.group(env.sd.groups[position]);
  sds.local = static_cast<int>(position);
  const std::uint64_t nextUpdate = env.m.capacities[group.capacity.index()].nextUpdate;
  if (env.idle != CpuIdleType::NewlyIdle || virtualDelta(env.m.jiffies, nextUpdate) >= 0)
    updateGroupCapacity(env.ctx, env.domainId, env.dst);
  return fillStats(env, rules, sds, group, true, sds.localStats);
}

/// The groups one by one, each with all its statistics. Returns the sum of utilisation.
std::uint64_t visitGroups(BalanceEnv& env, const PassRules& rules, DomainStats& sds, GroupFindings& found) {
  GroupStats other;
  std::uint64_t sumUtil = 0;
  for (std::size_t i = 0; i < env.sd.groups.size(); ++i) {
    const SchedGroupId id = env.sd.groups[i];
    const SchedGroup& group = rules.topology.group(id);
    const bool isLocal = group.span.test(env.dst);
    GroupStats& stats = isLocal ? sds.localStats : other;
    const GroupFindings f =
        isLocal ? fillLocal(env, rules, sds, i) : fillStats(env, rules, sds, group, false, stats);
    found.overloaded |= f.overloaded;
    found.overutilized |= f.overutilized;
    auto pick = BalanceGroup::Pick::Local;
    if (!isLocal) {
      pick = rules.behaviours.balanceRework ? pickBusiest(env, sds, group, stats)
                                            : pickBusiestByAverage(env, sds, group, stats);
      if (pick == BalanceGroup::Pick::Picked) {
        sds.busiest = static_cast<int>(i);
        sds.busiestStats = stats;
      }
    }
    recordGroup(env, id, isLocal, stats, pick);
    sds.totalLoad += stats.groupLoad;
    sds.totalCapacity += stats.groupCapacity;
    sumUtil += stats.groupUtil;
  }
  return sumUtil;
}

/// The same when LoneGroups serves.
std::uint64_t visitLoneGroups(BalanceEnv& env, const PassRules& rules, DomainStats& sds,
                              GroupFindings& found) {
  LoneGroups lone(env, rules);
  for (std::size_t i = 0; i < env.sd.groups.size(); ++i) {
    const SchedGroup& group = rules.topology.group(env.sd.groups[i]);
    if (group.cpus.front() == env.dst)
      found.overloaded |= fillLocal(env, rules, sds, i).overloaded;
    else
      lone.consider(static_cast<int>(i), group);
  }
  found.overloaded |= lone.overloaded;
  sds.busiest = lone.busiest();
  if (sds.busiest >= 0) fillStats(env, rules, sds, env.group(sds.busiest), false, sds.busiestStats);
  sds.totalLoad = lone.totalLoad + sds.localStats.groupLoad;
  sds.totalCapacity = lone.totalCapacity + sds.localStats.groupCapacity;
  return lone.sumUtil + sds.localStats.groupUtil;
}

}  // namespace

void updateDomainStats(BalanceEnv& env, DomainStats& sds) {
  const PassRules rules(env);
  env.dstCoreIdle = !rules.topology.smtActive || isCoreIdle(env.m, env.dst);
  GroupFindings found;
  const std::uint64_t sumUtil = LoneGroups::serves(env, rules) ? visitLoneGroups(env, rules, sds, found)
                                                               : visitGroups(env, rules, sds, found);
  if (!rules.behaviours.siblingImbalance || !rules.behaviours.balanceRework)
    sds.preferSibling = prefersSibling(env);
  else if (sds.busiest >= 0)
    sds.preferSibling = (env.group(sds.busiest).flags & kSdPreferSibling) != 0;
  if ((env.sd.flags & kSdNuma) != 0) env.fbq = classifyFbq(sds.busiestStats);
  updateRootDomain(env, found);
  updateIdleCpuScan(env, sumUtil);
}

void updateIdleCpuScan(BalanceEnv& env, std::uint64_t sumUtil) {
  Machine& m = env.m;
  if (!m.features().sisUtil || env.idle == CpuIdleType::NewlyIdle) return;
  const CpuDomains& shortcuts = m.topology->cpus[env.dst.index()];
  SharedId owner = shortcuts.llcShared;
  if (m.behaviours().idleScanOwnedByDomain)
    owner = env.sd.shared;
  else if (env.sd.spanWeight != shortcuts.llcSize)
    return;
  if (!owner.isValid()) return;
  const auto weight = static_cast<std::uint64_t>(env.sd.spanWeight);
  const auto pct = static_cast<std::uint64_t>(env.sd.imbalancePct);
  const std::uint64_t x = sumUtil / weight;
  const std::uint64_t t = x * x * pct * pct / (kScanEndsPct * kCapacityScale);
  const std::uint64_t y = kCapacityScale - (t < kCapacityScale ? t : kCapacityScale);
  m.shared[owner.index()].nrIdleScan = static_cast<std::int32_t>(y * weight / kCapacityScale);
}

}  // namespace rqscope
