// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "api/ladder_energy.h"

#include "api/ladder_parts.h"

namespace rqscope::api {
namespace {

/// What the candidate adds to the energy of its domain.
std::int64_t deltaOf(const EnergyCandidate& c) { return static_cast<std::int64_t>(c.energy - c.baseEnergy); }

RungRow candidateRow(const EnergyCandidate& c) {
  RungRow row;
  row.subject = cpuSubject(c.cpu);
  row.label = cpuLabel(c.cpu);
  row.cells = {operand("pd", c.domain)};
  if (c.verdict != EnergyCandidate::Verdict::NotAllowed) {
    row.cells.push_back(operand("util", c.util, Unit::Capacity));
    row.cells.push_back(operand("capacity_of", c.capacity, Unit::Capacity));
    row.cells.push_back(operand("fits", c.fits));
  }
  if (c.isEvaluated) {
    row.cells.push_back(operand("max_util", c.maxUtil, Unit::Capacity));
    row.cells.push_back(operand("busy_time", c.busyTime, Unit::Capacity));
    row.cells.push_back(operand("performance", c.performance, Unit::Capacity));
    row.cells.push_back(operand("cost", c.cost));
    row.cells.push_back(operand("energy", c.energy));
    row.cells.push_back(operand("base_energy", c.baseEnergy));
    row.cells.push_back(operand("delta", deltaOf(c)));
  }
  row.verdict = keyOf(c.verdict);
  row.tone = c.verdict == EnergyCandidate::Verdict::Chosen ? Tone::Yes : Tone::No;
  return row;
}

const EnergyCandidate* candidateOf(const EnergyChoice& choice, CpuId cpu) {
  for (const EnergyCandidate& c : choice.cpus)
    if (c.cpu == cpu && c.isEvaluated) return &c;
  return nullptr;
}

}  // namespace

Rung energyRung(const Placement& p) {
  const bool decided = p.decidedBy == PlacementStep::EnergyAware;
  Rung rung = makeRung("energy", "find_energy_efficient_cpu", keyOf(p.energy.why),
                       decided ? Tone::Yes : Tone::Neutral);
  rung.subject = decided ? cpuSubject(p.chosen) : taskSubject(p.task);
  rung.fidelity = "behaves";
  rung.operands = {cpuOperand("prev_cpu", p.prevCpu)};
  if (p.energy.taskBusyTime != 0)
    rung.operands.push_back(operand("task_busy_time", p.energy.taskBusyTime, Unit::Capacity));
  if (p.energy.why == EnergyChoice::Why::Overutilized)
    rung.tests.push_back(compare(operand("overutilized", 1, Unit::Bool), "==", operand("", 1, Unit::Bool)));
  for (const EnergyCandidate& c : p.energy.cpus) rung.rows.push_back(candidateRow(c));
  // The test that decides: the best other CPU against where the task was.
  const EnergyCandidate* prev = candidateOf(p.energy, p.prevCpu);
  const EnergyCandidate* best = nullptr;
  for (const EnergyCandidate& c : p.energy.cpus)
    if (c.isEvaluated && c.cpu != p.prevCpu && (best == nullptr || deltaOf(c) < deltaOf(*best))) best = &c;
  if (prev != nullptr && best != nullptr)
    rung.tests.push_back(
        compare(operand("best_delta", deltaOf(*best)), "<", operand("prev_delta", deltaOf(*prev))));
  return rung;
}

}  // namespace rqscope::api
