// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace rqscope {

/// The kernels whose sources the profiles follow: late stable v6.1.y and v6.12.y, and v7.3.
enum class KernelVersion { V6_1, V6_12, V7_3 };

enum class QueueKind {
  Cfs,       ///< v6.1: vruntime tree, sleeper credit, buddies
  Eevdf,     ///< v6.12: deadline tree per cfs_rq, delayed dequeue
  FlatEevdf  ///< v7.3: tasks of all groups in the root tree, hierarchical weight (85570f10a4c6)
};

/// sched_features, with the kernel's names. A feature that a version lacks stays off and is refused when set.
struct SchedFeatures {
  // v6.1
  bool gentleFairSleepers = false, startDebit = false, lastBuddy = false, altPeriod = false,
       baseSlice = false;
  // all
  bool nextBuddy = false, wakeupPreemption = true, ttwuQueue = true, sisUtil = true, utilEst = true;
  bool attachAgeLoad = true, waIdle = true, waWeight = true, waBias = true, lbMin = false,
       cacheHotBuddy = true;
  bool nontaskCapacity = true, niRandom = true;
  // EEVDF
  bool placeLag = false, placeDeadlineInitial = false, placeRelDeadline = false, runToParity = false;
  bool preemptShort = false, pickBuddy = false, delayDequeue = false, delayZero = false;
  // v7.3
  bool niRate = false, schedCache = false;
  bool operator==(const SchedFeatures&) const = default;
};

/// Tunables of debugfs sched/ and of the build, in the unit their name says. Before scaling by CPU count.
struct Tunables {
  int hz = 250;                                   ///< CONFIG_HZ: ticks per second
  std::uint64_t baseSliceNs = 700'000;            ///< normalized sysctl_sched_base_slice
  std::uint64_t latencyNs = 6'000'000;            ///< v6.1 sched_latency
  std::uint64_t minGranularityNs = 750'000;       ///< v6.1
  std::uint64_t wakeupGranularityNs = 1'000'000;  ///< v6.1
  std::uint64_t idleMinGranularityNs = 750'000;   ///< v6.1, not scaled
  bool scaleByCpus = true;      ///< tunable_scaling: multiply slices by 1 + ilog2(min(online CPUs, 8))
  int scalingCpus = 0;          ///< number of online CPUs used for that; 0 = the machine's
  bool childRunsFirst = false;  ///< v6.1
  std::uint64_t migrationCostNs = 500'000;     ///< sysctl_sched_migration_cost; UINT64_MAX = always hot
  unsigned nrMigrate = 32;                     ///< sysctl_sched_nr_migrate
  unsigned nrMigrateBreak = 32;                ///< SCHED_NR_MIGRATE_BREAK
  bool preemption = false;                     ///< CONFIG_PREEMPTION: newidle pulls stop after one task
  std::uint64_t bandwidthSliceNs = 5'000'000;  ///< sched_cfs_bandwidth_slice
  bool autogroup = false;                      ///< sched_autogroup_enabled
  bool autogroupBuilt = true;                  ///< CONFIG_SCHED_AUTOGROUP: exits call sched_move_task
  bool nohz = true;                            ///< idle CPUs stop their tick and are balanced by a kicked one
  bool skewTick = false;                       ///< boot parameter skew_tick: CPUs tick at different moments
  bool energyAware = false;  ///< sched_energy_aware: placement by energy where the machine has a model
  bool dvfsHeadroom = true;  ///< schedutil asks for a quarter more than is used; off: as worked by hand
  std::uint64_t newidleCostPerCpuNs = 0;  ///< modelled: time that a newidle pass counts per CPU of the domain
  bool operator==(const Tunables&) const = default;

