// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "balance/balance_env.h"

// The part of update_sd_lb_stats() that runs for every CPU of every pass, in the shape that costs least; for
// statistics.cpp only.

namespace rqscope {

/// What all groups of a pass share, read once.
struct PassRules {
  const SchedTopology& topology;
  const Behaviours& behaviours;
  bool isIdle, asymCapacity, energyAware, cacheAware, utilEst, runnableOnly, countsNuma;
  /// No question but sums is asked of each CPU, and all of them take part.
  bool isPlain;
  /// ... nobody looks at a group that is not picked, and averages are not compared.
  bool isQuick;

  explicit PassRules(const BalanceEnv& env)
      : topology(*env.m.topology),
        behaviours(env.m.behaviours()),
        isIdle(env.isIdle()),
        asymCapacity((env.sd.flags & kSdAsymCpucapacity) != 0),
        energyAware(isEnergyAware(env.m, env.dst)),
        cacheAware(env.m.features().schedCache),
        utilEst(env.m.features().utilEst),
        runnableOnly(behaviours.countsRunnableOnly),
        countsNuma((env.sd.flags & kSdNuma) != 0 || env.round != nullptr || env.ctx.passHook != nullptr),
        isPlain(!asymCapacity && !energyAware && !cacheAware && !env.cpusReduced),
        isQuick(isPlain && env.round == nullptr && env.ctx.passHook == nullptr && behaviours.balanceRework) {}
};

/// cpu_util_cfs() of a queue.
inline std::uint64_t utilOf(const CfsRq& queue, bool utilEst, std::uint64_t capacity) {
  const std::uint64_t estimate = utilEst ? queue.avg.utilEst : 0;
  return std::min(std::max(queue.avg.utilAvg, estimate), capacity);
}

/// The sums over CPUs that follow one another in the machine's vectors. Runs for every CPU of every pass:
/// what the pass does not ask is settled outside the loop.
template <bool kUtilEst>
class PlainSums {
 public:
  PlainSums(const PassRules& rules, std::uint64_t imbalancePct, bool loneMisfit, GroupStats& stats)
      : m_fair(rules.runnableOnly ? &CfsRq::hNrRunnable : &CfsRq::hNrQueued),
        m_pct(imbalancePct),
        m_loneMisfit(loneMisfit),
        m_countsNuma(rules.countsNuma),
        m_stats(stats) {}

  [[gnu::always_inline]] void add(const Rq* rq, const CfsRq* queue, const std::uint32_t* original,
                                  std::size_t count) {
    std::uint64_t sumLoad = 0, sumUtil = 0, sumRunnable = 0;
    std::uint32_t nrFair = 0, nrAll = 0, idle = 0, most = 0;
    for (const Rq* const end = rq + count; rq != end; ++rq, ++queue, ++original) {
      const std::uint32_t fair = queue->*m_fair;
      const std::uint32_t nr = rq->nrRunning;
      sumLoad += queue->avg.loadAvg;
      sumUtil += utilOf(*queue, kUtilEst, *original);
      sumRunnable += queue->avg.runnableAvg;
      nrFair += fair;
      nrAll += nr;
      most = std::max(most, nr);
      if (nr == 0 && !rq->curr.isValid() && !rq->stopperRunning && !rq->ttwuPending)
        ++idle;
      else if (fair == 1 && m_loneMisfit && rq->cpuCapacity * m_pct < std::uint64_t{*original} * 100)
        m_stats.groupMisfitTaskLoad = std::max(m_stats.groupMisfitTaskLoad, queue->avg.loadAvg);
    }
    m_stats.groupLoad += sumLoad;
    m_stats.groupUtil += sumUtil;
    m_stats.groupRunnable += sumRunnable;
    m_stats.sumHNrRunning += nrFair;
    m_stats.sumNrRunning += nrAll;
    m_stats.idleCpus += idle;
    m_most = std::max(m_most, most);
    if (m_countsNuma) addNuma(rq - count, count);
  }
  /// Some CPU has more than one task.
  bool isOverloaded() const { return m_most > 1; }

 private:
  void addNuma(const Rq* rq, std::size_t count) {
    for (const Rq* const end = rq + count; rq != end; ++rq) {
      m_stats.nrNumaRunning += rq->nrNumaRunning;
      m_stats.nrPreferredRunning += rq->nrPreferredRunning;
    }
  }

