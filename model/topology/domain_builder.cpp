// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "topology/domain_builder.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "base/check.h"
#include "topology/group_builder.h"

namespace rqscope {
namespace {

constexpr int kImbalancePctSmt = 110;
constexpr int kImbalancePct = 117;
constexpr std::uint32_t kBaseFlags =
    kSdBalanceNewidle | kSdBalanceExec | kSdBalanceFork | kSdWakeAffine | kSdPreferSibling;

/// Kernel: asym_cpu_capacity_classify().
std::uint32_t asymFlags(const std::vector<std::pair<std::uint32_t, CpuMask>>& capacities, const CpuMask& span,
                        const CpuMask& partition) {
  int count = 0;
  int miss = 0;
  for (const auto& [capacity, cpus] : capacities) {
    if (span.intersects(cpus))
      ++count;
    else if (partition.intersects(cpus))
      ++miss;
  }
  if (count < 2) return 0;
  return miss != 0 ? unsigned{kSdAsymCpucapacity} : kSdAsymCpucapacity | kSdAsymCpucapacityFull;
}

/// For each distinct mask of a level, the highest CPU of the partition whose mask overlaps it without being
/// equal; -1 = none. Kernel: topology_span_sane().
std::vector<int> conflicts(const TopologyLevel& level, const CpuMask& partition) {
  std::vector<int> highestUser(level.masks.size(), -1);
  partition.forEach(
      [&](CpuId c) { highestUser[static_cast<std::size_t>(level.maskOf[c.index()])] = c.value; });
  std::vector<int> out(level.masks.size(), -1);
  CpuMask all;
  int sum = 0;
  for (std::size_t i = 0; i < level.masks.size(); ++i)
    if (highestUser[i] >= 0) {
      all |= level.masks[i];
      sum += level.masks[i].weight();
    }
  if (sum == all.weight()) return out;
  for (std::size_t i = 0; i < level.masks.size(); ++i)
    for (std::size_t j = 0; j < level.masks.size(); ++j)
      if (i != j && highestUser[i] >= 0 && highestUser[j] >= 0 && level.masks[i].intersects(level.masks[j]))
        out[i] = std::max(out[i], highestUser[j]);
  return out;
}

class PartitionBuilder {
 public:
  PartitionBuilder(const Hardware& hw, const KernelProfile& profile, const CpuMask& partition,
                   std::vector<TopologyLevel> levels)
      : m_hw(hw),
        m_behaviours(profile.behaviours),
        m_partition(partition),
        m_capacities(asymCapacityList(hw)) {
    m_build.levels = std::move(levels);
    const std::size_t limit = hw.cpus.back().id.index() + 1;
    const std::vector<int> none(limit, -1);
    m_build.domainAt.assign(m_build.levels.size(), none);
    m_build.groupAt = m_build.capacityAt = m_build.domainAt;
    m_build.lowest = none;
  }

  Result<DomainBuild> run(const std::stop_token& stop) {
    std::vector<std::vector<int>> insane;
    for (const TopologyLevel& level : m_build.levels)
      insane.push_back(level.overlaps ? std::vector<int>(level.masks.size(), -1)
                                      : conflicts(level, m_partition));
    for (CpuId c = m_partition.first(); c.isValid() && !stop.stop_requested(); c = m_partition.next(c))
      if (auto refused = stackCpu(c, insane)) return *refused;
    if (stop.stop_requested()) return stoppedBuild();
    buildGroups(m_build, m_partition, m_behaviours, stop);
    if (stop.stop_requested()) return stoppedBuild();
    m_partition.forEach([&](CpuId c) { allowNumaImbalance(c); });
    finishGroups(m_build, m_hw, m_partition, stop);
    if (stop.stop_requested()) return stoppedBuild();
    if (m_behaviours.sharedTopmostOnly) m_partition.forEach([&](CpuId c) { shareTopmost(c); });
    m_partition.forEach([&](CpuId c) { attachDomains(m_build, m_behaviours, c); });
    for (const auto& [levels, report] : m_widened)
      m_build.notes.push_back(
          fmt::format("{}; the parent is widened, on {} CPUs", report.second, report.first));
    return std::move(m_build);
  }

