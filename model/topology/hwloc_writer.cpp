// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "topology/hwloc_xml.h"

namespace rqscope {
namespace {

/// Order of objects with equal CPUs, outermost first.
enum Rank { kMachine, kPackage, kDie, kGroup, kL3, kL2, kL1, kL1i, kCore, kPu };

struct Object {
  Rank rank = kMachine;
  CpuMask cpus;
  std::string attributes;
  std::vector<std::unique_ptr<Object>> children;
};

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '&')
      out += "&amp;";
    else if (c == '"')
      out += "&quot;";
    else
      out += c;
  }
  return out;
}

class HwlocWriter {
 public:
  explicit HwlocWriter(const Hardware& hw) : m_hw(hw), m_online(hw.onlineCpus()) {
    m_root.cpus = m_online;
    for (const HardwareCpu& cpu : hw.cpus) m_complete.set(cpu.id);
    collect();
    std::stable_sort(m_objects.begin(), m_objects.end(), [](const auto& a, const auto& b) {
      const int wa = a->cpus.weight();
      const int wb = b->cpus.weight();
      return wa != wb ? wa > wb : a->rank < b->rank;
    });
    for (auto& object : m_objects) insert(std::move(object));
  }

  std::string text() {
    m_text =
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE topology SYSTEM \"hwloc2.dtd\">\n"
        "<topology version=\"2.0\">\n";
    write(m_root, 1);
    writeDistances();
    m_text += "</topology>\n";
    return std::move(m_text);
  }

 private:
  void add(Rank rank, const CpuMask& mask, std::string attributes) {
    const CpuMask cpus = mask & m_online;
    if (cpus.isEmpty() || !m_seen.emplace(rank, cpus.list()).second) return;
    auto object = std::make_unique<Object>();
    object->rank = rank;
    object->cpus = cpus;
    object->attributes = std::move(attributes);
    m_objects.push_back(std::move(object));
  }

  void collect() {
    std::set<std::pair<int, int>> dies;
    for (const HardwareCpu& cpu : m_hw.cpus)
      if (cpu.online) dies.emplace(cpu.package, cpu.die);
    for (const HardwareCpu& cpu : m_hw.cpus) {
      if (!cpu.online) continue;
      const bool hasDies = dies.contains({cpu.package, 1}) || dies.contains({cpu.package, 0}) == false;
      add(kPackage, cpu.packageCpus, fmt::format("type=\"Package\" os_index=\"{}\"", cpu.package));
      if (hasDies) add(kDie, cpu.dieCpus, fmt::format("type=\"Die\" os_index=\"{}\"", cpu.die));
      for (const HardwareCache& cache : cpu.caches) addCache(cache);
      add(kCore, cpu.threadSiblings, fmt::format("type=\"Core\" os_index=\"{}\"", cpu.core));
      add(kPu, CpuMask::of(cpu.id), fmt::format("type=\"PU\" os_index=\"{}\"", cpu.id.value));
    }
    for (const HardwareNode& node : m_hw.nodes) {
      const CpuMask cpus = node.cpus & m_online;
      const bool hasHome =
          cpus == m_online || std::any_of(m_objects.begin(), m_objects.end(),
                                          [&](const auto& o) { return o->rank < kCore && o->cpus == cpus; });
      if (!hasHome) add(kGroup, cpus, "type=\"Group\" kind=\"1001\" subkind=\"0\"");
    }
  }

  void addCache(const HardwareCache& cache) {
    const bool isInstruction = cache.type == "Instruction";
    if (cache.level < 1 || cache.level > 3 || (isInstruction && cache.level != 1)) return;
    const Rank rank = cache.level == 3 ? kL3 : cache.level == 2 ? kL2 : isInstruction ? kL1i : kL1;
    const int type = isInstruction ? 2 : cache.type == "Data" ? 1 : 0;
    add(rank, cache.shared,
        fmt::format("type=\"L{}{}Cache\" cache_size=\"{}\" depth=\"{}\" cache_linesize=\"64\" "
                    "cache_associativity=\"0\" cache_type=\"{}\"",
                    cache.level, isInstruction ? "i" : "", cache.sizeBytes, cache.level, type));
  }

  /// Under the deepest object around it; objects that cut others are left out, hwloc has only trees.
  void insert(std::unique_ptr<Object> object) {
    Object* parent = &m_root;
    for (bool isDeeper = true; isDeeper;) {
      isDeeper = false;
      for (const auto& child : parent->children) {
        if (object->cpus.isSubsetOf(child->cpus)) {
          parent = child.get();
          isDeeper = true;
          break;
        }
        if (object->cpus.intersects(child->cpus)) return;
      }
    }
    parent->children.push_back(std::move(object));
  }

  CpuMask nodeset(const CpuMask& cpus) const {
    CpuMask out;
    for (const HardwareNode& node : m_hw.nodes)
      if (node.cpus.intersects(cpus)) out.set(CpuId{node.id.value});
    return out;
  }

