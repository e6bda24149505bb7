// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "evaluate/stepped_state.h"

namespace rqscope {
namespace {

using nlohmann::json;

constexpr unsigned kLoadShift = 10;  // the records print unscaled weights

void putAverages(json& line, const SchedAvg& avg) {
  line["load_avg"] = avg.loadAvg;
  line["runnable_avg"] = avg.runnableAvg;
  line["util_avg"] = avg.utilAvg;
  line["load_sum"] = avg.loadSum;
  line["runnable_sum"] = avg.runnableSum;
  line["util_sum"] = avg.utilSum;
  line["lut"] = avg.lastUpdateTime;
  line["contrib"] = avg.periodContrib;
}

void putEntity(json& line, const SchedEntity& se) {
  line["on_rq"] = se.onRq ? 1 : 0;
  line["w"] = se.load.weight >> kLoadShift;
  line["vruntime"] = se.vruntime;
  line["deadline"] = se.deadline;
  line["vlag"] = se.vlag;
  line["slice"] = se.slice;
  line["min_vruntime"] = se.minVruntime;
  line["min_slice"] = se.minSlice;
  line["delayed"] = se.schedDelayed ? 1 : 0;
  line["rel_deadline"] = se.relDeadline ? 1 : 0;
  line["custom_slice"] = se.customSlice ? 1 : 0;
  line["exec_start"] = se.execStart;
  line["sum_exec"] = se.sumExecRuntime;
  line["prev_sum"] = se.prevSumExecRuntime;
  putAverages(line, se.avg);
}

int policyNumber(SchedPolicy policy) {
  switch (policy) {
    case SchedPolicy::Normal:
      return 0;
    case SchedPolicy::Batch:
      return 3;
    case SchedPolicy::Idle:
      break;
  }
  return 5;
}

json domainStates(const Machine& m, CpuId cpu) {
  json list = json::array();
  for (DomainId id = m.topology->cpus[cpu.index()].lowest; id.isValid(); id = m.topology->domain(id).parent) {
    const SchedDomain& domain = m.topology->domain(id);
    const DomainState& state = m.domains[id.index()];
    const SchedGroup& local = m.topology->group(domain.groups.front());
    list.push_back({{"name", domain.name},
                    {"last_balance", state.lastBalance},
                    {"interval", state.balanceIntervalMs},
                    {"nr_balance_failed", state.nrBalanceFailed},
                    {"max_newidle_lb_cost", state.maxNewidleLbCost},
                    {"group_imbalance", m.capacities[local.capacity.index()].imbalance ? 1 : 0}});
  }
  return list;
}

json queuedTasks(const Machine& m, const SteppedEvents& events, CpuId cpu) {
  json list = json::array();
  for (TaskId t = m.rq(cpu).listHead; t.isValid(); t = m.task(t).listNext) list.push_back(events.idOf(t));
  return list;
}

}  // namespace

json rootDomainLine(const Machine& m, CpuId anyCpu) {
  const RootDomain& root = m.rootDomains[m.topology->cpus[anyCpu.index()].rootDomain.index()];
  json caches = json::array();
  for (std::size_t s = 0; s < m.shared.size(); ++s) {
    const CpuId first = m.topology->sharedSpan[s].first();
    const auto& own = m.topology->cpus[first.index()];
    if (own.llcShared.index() != s) continue;  // v6.x: lower domains have one too
    caches.push_back({{"id", own.llcId.value},
                      {"nr_idle_scan", m.shared[s].nrIdleScan},
                      {"has_idle_cores", m.shared[s].hasIdleCores ? 1 : 0}});
  }
  return {{"ev", "rd"},
          {"clock", m.nowNs},
          {"overloaded", root.overloaded ? 1 : 0},
          {"overutilized", root.overutilized ? 1 : 0},
          {"llc", caches}};
}

json cpuLine(const Machine& m, const SteppedEvents& events, CpuId cpu) {
  const Rq& rq = m.rq(cpu);
  const CfsRq& cfs = m.rootCfs(cpu);
  json line{{"ev", "cpu"},
            {"cpu", cpu.value},
            {"nr_running", rq.nrRunning},
            {"cfs_nr", cfs.nrQueued},
            {"h_nr_queued", cfs.hNrQueued},
            {"h_nr_runnable", cfs.hNrRunnable},
            {"h_nr_delayed", cfs.hNrDelayed},
            {"idle_h_nr", cfs.hNrIdle},
            {"zero_vruntime", cfs.zeroVruntime},
            {"min_vruntime", cfs.zeroVruntime},
            {"avg_vruntime", cfs.sumWVruntime},
            {"avg_load", cfs.sumWeight},
            {"curr", rq.curr.isValid() ? json(events.idOf(rq.curr)) : json(nullptr)},
            {"clock", rq.clock},
            {"clock_task", rq.clockTask},
            {"clock_pelt", rq.clockPelt},
            {"lost_idle", rq.lostIdleTime},
            {"cfs_w", cfs.load.weight >> kLoadShift},
            {"util_est", cfs.avg.utilEst},
            {"cpu_capacity", rq.cpuCapacity},
            {"misfit", rq.misfitTaskLoad},
            {"removed_nr", cfs.removed.nr},
            {"removed_load", cfs.removed.loadAvg},
            {"removed_util", cfs.removed.utilAvg},
            {"removed_run", cfs.removed.runnableAvg},
            {"next_balance", rq.nextBalance},
            {"avg_idle", rq.avgIdle},
            {"idle_stamp", rq.idleStamp},
            {"max_idle_cost", rq.maxIdleBalanceCost},
            {"push_cpu", rq.pushCpu.isValid() ? rq.pushCpu.value : 0},
            {"sd", domainStates(m, cpu)},
            {"cfs_tasks", queuedTasks(m, events, cpu)}};
  putAverages(line, cfs.avg);
  return line;
}

json taskLine(const Machine& m, const SteppedEvents& events, TaskId id, int groupIndex) {
  const Task& task = m.task(id);
  const SchedEntity& se = m.se(id);
  json line{{"ev", "task"},
            {"id", events.idOf(id)},
            {"cpu", task.cpu.value},
            {"p_on_rq", task.onRq ? 1 : 0},
            {"on_cpu", task.onCpu ? 1 : 0},
            {"state", task.state == TaskState::Running ? 0 : 1},
            {"policy", policyNumber(task.policy)},
            {"nice", task.nice},
            {"nr_mig", events.migrations(id)},
            {"util_est", se.avg.utilEst},
            {"cpus", task.cpusAllowed.list()},
            {"group", groupIndex},
            {"recent_cpu", task.recentUsedCpu.value},
            {"wakee_flips", task.wakeeFlips}};
  putEntity(line, se);
  return line;
}

json groupLine(const Machine& m, GroupId group) {
  return {{"ev", "grp"},
          {"shares", m.group(group).shares >> kLoadShift},
          {"tg_load_avg", m.group(group).loadAvg}};
}

json groupCpuLine(const Machine& m, GroupId group, CpuId cpu) {
  const CfsRq& queue = m.queue(queueOf(m, group, cpu));
  json line{{"ev", "grpcpu"},
            {"cpu", cpu.value},
            {"nr_mig", 0},
            {"q_nr", queue.nrQueued},
            {"q_w", queue.load.weight >> kLoadShift},
            {"q_load_avg", queue.avg.loadAvg},
            {"q_runnable_avg", queue.avg.runnableAvg},
            {"q_util_avg", queue.avg.utilAvg},
            {"q_load_sum", queue.avg.loadSum},
            {"q_lut", queue.avg.lastUpdateTime},
            {"contrib_tg", queue.tgLoadAvgContrib},
            {"h_load", queue.hLoad},
            {"q_zero_vruntime", queue.zeroVruntime},
            {"q_min_vruntime", queue.zeroVruntime},
            {"q_avg_vruntime", queue.sumWVruntime},
            {"q_avg_load", queue.sumWeight},
            {"q_h_nr_queued", queue.hNrQueued}};
  putEntity(line, m.entity(groupEntity(m, group, cpu)));
  return line;
}

json domainLine(const Machine& m, DomainId id) {
  const SchedDomain& domain = m.topology->domain(id);
  json groups = json::array();
  for (const SchedGroupId g : domain.groups) {
    const SchedGroup& group = m.topology->group(g);
    const GroupCapacity& capacity = m.capacities[group.capacity.index()];
    groups.push_back({{"span", group.span.list()},
                      {"weight", group.weight},
                      {"cap", capacity.capacity},
                      {"min", capacity.minCapacity},
                      {"max", capacity.maxCapacity},
                      {"flags", kernelSdFlags(group.flags, m.profile->version)},
                      {"balance_mask", group.balanceMask.list()}});
  }
  return {{"ev", "sd"},
          {"cpu", domain.cpu.value},
          {"name", domain.name},
          {"level", domain.level},
          {"span", domain.span.list()},
          {"flags", kernelSdFlags(domain.flags, m.profile->version)},
          {"imbalance_pct", domain.imbalancePct},
          {"min_interval", domain.minIntervalMs},
          {"max_interval", domain.maxIntervalMs},
          {"busy_factor", domain.busyFactor},
          {"cache_nice_tries", domain.cacheNiceTries},
          {"imb_numa_nr", domain.imbNumaNr},
          {"groups", groups}};
}

json capacityLine(const Machine& m, CpuId cpu) {
  return {{"ev", "cpucap"},
          {"cpu", cpu.value},
          {"arch_capacity", m.topology->cpuCapacity[cpu.index()]},
          {"freq", m.rq(cpu).freqCapacity},
          {"llc", m.topology->cpus[cpu.index()].llcId.value}};
}

}  // namespace rqscope
