// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cstdlib>
#include <tuple>

#include "api/trace_comparison_impl.h"

namespace rqscope::api {

namespace {

/// Slices of at least `binNs`; what is shorter is merged, and merged slices of several tasks have task -1.
class SliceCutter {
 public:
  SliceCutter(std::int64_t binNs, std::vector<TimelineSlice>& out) : m_binNs(binNs), m_out(out) {}

  void add(TimelineSlice slice) {
    const bool isLong = slice.endNs - slice.beginNs >= m_binNs;
    if (m_hasPending && (isLong || slice.beginNs - m_pending.beginNs >= m_binNs)) flush();
    if (isLong) {
      m_out.push_back(std::move(slice));
    } else if (!m_hasPending) {
      m_pending = std::move(slice);
      m_hasPending = true;
    } else {
      m_pending.endNs = slice.endNs;
      if (m_pending.pid == slice.pid) return;
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
  std::int64_t m_binNs;
  std::vector<TimelineSlice>& m_out;
  TimelineSlice m_pending;
  bool m_hasPending = false;
};

}  // namespace

TimelineWindow TraceComparison::machineTimeline(std::int64_t beginNs, std::int64_t endNs, int bins) const {
  const Impl& impl = *m_impl;
  TimelineWindow window;
  window.beginNs = std::max<std::int64_t>(beginNs, 0);
  window.endNs = std::max(endNs, window.beginNs);
  window.runEndNs = static_cast<std::int64_t>(impl.lengthNs);
  const std::int64_t end = std::min(window.endNs, window.runEndNs);
  const std::int64_t binNs = (window.endNs - window.beginNs) / std::max(bins, 1);
  for (const LayoutCpu& cpu : impl.layout->cpus) {
    TimelineLane& lane = window.lanes.emplace_back();
    lane.cpu = cpu.id;
    if (cpu.id < 0 || static_cast<std::size_t>(cpu.id) >= impl.machine.cpus.size()) continue;
    const auto& switches = impl.machine.cpus[static_cast<std::size_t>(cpu.id)];
    auto it = std::ranges::upper_bound(switches, static_cast<std::uint64_t>(window.beginNs), {},
                                       &TraceTrack::Switch::ns);
    if (it != switches.begin()) --it;
    SliceCutter cutter(binNs, lane.slices);
    for (; it != switches.end() && static_cast<std::int64_t>(it->ns) < end; ++it) {
      const auto next = it + 1;
      const std::int64_t until =
          next == switches.end() ? end : std::min(end, static_cast<std::int64_t>(next->ns));
      const std::int64_t begin = std::max(window.beginNs, static_cast<std::int64_t>(it->ns));
      if (it->pid != TraceTrack::kIdle && until > begin) cutter.add(impl.sliceOf(begin, until, it->pid));
    }
    cutter.flush();
  }
  return window;
}

/// A slice has the slot and the name that the task has in the model's run, so that both look alike.
TimelineSlice TraceComparison::Impl::sliceOf(std::int64_t beginNs, std::int64_t endNs,
                                             std::int32_t pid) const {
  const auto slot = slotByPid.find(pid);
  const auto at = machine.indexOf(pid);
  TimelineSlice out{beginNs, endNs, slot == slotByPid.end() ? -1 : slot->second, pid, "other class"};
  if (at >= 0) out.name = programNameOf(input.tasks.tasks[static_cast<std::size_t>(at)]);
  return out;
}

/// Runs the model for its ladders up to a moment; false: cancelled, or the scenario cannot be opened.
bool TraceComparison::Impl::runForLadders(std::int64_t untilNs) {
  if (simulation == nullptr)
    simulation = Simulation::openText(input.scenario.file, input.scenario.text, overrides).simulation;
  if (simulation == nullptr) return false;
  constexpr int kSliceMs = 100;
  StopCondition stop;
  stop.kind = StopKind::Time;
  stop.timeNs = untilNs;
  while (!simulation->runUntil(stop, kSliceMs) && !simulation->frame()->atEnd)
    if (cancelled.load()) return false;
  return true;
}

std::shared_ptr<const Ladder> TraceComparison::decisionAt(const Parting& parting) {
  Impl& impl = *m_impl;
  if (parting.kind == Parting::Kind::Turn) return nullptr;
  const std::int64_t until = parting.timeNs + impl.options.windowNs;
  if (!impl.runForLadders(until)) return nullptr;
  constexpr std::size_t kMost = 10'000;
  const bool isWakeup = parting.kind == Parting::Kind::Wakeup;
  const std::int64_t from = std::max<std::int64_t>(parting.timeNs - impl.options.windowNs, 0);
  auto decisions = impl.simulation->decisions(from, until, kMost);
  std::erase_if(decisions, [&](const Simulation::DecisionSummary& d) {
    const bool isPlacement = d.result == "placed";
    return isPlacement != isWakeup || d.cpu != (isWakeup ? parting.cpus.model : parting.cpu);
  });
  // The nearest comes first. What the machine alone moved was not done by a pass of the model up to then.
  const auto rank = [&](const Simulation::DecisionSummary& d) {
    const bool isLater = parting.isMachines && d.timeNs > parting.timeNs;
    const bool isOther = !isWakeup && !parting.isMachines && d.result != "moved";
    return std::tuple(isLater, isOther, std::abs(d.timeNs - parting.timeNs), -static_cast<double>(d.index));
  };
  std::ranges::sort(decisions, {}, rank);
  const auto slot = impl.slotByPid.find(parting.pid);
  for (const Simulation::DecisionSummary& decision : decisions) {
    auto ladder = impl.simulation->ladder(decision.index);
    if (!isWakeup || slot == impl.slotByPid.end() || (ladder && ladder->task == slot->second)) return ladder;
  }
  return nullptr;
}

}  // namespace rqscope::api
