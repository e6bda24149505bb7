// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "scenarios/case_run.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "evaluate/eval_line.h"
#include "runqueue/queue.h"
#include "support/scenario_plan.h"
#include "topology/sched_topology.h"

namespace rqscope::cases {

std::shared_ptr<const SimPlan> casePlan(const std::string& id, const Setting& setting,
                                        const std::function<void(Tunables&)>& tune) {
  ScenarioOverrides overrides;
  overrides.kernel = setting.kernel;
  overrides.patches = setting.patches;
  overrides.features = setting.features;
  Scenario scenario = test::builtinScenario("cases/" + id, overrides);
  if (tune) tune(scenario.profile.tunables);
  return test::scenarioPlan(scenario);
}

CaseRun::CaseRun(const std::string& id, const Setting& setting, const std::function<void(Tunables&)>& tune)
    : m_simulator(makeSimState(casePlan(id, setting, tune))) {
  m_simulator.setObserver(this);
}

void CaseRun::to(std::uint64_t timeNs) {
  for (SimEvent next = m_simulator.nextEvent();
       next.kind != SimEventKind::None && next.timeNs - state().originNs <= timeNs;
       next = m_simulator.nextEvent())
    if (!m_simulator.stepEvent()) return;
}

TaskId CaseRun::task(const std::string& name) const {
  const SimState& s = state();
  for (std::size_t slot = 0; slot < s.workload.threads.size(); ++slot) {
    const ThreadState& t = s.workload.threads[slot];
    if (t.program >= 0 && threadName(s.plan->workload, t.program, t.instance) == name)
      return TaskId{static_cast<std::int32_t>(slot)};
  }
  return TaskId{};
}

void CaseRun::onBalancePass(const Machine&, const BalancePass& pass) {
  if (keepsDecisions) passes.push_back(pass);
}

void CaseRun::onPlacement(const Machine& m, const Placement& placement) {
  if (keepsDecisions) placements.push_back(placement);
  if (placement.kind != PlacementKind::Wakeup || isIdleCpu(m, placement.chosen)) return;
  const CpuId cache = m.topology->cpus[placement.chosen.index()].llcId;
  bool missed = false;
  m.task(placement.task).cpusAllowed.forEach([&](CpuId cpu) {
    if (!m.topology->online.test(cpu)) return;
    missed = missed || (m.topology->cpus[cpu.index()].llcId != cache && isIdleCpu(m, cpu));
  });
  if (missed) ++missedIdle;
}

void CaseRun::onSwitch(const Machine& m, const Switch& change) {
  if (change.prev.isValid()) {
    Switches& count = switches[m.task(change.prev).name];
    const bool couldGoOn = m.task(change.prev).onRq && !m.se(change.prev).schedDelayed;
    ++(couldGoOn ? count.involuntary : count.voluntary);
  }
  if (!change.next.isValid()) return;
  const auto woken = m_wokenAt.find(change.next.value);
  if (woken == m_wokenAt.end()) return;
  Delays& delay = delays[m.task(change.next).name];
  delay.sumNs += m.nowNs - woken->second;
  ++delay.count;
  m_wokenAt.erase(woken);
}

void CaseRun::onWakeup(const Machine& m, TaskId task, CpuId) { m_wokenAt[task.value] = m.nowNs; }

void CaseRun::onTgLoadAvgAccess(const Machine& m, GroupId group, CpuId, bool write) {
  if (!write) return;
  // Told is the CPU that acts; the queue whose part was written is the one with a new time.
  m.topology->online.forEach([&](CpuId cpu) {
    const std::uint64_t at = m.queue(queueOf(m, group, cpu)).lastUpdateTgLoadAvg;
    TgWrites& seen = tgWrites[{group.value, cpu.value}];
    if (at == seen.lastNs) return;
    if (seen.count++ != 0) seen.shortestGapNs = std::min(seen.shortestGapNs, at - seen.lastNs);
    seen.lastNs = at;
  });
}

void CaseRun::onNohzKick(const Machine& m, CpuId, CpuId, std::uint32_t flags) {
  kicks.push_back({m.nowNs - state().originNs, flags});
}

nlohmann::json evaluated(const std::string& function, const nlohmann::json& in, const Setting& setting) {
  KernelProfile profile = kernelProfile(setting.kernel).value();
  for (const auto& [name, on] : setting.patches) profile = withPatch(profile, name, on).value();
  for (const std::string& name : setting.features) profile = withFeature(profile, name).value();
  const auto out = runVectorCase({function, in, nullptr}, profile);
  EXPECT_TRUE(out.ok()) << (out.ok() ? "" : out.error().text());
  return out.ok() ? out.value() : nlohmann::json();
}

}  // namespace rqscope::cases
