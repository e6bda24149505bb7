// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "balance/balance_env.h"
#include "runqueue/load_tracking.h"

namespace rqscope {
namespace {

using Verdict = BalanceQueue::Verdict;

/// The queue that leads so far. Only the figure of the migration type is used.
struct Leader {
  CpuId cpu;
  std::uint64_t value = 0;
  std::uint64_t capacity = 1;
};

FbqType classifyQueue(const Rq& rq) {
  if (rq.nrRunning > rq.nrNumaRunning) return FbqType::Regular;
  if (rq.nrRunning > rq.nrPreferredRunning) return FbqType::Remote;
  return FbqType::All;
}

/// v7.3 pulls a lone task off an equal CPU when its core is shared with a busy sibling, or between clusters
/// of equal capacity.
bool loneTaskMayMove(const BalanceEnv& env, const SchedGroup& group, CpuId cpu) {
  const Machine& m = env.m;
  if (!m.behaviours().misfitNeedsBiggerDst) return false;
  if (m.topology->smtActive && !isCoreIdle(m, cpu)) return true;
  return (group.flags & kSdCluster) != 0 && capacityOrig(m, cpu) == capacityOrig(m, env.dst);
}

/// Tests that come before the comparison by migration type. Passed: none of them skips the queue.
Verdict skipReason(const BalanceEnv& env, const SchedGroup& group, CpuId cpu, std::uint32_t nr) {
  const Machine& m = env.m;
  if (classifyQueue(m.rq(cpu)) > env.fbq) return Verdict::FbqType;
  if (nr == 0) return Verdict::NoTasks;
  if (nr != 1) return Verdict::Passed;
  if ((env.sd.flags & kSdAsymCpucapacity) != 0 &&
      !capacityGreater(m.rq(env.dst).cpuCapacity, m.rq(cpu).cpuCapacity) && !loneTaskMayMove(env, group, cpu))
    return Verdict::AsymLoneTask;
  if (schedAsym(m, env.sd, cpu, env.dst)) return Verdict::AsymPriority;
  return Verdict::Passed;
}

/// Largest load per capacity, compared without division.
Verdict compareLoad(const BalanceEnv& env, CpuId cpu, std::uint32_t nr, Leader& leader, BalanceQueue& row) {
  const Machine& m = env.m;
  const std::uint64_t load = balanceLoad(m, cpu);
  row.value = load;
  if (nr == 1 && load > static_cast<std::uint64_t>(env.imbalance) && !checkCpuCapacity(m, cpu, env.sd))
    return Verdict::LoadTooBigLone;
  if (load * leader.capacity <= leader.value * row.capacity) return Verdict::NotLarger;
  leader = {cpu, load, row.capacity};
  return Verdict::Passed;
}

Verdict compareQueue(const BalanceEnv& env, CpuId cpu, std::uint32_t nr, Leader& leader, BalanceQueue& row) {
  const Machine& m = env.m;
  switch (env.migration) {
    case MigrationType::Load:
      return compareLoad(env, cpu, nr, leader, row);
    case MigrationType::Util:
      row.value = cpuUtilCfsBoost(m, cpu);
      if (nr <= 1) return Verdict::OneTask;
      break;
    case MigrationType::Task:
      row.value = nr;
      break;
    case MigrationType::Misfit:
      row.value = m.rq(cpu).misfitTaskLoad;
      break;
    case MigrationType::LlcTask:
      row.value = countPreferringLlc(m, cpu, env.dst);
      break;
  }
  if (row.value <= leader.value) return Verdict::NotLarger;
  leader = {cpu, row.value, row.capacity};
  return Verdict::Passed;
}

}  // namespace

CpuId findSrcRq(const BalanceEnv& env, const SchedGroup& group) {
  const Machine& m = env.m;
  Leader leader;
  for (const CpuId cpu : group.cpus) {
    if (env.cpusReduced && !env.cpus.test(cpu)) continue;
    const std::uint32_t nr = fairCount(m, m.rootCfs(cpu));
    BalanceQueue row;
    row.cpu = cpu;
    row.nrRunning = nr;
    row.capacity = m.rq(cpu).cpuCapacity;
    row.verdict = skipReason(env, group, cpu, nr);
    if (row.verdict == Verdict::Passed) row.verdict = compareQueue(env, cpu, nr, leader, row);
    if (env.round != nullptr) env.round->queues.push_back(row);
  }
  if (env.round != nullptr) {
    env.round->sourceCpu = leader.cpu;
    for (BalanceQueue& row : env.round->queues)
      if (row.cpu == leader.cpu) row.verdict = Verdict::Chosen;
  }
  return leader.cpu;
}

}  // namespace rqscope
