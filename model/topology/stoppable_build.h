// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <stop_token>

#include "topology/sched_topology.h"

namespace rqscope {

/// buildSchedTopology() that ends soon, with an error, once `stop` is requested.
Result<std::shared_ptr<const SchedTopology>> buildSchedTopology(const Hardware& hardware,
                                                                const KernelProfile& profile,
                                                                const std::stop_token& stop);

}  // namespace rqscope
