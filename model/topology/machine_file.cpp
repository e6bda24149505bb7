// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "topology/machine_file.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "base/name_list.h"
#include "base/profile.h"
#include "topology/cpu_place.h"
#include "topology/json_fields.h"
#include "topology/machine_import.h"
#include "topology/machine_layout.h"
#include "topology/stoppable_load.h"

namespace rqscope {
namespace {

using nlohmann::json;

constexpr std::string_view kSchema = "rqscope-machine/1";
constexpr int kMaxId = 65535;
constexpr int kNamedL2 = 1 << 20;  // keys of level 2 caches that entries name, apart from counted ones
constexpr std::int64_t kMaxCacheKb = std::int64_t{1} << 32;

/// Reads one machine file: options, then a regular layout or entries with structure, then attributes.
class MachineFileReader {
 public:
  MachineFileReader(const json& document, const std::string& file)
      : m_file(file), m_top(document, "", file, m_faults) {}

  Result<Hardware> read() {
    readOptions();
    const bool isRegular = m_top.has("layout");
    if (isRegular)
      readLayout();
    else
      readPlaces();
    if (m_faults.empty()) readNodes();
    for (JsonFields& entry : m_entries) {
      if (isRegular && m_faults.empty()) applyAttributes(entry);
      entry.refuseUnknown();
    }
    for (JsonFields& entry : m_attributes) {
      if (m_faults.empty()) applyAttributes(entry);
      entry.refuseUnknown();
    }
    m_top.refuseUnknown();
    if (m_faults.empty()) finish();
    if (!m_faults.empty()) return m_faults;
    return std::move(m_hw);
  }

 private:
  void readOptions() {
    const std::string schema = m_top.text("schema");
    if (schema != kSchema)
      m_top.fault("schema",
                  schema.empty() ? "this is not a machine file" : fmt::format("\"{}\" is not known", schema),
                  fmt::format("\"{}\"", kSchema));
    m_hw.name = m_top.text("name");
    m_hw.description = m_top.text("description");
    m_hw.source = m_top.text("source");
    const std::string rules = m_top.text("rules", "x86");
    if (rules != "x86" && rules != "arch_topology")
      m_top.fault("rules", fmt::format("\"{}\"", rules), "x86 or arch_topology");
    m_hw.rules = rules == "x86" ? MaskRules::X86 : MaskRules::ArchTopology;
    m_hw.clusterLevel = m_top.flag("cluster_level", true);
    m_hw.hybrid = m_top.flag("hybrid", false);
    m_hw.asymPackingMc = m_top.flag("itmt", false);
    m_hw.dropPackageLevel = m_top.flag("drop_package_level", false);
    m_hw.reclaimDistance = static_cast<int>(m_top.integer("reclaim_distance", 30, 10, 255));
    m_hw.relaxDomainLevel = static_cast<int>(m_top.integer("relax_domain_level", -1, -1, 64));
    m_hw.isolated = m_top.cpuList("isolated");
    m_offline = m_top.cpuList("offline");
    for (const int cpu : m_top.integers("unplugged_after_boot", 0, kMaxId))
      m_hw.unpluggedAfterBoot.push_back(CpuId{cpu});
    for (JsonFields& part : m_top.objects("partitions")) {
      m_hw.partitions.push_back({part.cpuList("cpus"), part.flag("isolated", false)});
      part.refuseUnknown();
    }
    for (JsonFields& domain : m_top.objects("energy")) readEnergy(domain);
    m_entries = m_top.objects("cpus");
    m_attributes = m_top.objects("attributes");
  }

