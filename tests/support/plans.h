// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "base/profile.h"
#include "engine/sim_state.h"
#include "topology/machine_file.h"
#include "topology/sched_topology.h"

namespace rqscope::test {

/// Profile of a version with patches "name=on|off" applied.
inline KernelProfile profileOf(const std::string& kernel,
                               const std::vector<std::pair<std::string, bool>>& patches = {}) {
  KernelProfile profile = kernelProfile(kernel).value();
  for (const auto& [name, on] : patches) profile = withPatch(profile, name, on).value();
  return profile;
}

/// `count` equal CPUs of one package and one last-level cache.
inline Hardware flatHardware(int count) {
  Hardware hw;
  hw.name = "flat";
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
    cache.id = 0;
    cache.shared = all;
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

inline Hardware builtinHardware(const std::string& name) {
  auto loaded = loadMachine(name, std::string(RQSCOPE_SOURCE_DIR) + "/resources/topologies");
  EXPECT_TRUE(loaded.ok()) << (loaded.ok() ? "" : loaded.error().text());
  return std::move(loaded).value();
}

inline std::shared_ptr<const SimPlan> makePlan(const Hardware& hardware, const KernelProfile& profile,
                                               Workload workload, std::uint64_t untilNs = 0,
                                               std::vector<Operation> operations = {}) {
  auto plan = std::make_shared<SimPlan>();
  auto topology = buildSchedTopology(hardware, profile);
  EXPECT_TRUE(topology.ok()) << (topology.ok() ? "" : topology.error().text());
  plan->topology = topology.value();
  plan->profile = std::make_shared<const KernelProfile>(profile);
  plan->workload = std::move(workload);
  plan->operations = std::move(operations);
  plan->untilNs = untilNs;
  return plan;
}

/// A thread of one phase.
inline ThreadProgram thread(const std::string& name, std::vector<ProgramEvent> events,
                            std::int64_t loops = 1) {
  ThreadProgram t;
  t.name = name;
  ProgramPhase phase;
  phase.events = std::move(events);
  phase.loops = loops;
  t.phases = {phase};
  return t;
}

inline ProgramEvent event(ProgramEventKind kind, std::uint64_t ns = 0, std::int32_t target = -1,
                          std::int32_t mutex = -1) {
  ProgramEvent e;
  e.kind = kind;
  e.ns = ns;
  e.target = target;
  e.mutex = mutex;
  return e;
}

/// The workload of ground-truth/juno: six workers asleep until 51 ms after the start, 100 ms of running
/// pinned to CPUs 0 1 1 2 3 4, then `workNs` of work on any CPU.
inline Workload junoWorkload(std::uint64_t workNs) {
  constexpr int kPinned[] = {0, 1, 1, 2, 3, 4};
  constexpr std::uint64_t kStartNs = 53'000'000, kPinnedNs = 100'000'000;
  Workload w;
  int number = 0;
  for (const int cpu : kPinned) {
    ThreadProgram t;
    t.name = "lbw" + std::to_string(number++);
    t.startCpu = CpuId{0};
    t.delayNs = kStartNs;
    ProgramPhase pinned;
    pinned.name = "pinned";
    pinned.settings.cpus = CpuMask::of(CpuId{cpu});
    pinned.events = {event(ProgramEventKind::Runtime, kPinnedNs)};
    ProgramPhase free;
    free.name = "free";
    free.events = {event(ProgramEventKind::Run, workNs)};
    t.phases = {pinned, free};
    w.threads.push_back(t);
  }
  return w;
}

}  // namespace rqscope::test
