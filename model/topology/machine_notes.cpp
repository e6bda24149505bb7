// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "topology/machine_notes.h"

#include <algorithm>

#include "topology/cpu_place.h"

namespace rqscope {
namespace {

/// Fills one kind of mask where it is empty; says whether there was a gap.
template <class Fill>
bool fillMask(Hardware& hw, CpuMask HardwareCpu::*mask, const Fill& fill) {
  bool hadGap = false;
  for (HardwareCpu& cpu : hw.cpus)
    if (cpu.online && (cpu.*mask).isEmpty()) {
      cpu.*mask = fill(cpu);
      hadGap = true;
    }
  return hadGap;
}

}  // namespace

void fillMachineGaps(Hardware& hardware, const MachineGaps& gaps) {
  CpuMask all;
  for (const HardwareCpu& cpu : hardware.cpus)
    if (cpu.online) all.set(cpu.id);
  if (fillMask(hardware, &HardwareCpu::threadSiblings,
               [](const HardwareCpu& c) { return CpuMask::of(c.id); }))
    hardware.notes.push_back("no thread siblings for some CPUs: each is a core of its own");
  if (fillMask(hardware, &HardwareCpu::packageCpus, [&](const HardwareCpu&) { return all; }))
    hardware.notes.push_back("no package for some CPUs: all CPUs are one package");
  fillMask(hardware, &HardwareCpu::dieCpus, [](const HardwareCpu& c) { return c.packageCpus; });
  if (!gaps.knowsClusters) {
    fillClusterMasks(hardware);
    hardware.notes.push_back(
        hardware.rules == MaskRules::X86
            ? "no clusters described: CPUs that share a level 2 cache form one, as on x86"
            : "no clusters described: there are none");
  }
  const bool hasCaches = std::any_of(hardware.cpus.begin(), hardware.cpus.end(),
                                     [](const auto& c) { return !c.caches.empty(); });
  const bool hasLlc = std::any_of(hardware.cpus.begin(), hardware.cpus.end(),
                                  [](const auto& c) { return lastLevelCache(c) != nullptr; });
  if (!hasCaches)
    hardware.notes.push_back("no caches described: the CPUs of a package share the last-level cache");
  else if (!hasLlc)
    hardware.notes.push_back("no level 2 or 3 cache described");
}

}  // namespace rqscope
