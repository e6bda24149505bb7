// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "topology/sysfs_reader.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <sstream>

#include <fmt/format.h>

#include "topology/cpu_place.h"
#include "topology/kernel_text.h"
#include "topology/machine_notes.h"
#include "topology/node_cpus.h"
#include "topology/offline_cpus.h"

namespace rqscope {
namespace {

const std::string kCpuRoot = "sys/devices/system/cpu/";
const std::string kNodeRoot = "sys/devices/system/node/";

/// "cpu12" with prefix "cpu" -> 12; nothing for other names.
std::optional<int> numberAfter(std::string_view name, std::string_view prefix) {
  if (!name.starts_with(prefix)) return std::nullopt;
  name.remove_prefix(prefix.size());
  int value = 0;
  const auto [end, ec] = std::from_chars(name.data(), name.data() + name.size(), value);
  if (ec != std::errc{} || end != name.data() + name.size() || value < 0) return std::nullopt;
  return value;
}

class SysfsReader {
 public:
  SysfsReader(const FileTree& tree, const std::string& file) : m_tree(tree), m_file(file) {}

  Result<Hardware> read(const std::stop_token& stop) {
    m_hw.name = "imported";
    m_hw.source = m_file;
    readIdentity();
    std::set<int> ids = entries(kCpuRoot, "cpu");
    // Offline CPUs may have left no file in a dump; "present" still names them.
    mask(kCpuRoot + "present", "").forEach([&](CpuId c) { ids.insert(c.value); });
    for (const int id : ids) {
      if (stop.stop_requested())
        return Diagnostic{Severity::Error, {m_file, 0, 0}, "reading was given up", ""};
      readCpu(CpuId{id});
    }
    if (m_hw.cpus.empty())
      return Diagnostic{Severity::Error, {m_file, 0, 0}, "this dump of /sys names no CPU", ""};
    readNodes();
    readIsolated();
    if (m_error) return *m_error;
    fillGaps();
    placeOfflineCpus(m_hw);
    auto faults = checkHardware(m_hw);
    for (Diagnostic& d : faults) d.where.file = m_file;
    if (!faults.empty()) return faults;
    return std::move(m_hw);
  }

 private:
  /// Numbers N of files or folders "prefixN" directly below the folder, ascending.
  std::set<int> entries(const std::string& folder, std::string_view prefix) const {
    std::set<int> out;
    for (auto it = m_tree.files().lower_bound(folder); it != m_tree.files().end(); ++it) {
      if (!it->first.starts_with(folder)) break;
      std::string_view rest = std::string_view(it->first).substr(folder.size());
      if (const auto n = numberAfter(rest.substr(0, rest.find('/')), prefix)) out.insert(*n);
    }
    return out;
  }

  std::optional<int> integer(const std::string& path) {
    const auto text = m_tree.text(path);
    if (!text) return std::nullopt;
    int value = 0;
    const auto [end, ec] = std::from_chars(text->data(), text->data() + text->size(), value);
    if (ec == std::errc{} && end == text->data() + text->size()) return value;
    fail(path, fmt::format("\"{}\" is not a number", text->substr(0, 40)));
    return std::nullopt;
  }

  /// A CPU set under `list` (list format) or `map` (hexadecimal); empty when neither exists.
  CpuMask mask(const std::string& list, const std::string& map) {
    if (const auto text = m_tree.text(list)) {
      auto parsed = CpuMask::parseList(*text);
      if (parsed.ok()) return std::move(parsed).value();
      fail(list, parsed.error().message);
    } else if (const auto hex = m_tree.text(map)) {
      auto parsed = parseCpuMaskHex(*hex);
      if (parsed.ok()) return std::move(parsed).value();
      fail(map, parsed.error().message);
    }
    return {};
  }

  CpuMask topologyMask(const std::string& folder, const char* name, const char* oldName) {
    CpuMask out = mask(folder + name + "_list", folder + name);
    return out.isEmpty() ? mask(folder + oldName + "_list", folder + oldName) : out;
  }

  // Who computes the masks, vendor and family, from /proc/cpuinfo.
  void readIdentity() {
    const std::string& info = m_tree.raw("proc/cpuinfo");
    const bool isX86 = info.find("vendor_id") != std::string::npos && info.find("S390") == std::string::npos;
    m_hw.rules = info.empty() || isX86 ? MaskRules::X86 : MaskRules::ArchTopology;
    m_isAmd =
        info.find("AuthenticAMD") != std::string::npos || info.find("HygonGenuine") != std::string::npos;
    m_model = cpuInfo(info, "model name");
    if (m_model.empty()) m_model = cpuInfo(info, "Model");
    int family = 0;
    const std::string text = cpuInfo(info, "cpu family");
    std::from_chars(text.data(), text.data() + text.size(), family);
    if (m_isAmd && family >= 0x17) {
      m_hw.reclaimDistance = 32;
      m_hw.notes.push_back("node_reclaim_distance is 32, as the kernel sets it on AMD Zen");
    }
    if (info.empty()) m_hw.notes.push_back("no /proc/cpuinfo: an x86 machine is assumed");
    if (info.find("S390") != std::string::npos || info.find("POWER") != std::string::npos)
      m_hw.notes.push_back("a kernel of this architecture has levels of its own: those of Arm are taken");
    m_online = mask(kCpuRoot + "online", "");
    m_knowsOnline = m_tree.text(kCpuRoot + "online").has_value();
  }

