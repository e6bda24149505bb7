// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include <fmt/format.h>

#include "model/topology/temporary_folder.h"
#include "topology/sched_topology.h"

namespace rqscope {

/// Writes the machine below the folder as /sys and /proc of a running Linux show it.
inline void writeSysfs(const TemporaryFolder& folder, const Hardware& hw) {
  const CpuMask online = hw.onlineCpus();
  const std::string cpus = "sys/devices/system/cpu/";
  const auto list = [&](const CpuMask& mask) { return (mask & online).list() + "\n"; };
  CpuMask possible;
  for (const HardwareCpu& cpu : hw.cpus) possible.set(cpu.id);
  folder.write(cpus + "possible", possible.list() + "\n");
  folder.write(cpus + "present", possible.list() + "\n");
  folder.write(cpus + "online", online.list() + "\n");
  folder.write(cpus + "offline", (possible - online).list() + "\n");
  folder.write(cpus + "isolated", hw.isolated.list() + "\n");
  for (const HardwareCpu& cpu : hw.cpus) {
    const std::string at = fmt::format("{}cpu{}/", cpus, cpu.id.value);
    folder.write(at + "uevent", "");
    if (!cpu.online) continue;
    folder.write(at + "topology/physical_package_id", fmt::format("{}\n", cpu.package));
    folder.write(at + "topology/die_id", fmt::format("{}\n", cpu.die));
    folder.write(at + "topology/cluster_id", fmt::format("{}\n", cpu.cluster < 0 ? 65535 : cpu.cluster));
    folder.write(at + "topology/core_id", fmt::format("{}\n", cpu.core));
    folder.write(at + "topology/core_cpus_list", list(cpu.threadSiblings));
    folder.write(at + "topology/cluster_cpus_list", list(cpu.clusterCpus));
    folder.write(at + "topology/die_cpus_list", list(cpu.dieCpus));
    folder.write(at + "topology/package_cpus_list", list(cpu.packageCpus));
    int index = 0;
    for (const HardwareCache& cache : cpu.caches) {
      const std::string c = fmt::format("{}cache/index{}/", at, index++);
      folder.write(c + "level", fmt::format("{}\n", cache.level));
      folder.write(c + "type", cache.type + "\n");
      folder.write(c + "size", fmt::format("{}K\n", cache.sizeBytes >> 10));
      folder.write(c + "id", fmt::format("{}\n", std::max(0, cache.id)));
      folder.write(c + "shared_cpu_list", list(cache.shared));
    }
    if (hw.rules == MaskRules::ArchTopology)
      folder.write(at + "cpu_capacity", fmt::format("{}\n", cpu.capacity));
  }
  CpuMask nodeIds, withCpu, withMemory;
  for (std::size_t n = 0; n < hw.nodes.size(); ++n) {
    const HardwareNode& node = hw.nodes[n];
    const std::string at = fmt::format("sys/devices/system/node/node{}/", node.id.value);
    folder.write(at + "cpulist", list(node.cpus));
    std::string row;
    for (std::size_t m = 0; m < hw.nodes.size(); ++m) row += fmt::format("{} ", hw.distance(n, m));
    row.back() = '\n';
    folder.write(at + "distance", row);
    nodeIds.set(CpuId{node.id.value});
    if (node.cpus.intersects(online)) withCpu.set(CpuId{node.id.value});
    if (node.hasMemory) withMemory.set(CpuId{node.id.value});
  }
  folder.write("sys/devices/system/node/online", nodeIds.list() + "\n");
  folder.write("sys/devices/system/node/has_cpu", withCpu.list() + "\n");
  folder.write("sys/devices/system/node/has_memory", withMemory.list() + "\n");
  folder.write("proc/cmdline", hw.relaxDomainLevel < 0
                                   ? "quiet\n"
                                   : fmt::format("quiet relax_domain_level={}\n", hw.relaxDomainLevel));
  const bool isZen = hw.reclaimDistance == 32;
  folder.write("proc/cpuinfo",
               hw.rules == MaskRules::ArchTopology
                   ? "processor\t: 0\nCPU implementer\t: 0x41\n"
                   : fmt::format("processor\t: 0\nvendor_id\t: {}\ncpu family\t: {}\nmodel name\t: made up\n",
                                 isZen ? "AuthenticAMD" : "GenuineIntel", isZen ? 25 : 6));
}

/// Writes what debugfs shows of the built domains.
inline void writeDebugfs(const TemporaryFolder& folder, const std::string& domains, const SchedTopology& t) {
  const auto names = [](std::uint32_t flags) {
    std::string out;
    for (const std::string& flag : sdFlagNames(flags, KernelVersion::V6_12)) out += flag + " ";
    return out + "\n";
  };
  for (const SchedDomain& d : t.domains) {
    const std::string at = fmt::format("{}/cpu{}/domain{}/", domains, d.cpu.value, d.index);
    folder.write(at + "name", d.name + "\n");
    folder.write(at + "flags", names(d.flags));
    folder.write(at + "groups_flags", names(t.group(d.groups.front()).flags));
    folder.write(at + "level", fmt::format("{}\n", d.level));
    folder.write(at + "min_interval", fmt::format("{}\n", d.minIntervalMs));
    folder.write(at + "max_interval", fmt::format("{}\n", d.maxIntervalMs));
    folder.write(at + "busy_factor", fmt::format("{}\n", d.busyFactor));
    folder.write(at + "imbalance_pct", fmt::format("{}\n", d.imbalancePct));
    folder.write(at + "cache_nice_tries", fmt::format("{}\n", d.cacheNiceTries));
    folder.write(at + "max_newidle_lb_cost", "1234\n");
  }
}

}  // namespace rqscope
