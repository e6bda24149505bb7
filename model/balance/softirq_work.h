// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "groupstats/balance_pass.h"
#include "runqueue/observer.h"

// The balance softirq in pieces, so that time may pass between its calls of sched_balance_rq(). Values.

namespace rqscope {

/// NUMA class of a group or queue, in rising order. Kernel: enum fbq_type.
enum class FbqType : std::uint8_t { Regular, Remote, All };

/// What a pass has found out so far. Kernel: the fields of struct lb_env that change.
struct BalanceVars {
  CpuIdleType idle = CpuIdleType::NotIdle;
  CpuId dst, src, newDst;
  CpuMask cpus;              ///< CPUs that take part
  bool cpusReduced = false;  ///< `cpus` lacks a CPU of the domain's span
  bool dstCoreIdle = true;
  bool overutilized = false;  ///< some CPU of the groups is overutilised (energy-aware only)
  std::int64_t imbalance = 0;
  std::uint32_t flags = 0;  ///< LbfFlag bits
  std::uint32_t loop = 0, loopBreak = 0, loopMax = 0;
  FbqType fbq = FbqType::All;
  MigrationType migration = MigrationType::Load;
  // What the pass will have ended with; kept in fast runs too.
  FindSrcGroupWhy why = FindSrcGroupWhy::NoBusiest;
  ImbalanceRule rule = ImbalanceRule::None;
  bool isRefused = false;
  BalanceCandidate::Verdict refusal = BalanceCandidate::Verdict::Detached;  ///< of the first task refused
};

/// A call of sched_balance_rq() between its statistics and the choice and lock of the source queue.
struct BalanceCall {
  BalancePass pass;
  BalanceVars vars;
  int group = -1;  ///< position of the group to pull from
  bool tookSerialize = false;
};

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
  /// What comes next in the call of the due domain.
  enum class Stage : std::uint8_t { Statistics, Source, Over };
  bool hasDomains = false, hasIdleCpus = false;
  Stage stage = Stage::Statistics;
  bool hasCalled = false;  ///< a call came before the one to come
  BalanceCall call;
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
/// The same in two pieces: up to the group to pull from, and on from the choice of a queue. The first is
/// false when there is no second one.
bool beginDueDomain(Context& ctx, DomainWalk& walk, BalanceCall& call);
void finishDueDomain(Context& ctx, DomainWalk& walk, BalanceCall& call);
/// Would the due domain's call balance as things stand, or leave it to another CPU? Kernel:
/// should_we_balance().
bool isTurnOf(Context& ctx, const DomainWalk& walk);

}  // namespace rqscope
