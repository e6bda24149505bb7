// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "api/trace_agreement.h"

#include <algorithm>
#include <deque>

namespace rqscope::api {

namespace {

using Track = TraceTrack;

std::int64_t signedOf(std::uint64_t ns) { return static_cast<std::int64_t>(ns); }

std::uint64_t distance(std::uint64_t a, std::uint64_t b) { return a > b ? a - b : b - a; }

/// Time that two lists of spans share, as far as `counts` says.
template <class Counts>
std::uint64_t sharedNs(const std::vector<Track::Span>& a, const std::vector<Track::Span>& b, Counts counts) {
  std::uint64_t sum = 0;
  std::size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    const std::uint64_t begin = std::max(a[i].beginNs, b[j].beginNs);
    const std::uint64_t end = std::min(a[i].endNs, b[j].endNs);
    if (end > begin && counts(a[i], b[j])) sum += end - begin;
    ++(a[i].endNs <= b[j].endNs ? i : j);
  }
  return sum;
}

std::uint64_t lengthOf(const std::vector<Track::Span>& spans, bool onlyRunning) {
  std::uint64_t sum = 0;
  for (const Track::Span& span : spans)
    if (span.runs || !onlyRunning) sum += span.endNs - span.beginNs;
  return sum;
}

void compareTimes(const Track::Task& a, const Track::Task& b, TaskAgreement& out) {
  using Span = Track::Span;
  const auto isSame = [](const Span& x, const Span& y) { return x.cpu == y.cpu; };
  const auto bothRun = [](const Span& x, const Span& y) { return x.runs && y.runs; };
  const std::uint64_t runA = lengthOf(a.spans, true), runB = lengthOf(b.spans, true);
  out.ranNs = {signedOf(runA), signedOf(runB)};
  out.sameRunNs = signedOf(sharedNs(
      a.spans, b.spans, [&](const Span& x, const Span& y) { return bothRun(x, y) && isSame(x, y); }));
  out.eitherRunNs = signedOf(runA + runB - sharedNs(a.spans, b.spans, bothRun));
  out.samePlaceNs = signedOf(sharedNs(a.spans, b.spans, isSame));
  out.eitherAwakeNs = signedOf(lengthOf(a.spans, false) + lengthOf(b.spans, false) -
                               sharedNs(a.spans, b.spans, [](const Span&, const Span&) { return true; }));
}

/// Moves that both sides make within the window; each has at most one partner.
void countMoves(const Track::Task& a, const Track::Task& b, std::uint64_t windowNs, bool isWakeup,
                MatchedCount& out) {
  std::vector<bool> isTaken(b.moves.size(), false);
  std::size_t first = 0;
  for (const Track::Move& move : b.moves) out.model += move.isWakeup == isWakeup ? 1 : 0;
  for (const Track::Move& move : a.moves) {
    if (move.isWakeup != isWakeup) continue;
    ++out.machine;
    while (first < b.moves.size() && b.moves[first].ns + windowNs < move.ns) ++first;
    for (std::size_t j = first; j < b.moves.size() && b.moves[j].ns <= move.ns + windowNs; ++j) {
      const Track::Move& other = b.moves[j];
      if (isTaken[j] || other.isWakeup != isWakeup || other.from != move.from || other.to != move.to)
        continue;
      isTaken[j] = true;
      ++out.agree;
      break;
    }
  }
}

/// Wakeups at about the same time are the same one.
void countWakeups(const Track::Task& a, const Track::Task& b, std::uint64_t windowNs, MatchedCount& out) {
  out.machine += a.wakes.size();
  out.model += b.wakes.size();
  std::size_t i = 0, j = 0;
  while (i < a.wakes.size() && j < b.wakes.size()) {
    if (distance(a.wakes[i].ns, b.wakes[j].ns) <= windowNs) {
      out.agree += a.wakes[i].cpu == b.wakes[j].cpu ? 1 : 0;
      ++i, ++j;
    } else {
      ++(a.wakes[i].ns < b.wakes[j].ns ? i : j);
    }
  }
}

void add(MatchedCount& sum, const MatchedCount& part) {
  sum.machine += part.machine;
  sum.model += part.model;
  sum.agree += part.agree;
}

CpuAgreement compareCpu(std::size_t cpu, const Track& a, const Track& b) {
  CpuAgreement out;
  out.cpu = static_cast<std::int32_t>(cpu);
  out.switches = {a.switches[cpu], b.switches[cpu]};
  const auto &x = a.cpus[cpu], &y = b.cpus[cpu];
  std::size_t i = 0, j = 0;
  for (std::uint64_t now = 0; now < a.lengthNs;) {
    const std::uint64_t endX = i + 1 < x.size() ? x[i + 1].ns : a.lengthNs;
    const std::uint64_t endY = j + 1 < y.size() ? y[j + 1].ns : a.lengthNs;
    const std::uint64_t end = std::min({endX, endY, a.lengthNs});
    const std::int64_t length = end > now ? signedOf(end - now) : 0;
    if (x[i].pid != Track::kOther) {
      out.comparedNs += length;
      if (x[i].pid == y[j].pid) out.sameNs += length;
    }
    if (x[i].pid != Track::kIdle) out.busyNs.machine += length;
    if (y[j].pid != Track::kIdle) out.busyNs.model += length;
    now = std::max(now, end);
    if (endX <= end && i + 1 < x.size()) ++i;
    if (endY <= end && j + 1 < y.size()) ++j;
    if (end >= a.lengthNs) break;
  }
  return out;
}

LatencyFigures latencyOf(const Track& track) {
  std::vector<std::uint64_t> all;
  for (const Track::Task& task : track.tasks)
    for (const Track::Wake& wake : task.wakes)
      if (!wake.isNew && wake.ranNs != Track::kNever) all.push_back(wake.ranNs - wake.ns);
  std::ranges::sort(all);
  LatencyFigures out;
  out.count = all.size();
  for (const double percent : {50.0, 90.0, 99.0, 100.0}) {
    if (all.empty()) break;
    const auto rank = static_cast<std::size_t>(percent / 100 * static_cast<double>(all.size() - 1) + 0.5);
    out.percentiles.emplace_back(percent, signedOf(all[rank]));
  }
  return out;
}

/// Sum over the CPUs of the time in which one idles while a task waits on a busy one.
class IdleWhileWaiting {
 public:
  explicit IdleWhileWaiting(const Track& track)
      : m_lengthNs(track.lengthNs), m_running(track.cpus.size()), m_waiting(track.cpus.size()) {
    for (std::size_t cpu = 0; cpu < track.cpus.size(); ++cpu)
      for (const Track::Switch& s : track.cpus[cpu]) m_steps.push_back({s.ns, cpu, 0, s.pid});
    for (const Track::Task& task : track.tasks)
      for (const Track::Span& span : task.spans) {
        if (span.runs || task.isBound) continue;
        m_steps.push_back({span.beginNs, static_cast<std::size_t>(span.cpu), 1, 0});
        m_steps.push_back({span.endNs, static_cast<std::size_t>(span.cpu), -1, 0});
      }
    std::ranges::stable_sort(m_steps, {}, &Step::ns);
    m_idle = static_cast<int>(track.cpus.size());
  }

