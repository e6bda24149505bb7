// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "evaluate/balance_records.h"

namespace rqscope {
namespace {

using nlohmann::json;

/// The bench of need_active_balance: destination CPU 0, source CPU 2, their SMT siblings 1 and 3.
constexpr CpuId kDst{0}, kDstSibling{1}, kSrc{2}, kSrcSibling{3};

/// A record's flags, percentage and idle kind into a new domain of `dst`.
Result<CpuIdleType> addRecordDomain(BalanceBench& bench, const json& object, int dst,
                                    const std::vector<HandTopology::GroupSpec>& groups) {
  RecordReader in(object);
  const auto flags = sdFlagsOfRecord(in.array("sd_flags"));
  const auto pct = static_cast<int>(in.number("imbalance_pct", 117));
  if (!in.ok()) return in.error();
  if (!flags) return flags.error();
  bench.addDomain(dst, flags.value(), pct, groups);
  if (!in.has("idle")) return CpuIdleType::NotIdle;
  return idleOfRecord(object);
}

/// Two caches: shared objects 0 for the destination, 1 for the source.
void addCaches(SchedTopology& t, std::size_t dst, std::size_t src) {
  t.sharedCount = 2;
  t.sharedSpan.resize(2);
  t.cpus[dst].llcShared = SharedId{0};
  t.cpus[src].llcShared = SharedId{1};
}

/// The current task of the source, with its utilisation.
void layCurrent(Machine& m, RecordReader& in) {
  NewTask spec;
  spec.cpu = kSrc;
  const TaskId task = addTask(m, spec);
  m.se(task).avg.utilAvg = in.number("curr_util_avg", 0);
  m.se(task).avg.utilEst = static_cast<std::uint32_t>(in.number("curr_util_est", 0));
  m.rq(kSrc).curr = task;
}

}  // namespace

Result<json> runFindBusiestQueue(const json& object, const KernelProfile& profile) {
  RecordReader in(object);
  const int dst = static_cast<int>(in.integer("dst_cpu"));
  const json& rows = in.array("cpus");
  if (!in.ok()) return in.error();
  HandTopology::GroupSpec group;
  for (const json& row : rows) group.cpus.push_back(row.is_object() ? row.value("cpu", -1) : -1);
  const int limit = std::max(highestCpu(rows), dst | 1) + 1;
  if (group.cpus.empty() || *std::ranges::min_element(group.cpus) < 0 || dst < 0 || limit > 4096)
    return Diagnostic{Severity::Error, {}, "a CPU has no usable number", ""};
  BalanceBench bench(limit, profile);
  if (in.flag("smt_active")) bench.pairSiblings();
  const auto idle = addRecordDomain(bench, object, dst, {{{dst}, 0, 1}, group});
  if (!idle) return idle.error();
  const auto migration = migrationOfRecord(object);
  const auto fbq = fbqOfRecord(object);
  if (!migration) return migration.error();
  if (!fbq) return fbq.error();
  SchedTopology& t = bench.topology();
  Machine& m = bench.machine();
  if (auto laid = layBalanceRows(bench, rows); !laid) return laid.error();
  RecordReader own(in.object("dst"));
  m.rq(CpuId{dst}).cpuCapacity = own.number("capacity");
  t.asymPriority[static_cast<std::size_t>(dst)] = static_cast<int>(own.integer("asym_prio"));
  if (in.has("dst_llc")) {
    constexpr std::size_t kCountedCaches = 7;
    const auto llc = static_cast<std::size_t>(in.number("dst_llc"));
    t.cpus[static_cast<std::size_t>(dst)].llcId = CpuId{llc};
    for (const json& row : rows) {
      RecordReader r(row);
      auto& counts = m.rq(CpuId{static_cast<std::int32_t>(r.integer("cpu"))}).prefLlcCounts;
      counts.assign(kCountedCaches, 0);
      if (llc < kCountedCaches) counts[llc] = static_cast<std::uint32_t>(r.number("nr_pref_dst_llc", 0));
    }
  }
  BalanceEnv env = bench.env(idle.value());
  env.migration = migration.value();
  env.fbq = fbq.value();
  env.imbalance = in.integer("imbalance");
  if (!in.ok()) return in.error();
  if (!own.ok()) return own.error();
  const CpuId found = findSrcRq(env, bench.group(1));
  return json{{"cpu", found.isValid() ? json(found.value) : json(nullptr)}};
}

Result<json> runShouldWeBalance(const json& object, const KernelProfile& profile) {
  RecordReader in(object);
  const int dst = static_cast<int>(in.integer("dst_cpu"));
  const std::vector<int> balanceCpus = in.list("balance_cpus"), mask = in.list("group_balance_mask");
  const json& rows = in.array("cpus");
  if (!in.ok()) return in.error();
  int limit = std::max(highestCpu(rows), dst | 1) + 1;
  for (const int cpu : balanceCpus) limit = std::max(limit, (cpu | 1) + 1);
  for (const int cpu : mask) limit = std::max(limit, (cpu | 1) + 1);
  if (dst < 0 || limit > 4096) return Diagnostic{Severity::Error, {}, "a CPU has no usable number", ""};
  BalanceBench bench(limit, profile);
  if (in.flag("smt_active")) bench.pairSiblings();
  const auto idle = addRecordDomain(bench, object, dst, {{{dst}, 0, 1}});
  if (!idle) return idle.error();
  bench.group(0).balanceMask = CpuMask{};
  for (const int cpu : mask) bench.group(0).balanceMask.set(CpuId{cpu});
  bench.machine();
  if (auto laid = layBalanceRows(bench, rows); !laid) return laid.error();
  BalanceEnv env = bench.env(idle.value());
  env.cpus = CpuMask{};
  for (const int cpu : balanceCpus) env.cpus.set(CpuId{cpu});
  return json{{"balance", shouldWeBalance(env).balance}};
}

Result<json> runNeedActiveBalance(const json& object, const KernelProfile& profile) {
  RecordReader in(object);
  BalanceBench bench(4, profile);
  if (in.flag("smt_active")) bench.pairSiblings();
  const auto idle = addRecordDomain(bench, object, kDst.value, {{{0, 1}, 0, 1}, {{2, 3}, 0, 1}});
  if (!idle) return idle.error();
  const auto migration = migrationOfRecord(object);
  if (!migration) return migration.error();
  bench.domain().cacheNiceTries = static_cast<int>(in.integer("cache_nice_tries"));
  SchedTopology& t = bench.topology();
  t.asymPriority[kSrc.index()] = static_cast<int>(in.integer("src_prio"));
  t.asymPriority[kDst.index()] = static_cast<int>(in.integer("dst_prio"));
  const bool isCacheRecord = in.has("dst_llc");
  if (isCacheRecord) {
    addCaches(t, kDst.index(), kSrc.index());
    t.cpus[kSrc.index()].llcId = CpuId{in.flag("share_cache") ? 0 : 1};
    t.cpus[kDst.index()].llcId = CpuId{0};
  }
  Machine& m = bench.machine();
  t.cpuCapacity[kSrc.index()] = static_cast<std::uint32_t>(in.number("src_capacity_orig"));
  m.rq(kSrc).cpuCapacity = in.number("src_capacity");
  m.rq(kDst).cpuCapacity = in.number("dst_capacity");
  m.rootCfs(kSrc).hNrQueued = static_cast<std::uint32_t>(in.number("src_h_nr"));
  m.rootCfs(kSrc).hNrRunnable =
      m.rootCfs(kSrc).hNrQueued - static_cast<std::uint32_t>(in.number("src_h_nr_delayed", 0));
  if (!in.flag("src_core_idle")) m.rq(kSrcSibling).nrRunning = 1;
  if (!in.flag("dst_core_idle")) m.rq(kDstSibling).nrRunning = 1;
  if (isCacheRecord) {
    m.rq(kSrc).nrRunning = static_cast<std::uint32_t>(in.number("src_nr_running"));
    m.rq(kSrc).nrPrefLlcRunning = static_cast<std::uint32_t>(in.number("src_nr_pref_llc_running"));
    if (auto laid = layLlcRecord(m.shared[0], in.object("dst_llc")); !laid) return laid.error();
    if (auto laid = layLlcRecord(m.shared[1], in.object("src_llc")); !laid) return laid.error();
    layCurrent(m, in);
  }
  m.domains[bench.domainId().index()].nrBalanceFailed =
      static_cast<std::uint32_t>(in.number("nr_balance_failed"));
  BalanceEnv env = bench.env(idle.value());
  env.src = kSrc;
  env.migration = migration.value();
  if (!in.ok()) return in.error();
  return json{{"need", needActiveBalance(env) != BalancePass::ActiveReason::No ? 1 : 0}};
}

Result<json> runCanMigrateLlc(const json& object, const KernelProfile& profile) {
  RecordReader in(object);
  BalanceBench bench(2, profile);
  if (in.number("smt_threads") > 1) bench.pairSiblings();
  bench.addDomain(0, 0, 117, {{{0}, 0, 1}, {{1}, 0, 1}});
  addCaches(bench.topology(), 0, 1);
  Machine& m = bench.machine();
  if (auto laid = layLlcRecord(m.shared[0], in.object("dst_llc")); !laid) return laid.error();
  if (auto laid = layLlcRecord(m.shared[1], in.object("src_llc")); !laid) return laid.error();
  const std::uint64_t util = in.number("task_util");
  const bool toPreferred = in.flag("to_preferred");
  if (!in.ok()) return in.error();
  constexpr const char* kNames[] = {"forbid", "llc", "unrestricted"};
  const LlcVerdict verdict = canMigrateLlc(m, CpuId{1}, CpuId{0}, util, toPreferred);
  return json{{"verdict", kNames[static_cast<std::size_t>(verdict)]}};
}

}  // namespace rqscope
