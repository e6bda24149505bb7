// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <sstream>

#include <fmt/format.h>

#include "topology/cpu_place.h"
#include "topology/hwloc_xml.h"
#include "topology/kernel_text.h"
#include "topology/machine_notes.h"
#include "topology/offline_cpus.h"
#include "topology/xml_scanner.h"

namespace rqscope {
namespace {

constexpr int kMaxId = 65535;

/// What the objects around the current one say about the CPUs inside.
struct Context {
  int package = 0, die = 0, core = -1;
  std::vector<PlaceCache> caches;
};

struct NumaObject {
  int id = 0;
  CpuMask cpus;
};

struct DistanceMatrix {
  std::vector<int> indexes;
  std::vector<double> values;
  double base = 1;  ///< hwloc 1: latencies are relative to it
};

class HwlocReader {
 public:
  HwlocReader(std::string_view text, const std::string& file) : m_xml(text, file), m_file(file) {}

  Result<Hardware> read() {
    for (;;) {
      auto token = m_xml.next();
      if (!token.ok()) return token.diagnostics();
      if (token.value().kind == XmlToken::Kind::End) break;
      handle(token.value());
      if (m_error) return *m_error;
    }
    if (!m_isTopology) return m_xml.error("there is no <topology> in this file", "hwloc XML");
    if (m_places.empty()) return m_xml.error("this hwloc file names no processing unit (PU)");
    return finish();
  }

 private:
  void handle(const XmlToken& token) {
    switch (token.kind) {
      case XmlToken::Kind::Open:
        open(token);
        break;
      case XmlToken::Kind::Close:
        close(token);
        break;
      case XmlToken::Kind::Text:
        m_text += token.name;
        break;
      case XmlToken::Kind::End:
        break;
    }
  }

  void open(const XmlToken& token) {
    m_text.clear();
    if (m_elements.empty() && token.name != "topology" && token.name != "root")
      fail(token, fmt::format("the first element is <{}>", token.name), "hwloc XML starts with <topology>");
    m_elements.push_back(token.name);
    m_isTopology = true;
    if (token.name == "object")
      openObject(token);
    else if (token.name == "info")
      info(token);
    else if (token.name == "cpukind")
      m_kindCpus = mask(token, "cpuset");
    else if (token.name == "distances2")
      openDistances2(token);
    else if (token.name == "distances")
      openDistances1(token);
    else if (token.name == "latency" && m_matrix)
      m_matrix->values.push_back(real(token, "value"));
  }

  void close(const XmlToken& token) {
    m_elements.pop_back();
    if (token.name == "object" && !m_contexts.empty()) {
      m_contexts.pop_back();
    } else if (token.name == "indexes" && m_matrix) {
      for (const double v : numbers(m_text)) m_matrix->indexes.push_back(static_cast<int>(v));
    } else if (token.name == "u64values" && m_matrix) {
      for (const double v : numbers(m_text)) m_matrix->values.push_back(v);
    } else if ((token.name == "distances2" || token.name == "distances") && m_matrix) {
      if (m_distances.empty()) m_distances.push_back(std::move(*m_matrix));
      m_matrix.reset();
    }
    m_text.clear();
  }

  void openObject(const XmlToken& token) {
    Context context = m_contexts.empty() ? Context{} : m_contexts.back();
    const std::string* type = token.find("type");
    const std::string kind = type == nullptr ? "" : *type;
    if (kind == "Machine" || kind == "System")
      machine(token);
    else if (kind == "Package" || kind == "Socket")
      context.package = index(token, m_packages++);
    else if (kind == "Die")
      context.die = index(token, m_dies++);
    else if (kind == "NUMANode" || kind == "Node")
      numaNode(token);
    else if (kind == "Core")
      context.core = m_cores++;
    else if (kind == "Cache" || (kind.size() >= 7 && kind[0] == 'L' && kind.ends_with("Cache")))
      cache(token, context);
    else if (kind == "PU")
      unit(token, context);
    m_contexts.push_back(std::move(context));
  }

  void machine(const XmlToken& token) {
    m_complete = mask(token, "complete_cpuset");
    if (const CpuMask online = mask(token, "online_cpuset"); !online.isEmpty()) m_online = online;  // hwloc 1
  }

  void numaNode(const XmlToken& token) {
    NumaObject node;
    node.id = index(token, static_cast<int>(m_nodes.size()));
    node.cpus = mask(token, "cpuset");
    m_nodes.push_back(std::move(node));
  }

  void cache(const XmlToken& token, Context& context) {
    PlaceCache out;
    out.level = static_cast<int>(real(token, "depth"));
    out.sizeBytes = static_cast<std::uint64_t>(std::max(0.0, real(token, "cache_size")));
    const std::string* type = token.find("cache_type");
    out.type = type == nullptr || *type == "0" ? "Unified" : *type == "1" ? "Data" : "Instruction";
    out.key = m_caches++;
    if (out.level > 0) context.caches.push_back(std::move(out));
  }

