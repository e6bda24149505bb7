// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "groupstats/balance_pass.h"
#include "runqueue/observer.h"

namespace rqscope {

/// Every tick, in interrupt context: raises SCHED_SOFTIRQ when due, may kick a nohz-idle CPU.
/// Kernel: sched_balance_trigger() (v6.1 trigger_load_balance()).
void schedBalanceTrigger(Context& ctx, CpuId cpu);
/// The softirq. Kernel: sched_balance_softirq() (v6.1 run_rebalance_domains()). Clears softirqPending.
void schedBalanceSoftirq(Context& ctx, CpuId cpu);
/// Whose domains, on which CPU, in which state, asked by whom.
struct DomainsCall {
  CpuId dst, runOn;
  CpuIdleType idle = CpuIdleType::NotIdle;
  BalanceEntry entry = BalanceEntry::Tick;
};
/// All due domains of `dst`, executed on `runOn`.
/// Kernel: sched_balance_domains() (v6.1 rebalance_domains()).
void schedBalanceDomains(Context& ctx, const DomainsCall& call);
/// When the CPU has nothing to run: >0 pulled, 0 idle, -1 a task of another class came.
/// Kernel: sched_balance_newidle() (v6.1 newidle_balance()).
int schedBalanceNewidle(Context& ctx, CpuId cpu);
/// One pass. Kernel: sched_balance_rq() (v6.1 load_balance()). continueBalancing is cleared as the kernel
/// does.
int schedBalanceRq(Context& ctx, BalancePass& pass, bool& continueBalancing);
/// The stopper's job on the busiest CPU (Rq::activeBalance, pushCpu). Kernel: active_load_balance_cpu_stop().
void activeLoadBalanceCpuStop(Context& ctx, CpuId busiestCpu);
/// nohz bookkeeping: the idle loop stops or restarts the tick. Kernel: nohz_balance_enter_idle(),
/// nohz_balance_exit_idle().
void nohzBalanceEnterIdle(Context& ctx, CpuId cpu);
void nohzBalanceExitIdle(Context& ctx, CpuId cpu);
/// Stats-only pass after a newidle that left blocked load. Kernel: nohz_run_idle_balance().
void nohzRunIdleBalance(Context& ctx, CpuId cpu);
/// Refreshes sgc values of the local group. Kernel: update_group_capacity().
void updateGroupCapacity(Context& ctx, DomainId domain, CpuId cpu);
/// Does the CPU balance at the rarer, busy interval? Kernel: `busy` of sched_balance_domains().
bool isBusyForBalance(const Machine& m, CpuId cpu, CpuIdleType idle);
/// Has the interval (in jiffies) of the domain passed? Kernel: the test in sched_balance_domains().
bool isDomainDue(const Machine& m, DomainId domain, std::uint64_t interval);
/// In jiffies. Kernel: get_sd_balance_interval().
std::uint64_t sdBalanceInterval(const Machine& m, DomainId domain, bool busy);

}  // namespace rqscope
