// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "topology/domain_dump.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <sstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace rqscope {
namespace {

using DomainKey = std::pair<int, int>;

std::vector<std::string> words(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> out;
  for (std::string w; in >> w;) out.push_back(w);
  return out;
}

std::optional<int> toInt(std::string_view text) {
  int value = 0;
  const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (ec != std::errc{} || end == text.data()) return std::nullopt;
  return value;
}

/// Parses ".../cpu3/domain1/name" into CPU, index and leaf.
bool splitPath(const std::string& path, DomainKey& key, std::string& leaf) {
  const auto leafSlash = path.rfind('/');
  if (leafSlash == std::string::npos || leafSlash == 0) return false;
  const auto domainSlash = path.rfind('/', leafSlash - 1);
  if (domainSlash == std::string::npos || domainSlash == 0) return false;
  const auto cpuSlash = path.rfind('/', domainSlash - 1);
  const std::string cpu = path.substr(cpuSlash == std::string::npos ? 0 : cpuSlash + 1,
                                      domainSlash - (cpuSlash == std::string::npos ? 0 : cpuSlash + 1));
  const std::string domain = path.substr(domainSlash + 1, leafSlash - domainSlash - 1);
  if (!cpu.starts_with("cpu") || !domain.starts_with("domain")) return false;
  const auto c = toInt(std::string_view(cpu).substr(3));
  const auto d = toInt(std::string_view(domain).substr(6));
  if (!c || !d || *c < 0 || *c > 65535 || *d < 0) return false;
  key = {*c, *d};
  leaf = path.substr(leafSlash + 1);
  return true;
}

void setLeaf(DumpedDomain& domain, const std::string& leaf, const std::string& text) {
  static constexpr std::pair<const char*, std::optional<int> DumpedDomain::*> kNumbers[] = {
      {"level", &DumpedDomain::level},
      {"min_interval", &DumpedDomain::minInterval},
      {"max_interval", &DumpedDomain::maxInterval},
      {"busy_factor", &DumpedDomain::busyFactor},
      {"imbalance_pct", &DumpedDomain::imbalancePct},
      {"cache_nice_tries", &DumpedDomain::cacheNiceTries}};
  for (const auto& [name, field] : kNumbers)
    if (leaf == name) domain.*field = toInt(text);
  if (leaf == "name") domain.name = words(text).empty() ? "" : words(text).front();
  if (leaf == "flags") domain.flags = words(text);
  if (leaf == "groups_flags") domain.groupsFlags = words(text);
}

class DumpComparison {
 public:
  DumpComparison(const SchedTopology& t, const KernelProfile& profile)
      : m_topology(t), m_version(profile.version) {}

  void compare(const DomainDump& dump) {
    std::map<DomainKey, const SchedDomain*> model;
    for (const SchedDomain& d : m_topology.domains) model[{d.cpu.value, d.index}] = &d;
    for (const DumpedDomain& want : dump.domains) {
      const auto it = model.find({want.cpu, want.index});
      m_where = fmt::format("cpu {}, domain {}", want.cpu, want.index);
      if (it == model.end()) {
        add("", want.name.value_or("present"), "missing");
        continue;
      }
      domain(want, *it->second);
      model.erase(it);
    }
    for (const auto& [key, have] : model) {
      m_where = fmt::format("cpu {}, domain {}", key.first, key.second);
      if (dump.cpus.test(have->cpu)) add("", "missing", have->name);
    }
  }

  std::vector<FieldDifference> differences;

 private:
  void domain(const DumpedDomain& want, const SchedDomain& have) {
    if (want.name && *want.name != have.name) add("name", *want.name, have.name);
    if (want.span && *want.span != have.span) add("span", want.span->list(), have.span.list());
    number("level", want.level, have.level);
    number("min_interval", want.minInterval, have.minIntervalMs);
    number("max_interval", want.maxInterval, have.maxIntervalMs);
    number("busy_factor", want.busyFactor, have.busyFactor);
    number("imbalance_pct", want.imbalancePct, have.imbalancePct);
    number("cache_nice_tries", want.cacheNiceTries, have.cacheNiceTries);
    names("flags", want.flags, have.flags);
    names("groups_flags", want.groupsFlags, m_topology.group(have.groups.front()).flags);
    groups(want, have);
  }

  void number(const char* field, const std::optional<int>& want, int have) {
    if (want && *want != have) add(field, fmt::format("{}", *want), fmt::format("{}", have));
  }