  void unit(const XmlToken& token, const Context& context) {
    CpuPlace place;
    place.cpu.id = CpuId{index(token, -1)};
    if (!place.cpu.id.isValid() || place.cpu.id.value > kMaxId) {
      fail(token, "a PU without a usable os_index", "0 to 65535");
      return;
    }
    place.cpu.package = context.package;
    place.cpu.die = context.die;
    place.cpu.core = context.core >= 0 ? context.core : m_cores++;
    place.caches = context.caches;
    m_places.push_back(std::move(place));
  }

  void info(const XmlToken& token) {
    const std::string* name = token.find("name");
    const std::string* value = token.find("value");
    if (name == nullptr || value == nullptr) return;
    if (m_elements.size() > 1 && m_elements[m_elements.size() - 2] == "cpukind" && *name == "CoreType")
      m_kinds.emplace_back(m_kindCpus, *value);
    m_infos.emplace(*name, *value);
  }

  void openDistances2(const XmlToken& token) {
    const std::string* type = token.find("type");
    const std::string* name = token.find("name");
    const bool isLatency = name == nullptr || *name == "NUMALatency" || token.find("kind") == nullptr;
    if (type != nullptr && *type == "NUMANode" && isLatency) m_matrix.emplace();
  }

  void openDistances1(const XmlToken& token) {
    m_matrix.emplace();
    m_matrix->base = token.find("latency_base") != nullptr ? real(token, "latency_base") : 1;
  }

  Result<Hardware> finish() {
    Hardware hw;
    hw.name = "imported";
    hw.source = m_file;
    setRules(hw);
    for (const NumaObject& n : m_nodes) {
      HardwareNode node;
      node.id = NodeId{n.id};
      hw.nodes.push_back(std::move(node));
    }
    std::stable_sort(hw.nodes.begin(), hw.nodes.end(),
                     [](const auto& a, const auto& b) { return a.id < b.id; });
    for (CpuPlace& place : m_places) assignNode(place.cpu);
    placeCpus(hw, std::move(m_places));
    setDistances(hw);
    setKinds(hw);
    addOffline(hw);
    fillMachineGaps(hw, {});
    if (m_nodes.empty())
      hw.notes.push_back("no NUMA node is described: all CPUs are in node 0");
    else if (!m_withoutNode.isEmpty())
      hw.notes.push_back(fmt::format("CPUs {} are in no NUMA node: node 0 is taken", m_withoutNode.list()));
    for (const HardwareNode& node : hw.nodes)
      if (node.cpus.isEmpty())
        hw.notes.push_back(
            fmt::format("node {} has memory only: its CPUs are nearer to another node", node.id.value));
    placeOfflineCpus(hw);
    auto faults = checkHardware(hw);
    for (Diagnostic& d : faults) d.where.file = m_file;
    if (!faults.empty()) return faults;
    return hw;
  }

  void setRules(Hardware& hw) const {
    const auto get = [&](const char* key) {
      const auto it = m_infos.find(key);
      return it == m_infos.end() ? std::string() : it->second;
    };
    const std::string vendor = get("CPUVendor");
    const std::string arch = get("Architecture");
    const bool isArm = !get("CPUImplementer").empty() || arch.starts_with("aarch64") ||
                       arch.starts_with("arm") || arch.starts_with("riscv");
    hw.rules = isArm ? MaskRules::ArchTopology : MaskRules::X86;
    if (!isArm && vendor.empty() && arch.empty())
      hw.notes.push_back("the file names no architecture: x86 is assumed");
    hw.description = get("CPUModel");
    while (!hw.description.empty() && hw.description.back() == ' ') hw.description.pop_back();
    const std::string family = get("CPUFamilyNumber");
    if (vendor == "AuthenticAMD" && std::atoi(family.c_str()) >= 23) {
      hw.reclaimDistance = 32;
      hw.notes.push_back("node_reclaim_distance is 32, as the kernel sets it on AMD Zen");
    }
  }

  // Nodes may overlap in hwloc (several kinds of memory); Linux puts a CPU into one: the smallest around it.
  void assignNode(HardwareCpu& cpu) {
    const NumaObject* best = nullptr;
    for (const NumaObject& node : m_nodes)
      if (node.cpus.test(cpu.id) && (best == nullptr || node.cpus.weight() < best->cpus.weight()))
        best = &node;
    if (best == nullptr) m_withoutNode.set(cpu.id);
    cpu.node = NodeId{best == nullptr ? 0 : best->id};
  }

