// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "placement/energy.h"

#include <algorithm>
#include <limits>

#include "placement/placement_hook.h"
#include "runqueue/load_tracking.h"

namespace rqscope {
namespace {

using Verdict = EnergyCandidate::Verdict;
using Why = EnergyChoice::Why;

constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();

bool isV61(const Machine& m) { return m.profile->version == KernelVersion::V6_1; }

/// Kernel: map_util_perf(): schedutil asks for a quarter more than is used.
std::uint64_t withHeadroom(const Machine& m, std::uint64_t util) {
  return m.tunables().dvfsHeadroom ? util + (util >> 2) : util;
}

/// Original capacity less what the hardware withholds now.
std::uint64_t capacityUnderPressure(const Machine& m, CpuId cpu) {
  return isV61(m) ? capacityOrig(m, cpu) - m.rq(cpu).hwPressure : actualCpuCapacity(m, cpu);
}

/// Kernel: scale_irq_capacity().
std::uint64_t withoutIrq(std::uint64_t util, std::uint64_t irq, std::uint64_t max) {
  return util * (max - irq) / max;
}

/// Utilisation of all classes. Kernel: effective_cpu_util() as energy computation calls it.
std::uint64_t effectiveUtil(const Machine& m, CpuId cpu, std::uint64_t fairUtil) {
  const Rq& rq = m.rq(cpu);
  const std::uint64_t max = capacityOrig(m, cpu);
  const std::uint64_t irq = rq.avgIrq.utilAvg;
  if (irq >= max) return max;
  const std::uint64_t util = fairUtil + rq.avgRt.utilAvg + rq.avgDl.utilAvg;
  if (util >= max) return max;
  return std::min(max, withoutIrq(util, irq, max) + irq);
}

/// What v6.1 asks of the frequency: clamped before the interrupts are added. Kernel: effective_cpu_util()
/// with FREQUENCY_UTIL and uclamp_rq_util_with(). Simplified: no bandwidth of deadline tasks.
std::uint64_t frequencyUtilV61(const Machine& m, CpuId cpu, std::uint64_t fairUtil, TaskId task) {
  const Rq& rq = m.rq(cpu);
  const std::uint64_t max = capacityOrig(m, cpu);
  const std::uint64_t irq = rq.avgIrq.utilAvg;
  if (irq >= max) return max;
  std::uint64_t util = fairUtil + rq.avgRt.utilAvg;
  if (m.uclampUsed) {
    std::uint64_t low = 0, high = 0;
    if (task.isValid()) {
      low = m.task(task).uclampMin;
      high = m.task(task).uclampMax;
    }
    if (!task.isValid() || !rq.uclampIdle) {
      low = std::max<std::uint64_t>(low, rq.uclampMin);
      high = std::max<std::uint64_t>(high, rq.uclampMax);
    }
    util = low >= high ? low : std::clamp(util, low, high);
  }
  if (util + rq.avgDl.utilAvg >= max) return max;
  return std::min(max, withoutIrq(util, irq, max) + irq);
}

/// What schedutil would ask for the CPU. Kernel: the body of eenv_pd_max_util() with
/// sugov_effective_cpu_perf() (v6.12).
std::uint64_t requestedPerformance(const Machine& m, CpuId cpu, TaskId task, CpuId dst) {
  const TaskId placed = cpu == dst ? task : TaskId{};
  if (isV61(m)) return frequencyUtilV61(m, cpu, cpuUtil(m, cpu, task, dst, Boost::No), placed);
  const Rq& rq = m.rq(cpu);
  const std::uint64_t util = effectiveUtil(m, cpu, cpuUtil(m, cpu, task, dst, Boost::Runnable));
  const std::uint64_t irq = rq.avgIrq.utilAvg;
  const std::uint64_t scale = capacityOrig(m, cpu);
  std::uint64_t low = irq >= scale ? scale : std::max<std::uint64_t>(irq, rq.uclampMin);
  std::uint64_t high = irq >= scale ? scale : std::min<std::uint64_t>(scale, rq.uclampMax);
  if (placed.isValid() && m.uclampUsed) {
    low = std::max<std::uint64_t>(low, m.task(task).uclampMin);
    const std::uint64_t own = m.task(task).uclampMax;
    high = rq.uclampIdle ? own : std::max(high, own);
  }
  return std::max(low, std::min(withHeadroom(m, util), high));
}

/// One performance domain while the task is tried on its CPUs. Kernel: struct energy_env.
struct DomainView {
  const PerfDomain* domain = nullptr;
  CpuMask cpus;
  std::uint64_t cpuCapacity = 0, capacity = 0;  ///< of a CPU, of all
  std::uint64_t busyTime = 0;                   ///< without the task
  std::uint64_t taskBusyTime = 0;
};

/// Kernel: eenv_pd_busy_time().
std::uint64_t busyTimeOf(const Machine& m, const DomainView& view, TaskId task) {
  std::uint64_t sum = 0;
  view.cpus.forEach(
      [&](CpuId cpu) { sum += effectiveUtil(m, cpu, cpuUtil(m, cpu, task, CpuId{}, Boost::No)); });
  return std::min(view.capacity, sum);
}

/// Energy of the domain with the task on `dst`; none: without it. Kernel: compute_energy().
std::uint64_t computeEnergy(const Machine& m, const DomainView& view, TaskId task, CpuId dst,
                            EnergyCandidate& seen) {
  std::uint64_t maxUtil = 0;
  view.cpus.forEach([&](CpuId cpu) { maxUtil = std::max(maxUtil, requestedPerformance(m, cpu, task, dst)); });
  maxUtil = std::min(maxUtil, view.cpuCapacity);
  std::uint64_t busy = view.busyTime;
  if (dst.isValid()) busy = std::min(view.capacity, busy + view.taskBusyTime);
  const PerfDomain::State* state = nullptr;
  const std::uint64_t energy = domainEnergy(m, *view.domain, maxUtil, busy, view.cpuCapacity, &state);
  seen.maxUtil = maxUtil;
  seen.busyTime = busy;
  seen.performance = state != nullptr ? state->performance : 0;
  seen.cost = state != nullptr ? state->cost : 0;
  return energy;
}

/// The walk over the performance domains. Kernel: the body of find_energy_efficient_cpu().
class EnergySearch {
 public:
  EnergySearch(Context& ctx, TaskId task, CpuId prev, const CpuMask& span, EnergyChoice* record)
      : m_m(ctx.m), m_hook(ctx.placementHook), m_task(task), m_prev(prev), m_span(span), m_record(record) {}

