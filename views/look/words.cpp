// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "look/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace rqscope::look {
namespace {

using Entry = std::pair<std::string_view, std::string_view>;

constexpr std::array kTitles = std::to_array<Entry>({
    {"entry", "Entry"},
    {"domain_due", "Domain due"},
    {"newidle_cost", "Time for a pass?"},
    {"should_we_balance", "May this CPU balance?"},
    {"group_statistics", "Group statistics"},
    {"busiest_group", "Busiest group"},
    {"worth_balancing", "Worth balancing?"},
    {"imbalance", "How much, of what"},
    {"source_queue", "Source queue"},
    {"candidate", "Candidate"},
    {"active_balance", "Active balance?"},
    {"result", "Result"},
    {"wake_wide", "Wide wakeup?"},
    {"wake_affine", "Waker's side or previous?"},
    {"idle_sibling", "An idle CPU nearby"},
    {"energy", "Energy-aware placement"},
    {"dst_group", "Idlest group"},
    {"dst_cpu", "Idlest CPU"},
    {"placed", "Placed"},
    {"group_move", "What exits left in the sums"},
    {"pick", "Next to run"},
});

constexpr std::array kWords = std::to_array<Entry>({
    // entries and idle types
    {"tick", "tick"},
    {"nohz", "nohz kick"},
    {"nohz_kick", "nohz kick"},
    {"newidle", "newidle"},
    {"active", "active balance"},
    {"active_stopper", "active balance"},
    {"not_idle", "not idle"},
    {"newly_idle", "newly idle"},
    // should_we_balance
    {"first_idle", "first idle CPU of the group"},
    {"first_idle_core", "first idle core of the group"},
    {"first_idle_smt", "first idle thread of a busy core"},
    {"group_balance_cpu", "balance CPU of the group"},
    {"not_in_mask", "not among the allowed CPUs"},
    {"has_work", "has got work meanwhile"},
    // picks of update_sd_pick_busiest
    {"local", "local"},
    {"picked", "busiest so far"},
    {"no_tasks", "no tasks"},
    {"misfit_cannot_help", "misfit, and this CPU is no bigger"},
    {"dst_too_small", "this CPU is too small for it"},
    {"lesser_type", "lesser group type"},
    {"loses_tie", "same type, not busier"},
    // find_src_group
    {"no_busiest", "no busiest group"},
    {"energy_aware", "left to energy-aware placement"},
    {"local_type_greater", "local group is busier by type"},
    {"local_load_ge_busiest", "local load is not below busiest"},
    {"local_load_ge_avg", "local load is not below the average"},
    {"within_imbalance_pct", "within imbalance_pct"},
    {"dst_not_idle", "this CPU is not idle"},
    {"idle_cpus_balanced", "idle CPUs are even"},
    {"busiest_one_task", "busiest has one task"},
    {"local_min_load_ge_busiest", "smallest local load is not below busiest's"},
    {"idle_beside_overloaded", "room here and none there"},
    {"min_load_less", "smallest local load is below busiest's"},
    {"prefer_sibling", "prefer sibling"},
    {"smt_balance", "smt_balance"},
    {"compare", "go"},
    {"go", "go"},
    {"balanced", "balanced"},
    // queues
    {"chosen", "chosen"},
    {"passed", "passed by"},
    {"fbq_type", "NUMA type refused"},
    {"asym_lone_task", "one task, bigger CPU"},
    {"asym_priority", "preferred CPU"},
    {"load_too_big_lone", "one task, load too big"},
    {"one_task", "one task"},
    {"not_larger", "not larger"},
    // candidates
    {"detached", "detach"},
    {"detach", "detach"},
    {"throttled", "throttled"},
    {"delayed_task", "delayed dequeue"},
    {"ineligible", "not eligible"},
    {"per_cpu_kthread", "kthread of that CPU"},
    {"affinity", "not allowed there"},
    {"running", "running"},
    {"hot", "cache hot"},
    {"llc_forbidden", "kept in its LLC"},
    {"load_min", "load below the minimum"},
    {"load_too_big", "more than the imbalance"},
    {"util_too_big", "more than the imbalance"},
    {"fits_source", "fits where it is"},
    {"skip", "skip"},
    // active balance
    {"asym_packing", "asym packing"},
    {"imbalanced_active", "imbalanced, asked for"},
    {"reduced_capacity", "source has less capacity"},
    {"misfit", "misfit"},
    // placement
    {"only_one_cpu", "only one CPU allowed"},
    {"wake_current_cpu", "on the waker's CPU"},
    {"slow_path", "slow path"},
    {"by_energy", "by energy"},
    {"prev_kept", "stays"},
    {"target_idle", "target is idle"},
    {"prev_idle", "previous CPU is idle"},
    {"kthread_prev", "per-CPU kthread woke it"},
    {"recent_idle", "recent CPU is idle"},
    {"asym_capacity", "idle CPU it fits on"},
    {"no_llc", "no LLC domain"},
    {"idle_smt_of_prev", "idle thread beside previous"},
    {"idle_core", "idle core"},
    {"idle_cpu_scan", "idle CPU found by the scan"},
    {"target_fallback", "target, though busy"},
    {"not_allowed", "not allowed"},
    {"does_not_fit", "does not fit"},
    {"other_llc", "other LLC"},
    {"same_as_other", "seen already"},
    {"busy_sibling", "its core is busy"},
    {"scan_limit", "scan limit reached"},
    {"less_good", "less good"},
    {"less_room", "another of its domain has more room"},
    {"fits_worse", "fits worse"},
    {"smaller_capacity", "smaller capacity"},
    {"more_energy", "more energy"},
    {"racing", "figures changed meanwhile"},
    {"overutilized", "overutilised: other rules decide"},
    {"no_domain", "no common domain"},
    {"no_util", "no utilisation, stays"},
    {"prev_stays", "nothing gained, stays"},
    {"less_energy", "less energy"},
    {"fits_better", "fits better"},
    {"larger_capacity", "larger capacity"},
    {"stay", "stay"},
    // sums of a group when a task exits
    {"dropped", "run time dropped"},
    {"kept", "run time kept"},
    // results
    {"moved", "moved"},
    {"failed", "failed, nothing moved"},
    {"active_started", "active balance started"},
    {"serialized_out", "another CPU balances this domain"},
    {"all_pinned", "all tasks pinned"},
    {"surpassed", "a later group is busier"},
    // lines of calculate_imbalance
    {"misfit_reduced_capacity", "misfit by reduced capacity"},
    {"imbalanced_one_task", "imbalanced: one task"},
    {"spare_util", "spare capacity of the local group"},
    {"spare_util_one_task", "no spare util, one task"},
    {"spare_tasks_sibling", "half the difference in tasks"},
    {"spare_tasks_cores", "half the difference in tasks for the cores there are"},
    {"sibling_not_idle", "none for a CPU that is not idle"},
    {"numa_imbalance_allowed", "a difference that nodes may have"},
    {"spare_tasks_idle_cpus", "half the difference in idle CPUs"},
    {"load_formula", "towards the average load"},
    {"average_load", "towards the average load"},
    {"small_one_task", "load of one task"},
    {"small_more_capacity", "load of one task, as more capacity is used"},
    {"small_nothing", "one task's load would gain nothing"},
    {"average_packing_load", "all load of the less preferred CPUs"},
    {"min_load_half", "half of what lies between largest and smallest load"},
    // ends of detach_tasks
    {"list_end", "end of the list"},
    {"imbalance_done", "imbalance used up"},
    {"dst_idle_source_one", "source has one task left"},
    {"loop_max", "loop limit"},
    {"loop_break", "loop break"},
    {"newidle_one", "newidle stops after one"},
    // idlest group and wake affine
    {"no_idlest", "no other group"},
    {"no_local", "no local group"},
    {"local_type_less", "local group is less busy by type"},
    {"load_numa", "NUMA: loads are close"},
    {"load_within", "loads are close"},
    {"load_less", "local load is less"},
    {"same_type_stay", "same type, stays"},
    {"misfit_capacity", "by capacity"},
    {"numa_preferred", "preferred NUMA node"},
    {"numa_imbalance", "NUMA imbalance allowed"},
    {"idle_cpus", "by idle CPUs"},
    {"not_tried", "not tried"},
    {"prev_same", "same CPU"},
    {"this_idle", "waker's CPU is idle"},
    {"prev_idle_too", "previous CPU is idle too"},
    {"sync", "sync wakeup"},
    {"prev_cache_idle", "previous CPU is idle"},
    {"weight_this", "less load on the waker's CPU"},
    {"undecided", "undecided"},
    // ends of a pass, and why there was none
    {"not_this_cpu", "another CPU of the group balances"},
    {"no_imbalance", "the imbalance is 0"},
    {"no_queue", "no queue is worth it"},
    {"source_one_task", "source queue has one task, which runs"},
    {"none_detached", "no task detached"},
    {"nothing_to_push", "nothing left to push"},
    {"not_overloaded", "no CPU has more than one task (rd->overload)"},
    {"avg_idle_below_cost", "avg_idle is below the cost of a pass"},
    {"dice", "left out by NI_RANDOM"},
    {"no_domain", "the CPU has no domain"},
    {"wakeup_pending", "a wakeup is pending"},
    {"not_due", "not due"},
    {"not_made", "no pass"},
    {"run_end", "a task went on or off"},
    {"timer", "a timer woke a task"},
    {"operation", "a scripted operation"},
    {"launch", "a task was started"},
    {"group_period", "a bandwidth period began"},
    {"idle_exit", "a CPU came out of idle"},
    {"load_local_above_busiest", "local load is not below busiest"},
    {"load_local_above_avg", "local load is not below the average"},
    {"prev_aside", "previous CPU, though in another cluster"},
    {"recent_aside", "recent CPU, though in another cluster"},
    {"not_allowed_fallback", "the choice was not allowed"},
    // migration reasons
    {"load_balance", "load balance"},
    {"wakeup", "wakeup"},
    {"fork", "fork"},
    {"exec", "exec"},
    {"hotplug", "hotplug"},
});

constexpr std::array kNames = std::to_array<Entry>({
    {"imbalance", "How much the pass wants to move, in the unit of its migration type."},
    {"util", "How much of a CPU the task used lately, 0 to 1024 (PELT average of running time)."},
    {"load", "Weighted runnable time lately (PELT), 1024 for one task of nice 0 that is always runnable."},
    {"runnable", "Time on the queue lately, running or waiting (PELT), in units of capacity."},
    {"capacity", "What the CPU or group can do for fair tasks, 1024 for the biggest CPU."},
    {"nr_balance_failed", "Passes in a row at this domain that found an imbalance and moved nothing."},
    {"nr_running", "Fair tasks on the queue, the running one included."},
    {"sum_nr_running", "Tasks on all queues of the group."},
    {"idle_cpus", "CPUs of the group with nothing to run."},
    {"group_weight", "Number of CPUs in the group."},
    {"imbalance_pct", "How much busier, in percent, a group must be before tasks move."},
    {"balance_interval", "Time between periodic passes of this CPU at this domain."},
    {"vruntime", "Virtual run time: real run time scaled by 1024 over the weight."},
    {"lag", "Service the task is owed, V minus its vruntime. At or above 0 it is eligible."},
    {"deadline", "Virtual time at which the request should have been served: vruntime + slice by weight."},
    {"weight", "Weight of the nice value: 1024 for nice 0, 1.25 times for each step."},
    {"slice", "Length of the request in real time."},
    {"V", "Weighted average of the vruntimes on the queue: zero lag."},
    {"avg_idle", "Moving average of this CPU's idle periods."},
    {"max_newidle_lb_cost", "Largest recent cost of a newidle pass at this domain."},
    {"misfit_task_load", "Load of the running task when it does not fit its CPU, else 0."},
    {"cache_nice_tries", "Failed passes before cache-hot tasks may move."},
    {"group_util", "Sum of the utilisation of the group's CPUs."},
    {"group_load", "Sum of the load of the group's CPUs."},
    {"group_runnable", "Sum over the group's CPUs of the time on their queues, running or waiting."},
    {"group_capacity", "What the group's CPUs can do for fair tasks, as of its last refresh."},
    {"avg_load", "Load for each unit of capacity, times 1024."},
    {"sum_h_nr_running", "Fair tasks on all queues of the group."},
    {"group_misfit_task_load", "Largest load of a task of the group that does not fit its CPU."},
    {"group_type", "Class of the group: what is done between two groups depends on both."},
    {"migration_type", "What the imbalance counts: load, utilisation, tasks or one misfit task."},
    {"rule", "The line of the kernel that was taken."},
    {"dst_cpu", "CPU that tasks would go to."},
    {"this_cpu", "CPU on which this runs; of a wakeup, that of the waker."},
    {"prev_cpu", "CPU on which the task ran last."},
    {"balance_cpu", "CPU that should balance for its group."},
    {"target", "CPU near which an idle one is looked for."},
    {"cpus_ptr", "CPUs on which the task may run."},
    {"allowed", "Whether the task may run on the destination."},
    {"on_cpu", "Whether the task runs at this moment."},
    {"throttled", "Whether its group has used up its quota on one of the two CPUs."},
    {"sched_delayed", "Whether the task sleeps already and only waits for its lag to be used up."},
    {"eligible", "Whether the task has lag in its favour."},
    {"kthread_is_per_cpu", "Whether the task is a kernel thread of its CPU."},
    {"keeps_llc", "Whether it is kept for the cache that it prefers."},
    {"fits_source", "Whether the task fits its CPU after all."},
    {"idle_cpu", "Whether the CPU has nothing to run, and nothing on its way."},
    {"is_core_idle", "Whether every thread of the CPU's core is idle."},
    {"ttwu_pending", "Whether a wakeup is on its way to the CPU."},
    {"loop", "Tasks looked at so far."},
    {"loop_max", "Tasks that are looked at at most."},
    {"since_exec_start", "Time since the task was last charged for running: it is hot while this is short."},
    {"migration_cost", "A task that ran within this time is hot in its cache."},
    {"shift", "How often util is halved before it is compared: the failed passes."},
    {"jiffies", "The kernel's clock, in ticks."},
    {"sync", "Whether the waker says that it will sleep at once."},
    {"overutilized", "Whether some CPU is used beyond what it can do, which ends energy-aware placement."},
    {"prefer_sibling", "Whether tasks are spread over the groups as long as there is room."},
    {"this_eff_load", "Load of the waker's CPU with the task, scaled by the other's capacity."},
    {"prev_eff_load", "Load of the previous CPU without the task, scaled by the other's capacity."},
    {"has_idle_cores", "Whether the cache is thought to have an idle core."},
    {"nr_idle_scan", "CPUs that the search for an idle one looks at, at most."},
    {"sd_llc_size", "CPUs that share the waker's last-level cache."},
    {"waker flips", "How often the waker woke another task than the time before."},
    {"wakee flips", "The same of the task that is woken."},
    {"idle_stamp", "When the CPU went idle."},
});

template <std::size_t N>
std::string_view find(const std::array<Entry, N>& table, std::string_view key) {
  const auto it = std::find_if(table.begin(), table.end(), [&](const Entry& e) { return e.first == key; });
  return it == table.end() ? std::string_view() : it->second;
}

std::string withSpaces(std::string_view key) {
  std::string text(key);
  if (text.find(' ') != std::string::npos || text.starts_with("migrate_")) return text;
  std::replace(text.begin(), text.end(), '_', ' ');
  return text;
}

}  // namespace