  static std::string cpuInfo(const std::string& info, const std::string& key) {
    std::istringstream lines(info);
    for (std::string line; std::getline(lines, line);) {
      const auto colon = line.find(':');
      if (!line.starts_with(key) || colon == std::string::npos) continue;
      const auto start = line.find_first_not_of(" \t", colon + 1);
      return start == std::string::npos ? "" : line.substr(start);
    }
    return {};
  }

  void readCpu(CpuId id) {
    const std::string folder = fmt::format("{}cpu{}/", kCpuRoot, id.value);
    const std::string topology = folder + "topology/";
    HardwareCpu cpu;
    cpu.id = id;
    cpu.online = isOnline(id, folder);
    cpu.threadSiblings = topologyMask(topology, "core_cpus", "thread_siblings");
    cpu.packageCpus = topologyMask(topology, "package_cpus", "core_siblings");
    cpu.dieCpus = topologyMask(topology, "die_cpus", "die_cpus");
    cpu.clusterCpus = topologyMask(topology, "cluster_cpus", "cluster_cpus");
    cpu.package = std::max(0, integer(topology + "physical_package_id").value_or(0));
    cpu.die = std::max(0, integer(topology + "die_id").value_or(0));
    cpu.core = std::max(0, integer(topology + "core_id").value_or(id.value));
    const int cluster = integer(topology + "cluster_id").value_or(-1);
    cpu.cluster = cluster == 65535 ? -1 : cluster;
    m_knowsClusters = m_knowsClusters || m_tree.has(topology + "cluster_cpus_list") ||
                      m_tree.has(topology + "cluster_cpus");
    if (cpu.cluster < 0 && m_hw.rules == MaskRules::ArchTopology) cpu.clusterCpus = {};
    for (const int index : entries(folder + "cache/", "index"))
      readCache(fmt::format("{}cache/index{}/", folder, index), cpu);
    readSpeed(folder, cpu);
    m_hw.cpus.push_back(std::move(cpu));
  }

  bool isOnline(CpuId id, const std::string& folder) {
    if (m_knowsOnline) return m_online.test(id);
    if (const auto text = m_tree.text(folder + "online")) return *text != "0";
    return m_tree.hasUnder(folder + "topology") || !m_tree.hasUnder(kCpuRoot + "cpu0/topology");
  }

  void readCache(const std::string& folder, HardwareCpu& cpu) {
    HardwareCache cache;
    cache.level = integer(folder + "level").value_or(0);
    cache.type = m_tree.text(folder + "type").value_or("");
    if (cache.type.empty()) cache.type = "Unified";
    if (cache.type != "Unified" && cache.type != "Data" && cache.type != "Instruction")
      fail(folder + "type",
           fmt::format("\"{}\" is none of Data, Instruction, Unified", cache.type.substr(0, 40)));
    cache.sizeBytes = parseSizeBytes(m_tree.text(folder + "size").value_or(""));
    cache.id = integer(folder + "id").value_or(-1);
    cache.shared = mask(folder + "shared_cpu_list", folder + "shared_cpu_map");
    if (cache.shared.isEmpty()) cache.shared.set(cpu.id);
    if (cache.level > 0) cpu.caches.push_back(std::move(cache));
  }

  void readSpeed(const std::string& folder, HardwareCpu& cpu) {
    if (const auto capacity = integer(folder + "cpu_capacity")) {
      m_knowsCapacity = true;
      cpu.capacity = static_cast<std::uint32_t>(std::clamp(*capacity, 1, 1024));
      cpu.throughput = cpu.capacity;
    }
    if (const auto khz = integer(folder + "cpufreq/cpuinfo_max_freq"))
      cpu.maxFrequencyKhz = static_cast<std::uint64_t>(std::max(0, *khz));
    if (const auto perf = integer(folder + "acpi_cppc/highest_perf")) m_highestPerf[cpu.id.value] = *perf;
  }

