// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "topology/sched_topology.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "topology/domain_builder.h"
#include "topology/group_builder.h"
#include "topology/perf_domains.h"
#include "topology/stoppable_build.h"

namespace rqscope {
namespace {

constexpr int kFlagCount = 15;
constexpr std::array<const char*, kFlagCount> kFlagNames = {"SD_BALANCE_NEWIDLE",
                                                            "SD_BALANCE_EXEC",
                                                            "SD_BALANCE_FORK",
                                                            "SD_BALANCE_WAKE",
                                                            "SD_WAKE_AFFINE",
                                                            "SD_ASYM_CPUCAPACITY",
                                                            "SD_ASYM_CPUCAPACITY_FULL",
                                                            "SD_SHARE_CPUCAPACITY",
                                                            "SD_CLUSTER",
                                                            "SD_SHARE_LLC",
                                                            "SD_SERIALIZE",
                                                            "SD_ASYM_PACKING",
                                                            "SD_PREFER_SIBLING",
                                                            "SD_OVERLAP",
                                                            "SD_NUMA"};

bool hasFlag(int bit, KernelVersion version) {
  const std::uint32_t flag = 1U << bit;
  if (version == KernelVersion::V6_1) return flag != kSdCluster;
  if (version == KernelVersion::V7_3) return flag != kSdOverlap;
  return true;
}

/// One cpu_map, with the CPUs that its last rebuild saw in the architecture's masks.
struct PartitionPlan {
  CpuMask cpus;     ///< CPUs that get domains
  CpuMask present;  ///< CPUs in the level masks at that moment
  CpuMask counted;  ///< CPUs that make a NUMA node count at that moment
};

/// CPUs in the masks when the partition `configured` was last rebuilt. A partition is rebuilt when one of its
/// CPUs is unplugged; v6.12 does so while that CPU still stands in the masks.
PartitionPlan planFor(const Hardware& hw, const Behaviours& b, const CpuMask& configured,
                      const CpuMask& online) {
  PartitionPlan plan{configured & online, online, online};
  if (!b.rebuildSeesDyingCpu) return plan;
  for (std::size_t i = hw.unpluggedAfterBoot.size(); i-- > 0;) {
    const CpuId dying = hw.unpluggedAfterBoot[i];
    if (hw.find(dying) == nullptr || online.test(dying)) continue;
    plan.present.set(dying);
    if (configured.test(dying)) return plan;  // later ones did not touch this partition
    plan.counted.set(dying);
  }
  // Never rebuilt after boot: everything unplugged since then was still there.
  return plan;
}

std::vector<PartitionPlan> planPartitions(const Hardware& hw, const Behaviours& b) {
  const CpuMask online = hw.onlineCpus();
  CpuMask all;
  for (const HardwareCpu& cpu : hw.cpus) all.set(cpu.id);
  CpuMask rest = all - hw.isolated;
  std::vector<PartitionPlan> plans;
  for (const CpusetPartition& part : hw.partitions) {
    rest -= part.cpus;
    if (!part.isolated) plans.push_back(planFor(hw, b, part.cpus - hw.isolated, online));
  }
  plans.insert(plans.begin(), planFor(hw, b, rest, online));
  std::erase_if(plans, [](const PartitionPlan& p) { return p.cpus.isEmpty(); });
  return plans;
}

/// Turns what the partitions built into the numbered, immutable result.
class TopologyAssembler {
 public:
  TopologyAssembler(const Hardware& hw, const KernelProfile& profile)
      : m_profile(profile), m_out(std::make_shared<SchedTopology>()) {
    m_out->hardware = hw;
    const std::size_t limit = hw.cpus.back().id.index() + 1;
    m_out->cpuLimit = static_cast<int>(limit);
    m_out->online = hw.onlineCpus();
    m_out->position.assign(limit, -1);
    m_out->cpus.resize(limit);
    m_out->smtMask.resize(limit);
    m_out->cpuCapacity.assign(limit, 0);
    m_out->asymPriority.assign(limit, 0);
    m_out->node.resize(limit);
    m_owner.assign(limit, -1);
    for (std::size_t i = 0; i < hw.cpus.size(); ++i) addCpu(static_cast<int>(i), hw.cpus[i]);
    const NumaLevels numa = numaLevels(hw, m_out->online, m_out->online, profile.behaviours.numaCpuNodesOnly);
    m_out->numaType = numa.type;
    m_out->levelDistances = numa.distances;
    m_out->maxDistance = numa.distances.empty() ? 0 : numa.distances.back();
    m_out->asymCapacities = asymCapacityList(hw);
    m_out->notes = hw.notes;
  }

