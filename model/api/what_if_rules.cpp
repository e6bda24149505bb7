// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "api/what_if_rules.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace rqscope::api {
namespace {

using Stage = ChangeStage;

constexpr std::int64_t kMany =
    1'000'000'000'000;  ///< keeps every product of the kernel's formulas in 64 bits
constexpr std::int64_t kMost32 = 2'000'000'000;
constexpr std::int64_t kMostCpu = 65535;

constexpr std::array kRules = std::to_array<ChangeRule>({
    {"entry", "idle", false, Stage::Begin, 0, 2},
    {"entry", "prev_cpu", false, Stage::Begin, 0, kMostCpu},
    {"entry", "this_cpu", false, Stage::Begin, 0, kMostCpu},
    {"entry", "dst_cpu", false, Stage::Begin, 0, kMostCpu},
    {"domain_due", "balance_interval", false, Stage::Gate, 1, kMost32},
    {"domain_due", "jiffies", false, Stage::Gate, 0, kMany},
    {"newidle_cost", "avg_idle", false, Stage::Gate, 0, kMany},
    {"newidle_cost", "curr_cost + max_newidle_lb_cost", false, Stage::Gate, 0, kMany},
    {"should_we_balance", "idle_cpu", true, Stage::Round, 0, 1},
    {"should_we_balance", "nr_running", true, Stage::Round, 0, kMostCpu},
    {"should_we_balance", "ttwu_pending", true, Stage::Round, 0, 1},
    {"group_statistics", "imbalance_pct", false, Stage::Begin, 100, 10000},
    {"group_statistics", "sum_nr_running", true, Stage::GroupSums, 0, kMostCpu},
    {"group_statistics", "idle_cpus", true, Stage::GroupSums, 0, kMostCpu},
    {"group_statistics", "group_util", true, Stage::GroupSums, 0, kMost32},
    {"group_statistics", "group_runnable", true, Stage::GroupSums, 0, kMost32},
    {"group_statistics", "group_load", true, Stage::GroupSums, 0, kMost32},
    {"group_statistics", "group_capacity", true, Stage::GroupSums, 1, kMost32},
    {"group_statistics", "group_weight", true, Stage::GroupSums, 1, kMostCpu},
    {"group_statistics", "group_misfit_task_load", true, Stage::GroupSums, 0, kMost32},
    {"group_statistics", "min_load", true, Stage::GroupSums, 0, kMost32},
    {"group_statistics", "max_load", true, Stage::GroupSums, 0, kMost32},
    {"group_statistics", "avg_load", true, Stage::GroupType, 0, kMost32},
    {"group_statistics", "group_type", true, Stage::GroupType, 0, 7},
    // The busiest is picked by the type that is there: what is changed here does not classify anew.
    {"busiest_group", "sum_nr_running", true, Stage::GroupType, 0, kMostCpu},
    {"busiest_group", "idle_cpus", true, Stage::GroupType, 0, kMostCpu},
    {"busiest_group", "group_util", true, Stage::GroupType, 0, kMost32},
    {"busiest_group", "group_runnable", true, Stage::GroupType, 0, kMost32},
    {"busiest_group", "group_load", true, Stage::GroupType, 0, kMost32},
    {"busiest_group", "group_capacity", true, Stage::GroupType, 1, kMost32},
    {"busiest_group", "group_misfit_task_load", true, Stage::GroupType, 0, kMost32},
    {"busiest_group", "min_load", true, Stage::GroupType, 0, kMost32},
    {"busiest_group", "max_load", true, Stage::GroupType, 0, kMost32},
    {"busiest_group", "avg_load", true, Stage::GroupType, 0, kMost32},
    {"busiest_group", "group_type", true, Stage::GroupType, 0, 7},
    {"worth_balancing", "overutilized", false, Stage::FindSrcGroup, 0, 1},
    {"worth_balancing", "idle", false, Stage::FindSrcGroup, 0, 2},
    {"worth_balancing", "imbalance_pct", false, Stage::Begin, 100, 10000},
    {"worth_balancing", "idle_cpus", false, Stage::FindSrcGroup, 0, kMostCpu},
    {"worth_balancing", "sum_h_nr_running", false, Stage::FindSrcGroup, 0, kMostCpu},
    {"worth_balancing", "sum_nr_running", false, Stage::FindSrcGroup, 0, kMostCpu},
    {"worth_balancing", "avg_load", false, Stage::FindSrcGroup, 0, kMost32},
    {"worth_balancing", "min_load", false, Stage::FindSrcGroup, 0, kMost32},
    {"worth_balancing", "group_weight", false, Stage::FindSrcGroup, 1, kMostCpu},
    {"worth_balancing", "group_type", false, Stage::FindSrcGroup, 0, 7},
    {"worth_balancing", "prefer_sibling", false, Stage::FindSrcGroup, 0, 1},
    {"imbalance", "migration_type", false, Stage::Imbalance, 0, 4},
    {"imbalance", "imbalance", false, Stage::Imbalance, 0, kMany},
    {"imbalance", "group_capacity", false, Stage::CalculateImbalance, 1, kMost32},
    {"imbalance", "group_util", false, Stage::CalculateImbalance, 0, kMost32},
    {"imbalance", "sum_nr_running", false, Stage::CalculateImbalance, 0, kMostCpu},
    {"imbalance", "idle_cpus", false, Stage::CalculateImbalance, 0, kMostCpu},
    {"imbalance", "avg_load", false, Stage::CalculateImbalance, 0, kMost32},
    {"imbalance", "group_load", false, Stage::CalculateImbalance, 0, kMost32},
    {"imbalance", "max_load", false, Stage::CalculateImbalance, 0, kMost32},
    {"imbalance", "group_misfit_task_load", false, Stage::CalculateImbalance, 0, kMost32},
    {"source_queue", "nr_running", true, Stage::FindSrcRq, 0, kMostCpu},
    {"source_queue", "load", true, Stage::FindSrcRq, 0, kMost32},
    {"source_queue", "util", true, Stage::FindSrcRq, 0, 1024},
    {"source_queue", "misfit_task_load", true, Stage::FindSrcRq, 0, kMost32},
    {"source_queue", "capacity", true, Stage::FindSrcRq, 1, 1024},
    {"candidate", "nr_balance_failed", false, Stage::Candidate, 0, kMost32},
    {"candidate", "loop_max", false, Stage::DetachTasks, 1, kMostCpu},
    {"candidate", "since_exec_start", false, Stage::Candidate, 0, kMany},
    {"candidate", "load", false, Stage::Candidate, 0, kMost32},
    {"candidate", "util", false, Stage::Candidate, 0, 1024},
    {"candidate", "imbalance", false, Stage::Candidate, 0, kMany},
    {"candidate", "allowed", false, Stage::Candidate, 0, 1},
    {"candidate", "on_cpu", false, Stage::Candidate, 0, 1},
    {"candidate", "throttled", false, Stage::Candidate, 0, 1},
    {"candidate", "sched_delayed", false, Stage::Candidate, 0, 1},
    {"candidate", "eligible", false, Stage::Candidate, 0, 1},
    {"candidate", "kthread_is_per_cpu", false, Stage::Candidate, 0, 1},
    {"candidate", "keeps_llc", false, Stage::Candidate, 0, 1},
    {"candidate", "fits_source", false, Stage::Candidate, 0, 1},
    {"candidate", "migration_cost", false, Stage::Begin, 0, kMany},
    {"candidate", "cache_nice_tries", false, Stage::Begin, 0, kMostCpu},
    {"active_balance", "nr_balance_failed", false, Stage::NeedActiveBalance, 0, kMost32},
    {"active_balance", "cache_nice_tries + 2", false, Stage::Begin, 2, kMostCpu},
    {"active_balance", "migration_type", false, Stage::NeedActiveBalance, 0, 4},
    {"wake_wide", "waker flips", false, Stage::WakeWide, 0, kMostCpu},
    {"wake_wide", "wakee flips", false, Stage::WakeWide, 0, kMostCpu},
    {"wake_wide", "sd_llc_size", false, Stage::WakeWide, 1, kMostCpu},
    {"energy", "prev_cpu", false, Stage::Begin, 0, kMostCpu},
    {"energy", "overutilized", false, Stage::Begin, 0, 1},
    {"energy", "task_busy_time", false, Stage::Energy, 0, 1024},
    {"energy", "util", true, Stage::Energy, 0, 1024},
    {"energy", "capacity_of", true, Stage::Energy, 1, 1024},
    {"energy", "energy", true, Stage::Energy, 0, kMany},
    {"energy", "base_energy", true, Stage::Energy, 0, kMany},
    {"wake_affine", "this_cpu idle", false, Stage::WakeAffine, 0, 1},
    {"wake_affine", "prev_cpu idle", false, Stage::WakeAffine, 0, 1},
    {"wake_affine", "sync", false, Stage::Begin, 0, 1},
    {"wake_affine", "target", false, Stage::IdleSibling, 0, kMostCpu},
    {"wake_affine", "this_eff_load", false, Stage::EffectiveLoads, 0, INT64_MAX},
    {"wake_affine", "prev_eff_load", false, Stage::EffectiveLoads, 0, INT64_MAX},
    {"idle_sibling", "target", false, Stage::IdleSibling, 0, kMostCpu},
    {"idle_sibling", "has_idle_cores", false, Stage::IdleSibling, 0, 1},
    {"idle_sibling", "nr_idle_scan", false, Stage::IdleSibling, 0, kMostCpu},
    {"idle_sibling", "idle_cpu", true, Stage::IdleSibling, 0, 1},
    {"idle_sibling", "capacity", true, Stage::IdleSibling, 1, 1024},
    {"dst_group", "sum_nr_running", true, Stage::DstGroupSums, 0, kMostCpu},
    {"dst_group", "idle_cpus", true, Stage::DstGroupSums, 0, kMostCpu},
    {"dst_group", "group_util", true, Stage::DstGroupSums, 0, kMost32},
    {"dst_group", "group_runnable", true, Stage::DstGroupSums, 0, kMost32},
    {"dst_group", "group_load", true, Stage::DstGroupSums, 0, kMost32},
    {"dst_group", "group_capacity", true, Stage::DstGroupSums, 1, kMost32},
    {"dst_group", "group_weight", true, Stage::DstGroupSums, 1, kMostCpu},
    {"dst_group", "group_misfit_task_load", true, Stage::DstGroupSums, 0, kMost32},
    {"dst_group", "avg_load", true, Stage::DstGroupType, 0, kMost32},
    {"dst_group", "group_type", true, Stage::DstGroupType, 0, 7},
    {"dst_cpu", "idle_cpu", true, Stage::DstCpu, 0, 1},
    {"dst_cpu", "load", true, Stage::DstCpu, 0, kMost32},
    {"dst_cpu", "idle_stamp", true, Stage::DstCpu, 0, INT64_MAX},
});

/// What to change instead, by the name of what cannot be changed itself.
constexpr std::array kReasons = std::to_array<std::pair<const char*, const char*>>({
    {"dst_cpu", "the CPU that pulls is what makes this pass this pass; look at a pass of the other CPU"},
    {"this_cpu", "the CPU that runs the pass does not enter the decision"},
    {"task", "another task is another decision"},
    {"cpus_ptr", "it is a set of CPUs, not a number: pin the task from this moment on in the scenario"},
    {"jiffies", "the time is read where the domain is due: change it there"},
    {"last_balance + interval", "it is a sum: change balance_interval or jiffies"},
    {"rule", "it is the line that was taken, not a number that is read"},
    {"balance_cpu", "it follows from which CPUs of the group are idle: change idle_cpu of a CPU"},
    {"is_core_idle", "it follows from the threads of the core: change idle_cpu of a CPU"},
    {"LB_MIN", "it is a constant of the kernel: change load"},
    {"fits", "it follows from util and capacity_of: change those"},
    {"max_util", "it follows from the utilisation of the domain's CPUs: change util or energy"},
    {"busy_time", "it is a sum over the domain's CPUs: change task_busy_time or energy"},
    {"performance", "the energy model has it for max_util: change energy"},
    {"cost", "the energy model has it for max_util: change energy"},
    {"delta", "it is a difference: change energy or base_energy"},
    {"best_delta", "it is a difference: change energy of a CPU"},
    {"prev_delta", "it is a difference: change energy of the previous CPU"},
    {"pd", "it says which performance domain the CPU belongs to"},
    {"sds.avg_load", "it is total load over total capacity: change group_load or group_capacity of a group"},
    {"100 * busiest.avg_load", "it is a product: change avg_load in the group statistics"},
    {"imbalance_pct * local.avg_load",
     "it is a product: change avg_load or imbalance_pct in the group statistics"},
    {"group_capacity * 100", "it is a product: change group_capacity"},
    {"group_util * imbalance_pct", "it is a product: change group_util or imbalance_pct"},
    {"group_capacity * imbalance_pct", "it is a product: change group_capacity or imbalance_pct"},
    {"group_runnable * 100", "it is a product: change group_runnable"},
    {"busiest.idle_cpus + 1", "it is a sum: change idle_cpus in the group statistics"},
    {"sgc->imbalance", "a lower domain left it: change the group_type instead"},
    {"group_asym_packing", "it follows from priorities and idle cores: change the group_type instead"},
    {"group_smt_balance",
     "it follows from idle type and tasks of the group: change sum_nr_running or the group_type"},
    {"group_llc_balance", "it follows from the caches' figures: change the group_type instead"},
    {"busiest.cores", "the machine has so many"},
    {"local.cores", "the machine has so many"},
    {"imb_numa_nr", "it is fixed when the domains are built"},
    {"idle", "how idle the CPU is stands at the entry: change it there"},
    {"dst capacity * 1024", "it is a product of the destination's capacity"},
    {"src capacity * 1078", "it is a product: change the capacity of the row"},
    {"loop", "it counts the tasks looked at; loop_max can be changed"},
    {"shift",
     "it is nr_balance_failed, or 0 while migrate_util_shr_bound is off: change nr_balance_failed; while "
     "balance_rework is off it is always 1"},
    {"local.sum_nr_running + 1", "it is a sum: change sum_nr_running of the local group"},
    {"busiest.asym_prefer_cpu", "the machine has it so"},
    {"local.load_per_task", "it is group_load over sum_nr_running: change those in the group statistics"},
    {"busiest.load_per_task", "it is group_load over sum_nr_running: change those in the group statistics"},
    {"scaled_busy_load_per_task",
     "it is busiest.load_per_task * 1024 over busiest.group_capacity: change group_load or group_capacity"},
    {"imbn", "it follows from the two loads per task: change group_load in the group statistics"},
    {"busiest.avg_load + scaled_busy_load_per_task", "it is a sum: change busiest.avg_load"},
    {"local.avg_load + scaled_busy_load_per_task * imbn", "it is a sum: change local.avg_load"},
    {"capa_now", "it follows from averages, capacities and loads per task: change those"},
    {"capa_move", "it follows from averages, capacities and loads per task: change those"},
    {"imbalance after", "it is what is left: change imbalance or the task's load or util"},
    {"nr_pref_dst_llc", "it counts tasks by the cache they prefer"},
    {"slave", "it is the smaller of the two flips: change those"},
    {"master", "it is the larger of the two flips: change those"},
    {"factor", "it is sd_llc_size: change that"},
    {"slave * factor", "it is a product: change the flips or sd_llc_size"},
    {"domain", "the domain is found by walking up from the waker: change this_cpu or prev_cpu"},
    {"target", "it is what this step decides"},
    {"step", "it says where the CPU was looked at"},
    {"moved", "it is the result"},
    {"cpu", "it is the result"},
    {"group_type", "it is the type that the step asks for"},
});

/// calculate_imbalance() goes on with a number that the tests of the group before it compared.
bool isReadBefore(const Ladder& ladder, const OperandPath& path) {
  if (path.rung < 1 || ladder.rungs[static_cast<std::size_t>(path.rung)].kind != "imbalance") return false;
  const Rung& before = ladder.rungs[static_cast<std::size_t>(path.rung) - 1];
  return std::any_of(before.operands.begin(), before.operands.end(),
                     [&](const Operand& operand) { return operand.name == path.operand; });
}

bool isShifted(const std::string& name) { return name.find(" >> ") != std::string::npos; }

}  // namespace