  void names(const char* field, const std::optional<std::vector<std::string>>& want, std::uint32_t flags) {
    if (!want) return;
    const auto have = sdFlagNames(flags, m_version);
    if (*want != have)
      add(field, fmt::format("{}", fmt::join(*want, " ")), fmt::format("{}", fmt::join(have, " ")));
  }

  void groups(const DumpedDomain& want, const SchedDomain& have) {
    if (want.groupSpans.empty()) return;
    if (want.groupSpans.size() != have.groups.size()) {
      add("number of groups", fmt::format("{}", want.groupSpans.size()),
          fmt::format("{}", have.groups.size()));
      return;
    }
    for (std::size_t g = 0; g < want.groupSpans.size(); ++g) {
      const SchedGroup& group = m_topology.group(have.groups[g]);
      if (want.groupSpans[g] != group.span)
        add(fmt::format("group {}", g), want.groupSpans[g].list(), group.span.list());
      const CpuMask& mask = want.groupMasks[g].isEmpty() ? want.groupSpans[g] : want.groupMasks[g];
      if (mask != group.balanceMask)
        add(fmt::format("balance mask of group {}", g), mask.list(), group.balanceMask.list());
    }
  }

  void add(std::string_view field, std::string want, std::string have) {
    differences.push_back(
        {field.empty() ? m_where : fmt::format("{}: {}", m_where, field), std::move(want), std::move(have)});
  }

  const SchedTopology& m_topology;
  KernelVersion m_version;
  std::string m_where;
};

std::string groupText(const SchedTopology& t, const SchedDomain& sd, const SchedGroup& g,
                      const Behaviours& b) {
  std::string text = fmt::format("{}:{{ span={}", g.balanceMask.first().value, g.span.list());
  const bool overlaps = (sd.flags & (b.hasOverlapFlag ? kSdOverlap : kSdNuma)) != 0;
  if (overlaps && g.balanceMask != g.span) text += fmt::format(" mask={}", g.balanceMask.list());
  std::uint64_t capacity = 0;
  for (const CpuId c : g.cpus) capacity += t.cpuCapacity[c.index()];
  if (capacity != 1024) text += fmt::format(" cap={}", capacity);
  return text + " }";
}

}  // namespace

std::optional<DomainDump> domainDumpFromTree(const FileTree& tree) {
  std::map<DomainKey, DumpedDomain> domains;
  for (const auto& [path, contents] : tree.files()) {
    DomainKey key;
    std::string leaf;
    if (!splitPath(path, key, leaf)) continue;
    DumpedDomain& domain = domains[key];
    domain.cpu = key.first;
    domain.index = key.second;
    setLeaf(domain, leaf, contents);
  }
  if (domains.empty()) return std::nullopt;
  DomainDump dump;
  dump.kind = "dump of /sys/kernel/debug/sched/domains";
  for (auto& [key, domain] : domains) {
    dump.cpus.set(CpuId{key.first});
    dump.domains.push_back(std::move(domain));
  }
  return dump;
}

std::vector<FieldDifference> compareDomainDump(const DomainDump& dump, const SchedTopology& topology,
                                               const KernelProfile& profile) {
  DumpComparison comparison(topology, profile);
  comparison.compare(dump);
  return std::move(comparison.differences);
}

std::string schedVerboseText(const SchedTopology& topology, const KernelProfile& profile) {
  std::string out;
  for (const HardwareCpu& cpu : topology.hardware.cpus) {
    if (!cpu.online) continue;
    const CpuDomains& domains = topology.cpus[cpu.id.index()];
    out += fmt::format("CPU{} attaching {}\n", cpu.id.value,
                       domains.lowest.isValid() ? "sched-domain(s):" : "NULL sched-domain.");
    for (DomainId d = domains.lowest; d.isValid(); d = topology.domain(d).parent) {
      const SchedDomain& sd = topology.domain(d);
      const std::string indent(static_cast<std::size_t>(sd.index) + 1, ' ');
      out += fmt::format("{}domain-{}: span={} level={}\n{} groups: ", indent, sd.index, sd.span.list(),
                         sd.name, indent);
      for (std::size_t g = 0; g < sd.groups.size(); ++g)
        out +=
            (g == 0 ? "" : ", ") + groupText(topology, sd, topology.group(sd.groups[g]), profile.behaviours);
      out += '\n';
    }
  }
  for (const CpuMask& root : topology.rootDomains) out += fmt::format("root domain span: {}\n", root.list());
  return out;
}

}  // namespace rqscope