  std::uint64_t sumNs() {
    std::uint64_t sum = 0, last = 0;
    for (const Step& step : m_steps) {
      if (m_waitingOnBusy > 0) sum += (step.ns - last) * static_cast<std::uint64_t>(m_idle);
      last = step.ns;
      take(step);
    }
    if (m_waitingOnBusy > 0) sum += (m_lengthNs - last) * static_cast<std::uint64_t>(m_idle);
    return sum;
  }

 private:
  struct Step {
    std::uint64_t ns;
    std::size_t cpu;
    int waits;  ///< +1, -1; 0: the CPU runs `pid` from now on
    std::int32_t pid;
  };

  void take(const Step& step) {
    bool& runs = m_running[step.cpu];
    int& waiting = m_waiting[step.cpu];
    if (runs) m_waitingOnBusy -= waiting;
    waiting += step.waits;
    if (step.waits == 0) {
      const bool isBusy = step.pid != Track::kIdle;
      m_idle += static_cast<int>(runs) - static_cast<int>(isBusy);
      runs = isBusy;
    }
    if (runs) m_waitingOnBusy += waiting;
  }

  std::uint64_t m_lengthNs;
  std::vector<Step> m_steps;
  std::deque<bool> m_running;
  std::vector<int> m_waiting;
  int m_idle = 0, m_waitingOnBusy = 0;
};

}  // namespace

