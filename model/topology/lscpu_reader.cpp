// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "topology/lscpu_reader.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <sstream>

#include <fmt/format.h>

#include "topology/cpu_place.h"
#include "topology/kernel_text.h"
#include "topology/machine_layout.h"
#include "topology/machine_notes.h"
#include "topology/offline_cpus.h"

namespace rqscope {
namespace {

using nlohmann::json;

Diagnostic problem(const std::string& file, std::string message, std::string hint = {}) {
  return {Severity::Error, {file, 0, 0}, std::move(message), std::move(hint)};
}

/// A number that lscpu writes as a number or, in older versions, as a text; nothing for "-".
std::optional<int> number(const json& value) {
  if (value.is_number_integer()) {
    const auto wide = value.get<std::int64_t>();
    return wide < -1 || wide > 1 << 24 ? -2 : static_cast<int>(wide);
  }
  if (!value.is_string()) return std::nullopt;
  const auto& text = value.get_ref<const std::string&>();
  int out = 0;
  const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (ec != std::errc{}) return std::nullopt;
  return out;
}

std::optional<int> column(const json& row, const char* key) {
  const auto it = row.find(key);
  return it == row.end() ? std::nullopt : number(*it);
}

Result<Hardware> checked(Hardware hw, const std::string& file) {
  if (hw.nodes.size() > 1 && hw.nodes.front().distance.empty())
    hw.notes.push_back("lscpu gives no node distances: 10 to itself and 20 to others, the kernel's default");
  placeOfflineCpus(hw);
  auto faults = checkHardware(hw);
  for (Diagnostic& d : faults) d.where.file = file;
  if (!faults.empty()) return faults;
  return hw;
}

class LscpuTableReader {
 public:
  LscpuTableReader(const json& rows, const std::string& file) : m_rows(rows), m_file(file) {}

  Result<Hardware> read() {
    if (!m_rows.is_array() || m_rows.empty()) return problem(m_file, "\"cpus\" is not a list of CPUs");
    for (const json& row : m_rows) {
      if (!row.is_object()) return problem(m_file, "a row of \"cpus\" is not an object");
      const auto id = column(row, "cpu");
      if (!id || *id < 0 || *id > 65535)
        return problem(m_file,
                       fmt::format("CPU number {}", row.contains("cpu") ? row["cpu"].dump() : "missing"),
                       "0 to 65535");
      addRow(row, CpuId{*id});
    }
    Hardware hw;
    hw.name = "imported";
    hw.source = m_file;
    hw.description = fmt::format("{} CPUs, from lscpu -e", m_rows.size());
    placeCpus(hw, std::move(m_places));
    for (HardwareCpu& cpu : hw.cpus)
      if (!cpu.online) cpu.threadSiblings = cpu.packageCpus = cpu.dieCpus = cpu.clusterCpus = {};
    fillMachineGaps(hw, {});
    hw.notes.push_back("lscpu does not name the architecture here: x86 is assumed");
    return checked(std::move(hw), m_file);
  }

 private:
  void addRow(const json& row, CpuId id) {
    CpuPlace place;
    HardwareCpu& cpu = place.cpu;
    cpu.id = id;
    cpu.online = isOnline(row);
    cpu.node = NodeId{std::max(0, column(row, "node").value_or(0))};
    cpu.package = column(row, "socket").value_or(cpu.online ? 0 : -1);
    cpu.core = column(row, "core").value_or(cpu.online ? id.value : -1 - id.value);
    cpu.die = std::max(0, column(row, "die").value_or(0));
    cpu.cluster = column(row, "cluster").value_or(-1);
    for (const auto& [key, value] : row.items())
      if (key.find("l1d") == 0 || key.find("l2") == 0) addCaches(key, value, place);
    if (const auto it = row.find("maxmhz"); it != row.end()) cpu.maxFrequencyKhz = khz(*it);
    m_places.push_back(std::move(place));
  }

  static bool isOnline(const json& row) {
    const auto it = row.find("online");
    if (it == row.end() || it->is_null()) return true;
    if (it->is_boolean()) return it->get<bool>();
    return !it->is_string() || (*it != "no" && *it != "N");
  }

