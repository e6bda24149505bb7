// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "balance/balance.h"
#include "balance/softirq_work.h"

namespace rqscope {

inline constexpr std::uint64_t kLbMinLoad = 16;  ///< LB_MIN: lighter tasks are not worth a first try

/// Totals of a domain and the two groups that matter. Kernel: struct sd_lb_stats.
struct DomainStats {
  int local = -1, busiest = -1;  ///< positions in SchedDomain::groups, -1 = none
  std::uint64_t totalLoad = 0, totalCapacity = 0, avgLoad = 0;
  bool preferSibling = false;
  GroupStats localStats;
  GroupStats busiestStats;  ///< of no group: the least busy there can be

  DomainStats() { busiestStats.idleCpus = UINT32_MAX; }
};

/// What one pass knows of itself. Kernel: struct lb_env.
struct BalanceEnv : BalanceVars {
  Context& ctx;
  Machine& m;
  DomainId domainId;
  const SchedDomain& sd;
  DomainState& state;
  BalanceRound* round = nullptr;  ///< null: nobody wants the decision's details
  bool isSurvey = false;          ///< no pass: statistics leave no trace in the machine

  BalanceEnv(Context& context, DomainId domain, CpuId dstCpu, CpuIdleType idleType);
  bool isIdle() const { return idle != CpuIdleType::NotIdle; }
  const SchedTopology& topology() const { return *m.topology; }
  const SchedGroup& group(int position) const {
    return topology().group(sd.groups[static_cast<std::size_t>(position)]);
  }
  const CpuMask& dstGroupMask() const { return group(0).balanceMask; }
  void removeCpu(CpuId cpu) {
    cpus.clear(cpu);
    cpusReduced = true;
  }
};

// Small questions about CPUs.

/// Fair tasks that statistics count: v7.3 without delayed ones.
inline std::uint32_t fairCount(const Machine& m, const CfsRq& queue) {
  return m.behaviours().countsRunnableOnly ? queue.hNrRunnable : queue.hNrQueued;
}
/// Load of the CPU's fair tasks, as statistics and the choice of a queue read it. Kernel: cpu_load(); before
/// v5.5 cpu_runnable_load(), without what blocked tasks left behind.
/// Simplified: the latter as the sum of the queued entities' load_avg (v5.4 tracked an average of its own, in
/// which a group whose tasks sleep part of the time has less); in a flat queue load_avg.
std::uint64_t balanceLoad(const Machine& m, CpuId cpu);
/// Kernel: sched_asym_prefer().
bool asymPrefer(const Machine& m, CpuId a, CpuId b);
/// May priorities of `cpu` be used in this domain? Kernel: sched_use_asym_prio() (v6.1: the flag only).
bool useAsymPriority(const Machine& m, const SchedDomain& sd, CpuId cpu);
/// Kernel: sched_asym() (v6.6+); v6.1: flag and sched_asym_prefer().
bool schedAsym(const Machine& m, const SchedDomain& sd, CpuId dst, CpuId src);
/// Capacity left for fair tasks is noticeably below the original. Kernel: check_cpu_capacity().
bool checkCpuCapacity(const Machine& m, CpuId cpu, const SchedDomain& sd);
/// Kernel: sched_energy_enabled() and rd->pd.
bool isEnergyAware(const Machine& m, CpuId cpu);

// Statistics.

struct GroupFindings {
  bool overloaded = false, overutilized = false;
};
/// Fills `stats` from the group's CPUs. Kernel: update_sg_lb_stats().
GroupFindings updateGroupStats(BalanceEnv& env, const DomainStats& sds, const SchedGroup& group, bool isLocal,
                               GroupStats& stats);
/// An idle CPU could take one of several tasks of a non-local SMT group. Kernel: smt_balance() (v6.6+).
bool isSmtBalance(const BalanceEnv& env, const SchedGroup& group, const GroupStats& stats);
/// Verdict on a candidate group. Kernel: update_sd_pick_busiest().
BalanceGroup::Pick pickBusiest(const BalanceEnv& env, const DomainStats& sds, const SchedGroup& group,
                               const GroupStats& stats);
/// Kernel: update_sd_lb_stats().
void updateDomainStats(BalanceEnv& env, DomainStats& sds);
/// Number of CPUs that a wakeup may scan; returns `previous` when it is not to be written.
/// Kernel: update_idle_cpu_scan().
void updateIdleCpuScan(BalanceEnv& env, std::uint64_t sumUtil);

// Decision.

/// Kernel: sibling_imbalance() (v6.6+).
std::int64_t siblingImbalance(bool dstIdle, int coresBusiest, int coresLocal, std::uint32_t nrBusiest,
                              std::uint32_t nrLocal);
/// Sets migration type and imbalance. Kernel: calculate_imbalance().
ImbalanceRule calculateImbalance(BalanceEnv& env, DomainStats& sds);
/// The part of find_src_group() after the statistics. False: balanced.
bool decideSrcGroup(BalanceEnv& env, DomainStats& sds, FindSrcGroupWhy& why);
/// Position of the group to pull from, or -1. Kernel: sched_balance_find_src_group().
int findSrcGroup(BalanceEnv& env);
/// Kernel: sched_balance_find_src_rq() (v6.1 find_busiest_queue()).
CpuId findSrcRq(const BalanceEnv& env, const SchedGroup& group);

// Moving.

/// Kernel: can_migrate_task().
bool canMigrateTask(BalanceEnv& env, TaskId task, BalanceCandidate& verdict);
/// Detaches into `moved` (in order); returns their number. Kernel: detach_tasks().
std::uint32_t detachTasks(BalanceEnv& env, std::vector<TaskId>& moved);
TaskId detachOneTask(BalanceEnv& env);                  ///< Kernel: detach_one_task()
void attachTask(Context& ctx, CpuId cpu, TaskId task);  ///< Kernel: attach_task()
/// Last detached first, as the kernel's list gives them. Kernel: attach_tasks().
void attachTasks(Context& ctx, CpuId cpu, const std::vector<TaskId>& tasks, std::size_t from);

// The pass.

struct BalanceCpuChoice {
  bool balance = false;
  CpuId cpu;
  BalanceRound::BalanceCpuRule rule = BalanceRound::BalanceCpuRule::NewlyIdle;
};
BalanceCpuChoice shouldWeBalance(const BalanceEnv& env);             ///< Kernel: should_we_balance()
BalancePass::ActiveReason needActiveBalance(const BalanceEnv& env);  ///< Kernel: need_active_balance()

/// sched_balance_rq() in two pieces: up to find_src_group(), and on from the choice of a queue. The first is
/// false when the pass is over with it.
bool beginBalanceRq(Context& ctx, BalanceCall& call, bool& continueBalancing);
int finishBalanceRq(Context& ctx, BalanceCall& call, bool& continueBalancing);

// The softirq: its walks, see softirq_work.h.

DomainWalk beginDomains(const Machine& m, const DomainsCall& call);
/// On to the next domain that is due; false when the walk is over.
bool toDueDomain(Machine& m, DomainWalk& walk);

// Newidle bookkeeping. Kernel: update_newidle_stats(), update_newidle_cost().

/// Is the CPU expected to stay idle for as long as the passes so far and the next one take?
bool newidleHasTime(const Machine& m, CpuId cpu, std::uint64_t cost);
void updateNewidleStats(const Machine& m, DomainState& state, std::uint32_t success);
bool updateNewidleCost(const Machine& m, DomainState& state, std::uint64_t cost, std::uint32_t success);
/// Kernel: update_next_balance().
void updateNextBalance(const Machine& m, DomainId domain, std::uint64_t& nextBalance);
void nohzBalancerKick(Context& ctx, CpuId cpu);  ///< Kernel: nohz_balancer_kick()
/// Arrival of a kick; true when the CPU is idle and took it. Kernel: nohz_csd_func().
bool receiveNohzKick(Machine& m, CpuId cpu);
/// What a kick asked this CPU to do for the idle ones: flags, 0 for nothing. Kernel: nohz_idle_balance().
std::uint32_t takeIdleBalance(Rq& rq, CpuIdleType idle);
IdleCpusWalk beginIdleCpus(Machine& m, CpuId self, std::uint32_t flags);
/// On to the next idle CPU whose domains are to be balanced; false when the walk is over.
bool toDueIdleCpu(Context& ctx, IdleCpusWalk& walk);
void balanceIdleCpus(Context& ctx, CpuId self, std::uint32_t flags);  ///< Kernel: _nohz_idle_balance()
void nohzNewidleBalance(Context& ctx, CpuId cpu);                     ///< Kernel: nohz_newidle_balance()

// Cache-aware balancing (v7.3).

enum class LlcVerdict : std::uint8_t { Forbid, Llc, Unrestricted };  ///< Kernel: enum llc_mig
/// Kernel: can_migrate_llc().
LlcVerdict canMigrateLlc(const Machine& m, CpuId src, CpuId dst, std::uint64_t taskUtil, bool toPreferred);
/// Kernel: can_migrate_llc_task(). Drops the preference of a process that is too big or single-threaded.
LlcVerdict canMigrateLlcTask(Machine& m, CpuId src, CpuId dst, TaskId task);
/// Does the pass leave the task for its cache locality? Kernel: migrate_degrades_llc() and the preference
/// test before it.
bool isRefusedForLlc(BalanceEnv& env, TaskId task);
/// Kernel: alb_break_llc().
bool activeBalanceBreaksLlc(const BalanceEnv& env);
/// Queued tasks of `cpu` that prefer the LLC of `dst`.
std::uint32_t countPreferringLlc(const Machine& m, CpuId cpu, CpuId dst);
/// Group wants llc_balance. Kernel: llc_balance().
bool wantsLlcBalance(const BalanceEnv& env, const GroupStats& stats, const SchedGroup& group);
/// Kernel: record_sg_llc_stats().
void recordLlcStats(BalanceEnv& env, const GroupStats& stats, const SchedGroup& group);
inline bool sharesCache(const Machine& m, CpuId a, CpuId b) {
  return a == b || m.topology->cpus[a.index()].llcId == m.topology->cpus[b.index()].llcId;
}

}  // namespace rqscope
