// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "machine/levels.h"

#include <algorithm>
#include <map>
#include <set>

namespace rqscope::machine {

std::vector<Level> levelsOf(const api::MachineLayout& layout) {
  std::set<std::pair<std::int32_t, std::string>> seen;
  for (const api::LayoutDomain& domain : layout.domains) seen.emplace(domain.level, domain.name);
  std::map<std::string, int> count, number;
  for (const auto& [level, name] : seen) ++count[name];
  std::vector<Level> out;
  for (const auto& [level, name] : seen) {
    const bool isShared = count[name] > 1;
    out.push_back({isShared ? name + " " + std::to_string(++number[name]) : name, name, level});
  }
  return out;
}

bool isAt(const api::LayoutDomain& domain, const Level& level) {
  return domain.name == level.name && (level.level < 0 || domain.level == level.level);
}

int domainAt(const api::MachineLayout& layout, const Level& level, std::int32_t cpu) {
  const int position = positionOf(layout, cpu);
  if (position < 0) return -1;
  for (const std::int32_t index : layout.cpus[static_cast<std::size_t>(position)].domains) {
    if (isAt(layout.domains[static_cast<std::size_t>(index)], level)) return index;
  }
  return -1;
}

std::vector<std::int32_t> balancedCpus(const api::MachineLayout& layout,
                                       const std::vector<std::int32_t>& cpus) {
  std::vector<std::int32_t> out;
  for (const std::int32_t cpu : cpus) {
    const int position = positionOf(layout, cpu);
    if (position >= 0 && !layout.cpus[static_cast<std::size_t>(position)].domains.empty()) out.push_back(cpu);
  }
  return out;
}

int groupOf(const api::MachineLayout& layout, const Level& level, const std::vector<std::int32_t>& cpus) {
  if (cpus.empty()) return -1;
  const int index = domainAt(layout, level, cpus.front());
  if (index < 0) return -1;
  for (const std::int32_t group : layout.domains[static_cast<std::size_t>(index)].groups) {
    if (layout.groups[static_cast<std::size_t>(group)].cpus == cpus) return group;
  }
  return -1;
}

std::vector<std::vector<std::int32_t>> groupSets(const api::MachineLayout& layout, const Level& level) {
  std::set<std::int32_t> groups;
  for (const api::LayoutDomain& domain : layout.domains) {
    if (isAt(domain, level)) groups.insert(domain.groups.begin(), domain.groups.end());
  }
  std::vector<std::vector<std::int32_t>> sets;
  for (const std::int32_t group : groups) sets.push_back(layout.groups[static_cast<std::size_t>(group)].cpus);
  std::sort(sets.begin(), sets.end());
  sets.erase(std::unique(sets.begin(), sets.end()), sets.end());
  return sets;
}

const api::LayoutDomain* domainSpanning(const api::MachineLayout& layout,
                                        const std::vector<std::int32_t>& cpus) {
  if (cpus.empty()) return nullptr;
  const int position = positionOf(layout, cpus.front());
  if (position < 0) return nullptr;
  for (const std::int32_t index : layout.cpus[static_cast<std::size_t>(position)].domains) {
    const api::LayoutDomain& domain = layout.domains[static_cast<std::size_t>(index)];
    if (domain.span == cpus) return &domain;
  }
  return nullptr;
}

int positionOf(const api::MachineLayout& layout, std::int32_t cpu) {
  const auto it = std::lower_bound(layout.cpus.begin(), layout.cpus.end(), cpu,
                                   [](const api::LayoutCpu& c, std::int32_t id) { return c.id < id; });
  return it == layout.cpus.end() || it->id != cpu ? -1 : static_cast<int>(it - layout.cpus.begin());
}

}  // namespace rqscope::machine
