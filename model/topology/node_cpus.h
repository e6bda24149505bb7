// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>

#include "topology/hardware.h"

namespace rqscope {

/// Puts the CPUs of an imported machine into NUMA nodes where its files leave room: CPUs that the machine
/// does not have are left out of the nodes, and a CPU that several nodes name or none is in the one that
/// `nodeOfCpu` (CPU to node number, may be empty) names, a node of its own if need be; without that, a CPU in
/// no node is in the first, and one in several is left for checkHardware() to refuse. Sets HardwareCpu::node
/// and says in Hardware::notes what was changed.
void settleNodeCpus(Hardware& hw, const std::map<int, int>& nodeOfCpu);

}  // namespace rqscope