  void add(DomainBuild build, const CpuMask& partition) {
    const int index = static_cast<int>(m_builds.size());
    partition.forEach([&](CpuId c) { m_owner[c.index()] = index; });
    m_out->rootDomains.push_back(partition);
    m_out->notes.insert(m_out->notes.end(), build.notes.begin(), build.notes.end());
    m_builds.push_back(Numbering{std::move(build), {}, {}, {}});
    Numbering& n = m_builds.back();
    n.group.assign(n.build.groups.size(), -1);
    n.capacity.assign(n.build.capacities.size(), -1);
    n.shared.assign(n.build.shared.size(), -1);
  }

  std::shared_ptr<const SchedTopology> finish() {
    CpuMask without;
    for (const HardwareCpu& cpu : m_out->hardware.cpus) {
      const int owner = m_owner[cpu.id.index()];
      if (owner >= 0) {
        m_out->cpus[cpu.id.index()].rootDomain = RootDomainId{owner};
        numberCpu(m_builds[static_cast<std::size_t>(owner)], cpu.id);
      } else if (cpu.online) {
        without.set(cpu.id);
      }
      setShortcuts(cpu.id, owner >= 0);
    }
    if (!without.isEmpty()) {
      const RootDomainId isolatedRoot{m_out->rootDomains.size()};
      m_out->rootDomains.push_back(without);
      without.forEach([&](CpuId c) { m_out->cpus[c.index()].rootDomain = isolatedRoot; });
    }
    addPerfDomains();
    return std::move(m_out);
  }

 private:
  struct Numbering {
    DomainBuild build;
    std::vector<int> group, capacity, shared;  ///< number in the result by index in the build; -1 = none yet
  };

  void addCpu(int position, const HardwareCpu& cpu) {
    const std::size_t c = cpu.id.index();
    m_out->position[c] = position;
    m_out->cpuCapacity[c] = cpu.capacity;
    m_out->asymPriority[c] = asymCpuPriority(m_out->hardware, cpu.id);
    m_out->node[c] = cpu.node;
    if (!cpu.online) return;
    m_out->smtMask[c] = cpu.threadSiblings & m_out->online;
    m_out->smtMask[c].set(cpu.id);
    if (m_out->smtMask[c].weight() > 1) m_out->smtActive = true;
  }

  void numberCpu(Numbering& n, CpuId cpu) {
    DomainId below;
    int index = 0;
    for (int d = n.build.lowest[cpu.index()]; d >= 0; ++index) {
      const BuildDomain& from = n.build.domains[static_cast<std::size_t>(d)];
      const DomainId id{m_out->domains.size()};
      if (below.isValid())
        m_out->domains[below.index()].parent = id;
      else
        m_out->cpus[cpu.index()].lowest = id;
      SchedDomain sd = finalDomain(n, from);
      sd.index = index;
      sd.child = below;
      if ((sd.flags & kSdAsymCpucapacity) != 0) m_out->asymCapacityActive = true;
      m_out->domains.push_back(std::move(sd));
      below = id;
      d = from.parent;
    }
  }

  SchedDomain finalDomain(Numbering& n, const BuildDomain& from) {
    SchedDomain sd;
    sd.cpu = from.cpu;
    sd.level = from.level;
    sd.name = n.build.levels[static_cast<std::size_t>(from.tableLevel)].name;
    sd.span = from.span;
    sd.spanWeight = from.spanWeight;
    sd.flags = from.flags;
    sd.minIntervalMs = from.maskWeight;
    sd.maxIntervalMs = 2 * from.maskWeight;
    sd.imbalancePct = from.imbalancePct;
    sd.cacheNiceTries = from.cacheNiceTries;
    sd.imbNumaNr = from.imbNumaNr;
    if (from.shared >= 0) {
      int& number = n.shared[static_cast<std::size_t>(from.shared)];
      if (number < 0) {
        number = m_out->sharedCount++;
        m_out->sharedSpan.push_back(n.build.shared[static_cast<std::size_t>(from.shared)]);
      }
      sd.shared = SharedId{number};
    }
    sd.groups.reserve(from.groups.size());
    for (const int g : from.groups) sd.groups.push_back(finalGroup(n, g));
    return sd;
  }

  SchedGroupId finalGroup(Numbering& n, int g) {
    int& number = n.group[static_cast<std::size_t>(g)];
    if (number >= 0) return SchedGroupId{number};
    number = static_cast<int>(m_out->groups.size());
    const BuildGroup& from = n.build.groups[static_cast<std::size_t>(g)];
    int& capacity = n.capacity[static_cast<std::size_t>(from.capacity)];
    if (capacity < 0) capacity = m_out->capacityCount++;
    SchedGroup group;
    group.span = from.span;
    group.cpus.reserve(static_cast<std::size_t>(from.span.weight()));
    from.span.forEach([&](CpuId c) { group.cpus.push_back(c); });
    group.balanceMask = n.build.capacities[static_cast<std::size_t>(from.capacity)].balanceMask;
    group.flags = from.flags;
    group.weight = static_cast<int>(group.cpus.size());
    group.cores = from.cores;
    group.asymPreferCpu = from.asymPreferCpu;
    group.capacity = CapacityId{capacity};
    m_out->groups.push_back(std::move(group));
    return SchedGroupId{number};
  }

