// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "evaluate/recorded_hardware.h"

#include <algorithm>

#include <fmt/format.h>

namespace rqscope {
namespace {

constexpr int kLocalDistance = 10, kRemoteDistance = 20;
constexpr int kLastLevel = 3, kClusterLevel = 2;

/// The widest span of the CPU's domains with all of `wanted` and none of `unwanted`; itself when none.
CpuMask widest(const std::vector<RecordedDomainSpan>& domains, CpuId cpu, std::uint32_t wanted,
               std::uint32_t unwanted) {
  CpuMask found = CpuMask::of(cpu);
  for (const RecordedDomainSpan& d : domains)
    if (d.cpu == cpu && (d.flags & wanted) == wanted && (d.flags & unwanted) == 0 &&
        d.span.weight() > found.weight())
      found = d.span;
  return found;
}

void addNodes(Hardware& h, const std::vector<RecordedDomainSpan>& domains) {
  for (HardwareCpu& cpu : h.cpus) {
    const CpuMask node = widest(domains, cpu.id, 0, kSdNuma);
    const auto at = std::ranges::find_if(h.nodes, [&](const HardwareNode& n) { return n.cpus.test(cpu.id); });
    if (at != h.nodes.end()) {
      cpu.node = at->id;
      continue;
    }
    cpu.node = NodeId{h.nodes.size()};
    h.nodes.push_back({cpu.node, node, {}, true});
  }
  for (std::size_t a = 0; a < h.nodes.size(); ++a)
    for (std::size_t b = 0; b < h.nodes.size(); ++b)
      h.nodes[a].distance.push_back(a == b ? kLocalDistance : kRemoteDistance);
}

}  // namespace

Hardware hardwareOfDomains(const std::vector<RecordedDomainSpan>& domains,
                           const std::vector<std::uint32_t>& capacities, MaskRules rules) {
  Hardware h;
  h.name = "recorded";
  h.source = "the domains of a recorded run";
  h.rules = rules;
  h.clusterLevel = false;
  CpuMask all;
  for (const RecordedDomainSpan& d : domains) all |= d.span;
  const bool hasNodes =
      std::ranges::any_of(domains, [](const RecordedDomainSpan& d) { return (d.flags & kSdNuma) != 0; });
  all.forEach([&](CpuId id) {
    HardwareCpu& cpu = h.cpus.emplace_back();
    cpu.id = id;
    cpu.threadSiblings = widest(domains, id, kSdShareCpucapacity, 0);
    cpu.core = cpu.threadSiblings.first().value;
    const CpuMask cache = widest(domains, id, kSdShareLlc, kSdNuma);
    cpu.caches.push_back(
        {rules == MaskRules::X86 ? kLastLevel : kClusterLevel, "Unified", 0, cache.first().value, cache});
    cpu.packageCpus = cpu.dieCpus = hasNodes ? widest(domains, id, 0, kSdNuma) : all;
    cpu.package = cpu.packageCpus.first().value;
    if (id.index() < capacities.size()) cpu.capacity = cpu.throughput = capacities[id.index()];
  });
  addNodes(h, domains);
  return h;
}

Result<std::shared_ptr<const SchedTopology>> topologyOfDomains(
    const Hardware& hardware, const KernelProfile& profile, const std::vector<RecordedDomainSpan>& domains) {
  auto built = buildSchedTopology(hardware, profile);
  if (!built) return built.error();
  const SchedTopology& t = *built.value();
  std::size_t matched = 0;
  for (const SchedDomain& d : t.domains) {
    const auto at = std::ranges::find_if(domains, [&](const RecordedDomainSpan& r) {
      return r.cpu == d.cpu && r.index == d.index && r.span == d.span && r.flags == d.flags;
    });
    if (at != domains.end()) ++matched;
  }
  if (matched == domains.size() && matched == t.domains.size()) return built;
  return Diagnostic{
      Severity::Error,
      {},
      fmt::format("the model builds {} domains for the recorded machine, {} of them as recorded ({})",
                  t.domains.size(), matched, domains.size()),
      "the free run needs the same domains"};
}

}  // namespace rqscope
