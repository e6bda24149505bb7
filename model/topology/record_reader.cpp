// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>
#include <optional>
#include <sstream>

#include <fmt/format.h>

#include "topology/json_fields.h"
#include "topology/kernel_text.h"
#include "topology/offline_cpus.h"
#include "topology/topology_record.h"

namespace rqscope {
namespace {

using nlohmann::json;

constexpr int kMaxId = 65535;

class RecordReader {
 public:
  RecordReader(const json& record, const std::string& file)
      : m_record(record), m_file(file), m_top(record, "", file, m_faults) {}

  Result<Hardware> read() {
    if (m_top.text("schema") != kTopologyRecordSchema)
      m_top.fault("schema", "this is not a topology record", kTopologyRecordSchema);
    m_hw.name = m_top.text("id");
    m_hw.description = m_top.text("machine");
    m_hw.source = fmt::format("record {}", m_file);
    readRules();
    for (JsonFields& cpu : m_top.objects("cpus")) readCpu(cpu);
    std::stable_sort(m_hw.cpus.begin(), m_hw.cpus.end(),
                     [](const auto& a, const auto& b) { return a.id < b.id; });
    for (const HardwareCpu& cpu : m_hw.cpus)
      if (m_hw.asymPackingMc && !m_priorities.empty())
        m_hw.asymPriority.push_back(m_priorities.contains(cpu.id.value) ? m_priorities[cpu.id.value] : 0);
    readNuma();
    if (m_faults.empty()) readLists();
    if (m_faults.empty()) {
      for (const Diagnostic& d : checkHardware(m_hw)) m_faults.push_back(d);
      for (Diagnostic& d : m_faults) d.where.file = m_file;
    }
    if (!m_faults.empty()) return m_faults;
    placeOfflineCpus(m_hw);
    return std::move(m_hw);
  }

 private:
  // Keys beside the schema's own: records of other architectures than x86 say which rules apply.
  void readRules() {
    m_hw.rules =
        m_top.text("mask_rules", "x86") == "arch_topology" ? MaskRules::ArchTopology : MaskRules::X86;
    m_hw.clusterLevel = m_top.flag("cluster_level", true);
    m_hw.hybrid = m_top.flag("hybrid", false);
    m_hw.asymPackingMc = m_top.flag("itmt", false);
  }

  void readCpu(JsonFields& from) {
    HardwareCpu cpu;
    cpu.id = CpuId{static_cast<std::int32_t>(from.integer("id", -1, 0, kMaxId))};
    cpu.online = from.flag("online", true);
    const auto number = [&](const char* key, int ifAbsent) {
      return static_cast<int>(from.integer(key, ifAbsent, -1, 1 << 30));
    };
    if (cpu.online) {
      cpu.package = number("package", 0);
      cpu.die = number("die", 0);
      cpu.cluster = number("cluster", -1);
      cpu.core = number("core", 0);
      cpu.threadSiblings = from.cpuList("thread_siblings");
      cpu.clusterCpus = from.cpuList("cluster_cpus");
      cpu.dieCpus = from.cpuList("die_cpus");
      cpu.packageCpus = from.cpuList("package_cpus");
      cpu.node = NodeId{number("node", 0)};
      for (JsonFields& cache : from.objects("caches")) readCache(cache, cpu);
    }
    cpu.capacity = static_cast<std::uint32_t>(from.integer("capacity", 1024, 1, 1024));
    cpu.throughput = cpu.capacity;
    if (from.has("asym_priority")) m_priorities[cpu.id.value] = number("asym_priority", 0);
    m_hw.cpus.push_back(std::move(cpu));
  }

  static void readCache(JsonFields& from, HardwareCpu& cpu) {
    HardwareCache cache;
    cache.level = static_cast<int>(from.integer("level", 1, 1, 9));
    cache.type = from.text("type", "Unified");
    cache.sizeBytes = parseSizeBytes(from.text("size"));
    cache.id = static_cast<int>(from.integer("id", -1, -1, std::int64_t{1} << 31));
    cache.shared = from.cpuList("shared");
    cpu.caches.push_back(std::move(cache));
  }

