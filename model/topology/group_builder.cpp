// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "topology/group_builder.h"

#include <fmt/format.h>

#include <map>
#include <tuple>

namespace rqscope {
namespace {

class GroupBuilder {
 public:
  GroupBuilder(DomainBuild& build, const Behaviours& behaviours)
      : m_build(build),
        m_overlapFlag(behaviours.hasOverlapFlag ? kSdOverlap : kSdNuma),
        m_staysInside(behaviours.overlapGroupsInside) {}

  void build(CpuId cpu) {
    for (int d = m_build.lowest[cpu.index()]; d >= 0; d = at(d).parent) {
      if ((at(d).flags & m_overlapFlag) != 0)
        overlapping(d, cpu);
      else
        plain(d, cpu);
    }
  }

 private:
  /// Calls f(CpuId) for the CPUs of the mask from `start` on, wrapping around.
  template <class F>
  static void forEachWrapping(const CpuMask& mask, CpuId start, F&& f) {
    for (CpuId c = mask.next(CpuId{start.value - 1}); c.isValid(); c = mask.next(c)) f(c);
    for (CpuId c = mask.first(); c.isValid() && c < start; c = mask.next(c)) f(c);
  }

  // Kernel: build_sched_groups().
  void plain(int d, CpuId cpu) {
    const auto level = static_cast<std::size_t>(at(d).tableLevel);
    CpuMask covered;
    std::vector<int> ring;
    forEachWrapping(at(d).span, cpu, [&](CpuId c) {
      if (covered.test(c)) return;
      ring.push_back(canonicalGroup(level, c));
      covered |= group(ring.back()).span;
    });
    at(d).groups = std::move(ring);
  }

  // Kernel: get_group(): the group object of the first CPU of the child's span.
  int canonicalGroup(std::size_t level, CpuId cpu) {
    const int sd = m_build.domainAt[level][cpu.index()];
    // Levels that do not nest can leave a CPU of the span without a domain here: it stands for itself.
    const int child = sd >= 0 ? at(sd).child : -1;
    const CpuId owner = child >= 0 ? at(child).span.first() : cpu;
    int& slot = m_build.groupAt[level][owner.index()];
    if (slot >= 0) return slot;
    slot = static_cast<int>(m_build.groups.size());
    BuildGroup g;
    g.span = child >= 0 ? at(child).span : CpuMask::of(cpu);
    g.flags = child >= 0 ? at(child).flags : 0U;
    g.capacity = capacityOf(level, owner);
    BuildCapacity& c = m_build.capacities[static_cast<std::size_t>(g.capacity)];
    c.isUsed = true;
    c.balanceMask = g.span;
    m_build.groups.push_back(std::move(g));
    return slot;
  }

  // Kernel: build_overlap_sched_groups(): a ring of its own for every CPU.
  void overlapping(int d, CpuId cpu) {
    const auto level = static_cast<std::size_t>(at(d).tableLevel);
    const CpuMask span = at(d).span;
    CpuMask covered;
    std::vector<int> ring;
    forEachWrapping(span, cpu, [&](CpuId c) {
      if (covered.test(c)) return;
      int sibling = m_build.domainAt[level][c.index()];
      if (sibling < 0 || !at(sibling).span.test(c)) return;
      if (m_staysInside && at(sibling).child >= 0 && !at(at(sibling).child).span.isSubsetOf(span))
        sibling = descend(sibling, span);
      ring.push_back(privateGroup(sibling));
      covered |= group(ring.back()).span;
    });
    // Kernel: sched_domain_debug_one() complains of such groups, with sched_verbose.
    if (!covered.isSubsetOf(span))
      m_build.notes.push_back(
          fmt::format("CPU {}: the groups of domain {{{}}} do not span it: they cover {{{}}}", cpu.value,
                      span.list(), covered.list()));
    at(d).groups = std::move(ring);
  }

  // Kernel: find_descended_sibling().
  int descend(int sibling, const CpuMask& span) {
    while (at(sibling).child >= 0 && !at(at(sibling).child).span.isSubsetOf(span))
      sibling = at(sibling).child;
    while (at(sibling).child >= 0 && at(at(sibling).child).span == at(sibling).span)
      sibling = at(sibling).child;
    return sibling;
  }

  // Kernel: build_group_from_child_sched_domain() and init_overlap_sched_group().
  int privateGroup(int sibling) {
    const int child = at(sibling).child;
    BuildGroup g;
    g.span = at(child >= 0 ? child : sibling).span;
    g.flags = child >= 0 ? at(child).flags : 0U;
    const auto level = static_cast<std::size_t>(at(sibling).tableLevel);
    const CpuMask mask = balanceMask(level, g.span);
    // The kernel only warns about an empty mask; then its first CPU would be out of range.
    g.capacity = capacityOf(level, mask.isEmpty() ? g.span.first() : mask.first());
    BuildCapacity& c = m_build.capacities[static_cast<std::size_t>(g.capacity)];
    if (!c.isUsed) c.balanceMask = mask;
    c.isUsed = true;
    m_build.groups.push_back(std::move(g));
    return static_cast<int>(m_build.groups.size()) - 1;
  }

