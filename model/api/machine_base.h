// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "rqscope/machine_edit.h"
#include "topology/hardware.h"

namespace rqscope::api {

/// The machine before the edits of an EditMachine.
struct MachineBase {
  Hardware hardware;
};

/// The editable view of a machine.
EditMachine editableOf(Hardware hardware);

/// The machine with the edits in it. Precondition: nodes and CPUs are those of the base.
Hardware hardwareOf(const EditMachine& machine);

/// The greatest number of each part, and whether a machine of these counts is the same machine.
MachineCounts countsOf(const Hardware& hardware);
bool isRegular(const Hardware& hardware, const MachineCounts& counts);

}  // namespace rqscope::api
