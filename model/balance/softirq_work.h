// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "groupstats/balance_pass.h"
#include "runqueue/observer.h"

// The balance softirq in pieces, so that time may pass between its calls of sched_balance_rq(). Values.

namespace rqscope {

/// Where the walk over one CPU's domains stands. Kernel: locals of sched_balance_domains().
struct DomainWalk {
  CpuId dst, runOn;
  CpuIdleType idle = CpuIdleType::NotIdle;
  BalanceEntry entry = BalanceEntry::Tick;
  bool busy = false;
  bool continueBalancing = true;
  bool nextIsSet = false;
  bool needDecay = false;
  bool isDue = false;  ///< `domain` is, and has been balanced once the walk goes on
  bool serializes = false;
  DomainId domain;             ///< to be looked at next, or the one that is due
  std::uint64_t interval = 0;  ///< of `domain`, in jiffies
  std::uint64_t nextBalance = 0, maxCost = 0;
};

/// Where the walk over the nohz-idle CPUs stands. Kernel: locals of _nohz_idle_balance().
struct IdleCpusWalk {
  CpuId self;
  std::uint32_t flags = 0;
  std::uint64_t beganJiffies = 0, nextBalance = 0;
  bool nextIsSet = false;
  bool hasBlocked = false;
  bool isDue = false;  ///< the domains of `cpu` are, and have been balanced once the walk goes on
  CpuId cpu;
  int left = 0;
  CpuMask cpus;
};

/// A softirq that has begun. Kernel: sched_balance_softirq() (v6.1 run_rebalance_domains()).
struct SoftirqWork {
  bool hasDomains = false, hasIdleCpus = false;
  DomainWalk domains;
  IdleCpusWalk idleCpus;
};

/// Takes the CPU's softirq up, up to its first domain.
SoftirqWork beginSoftirq(Context& ctx, CpuId cpu);
/// On to the next domain that is due: `work.domains` stands there, and balanceDueDomain() comes next. False:
/// the softirq is over.
bool toNextCall(Context& ctx, SoftirqWork& work);
/// sched_balance_rq() of the due domain.
void balanceDueDomain(Context& ctx, DomainWalk& walk);
/// Would the due domain's call balance as things stand, or leave it to another CPU? Kernel:
/// should_we_balance().
bool isTurnOf(Context& ctx, const DomainWalk& walk);

}  // namespace rqscope
