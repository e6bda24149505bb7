// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "workload/program.h"

namespace rqscope {

/// Adds another program to those that run: its own mutexes, timers and so on, the same groups.
void mergeWorkload(Workload& whole, Workload part);

}  // namespace rqscope
