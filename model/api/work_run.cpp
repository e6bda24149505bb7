// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "api/work_run.h"

#include <algorithm>
#include <cmath>

#include "engine/simulator.h"
#include "runqueue/load_tracking.h"

namespace rqscope::api {
namespace {

constexpr std::int64_t kSampleNs = 1'000'000;
constexpr double kNsPerSecond = 1e9;
constexpr std::string_view kCountedForks = "fork";

/// CPU work of one round of the thread's last phase.
double roundNs(const ThreadProgram& thread) {
  double ns = 0;
  if (thread.phases.empty()) return ns;
  for (const ProgramEvent& event : thread.phases.back().events)
    if (event.kind == ProgramEventKind::Run) ns += static_cast<double>(event.ns);
  return ns;
}

/// Counters of a run at one moment.
struct Reading {
  double rounds = 0;
  std::int64_t timeNs = 0;
  SimCounters counters;
  LineCounters line;
  std::vector<std::uint64_t> latencies;
};

Reading readingOf(const SimState& s, const WorkSpec& spec) {
  Reading r;
  r.timeNs = static_cast<std::int64_t>(s.timeNs());
  r.counters = s.counters;
  r.line = s.contention.tgLoadAvgCounters;
  r.latencies = s.workload.latencies;
  if (spec.counted == kCountedForks) {
    r.rounds =
        static_cast<double>(s.counters.placementsByKind[static_cast<std::size_t>(PlacementKind::Fork)].count);
    return r;
  }
  std::size_t threads = 0;
  for (const ThreadState& thread : s.workload.threads) {
    if (thread.program < 0) continue;
    const ThreadProgram& program = s.plan->workload.threads[static_cast<std::size_t>(thread.program)];
    const double ns = roundNs(program);
    if (ns <= 0 || !program.name.starts_with(spec.counted + "-")) continue;
    r.rounds += static_cast<double>(thread.workDone >> kCapacityShift) / ns;
    ++threads;
  }
  if (spec.perThread && threads != 0) r.rounds /= static_cast<double>(threads);
  return r;
}

double workBetween(const Reading& begin, const Reading& end, const WorkSpec& spec) {
  if (end.timeNs <= begin.timeNs) return 0;
  return (end.rounds - begin.rounds) * spec.factor * kNsPerSecond /
         static_cast<double>(end.timeNs - begin.timeNs);
}

class Runner {
 public:
  Runner(Simulator& simulator, const WorkSpec& spec, const std::atomic<bool>* cancel,
         std::atomic<double>& progress)
      : m_simulator(simulator), m_spec(spec), m_cancel(cancel), m_progress(progress) {}

  /// False when cancelled or at the end of the run.
  bool runTo(std::int64_t timeNs) {
    const SimState& s = m_simulator.state();
    while (static_cast<std::int64_t>(s.timeNs()) < timeNs) {
      if (m_cancel != nullptr && m_cancel->load(std::memory_order_relaxed)) return false;
      if (!m_simulator.stepEvent()) return false;
      if (static_cast<std::int64_t>(s.timeNs()) < m_nextSampleNs) continue;
      m_nextSampleNs += kSampleNs;
      m_progress = std::min(
          1.0, static_cast<double>(s.timeNs()) / static_cast<double>(m_spec.warmUpNs + m_spec.measuredNs));
      if (static_cast<std::int64_t>(s.timeNs()) >= m_spec.warmUpNs && s.machine.groups.size() > 1)
        m_samples.push_back(sampleGroup(s.machine, GroupId{1}));
    }
    return true;
  }
  const std::vector<GroupSample>& samples() const { return m_samples; }