  /// Every CPU has groups of its own with the same few spans: each span is gone through once per level.
  CpuMask balanceMask(std::size_t level, const CpuMask& span) {
    auto& known = m_masks[{level, span.first().value, span.weight()}];
    for (const auto& [of, mask] : known)
      if (of == span) return mask;
    return known.emplace_back(span, buildBalanceMask(level, span)).second;
  }

  // Kernel: build_balance_mask().
  CpuMask buildBalanceMask(std::size_t level, const CpuMask& span) {
    CpuMask mask;
    span.forEach([&](CpuId c) {
      const int sibling = m_build.domainAt[level][c.index()];
      if (sibling < 0 || at(sibling).child < 0) return;
      if (at(at(sibling).child).span == span) mask.set(c);
    });
    return mask;
  }

  int capacityOf(std::size_t level, CpuId cpu) {
    int& slot = m_build.capacityAt[level][cpu.index()];
    if (slot < 0) {
      slot = static_cast<int>(m_build.capacities.size());
      m_build.capacities.emplace_back();
    }
    return slot;
  }

  BuildDomain& at(int d) { return m_build.domains[static_cast<std::size_t>(d)]; }
  BuildGroup& group(int g) { return m_build.groups[static_cast<std::size_t>(g)]; }

  DomainBuild& m_build;
  std::uint32_t m_overlapFlag;
  bool m_staysInside;  ///< 585b6d2723dc
  /// By level, first CPU and weight: spans with their balance masks.
  std::map<std::tuple<std::size_t, int, int>, std::vector<std::pair<CpuMask, CpuMask>>> m_masks;
};

/// Number of cores by span: groups of different CPUs share their spans.
class CoreCounter {
 public:
  explicit CoreCounter(const TopologyLevel& smt) : m_smt(smt) {}
  int count(const CpuMask& span) {
    auto& known = m_known[{span.first().value, span.weight()}];
    for (const auto& [of, cores] : known)
      if (of == span) return cores;
    return known.emplace_back(span, countCores(span)).second;
  }

 private:
  int countCores(CpuMask span) const {
    int cores = 0;
    for (CpuId c = span.first(); c.isValid(); c = span.next(c)) {
      ++cores;
      span -= m_smt.mask(c);
    }
    return cores;
  }

  const TopologyLevel& m_smt;
  std::map<std::pair<int, int>, std::vector<std::pair<CpuMask, int>>> m_known;
};

CpuId preferredCpu(const Hardware& hw, const CpuMask& span) {
  CpuId best = span.first();
  span.forEach([&](CpuId c) {
    if (asymCpuPriority(hw, c) > asymCpuPriority(hw, best)) best = c;
  });
  return best;
}

}  // namespace

int asymCpuPriority(const Hardware& hardware, CpuId cpu) {
  const HardwareCpu* found = hardware.find(cpu);
  const auto position = static_cast<std::size_t>(found - hardware.cpus.data());
  return position < hardware.asymPriority.size() ? hardware.asymPriority[position] : -cpu.value;
}

void buildGroups(DomainBuild& build, const CpuMask& partition, const Behaviours& behaviours,
                 const std::stop_token& stop) {
  GroupBuilder builder(build, behaviours);
  for (CpuId c = partition.first(); c.isValid() && !stop.stop_requested(); c = partition.next(c))
    builder.build(c);
}

void finishGroups(DomainBuild& build, const Hardware& hardware, const CpuMask& partition,
                  const std::stop_token& stop) {
  std::vector<bool> isCounted(build.groups.size(), false);
  CoreCounter cores(build.levels.front());
  partition.forEach([&](CpuId cpu) {
    if (stop.stop_requested()) return;
    for (int d = build.lowest[cpu.index()]; d >= 0; d = build.domains[static_cast<std::size_t>(d)].parent) {
      const BuildDomain& sd = build.domains[static_cast<std::size_t>(d)];
      for (const int g : sd.groups) {
        BuildGroup& group = build.groups[static_cast<std::size_t>(g)];
        if (isCounted[static_cast<std::size_t>(g)]) continue;
        isCounted[static_cast<std::size_t>(g)] = true;
        group.cores = cores.count(group.span);
        if ((sd.flags & kSdAsymPacking) != 0) group.asymPreferCpu = preferredCpu(hardware, group.span);
      }
    }
  });
}

}  // namespace rqscope