  std::string sets(const CpuMask& cpus, const CpuMask& nodes) const {
    return fmt::format(" cpuset=\"{0}\" complete_cpuset=\"{0}\" nodeset=\"{1}\" complete_nodeset=\"{1}\"",
                       hwlocMask(cpus), hwlocMask(nodes));
  }

  void write(const Object& object, std::size_t depth) {
    const std::string indent(2 * depth, ' ');
    if (&object == &m_root)
      writeMachineTag(indent);
    else
      m_text += fmt::format("{}<object {}{} gp_index=\"{}\"", indent, object.attributes,
                            sets(object.cpus, nodeset(object.cpus)), ++m_gpIndex);
    if (object.rank == kPu) {
      m_text += "/>\n";
      return;
    }
    m_text += ">\n";
    if (&object == &m_root) writeInfos(indent);
    writeNodes(object, indent);
    auto order = std::vector<const Object*>();
    for (const auto& child : object.children) order.push_back(child.get());
    std::stable_sort(order.begin(), order.end(),
                     [](const Object* a, const Object* b) { return a->cpus.first() < b->cpus.first(); });
    for (const Object* child : order) write(*child, depth + 1);
    m_text += indent + "</object>\n";
  }

  void writeMachineTag(const std::string& indent) {
    CpuMask nodes;
    for (const HardwareNode& node : m_hw.nodes) nodes.set(CpuId{node.id.value});
    m_text += fmt::format(
        "{}<object type=\"Machine\" os_index=\"0\" cpuset=\"{}\" complete_cpuset=\"{}\" "
        "allowed_cpuset=\"{}\" "
        "nodeset=\"{}\" complete_nodeset=\"{}\" allowed_nodeset=\"{}\" gp_index=\"{}\"",
        indent, hwlocMask(m_online), hwlocMask(m_complete), hwlocMask(m_online), hwlocMask(nodes),
        hwlocMask(nodes), hwlocMask(nodes), ++m_gpIndex);
  }

  void writeInfos(const std::string& indent) {
    const auto info = [&](std::string_view name, std::string_view value) {
      m_text += fmt::format("{}  <info name=\"{}\" value=\"{}\"/>\n", indent, name, escaped(value));
    };
    info("Backend", "rqscope");
    info("Architecture", m_hw.rules == MaskRules::X86 ? "x86_64" : "aarch64");
    if (!m_hw.description.empty()) info("MachineDescription", m_hw.description);
  }

  // A node hangs on the outermost object with its CPUs; nodes without CPUs on the machine.
  void writeNodes(const Object& object, const std::string& indent) {
    for (const HardwareNode& node : m_hw.nodes) {
      const CpuMask cpus = node.cpus & m_online;
      const bool isHere = cpus.isEmpty() ? &object == &m_root : cpus == object.cpus;
      if (!isHere || !m_writtenNodes.insert(node.id.value).second) continue;
      CpuMask nodes;
      nodes.set(CpuId{node.id.value});
      m_text += fmt::format(
          "{}  <object type=\"NUMANode\" os_index=\"{}\"{} gp_index=\"{}\" local_memory=\"{}\"/>\n", indent,
          node.id.value, sets(cpus, nodes), ++m_gpIndex, node.hasMemory ? std::uint64_t{1} << 30 : 0);
    }
  }

  void writeDistances() {
    const std::size_t n = m_hw.nodes.size();
    if (n < 2) return;
    std::string indexes;
    std::string values;
    for (std::size_t a = 0; a < n; ++a) {
      indexes += fmt::format("{} ", m_hw.nodes[a].id.value);
      for (std::size_t b = 0; b < n; ++b) values += fmt::format("{} ", m_hw.distance(a, b));
    }
    m_text += fmt::format(
        "  <distances2 type=\"NUMANode\" nbobjs=\"{}\" kind=\"5\" name=\"NUMALatency\" indexing=\"os\">\n"
        "    <indexes length=\"{}\">{}</indexes>\n    <u64values length=\"{}\">{}</u64values>\n  "
        "</distances2>\n",
        n, indexes.size(), indexes, values.size(), values);
  }

  const Hardware& m_hw;
  CpuMask m_online, m_complete;
  Object m_root;
  std::vector<std::unique_ptr<Object>> m_objects;
  std::set<std::pair<int, std::string>> m_seen;
  std::set<int> m_writtenNodes;
  std::string m_text;
  int m_gpIndex = 0;
};

}  // namespace

std::string hwlocMask(const CpuMask& mask) {
  std::vector<std::uint32_t> words(1, 0);
  mask.forEach([&](CpuId c) {
    const auto word = static_cast<std::size_t>(c.value) / 32;
    if (words.size() <= word) words.resize(word + 1, 0);
    words[word] |= 1U << (c.value % 32);
  });
  std::string out;
  for (std::size_t w = words.size(); w-- > 0;)
    out += fmt::format("{}0x{:08x}", out.empty() ? "" : ",", words[w]);
  return out;
}

std::string writeHwlocXml(const Hardware& hardware) { return HwlocWriter(hardware).text(); }

}  // namespace rqscope
