// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runqueue/uclamp.h"

#include <algorithm>

#include "runqueue/load_tracking.h"

namespace rqscope {
namespace {

RootDomain& rootDomainOf(Machine& m, CpuId cpu) {
  return m.rootDomains[m.topology->cpus[cpu.index()].rootDomain.index()];
}

bool counts(const Machine& m, TaskId task) { return !m.se(task).schedDelayed; }

}  // namespace

void refreshClamps(Machine& m, TaskId task) {
  if (!m.uclampUsed) return;
  Task& t = m.task(task);
  t.uclampMin = t.uclampReqMin;
  t.uclampMax = t.uclampReqMax;
  const TaskGroup& group = m.group(t.group);
  if (t.group == GroupId{0} || group.isAutogroup) return;
  // Kernel: uclamp_tg_restrict(): both values lie between the group's two.
  const auto restrict = [&](std::uint16_t value) {
    return std::min(std::max(value, group.uclampMin), std::max(group.uclampMin, group.uclampMax));
  };
  t.uclampMin = restrict(t.uclampReqMin);
  t.uclampMax = restrict(t.uclampReqMax);
}

void setTaskClamps(Machine& m, TaskId task, UtilClamps clamps) {
  m.uclampUsed = true;
  Task& t = m.task(task);
  const bool isQueued = t.onRq && counts(m, task);
  if (isQueued) clampRqDec(m, t.cpu, task);
  t.uclampReqMin = clamps.min;
  t.uclampReqMax = clamps.max;
  refreshClamps(m, task);
  if (isQueued) clampRqInc(m, t.cpu, task);
}

void setGroupClamps(Machine& m, GroupId group, UtilClamps clamps) {
  m.uclampUsed = true;
  TaskGroup& g = m.group(group);
  const TaskGroup& above = m.group(g.parent);
  g.uclampMin = g.parent == GroupId{0} ? clamps.min : std::min(clamps.min, above.uclampMin);
  g.uclampMax = g.parent == GroupId{0} ? clamps.max : std::min(clamps.max, above.uclampMax);
}

void clampRqInc(Machine& m, CpuId cpu, TaskId task) {
  if (!m.uclampUsed || !counts(m, task)) return;
  refreshClamps(m, task);
  const Task& t = m.task(task);
  Rq& rq = m.rq(cpu);
  if (rq.uclampIdle) {
    rq.uclampMin = 0;
    rq.uclampMax = t.uclampMax;
    rq.uclampIdle = false;
  }
  rq.uclampMin = std::max(rq.uclampMin, t.uclampMin);
  rq.uclampMax = std::max(rq.uclampMax, t.uclampMax);
}

void clampRqDec(Machine& m, CpuId cpu, TaskId task) {
  if (!m.uclampUsed || !counts(m, task)) return;
  Rq& rq = m.rq(cpu);
  std::uint16_t least = 0, greatest = 0;
  bool any = false;
  for (TaskId t = rq.listHead; t.isValid(); t = m.task(t).listNext) {
    if (t == task || !counts(m, t)) continue;
    any = true;
    least = std::max(least, m.task(t).uclampMin);
    greatest = std::max(greatest, m.task(t).uclampMax);
  }
  rq.uclampIdle = !any;
  rq.uclampMin = least;
  rq.uclampMax = any ? greatest : m.task(task).uclampMax;  // an idle CPU holds the last one
}

bool isCpuOverutilized(const Machine& m, CpuId cpu) {
  const Rq& rq = m.rq(cpu);
  if (!m.rootDomains[m.topology->cpus[cpu.index()].rootDomain.index()].energyAware) return false;
  return utilFitsCpu(m, cpuUtilCfs(m, cpu), rq.uclampMin, rq.uclampMax, cpu) == 0;
}

void checkOverutilized(Machine& m, CpuId cpu) {
  RootDomain& rd = rootDomainOf(m, cpu);
  if (rd.energyAware && !rd.overutilized && isCpuOverutilized(m, cpu)) rd.overutilized = true;
}

}  // namespace rqscope
