// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/cpumask.h"
#include "base/ids.h"
#include "base/profile.h"
#include "topology/hardware.h"

namespace rqscope {

/// SD_* flags by the model's own bit numbers (the kernel's differ by version; compare names).
/// The first four equal the wake flags WF_EXEC/FORK/TTWU shifted as in the kernel.
enum SdFlag : std::uint32_t {
  kSdBalanceNewidle = 1U << 0,
  kSdBalanceExec = 1U << 1,
  kSdBalanceFork = 1U << 2,
  kSdBalanceWake = 1U << 3,
  kSdWakeAffine = 1U << 4,
  kSdAsymCpucapacity = 1U << 5,
  kSdAsymCpucapacityFull = 1U << 6,
  kSdShareCpucapacity = 1U << 7,
  kSdCluster = 1U << 8,
  kSdShareLlc = 1U << 9,
  kSdSerialize = 1U << 10,
  kSdAsymPacking = 1U << 11,
  kSdPreferSibling = 1U << 12,
  kSdOverlap = 1U << 13,
  kSdNuma = 1U << 14,
};

/// The flags as the number that kernel prints ("flags_hex"): v6.1 lacks CLUSTER, v7.3 lacks OVERLAP.
std::uint32_t sdFlagBits(std::uint32_t flags, KernelVersion version);
/// Kernel names ("SD_SHARE_LLC", on v6.1 "SD_SHARE_PKG_RESOURCES") of the set flags in bit order.
std::vector<std::string> sdFlagNames(std::uint32_t flags, KernelVersion version);

/// One sched_domain: a CPU's view of one surviving level. Immutable part; counters live in the machine.
struct SchedDomain {
  CpuId cpu;
  DomainId parent, child;
  int index = 0;     ///< position in this CPU's list, 0 = lowest
  int level = 0;     ///< number of the topology level; has holes where a level degenerated
  std::string name;  ///< "SMT", "CLS", "MC", "PKG" (v6.1 "DIE"), "NODE", "NUMA"
  CpuMask span;
  int spanWeight = 0;
  std::uint32_t flags = 0;           ///< SdFlag bits
  std::vector<SchedGroupId> groups;  ///< ring order; the first is the local group
  int minIntervalMs = 0, maxIntervalMs = 0;
  int busyFactor = 16;
  int imbalancePct = 117;
  int cacheNiceTries = 0;
  int imbNumaNr = 0;
  SharedId shared;  ///< sched_domain_shared, none above the LLC
};

/// One sched_group. Non-overlapping groups are shared by all CPUs of the domain.
struct alignas(64) SchedGroup {
  std::vector<CpuId> cpus;  ///< span as a list, ascending
  std::uint32_t flags = 0;  ///< of the child domain it was made from
  int weight = 0;
  int cores = 0;
  CpuId asymPreferCpu;
  CapacityId capacity;  ///< its sched_group_capacity
  CpuMask span;
  CpuMask balanceMask;  ///< group_balance_mask()
};

/// Per-CPU shortcuts of update_top_cache_domain().
struct CpuDomains {
  DomainId lowest;  ///< rq->sd; none = null domain
  DomainId sdLlc, sdNuma, sdAsymPacking, sdAsymCpucapacity;
  int llcSize = 1;  ///< 0 for CPUs of isolcpus=: their shortcuts were never written
  CpuId llcId;      ///< first CPU of the LLC domain, the CPU itself without one; 0 for CPUs of isolcpus=
  CpuId shareId;    ///< lowest cluster domain's first CPU, else llcId
  SharedId llcShared;
  SharedId balanceShared;   ///< v7.3 sd_balance_shared: of sdAsymCpucapacity if it has one, else llcShared
  RootDomainId rootDomain;  ///< CPUs outside every partition: the default root domain
};

/// A performance domain of a root domain with its energy model as the kernel holds it. Kernel: perf_domain.
struct PerfDomain {
  struct State {
    std::uint32_t performance = 0;
    std::uint64_t frequency = 0, power = 0;
    std::uint64_t cost = 0;      ///< em_perf_state::cost
    bool isInefficient = false;  ///< a higher state costs no more: never asked for
  };
  CpuMask cpus;
  std::vector<State> states;
};

/// What a kernel of the given profile builds for a machine. Immutable; machines share it.
struct SchedTopology {
  Hardware hardware;
  std::vector<int> position;  ///< CPU number -> position in the per-CPU vectors, -1 = no such CPU
  int cpuLimit = 0;           ///< highest CPU number + 1: per-CPU vectors have this size
  CpuMask online;
  std::vector<SchedDomain> domains;
  std::vector<SchedGroup> groups;
  int capacityCount = 0;                             ///< number of sched_group_capacity objects
  int sharedCount = 0;                               ///< number of sched_domain_shared objects
  std::vector<CpuMask> sharedSpan;                   ///< CPUs of the domain it belongs to, by SharedId
  std::vector<CpuDomains> cpus;                      ///< by CPU number
  std::vector<CpuMask> rootDomains;                  ///< span by RootDomainId
  std::vector<std::vector<PerfDomain>> perfDomains;  ///< rd->pd by RootDomainId; empty: not energy-aware
  std::vector<CpuMask> smtMask;                      ///< online SMT siblings by CPU number
  std::vector<std::uint32_t> cpuCapacity;            ///< capacity_orig by CPU number
  std::vector<int> asymPriority;                     ///< arch_asym_cpu_priority by CPU number
  std::vector<NodeId> node;                          ///< by CPU number
  bool smtActive = false;                            ///< sched_smt_present
  bool asymCapacityActive = false;                   ///< sched_asym_cpucapacity
  /// Distinct capacities, descending, with their CPUs: asym_cap_list. Empty when all are equal, as the
  /// kernel's.
  std::vector<std::pair<std::uint32_t, CpuMask>> asymCapacities;
  enum class NumaType { Direct, GluelessMesh, Backplane } numaType = NumaType::Direct;
  std::vector<int> levelDistances;  ///< distinct distances between nodes with CPUs
  int maxDistance = 0;
  std::vector<std::string> notes;

  const SchedDomain& domain(DomainId id) const { return domains[id.index()]; }
  const SchedGroup& group(SchedGroupId id) const { return groups[id.index()]; }
};

/// Builds levels, domains, groups, degeneration and shortcuts for the profile's version.
/// Kernel: build_sched_domains(), kernel/sched/topology.c (v6.1, v6.12, v7.3). Cost: well under 1 s for 1,024
/// CPUs. Fails on hardware that the kernel would refuse (insane spans, distances below 10), with the reason.
Result<std::shared_ptr<const SchedTopology>> buildSchedTopology(const Hardware& hardware,
                                                                const KernelProfile& profile);

}  // namespace rqscope