  /// One performance domain of the energy model; what a state leaves out is filled in by finish().
  void readEnergy(JsonFields& from) {
    constexpr std::int64_t kMaxPower = std::int64_t{1} << 32, kMaxKhz = std::int64_t{1} << 32;
    EnergyDomain domain;
    domain.cpus = from.cpuList("cpus");
    for (JsonFields& state : from.objects("states")) {
      EnergyState s;
      s.performance = static_cast<std::uint32_t>(state.integer("capacity", 0, 1, 1024));
      s.power = static_cast<std::uint64_t>(state.integer("power", 0, 1, kMaxPower));
      s.frequencyKhz = static_cast<std::uint64_t>(state.integer("khz", 0, 1, kMaxKhz));
      if (s.power == 0) state.fault("power", "a number is expected");
      if (s.performance == 0 && s.frequencyKhz == 0)
        state.fault("capacity", "neither capacity nor khz is given", "\"khz\": 1400000");
      state.refuseUnknown();
      domain.states.push_back(s);
    }
    if (domain.states.empty()) from.fault("states", "a list of operating points is expected");
    from.refuseUnknown();
    m_hw.energy.push_back(std::move(domain));
  }

  /// Capacity of a state from its frequency: its part of the highest. Kernel: em_init_performance().
  void finishEnergy() {
    for (EnergyDomain& domain : m_hw.energy) {
      const CpuId first = domain.cpus.first();
      const HardwareCpu* cpu = first.isValid() ? m_hw.find(first) : nullptr;
      if (cpu == nullptr || domain.states.empty()) continue;
      const std::uint64_t highest = domain.states.back().frequencyKhz;
      for (EnergyState& s : domain.states)
        if (s.performance == 0 && highest != 0)
          s.performance = static_cast<std::uint32_t>(cpu->capacity * s.frequencyKhz / highest);
    }
  }

  void readLayout() {
    auto layout = parseLayout(m_top.text("layout"), m_file);
    if (!layout.ok()) {
      m_top.fault("layout", layout.error().message, layout.error().hint);
      return;
    }
    MachineLayout& l = layout.value();
    l.l1Bytes = cacheBytes(m_top, "l1_kb", l.l1Bytes);
    l.l2Bytes = cacheBytes(m_top, "l2_kb", l.l2Bytes);
    l.l3Bytes = cacheBytes(m_top, "l3_kb", l.l3Bytes);
    l.hasL3 = m_top.flag("l3", true);
    Hardware built = hardwareFromLayout(l);
    m_hw.cpus = std::move(built.cpus);
    m_hw.nodes = std::move(built.nodes);
    if (m_hw.rules == MaskRules::ArchTopology) fillClusterMasks(m_hw);
    if (m_hw.description.empty()) m_hw.description = built.description;
  }

  static std::uint64_t cacheBytes(JsonFields& from, const char* key, std::uint64_t ifAbsent) {
    const auto kb = from.integer(key, static_cast<std::int64_t>(ifAbsent >> 10), 0, kMaxCacheKb);
    return static_cast<std::uint64_t>(kb) << 10;
  }

  // Entries with structure: runs of CPUs in the same package, node and LLC.
  void readPlaces() {
    for (const int id : m_top.integers("node_ids", 0, kMaxId)) {
      HardwareNode node;
      node.id = NodeId{id};
      m_hw.nodes.push_back(std::move(node));
    }
    std::vector<CpuPlace> places;
    std::vector<int> nextCore;
    for (std::size_t e = 0; e < m_entries.size(); ++e) {
      JsonFields& entry = m_entries[e];
      const auto get = [&](const char* key, int ifAbsent) {
        return static_cast<int>(entry.integer(key, ifAbsent, -1, kMaxId));
      };
      const auto package = static_cast<std::size_t>(std::max(0, get("package", 0)));
      const int threads = std::max(1, get("threads", 1));
      const int l2Cpus = std::max(threads, get("l2_cpus", threads));
      const CpuMask cpus = entry.cpuList("cpus");
      if (cpus.isEmpty()) entry.fault("cpus", "a list of CPUs is expected", "\"0-3\"");
      if (nextCore.size() <= package) nextCore.resize(package + 1, 0);
      const int llc = get("llc", 0);
      const HardwareCpu like = likeCpu(entry, get);
      const std::uint64_t l1 = cacheBytes(entry, "l1_kb", 32 << 10);
      const std::uint64_t l2 = cacheBytes(entry, "l2_kb", 1 << 20);
      const std::uint64_t l3 = cacheBytes(entry, "l3_kb", 32 << 20);
      const bool hasCaches = entry.flag("caches", true);
      const bool hasL1 = hasCaches && entry.flag("l1", true);
      const bool hasL2 = hasCaches && entry.flag("l2", true);
      const int l2Id = get("l2_id", -1);
      int position = 0;
      cpus.forEach([&](CpuId id) {
        CpuPlace place;
        place.cpu = like;
        place.cpu.id = id;
        if (position % threads == 0 && position > 0) ++nextCore[package];
        place.cpu.core = nextCore[package];
        const int core = m_coreKey + position / threads;
        const int l2Key = l2Id >= 0 ? kNamedL2 + l2Id : m_coreKey + position / l2Cpus;
        if (hasL1) place.caches = {{1, "Data", core, l1}, {1, "Instruction", core, l1}};
        if (hasL2) place.caches.push_back({2, "Unified", l2Key, l2});
        if (hasL2 && m_hw.rules == MaskRules::X86) place.cpu.cluster = l2Key;
        if (hasCaches && llc >= 0) place.caches.push_back({3, "Unified", llc, l3});
        places.push_back(std::move(place));
        ++position;
      });
      ++nextCore[package];
      m_coreKey += position;
    }
    placeCpus(m_hw, std::move(places));
  }

