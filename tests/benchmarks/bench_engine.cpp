// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
// The engine against the frozen plain loop, in alternation: simulated seconds per CPU second, and the ratio.
// Usage: bench_engine [ROUNDS [BOUND [W1 W2 ...]]]. Exit status 1 when a ratio is above BOUND (4), or when a
// count is not what it must be.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

#include "engine/simulator.h"
#include "frozen_workloads.h"
#include "topology/sched_topology.h"

namespace {

/// What an event may cost, in events of the plain loop. CPU time of the best round on both sides, so that
/// other work on the computer counts little; what is left of it are caches shared with others, which the
/// engine's state feels more than the plain loop's.
constexpr double kRatioBound = 4.0;
constexpr int kRounds = 7;

using namespace rqscope;
using bench::FrozenWorkload;
using bench::RunCounts;

double cpuSeconds() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) / 1e9;
}

/// LLCs of 16 CPUs in one package.
Hardware hardwareOf(int count) {
  constexpr int kLlcCpus = 16;
  Hardware hw;
  hw.name = "bench";
  const CpuMask all = CpuMask::firstN(count);
  for (int c = 0; c < count; ++c) {
    HardwareCpu cpu;
    cpu.id = CpuId{c};
    cpu.core = c;
    cpu.threadSiblings = CpuMask::of(cpu.id);
    cpu.dieCpus = cpu.packageCpus = all;
    HardwareCache cache;
    cache.level = 3;
    cache.type = "Unified";
    cache.id = c / kLlcCpus;
    const int first = c / kLlcCpus * kLlcCpus;
    for (int s = first; s < std::min(count, first + kLlcCpus); ++s) cache.shared.set(CpuId{s});
    cpu.caches = {cache};
    hw.cpus.push_back(cpu);
  }
  HardwareNode node;
  node.id = NodeId{0};
  node.cpus = all;
  node.distance = {10};
  hw.nodes = {node};
  return hw;
}

std::shared_ptr<const SimPlan> planOf(const FrozenWorkload& w) {
  KernelProfile profile = kernelProfile("v6.12").value();
  profile.tunables.hz = 1000;
  auto plan = std::make_shared<SimPlan>();
  plan->topology = buildSchedTopology(hardwareOf(w.cpus), profile).value();
  plan->profile = std::make_shared<const KernelProfile>(profile);
  ThreadProgram thread;
  thread.name = "t";
  thread.instances = w.tasks;
  thread.loops = -1;
  ProgramPhase phase;
  ProgramEvent run;
  run.ns = w.sleepNs == 0 ? 2 * w.simulatedNs : w.runNs;
  phase.events.push_back(run);
  if (w.sleepNs != 0) {
    ProgramEvent sleep;
    sleep.kind = ProgramEventKind::Sleep;
    sleep.ns = w.sleepNs;
    phase.events.push_back(sleep);
  }
  thread.phases = {phase};
  plan->workload.threads = {thread};
  plan->untilNs = w.simulatedNs;
  return plan;
}

RunCounts runEngine(const std::shared_ptr<const SimPlan>& plan) {
  Simulator simulator(makeSimState(plan));
  while (simulator.stepEvent()) {
  }
  const SimCounters& c = simulator.state().counters;
  return {c.events, c.ticks, c.switches, c.wakeups};
}

struct Timing {
  double engine = 1e99, plain = 1e99;
  RunCounts engineCounts, plainCounts;
};

Timing measure(const FrozenWorkload& w, int rounds) {
  const auto plan = planOf(w);
  Timing best;
  for (int round = 0; round < rounds; ++round) {
    const double start = cpuSeconds();
    best.engineCounts = runEngine(plan);
    const double middle = cpuSeconds();
    best.plainCounts = bench::runPlainLoop(w);
    best.engine = std::min(best.engine, middle - start);
    best.plain = std::min(best.plain, cpuSeconds() - middle);
  }
  return best;
}

/// Both sides tick and wake about as often: else the ratio compares different work.
bool isSameWork(const FrozenWorkload& w, const Timing& t) {
  const auto near = [](std::uint64_t a, std::uint64_t b) { return a <= b + b / 4 && b <= a + a / 4; };
  const bool ok = near(t.engineCounts.ticks, t.plainCounts.ticks) &&
                  (w.sleepNs == 0 || near(t.engineCounts.wakeups, t.plainCounts.wakeups));
  if (!ok) std::printf("%s: the two sides did different work\n", w.name);
  return ok;
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::max(1, std::atoi(argv[1])) : kRounds;
  const double bound = argc > 2 ? std::atof(argv[2]) : kRatioBound;
  const std::vector<std::string> chosen(argv + std::min(argc, 3), argv + argc);
  std::printf("%-3s %12s %12s %7s   %s\n", "", "engine", "plain", "ratio", "events/ticks/switches/wakeups");
  bool ok = true;
  for (const FrozenWorkload& w : bench::kFrozenWorkloads) {
    if (!chosen.empty() && std::find(chosen.begin(), chosen.end(), w.name) == chosen.end()) continue;
    const Timing t = measure(w, rounds);
    const double simulated = static_cast<double>(w.simulatedNs) / 1e9;
    const RunCounts& e = t.engineCounts;
    const RunCounts& p = t.plainCounts;
    const double ratio = t.engine / t.plain;
    std::printf("%-3s %8.2f s/s %8.2f s/s %7.2f   %lu/%lu/%lu/%lu against %lu/%lu/%lu/%lu\n", w.name,
                simulated / t.engine, simulated / t.plain, ratio, e.events, e.ticks, e.switches, e.wakeups,
                p.events, p.ticks, p.switches, p.wakeups);
    ok = isSameWork(w, t) && ok;
    if (ratio <= bound) continue;
    std::printf("%s: the ratio is above %.1f\n", w.name, bound);
    ok = false;
  }
  return ok ? 0 : 1;
}
