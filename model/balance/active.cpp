// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "balance/balance_env.h"
#include "runqueue/load_tracking.h"

namespace rqscope {
namespace {

/// Lowest domain of `cpu` that spans `other`, or none.
DomainId commonDomain(const Machine& m, CpuId cpu, CpuId other) {
  DomainId id = m.topology->cpus[cpu.index()].lowest;
  while (id.isValid() && !m.topology->domain(id).span.test(other)) id = m.topology->domain(id).parent;
  return id;
}

bool mayPush(const Machine& m, CpuId busiest) {
  const Rq& rq = m.rq(busiest);
  return rq.isOnline && rq.pushCpu.isValid() && m.rq(rq.pushCpu).isOnline && rq.activeBalance &&
         rq.nrRunning > 1;
}

/// Detaches one task for the target and attaches it there; fills the record of the run.
void pushOne(Context& ctx, CpuId busiest, CpuId target, DomainId domain, BalancePass& pass) {
  Machine& m = ctx.m;
  BalanceEnv env(ctx, domain, target, CpuIdleType::Idle);
  env.src = pass.sourceCpu = busiest;
  env.flags = kLbfActiveLb;
  if (ctx.observer.wantsDecisions()) env.round = &pass.rounds.emplace_back();
  updateRqClock(ctx, busiest);
  const TaskId task = detachOneTask(env);
  if (task.isValid()) env.state.nrBalanceFailed = 0;
  m.rq(busiest).activeBalance = false;
  if (env.round != nullptr) env.round->flags = env.flags;
  if (!task.isValid()) return;
  pass.movedCount = 1;
  pass.end = PassEnd::Moved;
  updateRqClock(ctx, target);
  attachTask(ctx, target, task);
}

}  // namespace

void activeLoadBalanceCpuStop(Context& ctx, CpuId busiestCpu) {
  Machine& m = ctx.m;
  Rq& busiest = m.rq(busiestCpu);
  BalancePass pass;
  pass.timeNs = m.nowNs;
  pass.jiffies = m.jiffies;
  pass.entry = BalanceEntry::ActiveStopper;
  pass.runOn = busiestCpu;
  pass.dstCpu = busiest.pushCpu;
  pass.activeSource = busiestCpu;
  pass.idle = CpuIdleType::Idle;
  pass.end = PassEnd::NothingToPush;
  ctx.observer.onBalanceBegin(m, pass);
  if (mayPush(m, busiestCpu)) {
    pass.domain = commonDomain(m, busiest.pushCpu, busiestCpu);
    if (pass.domain.isValid()) {
      const DomainState& state = m.domains[pass.domain.index()];
      pass.nrBalanceFailedBefore = state.nrBalanceFailed;
      pass.intervalMsBefore = pass.intervalMsAfter = state.balanceIntervalMs;
      pushOne(ctx, busiestCpu, busiest.pushCpu, pass.domain, pass);
      pass.nrBalanceFailedAfter = state.nrBalanceFailed;
    }
  }
  busiest.activeBalance = false;
  ctx.observer.onBalancePass(m, pass);
}

}  // namespace rqscope
