// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "evaluate/trace_track.h"

#include <algorithm>
#include <unordered_map>

namespace rqscope {

namespace {

enum class Doing : std::uint8_t { Unknown, Sleeping, Waiting, Running };

/// What a task is doing while the trace is read.
struct Live {
  Doing doing = Doing::Unknown;
  std::int32_t cpu = -1;
  std::uint64_t sinceNs = 0;
  std::int32_t wakerCpu = -1;  ///< of a sched_waking whose sched_wakeup is still to come
  bool isAwakeAtStart = false;
};

class TrackReader {
 public:
  TrackReader(const Trace& trace, const std::vector<TraceTask>& tasks, std::uint64_t startNs,
              std::uint64_t lengthNs, bool hasMoves)
      : m_startNs(startNs), m_hasMoves(hasMoves), m_live(tasks.size()) {
    m_track.lengthNs = lengthNs;
    m_track.cpus.resize(static_cast<std::size_t>(trace.cpus));
    m_track.switches.resize(m_track.cpus.size());
    for (const TraceTask& task : tasks) {
      m_indexes.emplace(task.pid, m_track.tasks.size());
      m_track.tasks.push_back({task.pid, task.name, task.isPerCpuKthread, {}, {}, {}});
      m_live[m_track.tasks.size() - 1].isAwakeAtStart = task.isAwakeAtStart;
    }
    for (const TraceEvent& e : trace.events)
      m_hasWakeups = m_hasWakeups || e.kind == TraceEventKind::Wakeup || e.kind == TraceEventKind::WakeupNew;
  }

  void take(const TraceEvent& event);
  TraceTrack finish();

 private:
  void switched(const TraceEvent& event);
  void leave(std::size_t index, const TraceEvent& event);
  void enter(std::size_t index, const TraceEvent& event);
  void woken(const TraceEvent& event);
  void migrated(const TraceEvent& event);
  void close(std::size_t index, std::uint64_t ns);
  void go(std::size_t index, Doing doing, std::int32_t cpu, std::uint64_t ns);
  /// -1: not compared.
  std::ptrdiff_t indexOf(std::int32_t pid) const {
    const auto at = m_indexes.find(pid);
    return at == m_indexes.end() ? -1 : static_cast<std::ptrdiff_t>(at->second);
  }
  std::int32_t shownPid(std::int32_t pid) const {
    return pid == 0 ? TraceTrack::kIdle : indexOf(pid) < 0 ? TraceTrack::kOther : pid;
  }