  void readNodes() {
    const CpuMask withMemory = mask(kNodeRoot + "has_memory", "");
    const bool saysMemory = m_tree.has(kNodeRoot + "has_memory");
    for (const int id : entries(kNodeRoot, "node")) {
      const std::string folder = fmt::format("{}node{}/", kNodeRoot, id);
      HardwareNode node;
      node.id = NodeId{id};
      node.cpus = mask(folder + "cpulist", folder + "cpumap");
      if (!m_tree.has(folder + "cpulist") && !m_tree.has(folder + "cpumap"))
        for (const int cpu : entries(folder, "cpu")) node.cpus.set(CpuId{cpu});
      std::istringstream row(m_tree.text(folder + "distance").value_or(""));
      for (int d = 0; row >> d;) node.distance.push_back(d);
      node.hasMemory = !saysMemory || withMemory.test(CpuId{id});
      m_hw.nodes.push_back(std::move(node));
    }
    if (m_hw.nodes.empty()) {
      HardwareNode node;
      node.id = NodeId{0};
      for (const HardwareCpu& cpu : m_hw.cpus) node.cpus.set(cpu.id);
      m_hw.nodes.push_back(std::move(node));
      m_hw.notes.push_back("no NUMA node is described: all CPUs are in node 0");
    }
    settleNodeCpus(m_hw, nodesOfCpuFolders());
    if (m_hw.nodes.size() == 1 && isOutOfRange(m_hw.nodes.front().distance)) {
      m_hw.nodes.front().distance.clear();
      m_hw.notes.push_back("the distance of the only node to itself is out of range: left out");
    }
    if (m_hw.nodes.size() > 1 && m_hw.nodes.front().distance.empty())
      m_hw.notes.push_back("no node distances: 10 to itself and 20 to others, the kernel's default");
  }

  /// The node that a link in a CPU's own folder names.
  std::map<int, int> nodesOfCpuFolders() const {
    std::map<int, int> out;
    for (const HardwareCpu& cpu : m_hw.cpus) {
      const std::set<int> nodes = entries(fmt::format("{}cpu{}/", kCpuRoot, cpu.id.value), "node");
      if (nodes.size() == 1) out[cpu.id.value] = *nodes.begin();
    }
    return out;
  }

  static bool isOutOfRange(const std::vector<int>& row) {
    return std::any_of(row.begin(), row.end(), [](int d) { return d < 10 || d > 255; });
  }

  void readIsolated() {
    m_hw.isolated = mask(kCpuRoot + "isolated", "");
    std::istringstream words(m_tree.raw("proc/cmdline"));
    for (std::string word; words >> word;) {
      if (word.starts_with("isolcpus=")) m_hw.isolated |= isolcpusDomain(word.substr(9));
      if (word.starts_with("relax_domain_level=")) m_hw.relaxDomainLevel = std::atoi(word.c_str() + 19);
    }
  }

  void fillGaps() {
    MachineGaps gaps;
    gaps.knowsClusters = m_knowsClusters;
    fillMachineGaps(m_hw, gaps);
    readKinds();
    readItmt();
    if (m_hw.rules == MaskRules::ArchTopology && !m_knowsCapacity)
      m_hw.notes.push_back("no cpu_capacity: every CPU counts as 1024, as without a device tree");
    m_hw.description = fmt::format("{}{}{} CPUs", m_model, m_model.empty() ? "" : ", ", m_hw.cpus.size());
  }

  // Hybrid x86: which CPUs are P and which are E cores.
  void readKinds() {
    const CpuMask p = mask("sys/devices/cpu_core/cpus", "");
    const CpuMask e = mask("sys/devices/cpu_atom/cpus", "");
    if (p.isEmpty() || e.isEmpty()) return;
    m_hw.hybrid = true;
    for (HardwareCpu& cpu : m_hw.cpus) cpu.kind = p.test(cpu.id) ? "P" : e.test(cpu.id) ? "E" : "";
  }

  // Intel turns ITMT on when CPUs have different highest performance.
  void readItmt() {
    std::set<int> values;
    for (const auto& [cpu, perf] : m_highestPerf) values.insert(perf);
    const auto enabled = m_tree.text("proc/sys/kernel/sched_itmt_enabled");
    if (m_hw.rules != MaskRules::X86 || m_highestPerf.size() != m_hw.cpus.size() || values.size() < 2) return;
    if (enabled ? *enabled == "0" : m_isAmd) return;
    m_hw.asymPackingMc = true;
    for (const auto& [cpu, perf] : m_highestPerf) m_hw.asymPriority.push_back(perf);
    if (!enabled)
      m_hw.notes.push_back("ITMT is taken to be on, as acpi_cppc/highest_perf differs between CPUs");
  }

  void fail(const std::string& path, std::string message) {
    if (!m_error)
      m_error = Diagnostic{Severity::Error, {m_file, 0, 0}, fmt::format("{}: {}", path, message), ""};
  }

  const FileTree& m_tree;
  const std::string& m_file;
  Hardware m_hw;
  CpuMask m_online;
  std::string m_model;
  std::map<int, int> m_highestPerf;
  bool m_isAmd = false, m_knowsOnline = false, m_knowsClusters = false, m_knowsCapacity = false;
  std::optional<Diagnostic> m_error;
};

}  // namespace

Result<Hardware> hardwareFromSysfs(const FileTree& tree, const std::string& file,
                                   const std::stop_token& stop) {
  return SysfsReader(tree, file).read(stop);
}

}  // namespace rqscope