std::string rungTitle(const api::Rung& rung) {
  const std::string_view title = find(kTitles, rung.kind);
  return title.empty() ? withSpaces(rung.kind) : std::string(title);
}

std::string word(std::string_view key) {
  const std::string_view found = find(kWords, key);
  return found.empty() ? withSpaces(key) : std::string(found);
}

std::string_view toneWord(api::Tone tone) {
  if (tone == api::Tone::Yes) return "yes";
  return tone == api::Tone::No ? "no" : "";
}

std::string_view unitSuffix(api::Unit unit) {
  switch (unit) {
    case api::Unit::Nanoseconds:
      return " ns";
    case api::Unit::Milliseconds:
      return " ms";
    case api::Unit::Jiffies:
      return " jiffies";
    case api::Unit::Percent:
      return " %";
    default:
      return "";
  }
}

std::string operandValue(const api::Operand& operand) {
  if (!operand.text.empty()) return operand.text;
  if (operand.unit == api::Unit::Bool) return operand.value != 0 ? "yes" : "no";
  if (operand.unit == api::Unit::Nanoseconds || operand.unit == api::Unit::VirtualNs) {
    return durationText(operand.value);
  }
  return fmt::format("{}{}", operand.value, unitSuffix(operand.unit));
}

std::string operandText(const api::Operand& operand) {
  if (operand.name.empty()) return operandValue(operand);
  return operand.name + " " + operandValue(operand);
}

