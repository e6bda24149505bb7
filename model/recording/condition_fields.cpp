// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "recording/condition_fields.h"

#include "recording/group_view.h"
#include "runqueue/load_tracking.h"

namespace rqscope {
namespace {

template <class T>
std::int64_t number(T value) {
  return static_cast<std::int64_t>(value);
}

constexpr CpuField kCpuFields[] = {
    {"nr_running", [](const SimState& s, CpuId c) { return number(s.machine.rq(c).nrRunning); }},
    {"util", [](const SimState& s, CpuId c) { return number(cpuUtilCfs(s.machine, c)); }},
    {"load", [](const SimState& s, CpuId c) { return number(cpuLoad(s.machine, c)); }},
    {"runnable", [](const SimState& s, CpuId c) { return number(cpuRunnable(s.machine, c)); }},
    {"capacity", [](const SimState& s, CpuId c) { return number(s.machine.rq(c).cpuCapacity); }},
    {"misfit_task_load", [](const SimState& s, CpuId c) { return number(s.machine.rq(c).misfitTaskLoad); }},
    {"avg_idle", [](const SimState& s, CpuId c) { return number(s.machine.rq(c).avgIdle); }},
    {"idle", [](const SimState& s, CpuId c) { return number(s.machine.rq(c).curr.isValid() ? 0 : 1); }},
    {"waiting", [](const SimState& s, CpuId c) { return number(s.cpus[c.index()].waiting); }},
    {"online", [](const SimState& s, CpuId c) { return number(s.machine.topology->online.test(c)); }},
};

constexpr TaskField kTaskFields[] = {
    {"util", [](const SimState& s, TaskId t) { return number(s.machine.se(t).avg.utilAvg); }},
    {"util_est", [](const SimState& s, TaskId t) { return number(taskUtilEst(s.machine, t)); }},
    {"load", [](const SimState& s, TaskId t) { return number(s.machine.se(t).avg.loadAvg); }},
    {"runnable", [](const SimState& s, TaskId t) { return number(s.machine.se(t).avg.runnableAvg); }},
    {"cpu", [](const SimState& s, TaskId t) { return number(s.machine.task(t).cpu.value); }},
    {"nice", [](const SimState& s, TaskId t) { return number(s.machine.task(t).nice); }},
    {"weight", [](const SimState& s, TaskId t) { return number(s.machine.se(t).load.weight >> 10); }},
    {"vruntime", [](const SimState& s, TaskId t) { return number(s.machine.se(t).vruntime); }},
    {"sum_exec", [](const SimState& s, TaskId t) { return number(s.machine.se(t).sumExecRuntime); }},
    {"running", [](const SimState& s, TaskId t) { return number(s.machine.task(t).onCpu); }},
    {"on_rq", [](const SimState& s, TaskId t) { return number(s.machine.task(t).onRq); }},
    {"delayed", [](const SimState& s, TaskId t) { return number(s.machine.se(t).schedDelayed); }},
    {"migrations",
     [](const SimState& s, TaskId t) { return number(s.workload.threads[t.index()].migrations); }},
};

std::int64_t localGroupType(const SimState& s, DomainId d) {
  const SchedDomain& domain = s.machine.topology->domain(d);
  return number(liveGroupStats(s.machine, {domain.groups.front(), d}).type);
}

/// Type of the busiest other group by type alone.
std::int64_t busiestGroupType(const SimState& s, DomainId d) {
  const SchedDomain& domain = s.machine.topology->domain(d);
  std::int64_t most = 0;
  for (std::size_t g = 1; g < domain.groups.size(); ++g)
    most = std::max(most, number(liveGroupStats(s.machine, {domain.groups[g], d}).type));
  return most;
}

constexpr DomainField kDomainFields[] = {
    {"nr_balance_failed",
     [](const SimState& s, DomainId d) { return number(s.machine.domains[d.index()].nrBalanceFailed); }},
    {"balance_interval",
     [](const SimState& s, DomainId d) { return number(s.machine.domains[d.index()].balanceIntervalMs); }},
    {"last_balance",
     [](const SimState& s, DomainId d) { return number(s.machine.domains[d.index()].lastBalance); }},
    {"local", localGroupType},
    {"busiest", busiestGroupType},
};

constexpr RunField kRunFields[] = {
    {"time", [](const SimState& s) { return number(s.timeNs()); }},
    {"jiffies", [](const SimState& s) { return number(s.machine.jiffies); }},
    {"events", [](const SimState& s) { return number(s.counters.events); }},
    {"migrations", [](const SimState& s) { return number(s.counters.migrations); }},
    {"failed_passes", [](const SimState& s) { return number(s.counters.failedPasses); }},
    {"passes", [](const SimState& s) { return number(s.counters.passes); }},
    {"idle_cpus", [](const SimState& s) { return number(s.idleCount); }},
    {"waiting_tasks", [](const SimState& s) { return number(s.waitingTasks); }},
    {"idle_while_waiting", [](const SimState& s) { return number(s.counters.idleWhileWaitingNs); }},
};

constexpr std::string_view kGroupTypes[] = {"has_spare",    "fully_busy", "misfit_task", "smt_balance",
                                            "asym_packing", "imbalanced", "llc_balance", "overloaded"};

}  // namespace

std::span<const CpuField> cpuFields() { return kCpuFields; }
std::span<const TaskField> taskFields() { return kTaskFields; }
std::span<const DomainField> domainFields() { return kDomainFields; }
std::span<const RunField> runFields() { return kRunFields; }
std::span<const std::string_view> groupTypeNames() { return kGroupTypes; }

}  // namespace rqscope
