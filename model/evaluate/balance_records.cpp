// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "evaluate/balance_records.h"

#include <algorithm>
#include <array>

namespace rqscope {
namespace {

using nlohmann::json;

constexpr std::array<std::string_view, 5> kMigrationNames{"load", "util", "task", "misfit", "llc_task"};
constexpr std::array<std::string_view, 3> kFbqNames{"regular", "remote", "all"};
constexpr std::array<std::string_view, 3> kIdleNames{"not_idle", "idle", "newly_idle"};
constexpr int kMaxCpus = 4096;

struct FlagName {
  std::string_view name;
  std::uint32_t flag;
};
constexpr FlagName kFlagNames[] = {
    {"share_cpucapacity", kSdShareCpucapacity},
    {"share_llc", kSdShareLlc},
    {"asym_cpucapacity", kSdAsymCpucapacity},
    {"asym_packing", kSdAsymPacking},
    {"numa", kSdNuma},
    {"prefer_sibling", kSdPreferSibling},
    {"cluster", kSdCluster},
    {"serialize", kSdSerialize},
};

Diagnostic badWord(std::string_view key, std::string_view example) {
  return {Severity::Error,
          {},
          "the word in \"" + std::string(key) + "\" is not known",
          "for example \"" + std::string(example) + "\""};
}

/// Index of the word at `key` in `names`, or -1.
template <std::size_t kCount>
int indexOfWord(const json& object, const char* key, const std::array<std::string_view, kCount>& names) {
  const auto at = object.is_object() ? object.find(key) : object.end();
  if (!object.is_object() || at == object.end() || !at->is_string()) return -1;
  const auto found = std::ranges::find(names, at->template get<std::string>());
  return found == names.end() ? -1 : static_cast<int>(found - names.begin());
}

}  // namespace

Result<std::uint32_t> sdFlagsOfRecord(const json& names) {
  std::uint32_t flags = 0;
  if (!names.is_array()) return badWord("sd_flags", "share_llc");
  for (const json& name : names) {
    const auto at = std::ranges::find_if(
        kFlagNames, [&](const FlagName& f) { return name.is_string() && name.get<std::string>() == f.name; });
    if (at == std::end(kFlagNames)) return badWord("sd_flags", "share_llc");
    flags |= at->flag;
  }
  return flags;
}

Result<CpuIdleType> idleOfRecord(const json& object) {
  const int index = indexOfWord(object, "idle", kIdleNames);
  if (index < 0) return badWord("idle", "newly_idle");
  return static_cast<CpuIdleType>(index);
}

std::string_view migrationRecordName(MigrationType type) {
  return kMigrationNames[static_cast<std::size_t>(type)];
}

Result<MigrationType> migrationOfRecord(const json& object) {
  const int index = indexOfWord(object, "migration_type", kMigrationNames);
  if (index < 0) return badWord("migration_type", "load");
  return static_cast<MigrationType>(index);
}

Result<FbqType> fbqOfRecord(const json& object) {
  const int index = indexOfWord(object, "fbq_type", kFbqNames);
  if (index < 0) return badWord("fbq_type", "all");
  return static_cast<FbqType>(index);
}

std::string_view fbqRecordName(FbqType type) { return kFbqNames[static_cast<std::size_t>(type)]; }

void BalanceBench::pairSiblings() {
  SchedTopology& t = topology();
  t.smtActive = true;
  for (int cpu = 0; cpu < t.cpuLimit; ++cpu)
    for (int s = cpu & ~1; s <= (cpu | 1) && s < t.cpuLimit; ++s)
      t.smtMask[static_cast<std::size_t>(cpu)].set(CpuId{s});
}

void BalanceBench::addDomain(int dst, std::uint32_t flags, int imbalancePct,
                             const std::vector<HandTopology::GroupSpec>& groups, bool child,
                             std::uint32_t childFlags) {
  m_dst = CpuId{dst};
  if (child) {
    m_child = DomainId{topology().domains.size()};
    m_hand.addDomain({dst}, childFlags, imbalancePct, {groups.front()}, HandTopology::Ring::AsGiven);
  }
  m_domain = DomainId{topology().domains.size()};
  m_hand.addDomain({dst}, flags, imbalancePct, groups, HandTopology::Ring::AsGiven);
}

Machine& BalanceBench::machine() {
  if (!m_isMade) m_machine = handMachine(m_hand.finish(), m_profile);
  m_isMade = true;
  return m_machine;
}

void BalanceBench::setCapacity(std::size_t position, std::uint64_t capacity, std::uint64_t lowest,
                               std::uint64_t highest) {
  const auto set = [&](SchedGroupId id) {
    GroupCapacity& sgc = machine().capacities[topology().group(id).capacity.index()];
    sgc.capacity = capacity;
    sgc.minCapacity = lowest;
    sgc.maxCapacity = highest;
  };
  set(domain().groups[position]);
  if (position == 0 && m_child.isValid()) set(topology().domain(m_child).groups.front());
}

BalanceEnv BalanceBench::env(CpuIdleType idle) {
  machine();
  return BalanceEnv(m_context, m_domain, m_dst, idle);
}

Result<GroupRows> groupRowsOfRecord(const json& rows) {
  GroupRows out;
  for (const json& row : rows) {
    RecordReader in(row);
    HandTopology::GroupSpec spec;
    spec.cpus = in.list("cpus");
    spec.cores = static_cast<int>(in.number("cores", spec.cpus.size()));
    const auto flags = sdFlagsOfRecord(in.array("flags"));
    if (!in.ok()) return in.error();
    if (!flags) return flags.error();
    if (spec.cpus.empty()) return Diagnostic{Severity::Error, {}, "a group has no CPU", ""};
    spec.flags = flags.value();
    for (const int cpu : spec.cpus) out.cpuLimit = std::max(out.cpuLimit, cpu + 1);
    GroupCapacity sgc;
    sgc.capacity = in.number("capacity");
    sgc.minCapacity = in.number("min_capacity");
    sgc.maxCapacity = in.number("max_capacity");
    sgc.imbalance = in.flag("imbalance");
    out.preferCpu.push_back(static_cast<int>(in.integer("asym_prefer_cpu")));
    if (!in.ok()) return in.error();
    if (sgc.capacity == 0) return Diagnostic{Severity::Error, {}, "a group has no capacity", ""};
    if (out.preferCpu.back() < 0 || out.preferCpu.back() >= kMaxCpus)
      return Diagnostic{Severity::Error, {}, "asym_prefer_cpu is no CPU", ""};
    out.cpuLimit = std::max(out.cpuLimit, out.preferCpu.back() + 1);
    out.specs.push_back(std::move(spec));
    out.capacities.push_back(sgc);
  }
  if (out.specs.empty()) return Diagnostic{Severity::Error, {}, "there is no group", ""};
  if (out.cpuLimit > kMaxCpus) return Diagnostic{Severity::Error, {}, "a CPU number is too large", ""};
  return out;
}

void applyGroupRows(BalanceBench& bench, const GroupRows& rows, std::size_t first) {
  for (std::size_t i = 0; i < rows.specs.size(); ++i) {
    const GroupCapacity& sgc = rows.capacities[i];
    bench.group(first + i).asymPreferCpu = CpuId{rows.preferCpu[i]};
    bench.setCapacity(first + i, sgc.capacity, sgc.minCapacity, sgc.maxCapacity);
    bench.machine().capacities[bench.group(first + i).capacity.index()].imbalance = sgc.imbalance;
  }
}

int highestCpu(const json& rows) {
  int highest = -1;
  for (const json& row : rows)
    if (row.is_object() && row.contains("cpu") && row["cpu"].is_number_integer() && row["cpu"] < kMaxCpus)
      highest = std::max(highest, row["cpu"].get<int>());
  return highest;
}

Result<bool> layBalanceRows(BalanceBench& bench, const json& rows) {
  for (const json& row : rows) {
    if (auto laid = layCpuRow(bench.machine(), row); !laid) return laid;
    RecordReader in(row);
    const auto cpu = static_cast<std::size_t>(in.integer("cpu"));
    SchedTopology& t = bench.topology();
    t.cpuCapacity[cpu] = static_cast<std::uint32_t>(in.number("capacity_orig", 1024));
    t.asymPriority[cpu] = static_cast<int>(in.number("asym_prio", 0));
    if (in.has("llc")) t.cpus[cpu].llcId = CpuId{static_cast<std::int32_t>(in.number("llc"))};
    if (!in.ok()) return in.error();
  }
  return true;
}

Result<bool> layLlcRecord(DomainShared& shared, const json& object) {
  RecordReader in(object);
  shared.utilAvg = in.number("util");
  shared.capacity = in.number("capacity");
  if (!in.ok()) return in.error();
  return true;
}

}  // namespace rqscope
