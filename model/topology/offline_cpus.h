// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "topology/hardware.h"

namespace rqscope {

/// Linux says nothing about the place of an offline CPU. Guesses it from the regularity of the others
/// (package, node, last-level cache, core) and adds the CPU to their masks; a note says which CPUs were
/// guessed.
void placeOfflineCpus(Hardware& hardware);

}  // namespace rqscope
