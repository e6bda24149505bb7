// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <charconv>
#include <map>

#include <fmt/format.h>

#include "topology/cpu_place.h"
#include "topology/domain_dump.h"
#include "topology/machine_notes.h"
#include "topology/offline_cpus.h"

namespace rqscope {
namespace {

/// Text after `key` up to a blank or '}'; nothing when the key is not there.
std::optional<std::string_view> valueOf(std::string_view line, std::string_view key) {
  const auto at = line.find(key);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view rest = line.substr(at + key.size());
  return rest.substr(0, rest.find_first_of(" }\r\t"));
}

class VerboseReader {
 public:
  VerboseReader(std::string_view text, const std::string& file) : m_text(text), m_file(file) {}

  Result<DomainDump> read() {
    int number = 0;
    for (std::size_t start = 0; start < m_text.size() && !m_error;) {
      const auto end = std::min(m_text.find('\n', start), m_text.size());
      m_line = ++number;
      line(m_text.substr(start, end - start));
      start = end + 1;
    }
    if (m_error) return *m_error;
    if (m_byCpu.empty())
      return Diagnostic{Severity::Error,
                        {m_file, 0, 0},
                        "there is no \"CPU0 attaching sched-domain(s):\" in this text",
                        "boot with sched_verbose"};
    DomainDump dump;
    dump.kind = "sched_verbose boot text";
    dump.rootDomains = std::move(m_rootDomains);
    for (auto& [cpu, domains] : m_byCpu) {
      dump.cpus.set(CpuId{cpu});
      for (DumpedDomain& d : domains) dump.domains.push_back(std::move(d));
    }
    return dump;
  }

 private:
  void line(std::string_view text) {
    if (const auto at = text.find(" attaching "); at != std::string_view::npos) {
      attach(text.substr(0, at), text.substr(at));
    } else if (text.find("domain-") != std::string_view::npos && m_cpu >= 0) {
      domain(text);
    } else if (text.find("groups:") != std::string_view::npos && m_cpu >= 0) {
      if (!m_byCpu[m_cpu].empty()) groups(text.substr(text.find("groups:") + 7), m_byCpu[m_cpu].back());
    } else if (const auto span = valueOf(text, "root domain span: ")) {
      m_rootDomains.push_back(mask(*span));
    }
  }

  void attach(std::string_view before, std::string_view after) {
    const auto at = before.rfind("CPU");
    int cpu = -1;
    if (at != std::string_view::npos)
      std::from_chars(before.data() + at + 3, before.data() + before.size(), cpu);
    if (cpu < 0 || cpu > 65535) {
      fail("a line \"attaching sched-domain(s)\" names no CPU");
      return;
    }
    m_byCpu[cpu].clear();  // attached again: the last one counts
    m_cpu = after.find("NULL") != std::string_view::npos ? -1 : cpu;
  }

  void domain(std::string_view text) {
    DumpedDomain d;
    d.cpu = m_cpu;
    d.index = static_cast<int>(m_byCpu[m_cpu].size());
    const auto span = valueOf(text, "span=");
    const auto name = valueOf(text, "level=");
    if (!span) {
      fail("a domain line without span=");
      return;
    }
    d.span = mask(*span);
    if (name) d.name = std::string(*name);
    m_byCpu[m_cpu].push_back(std::move(d));
  }

  void groups(std::string_view text, DumpedDomain& d) {
    while (true) {
      const auto open = text.find('{');
      if (open == std::string_view::npos) break;
      const auto close = text.find('}', open);
      const std::string_view body = text.substr(open, close == std::string_view::npos ? close : close - open);
      const auto span = valueOf(body, "span=");
      const auto balance = valueOf(body, "mask=");
      d.groupSpans.push_back(span ? mask(*span) : CpuMask{});
      d.groupMasks.push_back(balance ? mask(*balance) : CpuMask{});
      if (close == std::string_view::npos) break;
      text = text.substr(close + 1);
    }
  }

  CpuMask mask(std::string_view list) {
    auto parsed = CpuMask::parseList(list);
    if (parsed.ok()) return std::move(parsed).value();
    fail(parsed.error().message);
    return {};
  }

  void fail(std::string message) {
    if (!m_error) m_error = Diagnostic{Severity::Error, {m_file, m_line, 0}, std::move(message), ""};
  }

  std::string_view m_text;
  const std::string& m_file;
  std::map<int, std::vector<DumpedDomain>> m_byCpu;
  std::vector<CpuMask> m_rootDomains;
  int m_cpu = -1, m_line = 0;
  std::optional<Diagnostic> m_error;
};

/// Concludes a machine from the spans of domains.
class DumpMachine {
 public:
  DumpMachine(const DomainDump& dump, const std::string& file) : m_dump(dump), m_file(file) {
    for (const DumpedDomain& d : dump.domains) m_byCpu[d.cpu].push_back(&d);
  }

