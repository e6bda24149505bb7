// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "topology/machine_file.h"

namespace rqscope {
namespace {

using nlohmann::ordered_json;

/// JSON text; bytes that are no UTF-8 (names out of foreign files) are replaced.
std::string dumped(const ordered_json& value) {
  return value.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

/// The cores of one entry of a machine file: all alike, one after the other.
struct Run {
  CpuMask cpus;
  CpuId last;
  ordered_json keys;  ///< without "cpus"
};

class MachineWriter {
 public:
  explicit MachineWriter(const Hardware& hw) : m_hw(hw) {}

  std::string text() {
    options();
    for (const HardwareCpu& cpu : m_hw.cpus)
      if (core(cpu).first() == cpu.id) addCore(cpu);
    std::string out = "{\n";
    for (const auto& [key, value] : m_top.items())
      out += fmt::format("  {}: {},\n", dumped(ordered_json(key)), dumped(value));
    out += rows("distances", distances()) + rows("energy", energy()) + rows("cpus", entries()) +
           rows("attributes", m_attributes);
    out.erase(out.size() - 2);
    return out + "\n}\n";
  }

 private:
  void options() {
    m_top["schema"] = "rqscope-machine/1";
    m_top["name"] = m_hw.name;
    m_top["description"] = m_hw.description;
    m_top["source"] = m_hw.source;
    if (m_hw.rules == MaskRules::ArchTopology) m_top["rules"] = "arch_topology";
    if (!m_hw.clusterLevel) m_top["cluster_level"] = false;
    if (m_hw.hybrid) m_top["hybrid"] = true;
    if (m_hw.asymPackingMc) m_top["itmt"] = true;
    if (m_hw.dropPackageLevel) m_top["drop_package_level"] = true;
    if (m_hw.reclaimDistance != 30) m_top["reclaim_distance"] = m_hw.reclaimDistance;
    if (m_hw.relaxDomainLevel >= 0) m_top["relax_domain_level"] = m_hw.relaxDomainLevel;
    if (!m_hw.isolated.isEmpty()) m_top["isolated"] = m_hw.isolated.list();
    CpuMask offline;
    for (const HardwareCpu& cpu : m_hw.cpus)
      if (!cpu.online) offline.set(cpu.id);
    if (!offline.isEmpty()) m_top["offline"] = offline.list();
    for (const CpuId c : m_hw.unpluggedAfterBoot) m_top["unplugged_after_boot"].push_back(c.value);
    for (const CpusetPartition& part : m_hw.partitions)
      m_top["partitions"].push_back({{"cpus", part.cpus.list()}, {"isolated", part.isolated}});
    for (const HardwareNode& node : m_hw.nodes) {
      m_top["node_ids"].push_back(node.id.value);
      if (!node.hasMemory) m_top["memoryless_nodes"].push_back(node.id.value);
    }
  }

  static CpuMask core(const HardwareCpu& cpu) {
    CpuMask mask = cpu.threadSiblings;
    mask.set(cpu.id);
    return mask;
  }

  static const HardwareCache* cacheOf(const HardwareCpu& cpu, int level) {
    for (const HardwareCache& cache : cpu.caches)
      if (cache.level == level && cache.type != "Instruction") return &cache;
    return nullptr;
  }

  /// Number of a mask, by first appearance.
  static int numberOf(std::map<std::string, int>& numbers, const CpuMask& mask) {
    return numbers.emplace(mask.list(), static_cast<int>(numbers.size())).first->second;
  }

  void addCore(const HardwareCpu& cpu) {
    const CpuMask cpus = core(cpu);
    Run run;
    run.cpus = cpus;
    ordered_json& k = run.keys;
    k["package"] = cpu.package;
    if (cpu.die != 0) k["die"] = cpu.die;
    k["node"] = cpu.node.value;
    if (m_hw.rules == MaskRules::ArchTopology && cpu.cluster >= 0) k["cluster"] = cpu.cluster;
    if (cpus.weight() > 1) k["threads"] = cpus.weight();
    setCaches(cpu, cpus, run);
    setAttributes(cpu, k);
    addOddThreads(cpu, cpus);
    for (CpuId c = cpus.first(); c.isValid(); c = cpus.next(c)) run.last = c;
    const bool isNeighbour = run.last.value - cpus.first().value + 1 == cpus.weight();
    Run* before = m_runs.empty() ? nullptr : &m_runs.back();
    if (before != nullptr && isNeighbour && before->last.value + 1 == cpus.first().value &&
        before->keys == k) {
      before->cpus |= cpus;
      before->last = run.last;
    } else {
      if (!isNeighbour) run.last = CpuId{-2};  // never continued
      m_runs.push_back(std::move(run));
    }
  }

  /// An entry has one set of attributes for its cores: threads with others are said apart.
  void addOddThreads(const HardwareCpu& first, const CpuMask& cpus) {
    ordered_json like;
    setAttributes(first, like);
    cpus.forEach([&](CpuId id) {
      const HardwareCpu* cpu = m_hw.find(id);
      if (cpu == nullptr || cpu == &first) return;
      ordered_json own;
      setAttributes(*cpu, own);
      if (own == like) return;
      ordered_json entry;
      entry["cpus"] = CpuMask::of(id).list();
      entry["capacity"] = cpu->capacity;
      entry["throughput"] = cpu->throughput;
      entry["max_khz"] = cpu->maxFrequencyKhz;
      entry["kind"] = cpu->kind;
      if (own.contains("priority")) entry["priority"] = own["priority"];
      m_attributes.push_back(std::move(entry));
    });
  }

  void setCaches(const HardwareCpu& cpu, const CpuMask& cpus, Run& run) {
    ordered_json& k = run.keys;
    if (cpu.caches.empty()) {
      k["caches"] = false;
      return;
    }
    const HardwareCache* l1 = cacheOf(cpu, 1);
    const HardwareCache* l2 = cacheOf(cpu, 2);
    const HardwareCache* l3 = cacheOf(cpu, 3);
    k["llc"] = l3 == nullptr ? -1 : numberOf(m_llcs, l3->shared);
    if (l1 != nullptr)
      k["l1_kb"] = l1->sizeBytes >> 10;
    else
      k["l1"] = false;
    if (l3 != nullptr) k["l3_kb"] = l3->sizeBytes >> 10;
    if (l2 == nullptr) {
      k["l2"] = false;
      return;
    }
    k["l2_kb"] = l2->sizeBytes >> 10;
    // On x86 the cluster mask is what the level 2 cache is for, and may say more than the cache's own mask.
    const bool isCluster = m_hw.rules == MaskRules::X86 && !cpu.clusterCpus.isEmpty();
    const CpuMask shared = isCluster ? cpu.clusterCpus : l2->shared;
    if (shared != cpus) k["l2_id"] = numberOf(m_l2s, shared);
  }

  void setAttributes(const HardwareCpu& cpu, ordered_json& k) const {
    if (cpu.capacity != 1024) k["capacity"] = cpu.capacity;
    if (cpu.throughput != cpu.capacity) k["throughput"] = cpu.throughput;
    if (cpu.maxFrequencyKhz != 0) k["max_khz"] = cpu.maxFrequencyKhz;
    if (!cpu.kind.empty()) k["kind"] = cpu.kind;
    const auto position = static_cast<std::size_t>(&cpu - m_hw.cpus.data());
    if (position < m_hw.asymPriority.size()) k["priority"] = m_hw.asymPriority[position];
  }

  std::vector<ordered_json> distances() const {
    std::vector<ordered_json> out;
    for (std::size_t a = 0; a < m_hw.nodes.size(); ++a) {
      ordered_json row = ordered_json::array();
      for (std::size_t b = 0; b < m_hw.nodes.size(); ++b) row.push_back(m_hw.distance(a, b));
      out.push_back(std::move(row));
    }
    return out;
  }

  std::vector<ordered_json> entries() const {
    std::vector<ordered_json> out;
    for (const Run& run : m_runs) {
      ordered_json entry;
      entry["cpus"] = run.cpus.list();
      for (const auto& [key, value] : run.keys.items()) entry[key] = value;
      out.push_back(std::move(entry));
    }
    return out;
  }

  std::vector<ordered_json> energy() const {
    std::vector<ordered_json> out;
    for (const EnergyDomain& domain : m_hw.energy) {
      ordered_json entry;
      entry["cpus"] = domain.cpus.list();
      entry["states"] = ordered_json::array();
      for (const EnergyState& state : domain.states) {
        ordered_json s;
        if (state.frequencyKhz != 0) s["khz"] = state.frequencyKhz;
        s["capacity"] = state.performance;
        s["power"] = state.power;
        entry["states"].push_back(std::move(s));
      }
      out.push_back(std::move(entry));
    }
    return out;
  }

  static std::string rows(const char* key, const std::vector<ordered_json>& list) {
    if (list.empty()) return "";
    std::string out = fmt::format("  \"{}\": [\n", key);
    for (std::size_t i = 0; i < list.size(); ++i)
      out += fmt::format("    {}{}\n", dumped(list[i]), i + 1 < list.size() ? "," : "");
    return out + "  ],\n";
  }

  const Hardware& m_hw;
  ordered_json m_top;
  std::vector<Run> m_runs;
  std::vector<ordered_json> m_attributes;
  std::map<std::string, int> m_llcs, m_l2s;
};

}  // namespace

std::string writeMachineJson(const Hardware& hardware) { return MachineWriter(hardware).text(); }

}  // namespace rqscope
