// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "evaluate/placement_records.h"

#include <algorithm>
#include <array>

#include "evaluate/hand_machine.h"
#include "evaluate/stats_record.h"
#include "placement/dst_group.h"
#include "placement/select_task_rq.h"
#include "runqueue/queue.h"

namespace rqscope {
namespace {

using nlohmann::json;
using GroupSpec = HandTopology::GroupSpec;
using Ring = HandTopology::Ring;

constexpr std::array<std::pair<const char*, std::uint32_t>, 6> kFlagNames{{
    {"share_cpucapacity", kSdShareCpucapacity},
    {"share_llc", kSdShareLlc},
    {"asym_cpucapacity", kSdAsymCpucapacity},
    {"asym_packing", kSdAsymPacking},
    {"numa", kSdNuma},
    {"prefer_sibling", kSdPreferSibling},
}};

std::uint32_t flagsOf(const json& names) {
  std::uint32_t flags = 0;
  for (const json& name : names)
    for (const auto& [text, bit] : kFlagNames)
      if (name == text) flags |= bit;
  return flags;
}

Diagnostic wrong(const char* what) { return {Severity::Error, {}, what, "see the schema of the vectors"}; }

bool inRange(const std::vector<int>& cpus, int limit) {
  return std::ranges::all_of(cpus, [&](int c) { return c >= 0 && c < limit; });
}

/// Largest CPU number of the rows, plus one; the record is refused above 64.
Result<int> cpuLimitOf(const json& rows) {
  int limit = 1;
  for (const json& row : rows) {
    RecordReader in(row);
    const std::int64_t cpu = in.integer("cpu");
    if (!in.ok()) return in.error();
    if (cpu < 0 || cpu >= 1024) return wrong("a CPU number is out of range");
    limit = std::max(limit, static_cast<int>(cpu) + 1);
  }
  return limit;
}

void setOriginalCapacities(HandTopology& hand, const json& rows) {
  SchedTopology& t = hand.topology();
  t.asymCapacities.clear();
  for (const json& row : rows) {
    const auto capacity = row.value("capacity_orig", 1024U);
    const CpuId cpu{row.value("cpu", 0)};
    t.cpuCapacity[cpu.index()] = capacity;
    const auto same =
        std::ranges::find_if(t.asymCapacities, [&](const auto& e) { return e.first == capacity; });
    if (same != t.asymCapacities.end())
      same->second.set(cpu);
    else
      t.asymCapacities.emplace_back(capacity, CpuMask::of(cpu));
  }
  std::ranges::sort(t.asymCapacities, [](const auto& a, const auto& b) { return a.first > b.first; });
}

}  // namespace

Result<TaskId> layTask(Machine& m, const json& object, const std::vector<int>& allowed) {
  RecordReader in(object);
  const std::int64_t cpu = in.integer("cpu");
  if (in.ok() && (cpu < 0 || cpu >= m.topology->cpuLimit)) return wrong("the task's CPU has no row");
  if (!in.ok()) return in.error();
  NewTask spec;
  spec.cpu = CpuId{static_cast<std::int32_t>(cpu)};
  const TaskId task = addTask(m, spec);
  Task& t = m.task(task);
  t.onRq = in.flag("queued");
  t.state = t.onRq ? TaskState::Running : TaskState::Sleeping;
  SchedAvg& avg = m.se(task).avg;
  avg.lastUpdateTime = in.number("last_update_time");
  avg.loadAvg = in.bounded("load_avg", kMaxAverage);
  avg.utilAvg = in.number("util_avg");
  avg.runnableAvg = in.number("runnable_avg");
  if (m.behaviours().utilEstSingle) {
    avg.utilEst = static_cast<std::uint32_t>(in.number("util_est"));
  } else {
    avg.utilEst =
        static_cast<std::uint32_t>(in.number(in.has("util_est") ? "util_est" : "util_est_enqueued"));
    avg.utilEstEwma = static_cast<std::uint32_t>(in.number("util_est_ewma", avg.utilEst));
  }
  if (!in.ok()) return in.error();
  t.cpusAllowed = CpuMask{};
  for (const int c : allowed) t.cpusAllowed.set(CpuId{c});
  t.nrCpusAllowed = t.cpusAllowed.weight();
  return task;
}

Result<json> runUpdatePickIdlest(const json& object, const KernelProfile&) {
  RecordReader in(object);
  const Result<GroupStats> idlest = groupStatsOfRecord(in.object("idlest"));
  const Result<GroupStats> candidate = groupStatsOfRecord(in.object("candidate"));
  const std::uint64_t idlestMax = in.number("idlest_max_capacity");
  const std::uint64_t candidateMax = in.number("candidate_max_capacity");
  if (!in.ok()) return in.error();
  if (!idlest) return idlest.diagnostics();
  if (!candidate) return candidate.diagnostics();
  return json{{"picked", updatePickIdlest(idlest.value(), idlestMax, candidate.value(), candidateMax)}};
}

Result<json> runFindDstGroupDecide(const json& object, const KernelProfile& profile) {
  RecordReader in(object);
  std::vector<GroupSpec> specs;
  std::vector<int> members, nodes;
  const json& groups = in.array("groups");
  for (const json& item : groups) {
    RecordReader group(item);
    const auto first = static_cast<int>(group.integer("first_cpu")),
               count = static_cast<int>(group.integer("nr_cpus"));
    if (!group.ok()) return group.error();
    if (first < 0 || count < 1 || count > 1024 || first > 4096)
      return wrong("a group's CPUs are out of range");
    GroupSpec& spec = specs.emplace_back();
    for (int c = first; c < first + count; ++c) {
      spec.cpus.push_back(c);
      members.push_back(c);
      nodes.push_back(static_cast<int>(group.integer("node")));
    }
  }
  const int limit = members.empty() ? 1 : *std::ranges::max_element(members) + 1;
  HandTopology hand(limit);
  for (std::size_t i = 0; i < members.size(); ++i)
    hand.topology().node[static_cast<std::size_t>(members[i])] = NodeId{nodes[i]};
  const CpuId thisCpu{static_cast<std::int32_t>(in.integer("this_cpu"))};
  if (!inRange({thisCpu.value}, limit)) return wrong("this_cpu is in no group");
  hand.addDomain({thisCpu.value}, flagsOf(in.array("sd_flags")),
                 static_cast<int>(in.integer("imbalance_pct")), specs, Ring::AsGiven);
  hand.topology().domains.back().imbNumaNr = static_cast<int>(in.integer("imb_numa_nr"));
  Machine m = handMachine(hand.finish(), profile);
  const TaskId task = addTask(m, NewTask{});
  Task& t = m.task(task);
  t.cpusAllowed = CpuMask{};
  for (const int c : in.list("allowed_cpus")) t.cpusAllowed.set(CpuId{c});
  t.nrCpusAllowed = t.cpusAllowed.weight();
  t.numaPreferredNode = static_cast<std::int32_t>(in.integer("numa_preferred_nid"));
  if (!in.ok()) return in.error();
  const SchedDomain& domain = m.topology->domain(m.topology->cpus[thisCpu.index()].lowest);
  DstGroupChoice choice;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    RecordReader group(groups[i]);
    const Result<GroupStats> stats = groupStatsOfRecord(group.object("stats"));
    if (!stats) return stats.diagnostics();
    const SchedGroup& g = m.topology->groups[i];
    m.capacities[g.capacity.index()].maxCapacity = group.number("max_capacity");
    if (!group.ok()) return group.error();
    if (!g.span.intersects(t.cpusAllowed)) continue;
    choice.consider(m, SchedGroupId{i}, g.span.test(thisCpu), stats.value());
  }
  const SchedGroupId group = choice.decide(m, domain, task, thisCpu).group;
  return json{{"group", group.isValid() ? json(group.value) : json(nullptr)}};
}