  const std::uint32_t CfsRq::*m_fair;
  std::uint64_t m_pct;
  bool m_loneMisfit, m_countsNuma;
  GroupStats& m_stats;
  std::uint32_t m_most = 0;
};

/// The sums over the group's CPUs when `isPlain`. `loneMisfit`: the pass is for an idle CPU and the group is
/// another one. True: the group counts as overloaded.
template <bool kUtilEst>
[[gnu::noinline]] bool sumPlainCpus(const Machine& m, const PassRules& rules, const SchedGroup& group,
                                    std::uint64_t imbalancePct, bool loneMisfit, GroupStats& stats) {
  PlainSums<kUtilEst> sums(rules, imbalancePct, loneMisfit, stats);
  const auto add = [&](CpuId first, std::size_t count) {
    const std::size_t at = first.index();
    sums.add(&m.rqs[at], &m.cfs[at], &rules.topology.cpuCapacity[at], count);
  };
  const std::size_t count = group.cpus.size();
  const auto distance = static_cast<std::size_t>(group.cpus.back().value - group.cpus.front().value);
  if (distance + 1 == count)
    add(group.cpus.front(), count);
  else
    for (const CpuId cpu : group.cpus) add(cpu, 1);
  return sums.isOverloaded();
}

/// A group of one CPU as a candidate for the busiest group, with what the comparison of such groups reads.
struct LoneCandidate {
  int position = -1;
  GroupType type = GroupType::HasSpare;
  std::uint64_t avgLoad = 0, misfit = 0;
  std::uint32_t idle = UINT32_MAX, running = 0;
};

/// Statistics of a domain whose groups are single CPUs, for a pass that nobody looks into: only the busiest
/// group gets a GroupStats, and only once.
class LoneGroups {
 public:
  LoneGroups(const BalanceEnv& env, const PassRules& rules)
      : m_rules(rules),
        m_m(env.m),
        m_pct(static_cast<std::uint64_t>(env.sd.imbalancePct)),
        m_fair(rules.runnableOnly ? &CfsRq::hNrRunnable : &CfsRq::hNrQueued) {}

  /// Is each group a CPU without siblings, and is nothing but load asked of it?
  static bool serves(const BalanceEnv& env, const PassRules& rules) {
    return rules.isQuick && !env.sd.child.isValid() && (env.sd.flags & (kSdAsymPacking | kSdOverlap)) == 0 &&
           env.sd.groups.size() == static_cast<std::size_t>(env.sd.spanWeight);
  }

  void consider(int position, const SchedGroup& group) {
    const CpuId cpu = group.cpus.front();
    const Rq& rq = m_m.rqs[cpu.index()];
    const CfsRq& queue = m_m.cfs[cpu.index()];
    const GroupCapacity& sgc = m_m.capacities[group.capacity.index()];
    const std::uint64_t original = m_rules.topology.cpuCapacity[cpu.index()];
    const std::uint64_t load = queue.avg.loadAvg;
    const std::uint64_t util = utilOf(queue, m_rules.utilEst, original);
    const std::uint32_t fair = queue.*m_fair;
    const bool isFull = rq.nrRunning > 1;
    totalLoad += load;
    totalCapacity += sgc.capacity;
    sumUtil += util;
    overloaded |= isFull;
    if (fair == 0) return;
    if (m_best.type == GroupType::Overloaded) {
      // It would have to be overloaded too, with more load for its capacity.
      if (!isFull || load * kCapacityScale < (m_best.avgLoad + 1) * sgc.capacity) return;
    }
    LoneCandidate next;
    next.position = position;
    next.running = rq.nrRunning;
    next.idle = rq.nrRunning == 0 && isIdleCpu(m_m, cpu) ? 1 : 0;
    const bool isReduced =
        m_rules.isIdle && next.idle == 0 && fair == 1 && rq.cpuCapacity * m_pct < original * 100;
    next.misfit = isReduced ? load : 0;
    next.type = typeOf(next, util, queue.avg.runnableAvg, sgc);
    if (next.type == GroupType::Overloaded) next.avgLoad = load * kCapacityScale / sgc.capacity;
    if (next.type != m_best.type ? next.type > m_best.type : winsTie(next)) m_best = next;
  }
  int busiest() const { return m_best.position; }

  std::uint64_t totalLoad = 0, totalCapacity = 0, sumUtil = 0;
  bool overloaded = false;

 private:
  /// groupClassify() of one CPU.
  GroupType typeOf(const LoneCandidate& c, std::uint64_t util, std::uint64_t runnable,
                   const GroupCapacity& sgc) const {
    const bool utilIsOver = sgc.capacity * 100 < util * m_pct;
    const bool runnableIsOver = sgc.capacity * m_pct < runnable * 100;
    if (c.running > 1 && (utilIsOver || runnableIsOver)) return GroupType::Overloaded;
    if (sgc.imbalance) return GroupType::Imbalanced;
    if (c.misfit != 0) return GroupType::MisfitTask;
    if (c.running == 0 || (!runnableIsOver && sgc.capacity * 100 > util * m_pct)) return GroupType::HasSpare;
    return GroupType::FullyBusy;
  }

  /// pickBusiest() of two single CPUs of the same type; their average load is 0 unless both are overloaded.
  bool winsTie(const LoneCandidate& next) const {
    switch (next.type) {
      case GroupType::Overloaded:
        return next.avgLoad > m_best.avgLoad;
      case GroupType::MisfitTask:
        return next.misfit > m_best.misfit ||
               (m_rules.behaviours.misfitTieReplaces && next.misfit == m_best.misfit);
      case GroupType::FullyBusy:
        return m_rules.behaviours.fullyBusyTieNonSmt;
      case GroupType::HasSpare:
        return next.idle != m_best.idle ? next.idle < m_best.idle : next.running > m_best.running;
      default:
        return false;
    }
  }

  const PassRules& m_rules;
  const Machine& m_m;
  std::uint64_t m_pct;
  const std::uint32_t CfsRq::*m_fair;
  LoneCandidate m_best;
};

}  // namespace rqscope
