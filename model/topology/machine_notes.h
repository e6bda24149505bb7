// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "topology/hardware.h"

namespace rqscope {

/// What an import knows beside what stands in Hardware.
struct MachineGaps {
  bool knowsClusters = false;  ///< the source says which CPUs form a cluster, also where it is none
};

/// Fills empty masks of online CPUs as the kernel would (own core, one package, die = package, cluster =
/// level 2 cache) and adds a note for each kind of gap.
void fillMachineGaps(Hardware& hardware, const MachineGaps& gaps);

}  // namespace rqscope
