// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "recording/samples.h"

#include <algorithm>

#include "recording/group_view.h"
#include "runqueue/load_tracking.h"

namespace rqscope {
namespace {

std::uint16_t clip(std::uint64_t value) {
  return static_cast<std::uint16_t>(std::min<std::uint64_t>(value, 65535));
}

void sampleTasks(const SimState& state, std::vector<Samples::Task>& out) {
  const Machine& m = state.machine;
  out.resize(std::min(m.tasks.size(), Samples::kMaxTasks));
  for (std::size_t slot = 0; slot < out.size(); ++slot) {
    const TaskId task{slot};
    const Task& t = m.task(task);
    if (!t.se.isValid() || t.state == TaskState::Dead) continue;
    out[slot] = {t.pid, clip(m.se(task).avg.utilAvg), static_cast<std::int16_t>(t.cpu.value)};
  }
}

void sampleLimits(const SimState& state, std::vector<Samples::Limited>& out) {
  const Machine& m = state.machine;
  for (const GroupId id : state.quotaGroups) {
    const CfsBandwidth& pool = m.group(id).bandwidth;
    Samples::Limited& limited = out.emplace_back();
    limited.group = id.value;
    limited.quotaNs = pool.quotaNs;
    if (pool.quotaNs < 0) continue;
    limited.poolNs = pool.runtimeNs;
    m.topology->online.forEach([&](CpuId cpu) {
      limited.cpusNs += std::max<std::int64_t>(m.queue(queueOf(m, id, cpu)).runtimeRemaining, 0);
    });
    limited.usedNs = pool.usedNs - pool.usedBeforeNs;
    limited.expiredNs = pool.expiredNs - pool.expiredBeforeNs;
  }
}

}  // namespace

void Samples::take(const SimState& state) {
  if (m_samples.size() == kMaxSamples) {
    for (std::size_t i = 1; i * 2 < m_samples.size(); ++i) m_samples[i] = std::move(m_samples[i * 2]);
    m_samples.resize((m_samples.size() + 1) / 2);
    m_spacingNs *= 2;
    return;  // the moment asked for lies before the next one now
  }
  const Machine& m = state.machine;
  Sample& sample = m_samples.emplace_back();
  for (const HardwareCpu& cpu : m.topology->hardware.cpus)
    sample.cpus.push_back({clip(cpuUtilCfs(m, cpu.id)), clip(m.rq(cpu.id).nrRunning),
                           static_cast<std::uint32_t>(cpuLoad(m, cpu.id))});
  sampleTasks(state, sample.tasks);
  sampleLimits(state, sample.limited);
  for (const ViewedGroup& group : viewedGroups(*m.topology))
    if (group.domain.isValid()) ++sample.groupTypes[static_cast<std::size_t>(liveGroupStats(m, group).type)];
  for (std::size_t i = 0; i < kReasons; ++i)
    sample.migrations[i] = static_cast<std::uint32_t>(state.counters.migrationsByReason[i]);
  sample.idleWhileWaitingNs = state.counters.idleWhileWaitingNs;
}

void Samples::cutBack(std::uint64_t nextNs) {
  const std::size_t keep = (nextNs + m_spacingNs - 1) / m_spacingNs;
  if (keep < m_samples.size()) m_samples.resize(keep);
}

std::size_t Samples::bytes() const {
  if (m_samples.empty()) return 0;
  const Sample& last = m_samples.back();
  return m_samples.size() *
         (sizeof(Sample) + last.cpus.capacity() * sizeof(Cpu) + last.tasks.capacity() * sizeof(Task) +
          last.limited.capacity() * sizeof(Limited));
}

}  // namespace rqscope
