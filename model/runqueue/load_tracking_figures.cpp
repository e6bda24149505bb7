// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "base/fixed.h"
#include "runqueue/load_tracking.h"

namespace rqscope {
namespace {

/// Subtracts with a floor of 0. Kernel: lsub_positive().
std::uint64_t lessFloor(std::uint64_t value, std::uint64_t amount) {
  return value > amount ? value - amount : 0;
}

/// A task that still counts in the estimates of its CPU: queued there, or running (exec).
bool countsInEstimate(const Machine& m, const Task& task, TaskId id) {
  return (task.onRq && !task.migrating) || m.rq(task.cpu).curr == id;
}

/// The part of a figure of `cpu` that the task adds (it would go there) or takes (it would leave).
struct TaskChange {
  bool adds = false;
  bool takes = false;

  std::uint64_t apply(std::uint64_t value, std::uint64_t amount) const {
    if (adds) return value + amount;
    return takes ? lessFloor(value, amount) : value;
  }
};

/// util_est of the CPU with the task counted or discounted.
std::uint64_t estimateWith(const Machine& m, CpuId cpu, TaskId task, CpuId dst) {
  const std::uint64_t estimate = m.rootCfs(cpu).avg.utilEst;
  if (!task.isValid()) return estimate;
  if (dst == cpu) return estimate + taskUtilEstRaw(m, task);
  return countsInEstimate(m, m.task(task), task) ? lessFloor(estimate, taskUtilEstRaw(m, task)) : estimate;
}

/// The task counts in the averages of `cpu`: it was there last and has been attached.
bool contributesTo(const Machine& m, CpuId cpu, TaskId task) {
  return m.task(task).cpu == cpu && m.se(task).avg.lastUpdateTime != 0;
}

/// Brings h_load of the task's queue up to date, at most once a jiffy: up to a queue that is fresh (or the
/// root), leaving a trail, then down. Kernel: update_cfs_rq_h_load().
void updateHLoad(Machine& m, CfsRqId queue) {
  if (m.queue(queue).lastHLoadUpdate == m.jiffies) return;
  CfsRqId q = queue;
  m.queue(q).hLoadNext = EntityId{};
  EntityId entity = entityOfQueue(m, m.queue(q));
  for (; entity.isValid(); entity = m.entity(entity).parent) {
    q = m.entity(entity).cfsRq;
    m.queue(q).hLoadNext = entity;
    if (m.queue(q).lastHLoadUpdate == m.jiffies) break;
  }
  if (!entity.isValid()) {
    m.queue(q).hLoad = m.queue(q).avg.loadAvg;
    m.queue(q).lastHLoadUpdate = m.jiffies;
  }
  for (EntityId next = m.queue(q).hLoadNext; next.isValid(); next = m.queue(q).hLoadNext) {
    const CfsRq& above = m.queue(q);
    const std::uint64_t load = above.hLoad * m.entity(next).avg.loadAvg / (above.avg.loadAvg + 1);
    q = m.entity(next).myQ;
    m.queue(q).hLoad = load;
    m.queue(q).lastHLoadUpdate = m.jiffies;
  }
}

}  // namespace

std::uint64_t cpuUtil(const Machine& m, CpuId cpu, TaskId task, CpuId dst, Boost boost) {
  const SchedAvg& avg = m.rootCfs(cpu).avg;
  TaskChange change;
  if (task.isValid()) {
    const bool isHere = m.task(task).cpu == cpu;
    change = {!isHere && dst == cpu, isHere && dst != cpu};
  }
  std::uint64_t util = change.apply(avg.utilAvg, task.isValid() ? taskUtil(m, task) : 0);
  if (boost == Boost::Runnable && m.behaviours().cpuUtilBoost)
    util = std::max(util, change.apply(avg.runnableAvg, task.isValid() ? m.se(task).avg.runnableAvg : 0));
  if (m.features().utilEst) util = std::max(util, estimateWith(m, cpu, task, dst));
  return std::min(util, capacityOrig(m, cpu));
}

std::uint64_t cpuUtilCfsBoost(const Machine& m, CpuId cpu) {
  return cpuUtil(m, cpu, {}, {}, Boost::Runnable);
}

std::uint64_t cpuUtilWithout(const Machine& m, CpuId cpu, TaskId task) {
  return cpuUtil(m, cpu, contributesTo(m, cpu, task) ? task : TaskId{}, {}, Boost::No);
}

std::uint64_t cpuLoad(const Machine& m, CpuId cpu) { return m.rootCfs(cpu).avg.loadAvg; }

std::uint64_t cpuLoadWithout(Machine& m, CpuId cpu, TaskId task) {
  if (!contributesTo(m, cpu, task)) return cpuLoad(m, cpu);
  // The kernel's local variable has 32 bits.
  return lessFloor(static_cast<std::uint32_t>(cpuLoad(m, cpu)),
                   static_cast<std::uint32_t>(taskHLoad(m, task)));
}

std::uint64_t cpuRunnable(const Machine& m, CpuId cpu) { return m.rootCfs(cpu).avg.runnableAvg; }

std::uint64_t cpuRunnableWithout(const Machine& m, CpuId cpu, TaskId task) {
  if (!contributesTo(m, cpu, task)) return cpuRunnable(m, cpu);
  return lessFloor(static_cast<std::uint32_t>(cpuRunnable(m, cpu)),
                   static_cast<std::uint32_t>(m.se(task).avg.runnableAvg));
}

std::uint64_t taskHLoad(Machine& m, TaskId task) {
  const SchedEntity& se = m.se(task);
  updateHLoad(m, se.cfsRq);
  const CfsRq& queue = m.queue(se.cfsRq);
  return se.avg.loadAvg * queue.hLoad / (queue.avg.loadAvg + 1);
}

std::uint64_t actualCpuCapacity(const Machine& m, CpuId cpu) {
  const Rq& rq = m.rq(cpu);
  return capacityOrig(m, cpu) - std::max(rq.avgHw.loadAvg, rq.cpufreqPressure);
}

std::uint64_t scaleRtCapacity(const Machine& m, CpuId cpu) {
  const Rq& rq = m.rq(cpu);
  const bool thermalIsUsed = m.behaviours().thermalInUsed;
  const std::uint64_t max = thermalIsUsed ? capacityOrig(m, cpu) : actualCpuCapacity(m, cpu);
  const std::uint64_t irq = rq.avgIrq.utilAvg;
  if (irq >= max) return 1;
  const std::uint64_t used = rq.avgRt.utilAvg + rq.avgDl.utilAvg + (thermalIsUsed ? rq.avgHw.loadAvg : 0);
  if (used >= max) return 1;
  return (max - used) * (max - irq) / max;  // Kernel: scale_irq_capacity()
}

int utilFitsCpu(const Machine& m, std::uint64_t util, std::uint64_t uclampMin, std::uint64_t uclampMax,
                CpuId cpu) {
  const std::uint64_t original = capacityOrig(m, cpu);
  const bool clampedToFit =
      uclampMax <= original && !(original == kCapacityScale && uclampMax == kCapacityScale);
  const bool fits = fitsCapacity(util, m.rq(cpu).cpuCapacity) || clampedToFit;
  const std::uint64_t pressured =
      m.behaviours().thermalInUsed ? original - m.rq(cpu).hwPressure : actualCpuCapacity(m, cpu);
  const std::uint64_t wanted = std::min(uclampMin, uclampMax);
  if (fits && util < wanted && wanted > pressured) return -1;
  return fits ? 1 : 0;
}

int taskFitsCpu(const Machine& m, TaskId task, CpuId cpu) {
  const Task& t = m.task(task);
  return utilFitsCpu(m, taskUtilEst(m, task), t.uclampMin, t.uclampMax, cpu) > 0 ? 1 : 0;
}

void updateMisfitStatus(Machine& m, TaskId task, CpuId cpu) {
  if (!m.topology->asymCapacityActive) return;
  const bool hasMaxAllowed = m.profile->version != KernelVersion::V6_1;
  const bool fits = !task.isValid() || m.task(task).nrCpusAllowed == 1 ||
                    (hasMaxAllowed && capacityOrig(m, cpu) == m.task(task).maxAllowedCapacity) ||
                    taskFitsCpu(m, task, cpu) > 0;
  m.rq(cpu).misfitTaskLoad = fits ? 0 : std::max<std::uint64_t>(taskHLoad(m, task), 1);
}

}  // namespace rqscope