  void setDistances(Hardware& hw) {
    if (m_distances.empty()) {
      if (hw.nodes.size() > 1)
        hw.notes.push_back("no node distances: 10 to itself and 20 to others, the kernel's default");
      return;
    }
    const DistanceMatrix& m = m_distances.front();
    const std::size_t n = hw.nodes.size();
    if (m.values.size() != n * n) {
      hw.notes.push_back(fmt::format("{} distances for {} nodes: left out, the kernel's default is taken",
                                     m.values.size(), n));
      return;
    }
    for (std::size_t a = 0; a < n; ++a) {
      const std::size_t row = place(m, hw.nodes[a].id.value, a);
      for (std::size_t b = 0; b < n; ++b)
        hw.nodes[a].distance.push_back(
            static_cast<int>(std::lround(m.values[row * n + place(m, hw.nodes[b].id.value, b)] * m.base)));
    }
  }

  /// Row of a node in the matrix.
  static std::size_t place(const DistanceMatrix& m, int id, std::size_t ifUnknown) {
    const auto it = std::find(m.indexes.begin(), m.indexes.end(), id);
    return it == m.indexes.end() ? ifUnknown : static_cast<std::size_t>(it - m.indexes.begin());
  }

  void setKinds(Hardware& hw) const {
    for (const auto& [cpus, type] : m_kinds) {
      const std::string kind = type == "IntelCore"       ? "P"
                               : type == "IntelAtom"     ? "E"
                               : type == "IntelLowPower" ? "LP-E"
                                                         : type;
      cpus.forEach([&](CpuId c) {
        if (HardwareCpu* cpu = hw.find(c)) cpu->kind = kind;
      });
      if (type.starts_with("Intel") && m_kinds.size() > 1) hw.hybrid = true;
    }
  }

  // CPUs of the machine that have no PU are offline.
  void addOffline(Hardware& hw) const {
    CpuMask known;
    for (const HardwareCpu& cpu : hw.cpus) known.set(cpu.id);
    const CpuMask missing = m_complete - known;
    missing.forEach([&](CpuId c) {
      HardwareCpu cpu;
      cpu.id = c;
      cpu.online = false;
      hw.cpus.push_back(std::move(cpu));
    });
    std::stable_sort(hw.cpus.begin(), hw.cpus.end(),
                     [](const auto& a, const auto& b) { return a.id < b.id; });
    if (!m_online) return;
    for (HardwareCpu& cpu : hw.cpus) cpu.online = m_online->test(cpu.id);
  }

  int index(const XmlToken& token, int ifAbsent) {
    const std::string* value = token.find("os_index");
    if (value == nullptr) return ifAbsent;
    int out = 0;
    const auto [end, ec] = std::from_chars(value->data(), value->data() + value->size(), out);
    if (ec == std::errc{} && end == value->data() + value->size() && out >= -1) return out;
    fail(token, fmt::format("os_index \"{}\" is not a number from 0 on", value->substr(0, 40)), "");
    return ifAbsent;
  }

  CpuMask mask(const XmlToken& token, const char* key) {
    const std::string* value = token.find(key);
    if (value == nullptr) return {};
    if (value->find("...") != std::string::npos) return {};  // hwloc's "all CPUs there may ever be"
    auto parsed = parseCpuMaskHex(*value);
    if (parsed.ok()) return std::move(parsed).value();
    fail(token, parsed.error().message, parsed.error().hint);
    return {};
  }

  double real(const XmlToken& token, const char* key) {
    const std::string* value = token.find(key);
    if (value == nullptr) return 0;
    double out = 0;
    const auto [end, ec] = std::from_chars(value->data(), value->data() + value->size(), out);
    if (ec != std::errc{} || out > 1e15 || out < -1e15)
      fail(token, fmt::format("{} is not a number", key), "");
    return out;
  }

  static std::vector<double> numbers(const std::string& text) {
    std::vector<double> out;
    std::istringstream in(text);
    for (double v = 0; in >> v;) out.push_back(v);
    return out;
  }

  void fail(const XmlToken& token, std::string message, std::string hint) {
    if (!m_error)
      m_error = Diagnostic{
          Severity::Error, {m_file, token.line, token.column}, std::move(message), std::move(hint)};
  }

  XmlScanner m_xml;
  const std::string& m_file;
  std::optional<Diagnostic> m_error;
  bool m_isTopology = false;
  std::vector<std::string> m_elements;
  std::vector<Context> m_contexts;
  std::string m_text;
  std::vector<CpuPlace> m_places;
  std::vector<NumaObject> m_nodes;
  CpuMask m_complete, m_withoutNode;
  std::optional<CpuMask> m_online;
  std::optional<DistanceMatrix> m_matrix;
  std::vector<DistanceMatrix> m_distances;
  std::map<std::string, std::string> m_infos;
  std::vector<std::pair<CpuMask, std::string>> m_kinds;
  CpuMask m_kindCpus;
  int m_packages = 0, m_dies = 0, m_cores = 0, m_caches = 0;
};

}  // namespace

Result<Hardware> readHwlocXml(std::string_view text, const std::string& file) {
  return HwlocReader(text, file).read();
}

}  // namespace rqscope