  template <class Get>
  HardwareCpu likeCpu(JsonFields& entry, const Get& get) {
    HardwareCpu cpu;
    cpu.package = std::max(0, get("package", 0));
    cpu.die = std::max(0, get("die", 0));
    cpu.node = NodeId{std::max(0, get("node", 0))};
    cpu.cluster = get("cluster", -1);
    setAttributes(entry, cpu);
    return cpu;
  }

  static void setAttributes(JsonFields& entry, HardwareCpu& cpu) {
    cpu.capacity = static_cast<std::uint32_t>(entry.integer("capacity", cpu.capacity, 1, 1024));
    const auto throughput = entry.integer("throughput", cpu.capacity, 1, 1 << 20);
    cpu.throughput = static_cast<std::uint32_t>(throughput);
    cpu.maxFrequencyKhz = static_cast<std::uint64_t>(
        entry.integer("max_khz", static_cast<std::int64_t>(cpu.maxFrequencyKhz), 0, std::int64_t{1} << 40));
    cpu.kind = entry.text("kind", cpu.kind);
    static_cast<void>(entry.has("priority"));  // readPriorities() reads it when all CPUs are known
  }

  void applyAttributes(JsonFields& entry) {
    entry.cpuList("cpus").forEach([&](CpuId id) {
      HardwareCpu* cpu = m_hw.find(id);
      if (cpu == nullptr)
        entry.fault("cpus", fmt::format("the machine has no CPU {}", id.value));
      else
        setAttributes(entry, *cpu);
      if (cpu == nullptr) return;
      for (HardwareCache& cache : cpu->caches)
        if (cache.level == 3) cache.sizeBytes = cacheBytes(entry, "l3_kb", cache.sizeBytes);
    });
  }

  void readNodes() {
    const json* matrix = m_top.find("distances");
    if (matrix == nullptr) return;
    if (!matrix->is_array()) {
      m_top.fault("distances", "a list of rows is expected");
      return;
    }
    std::vector<std::vector<int>> rows;
    for (const json& row : *matrix) {
      const json wrapped = {{"row", row}};
      rows.push_back(JsonFields(wrapped, "distances", m_file, m_faults).integers("row", 10, 255));
    }
    while (m_hw.nodes.size() < rows.size()) {  // nodes without CPUs
      HardwareNode node;
      node.id = NodeId{m_hw.nodes.empty() ? 0 : m_hw.nodes.back().id.value + 1};
      m_hw.nodes.push_back(std::move(node));
    }
    for (std::size_t n = 0; n < rows.size(); ++n) m_hw.nodes[n].distance = rows[n];
    for (const int id : m_top.integers("memoryless_nodes", 0, kMaxId))
      for (HardwareNode& node : m_hw.nodes) node.hasMemory = node.hasMemory && node.id.value != id;
  }

