// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "api/ladder_keys.h"

#include <array>

namespace rqscope::api {
namespace {

/// Key of an enumerator by its number; the tables stand in the enumerators' order.
template <class Enum, std::size_t N>
const char* keyAt(const std::array<const char*, N>& keys, Enum value) {
  return keys[static_cast<std::size_t>(value)];
}

}  // namespace

const char* keyOf(GroupType value) {
  static constexpr std::array kKeys = {"has_spare",    "fully_busy", "misfit_task", "smt_balance",
                                       "asym_packing", "imbalanced", "llc_balance", "overloaded"};
  static_assert(kKeys.size() == static_cast<std::size_t>(GroupType::Overloaded) + 1);
  return keyAt(kKeys, value);
}

const char* keyOf(BalanceEntry value) {
  static constexpr std::array kKeys = {"tick", "nohz", "newidle", "active"};
  static_assert(kKeys.size() == static_cast<std::size_t>(BalanceEntry::ActiveStopper) + 1);
  return keyAt(kKeys, value);
}

const char* keyOf(CpuIdleType value) {
  static constexpr std::array kKeys = {"not_idle", "idle", "newly_idle"};
  static_assert(kKeys.size() == static_cast<std::size_t>(CpuIdleType::NewlyIdle) + 1);
  return keyAt(kKeys, value);
}

const char* keyOf(MigrationType value) {
  static constexpr std::array kKeys = {"migrate_load", "migrate_util", "migrate_task", "migrate_misfit",
                                       "migrate_llc_task"};
  static_assert(kKeys.size() == static_cast<std::size_t>(MigrationType::LlcTask) + 1);
  return keyAt(kKeys, value);
}

const char* keyOf(FindSrcGroupWhy value) {
  static constexpr std::array kKeys = {"no_busiest",
                                       "energy_aware",
                                       "local_type_greater",
                                       "local_load_ge_busiest",
                                       "local_load_ge_avg",
                                       "within_imbalance_pct",
                                       "dst_not_idle",
                                       "idle_cpus_balanced",
                                       "busiest_one_task",
                                       "local_min_load_ge_busiest",
                                       "misfit",
                                       "asym_packing",
                                       "imbalanced",
                                       "prefer_sibling",
                                       "smt_balance",
                                       "llc_balance",
                                       "idle_beside_overloaded",
                                       "min_load_less",
                                       "go"};
  static_assert(kKeys.size() == static_cast<std::size_t>(FindSrcGroupWhy::Compare) + 1);
  return keyAt(kKeys, value);
}

const char* keyOf(ImbalanceRule value) {
  static constexpr std::array kKeys = {"none",
                                       "misfit",
                                       "misfit_reduced_capacity",
                                       "asym_packing",
                                       "smt_balance",
                                       "llc_balance",
                                       "imbalanced_one_task",
                                       "spare_util",
                                       "spare_util_one_task",
                                       "spare_tasks_sibling",
                                       "spare_tasks_cores",
                                       "sibling_not_idle",
                                       "numa_imbalance_allowed",
                                       "spare_tasks_idle_cpus",
                                       "load_local_above_busiest",
                                       "load_local_above_avg",
                                       "load_formula",
                                       "average_load",
                                       "small_one_task",
                                       "small_more_capacity",
                                       "small_nothing",
                                       "average_packing_load",
                                       "min_load_half"};
  static_assert(kKeys.size() == static_cast<std::size_t>(ImbalanceRule::MinLoadHalf) + 1);
  return keyAt(kKeys, value);
}

const char* keyOf(BalanceGroup::Pick value) {
  static constexpr std::array kKeys = {"local",         "picked",      "no_tasks", "misfit_cannot_help",
                                       "dst_too_small", "lesser_type", "loses_tie"};
  static_assert(kKeys.size() == static_cast<std::size_t>(BalanceGroup::Pick::LosesTie) + 1);
  return keyAt(kKeys, value);
}

const char* keyOf(BalanceQueue::Verdict value) {
  static constexpr std::array kKeys = {"chosen",         "passed",        "fbq_type",          "no_tasks",
                                       "asym_lone_task", "asym_priority", "load_too_big_lone", "one_task",
                                       "not_larger"};
  static_assert(kKeys.size() == static_cast<std::size_t>(BalanceQueue::Verdict::NotLarger) + 1);
  return keyAt(kKeys, value);
}

const char* keyOf(BalanceCandidate::Verdict value) {
  static constexpr std::array kKeys = {
      "detached", "throttled",     "delayed_task", "ineligible",   "per_cpu_kthread", "affinity",   "running",
      "hot",      "llc_forbidden", "load_min",     "load_too_big", "util_too_big",    "fits_source"};
  static_assert(kKeys.size() == static_cast<std::size_t>(BalanceCandidate::Verdict::FitsSource) + 1);
  return keyAt(kKeys, value);
}

const char* keyOf(DetachStop value) {
  static constexpr std::array kKeys = {"not_tried", "list_end",   "imbalance_done", "dst_idle_source_one",
                                       "loop_max",  "loop_break", "newidle_one"};
  static_assert(kKeys.size() == static_cast<std::size_t>(DetachStop::NewidleOne) + 1);
  return keyAt(kKeys, value);
}

const char* keyOf(BalanceRound::BalanceCpuRule value) {
  static constexpr std::array kKeys = {"newly_idle", "not_in_mask",       "first_idle_core", "first_idle_smt",
                                       "first_idle", "group_balance_cpu", "has_work"};
  static_assert(kKeys.size() == static_cast<std::size_t>(BalanceRound::BalanceCpuRule::HasWork) + 1);
  return keyAt(kKeys, value);
}

const char* keyOf(BalancePass::ActiveReason value) {
  static constexpr std::array kKeys = {"no",     "asym_packing", "imbalanced_active", "reduced_capacity",
                                       "misfit", "llc_task"};
  static_assert(kKeys.size() == static_cast<std::size_t>(BalancePass::ActiveReason::LlcTask) + 1);
  return keyAt(kKeys, value);
}

const char* keyOf(PassEnd value) {
  static constexpr std::array kKeys = {"moved",        "not_this_cpu",   "serialized_out",  "balanced",
                                       "no_imbalance", "no_queue",       "source_one_task", "none_detached",
                                       "all_pinned",   "active_started", "nothing_to_push"};
  static_assert(kKeys.size() == static_cast<std::size_t>(PassEnd::NothingToPush) + 1);
  return keyAt(kKeys, value);
}

const char* keyOf(NewidleSkip::Reason value) {
  static constexpr std::array kKeys = {"not_overloaded", "avg_idle_below_cost", "dice",
                                       "offline",        "no_domain",           "wakeup_pending"};
  static_assert(kKeys.size() == static_cast<std::size_t>(NewidleSkip::Reason::WakeupPending) + 1);
  return keyAt(kKeys, value);
}

const char* keyOf(PlacementKind value) {
  static constexpr std::array kKeys = {"wakeup", "fork", "exec"};
  static_assert(kKeys.size() == static_cast<std::size_t>(PlacementKind::Exec) + 1);
  return keyAt(kKeys, value);
}

const char* keyOf(PlacementStep value) {
  static constexpr std::array kKeys = {
      "only_one_cpu", "wake_current_cpu", "by_energy",           "slow_path",     "prev_kept",
      "target_idle",  "prev_idle",        "kthread_prev",        "recent_idle",   "asym_capacity",
      "no_llc",       "idle_smt_of_prev", "idle_core",           "idle_cpu_scan", "prev_aside",
      "recent_aside", "target_fallback",  "not_allowed_fallback"};
  static_assert(kKeys.size() == static_cast<std::size_t>(PlacementStep::NotAllowedFallback) + 1);
  return keyAt(kKeys, value);
}

const char* keyOf(WakeAffineReason value) {
  static constexpr std::array kKeys = {"not_tried", "prev_same",       "this_idle",   "prev_idle_too",
                                       "sync",      "prev_cache_idle", "weight_this", "undecided"};
  static_assert(kKeys.size() == static_cast<std::size_t>(WakeAffineReason::Undecided) + 1);
  return keyAt(kKeys, value);
}

const char* keyOf(PlacementCpu::Verdict value) {
  static constexpr std::array kKeys = {"chosen",       "not_idle",   "not_allowed",
                                       "does_not_fit", "other_llc",  "same_as_other",
                                       "busy_sibling", "scan_limit", "less_good"};
  static_assert(kKeys.size() == static_cast<std::size_t>(PlacementCpu::Verdict::LessGood) + 1);
  return keyAt(kKeys, value);
}

const char* keyOf(EnergyCandidate::Verdict value) {
  static constexpr std::array kKeys = {"chosen",     "not_allowed",      "does_not_fit", "less_room",
                                       "fits_worse", "smaller_capacity", "more_energy",  "racing"};
  static_assert(kKeys.size() == static_cast<std::size_t>(EnergyCandidate::Verdict::Racing) + 1);
  return keyAt(kKeys, value);
}

const char* keyOf(EnergyChoice::Why value) {
  static constexpr std::array kKeys = {"not_tried",   "overutilized", "no_domain",
                                       "no_util",     "racing",       "prev_stays",
                                       "less_energy", "fits_better",  "larger_capacity"};
  static_assert(kKeys.size() == static_cast<std::size_t>(EnergyChoice::Why::LargerCapacity) + 1);
  return keyAt(kKeys, value);
}

const char* keyOf(PlacementLevel::Why value) {
  static constexpr std::array kKeys = {
      "no_idlest", "no_local",       "local_type_less", "local_type_greater", "load_numa",      "load_within",
      "load_less", "same_type_stay", "misfit_capacity", "numa_preferred",     "numa_imbalance", "idle_cpus",
      "go"};
  static_assert(kKeys.size() == static_cast<std::size_t>(PlacementLevel::Why::Go) + 1);
  return keyAt(kKeys, value);
}

const char* keyOf(MigrationReason value) {
  static constexpr std::array kKeys = {"wakeup",         "fork",     "exec",    "load_balance",
                                       "active_balance", "affinity", "hotplug", "wakequeue"};
  static_assert(kKeys.size() == static_cast<std::size_t>(MigrationReason::Wakequeue) + 1);
  return keyAt(kKeys, value);
}

const char* nameOf(KernelFunction function, KernelVersion version) {
  struct Names {
    const char* now;
    const char* v61;
  };
  static constexpr std::array<Names, 17> kNames = {{
      {"sched_balance_trigger", "trigger_load_balance"},
      {"nohz_balancer_kick", "nohz_balancer_kick"},
      {"sched_balance_newidle", "newidle_balance"},
      {"active_load_balance_cpu_stop", "active_load_balance_cpu_stop"},
      {"sched_balance_domains", "rebalance_domains"},
      {"should_we_balance", "should_we_balance"},
      {"update_sg_lb_stats", "update_sg_lb_stats"},
      {"update_sd_pick_busiest", "update_sd_pick_busiest"},
      {"sched_balance_find_src_group", "find_busiest_group"},
      {"calculate_imbalance", "calculate_imbalance"},
      {"sched_balance_find_src_rq", "find_busiest_queue"},
      {"detach_tasks", "detach_tasks"},
      {"need_active_balance", "need_active_balance"},
      {"sched_balance_rq", "load_balance"},
      {"sched_balance_find_dst_group", "find_idlest_group"},
      {"sched_balance_find_dst_group_cpu", "find_idlest_group_cpu"},
      {"fix_small_imbalance", "fix_small_imbalance"},
  }};
  const Names& names = kNames[static_cast<std::size_t>(function)];
  return version == KernelVersion::V6_1 ? names.v61 : names.now;
}

const char* passFunction(KernelFunction function, const KernelProfile& profile) {
  return nameOf(function, profile.behaviours.balanceRework ? profile.version : KernelVersion::V6_1);
}

std::string groupLabel(const CpuMask& span) { return "{" + span.list() + "}"; }

}  // namespace rqscope::api
