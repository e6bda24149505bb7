// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/profile.h"
#include "base/result.h"
#include "topology/file_tree.h"
#include "topology/sched_topology.h"
#include "topology/topology_record.h"

namespace rqscope {

/// One domain as a kernel printed it; what the source does not say is absent.
struct DumpedDomain {
  int cpu = 0, index = 0;
  std::optional<std::string> name;
  std::optional<CpuMask> span;
  std::optional<int> level, minInterval, maxInterval, busyFactor, imbalancePct, cacheNiceTries;
  std::optional<std::vector<std::string>> flags, groupsFlags;
  std::vector<CpuMask> groupSpans;  ///< in ring order; empty: not said
  std::vector<CpuMask> groupMasks;  ///< balance masks, where they differ from the span; empty masks otherwise
};

/// The domains of a running kernel: from /sys/kernel/debug/sched/domains or from sched_verbose boot text.
struct DomainDump {
  std::string kind;
  std::vector<DumpedDomain> domains;  ///< ascending by CPU and index
  CpuMask cpus;                       ///< CPUs that the dump speaks of
  std::vector<CpuMask> rootDomains;
};

/// Finds cpuN/domainM/... in a tree; nothing when there is none.
std::optional<DomainDump> domainDumpFromTree(const FileTree& tree);

/// Reads the lines "CPU0 attaching sched-domain(s):" and what follows, with or without time stamps. When a
/// CPU is attached several times (hotplug), the last one counts.
Result<DomainDump> readSchedVerbose(std::string_view text, const std::string& file);
bool looksLikeSchedVerbose(std::string_view text);

/// One line per value that the dump says and the model builds otherwise.
std::vector<FieldDifference> compareDomainDump(const DomainDump& dump, const SchedTopology& topology,
                                               const KernelProfile& profile);

/// A machine that gives these spans: for dumps that come without one. Distances are ranks (10, 20, 30, ...).
Result<Hardware> hardwareFromDump(const DomainDump& dump, const std::string& file);

/// What a kernel prints with sched_verbose when it attaches these domains.
std::string schedVerboseText(const SchedTopology& topology, const KernelProfile& profile);

}  // namespace rqscope
