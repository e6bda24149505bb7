// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "balance/balance_env.h"
#include "balance/pass_hook.h"
#include "runqueue/load_tracking.h"
#include "runqueue/queue.h"

namespace rqscope {
namespace {

using Verdict = BalanceCandidate::Verdict;

/// The queue whose virtual time counts for the task: v7.3 has all tasks in the root queue.
CfsRqId queueOf(const Machine& m, TaskId task) {
  if (m.profile->queue == QueueKind::FlatEevdf) return CfsRqId{m.task(task).cpu.value};
  return m.se(task).cfsRq;
}

CfsRqId groupQueue(const Machine& m, TaskId task, CpuId cpu) {
  return CfsRqId{m.group(m.task(task).group).cfsRqBase + cpu.value};
}

/// Kernel: throttled_lb_pair(); v7.3 looks at the destination only.
bool isThrottledPair(const BalanceEnv& env, TaskId task) {
  const Machine& m = env.m;
  if (m.task(task).group.value <= 0) return false;  // the root group has no quota
  if (!m.behaviours().throttledOnDstOnly && isThrottledHierarchy(m, groupQueue(m, task, env.src)))
    return true;
  return isThrottledHierarchy(m, groupQueue(m, task, env.dst));
}

/// v7.3, while no pass has failed: a task without lag in its favour stays when the destination has fair
/// tasks.
bool isIneligible(const BalanceEnv& env, TaskId task) {
  const Machine& m = env.m;
  if (!m.behaviours().refuseIneligible || env.state.nrBalanceFailed != 0) return false;
  if (!m.features().placeLag || m.rootCfs(env.dst).nrQueued == 0) return false;
  return !isEntityEligible(m, queueOf(m, task), m.task(task).se);
}

/// Not allowed on the destination: remember that, and a CPU of the local group that would do.
void noteAffinity(BalanceEnv& env, TaskId task) {
  env.flags |= kLbfSomePinned;
  if (env.idle == CpuIdleType::NewlyIdle || (env.flags & (kLbfDstPinned | kLbfActiveLb)) != 0) return;
  const CpuMask& allowed = env.m.task(task).cpusAllowed;
  const CpuMask& candidates = env.dstGroupMask();
  for (CpuId cpu = candidates.first(); cpu.isValid(); cpu = candidates.next(cpu)) {
    if (!env.cpus.test(cpu) || !allowed.test(cpu)) continue;
    env.flags |= kLbfDstPinned;
    env.newDst = cpu;
    return;
  }
}

/// Kernel: task_hot(). Simplified: no core scheduling cookies.
bool isTaskHot(const BalanceEnv& env, TaskId task, BalanceCandidate& verdict) {
  const Machine& m = env.m;
  const Rq& src = m.rq(env.src);
  const SchedEntity& se = m.se(task);
  verdict.sinceExecStartNs = src.clockTask - se.execStart;
  verdict.isHotTested = true;
  verdict.hasRunHere = se.execStart != 0;
  if (m.task(task).policy == SchedPolicy::Idle) return false;
  if ((env.sd.flags & kSdShareCpucapacity) != 0) return false;
  if (m.features().cacheHotBuddy && m.rq(env.dst).nrRunning != 0) {
    const CfsRq& queue = m.queue(queueOf(m, task));
    const EntityId id = m.task(task).se;
    if (queue.next == id || (m.profile->queue == QueueKind::Cfs && queue.last == id)) return true;
  }
  const std::uint64_t cost = m.tunables().migrationCostNs;
  if (cost == UINT64_MAX) return true;
  if (cost == 0) return false;
  return virtualDelta(src.clockTask, se.execStart) < static_cast<std::int64_t>(cost);
}

/// The test refused: unless "what if" passes over it, that is the verdict.
bool isRefused(BalanceEnv& env, TaskId task, bool refuses, Verdict verdict) {
  if (!refuses) return false;
  PassHook* const hook = env.ctx.passHook;
  return hook == nullptr || !hook->isWaived(env, task, verdict);
}

/// Reasons that hold whatever the task's affinity. Detached: none.
Verdict refusalBeforeAffinity(BalanceEnv& env, TaskId task) {
  const Machine& m = env.m;
  const bool isDelayed = m.behaviours().refuseDelayedUnlessLoad && m.se(task).schedDelayed &&
                         env.migration != MigrationType::Load;
  if (isRefused(env, task, isDelayed, Verdict::DelayedTask)) return Verdict::DelayedTask;
  if (isRefused(env, task, isThrottledPair(env, task), Verdict::Throttled)) return Verdict::Throttled;
  if (isRefused(env, task, isIneligible(env, task), Verdict::Ineligible)) return Verdict::Ineligible;
  if (isRefused(env, task, m.task(task).isPerCpuKthread, Verdict::PerCpuKthread))
    return Verdict::PerCpuKthread;
  return Verdict::Detached;
}

/// Takes `amount` off the imbalance when `amount >> failures` fits into it.
bool takeAmount(BalanceEnv& env, std::uint64_t amount, std::uint32_t shift, BalanceCandidate& verdict) {
  verdict.value = amount;
  verdict.shift = shift;
  verdict.compared = shrBound(amount, shift);
  verdict.limit = env.imbalance;
  if (verdict.compared > static_cast<std::uint64_t>(env.imbalance)) return false;
  env.imbalance -= static_cast<std::int64_t>(amount);
  return true;
}

/// Before v5.5: half of the task's load fits, however often passes have failed, also in a pass for a misfit.
Verdict fitsAverage(BalanceEnv& env, TaskId task, BalanceCandidate& verdict) {
  Machine& m = env.m;
  const std::uint64_t load = taskHLoad(m, task);
  verdict.value = load;
  const bool isLight = m.features().lbMin && load < kLbMinLoad && env.state.nrBalanceFailed == 0;
  if (isRefused(env, task, isLight, Verdict::LoadMin)) return Verdict::LoadMin;
  return takeAmount(env, load, 1, verdict) ? Verdict::Detached : Verdict::LoadTooBig;
}

/// Does the task fit into the rest of the imbalance? Takes it off when it does.
Verdict fitsImbalance(BalanceEnv& env, TaskId task, BalanceCandidate& verdict) {
  Machine& m = env.m;
  const std::uint32_t failed = env.state.nrBalanceFailed;
  if (!m.behaviours().balanceRework) return fitsAverage(env, task, verdict);
  switch (env.migration) {
    case MigrationType::Load: {
      const std::uint64_t load = std::max<std::uint64_t>(taskHLoad(m, task), 1);
      verdict.value = load;
      if (isRefused(env, task, m.features().lbMin && load < kLbMinLoad && failed == 0, Verdict::LoadMin))
        return Verdict::LoadMin;
      return takeAmount(env, load, failed, verdict) ? Verdict::Detached : Verdict::LoadTooBig;
    }
    case MigrationType::Util: {
      const std::uint32_t shift = m.behaviours().migrateUtilShrBound ? failed : 0;
      return takeAmount(env, taskUtilEst(m, task), shift, verdict) ? Verdict::Detached : Verdict::UtilTooBig;
    }
    case MigrationType::Task:
    case MigrationType::LlcTask:
      --env.imbalance;
      return Verdict::Detached;
    case MigrationType::Misfit:
      if (isRefused(env, task, taskFitsCpu(m, task, env.src) != 0, Verdict::FitsSource))
        return Verdict::FitsSource;
      env.imbalance = 0;
      return Verdict::Detached;
  }
  return Verdict::Detached;
}

/// Off the source queue, on its way to the destination. Kernel: detach_task(), set_task_cpu().
void detachTask(BalanceEnv& env, TaskId id) {
  Machine& m = env.m;
  Task& task = m.task(id);
  task.migrating = true;
  dequeueTaskFair(env.ctx, env.src, id, kDequeueNoclock);
  const bool active = (env.flags & kLbfActiveLb) != 0;
  env.ctx.observer.onSetTaskCpu(m, id, env.src, env.dst,
                                active ? MigrationReason::ActiveBalance : MigrationReason::LoadBalance);
  migrateTaskRqFair(env.ctx, id, env.dst);
  setTaskRq(m, id, env.dst);
  task.cpu = env.dst;
  task.wakeCpu = env.dst;
}

void moveToHead(Machine& m, CpuId cpu, TaskId task) {
  if (m.rq(cpu).listHead == task) return;
  listRemove(m, cpu, task);
  listAddHead(m, cpu, task);
}

/// Loop bounds of detach_tasks(). NotTried: go on.
DetachStop loopStop(BalanceEnv& env) {
  if (env.isIdle() && env.m.rq(env.src).nrRunning <= 1) return DetachStop::DstIdleSourceOne;
  ++env.loop;
  const bool pinnedGoesOn = !env.m.behaviours().loopMaxStopsWhenPinned && (env.flags & kLbfAllPinned) != 0;
  if (env.loop > env.loopMax && !pinnedGoesOn) return DetachStop::LoopMax;
  if (env.loop > env.loopBreak) {
    env.loopBreak += env.m.tunables().nrMigrateBreak;
    env.flags |= kLbfNeedBreak;
    return DetachStop::LoopBreak;
  }
  return DetachStop::NotTried;
}

/// The loop of detach_tasks() over the list, oldest enqueued first.
DetachStop detachLoop(BalanceEnv& env, std::vector<TaskId>& moved) {
  Machine& m = env.m;
  const Rq& src = m.rq(env.src);
  while (src.listTail.isValid()) {
    const DetachStop bound = loopStop(env);
    if (bound != DetachStop::NotTried) return bound;
    const TaskId task = src.listTail;
    BalanceCandidate row;
    row.task = task;
    row.loop = env.loop;
    row.loopMax = env.loopMax;
    if (env.ctx.passHook != nullptr) env.ctx.passHook->onCandidate(env, task);
    if (canMigrateTask(env, task, row)) row.verdict = fitsImbalance(env, task, row);
    row.imbalanceAfter = env.imbalance;
    if (env.round != nullptr) env.round->candidates.push_back(row);
    if (row.verdict != Verdict::Detached) {
      if (!env.isRefused) env.refusal = row.verdict;
      env.isRefused = true;
      moveToHead(m, env.src, task);
      continue;
    }
    detachTask(env, task);
    moved.push_back(task);
    if (m.tunables().preemption && env.idle == CpuIdleType::NewlyIdle) return DetachStop::NewidleOne;
    if (env.imbalance <= 0) return DetachStop::ImbalanceDone;
  }
  return DetachStop::ListEnd;
}

}  // namespace

bool canMigrateTask(BalanceEnv& env, TaskId task, BalanceCandidate& verdict) {
  const Machine& m = env.m;
  verdict.verdict = refusalBeforeAffinity(env, task);
  if (verdict.verdict != Verdict::Detached) return false;
  verdict.dst = env.dst;
  if (isRefused(env, task, !m.task(task).cpusAllowed.test(env.dst), Verdict::Affinity)) {
    noteAffinity(env, task);
    verdict.verdict = Verdict::Affinity;
    return false;
  }
  env.flags &= ~std::uint32_t{kLbfAllPinned};
  if (m.task(task).onCpu) {
    verdict.verdict = Verdict::Running;
    return false;
  }
  if ((env.flags & kLbfActiveLb) != 0) return true;
  // Simplified: no NUMA balancing faults, so locality is always undecided.
  if (isRefused(env, task, isRefusedForLlc(env, task), Verdict::LlcForbidden)) {
    if (env.migration != MigrationType::LlcTask) env.flags |= kLbfLlcPinned;
    verdict.verdict = Verdict::LlcForbidden;
    return false;
  }
  const bool hot = isTaskHot(env, task, verdict);
  if (!hot || env.state.nrBalanceFailed > static_cast<std::uint32_t>(env.sd.cacheNiceTries)) return true;
  verdict.verdict = Verdict::Hot;
  return false;
}

std::uint32_t detachTasks(BalanceEnv& env, std::vector<TaskId>& moved) {
  const std::size_t before = moved.size();
  if (env.m.rq(env.src).nrRunning <= 1) {
    env.flags &= ~std::uint32_t{kLbfAllPinned};
    return 0;
  }
  if (env.imbalance <= 0) return 0;
  const DetachStop stop = detachLoop(env, moved);
  if (env.round != nullptr) {
    env.round->detachStop = stop;
    env.round->moved.insert(env.round->moved.end(), moved.begin() + static_cast<std::ptrdiff_t>(before),
                            moved.end());
  }
  return static_cast<std::uint32_t>(moved.size() - before);
}

TaskId detachOneTask(BalanceEnv& env) {
  const Machine& m = env.m;
  for (TaskId task = m.rq(env.src).listTail; task.isValid(); task = m.task(task).listPrev) {
    BalanceCandidate row;
    row.task = task;
    row.verdict = Verdict::Detached;
    if (env.ctx.passHook != nullptr) env.ctx.passHook->onCandidate(env, task);
    const bool can = canMigrateTask(env, task, row);
    if (env.round != nullptr) env.round->candidates.push_back(row);
    if (!can) continue;
    detachTask(env, task);
    if (env.round != nullptr) env.round->moved.push_back(task);
    return task;
  }
  return TaskId{};
}

void attachTask(Context& ctx, CpuId cpu, TaskId id) {
  Machine& m = ctx.m;
  enqueueTaskFair(ctx, cpu, id, kEnqueueNoclock | kEnqueueMigrated);
  m.task(id).migrating = false;
  m.task(id).onRq = true;
  wakeupPreempt(ctx, cpu, id, 0);
}

void attachTasks(Context& ctx, CpuId cpu, const std::vector<TaskId>& tasks, std::size_t from) {
  updateRqClock(ctx, cpu);
  for (std::size_t i = tasks.size(); i > from; --i) attachTask(ctx, cpu, tasks[i - 1]);
}

}  // namespace rqscope