  CpuId run(const std::vector<PerfDomain>& domains, Why& why) {
    taskBusyTime();
    for (std::size_t i = 0; i < domains.size(); ++i) {
      if (visit(domains[i], static_cast<std::int32_t>(i))) continue;
      why = Why::Racing;
      return m_prev;
    }
    why = Why::PrevStays;
    if (m_bestFits > m_prevFits)
      why = Why::FitsBetter;
    else if (m_bestFits > 0 && m_bestDelta < m_prevDelta)
      why = Why::LessEnergy;
    else if (m_bestFits < 0 && m_bestCapacity > m_prevCapacity)
      why = Why::LargerCapacity;
    const CpuId chosen = why == Why::PrevStays ? m_prev : m_best;
    for (EnergyCandidate& c : m_seen)
      if (c.cpu == chosen) c.verdict = Verdict::Chosen;
    return chosen;
  }

  void keep() {
    if (m_record == nullptr) return;
    m_record->taskBusyTime = m_taskBusyTime;
    m_record->cpus = std::move(m_seen);
  }

 private:
  /// Kernel: eenv_task_busy_time().
  void taskBusyTime() {
    const std::uint64_t max = capacityOrig(m_m, m_prev);
    const std::uint64_t irq = m_m.rq(m_prev).avgIrq.utilAvg;
    m_taskBusyTime = irq >= max ? max : withoutIrq(taskUtilEst(m_m, m_task), irq, max);
    if (m_hook != nullptr) m_hook->onEnergyTask(m_m, m_taskBusyTime);
  }

  /// What a domain offers: the previous CPU and the one with most room besides it.
  struct Offer {
    std::int64_t prevSpare = -1, maxSpare = -1;
    std::int64_t prev = -1, most = -1;  ///< positions in m_seen
    int maxFits = -1;
  };