  std::uint64_t tickNs() const { return 1'000'000'000U / static_cast<unsigned>(hz); }
};

enum class CgroupMode { Up, Smp, Concur, Max, Tasks };  ///< v7.3 cgroup_mode; Smp is the rule of v6.x

/// What differs between versions or is switched by a patch. One field per behaviour; the comment names the
/// commit.
struct Behaviours {
  // --- the four discussions
  bool migrateUtilShrBound = true;  ///< 3af7524b14198: (util >> nr_balance_failed) > imbalance, v6.8
  bool moveTaskEarlyBail =
      false;  ///< eff6c8ce8d4d: sched_move_task returns when the group stays (v6.4..v6.13)
  bool tgLoadAvgPerNode = false;       ///< RFC 2/4 2023: tg->load_avg one atomic per node (cost only)
  bool tgLoadAvgDelayRemoved = false;  ///< RFC 3/4 2023: removed load is propagated later
  bool skipUpdateCfsGroup = false;     ///< RFC 4/4 2023: fewer update_cfs_group() on en/dequeue_entity
  std::uint64_t tgLoadAvgRatelimitNs = 1'000'000;  ///< 1528c661c24b, v6.7; 0 = none
  bool decayedChecksContrib = true;                ///< cfs_rq_is_decayed() looks at tg_load_avg_contrib
  /// swqueue / shared_runq of 2023, never merged. V2Base queues as V1; V2 is the series with its last patch.
  enum class Wakequeue { Off, V1, V2Base, V2, V3, V4 } wakequeue = Wakequeue::Off;
  bool wakequeueShards = false;          ///< v2 6/6 and later: several queues for one cache
  bool wakequeueOnlyWhenNoIdle = false;  ///< mail variant on v1: queues a wakee that found no idle CPU
  bool wakequeueWalks = false;           ///< ... second: a pull takes the first task that may run there
  // --- signals
  bool utilEstSingle = true;          ///< 11137d384996: one ewma word, v6.8
  bool utilEstCapacityCheck = true;   ///< gone in v7.3
  bool postInitScaledWeight = false;  ///< before 72bffbf57c52: se.load.weight unscaled-down in post_init
  bool thermalInUsed = false;         ///< v6.1: thermal load counts in "used", not off the top
  bool cpuUtilBoost = true;           ///< runnable boost in cpu_util(), v6.5
  bool floorInFieldType = false;      ///< v7.3: sum floor evaluated in the field's own width
  bool sharesReweightAlways = false;  ///< v6.1: update_cfs_group reweights even when equal
  bool tgRunnableAvg = false;         ///< v7.3: tg->runnable_avg
  CgroupMode cgroupMode = CgroupMode::Smp;
  bool throttleFreezesWhenEmpty = false;  ///< v7.3
  bool offlineClearsTgLoad = true;        ///< f60a631ab9ed, v6.8: an offline CPU counts in no group
  bool runnableProduct64 = true;          ///< 4f166adb5cb0: runnable_avg * divider in 64 bits; before: u32
  // --- virtual time
  bool reweightKeepsLag = true;     ///< eab03c23c2a1, v6.7: a queued entity keeps lag and relative deadline
  bool forkPlacesAtEnqueue = true;  ///< c40dd90ac045, v6.12: nothing is charged on the parent's CPU at fork
  bool yieldForfeits = true;        ///< 79104becf42b: an eligible yielder gives up the rest of its request
  bool nextBuddyForShort = true;    ///< 8f97b627ff1c, v7.3: a shorter slice that preempts is the next buddy
  bool sliceProtection = true;      ///< 74eec63661d4 and its series, v6.17: protection up to vprot
  bool protectFromLag = true;       ///< 49f87b4d0be8: the protection that is renewed counts from min(v, V)
  bool protectWhenResched = true;  ///< 7ad0ec7890b3: a wakeup is looked at though a reschedule is due already
  bool shortEligible = true;       ///< ba0d3bf5f97b: a shorter wakee preempts as soon as it is eligible
  bool protectAlways = true;       ///< 7cd2ef17de5e: every wakeup that does not preempt renews the protection
  bool protectTillIneligible =
      true;  ///< 0d1e7a2bab35: with a shorter slice queued, only until lag is used up
  // --- placement
  bool clusterScan = true;             ///< cluster-aware select_idle_sibling, v6.7
  bool syncIgnoresDelayed = true;      ///< wake_affine sync test subtracts delayed tasks
  bool schedIdleForIdleWakee = true;   ///< v7.3: false
  bool asymIdleCapacitySmt = false;    ///< v7.3: SMT-aware select_idle_capacity with nr_idle_scan
  bool idleScanOwnedByDomain = false;  ///< v7.3: nr_idle_scan in sd->shared
  // --- balance
  bool shouldBalancePrefersIdleCore = true;  ///< b1bfeab9b002, v6.6
  bool siblingImbalance = true;              ///< 7ff1693236f5, v6.6: prefer_sibling from busiest group flags
  bool smtBalance = true;                    ///< fee1759e4f04, v6.6: group_smt_balance
  bool asymPackingIdleCore = true;           ///< v6.6 asym packing rules
  bool fullyBusyTieNonSmt = true;            ///< v6.6 tie rule in update_sd_pick_busiest
  bool loopMaxStopsWhenPinned = true;        ///< revert of b0defa7ae03e, v6.10 and stable
  bool misfitTieReplaces = false;            ///< v6.1: of equal misfit groups the later one is taken
  bool misfitFailureCounts = false;          ///< v6.1: migrate_misfit failures raise nr_balance_failed
  bool newidleStopsByContinue = true;        ///< c829d6818b60, v6.10
  bool nohzMisfitByRdMax = false;            ///< v6.1: rd->max_cpu_capacity test
  bool serializeInsidePass = false;          ///< 522fb20fbdbe, v6.19
  bool countsRunnableOnly = false;           ///< v7.3: h_nr_runnable in statistics
  bool misfitNeedsBiggerDst = false;         ///< v7.3 group_misfit_task_load rule
  bool refuseDelayedUnlessLoad = false;      ///< 61b82dfb6b7e, v6.14
  bool refuseIneligible = false;             ///< v7.3: while nr_balance_failed == 0
  bool activeNeedsCurrOnRq = false;          ///< cdd9e37ed46a
  bool intervalResetAlways = false;          ///< f2267ad5777f
  bool ilbPrefersIdleCore = false;           ///< v7.3
  bool throttledOnDstOnly = false;           ///< v7.3
  // --- topology
  // --- older behaviours that all three versions have left behind; on everywhere, off by a patch
  bool balanceRework = true;            ///< 0b0695f2b34a, v5.5: groups compare by what they lack, not by load
  bool forceBalanceWhenIdle = true;     ///< 583ffd99d765, v4.15: not only newly idle; before v5.5 only
  bool shouldBalanceOneAnswer = true;   ///< 6d7e4782bcf5, v6.7: an idle SMT CPU remembered ends the search
  bool loadImbalanceChecked = true;     ///< 91dcf1e8068e, v6.3: local at or above the domain average: nothing
  bool numaImbalanceByAffinity = true;  ///< f5b2eeb49991, v6.0: fork: at most the allowed CPUs of the group
  bool numaForkChecksImbalance = true;  ///< cb29a5c19d2d, v6.0: fork: small imbalances only, as balancing
  bool numaThresholdByLlc = true;  ///< e496132ebedd, v5.18: sd->imb_numa_nr; before: a quarter of the weight
  bool numaThresholdOfDst =
      true;  ///< 2cfb7a1b031b, v5.18: of the destination after the move; before v5.18: as found
  bool nohzNeedsUpdate = true;      ///< df100a6682d3, v5.16: entering idle asks for a new next_balance
  bool groupMinLoad = false;        ///< patch of 2016, never merged: smallest loads; before v5.5 only
  bool newidleCostBump = false;     ///< 155213a2aed4, v6.17 to v6.18: a pass in vain raises the cost by half
  bool kthreadWakesInPlace = true;  ///< 52262ee567ad, v5.6: a per-CPU kthread's wakee stays
  bool utilEstSkipsStarved = true;  ///< 50181c0cff31, v6.8: no decay while runnable exceeds util
  bool overlapGroupsInside = true;  ///< 585b6d2723dc, v5.13: groups of far nodes from a grandchild
  bool attachListsQueue = true;     ///< 0258bdfaff5b, v5.13: load attached to a sleeper's queue is decayed
  bool quotaNeverExpires = true;    ///< de53fd7aedb1, v5.4: before, a CPU's runtime ended with its period
  bool numaCpuNodesOnly = true;     ///< 0fb3978b0aac, v5.18: nodes without CPUs make no NUMA level
  bool hasCluster = true;           ///< SD_CLUSTER exists (v6.7)
  bool pkgNamedDie = false;         ///< v6.1 name
  bool clearChildPreferSibling = true;      ///< under asymmetric capacity; v7.3: false
  bool intervalsFromPartition = false;      ///< v7.3: W counts mask & partition
  bool hasOverlapFlag = true;               ///< v7.3: SD_NUMA stands for SD_OVERLAP
  bool degenerateUpdatesGroupFlags = true;  ///< v6.12
  bool sharedTopmostOnly = false;           ///< v7.3: only the topmost SHARE_LLC domain
  bool itmtOnPackage = true;                ///< x86 ASYM_PACKING at PKG, not SMT; v6.1: at SMT, not DIE
  bool hybridLacksCluster = false;          ///< v6.1: no CLS level on hybrid x86
  bool rebuildSeesDyingCpu = true;          ///< W counts the CPU being unplugged; v6.1 rebuilds later
  bool operator==(const Behaviours&) const = default;
};

/// A kernel version with its patches applied: data plus policies. A value.
struct KernelProfile {
  KernelVersion version = KernelVersion::V6_12;
  std::string name = "v6.12";
  QueueKind queue = QueueKind::Eevdf;
  SchedFeatures features;
  Tunables tunables;
  Behaviours behaviours;
  std::vector<std::string>
      patchesOn;  ///< names of patches whose state differs from the profile's default, "x=on"
  bool operator==(const KernelProfile&) const = default;
};

/// A named, documented delta on a profile.
struct PatchInfo {
  std::string_view name;
  std::string_view commit;   ///< kernel commits or mail it stands for
  std::string_view summary;  ///< one line
  unsigned versions = 7;     ///< where it makes sense: one bit per KernelVersion
};

/// Profile by name: "v6.1", "v6.12", "v7.3". Errors name the ones there are.
Result<KernelProfile> kernelProfile(std::string_view name);
std::vector<std::string_view> kernelProfileNames();

const std::vector<PatchInfo>& patches();
/// State of a patch in a profile. RQS_CHECK on an unknown name.
bool isPatchOn(const KernelProfile& profile, std::string_view name);
/// Whether the patch makes sense in that profile. RQS_CHECK on an unknown name.
bool hasPatch(const KernelProfile& profile, std::string_view name);
/// Names of the profiles in which the patch is on as delivered.
std::vector<std::string_view> profilesWithPatchOn(std::string_view name);
/// Switches a patch; an unknown name gives an error with a did-you-mean, a patch that the profile cannot have
/// one with the profiles that can.
Result<KernelProfile> withPatch(KernelProfile profile, std::string_view name, bool on);

/// Sets a sched feature by the kernel's name ("RUN_TO_PARITY" or "NO_RUN_TO_PARITY").
Result<KernelProfile> withFeature(KernelProfile profile, std::string_view name);
/// Kernel names of the features with their state, in the kernel's order.
std::vector<std::pair<std::string_view, bool>> featureStates(const KernelProfile& profile);

/// Nearest of `known` to `word` by edit distance, or empty when none is near.
std::string_view nearestName(std::string_view word, const std::vector<std::string_view>& known);

}  // namespace rqscope
