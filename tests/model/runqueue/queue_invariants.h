// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "runqueue/machine.h"

namespace rqscope {

/// What is wrong with the queues of a machine: sums that are not those of their parts, trees out of order or
/// colour, tasks that are counted twice or nowhere. Empty when nothing is.
std::string queueFault(const Machine& m);

}  // namespace rqscope