MatchedCount matchedMoves(const TraceTrack& machine, const TraceTrack& model, std::uint64_t windowNs) {
  MatchedCount out;
  for (std::size_t i = 0; i < machine.tasks.size(); ++i)
    for (const bool isWakeup : {true, false})
      countMoves(machine.tasks[i], model.tasks[i], windowNs, isWakeup, out);
  return out;
}

namespace {

void compareTasks(const Track& machine, const Track& model, TraceReport& report) {
  const auto windowNs = static_cast<std::uint64_t>(report.windowNs);
  for (std::size_t i = 0; i < machine.tasks.size(); ++i) {
    const Track::Task &a = machine.tasks[i], &b = model.tasks[i];
    TaskAgreement task;
    task.pid = a.pid;
    task.name = a.name;
    compareTimes(a, b, task);
    MatchedCount byWakeup, otherwise;
    countMoves(a, b, windowNs, true, byWakeup);
    countMoves(a, b, windowNs, false, otherwise);
    countWakeups(a, b, windowNs, task.wakeups);
    add(report.wakeupMoves, byWakeup);
    add(report.otherMoves, otherwise);
    add(report.wakeups, task.wakeups);
    task.moves = byWakeup;
    add(task.moves, otherwise);
    report.sameRunNs += task.sameRunNs;
    report.eitherRunNs += task.eitherRunNs;
    report.tasks.push_back(std::move(task));
  }
}

}  // namespace

void compareTracks(const TraceTrack& machine, const TraceTrack& model, TraceReport& report) {
  compareTasks(machine, model, report);
  for (std::size_t cpu = 0; cpu < std::min(machine.cpus.size(), model.cpus.size()); ++cpu) {
    report.cpus.push_back(compareCpu(cpu, machine, model));
    const CpuAgreement& found = report.cpus.back();
    report.sameCpuNs += found.sameNs;
    report.comparedCpuNs += found.comparedNs;
    report.switches.machine += found.switches.machine;
    report.switches.model += found.switches.model;
  }
  report.latency = {latencyOf(machine), latencyOf(model)};
  report.idleWhileWaitingNs = {signedOf(IdleWhileWaiting(machine).sumNs()),
                               signedOf(IdleWhileWaiting(model).sumNs())};
  findPartings(machine, model, report);
}

SideMoment momentOf(const TraceTrack& track, std::uint64_t ns) {
  SideMoment out;
  for (std::size_t cpu = 0; cpu < track.cpus.size(); ++cpu) {
    SideMoment::Cpu& c = out.cpus.emplace_back();
    c.cpu = static_cast<std::int32_t>(cpu);
    const std::int32_t pid = track.runningAt(cpu, ns);
    if (pid == Track::kOther) c.running = "(other class)";
    if (const auto at = track.indexOf(pid); pid > 0 && at >= 0)
      c.running = track.tasks[static_cast<std::size_t>(at)].name + "-" + std::to_string(pid);
  }
  for (const Track::Task& task : track.tasks) {
    const Track::Span* const span = Track::spanAt(task, ns);
    if (span == nullptr || span->runs || static_cast<std::size_t>(span->cpu) >= out.cpus.size()) continue;
    out.cpus[static_cast<std::size_t>(span->cpu)].waiting.push_back(task.name + "-" +
                                                                    std::to_string(task.pid));
  }
  return out;
}

FirstMove firstMove(const TraceTrack& track, std::uint64_t beforeNs) {
  FirstMove out;
  for (std::size_t i = 0; i < track.tasks.size(); ++i) {
    if (track.tasks[i].moves.empty()) continue;
    const Track::Move& move = track.tasks[i].moves.front();
    if (move.ns < beforeNs && (out.move == nullptr || move.ns < out.move->ns)) out = {i, &move};
  }
  return out;
}

bool hasMove(const TraceTrack& track, const FirstMove& wanted, std::uint64_t windowNs) {
  return std::ranges::any_of(track.tasks[wanted.task].moves, [&](const Track::Move& move) {
    return move.to == wanted.move->to && move.from == wanted.move->from &&
           distance(move.ns, wanted.move->ns) <= windowNs;
  });
}

}  // namespace rqscope::api