  void readNuma() {
    const json* numa = m_top.find("numa");
    if (numa == nullptr) return;
    JsonFields fields(*numa, "numa", m_file, m_faults);
    m_hw.reclaimDistance = static_cast<int>(fields.integer("node_reclaim_distance", 30, 10, 255));
    const bool saysMemory = fields.has("has_memory");
    const CpuMask withMemory = fields.cpuList("has_memory");
    for (JsonFields& from : fields.objects("nodes")) {
      HardwareNode node;
      node.id = NodeId{static_cast<std::int32_t>(from.integer("id", -1, 0, kMaxId))};
      node.cpus = from.cpuList("cpulist");
      node.distance = from.integers("distance", 0, 1 << 20);
      node.hasMemory = !saysMemory || (node.id.isValid() && withMemory.test(CpuId{node.id.value}));
      m_hw.nodes.push_back(std::move(node));
    }
  }

  void readLists() {
    std::istringstream words(m_top.text("cmdline"));
    CpuMask isolcpus;
    for (std::string word; words >> word;) {
      if (word.starts_with("isolcpus=")) isolcpus |= isolcpusDomain(word.substr(9));
      if (word.starts_with("relax_domain_level=")) m_hw.relaxDomainLevel = std::atoi(word.c_str() + 19);
      if (word.starts_with("rig_off=")) readUnplugged(word.substr(8));
    }
    readCpuset();
    if (const json* lists = m_top.find("cpu_lists")) {
      JsonFields fields(*lists, "cpu_lists", m_file, m_faults);
      m_hw.isolated = fields.cpuList("isolated");
    }
    for (const CpusetPartition& part : m_hw.partitions)
      if (part.isolated) m_hw.isolated -= part.cpus;
    m_hw.isolated |= isolcpus;
  }

  // CPUs taken offline one by one after boot, in the order given.
  void readUnplugged(const std::string& list) {
    std::istringstream parts(list);
    for (std::string part; std::getline(parts, part, ',');)
      if (auto mask = CpuMask::parseList(part); mask.ok())
        mask.value().forEach([&](CpuId c) { m_hw.unpluggedAfterBoot.push_back(c); });
  }

  // Keys are "<group>/cpuset.cpus" and "<group>/cpuset.cpus.partition".
  void readCpuset() {
    const json* cpuset = m_top.find("cpuset");
    if (cpuset == nullptr || !cpuset->is_object()) return;
    JsonFields fields(*cpuset, "cpuset", m_file, m_faults);
    static constexpr std::string_view kPartitionKey = "/cpuset.cpus.partition";
    for (const auto& [key, value] : cpuset->items()) {
      if (!key.ends_with(kPartitionKey) || !value.is_string()) continue;
      const auto state = value.get<std::string>();
      if (state != "root" && state != "isolated") continue;  // "member", "root invalid (...)"
      const std::string group = key.substr(0, key.size() - kPartitionKey.size());
      m_hw.partitions.push_back({fields.cpuList((group + "/cpuset.cpus").c_str()), state == "isolated"});
    }
  }

  const json& m_record;
  const std::string& m_file;
  std::vector<Diagnostic> m_faults;
  JsonFields m_top;
  Hardware m_hw;
  std::map<int, int> m_priorities;
};

}  // namespace

Result<Hardware> hardwareFromRecord(const json& record, const std::string& file) {
  return RecordReader(record, file).read();
}

std::string profileNameOfRelease(const std::string& release) {
  int major = 0;
  int minor = 0;
  const auto [end, ec] = std::from_chars(release.data(), release.data() + release.size(), major);
  if (ec == std::errc{} && end < release.data() + release.size())
    std::from_chars(end + 1, release.data() + release.size(), minor);
  const int version = major * 1000 + minor;
  if (version < 6007) return "v6.1";  // SD_CLUSTER and the name PKG came with v6.7
  return version < 6019 ? "v6.12" : "v7.3";
}

}  // namespace rqscope