  Result<Hardware> read() {
    if (std::any_of(m_dump.domains.begin(), m_dump.domains.end(), [](const auto& d) { return !d.span; }) ||
        m_dump.domains.empty())
      return Diagnostic{Severity::Error,
                        {m_file, 0, 0},
                        "this dump of sched domains does not say which CPUs a domain spans",
                        "open the machine it was made on (a dump of its /sys), then compare"};
    std::vector<CpuPlace> places;
    m_dump.cpus.forEach([&](CpuId c) { places.push_back(place(c)); });
    Hardware hw;
    hw.name = "imported";
    hw.source = m_file;
    hw.description = fmt::format("{} CPUs, from {}", places.size(), m_dump.kind);
    placeCpus(hw, std::move(places));
    for (HardwareCpu& cpu : hw.cpus)
      if (!m_byCpu.contains(cpu.id.value)) hw.isolated.set(cpu.id);
    setDistances(hw);
    hw.notes.push_back("the dump names no hardware: packages, caches and nodes are concluded from the spans");
    if (!hw.isolated.isEmpty())
      hw.notes.push_back(
          fmt::format("CPUs {} have no domain: they are taken to be isolated", hw.isolated.list()));
    fillMachineGaps(hw, {.knowsClusters = true});
    auto faults = checkHardware(hw);
    for (Diagnostic& d : faults) d.where.file = m_file;
    if (!faults.empty()) return faults;
    return hw;
  }

 private:
  /// Span of the highest domain of the CPU whose name is one of these; the CPU itself when there is none.
  CpuMask spanOf(CpuId cpu, std::initializer_list<const char*> names) const {
    CpuMask out = CpuMask::of(cpu);
    const auto it = m_byCpu.find(cpu.value);
    if (it == m_byCpu.end()) return out;
    for (const DumpedDomain* d : it->second)
      for (const char* name : names)
        if (d->name == name) out = *d->span;
    return out;
  }

  CpuPlace place(CpuId c) {
    CpuPlace out;
    const CpuMask node = spanOf(c, {"SMT", "CLS", "MC", "DIE", "PKG", "NODE"});
    out.cpu.id = c;
    out.cpu.node = NodeId{numberOf(m_nodes, node)};
    out.cpu.package = out.cpu.node.value;
    out.cpu.core = spanOf(c, {"SMT"}).first().value;
    out.cpu.cluster = spanOf(c, {"SMT", "CLS"}).first().value;
    out.caches = {{2, "Unified", out.cpu.cluster, 0},
                  {3, "Unified", spanOf(c, {"SMT", "CLS", "MC"}).first().value, 0}};
    return out;
  }

  static int numberOf(std::vector<CpuMask>& masks, const CpuMask& mask) {
    const auto it = std::find(masks.begin(), masks.end(), mask);
    if (it != masks.end()) return static_cast<int>(it - masks.begin());
    masks.push_back(mask);
    return static_cast<int>(masks.size()) - 1;
  }

  // Rank of the lowest NUMA domain of the node's first CPU that reaches the other node.
  void setDistances(Hardware& hw) const {
    for (HardwareNode& from : hw.nodes)
      for (const HardwareNode& to : hw.nodes) {
        int distance = 10;
        const auto it = m_byCpu.find(from.cpus.first().value);
        if (&from != &to && it != m_byCpu.end())
          for (const DumpedDomain* d : it->second) {
            if (d->name != "NUMA") continue;
            distance += 10;
            if (to.cpus.isSubsetOf(*d->span)) break;
          }
        from.distance.push_back(&from != &to ? std::max(20, distance) : 10);
      }
    if (hw.nodes.size() > 1)
      hw.notes.push_back("distances are ranks: 20 for the first NUMA level, 30 for the second and so on");
  }

  const DomainDump& m_dump;
  const std::string& m_file;
  std::map<int, std::vector<const DumpedDomain*>> m_byCpu;
  std::vector<CpuMask> m_nodes;
};

}  // namespace

bool looksLikeSchedVerbose(std::string_view text) {
  return text.find("attaching sched-domain") != std::string_view::npos;
}

Result<DomainDump> readSchedVerbose(std::string_view text, const std::string& file) {
  return VerboseReader(text, file).read();
}

Result<Hardware> hardwareFromDump(const DomainDump& dump, const std::string& file) {
  return DumpMachine(dump, file).read();
}

}  // namespace rqscope