 private:
  std::optional<Diagnostic> stackCpu(CpuId cpu, const std::vector<std::vector<int>>& insane) {
    int below = -1;
    for (std::size_t l = 0; l < m_build.levels.size(); ++l) {
      const TopologyLevel& level = m_build.levels[l];
      const int other = insane[l][static_cast<std::size_t>(level.maskOf[cpu.index()])];
      if (other > cpu.value) return refusal(level, cpu, CpuId{other});
      below = addDomain(l, cpu, below);
      if (m_build.domains.back().span == m_partition) break;
    }
    return std::nullopt;
  }

  static Diagnostic refusal(const TopologyLevel& level, CpuId a, CpuId b) {
    return {Severity::Error,
            {},
            fmt::format("level {}: CPU {} sees CPUs {} and CPU {} sees CPUs {}; the kernel builds no domains",
                        level.name, a.value, level.mask(a).list(), b.value, level.mask(b).list()),
            "masks of one level are equal or have no CPU in common"};
  }

  // Kernel: build_sched_domain() and sd_init().
  int addDomain(std::size_t l, CpuId cpu, int below) {
    const TopologyLevel& level = m_build.levels[l];
    BuildDomain sd;
    sd.cpu = cpu;
    sd.tableLevel = static_cast<int>(l);
    sd.child = below;
    sd.span = level.mask(cpu) & m_partition;
    sd.maskWeight = (m_behaviours.intervalsFromPartition ? sd.span : level.mask(cpu)).weight();
    sd.flags = kBaseFlags | level.flags | asymFlags(m_capacities, sd.span, m_partition);
    BuildDomain* child = below < 0 ? nullptr : &m_build.domains[static_cast<std::size_t>(below)];
    if (m_behaviours.clearChildPreferSibling && (sd.flags & kSdAsymCpucapacity) != 0 && child != nullptr)
      child->flags &= ~kSdPreferSibling;
    setBehaviour(sd, level);
    if (!m_behaviours.sharedTopmostOnly && (sd.flags & kSdShareLlc) != 0) sd.shared = sharedOf(l, sd.span);
    const int index = static_cast<int>(m_build.domains.size());
    if (child != nullptr) {
      sd.level = child->level + 1;
      child->parent = index;
      widen(sd, *child);
    } else {
      m_build.lowest[cpu.index()] = index;
    }
    if (m_hw.relaxDomainLevel >= 0 && sd.level >= m_hw.relaxDomainLevel)
      sd.flags &= ~(kSdBalanceWake | kSdBalanceNewidle);
    if (level.overlaps && m_behaviours.hasOverlapFlag) sd.flags |= kSdOverlap;
    sd.spanWeight = sd.span.weight();
    m_build.domainAt[l][cpu.index()] = index;
    m_build.domains.push_back(std::move(sd));
    return index;
  }

  // The kernel reports a level that is not inside the next one, once per CPU, and widens the next one.
  void widen(BuildDomain& sd, const BuildDomain& child) {
    if (child.span.isSubsetOf(sd.span)) return;
    auto& [count, text] = m_widened[{child.tableLevel, sd.tableLevel}];
    if (count++ == 0)
      text = fmt::format("level {} is not a subset of level {}: CPU {} has child {}, parent {}",
                         m_build.levels[static_cast<std::size_t>(child.tableLevel)].name,
                         m_build.levels[static_cast<std::size_t>(sd.tableLevel)].name, sd.cpu.value,
                         child.span.list(), sd.span.list());
    sd.span |= child.span;
  }

  void setBehaviour(BuildDomain& sd, const TopologyLevel& level) const {
    sd.imbalancePct = kImbalancePct;
    if ((sd.flags & kSdShareCpucapacity) != 0) {
      sd.imbalancePct = kImbalancePctSmt;
    } else if ((sd.flags & kSdShareLlc) != 0) {
      sd.cacheNiceTries = 1;
    } else if ((sd.flags & kSdNuma) != 0) {
      sd.cacheNiceTries = 2;
      sd.flags &= ~kSdPreferSibling;
      sd.flags |= kSdSerialize;
      if (level.distance > m_hw.reclaimDistance)
        sd.flags &= ~(kSdBalanceExec | kSdBalanceFork | kSdWakeAffine);
    } else {
      sd.cacheNiceTries = 1;
    }
  }