 private:
  Simulator& m_simulator;
  const WorkSpec& m_spec;
  const std::atomic<bool>* m_cancel;
  std::atomic<double>& m_progress;
  std::int64_t m_nextSampleNs = 0;
  std::vector<GroupSample> m_samples;
};

WorkFigures figuresOf(const Reading& begin, const Reading& half, const Reading& end, const WorkSpec& spec,
                      int cpus) {
  WorkFigures f;
  f.work = workBetween(begin, end, spec);
  f.halfWork = workBetween(begin, half, spec);
  f.wakeups = end.counters.wakeups - begin.counters.wakeups;
  f.migrations = end.counters.migrations - begin.counters.migrations;
  f.switches = end.counters.switches - begin.counters.switches;
  f.reads = end.line.reads - begin.line.reads;
  f.writes = end.line.writes - begin.line.writes;
  f.lineNs = end.line.readNs + end.line.writeNs - begin.line.readNs - begin.line.writeNs;
  f.waitedNs = end.line.waitedNs - begin.line.waitedNs;
  f.cpuNs = static_cast<double>(end.timeNs - begin.timeNs) * cpus;
  f.latencies = end.latencies;
  for (std::size_t i = 0; i < std::min(f.latencies.size(), begin.latencies.size()); ++i)
    f.latencies[i] -= begin.latencies[i];
  return f;
}

}  // namespace

GroupSample sampleGroup(const Machine& m, GroupId id) {
  const TaskGroup& group = m.group(id);
  GroupSample sample;
  sample.tgLoad = static_cast<double>(group.loadAvg);
  double sum = 0;
  for (CpuId cpu = m.topology->online.first(); cpu.isValid(); cpu = m.topology->online.next(cpu))
    sum += static_cast<double>(m.queue(queueOf(m, id, cpu)).avg.loadAvg);
  if (sum > 0) sample.loadError = 100 * std::abs(sample.tgLoad - sum) / sum;
  int running = 0;
  for (CpuId cpu = m.topology->online.first(); cpu.isValid(); cpu = m.topology->online.next(cpu)) {
    const CfsRq& queue = m.queue(queueOf(m, id, cpu));
    const SchedEntity& entity = m.entity(groupEntity(m, id, cpu));
    if (!entity.onRq || queue.load.weight == 0) continue;
    const double own = static_cast<double>(queue.avg.loadAvg);
    const double load = std::max(static_cast<double>(scaleLoadDown(queue.load.weight)), own);
    const double shares = static_cast<double>(scaleLoadDown(static_cast<std::uint64_t>(group.shares)));
    const double ideal = std::clamp(shares * load / std::max(1.0, sum - own + load), 2.0, shares);
    sample.meanWeight += static_cast<double>(seWeight(entity));
    sample.weightError += 100 * std::abs(static_cast<double>(seWeight(entity)) - ideal) / ideal;
    ++running;
  }
  if (running != 0) sample.weightError /= running;
  if (running != 0) sample.meanWeight /= running;
  return sample;
}

double latencyPercentile(const std::vector<std::uint64_t>& latencies, double percent) {
  std::uint64_t all = 0, seen = 0;
  for (const std::uint64_t count : latencies) all += count;
  if (all == 0) return 0;
  const double wanted = std::ceil(percent / 100 * static_cast<double>(all));
  for (std::size_t i = 0; i < latencies.size(); ++i) {
    seen += latencies[i];
    if (static_cast<double>(seen) >= wanted) return static_cast<double>(latencyOfBucket(i));
  }
  return static_cast<double>(latencyOfBucket(latencies.size() - 1));
}

WorkFigures runWork(std::shared_ptr<const SimPlan> plan, const WorkSpec& spec,
                    const std::atomic<bool>* cancel, std::atomic<double>& progress) {
  const int cpus = plan->topology->online.weight();
  Simulator simulator(makeSimState(std::move(plan)));
  Runner runner(simulator, spec, cancel, progress);
  runner.runTo(spec.warmUpNs);
  const Reading begin = readingOf(simulator.state(), spec);
  runner.runTo(spec.warmUpNs + spec.measuredNs / 2);
  const Reading half = readingOf(simulator.state(), spec);
  runner.runTo(spec.warmUpNs + spec.measuredNs);
  const Reading end = readingOf(simulator.state(), spec);
  WorkFigures figures = figuresOf(begin, half, end, spec, cpus);
  for (const GroupSample& sample : runner.samples()) {
    figures.tgLoad.push_back(sample.tgLoad);
    figures.weights.push_back(sample.meanWeight);
    figures.loadError += sample.loadError / static_cast<double>(runner.samples().size());
    figures.weightError += sample.weightError / static_cast<double>(runner.samples().size());
  }
  progress = 1;
  return figures;
}

}  // namespace rqscope::api
