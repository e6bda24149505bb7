// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <stop_token>

#include "base/result.h"
#include "topology/file_tree.h"
#include "topology/hardware.h"

namespace rqscope {

/// The machine that a tree of /sys and /proc describes. What is missing is filled in as the kernel would and
/// said in Hardware::notes. `file` is for messages. Ends soon, with an error, once `stop` is requested.
Result<Hardware> hardwareFromSysfs(const FileTree& tree, const std::string& file,
                                   const std::stop_token& stop = {});

}  // namespace rqscope
