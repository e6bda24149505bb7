// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "api/what_if_changes.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "runqueue/load_tracking.h"
#include "runqueue/queue.h"

namespace rqscope::api {
namespace {

using Stage = ChangeStage;

std::uint64_t amount(const Change& change) { return static_cast<std::uint64_t>(change.value); }
std::uint32_t count(const Change& change) { return static_cast<std::uint32_t>(change.value); }

/// A number of sg_lb_stats by its name.
void setGroupNumber(GroupStats& stats, const Change& change) {
  if (change.name == "sum_nr_running") {
    if (stats.sumHNrRunning == stats.sumNrRunning) stats.sumHNrRunning = count(change);
    stats.sumNrRunning = count(change);
  } else if (change.name == "sum_h_nr_running") {
    stats.sumHNrRunning = count(change);
  } else if (change.name == "idle_cpus") {
    stats.idleCpus = count(change);
  } else if (change.name == "group_util") {
    stats.groupUtil = amount(change);
  } else if (change.name == "group_runnable") {
    stats.groupRunnable = amount(change);
  } else if (change.name == "group_load") {
    stats.groupLoad = amount(change);
  } else if (change.name == "group_capacity") {
    stats.groupCapacity = amount(change);
  } else if (change.name == "group_weight") {
    stats.groupWeight = count(change);
  } else if (change.name == "group_misfit_task_load") {
    stats.groupMisfitTaskLoad = amount(change);
  } else if (change.name == "min_load") {
    stats.minLoad = amount(change);
  } else if (change.name == "max_load") {
    stats.maxLoad = amount(change);
  } else if (change.name == "avg_load") {
    stats.avgLoad = amount(change);
  } else if (change.name == "group_type") {
    stats.type = static_cast<GroupType>(change.value);
  }
}

bool isOf(const Change& change, const Machine& m, const SchedGroup& group) {
  return change.subject.kind == SubjectKind::Group &&
         &m.topology->groups[static_cast<std::size_t>(change.subject.id)] == &group;
}

/// Fair tasks of a queue, as statistics count them.
void setRunning(Machine& m, CpuId cpu, std::uint32_t wanted) {
  Rq& rq = m.rq(cpu);
  CfsRq& root = m.rootCfs(cpu);
  const std::uint32_t others = rq.nrRunning - std::min(rq.nrRunning, root.hNrQueued);
  root.hNrQueued = wanted + (root.hNrQueued - std::min(root.hNrQueued, root.hNrRunnable));
  root.hNrRunnable = wanted;
  rq.nrRunning = root.hNrQueued + others;
}

/// A number of a CPU's queue by its name.
void setQueueNumber(Machine& m, CpuId cpu, const Change& change) {
  SchedAvg& avg = m.rootCfs(cpu).avg;
  if (change.name == "nr_running") {
    setRunning(m, cpu, count(change));
  } else if (change.name == "load") {
    avg.loadAvg = amount(change);
  } else if (change.name == "util") {
    avg.utilAvg = amount(change);
    avg.utilEst = count(change);
    avg.runnableAvg = std::min<std::uint64_t>(avg.runnableAvg, amount(change));
  } else if (change.name == "misfit_task_load") {
    m.rq(cpu).misfitTaskLoad = amount(change);
  } else if (change.name == "capacity") {
    m.rq(cpu).cpuCapacity = amount(change);
  } else if (change.name == "idle_stamp") {
    m.rq(cpu).idleStamp = amount(change);
  }
}

/// A CPU seen as idle, or as busy with one task.
void setIdle(Machine& m, CpuId cpu, bool idle) {
  Rq& rq = m.rq(cpu);
  CfsRq& root = m.rootCfs(cpu);
  if (idle) {
    rq.curr = TaskId{};
    rq.stopperRunning = rq.ttwuPending = false;
    rq.nrRunning = root.hNrQueued = root.hNrRunnable = root.hNrIdle = 0;
  } else if (isIdleCpu(m, cpu)) {
    rq.nrRunning = root.hNrQueued = root.hNrRunnable = 1;
  }
}

/// The load that gives the wanted h_load of the task.
void setTaskLoad(Machine& m, TaskId task, std::uint64_t wanted) {
  SchedEntity& se = m.se(task);
  const std::uint64_t now = taskHLoad(m, task);
  const CfsRq& queue = m.queue(se.cfsRq);
  const std::uint64_t weight = queue.avg.loadAvg + 1;
  if (now == wanted || queue.hLoad == 0) return;
  se.avg.loadAvg = (wanted * weight + queue.hLoad - 1) / queue.hLoad;
}

/// A running task seen as one that waits in its queue.
void setQueued(BalanceEnv& env, TaskId task) {
  Rq& rq = env.m.rq(env.src);
  if (rq.curr != task) return;
  putPrevTaskFair(env.ctx, env.src, task);
  rq.curr = TaskId{};
  env.m.task(task).onCpu = false;
}

/// The refusals that a yes or no stands for, and the value with which the test does not refuse.
struct Waiver {
  const char* name;
  BalanceCandidate::Verdict verdict;
  std::int64_t passes;
};
constexpr std::array kWaivers = std::to_array<Waiver>({
    {"allowed", BalanceCandidate::Verdict::Affinity, 1},
    {"throttled", BalanceCandidate::Verdict::Throttled, 0},
    {"sched_delayed", BalanceCandidate::Verdict::DelayedTask, 0},
    {"eligible", BalanceCandidate::Verdict::Ineligible, 1},
    {"kthread_is_per_cpu", BalanceCandidate::Verdict::PerCpuKthread, 0},
    {"keeps_llc", BalanceCandidate::Verdict::LlcForbidden, 0},
    {"fits_source", BalanceCandidate::Verdict::FitsSource, 0},
});

void setTaskNumber(BalanceEnv& env, TaskId task, const Change& change) {
  Machine& m = env.m;
  SchedEntity& se = m.se(task);
  if (change.name == "nr_balance_failed") {
    env.state.nrBalanceFailed = count(change);
  } else if (change.name == "since_exec_start") {
    se.execStart = m.rq(env.src).clockTask - amount(change);
  } else if (change.name == "load") {
    setTaskLoad(m, task, amount(change));
  } else if (change.name == "util") {
    se.avg.utilAvg = amount(change);
    se.avg.utilEst = count(change);
  } else if (change.name == "imbalance") {
    env.imbalance = change.value;
  } else if (change.name == "on_cpu" && change.value == 0) {
    setQueued(env, task);
  }
}

}  // namespace

Change changeOf(const Ladder& ladder, const OperandOverride& wanted) {
  Change change;
  const ChangeRule* const rule = ruleOf(ladder, wanted.path);
  if (rule == nullptr) return change;
  change.stage = rule->stage;
  change.name = plainName(wanted.path.operand);
  change.value = wanted.value;
  change.isOfPick = std::string_view(rule->rung) == "busiest_group";
  const Rung& rung = ladder.rungs[static_cast<std::size_t>(wanted.path.rung)];
  change.subject = rung.subject;
  if (wanted.path.row >= 0) change.subject = rung.rows[static_cast<std::size_t>(wanted.path.row)].subject;
  const std::optional<Operand> operand = operandAt(ladder, wanted.path);
  if (operand && operand->about.kind != SubjectKind::None) change.subject = operand->about;
  change.round = -1;
  for (std::int32_t i = 0; i <= wanted.path.rung; ++i) {
    const Rung& before = ladder.rungs[static_cast<std::size_t>(i)];
    if (before.kind == "should_we_balance") {
      ++change.round;
      change.occurrence = 0;
    }
    if (i < wanted.path.rung && before.kind == "candidate" && before.subject == rung.subject)
      ++change.occurrence;
  }
  change.round = std::max(change.round, 0);
  return change;
}

void changeMachine(Machine& m, DomainId domain, Change& change) {
  change.isReached = true;
  if (change.name == "migration_cost") {
    auto profile = std::make_shared<KernelProfile>(*m.profile);
    profile->tunables.migrationCostNs = amount(change);
    m.profile = std::move(profile);
    return;
  }
  if (!domain.isValid()) return;
  auto topology = std::make_shared<SchedTopology>(*m.topology);
  SchedDomain& sd = topology->domains[domain.index()];
  if (change.name == "imbalance_pct") sd.imbalancePct = static_cast<int>(change.value);
  if (change.name == "cache_nice_tries") sd.cacheNiceTries = static_cast<int>(change.value);
  if (change.name == "cache_nice_tries + 2") sd.cacheNiceTries = static_cast<int>(change.value - 2);
  m.topology = std::move(topology);
}

template <class F>
void PassChanges::at(ChangeStage stage, F&& apply) {
  for (Change& change : m_changes)
    if (change.stage == stage && change.round == std::max(m_round, 0) && apply(change))
      change.isReached = true;
}

void PassChanges::onRound(BalanceEnv& env) {
  ++m_round;
  m_seen.clear();
  at(Stage::Round, [&](const Change& change) {
    if (change.subject.kind != SubjectKind::Cpu) return false;
    const CpuId cpu{change.subject.id};
    if (change.name == "idle_cpu")
      setIdle(env.m, cpu, change.value != 0);
    else if (change.name == "ttwu_pending")
      env.m.rq(cpu).ttwuPending = change.value != 0;
    else
      setQueueNumber(env.m, cpu, change);
    return true;
  });
}

void PassChanges::onGroupSums(BalanceEnv& env, const SchedGroup& group, GroupStats& stats) {
  at(Stage::GroupSums, [&](const Change& change) {
    if (!isOf(change, env.m, group)) return false;
    setGroupNumber(stats, change);
    return true;
  });
}

void PassChanges::onGroupType(BalanceEnv& env, const SchedGroup& group, GroupStats& stats) {
  at(Stage::GroupType, [&](const Change& change) {
    if (!isOf(change, env.m, group)) return false;
    setGroupNumber(stats, change);
    return true;
  });
}

void PassChanges::changeGroups(BalanceEnv& env, DomainStats& sds, ChangeStage stage) {
  at(stage, [&](const Change& change) {
    if (change.name == "prefer_sibling") {
      sds.preferSibling = change.value != 0;
      return true;
    }
    if (sds.local >= 0 && isOf(change, env.m, env.group(sds.local)))
      setGroupNumber(sds.localStats, change);
    else if (sds.busiest >= 0 && isOf(change, env.m, env.group(sds.busiest)))
      setGroupNumber(sds.busiestStats, change);
    else
      return false;
    return true;
  });
}

void PassChanges::onFindSrcGroup(BalanceEnv& env, DomainStats& sds) {
  at(Stage::FindSrcGroup, [&](const Change& change) {
    if (change.name == "overutilized")
      env.m.rootDomains[env.m.topology->cpus[env.dst.index()].rootDomain.index()].overutilized =
          change.value != 0;
    else if (change.name == "idle")
      env.idle = static_cast<CpuIdleType>(change.value);
    else
      return false;
    return true;
  });
  changeGroups(env, sds, Stage::FindSrcGroup);
}

void PassChanges::onCalculateImbalance(BalanceEnv& env, DomainStats& sds) {
  changeGroups(env, sds, Stage::CalculateImbalance);
}

void PassChanges::onImbalance(BalanceEnv& env) {
  at(Stage::Imbalance, [&](const Change& change) {
    if (change.name == "imbalance")
      env.imbalance = change.value;
    else
      env.migration = static_cast<MigrationType>(change.value);
    return true;
  });
}

void PassChanges::onFindSrcRq(BalanceEnv& env) {
  at(Stage::FindSrcRq, [&](const Change& change) {
    if (change.subject.kind != SubjectKind::Cpu) return false;
    setQueueNumber(env.m, CpuId{change.subject.id}, change);
    return true;
  });
}

void PassChanges::onDetachTasks(BalanceEnv& env) {
  at(Stage::DetachTasks, [&](const Change& change) {
    env.loopMax = count(change);
    return true;
  });
}

void PassChanges::onCandidate(BalanceEnv& env, TaskId task) {
  const auto before = static_cast<int>(std::count(m_seen.begin(), m_seen.end(), task.value));
  m_seen.push_back(task.value);
  at(Stage::Candidate, [&](const Change& change) {
    if (change.subject != Subject{SubjectKind::Task, task.value} || change.occurrence != before) return false;
    setTaskNumber(env, task, change);
    return true;
  });
}

bool PassChanges::isWaived(BalanceEnv&, TaskId task, BalanceCandidate::Verdict verdict) {
  const auto before = static_cast<int>(std::count(m_seen.begin(), m_seen.end(), task.value)) - 1;
  for (const Waiver& waiver : kWaivers) {
    if (waiver.verdict != verdict) continue;
    for (const Change& change : m_changes)
      if (change.stage == Stage::Candidate && change.round == std::max(m_round, 0) &&
          change.name == waiver.name && change.subject == Subject{SubjectKind::Task, task.value} &&
          change.occurrence == before)
        return change.value == waiver.passes;
  }
  return false;
}

void PassChanges::onNeedActiveBalance(BalanceEnv& env) {
  for (Change& change : m_changes) {
    if (change.stage != Stage::NeedActiveBalance) continue;
    if (change.name == "nr_balance_failed")
      env.state.nrBalanceFailed = count(change);
    else
      env.migration = static_cast<MigrationType>(change.value);
    change.isReached = true;
  }
}

template <class F>
void PlacementChanges::at(ChangeStage stage, F&& apply) {
  for (Change& change : m_changes)
    if (change.stage == stage && apply(change)) change.isReached = true;
}

void PlacementChanges::onWakeWide(Machine& m) {
  at(Stage::WakeWide, [&](const Change& change) {
    const Rq& waker = m.rq(m_call.wakerCpu);
    if (change.name == "waker flips") {
      (waker.curr.isValid() ? m.task(waker.curr).wakeeFlips : m.rq(m_call.wakerCpu).idleWakeeFlips) =
          count(change);
    } else if (change.name == "wakee flips") {
      m.task(m_call.task).wakeeFlips = count(change);
    } else {
      auto topology = std::make_shared<SchedTopology>(*m.topology);
      topology->cpus[m_call.wakerCpu.index()].llcSize = static_cast<int>(change.value);
      m.topology = std::move(topology);
    }
    return true;
  });
}

void PlacementChanges::onEnergyTask(Machine&, std::uint64_t& busyTime) {
  at(Stage::Energy, [&](const Change& change) {
    if (change.name != "task_busy_time") return false;
    busyTime = amount(change);
    return true;
  });
}

void PlacementChanges::onEnergyRoom(Machine& m, EnergyCandidate& candidate) {
  at(Stage::Energy, [&](const Change& change) {
    if (change.subject != Subject{SubjectKind::Cpu, candidate.cpu.value}) return false;
    if (change.name == "util")
      candidate.util = amount(change);
    else if (change.name == "capacity_of")
      candidate.capacity = m.rq(candidate.cpu).cpuCapacity = amount(change);
    else
      return false;
    return true;
  });
}

void PlacementChanges::onEnergy(Machine&, EnergyCandidate& candidate) {
  at(Stage::Energy, [&](const Change& change) {
    if (change.subject != Subject{SubjectKind::Cpu, candidate.cpu.value}) return false;
    if (change.name == "energy")
      candidate.energy = amount(change);
    else if (change.name == "base_energy")
      candidate.baseEnergy = amount(change);
    else
      return false;
    return true;
  });
}

void PlacementChanges::onWakeAffine(Machine& m) {
  at(Stage::WakeAffine, [&](const Change& change) {
    setIdle(m, CpuId{change.subject.id}, change.value != 0);
    return true;
  });
}

void PlacementChanges::onEffectiveLoads(WakeAffineChoice& choice) {
  at(Stage::EffectiveLoads, [&](const Change& change) {
    (change.name == "this_eff_load" ? choice.thisEffLoad : choice.prevEffLoad) = change.value;
    return true;
  });
}

void PlacementChanges::onSelectIdleSibling(Machine& m, CpuId& target) {
  at(Stage::IdleSibling, [&](const Change& change) {
    if (change.name == "target") {
      const CpuId wanted{static_cast<std::int32_t>(change.value)};
      if (wanted.index() >= m.rqs.size() || !m.topology->online.test(wanted)) return false;
      target = wanted;
      return true;
    }
    const CpuId cpu{change.subject.id};
    if (change.name == "idle_cpu") {
      setIdle(m, cpu, change.value != 0);
    } else if (change.name == "capacity") {
      setQueueNumber(m, cpu, change);
    } else {
      const CpuDomains& domains = m.topology->cpus[target.index()];
      for (const SharedId shared : {domains.llcShared, domains.balanceShared}) {
        if (!shared.isValid()) continue;
        if (change.name == "has_idle_cores")
          m.shared[shared.index()].hasIdleCores = change.value != 0;
        else
          m.shared[shared.index()].nrIdleScan = static_cast<std::int32_t>(change.value);
      }
    }
    return true;
  });
}

void PlacementChanges::onGroupSums(Machine& m, SchedGroupId group, GroupStats& stats) {
  at(Stage::DstGroupSums, [&](const Change& change) {
    if (!isOf(change, m, m.topology->group(group))) return false;
    setGroupNumber(stats, change);
    return true;
  });
}

void PlacementChanges::onGroupType(Machine& m, SchedGroupId group, GroupStats& stats) {
  at(Stage::DstGroupType, [&](const Change& change) {
    if (!isOf(change, m, m.topology->group(group))) return false;
    setGroupNumber(stats, change);
    return true;
  });
}

void PlacementChanges::onFindDstCpu(Machine& m, SchedGroupId group) {
  at(Stage::DstCpu, [&](const Change& change) {
    const CpuId cpu{change.subject.id};
    if (!m.topology->group(group).span.test(cpu)) return false;
    if (change.name == "idle_cpu")
      setIdle(m, cpu, change.value != 0);
    else
      setQueueNumber(m, cpu, change);
    return true;
  });
}

}  // namespace rqscope::api