std::string comparisonText(const api::Comparison& comparison) {
  // A sum or product is set apart from its value: "group_capacity * 100 (204800)".
  const auto side = [](const api::Operand& operand) {
    const bool isFormula = operand.name.find(' ') != std::string::npos;
    return isFormula ? fmt::format("{} ({})", operand.name, operandValue(operand)) : operandText(operand);
  };
  return fmt::format("{} {} {}: {}", side(comparison.left), comparison.op, side(comparison.right),
                     comparison.holds ? "holds" : "does not hold");
}

std::string_view trueOperator(const api::Comparison& comparison) {
  constexpr std::array kSigns = std::to_array<std::array<std::string_view, 3>>({{"in", "∈", "∉"},
                                                                                {"<", "<", "≥"},
                                                                                {"<=", "≤", ">"},
                                                                                {">", ">", "≤"},
                                                                                {">=", "≥", "<"},
                                                                                {"==", "=", "≠"},
                                                                                {"!=", "≠", "="}});
  for (const auto& [op, held, otherwise] : kSigns) {
    if (op == comparison.op) return comparison.holds ? held : otherwise;
  }
  return comparison.op;
}

std::string trueComparison(const api::Comparison& comparison) {
  return fmt::format("{} {} {}", operandValue(comparison.left), trueOperator(comparison),
                     operandValue(comparison.right));
}