  std::uint64_t m_startNs;
  bool m_hasMoves, m_hasWakeups = false;
  TraceTrack m_track;
  std::vector<Live> m_live;  ///< by index of the track's tasks
  std::unordered_map<std::int32_t, std::size_t> m_indexes;
};

void TrackReader::close(std::size_t index, std::uint64_t ns) {
  const Live& live = m_live[index];
  const bool isAwake = live.doing == Doing::Waiting || live.doing == Doing::Running;
  if (isAwake && ns > live.sinceNs)
    m_track.tasks[index].spans.push_back({live.sinceNs, ns, live.cpu, live.doing == Doing::Running});
}

void TrackReader::go(std::size_t index, Doing doing, std::int32_t cpu, std::uint64_t ns) {
  close(index, ns);
  Live& live = m_live[index];
  live.doing = doing;
  live.cpu = cpu;
  live.sinceNs = ns;
}

void TrackReader::leave(std::size_t index, const TraceEvent& event) {
  if (m_live[index].doing == Doing::Unknown)  // it has run since the start
    go(index, Doing::Running, event.cpu, 0);
  go(index, event.staysRunnable ? Doing::Waiting : Doing::Sleeping, event.cpu, event.ns);
}

void TrackReader::enter(std::size_t index, const TraceEvent& event) {
  Live& live = m_live[index];
  TraceTrack::Task& task = m_track.tasks[index];
  if (live.doing == Doing::Unknown && live.isAwakeAtStart) go(index, Doing::Waiting, event.cpu, 0);
  if (!m_hasMoves && live.cpu >= 0 && live.cpu != event.cpu)
    task.moves.push_back({event.ns, live.cpu, event.cpu, false});
  if (!task.wakes.empty() && task.wakes.back().ranNs == TraceTrack::kNever) {
    task.wakes.back().ranNs = event.ns;
    if (!m_hasWakeups) task.wakes.back().cpu = event.cpu;
  }
  go(index, Doing::Running, event.cpu, event.ns);
}

void TrackReader::switched(const TraceEvent& event) {
  auto& cpu = m_track.cpus[static_cast<std::size_t>(event.cpu)];
  if (cpu.empty()) cpu.push_back({0, shownPid(event.otherPid)});
  if (const auto prev = indexOf(event.otherPid); prev >= 0) leave(static_cast<std::size_t>(prev), event);
  if (const auto next = indexOf(event.pid); next >= 0) enter(static_cast<std::size_t>(next), event);
  const std::int32_t pid = shownPid(event.pid);
  if (cpu.back().ns == event.ns)
    cpu.back().pid = pid;
  else
    cpu.push_back({event.ns, pid});
  if (event.ns != 0) ++m_track.switches[static_cast<std::size_t>(event.cpu)];
}

void TrackReader::woken(const TraceEvent& event) {
  const auto at = indexOf(event.pid);
  if (at < 0) return;
  const auto index = static_cast<std::size_t>(at);
  Live& live = m_live[index];
  if (event.kind == TraceEventKind::Waking) {
    live.wakerCpu = event.cpu;
    if (m_hasWakeups) return;
  }
  const std::int32_t waker = live.wakerCpu >= 0 ? live.wakerCpu : event.cpu;
  live.wakerCpu = -1;
  if (live.doing == Doing::Waiting || live.doing == Doing::Running) return;
  TraceTrack::Task& task = m_track.tasks[index];
  const std::int32_t before = live.cpu;
  if (event.ns != 0)
    task.wakes.push_back(
        {event.ns, waker, event.targetCpu, TraceTrack::kNever, event.kind == TraceEventKind::WakeupNew});
  if (!m_hasMoves && m_hasWakeups && before >= 0 && before != event.targetCpu)
    task.moves.push_back({event.ns, before, event.targetCpu, true});
  go(index, Doing::Waiting, event.targetCpu, event.ns);
}

void TrackReader::migrated(const TraceEvent& event) {
  const auto at = indexOf(event.pid);
  if (at < 0 || !m_hasMoves) return;
  const auto index = static_cast<std::size_t>(at);
  const Doing doing = m_live[index].doing;
  const bool sleeps = doing == Doing::Sleeping || doing == Doing::Unknown;
  m_track.tasks[index].moves.push_back({event.ns, event.fromCpu, event.targetCpu, sleeps});
  if (doing != Doing::Unknown) go(index, doing, event.targetCpu, event.ns);
}

void TrackReader::take(const TraceEvent& traced) {
  TraceEvent event = traced;
  event.ns -= m_startNs;
  switch (event.kind) {
    case TraceEventKind::Switch:
      return switched(event);
    case TraceEventKind::Waking:
    case TraceEventKind::Wakeup:
    case TraceEventKind::WakeupNew:
      return woken(event);
    case TraceEventKind::Migrate:
      return migrated(event);
    case TraceEventKind::Fork:
      if (const auto child = indexOf(event.pid); child >= 0)
        m_live[static_cast<std::size_t>(child)].doing = Doing::Sleeping;
      return;
    case TraceEventKind::Exit:
      return;
  }
}

TraceTrack TrackReader::finish() {
  for (std::size_t i = 0; i < m_live.size(); ++i) close(i, m_track.lengthNs);
  for (auto& cpu : m_track.cpus)
    if (cpu.empty()) cpu.push_back({0, TraceTrack::kIdle});
  return std::move(m_track);
}

}  // namespace

const TraceTrack::Span* TraceTrack::spanAt(const Task& task, std::uint64_t ns) {
  const auto after = std::ranges::upper_bound(task.spans, ns, {}, &Span::beginNs);
  if (after == task.spans.begin()) return nullptr;
  const Span& span = *(after - 1);
  return ns < span.endNs ? &span : nullptr;
}

std::int32_t TraceTrack::cpuAt(const Task& task, std::uint64_t ns) {
  const auto after = std::ranges::upper_bound(task.spans, ns, {}, &Span::beginNs);
  return after == task.spans.begin() ? -1 : (after - 1)->cpu;
}

std::int32_t TraceTrack::runningAt(std::size_t cpu, std::uint64_t ns) const {
  const auto after = std::ranges::upper_bound(cpus[cpu], ns, {}, &Switch::ns);
  return after == cpus[cpu].begin() ? kIdle : (after - 1)->pid;
}

std::ptrdiff_t TraceTrack::indexOf(std::int32_t pid) const {
  const auto at = std::ranges::lower_bound(tasks, pid, {}, &Task::pid);
  return at == tasks.end() || at->pid != pid ? -1 : at - tasks.begin();
}

TraceTrack trackOf(const Trace& trace, const std::vector<TraceTask>& tasks, std::uint64_t startNs,
                   std::uint64_t lengthNs, bool hasMoves) {
  TrackReader reader(trace, tasks, startNs, lengthNs, hasMoves);
  for (const TraceEvent& event : trace.events)
    if (event.ns >= startNs && event.ns - startNs < lengthNs) reader.take(event);
  return reader.finish();
}

TraceTrack partOf(const TraceTrack& track, std::uint64_t beginNs, std::uint64_t endNs) {
  TraceTrack out;
  out.lengthNs = endNs - beginNs;
  const auto isInside = [&](const auto& what) { return what.ns > beginNs && what.ns < endNs; };
  for (const TraceTrack::Task& task : track.tasks) {
    TraceTrack::Task& part =
        out.tasks.emplace_back(TraceTrack::Task{task.pid, task.name, task.isBound, {}, {}, {}});
    for (TraceTrack::Span span : task.spans) {
      if (span.endNs <= beginNs || span.beginNs >= endNs) continue;
      span.beginNs = std::max(span.beginNs, beginNs) - beginNs;
      span.endNs = std::min(span.endNs, endNs) - beginNs;
      part.spans.push_back(span);
    }
    for (TraceTrack::Move move : task.moves)
      if (isInside(move)) move.ns -= beginNs, part.moves.push_back(move);
    for (TraceTrack::Wake wake : task.wakes) {
      if (!isInside(wake)) continue;
      wake.ns -= beginNs;
      if (wake.ranNs != TraceTrack::kNever) wake.ranNs -= beginNs;
      part.wakes.push_back(wake);
    }
  }
  for (std::size_t cpu = 0; cpu < track.cpus.size(); ++cpu) {
    auto& part = out.cpus.emplace_back();
    part.push_back({0, track.runningAt(cpu, beginNs)});
    for (const TraceTrack::Switch& s : track.cpus[cpu])
      if (isInside(s)) part.push_back({s.ns - beginNs, s.pid});
    out.switches.push_back(part.size() - 1);
  }
  return out;
}

}  // namespace rqscope
