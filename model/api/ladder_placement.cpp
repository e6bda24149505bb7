// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "api/ladder_builder.h"
#include "api/ladder_energy.h"
#include "api/ladder_parts.h"
#include "placement/wake_affine.h"
#include "runqueue/queue.h"

namespace rqscope::api {
namespace {

Rung entryRung(const Machine& m, const Placement& p) {
  const char* function = "try_to_wake_up";
  if (p.kind == PlacementKind::Fork) function = "wake_up_new_task";
  if (p.kind == PlacementKind::Exec) function = "sched_exec";
  Rung rung = makeRung("entry", function, keyOf(p.kind));
  rung.subject = taskSubject(p.task);
  addLookedAt(rung, cpuSubject(p.wakerCpu));
  addLookedAt(rung, cpuSubject(p.prevCpu));
  rung.operands = {textOperand("task", taskLabel(m, p.task)), cpuOperand("this_cpu", p.wakerCpu),
                   cpuOperand("prev_cpu", p.prevCpu)};
  const CpuMask& allowed = m.task(p.task).cpusAllowed;
  if (!m.topology->online.isSubsetOf(allowed))
    rung.operands.push_back(textOperand("cpus_ptr", groupLabel(allowed)));
  return rung;
}

/// Kernel: wake_wide(): do waker and wakee have so many partners that they should spread?
Rung wakeWideRung(const Placement& p) {
  Rung rung = makeRung("wake_wide", "wake_wide", p.wakeWide ? "yes" : "no", Tone::Neutral);
  rung.subject = taskSubject(p.task);
  addLookedAt(rung, cpuSubject(p.wakerCpu));
  const std::uint32_t master = std::max(p.wakerFlips, p.wakeeFlips);
  const std::uint32_t slave = std::min(p.wakerFlips, p.wakeeFlips);
  rung.operands = {operand("waker flips", p.wakerFlips), operand("wakee flips", p.wakeeFlips),
                   operand("sd_llc_size", p.wakeWideFactor, Unit::Cpus)};
  rung.tests.push_back(compare(operand("slave", slave), ">=", operand("factor", p.wakeWideFactor)));
  rung.tests.push_back(compare(operand("master", master),
                               ">=", operand("slave * factor", std::uint64_t{slave} * p.wakeWideFactor)));
  return rung;
}

Rung wakeAffineRung(const Machine& m, const Placement& p) {
  Rung rung = makeRung("wake_affine", "wake_affine", keyOf(p.wakeAffine));
  rung.subject = domainSubject(p.affineDomain);
  addLookedAt(rung, cpuSubject(p.wakerCpu));
  addLookedAt(rung, cpuSubject(p.prevCpu));
  if (p.affineDomain.isValid())
    rung.operands.push_back(textOperand("domain", m.topology->domain(p.affineDomain).name));
  // What wake_affine_idle() found, by its answer. Whether the waker's CPU is idle counts only beside prev's
  // cache.
  if (p.wakerCpu != p.prevCpu && m.features().waIdle) {
    using Reason = WakeAffineReason;
    const Reason why = p.wakeAffine;
    const auto idle = [&](const char* name, CpuId cpu, bool isIdle) {
      rung.operands.push_back(about(cpuSubject(cpu), operand(name, isIdle, Unit::Bool)));
    };
    if (cpusShareCache(m, p.wakerCpu, p.prevCpu))
      idle("this_cpu idle", p.wakerCpu, why == Reason::ThisIdle || why == Reason::PrevIdleToo);
    if (why != Reason::Sync)
      idle("prev_cpu idle", p.prevCpu, why == Reason::PrevIdleToo || why == Reason::PrevCacheIdle);
    rung.operands.push_back(operand("sync", (p.wakeFlags & kWfSync) != 0, Unit::Bool));
  }
  rung.operands.push_back(cpuOperand("target", p.target));
  if (p.wakeAffine == WakeAffineReason::WeightThis || p.wakeAffine == WakeAffineReason::Undecided)
    rung.tests.push_back(compare(operand("this_eff_load", p.thisEffLoad, Unit::Load), "<",
                                 operand("prev_eff_load", p.prevEffLoad, Unit::Load)));
  return rung;
}

/// What the number of a step is.
const char* valueName(PlacementStep step, PlacementCpu::Verdict verdict) {
  if (step == PlacementStep::AsymCapacity) return "capacity";
  if (step != PlacementStep::SlowPath) return "value";
  return verdict == PlacementCpu::Verdict::NotIdle ? "load" : "idle_stamp";
}

RungRow cpuRow(const Machine& m, const PlacementCpu& cpu) {
  RungRow row;
  row.subject = cpuSubject(cpu.cpu);
  row.label = cpuLabel(cpu.cpu);
  row.cells.push_back(textOperand("step", keyOf(cpu.step)));
  row.cells.push_back(operand("idle_cpu", isIdleCpu(m, cpu.cpu), Unit::Bool));
  if (cpu.value != 0) row.cells.push_back(operand(valueName(cpu.step, cpu.verdict), cpu.value));
  row.verdict = keyOf(cpu.verdict);
  row.tone = cpu.verdict == PlacementCpu::Verdict::Chosen ? Tone::Yes : Tone::No;
  return row;
}

Rung idleSiblingRung(const Machine& m, const Placement& p) {
  const bool found = p.decidedBy != PlacementStep::TargetFallback;
  Rung rung =
      makeRung("idle_sibling", "select_idle_sibling", keyOf(p.decidedBy), found ? Tone::Yes : Tone::No);
  rung.subject = cpuSubject(p.chosen);
  addLookedAt(rung, cpuSubject(p.target));
  rung.operands = {cpuOperand("target", p.target), operand("has_idle_cores", p.hasIdleCore, Unit::Bool)};
  if (p.nrIdleScan != 0) rung.operands.push_back(operand("nr_idle_scan", p.nrIdleScan, Unit::Cpus));
  for (const PlacementCpu& cpu : p.cpus) rung.rows.push_back(cpuRow(m, cpu));
  return rung;
}

void addLevel(const Machine& m, const PlacementLevel& level, Ladder& ladder) {
  const KernelVersion version = m.profile->version;
  const SchedDomain& domain = m.topology->domain(level.domain);
  Rung groups = makeRung("dst_group", nameOf(KernelFunction::FindDstGroup, version), keyOf(level.why),
                         level.stay ? Tone::No : Tone::Yes);
  groups.subject = domainSubject(level.domain);
  groups.operands.push_back(textOperand("domain", domain.name));
  for (std::size_t i = 0; i < level.groups.size(); ++i) {
    const PlacementLevel::Group& group = level.groups[i];
    RungRow row = groupRow(m, group.group, group.stats, static_cast<unsigned>(domain.imbalancePct));
    row.isLocal = group.isLocal;
    if (!group.allowed) {  // the kernel goes on to the next: it has no figures and no type
      row.verdict = "not_allowed";
      row.tone = Tone::No;
      row.groupType.clear();
      row.cells.clear();
      row.tests.clear();
      row.cells.clear();
      row.groupType.clear();
    }
    if (static_cast<std::int32_t>(i) == level.idlest) {
      row.verdict = level.stay ? "idlest" : "chosen";
      row.tone = level.stay ? Tone::Neutral : Tone::Yes;
    }
    groups.rows.push_back(std::move(row));
  }
  ladder.rungs.push_back(std::move(groups));
  if (level.stay || !level.chosenCpu.isValid()) return;
  Rung cpus =
      makeRung("dst_cpu", nameOf(KernelFunction::FindDstCpu, version), cpuLabel(level.chosenCpu), Tone::Yes);
  cpus.subject = cpuSubject(level.chosenCpu);
  if (level.idlest >= 0)
    addLookedAt(cpus, groupSubject(level.groups[static_cast<std::size_t>(level.idlest)].group));
  for (const PlacementCpu& cpu : level.cpus) {
    RungRow row = cpuRow(m, cpu);
    if (cpu.cpu == level.chosenCpu) {
      row.verdict = keyOf(PlacementCpu::Verdict::Chosen);
      row.tone = Tone::Yes;
    }
    cpus.rows.push_back(std::move(row));
  }
  ladder.rungs.push_back(std::move(cpus));
}

/// What the last task that exited on a CPU did to its group's queue there, as a row.
RungRow moveRow(const Machine& m, CpuId cpu) {
  const GroupMove& move = m.rq(cpu).lastMove;
  RungRow row;
  row.subject = cpuSubject(cpu);
  row.label = cpuLabel(cpu);
  if (move.isSkipped) {
    row.verdict = "kept";
    row.tone = Tone::Yes;
    return row;
  }
  row.cells = {operand("queue util_sum", move.before.queueSum),
               operand("detached", move.detached.queueSum),
               operand("attached", move.attached.queueSum),
               operand("task util_sum", move.before.taskSum),
               operand("rebuilt", move.attached.taskSum),
               operand("task util_avg", move.before.taskAvg, Unit::Capacity)};
  row.tests.push_back(compare(operand("attached", move.attached.queueSum), "<",
                              operand("queue util_sum", move.before.queueSum)));
  const bool isLost = row.tests.back().holds;
  row.verdict = isLost ? "dropped" : "kept";
  row.tone = isLost ? Tone::No : Tone::Yes;
  return row;
}

/// Run time that lives only in the sums is lost when an exiting task is detached and attached again. Kernel:
/// sched_move_task() at exit.
void addMoveRung(const Machine& m, const Placement& p, Ladder& ladder) {
  if (p.kind != PlacementKind::Fork || !m.tunables().autogroupBuilt) return;
  Rung rung = makeRung("group_move", "sched_move_task", "", Tone::Neutral);
  rung.subject = cpuSubject(p.wakerCpu);
  std::uint64_t lost = 0;
  for (CpuId cpu = m.topology->online.first(); cpu.isValid(); cpu = m.topology->online.next(cpu)) {
    if (!m.rq(cpu).lastMove.task.isValid()) continue;
    RungRow row = moveRow(m, cpu);
    row.isLocal = cpu == p.wakerCpu;
    const GroupMove& move = m.rq(cpu).lastMove;
    if (row.isLocal && row.verdict == "dropped") lost = move.before.queueSum - move.attached.queueSum;
    rung.rows.push_back(std::move(row));
  }
  if (rung.rows.empty()) return;
  constexpr std::uint64_t kUsOfPelt = 1024;  // a sum counts 1024 for each 1024 ns of running
  rung.operands = {operand("lost here", lost),
                   operand("of running", lost / kUsOfPelt * kUsOfPelt, Unit::Nanoseconds)};
  rung.outcome = m.rq(p.wakerCpu).lastMove.task.isValid() ? (lost != 0 ? "dropped" : "kept") : "";
  ladder.rungs.push_back(std::move(rung));
}

}  // namespace

Ladder placementLadder(const Machine& m, const Placement& p, const DecisionPlace& place) {
  Ladder ladder;
  ladder.kind = Ladder::Kind::Placement;
  ladder.index = place.index;
  ladder.eventIndex = place.event;
  ladder.timeNs = static_cast<std::int64_t>(p.timeNs - place.originNs);
  ladder.entry = keyOf(p.kind);
  ladder.cpu = p.chosen.value;
  ladder.runOn = p.wakerCpu.value;
  ladder.task = p.task.value;
  ladder.rungs.push_back(entryRung(m, p));
  addMoveRung(m, p, ladder);
  if (p.energy.why != EnergyChoice::Why::NotTried) ladder.rungs.push_back(energyRung(p));
  if (p.wakeWideFactor != 0) ladder.rungs.push_back(wakeWideRung(p));
  if (p.affineDomain.isValid()) {
    ladder.domain = p.affineDomain.value;
    ladder.domainName = m.topology->domain(p.affineDomain).name;
    ladder.rungs.push_back(wakeAffineRung(m, p));
  }
  for (const PlacementLevel& level : p.levels) addLevel(m, level, ladder);
  if (p.levels.empty() && !p.cpus.empty()) ladder.rungs.push_back(idleSiblingRung(m, p));
  Rung placed = makeRung("placed", "select_task_rq", keyOf(p.decidedBy), Tone::Yes);
  placed.subject = cpuSubject(p.chosen);
  placed.operands = {cpuOperand("cpu", p.chosen), cpuOperand("prev_cpu", p.prevCpu)};
  ladder.rungs.push_back(std::move(placed));
  return ladder;
}

}  // namespace rqscope::api
