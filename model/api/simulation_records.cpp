// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "api/ladder_keys.h"
#include "api/plain_run.h"
#include "api/shared_queue_frames.h"
#include "api/simulation_impl.h"

namespace rqscope::api {
namespace {

const char* entryKey(const DecisionRecord& record) {
  if (record.kind == DecisionKind::Placement) return keyOf(static_cast<PlacementKind>(record.entry));
  return keyOf(static_cast<BalanceEntry>(record.entry));
}

const char* resultKey(DecisionResult result) {
  switch (result) {
    case DecisionResult::Balanced:
      return "balanced";
    case DecisionResult::Failed:
      return "failed";
    case DecisionResult::Moved:
      return "moved";
    case DecisionResult::ActiveStarted:
      return "active_started";
    case DecisionResult::Placed:
      return "placed";
  }
  return "balanced";
}

std::string domainName(const SimState& state, DomainId domain) {
  const SchedTopology& topology = *state.machine.topology;
  return domain.isValid() && domain.index() < topology.domains.size() ? topology.domain(domain).name : "";
}

/// Cuts one CPU's change points into slices of at least `binNs`; what is shorter is merged, and a merged
/// slice of several tasks has task -1.
class LaneCutter {
 public:
  LaneCutter(const Recorder& recorder, std::int64_t binNs, std::vector<TimelineSlice>& out)
      : m_recorder(recorder), m_binNs(binNs), m_out(out) {}

  void add(std::int64_t begin, std::int64_t end, const SwitchRecord& record) {
    if (end <= begin) return;
    const bool isLong = end - begin >= m_binNs;
    if (m_hasPending && (isLong || begin - m_pending.beginNs >= m_binNs)) flush();
    if (isLong) {
      if (record.slot >= 0) m_out.push_back(sliceOf(begin, end, record));
      return;
    }
    if (record.slot < 0) return;  // a short idle gap disappears in the merged slice
    if (!m_hasPending) {
      m_pending = sliceOf(begin, end, record);
      m_hasPending = true;
      return;
    }
    m_pending.endNs = end;
    if (m_pending.task != record.slot || m_pending.pid != record.pid) {
      m_pending.task = -1;
      m_pending.pid = 0;
      m_pending.name.clear();
    }
  }
  void flush() {
    if (m_hasPending) m_out.push_back(std::move(m_pending));
    m_hasPending = false;
  }

 private:
  TimelineSlice sliceOf(std::int64_t begin, std::int64_t end, const SwitchRecord& record) const {
    return {begin, end, record.slot, record.pid, m_recorder.nameOf(record.pid)};
  }