  static std::uint64_t khz(const json& value) {
    const double mhz = value.is_number()   ? value.get<double>()
                       : value.is_string() ? std::atof(value.get_ref<const std::string&>().c_str())
                                           : 0;
    return mhz > 0 && mhz < 1e6 ? static_cast<std::uint64_t>(mhz * 1000) : 0;
  }

  // "l1d:l1i:l2:l3": "0:0:0:0"
  static void addCaches(const std::string& names, const json& value, CpuPlace& place) {
    if (!value.is_string()) return;
    std::istringstream keys(names);
    std::istringstream numbers(value.get_ref<const std::string&>());
    std::string key;
    std::string entry;
    while (std::getline(keys, key, ':') && std::getline(numbers, entry, ':')) {
      const auto n = number(json(entry));
      if (!n || *n < 0 || key.size() < 2) continue;
      const char kind = key.back();
      place.caches.push_back({key[1] - '0',
                              kind == 'd'   ? "Data"
                              : kind == 'i' ? "Instruction"
                                            : "Unified",
                              *n, 0});
    }
  }

  const json& m_rows;
  const std::string& m_file;
  std::vector<CpuPlace> m_places;
};

class LscpuSummaryReader {
 public:
  LscpuSummaryReader(const json& fields, const std::string& file) : m_file(file) { collect(fields, 0); }

  Result<Hardware> read() {
    MachineLayout layout;
    const int cpus = count("CPU(s)", 0);
    layout.packages = count("Socket(s)", 1);
    layout.threads = count("Thread(s) per core", 1);
    int coresPerSocket = count("Core(s) per socket", 0);
    if (coresPerSocket == 0) coresPerSocket = count("Core(s) per cluster", 1) * count("Cluster(s)", 1);
    if (cpus <= 0 || cpus > 65536) return problem(m_file, "lscpu names no number of CPUs");
    CpuMask online = list("On-line CPU(s) list");
    if (online.isEmpty()) online = CpuMask::firstN(cpus);
    const auto total = static_cast<std::int64_t>(layout.packages) * coresPerSocket * layout.threads;
    if (total <= 0 || total > 65536 || layout.threads > 16)
      return problem(m_file, "sockets, cores and threads of lscpu do not make a machine");
    const int nodes = std::max(1, count("NUMA node(s)", 1));
    std::vector<CpuMask> nodeCpus;
    for (int n = 0; n < std::min(nodes, 1024); ++n)
      nodeCpus.push_back(list(fmt::format("NUMA node{} CPU(s)", n)));
    Hardware hw = build(layout, coresPerSocket, nodeCpus);
    if (static_cast<int>(hw.cpus.size()) != cpus)
      hw.notes.push_back(
          fmt::format("lscpu counts {} CPUs, its sockets, cores and threads make {}", cpus, hw.cpus.size()));
    for (HardwareCpu& cpu : hw.cpus) cpu.online = online.test(cpu.id);
    fillMachineGaps(hw, {});
    return checked(std::move(hw), m_file);
  }

 private:
  void collect(const json& fields, int depth) {
    if (!fields.is_array() || depth > 8) return;
    for (const json& field : fields) {
      if (!field.is_object()) continue;
      const auto name = field.find("field");
      const auto data = field.find("data");
      if (name != field.end() && name->is_string() && data != field.end() && data->is_string()) {
        std::string key = name->get<std::string>();
        while (!key.empty() && (key.back() == ':' || key.back() == ' ')) key.pop_back();
        m_fields.emplace(std::move(key), data->get<std::string>());
      }
      if (const auto children = field.find("children"); children != field.end())
        collect(*children, depth + 1);
    }
  }

  std::string field(const std::string& key) const {
    const auto it = m_fields.find(key);
    return it == m_fields.end() ? "" : it->second;
  }
  int count(const std::string& key, int ifAbsent) const {
    const auto n = number(json(field(key)));
    return n && *n > 0 ? *n : ifAbsent;
  }
  CpuMask list(const std::string& key) const {
    auto parsed = CpuMask::parseList(field(key));
    return parsed.ok() ? std::move(parsed).value() : CpuMask{};
  }