namespace {

/// The one domain of find_dst_group_full and its groups; group k is on node k.
Result<HandTopology> fullTopology(RecordReader& in, int limit) {
  HandTopology hand(limit);
  std::vector<GroupSpec> specs;
  const json& groups = in.array("groups");
  for (std::size_t k = 0; k < groups.size(); ++k) {
    RecordReader group(groups[k]);
    GroupSpec& spec = specs.emplace_back();
    spec.cpus = group.list("cpus");
    spec.flags = flagsOf(group.array("flags"));
    spec.cores = static_cast<int>(group.number("cores", 0));
    if (!group.ok()) return group.error();
    if (spec.cpus.empty() || !inRange(spec.cpus, limit)) return wrong("a group's CPUs have no rows");
    for (const int c : spec.cpus) hand.topology().node[static_cast<std::size_t>(c)] = NodeId{k};
  }
  const std::int64_t thisCpu = in.integer("this_cpu");
  if (thisCpu < 0 || thisCpu >= limit) return wrong("this_cpu has no row");
  hand.addDomain({static_cast<int>(thisCpu)}, flagsOf(in.array("sd_flags")),
                 static_cast<int>(in.integer("imbalance_pct")), specs, Ring::AsGiven);
  hand.topology().domains.back().imbNumaNr = static_cast<int>(in.integer("imb_numa_nr"));
  hand.topology().asymCapacityActive = (hand.topology().domains.back().flags & kSdAsymCpucapacity) != 0;
  if (!in.ok()) return in.error();
  return hand;
}

Result<bool> layGroups(Machine& m, const json& groups) {
  for (std::size_t k = 0; k < groups.size(); ++k) {
    RecordReader in(groups[k]);
    GroupCapacity& capacity = m.capacities[m.topology->groups[k].capacity.index()];
    capacity.capacity = in.number("capacity");
    capacity.minCapacity = in.number("min_capacity");
    capacity.maxCapacity = in.number("max_capacity");
    capacity.imbalance = in.flag("imbalance", false);
    if (!in.ok()) return in.error();
    if (capacity.capacity == 0) return wrong("a group's capacity is 0");
  }
  return true;
}

}  // namespace