  void addPerfDomains() {
    if (!m_profile.tunables.energyAware || m_out->hardware.energy.empty()) return;
    for (const CpuMask& span : m_out->rootDomains) {
      bool isAsymmetric = false;
      span.forEach([&](CpuId c) {
        isAsymmetric = isAsymmetric || m_out->cpus[c.index()].sdAsymCpucapacity.isValid();
      });
      m_out->perfDomains.push_back(
          buildPerfDomains(m_out->hardware, m_profile, span, isAsymmetric, m_out->smtActive));
    }
  }

  // Kernel: update_top_cache_domain(). CPUs of isolcpus= never get there: their shortcuts stay zero on v6.x.
  void setShortcuts(CpuId cpu, bool isAttached) {
    CpuDomains& s = m_out->cpus[cpu.index()];
    const bool wasNeverAttached = !isAttached && m_out->hardware.isolated.test(cpu);
    s.llcSize = wasNeverAttached ? 0 : 1;
    s.llcId = s.shareId = wasNeverAttached && m_profile.version != KernelVersion::V7_3 ? CpuId{0} : cpu;
    bool isLlc = true;
    DomainId cluster;
    for (DomainId d = s.lowest; d.isValid(); d = m_out->domain(d).parent) {
      const std::uint32_t flags = m_out->domain(d).flags;
      isLlc = isLlc && (flags & kSdShareLlc) != 0;
      if (isLlc) s.sdLlc = d;
      if (!cluster.isValid() && (flags & kSdCluster) != 0) cluster = d;
      if (!s.sdNuma.isValid() && (flags & kSdNuma) != 0) s.sdNuma = d;
      if ((flags & kSdAsymPacking) != 0) s.sdAsymPacking = d;
      if (!s.sdAsymCpucapacity.isValid() && (flags & kSdAsymCpucapacityFull) != 0) s.sdAsymCpucapacity = d;
    }
    if (s.sdLlc.isValid()) {
      const SchedDomain& llc = m_out->domain(s.sdLlc);
      s.llcSize = llc.spanWeight;
      s.llcId = s.shareId = llc.span.first();
      s.llcShared = llc.shared;
    }
    if (cluster.isValid()) s.shareId = m_out->domain(cluster).span.first();
    s.balanceShared = s.llcShared;
    if (m_profile.behaviours.sharedTopmostOnly && s.sdAsymCpucapacity.isValid() &&
        m_out->domain(s.sdAsymCpucapacity).shared.isValid())
      s.balanceShared = m_out->domain(s.sdAsymCpucapacity).shared;
  }

  const KernelProfile& m_profile;
  std::shared_ptr<SchedTopology> m_out;
  std::vector<Numbering> m_builds;
  std::vector<int> m_owner;  ///< by CPU number: partition, -1 = none
};

}  // namespace

std::uint32_t sdFlagBits(std::uint32_t flags, KernelVersion version) {
  std::uint32_t bits = 0;
  int place = 0;
  for (int bit = 0; bit < kFlagCount; ++bit) {
    if (!hasFlag(bit, version)) continue;
    if ((flags & (1U << bit)) != 0) bits |= 1U << place;
    ++place;
  }
  return bits;
}

std::vector<std::string> sdFlagNames(std::uint32_t flags, KernelVersion version) {
  std::vector<std::string> names;
  for (int bit = 0; bit < kFlagCount; ++bit) {
    if ((flags & (1U << bit)) == 0) continue;
    const bool isOldName = version == KernelVersion::V6_1 && (1U << bit) == kSdShareLlc;
    names.emplace_back(isOldName ? "SD_SHARE_PKG_RESOURCES" : kFlagNames[static_cast<std::size_t>(bit)]);
  }
  return names;
}

Result<std::shared_ptr<const SchedTopology>> buildSchedTopology(const Hardware& hardware,
                                                                const KernelProfile& profile) {
  return buildSchedTopology(hardware, profile, std::stop_token());
}

Result<std::shared_ptr<const SchedTopology>> buildSchedTopology(const Hardware& hardware,
                                                                const KernelProfile& profile,
                                                                const std::stop_token& stop) {
  if (auto faults = checkHardware(hardware); !faults.empty()) return faults;
  TopologyAssembler assembler(hardware, profile);
  for (const PartitionPlan& plan : planPartitions(hardware, profile.behaviours)) {
    auto build = buildPartition(hardware, profile, plan.cpus,
                                topologyLevels(hardware, profile, plan.present, plan.counted), stop);
    if (!build.ok()) return build.diagnostics();
    assembler.add(std::move(build).value(), plan.cpus);
  }
  if (stop.stop_requested()) return stoppedBuild();
  return assembler.finish();
}

}  // namespace rqscope
