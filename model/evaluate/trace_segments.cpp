// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "evaluate/trace_segments.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>

#include "evaluate/trace_follower.h"

namespace rqscope {
namespace {

constexpr double kNsPerMs = 1e6;
constexpr double kToleranceMs = 4.5;              // a tick and what the emulator's turns add
constexpr std::uint64_t kKickLatencyNs = 20'000;  // the emulator's turn of a CPU is 50 us
constexpr int kTicksPerSegment = 10;

class Runs {
 public:
  explicit Runs(const TraceRecord& record) : m_record(record) {
    auto plan = std::make_shared<SimPlan>();
    plan->topology = record.topology;
    plan->profile = std::make_shared<const KernelProfile>(record.profile);
    plan->tickOffsetsNs.assign(static_cast<std::size_t>(record.topology->cpuLimit), 0);
    m_threads = threadsOfTrace(record.run, record.text, record.clockReadNs, *plan);
    addTraceOperations(record.run, *plan);
    plan->costs.idleWakeupNs = kKickLatencyNs;
    m_plan = plan;
    for (const auto& [pid, thread] : m_threads)
      if (thread.isWorkload) m_tasks.insert(thread.name);
    m_report.lengthMs = static_cast<double>(record.tickNs()) / kNsPerMs * kTicksPerSegment;
  }

  /// One run from the start of the workload to its end.
  FreeRunReport whole() {
    TraceFollower follower = makeFollower();
    follower.followTo(0);
    const FreeTrack model = letLoose(follower, m_record.endMs);
    return compareFreeRun(m_record.real, model, {0, m_record.endMs, kToleranceMs});
  }

  SegmentsReport pieces() {
    TraceFollower follower = makeFollower();
    const double tickMs = static_cast<double>(m_record.tickNs()) / kNsPerMs;
    // Between two ticks nothing is half done.
    double from = std::fmod(m_record.tickPhaseMs + tickMs / 2, tickMs);
    for (; from + m_report.lengthMs <= m_record.endMs; from += m_report.lengthMs) {
      follower.followTo(std::llround(from * 1000));
      one(follower, from);
    }
    const FollowCounts& counts = follower.counts();
    m_report.switches = counts.switches;
    m_report.picksAgree = counts.picksAgree;
    m_report.wakeups = counts.wakeups;
    m_report.choicesAgree = counts.choicesAgree;
    finish();
    return std::move(m_report);
  }

 private:
  TraceFollower makeFollower() const {
    return TraceFollower(m_plan, m_record.text, m_threads, m_record.real.passes, m_record.run,
                         m_record.tickPhaseMs);
  }

  /// What the engine does from where the record was followed to until `toMs`.
  FreeTrack letLoose(const TraceFollower& follower, double toMs) const {
    Simulator simulator(follower.letGo());
    FreeRunWatcher watcher(follower.base().zeroNs);
    simulator.setObserver(&watcher);
    runWithIdleTicks(simulator, follower.base().nsOf(toMs));
    FreeTrack model = watcher.track();
    std::erase_if(model.moves, [&](const FreeMove& m) { return !m_tasks.contains(m.task); });
    for (FreeSwitch& s : model.switches)
      if (!m_tasks.contains(s.task)) s.task.clear();
    return model;
  }

  void one(const TraceFollower& follower, double from) {
    const double to = from + m_report.lengthMs;
    const FreeTrack model = letLoose(follower, to + kToleranceMs);
    const FreeRunReport part =
        compareFreeRun(m_record.real, model, {from, to + kToleranceMs, kToleranceMs, to});
    ++m_report.segments;
    m_report.passesReal += part.passesReal;
    m_report.passesModel += part.passesModel;
    m_report.passesAgree += part.passesAgree;
    m_report.movesReal += part.movesReal;
    m_report.movesModel += part.movesModel;
    m_report.movesAgree += part.movesAgree;
    if (part.firstDifferenceMs < 0) {
      ++m_report.withoutDifference;
      m_firstMs.push_back(1e9);
      return;
    }
    m_firstMs.push_back(part.firstDifferenceMs - from);
    CauseCount& cause = m_causes[part.causeKind];
    cause.kind = part.causeKind;
    if (cause.count++ == 0) cause.example = fmt::format("{}; {}", part.firstDifference, part.cause);
  }

  void finish() {
    for (const auto& [kind, cause] : m_causes) m_report.causes.push_back(cause);
    std::ranges::stable_sort(m_report.causes, std::ranges::greater{}, &CauseCount::count);
    if (m_firstMs.empty()) return;
    std::ranges::sort(m_firstMs);
    const double median = m_firstMs[m_firstMs.size() / 2];
    m_report.medianMs = median > m_report.lengthMs ? -1 : median;
  }

  const TraceRecord& m_record;
  std::shared_ptr<const SimPlan> m_plan;
  TraceThreads m_threads;
  std::set<std::string> m_tasks;
  std::vector<double> m_firstMs;
  std::map<std::string, CauseCount> m_causes;
  SegmentsReport m_report;
};

}  // namespace

FreeRunReport runTraceWhole(const TraceRecord& record) { return Runs(record).whole(); }

SegmentsReport runTraceSegments(const TraceRecord& record) { return Runs(record).pieces(); }

}  // namespace rqscope
