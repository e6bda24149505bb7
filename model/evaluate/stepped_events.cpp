// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "evaluate/stepped_events.h"

#include <algorithm>
#include <utility>

#include "evaluate/stats_record.h"

namespace rqscope {
namespace {

using nlohmann::json;
using Verdict = BalanceCandidate::Verdict;

constexpr std::uint32_t kWfRqSelected = 0x80;  // v6.12: set when the class chose

const char* idleName(CpuIdleType idle) {
  switch (idle) {
    case CpuIdleType::NotIdle:
      return "busy";
    case CpuIdleType::Idle:
      return "idle";
    case CpuIdleType::NewlyIdle:
      break;
  }
  return "newidle";
}

const char* whyName(FindSrcGroupWhy why) {
  static constexpr const char* kNames[] = {"no_busiest",
                                           "energy_aware",
                                           "local_type_greater",
                                           "local_load_ge_busiest",
                                           "local_load_ge_avg",
                                           "within_imbalance_pct",
                                           "dst_not_idle",
                                           "idle_cpus_balanced",
                                           "busiest_one_task",
                                           "local_min_load_ge_busiest",
                                           "misfit",
                                           "asym_packing",
                                           "imbalanced",
                                           "prefer_sibling",
                                           "smt_balance",
                                           "llc_balance",
                                           "idle_beside_overloaded",
                                           "min_load_less",
                                           "compare"};
  return kNames[static_cast<std::size_t>(why)];
}

const char* migrationName(MigrationType type) {
  static constexpr const char* kNames[] = {"migrate_load", "migrate_util", "migrate_task", "migrate_misfit",
                                           "migrate_llc_task"};
  return kNames[static_cast<std::size_t>(type)];
}

const char* verdictName(Verdict verdict) {
  static constexpr const char* kNames[] = {
      "detached", "throttled", "delayed", "ineligible",   "kthread",      "affinity",  "running",
      "hot",      "llc",       "lb_min",  "load_too_big", "util_too_big", "not_misfit"};
  return kNames[static_cast<std::size_t>(verdict)];
}

json threadField(Observer::Thread kind, const json& task) {
  if (kind == Observer::Thread::Stopper) return "migration";
  return kind == Observer::Thread::Idle ? json(nullptr) : task;
}

int cpuOrZero(CpuId cpu) { return cpu.isValid() ? cpu.value : 0; }

std::string spanOf(const Machine& m, SchedGroupId group) { return m.topology->group(group).span.list(); }

}  // namespace

std::uint32_t kernelSdFlags(std::uint32_t flags, KernelVersion version) {
  if (version != KernelVersion::V6_1) return flags;
  constexpr std::uint32_t kBelowCluster = kSdCluster - 1;  // v6.1 has no SD_CLUSTER
  return (flags & kBelowCluster) | ((flags & ~(kBelowCluster | kSdCluster)) >> 1);
}

void SteppedEvents::setPhase(std::string phase) {
  flush();
  m_phase = std::move(phase);
}

std::vector<json> SteppedEvents::takeLines() {
  flush();
  return std::exchange(m_lines, {});
}

void SteppedEvents::emit(json line) {
  line["t"] = m_tick;
  line["ph"] = m_phase;
  m_lines.push_back(std::move(line));
}

void SteppedEvents::flush() {
  for (json& line : m_held) emit(std::move(line));
  m_held.clear();
}

void SteppedEvents::note(json line) {
  flush();
  emit(std::move(line));
}

void SteppedEvents::bindTask(int id, TaskId task) {
  if (m_ids.size() <= task.index()) {
    m_ids.resize(task.index() + 1, -1);
    m_migrations.resize(task.index() + 1, 0);
  }
  m_ids[task.index()] = id;
}

int SteppedEvents::idOf(TaskId task) const {
  return task.isValid() && task.index() < m_ids.size() ? m_ids[task.index()] : -1;
}

std::uint64_t SteppedEvents::migrations(TaskId task) const {
  return task.index() < m_migrations.size() ? m_migrations[task.index()] : 0;
}

json SteppedEvents::taskField(TaskId task) const { return task.isValid() ? json(idOf(task)) : json(nullptr); }

void SteppedEvents::onPlaceEntity(const Machine& m, const PlacedEntity& placed) {
  if (m.profile->version == KernelVersion::V6_1) return;  // not hooked there
  const SchedEntity& se = m.entity(placed.entity);
  hold({{"ev", "pl"},
        {"cpu", placed.cpu.value},
        {"flags", placed.flags},
        {"V", placed.averageVruntime},
        {"vlag", placed.vlagBefore},
        {"lag", placed.lag},
        {"vr", placed.vruntime},
        {"dl", placed.deadline},
        {"slice", se.slice},
        {"task", se.isTask() ? taskField(se.task) : json("group")}});
}

void SteppedEvents::onSwitch(const Machine& m, const Switch& change) {
  if (!m_holdsSwitches) flush();
  int state = 0;
  int onRq = 1;
  if (change.prevKind == Thread::Stopper) {
    state = 1;
    onRq = 0;
  } else if (change.prevKind == Thread::Task) {
    const Task& prev = m.task(change.prev);
    state = prev.state == TaskState::Running ? 0 : 1;
    onRq = prev.onRq ? 1 : 0;
  }
  json line{{"ev", "sw"},
            {"cpu", change.cpu.value},
            {"prev", threadField(change.prevKind, taskField(change.prev))},
            {"next", threadField(change.nextKind, taskField(change.next))},
            {"pstate", state},
            {"pon_rq", onRq}};
  if (m_holdsSwitches)
    hold(std::move(line));
  else
    emit(std::move(line));
}

void SteppedEvents::onSetTaskCpu(const Machine&, TaskId task, CpuId from, CpuId to, MigrationReason reason) {
  if (reason == MigrationReason::Fork) return;  // __set_task_cpu() has no hook
  if (task.index() < m_migrations.size()) ++m_migrations[task.index()];
  const bool isQueued = reason != MigrationReason::Wakeup;
  hold({{"ev", "mig"},
        {"from", from.value},
        {"to", to.value},
        {"on_rq", isQueued ? 2 : 0},
        {"task", taskField(task)}});
}

void SteppedEvents::onSoftirq(const Machine&, CpuId cpu, bool idle) {
  note({{"ev", "softirq"}, {"cpu", cpu.value}, {"idle", idle ? 1 : 0}});
}

void SteppedEvents::onNewidleBegin(const Machine& m, CpuId cpu) {
  m_passes = 0;
  const CpuDomains& domains = m.topology->cpus[cpu.index()];
  const RootDomainId root = domains.rootDomain;
  const bool overloaded = root.isValid() && m.rootDomains[root.index()].overloaded;
  const std::uint64_t cost =
      domains.lowest.isValid() ? m.domains[domains.lowest.index()].maxNewidleLbCost : 0;
  note({{"ev", "ni"},
        {"cpu", cpu.value},
        {"overloaded", overloaded ? 1 : 0},
        {"avg_idle", m.rq(cpu).avgIdle},
        {"cost", cost}});
}

void SteppedEvents::onNewidleEnd(const Machine&, CpuId cpu, int pulled) {
  note({{"ev", "nie"}, {"cpu", cpu.value}, {"pulled", pulled}});
}

void SteppedEvents::emitLevel(const Machine& m, TaskId task, CpuId thisCpu, const PlacementLevel& level) {
  const std::string& name = m.topology->domain(level.domain).name;
  for (const PlacementLevel::Group& g : level.groups) {
    if (!g.allowed) continue;
    const GroupCapacity& capacity = m.capacities[m.topology->group(g.group).capacity.index()];
    emit({{"ev", "wsg"},
          {"cpu", thisCpu.value},
          {"sd", name},
          {"span", spanOf(m, g.group)},
          {"local", g.isLocal ? 1 : 0},
          {"type", groupTypeRecordName(g.stats.type)},
          {"load", g.stats.groupLoad},
          {"cap", g.stats.groupCapacity},
          {"util", g.stats.groupUtil},
          {"run", g.stats.groupRunnable},
          {"nr", g.stats.sumNrRunning},
          {"hnr", g.stats.sumHNrRunning},
          {"idle", g.stats.idleCpus},
          {"w", g.stats.groupWeight},
          {"asym", 0},
          {"smt", 0},
          {"misfit", g.stats.groupMisfitTaskLoad},
          {"avg_load", g.stats.avgLoad},
          {"mincap", capacity.minCapacity},
          {"maxcap", capacity.maxCapacity},
          {"imb", capacity.imbalance ? 1 : 0},
          {"task", taskField(task)}});
  }
  const bool went = !level.stay && level.idlest >= 0;
  const std::string span = went ? spanOf(m, level.groups[static_cast<std::size_t>(level.idlest)].group) : "";
  emit({{"ev", "wfg"}, {"cpu", thisCpu.value}, {"sd", name}, {"span", span}, {"task", taskField(task)}});
  if (went) emit({{"ev", "wfc"}, {"cpu", cpuOrZero(level.chosenCpu)}, {"task", taskField(task)}});
}

void SteppedEvents::onPlacement(const Machine& m, const Placement& p) {
  flush();
  std::uint32_t flags = p.wakeFlags;
  if (m.profile->version != KernelVersion::V6_1 && m.task(p.task).nrCpusAllowed > 1) flags |= kWfRqSelected;
  CpuId thisCpu = p.wakerCpu;
  for (const PlacementLevel& level : p.levels) {
    emitLevel(m, p.task, thisCpu, level);
    if (level.chosenCpu.isValid()) thisCpu = level.chosenCpu;
  }
  emit({{"ev", "sel"},
        {"prev", p.prevCpu.value},
        {"cpu", p.chosen.value},
        {"wf", flags},
        {"by", cpuOrZero(p.wakerCpu)},
        {"task", taskField(p.task)}});
}

void SteppedEvents::emitGroups(const Machine& m, const BalancePass& pass, const BalanceRound& round) {
  for (const BalanceGroup& g : round.groups) {
    const GroupStats& s = g.stats;
    emit({{"ev", "sg"},
          {"cpu", pass.dstCpu.value},
          {"sd", m.topology->domain(pass.domain).name},
          {"span", spanOf(m, g.group)},
          {"local", g.isLocal ? 1 : 0},
          {"busiest_so_far", g.pick == BalanceGroup::Pick::Picked ? 1 : 0},
          {"type", groupTypeRecordName(s.type)},
          {"load", s.groupLoad},
          {"cap", s.groupCapacity},
          {"util", s.groupUtil},
          {"run", s.groupRunnable},
          {"nr", s.sumNrRunning},
          {"hnr", s.sumHNrRunning},
          {"idle", s.idleCpus},
          {"w", s.groupWeight},
          {"asym", s.groupAsymPacking ? 1 : 0},
          {"smt", s.groupSmtBalance ? 1 : 0},
          {"misfit", s.groupMisfitTaskLoad},
          {"avg_load", s.avgLoad},
          {"mincap", g.minCapacity},
          {"maxcap", g.maxCapacity},
          {"imb", g.sgcImbalance ? 1 : 0}});
  }
}

void SteppedEvents::emitDecision(const Machine& m, const BalancePass& pass, const BalanceRound& round) {
  const auto typeOf = [&](std::int32_t index) {
    return index < 0
               ? std::string("none")
               : std::string(groupTypeRecordName(round.groups[static_cast<std::size_t>(index)].stats.type));
  };
  // The hook's word is that of the checks: calculate_imbalance() may still have come to 0.
  const bool wentOn = round.why >= FindSrcGroupWhy::Misfit;
  const std::string busiest =
      round.busiest < 0 ? "" : spanOf(m, round.groups[static_cast<std::size_t>(round.busiest)].group);
  emit({{"ev", "fbg"},
        {"cpu", pass.dstCpu.value},
        {"sd", m.topology->domain(pass.domain).name},
        {"idle", idleName(pass.idle)},
        {"result", wentOn ? "imbalanced" : "balanced"},
        {"why", whyName(round.why)},
        {"local_type", typeOf(round.local)},
        {"busiest_type", typeOf(round.busiest)},
        {"busiest", busiest},
        {"prefer_sibling", round.preferSibling ? 1 : 0},
        {"mt", wentOn ? migrationName(round.migrationType) : "none"},
        {"imbalance", wentOn ? round.imbalance : 0},
        {"local_avg", round.localAvgLoad},
        {"busiest_avg", round.busiestAvgLoad},
        {"sds_avg", round.averageLoad},
        {"total_load", round.totalLoad},
        {"total_cap", round.totalCapacity}});
}

json SteppedEvents::takeHeld(const char* kind) {
  const auto at = std::find_if(m_held.begin(), m_held.end(), [&](const json& l) { return l["ev"] == kind; });
  if (at == m_held.end()) return nullptr;
  json line = std::move(*at);
  m_held.erase(at);
  return line;
}

void SteppedEvents::emitCandidates(const BalancePass& pass, const BalanceRound& round) {
  for (const BalanceCandidate& c : round.candidates) {
    const bool isLoad = round.migrationType == MigrationType::Load;
    emit({{"ev", "dt"},
          {"src", cpuOrZero(round.sourceCpu)},
          {"dst", pass.dstCpu.value},
          {"verdict", verdictName(c.verdict)},
          {"load", isLoad ? c.value : 0},
          {"util", round.migrationType == MigrationType::Util ? c.value : 0},
          {"nbf", pass.nrBalanceFailedBefore},
          {"imbalance", c.imbalanceAfter},
          {"loop", c.loop},
          {"task", taskField(c.task)}});
    if (c.verdict != Verdict::Detached) continue;
    json migration = takeHeld("mig");
    if (!migration.is_null()) emit(std::move(migration));
  }
}

void SteppedEvents::emitRound(const Machine& m, const BalancePass& pass, const BalanceRound& round) {
  const SchedDomain& domain = m.topology->domain(pass.domain);
  json line{{"ev", "lb"},
            {"cpu", pass.dstCpu.value},
            {"sd", domain.name},
            {"level", domain.level},
            {"span", domain.span.list()},
            {"idle", idleName(pass.idle)},
            {"swb", round.shouldBalance ? 1 : 0}};
  if (round.shouldBalance) {
    line["nbf"] = pass.nrBalanceFailedBefore;
    line["interval"] = pass.intervalMsBefore;
    line["imbalance_pct"] = domain.imbalancePct;
    line["flags"] = kernelSdFlags(domain.flags, m.profile->version);
    line["imb_numa_nr"] = domain.imbNumaNr;
  }
  emit(std::move(line));
  if (!round.shouldBalance) return;
  emitGroups(m, pass, round);
  emitDecision(m, pass, round);
  if (!round.foundGroup || !round.sourceCpu.isValid()) return;
  std::uint32_t running = 0;
  for (const BalanceQueue& q : round.queues)
    if (q.cpu == round.sourceCpu) running = q.nrRunning;
  emit({{"ev", "fbq"},
        {"cpu", pass.dstCpu.value},
        {"sd", domain.name},
        {"src", round.sourceCpu.value},
        {"src_nr", running}});
  for (json held = takeHeld("sw"); !held.is_null(); held = takeHeld("sw")) emit(std::move(held));
  emitCandidates(pass, round);
}

void SteppedEvents::emitEnd(const Machine& m, const BalancePass& pass) {
  const SchedDomain& domain = m.topology->domain(pass.domain);
  const BalanceRound* last = pass.rounds.empty() ? nullptr : &pass.rounds.back();
  std::int64_t imbalance = 0;
  CpuId source;
  std::uint32_t flags = 0;
  if (last != nullptr) {
    flags = last->flags;
    for (const BalanceRound& round : pass.rounds)  // env.src_cpu keeps what an earlier round found
      if (round.sourceCpu.isValid()) source = round.sourceCpu;
    imbalance = last->foundGroup ? last->imbalance : 0;
    if (!last->candidates.empty()) imbalance = last->candidates.back().imbalanceAfter;
  }
  emit({{"ev", "lbe"},
        {"cpu", pass.dstCpu.value},
        {"sd", domain.name},
        {"idle", idleName(pass.idle)},
        {"src", cpuOrZero(source)},
        {"moved", pass.movedCount},
        {"active", pass.activeStarted ? 1 : 0},
        {"nbf", pass.nrBalanceFailedAfter},
        {"interval", pass.intervalMsAfter},
        {"all_pinned", (flags & kLbfAllPinned) != 0 ? 1 : 0},
        {"some_pinned", (flags & kLbfSomePinned) != 0 ? 1 : 0},
        {"dst_pinned", (flags & kLbfDstPinned) != 0 ? 1 : 0},
        {"imbalance", imbalance},
        {"parent_imb", domain.parent.isValid() ? (pass.parentImbalanceAfter ? 1 : 0) : -1}});
}

void SteppedEvents::emitActiveRun(const BalancePass& pass) {
  json migration = takeHeld("mig");
  TaskId moved;
  for (const BalanceRound& round : pass.rounds)
    if (!round.moved.empty()) moved = round.moved.front();
  if (!migration.is_null()) emit(std::move(migration));
  emit({{"ev", "ab"},
        {"src", cpuOrZero(pass.activeSource)},
        {"dst", pass.dstCpu.value},
        {"task", taskField(moved)}});
  flush();
}

void SteppedEvents::onBalancePass(const Machine& m, const BalancePass& pass) {
  ++m_passes;
  if (pass.entry == BalanceEntry::ActiveStopper) {
    emitActiveRun(pass);
    return;
  }
  for (const BalanceRound& round : pass.rounds) emitRound(m, pass, round);
  flush();
  emitEnd(m, pass);
}

}  // namespace rqscope