  /// "32 MiB (2 instances)" -> 2; 0 when it does not say.
  int instances(const char* key) const {
    const std::string text = field(key);
    const auto open = text.find('(');
    return open == std::string::npos ? 0 : std::max(0, std::atoi(text.c_str() + open + 1));
  }
  std::string cacheText(const char* level) const {
    const std::string text = field(level);
    return text.empty() ? field(std::string(level) + " cache") : text;
  }

  Hardware build(MachineLayout layout, int coresPerSocket, const std::vector<CpuMask>& nodeCpus) {
    // Second threads come last when the first node's list has a second, far part: "0-31,64-95".
    const bool isSplit = !nodeCpus.empty() && nodeCpus.front().list().find(',') != std::string::npos;
    const bool isServer = layout.packages > 1 || coresPerSocket > 16;
    layout.numbering = layout.threads > 1 && (isSplit || (nodeCpus.size() < 2 && isServer))
                           ? CpuNumbering::ThreadsLast
                           : CpuNumbering::ThreadsAdjacent;
    const int l3 = std::max(instances("L3"), instances("L3 cache"));
    layout.hasL3 = !cacheText("L3").empty();
    int llcs = l3 > 0 && l3 % layout.packages == 0 ? l3 / layout.packages : 1;
    if (coresPerSocket % llcs != 0) llcs = 1;
    layout.llcs = llcs;
    layout.cores = coresPerSocket / llcs;
    const auto share = [](std::uint64_t sum, int parts) {
      return parts > 0 ? sum / static_cast<unsigned>(parts) : sum;
    };
    if (layout.hasL3) layout.l3Bytes = share(parseSizeBytes(cacheText("L3")), l3);
    if (const auto l2 = parseSizeBytes(cacheText("L2"))) layout.l2Bytes = share(l2, instances("L2"));
    Hardware hw = hardwareFromLayout(layout);
    const bool hasCaches = !cacheText("L2").empty() || layout.hasL3;
    hw.name = "imported";
    hw.source = m_file;
    if (!field("Model name").empty()) hw.description = field("Model name") + ", " + hw.description;
    const std::string arch = field("Architecture");
    if (!arch.empty() && !arch.starts_with("x86") && !arch.starts_with("i"))
      hw.rules = MaskRules::ArchTopology;
    if (field("Vendor ID") == "AuthenticAMD" && count("CPU family", 0) >= 23) hw.reclaimDistance = 32;
    for (HardwareCpu& cpu : hw.cpus)
      if (!hasCaches) cpu.caches.clear();
    setNodes(hw, nodeCpus);
    hw.notes.push_back(
        "lscpu -J gives counts only: which CPUs share a core or cache is concluded from the usual "
        "numbering; lscpu -e -J says it");
    return hw;
  }

  static void setNodes(Hardware& hw, const std::vector<CpuMask>& nodeCpus) {
    CpuMask listed;
    for (const CpuMask& cpus : nodeCpus) listed |= cpus;
    if (listed.isEmpty()) return;
    hw.nodes.clear();
    for (std::size_t n = 0; n < nodeCpus.size(); ++n) {
      HardwareNode node;
      node.id = NodeId{n};
      node.cpus = nodeCpus[n];
      node.cpus.forEach([&](CpuId c) {
        if (HardwareCpu* cpu = hw.find(c)) cpu->node = node.id;
      });
      hw.nodes.push_back(std::move(node));
    }
  }

  const std::string& m_file;
  std::map<std::string, std::string> m_fields;
};

}  // namespace

Result<Hardware> hardwareFromLscpuTable(const json& document, const std::string& file) {
  return LscpuTableReader(document.at("cpus"), file).read();
}

Result<Hardware> hardwareFromLscpuSummary(const json& document, const std::string& file) {
  return LscpuSummaryReader(document.at("lscpu"), file).read();
}

}  // namespace rqscope