  /// The shared object of a level that belongs to the first CPU of `span`.
  int sharedOf(std::size_t l, const CpuMask& span) {
    const auto [it, isNew] =
        m_sharedAt.emplace(std::pair{l, span.first().value}, static_cast<int>(m_build.shared.size()));
    if (isNew) m_build.shared.push_back(span);
    return it->second;
  }

  // v7.3: one shared object for the topmost SHARE_LLC domain, one for the lowest domain that sees all
  // capacities.
  void shareTopmost(CpuId cpu) {
    int llc = -1;
    int asym = -1;
    for (int d = m_build.lowest[cpu.index()]; d >= 0; d = at(d).parent) {
      if ((at(d).flags & kSdShareLlc) != 0) llc = d;
      if (asym < 0 && (at(d).flags & kSdAsymCpucapacityFull) != 0) asym = d;
    }
    if (asym >= 0 && (at(asym).flags & kSdNuma) != 0) asym = -1;
    for (const int d : {llc, asym})
      if (d >= 0) at(d).shared = sharedOf(static_cast<std::size_t>(at(d).tableLevel), at(d).span);
  }

  // The part of build_sched_domains() that sets imb_numa_nr.
  void allowNumaImbalance(CpuId cpu) {
    unsigned imb = 0;
    unsigned imbSpan = 1;
    for (int d = m_build.lowest[cpu.index()]; d >= 0; d = at(d).parent) {
      BuildDomain& sd = at(d);
      const auto weight = static_cast<unsigned>(sd.spanWeight);
      if ((sd.flags & kSdShareLlc) == 0 && sd.child >= 0 && (at(sd.child).flags & kSdShareLlc) != 0) {
        const unsigned llcs = weight / static_cast<unsigned>(at(sd.child).spanWeight);
        imb = std::max(1U, llcs == 1 ? weight >> 3 : llcs);
        sd.imbNumaNr = static_cast<int>(imb);
        int top = sd.parent;
        while (top >= 0 && (at(top).flags & kSdNuma) == 0) top = at(top).parent;
        imbSpan = static_cast<unsigned>(top >= 0 ? at(top).spanWeight : sd.spanWeight);
      } else {
        sd.imbNumaNr = static_cast<int>(imb * std::max(1U, weight / imbSpan));
      }
    }
  }

  BuildDomain& at(int d) { return m_build.domains[static_cast<std::size_t>(d)]; }

  const Hardware& m_hw;
  const Behaviours& m_behaviours;
  const CpuMask& m_partition;
  const std::vector<std::pair<std::uint32_t, CpuMask>> m_capacities;
  DomainBuild m_build;
  std::map<std::pair<std::size_t, int>, int> m_sharedAt;
  std::map<std::pair<int, int>, std::pair<int, std::string>> m_widened;  ///< by levels: CPUs, first report
};

}  // namespace

std::vector<std::pair<std::uint32_t, CpuMask>> asymCapacityList(const Hardware& hardware) {
  std::vector<std::pair<std::uint32_t, CpuMask>> list;
  for (const HardwareCpu& cpu : hardware.cpus) {
    if (hardware.isolated.test(cpu.id)) continue;
    auto it = std::find_if(list.begin(), list.end(),
                           [&](const auto& entry) { return entry.first <= cpu.capacity; });
    if (it == list.end() || it->first != cpu.capacity) it = list.insert(it, {cpu.capacity, CpuMask{}});
    it->second.set(cpu.id);
  }
  if (list.size() == 1) list.clear();
  return list;
}

Result<DomainBuild> buildPartition(const Hardware& hardware, const KernelProfile& profile,
                                   const CpuMask& partition, std::vector<TopologyLevel> levels,
                                   const std::stop_token& stop) {
  RQS_CHECK(!partition.isEmpty() && !hardware.cpus.empty(), "a partition has CPUs");
  return PartitionBuilder(hardware, profile, partition, std::move(levels)).run(stop);
}

Diagnostic stoppedBuild() { return {Severity::Error, {}, "the build was stopped", ""}; }

}  // namespace rqscope