  const Recorder& m_recorder;
  std::int64_t m_binNs;
  std::vector<TimelineSlice>& m_out;
  TimelineSlice m_pending;
  bool m_hasPending = false;
};

void cutLane(const Recorder& recorder, CpuId cpu, const TimelineWindow& window, std::int64_t binNs,
             std::vector<TimelineSlice>& out) {
  const auto& records = recorder.switches(cpu).items;
  const auto begin = static_cast<std::uint64_t>(window.beginNs);
  auto it = std::partition_point(records.begin(), records.end(),
                                 [&](const SwitchRecord& r) { return r.timeNs <= begin; });
  if (it != records.begin()) --it;
  const std::int64_t end = std::min(window.endNs, window.runEndNs);
  LaneCutter cutter(recorder, binNs, out);
  for (; it != records.end() && static_cast<std::int64_t>(it->timeNs) < end; ++it) {
    const auto next = it + 1;
    const std::int64_t sliceEnd =
        next == records.end() ? end : std::min(end, static_cast<std::int64_t>(next->timeNs));
    cutter.add(std::max(window.beginNs, static_cast<std::int64_t>(it->timeNs)), sliceEnd, *it);
  }
  cutter.flush();
}

/// When each CPU was offline within the window.
void addOffline(const Recorder& recorder, TimelineWindow& window) {
  const std::int64_t end = std::min(window.endNs, window.runEndNs);
  for (TimelineLane& lane : window.lanes) {
    std::int64_t since = -1;  // -1: online
    const auto add = [&](std::int64_t until) {
      const TimelineSpan span{std::max(since, window.beginNs), std::min(until, end)};
      if (since >= 0 && span.beginNs < span.endNs) lane.offline.push_back(span);
    };
    for (const OnlineRecord& change : recorder.onlineChanges()) {
      if (change.cpu != lane.cpu) continue;
      const auto at = static_cast<std::int64_t>(change.timeNs);
      if (change.isOnline) add(at);
      since = change.isOnline ? -1 : at;
    }
    add(end);
  }
}

const char* markKind(const DecisionRecord& record) {
  if (record.kind == DecisionKind::Placement) return "placement";
  if (record.kind == DecisionKind::ActivePass) return "active";
  return record.result == DecisionResult::ActiveStarted ? "active" : resultKey(record.result);
}

/// At most `bins` marks per lane; those that moved or failed come before balanced ones and placements.
void addMarks(const SimState& state, const Recorder& recorder, int bins, TimelineWindow& window) {
  const auto& log = recorder.decisions().items;
  const auto begin = static_cast<std::uint64_t>(window.beginNs);
  const auto end = static_cast<std::uint64_t>(window.endNs);
  auto first =
      std::partition_point(log.begin(), log.end(), [&](const DecisionRecord& r) { return r.timeNs < begin; });
  std::vector<std::size_t> laneOf(state.cpus.size(), SIZE_MAX);
  for (std::size_t lane = 0; lane < window.lanes.size(); ++lane)
    laneOf[static_cast<std::size_t>(window.lanes[lane].cpu)] = lane;
  for (const bool important : {true, false}) {
    for (auto it = first; it != log.end() && it->timeNs < end; ++it) {
      const bool isImportant = it->kind != DecisionKind::Placement && it->result != DecisionResult::Balanced;
      if (isImportant != important || it->cpu < 0) continue;
      const std::size_t lane = laneOf[static_cast<std::size_t>(it->cpu)];
      if (lane == SIZE_MAX || window.lanes[lane].marks.size() >= static_cast<std::size_t>(bins)) continue;
      window.lanes[lane].marks.push_back({static_cast<std::int64_t>(it->timeNs), it->index, markKind(*it),
                                          domainName(state, it->domain), it->from});
    }
  }
  for (TimelineLane& lane : window.lanes)
    std::sort(lane.marks.begin(), lane.marks.end(),
              [](const TimelineMark& a, const TimelineMark& b) { return a.pass < b.pass; });
}

}  // namespace

std::vector<Simulation::DecisionSummary> Simulation::decisions(std::int64_t beginNs, std::int64_t endNs,
                                                               std::size_t limit) const {
  const SimState& state = m_impl->history.state();
  const auto& log = m_impl->history.recorder().decisions().items;
  const auto begin = static_cast<std::uint64_t>(std::max<std::int64_t>(beginNs, 0));
  const auto end = static_cast<std::uint64_t>(std::max<std::int64_t>(endNs, 0));
  std::vector<DecisionSummary> out;
  auto it =
      std::partition_point(log.begin(), log.end(), [&](const DecisionRecord& r) { return r.timeNs < begin; });
  for (; it != log.end() && it->timeNs <= end && out.size() < limit; ++it)
    out.push_back({it->index, static_cast<std::int64_t>(it->timeNs), entryKey(*it),
                   domainName(state, it->domain), resultKey(it->result), it->cpu});
  return out;
}

TimelineWindow Simulation::timeline(std::int64_t beginNs, std::int64_t endNs, int bins) const {
  const History& history = m_impl->history;
  TimelineWindow window;
  window.beginNs = std::max<std::int64_t>(beginNs, 0);
  window.endNs = std::max(endNs, window.beginNs);
  // The clock of the animation may stand beyond the last event: until then what ran goes on.
  window.runEndNs = std::max(static_cast<std::int64_t>(history.frontierTimeNs()), m_impl->nowNs());
  const int count = std::max(bins, 1);
  const std::int64_t binNs = (window.endNs - window.beginNs) / count;
  for (const HardwareCpu& cpu : history.state().machine.topology->hardware.cpus) {
    TimelineLane& lane = window.lanes.emplace_back();
    lane.cpu = cpu.id.value;
    cutLane(history.recorder(), cpu.id, window, binNs, lane.slices);
  }
  addOffline(history.recorder(), window);
  addMarks(history.state(), history.recorder(), count, window);
  return window;
}

namespace {

PlacementSummary summaryOf(PlacementKind kind, const PlacementCounters& c) {
  PlacementSummary out;
  out.kind = keyOf(kind);
  out.count = c.count;
  out.onWakerCpu = c.onWakerCpu;
  out.onPrevCpu = c.onPrevCpu;
  out.onIdleCpu = c.onIdleCpu;
  for (std::size_t t = 0; t < c.groupTypes.size(); ++t) {
    out.groups += c.groupTypes[t];
    if (c.groupTypes[t] != 0) out.groupTypes.emplace_back(keyOf(static_cast<GroupType>(t)), c.groupTypes[t]);
  }
  if (out.groups != 0) out.meanGroupUtil = static_cast<double>(c.groupUtil) / static_cast<double>(out.groups);
  return out;
}

}  // namespace

Outcome Simulation::outcome() const {
  Outcome out = outcomeOf(m_impl->history.state());
  out.idleCauses = idleCauses(0, out.timeNs);
  return out;
}

Outcome outcomeOf(const SimState& state) {
  const Machine& m = state.machine;
  const SimCounters& c = state.counters;
  Outcome out;
  out.timeNs = static_cast<std::int64_t>(state.timeNs());
  out.finished = state.workload.hadFiniteThreads && state.workload.liveFiniteThreads == 0;
  for (std::size_t slot = 0; slot < state.workload.threads.size(); ++slot) {
    const ThreadState& thread = state.workload.threads[slot];
    if (thread.program < 0 || !m.tasks[slot].se.isValid()) continue;
    Outcome::TaskEnd end;
    end.name = m.tasks[slot].name;
    end.pid = m.tasks[slot].pid;
    end.endNs = thread.endNs < 0 ? -1 : thread.endNs - static_cast<std::int64_t>(state.originNs);
    end.runNs = static_cast<std::int64_t>(m.se(TaskId{slot}).sumExecRuntime);
    end.migrations = static_cast<std::int32_t>(thread.migrations);
    out.tasks.push_back(std::move(end));
  }
  out.events = c.events;
  out.ticks = c.ticks;
  out.passes = c.passes;
  out.placements = c.placements;
  out.migrations = c.migrations;
  out.failedPasses = c.failedPasses;
  out.idleWhileWaitingNs = c.idleWhileWaitingNs;
  for (std::size_t r = 0; r < c.migrationsByReason.size(); ++r)
    out.migrationsByReason.emplace_back(keyOf(static_cast<MigrationReason>(r)), c.migrationsByReason[r]);
  for (std::size_t k = 0; k < c.placementsByKind.size(); ++k)
    if (c.placementsByKind[k].count != 0)
      out.placementsByKind.push_back(summaryOf(static_cast<PlacementKind>(k), c.placementsByKind[k]));
  for (const HardwareCpu& cpu : m.topology->hardware.cpus) {
    const CpuActivity& activity = state.cpus[cpu.id.index()];
    const bool isIdleNow = activity.isIdle && m.topology->online.test(cpu.id);
    out.cpuIdleNs.push_back(
        static_cast<std::int64_t>(activity.idleNs + (isIdleNow ? m.nowNs - activity.idleSinceNs : 0)));
  }
  out.wakeups = c.wakeups;
  out.switches = c.switches;
  const LineCounters& line = state.contention.tgLoadAvgCounters;
  out.tgLoadAvg = {line.reads, line.writes, line.readNs, line.writeNs, line.waitedNs};
  out.sharedQueues = sharedQueueFrames(state);
  for (const GroupId id : state.quotaGroups) {
    const TaskGroup& group = m.group(id);
    const CfsBandwidth& b = group.bandwidth;
    out.limitedGroups.push_back({group.name, b.quotaNs, static_cast<std::int64_t>(b.periodNs), b.nrPeriods,
                                 b.nrThrottled, b.usedNs, b.throttledNs, b.expiredNs});
  }
  out.wakeupLatency = wakeupLatency(state);
  out.fingerprint = fingerprint(state);
  return out;
}

}  // namespace rqscope::api