std::string plainName(const std::string& operand) {
  for (const char* prefix : {"local.", "busiest.", "sds."})
    if (operand.starts_with(prefix)) return operand.substr(std::strlen(prefix));
  return operand;
}

const ChangeRule* ruleOf(const Ladder& ladder, const OperandPath& path) {
  const std::optional<Operand> operand = operandAt(ladder, path);
  if (!operand || path.operand.starts_with("sds.") || isReadBefore(ladder, path)) return nullptr;
  const Rung& rung = ladder.rungs[static_cast<std::size_t>(path.rung)];
  if (rung.kind == "entry") {
    const auto kind = path.operand == "idle"      ? Ladder::Kind::Balance
                      : path.operand == "dst_cpu" ? Ladder::Kind::ActiveBalance
                                                  : Ladder::Kind::Placement;
    if (ladder.kind != kind) return nullptr;
  }
  for (const ChangeRule& rule : kRules)
    if (rung.kind == rule.rung && rule.inRow == (path.row >= 0) && plainName(path.operand) == rule.operand)
      return &rule;
  return nullptr;
}

std::string whyFixed(const Ladder& ladder, const OperandPath& path) {
  if (!operandAt(ladder, path)) return "there is no such operand";
  if (ruleOf(ladder, path) != nullptr) return "";
  const Rung& rung = ladder.rungs[static_cast<std::size_t>(path.rung)];
  if (rung.kind == "result" || rung.kind == "placed") return "it is the result";
  if (isReadBefore(ladder, path) && !path.operand.starts_with("sds."))
    return "the step before compares it: change it there";
  if (isShifted(path.operand)) return "it is the shifted amount: change util, load or nr_balance_failed";
  for (const auto& [name, reason] : kReasons)
    if (path.operand == name) return reason;
  if (rung.kind == "group_move") return "it happened before this decision";
  return "it follows from other numbers of the decision";
}

std::vector<std::string> choicesOf(const Ladder& ladder, const OperandPath& path) {
  if (ruleOf(ladder, path) == nullptr) return {};
  const std::string name = plainName(path.operand);
  if (name == "group_type")
    return {"has_spare",    "fully_busy", "misfit_task", "smt_balance",
            "asym_packing", "imbalanced", "llc_balance", "overloaded"};
  if (name == "migration_type")
    return {"migrate_load", "migrate_util", "migrate_task", "migrate_misfit", "migrate_llc_task"};
  if (name == "idle") return {"not_idle", "idle", "newly_idle"};
  return {};
}

std::string outOfRange(const Ladder& ladder, const OperandOverride& change) {
  const ChangeRule* const rule = ruleOf(ladder, change.path);
  if (rule == nullptr) return whyFixed(ladder, change.path);
  if (change.value >= rule->least && change.value <= rule->most) return "";
  return "it lies between " + std::to_string(rule->least) + " and " + std::to_string(rule->most);
}

}  // namespace rqscope::api
