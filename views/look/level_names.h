// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "rqscope/layout.h"

namespace rqscope::look {

/// What each domain of the layout is called: "MC"; "NUMA 2" where several levels have the name, from 1 for
/// the lowest.
std::vector<std::string> domainNames(const api::MachineLayout& layout);

}  // namespace rqscope::look
