// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include "topology/topology_record.h"

namespace rqscope {
namespace {

using nlohmann::json;

const char* numaTypeName(SchedTopology::NumaType type) {
  switch (type) {
    case SchedTopology::NumaType::Direct:
      return "NUMA_DIRECT";
    case SchedTopology::NumaType::GluelessMesh:
      return "NUMA_GLUELESS_MESH";
    case SchedTopology::NumaType::Backplane:
      return "NUMA_BACKPLANE";
  }
  return "";
}

json domainIndex(const SchedTopology& topology, DomainId id) {
  return id.isValid() ? json(topology.domain(id).index) : json(nullptr);
}

json cacheRecord(const HardwareCache& cache, const CpuMask& online) {
  return {{"level", cache.level},
          {"type", cache.type},
          {"size", fmt::format("{}K", cache.sizeBytes >> 10)},
          {"id", cache.id},
          {"shared", (cache.shared & online).list()}};
}

json cpuRecord(const SchedTopology& t, const HardwareCpu& cpu, KernelVersion version) {
  if (!cpu.online) return {{"id", cpu.id.value}, {"online", false}};
  const CpuDomains& d = t.cpus[cpu.id.index()];
  const auto list = [&](const CpuMask& mask) { return (mask & t.online).list(); };
  json out = {{"id", cpu.id.value},
              {"online", true},
              {"package", cpu.package},
              {"die", cpu.die},
              {"cluster", cpu.cluster < 0 ? json(nullptr) : json(cpu.cluster)},
              {"core", cpu.core},
              {"thread_siblings", list(cpu.threadSiblings)},
              {"cluster_cpus", list(cpu.clusterCpus)},
              {"die_cpus", list(cpu.dieCpus)},
              {"package_cpus", list(cpu.packageCpus)},
              {"caches", json::array()},
              {"node", cpu.node.value},
              {"llc_id", d.llcId.value},
              {"llc_size", d.llcSize},
              {"sd_llc", domainIndex(t, d.sdLlc)},
              {"sd_numa", domainIndex(t, d.sdNuma)},
              {"sd_asym_packing", domainIndex(t, d.sdAsymPacking)}};
  for (const HardwareCache& cache : cpu.caches) out["caches"].push_back(cacheRecord(cache, t.online));
  if (version != KernelVersion::V6_1) out["sd_share_id"] = d.shareId.value;
  if (cpu.capacity != 1024) out["capacity"] = cpu.capacity;
  if (!t.hardware.asymPriority.empty()) out["asym_priority"] = t.asymPriority[cpu.id.index()];
  const CpuMask& root = t.rootDomains[d.rootDomain.index()];
  out["root_domain_span"] = out["root_domain_online"] = root.list();
  return out;
}

json numaRecord(const SchedTopology& t) {
  json nodes = json::array();
  CpuMask all, withCpu, withMemory;
  for (std::size_t n = 0; n < t.hardware.nodes.size(); ++n) {
    const HardwareNode& node = t.hardware.nodes[n];
    json row = json::array();
    for (std::size_t m = 0; m < t.hardware.nodes.size(); ++m) row.push_back(t.hardware.distance(n, m));
    nodes.push_back({{"id", node.id.value}, {"cpulist", (node.cpus & t.online).list()}, {"distance", row}});
    all.set(CpuId{node.id.value});
    if (node.cpus.intersects(t.online)) withCpu.set(CpuId{node.id.value});
    if (node.hasMemory) withMemory.set(CpuId{node.id.value});
  }
  return {{"nodes", nodes},
          {"online", all.list()},
          {"has_cpu", withCpu.list()},
          {"has_memory", withMemory.list()},
          {"topology_type", numaTypeName(t.numaType)},
          {"max_distance", t.maxDistance},
          {"node_reclaim_distance", t.hardware.reclaimDistance},
          {"level_distances", t.levelDistances}};
}

json groupRecord(const SchedTopology& t, std::size_t id, KernelVersion version) {
  const SchedGroup& g = t.groups[id];
  std::uint64_t nominal = 0;
  for (const CpuId c : g.cpus) nominal += t.cpuCapacity[c.index()];
  json out = {{"id", id},
              {"span", g.span.list()},
              {"balance_mask", g.balanceMask.list()},
              {"weight", g.weight},
              {"flags_hex", fmt::format("{:#x}", sdFlagBits(g.flags, version))},
              {"asym_prefer_cpu", g.asymPreferCpu.isValid() ? g.asymPreferCpu.value : 0},
              {"sgc", g.capacity.value},
              {"sgc_id", g.balanceMask.first().value},
              {"capacity_nominal", nominal}};
  out["cores"] = version == KernelVersion::V6_1 ? json(nullptr) : json(g.cores);  // v6.1 does not count them
  return out;
}

json domainRecord(const SchedTopology& t, const SchedDomain& sd, KernelVersion version) {
  json groups = json::array();
  for (const SchedGroupId g : sd.groups) groups.push_back(g.value);
  json out = {{"cpu", sd.cpu.value},
              {"index", sd.index},
              {"name", sd.name},
              {"level", sd.level},
              {"span", sd.span.list()},
              {"span_weight", sd.spanWeight},
              {"flags", sdFlagNames(sd.flags, version)},
              {"flags_hex", fmt::format("{:#x}", sdFlagBits(sd.flags, version))},
              {"groups", groups},
              {"imbalance_pct", sd.imbalancePct},
              {"busy_factor", sd.busyFactor},
              {"min_interval_ms", sd.minIntervalMs},
              {"max_interval_ms", sd.maxIntervalMs},
              {"cache_nice_tries", sd.cacheNiceTries},
              {"imb_numa_nr", sd.imbNumaNr},
              {"shared", sd.shared.isValid() ? json(sd.shared.value) : json(nullptr)}};
  if (version != KernelVersion::V6_1)
    out["groups_flags"] = sdFlagNames(t.group(sd.groups.front()).flags, version);
  return out;
}

void addRules(json& record, const Hardware& hw) {
  if (hw.rules == MaskRules::ArchTopology) record["mask_rules"] = "arch_topology";
  if (!hw.clusterLevel) record["cluster_level"] = false;
  if (hw.hybrid) record["hybrid"] = true;
  if (hw.asymPackingMc) record["itmt"] = true;
  std::string cmdline;
  if (!hw.isolated.isEmpty()) cmdline += fmt::format(" isolcpus={}", hw.isolated.list());
  if (hw.relaxDomainLevel >= 0) cmdline += fmt::format(" relax_domain_level={}", hw.relaxDomainLevel);
  if (!hw.unpluggedAfterBoot.empty()) {
    cmdline += " rig_off=";
    for (const CpuId c : hw.unpluggedAfterBoot) cmdline += fmt::format("{},", c.value);
    cmdline.pop_back();
  }
  record["cmdline"] = cmdline.empty() ? "" : cmdline.substr(1);
  for (std::size_t i = 0; i < hw.partitions.size(); ++i) {
    const std::string group = fmt::format("part{}", i);
    record["cpuset"][group + "/cpuset.cpus"] = hw.partitions[i].cpus.list();
    record["cpuset"][group + "/cpuset.cpus.partition"] = hw.partitions[i].isolated ? "isolated" : "root";
  }
}

}  // namespace

json topologyRecord(const SchedTopology& topology, const KernelProfile& profile) {
  const Hardware& hw = topology.hardware;
  json record = {{"schema", kTopologyRecordSchema},
                 {"id", hw.name},
                 {"machine", hw.description},
                 {"kernel", {{"release", profile.name.substr(1)}, {"version", "as the model builds it"}}},
                 {"cpus", json::array()},
                 {"groups", json::array()},
                 {"domains", json::array()}};
  addRules(record, hw);
  CpuMask possible;
  for (const HardwareCpu& cpu : hw.cpus) {
    possible.set(cpu.id);
    record["cpus"].push_back(cpuRecord(topology, cpu, profile.version));
  }
  record["cpu_lists"] = {{"possible", possible.list()},
                         {"present", possible.list()},
                         {"online", topology.online.list()},
                         {"offline", (possible - topology.online).list()},
                         {"isolated", hw.isolated.list()}};
  record["numa"] = numaRecord(topology);
  for (std::size_t g = 0; g < topology.groups.size(); ++g)
    record["groups"].push_back(groupRecord(topology, g, profile.version));
  for (const SchedDomain& sd : topology.domains)
    record["domains"].push_back(domainRecord(topology, sd, profile.version));
  return record;
}

}  // namespace rqscope