Result<json> runFindDstGroupFull(const json& object, const KernelProfile& profile) {
  RecordReader in(object);
  const json& rows = in.array("cpus");
  const Result<int> limit = cpuLimitOf(rows);
  if (!limit) return limit.diagnostics();
  Result<HandTopology> hand = fullTopology(in, limit.value());
  if (!hand) return hand.diagnostics();
  setOriginalCapacities(hand.value(), rows);
  Machine m = handMachine(hand.value().finish(), profile);
  for (const json& row : rows)
    if (auto laid = layCpuRow(m, row); !laid) return laid.diagnostics();
  if (auto laid = layGroups(m, in.array("groups")); !laid) return laid.diagnostics();
  const std::vector<int> allowed = in.list("allowed_cpus");
  const Result<TaskId> task = layTask(m, in.object("task"), allowed);
  const bool isCurrent = in.flag("task_is_curr_on_its_cpu");
  const CpuId thisCpu{static_cast<std::int32_t>(in.integer("this_cpu"))};
  const auto preferred = static_cast<std::int32_t>(in.integer("numa_preferred_nid"));
  if (!in.ok()) return in.error();
  if (!task) return task.diagnostics();
  m.task(task.value()).numaPreferredNode = preferred;
  if (isCurrent) m.rq(m.task(task.value()).cpu).curr = task.value();
  const SchedDomain& domain = m.topology->domain(m.topology->cpus[thisCpu.index()].lowest);
  PlacementLevel level;
  const SchedGroupId group = findDstGroup(m, domain, task.value(), thisCpu, &level);
  json stats = json::array();
  for (const PlacementLevel::Group& g : level.groups)
    stats.push_back(g.allowed ? groupStatsRecord(g.stats, profile.version) : json(nullptr));
  return json{{"group", group.isValid() ? json(group.value) : json(nullptr)}, {"group_stats", stats}};
}

Result<json> runFindDstGroupCpu(const json& object, const KernelProfile& profile) {
  RecordReader in(object);
  const json& rows = in.array("cpus");
  const Result<int> limit = cpuLimitOf(rows);
  if (!limit) return limit.diagnostics();
  HandTopology hand(limit.value());
  GroupSpec spec;
  for (int c = 0; c < limit.value(); ++c) spec.cpus.push_back(c);
  hand.addDomain(spec.cpus, 0, 117, {spec}, Ring::AsGiven);
  Machine m = handMachine(hand.finish(), profile);
  for (const json& row : rows)
    if (auto laid = layCpuRow(m, row); !laid) return laid.diagnostics();
  NewTask waking;
  waking.policy = in.flag("task_is_sched_idle", false) ? SchedPolicy::Idle : SchedPolicy::Normal;
  const TaskId task = addTask(m, waking);
  m.task(task).cpusAllowed = CpuMask{};
  for (const int c : in.list("allowed_cpus")) m.task(task).cpusAllowed.set(CpuId{c});
  const CpuId thisCpu{static_cast<std::int32_t>(in.integer("this_cpu"))};
  if (!in.ok()) return in.error();
  return json{{"cpu", findDstGroupCpu(m, SchedGroupId{0}, task, thisCpu, nullptr).value}};
}

}  // namespace rqscope