  void consider(CpuId cpu, std::int32_t number, Offer& offer) {
    EnergyCandidate seen;
    seen.cpu = cpu;
    seen.domain = number;
    const Task& task = m_m.task(m_task);
    const Rq& rq = m_m.rq(cpu);
    seen.uclampMin = m_m.uclampUsed ? task.uclampMin : 0;
    seen.uclampMax = m_m.uclampUsed ? task.uclampMax : kCapacityScale;
    if (m_m.uclampUsed && !rq.uclampIdle) {
      seen.uclampMin = std::max<std::uint64_t>(seen.uclampMin, rq.uclampMin);
      seen.uclampMax = std::max<std::uint64_t>(seen.uclampMax, rq.uclampMax);
    }
    seen.util = cpuUtil(m_m, cpu, m_task, cpu, Boost::No);
    seen.capacity = rq.cpuCapacity;
    if (m_hook != nullptr) m_hook->onEnergyRoom(m_m, seen);
    seen.fits = utilFitsCpu(m_m, seen.util, seen.uclampMin, seen.uclampMax, cpu);
    seen.verdict = seen.fits == 0 ? Verdict::DoesNotFit : Verdict::LessRoom;
    m_seen.push_back(seen);
    if (seen.fits == 0) return;
    const auto spare = static_cast<std::int64_t>(seen.capacity - std::min(seen.capacity, seen.util));
    const auto position = static_cast<std::int64_t>(m_seen.size()) - 1;
    if (cpu == m_prev) {
      offer.prevSpare = spare;
      offer.prev = position;
      m_prevFits = seen.fits;
    } else if (seen.fits > offer.maxFits || (seen.fits == offer.maxFits && spare > offer.maxSpare)) {
      offer.maxSpare = spare;
      offer.most = position;
      offer.maxFits = seen.fits;
    }
  }

  /// False: figures changed under the computation.
  bool evaluate(const DomainView& view, std::uint64_t base, EnergyCandidate& seen, std::uint64_t& delta) {
    seen.isEvaluated = true;
    seen.baseEnergy = base;
    seen.energy = computeEnergy(m_m, view, m_task, seen.cpu, seen);
    if (m_hook != nullptr) m_hook->onEnergy(m_m, seen);
    base = seen.baseEnergy;
    if (seen.energy < base) {
      seen.verdict = Verdict::Racing;
      return false;
    }
    delta = seen.energy - base;
    seen.verdict = Verdict::MoreEnergy;
    return true;
  }

  bool visit(const PerfDomain& domain, std::int32_t number) {
    DomainView view;
    view.domain = &domain;
    view.cpus = domain.cpus & m_m.activeCpus;
    if (view.cpus.isEmpty()) return true;
    view.cpuCapacity = capacityUnderPressure(m_m, view.cpus.first());
    view.taskBusyTime = m_taskBusyTime;
    Offer offer;
    view.cpus.forEach([&](CpuId cpu) {
      view.capacity += view.cpuCapacity;
      if (!m_span.test(cpu)) return;
      if (m_m.task(m_task).cpusAllowed.test(cpu)) return consider(cpu, number, offer);
      EnergyCandidate refused;
      refused.cpu = cpu;
      refused.domain = number;
      refused.verdict = Verdict::NotAllowed;
      m_seen.push_back(refused);
    });
    if (offer.most < 0 && offer.prevSpare < 0) return true;
    view.busyTime = busyTimeOf(m_m, view, m_task);
    EnergyCandidate baseFigures;
    const std::uint64_t base = computeEnergy(m_m, view, m_task, CpuId{}, baseFigures);
    if (offer.prevSpare > -1) {
      if (!evaluate(view, base, m_seen[static_cast<std::size_t>(offer.prev)], m_prevDelta)) return false;
      m_prevCapacity = view.cpuCapacity;
      m_bestDelta = std::min(m_bestDelta, m_prevDelta);
    }
    if (offer.most < 0 || offer.maxSpare <= offer.prevSpare) return true;
    return tryMost(view, base, offer);
  }

