// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "balance/balance_env.h"
#include "balance/pass_hook.h"
#include "runqueue/load_tracking.h"
#include "runqueue/queue.h"

namespace rqscope {
namespace {

using Rule = BalanceRound::BalanceCpuRule;
using Reason = BalancePass::ActiveReason;

constexpr std::uint32_t kMaxPinnedIntervalMs = 512;

/// Idle CPU of the local group that is to balance, or none. v6.1: the first; v6.6+: on an idle core first.
BalanceCpuChoice firstIdleCpu(const BalanceEnv& env) {
  const Machine& m = env.m;
  const bool cores = m.behaviours().shouldBalancePrefersIdleCore;
  const bool anySibling = !cores || (env.sd.flags & kSdShareCpucapacity) != 0;
  CpuMask rest = env.dstGroupMask();
  CpuId idleSmt;
  for (CpuId cpu = rest.first(); cpu.isValid(); cpu = rest.next(cpu)) {
    if (!env.cpus.test(cpu) || !isIdleCpu(m, cpu)) continue;
    if (anySibling) return {true, cpu, Rule::FirstIdle};
    if (isCoreIdle(m, cpu)) return {true, cpu, Rule::FirstIdleCore};
    if (!idleSmt.isValid()) idleSmt = cpu;
    rest -= m.topology->smtMask[cpu.index()];
  }
  if (idleSmt.isValid()) return {true, idleSmt, Rule::FirstIdleSmt};
  return {};
}

/// How one pass ends. Kernel: the labels of sched_balance_rq().
enum class End { Unbalanced, Balanced, AllPinned, OnePinned };

/// One run of sched_balance_rq() with what its steps share.
struct PassRun {
  BalanceEnv env;
  BalancePass& pass;
  CpuId thisCpu;
  bool& continueBalancing;
  std::vector<TaskId>& moved;
  bool tookSerialize = false;
  std::uint32_t movedCount = 0;
};

/// Flag of the parent's local group, left for it when affinity was in the way.
bool* parentImbalance(const BalanceEnv& env) {
  if (!env.sd.parent.isValid()) return nullptr;
  const SchedDomain& parent = env.topology().domain(env.sd.parent);
  return &env.m.capacities[env.topology().group(parent.groups.front()).capacity.index()].imbalance;
}

/// The CPUs that should_we_balance() looked at: of a newly idle pass the CPU itself, else those of the
/// balance mask up to the one it wanted.
void noteSeen(PassRun& run, const BalanceCpuChoice& choice) {
  const BalanceEnv& env = run.env;
  const Machine& m = env.m;
  const auto note = [&](CpuId cpu) {
    const Rq& rq = m.rq(cpu);
    env.round->seen.push_back({cpu, isIdleCpu(m, cpu), isCoreIdle(m, cpu), rq.ttwuPending, rq.nrRunning});
  };
  if (choice.rule == Rule::NotInMask) return;
  if (env.idle == CpuIdleType::NewlyIdle) return note(env.dst);
  const CpuMask& mask = env.dstGroupMask();
  const bool isIdleFound = choice.rule != Rule::GroupBalanceCpu;
  for (CpuId cpu = mask.first(); cpu.isValid(); cpu = mask.next(cpu)) {
    if (!env.cpus.test(cpu)) continue;
    note(cpu);
    // An idle thread of a busy core is wanted only after the whole mask was looked at.
    if (isIdleFound && choice.rule != Rule::FirstIdleSmt && cpu == choice.cpu) return;
  }
}

/// should_we_balance(), and v7.3 the mark of serialised domains.
bool mayBalance(PassRun& run) {
  const BalanceCpuChoice choice = shouldWeBalance(run.env);
  if (run.env.round != nullptr) {
    run.env.round->shouldBalance = choice.balance;
    run.env.round->balanceCpu = choice.cpu;
    run.env.round->balanceCpuRule = choice.rule;
    noteSeen(run, choice);
  }
  if (!choice.balance) {
    run.continueBalancing = false;
    run.pass.end = PassEnd::NotThisCpu;
    return false;
  }
  Machine& m = run.env.m;
  if (!m.behaviours().serializeInsidePass || run.tookSerialize || (run.env.sd.flags & kSdSerialize) == 0)
    return true;
  run.pass.serializedOut = m.serializeBusy;
  if (m.serializeBusy) {
    run.pass.end = PassEnd::SerializedOut;
    return false;
  }
  m.serializeBusy = run.tookSerialize = true;
  return true;
}

/// Starts another destination for tasks that may not run on this one.
void switchDestination(BalanceEnv& env) {
  env.removeCpu(env.dst);
  env.dst = env.newDst;
  env.flags &= ~std::uint32_t{kLbfDstPinned};
  env.loop = 0;
  env.loopBreak = env.m.tunables().nrMigrateBreak;
}

/// Detach and attach until done. Kernel: the more_balance loop.
void moveTasks(PassRun& run) {
  BalanceEnv& env = run.env;
  if (env.ctx.concurrency != nullptr) env.ctx.concurrency->beforeRemoteLock(env.ctx, env.src);
  for (;;) {
    updateRqClock(env.ctx, env.src);
    run.moved.clear();
    const std::uint32_t count = detachTasks(env, run.moved);
    if (count != 0) {
      attachTasks(env.ctx, env.dst, run.moved, 0);
      run.movedCount += count;
    }
    if ((env.flags & kLbfNeedBreak) != 0) {
      env.flags &= ~std::uint32_t{kLbfNeedBreak};
      // b0defa7ae03e, which has no other bound while all tasks are pinned, ends after as many as there are.
      if (env.m.behaviours().loopMaxStopsWhenPinned || env.loop < env.m.rq(env.src).nrRunning) continue;
    }
    if ((env.flags & kLbfDstPinned) == 0 || env.imbalance <= 0) return;
    switchDestination(env);
  }
}

/// should_we_balance() and the statistics. Position of the group to pull from, below 0 when the pass is over.
int chooseGroup(PassRun& run, End& end) {
  BalanceEnv& env = run.env;
  end = End::Balanced;
  if (PassHook* const hook = env.ctx.passHook; hook != nullptr) hook->onRound(env);
  if (!mayBalance(run)) return -1;
  const int group = findSrcGroup(env);
  run.pass.end = env.why < FindSrcGroupWhy::Misfit ? PassEnd::Balanced : PassEnd::NoImbalance;
  return group;
}

/// From the choice of a queue on; true: again, without the CPU whose tasks were all pinned.
bool pullFrom(PassRun& run, int group, End& end) {
  BalanceEnv& env = run.env;
  PassHook* const hook = env.ctx.passHook;
  run.pass.end = PassEnd::NoQueue;
  if (hook != nullptr) hook->onFindSrcRq(env);
  env.src = findSrcRq(env, env.group(group));
  if (!env.src.isValid()) return false;
  run.pass.end = PassEnd::SourceOneTask;
  end = End::Unbalanced;
  run.movedCount = 0;
  env.flags |= kLbfAllPinned;
  const std::uint32_t nr = env.m.rq(env.src).nrRunning;
  if (nr <= 1) return false;
  env.loopMax = std::min<std::uint32_t>(env.m.tunables().nrMigrate, nr);
  run.pass.end = PassEnd::NoneDetached;
  env.isRefused = false;
  env.refusal = BalanceCandidate::Verdict::Detached;
  if (hook != nullptr) hook->onDetachTasks(env);
  moveTasks(run);
  bool* const parent = parentImbalance(env);
  if (parent != nullptr && (env.flags & kLbfSomePinned) != 0 && env.imbalance > 0) *parent = true;
  if ((env.flags & kLbfAllPinned) == 0) return false;
  env.removeCpu(env.src);
  if (!env.cpus.isSubsetOf(env.dstGroupMask())) {
    env.loop = 0;
    env.loopBreak = env.m.tunables().nrMigrateBreak;
    return true;
  }
  end = End::AllPinned;
  run.pass.end = PassEnd::AllPinned;
  return false;
}

/// True when the source's current task may run on `cpu`: the idle task and the stopper may not.
bool currentAllows(const Machine& m, CpuId source, CpuId cpu) {
  const Rq& rq = m.rq(source);
  return !rq.stopperRunning && rq.curr.isValid() && m.task(rq.curr).cpusAllowed.test(cpu);
}

/// Asks the source's stopper to push its current task. Kernel: the need_active_balance() branch.
End requestActiveBalance(PassRun& run) {
  BalanceEnv& env = run.env;
  Machine& m = env.m;
  Rq& busiest = m.rq(env.src);
  if (!currentAllows(m, env.src, run.thisCpu)) return End::OnePinned;
  env.flags &= ~std::uint32_t{kLbfAllPinned};
  if (busiest.activeBalance) return End::Unbalanced;
  if (m.behaviours().activeNeedsCurrOnRq && busiest.curr.isValid() && !m.task(busiest.curr).onRq)
    return End::Unbalanced;
  busiest.activeBalance = true;
  busiest.pushCpu = run.thisCpu;
  requestStopper(env.ctx, {StopperWork::Kind::ActiveBalance, env.src, TaskId{}, run.thisCpu});
  run.pass.activeStarted = true;
  run.pass.activeSource = env.src;
  if (env.ctx.concurrency != nullptr) env.ctx.concurrency->afterStopperRequest(env.ctx, env.src);
  return End::Unbalanced;
}

/// Counters after an attempt, moved or not.
End finishUnbalanced(PassRun& run) {
  BalanceEnv& env = run.env;
  const Behaviours& b = env.m.behaviours();
  if (run.movedCount != 0) {
    env.state.nrBalanceFailed = 0;
  } else {
    const bool counts = env.idle != CpuIdleType::NewlyIdle &&
                        (b.misfitFailureCounts || env.migration != MigrationType::Misfit) &&
                        (env.flags & kLbfLlcPinned) == 0;
    if (counts) ++env.state.nrBalanceFailed;
    if (env.ctx.passHook != nullptr) env.ctx.passHook->onNeedActiveBalance(env);
    run.pass.activeReason = needActiveBalance(env);
    run.pass.needActiveBalance = run.pass.activeReason != Reason::No;
    if (run.pass.needActiveBalance && requestActiveBalance(run) == End::OnePinned) return End::OnePinned;
  }
  if (b.intervalResetAlways || !run.pass.activeStarted || needActiveBalance(env) != Reason::No)
    env.state.balanceIntervalMs = static_cast<std::uint32_t>(env.sd.minIntervalMs);
  return End::Unbalanced;
}

/// The labels out_balanced, out_all_pinned and out_one_pinned, which fall through in this order.
void finishBalanced(PassRun& run, End end) {
  BalanceEnv& env = run.env;
  const bool allPinned = (env.flags & kLbfAllPinned) != 0;
  if (end == End::Balanced && !allPinned)
    if (bool* const parent = parentImbalance(env)) *parent = false;
  if (end != End::OnePinned) env.state.nrBalanceFailed = 0;
  run.movedCount = 0;
  if (env.idle == CpuIdleType::NewlyIdle) return;
  if (!env.m.behaviours().misfitFailureCounts && env.migration == MigrationType::Misfit) return;
  std::uint32_t& interval = env.state.balanceIntervalMs;
  if ((allPinned && interval < kMaxPinnedIntervalMs) ||
      interval < static_cast<std::uint32_t>(env.sd.maxIntervalMs))
    interval *= 2;
}

void beginRound(PassRun& run) {
  if (run.env.ctx.observer.wantsDecisions()) run.env.round = &run.pass.rounds.emplace_back();
}
void noteFlags(const PassRun& run) {
  if (run.env.round != nullptr) run.env.round->flags = run.env.flags;
}

/// Rounds until one of them ends the pass.
End runRounds(PassRun& run) {
  End end = End::Balanced;
  bool again = true;
  while (again) {
    beginRound(run);
    const int group = chooseGroup(run, end);
    again = group >= 0 && pullFrom(run, group, end);
    noteFlags(run);
  }
  return end;
}

/// Counters, interval and what the pass is told by.
void finishPass(PassRun& run, End end) {
  if (end == End::Unbalanced) end = finishUnbalanced(run);
  if (end != End::Unbalanced) finishBalanced(run, end);
  noteFlags(run);
  run.pass.sourceCpu = run.env.src;
  run.pass.why = run.env.why;
  run.pass.rule = run.env.rule;
  run.pass.refusal = run.env.refusal;
  if (run.movedCount != 0)
    run.pass.end = PassEnd::Moved;
  else if (run.pass.activeStarted)
    run.pass.end = PassEnd::ActiveStarted;
  run.pass.allPinned = (run.env.flags & kLbfAllPinned) != 0;
  if (run.tookSerialize) run.env.m.serializeBusy = false;
}

void announcePass(Context& ctx, BalancePass& pass) {
  const Machine& m = ctx.m;
  const DomainState& state = m.domains[pass.domain.index()];
  pass.timeNs = m.nowNs;
  pass.jiffies = m.jiffies;
  pass.lastBalance = state.lastBalance;
  pass.nrBalanceFailedBefore = state.nrBalanceFailed;
  pass.intervalMsBefore = state.balanceIntervalMs;
  ctx.observer.onBalanceBegin(m, pass);
}

int reportPass(PassRun& run) {
  BalanceEnv& env = run.env;
  run.pass.movedCount = run.movedCount;
  run.pass.nrBalanceFailedAfter = env.state.nrBalanceFailed;
  run.pass.intervalMsAfter = env.state.balanceIntervalMs;
  const bool* const parent = parentImbalance(env);
  run.pass.parentImbalanceAfter = parent != nullptr && *parent;
  env.ctx.observer.onBalancePass(env.m, run.pass);
  return static_cast<int>(run.movedCount);
}

}  // namespace

BalanceCpuChoice shouldWeBalance(const BalanceEnv& env) {
  const Machine& m = env.m;
  if (!env.cpus.test(env.dst)) return {false, CpuId{}, Rule::NotInMask};
  if (env.idle == CpuIdleType::NewlyIdle) {
    const Rq& rq = m.rq(env.dst);
    const bool hasWork = rq.nrRunning > 0 || rq.ttwuPending;
    return {!hasWork, env.dst, hasWork ? Rule::HasWork : Rule::NewlyIdle};
  }
  BalanceCpuChoice choice = firstIdleCpu(env);
  // Before 6d7e4782bcf5 a remembered idle thread did not keep the group's first CPU from balancing too.
  const bool goesOn =
      !m.behaviours().shouldBalanceOneAnswer && choice.rule == Rule::FirstIdleSmt && choice.cpu != env.dst;
  if (!choice.cpu.isValid() || goesOn) choice = {true, env.dstGroupMask().first(), Rule::GroupBalanceCpu};
  choice.balance = choice.cpu == env.dst;
  return choice;
}

BalancePass::ActiveReason needActiveBalance(const BalanceEnv& env) {
  const Machine& m = env.m;
  if (env.isIdle() && useAsymPriority(m, env.sd, env.dst)) {
    const bool sourceShared = m.behaviours().asymPackingIdleCore && !useAsymPriority(m, env.sd, env.src);
    if (asymPrefer(m, env.dst, env.src) || sourceShared) return Reason::AsymPacking;
  }
  if (env.migration != MigrationType::Misfit && activeBalanceBreaksLlc(env)) return Reason::No;
  // Before v5.5 what was to be moved did not matter; e9b9734b7465 (v5.12) left it to single tasks.
  if ((env.migration == MigrationType::Task || !m.behaviours().balanceRework) &&
      env.state.nrBalanceFailed > static_cast<std::uint32_t>(env.sd.cacheNiceTries + 2))
    return Reason::ImbalancedActive;
  if (env.isIdle() && fairCount(m, m.rootCfs(env.src)) == 1 && checkCpuCapacity(m, env.src, env.sd) &&
      m.rq(env.src).cpuCapacity * static_cast<std::uint64_t>(env.sd.imbalancePct) <
          m.rq(env.dst).cpuCapacity * 100)
    return Reason::ReducedCapacity;
  if (env.migration == MigrationType::Misfit) return Reason::Misfit;
  return env.migration == MigrationType::LlcTask ? Reason::LlcTask : Reason::No;
}

int schedBalanceRq(Context& ctx, BalancePass& pass, bool& continueBalancing) {
  Machine& m = ctx.m;
  announcePass(ctx, pass);
  std::vector<TaskId> moved = std::move(m.balanceScratch);
  PassRun run{BalanceEnv(ctx, pass.domain, pass.dstCpu, pass.idle), pass, pass.dstCpu, continueBalancing,
              moved};
  finishPass(run, runRounds(run));
  m.balanceScratch = std::move(moved);
  m.balanceScratch.clear();
  return reportPass(run);
}

bool beginBalanceRq(Context& ctx, BalanceCall& call, bool& continueBalancing) {
  announcePass(ctx, call.pass);
  std::vector<TaskId> moved;
  PassRun run{BalanceEnv(ctx, call.pass.domain, call.pass.dstCpu, call.pass.idle), call.pass,
              call.pass.dstCpu, continueBalancing, moved};
  beginRound(run);
  End end = End::Balanced;
  call.group = chooseGroup(run, end);
  noteFlags(run);
  call.vars = run.env;
  call.tookSerialize = run.tookSerialize;
  if (call.group >= 0) return true;
  finishPass(run, end);
  reportPass(run);
  return false;
}

int finishBalanceRq(Context& ctx, BalanceCall& call, bool& continueBalancing) {
  std::vector<TaskId> moved;
  PassRun run{BalanceEnv(ctx, call.pass.domain, call.pass.dstCpu, call.pass.idle),
              call.pass,
              call.pass.dstCpu,
              continueBalancing,
              moved,
              call.tookSerialize};
  static_cast<BalanceVars&>(run.env) = call.vars;
  if (!call.pass.rounds.empty()) run.env.round = &call.pass.rounds.back();
  End end = End::Balanced;
  const bool again = pullFrom(run, call.group, end);
  noteFlags(run);
  finishPass(run, again ? runRounds(run) : end);
  return reportPass(run);
}

}  // namespace rqscope
