// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace rqscope::api {

/// One box of the machine: "machine", "package", "node", "die", "llc", "cluster", "core"; leaves are CPUs.
struct LayoutBox {
  std::string kind;
  std::string label;                ///< "NODE 0", "L3 2"
  std::vector<std::int32_t> cpus;   ///< all CPUs inside, ascending
  std::vector<LayoutBox> children;  ///< empty: the CPUs are drawn directly
};

struct LayoutCpu {
  std::int32_t id = 0;
  bool online = true;
  bool isolated = false;           ///< in no domain
  std::int32_t capacity = 1024;    ///< told to the scheduler
  std::int32_t throughput = 1024;  ///< what it really does
  std::string kind;                ///< "big", "little", "P", ...
  std::int32_t package = 0, node = 0, llc = -1, core = 0;
  std::vector<std::int32_t> domains;  ///< indexes into MachineLayout::domains, lowest first
};

struct LayoutGroup {
  std::vector<std::int32_t> cpus;
  std::vector<std::int32_t> balanceMask;
  std::vector<std::string> flags;
  std::string label;  ///< "{0,3-5}"
};

struct LayoutDomain {
  std::int32_t cpu = 0, index = 0, level = 0;
  std::string name;
  std::vector<std::int32_t> span;
  std::vector<std::string> flags;
  std::vector<std::int32_t> groups;  ///< ring order, local first
  std::int32_t minIntervalMs = 0, maxIntervalMs = 0, busyFactor = 0, imbalancePct = 0, cacheNiceTries = 0,
               imbNumaNr = 0;
  std::int32_t parent = -1;
};

/// What does not move while a scenario runs (hotplug makes a new one: Frame::layoutVersion).
struct MachineLayout {
  std::string name, description, source;
  std::string kernel;                ///< "v6.12"
  std::string queue;                 ///< "cfs", "eevdf", "flat_eevdf": how a CPU orders its tasks
  std::vector<std::string> patches;  ///< "migrate_util_shr_bound=on"
  std::int32_t hz = 250;
  std::vector<LayoutCpu> cpus;  ///< ascending by id; ids may have gaps
  LayoutBox root;
  std::vector<LayoutDomain> domains;
  std::vector<LayoutGroup> groups;
  std::vector<std::string> groupTypes;  ///< those this version and machine can produce, in the kernel's order
  std::vector<std::string> levelNames;  ///< distinct domain names, lowest first: "SMT", "MC", "PKG", "NUMA"
  std::vector<std::string> notes;
};

}  // namespace rqscope::api