  bool tryMost(const DomainView& view, std::uint64_t base, const Offer& offer) {
    EnergyCandidate& seen = m_seen[static_cast<std::size_t>(offer.most)];
    if (offer.maxFits < m_bestFits) {
      seen.verdict = Verdict::FitsWorse;
      return true;
    }
    if (offer.maxFits < 0 && view.cpuCapacity <= m_bestCapacity) {
      seen.verdict = Verdict::SmallerCapacity;
      return true;
    }
    std::uint64_t delta = 0;
    if (!evaluate(view, base, seen, delta)) return false;
    if (offer.maxFits > 0 && m_bestFits > 0 && delta >= m_bestDelta) return true;
    m_bestDelta = delta;
    m_best = seen.cpu;
    m_bestFits = offer.maxFits;
    m_bestCapacity = view.cpuCapacity;
    return true;
  }

  Machine& m_m;
  PlacementHook* m_hook;
  TaskId m_task;
  CpuId m_prev;
  const CpuMask& m_span;
  EnergyChoice* m_record;
  std::vector<EnergyCandidate> m_seen;
  std::uint64_t m_taskBusyTime = 0;
  std::uint64_t m_prevDelta = kNever, m_bestDelta = kNever;
  int m_prevFits = -1, m_bestFits = -1;
  std::uint64_t m_prevCapacity = 0, m_bestCapacity = 0;
  CpuId m_best;
};

/// Lowest domain from sd_asym_cpucapacity up that holds both CPUs.
DomainId commonDomain(const Machine& m, CpuId wakerCpu, CpuId prevCpu) {
  DomainId id = m.topology->cpus[wakerCpu.index()].sdAsymCpucapacity;
  while (id.isValid() && !m.topology->domain(id).span.test(prevCpu)) id = m.topology->domain(id).parent;
  return id;
}

}  // namespace

std::uint64_t domainEnergy(const Machine& m, const PerfDomain& domain, std::uint64_t maxUtil,
                           std::uint64_t sumUtil, std::uint64_t allowedCapacity,
                           const PerfDomain::State** state) {
  if (sumUtil == 0) return 0;
  // v6.1 has the headroom here and looks for a frequency, later kernels for a capacity.
  const std::uint64_t scale = capacityOrig(m, domain.cpus.first());
  if (isV61(m)) maxUtil = withHeadroom(m, maxUtil);
  maxUtil = std::min(maxUtil, allowedCapacity);
  const std::uint64_t frequency = domain.states.back().frequency * maxUtil / scale;
  const auto serves = [&](const PerfDomain::State& s) {
    if (s.isInefficient) return false;
    return isV61(m) ? s.frequency >= frequency : s.performance >= maxUtil;
  };
  const auto found = std::find_if(domain.states.begin(), domain.states.end(), serves);
  const PerfDomain::State& chosen = found != domain.states.end() ? *found : domain.states.back();
  if (state != nullptr) *state = &chosen;
  return isV61(m) ? chosen.cost * sumUtil / scale : chosen.cost * sumUtil;
}

CpuId findEnergyEfficientCpu(Context& ctx, TaskId task, CpuId prevCpu, CpuId wakerCpu, EnergyChoice* record,
                             bool isDetailed) {
  Machine& m = ctx.m;
  const auto rd = m.topology->cpus[wakerCpu.index()].rootDomain.index();
  if (!m.rootDomains[rd].energyAware || rd >= m.topology->perfDomains.size()) return {};
  const std::vector<PerfDomain>& domains = m.topology->perfDomains[rd];
  Why why = Why::NotTried;
  const auto end = [&](Why reason, CpuId cpu) {
    if (record != nullptr) record->why = reason;
    return cpu;
  };
  if (domains.empty()) return {};
  if (m.rootDomains[rd].overutilized) return end(Why::Overutilized, {});
  const DomainId common = commonDomain(m, wakerCpu, prevCpu);
  if (!common.isValid()) return end(Why::NoDomain, {});
  syncEntityLoadAvg(ctx, m.task(task).se);
  const std::uint64_t least = m.uclampUsed ? m.task(task).uclampMin : 0;
  if (taskUtilEst(m, task) == 0 && least == 0) return end(Why::NoUtil, prevCpu);
  EnergySearch search(ctx, task, prevCpu, m.topology->domain(common).span, isDetailed ? record : nullptr);
  const CpuId chosen = search.run(domains, why);
  search.keep();
  return end(why, chosen);
}

}  // namespace rqscope
