// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include <fmt/format.h>

#include "base/check.h"
#include "base/name_list.h"
#include "base/profile.h"

// The table of named patches, by what they are about. Commits that change no decision are no patches; they
// are listed with the reason in resources/help/patches.md.

namespace rqscope {
namespace {

/// How a patch reads and writes the parts of a profile that it stands for.
struct PatchRow {
  PatchInfo info;
  bool (*isOn)(const KernelProfile&);
  void (*set)(KernelProfile&, bool);
};

constexpr unsigned kV61 = 1;
constexpr unsigned kV612 = 2;
constexpr unsigned kV73 = 4;
constexpr unsigned kEevdfUp = kV612 | kV73;
constexpr unsigned kAll = kV61 | kEevdfUp;

unsigned versionBit(const KernelProfile& p) { return 1U << static_cast<unsigned>(p.version); }

template <bool Behaviours::*kField>
constexpr PatchRow flag(PatchInfo info) {
  return {info, [](const KernelProfile& p) { return p.behaviours.*kField; },
          [](KernelProfile& p, bool on) { p.behaviours.*kField = on; }};
}

/// A patch that ended the behaviour of that name.
template <bool Behaviours::*kField>
constexpr PatchRow ended(PatchInfo info) {
  return {info, [](const KernelProfile& p) { return !(p.behaviours.*kField); },
          [](KernelProfile& p, bool on) { p.behaviours.*kField = !on; }};
}

template <bool SchedFeatures::*kField>
constexpr PatchRow feature(PatchInfo info) {
  return {info, [](const KernelProfile& p) { return p.features.*kField; },
          [](KernelProfile& p, bool on) { p.features.*kField = on; }};
}

template <CgroupMode kMode>
constexpr PatchRow cgroupMode(PatchInfo info) {
  return {info, [](const KernelProfile& p) { return p.behaviours.cgroupMode == kMode; },
          [](KernelProfile& p, bool on) {
            if (!on && p.behaviours.cgroupMode != kMode) return;
            const CgroupMode own = p.version == KernelVersion::V7_3 ? CgroupMode::Concur : CgroupMode::Smp;
            p.behaviours.cgroupMode = on ? kMode : own == kMode ? CgroupMode::Smp : own;
            // The number of runnable tasks of a group is counted where a mode asks for it.
            p.behaviours.tgRunnableAvg = on || p.version == KernelVersion::V7_3;
          }};
}

void setEevdf(KernelProfile& p, bool on) {
  p.queue = on ? QueueKind::Eevdf : QueueKind::Cfs;
  SchedFeatures& f = p.features;
  f.gentleFairSleepers = f.startDebit = f.lastBuddy = f.altPeriod = f.baseSlice = !on;
  f.placeLag = f.placeDeadlineInitial = f.placeRelDeadline = f.runToParity = on;
  f.preemptShort = f.pickBuddy = f.delayDequeue = f.delayZero = on;
}

void setFlat(KernelProfile& p, bool on) {
  p.queue = on ? QueueKind::FlatEevdf : QueueKind::Eevdf;
  // Bandwidth goes with it: tasks are throttled one by one, or their group's queue as a whole.
  p.behaviours.throttleFreezesWhenEmpty = p.behaviours.throttledOnDstOnly = on;
}

using Wakequeue = Behaviours::Wakequeue;
constexpr unsigned kQueueBases = kV61 | kV612;  // the series were on CFS, the last on EEVDF

template <Wakequeue kVersion>
constexpr PatchRow sharedQueue(std::string_view name, std::string_view commit, std::string_view summary) {
  return {{name, commit, summary, kQueueBases},
          [](const KernelProfile& p) {
            return p.behaviours.wakequeue == kVersion && !p.behaviours.wakequeueOnlyWhenNoIdle;
          },
          [](KernelProfile& p, bool on) {
            p.behaviours.wakequeue = on ? kVersion : Wakequeue::Off;
            p.behaviours.wakequeueOnlyWhenNoIdle = p.behaviours.wakequeueWalks = false;
          }};
}

/// A variant of the mail thread: v1 with another rule for what is queued, and for what is pulled.
template <bool kWalks>
constexpr PatchRow mailVariant(std::string_view name, std::string_view commit, std::string_view summary) {
  return {{name, commit, summary, kQueueBases},
          [](const KernelProfile& p) {
            const Behaviours& b = p.behaviours;
            return b.wakequeue == Wakequeue::V1 && b.wakequeueOnlyWhenNoIdle && b.wakequeueWalks == kWalks;
          },
          [](KernelProfile& p, bool on) {
            p.behaviours.wakequeue = on ? Wakequeue::V1 : Wakequeue::Off;
            p.behaviours.wakequeueOnlyWhenNoIdle = on;
            p.behaviours.wakequeueWalks = on && kWalks;
          }};
}

std::vector<PatchRow> sharedQueueRows() {
  return {
      sharedQueue<Wakequeue::V1>("swqueue_v1", "RFC of 13 June 2023",
                                 "a wakee that stays in place also joins a queue of its cache; a CPU going "
                                 "idle takes the head"),
      mailVariant<false>("swqueue_ego1", "mail of 22 June 2023 on the RFC",
                         "swqueue_v1, but only a wakee that found no idle CPU joins the queue"),
      mailVariant<true>("swqueue_ego2", "mail of 26 June 2023 on the RFC",
                        "swqueue_ego1, and a CPU takes the first task of the queue that may run there"),
      sharedQueue<Wakequeue::V2Base>("shared_runq_v2_base", "v2 of 10 July 2023 without its last patch",
                                     "as swqueue_v1; newidle balance takes the head first, if allowed there"),
      sharedQueue<Wakequeue::V2>("shared_runq_v2", "v2 of 10 July 2023",
                                 "every waiting task joins the queue of its cache, not only a woken one"),
      sharedQueue<Wakequeue::V3>("shared_runq_v3", "v3 of 9 August 2023",
                                 "as v2; the queues are emptied and made anew with the domains"),
      sharedQueue<Wakequeue::V4>("shared_runq_v4", "v4 of 11 December 2023",
                                 "as v3, when its CPU has other tasks; newidle balance skips the cache"),
      flag<&Behaviours::wakequeueShards>(
          {"shared_runq_shards", "v2 6/6 of July 2023, v3, v4",
           "shared_runq: a queue for every six CPUs of a cache instead of one for all", kQueueBases}),
  };
}

std::vector<PatchRow> discussedRows() {
  return {
      flag<&Behaviours::migrateUtilShrBound>(
          {"migrate_util_shr_bound", "3af7524b1419",
           "detach_tasks() compares util >> nr_balance_failed with a migrate_util imbalance", kAll}),
      flag<&Behaviours::moveTaskEarlyBail>(
          {"sched_move_task_early_bail", "eff6c8ce8d4d, reverted by 76f970ce51c8",
           "sched_move_task() returns at once when the task's group does not change", kAll}),
      {{"tg_load_avg_ratelimit", "1528c661c24b",
        "tg->load_avg is written at most once a millisecond per cfs_rq", kAll},
       [](const KernelProfile& p) { return p.behaviours.tgLoadAvgRatelimitNs != 0; },
       [](KernelProfile& p, bool on) { p.behaviours.tgLoadAvgRatelimitNs = on ? 1'000'000 : 0; }},
      flag<&Behaviours::tgLoadAvgPerNode>(
          {"tg_load_avg_per_node", "RFC 2/4 of July 2023",
           "tg->load_avg is one word per NUMA node of the writing CPU; the same sum, another cost", kAll}),
      flag<&Behaviours::tgLoadAvgDelayRemoved>(
          {"tg_load_avg_delay_removed", "RFC 3/4 of July 2023",
           "the load of tasks that left by a wakeup elsewhere goes to the group at the next attach", kAll}),
      flag<&Behaviours::skipUpdateCfsGroup>(
          {"skip_update_cfs_group", "RFC 4/4 of July 2023",
           "a group's weight is not updated when it is dequeued, nor when it is enqueued alone", kAll}),
      flag<&Behaviours::decayedChecksContrib>(
          {"tg_decayed_checks_contrib", "mail of August 2025",
           "a cfs_rq leaves the leaf list only when the group's sum holds nothing of it", kAll}),
  };
}

std::vector<PatchRow> virtualTimeRows() {
  return {
      {{"eevdf", "147f3efaa241", "EEVDF picks by eligibility and deadline, instead of CFS by vruntime",
        kV61 | kV612},
       [](const KernelProfile& p) { return p.queue != QueueKind::Cfs; },
       setEevdf},
      {{"flat_queue", "85570f10a4c6",
        "the tasks of all groups stand in one tree per CPU, with weights of the hierarchy", kEevdfUp},
       [](const KernelProfile& p) { return p.queue == QueueKind::FlatEevdf; },
       setFlat},
      feature<&SchedFeatures::runToParity>({"run_to_parity", "63304558ba5d",
                                            "a task that was picked keeps the CPU until its request is done",
                                            kEevdfUp}),
      feature<&SchedFeatures::preemptShort>({"preempt_short", "85e511df3cec",
                                             "a wakee with a shorter slice may cancel the protection",
                                             kEevdfUp}),
      feature<&SchedFeatures::delayDequeue>(
          {"delayed_dequeue", "152e11f6df29",
           "a task that goes to sleep with negative lag stays queued until it is picked", kEevdfUp}),
      flag<&Behaviours::reweightKeepsLag>(
          {"reweight_keeps_lag", "eab03c23c2a1",
           "a change of weight keeps a queued entity's lag and scales its vruntime", kV612}),
      flag<&Behaviours::forkPlacesAtEnqueue>(
          {"fork_places_at_enqueue", "c40dd90ac045",
           "a new task is placed at its first enqueue only; fork does not charge the parent", kEevdfUp}),
      flag<&Behaviours::yieldForfeits>(
          {"yield_forfeits", "79104becf42b",
           "sched_yield() of an eligible task gives up the request instead of moving the deadline",
           kEevdfUp}),
      {{"base_slice_700us", "2ae891b82695", "base slice of 0.70 ms before scaling, instead of 0.75 ms",
        kEevdfUp},
       [](const KernelProfile& p) { return p.tunables.baseSliceNs == 700'000; },
       [](KernelProfile& p, bool on) { p.tunables.baseSliceNs = on ? 700'000 : 750'000; }},
      flag<&Behaviours::nextBuddyForShort>(
          {"next_buddy_for_short", "8f97b627ff1c",
           "a wakee with a shorter slice that preempts is marked as the next to run", kV73}),
      flag<&Behaviours::sliceProtection>(
          {"slice_protection", "74eec63661d4, 9de74a9850b9, 052c3d87c82e, 0b9ca2dcabc3",
           "protection ends at vprot, given by the shortest slice queued, instead of at the deadline", kV73}),
      flag<&Behaviours::protectFromLag>(
          {"protect_from_lag", "49f87b4d0be8",
           "protection renewed at a wakeup counts from the queue's average when that is behind the task",
           kV73}),
      flag<&Behaviours::protectWhenResched>(
          {"protect_when_resched", "7ad0ec7890b3",
           "a wakeup renews the protection, or takes it away, though a reschedule is due already", kV73}),
      flag<&Behaviours::shortEligible>(
          {"short_slice_eligible", "ba0d3bf5f97b",
           "a wakee with a shorter slice preempts when it is eligible, even if another would be picked",
           kV73}),
      flag<&Behaviours::protectAlways>(
          {"protect_always", "7cd2ef17de5e",
           "wakeups of idle, batch, delayed and forked tasks renew the protection as well", kV73}),
      flag<&Behaviours::protectTillIneligible>({"protect_till_ineligible", "0d1e7a2bab35",
                                                "with a shorter slice queued a picked task is protected "
                                                "until it has no lag left, not for that slice",
                                                kV73}),
  };
}

std::vector<PatchRow> signalRows() {
  return {
      flag<&Behaviours::utilEstSingle>({"util_est_single", "11137d384996, 7736ae5572eb",
                                        "util_est is one average that rises at once, instead of a pair",
                                        kAll}),
      flag<&Behaviours::utilEstSkipsStarved>(
          {"util_est_skip_starved", "50181c0cff31",
           "util_est is not lowered while the task waited for its CPU (runnable above util)", kAll}),
      ended<&Behaviours::postInitScaledWeight>(
          {"post_init_se_weight", "72bffbf57c52",
           "a new task's utilisation follows the weight, not 1024 times it", kAll}),
      flag<&Behaviours::offlineClearsTgLoad>(
          {"offline_clears_tg_load", "f60a631ab9ed",
           "a CPU that goes offline takes its part out of every group's load", kAll}),
      flag<&Behaviours::runnableProduct64>(
          {"runnable_product_64", "4f166adb5cb0",
           "runnable_avg times the divider is taken in 64 bits when a group's change propagates", kAll}),
      flag<&Behaviours::attachListsQueue>(
          {"attach_lists_queue", "0258bdfaff5b",
           "a group's queue that a sleeping task joins is decayed: it goes on the leaf list", kAll}),
      cgroupMode<CgroupMode::Up>({"cgroup_mode_up", "80ad6d3338eb, 4161cb2d867b",
                                  "a group weighs its full shares on each CPU", kAll}),
      cgroupMode<CgroupMode::Max>({"cgroup_mode_max", "90ac22ffef48, 4161cb2d867b",
                                   "a group's shares are multiplied by the number of its CPUs", kAll}),
      cgroupMode<CgroupMode::Concur>({"cgroup_mode_concur", "5c0b58bd1c9f, fb1050ac8e40, 4161cb2d867b",
                                      "a group's shares are multiplied by its runnable tasks, up to its CPUs",
                                      kAll}),
      cgroupMode<CgroupMode::Tasks>({"cgroup_mode_tasks", "507f910a4e1f, 4161cb2d867b",
                                     "a group's shares are multiplied by its runnable tasks", kAll}),
  };
}

std::vector<PatchRow> bandwidthRows() {
  return {flag<&Behaviours::quotaNeverExpires>(
      {"quota_never_expires", "de53fd7aedb1",
       "runtime that a CPU took from its group's pool outlives the period", kAll})};
}

std::vector<PatchRow> placementRows() {
  return {
      flag<&Behaviours::numaImbalanceByAffinity>(
          {"numa_imbalance_affinity", "f5b2eeb49991",
           "fork placement allows no greater NUMA imbalance than the task has CPUs in the local group",
           kAll}),
      flag<&Behaviours::numaForkChecksImbalance>(
          {"numa_fork_checks_imbalance", "cb29a5c19d2d",
           "fork placement stays only at small differences of idle CPUs, as balancing does", kAll}),
      flag<&Behaviours::numaThresholdByLlc>(
          {"numa_threshold_by_llc", "e496132ebedd",
           "the NUMA imbalance allowed follows the caches of a node, not a quarter of its CPUs", kAll}),
      flag<&Behaviours::numaThresholdOfDst>(
          {"numa_threshold_of_dst", "2cfb7a1b031b",
           "the quarter is of the destination's CPUs after the move, not of the domain's before it", kAll}),
      flag<&Behaviours::kthreadWakesInPlace>({"kthread_wakes_in_place", "52262ee567ad",
                                              "a task that the kthread of its own CPU wakes stays there",
                                              kAll}),
      {{"cluster_scan", "8881e1639f1f", "a wakeup scans the target's cluster before the rest of the cache",
        kAll},
       [](const KernelProfile& p) { return p.behaviours.clusterScan; },
       [](KernelProfile& p, bool on) {
         p.behaviours.clusterScan = on;
         p.behaviours.hasCluster = on || p.version != KernelVersion::V6_1;
       }},
      flag<&Behaviours::syncIgnoresDelayed>(
          {"sync_ignores_delayed", "aa3ee4f0b754",
           "a sync wakeup takes the waker's CPU as free when only delayed tasks stand beside it", kEevdfUp}),
  };
}

std::vector<PatchRow> passRows() {
  return {
      flag<&Behaviours::shouldBalancePrefersIdleCore>(
          {"should_balance_idle_core", "b1bfeab9b002",
           "should_we_balance() prefers the first CPU of an idle core to a busy core's idle thread", kAll}),
      flag<&Behaviours::shouldBalanceOneAnswer>(
          {"should_balance_one_answer", "6d7e4782bcf5",
           "without an idle core only the first idle thread balances, not the group's first CPU as well",
           kAll}),
      flag<&Behaviours::siblingImbalance>(
          {"sibling_imbalance", "7ff1693236f5",
           "prefer_sibling is read from the busiest group, and groups compare by tasks per core", kAll}),
      flag<&Behaviours::smtBalance>(
          {"smt_balance", "fee1759e4f04",
           "an idle CPU may take a task from a core with two busy threads (group_smt_balance)", kAll}),
      flag<&Behaviours::balanceRework>(
          {"balance_rework", "0b0695f2b34a",
           "groups compare by type: tasks, utilisation or load is moved; before: average loads only", kAll}),
      flag<&Behaviours::forceBalanceWhenIdle>(
          {"force_balance_when_idle", "583ffd99d765",
           "with balance_rework off: an idle CPU, not only a newly idle one, pulls from an overloaded group "
           "though its own has the higher average",
           kAll}),
      flag<&Behaviours::groupMinLoad>(
          {"group_imbalance_min_load", "paper of April 2016, group_imbalance.patch",
           "with balance_rework off: groups compare by the smallest load of their CPUs, not by the average",
           kAll}),
      flag<&Behaviours::loadImbalanceChecked>(
          {"load_imbalance_checked", "91dcf1e8068e",
           "calculate_imbalance() moves nothing to a group at or above the domain's average load", kAll}),
      flag<&Behaviours::loopMaxStopsWhenPinned>(
          {"detach_loop_max_stops", "2feab2492deb, revert of b0defa7ae03e",
           "detach_tasks() stops at loop_max even when every task so far was pinned", kAll}),
      flag<&Behaviours::refuseDelayedUnlessLoad>(
          {"refuse_delayed_migration", "61b82dfb6b7e",
           "a task in delayed dequeue moves only when load is balanced", kEevdfUp}),
      flag<&Behaviours::activeNeedsCurrOnRq>(
          {"active_balance_needs_curr", "cdd9e37ed46a",
           "no active balance while the source's running task is about to leave its queue", kAll}),
      flag<&Behaviours::intervalResetAlways>({"interval_reset_always", "f2267ad5777f",
                                              "the balance interval is reset after an active balance as well",
                                              kAll}),
      flag<&Behaviours::serializeInsidePass>(
          {"serialize_inside_pass", "522fb20fbdbe",
           "NUMA passes serialise after should_we_balance(), newidle passes too", kAll}),
      flag<&Behaviours::nohzNeedsUpdate>(
          {"nohz_needs_update", "df100a6682d3",
           "a CPU that stops its tick asks for a new earliest next_balance at the next kick", kAll}),
      feature<&SchedFeatures::niRandom>(
          {"newidle_ratio", "33cf66d88306",
           "a newidle pass runs with the probability of its success so far (NI_RANDOM)", kAll}),
      flag<&Behaviours::newidleCostBump>({"newidle_cost_bump", "155213a2aed4, reverted by d206fbad9328",
                                          "a newidle pass that pulls nothing raises the domain's cost by "
                                          "half, up to migration cost + 200 ns",
                                          kAll}),
  };
}

std::vector<PatchRow> topologyRows() {
  return {
      flag<&Behaviours::overlapGroupsInside>({"overlap_groups_inside", "585b6d2723dc",
                                              "groups of an overlapping NUMA domain do not reach outside it",
                                              kAll}),
      flag<&Behaviours::numaCpuNodesOnly>({"numa_cpu_nodes_only", "0fb3978b0aac",
                                           "only nodes with CPUs count for NUMA levels and type", kAll}),
  };
}

const std::vector<PatchRow>& patchRows() {
  static const std::vector<PatchRow> rows = [] {
    std::vector<PatchRow> all;
    for (auto&& part : {discussedRows(), sharedQueueRows(), virtualTimeRows(), signalRows(), bandwidthRows(),
                        placementRows(), passRows(), topologyRows()})
      all.insert(all.end(), part.begin(), part.end());
    return all;
  }();
  return rows;
}

const PatchRow& rowOf(std::string_view name) {
  const auto& rows = patchRows();
  const auto at =
      std::find_if(rows.begin(), rows.end(), [&](const PatchRow& r) { return r.info.name == name; });
  RQS_CHECK(at != rows.end(), "a patch that is in no table");
  return *at;
}

}  // namespace

const std::vector<PatchInfo>& patches() {
  static const std::vector<PatchInfo> infos = [] {
    std::vector<PatchInfo> out;
    for (const auto& row : patchRows()) out.push_back(row.info);
    return out;
  }();
  return infos;
}

bool isPatchOn(const KernelProfile& profile, std::string_view name) {
  const PatchRow& row = rowOf(name);
  return (row.info.versions & versionBit(profile)) != 0 && row.isOn(profile);
}

bool hasPatch(const KernelProfile& profile, std::string_view name) {
  return (rowOf(name).info.versions & versionBit(profile)) != 0;
}

std::vector<std::string_view> profilesWithPatchOn(std::string_view name) {
  std::vector<std::string_view> out;
  for (const std::string_view profile : kernelProfileNames())
    if (isPatchOn(kernelProfile(profile).value(), name)) out.push_back(profile);
  return out;
}

Result<KernelProfile> withPatch(KernelProfile profile, std::string_view name, bool on) {
  std::vector<std::string_view> known;
  for (const auto& row : patchRows()) {
    known.push_back(row.info.name);
    if (row.info.name != name) continue;
    if ((row.info.versions & versionBit(profile)) == 0) {
      std::vector<std::string_view> fitting;
      for (const std::string_view other : kernelProfileNames())
        if (hasPatch(kernelProfile(other).value(), name)) fitting.push_back(other);
      return Diagnostic{Severity::Error,
                        {},
                        fmt::format("the patch {} makes no sense in {}", name, profile.name),
                        fmt::format("it is for {}", fmt::join(fitting, " and "))};
    }
    if (row.isOn(profile) != on) {
      row.set(profile, on);
      profile.patchesOn.push_back(fmt::format("{}={}", name, on ? "on" : "off"));
    }
    return profile;
  }
  return Diagnostic{Severity::Error,
                    {},
                    fmt::format("there is no patch \"{}\"", name),
                    nameHint(name, known, "the patches are")};
}

}  // namespace rqscope
