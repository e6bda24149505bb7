// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "evaluate/balance_records.h"

namespace rqscope {
namespace {

using nlohmann::json;

/// Caches whose tasks a CPU counts by preference; a higher id is "outside the counted range".
constexpr std::size_t kCountedCaches = 7;

/// Preference counts of the rows for the destination's cache.
void layPreferences(BalanceBench& bench, const json& rows, std::size_t dstLlc) {
  if (dstLlc >= kCountedCaches) return;
  for (const json& row : rows) {
    RecordReader in(row);
    Rq& rq = bench.machine().rq(CpuId{static_cast<std::int32_t>(in.integer("cpu"))});
    rq.prefLlcCounts.assign(kCountedCaches, 0);
    rq.prefLlcCounts[dstLlc] = static_cast<std::uint32_t>(in.number("nr_pref_dst_llc", 0));
  }
}

/// Gives CPUs their cache's shared object.
void setShared(SchedTopology& t, std::size_t cpu, int shared) { t.cpus[cpu].llcShared = SharedId{shared}; }

struct Frame {
  std::uint32_t flags = 0;
  int imbalancePct = 0;
  CpuIdleType idle = CpuIdleType::NotIdle;
};

Result<Frame> frameOf(const json& object) {
  RecordReader in(object);
  Frame f;
  f.imbalancePct = static_cast<int>(in.number("imbalance_pct", 117));
  const auto flags = sdFlagsOfRecord(in.array("sd_flags"));
  const auto idle = idleOfRecord(object);
  if (!in.ok()) return in.error();
  if (!flags) return flags.error();
  if (!idle) return idle.error();
  f.flags = flags.value();
  f.idle = idle.value();
  return f;
}

std::uint32_t smtFlag(bool smt) { return smt ? kSdShareCpucapacity : 0U; }

/// Local group CPU 0, busiest group CPU 1, with the numbers of the record.
struct TwoGroups {
  DomainStats sds;
  bool hasBusiest = false;
};

Result<TwoGroups> twoGroupsOf(const json& object, BalanceBench& bench, const Frame& frame) {
  RecordReader in(object);
  TwoGroups out;
  const auto local = groupStatsOfRecord(in.object("local"));
  if (!in.ok()) return in.error();
  if (!local) return local.error();
  out.hasBusiest = in.has("busiest");
  out.sds.local = 0;
  out.sds.localStats = local.value();
  if (out.hasBusiest) {
    const auto busiest = groupStatsOfRecord(in.object("busiest"));
    if (!busiest) return busiest.error();
    out.sds.busiest = 1;
    out.sds.busiestStats = busiest.value();
  }
  out.sds.totalLoad = in.number("total_load");
  out.sds.totalCapacity = in.number("total_capacity");
  out.sds.preferSibling = in.flag("prefer_sibling");
  std::vector<HandTopology::GroupSpec> groups(2);
  groups[0] = {{0}, smtFlag(in.flag("local_smt", false)), static_cast<int>(in.number("local_cores", 1))};
  groups[1] = {{1}, smtFlag(in.flag("busiest_smt", false)), static_cast<int>(in.number("busiest_cores", 1))};
  bench.addDomain(0, frame.flags, frame.imbalancePct, groups);
  bench.domain().imbNumaNr = static_cast<int>(in.integer("imb_numa_nr"));
  if (!in.ok()) return in.error();
  if (out.sds.totalCapacity == 0 || local.value().groupCapacity == 0)
    return Diagnostic{Severity::Error, {}, "a capacity is 0", "the kernel would divide by it"};
  return out;
}

}  // namespace

Result<json> runUpdateSgLbStats(const json& object, const KernelProfile& profile) {
  RecordReader in(object);
  const auto frame = frameOf(object);
  const auto rows = groupRowsOfRecord(in.array("group"));
  const auto local = groupStatsOfRecord(in.object("local_stats"));
  if (!in.ok()) return in.error();
  if (!frame) return frame.error();
  if (!rows) return rows.error();
  if (!local) return local.error();
  const int dst = static_cast<int>(in.integer("dst_cpu"));
  const bool isCacheRecord = in.has("dst_llc");
  const int limit = std::max({rows.value().cpuLimit, highestCpu(in.array("cpus")) + 1, (dst | 1) + 1});
  BalanceBench bench(limit, profile);
  if (in.flag("smt_active")) bench.pairSiblings();
  std::vector<HandTopology::GroupSpec> groups{{{dst}, smtFlag(in.flag("local_smt")), 1}};
  groups.push_back(rows.value().specs.front());
  bench.addDomain(dst, frame.value().flags, frame.value().imbalancePct, groups, isCacheRecord);
  bench.group(0).weight = static_cast<int>(local.value().groupWeight);
  bench.domain().cacheNiceTries = static_cast<int>(in.number("cache_nice_tries", 0));
  SchedTopology& t = bench.topology();
  if (isCacheRecord) {
    t.sharedCount = 2;
    t.sharedSpan.resize(2);
    for (std::size_t cpu = 0; cpu < t.cpus.size(); ++cpu) setShared(t, cpu, 1);
    setShared(t, static_cast<std::size_t>(dst), 0);
    t.cpus[static_cast<std::size_t>(dst)].llcId = CpuId{0};
    if (in.flag("domain_is_parent_of_llc")) t.cpus[static_cast<std::size_t>(dst)].sdLlc = bench.childId();
  }
  Machine& m = bench.machine();
  applyGroupRows(bench, rows.value(), 1);
  if (auto laid = layBalanceRows(bench, in.array("cpus")); !laid) return laid.error();
  t.asymPriority[static_cast<std::size_t>(dst)] = static_cast<int>(in.integer("dst_prio"));
  m.rq(CpuId{dst}).cpuCapacity = in.number("dst_capacity", 1024);
  if (!in.flag("dst_core_idle")) m.rq(CpuId{dst ^ 1}).nrRunning = 1;
  if (isCacheRecord) {
    layPreferences(bench, in.array("cpus"), 0);
    if (auto laid = layLlcRecord(m.shared[0], in.object("dst_llc")); !laid) return laid.error();
    if (auto laid = layLlcRecord(m.shared[1], in.object("src_llc")); !laid) return laid.error();
    m.domains[bench.domainId().index()].nrBalanceFailed =
        static_cast<std::uint32_t>(in.number("nr_balance_failed"));
  }
  if (!in.ok()) return in.error();
  BalanceEnv env = bench.env(frame.value().idle);
  DomainStats sds;
  sds.local = 0;
  sds.localStats = local.value();
  GroupStats stats;
  const GroupFindings found = updateGroupStats(env, sds, bench.group(1), false, stats);
  json out{{"stats", groupStatsRecord(stats, profile.version)}, {"sg_overloaded", found.overloaded}};
  if (isCacheRecord)
    out["src_llc_after"] = {{"util", m.shared[1].utilAvg}, {"capacity", m.shared[1].capacity}};
  return out;
}

Result<json> runUpdateSdPickBusiest(const json& object, const KernelProfile& profile) {
  RecordReader in(object);
  const auto frame = frameOf(object);
  const auto candidate = groupStatsOfRecord(in.object("candidate"));
  if (!in.ok()) return in.error();
  if (!frame) return frame.error();
  if (!candidate) return candidate.error();
  BalanceBench bench(4, profile);
  const std::vector<HandTopology::GroupSpec> groups{{{0}, 0, 1},
                                                    {{1}, smtFlag(in.flag("candidate_smt")), 1},
                                                    {{2}, smtFlag(in.flag("busiest_smt", false)), 1}};
  bench.addDomain(0, frame.value().flags, frame.value().imbalancePct, groups);
  bench.topology().asymPriority[1] = static_cast<int>(in.integer("candidate_prefer_cpu_prio"));
  bench.topology().asymPriority[2] = static_cast<int>(in.number("busiest_prefer_cpu_prio", 0));
  bench.machine().rq(CpuId{0}).cpuCapacity = in.number("dst_capacity");
  bench.setCapacity(1, candidate.value().groupCapacity, in.number("candidate_min_capacity"),
                    in.number("candidate_max_capacity"));
  BalanceEnv env = bench.env(frame.value().idle);
  env.dstCoreIdle = in.flag("dst_core_idle");
  DomainStats sds;
  sds.local = 0;
  const auto localType = object.find("local_type");
  const auto type = localType != object.end() && localType->is_string()
                        ? groupTypeOfRecord(localType->get<std::string>())
                        : std::nullopt;
  if (!type) return Diagnostic{Severity::Error, {}, "the input \"local_type\" is missing or not known", ""};
  sds.localStats.type = *type;
  if (in.flag("has_busiest")) {
    const auto busiest = groupStatsOfRecord(in.object("busiest"));
    if (!busiest) return busiest.error();
    sds.busiest = 2;
    sds.busiestStats = busiest.value();
  }
  if (!in.ok()) return in.error();
  const auto pick = pickBusiest(env, sds, bench.group(1), candidate.value());
  return json{{"picked", pick == BalanceGroup::Pick::Picked}};
}

Result<json> runCalculateImbalance(const json& object, const KernelProfile& profile) {
  const auto frame = frameOf(object);
  if (!frame) return frame.error();
  BalanceBench bench(2, profile);
  auto two = twoGroupsOf(object, bench, frame.value());
  if (!two) return two.error();
  RecordReader in(object);
  DomainStats& sds = two.value().sds;
  sds.avgLoad = in.number("sds_avg_load");
  if (!in.ok()) return in.error();
  BalanceEnv env = bench.env(frame.value().idle);
  calculateImbalance(env, sds);
  return json{{"migration_type", migrationRecordName(env.migration)},
              {"imbalance", env.imbalance},
              {"local_avg_load", sds.localStats.avgLoad},
              {"sds_avg_load", sds.avgLoad}};
}

Result<json> runFindSrcGroupDecide(const json& object, const KernelProfile& profile) {
  const auto frame = frameOf(object);
  if (!frame) return frame.error();
  BalanceBench bench(2, profile);
  auto two = twoGroupsOf(object, bench, frame.value());
  if (!two) return two.error();
  BalanceEnv env = bench.env(frame.value().idle);
  FindSrcGroupWhy why;
  const bool found = decideSrcGroup(env, two.value().sds, why);
  return json{{"result", found ? json("busiest") : json(nullptr)},
              {"migration_type", migrationRecordName(env.migration)},
              {"imbalance", env.imbalance}};
}

Result<json> runFindSrcGroupFull(const json& object, const KernelProfile& profile) {
  RecordReader in(object);
  const auto frame = frameOf(object);
  const auto rows = groupRowsOfRecord(in.array("groups"));
  if (!in.ok()) return in.error();
  if (!frame) return frame.error();
  if (!rows) return rows.error();
  const int dst = static_cast<int>(in.integer("dst_cpu"));
  const auto& local = rows.value().specs.front().cpus;
  if (std::ranges::find(local, dst) == local.end())
    return Diagnostic{Severity::Error, {}, "the first group does not hold dst_cpu", ""};
  BalanceBench bench(std::max(rows.value().cpuLimit, highestCpu(in.array("cpus")) + 1), profile);
  if (in.flag("smt_active")) bench.pairSiblings();
  const std::uint32_t childFlags = in.flag("child_prefer_sibling", false) ? kSdPreferSibling : 0U;
  bench.addDomain(dst, frame.value().flags, frame.value().imbalancePct, rows.value().specs, true, childFlags);
  bench.domain().imbNumaNr = static_cast<int>(in.integer("imb_numa_nr"));
  bench.domain().cacheNiceTries = static_cast<int>(in.number("cache_nice_tries", 0));
  SchedTopology& t = bench.topology();
  const bool isCacheRecord = in.has("llc_before");
  if (isCacheRecord) {
    t.sharedCount = 3;
    t.sharedSpan.resize(3);
    for (std::size_t g = 0; g < rows.value().specs.size(); ++g)
      for (const int cpu : rows.value().specs[g].cpus)
        setShared(t, static_cast<std::size_t>(cpu), static_cast<int>(std::min<std::size_t>(g, 2)));
  }
  Machine& m = bench.machine();
  applyGroupRows(bench, rows.value(), 0);
  if (auto laid = layBalanceRows(bench, in.array("cpus")); !laid) return laid.error();
  if (isCacheRecord) {
    layPreferences(bench, in.array("cpus"), 0);
    const json& before = in.array("llc_before");
    for (std::size_t i = 0; i < 3 && i < before.size(); ++i)
      if (auto laid = layLlcRecord(m.shared[i], before[i]); !laid) return laid.error();
    m.domains[bench.domainId().index()].nrBalanceFailed =
        static_cast<std::uint32_t>(in.number("nr_balance_failed"));
  }
  BalanceEnv env = bench.env(frame.value().idle);
  env.cpus = CpuMask{};
  for (const int cpu : in.list("balance_cpus")) env.cpus.set(CpuId{cpu});
  env.cpusReduced = true;
  if (!in.ok()) return in.error();
  BalanceRound round;
  env.round = &round;
  const int found = findSrcGroup(env);
  json stats = json::array();
  for (const BalanceGroup& g : round.groups) stats.push_back(groupStatsRecord(g.stats, profile.version));
  const auto positionOrNull = [](int position) { return position >= 0 ? json(position) : json(nullptr); };
  return json{{"group_stats", stats},
              {"busiest_candidate", positionOrNull(round.busiest)},
              {"prefer_sibling", round.busiest >= 0 && round.preferSibling ? 1 : 0},
              {"busiest", positionOrNull(found)},
              {"migration_type", migrationRecordName(env.migration)},
              {"imbalance", env.imbalance},
              {"fbq_type", fbqRecordName(env.fbq)}};
}

}  // namespace rqscope
