// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <array>

#include "evaluate/balance_records.h"
#include "evaluate/function_table.h"

namespace rqscope {
namespace {

using nlohmann::json;

Result<json> runGroupClassify(const json& object, const KernelProfile& profile) {
  RecordReader in(object);
  const auto pct = static_cast<unsigned>(in.number("imbalance_pct"));
  const bool imbalance = in.flag("sgc_imbalance");
  const auto stats = groupStatsOfRecord(in.object("sgs"));
  if (!in.ok()) return in.error();
  if (!stats) return stats.error();
  const GroupStats& s = stats.value();
  return json{{"is_overloaded", groupIsOverloaded(pct, s)},
              {"has_capacity", groupHasCapacity(pct, s)},
              {"group_type", groupTypeRecordName(groupClassify(pct, imbalance, s, profile.behaviours).type)}};
}

Result<json> runAdjustNumaImbalance(const json& object, const KernelProfile&) {
  RecordReader in(object);
  const std::int64_t imbalance = in.integer("imbalance");
  const int running = static_cast<int>(in.integer("dst_running"));
  const int allowed = static_cast<int>(in.integer("imb_numa_nr"));
  if (!in.ok()) return in.error();
  return json{{"imbalance", adjustNumaImbalance(imbalance, running, allowed)}};
}

Result<json> runSiblingImbalance(const json& object, const KernelProfile&) {
  RecordReader in(object);
  const auto idle = idleOfRecord(object);
  const int busiestCores = static_cast<int>(in.integer("busiest_cores"));
  const int localCores = static_cast<int>(in.integer("local_cores"));
  const auto busiest = static_cast<std::uint32_t>(in.number("busiest_nr_running"));
  const auto local = static_cast<std::uint32_t>(in.number("local_nr_running"));
  if (!in.ok()) return in.error();
  if (!idle) return idle.error();
  if (busiestCores + localCores <= 0) return Diagnostic{Severity::Error, {}, "the groups have no core", ""};
  return json{{"imbalance", siblingImbalance(idle.value() != CpuIdleType::NotIdle, busiestCores, localCores,
                                             busiest, local)}};
}

Result<json> runGetSdBalanceInterval(const json& object, const KernelProfile& given) {
  RecordReader in(object);
  KernelProfile profile = given;
  profile.tunables.hz = static_cast<int>(in.integer("hz"));
  const int online = static_cast<int>(in.integer("nr_online_cpus"));
  if (!in.ok()) return in.error();
  if (profile.tunables.hz < 10 || online < 1 || online > 4096)
    return Diagnostic{Severity::Error, {}, "hz or nr_online_cpus is out of range", ""};
  BalanceBench bench(online, profile);
  bench.addDomain(0, 0, 117, {{{0}, 0, 1}});
  bench.domain().busyFactor = static_cast<int>(in.integer("busy_factor"));
  Machine& m = bench.machine();
  m.domains[bench.domainId().index()].balanceIntervalMs =
      static_cast<std::uint32_t>(in.number("balance_interval_ms"));
  m.maxBalanceIntervalJiffies = in.number("max_load_balance_interval");
  const bool busy = in.flag("cpu_busy");
  if (!in.ok()) return in.error();
  if (m.maxBalanceIntervalJiffies == 0)
    return Diagnostic{
        Severity::Error, {}, "max_load_balance_interval is 0", "the kernel starts with hz / 10"};
  return json{{"jiffies", sdBalanceInterval(m, bench.domainId(), busy)}};
}

Result<json> runUpdateIdleCpuScan(const json& object, const KernelProfile& profile) {
  RecordReader in(object);
  const auto idle = idleOfRecord(object);
  BalanceBench bench(1, profile);
  bench.addDomain(0, 0, static_cast<int>(in.integer("imbalance_pct")), {{{0}, 0, 1}});
  SchedTopology& t = bench.topology();
  t.sharedCount = 1;
  t.sharedSpan.resize(1);
  bench.domain().spanWeight = static_cast<int>(in.integer("domain_weight"));
  if (in.flag("domain_has_shared", false)) bench.domain().shared = SharedId{0};
  t.cpus[0].llcShared = SharedId{0};
  t.cpus[0].llcSize = static_cast<int>(in.number("llc_size", 0));
  Machine& m = bench.machine();
  m.shared[0].nrIdleScan = static_cast<std::int32_t>(in.integer("previous_nr_idle_scan"));
  const std::uint64_t util = in.number("sum_util");
  if (!in.ok()) return in.error();
  if (!idle) return idle.error();
  if (bench.domain().spanWeight <= 0)
    return Diagnostic{Severity::Error, {}, "the domain has no CPU", "domain_weight is at least 1"};
  BalanceEnv env = bench.env(idle.value());
  updateIdleCpuScan(env, util);
  return json{{"nr_idle_scan", m.shared[0].nrIdleScan}};
}

Result<json> runUpdateNewidleCost(const json& object, const KernelProfile& given) {
  RecordReader in(object);
  KernelProfile profile = given;
  profile.tunables.hz = static_cast<int>(in.integer("hz"));
  const bool hasRate = in.has("newidle_stamp");
  Machine m = handMachine(HandTopology(1).finish(), profile);
  m.jiffies = in.number("jiffies");
  m.nowNs = in.number("sched_clock", 0);
  DomainState state;
  state.maxNewidleLbCost = in.number("max_newidle_lb_cost");
  state.lastDecayMaxLbCost = in.number("last_decay");
  state.newidleCall = static_cast<std::uint32_t>(in.number("newidle_call"));
  state.newidleSuccess = static_cast<std::uint32_t>(in.number("newidle_success"));
  state.newidleRatio = static_cast<std::uint32_t>(in.number("newidle_ratio"));
  state.newidleStampNs = in.number("newidle_stamp", 0);
  const auto success = static_cast<std::uint32_t>(in.number(hasRate ? "success_weight" : "success"));
  const std::uint64_t cost = in.number("cost");
  if (!in.ok()) return in.error();
  const bool decayed = updateNewidleCost(m, state, cost, success);
  json out{{"decayed", decayed},
           {"max_newidle_lb_cost", state.maxNewidleLbCost},
           {"last_decay", state.lastDecayMaxLbCost},
           {"newidle_call", state.newidleCall},
           {"newidle_success", state.newidleSuccess},
           {"newidle_ratio", state.newidleRatio}};
  if (hasRate) out["newidle_stamp"] = state.newidleStampNs;
  return out;
}

constexpr std::array kFunctions{
    EvalFunction{"group_classify", runGroupClassify},
    EvalFunction{"update_sg_lb_stats", runUpdateSgLbStats},
    EvalFunction{"update_sg_lb_stats_cache", runUpdateSgLbStats},
    EvalFunction{"update_sd_pick_busiest", runUpdateSdPickBusiest},
    EvalFunction{"adjust_numa_imbalance", runAdjustNumaImbalance},
    EvalFunction{"sibling_imbalance", runSiblingImbalance},
    EvalFunction{"calculate_imbalance", runCalculateImbalance},
    EvalFunction{"find_src_group_decide", runFindSrcGroupDecide},
    EvalFunction{"find_src_group_full", runFindSrcGroupFull},
    EvalFunction{"find_src_group_full_cache", runFindSrcGroupFull},
    EvalFunction{"find_busiest_queue", runFindBusiestQueue},
    EvalFunction{"find_busiest_queue_cache", runFindBusiestQueue},
    EvalFunction{"should_we_balance", runShouldWeBalance},
    EvalFunction{"need_active_balance", runNeedActiveBalance},
    EvalFunction{"need_active_balance_cache", runNeedActiveBalance},
    EvalFunction{"can_migrate_llc", runCanMigrateLlc},
    EvalFunction{"detach_tasks", runDetachTasks},
    EvalFunction{"detach_tasks_util_plain", runDetachTasks},
    EvalFunction{"detach_tasks_cache", runDetachTasks},
    EvalFunction{"load_balance_pass", runLoadBalancePass},
    EvalFunction{"get_sd_balance_interval", runGetSdBalanceInterval},
    EvalFunction{"update_idle_cpu_scan", runUpdateIdleCpuScan},
    EvalFunction{"update_newidle_cost", runUpdateNewidleCost},
};

}  // namespace

std::span<const EvalFunction> balanceFunctions() { return kFunctions; }

}  // namespace rqscope