std::string explainName(std::string_view kernelName) {
  for (const std::string_view prefix : {"local.", "busiest.", "sds."})
    if (kernelName.starts_with(prefix)) kernelName.remove_prefix(prefix.size());
  return std::string(find(kNames, kernelName));
}

char groupTypeLetter(std::string_view groupType) {
  constexpr std::array kLetters = std::to_array<std::pair<std::string_view, char>>({{"has_spare", 'S'},
                                                                                    {"fully_busy", 'F'},
                                                                                    {"misfit_task", 'M'},
                                                                                    {"smt_balance", 'T'},
                                                                                    {"asym_packing", 'A'},
                                                                                    {"imbalanced", 'I'},
                                                                                    {"llc_balance", 'L'},
                                                                                    {"overloaded", 'O'}});
  for (const auto& [name, letter] : kLetters) {
    if (name == groupType) return letter;
  }
  return '?';
}

std::string cpuList(const std::vector<std::int32_t>& cpus) {
  std::string text = "{";
  for (std::size_t i = 0; i < cpus.size();) {
    std::size_t end = i;
    while (end + 1 < cpus.size() && cpus[end + 1] == cpus[end] + 1) ++end;
    if (i > 0) text += ',';
    text += std::to_string(cpus[i]);
    if (end > i) text += (end == i + 1 ? "," : "-") + std::to_string(cpus[end]);
    i = end + 1;
  }
  return text + "}";
}

std::string timeText(std::int64_t ns) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  if (ns >= 10 * kSecond || ns <= -10 * kSecond)
    return fmt::format("{:.3f} s", static_cast<double>(ns) / 1e9);
  return fmt::format("{:.3f} ms", static_cast<double>(ns) / 1e6);
}

std::string durationText(std::int64_t ns) {
  const double value = static_cast<double>(ns);
  const double size = value < 0 ? -value : value;
  if (size >= 1e9) return fmt::format("{:.3g} s", value / 1e9);
  if (size >= 1e6) return fmt::format("{:.3g} ms", value / 1e6);
  if (size >= 1e3) return fmt::format("{:.3g} us", value / 1e3);
  return fmt::format("{} ns", ns);
}

}  // namespace rqscope::look