  void finish() {
    readPriorities();
    finishEnergy();
    for (HardwareCpu& cpu : m_hw.cpus) cpu.online = !m_offline.test(cpu.id);
    if (m_hw.name.empty()) m_hw.name = std::filesystem::path(m_file).stem().string();
    for (Diagnostic d : checkHardware(m_hw)) {
      d.where.file = m_file;
      m_faults.push_back(std::move(d));
    }
  }

  void readPriorities() {
    bool any = false;
    std::vector<int> priorities;
    for (const HardwareCpu& cpu : m_hw.cpus) priorities.push_back(-cpu.id.value);
    for (std::vector<JsonFields>* list : {&m_entries, &m_attributes})
      for (JsonFields& entry : *list) {
        if (!entry.has("priority")) continue;
        any = true;
        const auto value = static_cast<int>(entry.integer("priority", 0, 0, 1 << 20));
        entry.cpuList("cpus").forEach([&](CpuId id) {
          for (std::size_t i = 0; i < m_hw.cpus.size(); ++i)
            if (m_hw.cpus[i].id == id) priorities[i] = value;
        });
      }
    if (any) m_hw.asymPriority = std::move(priorities);
  }

  const std::string& m_file;
  std::vector<Diagnostic> m_faults;
  JsonFields m_top;
  std::vector<JsonFields> m_entries;
  std::vector<JsonFields> m_attributes;  ///< of threads that differ from the rest of their core
  Hardware m_hw;
  CpuMask m_offline;
  int m_coreKey = 0;
};

}  // namespace

Result<std::string> readWholeFile(const std::string& path, std::size_t limit) {
  const auto bad = [&](std::string why) {
    return Result<std::string>(Diagnostic{Severity::Error, {path, 0, 0}, std::move(why), ""});
  };
  std::error_code ec;
  if (!std::filesystem::exists(path, ec)) return bad("there is no such file");
  if (std::filesystem::is_directory(path, ec)) return bad("this is a directory, not a file");
  std::ifstream in(path, std::ios::binary);
  if (!in) return bad("the file cannot be read");
  std::string text;
  char buffer[1 << 16];
  while (in.read(buffer, sizeof buffer) || in.gcount() > 0) {
    text.append(buffer, static_cast<std::size_t>(in.gcount()));
    if (text.size() > limit) return bad(fmt::format("the file is larger than {} MB", limit >> 20));
  }
  return text;
}

Result<Hardware> readMachineJson(std::string_view text, const std::string& file) {
  auto document = parseJsonText(text, file);
  if (!document.ok()) return document.diagnostics();
  return MachineFileReader(document.value(), file).read();
}

std::vector<std::string> builtinMachineNames(const std::string& resourceDir) {
  std::vector<std::string> names;
  std::error_code ec;
  for (const auto& entry : std::filesystem::directory_iterator(resourceDir, ec))
    if (entry.path().extension() == ".json") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

Result<Hardware> loadMachine(const std::string& nameOrPath, const std::string& resourceDir) {
  return loadMachine(nameOrPath, resourceDir, std::stop_token());
}

Result<Hardware> loadMachine(const std::string& nameOrPath, const std::string& resourceDir,
                             const std::stop_token& stop) {
  if (looksLikeCompactMachine(nameOrPath))
    return parseCompactMachine(nameOrPath, fmt::format("\"{}\"", nameOrPath));
  const auto names = builtinMachineNames(resourceDir);
  const bool isBuiltin = std::binary_search(names.begin(), names.end(), nameOrPath);
  std::error_code ec;
  if (!isBuiltin && !std::filesystem::exists(nameOrPath, ec)) {
    return Diagnostic{Severity::Error,
                      {},
                      fmt::format("there is no machine \"{}\"", nameOrPath),
                      nameHint(nameOrPath, {names.begin(), names.end()}, "built in are")};
  }
  if (!isBuiltin) {
    auto imported = importMachine(nameOrPath, stop);
    if (!imported.ok()) return imported.diagnostics();
    return std::move(imported).value().hardware;
  }
  const std::string path = (std::filesystem::path(resourceDir) / (nameOrPath + ".json")).string();
  auto text = readWholeFile(path);
  if (!text.ok()) return text.diagnostics();
  return readMachineJson(text.value(), path);
}

}  // namespace rqscope
