// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <string_view>
#include <vector>

#include "evaluate/hand_machine.h"

namespace rqscope {

/// A machine of CPUs of the given capacities without any domain, at rest at `startNs`.
inline Machine flatMachine(const KernelProfile& profile, const std::vector<std::uint32_t>& capacities,
                           std::uint64_t startNs = 1'048'576) {
  HandTopology hand(static_cast<int>(capacities.size()));
  SchedTopology& t = hand.topology();
  t.cpuCapacity = capacities;
  std::map<std::uint32_t, CpuMask, std::greater<>> byCapacity;
  for (std::size_t c = 0; c < capacities.size(); ++c) byCapacity[capacities[c]].set(CpuId{c});
  t.asymCapacities.assign(byCapacity.begin(), byCapacity.end());
  t.asymCapacityActive = byCapacity.size() > 1;
  return makeMachine(hand.finish(), std::make_shared<const KernelProfile>(profile), startNs, 1);
}

inline Machine flatMachine(std::string_view kernel, const std::vector<std::uint32_t>& capacities,
                           std::uint64_t startNs = 1'048'576) {
  return flatMachine(kernelProfile(kernel).value(), capacities, startNs);
}

inline Machine flatMachine(std::string_view kernel, int cpus, std::uint64_t startNs = 1'048'576) {
  return flatMachine(kernel, std::vector<std::uint32_t>(static_cast<std::size_t>(cpus), 1024), startNs);
}

}  // namespace rqscope
